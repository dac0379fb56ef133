// The paper's decryption module (§3.2): it needs a key and a ciphertext, and no keyboard.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardMemory

/// Decrypts an ECB ciphertext and removes its PKCS#7 padding.
///
/// All of `space` is filled with random bytes, with the password at a uniformly random offset. A space of exactly the
/// password's length holds it at offset 0. The caller wipes the space.
///
/// - Parameters:
///   - text: n · block size bytes, n ≥ 1; at most 144.
///   - way: the algorithm.
///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes.
///   - space: any number of bytes that overlap neither `text` nor `key`; 128 hold every password.
/// - Returns: the password's place in `space`: 0 … n · block size − 1 bytes.
/// - Throws: `.argument` for an overlap, `.key` and `.tooLong` for wrong lengths, in this order and before any secret
///   is touched; `.undecryptable` for every fault of the text's length or padding, one error on purpose;
///   `.spaceTooSmall`, `.memory`, `.random`. Nothing is then written.
/// - Timing: depends on `text.count`, `space.count`, the password's length and the outcome (SM4); DES and 3DES look up
///   tables.
/// - Source: GB/T 32907-2016 §7, FIPS 46-3; RFC 5652 §6.3.
/// - C: `CustomKeyboard_decrypt`.
@_optimize(speed)
public func decrypt(
  _ text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer,
  into space: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Range<Int> {
  try checkDecryption(of: text, way: way, key: key, into: UnsafeRawBufferPointer(space))
  return try Residue.plain { () throws(KeyboardError) in
    try decryptChecked(text, way: way, key: key, into: space)
  }
}

/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@_optimize(speed)
private func decryptChecked(
  _ text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer,
  into space: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Range<Int>? {
  let cipher = try PasswordCipher(way, for: .decryption, textLength: text.count)
  // Wiped before the caller's space is touched: if it does not exist, the process dies, and its stack and registers go
  // into a core dump.
  let length = try cipher.decryptWiped(text, key: key)
  guard !cipher.workspace.wasEmptied else { return nil }
  guard let length else { throw .undecryptable }
  let offset = try RandomPlacement.prepare(space, for: length, using: cipher.workspace)
  if length > 0 { placePassword(cipher.text, at: space.baseAddress! + offset, byteCount: length) }
  return cipher.workspace.wasEmptied ? nil : offset..<offset + length
}

/// A decrypted password, in its workspace.
package struct DecryptedText: ~Copyable {
  package let cipher: PasswordCipher
  package let length: Int
}

/// Decrypts an ECB text into locked memory. Wipes the stack and the registers.
///
/// - Parameter text: at most 144 bytes.
/// - Returns: nil if a fork emptied the workspace in the middle: in the child, no verdict means anything.
/// - Throws: `.key`, `.undecryptable`, in this order; `.memory`.
package func decryptToWorkspace(
  _ text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer
) throws(KeyboardError) -> DecryptedText? {
  guard way.acceptsKey(byteCount: key.count) else { throw .key(.length) }
  guard text.count > 0, way.isWholeBlocks(byteCount: text.count) else { throw .undecryptable }
  let cipher = try PasswordCipher(way, for: .decryption, textLength: text.count)
  let length = try cipher.decryptWiped(text, key: key)
  guard !cipher.workspace.wasEmptied else { return nil }
  guard let length else { throw .undecryptable }
  return DecryptedText(cipher: cipher, length: length)
}

/// What can be said of a text, a key and a space before any secret is touched.
///
/// - Throws: `.argument`, `.key`, `.tooLong`, `.undecryptable`, in this order.
@_optimize(speed)
func checkDecryption(
  of text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer, into space: UnsafeRawBufferPointer
) throws(KeyboardError) {
  guard space.isInMemory, text.isInMemory, key.isInMemory else { throw .argument(.pastMemory) }
  // A text or a key that is too long is refused later. Only these first bytes of it are read.
  guard !text.limited(to: maximumTextLength).overlaps(space), !key.limited(to: maximumKeyLength).overlaps(space)
  else { throw .argument(.overlap) }
  guard way.acceptsKey(byteCount: key.count) else { throw .key(.length) }
  guard text.count <= maximumTextLength else { throw .tooLong(.ciphertext) }
  guard text.count > 0, way.isWholeBlocks(byteCount: text.count) else { throw .undecryptable }
}
