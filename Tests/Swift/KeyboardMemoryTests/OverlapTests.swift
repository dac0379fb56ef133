// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardMemory

/// By the definition, for ranges in few bytes; and the same at the end of memory, where sums would wrap.
@Test(arguments: [0, 0x1000, UInt.max - 15])
func buffersOverlapWhereAByteIsInBoth(first: UInt) throws {
  func buffer(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
    let place = UnsafeRawPointer(bitPattern: first &+ UInt(start) &+ 1)
    return UnsafeRawBufferPointer(start: place, count: count)
  }
  for start in 0..<8 {
    for count in 0..<6 {
      for other in 0..<8 {
        for otherCount in 0..<6 {
          let isInBoth = (start..<start + count).contains { (other..<other + otherCount).contains($0) }
          let found = buffer(start, count).overlaps(buffer(other, otherCount))
          if found != isInBoth { try #require(found == isInBoth, "\(start), \(count); \(other), \(otherCount)") }
        }
      }
    }
  }
}

@Test func theLargestBuffersOverlap() {
  let start = UnsafeRawPointer(bitPattern: UInt(1))
  let whole = UnsafeRawBufferPointer(start: start, count: .max)
  let last = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(Int.max)), count: 1)
  let behind = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(Int.max) + 1), count: .max)
  #expect(whole.overlaps(whole) && whole.overlaps(last) && last.overlaps(whole))
  #expect(!whole.overlaps(behind) && !behind.overlaps(whole))
}
