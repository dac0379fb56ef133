// Secrets that a finished computation left on the stack and in registers. The dynamic linker, signal handlers and
// context switches save registers to memory, and nobody overwrites an old stack frame on purpose.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// The one way into code that can touch a secret.
///
///     caller's frame      addresses, lengths and answers only
///     ┌─ whole            no cancellation from here …
///     │ ┌─ wiped
///     │ │  below          its frame, and everything that it calls, may hold secrets
///     │ └─                the stack below the caller and all registers are zeroed
///     └─                  … to here
///
/// `contained` is both at once.
///
/// How deep the stack is zeroed is known to `residue.h` alone.
package enum Residue {
  /// Runs `body` in frames of its own, and zeroes the stack and the registers that it used, whether it throws or not.
  /// The thread cannot be cancelled meanwhile.
  ///
  /// - Timing: adds about 30 ns, and 40 more where there are several threads.
  @inline(__always)
  package static func contained<Result>(
    _ reach: Reach = .ordinary, _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try whole { () throws(KeyboardError) in try wiped(reach, body) }
  }

  /// Runs `body` to its end: the thread cannot be cancelled meanwhile. What touches a secret is `wiped` inside it.
  @inline(__always)
  package static func whole<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    // A thread that is alone stays alone until the call ends, because the body runs no code of the caller's.
    let isAlone = keyboard_is_alone() != 0
    let cancellation = isAlone ? 0 : disableCancellation()
    defer { if !isAlone { restoreCancellation(cancellation) } }
    return try body()
  }

  /// As `whole`, for a body that runs callbacks: they may start threads.
  @inline(__always)
  package static func uncancelled<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let cancellation = disableCancellation()
    defer { restoreCancellation(cancellation) }
    return try body()
  }

  // C's inline functions are compiled into each file that calls them, so each has one caller.
  @inline(never) private static func disableCancellation() -> Int32 { keyboard_disable_cancellation() }
  @inline(never) private static func restoreCancellation(_ before: Int32) { keyboard_restore_cancellation(before) }

  /// Runs `body` in frames of its own, and zeroes the stack and the registers that it used. For a thread that cannot be
  /// cancelled already.
  @inline(__always)
  package static func wiped<Result>(
    _ reach: Reach = .ordinary, _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    if known.load(ordering: .acquiring) == 0 { prepare() }
    defer { wipe(reach) }
    return try below(body)
  }

  /// How deep the body's calls go. `residue.h` has the numbers.
  package enum Reach {
    /// Block ciphers.
    case ordinary
    /// Elliptic curves.
    case deep
  }

  /// A frame that is never part of the caller's, which is not wiped.
  @inline(never)
  private static func below<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    try body()
  }

  /// Zeroes the stack below the caller, and the registers.
  @inline(__always)
  private static func wipe(_ reach: Reach) {
    let known = known.load(ordering: .relaxed)
    switch reach {
    case .ordinary: wipe(known)
    case .deep: wipe(known & 0xff | UInt64(KEYBOARD_DEEP_STACK_DEPTH) << 8)
    }
  }

  /// Zeroes the registers, for a caller that has only moved memory since the last wipe.
  @inline(__always)
  package static func wipeRegisters() {
    let smallestDepth: UInt64 = 64
    wipe(known.load(ordering: .relaxed) & 0xff | smallestDepth << 8)
  }

  @inline(never)
  private static func wipe(_ reach: UInt64) { keyboard_wipe_residue(Int32(reach & 0xff), reach >> 8) }

  /// `depth << 8 | width of the vector registers`; 0 until the first call.
  private static let known = Atomic<UInt64>(0)

  /// Before the first secret is touched: finds out what to wipe, and leaves nothing to do for the dynamic linker, which
  /// saves registers to the stack when it binds a function.
  @inline(never)
  private static func prepare() {
    keyboard_bind_libc()
    known.store(keyboard_stack_depth() << 8 | UInt64(keyboard_vector_width()), ordering: .releasing)
  }
}

/// Zeroes memory even if nobody reads it again.
package func wipe(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
  keyboard_wipe(memory, byteCount)
}
