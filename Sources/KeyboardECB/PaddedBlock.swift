// The last block of a text in a vector register: all its bytes are checked together, whatever they are.
// SPDX-License-Identifier: Apache-2.0
//
// With LLVM's operators: the standard library's become loops where code is optimised for size.

import Builtin

/// A block that ends in padding, perhaps.
///
/// - Timing: constant; no branch and no address depends on the bytes, and only `isPadded` and `paddingCount` leave the
///   register.
/// - Source: RFC 5652 §6.3.
struct PaddedBlock {
  private let bytes: Builtin.Vec16xInt8
  /// All ones in each byte that the last one says is padding.
  private let isPadding: Builtin.Vec16xInt8
  /// The value of the last byte: how many bytes of padding there should be.
  let paddingCount: Int
  /// Whether the padding is right: its count is at least 1 and at most a block, and every byte of it has that value.
  let isPadded: Bool

  /// - Parameters:
  ///   - end: what follows the block.
  ///   - blockSize: 8 or 16. The eight bytes of the smaller one are in the upper half.
  @inline(__always)
  init(endingAt end: UnsafeRawPointer, blockSize: Int) {
    let words =
      blockSize == 16
      ? (end - 16).loadUnaligned(as: SIMD2<UInt64>.self) : SIMD2(0, (end - 8).loadUnaligned(as: UInt64.self))
    bytes = Builtin.bitcast_Vec2xInt64_Vec16xInt8(words._storage._value)
    let last = (end - 1).load(as: UInt8.self)
    let count = SIMD16<UInt8>(repeating: last)._storage._value
    let places = SIMD16<UInt8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)._storage._value
    let limit = SIMD16<UInt8>(repeating: 15)._storage._value

    let isInPadding = Builtin.cmp_sgt_Vec16xInt8(Builtin.add_Vec16xInt8(places, count), limit)
    isPadding = Builtin.sext_Vec16xInt1_Vec16xInt8(isInPadding)
    let fault = Builtin.and_Vec16xInt8(Builtin.xor_Vec16xInt8(bytes, count), isPadding)
    let isFault = Builtin.cmp_ne_Vec16xInt8(fault, SIMD16<UInt8>()._storage._value)
    let faults = UInt32(UInt16(Builtin.bitcast_Vec16xInt1_Int16(isFault)))
    let isWrong = (UInt32(last) &- 1) >> (blockSize == 16 ? 4 : 3)  // 0, or more than a block
    isPadded = faults | isWrong == 0
    paddingCount = Int(last)
  }

  /// Stores the text without its padding, where a whole block of 16 bytes has room; the other bytes stay as they are.
  @inline(__always)
  func store(to target: UnsafeMutableRawPointer) {
    let old = Builtin.bitcast_Vec2xInt64_Vec16xInt8(target.loadUnaligned(as: SIMD2<UInt64>.self)._storage._value)
    let difference = Builtin.xor_Vec16xInt8(old, bytes)
    let new = Builtin.xor_Vec16xInt8(bytes, Builtin.and_Vec16xInt8(difference, isPadding))
    var words = SIMD2<UInt64>()
    words._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(new)
    target.storeBytes(of: words, as: SIMD2<UInt64>.self)
  }

  /// Overwrites the bytes from `byteCount` on with padding. As a whole, because the cipher reads it as a whole: a
  /// processor has to wait for a block that was just written in parts.
  ///
  /// - Parameters:
  ///   - byteCount: 0 … `blockSize` − 1.
  ///   - blockSize: 8 or 16.
  /// - Timing: constant.
  @inline(__always)
  static func pad(_ block: UnsafeMutableRawPointer, byteCount: Int, blockSize: Int) {
    let padding = UInt8(truncatingIfNeeded: blockSize &- byteCount)
    guard blockSize == 16 else {
      let all = ~UInt64(0) << (8 &* UInt64(truncatingIfNeeded: byteCount))
      let word = UInt64(littleEndian: block.loadUnaligned(as: UInt64.self))
      let paddings = UInt64(padding) &* 0x0101_0101_0101_0101
      return block.storeBytes(of: ((word & ~all) | (paddings & all)).littleEndian, as: UInt64.self)
    }
    let places = SIMD16<UInt8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)._storage._value
    let last = SIMD16<UInt8>(repeating: UInt8(truncatingIfNeeded: byteCount) &- 1)._storage._value
    let mask = Builtin.sext_Vec16xInt1_Vec16xInt8(Builtin.cmp_sgt_Vec16xInt8(places, last))
    let paddings = SIMD16<UInt8>(repeating: padding)._storage._value
    let bytes = Builtin.bitcast_Vec2xInt64_Vec16xInt8(block.loadUnaligned(as: SIMD2<UInt64>.self)._storage._value)
    let difference = Builtin.and_Vec16xInt8(Builtin.xor_Vec16xInt8(bytes, paddings), mask)
    var words = SIMD2<UInt64>()
    words._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(Builtin.xor_Vec16xInt8(bytes, difference))
    block.storeBytes(of: words, as: SIMD2<UInt64>.self)
  }
}
