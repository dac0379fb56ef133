// Whether somebody uses a piece of locked memory, and whether this process has locked it.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
internal import Synchronization

/// The mark of memory that threads share: a workspace, a stack, a keyboard's slot. It lies in that memory, so that a
/// fork empties it. In the child the memory is then free, and it is locked again at its next use: the kernel gives a
/// child the memory, but not the lock on it.
package enum UseMark {
  /// Free, and perhaps not locked in this process: never used, or emptied by a fork.
  package static var untouched: UInt32 { 0 }
  /// Free, and locked.
  package static var free: UInt32 { 1 }
  package static var taken: UInt32 { 2 }
}

extension UnsafeMutablePointer<Atomic<UInt32>> {
  /// Takes the memory, if it is free.
  ///
  /// - Parameter lock: locks the memory; called if it may not be locked.
  /// - Returns: false if another thread has it.
  @inline(__always)
  func claim(_ lock: () -> Void) -> Bool {
    let (exchanged, original) = pointee.compareExchange(
      expected: UseMark.free, desired: UseMark.taken, ordering: .acquiring)
    guard !exchanged, original == UseMark.untouched else { return exchanged }
    let (isMine, _) = pointee.compareExchange(
      expected: UseMark.untouched, desired: UseMark.taken, ordering: .acquiring)
    if isMine { lock() }
    return isMine
  }

  /// Gives the memory back. What a fork has emptied stays untouched.
  @inline(__always)
  func giveBack() {
    let isTaken = pointee.load(ordering: .relaxed) == UseMark.taken
    pointee.store(isTaken ? UseMark.free : UseMark.untouched, ordering: .releasing)
  }
}
