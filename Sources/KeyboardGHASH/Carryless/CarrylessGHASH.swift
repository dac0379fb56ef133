// GHASH for processors that multiply without carries: PCLMULQDQ on x86-64, PMULL on arm64.
//
// Four blocks at a time: their products with the key's powers H⁴, H³, H² and H are summed before the sum is reduced
// (S. Gueron and M. Kounavis, "Intel Carry-Less Multiplication Instruction and its Usage for Computing the GCM Mode").
// A text whose number of blocks is not a multiple of four begins with blocks of zeros.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64) || arch(arm64)
  import Builtin
  public import KeyboardGHASHField

  /// GHASH in multiplications without carries. Runs only where the processor has them, and AVX2 on x86-64.
  ///
  /// - Timing: constant.
  public enum CarrylessGHASH {
    /// Writes GHASH of a text.
    ///
    /// - Parameters:
    ///   - key: H, 16 bytes at any address.
    ///   - sum: 16 bytes at any address, written last.
    /// - Timing: depends on the number of blocks only.
    /// - Source: NIST SP 800-38D §6.4.
    @inline(never) @export(interface)
    public static func digest(_ text: GHASHText, key: UnsafeRawPointer, into sum: UnsafeMutableRawPointer) {
      let key1 = Polynomial(GHASHKey(key))
      let key2 = Product(key1, key1).reduced
      let key3 = Product(key2, key1).reduced
      let key4 = Product(key2, key2).reduced
      var result = Polynomial(low: 0, high: 0)
      var index = 0 &- (0 &- text.blockCount) & 3
      repeat {
        var product = Product(result ^ Polynomial(text.block(index)), key4)
        product.add(Product(Polynomial(text.block(index &+ 1)), key3))
        product.add(Product(Polynomial(text.block(index &+ 2)), key2))
        product.add(Product(Polynomial(text.block(index &+ 3)), key1))
        result = product.reduced
        index &+= 4
      } while index < text.blockCount
      result.store(to: sum)
    }
  }

  /// 128 coefficients in a register, as POLYVAL orders them.
  struct Polynomial {
    var lanes: Builtin.Vec2xInt64

    @inline(always) init(_ lanes: Builtin.Vec2xInt64) { self.lanes = lanes }

    @inline(always) init(low: UInt64, high: UInt64) { lanes = SIMD2(low, high)._storage._value }

    @inline(always) init(_ key: GHASHKey) { self.init(low: key.low, high: key.high) }

    /// Reads a block at any address.
    @inline(always) init(_ block: UnsafeRawPointer) {
      lanes = Self.bytesReversed(block.loadUnaligned(as: SIMD2<UInt64>.self)._storage._value)
    }

    @inline(always) func store(to block: UnsafeMutableRawPointer) {
      var words = SIMD2<UInt64>()
      words._storage._value = Self.bytesReversed(lanes)
      block.storeBytes(of: words, as: SIMD2<UInt64>.self)
    }

    @inline(always) static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec2xInt64(a.lanes, b.lanes)) }

    /// The lower half becomes the upper one, and the upper the lower.
    @inline(always) var halvesSwapped: Self {
      let order = SIMD2<UInt32>(1, 0)._storage._value
      return Self(Builtin.shufflevector_Vec2xInt64_Vec2xInt32(lanes, lanes, order))
    }

    /// The upper half of `a` becomes the lower one, and the lower half of `b` the upper one.
    @inline(always) static func joined(highOf a: Self, lowOf b: Self) -> Self {
      let order = SIMD2<UInt32>(1, 2)._storage._value
      return Self(Builtin.shufflevector_Vec2xInt64_Vec2xInt32(a.lanes, b.lanes, order))
    }

    @inline(always) private static func bytesReversed(_ lanes: Builtin.Vec2xInt64) -> Builtin.Vec2xInt64 {
      let bytes = Builtin.bitcast_Vec2xInt64_Vec16xInt8(lanes)
      let order = SIMD16<UInt32>(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)._storage._value
      return Builtin.bitcast_Vec16xInt8_Vec2xInt64(Builtin.shufflevector_Vec16xInt8_Vec16xInt32(bytes, bytes, order))
    }
  }

  // The products of halves, 127 bits each.
  extension Polynomial {
    #if arch(x86_64)
      @inline(always) static func lowLow(_ a: Self, _ b: Self) -> Self {
        Self(Builtin.int_x86_pclmulqdq(a.lanes, b.lanes, (0x00 as UInt8)._value))
      }
      @inline(always) static func highLow(_ a: Self, _ b: Self) -> Self {
        Self(Builtin.int_x86_pclmulqdq(a.lanes, b.lanes, (0x01 as UInt8)._value))
      }
      @inline(always) static func lowHigh(_ a: Self, _ b: Self) -> Self {
        Self(Builtin.int_x86_pclmulqdq(a.lanes, b.lanes, (0x10 as UInt8)._value))
      }
      @inline(always) static func highHigh(_ a: Self, _ b: Self) -> Self {
        Self(Builtin.int_x86_pclmulqdq(a.lanes, b.lanes, (0x11 as UInt8)._value))
      }
    #else
      @inline(always) private var low: Builtin.Int64 {
        Builtin.extractelement_Vec2xInt64_Int32(lanes, (0 as UInt32)._value)
      }
      @inline(always) private var high: Builtin.Int64 {
        Builtin.extractelement_Vec2xInt64_Int32(lanes, (1 as UInt32)._value)
      }
      @inline(always) private static func product(_ a: Builtin.Int64, _ b: Builtin.Int64) -> Self {
        Self(Builtin.bitcast_Vec16xInt8_Vec2xInt64(Builtin.int_aarch64_neon_pmull64(a, b)))
      }
      @inline(always) static func lowLow(_ a: Self, _ b: Self) -> Self { product(a.low, b.low) }
      @inline(always) static func highLow(_ a: Self, _ b: Self) -> Self { product(a.high, b.low) }
      @inline(always) static func lowHigh(_ a: Self, _ b: Self) -> Self { product(a.low, b.high) }
      @inline(always) static func highHigh(_ a: Self, _ b: Self) -> Self { product(a.high, b.high) }
    #endif
  }

  /// 256 coefficients: `low` + `middle` · x⁶⁴ + `high` · x¹²⁸.
  struct Product {
    var low, middle, high: Polynomial

    @inline(always) init(_ a: Polynomial, _ b: Polynomial) {
      low = .lowLow(a, b)
      middle = .highLow(a, b) ^ .lowHigh(a, b)
      high = .highHigh(a, b)
    }

    @inline(always) mutating func add(_ other: Self) {
      low = low ^ other.low
      middle = middle ^ other.middle
      high = high ^ other.high
    }

    /// The product times x⁻¹²⁸, mod P. The lowest word is made zero twice: `folding` is P without its last term, over
    /// x⁶⁴, and without x¹²⁸, which is the swap of the halves.
    @inline(always) var reduced: Polynomial {
      let zero = Polynomial(low: 0, high: 0)
      let folding = Polynomial(low: 0xc200_0000_0000_0000, high: 0)
      let bottom = low ^ .joined(highOf: zero, lowOf: middle)
      let top = high ^ .joined(highOf: middle, lowOf: zero)
      let once = bottom.halvesSwapped ^ .lowLow(bottom, folding)
      return top ^ once.halvesSwapped ^ .lowLow(once, folding)
    }
  }
#endif
