// The path for processors with AES-NI and AVX2: 8 blocks in four registers, three such sets in flight.

#if arch(x86_64)
  import KeyboardSM4Vector

  private typealias Four = Quad<Narrow>
  private typealias Eight = Quad<Wide>
  private typealias Sixteen = Both<Eight, Eight>
  private typealias TwentyFour = Both<Sixteen, Eight>

  public enum AESNI {
    @inline(never) @export(interface)
    public static func expandKey(
      _ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer
    ) {
      Narrow.expandKey(key, decrypting: decrypting, into: schedule)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule: schedule, input: input, output: output, blockCount: blockCount)
      while text.blockCount >= 24 { text.crypt(TwentyFour.self) }
      while text.blockCount > 0 {
        switch text.blockCount {
        case ...4: text.cryptSome(Four.self)
        case ...8: text.cryptSome(Eight.self)
        default: text.cryptSome(Sixteen.self)
        }
      }
    }
  }
#endif
