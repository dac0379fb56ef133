// The order of the characters on the keys, and how it is shuffled.
// SPDX-License-Identifier: Apache-2.0
//
// By Fisher and Yates's method, and never to the same order twice in succession.

internal import KeyboardMemory

/// The order of the characters on the keys: a view of 68 bytes.
///
/// Byte i is p XOR i, where p is the place in the source of the character at place i. All zero is the source's order.
struct KeyOrder {
  private let memory: UnsafeMutableRawPointer

  static var byteCount: Int { CharacterSource.count }

  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  subscript(place: Int) -> Int {
    get { Int(memory.load(fromByteOffset: place, as: UInt8.self)) ^ place }
    nonmutating set {
      memory.storeBytes(of: UInt8(truncatingIfNeeded: newValue ^ place), toByteOffset: place, as: UInt8.self)
    }
  }

  /// Puts the source's order back, and wipes the other one.
  func reset() { wipe(memory, byteCount: Self.byteCount) }

  /// Exchanges each place of `range`, beginning with the last, with the place that was drawn for it.
  ///
  /// - Returns: how many exchanges moved something.
  func exchange(_ range: Range<Int>, with draws: UnsafeMutableRawBufferPointer) -> Int {
    var exchanges = 0
    for place in range.reversed() {
      let other = range.lowerBound + Int(draws[place])
      (self[place], self[other]) = (self[other], self[place])
      if place != other { exchanges += 1 }
    }
    return exchanges
  }

  /// Inserts each of the blank keys that follow the digits at the place that was drawn for it. The order of the digits
  /// among themselves stays.
  func insert(_ blankCount: Int, at draws: UnsafeMutableRawBufferPointer) {
    let first = CharacterPool.digits.places.lowerBound
    for blank in CharacterPool.digits.places.upperBound..<CharacterPool.digits.places.upperBound + blankCount {
      for place in (first + Int(draws[blank])..<blank).reversed() {
        (self[place], self[place + 1]) = (self[place + 1], self[place])
      }
    }
  }
}

/// The parity of the order in which a pool of characters was last shown: whether an even or an odd number of exchanges
/// leads to it. Nothing else is remembered of that order.
///
/// A new order must differ from the one before. To compare the two, the old one would have to be kept; an attacker who
/// finds it in memory and has seen the fingers has the password. The parity is enough: the new order gets the other
/// parity, so it cannot be the same.
///
/// - A parity tells nothing about n − 2 of n keys: each choice for n − 2 keys is completed to an order in two ways, one
///   of each parity. So the new order is uniformly random in any n − 2 places, even for somebody who knows all of the
///   old one: every place, every pair of places, and each place given what was there before.
/// - An order is drawn once, and none is rejected. The last draw of Fisher and Yates's method exchanges the first two
///   places or does not, and so decides the parity. It is drawn if nothing was shown before; otherwise it follows.
enum ShownOrder: UInt8 {
  case nothing = 0
  case even = 1
  case odd = 2

  /// The parity after so many exchanges of the source's order.
  init(exchanges: Int) { self = exchanges & 1 == 0 ? .even : .odd }
}

extension LayoutState {
  private func shown(_ pool: CharacterPool) -> ShownOrder {
    ShownOrder(rawValue: fields.pointee.shown >> (2 * pool.rawValue) & 3) ?? .nothing
  }

  private func setShown(_ pool: CharacterPool, _ order: ShownOrder) {
    let shift = 2 * pool.rawValue
    fields.pointee.shown = fields.pointee.shown & ~(3 << shift) | order.rawValue << shift
  }

  /// Puts the layout's characters into a new order, or into the source's if the layout is never shuffled.
  ///
  /// - Throws: what the source throws, before anything moves; the order is then unchanged.
  /// - Source: R. Durstenfeld, "Algorithm 235: Random permutation", CACM 7 (1964).
  func arrange<Source: RandomSource & ~Copyable>(using source: inout Source) throws(Source.Failure) {
    let kind = kind
    guard shuffle != .none else {
      order.reset()
      kind.forEachPool { pool in setShown(pool, .even) }
      return
    }
    try withUnsafeTemporaryAllocation(byteCount: KeyOrder.byteCount, alignment: 1) {
      draws throws(Source.Failure) in
      try kind.forEachPool { pool throws(Source.Failure) in try draw(pool, into: draws, using: &source) }
      order.reset()
      kind.forEachPool { pool in
        setShown(pool, ShownOrder(exchanges: order.exchange(pool.places, with: draws)))
      }
      order.insert(kind.blankCount, at: draws)
    }
  }

  /// Draws for each place of the pool one of the places up to it, counted from the pool's first.
  ///
  /// Blank keys follow the digits, and each gets one of the places up to its own too. There it is inserted, not
  /// exchanged: so each set of places is equally likely for the blank keys, whatever the order of the digits. That
  /// order has another parity than the one before, so a pad never looks the same twice in succession, although blank
  /// keys look alike.
  private func draw<Source: RandomSource & ~Copyable>(
    _ pool: CharacterPool, into draws: UnsafeMutableRawBufferPointer, using source: inout Source
  ) throws(Source.Failure) {
    let first = pool.places.lowerBound
    let count = pool.places.count
    var exchanges = 0
    for place in (2..<count + kind.blankCount).reversed() {
      let other = try source.uniform(below: UInt64(place) + 1)
      draws[first + place] = UInt8(other)
      if place < count && other != place { exchanges += 1 }
    }
    // 0 exchanges the first two, 1 does not.
    draws[first + 1] =
      switch (shown(pool), ShownOrder(exchanges: exchanges)) {
      case (.nothing, _): UInt8(try source.uniform(below: 2))
      case (let last, let new): last == new ? 0 : 1
      }
    draws[first] = 0
  }
}
