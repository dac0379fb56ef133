// The text for the server: what is typed, encrypted or sealed, at a random place in the caller's space.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCipher
import KeyboardCodes
import KeyboardMemory

extension KeyboardState {
  /// The text for the key that was set, ECB or sealed. Wipes what it leaves by itself, up to the registers.
  func getText(into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int> {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    let (keyLength, code) = (Int(header.pointee.keyLength), UInt32(header.pointee.wayCode))
    guard keyLength > 0 else { throw .key(.missing) }
    switch Way(code: code) {
    case .ecb(let way): return try makeECBText(way, keyLength: keyLength, into: space)
    case .sealed(let way):
      // A forgotten challenge would otherwise be noticed by the server only.
      guard header.pointee.hasContext else { throw .key(.noContext) }
      let key = way.origin == .shared ? nil : UnsafeRawBufferPointer(start: recipient, count: keyLength)
      return try seal(way, for: key, context: UnsafeRawBufferPointer(context), into: space)
    #if arch(wasm32)
      case .pin: throw .key(.missing)
    #else
      case .pin(let format): return try makePINBlock(format, keyLength: keyLength, into: space)
    #endif
    case nil: throw .key(.missing)
    }
  }

  @_optimize(speed)
  private func makeECBText(
    _ way: EncryptionWay, keyLength: Int, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    guard header.pointee.contextLength == 0 else { throw .key(.context) }
    try checkTranslation()
    let length = Int(header.pointee.passwordLength)
    let textLength = way.textLength(passwordLength: length)
    guard space.count >= textLength else { throw .spaceTooSmall(needed: textLength) }
    let cipher = try PasswordCipher(way, for: .encryption, textLength: textLength)
    // Wiped before the caller's memory is touched: if it does not exist, the process dies, and its stack and registers
    // go into a core dump.
    Residue.begin()
    if Residue.runsOnOwnStack(.cipher) {
      try Residue.wiped(.ownStack) { () throws(KeyboardError) in encrypt(length, with: cipher, keyLength: keyLength) }
    } else {
      encrypt(length, with: cipher, keyLength: keyLength)
      Residue.wipe(.cipher)
    }
    return try put(cipher.text, byteCount: textLength, into: space, using: cipher.workspace)
  }

  /// Never inlined: its frame is not the caller's, which is not wiped.
  @inline(never)
  private func encrypt(_ length: Int, with cipher: borrowing PasswordCipher, keyLength: Int) {
    key.unmask(count: keyLength, into: cipher.key)
    // Whole blocks, as the cipher reads them: behind the password's end, the bytes are zero.
    password.unmask(count: min((length | 15) &+ 1, maximumPasswordLength), into: cipher.text)
    _ = cipher.encrypt(byteCount: length, keyLength: keyLength)
  }

  /// A sealed text of what is typed.
  ///
  /// - Parameter recipient: a public key that was checked; nil for the secret key that was set.
  func seal(
    _ way: SealingWay, for recipient: UnsafeRawBufferPointer?, context: UnsafeRawBufferPointer,
    into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    try checkTranslation()
    let textLength = try way.textLength(for: recipient)
    guard space.count >= textLength else { throw .spaceTooSmall(needed: textLength) }
    way.bind()
    let sealed = try SealedText(way)
    sealed.copy(recipient: recipient, context: context)
    let keyLength = recipient?.count ?? Int(header.pointee.keyLength)
    try Residue.wiped(way.reach) { () throws(KeyboardError) in
      let length = Int(header.pointee.passwordLength)
      password.unmask(count: length, into: sealed.password)
      if recipient == nil { key.unmask(count: keyLength, into: sealed.key) }
      try sealed.seal(byteCount: length, keyLength: keyLength, contextLength: context.count)
    }
    return try put(sealed.text, byteCount: textLength, into: space, using: sealed.workspace)
  }

  /// Puts a text at a random place in random bytes.
  func put(
    _ text: UnsafeRawPointer, byteCount: Int, into space: UnsafeMutableRawBufferPointer,
    using workspace: borrowing Workspace
  ) throws(KeyboardError) -> Range<Int> {
    let offset = try RandomPlacement.prepare(space, for: byteCount, using: workspace)
    copySecret(from: text, to: space.baseAddress! + offset, byteCount: byteCount)
    guard !wasEmptied else {
      // The child of a fork in the middle: there is no text any more, and zeros in its place would tell where it was.
      _ = try RandomPlacement.prepare(space, for: byteCount, using: workspace)
      throw .operationDisabled(.notOpen)
    }
    return offset..<offset + byteCount
  }
}
