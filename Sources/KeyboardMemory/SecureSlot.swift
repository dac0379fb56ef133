// Slots of locked memory that outlive no one: a number that names a slot stops naming it when the slot is released, and
// no later slot ever gets that number. Handles of C are such numbers, which is why a stale one is noticed and not obeyed.

internal import CKeyboardMbedTLS
public import KeyboardCodes
internal import Synchronization

/// A slot of `byteCount` bytes in a `SecureRegion`, named by a number that is never used twice.
///
/// Whoever uses the slot pins it meanwhile; releasing a pinned slot makes its number invalid at once and wipes the memory
/// when the last pin is gone. All of this is lock-free: threads that use different slots share no lock, and a fork in the
/// middle of anything leaves nothing locked in the child.
///
/// The number is `generation << 32 | index + 1`. A slot whose 2³² generations are used up is not used again.
public struct SecureSlot: Equatable, Sendable {
  public let rawValue: UInt64

  /// Takes a number at its word; `pin` will tell whether it names a slot.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Bytes in a slot. Slots start at multiples of 64.
  public static var byteCount: Int { 576 }

  init(index: UInt32, generation: UInt32) {
    rawValue = UInt64(generation) << 32 | UInt64(index + 1)
  }

  private var index: UInt32? {
    let low = UInt32(truncatingIfNeeded: rawValue)
    return low == 0 ? nil : low - 1
  }

  private var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }

  /// Takes a free slot.
  ///
  /// - Parameter prepare: gets the memory, all zero, before the number is valid: who guesses it until then is too early.
  /// - Throws: `.memory`.
  public static func allocate(
    preparing prepare: (UnsafeMutableRawPointer) -> Void = { _ in }
  ) throws(KeyboardError) -> SecureSlot {
    guard let index = SecureArena.takeIndex(), let control = SecureArena.control(index) else { throw .memory }
    prepare(SecureArena.memory(index))
    let state = SlotState(control.pointee.state.load(ordering: .acquiring))
    control.pointee.state.store(state.revived.word, ordering: .releasing)
    return SecureSlot(index: index, generation: state.generation)
  }

  /// The slot's memory, until `unpin`; nil if this number names no slot (any more).
  public func pin() -> UnsafeMutableRawPointer? {
    guard let index, let control = SecureArena.control(index) else { return nil }
    var state = SlotState(control.pointee.state.load(ordering: .relaxed))
    while state.isAlive && state.generation == generation {
      let (exchanged, original) = control.pointee.state.weakCompareExchange(
        expected: state.word, desired: state.word + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if exchanged { return SecureArena.memory(index) }
      state = SlotState(original)
    }
    return nil
  }

  /// Ends one `pin`.
  public func unpin() {
    guard let index, let control = SecureArena.control(index) else { return }
    let left = control.pointee.state.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if SlotState(left).isAbandoned { Self.recycle(index, control) }
  }

  /// Makes the number invalid; the memory is wiped now, or with the last `unpin`.
  ///
  /// - Returns: false if it was invalid already.
  @discardableResult
  public func release() -> Bool {
    guard let index, let control = SecureArena.control(index) else { return false }
    var state = SlotState(control.pointee.state.load(ordering: .relaxed))
    while state.isAlive && state.generation == generation {
      let (exchanged, original) = control.pointee.state.weakCompareExchange(
        expected: state.word, desired: state.dead.word,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        if state.dead.isAbandoned { Self.recycle(index, control) }
        return true
      }
      state = SlotState(original)
    }
    return false
  }

  private static func recycle(_ index: UInt32, _ control: UnsafeMutablePointer<SlotControl>) {
    keyboard_wipe(SecureArena.memory(index), byteCount)
    let state = SlotState(control.pointee.state.load(ordering: .relaxed))
    guard state.generation < .max else { return }
    control.pointee.state.store(state.next.word, ordering: .releasing)
    SecureArena.giveIndex(index)
  }
}

/// What is known of a slot in one atomic word: `generation << 32 | alive << 31 | pins`.
struct SlotState {
  let word: UInt64

  init(_ word: UInt64) { self.word = word }

  private static var alive: UInt64 { 1 << 31 }

  var generation: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }
  var isAlive: Bool { word & Self.alive != 0 }
  /// Neither alive nor pinned, and not yet recycled: only ever seen by the one call that made it so.
  var isAbandoned: Bool { word & 0xffff_ffff == 0 }

  var revived: SlotState { SlotState(word | Self.alive) }
  var dead: SlotState { SlotState(word & ~Self.alive) }
  var next: SlotState { SlotState(UInt64(generation + 1) << 32) }
}
