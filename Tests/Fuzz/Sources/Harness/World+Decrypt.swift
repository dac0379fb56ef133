// One call of `decrypt`, chosen by the fuzzer.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  /// An algorithm, sometimes one that does not exist.
  public func way() -> CUSTOM_ENCWAY {
    let code = reader.number(below: 16)
    if code == 14 { return reader.one(of: SealedWay.all).way }
    return CUSTOM_ENCWAY(rawValue: code < 14 ? UInt32(code % 3) : UInt32(truncatingIfNeeded: reader.word()) | 8)
  }

  /// A key, sometimes of a length that the algorithm does not accept.
  public func key(for way: CUSTOM_ENCWAY) -> [UInt8] {
    var source = reader.scattered()
    let kind = reader.number(below: 16)
    if kind == 15 { return source.bytes(reader.number(below: 40)) }
    switch way {
    case CUSTOM_ENCWAY_DES: return source.bytes(8)
    case CUSTOM_ENCWAY_3DES: return source.bytes(kind & 1 == 0 ? 24 : 16)
    default: return source.bytes(16)
    }
  }

  /// Any arguments.
  public func decryptAnything() {
    let way = way()
    let key = key(for: way)
    let text = text(way, key)
    if reader.number(below: 8) == 7 { return decryptOverlapping(way, key, text) }

    var request = DecryptRequest()
    request.way = way
    request.key = memory.copy(key)
    request.text = memory.copyThatMayBeOverrun(text, way)
    let sizes = [0, text.count, 15, 16, 128, 144, 255, 256, 257, 1024, 2049]
    request.space = memory.space(reader.flag() ? reader.number(below: 144) : reader.one(of: sizes))
    spoil(&request)
    request.check(key: key, text: text)
  }

  /// Arguments that no caller should pass: NULL, and impossible sizes.
  private func spoil(_ request: inout DecryptRequest) {
    switch reader.number(below: 32) {
    case 20: request.key = Piece(start: nil, claimed: request.key.claimed)
    case 21: request.text = Piece(start: nil, claimed: request.text.claimed)
    case 22: request.space = Piece(start: nil, claimed: request.space.claimed)
    case 23: request.hasOffset = false
    case 24: request.hasLength = false
    case 25: request.key.claimed = reader.one(of: impossibleSizes)
    case 26: request.text.claimed = reader.one(of: impossibleSizes)
    case 27: request.space.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })  // others would be filled
    case 28: request.text = Piece(start: .nearTheEnd, claimed: request.text.claimed)
    case 29: request.key = Piece(start: .nearTheEnd, claimed: request.key.claimed)
    case 30: request.text.claimed = 145 + reader.number(below: 256)
    default: break
    }
  }

  /// Key, text and space somewhere in one piece.
  private func decryptOverlapping(_ way: CUSTOM_ENCWAY, _ key: [UInt8], _ text: [UInt8]) {
    let whole = memory.space(512)
    func place(_ bytes: [UInt8]) -> Piece {
      let start = whole.start! + reader.number(below: 256)
      start.update(from: bytes, count: bytes.count)
      return Piece(start: start, count: bytes.count, claimed: bytes.count)
    }
    var request = DecryptRequest()
    request.way = way
    request.key = place(key)
    request.text = place(text)
    let size = reader.number(below: 256)
    request.space = Piece(start: whole.start! + reader.number(below: 256), count: size, claimed: size)
    // They may overlap now.
    request.check(key: request.key.bytes, text: request.text.bytes)
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// Four bytes before the end of the address space: must never be followed.
  static var nearTheEnd: Self { Self(bitPattern: UInt.max - 3)! }
}

extension Piece {
  /// Bytes that the end of the address space cuts off, so that no call may look at the first of them either.
  static func pastTheEnd(_ claimed: Int) -> Piece { Piece(start: .nearTheEnd, claimed: max(claimed, 4)) }
}
