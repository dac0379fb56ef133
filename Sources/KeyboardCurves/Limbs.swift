// Numbers of 256 bits in four words, and how their carries go from word to word without a branch.
//
// A carry is never a Bool: LLVM turns a Bool that it knows into a jump. On x86-64 the carry stays in the processor's
// flag, by the compiler's own ADC and SBB; on arm64 it is the upper half of a 128-bit sum; WebAssembly has a file of
// its own (Limbs+Halves.swift). Modulus.swift and Field25519.swift know WebAssembly, too: there they call what is
// small.
//
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

#if arch(x86_64)
  import Builtin
#endif

// MARK: - Words

#if !arch(wasm32)
  @inline(always) func wide(_ x: UInt64) -> UInt128 { UInt128(truncatingIfNeeded: x) }
  @inline(always) func low(_ x: UInt128) -> UInt64 { UInt64(truncatingIfNeeded: x) }
  @inline(always) func high(_ x: UInt128) -> UInt64 { UInt64(truncatingIfNeeded: x &>> 64) }

  /// The low half of `sum` + `x`·`y` + `carry`; the high half becomes the new carry. Never overflows.
  @inline(always) func mac(_ sum: UInt64, _ x: UInt64, _ y: UInt64, _ carry: inout UInt64) -> UInt64 {
    let result = wide(x) &* wide(y) &+ wide(sum) &+ wide(carry)
    carry = high(result)
    return low(result)
  }

  /// The low half of `x`·`y` + `carry`; the high half becomes the new carry.
  @inline(always) func mul(_ x: UInt64, _ y: UInt64, _ carry: inout UInt64) -> UInt64 {
    let result = wide(x) &* wide(y) &+ wide(carry)
    carry = high(result)
    return low(result)
  }
#endif

#if arch(x86_64)
  /// 0 or 1. Eight bits, as the processor's instructions want it.
  typealias Carry = UInt8

  /// x + y + carry
  @inline(always) func adc(_ x: UInt64, _ y: UInt64, _ carry: inout Carry) -> UInt64 {
    let (out, sum) = Builtin.int_x86_addcarry_64(carry._value, x._value, y._value)
    carry = Carry(out)
    return UInt64(sum)
  }

  /// x - y - borrow
  @inline(always) func sbb(_ x: UInt64, _ y: UInt64, _ borrow: inout Carry) -> UInt64 {
    let (out, difference) = Builtin.int_x86_subborrow_64(borrow._value, x._value, y._value)
    borrow = Carry(out)
    return UInt64(difference)
  }
#elseif !arch(wasm32)
  /// 0 or 1.
  typealias Carry = UInt64

  /// x + y + carry
  @inline(always) func adc(_ x: UInt64, _ y: UInt64, _ carry: inout Carry) -> UInt64 {
    let sum = wide(x) &+ wide(y) &+ wide(carry)
    carry = high(sum)
    return low(sum)
  }

  /// x - y - borrow
  @inline(always) func sbb(_ x: UInt64, _ y: UInt64, _ borrow: inout Carry) -> UInt64 {
    let difference = wide(x) &- wide(y) &- wide(borrow)
    borrow = high(difference) & 1
    return low(difference)
  }
#endif

@inline(always) func word(_ carry: Carry) -> UInt64 { UInt64(truncatingIfNeeded: carry) }

// MARK: - Masks

/// 1, in a way that the optimiser cannot see.
///
/// A mask is all ones or zero. Where LLVM can prove that, it makes a choice of the mask, and of `x & mask` a jump or a
/// choice between two addresses. A mask that was made with this 1 stays arithmetic. Each operation asks for it once.
@inline(always) func opaqueOne() -> UInt64 { UInt64(bitPattern: Int64(keyboard_one())) }

/// All ones where `carry` is 1.
@inline(always) func mask(_ carry: Carry) -> UInt64 { 0 &- word(carry) }

/// All ones where `x` is 0.
@inline(always) func maskIfZero(_ x: UInt64, _ one: UInt64) -> UInt64 { ((x | (0 &- x)) &>> 63) &- one }

/// All ones where the lowest bit of `x` is 0.
@inline(always) func maskIfEven(_ x: UInt64, _ one: UInt64) -> UInt64 { (x & one) &- one }

/// `x` where the mask is all ones, `y` where it is 0.
@inline(always) func choose(_ mask: UInt64, _ x: UInt64, _ y: UInt64) -> UInt64 { y ^ (mask & (x ^ y)) }

