// Eight points of P-256 or of SM2's curve, multiplied by one number side by side. The formulas and the digits are those
// of Weierstrass.swift and Weierstrass+Multiply.swift, where they are explained.
//
// Because the number is the same in all lanes, so are the digits and the masks; and it tells alone whether the last
// addition meets an exception. So there are no complete formulas here.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// Jacobian coordinates of eight points: x = X/Z², y = Y/Z³.
  struct JacobianPoint8: BitwiseCopyable {
    var x, y, z: Limbs8

    @inline(always) init(_ x: Limbs8, _ y: Limbs8, _ z: Limbs8) {
      self.x = x
      self.y = y
      self.z = z
    }

    /// Four multiplications, four squarings. No exception on a curve of odd order.
    @inline(never) mutating func double(_ prime: Prime) {
      let (x, y, z) = (Field256x8(x, prime), Field256x8(y, prime), Field256x8(z, prime))
      let zz = z.squared
      let yy = y.squared
      let twoYY = yy.plus(yy)
      self.z = (y.plus(y) * z).limbs
      let m = (x.plus(zz) * x.minus(zz)).tripled
      let twoXYY = x * twoYY
      let fourXYY = twoXYY.plus(twoXYY)
      let newX = m.squared.minus(fourXYY.plus(fourXYY))
      self.x = newX.limbs
      let fourYYYY = twoYY.squared
      self.y = (m * fourXYY.minus(newX)).minus(fourYYYY.plus(fourYYYY)).limbs
    }

    /// Twelve multiplications, four squarings. Wrong where two points are equal, opposite or infinite: callers exclude
    /// that.
    @inline(never) mutating func add(_ other: UnsafePointer<JacobianPoint8>, _ prime: Prime) {
      let (x, y, z) = (Field256x8(x, prime), Field256x8(y, prime), Field256x8(z, prime))
      let otherZ = Field256x8(other.pointee.z, prime)
      let zz = z.squared
      let otherZZ = otherZ.squared
      let u = x * otherZZ
      let s = y * (otherZ * otherZZ)
      let h = Field256x8(other.pointee.x, prime) * zz - u
      let r = Field256x8(other.pointee.y, prime) * (z * zz) - s
      self.z = (z * otherZ * h).limbs
      let hh = h.squared
      let hhh = hh * h
      let v = u * hh
      let newX = r.squared - hhh - v.doubled
      self.x = newX.limbs
      self.y = (r * (v - newX) - s * hhh).limbs
    }

    /// `other` where the mask is all ones.
    @inline(always) func replaced(by other: JacobianPoint8, where mask: Lanes) -> JacobianPoint8 {
      JacobianPoint8(x ^ ((x ^ other.x) & mask), y ^ ((y ^ other.y) & mask), z ^ ((z ^ other.z) & mask))
    }

    /// Writes x, or x ‖ y, of the first lanes. Infinity gives (0, 0).
    @inline(never) func store(count: Int, to place: UnsafeMutableRawPointer, stride: Int, hasY: Bool, _ prime: Prime) {
      let inverse = Field256x8(z, prime).inverted()
      let square = inverse.squared
      (Field256x8(x, prime) * square).store(count: count, to: place, stride: stride)
      if hasY { (Field256x8(y, prime) * (square * inverse)).store(count: count, to: place + 32, stride: stride) }
    }
  }

  extension CurvesIFMA {
    /// Bytes of memory that `multiply` uses: sixteen times eight points, and once more.
    @export(implementation)
    public static var scratchSize: Int { 17 &* 960 }

    /// Multiplies eight points by one number.
    ///
    /// - Parameters:
    ///   - digits: the number, odd and below the order of the curve, in four words, and a word 0.
    ///   - isNegative: all ones where the opposite points are meant, otherwise 0.
    ///   - endsEqual: all ones where the last addition is of two equal points, otherwise 0.
    ///   - points: the first of `count` points on the curve: x ‖ y, big-endian, at any address. Of what is not a point,
    ///     the output means nothing.
    ///   - output: gets the first of as many outputs: x, or x ‖ y.
    ///   - stride: bytes from one point to the next, and from one output to the next.
    ///   - count: 1…8.
    ///   - isSM2: which curve: P-256 or SM2's.
    ///   - hasY: whether y is wanted.
    ///   - scratch: `scratchSize` bytes aligned to 64, which hold secrets afterwards.
    ///   - one: 1, in a way that the optimiser cannot see.
    /// - Timing: depends on `count`, `isSM2` and `hasY`.
    @inline(never) @export(interface)
    public static func multiply(
      by digits: UnsafePointer<UInt64>, isNegative: UInt64, endsEqual: UInt64, _ points: UnsafeRawPointer,
      into output: UnsafeMutableRawPointer, stride: Int, count: Int, isSM2: Bool, hasY: Bool,
      scratch: UnsafeMutableRawPointer, one: UInt64
    ) {
      let prime: Prime = isSM2 ? .sm2 : .p256
      let table = scratch.assumingMemoryBound(to: JacobianPoint8.self)
      let entry = table + 16
      // Lanes that are not needed compute what the first one does.
      let x = Field256x8({ points + ($0 < count ? $0 &* stride : 0) }, prime)
      let y = Field256x8({ points + 32 + ($0 < count ? $0 &* stride : 0) }, prime)
      var sum = JacobianPoint8(x.limbs, y.negated(where: Lanes(isNegative)).limbs, prime.one)
      table[0] = sum
      sum.double(prime)
      entry.pointee = sum
      for i in 1..<16 {
        table[i] = table[i &- 1]
        table[i].add(entry, prime)
      }
      sum = table[0]
      for i in 0..<50 {
        for _ in 0..<5 { sum.double(prime) }
        choose(digit: 50 &- i, of: digits, from: table, into: entry, prime, one)
        sum.add(entry, prime)
      }
      for _ in 0..<5 { sum.double(prime) }
      choose(digit: 0, of: digits, from: table, into: entry, prime, one)
      sum.add(entry, prime)
      entry.pointee.double(prime)
      sum = sum.replaced(by: entry.pointee, where: Lanes(endsEqual))
      sum.store(count: count, to: output, stride: stride, hasY: hasY, prime)
    }

    /// The points that digit `index` (0…50, public) adds.
    @inline(never) private static func choose(
      digit index: Int, of words: UnsafePointer<UInt64>, from table: UnsafePointer<JacobianPoint8>,
      into entry: UnsafeMutablePointer<JacobianPoint8>, _ prime: Prime, _ one: UInt64
    ) {
      let position = 5 &* index
      let (word, shift) = (position &>> 6, UInt64(truncatingIfNeeded: position & 63))
      let bits = (words[word] &>> shift) | ((words[word &+ 1] &<< 1) &<< (63 &- shift)) | one
      let isNegative = ((bits &>> 5) & one) &- one
      let wanted = ((bits ^ isNegative) & 31) &>> 1
      var (x, y, z) = (Limbs8.zero, Limbs8.zero, Limbs8.zero)
      for number in 0..<16 {
        let difference = UInt64(truncatingIfNeeded: number) ^ wanted
        let mask = Lanes(((difference | (0 &- difference)) &>> 63) &- one)
        x = x | (table[number].x & mask)
        y = y | (table[number].y & mask)
        z = z | (table[number].z & mask)
      }
      entry.pointee = JacobianPoint8(x, Field256x8(y, prime).negated(where: Lanes(isNegative)).limbs, z)
    }
  }
#endif
