// Many keys with SM4's own instructions: four side by side.

#if arch(arm64)
  public import SM4Vector

  extension ARMv8SM4 {
    /// - Parameter scratch: room for a block and the schedules of four keys, which the caller wipes.
    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      let schedules = scratch + 16
      var done = 0
      while done < count {
        let lanes = LaneJobs(jobs + done, count: min(4, count &- done), discarded: scratch)
        expandKeys(Four<Word4>.self, { lanes.key($0) }) { turn, lane, roundKeys in
          roundKeys.wordsReversed.store(to: schedules + (128 &* lane &+ 16 &* (7 &- turn)))
        }
        for block in 0..<lanes.mostBlocks {
          var texts = Four { Word4(loadingBigEndianFrom: lanes.text($0, block)) }
          for turn in 0..<8 {
            texts.forEach { lane, text in
              text.fourRounds(Word4(loadingFrom: schedules + (128 &* lane &+ 16 &* turn)))
            }
          }
          texts.forEach { lane, text in text.storeReversed(to: lanes.output(lane, block)) }
        }
        done &+= lanes.count
      }
    }
  }
#endif
