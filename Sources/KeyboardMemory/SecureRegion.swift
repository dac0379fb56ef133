// Pages for secrets, from the system and back to it.

internal import CKeyboardMbedTLS
internal import Synchronization

/// Whole pages of memory that are locked, left out of core dumps, empty in the child of a fork, and guarded:
///
///     ┌────────────┬──────────────────────────────────┬────────────┐
///     │ no access  │  the pages, zero at first        │ no access  │
///     └────────────┴──────────────────────────────────┴────────────┘
///                  ▲ what `map` returns
///
/// Locking, and the two advices, are best effort: where the limit on locked memory (`RLIMIT_MEMLOCK`, 8 MB by default) is
/// reached, a keyboard that works is worth more than none. The guards are not: without them there is no region.
enum SecureRegion {
  static var pageSize: Int { Int(getpagesize()) }

  /// Maps `byteCount` bytes rounded up to pages.
  ///
  /// - Returns: nil when there is no memory.
  static func map(byteCount: Int) -> UnsafeMutableRawPointer? {
    let guardSize = pageSize
    let inner = rounded(byteCount)
    guard let outer = anonymous(byteCount: inner + 2 * guardSize, access: PROT_NONE) else { return nil }
    let pages = outer + guardSize
    guard mprotect(pages, inner, PROT_READ | PROT_WRITE) == 0 else {
      munmap(outer, inner + 2 * guardSize)
      return nil
    }
    _ = mlock(pages, inner)
    #if os(Linux) || os(none)
      _ = madvise(pages, inner, MADV_DONTDUMP)
      let isEmptiedByFork = madvise(pages, inner, MADV_WIPEONFORK) == 0
    #else
      let isEmptiedByFork = minherit(pages, inner, VM_INHERIT_ZERO) == 0
    #endif
    if !isEmptiedByFork { survivesFork.store(true, ordering: .relaxed) }
    return pages
  }

  private static let survivesFork = Atomic<Bool>(false)

  /// Whether the child of a fork finds zeros in all regions: Linux does that since 4.14.
  static var isEmptiedByFork: Bool { !survivesFork.load(ordering: .relaxed) }

  static func unmap(_ pages: UnsafeMutableRawPointer, byteCount: Int) {
    munmap(pages - pageSize, rounded(byteCount) + 2 * pageSize)
  }

  /// Zeroed memory straight from the system, for what is no secret and is never given back.
  static func anonymous(byteCount: Int, access: Int32 = PROT_READ | PROT_WRITE) -> UnsafeMutableRawPointer? {
    let memory = mmap(nil, byteCount, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return memory == UnsafeMutableRawPointer(bitPattern: -1) ? nil : memory
  }

  private static func rounded(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) / pageSize * pageSize }
}
