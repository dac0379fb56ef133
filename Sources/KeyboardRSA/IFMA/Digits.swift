// Long numbers in digits of 52 bits, one digit in each lane of registers of AVX-512, the lowest first. The processor
// multiplies two digits in two halves: the lower 52 bits of the product, and the upper ones.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// Registers with the digits of one number. A lane may hold more than 52 bits until it is carried; of what is
  /// multiplied, only 52 bits count. Nothing depends on what a lane holds.
  protocol Digits: BitwiseCopyable {
    /// Bytes in memory: a multiple of 64.
    static var size: Int { get }
    static var zero: Self { get }

    /// - Parameter place: aligned to 64.
    init(_ place: UnsafeRawPointer)
    func store(_ place: UnsafeMutableRawPointer)

    static func + (x: Self, y: Self) -> Self

    /// self + the lower, or the upper, halves of the products of all digits of x with one digit, which is in all lanes.
    func low(_ x: Self, _ digit: Lanes) -> Self
    func high(_ x: Self, _ digit: Lanes) -> Self

    /// The eight lowest digits.
    var lowest: Lanes { get }
    /// All digits one lane lower. The highest lane gets the lowest one of `next`.
    func down(_ next: Lanes) -> Self
    /// Carries lanes below 2⁶³ so that they are below 2⁵².
    func carried(_ carry: inout Carry) -> Self
  }

  /// What goes from a register to the next: the bits above 52 of each lane, and a carry of 0 or 1.
  struct Carry {
    var above = Lanes.zero
    var bit: UInt64 = 0
  }

  /// -1/n modulo 2⁶⁴, of an odd n. Each step doubles the bits that are right, from three on. `make prove` shows it.
  @inline(never) func minusInverse(_ n: UInt64) -> UInt64 {
    var inverse = n
    for _ in 0..<5 { inverse = inverse &* (2 &- n &* inverse) }
    return 0 &- inverse
  }

  /// Eight digits.
  struct Lanes: Digits {
    let words: Builtin.Vec8xInt64

    @inline(always) init(_ words: Builtin.Vec8xInt64) { self.words = words }
    @inline(always) init(_ word: UInt64) { words = SIMD8<UInt64>(repeating: word)._storage._value }
    @inline(always) init(_ place: UnsafeRawPointer) { words = place.load(as: SIMD8<UInt64>.self)._storage._value }
    @inline(always) func store(_ place: UnsafeMutableRawPointer) {
      place.storeBytes(of: unsafeBitCast(words, to: SIMD8<UInt64>.self), as: SIMD8<UInt64>.self)
    }
    /// The word at a place, in all lanes.
    @inline(always) init(wordAt place: UnsafeRawPointer) { self.init(place.load(as: UInt64.self)) }

    @inline(always) static var size: Int { 64 }
    @inline(always) static var zero: Lanes { Lanes(0 as UInt64) }
    @inline(always) static var digitMask: Lanes { Lanes((1 &<< 52 &- 1) as UInt64) }

    @inline(always) static func + (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.add_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func & (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.and_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func | (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.or_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func >> (x: Lanes, count: UInt64) -> Lanes {
      Lanes(Builtin.lshr_Vec8xInt64(x.words, Lanes(count).words))
    }
    /// All ones where the lanes are equal.
    @inline(always) func isEqual(_ x: Lanes) -> Lanes {
      Lanes(Builtin.sext_Vec8xInt1_Vec8xInt64(Builtin.cmp_eq_Vec8xInt64(words, x.words)))
    }

    @inline(always) func low(_ x: Lanes, _ digit: Lanes) -> Lanes {
      Lanes(Builtin.int_x86_avx512_vpmadd52l_uq_512(words, x.words, digit.words))
    }
    @inline(always) func high(_ x: Lanes, _ digit: Lanes) -> Lanes {
      Lanes(Builtin.int_x86_avx512_vpmadd52h_uq_512(words, x.words, digit.words))
    }

    @inline(always) var lowest: Lanes { self }
    /// The lowest lane alone; the others are 0.
    @inline(always) var first: Lanes { self & Lanes(SIMD8<UInt64>(~0, 0, 0, 0, 0, 0, 0, 0)._storage._value) }
    /// The lowest lane in all lanes.
    @inline(always) var spread: Lanes {
      Lanes(Builtin.shufflevector_Vec8xInt64_Vec8xInt32(words, words, SIMD8<Int32>.zero._storage._value))
    }
    @inline(always) func down(_ next: Lanes) -> Lanes {
      let order = SIMD8<Int32>(1, 2, 3, 4, 5, 6, 7, 8)
      return Lanes(Builtin.shufflevector_Vec8xInt64_Vec8xInt32(words, next.words, order._storage._value))
    }
    /// All lanes one higher. The lowest one gets the highest one of `previous`.
    @inline(always) private func up(_ previous: Lanes) -> Lanes {
      let order = SIMD8<Int32>(7, 8, 9, 10, 11, 12, 13, 14)
      return Lanes(Builtin.shufflevector_Vec8xInt64_Vec8xInt32(previous.words, words, order._storage._value))
    }

    /// What is above 52 bits goes one lane up. After that, a lane has at most one bit too many; and such bits go
    /// through the lanes that have all 52 bits set as a carry goes through the bits of a sum.
    @inline(always) func carried(_ carry: inout Carry) -> Lanes {
      let above = self >> 52
      let sum = (self & .digitMask) + above.up(carry.above)
      let isOver = Builtin.bitcast_Vec8xInt1_Int8(Builtin.cmp_ugt_Vec8xInt64(sum.words, Lanes.digitMask.words))
      let isFull = Builtin.bitcast_Vec8xInt1_Int8(Builtin.cmp_eq_Vec8xInt64(sum.words, Lanes.digitMask.words))
      let full = UInt64(UInt8(isFull))
      let bits = (UInt64(UInt8(isOver)) &<< 1 | carry.bit) &+ full
      let ones = Builtin.zext_Vec8xInt1_Vec8xInt64(
        Builtin.bitcast_Int8_Vec8xInt1(UInt8(truncatingIfNeeded: bits ^ full)._value))
      carry.above = above
      carry.bit = bits &>> 8
      return (sum + Lanes(ones)) & .digitMask
    }
  }

  /// Four digits, the highest ones of a number: half of the work. In memory they are eight, and four of them are 0.
  struct HalfLanes: Digits {
    private let words: Builtin.Vec4xInt64

    @inline(always) private init(_ words: Builtin.Vec4xInt64) { self.words = words }
    @inline(always) private init(lowerHalfOf x: Lanes) {
      let order = SIMD4<Int32>(0, 1, 2, 3)
      words = Builtin.shufflevector_Vec8xInt64_Vec4xInt32(x.words, x.words, order._storage._value)
    }
    @inline(always) init(_ place: UnsafeRawPointer) { words = place.load(as: SIMD4<UInt64>.self)._storage._value }
    @inline(always) func store(_ place: UnsafeMutableRawPointer) { lowest.store(place) }

    @inline(always) static var size: Int { 64 }
    @inline(always) static var zero: Self { Self(SIMD4<UInt64>.zero._storage._value) }

    @inline(always) static func + (x: Self, y: Self) -> Self { Self(Builtin.add_Vec4xInt64(x.words, y.words)) }
    @inline(always) func low(_ x: Self, _ digit: Lanes) -> Self {
      Self(Builtin.int_x86_avx512_vpmadd52l_uq_256(words, x.words, Self(lowerHalfOf: digit).words))
    }
    @inline(always) func high(_ x: Self, _ digit: Lanes) -> Self {
      Self(Builtin.int_x86_avx512_vpmadd52h_uq_256(words, x.words, Self(lowerHalfOf: digit).words))
    }

    @inline(always) var lowest: Lanes {
      let order = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
      return Lanes(Builtin.shufflevector_Vec4xInt64_Vec8xInt32(words, Self.zero.words, order._storage._value))
    }
    @inline(always) func down(_ next: Lanes) -> Self {
      let order = SIMD4<Int32>(1, 2, 3, 4)
      return Self(
        Builtin.shufflevector_Vec4xInt64_Vec4xInt32(words, Self(lowerHalfOf: next).words, order._storage._value))
    }
    @inline(always) func carried(_ carry: inout Carry) -> Self { Self(lowerHalfOf: lowest.carried(&carry)) }
  }

  /// The registers of `a`, and those of `b` above them.
  struct Joined<A: Digits, B: Digits>: Digits {
    let a: A
    let b: B

    @inline(always) init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }
    @inline(always) init(_ place: UnsafeRawPointer) { self.init(A(place), B(place + A.size)) }
    @inline(always) func store(_ place: UnsafeMutableRawPointer) {
      a.store(place)
      b.store(place + A.size)
    }

    @inline(always) static var size: Int { A.size &+ B.size }
    @inline(always) static var zero: Self { Self(A.zero, B.zero) }

    @inline(always) static func + (x: Self, y: Self) -> Self { Self(x.a + y.a, x.b + y.b) }
    @inline(always) func low(_ x: Self, _ digit: Lanes) -> Self { Self(a.low(x.a, digit), b.low(x.b, digit)) }
    @inline(always) func high(_ x: Self, _ digit: Lanes) -> Self { Self(a.high(x.a, digit), b.high(x.b, digit)) }

    @inline(always) var lowest: Lanes { a.lowest }
    @inline(always) func down(_ next: Lanes) -> Self { Self(a.down(b.lowest), b.down(next)) }
    @inline(always) func carried(_ carry: inout Carry) -> Self {
      let lower = a.carried(&carry)
      return Self(lower, b.carried(&carry))
    }
  }
#endif
