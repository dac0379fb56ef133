// Many keys with AES-NI and AVX2: 8 lanes in a group, two groups in flight.

#if arch(x86_64)
  public import KeyboardSM4Vector

  extension AESNI {
    /// - Parameter scratch: room for a block and the schedules of the lanes in flight, which the caller wipes.
    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      var queue = LaneQueue(jobs, count: count, scratch: scratch)
      while queue.count > 0 {
        switch queue.count {
        case ...8: queue.decrypt(One<LaneKeys<Wide>>.self, One<LaneBlocks<Wide>>.self)
        default: queue.decrypt(Two<LaneKeys<Wide>>.self, Two<LaneBlocks<Wide>>.self)
        }
      }
    }
  }
#endif
