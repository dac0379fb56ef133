// Secrets that a computation has on the stack and in registers, or leaves there. The dynamic linker, signal handlers
// and context switches save registers to memory, nobody overwrites an old stack frame on purpose, and a fork by another
// thread copies every stack.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// The one way into code that can touch a secret.
///
///     caller's frame      addresses, lengths and answers only
///     ┌─ whole            no cancellation from here …
///     │ ┌─ wiped
///     │ │  body           its frame, and everything that it calls, may hold secrets
///     │ └─                the stack that it used and all registers are zeroed
///     └─                  … to here, and the registers once more
///
/// `contained` is both at once. `plain` is `whole` with a shorter last wipe.
///
/// How deep the stack is zeroed is known to `residue.h` alone.
package enum Residue {
  /// Where the body of a call runs, and how deep.
  package enum Reach {
    /// On the caller's stack, as deep as block ciphers go.
    case ordinary
    /// On the caller's stack, as deep as curves and Argon2id go. For what takes too long to hold signals back.
    case deep
    /// On a stack in locked memory that no fork, core dump or swap contains. Signals wait until it ends, those of
    /// faults too. It touches nothing of the caller's: a fault there ends the process.
    case ownStack
    /// The same for a caller that holds signals back already, but for those of faults. Half a microsecond is too long
    /// for each of a vault's rows.
    case ownStackWithSignalsHeld
    /// For a block cipher and at most a password: on a stack of its own on processors where the cipher keeps round keys
    /// on the stack, else on the caller's stack, and less deep than `ordinary`.
    case cipher
    /// The same for SM4-GCM: it calls the cipher through more functions, so it is as deep as `ordinary`.
    case cipherWithTag
  }

  /// Runs `body` inside `whole` and `wiped`.
  ///
  /// - Timing: adds about 30 ns.
  @inline(__always)
  package static func contained<Result>(
    _ reach: Reach = .ordinary, _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try deferringCancellation { () throws(KeyboardError) in try wiped(reach, body) }
  }

  /// Runs a call: the thread cannot be cancelled meanwhile, and the registers are zeroed at the end. What touches a
  /// secret is `wiped` inside it.
  ///
  /// - Parameter body: answers nil if a fork emptied its memory in the middle. This is then the child, and starts
  ///   again.
  @inline(__always)
  package static func whole<Result>(
    _ body: () throws(KeyboardError) -> Result?
  ) throws(KeyboardError) -> Result {
    try deferringCancellation { () throws(KeyboardError) in
      defer { wipeRegisters() }
      while true {
        if let result = try body() { return result }
      }
    }
  }

  /// The same for a body in which all that touches a secret is `wiped`, or is `copySecret`. What else it runs is
  /// compiled for every processor, so only the registers that every processor has are zeroed at the end. This saves
  /// a twentieth of the time that one password takes.
  @inline(__always)
  package static func plain<Result>(
    _ body: () throws(KeyboardError) -> Result?
  ) throws(KeyboardError) -> Result {
    try deferringCancellation { () throws(KeyboardError) in
      defer { wipePlainRegisters() }
      while true {
        if let result = try body() { return result }
      }
    }
  }

  /// Runs `body`, which has no cancellation point, to its end: the thread cannot be cancelled meanwhile, not even by
  /// itself or by a signal handler.
  @inline(__always)
  private static func deferringCancellation<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let type = deferCancellation()
    defer { undoDeferring(type) }
    return try body()
  }

  /// The same for a body that runs callbacks, or waits for them.
  @inline(__always)
  package static func uncancelled<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let cancellation = disableCancellation()
    defer { restoreCancellation(cancellation) }
    return try body()
  }

  /// As `whole`, for a body that calls cancellation points, as everything that touches a file does.
  @inline(__always)
  package static func wholeWithFiles<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let cancellation = forbidCancellation()
    defer { allowCancellation(cancellation) }
    defer { wipeRegisters() }
    return try body()
  }

  // C's inline functions are compiled into each file that calls them, so each has one caller.
  @inline(never) private static func deferCancellation() -> Int32 { keyboard_defer_cancellation() }
  @inline(never) private static func undoDeferring(_ type: Int32) { keyboard_undo_deferring(type) }
  @inline(never) private static func forbidCancellation() -> Int32 { keyboard_forbid_cancellation() }
  @inline(never) private static func allowCancellation(_ before: Int32) { keyboard_allow_cancellation(before) }
  @inline(never) private static func disableCancellation() -> Int32 { keyboard_disable_cancellation() }
  @inline(never) private static func restoreCancellation(_ before: Int32) { keyboard_restore_cancellation(before) }

  /// Runs `body` in frames of its own, and zeroes the stack and the registers that it used, whether it throws or not.
  /// For a thread that cannot be cancelled already.
  ///
  /// - Throws: what `body` throws; `.memory` if there is no stack of its own.
  /// - Timing: a stack of its own adds about half a microsecond.
  @inline(__always)
  package static func wiped<Result>(
    _ reach: Reach = .ordinary, _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    begin()
    guard runsOnOwnStack(reach) else {
      defer { wipe(reach) }
      return try below(body)
    }
    var result: Result?
    var failure: KeyboardError?
    try onOwnStack(reach) {
      do throws(KeyboardError) { result = try body() } catch { failure = error }
    }
    if let failure { throw failure }
    return result!
  }

  /// The same for a body that cannot fail. It is compiled once, and not for each caller.
  @inline(never)
  package static func wipedOnce(_ reach: Reach = .ordinary, _ body: () -> Void) throws(KeyboardError) {
    // Passed as it is, `body` would be called as a function that throws, which traps in WebAssembly.
    try wiped(reach) { () throws(KeyboardError) in body() }
  }

  /// The same in two parts, for a function of a few hundred instructions that is never inlined, runs on the caller's
  /// stack and cannot fail: `begin`, the function, `wipe`. What `wiped` does with a closure takes longer.
  @inline(__always)
  package static func begin() { if known.load(ordering: .acquiring) == 0 { prepare() } }

  /// A frame that is never part of the caller's, which is not wiped.
  @inline(never)
  private static func below<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    try body()
  }

  /// Zeroes the stack below the caller, and the registers.
  @inline(__always)
  package static func wipe(_ reach: Reach) {
    let known = known.load(ordering: .relaxed)
    switch reach {
    case .ordinary, .cipherWithTag: wipe(known)
    case .cipher: wipe(known & 0xff | UInt64(KEYBOARD_CIPHER_STACK_DEPTH) << 8)
    case .deep, .ownStack, .ownStackWithSignalsHeld: wipe(known & 0xff | UInt64(KEYBOARD_DEEP_STACK_DEPTH) << 8)
    }
  }

  /// Zeroes the registers, for a caller that has only moved memory since the last wipe.
  @inline(__always)
  package static func wipeRegisters() {
    let smallestDepth: UInt64 = 64
    wipe(known.load(ordering: .relaxed) & 0xff | smallestDepth << 8)
  }

  /// Zeroes the registers that code for every processor uses: no kernel has run since the last wipe.
  @inline(never) package static func wipePlainRegisters() { keyboard_wipe_plain_registers() }

  @inline(never)
  private static func wipe(_ reach: UInt64) { keyboard_wipe_residue(Int32(reach & 0xff), reach >> 8) }

  /// `depth << 8 | width of the vector registers`; 0 until the first call.
  private static let known = Atomic<UInt64>(0)

  /// Whether this processor has registers of 512 bits, and the system saves them. Known since the first `begin`.
  static var hasWideRegisters: Bool { known.load(ordering: .relaxed) & 0xff == 64 }

  /// Before the first secret is touched: finds out what to wipe, and leaves nothing to do for the dynamic linker, which
  /// saves registers to the stack when it binds a function.
  @inline(never)
  private static func prepare() {
    keyboard_bind_libc()
    known.store(keyboard_stack_depth() << 8 | UInt64(keyboard_vector_width()), ordering: .releasing)
  }
}

