// The public key in a certificate. Neither its signature nor its dates are checked.
// SPDX-License-Identifier: Apache-2.0

extension EncodedKey {
  /// Where the SubjectPublicKeyInfo of a certificate is.
  ///
  /// - Source: RFC 5280 §4.1.
  package static func placeInCertificate(_ bytes: UnsafeRawBufferPointer) throws(KeyFault) -> Range<Int> {
    var whole = DER(bytes)
    var certificate = try whole.elements(.sequence)
    try whole.end()
    var contents = try certificate.elements(.sequence)
    try contents.skip(.first)  // version
    _ = try contents.contents(.integer)  // serial number
    // The signature's algorithm, the issuer, the dates, the subject.
    for _ in 0..<4 { _ = try contents.contents(.sequence) }
    return try contents.whole(.sequence)
  }
}
