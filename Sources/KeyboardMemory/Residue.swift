// Secrets that a finished computation left on the stack and in registers. The dynamic linker, signal handlers and context
// switches save registers to memory, and nobody overwrites an old stack frame on purpose.

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// The one way into code that can touch a secret.
///
///     caller's frame      addresses, lengths and answers only
///     ── contained ──     no cancellation from here
///        below            its frame, and everything that it calls, may hold secrets
///     ── contained ──     the stack below the caller and all registers are zeroed; cancellation as before
///
/// How deep the stack is zeroed is known to `residue.h` alone.
package enum Residue {
  /// Runs `body` in frames of its own, and zeroes the stack and the registers that it used, whether it throws or not. The
  /// thread cannot be cancelled meanwhile.
  ///
  /// - Timing: adds about 40 ns.
  @inline(__always)
  package static func contained<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let cancellation = begin()
    defer { end(cancellation) }
    return try below(body)
  }

  /// Runs `body`, which touches no secret itself but must come to its end: the thread cannot be cancelled meanwhile.
  @inline(__always)
  package static func uncancelled<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let cancellation = keyboard_disable_cancellation()
    defer { keyboard_restore_cancellation(cancellation) }
    return try body()
  }

  /// A frame that is never part of the caller's, which is not wiped.
  @inline(never)
  private static func below<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    try body()
  }

  @inline(__always)
  private static func begin() -> Int32 {
    let cancellation = keyboard_disable_cancellation()
    if !isBound.load(ordering: .acquiring) { bind() }
    return cancellation
  }

  @inline(__always)
  private static func end(_ cancellation: Int32) {
    wipe()
    keyboard_restore_cancellation(cancellation)
  }

  /// Zeroes the stack below the caller, and the registers: for a body that must leave nothing before it goes on, because it
  /// is about to touch memory of the caller's that may not exist. What left something must have had a frame of its own.
  @inline(__always)
  package static func wipe() {
    let reach = known.load(ordering: .relaxed)
    wipe(reach == 0 ? measured() : reach)
  }

  @inline(never)
  private static func wipe(_ reach: UInt64) { keyboard_wipe_residue(Int32(reach & 0xff), reach >> 8) }

  /// `depth << 8 | width of the vector registers`; 0 until it is known.
  private static let known = Atomic<UInt64>(0)

  @inline(never)
  private static func measured() -> UInt64 {
    let reach = keyboard_stack_depth() << 8 | UInt64(keyboard_vector_width())
    known.store(reach, ordering: .relaxed)
    return reach
  }

  private static let isBound = Atomic<Bool>(false)

  /// Leaves nothing to do for the dynamic linker while registers hold secrets.
  @inline(never)
  private static func bind() {
    keyboard_bind_libc()
    isBound.store(true, ordering: .releasing)
  }
}

/// Zeroes memory even if nobody reads it again.
package func wipe(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
  keyboard_wipe(memory, byteCount)
}
