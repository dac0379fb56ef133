// Who uses a place in locked memory, and whether this process has locked it.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
internal import Synchronization

/// The mark of a place that threads share: a workspace, a stack, a keyboard's slot. It lies in the place, so that a
/// fork empties it. In the child the place is then free, and it is locked again at its next use: the kernel gives a
/// child the memory, but not the lock on it.
package enum PlaceMark {
  /// Free, and perhaps not locked in this process: never used, or emptied by a fork.
  package static var untouched: UInt32 { 0 }
  /// Free, and locked.
  package static var free: UInt32 { 1 }
  package static var taken: UInt32 { 2 }
}

extension UnsafeMutablePointer<Atomic<UInt32>> {
  /// Takes a place, if it is free.
  ///
  /// - Parameter lock: locks the place; called if it may not be locked.
  /// - Returns: false if another thread has it.
  @inline(__always)
  func claim(_ lock: () -> Void) -> Bool {
    let (exchanged, original) = pointee.compareExchange(
      expected: PlaceMark.free, desired: PlaceMark.taken, ordering: .acquiring)
    guard !exchanged, original == PlaceMark.untouched else { return exchanged }
    let (isMine, _) = pointee.compareExchange(
      expected: PlaceMark.untouched, desired: PlaceMark.taken, ordering: .acquiring)
    if isMine { lock() }
    return isMine
  }

  /// Gives a place back. What a fork has emptied stays untouched.
  @inline(__always)
  func giveBack() {
    let isTaken = pointee.load(ordering: .relaxed) == PlaceMark.taken
    pointee.store(isTaken ? PlaceMark.free : PlaceMark.untouched, ordering: .releasing)
  }
}
