// The libraries to compare with: what a user would choose instead, as Debian ships it.
// SPDX-License-Identifier: Apache-2.0

/// A peer. Whether it is constant-time was determined by reading its source, for the measured algorithm.
struct Peer: Codable {
  let name: String
  let version: String
  let constantTime: String

  static var all: [Peer] {
    [
      Peer(
        name: "CustomKeyboard", version: Library.version,
        constantTime: "SM4 and curves yes, on every path; DES, 3DES and Argon2id no"),
      Peer(name: "OpenSSL", version: OpenSSL.version, constantTime: "SM4 no: looks up tables"),
      Peer(
        name: "libgcrypt", version: Libgcrypt.version,
        constantTime: "SM4-ECB no: looks up tables; CTR yes, where it has SIMD"),
      Peer(name: "Botan", version: Botan.version, constantTime: "SM4 no: looks up tables"),
      Peer(name: "mbedTLS", version: MbedTLS.version, constantTime: "DES and 3DES no: looks up tables"),
      Peer(
        name: "libargon2", version: Libargon2.version,
        constantTime: "Argon2id no: the standard lets the passcode decide which memory is read"),
    ]
  }

  /// Whether a contender's timing is independent of secrets; false for unknown names.
  static func isConstantTime(_ contender: String) -> Bool {
    contender.hasPrefix(Library.name) || contender == Libgcrypt.ctrName
  }
}
