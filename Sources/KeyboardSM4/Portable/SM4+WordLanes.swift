// Many keys on any processor: the rounds of SM4+Words.swift with a key in each of the four lanes.

import KeyboardSM4Vector

extension Portable {
  /// - Parameter scratch: room for a block and the round keys of four lanes, which the caller wipes.
  static func decryptLanes(_ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer) {
    let schedule = scratch + SM4.blockSize
    var done = 0
    while done < count {
      let jobCount = min(4, count &- done)
      let lanes = LaneJobs(jobs + done, jobCount: jobCount, laneCount: 4, discarded: scratch)
      expandFourKeys(lanes, into: schedule)
      repeat {
        decryptFour(lanes, schedule: schedule)
      } while lanes.advance()
      done &+= jobCount
    }
  }

  /// The first word of each lane, the second, …
  @inline(__always)
  private static func words(_ place: (Int) -> UnsafeRawPointer) -> (Word4, Word4, Word4, Word4) {
    var r0 = Word4(loadingFrom: place(0)).byteSwapped
    var r1 = Word4(loadingFrom: place(1)).byteSwapped
    var r2 = Word4(loadingFrom: place(2)).byteSwapped
    var r3 = Word4(loadingFrom: place(3)).byteSwapped
    Word4.transpose(&r0, &r1, &r2, &r3)
    return (r0, r1, r2, r3)
  }

  /// Round keys in the order of decryption. (§7.3)
  @inline(never)
  private static func expandFourKeys(_ jobs: LaneJobs, into schedule: UnsafeMutableRawPointer) {
    var (k0, k1, k2, k3) = words { jobs[$0].key }
    k0 = k0 ^ Word4(repeating: 0xa3b1_bac6)
    k1 = k1 ^ Word4(repeating: 0x56aa_3350)
    k2 = k2 ^ Word4(repeating: 0x677d_9197)
    k3 = k3 ^ Word4(repeating: 0xb270_22dc)
    var constant: UInt32 = 0x0007_0e15
    for i in 0..<SM4.roundCount {
      let next = k0 ^ (k1 ^ k2 ^ k3 ^ Word4(repeating: constant)).keyMixed
      (k0, k1, k2, k3) = (k1, k2, k3, next)
      next.store(to: schedule + 16 &* (SM4.roundCount &- 1 &- i))
      constant = nextKeyConstant(constant)
    }
  }

  @inline(never)
  private static func decryptFour(_ jobs: LaneJobs, schedule: UnsafeRawPointer) {
    var (x0, x1, x2, x3) = words { jobs[$0].text }
    rounds({ Word4(loadingFrom: schedule + 16 &* $0) }, &x0, &x1, &x2, &x3)
    Word4.transpose(&x0, &x1, &x2, &x3)
    x0.byteSwapped.store(to: jobs[0].output)
    x1.byteSwapped.store(to: jobs[1].output)
    x2.byteSwapped.store(to: jobs[2].output)
    x3.byteSwapped.store(to: jobs[3].output)
  }
}