// MARK: - A stack of its own

extension Residue {
  #if arch(wasm32)
    /// A page has one thread and no forks, and all of its stack is wiped.
    @inline(__always) package static func runsOnOwnStack(_ reach: Reach) -> Bool { false }
    private static func onOwnStack(_ reach: Reach, _ body: () -> Void) throws(KeyboardError) {}

    package struct KeptStack: ~Copyable {
      @inline(never)
      package func run(_ step: () -> Void) {
        step()
        Residue.wipe(.ownStack)
      }
    }

    @inline(never)
    package static func keepingStack(
      _ body: (borrowing KeptStack) throws(KeyboardError) -> Void
    ) throws(KeyboardError) {
      begin()
      try body(KeptStack())
    }
  #else
    /// Whether the body of a call with this reach runs on a stack of its own.
    @inline(__always)
    package static func runsOnOwnStack(_ reach: Reach) -> Bool {
      switch reach {
      case .ordinary, .deep: false
      case .ownStack, .ownStackWithSignalsHeld: true
      case .cipher, .cipherWithTag: known.load(ordering: .relaxed) >> 8 == UInt64(KEYBOARD_PORTABLE_STACK_DEPTH)
      }
    }

    @inline(never)
    private static func onOwnStack(_ reach: Reach, _ body: () -> Void) throws(KeyboardError) {
      let stack = try SecretStack()
      if case .ownStackWithSignalsHeld = reach { return runWithSignalsHeld(body, on: stack) }
      run(body, on: stack)
    }

