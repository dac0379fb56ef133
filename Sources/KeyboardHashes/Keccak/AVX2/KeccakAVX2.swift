// Keccak-f[1600] on four states at a time, for processors with AVX2.
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin
  import KeyboardKeccakRounds

  public enum KeccakAVX2 {
    /// - Parameters:
    ///   - states: 25 times the same lane of four states.
    ///   - spare: memory of the same size. It holds secrets afterwards.
    @inline(never) @export(interface)
    public static func permute(_ states: UnsafeMutableRawPointer, spare: UnsafeMutableRawPointer) {
      KeccakRounds.permute(states, spare: spare, in: FourLanes.self)
    }
  }

  /// The same lane of four states.
  struct FourLanes: KeccakLane {
    var words: Builtin.Vec4xInt64

    @inline(always) init(_ words: Builtin.Vec4xInt64) { self.words = words }
    @inline(always) init(repeating word: UInt64) { words = SIMD4<UInt64>(repeating: word)._storage._value }

    @inline(always) static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec4xInt64(a.words, b.words)) }

    @inline(always) static func andNot(_ a: Self, _ b: Self) -> Self {
      let ones = Self(repeating: ~0)
      return Self(Builtin.and_Vec4xInt64(Builtin.xor_Vec4xInt64(a.words, ones.words), b.words))
    }

    @inline(always) func rotatedLeft(by count: UInt64) -> Self {
      Self(Builtin.int_fshl_Vec4xInt64(words, words, Self(repeating: count).words))
    }
  }
#endif
