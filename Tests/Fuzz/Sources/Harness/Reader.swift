// Turns the fuzzer's bytes into decisions. Each decision reads from the front, as few bytes as possible, so that a
// changed byte changes one decision and not those after it. After the last byte, everything is 0.
// SPDX-License-Identifier: Apache-2.0

/// The rest of the fuzzer's bytes. It is a class, because callbacks read from it in the middle of a call.
public final class Reader {
  private let bytes: [UInt8]
  private var index = 0

  public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    bytes = Array(UnsafeBufferPointer(start: start, count: count))
  }

  public var isAtEnd: Bool { index >= bytes.count }

  public func byte() -> UInt8 {
    guard index < bytes.count else { return 0 }
    defer { index += 1 }
    return bytes[index]
  }

  public func flag() -> Bool { byte() & 1 == 1 }

  /// 0 ..< bound, for a bound of at most 65,536.
  public func number(below bound: Int) -> Int {
    let high = bound > 256 ? Int(byte()) << 8 : 0
    return (high | Int(byte())) % bound
  }

  public func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

  /// This many bytes, or as many as there are.
  public func take(_ count: Int) -> [UInt8] {
    let end = min(index + count, bytes.count)
    defer { index = end }
    return Array(bytes[min(index, end)..<end])
  }

  public func one<Element>(of choices: [Element]) -> Element { choices[number(below: choices.count)] }

  /// The last of several choices once in nine times: RSA, whose private keys take milliseconds.
  public func oneButSeldomTheLast<Element>(of choices: [Element]) -> Element {
    let code = number(below: 9)
    return code == 8 ? choices.last! : choices[code % (choices.count - 1)]
  }

  /// A source of many different bytes, from two of the fuzzer's.
  public func scattered() -> Scattered { Scattered(seed: UInt64(byte()) << 8 | UInt64(byte())) }
}

/// Bytes computed from a seed, for values whose bytes do not matter: keys, and most passwords.
public struct Scattered {
  private var state: UInt64

  /// The current state of the generator, at first the seed.
  public var first: UInt64 { state }

  public init(seed: UInt64) { state = seed }

  /// - Source: G. Steele and others, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
  public mutating func word() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: word()) }
  }
}
