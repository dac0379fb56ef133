// Four computations of SHAKE at the same time, for messages of one block that begin alike: what ML-KEM draws its
// polynomials from.
// SPDX-License-Identifier: Apache-2.0

import KeyboardKeccakRounds

#if arch(x86_64)
  import KeyboardKeccakAVX2
#endif

/// Four computations of SHAKE: a view of memory that belongs to the caller, who wipes it.
///
///     0                                             800     1600
///     ├ lane 0 of all four, lane 1 of all four, … ──┼ spare ┤
///
/// Its use: `begin`; then, for each block of the outputs, `permute` and `copyBlock`.
///
/// - Timing: constant; no branch and no address depends on a byte of the messages.
package struct FourSHAKEs {
  package static var count: Int { 4 }
  /// Bytes in the beginning of a message, which all four share: 32.
  package static var prefixSize: Int { 32 }

  /// Bytes of memory that the computations take: 1600.
  package static var byteCount: Int { 2 * statesSize }

  private static var statesSize: Int { count &* SHA3.stateSize }
  /// From one lane of a state to the next.
  private static var stride: Int { count &* MemoryLayout<UInt64>.size }

  private let memory: UnsafeMutableRawPointer
  private let path: VectorPath

  /// Views memory as computations. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8, or better to 32. They must exist for as long as this is used.
  package init(at memory: UnsafeMutableRawPointer, on path: VectorPath) {
    (self.memory, self.path) = (memory, path)
  }

  /// Takes the messages: the prefix, and behind it the first bytes of each tail.
  ///
  /// - Parameters:
  ///   - function: `shake128` or `shake256`.
  ///   - prefix: 32 bytes at any address, outside the computations' memory.
  ///   - tails: a number for each message, its lowest byte first; `tailSize` bytes of it are not zero.
  ///   - tailSize: 0 … 7.
  @_optimize(size) @inline(never)
  package func begin(
    _ function: SHA3.Function, _ prefix: UnsafeRawPointer, tails: SIMD4<UInt64>, tailSize: UInt64
  ) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.statesSize)
    let tailLane = Self.prefixSize / 8
    let lastLane = function.rate / 8 &- 1
    let suffix = UInt64(function.suffix) &<< (8 &* tailSize)
    let end = UInt64(SHA3.Function.end) &<< 56
    for lane in 0..<tailLane {
      store(SIMD4(repeating: prefix.loadUnaligned(fromByteOffset: 8 &* lane, as: UInt64.self)), lane)
    }
    store(tails ^ SIMD4(repeating: suffix), tailLane)
    store(SIMD4(repeating: end), lastLane)
  }

  @inline(__always)
  private func store(_ words: SIMD4<UInt64>, _ lane: Int) {
    (memory + lane &* Self.stride).storeBytes(of: words, as: SIMD4<UInt64>.self)
  }

  /// Makes the next blocks of the first `used` computations. The others' may change or not.
  package func permute(_ used: Int) {
    switch path {
    #if arch(x86_64)
      case .avx2: KeccakAVX2.permute(memory, spare: memory + Self.statesSize)
    #endif
    default: permutePortably(used)
    }
  }

  @_optimize(size) @inline(never)
  private func permutePortably(_ used: Int) {
    let (state, spare) = (memory + Self.statesSize, memory + Self.statesSize + SHA3.stateSize)
    for index in 0..<used {
      copyBlock(index, into: state, byteCount: SHA3.stateSize)
      SHA3.permute(state, spare: spare)
      var offset = 0
      while offset < SHA3.stateSize {
        let word = state.load(fromByteOffset: offset, as: UInt64.self)
        memory.storeBytes(of: word, toByteOffset: Self.count &* offset &+ 8 &* index, as: UInt64.self)
        offset &+= 8
      }
    }
  }

  /// Copies the beginning of a block.
  ///
  /// - Parameters:
  ///   - index: whose: 0 … 3.
  ///   - byteCount: a multiple of 8, at most the function's rate.
  @_optimize(size) @inline(never)
  package func copyBlock(_ index: Int, into output: UnsafeMutableRawPointer, byteCount: Int) {
    var offset = 0
    while offset < byteCount {
      let word = memory.load(fromByteOffset: Self.count &* offset &+ 8 &* index, as: UInt64.self)
      output.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
  }
}
