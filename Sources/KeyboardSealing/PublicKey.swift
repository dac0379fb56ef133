// The public key of a private key.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardMemory

/// Writes the public key of a private key. So a server must keep its private key only.
///
/// - Parameters:
///   - secretKey: the private key, whose length is one of `way.secretKeyLengths`.
///   - way: what the key is for: `x25519`, `p256`, `sm2` or `xwing`.
///   - publicKey: gets the public key at its beginning, and does not overlap `secretKey`.
/// - Returns: the public key's length: 32 (`x25519`), 65 (`p256` and `sm2`) or 1216 (`xwing`).
/// - Throws: `.argument` for another way or an overlap, `.key` for a wrong length or value, `.spaceTooSmall`,
///   `.memory`, in this order. Nothing is then written.
/// - Timing: constant, up to whether it is a key.
/// - Source: RFC 7748 §6.1; SP 800-56A revision 3 §5.6.1.2.2; GB/T 32918.1-2016 §6.1.
/// - C: `CustomKeyboard_publicKey`.
public func makePublicKey(
  of secretKey: UnsafeRawBufferPointer, way: SealingWay, into publicKey: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int {
  guard way.hasPairs else { throw .argument(.noPublicKey) }
  let target = UnsafeRawBufferPointer(publicKey)
  guard target.isInMemory, secretKey.isInMemory else { throw .argument(.pastMemory) }
  // A key that is too long is refused later. Only these first bytes of it are read.
  guard !secretKey.limited(to: way.secretKeyLengths.upperBound).overlaps(target) else { throw .argument(.overlap) }
  guard way.secretKeyLengths.contains(secretKey.count) else { throw .key(.length) }
  let length = way.publicKeyLengths.upperBound
  try Residue.whole { () throws(KeyboardError) in
    try makeOnce(of: secretKey.baseAddress!, way: way, into: publicKey, length: length)
  }
  return length
}

/// - Returns: nil if a fork emptied the workspace in the middle.
@inline(never)
private func makeOnce(
  of secretKey: UnsafeRawPointer, way: SealingWay, into publicKey: UnsafeMutableRawBufferPointer, length: Int
) throws(KeyboardError) -> Void? {
  let keyLength = way.secretKeyLengths.upperBound
  func check(_ key: UnsafeRawPointer) throws(KeyboardError) {
    guard try way.mayBeSecretKey(UnsafeRawBufferPointer(start: key, count: keyLength)) else { throw .key(.value) }
    guard publicKey.count >= length else { throw .spaceTooSmall(needed: length) }
  }
  let sealed = try make { () throws(KeyboardError) in
    try SealedText(way)
  } orCheck: { () throws(KeyboardError) in
    try check(secretKey)
  }
  sealed.key.copyMemory(from: secretKey, byteCount: keyLength)
  do throws(KeyboardError) { try check(sealed.key) } catch {
    guard !sealed.workspace.wasEmptied else { return nil }
    throw error
  }
  try Residue.wiped(.ownStack) { () throws(KeyboardError) in sealed.makePublicKey() }
  guard !sealed.workspace.wasEmptied else { return nil }
  publicKey.baseAddress!.copyMemory(from: sealed.text, byteCount: length)
  return sealed.workspace.wasEmptied ? nil : ()
}

extension SealedText {
  /// Leaves the public key of `key`, which was checked, in `text`.
  fileprivate func makePublicKey() {
    var pieces = pieces
    way.makePublicKey(of: key, into: text, in: &pieces)
  }
}

/// The same for Swift.
///
/// - Parameters:
///   - secretKey: the private key, whose length is one of `way.secretKeyLengths`.
///   - way: what the key is for: `x25519`, `p256`, `sm2` or `xwing`.
/// - Returns: the public key, which a keyboard takes.
/// - Throws: `.argument` for another way, `.key` for a wrong length or value, `.memory`.
/// - Timing: constant, up to whether it is a key.
/// - Source: RFC 7748 §6.1; SP 800-56A revision 3 §5.6.1.2.2; GB/T 32918.1-2016 §6.1.
/// - C: `CustomKeyboard_publicKey`.
public func publicKey(of secretKey: Span<UInt8>, way: SealingWay) throws(KeyboardError) -> [UInt8] {
  var publicKey = [UInt8](repeating: 0, count: way.publicKeyLengths.upperBound)
  var span = publicKey.mutableSpan
  _ = try span.withUnsafeMutableBytes { publicKey throws(KeyboardError) in
    try secretKey.withUnsafeBytes { secretKey throws(KeyboardError) in
      try makePublicKey(of: secretKey, way: way, into: publicKey)
    }
  }
  return publicKey
}
