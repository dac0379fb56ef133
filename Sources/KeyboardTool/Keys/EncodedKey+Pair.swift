// Whether the two keys of a file belong together. A pair that does not would decrypt nothing, and say so too late.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardCipher

extension EncodedKey {
  /// Whether the public key in the file, if there is one, is that of its private key.
  package func isPair(in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> Bool {
    guard let publicRange else { return true }
    let written = bytes[publicRange]
    if algorithm == .rsa { return try Self.isModulus(written, of: range, in: bytes) }
    let secret = UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: UInt8.self)
    // The command that uses it tells that a private key is wrong.
    guard let key = try? publicKey(of: secret.span, way: algorithm.way) else { return true }
    if written.elementsEqual(key) { return true }
    // A point may be one coordinate and a sign.
    return written.count == 33 && written.first == 2 + key[key.count - 1] & 1
      && written.dropFirst().elementsEqual(key[1...32])
  }

  /// Whether modulus and exponent are those of RSAPrivateKey, where they follow its version.
  private static func isModulus(
    _ written: Slice<UnsafeRawBufferPointer>, of range: Range<Int>, in bytes: UnsafeRawBufferPointer
  ) throws(KeyFault) -> Bool {
    var outer = DER(bytes, written.startIndex..<written.endIndex)
    var own = DER(bytes, range)
    var (publicNumbers, numbers) = (try outer.elements(.sequence), try own.elements(.sequence))
    _ = try numbers.contents(.integer)
    for _ in 0..<2 {
      let (wanted, found) = (try numbers.contents(.integer), try publicNumbers.contents(.integer))
      guard bytes[wanted].elementsEqual(bytes[found]) else { return false }
    }
    return true
  }
}
