// Slots of locked memory, each named by a number. The number becomes invalid when the slot is released, and is never
// used again. The handles of keyboards are such numbers, so a stale handle is an error and never another keyboard.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// The number of a slot, or of an entry in a `HandleTable`: `generation << 32 | index + 1`. Its user knows where it is
/// one.
package struct SecureSlot: Equatable, Sendable {
  package let rawValue: UInt64

  /// Accepts any number; `pin` tells whether it names a slot.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  init(index: UInt32, generation: Generation) {
    rawValue = UInt64(generation.rawValue) << 32 | UInt64(index + 1)
  }

  var index: UInt32? {
    let low = UInt32(truncatingIfNeeded: rawValue)
    return low == 0 ? nil : low - 1
  }

  var generation: Generation { Generation(rawValue: UInt32(truncatingIfNeeded: rawValue >> 32)) }
}

/// The slots of one user, which says how large they are. They are mapped when the first one is allocated.
///
///     static let slots = SecureSlots(byteCount: 2112)
///
/// A user of a slot pins it. Releasing a pinned slot makes its number invalid at once, and wipes the memory when the
/// last pin is gone. There are no locks: threads that use different slots do not wait for each other, and a fork at any
/// moment leaves nothing locked in the child.
///
/// A slot that has used all its generations is not used again.
package struct SecureSlots: ~Copyable, Sendable {
  /// Bytes in a slot, a multiple of 64. Slots start at multiples of 64.
  package let byteCount: Int
  let arena = SecureArena()

  /// Inlined into the user's module, so that a `static let` needs no code at run time.
  ///
  /// - Parameter byteCount: what the user needs in each; rounded up.
  @inline(__always)
  package init(byteCount: Int) { self.byteCount = (byteCount + 63) & ~63 }

  /// Takes a free slot.
  ///
  /// - Throws: `.memory`.
  package borrowing func allocate() throws(KeyboardError) -> SecureSlot {
    let index = try takeIndex()
    guard let control = find(index)?.control else { throw .memory }
    let state = SlotState(control.pointee.state.load(ordering: .acquiring))
    control.pointee.state.store(state.revived.word, ordering: .releasing)
    return SecureSlot(index: index, generation: state.generation)
  }

  /// The slot's memory, until `unpin`; nil if this number names no slot.
  package borrowing func pin(_ slot: SecureSlot) -> UnsafeMutableRawPointer? {
    guard let index = slot.index, let place = find(index) else { return nil }
    let control = place.control
    var state = SlotState(control.pointee.state.load(ordering: .relaxed))
    while state.isAlive && state.generation == slot.generation {
      let (exchanged, original) = control.pointee.state.weakCompareExchange(
        expected: state.word, desired: state.word + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if exchanged { return memory(place) }
      state = SlotState(original)
    }
    return nil
  }

  /// Ends one `pin`.
  package borrowing func unpin(_ slot: SecureSlot) {
    guard let index = slot.index, let place = find(index) else { return }
    let left = place.control.pointee.state.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if SlotState(left).isAbandoned { recycle(index, place) }
  }

  /// Makes the number invalid; the memory is wiped now, or with the last `unpin`.
  ///
  /// - Returns: false if it was invalid already.
  @discardableResult
  package borrowing func release(_ slot: SecureSlot) -> Bool {
    guard let index = slot.index, let place = find(index) else { return false }
    let control = place.control
    var state = SlotState(control.pointee.state.load(ordering: .relaxed))
    while state.isAlive && state.generation == slot.generation {
      let (exchanged, original) = control.pointee.state.weakCompareExchange(
        expected: state.word, desired: state.dead.word,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        if state.dead.isAbandoned { recycle(index, place) }
        return true
      }
      state = SlotState(original)
    }
    return false
  }

  private borrowing func recycle(_ index: UInt32, _ place: SlotPlace) {
    keyboard_wipe(memory(place), byteCount)
    let control = place.control
    let state = SlotState(control.pointee.state.load(ordering: .relaxed))
    guard let next = state.generation.next else { return }
    control.pointee.state.store(SlotState(generation: next).word, ordering: .releasing)
    giveIndex(index)
  }
}

/// The state of a slot in one atomic word: `generation << 32 | alive << 31 | pins`.
struct SlotState {
  let word: UInt64

  init(_ word: UInt64) { self.word = word }
  init(generation: Generation) { word = UInt64(generation.rawValue) << 32 }

  private static var alive: UInt64 { 1 << 31 }

  var generation: Generation { Generation(rawValue: UInt32(truncatingIfNeeded: word >> 32)) }
  var isAlive: Bool { word & Self.alive != 0 }
  /// Neither alive nor pinned, and not yet recycled. Only the call that made it so sees this state.
  var isAbandoned: Bool { word & 0xffff_ffff == 0 }

  var revived: SlotState { SlotState(word | Self.alive) }
  var dead: SlotState { SlotState(word & ~Self.alive) }
}
