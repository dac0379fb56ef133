// One showing of a keyboard: what a person would see on opening it, for those who design around it. No password
// is near.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardLayout
import KeyboardMemory

struct Showing {
  private static let slots = SecureSlots(byteCount: LayoutState.byteCount)
  let kind: LayoutKind
  /// From 1.
  let page: Int
  let size: ViewSize
  let shift: ShiftState
  /// What the order was made from; nil where it was drawn, as keyboards that are used do.
  let seed: UInt64?
  let keys: [KeyCap]
  let smallestKeySize: KeySize

  /// - Throws: `.argument` for a size with fewer points than keys, `.memory`, `.random`.
  init(_ kind: LayoutKind, page: Int, size: ViewSize, shift: ShiftState, seed: UInt64?) throws(KeyboardError) {
    let slot = try Self.slots.allocate()
    defer { Self.slots.release(slot) }
    let state = LayoutState(at: Self.slots.pin(slot)!)  // Nobody else knows its number.
    defer { Self.slots.unpin(slot) }

    // The standard size has room for every layout; this one may not have.
    try state.setLayout(kind, shuffle: .eachOpening, maximumCount: 0)
    try state.setSize(size)
    if let seed {
      var source = SeededSource(seed: seed)
      state.open(using: &source)
    } else {
      var source = SystemRandomness()
      try state.open(using: &source)
    }
    state.turn(toPage: page, shift: shift)

    (self.kind, self.page, self.size, self.shift, self.seed) = (kind, page, size, shift, seed)
    keys = Array(state.keys)
    smallestKeySize = state.smallestKeySize
  }
}

extension LayoutKind {
  /// The pages in the order in which their switches lead around.
  private var pages: [KeyRole] {
    switch self {
    case .letters, .mixed: [.toLetters, .toDigits, .toSymbols]
    case .digits: [.toDigits, .toSymbols, .toLetters]
    case .symbols: [.toSymbols, .toLetters, .toDigits]
    case .pin, .pinDecoys, .pattern: [.toDigits]
    }
  }

  var pageCount: Int { pages.count }

  fileprivate func roleLeading(toPage page: Int) -> KeyRole { pages[page - 1] }

  var hasShift: Bool { !isPad }
}

extension LayoutState {
  /// By pressing keys, as a person does.
  fileprivate func turn(toPage page: Int, shift wanted: ShiftState) {
    if wanted != .off {
      press(.toLetters)
      while shift != wanted { press(.shift) }
    }
    press(kind.roleLeading(toPage: page))
  }

  /// Does nothing if the page has no such key: it is then already the page that the key leads to.
  private func press(_ role: KeyRole) {
    guard let index = keys.enumerated().first(where: { $0.element.role == role })?.offset else { return }
    // No character is typed, so nothing is shuffled.
    if let press = press(at: index) { apply(press) }
  }
}

/// SplitMix64: the same seed gives the same picture. For documentation only: the seed tells where the keys are.
///
/// - Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
private struct SeededSource: RandomSource {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    for index in buffer.indices {
      if index % 8 == 0 { state &+= 0x9e37_79b9_7f4a_7c15 }
      var z = state
      z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
      z ^= z >> 31
      buffer[index] = UInt8(truncatingIfNeeded: z >> (8 * UInt64(index % 8)))
    }
  }
}

extension KeyLabel {
  var text: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
}

extension KeyRole {
  var isFunction: Bool { self != .character && self != .space && self != .blank }
}

extension ShiftState {
  var name: String {
    switch self {
    case .off: "off"
    case .oneLetter: "one"
    case .capsLock: "caps"
    }
  }
}

/// A number as people write it: 320, 26.6.
func short(_ number: Double) -> String {
  let rounded = (number * 100).rounded() / 100
  return rounded == rounded.rounded() && abs(rounded) < 1e9 ? "\(Int(rounded))" : "\(rounded)"
}
