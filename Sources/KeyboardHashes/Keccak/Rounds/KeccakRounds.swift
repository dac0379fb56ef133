// The permutation Keccak-f[1600], for one state or for several at a time: FIPS 202 §3.
// SPDX-License-Identifier: Apache-2.0

/// A lane of the state, or the same lane of several states.
public protocol KeccakLane: BitwiseCopyable {
  init(repeating word: UInt64)
  static func ^ (a: Self, b: Self) -> Self
  /// ~a & b
  static func andNot(_ a: Self, _ b: Self) -> Self
  func rotatedLeft(by count: UInt64) -> Self
}

public enum KeccakRounds {
  /// Lanes in a state: 5 × 5.
  @inline(always) public static var laneCount: Int { 25 }
  @inline(always) public static var roundCount: Int { 24 }

  /// Permutes the state, or several.
  ///
  /// A round reads the state from one place and writes it to the other. So no lane is kept in a register for longer
  /// than a row: no processor has registers for 25.
  ///
  /// - Parameters:
  ///   - state: 25 lanes; lane x + 5·y is A[x, y] of the standard.
  ///   - spare: memory for 25 lanes. It holds secrets afterwards.
  /// - Timing: constant.
  /// - Source: FIPS 202 §3.2, §3.3.
  @inline(always)
  public static func permute<Lane: KeccakLane>(
    _ state: UnsafeMutableRawPointer, spare: UnsafeMutableRawPointer, in _: Lane.Type
  ) {
    var (source, target) = (state, spare)
    var round = 0
    repeat {
      @inline(always) func load(_ lane: Int) -> Lane {
        (source + lane &* MemoryLayout<Lane>.size).loadUnaligned(as: Lane.self)
      }

      // θ: the parity of each column …
      @inline(always) func parity(_ x: Int) -> Lane {
        load(x) ^ load(x &+ 5) ^ load(x &+ 10) ^ load(x &+ 15) ^ load(x &+ 20)
      }
      let (c0, c1, c2, c3, c4) = (parity(0), parity(1), parity(2), parity(3), parity(4))
      // … and what it adds to the columns on both sides.
      let d0 = c4 ^ c1.rotatedLeft(by: 1)
      let d1 = c0 ^ c2.rotatedLeft(by: 1)
      let d2 = c1 ^ c3.rotatedLeft(by: 1)
      let d3 = c2 ^ c4.rotatedLeft(by: 1)
      let d4 = c3 ^ c0.rotatedLeft(by: 1)

      // χ on a row of what ρ and π have made from five lanes.
      @inline(always) func row(_ y: Int, _ b0: Lane, _ b1: Lane, _ b2: Lane, _ b3: Lane, _ b4: Lane) {
        let place = target + 5 &* y &* MemoryLayout<Lane>.size
        @inline(always) func store(_ x: Int, _ lane: Lane) {
          place.storeBytes(of: lane, toByteOffset: x &* MemoryLayout<Lane>.size, as: Lane.self)
        }
        store(0, b0 ^ .andNot(b1, b2))
        store(1, b1 ^ .andNot(b2, b3))
        store(2, b2 ^ .andNot(b3, b4))
        store(3, b3 ^ .andNot(b4, b0))
        store(4, b4 ^ .andNot(b0, b1))
      }

      @inline(always) func turned(_ lane: Int, _ d: Lane, _ count: UInt64) -> Lane {
        (load(lane) ^ d).rotatedLeft(by: count)
      }

      row(0, load(0) ^ d0, turned(6, d1, 44), turned(12, d2, 43), turned(18, d3, 21), turned(24, d4, 14))
      row(1, turned(3, d3, 28), turned(9, d4, 20), turned(10, d0, 3), turned(16, d1, 45), turned(22, d2, 61))
      row(2, turned(1, d1, 1), turned(7, d2, 6), turned(13, d3, 25), turned(19, d4, 8), turned(20, d0, 18))
      row(3, turned(4, d4, 27), turned(5, d0, 36), turned(11, d1, 10), turned(17, d2, 15), turned(23, d3, 56))
      row(4, turned(2, d2, 62), turned(8, d3, 55), turned(14, d4, 39), turned(15, d0, 41), turned(21, d1, 2))

      // ι
      let first = target.loadUnaligned(as: Lane.self) ^ Lane(repeating: constant(of: round))
      target.storeBytes(of: first, as: Lane.self)
      (source, target) = (target, source)
      round &+= 1
    } while round < roundCount
    // The number of rounds is even, so the result is in `state`.
  }

  /// RC of a round. (FIPS 202 §3.2.5)
  @inline(always)
  public static func constant(of round: Int) -> UInt64 {
    switch round {
    case 0: 0x0000_0000_0000_0001
    case 1: 0x0000_0000_0000_8082
    case 2: 0x8000_0000_0000_808a
    case 3: 0x8000_0000_8000_8000
    case 4: 0x0000_0000_0000_808b
    case 5: 0x0000_0000_8000_0001
    case 6: 0x8000_0000_8000_8081
    case 7: 0x8000_0000_0000_8009
    case 8: 0x0000_0000_0000_008a
    case 9: 0x0000_0000_0000_0088
    case 10: 0x0000_0000_8000_8009
    case 11: 0x0000_0000_8000_000a
    case 12: 0x0000_0000_8000_808b
    case 13: 0x8000_0000_0000_008b
    case 14: 0x8000_0000_0000_8089
    case 15: 0x8000_0000_0000_8003
    case 16: 0x8000_0000_0000_8002
    case 17: 0x8000_0000_0000_0080
    case 18: 0x0000_0000_0000_800a
    case 19: 0x8000_0000_8000_000a
    case 20: 0x8000_0000_8000_8081
    case 21: 0x8000_0000_0000_8080
    case 22: 0x0000_0000_8000_0001
    default: 0x8000_0000_8000_8008
    }
  }
}

/// A lane of one state.
public struct OneLane: KeccakLane {
  public var word: UInt64

  @inline(always) public init(repeating word: UInt64) { self.word = word }
  @inline(always) public static func ^ (a: Self, b: Self) -> Self { Self(repeating: a.word ^ b.word) }
  @inline(always) public static func andNot(_ a: Self, _ b: Self) -> Self { Self(repeating: ~a.word & b.word) }
  @inline(always) public func rotatedLeft(by count: UInt64) -> Self {
    Self(repeating: word &<< count | word &>> (64 &- count))
  }
}
