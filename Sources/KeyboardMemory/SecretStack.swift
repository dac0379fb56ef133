// A stack in locked memory for the time of one computation. A fork by another thread copies that thread's stacks, core
// dumps contain them, and the kernel may swap them out.
// SPDX-License-Identifier: Apache-2.0

#if !arch(wasm32)
  internal import CKeyboardPlatform
  internal import KeyboardCodes
  internal import Synchronization

  /// Runs `body` on the stack that ends at `top`; then zeroes `depth` bytes of that stack and the registers, whose
  /// vectors are `width` bytes wide. In stack.S.
  @_silgen_name("keyboard_on_stack")
  private func keyboard_on_stack(
    _ top: UnsafeMutableRawPointer, _ depth: UInt64, _ width: UInt64, _ body: () -> Void)

  /// A stack for secrets: locked, left out of core dumps, empty in the child of a fork, with a guard below it. Only
  /// touched pages take memory.
  ///
  ///     ├ guard ┼─ stack (grows down) ─┼ mark ┤
  ///
  /// A thread comes back to the same one of a few shared stacks. If all are taken, it maps a stack of its own.
  ///
  /// While a thread is on such a stack, signals wait: the child of a handler that forks would return over an emptied
  /// stack. So no fault of the caller's may happen there either. Arguments are copied before.
  struct SecretStack: ~Copyable {
    private let top: UnsafeMutableRawPointer
    private let isShared: Bool

    private static var sharedCount: Int { Int(KEYBOARD_SECRET_STACKS) }
    private static var size: Int { SecureRegion.rounded(Int(KEYBOARD_SECRET_STACK_SIZE)) }
    private static var guardSize: Int { SecureRegion.rounded(Int(KEYBOARD_SECRET_STACK_GUARD)) }
    private static var stride: Int { size + guardSize }
    private static var markSize: Int { 64 }
    private static let region = Atomic<UInt>(0)

    /// - Throws: `.memory`.
    init() throws(KeyboardError) {
      if let shared = Self.claimShared() {
        top = shared
        isShared = true
      } else {
        guard let own = Self.map(count: 1) else { throw .memory }
        keyboard_lock_touched_pages(own, Self.size)
        top = own + Self.size - Self.markSize
        isShared = false
      }
    }

    deinit {
      if isShared {
        Self.mark(top).giveBack()
      } else {
        Self.unmap(top + Self.markSize - Self.size, count: 1)
      }
    }

    borrowing func run(depth: UInt64, width: UInt64, _ body: () -> Void) { keyboard_on_stack(top, depth, width, body) }

    private static func mark(_ top: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
      top.assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    // MARK: Shared stacks

    private static func claimShared() -> UnsafeMutableRawPointer? {
      guard let first = UnsafeMutableRawPointer(bitPattern: region.load(ordering: .acquiring)) ?? makeShared()
      else { return nil }
      let preferred = Workspace.preferredPlace(of: sharedCount)
      for attempt in 0..<sharedCount {
        let stack = first + (preferred + attempt) % sharedCount * stride
        let top = stack + size - markSize
        if mark(top).claim({ keyboard_lock_touched_pages(stack, size) }) { return top }
      }
      return nil
    }

    @inline(never)
    private static func makeShared() -> UnsafeMutableRawPointer? {
      guard let made = map(count: sharedCount) else { return nil }
      let (exchanged, original) = region.compareExchange(
        expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
      if exchanged { return made }
      unmap(made, count: sharedCount)
      return UnsafeMutableRawPointer(bitPattern: original)
    }

    // MARK: Mapping

    /// - Returns: the first stack's lowest byte, above its guard. Another guard follows the last stack.
    private static func map(count: Int) -> UnsafeMutableRawPointer? {
      guard let outer = keyboard_reserve(count * stride + guardSize) else { return nil }
      for i in 0..<count {
        let stack = outer + guardSize + i * stride
        guard keyboard_commit(stack, size) != 0 else {
          keyboard_unmap(outer, count * stride + guardSize)
          return nil
        }
        _ = keyboard_keep_private(stack, size)
      }
      return outer + guardSize
    }

    private static func unmap(_ first: UnsafeMutableRawPointer, count: Int) {
      keyboard_unmap(first - guardSize, count * stride + guardSize)
    }
  }
#endif
