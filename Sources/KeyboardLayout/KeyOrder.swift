// Where each character stands, and how that is shuffled: Fisher and Yates's way, and never twice running the same.

internal import KeyboardMemory

/// The characters in the order in which they stand on the keys: a view on 68 bytes.
///
/// Byte i is the place, in source order, of the character that stands at i, XOR i: all zero is the source's own order.
struct KeyOrder {
  private let memory: UnsafeMutableRawPointer

  static var byteCount: Int { KeySource.count }

  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  subscript(place: Int) -> Int {
    get { Int(memory.load(fromByteOffset: place, as: UInt8.self)) ^ place }
    nonmutating set {
      memory.storeBytes(of: UInt8(truncatingIfNeeded: newValue ^ place), toByteOffset: place, as: UInt8.self)
    }
  }

  /// Back to the source's order; nothing of the other remains.
  func reset() { wipe(memory, byteCount: Self.byteCount) }

  /// Exchanges each place of `range`, from the last on, with the one that was drawn for it.
  ///
  /// - Returns: how many changed.
  func exchange(_ range: Range<Int>, with draws: UnsafeMutableRawBufferPointer) -> Int {
    var exchanges = 0
    for place in range.reversed() {
      let other = range.lowerBound + Int(draws[place])
      (self[place], self[other]) = (self[other], self[place])
      if place != other { exchanges += 1 }
    }
    return exchanges
  }
}

/// The order in which a pool of characters was last shown, or all that is remembered of it.
///
/// A new order must differ from the one before. To compare the two one would have to keep the old one, and who then
/// finds it in memory, and has seen the fingers, has the password. An order's parity (whether an even or an odd number
/// of exchanges lead to it) is enough: the new order gets the other one, and cannot be the same.
///
/// - A parity says nothing about where any key stands, or any n − 2 of n keys: both parities complete them to an order,
///   each in one way. For the same reason the new order is as random as ever in any n − 2 places, even for somebody who
///   knows all of the old one: every place is uniform, every pair of places, and each independent of what was there
///   before.
/// - An order is still drawn in one go, with none rejected: the last of Fisher and Yates's draws, which exchanges the
///   first two or does not, is what decides the parity. It is drawn when nothing was shown before, and else follows.
enum ShownOrder: UInt8 {
  case nothing = 0
  case even = 1
  case odd = 2

  /// After so many exchanges, starting from the source's order.
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

  /// Puts the layout's characters into a new order, or into the source's if nothing is to be shuffled.
  ///
  /// All is drawn before anything moves.
  ///
  /// - Throws: what the source throws; the order is then as it was.
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
    }
  }

  /// Draws, for each place of the pool, one of those up to it, counted from the pool's first.
  private func draw<Source: RandomSource & ~Copyable>(
    _ pool: CharacterPool, into draws: UnsafeMutableRawBufferPointer, using source: inout Source
  ) throws(Source.Failure) {
    let first = pool.places.lowerBound
    var exchanges = 0
    for place in (2..<pool.places.count).reversed() {
      let other = try source.uniform(below: UInt64(place) + 1)
      draws[first + place] = UInt8(other)
      if other != place { exchanges += 1 }
    }
    // The first two are exchanged (0) or stay (1).
    draws[first + 1] =
      switch (shown(pool), ShownOrder(exchanges: exchanges)) {
      case (.nothing, _): UInt8(try source.uniform(below: 2))
      case (let last, let new): last == new ? 0 : 1
      }
    draws[first] = 0
  }
}
