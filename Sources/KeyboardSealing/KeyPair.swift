// Keys for sealed texts.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes

#if hasFeature(Embedded)
  import KeyboardMemory
#else
  public import KeyboardMemory

  /// A drawn key with its public key. Frozen, so that a program can take the two apart.
  @frozen public struct KeyPair: ~Copyable, Sendable {
    /// The secret key, of the one length of `way.secretKeyLengths`.
    public let secretKey: SecretBytes
    /// The public key, of the one length of `way.publicKeyLengths`; empty for `sm4GCM`, whose key is both.
    public let publicKey: [UInt8]
  }

  /// Draws a key, and answers it with its public key.
  ///
  /// - Parameter way: what the key is for.
  /// - Throws: `.argument` for `rsa`, whose keys are made elsewhere (`openssl genpkey`); `.memory`, `.random`.
  /// - Timing: depends on how often a draw is rejected, once in 2³² draws.
  /// - Source: RFC 7748 §6.1; SP 800-56A revision 3 §5.6.1.2.2; GB/T 32918.1-2016 §6.1.
  /// - C: `CustomKeyboard_generateKey`.
  public func generateKey(_ way: SealingWay) throws(KeyboardError) -> KeyPair {
    guard let lengths = way.generatedLengths else { throw .argument(.notGenerated) }
    var secretKey = try SecretBytes(capacity: lengths.secretKey)
    var publicKey = [UInt8](repeating: 0, count: lengths.publicKey)
    var space = publicKey.mutableSpan
    try secretKey.extend { secret throws(KeyboardError) in
      try space.withUnsafeMutableBytes { space throws(KeyboardError) in
        try generateKey(way, into: secret.baseAddress!, publicKey: space.isEmpty ? nil : space.baseAddress)
      }
      return secret.count
    }
    return KeyPair(secretKey: secretKey, publicKey: publicKey)
  }
#endif

/// Draws a key, and writes it with its public key.
///
/// - Parameters:
///   - way: what the key is for.
///   - secretKey: gets the secret key, the one length of `way.secretKeyLengths`. The caller keeps it secret, and wipes
///     it.
///   - publicKey: gets the public key, the one length of `way.publicKeyLengths`. Nothing is written to it for `sm4GCM`,
///     whose key is both. They do not overlap.
/// - Throws: `.argument` for `rsa`, whose keys are made elsewhere (`openssl genpkey`); `.memory`, `.random`. Nothing is
///   then written.
/// - Timing: depends on how often a draw is rejected, once in 2³² draws.
/// - Source: RFC 7748 §6.1; SP 800-56A revision 3 §5.6.1.2.2; GB/T 32918.1-2016 §6.1.
/// - C: `CustomKeyboard_generateKey`.
public func generateKey(
  _ way: SealingWay, into secretKey: UnsafeMutableRawPointer, publicKey: UnsafeMutableRawPointer?
) throws(KeyboardError) {
  guard way.origin != .elsewhere else { throw .argument(.notGenerated) }
  way.bind()
  try Residue.whole { () throws(KeyboardError) in try generateOnce(way, into: secretKey, publicKey: publicKey) }
}

extension SealingWay {
  /// The lengths of the keys that `generateKey` draws, in bytes: the public key of `sm4GCM` has none. Nil for `rsa`.
  package var generatedLengths: (secretKey: Int, publicKey: Int)? {
    let row = row
    return switch row.origin {
    case .shared: (row.secretKeys.upperBound, 0)
    case .pair: (row.secretKeys.upperBound, row.publicKeys.upperBound)
    case .elsewhere: nil
    }
  }
}

/// - Returns: nil if a fork emptied the workspace in the middle. The child must draw another key: this one would be the
///   parent's too.
@inline(never)
private func generateOnce(
  _ way: SealingWay, into secretKey: UnsafeMutableRawPointer, publicKey: UnsafeMutableRawPointer?
) throws(KeyboardError) -> Void? {
  let sealed = try SealedText(way)
  let pair = sealed.text  // a text is longer than two keys
  try Residue.wiped(.ownStack) { () throws(KeyboardError) in try sealed.drawKeyPair(into: pair) }
  guard !sealed.workspace.wasEmptied else { return nil }
  secretKey.copyMemory(from: pair, byteCount: way.secretKeyLengths.upperBound)
  publicKey?.copyMemory(from: pair + SealingWay.longestDrawnKey, byteCount: way.publicKeyLengths.upperBound)
  return sealed.workspace.wasEmptied ? nil : ()
}

extension SealedText {
  /// The secret key, and 32 bytes behind it the public one.
  fileprivate func drawKeyPair(into pair: UnsafeMutableRawPointer) throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: 32)
    way.drawPrivateKey(into: pair, from: &stream)
    var pieces = pieces
    way.makePublicKey(of: pair, into: pair + SealingWay.longestDrawnKey, in: &pieces)
  }
}
