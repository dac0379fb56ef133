// PIN blocks of a keyboard, keys that serve one text, and what a received PIN may become.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardPIN

extension KeyboardState {
  // MARK: The key

  /// - Throws: `.operationDisabled`, `.key`, `.memory`, `.random`; the old key then stays.
  func setKey(_ bytes: UnsafeRawBufferPointer, for format: PINBlockFormat) throws(KeyboardError) {
    try checkIdle()
    guard format.acceptsKey(byteCount: bytes.count) else { throw .noKey(bytes, because: .pinKeyLength) }
    let workspace: Workspace
    // Of another size than the one that the mask is drawn in.
    do throws(KeyboardError) { workspace = try Workspace(.sealedText, using: longestSecretKey) } catch {
      guard format.isKey(bytes.baseAddress!, byteCount: bytes.count) else { throw .noKey(bytes, because: .singleDES) }
      throw error
    }
    // The copy is checked: the caller's bytes may change meanwhile.
    workspace.memory.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    let copy = UnsafeRawBufferPointer(start: workspace.memory, count: bytes.count)
    guard format.isKey(workspace.memory, byteCount: bytes.count) else { throw .noKey(copy, because: .singleDES) }
    try store(copy, for: format)
  }

  /// Sets the key of one transaction, which the first text and `close` wipe.
  ///
  /// - Throws: `.operationDisabled`, `.memory`, `.random`; the old key then stays.
  func setSingleUseKey(_ bytes: UnsafeRawBufferPointer, for format: PINBlockFormat) throws(KeyboardError) {
    try checkIdle()
    try store(bytes, for: format)
    header.pointee.isSingleUse = true
  }

  private func store(_ bytes: UnsafeRawBufferPointer, for format: PINBlockFormat) throws(KeyboardError) {
    try key.reset()
    key.store(bytes, at: 0)
    noteKey(byteCount: bytes.count, wayCode: format.code)
  }

  func forgetSingleUseKey() {
    guard header.pointee.isSingleUse else { return }
    key.wipe(0..<longestSecretKey)
    noteKey(byteCount: 0, wayCode: 0)
  }

  // MARK: In and out

  /// The PIN block of what is typed. Wipes what it leaves by itself, up to the registers.
  ///
  /// - Throws: `.key` for the account number, `.refused` for what is not a PIN or must not become this block,
  ///   `.spaceTooSmall`, `.memory`, `.random`, in this order.
  func makePINBlock(
    _ format: PINBlockFormat, keyLength: Int, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    let account = try format.accountNumber(UnsafeRawBufferPointer(context))
    try checkTranslation(to: format, of: account)
    let count = Int(header.pointee.passwordLength)
    var isPIN = false
    try Residue.wipedOnce { isPIN = PINField.isPIN(count: count) { password[$0] } }
    guard isPIN else { throw .refused(.noPIN) }
    guard space.count >= format.blockSize else { throw .spaceTooSmall(needed: format.blockSize) }
    let block = try PINBlock(format)
    try Residue.wiped { () throws(KeyboardError) in try block.draw() }
    try Residue.wipedOnce(.ownStack) {
      key.unmask(count: keyLength, into: block.key)
      password.unmask(count: PINField.longestPIN, into: block.pin)
      block.encrypt(count: count, keyLength: keyLength, account: account)
    }
    let place = try put(block.block, byteCount: format.blockSize, into: space, using: block.workspace)
    forgetSingleUseKey()
    return place
  }

  // MARK: Translation

  /// What may become of a received PIN. One that was bound to an account number stays bound to it. One of format 1 may
  /// become a block of any format. Neither becomes anything but a block. What was typed or came otherwise is free.
  ///
  /// - Parameter format: the block that it is to become; nil for another text.
  /// - Throws: `.refused`.
  /// - Source: ISO 9564-1:2017 §9.5; PCI PIN Security, requirement 3-3.
  func checkTranslation(
    to format: PINBlockFormat? = nil, of account: AccountNumber? = nil
  ) throws(KeyboardError) {
    guard header.pointee.originCode != 0 else { return }
    let bound = header.pointee.originAccount
    guard format != nil, bound == 0 || account?.bits == bound else { throw .refused(.receivedPIN) }
  }
}
