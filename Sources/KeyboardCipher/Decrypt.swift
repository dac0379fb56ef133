// The paper's decryption module (§3.2): it needs a key and a ciphertext, and nothing of the keyboard.

public import KeyboardCodes
import KeyboardMemory

/// Decrypts a password.
///
/// All of `space` is filled with random bytes, and the password stands at a uniformly random offset in it; a space exactly
/// as long as the password holds it at offset 0. The caller wipes the space.
///
/// - Parameters:
///   - text: n · block size bytes, n ≥ 1; at most 144.
///   - way: the algorithm.
///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes.
///   - space: overlaps neither `text` nor `key`. 1024 bytes are plenty.
/// - Returns: where the password stands in `space`: 0 … n · block size − 1 bytes.
/// - Throws: `.argument`, `.key`, `.tooLong`, in this order and before any secret is touched; `.undecryptable` for every
///   fault of length or padding, on purpose one error; `.spaceTooSmall`, `.memory`, `.random`. Nothing is then written.
/// - Timing: depends on `text.count`, `space.count` and the outcome only (SM4); DES and 3DES look up tables.
/// - Source: GB/T 32907-2016 §7, FIPS 46-3; RFC 5652 §6.3.
/// - C: `CustomKeyboard_decrypt`.
public func decrypt(
  _ text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer,
  into space: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Range<Int> {
  try checkDecryption(of: text, way: way, key: key, into: UnsafeRawBufferPointer(space))
  Traces.bind()
  let ecb = try ECB(way)
  let length = decryptChecked(text, way: way, key: key, with: ecb)
  // Before the caller's memory is touched: if it is none, the process dies of it, and its stack goes into a core dump.
  Traces.wipe(way.traces(blockCount: way.blockCount(byteCount: text.count)))
  guard let length else { throw .undecryptable }
  // What is copied passes through registers, and the stack is not used for it.
  defer { Traces.wipeRegisters() }
  let offset = try RandomPlacement.place(
    UnsafeRawBufferPointer(start: ecb.text, count: length), in: space, using: ecb.workspace)
  return offset..<offset + length
}

/// What can be said of a text, a key and a space before any secret is touched.
///
/// - Throws: `.argument`, `.key`, `.tooLong`, `.undecryptable`, in this order.
func checkDecryption(
  of text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer, into space: UnsafeRawBufferPointer
) throws(KeyboardError) {
  // No more of a text or a key that is too long is ever looked at.
  guard space.isInMemory, !text.limited(to: maximumTextLength).overlaps(space),
    !key.limited(to: maximumKeyLength).overlaps(space)
  else { throw .argument }
  guard way.acceptsKey(byteCount: key.count) else { throw .key }
  guard text.count <= maximumTextLength else { throw .tooLong }
  // Only now is it known how much of them will be read.
  guard text.isInMemory, key.isInMemory else { throw .argument }
  guard text.count > 0, way.isWholeBlocks(byteCount: text.count) else { throw .undecryptable }
}

/// A frame of its own, so that what it leaves on the stack lies below the one that wipes.
///
/// - Returns: the password's length, or nil if the padding is wrong.
@inline(never)
private func decryptChecked(
  _ text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer, with ecb: borrowing ECB
) -> Int? {
  do throws(KeyboardError) {
    return try ecb.decrypt(text, way: way, key: key)
  } catch {
    return nil
  }
}
