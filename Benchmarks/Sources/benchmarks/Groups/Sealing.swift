// Sealed texts of one password of 8 characters, in a context of 32 bytes. The peers do the same steps: key agreement,
// key derivation, authenticated decryption, padding. They have done before what need not be done for each text: keys
// are loaded, contexts made, algorithms fetched. Our calls get the keys as bytes.
//
// OpenSSL 3.0 has no SM4-GCM: its part of SM2 is the 16 bytes of the session key, and ours is the whole text.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CGcrypt
import CSealedPeers

enum Sealing {
  static let openSSL = "OpenSSL EVP, key kept"
  static let openSSLSM2 = "OpenSSL EVP, key kept, without SM4-GCM"
  static let mbedTLS = "mbedTLS, key kept"
  static let ways: [SealedWay] = [.x25519, .p256, .sm2, .sm4GCM]

  static let password = Array("kgcx879@".utf8)
  static let challenge = RepeatableNumbers.bytes(32, seed: 5)
  private static let block = PeerBlock.padded(password)

  // MARK: opening

  static func unsealing(_ run: Run) -> [Measurement] {
    ways.flatMap { way in
      let keys = SealedKeys(way)
      let context = allocate(challenge)
      let text = allocate(Library.seal(way, publicKey: keys.publicBytes, context: challenge, password: password))
      let output = allocate(PEER_BLOCK)
      let contenders = openers(way, keys, context, text, output) + [ours(way, keys, context, text, output)]
      if way == .sm2 {
        requireSM2SessionKey(contenders[0], output, text)
        contenders[1].run(1)
        require(output.array(password.count) == password, "unseal finds the password")
      } else {
        requireEqualResults(contenders, output, password.count)
        require(output.array(password.count) == password, "the password comes back")
      }
      return run.measure(.unseal, way.name, contenders)
    }
  }

  /// A peer's opened block leaves the password at the beginning of `output`, as `unseal` does.
  static func openers(
    _ way: SealedWay, _ keys: SealedKeys, _ context: Bytes, _ text: Bytes, _ output: Bytes
  ) -> [Contender] {
    let info = peer_bytes(bytes: context, count: challenge.count)
    func finish(_ isOpen: Bool) { require(isOpen && PeerBlock.removePadding(output) == password.count, "a peer opens") }
    switch way {
    case .x25519, .p256:
      let suite = way.suite!
      let openSSLPeer = present(openssl_hpke_new(suite, keys.secret, keys.publicKey), "OpenSSL")
      let mbedTLSPeer = present(mbedtls_hpke_new(suite, keys.secret, keys.publicKey), "mbedTLS")
      return [
        Contender(openSSL) { repeats in
          for _ in 0..<repeats { finish(openssl_hpke_open(openSSLPeer, info, text, output) == 1) }
        },
        Contender(mbedTLS) { repeats in
          for _ in 0..<repeats { finish(mbedtls_hpke_open(mbedTLSPeer, info, text, output) == 1) }
        },
      ]
    case .sm2:
      let peer = present(openssl_sm2_new(keys.secret, keys.publicKey), "OpenSSL")
      let der = allocate(PEER_DER)
      let cipher = peer_bytes(bytes: der, count: openssl_sm2_der(text, der))
      return [
        Contender(openSSLSM2) { repeats in
          for _ in 0..<repeats { require(openssl_sm2_open(peer, cipher, output) == 1, "OpenSSL opens") }
        }
      ]
    case .sm4GCM:
      let handle = Libgcrypt.open(GCRY_CIPHER_MODE_GCM, key: Array(keys.secret.array(16)))
      let count = PeerBlock.count
      return [
        Contender(Libgcrypt.gcmName) { repeats in
          for _ in 0..<repeats {
            finish(
              Libgcrypt.open(handle, key: keys.secret, context: context, challenge.count, text, into: output, count))
          }
        }
      ]
    }
  }

  private static func ours(
    _ way: SealedWay, _ keys: SealedKeys, _ context: Bytes, _ text: Bytes, _ output: Bytes
  ) -> Contender {
    Contender(Library.name) { repeats in
      var codes: UInt32 = 0
      var (offset, length) = (0, 0)
      for _ in 0..<repeats {
        codes |=
          CustomKeyboard_unseal(
            way.number, keys.secret, way.secretCount, context, challenge.count, text, way.textCount, output,
            password.count, &offset, &length
          ).rawValue
      }
      Library.requireOK(codes, "unseal")
      require(offset == 0 && length == password.count, "unseal finds the password's length")
    }
  }

