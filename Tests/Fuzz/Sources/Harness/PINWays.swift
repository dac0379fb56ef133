// PIN blocks as Docs/PINBlocks.md describes them, nibble by nibble. Here arrays may hold a PIN.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A way that makes PIN blocks.
struct PINWay: Sendable {
  let way: CUSTOM_ENCWAY
  /// The first nibble of a block.
  let control: UInt8
  let keyLengths: [Int]
  let blockSize: Int

  static let all = [
    PINWay(way: CUSTOM_ENCWAY_PIN0, control: 0, keyLengths: [16, 24], blockSize: 8),
    PINWay(way: CUSTOM_ENCWAY_PIN1, control: 1, keyLengths: [16, 24], blockSize: 8),
    PINWay(way: CUSTOM_ENCWAY_PIN3, control: 3, keyLengths: [16, 24], blockSize: 8),
    PINWay(way: CUSTOM_ENCWAY_PIN4, control: 4, keyLengths: [16, 24, 32], blockSize: 16),
  ]

  static func of(_ way: CUSTOM_ENCWAY) -> PINWay? { all.first { $0.way == way } }

  var isAES: Bool { control == 4 }
  var hasCard: Bool { control != 1 }

  /// Whether it is a key: of 3DES, neighbours among its parts must differ, parity bits aside.
  func accepts(_ key: [UInt8]) -> Bool {
    guard keyLengths.contains(key.count) else { return false }
    let parts = stride(from: 0, to: key.count, by: 8).map { key[$0..<$0 + 8].map { $0 & 0xfe } }
    return isAES || zip(parts, parts.dropFirst()).allSatisfy { $0 != $1 }
  }

  /// Whether a context is a card's number, or is empty where there is none.
  func takes(_ context: [UInt8]) -> Bool {
    hasCard ? 10...19 ~= context.count && Self.areDigits(context) : context.isEmpty
  }

  static func areDigits(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { 0x30...0x39 ~= $0 } }

  static func isPIN(_ typed: [UInt8]) -> Bool { 4...12 ~= typed.count && areDigits(typed) }

  /// What a field is XORed with.
  private func cardField(_ context: [UInt8]) -> [UInt8] {
    guard hasCard else { return [UInt8](repeating: 0, count: 16) }
    let digits = context.map { $0 & 15 }
    func filled(_ digits: [UInt8]) -> [UInt8] {
      [UInt8](repeating: 0, count: max(0, 12 - digits.count)) + digits
    }
    guard isAES else { return [0, 0, 0, 0] + filled(digits.dropLast()).suffix(12) }
    let all = filled(digits)
    return ([UInt8(all.count - 12)] + all + [UInt8](repeating: 0, count: 32)).prefix(32).map { $0 }
  }

  /// The PIN of a block; nil if anything in it is wrong. Key and context are ones that it takes.
  func open(_ block: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard block.count == blockSize else { return nil }
    let card = Self.bytes(cardField(context))
    func sum(_ block: [UInt8]) -> [UInt8] { zip(block, card).map { $0 ^ $1 } }
    var field: [UInt8]
    if isAES {
      field = AESReference.crypt(key, sum(AESReference.crypt(key, block, decrypting: true)), decrypting: true)
    } else {
      field = sum(Reference.crypt(CUSTOM_ENCWAY_3DES, key, block, decrypting: true))
    }
    field = field.flatMap { [$0 >> 4, $0 & 15] }
    let count = Int(field[1])
    guard field[0] == control, 4...12 ~= count else { return nil }
    let (pin, fill) = (field[2..<2 + count], field[(2 + count)..<16])
    let isFilled =
      switch control {
      case 0: fill.allSatisfy { $0 == 15 }
      case 3: fill.allSatisfy { $0 >= 10 }
      case 4: fill.allSatisfy { $0 == 10 }
      default: true
      }
    guard isFilled, pin.allSatisfy({ $0 <= 9 }) else { return nil }
    return pin.map { $0 | 0x30 }
  }

  private static func bytes(_ nibbles: [UInt8]) -> [UInt8] {
    stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
  }
}

/// What a received PIN is bound to, until `close`.
struct PINOrigin: Sendable {
  /// The card's number; empty after a block of format 1.
  let card: [UInt8]

  /// Whether it may become a block of this way for this card.
  func allows(_ way: PINWay, _ context: [UInt8]) -> Bool { card.isEmpty || way.hasCard && context == card }
}

extension World {
  /// A card's number, and something else now and then.
  func anyCard(for way: PINWay) -> [UInt8] {
    guard way.hasCard || reader.number(below: 8) == 7 else { return [] }
    var digits = Array("4012345678901234567".utf8.prefix(10 + reader.number(below: 12)))
    switch reader.number(below: 8) {
    case 6: digits = Array(digits.prefix(reader.number(below: 12)))
    case 7: alterBytes(&digits)
    default: break
    }
    return digits
  }

  private func anyKey(for way: PINWay) -> [UInt8] {
    var source = reader.scattered()
    switch reader.number(below: 16) {
    case 14: return source.bytes(reader.number(below: 40))
    case 15:
      // Equal parts, but for parity.
      let part = source.bytes(8)
      return part + part.map { $0 ^ 1 } + (reader.flag() ? source.bytes(8) : [])
    default: return source.bytes(reader.one(of: way.keyLengths))
    }
  }

  public func setAnyPINKey(_ handle: CUSTOM_KEYBOARD) {
    let way = reader.one(of: PINWay.all)
    setKey(handle, memory.copy(anyKey(for: way)), way.way)
    setContext(handle, memory.copy(anyCard(for: way)))
  }

  /// A block that another keyboard has made, whole or altered, or one of any bytes.
  public func receiveAnyPIN(_ handle: CUSTOM_KEYBOARD) {
    let way = reader.one(of: PINWay.all)
    var request = OpenRequest()
    (request.way, request.keyBytes, request.contextBytes) = (way.way, anyKey(for: way), anyCard(for: way))
    if way.accepts(request.keyBytes), way.takes(request.contextBytes), reader.number(below: 8) < 7 {
      let pin = Array("0918273645546".utf8.prefix(4 + reader.number(below: 9)))
      request.textBytes = makeBlock(way, request, pin)
      if reader.number(below: 3) == 2 { alterBytes(&request.textBytes) }
    } else {
      request.textBytes = reader.scatteredBytes(reader.flag() ? way.blockSize : reader.number(below: 20))
    }
    if reader.number(below: 8) == 7 { request.way = reader.one(of: PINWay.all).way }
    request.key = memory.copy(request.keyBytes)
    request.context = memory.copy(request.contextBytes)
    request.text = memory.copy(request.textBytes)
    checkReceive(handle, request)
  }

  private func makeBlock(_ way: PINWay, _ request: OpenRequest, _ pin: [UInt8]) -> [UInt8] {
    var keyboard: CUSTOM_KEYBOARD = 0
    var (block, offset, length) = ([UInt8](repeating: 0, count: way.blockSize), 0, 0)
    let (key, context) = (request.keyBytes, request.contextBytes)
    let codes = [
      CustomKeyboard_create(&keyboard), CustomKeyboard_setEncKey(keyboard, key, key.count, way.way),
      CustomKeyboard_setContext(keyboard, context, context.count), CustomKeyboard_open(keyboard),
      CustomKeyboard_input(keyboard, pin, pin.count),
      CustomKeyboard_getText(keyboard, &block, block.count, &offset, &length), CustomKeyboard_destroy(keyboard),
    ]
    expect(codes.allSatisfy { $0 == CUSTOM_KEYBOARD_OK }, "a PIN block cannot be made: \(codes)")
    return block
  }
}
