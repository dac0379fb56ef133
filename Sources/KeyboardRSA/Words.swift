// Words of long numbers, and how their carries go from word to word without a branch. WebAssembly has no product of 128
// bits: there a word has half as many bits. In memory the numbers are the same, because every system is little-endian.
//
// A carry is never a Bool, and a mask is made with a 1 that the optimiser cannot see: see KeyboardCurves, Limbs.swift.
//
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

#if arch(x86_64)
  import Builtin
#endif

#if arch(wasm32)
  typealias Word = UInt32
  typealias SignedWord = Int32
  typealias DoubleWord = UInt64
#else
  typealias Word = UInt64
  typealias SignedWord = Int64
  typealias DoubleWord = UInt128
#endif
typealias Words = UnsafeMutablePointer<Word>

@inline(always) func wide(_ x: Word) -> DoubleWord { DoubleWord(truncatingIfNeeded: x) }
@inline(always) func low(_ x: DoubleWord) -> Word { Word(truncatingIfNeeded: x) }
@inline(always) func high(_ x: DoubleWord) -> Word {
  Word(truncatingIfNeeded: x &>> DoubleWord(truncatingIfNeeded: Word.bitWidth))
}

#if arch(x86_64)
  /// 0 or 1. Eight bits, as the processor's instructions want it.
  typealias Carry = UInt8

  /// x + y + carry
  @inline(always) func adc(_ x: Word, _ y: Word, _ carry: inout Carry) -> Word {
    let (out, sum) = Builtin.int_x86_addcarry_64(carry._value, x._value, y._value)
    carry = Carry(out)
    return Word(sum)
  }

  /// x - y - borrow
  @inline(always) func sbb(_ x: Word, _ y: Word, _ borrow: inout Carry) -> Word {
    let (out, difference) = Builtin.int_x86_subborrow_64(borrow._value, x._value, y._value)
    borrow = Carry(out)
    return Word(difference)
  }
#else
  /// 0 or 1.
  typealias Carry = Word

  /// x + y + carry
  @inline(always) func adc(_ x: Word, _ y: Word, _ carry: inout Carry) -> Word {
    let sum = wide(x) &+ wide(y) &+ wide(carry)
    carry = high(sum)
    return low(sum)
  }

  /// x - y - borrow
  @inline(always) func sbb(_ x: Word, _ y: Word, _ borrow: inout Carry) -> Word {
    let difference = wide(x) &- wide(y) &- wide(borrow)
    borrow = high(difference) & 1
    return low(difference)
  }
#endif

@inline(always) func word(_ carry: Carry) -> Word { Word(truncatingIfNeeded: carry) }

/// Where bit `index` of a number is: in which word, and where in it. (A division, even by a power of two, would be one
/// instruction in code that is compiled for size, and take a time that depends on the numbers.)
@inline(always) func place(ofBit index: Int) -> (word: Int, bit: Word) {
  (index &>> Word.bitWidth.trailingZeroBitCount, Word(truncatingIfNeeded: index & (Word.bitWidth &- 1)))
}

// MARK: - Masks

/// 1, in a way that the optimiser cannot see. Each operation asks for it once.
@inline(always) func opaqueOne() -> Word { Word(truncatingIfNeeded: keyboard_one()) }

/// All ones where `x` is 0.
@inline(always) func maskIfZero(_ x: Word, _ one: Word) -> Word {
  ((x | (0 &- x)) &>> Word(truncatingIfNeeded: Word.bitWidth - 1)) &- one
}
