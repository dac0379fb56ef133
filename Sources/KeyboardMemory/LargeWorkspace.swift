// Megabytes of memory for the time of one call: Argon2id's.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes

/// A secure region of its own, wiped and given back when it ends.
///
/// It is locked as a whole or not at all: past the limit on locked memory (`RLIMIT_MEMLOCK`, often 8 MB), locking a
/// part would use up what keyboards need.
///
///     0      64
///     ├ mark ┼─ memory (`byteCount`) ─┤
@usableFromInline
package struct LargeWorkspace: ~Copyable {
  /// `byteCount` bytes at a multiple of 64, zero at first.
  package let memory: UnsafeMutableRawPointer
  private let byteCount: Int

  private static var headerSize: Int { 64 }
  private static var inUse: Int { 1 }

  /// - Throws: `.memory`.
  package init(byteCount: Int) throws(KeyboardError) {
    guard let base = SecureRegion.map(byteCount: Self.headerSize + byteCount, isWhollyUsed: true) else { throw .memory }
    base.storeBytes(of: Self.inUse, as: Int.self)
    memory = base + Self.headerSize
    self.byteCount = byteCount
  }

  /// Inlinable, because Embedded Swift needs the body in every module where a workspace ends.
  @inlinable
  deinit { giveBack() }

  @inline(never) @usableFromInline
  func giveBack() {
    keyboard_wipe(memory, byteCount)
    SecureRegion.unmap(base, byteCount: Self.headerSize + byteCount)
  }

  private var base: UnsafeMutableRawPointer { memory - Self.headerSize }

  /// Whether a fork has emptied the memory. This is then the child, and what was computed in it means nothing.
  package var wasEmptied: Bool { keyboard_read_again(base) != Self.inUse }
}