  /// What OpenSSL finds opens the rest of the text.
  private static func requireSM2SessionKey(_ contender: Contender, _ output: Bytes, _ text: Bytes) {
    contender.run(1)
    let rest = UnsafeBufferPointer(start: text + 113, count: SealedWay.sm4GCM.textCount)
    let opened = Library.unseal(.sm4GCM, key: output.array(16), context: challenge, text: Array(rest))
    require(opened == password, "OpenSSL finds the session key of SM2")
  }

  // MARK: sealing

  static func sealing(_ run: Run) -> [Measurement] {
    ways.flatMap { way in
      let keys = SealedKeys(way)
      let context = allocate(challenge)
      let output = allocate(way.textCount)
      let contenders = sealers(way, keys, context, output) + [oursSealing(way, keys, output)]
      for contender in contenders where contender.name != openSSLSM2 {
        contender.run(1)
        let opened = Library.unseal(
          way, key: keys.secret.array(way.secretCount), context: challenge, text: output.array(way.textCount))
        require(opened == password, "\(contender.name) seals the password")
      }
      return run.measure(.seal, way.name, contenders)
    }
  }

  private static func sealers(
    _ way: SealedWay, _ keys: SealedKeys, _ context: Bytes, _ output: Bytes
  ) -> [Contender] {
    let info = peer_bytes(bytes: context, count: challenge.count)
    let block = allocate(block)
    switch way {
    case .x25519, .p256:
      let suite = way.suite!
      let openSSLPeer = present(openssl_hpke_new(suite, keys.secret, keys.publicKey), "OpenSSL")
      let mbedTLSPeer = present(mbedtls_hpke_new(suite, keys.secret, keys.publicKey), "mbedTLS")
      return [
        Contender(openSSL) { repeats in
          for _ in 0..<repeats { require(openssl_hpke_seal(openSSLPeer, info, block, output) == 1, "OpenSSL seals") }
        },
        Contender(mbedTLS) { repeats in
          for _ in 0..<repeats { require(mbedtls_hpke_seal(mbedTLSPeer, info, block, output) == 1, "mbedTLS seals") }
        },
      ]
    case .sm2:
      return [sealerOfSM2(keys)]
    case .sm4GCM:
      let handle = Libgcrypt.open(GCRY_CIPHER_MODE_GCM, key: keys.secret.array(16))
      return [
        Contender(Libgcrypt.gcmName) { repeats in
          for _ in 0..<repeats {
            let isSealed = Libgcrypt.seal(
              handle, key: keys.secret, context: context, challenge.count, block, PeerBlock.count, into: output)
            require(isSealed, "libgcrypt seals")
          }
        }
      ]
    }
  }

  private static func sealerOfSM2(_ keys: SealedKeys) -> Contender {
    let peer = present(openssl_sm2_new(keys.secret, keys.publicKey), "OpenSSL")
    let der = allocate(PEER_DER)
    let session = allocate(RepeatableNumbers.bytes(16, seed: 6))
    let opened = allocate(16)
    return Contender(openSSLSM2) { repeats in
      var count = 0
      for _ in 0..<repeats { require(openssl_sm2_seal(peer, session, der, &count) == 1, "OpenSSL seals") }
      let isOpen = openssl_sm2_open(peer, peer_bytes(bytes: der, count: count), opened) == 1
      require(isOpen && opened.array(16) == session.array(16), "OpenSSL opens what it has sealed")
    }
  }

  private static func oursSealing(_ way: SealedWay, _ keys: SealedKeys, _ output: Bytes) -> Contender {
    let keyboard = Library.keyboard(way.number, key: keys.publicBytes, password: password)
    Library.requireOK(CustomKeyboard_setContext(keyboard, challenge, challenge.count).rawValue, "setContext")
    return Contender(Library.name) { repeats in
      var codes: UInt32 = 0
      var (offset, length) = (0, 0)
      for _ in 0..<repeats {
        codes |= CustomKeyboard_getText(keyboard, output, way.textCount, &offset, &length).rawValue
      }
      Library.requireOK(codes, "getText")
      require(offset == 0 && length == way.textCount, "getText fills a space of the text's size")
    }
  }
}

/// What a peer's constructor has returned.
func present(_ peer: OpaquePointer?, _ name: String) -> OpaquePointer {
  guard let peer else { fail("\(name) does not take the key") }
  return peer
}
