// The path for arm64 with AES's instructions: 4 blocks in four registers, three such sets in flight. A fourth would not
// leave registers for the tables.

#if arch(arm64)
  import KeyboardSM4Vector

  private typealias Four = Quad<Skewed>
  private typealias Eight = Both<Four, Four>
  private typealias Twelve = Both<Eight, Four>

  public enum NEON {
    @inline(never) @export(interface)
    public static func expandKey(
      _ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer
    ) {
      Straight.expandKey(key, decrypting: decrypting, into: schedule)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule: schedule, input: input, output: output, blockCount: blockCount)
      while text.blockCount >= 12 { text.crypt(Twelve.self) }
      while text.blockCount > 0 {
        switch text.blockCount {
        case ...4: text.cryptSome(Four.self)
        case ...8: text.cryptSome(Eight.self)
        default: text.cryptSome(Twelve.self)
        }
      }
    }
  }
#endif
