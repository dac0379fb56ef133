// What a computation on secrets leaves behind where no variable points: its stack frames and the vector registers, which
// the dynamic linker and libc save to the stack sooner or later.

internal import CKeyboardMbedTLS
internal import Synchronization

/// Removes what the functions that the caller has called have left.
public enum Traces {
  private static let vectorWidth = keyboard_vector_width()
  private static let isBound = Atomic<Bool>(false)

  /// Sees to it that the dynamic linker has nothing left to do while registers hold secrets: it would save them to the
  /// stack. To be called before the first secret is touched; costs something the first time only.
  @inline(__always)
  public static func bind() {
    guard !isBound.load(ordering: .acquiring) else { return }
    keyboard_bind()
    isBound.store(true, ordering: .releasing)
  }

  /// How much of the stack was used.
  public enum Depth: Sendable {
    /// What calls need for themselves, secrets being in registers.
    case slight
    /// A key schedule and a few blocks.
    case shallow
    /// Anything.
    case deep
  }

  /// Zeroes the stack below the caller, and the vector registers (on arm64, all that a call may change).
  ///
  /// To be called from a function that holds no secret itself, right after the one that did.
  @inline(__always)
  public static func wipe(_ depth: Depth) {
    switch depth {
    case .slight: return wipeFramesAndRegisters()
    case .shallow: keyboard_wipe_stack()
    case .deep: keyboard_wipe_deep_stack()
    }
    wipeRegisters()
  }

  @inline(never)
  static func wipeFramesAndRegisters() { keyboard_wipe_frames_and_vectors(vectorWidth) }

  /// Zeroes the vector registers: for a caller whose stack is clean.
  @inline(never)
  public static func wipeRegisters() { keyboard_wipe_vectors(vectorWidth) }
}

/// Zeroes memory even if nobody reads it again.
public func wipe(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
  keyboard_wipe(memory, byteCount)
}
