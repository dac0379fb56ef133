// The ways of sealed texts, as this library and its peers name them.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CSealedPeers

enum SealedWay {
  case x25519, p256, sm2, sm4GCM

  var name: String {
    switch self {
    case .x25519: "X25519"
    case .p256: "P256"
    case .sm2: "SM2"
    case .sm4GCM: "SM4_GCM"
    }
  }

  var number: CUSTOM_ENCWAY {
    switch self {
    case .x25519: CUSTOM_ENCWAY_X25519
    case .p256: CUSTOM_ENCWAY_P256
    case .sm2: CUSTOM_ENCWAY_SM2
    case .sm4GCM: CUSTOM_ENCWAY_SM4_GCM
    }
  }

  var suite: peer_suite? {
    switch self {
    case .x25519: PEER_X25519
    case .p256: PEER_P256
    default: nil
    }
  }

  var textCount: Int {
    switch self {
    case .x25519: 192
    case .p256: 225
    case .sm2: 285
    case .sm4GCM: 172
    }
  }

  var secretCount: Int { self == .sm4GCM ? 16 : 32 }
}

/// A new key of a way, and its public key. SM4_GCM has only one key.
struct SealedKeys {
  let secret: Bytes
  let publicKey: Bytes
  let publicBytes: [UInt8]

  init(_ way: SealedWay) {
    secret = allocate(32)
    let place = allocate(65)
    var (secretLength, publicLength) = (0, 0)
    let code = CustomKeyboard_generateKey(way.number, secret, 32, &secretLength, place, 65, &publicLength)
    Library.requireOK(code.rawValue, "generateKey")
    require(secretLength == way.secretCount, "a key of \(way.name) has its length")
    publicKey = way == .sm4GCM ? secret : place
    publicBytes = publicKey.array(way == .sm4GCM ? secretLength : publicLength)
  }
}

/// What is inside a sealed text: a password, padded to 144 bytes.
enum PeerBlock {
  static let count = PEER_BLOCK

  static func padded(_ password: [UInt8]) -> [UInt8] {
    let padding = count - password.count
    return password + [UInt8](repeating: UInt8(padding), count: padding)
  }

  /// The password's length, or -1 if the padding is wrong.
  @inline(__always)
  static func removePadding(_ block: Bytes) -> Int {
    let padding = Int(block[count - 1])
    guard (16...count).contains(padding) else { return -1 }
    var difference: UInt8 = 0
    for i in count - padding..<count { difference |= block[i] ^ UInt8(padding) }
    return difference == 0 ? count - padding : -1
  }
}
