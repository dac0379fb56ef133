// ChaCha20 (RFC 8439): arc4random has used it since OpenBSD 5.5. It makes the random bytes of a space.
// SPDX-License-Identifier: Apache-2.0

import Builtin

#if arch(x86_64)
  import KeyboardChaCha20AVX512
#endif

/// The ChaCha20 block function, four blocks at a time: one in each lane of a register.
///
/// - Timing: constant.
/// - Source: RFC 8439 §2.3.
enum ChaCha20 {
  static var keySize: Int { 32 }
  static var blockSize: Int { 64 }
  static var batchSize: Int { 256 }

  /// Writes the blocks `counter` … `counter + 3` of the stream of `key`, with a nonce of zero. The counter has 64 bits,
  /// as in D. J. Bernstein's original; up to 2³² it agrees with the RFC's.
  ///
  /// - Parameters:
  ///   - key: 32 bytes at any address.
  ///   - counter: its lower 32 bits are at most 2³² − 4.
  ///   - output: 256 bytes that do not overlap the key.
  @inline(never)
  static func batch(key: UnsafeRawPointer, counter: UInt64, into output: UnsafeMutableRawPointer) {
    @inline(__always)
    func keyWord(_ index: Int) -> Lanes {
      Lanes(repeating: UInt32(littleEndian: key.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)))
    }
    let constants = (
      Lanes(repeating: 0x6170_7865), Lanes(repeating: 0x3320_646e), Lanes(repeating: 0x7962_2d32),
      Lanes(repeating: 0x6b20_6574)  // "expand 32-byte k"
    )
    let low = UInt32(truncatingIfNeeded: counter)
    let counters = Lanes(low, low &+ 1, low &+ 2, low &+ 3)
    let high = Lanes(repeating: UInt32(truncatingIfNeeded: counter >> 32))

    var (x0, x1, x2, x3) = constants
    var (x4, x5, x6, x7) = (keyWord(0), keyWord(1), keyWord(2), keyWord(3))
    var (x8, x9, x10, x11) = (keyWord(4), keyWord(5), keyWord(6), keyWord(7))
    var x12 = counters
    var (x13, x14, x15) = (high, Lanes(repeating: 0), Lanes(repeating: 0))
    for _ in 0..<10 {
      Lanes.quarterRound(&x0, &x4, &x8, &x12)
      Lanes.quarterRound(&x1, &x5, &x9, &x13)
      Lanes.quarterRound(&x2, &x6, &x10, &x14)
      Lanes.quarterRound(&x3, &x7, &x11, &x15)

      Lanes.quarterRound(&x0, &x5, &x10, &x15)
      Lanes.quarterRound(&x1, &x6, &x11, &x12)
      Lanes.quarterRound(&x2, &x7, &x8, &x13)
      Lanes.quarterRound(&x3, &x4, &x9, &x14)
    }

    @inline(__always)
    func store(_ index: Int, _ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes) {
      for block in 0..<4 {
        let words = SIMD4(a[block], b[block], c[block], d[block])
        output.storeBytes(of: words, toByteOffset: 64 &* block &+ 16 &* index, as: SIMD4<UInt32>.self)
      }
    }
    store(0, x0 &+ constants.0, x1 &+ constants.1, x2 &+ constants.2, x3 &+ constants.3)
    store(1, x4 &+ keyWord(0), x5 &+ keyWord(1), x6 &+ keyWord(2), x7 &+ keyWord(3))
    store(2, x8 &+ keyWord(4), x9 &+ keyWord(5), x10 &+ keyWord(6), x11 &+ keyWord(7))
    store(3, x12 &+ counters, x13 &+ high, x14, x15)
  }
}

#if arch(x86_64)
  extension ChaCha20 {
    static var wideBatchSize: Int { ChaCha20AVX512.byteCount }

    /// Writes the blocks `counter` … `counter + 7`, on a processor with AVX-512.
    ///
    /// - Parameters:
    ///   - key: as for `batch`.
    ///   - output: 512 bytes that do not overlap the key.
    @inline(never)
    static func wideBatch(key: UnsafeRawPointer, counter: UInt64, into output: UnsafeMutableRawPointer) {
      withUnsafeTemporaryAllocation(byteCount: ChaCha20AVX512.rowsByteCount, alignment: 16) { rows in
        let start = rows.baseAddress!
        func store(_ low: UInt64, _ high: UInt64, at row: Int) {
          start.storeBytes(of: SIMD2(low, high), toByteOffset: 32 &* row, as: SIMD2<UInt64>.self)
        }
        store(0x3320_646e_6170_7865, 0x6b20_6574_7962_2d32, at: 0)  // "expand 32-byte k"
        for block in 0..<ChaCha20AVX512.blockCount { store(counter &+ UInt64(block), 0, at: 1 &+ block) }
        ChaCha20AVX512.fill(key: key, rows: start, into: output)
      }
    }
  }
#endif

/// The same word of four blocks. The standard library's SIMD operators compile to loops over lanes here; LLVM's do not.
private struct Lanes {
  private var words: SIMD4<UInt32>

  @inline(__always)
  init(_ w0: UInt32, _ w1: UInt32, _ w2: UInt32, _ w3: UInt32) { words = SIMD4(w0, w1, w2, w3) }

  @inline(__always)
  init(repeating word: UInt32) { words = SIMD4(repeating: word) }

  @inline(__always)
  private init(_ words: Builtin.Vec4xInt32) {
    self.words = SIMD4()
    self.words._storage._value = words
  }

  @inline(__always)
  subscript(lane: Int) -> UInt32 { words[lane] }

  @inline(__always)
  static func &+ (a: Self, b: Self) -> Self {
    Self(Builtin.add_Vec4xInt32(a.words._storage._value, b.words._storage._value))
  }

  @inline(__always)
  static func ^ (a: Self, b: Self) -> Self {
    Self(Builtin.xor_Vec4xInt32(a.words._storage._value, b.words._storage._value))
  }

  @inline(__always)
  private func rotatedLeft(by count: UInt32) -> Self {
    let left = Builtin.shl_Vec4xInt32(words._storage._value, Self(repeating: count).words._storage._value)
    let right = Builtin.lshr_Vec4xInt32(words._storage._value, Self(repeating: 32 &- count).words._storage._value)
    return Self(Builtin.or_Vec4xInt32(left, right))
  }

  /// RFC 8439 §2.1.
  @inline(__always)
  static func quarterRound(_ a: inout Self, _ b: inout Self, _ c: inout Self, _ d: inout Self) {
    a = a &+ b
    d = (d ^ a).rotatedLeft(by: 16)
    c = c &+ d
    b = (b ^ c).rotatedLeft(by: 12)
    a = a &+ b
    d = (d ^ a).rotatedLeft(by: 8)
    c = c &+ d
    b = (b ^ c).rotatedLeft(by: 7)
  }
}
