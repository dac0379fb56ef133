// The hashes SHA3-256 and SHA3-512, and SHAKE128 and SHAKE256, whose output may have any length: FIPS 202.
//
// Everything works on the caller's memory, as for SM3. The state's bytes are in memory as the standard numbers them,
// which is how the words of little-endian processors are; others are not supported.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardKeccakRounds

/// A computation of SHA-3 or SHAKE: a view of memory that belongs to the caller, who wipes it.
///
///     0       200     400        408
///     ├ state ┼ spare ┼ function ┼ position ┤
///
/// Its use: `begin`, `absorb` for each part of the message, `finish`.
///
/// - Timing: depends on the lengths of the parts and of the output only; no branch and no address depends on a byte of
///   them.
/// - Source: FIPS 202.
package struct SHA3 {
  package enum Function: UInt8, Sendable {
    case sha3_256 = 1
    case sha3_512, shake128, shake256

    /// r / 8: bytes of a block. (FIPS 202 §6)
    package var rate: Int {
      switch self {
      case .sha3_256, .shake256: 136
      case .sha3_512: 72
      case .shake128: 168
      }
    }

    /// What follows the message: 01 or 1111, and the first bit of the padding. (FIPS 202 §6.1, §6.2, §5.1)
    var suffix: UInt8 {
      switch self {
      case .sha3_256, .sha3_512: 0x06
      case .shake128, .shake256: 0x1f
      }
    }

    /// The last bit of the padding, in the last byte of a block.
    static var end: UInt8 { 0x80 }
  }

  /// Bytes of memory that a computation takes: 416.
  package static var byteCount: Int { positionOffset + MemoryLayout<Int>.size }

  static var stateSize: Int { KeccakRounds.laneCount &* MemoryLayout<UInt64>.size }
  private static var functionOffset: Int { 2 * stateSize }
  private static var positionOffset: Int { functionOffset + 8 }

  private let memory: UnsafeMutableRawPointer

  /// Views memory as a computation. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8. They must exist for as long as this is used.
  package init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var function: Function {
    // A fork may have emptied the memory. Then the result means nothing, but `position` must be below the rate.
    get { Function(rawValue: memory.load(fromByteOffset: Self.functionOffset, as: UInt8.self)) ?? .shake128 }
    nonmutating set { memory.storeBytes(of: newValue.rawValue, toByteOffset: Self.functionOffset, as: UInt8.self) }
  }

  /// Bytes of the started block.
  private var position: Int {
    get { memory.load(fromByteOffset: Self.positionOffset, as: Int.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.positionOffset, as: Int.self) }
  }

  /// Begins with an empty message, whatever the memory holds.
  ///
  /// - Timing: constant.
  @_optimize(size) @inline(never)
  package func begin(_ function: Function) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.stateSize)
    self.function = function
    position = 0
  }

  /// Appends a part to the message.
  ///
  /// - Parameter part: any number of bytes at any address, outside the computation's memory.
  /// - Timing: depends on the lengths of this part and of those before it.
  /// - Source: FIPS 202 §4.
  @_optimize(size) @inline(never)
  package func absorb(_ part: UnsafeRawBufferPointer) {
    guard var place = part.baseAddress else { return }
    let rate = function.rate
    var rest = part.count
    while rest > 0 {
      let count = min(rest, rate &- position)
      add(place, count)
      place += count
      rest &-= count
      position &+= count
      if position == rate {
        permute()
        position = 0
      }
    }
  }

  /// Writes the digest, or the beginning of SHAKE's output. `begin` starts another message.
  ///
  /// - Parameters:
  ///   - digest: any address outside the computation's memory.
  ///   - byteCount: 32 for SHA3-256, 64 for SHA3-512, any number for SHAKE.
  /// - Timing: depends on the message's length and on `byteCount`.
  /// - Source: FIPS 202 §4, §5.1.
  @_optimize(size) @inline(never)
  package func finish(into digest: UnsafeMutableRawPointer, byteCount: Int) {
    let (function, state) = (function, memory.assumingMemoryBound(to: UInt8.self))
    let rate = function.rate
    state[position] ^= function.suffix
    state[rate &- 1] ^= Function.end
    var (place, rest) = (digest, byteCount)
    while rest > 0 {
      permute()
      let count = min(rest, rate)
      place.copyMemory(from: memory, byteCount: count)
      place += count
      rest &-= count
    }
  }

  /// Adds bytes to the started block, at most as many as it still takes.
  @inline(__always)
  private func add(_ bytes: UnsafeRawPointer, _ count: Int) {
    let target = memory + position
    var offset = 0
    while offset &+ 8 <= count {
      let sum =
        target.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      target.storeBytes(of: sum, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < count {
      let sum = target.load(fromByteOffset: offset, as: UInt8.self) ^ bytes.load(fromByteOffset: offset, as: UInt8.self)
      target.storeBytes(of: sum, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }

  @inline(__always)
  private func permute() { Self.permute(memory, spare: memory + Self.stateSize) }

  /// Keccak-f[1600] on one state.
  @inline(never)
  static func permute(_ state: UnsafeMutableRawPointer, spare: UnsafeMutableRawPointer) {
    KeccakRounds.permute(state, spare: spare, in: OneLane.self)
  }
}
