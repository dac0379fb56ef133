// Eight points of P-256 or of SM2's curve, multiplied by one number side by side. The formulas and the digits are those
// of Weierstrass.swift and Weierstrass+Multiply.swift, where they are explained.
//
// Because the number is the same in all lanes, so are the digits and the masks; and it tells alone whether the last
// addition meets an exception. So there are no complete formulas here.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// Where Jacobian coordinates of eight points are: x = X/Z², y = Y/Z³.
  struct JacobianPoint8 {
    let x: Place8

    @inline(always) init(at place: Place8) { x = place }

    @inline(always) var y: Place8 { x + 1 }
    @inline(always) var z: Place8 { x + 2 }

    /// Four multiplications, four squarings. No exception on a curve of odd order. m is below 7.7p, and what is loose
    /// below 10.7p.
    ///
    /// - Range: x < 2p, y < 2p, z < 3p; x' < 2p, y' < 2p, z' < 3p
    /// - Parameter work: four places.
    @inline(never) func double(_ field: Field256x8, work: Place8) {
      let (m, yy, xyy, difference) = (work, work + 1, work + 2, work + 3)
      field.square(z, into: m)
      field.subtractLoosely(x, m, into: difference)
      field.addTripled(x, m, into: m)
      field.multiply(m, difference, into: m)
      // 2·y², 4·x·y² and 8·y⁴.
      field.square(y, doublings: 1, into: yy)
      field.multiply(y, z, doublings: 1, into: z)
      field.multiply(x, yy, doublings: 1, into: xyy)
      field.square(yy, doublings: 1, into: yy)
      field.square(m, into: x)
      field.subtract(x, xyy, doublings: 1, into: x)
      field.subtractLoosely(xyy, x, into: difference)
      field.multiply(m, difference, into: y)
      field.subtract(y, yy, into: y)
    }

    /// Twelve multiplications, four squarings. Wrong where two points are equal, opposite or infinite: callers exclude
    /// that.
    ///
    /// - Range: x < 2p, y < 2p, z < 3p; x' < 2p, y' < 2p, z' < 3p
    /// - Parameter work: five places.
    @inline(never) func add(_ other: JacobianPoint8, _ field: Field256x8, work: Place8) {
      let (u, s, h, r, a) = (work, work + 1, work + 2, work + 3, work + 4)
      field.square(other.z, into: a)
      field.multiply(x, a, into: u)
      field.multiply(a, other.z, into: a)
      field.multiply(y, a, into: s)
      field.square(z, into: a)
      field.multiply(other.x, a, into: h)
      field.subtract(h, u, into: h)
      field.multiply(a, z, into: a)
      field.multiply(other.y, a, into: r)
      field.subtract(r, s, into: r)
      field.multiply(z, other.z, into: z)
      field.multiply(z, h, into: z)
      field.square(h, into: a)
      // h³, and u is u·h².
      field.multiply(a, h, into: h)
      field.multiply(u, a, into: u)
      field.square(r, into: a)
      field.subtract(a, h, into: a)
      field.subtract(a, u, doublings: 1, into: x)
      field.subtract(u, x, into: u)
      field.multiply(r, u, into: u)
      field.multiply(s, h, into: s)
      field.subtract(u, s, into: y)
    }

    @inline(always) func copy(to other: JacobianPoint8) {
      for i in 0..<3 { other.x[i] = x[i] }
    }

    /// Becomes `other` where the mask is all ones.
    @inline(always) func replace(by other: JacobianPoint8, where mask: Lanes) {
      for i in 0..<3 { x[i] = x[i] ^ ((x[i] ^ other.x[i]) & mask) }
    }

    /// Writes x, or x ‖ y, of the first lanes. Infinity gives (0, 0).
    ///
    /// - Parameter work: eight places. The coordinates become others.
    @inline(never) func store(
      count: Int, to place: UnsafeMutableRawPointer, stride: Int, hasY: Bool, _ field: Field256x8, work: Place8
    ) {
      field.invert(z, work: work)
      let square = work
      field.square(z, into: square)
      field.multiply(x, square, into: x)
      field.store(x, count: count, to: place, stride: stride)
      guard hasY else { return }
      field.multiply(square, z, into: square)
      field.multiply(y, square, into: y)
      field.store(y, count: count, to: place + 32, stride: stride)
    }
  }

  extension CurvesIFMA {
    /// Bytes of memory that `multiply` uses: sixteen times eight points, twice more, and eight numbers.
    @export(implementation)
    public static var scratchSize: Int { (18 &* 3 &+ 8) &* 320 }

    /// Multiplies eight points by one number.
    ///
    /// - Parameters:
    ///   - digits: the number, odd and below the order of the curve, in four words, and a word 0.
    ///   - isNegative: all ones where the opposite points are meant, otherwise 0.
    ///   - endsEqual: all ones where the last addition is of two equal points, otherwise 0.
    ///   - points: the first of `count` points on the curve: x ‖ y, big-endian, at any address. For bytes
    ///     that are not a point, the output means nothing.
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
      let field = Field256x8(isSM2 ? .sm2 : .p256)
      let table = scratch.assumingMemoryBound(to: Limbs8.self)
      func point(_ index: Int) -> JacobianPoint8 { JacobianPoint8(at: table + 3 &* index) }
      let (entry, sum, work) = (point(16), point(17), table + 18 &* 3)
      // Lanes that are not needed compute what the first one does.
      field.load({ points + ($0 < count ? $0 &* stride : 0) }, into: sum.x)
      field.load({ points + 32 + ($0 < count ? $0 &* stride : 0) }, into: sum.y)
      field.negate(sum.y, where: isNegative)
      sum.z.pointee = field.prime.one
      sum.copy(to: point(0))
      sum.copy(to: entry)
      entry.double(field, work: work)
      for i in 1..<16 {
        point(i &- 1).copy(to: point(i))
        point(i).add(entry, field, work: work)
      }
      for i in 0..<51 {
        for _ in 0..<5 { sum.double(field, work: work) }
        choose(digit: 50 &- i, of: digits, from: table, into: entry, field, one)
        sum.add(entry, field, work: work)
      }
      entry.double(field, work: work)
      sum.replace(by: entry, where: Lanes(endsEqual))
      sum.store(count: count, to: output, stride: stride, hasY: hasY, field, work: work)
    }

    /// The points that digit `index` (0…50, public) adds.
    @inline(never) private static func choose(
      digit index: Int, of words: UnsafePointer<UInt64>, from table: Place8, into entry: JacobianPoint8,
      _ field: Field256x8, _ one: UInt64
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
        let point = table + 3 &* number
        x = x | (point[0] & mask)
        y = y | (point[1] & mask)
        z = z | (point[2] & mask)
      }
      entry.x.pointee = x
      entry.y.pointee = y
      entry.z.pointee = z
      field.negate(entry.y, where: isNegative)
    }
  }
#endif
