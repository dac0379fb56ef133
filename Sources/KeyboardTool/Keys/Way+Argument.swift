// All ways to encrypt: in one option of the command line, although the library keeps ECB, sealed
// texts and PIN blocks apart.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardCipher

extension Way: ExpressibleByArgument {
  package init?(argument: String) {
    if let way = EncryptionWay(argument: argument) {
      self = .ecb(way)
    } else if let way = SealingWay(argument: argument) {
      self = .sealed(way)
    } else if let format = PINBlockFormat(argument: argument) {
      self = .pin(format)
    } else {
      return nil
    }
  }

  package static var allValueStrings: [String] {
    SealingWay.allValueStrings + EncryptionWay.allValueStrings + PINBlockFormat.allValueStrings
  }

  package static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  package var defaultValueDescription: String { name.lowercased() }

  package var name: String {
    switch self {
    case .ecb(let way): way.name
    case .sealed(let way): way.name
    case .pin(let format): format.name
    }
  }

  /// Which sizes of keys there are, if a key's length does not say it; behind the name of the way.
  package var keySizes: String { self == .sealed(.rsa) ? ", in PEM or DER, of 2048 to 4096 bits" : "" }

  /// Whether the key is one that others may know.
  package func isPublic(_ use: KeyUse) -> Bool {
    guard case .sealed(let way) = self else { return false }
    return way.hasPublicKey && use.isOfPublicKey
  }

  /// The lengths of keys, in bytes.
  package func keyLengths(_ use: KeyUse) -> [ClosedRange<Int>] {
    switch self {
    case .ecb(let way): way.keyLengths.map { $0...$0 }
    case .sealed(let way): [use.isOfPublicKey ? way.publicKeyLengths : way.secretKeyLengths]
    case .pin(let format): [16, 24, 32].filter(format.acceptsKey).map { $0...$0 }
    }
  }
}

extension EncryptionWay: NamedArgument {
  package static var names: KeyValuePairs<String, EncryptionWay> { ["SM4": .sm4, "3DES": .tripleDES, "DES": .des] }

  package var keyLengths: [Int] {
    switch self {
    case .sm4: [16]
    case .tripleDES: [16, 24]
    case .des: [8]
    }
  }
}

extension SealingWay: NamedArgument {
  package static var names: KeyValuePairs<String, SealingWay> {
    ["X25519": .x25519, "P256": .p256, "SM2": .sm2, "RSA": .rsa, "SM4-GCM": .sm4GCM, "XWing": .xwing]
  }

  package var hasPublicKey: Bool { self != .sm4GCM }
}

extension SigningWay: NamedArgument {
  package static var names: KeyValuePairs<String, SigningWay> { ["P256": .p256, "SM2": .sm2, "RSA": .rsa] }

  /// The way to seal that has such keys.
  package var keys: SealingWay {
    switch self {
    case .p256: .p256
    case .sm2: .sm2
    case .rsa: .rsa
    @unknown default: fatalError("This way has no keys here.")
    }
  }
}
