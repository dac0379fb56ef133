// How Argon2id fills its memory: which block is made from which two others.
// SPDX-License-Identifier: Apache-2.0

import KeyboardArgon2Block

#if arch(x86_64)
  import KeyboardArgon2AVX2
#endif

/// A matrix of blocks on its way: a row for each lane, in four slices.
///
///               slice 0     slice 1     slice 2     slice 3
///     lane 0  ├─ segment ─┼─ segment ─┼─ segment ─┼─ segment ─┤
///     lane 1  ├─ segment ─┼─ segment ─┼─ segment ─┼─ segment ─┤
///
/// A block is made from the one before it in its lane and from an older one of any lane, but of other lanes only from
/// finished segments. So the order of the lanes within a slice does not matter.
///
/// - Source: RFC 9106 §3.2 and §3.4.
struct Argon2Fill {
  private let memory: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  private let path: VectorPath
  private let passCount, laneCount, segmentLength: Int

  /// y: Argon2id.
  static var type: UInt32 { 2 }

  private static var sliceCount: Int { 4 }
  private static var blockSize: Int { Argon2Block.byteCount }
  /// Random numbers in a block of them.
  private static var numberCount: Int { blockSize / 8 }

  // Four blocks of scratch memory.
  static var scratchSize: Int { 4 * blockSize }
  private var zeros: UnsafeMutableRawPointer { scratch + Self.blockSize }
  private var counters: UnsafeMutableRawPointer { scratch + 2 * Self.blockSize }
  private var numbers: UnsafeMutableRawPointer { scratch + 3 * Self.blockSize }

  init(_ costs: Argon2id, memory: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer, path: VectorPath) {
    self.memory = memory
    self.scratch = scratch
    self.path = path
    passCount = costs.passCount
    laneCount = costs.laneCount
    segmentLength = costs.memorySize / (Self.sliceCount &* costs.laneCount)
  }

  private var laneLength: Int { Self.sliceCount &* segmentLength }

  func block(_ lane: Int, _ column: Int) -> UnsafeMutableRawPointer {
    memory + (lane &* laneLength &+ column) &* Self.blockSize
  }

  /// Makes all blocks but the first two of each lane, which the caller has made.
  @_optimize(size) @inline(never)
  func run() {
    zeros.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * Self.blockSize)  // and the counters
    for pass in 0..<passCount {
      for slice in 0..<Self.sliceCount {
        for lane in 0..<laneCount { fill(Segment(pass: pass, slice: slice, lane: lane)) }
      }
    }
  }

  /// Sums up the last blocks of all lanes, in the first lane's. (§3.2, step 7)
  @_optimize(size) @inline(never)
  func sum() -> UnsafeMutableRawPointer {
    let result = block(0, laneLength &- 1)
    let words = result.assumingMemoryBound(to: UInt64.self)
    for lane in 1..<max(laneCount, 1) {
      let others = block(lane, laneLength &- 1).assumingMemoryBound(to: UInt64.self)
      for i in 0..<Self.numberCount { words[i] ^= others[i] }
    }
    return result
  }

  // MARK: Segments

  private struct Segment {
    let pass, slice, lane: Int
    /// Whether the order of its blocks depends on nothing secret. (§3.4.1.3)
    var isDataIndependent: Bool { pass == 0 && slice < 2 }
  }

  private func fill(_ segment: Segment) {
    let first = segment.pass == 0 && segment.slice == 0 ? 2 : 0
    for index in first..<segmentLength {
      let column = segment.slice &* segmentLength &+ index
      let previous = block(segment.lane, column == 0 ? laneLength &- 1 : column &- 1)
      let number: UInt64
      if segment.isDataIndependent {
        let place = index % Self.numberCount
        if place == 0 || index == first { makeNumbers(segment, index / Self.numberCount) }
        number = numbers.load(fromByteOffset: 8 &* place, as: UInt64.self)
      } else {
        number = previous.load(as: UInt64.self)
      }
      let old = block(segment.lane, column)
      compress(previous, reference(number, segment, index), adding: segment.pass == 0 ? zeros : old, into: old)
    }
  }

  /// The block that a random number names. (§3.4.2)
  private func reference(_ number: UInt64, _ segment: Segment, _ index: Int) -> UnsafeRawPointer {
    let isFirst = segment.pass == 0
    let chosen = Int(truncatingIfNeeded: number &>> 32) % laneCount
    let lane = isFirst && segment.slice == 0 ? segment.lane : chosen
    // How many blocks there are to choose from: the finished segments of the last three or fewer slices, and those of
    // this segment if the lane is its own, but not the block before this one.
    let finished = (isFirst ? segment.slice : Self.sliceCount &- 1) &* segmentLength
    let count = lane == segment.lane ? finished &+ index &- 1 : finished &- (index == 0 ? 1 : 0)
    // Newer blocks are likelier.
    let low = number & 0xffff_ffff
    let squared = (low &* low) &>> 32
    let distance = (UInt64(truncatingIfNeeded: count) &* squared) &>> 32
    let oldest = isFirst ? 0 : (segment.slice &+ 1) % Self.sliceCount &* segmentLength
    return UnsafeRawPointer(block(lane, (oldest &+ count &- 1 &- Int(truncatingIfNeeded: distance)) % laneLength))
  }

  /// Random numbers that depend on nothing but the place and the costs. (§3.4.1.2)
  private func makeNumbers(_ segment: Segment, _ counter: Int) {
    let words = counters.assumingMemoryBound(to: UInt64.self)
    words[0] = UInt64(truncatingIfNeeded: segment.pass)
    words[1] = UInt64(truncatingIfNeeded: segment.lane)
    words[2] = UInt64(truncatingIfNeeded: segment.slice)
    words[3] = UInt64(truncatingIfNeeded: laneCount &* laneLength)
    words[4] = UInt64(truncatingIfNeeded: passCount)
    words[5] = UInt64(Self.type)
    words[6] = UInt64(truncatingIfNeeded: counter &+ 1)
    compress(zeros, counters, adding: zeros, into: numbers)
    compress(zeros, numbers, adding: zeros, into: numbers)
  }

  /// The compression function, and XOR. (§3.5)
  @inline(__always)
  private func compress(
    _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, adding old: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) {
    switch path {
    #if arch(x86_64)
      case .avx2: Argon2AVX2.compress(x, y, adding: old, into: output, scratch: scratch)
    #endif
    default: Self.compressPortably(x, y, adding: old, into: output, scratch: scratch)
    }
  }

  @inline(never)
  private static func compressPortably(
    _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, adding old: UnsafeRawPointer, into output: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    Argon2Block.compress(x, y, adding: old, into: output, scratch: scratch, in: Pair.self)
  }
}
