// The ways of CUSTOM_ENCWAY together, and which kind each is of.
// SPDX-License-Identifier: Apache-2.0

/// Any way to encrypt what is typed.
package enum Way: Equatable, Sendable {
  case ecb(EncryptionWay)
  case sealed(SealingWay)
  case pin(PINBlockFormat)

  /// - Parameter code: any number. The result is nil if no way has it.
  @inline(__always)  // on the way of every getText
  package init?(code: UInt32) {
    if let way = EncryptionWay(code: code) {
      self = .ecb(way)
    } else if let way = SealingWay(code: code) {
      self = .sealed(way)
    } else {
      #if arch(wasm32)  // A page has no PIN blocks.
        return nil
      #else
        guard let format = PINBlockFormat(code: code) else { return nil }
        self = .pin(format)
      #endif
    }
  }

  package var code: UInt32 {
    switch self {
    case .ecb(let way): way.code
    case .sealed(let way): way.code
    case .pin(let format): format.code
    }
  }
}
