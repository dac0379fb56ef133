// Many keys with NEON: 4 lanes in a group, up to four groups in flight.

#if arch(arm64)
  public import KeyboardSM4Vector

  extension NEON {
    /// - Parameter scratch: room for a block and the schedules of the lanes in flight, which the caller wipes.
    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      var queue = LaneQueue(jobs, count: count, scratch: scratch)
      while queue.count > 0 {
        switch queue.count {
        case ...4: queue.decrypt(One<LaneKeys<Skewed>>.self, One<LaneBlocks<Skewed>>.self)
        default: queue.decrypt(Two<LaneKeys<Skewed>>.self, Two<LaneBlocks<Skewed>>.self)
        }
      }
    }
  }
#endif
