// swift-crypto as a peer of sealed texts and signatures: answers the lines that peers.py writes. The two functions
// `open…` are in Recipes.swift, which is made from Docs/SealedTexts.md.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

struct BadLine: Error {}

func data(_ hex: Substring) throws -> Data {
  guard hex != "-" else { return Data() }
  let digits = Array(hex.utf8)
  return try Data(
    stride(from: 0, to: digits.count, by: 2).map { i in
      guard let byte = UInt8(String(decoding: digits[i..<i + 2], as: UTF8.self), radix: 16) else { throw BadLine() }
      return byte
    })
}

func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

func sealed<Key: HPKEDiffieHellmanPublicKey>(
  _ block: Data, _ key: Key, _ suite: HPKE.Ciphersuite, _ context: Data
) throws -> Data {
  var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: context)
  let ciphertext = try sender.seal(block)
  return sender.encapsulatedKey + ciphertext
}

func answer(_ words: [Substring]) throws -> String {
  let bytes = try words.dropFirst(2).map(data)
  switch (words[0], words[1]) {
  case ("open", "X25519"): return hex(try openX25519(bytes[0], bytes[1], bytes[2]))
  case ("open", "P256"): return hex(try openP256(bytes[0], bytes[1], bytes[2]))
  case ("seal", "X25519"):
    let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes[0])
    return hex(try sealed(bytes[2], key, .Curve25519_SHA256_ChachaPoly, bytes[1]))
  case ("seal", "P256"):
    let key = try P256.KeyAgreement.PublicKey(x963Representation: bytes[0])
    return hex(try sealed(bytes[2], key, .P256_SHA256_AES_GCM_256, bytes[1]))
  case ("sign", "P256"):
    return hex(try P256.Signing.PrivateKey(rawRepresentation: bytes[0]).signature(for: bytes[1]).rawRepresentation)
  case ("verify", "P256"):
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes[2])
    let key = try P256.Signing.PublicKey(x963Representation: bytes[0])
    return key.isValidSignature(signature, for: bytes[1]) ? "right" : "wrong"
  default: throw BadLine()
  }
}

while let line = readLine() {
  do {
    print(try answer(line.split(separator: " ")))
  } catch is BadLine {
    print("what?")
  } catch {
    print("refused")
  }
  fflush(nil)
}
