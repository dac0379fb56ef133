// Many keys with SM4's own instructions: four side by side.

#if arch(arm64)
  public import KeyboardSM4Vector

  extension ARMv8SM4 {
    /// - Parameter scratch: room for a block and the schedules of four keys, which the caller wipes.
    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      let schedules = scratch + 16
      var done = 0
      while done < count {
        let jobCount = min(4, count &- done)
        let lanes = LaneJobs(jobs + done, jobCount: jobCount, laneCount: 4, discarded: scratch)
        expandKeys(Four<Word4>.self, { lanes[$0].key }) { turn, lane, roundKeys in
          roundKeys.wordsReversed.store(to: schedules + (128 &* lane &+ 16 &* (7 &- turn)))
        }
        repeat {
          var texts = Four { Word4(loadingBigEndianFrom: lanes[$0].text) }
          for turn in 0..<8 {
            texts.forEach { lane, text in
              text.fourRounds(Word4(loadingFrom: schedules + (128 &* lane &+ 16 &* turn)))
            }
          }
          texts.forEach { lane, text in text.storeReversed(to: lanes[lane].output) }
        } while lanes.advance()
        done &+= jobCount
      }
    }
  }
#endif
