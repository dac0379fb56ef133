// Pages for secrets, from the system and back to it.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
internal import Synchronization

/// Whole pages of memory that are locked, left out of core dumps, empty in the child of a fork, and guarded:
///
///     ┌────────────┬──────────────────────────────────┬────────────┐
///     │ no access  │  the pages, zero at first        │ no access  │
///     └────────────┴──────────────────────────────────┴────────────┘
///                  ▲ what `map` returns
///
/// The guard pages are certain: without them there is no region. Locking, leaving out of dumps and emptying are best
/// effort, because past the limit on locked memory (`RLIMIT_MEMLOCK`, 8 MB by default) an unlocked keyboard is better
/// than none.
package enum SecureRegion {
  /// Maps `byteCount` bytes, rounded up to pages.
  ///
  /// - Parameter isWhollyUsed: whether all of it will be used at once, so that large pages pay.
  /// - Returns: nil when there is no memory.
  package static func map(byteCount: Int, isWhollyUsed: Bool = false) -> UnsafeMutableRawPointer? {
    let guardSize = keyboard_page_size()
    let inner = rounded(byteCount)
    guard let outer = keyboard_reserve(inner + 2 * guardSize) else { return nil }
    let pages = outer + guardSize
    guard keyboard_commit(pages, inner) != 0 else {
      keyboard_unmap(outer, inner + 2 * guardSize)
      return nil
    }
    if isWhollyUsed { keyboard_use_large_pages(pages, inner) }
    if keyboard_make_secret(pages, inner) == 0 { survivesFork.store(true, ordering: .relaxed) }
    return pages
  }

  private static let survivesFork = Atomic<Bool>(false)

  /// Whether the child of a fork finds zeros in all regions, as it does since Linux 4.14.
  package static var isEmptiedByFork: Bool { !survivesFork.load(ordering: .relaxed) }

  package static func unmap(_ pages: UnsafeMutableRawPointer, byteCount: Int) {
    let guardSize = keyboard_page_size()
    keyboard_unmap(pages - guardSize, rounded(byteCount) + 2 * guardSize)
  }

  static func rounded(_ byteCount: Int) -> Int {
    let pageSize = keyboard_page_size()
    return (byteCount + pageSize - 1) / pageSize * pageSize
  }
}
