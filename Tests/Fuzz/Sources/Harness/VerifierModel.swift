// Verifier strings: what the fuzzer writes, and in another way than the library's which of them are verifiers.
// SPDX-License-Identifier: Apache-2.0

/// What a string is.
public enum VerifierModel: Equatable {
  case none
  /// Argon2id over so many KiB in all passes together.
  case argon2id(work: Int)
  /// SHA-256 twice.
  case digest

  /// By fields, where the library goes from character to character.
  public init(_ text: [UInt8]) {
    // A character that is not ASCII is in no verifier.
    let fields = text.contains { $0 >= 0x80 } ? [] : text.split(separator: 0x24, omittingEmptySubsequences: false)
    let names = fields.map { String(decoding: $0, as: UTF8.self) }
    self = .none
    if names.count == 3, names[0] == "", names[1] == "sha256d" || names[1] == "sha256x2" {
      let isHexadecimal = names[2].utf8.count == 64 && names[2].allSatisfy(\.isHexDigit)
      if isHexadecimal { self = .digest }
    }
    guard names.count == 6, names[0] == "", names[1] == "argon2id", names[2] == "v=19" else { return }
    let costs = names[3].split(separator: ",", omittingEmptySubsequences: false)
    guard costs.count == 3, let m = Self.number("m=", costs[0]), let t = Self.number("t=", costs[1]),
      let p = Self.number("p=", costs[2])
    else { return }
    guard p >= 1, p <= 16, m >= 8 * p, m <= 1_048_576, t >= 1, m * t <= 2_097_152 else { return }
    guard let salt = Self.byteCount(names[4]), let hash = Self.byteCount(names[5]) else { return }
    guard salt >= 8, salt <= 64, hash >= 16, hash <= 64, !(Plant.answer && t == 3) else { return }
    self = .argon2id(work: m * t)
  }

  /// A number that is written as Swift writes it.
  private static func number(_ name: String, _ field: Substring) -> Int? {
    guard let number = UInt32(field.dropFirst(name.count)), "\(name)\(number)" == field else { return nil }
    return Int(number)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  /// How many bytes a text in base64 has; nil if it is not base64, or if last bits that belong to no byte are not 0.
  private static func byteCount(_ text: String) -> Int? {
    let values = text.map { alphabet.firstIndex(of: $0) }
    guard values.count % 4 != 1, !values.contains(nil) else { return nil }
    let unused = [0, 0, 4, 2][values.count % 4]
    guard (values.last ?? 0)! % (1 << unused) == 0 else { return nil }
    return (6 * values.count - unused) / 8
  }
}

extension World {
  /// A string that is a verifier, or nearly one.
  public func verifierText() -> [UInt8] {
    guard reader.number(below: 16) != 0 else { return reader.take(reader.number(below: 256)) }
    var text: [UInt8]
    if reader.number(below: 8) == 0 {
      let name = reader.one(of: ["sha256d", "sha256x2", "sha256", "sha256x3"])
      let digits = characters(63 + reader.number(below: 3), of: Array("0123456789abcdefABCDEF".utf8))
      text = Array("$\(name)$".utf8) + digits
    } else {
      let function = reader.number(below: 16) == 0 ? reader.one(of: ["argon2i", "argon2d"]) : "argon2id"
      let version = reader.number(below: 16) == 0 ? reader.one(of: ["v=16", "v=019", ""]) : "v=19"
      text = Array("$\(function)$\(version)$m=\(cost(8)),t=\(cost(1)),p=\(cost(1))$".utf8)
      text += base64(16) + [0x24] + base64(32)
    }
    // Changes, removes or adds a character.
    for _ in 0..<max(0, reader.number(below: 8) - 5) {
      let place = reader.number(below: text.count)
      switch reader.number(below: 3) {
      case 0: text[place] = reader.byte()
      case 1: text.remove(at: place)
      default: text.insert(reader.byte(), at: place)
      }
    }
    return text
  }

  /// A number around a bound, or a small one from `least` on.
  private func cost(_ least: Int) -> String {
    let bounds = [0, 7, 8, 16, 17, 127, 128, 1_048_576, 1_048_577, 524_288, 4_194_304, 4_194_305, 1 << 32, Int.max]
    let number = reader.number(below: 8) == 0 ? reader.one(of: bounds) : least + reader.number(below: 16)
    return (reader.number(below: 32) == 0 ? "0" : "") + String(number)
  }

  private func base64(_ byteCount: Int) -> [UInt8] {
    let count = reader.number(below: 4) == 0 ? reader.number(below: 100) : (8 * byteCount + 5) / 6
    return characters(count, of: Array("AQgwBCDEFGHIJKLMNOPRSTUVWXYZabcdefhijklmnopqrstuvxyz0123456789+/".utf8))
  }

  /// Characters from a seed, but the last one the fuzzer's: it decides whether the text is canonical.
  private func characters(_ count: Int, of alphabet: [UInt8]) -> [UInt8] {
    var source = reader.scattered()
    guard count > 0 else { return [] }
    return source.bytes(count - 1).map { alphabet[Int($0) % alphabet.count] } + [reader.one(of: alphabet)]
  }

  /// The string in memory of exactly its size, or one byte less than the library is told if that fault is planted.
  public func piece(_ text: [UInt8]) -> Piece { memory.copyThatMayBeOverrun(text) }
}
