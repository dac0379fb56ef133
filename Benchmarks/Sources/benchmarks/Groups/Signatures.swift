// Signing and verifying a text of the length of a sealed one, in a context of 32 bytes. OpenSSL keeps its keys; ours
// are given as bytes. Our signatures mix randomness into deterministic nonces; OpenSSL's nonces are random.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CSealedPeers

enum Signatures {
  private static let size = 64
  private static let ways: [(SealedWay, CUSTOM_SIGNWAY, peer_signature)] = [
    (.p256, CUSTOM_SIGNWAY_P256, PEER_ECDSA), (.sm2, CUSTOM_SIGNWAY_SM2, PEER_SM2),
  ]

  static func measure(_ run: Run) -> [Measurement] {
    ways.flatMap { way, number, kind in
      let material = Material(way, kind)
      let signers = [material.openSSLSigning(), material.signing(number)]
      signers.forEach { $0.run(1) }
      return run.measure(.sign, "\(way.name), signed", signers)
        + run.measure(.sign, "\(way.name), verified", [material.openSSLVerifying(), material.verifying(number)])
    }
  }

  /// Keys, a text and its context; the place of a signature of each kind.
  private struct Material {
    let keys: SealedKeys
    let peer: OpaquePointer
    let context = allocate(RepeatableNumbers.bytes(32, seed: 7))
    let text = allocate(RepeatableNumbers.bytes(192, seed: 8))
    let signature = allocate(size)
    let der = allocate(PEER_DER)
    let derCount = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    var contextBytes: peer_bytes { peer_bytes(bytes: context, count: 32) }
    var textBytes: peer_bytes { peer_bytes(bytes: text, count: 192) }

    init(_ way: SealedWay, _ kind: peer_signature) {
      keys = SealedKeys(way)
      peer = present(openssl_signer_new(kind, keys.secret, keys.publicKey), "OpenSSL")
    }

    func openSSLSigning() -> Contender {
      Contender(Sealing.openSSL) { repeats in
        for _ in 0..<repeats {
          require(openssl_sign(peer, contextBytes, textBytes, der, derCount) == 1, "OpenSSL signs")
        }
      }
    }

    func openSSLVerifying() -> Contender {
      Contender(Sealing.openSSL) { repeats in
        let signed = peer_bytes(bytes: der, count: derCount.pointee)
        for _ in 0..<repeats {
          require(openssl_verify(peer, contextBytes, textBytes, signed) == 1, "OpenSSL verifies")
        }
      }
    }

    func signing(_ number: CUSTOM_SIGNWAY) -> Contender {
      Contender(Library.name) { repeats in
        var (codes, length): (UInt32, Int) = (0, 0)
        for _ in 0..<repeats {
          codes |=
            CustomKeyboard_signText(number, keys.secret, 32, context, 32, text, 192, signature, size, &length).rawValue
        }
        Library.requireOK(codes, "signText")
        require(length == size, "signText makes \(size) bytes")
      }
    }

    func verifying(_ number: CUSTOM_SIGNWAY) -> Contender {
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats {
          codes |=
            CustomKeyboard_verifyText(number, keys.publicKey, 65, context, 32, text, 192, signature, size).rawValue
        }
        Library.requireOK(codes, "verifyText")
      }
    }
  }
}
