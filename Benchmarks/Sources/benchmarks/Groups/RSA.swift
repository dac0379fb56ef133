// Sealed texts and signatures of RSA, beside OpenSSL, which keeps its keys; ours are given as DER. The tasks are those
// of Sealing.swift, SealedBatch.swift and Signatures.swift.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CSealedPeers

enum RSA {
  static let sizes = [2048, 4096]
  static func label(_ bits: Int) -> String { "RSA\(bits)" }
  static func signed(_ bits: Int) -> String { "\(label(bits)), signed" }
  static func verified(_ bits: Int) -> String { "\(label(bits)), verified" }

  static func unsealing(_ run: Run) -> [Measurement] {
    sizes.flatMap { bits in
      let task = Task(bits)
      let contenders = [task.openSSLOpening(), task.opening()]
      requireEqualResults(contenders, task.output, Sealing.password.count)
      require(task.output.array(Sealing.password.count) == Sealing.password, "the password comes back")
      return run.measure(.unseal, label(bits), contenders)
    }
  }

  static func batch(_ run: Run) -> [Measurement] {
    sizes.flatMap { bits in
      let task = Task(bits)
      return run.measure(.unsealBatch, label(bits), [task.openSSLOpening(), task.openingBatch(of: SealedBatch.count)])
    }
  }

  static func sealing(_ run: Run) -> [Measurement] {
    sizes.flatMap { bits in
      let task = Task(bits)
      let contenders = [task.openSSLSealing(), task.sealing()]
      let opener = task.opening()
      for contender in contenders {
        contender.run(1)
        opener.run(1)
      }
      return run.measure(.seal, label(bits), contenders)
    }
  }

  static func signatures(_ run: Run) -> [Measurement] {
    sizes.flatMap { bits in
      let task = Task(bits)
      let signers = [task.openSSLSigning(), task.signing()]
      let verifiers = [task.openSSLVerifying(), task.verifying()]
      for signer in signers {
        signer.run(1)
        verifiers.forEach { $0.run(1) }
      }
      return run.measure(.sign, signed(bits), signers) + run.measure(.sign, verified(bits), verifiers)
    }
  }

  /// A key, a text for it, and what is signed with it.
  private struct Task {
    let length: Int
    let peer: OpaquePointer
    let secret = allocate(Int(PEER_RSA_KEY))
    let publicKey = allocate(Int(PEER_RSA_KEY))
    let secretCount, publicCount: Int
    let context = allocate(Sealing.challenge)
    let message = allocate(RepeatableNumbers.bytes(192, seed: 8))
    /// A sealed text or a signature.
    let text = allocate(Int(PEER_RSA_TEXT))
    let block = allocate(PeerBlock.padded(Sealing.password))
    let output = allocate(PEER_BLOCK)

    init(_ bits: Int) {
      length = bits / 8
      peer = present(openssl_rsa_new(UInt32(bits)), "OpenSSL")
      secretCount = openssl_rsa_private_key(peer, secret)
      publicCount = openssl_rsa_public_key(peer, publicKey)
      require(secretCount > 0 && publicCount > 0, "OpenSSL writes its keys")
      openSSLSealing().run(1)
    }

    private var info: peer_bytes { peer_bytes(bytes: context, count: Sealing.challenge.count) }
    private var made: peer_bytes { peer_bytes(bytes: text, count: length) }
    private var signedBytes: peer_bytes { peer_bytes(bytes: message, count: 192) }

    // MARK: OpenSSL

    func openSSLOpening() -> Contender {
      Contender(Sealing.openSSL) { repeats in
        for _ in 0..<repeats {
          let isOpen = openssl_rsa_open(peer, info, made, output) == 1
          require(isOpen && PeerBlock.removePadding(output) == Sealing.password.count, "OpenSSL opens")
        }
      }
    }

    func openSSLSealing() -> Contender {
      Contender(Sealing.openSSL) { repeats in
        var count = 0
        for _ in 0..<repeats { require(openssl_rsa_seal(peer, info, block, text, &count) == 1, "OpenSSL seals") }
        require(count == length, "OpenSSL's text is as long as the modulus")
      }
    }

    func openSSLSigning() -> Contender {
      Contender(Sealing.openSSL) { repeats in
        var count = 0
        for _ in 0..<repeats { require(openssl_rsa_sign(peer, info, signedBytes, text, &count) == 1, "OpenSSL signs") }
      }
    }

    func openSSLVerifying() -> Contender {
      Contender(Sealing.openSSL) { repeats in
        for _ in 0..<repeats { require(openssl_rsa_verify(peer, info, signedBytes, made) == 1, "OpenSSL verifies") }
      }
    }

    // MARK: Ours

    func opening() -> Contender {
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        var (offset, count) = (0, 0)
        for _ in 0..<repeats {
          codes |=
            CustomKeyboard_unseal(
              CUSTOM_ENCWAY_RSA, secret, secretCount, context, info.count, text, length, output,
              Sealing.password.count, &offset, &count
            ).rawValue
        }
        Library.requireOK(codes, "unseal")
        require(offset == 0 && count == Sealing.password.count, "unseal finds the password's length")
      }
    }

    /// All texts are the same one: no step depends on that.
    func openingBatch(of count: Int) -> Contender {
      let jobs = UnsafeMutableBufferPointer<CUSTOM_KEYBOARD_SEALED_JOB>.allocate(capacity: count)
      for i in 0..<count {
        jobs.initializeElement(
          at: i,
          to: CUSTOM_KEYBOARD_SEALED_JOB(
            context: context, contextLength: info.count, text: text, textLength: length, clear: allocate(PEER_BLOCK),
            clearCapacity: PEER_BLOCK, clearLength: 0, rv: CUSTOM_KEYBOARD_OK))
      }
      return Contender(Library.name, operations: count) { repeats in
        for _ in 0..<repeats {
          let code = CustomKeyboard_unsealBatch(CUSTOM_ENCWAY_RSA, secret, secretCount, jobs.baseAddress, count)
          Library.requireOK(code.rawValue, "unsealBatch")
          Library.requireOK(jobs.reduce(0) { $0 | $1.rv.rawValue }, "a job of unsealBatch")
        }
      }
    }

    func sealing() -> Contender {
      let keyboard = Library.keyboard(CUSTOM_ENCWAY_RSA, key: publicKey.array(publicCount), password: Sealing.password)
      Library.requireOK(CustomKeyboard_setContext(keyboard, context, info.count).rawValue, "setContext")
      return Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        var (offset, count) = (0, 0)
        for _ in 0..<repeats { codes |= CustomKeyboard_getText(keyboard, text, length, &offset, &count).rawValue }
        Library.requireOK(codes, "getText")
        require(offset == 0 && count == length, "getText fills a space of the text's size")
      }
    }

    func signing() -> Contender {
      Contender(Library.name) { repeats in
        var (codes, count): (UInt32, Int) = (0, 0)
        for _ in 0..<repeats {
          codes |=
            CustomKeyboard_signText(
              CUSTOM_SIGNWAY_RSA, secret, secretCount, context, info.count, message, 192, text, length, &count
            ).rawValue
        }
        Library.requireOK(codes, "signText")
        require(count == length, "a signature is as long as the modulus")
      }
    }

    func verifying() -> Contender {
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats {
          codes |=
            CustomKeyboard_verifyText(
              CUSTOM_SIGNWAY_RSA, publicKey, publicCount, context, info.count, message, 192, text, length
            ).rawValue
        }
        Library.requireOK(codes, "verifyText")
      }
    }
  }
}
