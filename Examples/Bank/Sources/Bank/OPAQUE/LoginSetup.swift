// A setup of OPAQUE (RFC 9807): the secret with which the bank answers registrations and logins. Records alone are of
// no use to anybody; with the setup, PINs are tried. So it is in a file, as the other keys are.
// SPDX-License-Identifier: Apache-2.0

import CBankMbedTLS
import CustomKeyboard

final class LoginSetup: Sendable {
  /// Tells two setups apart, and nothing about one.
  let id: String
  private let setup: OPAQUE.Setup
  private let terms: OPAQUE.Terms

  static let secretLength = 96

  init(_ file: KeyFile) throws {
    let secret = try file.readSecret(length: Self.secretLength)
    do {
      setup = try OPAQUE.Setup(bytes: secret.span)
    } catch .key {
      throw Failure("\(file.path) is not a setup of OPAQUE.")
    }
    // Clients have the same.
    terms = try OPAQUE.Terms(context: Array("CustomKeyboard bank 1".utf8))
    id = Base64URL.encode(sha256(setup.publicKey).prefix(16))
  }

  static func make(_ file: KeyFile) throws {
    try OPAQUE.Setup().withBytes { bytes in try file.write(bytes, mode: 0o600) }
  }

  // MARK: Answers

  /// - Throws: a refusal if the request is not one.
  func respond(to request: [UInt8], account: String) throws -> [UInt8] {
    do {
      return try setup.respond(to: request.span, account: Array(account.utf8).span)
    } catch .undecryptable {
      throw Refusal.undecryptable
    }
  }

  /// - Parameters:
  ///   - record: nil if there is no such account. Then the answer has the same form, and takes the same time.
  ///   - step: its name, for which the state is kept.
  /// - Returns: KE2, and the state as the database may have it.
  /// - Throws: a refusal if KE1 is not one.
  @inline(never)  // Swift 6.3 makes no module of it inside a closure.
  func answer(
    to ke1: [UInt8], account: String, record: [UInt8]?, step: [UInt8]
  ) throws -> (ke2: [UInt8], state: [UInt8]) {
    do {
      let answer = try setup.answer(
        to: ke1.span, account: Array(account.utf8).span, record: record, terms: terms)
      let ke2 = answer.ke2
      let state = answer.state.bytes()
      let masked = try masked(state.span, for: step)
      return (ke2, masked.withSpan { bytes in bytes.indices.map { bytes[$0] } })
    } catch KeyboardError.undecryptable {
      throw Refusal.undecryptable
    } catch KeyboardError.key {
      // Of a registration, the client's own. One of the database's was checked when it was stored.
      throw Refusal.undecryptable
    }
  }

  /// Checks KE3 with a state, which was deleted before.
  ///
  /// - Returns: the session that the client begins with, which only the two ends know; nil if KE3 is wrong.
  @inline(never)
  func check(_ ke3: [UInt8], state: [UInt8], step: [UInt8]) throws -> [UInt8]? {
    do {
      let bytes = try masked(state.span, for: step)
      let key = try OPAQUE.State(bytes: bytes.span).check(ke3.span)
      return try Self.session(of: key)
    } catch KeyboardError.mismatch {
      return nil
    }
  }

  /// HMAC-SHA-256 under the session key. Somebody who has seen all messages and all answers cannot make it.
  @inline(never)
  private static func session(of key: borrowing SecretBytes) throws -> [UInt8] {
    let label = Array("CustomKeyboard bank session".utf8)
    var session = [UInt8](repeating: 0, count: 32)
    let code = key.withSpan { key in
      key.withUnsafeBufferPointer { key in
        bank_hmac_sha256(key.baseAddress, key.count, label, label.count, &session)
      }
    }
    guard code == 0 else { throw KeyboardError.memory }
    return Array(session.prefix(16))
  }

  // MARK: What the database has of a state

  /// A state under a pad that the setup has for this step only, or without it again. With a state, anybody who reads
  /// the database would have the session.
  @inline(never)
  private func masked(_ state: Span<UInt8>, for step: [UInt8]) throws -> SecretBytes {
    var masked = try SecretBytes(capacity: state.count)
    try masked.extend { room throws(KeyboardError) in
      for start in stride(from: 0, to: state.count, by: 32) {
        let label = Array("CustomKeyboard bank state".utf8) + step + [UInt8(start / 32)]
        let block = UnsafeMutableRawBufferPointer(rebasing: room[start..<start + 32])
        let code = setup.withBytes { key in
          key.withUnsafeBufferPointer { key in
            bank_hmac_sha256(key.baseAddress, key.count, label, label.count, block.baseAddress)
          }
        }
        guard code == 0 else { throw .memory }
      }
      for place in state.indices { room[place] ^= state[place] }
      return state.count
    }
    return masked
  }
}

/// The setup in use, and an older one while it is replaced. Each account stays with the setup that its record was made
/// with, until its owner registers anew.
struct LoginSetups: Sendable {
  /// For new records.
  let current: LoginSetup
  /// Answers for accounts that do not exist: the replaced one while it is there, so that nothing changes for them when
  /// a new one comes, as nothing changes for accounts that do.
  let forUnknown: LoginSetup
  private let all: [LoginSetup]

  init(_ all: [LoginSetup], current: LoginSetup, replaced: LoginSetup?) {
    (self.all, self.current, forUnknown) = (all, current, replaced ?? current)
  }

  func setup(of record: StoredRecord) throws -> LoginSetup {
    guard let setup = all.first(where: { $0.id == record.setup }) else {
      throw Failure("A record was stored with a setup of OPAQUE that this server lacks: give it to all servers.")
    }
    return setup
  }
}

/// What the database has of an account that logs in by OPAQUE.
struct StoredRecord: Sendable, Equatable {
  /// The id of its setup.
  let setup: String
  let record: [UInt8]

  /// Of two records that one setup has helped to make for one account, it shows whether they are of one PIN.
  var maskingKey: ArraySlice<UInt8> { record[32..<96] }
}
