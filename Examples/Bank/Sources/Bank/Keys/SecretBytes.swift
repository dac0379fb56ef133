// Memory for the bank's keys: locked, left out of core dumps, and wiped when it is released.
// SPDX-License-Identifier: Apache-2.0

import Glibc

final class SecretBytes: @unchecked Sendable {
  // Nobody writes after `init`, so that all threads may read.
  private let memory: UnsafeMutableRawBufferPointer

  /// - Parameter fill: writes all bytes. If it throws, they are wiped like any other.
  init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { throw Failure("There is no memory for the keys.") }
    memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    guard mlock(start, count) == 0 else {
      throw Failure("The keys cannot be locked in memory: allow some with `ulimit -l`.")
    }
    madvise(start, count, MADV_DONTDUMP)
    try fill(memory)
  }

  deinit {
    wipe(memory)
    munmap(memory.baseAddress, memory.count)
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
}

/// Zeroes memory, also if nobody reads it any more.
func wipe(_ memory: UnsafeMutableRawBufferPointer) { explicit_bzero(memory.baseAddress!, memory.count) }
