// A layout with its own memory, and sources of randomness that tests can predict.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory

@testable import KeyboardLayout

let everyKind: [LayoutKind] = [.letters, .digits, .symbols, .mixed, .pin, .pinDecoys]

extension LayoutKind {
  /// Whether it has digits only, on one page.
  var isPad: Bool { self == .pin || self == .pinDecoys }

  /// The keys side by side in a row of character keys.
  var across: Double {
    switch self {
    case .pin: 3
    case .pinDecoys: 4
    case .mixed: 9
    default: 10
    }
  }
}

/// A layout, followed by bytes that must not change. The memory is never freed: the state is a view of it, and may be
/// used longer than this object.
final class TestLayout {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 8)
  let state: LayoutState

  init() {
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    state = LayoutState(at: memory.baseAddress!)
  }

  convenience init(_ kind: LayoutKind, _ shuffle: ShuffleKind = .eachOpening) throws {
    self.init()
    try state.setLayout(kind, shuffle: shuffle, maximumCount: 0)
  }

  var bytes: [UInt8] { Array(memory) }

  func index(_ role: KeyRole) -> Int? { state.keys.enumerated().first { $0.element.role == role }?.offset }

  /// The labels of the character keys, in reading order.
  var characters: String { state.keys.filter { $0.role == .character }.map(\.label.text).joined() }

  /// Runs `body` on each page, which it reaches with the switch keys.
  func onEveryPage(_ body: (Page) throws -> Void) rethrows {
    for (page, role) in [(Page.letters, KeyRole.toLetters), (.digits, .toDigits), (.symbols, .toSymbols)] {
      if state.page != page {
        guard let index = index(role), let press = state.press(at: index) else { continue }
        state.apply(press)
      }
      try body(page)
    }
  }
}

extension LayoutState {
  /// Presses a key as a keyboard does: looks the press up once and applies it.
  func press<Source: RandomSource & ~Copyable>(
    _ index: Int, using source: inout Source
  ) throws(Source.Failure) -> KeyEffect? {
    guard let press = press(at: index) else { return nil }
    try apply(press, using: &source)
    return press.effect
  }
}

extension KeyEffect {
  var isTyping: Bool { if case .type = self { true } else { false } }
}

extension KeyLabel {
  var utf8: [UInt8] { (0..<count).map { self[$0] } }
  var text: String { String(decoding: utf8, as: UTF8.self) }
}

/// A source that must not be used.
struct NoSource: RandomSource {
  func fill(_ buffer: UnsafeMutableRawBufferPointer) { preconditionFailure("randomness was used") }
}

/// Gives these numbers if they are requested with the same bounds; then fails.
struct Replay: RandomSource {
  private var words: [UInt64]
  var isUsedUp: Bool { words.isEmpty }

  init(_ draws: [(number: UInt64, bound: UInt64)]) {
    // From the words that give a number, take the one in the middle: it is never rejected.
    words = draws.map { draw in draw.bound.dividingFullWidth((draw.number, 1 << 63)).quotient }
  }

  /// The numbers for `keys` keys, from the last key to the third, or to the second if the last draw is free.
  init(_ numbers: [UInt64], keys: UInt64) {
    self.init(numbers.enumerated().map { ($0.element, keys - UInt64($0.offset)) })
  }

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(KeyboardError) {
    guard !words.isEmpty else { throw .random }
    buffer.storeBytes(of: words.removeFirst(), as: UInt64.self)
  }
}

/// SplitMix64, seeded from the system: for tests that draw more than a debug build's ChaCha20 gives in a second.
///
/// - Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct Statistical: RandomSource, RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64 = .random(in: 0 ... .max)) {
    self.seed = seed
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    precondition(buffer.count == 8)
    buffer.storeBytes(of: next(), as: UInt64.self)
  }
}
