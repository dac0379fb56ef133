// How clients seal texts for the bank.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard

enum TextWay: String, CaseIterable, ExpressibleByArgument, Sendable {
  case x25519
  /// Stays closed when there are quantum computers. Public key and text have more than a kilobyte.
  case xwing

  /// The way of a public key of this length; nil if there is none.
  init?(publicKeyLength: Int) {
    guard let way = Self.allCases.first(where: { $0.publicKeyLength == publicKeyLength }) else { return nil }
    self = way
  }

  var sealing: SealingWay {
    switch self {
    case .x25519: .x25519
    case .xwing: .xwing
    }
  }

  /// In bytes. No two ways have the same, so that a file of a key says its way.
  var publicKeyLength: Int { sealing.publicKeyLengths.upperBound }

  func recipient(_ publicKey: [UInt8]) throws(KeyboardError) -> CustomKeyboard.Recipient {
    switch self {
    case .x25519: try .x25519(publicKey.span)
    case .xwing: try .xwing(publicKey.span)
    }
  }
}
