// The constants of the paths over the AES field, derived from the standard's S-box.
//
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardSM4Vector

@Suite struct Constants {
  /// M·x as `gf2p8affineqb` computes it: bit i is the parity of x under the row in byte 7 - i.
  static func product(_ matrix: UInt64, _ x: UInt8) -> UInt8 {
    (0..<8).reduce(0) { result, i in
      let row = UInt8(truncatingIfNeeded: matrix >> UInt64(8 * (7 - i)))
      return result | UInt8((row & x).nonzeroBitCount & 1) << UInt8(i)
    }
  }

  static func product(_ a: UInt8, times b: UInt8) -> UInt8 {
    var (a, b, sum) = (a, b, UInt8(0))
    while b != 0 {
      if b & 1 != 0 { sum ^= a }
      a = a << 1 ^ (a >> 7) * 0x1b
      b >>= 1
    }
    return sum
  }

  /// x²⁵⁴ in the field of AES.
  static func inverse(_ x: UInt8) -> UInt8 { (0..<254).reduce(1) { y, _ in product(y, times: x) } }

  static func rotated(_ x: UInt8, _ count: UInt8) -> UInt8 { x << count | x >> (8 - count) }

  /// AES's S-box. (FIPS 197 §5.1.1)
  static func substitutedByAES(_ x: UInt8) -> UInt8 {
    let y = inverse(x)
    return y ^ rotated(y, 1) ^ rotated(y, 2) ^ rotated(y, 3) ^ rotated(y, 4) ^ 0x63
  }

  /// A1 of x and of S(x), for all x: the field's own input, and a map to compare with.
  static let inputs = (0...255).map { x in
    (x: UInt8(x), input: product(Matrix.enter, UInt8(x)) ^ 0x65, s: Reference.sbox[x])
  }

  /// The byte of L'(s) that is `distance` bytes before s.
  static func keyImage(_ s: UInt8, _ distance: Int) -> UInt8 {
    let word = UInt32(s) << UInt32(24 - 8 * distance)
    let mixed = word ^ (word << 13 | word >> 19) ^ (word << 23 | word >> 9)
    return product(Matrix.enter, UInt8(mixed >> 24))
  }

  @Test func theSBoxIsAnInversionBetweenAffineMaps() throws {
    for (_, input, s) in Self.inputs {
      try #require(s == Self.product(0xd72d_8e51_1e6c_8b19, Self.inverse(input)) ^ 0xd3, "input \(input)")
    }
  }

  @Test func enteringAndLeavingAreInverse() throws {
    for x in UInt8.min...UInt8.max {
      try #require(Self.product(Matrix.leave, Self.product(Matrix.enter, x)) == x, "x \(x)")
    }
  }

  /// Each map by its definition, with the constant that S itself leaves, its matrix for GFNI and its table for AES.
  static let maps: [(name: String, definition: @Sendable (UInt8) -> UInt8, matrix: UInt64)] = [
    ("q", { product(Matrix.enter, rotated($0, 2)) }, Matrix.q),
    ("r", { product(Matrix.enter, $0 ^ $0 >> 6) }, Matrix.r),
    ("p", { product(Matrix.enter, $0 ^ $0 << 2) }, Matrix.p),
    ("key0", { keyImage($0, 0) }, Matrix.key0), ("key1", { keyImage($0, 1) }, Matrix.key1),
    ("key2", { keyImage($0, 2) }, Matrix.key2), ("key3", { keyImage($0, 3) }, Matrix.key3),
  ]

  @Test func theMatricesAreWhatTheyAreSaidToBe() throws {
    for (name, definition, matrix) in Self.maps {
      for (_, input, s) in Self.inputs {
        try #require(Self.product(matrix, Self.inverse(input)) == definition(s ^ 0xd3), "\(name), input \(input)")
      }
    }
  }

  @Test func theReversedMatricesReverseTheBits() throws {
    for (_, input, s) in Self.inputs {
      let reversed = Self.product(Matrix.reversed, Self.inverse(input)) ^ 0xcb
      let backwards = (0..<8).reduce(UInt8(0)) { bits, place in bits << 1 | s >> UInt8(place) & 1 }
      try #require(reversed == backwards, "input \(input)")
      try #require(Self.product(Matrix.enterReversed, reversed) == Self.product(Matrix.enter, s), "input \(input)")
    }
  }

  @Test func theConstantsOfARoundComeOutInOnePlace() {
    let (q, r, p) = (Self.maps[0].definition, Self.maps[1].definition, Self.maps[2].definition)
    #expect(q(0xd3) ^ r(0xd3) == p(0xd3))
    #expect(p(0xd3) ^ q(0xd3) ^ q(0xd3) ^ r(0xd3) == 0x39)
    #expect((0..<4).reduce(0) { $0 ^ Self.keyImage(0xd3, $1) } == 0x80)
  }

  @Test func theNibbleTablesAreTheMatrices() throws {
    let tables: [(NibbleTable, UInt64, UInt8)] = [
      (.qOfRound, Matrix.q, 0x39), (.r, Matrix.r, 0), (.pOfRound, Matrix.p, 0x39), (.key0, Matrix.key0, 0x80),
      (.key1, Matrix.key1, 0), (.key2, Matrix.key2, 0), (.key3, Matrix.key3, 0),
    ]
    for (table, matrix, constant) in tables {
      for x in UInt8.min...UInt8.max {
        let expected = Self.product(matrix, Self.inverse(x)) ^ constant
        try #require(Self.looked(up: Self.substitutedByAES(x), in: table) == expected, "constant \(constant), x \(x)")
      }
    }
    for x in UInt8.min...UInt8.max {
      try #require(Self.looked(up: x, in: .enter) == Self.product(Matrix.enter, x), "x \(x)")
      try #require(Self.looked(up: x, in: .leave) == Self.product(Matrix.leave, x), "x \(x)")
    }
  }

  private static func looked(up x: UInt8, in table: NibbleTable) -> UInt8 {
    func byte(_ words: Word4, _ index: UInt8) -> UInt8 {
      withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) {
        words.store(to: $0.baseAddress!)
        return $0[Int(index)]
      }
    }
    return byte(table.low, x & 15) ^ byte(table.high, x >> 4)
  }
}
