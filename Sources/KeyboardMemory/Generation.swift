// How often the place of a handle was given out: the upper half of every handle. There is one rule for slots and for
// tables, so that no handle ever names a second thing.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
internal import Synchronization

/// The generations of places begin at a random number, count round, and end before that number comes again.
///
/// A place that has used all 2³² of them is retired: nothing is given out there any more.
struct Generation: Equatable {
  let rawValue: UInt32

  /// Drawn once, and set bit 32 when it is: `1 << 32 | generation`.
  private static let drawn = Atomic<UInt64>(0)

  /// The first one of every place, at random: two copies of this library in one process then do not accept each other's
  /// handles. Without randomness from the system it follows from where this copy is in memory.
  static var first: Generation {
    let known = drawn.load(ordering: .relaxed)
    if known != 0 { return Generation(rawValue: UInt32(truncatingIfNeeded: known)) }
    var number: UInt32 = 0
    if keyboard_random(&number, MemoryLayout<UInt32>.size) == 0 {
      number = UInt32(truncatingIfNeeded: keyboard_own_address() &* 0x9e37_79b9_7f4a_7c15 >> 32)
    }
    let (exchanged, original) = drawn.compareExchange(
      expected: 0, desired: 1 << 32 | UInt64(number), ordering: .relaxed)
    return Generation(rawValue: exchanged ? number : UInt32(truncatingIfNeeded: original))
  }

  /// The next one; nil if the place must be retired.
  var next: Generation? {
    let next = Generation(rawValue: rawValue &+ 1)
    return next == .first ? nil : next
  }
}
