// The other end of a sealed text: it needs a secret key and a context, and no keyboard.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardMemory

/// Opens a sealed text.
///
/// All of `space` is filled with random bytes, with the password at a uniformly random offset. A space of exactly the
/// password's length holds it at offset 0. The caller wipes the space.
///
/// - Parameters:
///   - text: a sealed text, whose length is one of `way.textLengths`.
///   - way: how it was sealed.
///   - key: the secret key, whose length is one of `way.secretKeyLengths`.
///   - context: what it was sealed for, 0 … 256 bytes. Take it from your own record, never from the message.
///   - space: any number of bytes that overlap neither `text`, `key` nor `context`; 128 hold every password.
/// - Returns: the password's place in `space`: 0 … 128 bytes.
/// - Throws: `.argument` for an overlap, `.tooLong` for the context, `.key` for a wrong length or value of the key;
///   `.undecryptable` for every fault of the text, one error on purpose; `.spaceTooSmall`, `.memory`, `.random`.
///   Nothing is then written.
/// - Timing: nothing depends on the key or on what it gives, up to the verdict; then on `space.count` and the
///   password's length. AES-GCM (`p256`, `xwing`) looks up tables if the processor has no AES instructions. For `rsa`
///   the lengths of the key's numbers show, and its public exponent.
/// - Source: RFC 9180, RFC 8998, GB/T 32918.4-2016, RFC 8017.
/// - C: `CustomKeyboard_unseal`.
public func unseal(
  _ text: UnsafeRawBufferPointer, way: SealingWay, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
  into space: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Range<Int> {
  let target = UnsafeRawBufferPointer(space)
  guard target.isInMemory, text.isInMemory, key.isInMemory, context.isInMemory else { throw .argument(.pastMemory) }
  // An argument that is too long is refused later. Only these first bytes of it are read.
  guard !text.limited(to: maximumSealedLength).overlaps(target),
    !key.limited(to: way.secretKeyLengths.upperBound).overlaps(target),
    !context.limited(to: maximumContextLength).overlaps(target)
  else { throw .argument(.overlap) }
  return try Residue.whole { () throws(KeyboardError) in
    try unsealOnce(text, way: way, key: key, context: context, into: space)
  }
}

/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@inline(never)
private func unsealOnce(
  _ text: UnsafeRawBufferPointer, way: SealingWay, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
  into space: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Range<Int>? {
  guard let opened = try unsealToWorkspace(text, way: way, key: key, context: context) else { return nil }
  let offset = try RandomPlacement.prepare(space, for: opened.length, using: opened.text.workspace)
  if opened.length > 0 {
    placePassword(opened.text.password, at: space.baseAddress! + offset, byteCount: opened.length)
  }
  return opened.text.workspace.wasEmptied ? nil : offset..<offset + opened.length
}

/// An opened text, in its workspace.
package struct OpenedText: ~Copyable {
  package let text: SealedText
  package let length: Int
}

/// Opens a sealed text into locked memory. Wipes the stack and the registers.
///
/// - Returns: nil if a fork emptied the workspace in the middle: in the child, no verdict means anything.
/// - Throws: `.tooLong`, `.key`, `.undecryptable`, in this order; `.memory`.
@inline(never)
package func unsealToWorkspace(
  _ text: UnsafeRawBufferPointer, way: SealingWay, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
) throws(KeyboardError) -> OpenedText? {
  guard context.count <= maximumContextLength else { throw .tooLong(.context) }
  guard way.secretKeyLengths.contains(key.count) else { throw .key(.length) }
  way.bind()
  let isPossible = way.textLengths.contains(text.count)
  let sealed = try make { () throws(KeyboardError) in
    try SealedText(way, opens: true)
  } orCheck: { () throws(KeyboardError) in
    guard try way.mayBeSecretKey(key) else { throw .key(.value) }
    // Whether a key is one of RSA is not known here, and it would be told first.
    guard isPossible || way == .rsa else { throw .undecryptable }
  }
  let length: Int?
  do throws(KeyboardError) {
    sealed.copy(text.limited(to: isPossible ? text.count : 0), key: key, context: context)
    guard try way.mayBeSecretKey(UnsafeRawBufferPointer(start: sealed.key, count: key.count))
    else { throw .key(.value) }
    length = try Residue.wiped(way.reach) { () throws(KeyboardError) in
      let textLength = try sealed.checkKey(byteCount: key.count)
      guard text.count == textLength else { return nil }
      return try sealed.unseal(keyLength: key.count, contextLength: context.count)
    }
  } catch {
    guard !sealed.workspace.wasEmptied else { return nil }
    throw error
  }
  guard !sealed.workspace.wasEmptied else { return nil }
  guard let length else { throw .undecryptable }
  return OpenedText(text: sealed, length: length)
}