    /// A stack of its own that is there already.
    package struct KeptStack: ~Copyable {
      fileprivate let stack: SecretStack

      /// Runs a step as `wiped(.ownStack)` does, but cannot fail.
      @inline(never)
      package borrowing func run(_ step: () -> Void) { Residue.run(step, on: stack) }
    }

    /// Takes a stack first, for a body with a step that must not fail, or must not wait for memory with a secret in the
    /// clear.
    ///
    /// - Throws: `.memory`, before `body` has begun; what `body` throws.
    @inline(never)
    package static func keepingStack(
      _ body: (borrowing KeptStack) throws(KeyboardError) -> Void
    ) throws(KeyboardError) {
      begin()
      try body(KeptStack(stack: try SecretStack()))
    }

    /// Signals wait, those of faults too: the frame of a handler would have what registers hold.
    private static func run(_ body: () -> Void, on stack: borrowing SecretStack) {
      let signals = keyboard_hold_signals_and_faults()
      defer { keyboard_let_signals(signals) }
      runWithSignalsHeld(body, on: stack)
    }

    private static func runWithSignalsHeld(_ body: () -> Void, on stack: borrowing SecretStack) {
      stack.run(depth: UInt64(KEYBOARD_DEEP_STACK_DEPTH), width: known.load(ordering: .relaxed) & 0xff, body)
    }
  #endif
}

/// Copies a secret, which passes through one register; that is zero at the end. The two may not overlap.
@inline(never)
package func copySecret(
  from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, byteCount: Int
) {
  keyboard_copy_secret(target, source, byteCount)
}

/// Copies a password to its place in the caller's memory, as `copySecret` does. If the place does not exist, the
/// process dies before a part of the password is in a register: a core dump and a signal handler's frame have those.
///
/// - Parameter byteCount: 1 … 4,096.
@inline(never)
package func placePassword(_ password: UnsafeRawPointer, at place: UnsafeMutableRawPointer, byteCount: Int) {
  keyboard_touch(place, byteCount)
  keyboard_copy_secret(place, password, byteCount)
}
