// SHA-256's compression function for x86-64 processors with instructions for it.
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  public enum SHA256Instructions {
    /// Takes a block into the state.
    ///
    /// - Parameters:
    ///   - state: eight words, a … h.
    ///   - block: 64 bytes at any address.
    ///   - constants: the 64 words K.
    /// - Timing: constant.
    /// - Source: FIPS 180-4 §6.2.2.
    @inline(never) @export(interface)
    public static func compress(
      _ state: UnsafeMutablePointer<UInt32>, _ block: UnsafeRawPointer, constants: UnsafeRawPointer
    ) {
      @inline(always) func load(_ number: Int) -> SIMD4<UInt32> {
        let bytes = (block + 16 &* number).loadUnaligned(as: SIMD4<UInt32>.self)
        return SIMD4(bytes[0].byteSwapped, bytes[1].byteSwapped, bytes[2].byteSwapped, bytes[3].byteSwapped)
      }
      // The instructions want the words in this order.
      let (feba, hgdc) = (SIMD4(state[5], state[4], state[1], state[0]), SIMD4(state[7], state[6], state[3], state[2]))
      var (first, second) = (feba, hgdc)
      var (w0, w1, w2, w3) = (load(0), load(1), load(2), load(3))
      for index in 0..<16 {
        // Four rounds, two an instruction.
        let sums = w0 &+ (constants + 16 &* index).loadUnaligned(as: SIMD4<UInt32>.self)
        second = twoRounds(second, first, sums)
        first = twoRounds(first, second, SIMD4(sums[2], sums[3], sums[0], sums[1]))
        // The next four words of the schedule. The last four of them are not needed.
        let next = schedule(schedule(w0, w1) &+ SIMD4(w2[1], w2[2], w2[3], w3[0]), last: w3)
        (w0, w1, w2, w3) = (w1, w2, w3, next)
      }
      first &+= feba
      second &+= hgdc
      (state[0], state[1], state[4], state[5]) = (first[3], first[2], first[1], first[0])
      (state[2], state[3], state[6], state[7]) = (second[3], second[2], second[1], second[0])
    }

    @inline(always)
    private static func twoRounds(
      _ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>, _ sums: SIMD4<UInt32>
    ) -> SIMD4<UInt32> {
      words(Builtin.int_x86_sha256rnds2(a._storage._value, b._storage._value, sums._storage._value))
    }

    /// W[i] + σ0(W[i + 1])
    @inline(always)
    private static func schedule(_ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>) -> SIMD4<UInt32> {
      words(Builtin.int_x86_sha256msg1(a._storage._value, b._storage._value))
    }

    /// Adds σ1(W[i + 14]).
    @inline(always)
    private static func schedule(_ a: SIMD4<UInt32>, last: SIMD4<UInt32>) -> SIMD4<UInt32> {
      words(Builtin.int_x86_sha256msg2(a._storage._value, last._storage._value))
    }

    @inline(always)
    private static func words(_ vector: Builtin.Vec4xInt32) -> SIMD4<UInt32> {
      unsafeBitCast(Lanes(vector: vector), to: SIMD4<UInt32>.self)
    }

    private struct Lanes { var vector: Builtin.Vec4xInt32 }
  }
#endif
