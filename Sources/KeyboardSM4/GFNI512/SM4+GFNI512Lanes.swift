// Many keys with GFNI and AVX-512: 16 lanes in a group, four groups in flight.

#if arch(x86_64)
  public import KeyboardSM4Vector

  extension GFNI512 {
    /// - Parameter scratch: room for a block and the schedules of the lanes in flight, which the caller wipes.
    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      var queue = LaneQueue(jobs, count: count, scratch: scratch)
      while queue.count > 0 {
        switch queue.count {
        case ...16: queue.decrypt(One<LaneKeys<Wide>>.self, One<LaneBlocks<Wide>>.self)
        case ...32: queue.decrypt(Two<LaneKeys<Wide>>.self, Two<LaneBlocks<Wide>>.self)
        default: queue.decrypt(Four<LaneKeys<Wide>>.self, Four<LaneBlocks<Wide>>.self)
        }
      }
    }
  }
#endif
