// The compression function of Argon2, for registers of any width: RFC 9106 §3.5.
// SPDX-License-Identifier: Apache-2.0

/// A block of Argon2: 1024 bytes, a matrix of eight rows of eight pairs of words.
///
/// - Timing: constant.
/// - Source: RFC 9106 §3.5, §3.6.
public enum Argon2Block {
  /// Bytes in a block: 1024.
  @inline(always) public static var byteCount: Int { rowCount &* rowSize }
  @inline(always) public static var rowCount: Int { 8 }
  @inline(always) public static var rowSize: Int { 128 }
  @inline(always) public static var pairSize: Int { 16 }

  /// Writes G(x, y) XOR `old`, with as many rows or columns at a time as a register has pairs.
  ///
  /// - Parameters:
  ///   - output: a block, which may be any of the three.
  ///   - scratch: another block than these. It gets the matrix between its rows and its columns, in this
  ///     order: register by register, as the rows leave them.
  @inline(always)
  public static func compress<Register: Pairs>(
    _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, adding old: UnsafeRawPointer, into output: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer, in _: Register.Type
  ) {
    let width = Register.pairCount

    @inline(always) func rows(_ row: Int) -> Permutation<Register> {
      Permutation { column in
        Register { x + place(row &+ $0, column) } ^ Register { y + place(row &+ $0, column) }
      }
    }

    @inline(always) func columns(_ column: Int) -> Permutation<Register> {
      Permutation { row in
        let rows = scratch + (row &- row % width) &* rowSize + row % width &* pairSize
        return Register { UnsafeRawPointer(rows + (column &+ $0) &* Register.byteCount) }
      }
    }

    // The rows, then the columns, in one loop: the permutation is most of the code.
    var index = 0
    repeat {
      let column = index &- rowCount
      var matrix = column < 0 ? rows(index) : columns(column)
      matrix.permute()
      if column < 0 {
        let rows = scratch + index &* rowSize
        matrix.forEach { column, register in register.store(to: rows + column &* Register.byteCount) }
      } else {
        matrix.forEach { row, register in
          let place = place(row, column)
          let before = Register(loadingFrom: x + place) ^ Register(loadingFrom: y + place)
          (register ^ before ^ Register(loadingFrom: old + place)).store(to: output + place)
        }
      }
      index &+= width
    } while index < 2 &* rowCount
  }

  @inline(always) public static func place(_ row: Int, _ column: Int) -> Int { row &* rowSize &+ column &* pairSize }
}

/// The permutation P on 16 words, two of them in each of eight registers; as many permutations as a register has pairs.
///
/// - Source: RFC 9106 §3.6.
public struct Permutation<Register: Pairs> {
  public var a0, a1, b0, b1, c0, c1, d0, d1: Register

  @inline(always) public init(_ load: (Int) -> Register) {
    (a0, a1, b0, b1) = (load(0), load(1), load(2), load(3))
    (c0, c1, d0, d1) = (load(4), load(5), load(6), load(7))
  }

  @inline(always) public func forEach(_ body: (Int, Register) -> Void) {
    body(0, a0)
    body(1, a1)
    body(2, b0)
    body(3, b1)
    body(4, c0)
    body(5, c1)
    body(6, d0)
    body(7, d1)
  }

  @inline(always) public mutating func permute() {
    mixColumns()
    (b0, b1) = (.joined(b0, b1), .joined(b1, b0))
    (c0, c1) = (c1, c0)
    (d0, d1) = (.joined(d1, d0), .joined(d0, d1))
    mixColumns()
    (b0, b1) = (.joined(b1, b0), .joined(b0, b1))
    (c0, c1) = (c1, c0)
    (d0, d1) = (.joined(d0, d1), .joined(d1, d0))
  }

  /// GB on all four columns of the 4 × 4 matrix of words.
  @inline(always) public mutating func mixColumns() {
    step(&a0, &a1, b0, b1, &d0, &d1, by: 32)
    step(&c0, &c1, d0, d1, &b0, &b1, by: 24)
    step(&a0, &a1, b0, b1, &d0, &d1, by: 16)
    step(&c0, &c1, d0, d1, &b0, &b1, by: 63)
  }

  /// a = a + b + 2 · low(a) · low(b), d = (d XOR a) >>> count, for two registers.
  @inline(always) public func step(
    _ a0: inout Register, _ a1: inout Register, _ b0: Register, _ b1: Register, _ d0: inout Register,
    _ d1: inout Register, by count: UInt64
  ) {
    let (product0, product1) = (Register.lowProduct(a0, b0), Register.lowProduct(a1, b1))
    a0 = a0 &+ b0 &+ (product0 &+ product0)
    a1 = a1 &+ b1 &+ (product1 &+ product1)
    d0 = (d0 ^ a0).rotatedRight(by: count)
    d1 = (d1 ^ a1).rotatedRight(by: count)
  }
}