// MARK: - Four words

/// A number below 2²⁵⁶; `w0` is the least significant word.
struct Limbs {
  var w0, w1, w2, w3: UInt64

  @inline(always) init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
    self.w0 = w0
    self.w1 = w1
    self.w2 = w2
    self.w3 = w3
  }

  @inline(always) static var zero: Limbs { Limbs(0, 0, 0, 0) }

  /// x + y + carry
  #if arch(wasm32)
    @inline(never)
  #else
    @inline(always)
  #endif
  static func sum(_ x: Limbs, _ y: Limbs, _ carry: inout Carry) -> Limbs {
    let w0 = adc(x.w0, y.w0, &carry)
    let w1 = adc(x.w1, y.w1, &carry)
    let w2 = adc(x.w2, y.w2, &carry)
    return Limbs(w0, w1, w2, adc(x.w3, y.w3, &carry))
  }

  /// x - y - borrow
  #if arch(wasm32)
    @inline(never)
  #else
    @inline(always)
  #endif
  static func difference(_ x: Limbs, _ y: Limbs, _ borrow: inout Carry) -> Limbs {
    let w0 = sbb(x.w0, y.w0, &borrow)
    let w1 = sbb(x.w1, y.w1, &borrow)
    let w2 = sbb(x.w2, y.w2, &borrow)
    return Limbs(w0, w1, w2, sbb(x.w3, y.w3, &borrow))
  }

  @inline(always) static func & (x: Limbs, mask: UInt64) -> Limbs {
    Limbs(x.w0 & mask, x.w1 & mask, x.w2 & mask, x.w3 & mask)
  }

  @inline(always) static func ^ (x: Limbs, y: Limbs) -> Limbs {
    Limbs(x.w0 ^ y.w0, x.w1 ^ y.w1, x.w2 ^ y.w2, x.w3 ^ y.w3)
  }

  /// `x` where the mask is all ones, `y` where it is 0.
  @inline(always) static func choose(_ mask: UInt64, _ x: Limbs, _ y: Limbs) -> Limbs { y ^ ((x ^ y) & mask) }

  /// Exchanges `x` and `y` where the mask is all ones.
  @inline(always) static func exchange(_ mask: UInt64, _ x: inout Limbs, _ y: inout Limbs) {
    let difference = (x ^ y) & mask
    x = x ^ difference
    y = y ^ difference
  }

  /// 0 only where all words are 0.
  @inline(always) var joined: UInt64 { w0 | w1 | w2 | w3 }

  /// All ones where the number is below `limit`.
  @inline(always) func isBelow(_ limit: Limbs) -> UInt64 {
    var borrow: Carry = 0
    _ = Limbs.difference(self, limit, &borrow)
    return mask(borrow)
  }

  /// The number shifted right by one bit; `top` becomes bit 255.
  @inline(always) func halved(top: UInt64) -> Limbs {
    Limbs(
      (w0 &>> 1) | (w1 &<< 63), (w1 &>> 1) | (w2 &<< 63), (w2 &>> 1) | (w3 &<< 63), (w3 &>> 1) | (top &<< 63))
  }

  /// Word `index` (0…3, public).
  @inline(always) subscript(index: Int) -> UInt64 { index == 0 ? w0 : index == 1 ? w1 : index == 2 ? w2 : w3 }
}

// MARK: - Bytes

extension Limbs {
  /// Reads 32 bytes at any address, the least significant first.
  @inline(always) init(littleEndian bytes: UnsafeRawPointer) {
    @inline(always) func load(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    self.init(load(0), load(8), load(16), load(24))
  }

  /// Reads 32 bytes at any address, the most significant first.
  @inline(always) init(bigEndian bytes: UnsafeRawPointer) {
    @inline(always) func load(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    self.init(load(24), load(16), load(8), load(0))
  }

  /// Writes 32 bytes to any address, the least significant first.
  @inline(always) func store(littleEndian bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: w0.littleEndian, toByteOffset: 0, as: UInt64.self)
    bytes.storeBytes(of: w1.littleEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: w2.littleEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: w3.littleEndian, toByteOffset: 24, as: UInt64.self)
  }

  /// Writes 32 bytes to any address, the most significant first.
  @inline(always) func store(bigEndian bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: w3.bigEndian, toByteOffset: 0, as: UInt64.self)
    bytes.storeBytes(of: w2.bigEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: w1.bigEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: w0.bigEndian, toByteOffset: 24, as: UInt64.self)
  }
}
