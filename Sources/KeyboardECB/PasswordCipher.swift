// One password through one cipher.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardMemory
import KeyboardSM4

/// The key and the text of one password in a workspace, and the cipher that works on them.
///
///     0                      144   168
///     ├─ text (at most 144) ─┼ key ┼─ key schedule, or what SM4 needs for one use of a key ─┤
package struct PasswordCipher: ~Copyable {
  package let workspace: Workspace
  private let way: EncryptionWay

  /// - Parameters:
  ///   - direction: what the cipher will do, and nothing else.
  ///   - textLength: the most bytes that a ciphertext will have.
  /// - Throws: `.memory`.
  @_optimize(speed)
  package init(_ way: EncryptionWay, for direction: Direction, textLength: Int) throws(KeyboardError) {
    way.bind()
    self.way = way
    let used = Self.scheduleOffset + way.oneUseByteCount(for: direction, textLength: textLength)
    workspace = try Workspace(using: used)
  }

  private static var scheduleOffset: Int { maximumTextLength + maximumKeyLength }

  private var schedule: UnsafeMutableRawPointer { workspace.memory + Self.scheduleOffset }

  /// Where the text goes in and comes out: 144 bytes.
  package var text: UnsafeMutableRawPointer { workspace.memory }

  /// Room for the longest key, for a caller that has to unmask it first.
  package var key: UnsafeMutableRawPointer { text + maximumTextLength }

  /// Pads and encrypts the password in `text`, in place.
  ///
  /// - Parameters:
  ///   - byteCount: the password's length, at most 128. What is in its last block behind it is overwritten.
  ///   - keyLength: of the key in `key`, a length that the algorithm accepts.
  /// - Returns: the ciphertext's length.
  @inline(never) @_optimize(speed)
  package func encrypt(byteCount: Int, keyLength: Int) -> Int {
    let length = PKCS7.pad(text, byteCount: byteCount, blockSize: way.blockSize)
    if way == .sm4 {
      SM4.encrypt(key: key, input: text, output: text, blockCount: length / SM4.blockSize, scratch: schedule)
    } else {
      way.expandKey(UnsafeRawBufferPointer(start: key, count: keyLength), for: .encryption, into: schedule)
      way.crypt(schedule: schedule, input: text, output: text, byteCount: length)
    }
    return length
  }

  /// As `decrypt`, and wipes the stack and the registers.
  ///
  /// - Throws: `.memory`.
  @inline(__always)
  func decryptWiped(
    _ ciphertext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Int? {
    Residue.begin()
    guard Residue.runsOnOwnStack(.cipher) else {
      // Never inlined: its frame is not the caller's, which is not wiped. A closure would take 15 ns.
      let length = decrypt(ciphertext, key: key)
      Residue.wipe(.cipher)
      return length
    }
    return try decryptCopies(ciphertext, key: key)
  }

  /// On a stack of its own, nothing of the caller's is read.
  @inline(never)
  private func decryptCopies(
    _ ciphertext: UnsafeRawBufferPointer, key given: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Int? {
    text.copyMemory(from: ciphertext.baseAddress!, byteCount: ciphertext.count)
    key.copyMemory(from: given.baseAddress!, byteCount: given.count)
    return try Residue.wiped(.ownStack) { () throws(KeyboardError) in
      decrypt(
        UnsafeRawBufferPointer(start: text, count: ciphertext.count),
        key: UnsafeRawBufferPointer(start: key, count: given.count))
    }
  }

  /// Decrypts a ciphertext into `text`.
  ///
  /// - Parameters:
  ///   - ciphertext: whole blocks, 1 … 144 bytes.
  ///   - key: of a length that the algorithm accepts.
  /// - Returns: the password's length; nil if the padding is wrong.
  @inline(never) @_optimize(speed)
  package func decrypt(_ ciphertext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> Int? {
    let (input, byteCount) = (ciphertext.baseAddress!, ciphertext.count)
    if way == .sm4 {
      SM4.decrypt(
        key: key.baseAddress!, input: input, output: text, blockCount: byteCount / SM4.blockSize, scratch: schedule)
    } else {
      way.expandKey(key, for: .decryption, into: schedule)
      way.crypt(schedule: schedule, input: input, output: text, byteCount: byteCount)
    }
    return PKCS7.unpaddedLength(text, byteCount: byteCount, blockSize: way.blockSize)
  }
}
