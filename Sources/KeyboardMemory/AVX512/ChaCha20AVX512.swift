// ChaCha20 on processors with AVX-512: eight blocks at a time. A block is four rows of four words (RFC 8439 §2.3), and
// a register has the same row of four blocks.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// Eight blocks of ChaCha20.
  public enum ChaCha20AVX512 {
    @inline(always) public static var blockCount: Int { 8 }
    @inline(always) public static var byteCount: Int { 512 }
    /// Bytes of `rows`.
    @inline(always) public static var rowsByteCount: Int { 288 }

    /// Writes eight blocks, one after the other.
    ///
    /// - Parameters:
    ///   - key: 32 bytes at any address, which are only in registers here.
    ///   - rows: the first row of all blocks and the last row of each, after each of which 16 bytes are not used: a
    ///     processor waits for a whole that was just written in parts. They are not made here, because constants of 64
    ///     bytes would be in every library that is linked with this module, used or not.
    ///   - output: 512 bytes that overlap neither the key nor the rows.
    /// - Timing: constant.
    /// - Source: RFC 8439 §2.3.
    @inline(never) @export(interface)
    public static func fill(key: UnsafeRawPointer, rows: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
      let (constants, low, high) = (Row(repeating: rows), Row(repeating: key), Row(repeating: key + 16))
      let (first, second) = (Row(loadingFrom: rows + 32), Row(loadingFrom: rows + 160))
      var blocks = (Rows(constants, low, high, first), Rows(constants, low, high, second))
      for _ in 0..<10 {
        blocks.0.mixColumns()
        blocks.1.mixColumns()
        blocks.0.turnDiagonals()
        blocks.1.turnDiagonals()
        blocks.0.mixColumns()
        blocks.1.mixColumns()
        blocks.0.turnBack()
        blocks.1.turnBack()
      }
      blocks.0.store(adding: Rows(constants, low, high, first), to: output)
      blocks.1.store(adding: Rows(constants, low, high, second), to: output + 256)
    }
  }

  /// Four blocks.
  private struct Rows {
    private var a, b, c, d: Row

    @inline(always) init(_ a: Row, _ b: Row, _ c: Row, _ d: Row) { (self.a, self.b, self.c, self.d) = (a, b, c, d) }

    /// RFC 8439 §2.1, on all columns.
    @inline(always) mutating func mixColumns() {
      a = a &+ b
      d = (d ^ a).rotatedLeft(by: 16)
      c = c &+ d
      b = (b ^ c).rotatedLeft(by: 12)
      a = a &+ b
      d = (d ^ a).rotatedLeft(by: 8)
      c = c &+ d
      b = (b ^ c).rotatedLeft(by: 7)
    }

    /// The diagonals become columns.
    @inline(always) mutating func turnDiagonals() {
      (b, c, d) = (b.turnedByOne, c.turnedByTwo, d.turnedByThree)
    }

    @inline(always) mutating func turnBack() { (b, c, d) = (b.turnedByThree, c.turnedByTwo, d.turnedByOne) }

    /// One block after the other.
    @inline(always) func store(adding first: Rows, to output: UnsafeMutableRawPointer) {
      (a &+ first.a).scatter(to: output)
      (b &+ first.b).scatter(to: output + 16)
      (c &+ first.c).scatter(to: output + 32)
      (d &+ first.d).scatter(to: output + 48)
    }
  }

  /// The same row of four blocks. With LLVM's operators: the standard library's may become loops.
  private struct Row {
    private let lanes: Builtin.Vec16xInt32

    @inline(always) private init(_ lanes: Builtin.Vec16xInt32) { self.lanes = lanes }

    /// The same 16 bytes for each block.
    @inline(always) init(repeating memory: UnsafeRawPointer) {
      let words = memory.loadUnaligned(as: SIMD4<UInt32>.self)._storage._value
      let order = SIMD16<UInt32>(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3)._storage._value
      lanes = Builtin.shufflevector_Vec4xInt32_Vec16xInt32(words, words, order)
    }

    /// Every second 16 bytes, one for each block.
    @inline(always) init(loadingFrom memory: UnsafeRawPointer) {
      func part(_ index: Int) -> Builtin.Vec4xInt32 {
        memory.loadUnaligned(fromByteOffset: 32 &* index, as: SIMD4<UInt32>.self)._storage._value
      }
      let half = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7)._storage._value
      let whole = SIMD16<UInt32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)._storage._value
      lanes = Builtin.shufflevector_Vec8xInt32_Vec16xInt32(
        Builtin.shufflevector_Vec4xInt32_Vec8xInt32(part(0), part(1), half),
        Builtin.shufflevector_Vec4xInt32_Vec8xInt32(part(2), part(3), half), whole)
    }

    @inline(always) static func &+ (a: Row, b: Row) -> Row { Row(Builtin.add_Vec16xInt32(a.lanes, b.lanes)) }
    @inline(always) static func ^ (a: Row, b: Row) -> Row { Row(Builtin.xor_Vec16xInt32(a.lanes, b.lanes)) }

    @inline(always) func rotatedLeft(by count: UInt32) -> Row {
      Row(Builtin.int_fshl_Vec16xInt32(lanes, lanes, SIMD16<UInt32>(repeating: count)._storage._value))
    }

    /// Each block's word 1 becomes word 0, and so on.
    @inline(always) var turnedByOne: Row {
      shuffled(SIMD16(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))
    }
    @inline(always) var turnedByTwo: Row {
      shuffled(SIMD16(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
    }
    @inline(always) var turnedByThree: Row {
      shuffled(SIMD16(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14))
    }

    @inline(always) private func shuffled(_ order: SIMD16<UInt32>) -> Row {
      Row(Builtin.shufflevector_Vec16xInt32_Vec16xInt32(lanes, lanes, order._storage._value))
    }

    /// Writes each block's part to its place.
    @inline(always) func scatter(to output: UnsafeMutableRawPointer) {
      part(SIMD4(0, 1, 2, 3), to: output)
      part(SIMD4(4, 5, 6, 7), to: output + 64)
      part(SIMD4(8, 9, 10, 11), to: output + 128)
      part(SIMD4(12, 13, 14, 15), to: output + 192)
    }

    @inline(always) private func part(_ order: SIMD4<UInt32>, to output: UnsafeMutableRawPointer) {
      var words = SIMD4<UInt32>()
      words._storage._value = Builtin.shufflevector_Vec16xInt32_Vec4xInt32(lanes, lanes, order._storage._value)
      output.storeBytes(of: words, as: SIMD4<UInt32>.self)
    }
  }
#endif
