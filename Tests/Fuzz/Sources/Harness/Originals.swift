// Real texts and signatures, made by the library once in each process: what the fuzzer alters.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

enum Originals {
  /// Passwords and contexts of the texts of each way, and the number of the pair of keys; the last if there are fewer.
  private static let shapes: [(password: String, contextLength: Int, pair: Int)] = [
    ("", 0, 0), ("kgcx879@", 16, 0), (String(repeating: "é", count: 64), 256, 1), ("日本👨‍👩‍👧", 1, 0), ("1234", 55, 2),
  ]

  /// A text as a keyboard makes it.
  static func seal(_ way: SealedWay, _ pair: KeyPair, _ password: [UInt8], _ context: [UInt8]) -> Original {
    var keyboard: CUSTOM_KEYBOARD = 0
    var (text, offset, length) = ([UInt8](repeating: 0, count: way.textLength(for: pair.open)), 0, 0)
    let codes = [
      CustomKeyboard_create(&keyboard),
      CustomKeyboard_setEncKey(keyboard, pair.open, pair.open.count, way.way),
      CustomKeyboard_setContext(keyboard, context, context.count), CustomKeyboard_open(keyboard),
      CustomKeyboard_input(keyboard, password, password.count),
      CustomKeyboard_getText(keyboard, &text, text.count, &offset, &length), CustomKeyboard_destroy(keyboard),
    ]
    expect(codes.allSatisfy { $0 == CUSTOM_KEYBOARD_OK } && length == text.count, "a text cannot be sealed: \(codes)")
    return Original(way: way, secret: pair.secret, context: context, password: password, text: text)
  }

  private static let texts: [[Original]] = SealedWay.all.map { way in
    shapes.enumerated().map { number, shape in
      var source = Scattered(seed: UInt64(number))
      let pair = way.pairs[min(shape.pair, way.pairs.count - 1)]
      return seal(way, pair, Array(shape.password.utf8), source.bytes(shape.contextLength))
    }
  }

  static func textsOfAnyWay(_ reader: Reader) -> [Original] { reader.oneButSeldomTheLast(of: texts) }

  static func anyText(_ reader: Reader) -> Original { reader.one(of: textsOfAnyWay(reader)) }

  /// A signature, and what it is of.
  struct Signed: Sendable {
    let way: SignedWay
    let pair: KeyPair
    let context, text, signature: [UInt8]
  }

  static func sign(_ way: SignedWay, _ pair: KeyPair, _ context: [UInt8], _ text: [UInt8]) -> Signed {
    var (signature, length) = ([UInt8](repeating: 0, count: way.signatureLength(under: pair.secret)), 0)
    let code = CustomKeyboard_signText(
      way.way, pair.secret, pair.secret.count, context, context.count, text, text.count, &signature,
      signature.count, &length)
    expect(code == CUSTOM_KEYBOARD_OK && length == signature.count, "signText answers \(code.rawValue), \(length)")
    return Signed(way: way, pair: pair, context: context, text: text, signature: signature)
  }

  private static let signatures: [[Signed]] = SignedWay.all.map { way in
    [(0, 0), (16, 225), (256, 1), (1, 1000)].enumerated().map { number, lengths in
      var source = Scattered(seed: UInt64(number))
      return sign(way, way.keys.pairs[number % way.keys.pairs.count], source.bytes(lengths.0), source.bytes(lengths.1))
    }
  }

  static func anySignature(_ reader: Reader) -> Signed { reader.one(of: reader.one(of: signatures)) }
}
