// One PIN in an encrypted block, in locked memory.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardMemory

/// A PIN, its block and its key in a workspace.
///
///     0     16      32    64
///     ├ PIN ┼ block ┼ key ┼─ key schedule ─┤
///
///     format 0, 1, 3    3DES(PIN field ⊕ account number's field); of format 1, without the second
///     format 4          AES(AES(PIN field ‖ 8 random bytes) ⊕ account number's field)
///
/// - Timing: only the look-ups in the ciphers' tables depend on PIN or key; and then the verdict on a block.
/// - Source: ISO 9564-1:2017 §9.3 and §9.4.
package struct PINBlock: ~Copyable {
  package let workspace: Workspace
  private let format: PINBlockFormat

  /// - Throws: `.memory`.
  package init(_ format: PINBlockFormat) throws(KeyboardError) {
    bindPINBlocks()
    self.format = format
    workspace = try Workspace(.sealedText, using: 64 + KeySchedule.byteCount)
  }

  /// The PIN: 12 bytes, ASCII digits.
  package var pin: UnsafeMutableRawPointer { workspace.memory }
  /// The encrypted block: `format.blockSize` bytes.
  package var block: UnsafeMutableRawPointer { workspace.memory + 16 }
  /// Room for the longest key.
  package var key: UnsafeMutableRawPointer { workspace.memory + 32 }
  private var schedule: KeySchedule { KeySchedule(at: workspace.memory + 64) }

  /// Behind a field of format 4 are 8 random bytes. The others take their random digits from there.
  private var random: UnsafeMutableRawPointer { block + 8 }

  /// Draws what is random in a block.
  ///
  /// - Throws: `.random`.
  package func draw() throws(KeyboardError) {
    guard format != .format0 else { return }
    var stream = try workspace.randomStream(byteCount: 8)
    stream.fill(UnsafeMutableRawBufferPointer(start: random, count: 8))
  }

  /// Encrypts the PIN in `pin` with the key in `key`, and leaves the block in `block`.
  ///
  /// - Parameters:
  ///   - count: of the PIN's digits, 4…12.
  ///   - account: nil for format 1.
  @inline(never)
  package func encrypt(count: Int, keyLength: Int, account: AccountNumber?) {
    var field = PINField.make(format, pin, count: count, random: random.load(as: UInt64.self))
    if format != .format4 { field ^= account?.field ?? 0 }
    block.storeBytes(of: field.bigEndian, as: UInt64.self)
    cipher(keyLength, .encryption, account)
  }

  /// Decrypts the block in `block` with the key in `key`, and leaves the PIN in `pin`.
  ///
  /// - Parameter account: nil for format 1.
  /// - Returns: how many digits the PIN has; nil for a block that is wrong in any way.
  @inline(never)
  package func decrypt(keyLength: Int, account: AccountNumber?) -> Int? {
    cipher(keyLength, .decryption, account)
    var field = UInt64(bigEndian: block.load(as: UInt64.self))
    if format != .format4 { field ^= account?.field ?? 0 }
    let count = PINField.read(field, into: pin)
    return ConstantTime.isZero(PINField.faults(field, format)) ? count : nil
  }

  /// The steps of format 4 are the same in both directions.
  private func cipher(_ keyLength: Int, _ direction: Direction, _ account: AccountNumber?) {
    guard format == .format4 else {
      schedule.expandTripleDES(key, byteCount: keyLength, for: direction)
      return schedule.cryptByTripleDES(block)
    }
    schedule.expandAES(key, byteCount: keyLength, for: direction)
    schedule.cryptByAES(block, direction)
    let (first, second) = account?.longField ?? (0, 0)
    add(first, at: 0)
    add(second, at: 8)
    schedule.cryptByAES(block, direction)
  }

  private func add(_ word: UInt64, at offset: Int) {
    let sum = block.load(fromByteOffset: offset, as: UInt64.self) ^ word.bigEndian
    block.storeBytes(of: sum, toByteOffset: offset, as: UInt64.self)
  }
}

/// A decrypted PIN, in its workspace.
package struct OpenedPIN: ~Copyable {
  package let block: PINBlock
  package let count: Int
  /// Nil for format 1.
  package let account: AccountNumber?
}

/// Decrypts a PIN block into locked memory. Wipes the stack and the registers.
///
/// - Parameters:
///   - text: a block; of any other length it is undecryptable.
///   - context: the account number; empty for format 1.
/// - Returns: nil if a fork emptied the workspace in the middle: in the child, no verdict means anything.
/// - Throws: `.key` for the account number or the key, `.undecryptable`, in this order; `.memory`.
@inline(never)
package func decryptToWorkspace(
  _ text: UnsafeRawBufferPointer, format: PINBlockFormat, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
) throws(KeyboardError) -> OpenedPIN? {
  guard format.acceptsKey(byteCount: key.count) else { throw .key(.pinKeyLength) }
  let account = try format.accountNumber(context)
  func check(_ key: UnsafeRawPointer, byteCount: Int) throws(KeyboardError) {
    var isKey = false
    try Residue.wipedOnce { isKey = format.isKey(key, byteCount: byteCount) }
    guard isKey else { throw .key(.singleDES) }
    guard text.count == format.blockSize else { throw .undecryptable }
  }
  let block = try make { () throws(KeyboardError) in
    try PINBlock(format)
  } orCheck: { () throws(KeyboardError) in
    try check(key.baseAddress!, byteCount: key.count)
  }
  block.key.copyMemory(from: key.baseAddress!, byteCount: key.count)
  do throws(KeyboardError) { try check(block.key, byteCount: key.count) } catch {
    guard !block.workspace.wasEmptied else { return nil }
    throw error
  }
  block.block.copyMemory(from: text.baseAddress!, byteCount: text.count)
  var count: Int?
  try Residue.wipedOnce(.ownStack) { count = block.decrypt(keyLength: key.count, account: account) }
  guard !block.workspace.wasEmptied else { return nil }
  guard let count else { throw .undecryptable }
  return OpenedPIN(block: block, count: count, account: account)
}

extension PINBlockFormat {
  /// The account number in a context; nil for format 1, which has none.
  ///
  /// - Throws: `.key` for a context that is not what the format takes.
  package func accountNumber(_ context: UnsafeRawBufferPointer) throws(KeyboardError) -> AccountNumber? {
    let account = AccountNumber(context)
    guard hasAccountNumber || context.isEmpty else { throw .key(.noAccountNumber) }
    guard !hasAccountNumber || account != nil else { throw .key(.accountNumber) }
    return account
  }

  /// Whether 3DES with this key is more than DES: neighbours among K1, K2 and K3 differ. Parity bits do not count. Any
  /// bytes are a key of AES.
  ///
  /// - Parameter byteCount: a length that is accepted.
  /// - Timing: constant up to the answer.
  package func isKey(_ key: UnsafeRawPointer, byteCount: Int) -> Bool {
    guard self != .format4 else { return true }
    var isSingle = false
    for offset in stride(from: 8, to: byteCount, by: 8) {
      let difference =
        key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ key.loadUnaligned(fromByteOffset: offset - 8, as: UInt64.self)
      if ConstantTime.isZero(difference & 0xfefe_fefe_fefe_fefe) { isSingle = true }
    }
    return !isSingle
  }
}
