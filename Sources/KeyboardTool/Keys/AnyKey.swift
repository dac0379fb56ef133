// Which key a file holds, of all ways and kinds: what `keyboard key` shows.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardCipher
import KeyboardTerminal

/// What a key is that was read. Nobody has said of which way it must be: a command that knows takes `KeyReader`.
package struct AnyKey {
  package let way: SealingWay
  package let kind: Kind
  package let form: String

  package enum Kind: String {
    case publicKey = "public key"
    case privateKey = "private key"
    /// Both ends have it.
    case shared = "secret key"
  }

  /// Finds the key, and leaves it in `contents` as the library takes it: of RSA DER, of the others bare bytes.
  ///
  /// - Parameters:
  ///   - name: what is read, for messages.
  ///   - way, kind: what it is, where neither form nor length says it.
  ///   - isPrivate: whether the private one of several keys is wanted.
  package init(
    in contents: inout SecretBytes, name: String, way: SealingWay?, kind: KeyKind?, isPrivate: Bool
  ) throws(Failure) {
    let wanted = kind ?? (isPrivate ? .private : nil)
    let found: FoundKey
    do throws(KeyFault) {
      found = try contents.findKey(byteCounts: Self.lengths) { key in
        (way == nil || key.algorithm.way == way) && (wanted == nil || key.isPublic == (wanted == .public))
      }
    } catch { throw error.failure(in: name, isPublic: wanted.map { $0 == .public }) }
    form = found.form
    if let encoded = found.encoded {
      self.way = encoded.algorithm.way
      self.kind = encoded.isPublic ? .publicKey : .privateKey
      guard way == nil || way == self.way else {
        throw Failure("Leave out --way, or say \(self.way.name.lowercased()): that is what \(name) holds.", .data)
      }
    } else {
      (self.way, self.kind) = try Self.judge(contents, name: name, way: way, kind: wanted)
    }
    guard kind == nil || self.kind == .shared || (kind == .private) == (self.kind == .privateKey) else {
      throw Failure("Leave out --kind: \(name) holds a \(self.kind.rawValue).", .data)
    }
    try check(contents, name)
  }

  /// Whether it is a key at all.
  private func check(_ contents: borrowing SecretBytes, _ name: String) throws(Failure) {
    let key = contents.bytes
    let isKey: Bool
    switch kind {
    case .shared: isKey = true
    case .publicKey: isKey = way.publicKeyLengths.contains(key.count) && way.isPublicKey(key)
    case .privateKey:
      // The library looks at the numbers of RSA when it uses them.
      isKey = way == .rsa ? way.secretKeyLengths.contains(key.count) : (try? publicKey(of: contents)) != nil
    }
    guard isKey else {
      throw Failure("Give a key of \(way.name): \(name) holds something else, whatever its form.", .data)
    }
  }

  /// The public key; nil if there is none, or RSA's private key, of which none is made here.
  package func publicKey(of contents: borrowing SecretBytes) throws(KeyboardError) -> [UInt8]? {
    switch kind {
    case .shared: return nil
    case .publicKey: return [UInt8](contents.bytes)
    case .privateKey:
      guard way.hasPairs else { return nil }
      return try KeyboardCipher.publicKey(of: contents.span, way: way)
    }
  }

  /// Lengths of keys that are bare bytes.
  private static let lengths = [16, 32, 65, 1216]

  /// What bare bytes are, by their length and what was said of them.
  private static func judge(
    _ contents: borrowing SecretBytes, name: String, way: SealingWay?, kind: KeyKind?
  ) throws(Failure) -> (way: SealingWay, kind: Kind) {
    let key = contents.bytes
    guard lengths.contains(key.count), way != .rsa else {
      throw Failure(
        "Give a key in PEM or DER, in hexadecimal digits, in base64url, or as 16, 32, 65 or 1216 bytes; \(name) is not "
          + "one.",
        .data)
    }
    switch (key.count, way) {
    case (16, nil), (16, .sm4GCM): return (.sm4GCM, .shared)
    case (65, nil):
      let curves = [SealingWay.p256, .sm2].filter { $0.isPublicKey(key) }
      guard let way = curves.first else {
        throw Failure("Give a point of P-256 or of SM2: \(name) is something else.", .data)
      }
      return (way, .publicKey)
    case (65, .p256), (65, .sm2): return (way!, .publicKey)
    case (32, .p256), (32, .sm2), (32, .xwing): return (way!, .privateKey)
    case (1216, nil), (1216, .xwing): return (.xwing, .publicKey)
    case (32, .x25519):
      guard let kind else {
        throw Failure("Say --kind private or --kind public: the 32 bytes of \(name) may be either.", .usage)
      }
      return (.x25519, kind == .private ? .privateKey : .publicKey)
    case (32, nil):
      throw Failure("Say --way x25519, p256, sm2 or xwing: the 32 bytes of \(name) may be a key of each.", .usage)
    default: throw Failure("Give a key of \(way!.name): the one in \(name) has \(key.count) bytes.", .data)
    }
  }
}

extension EncodedKey.Algorithm {
  package var way: SealingWay {
    switch self {
    case .x25519: .x25519
    case .p256: .p256
    case .sm2: .sm2
    case .rsa: .rsa
    }
  }
}
