// The path for processors with AES-NI and AVX2: 8 blocks in four registers, three such sets in flight.

#if arch(x86_64)
  import Builtin
  import SM4Vector

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
    public static func encryptOne(
      _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
    ) {
      Narrow.encryptOne(key, input, output)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule: schedule, input: input, output: output, blockCount: blockCount)
      while text.blockCount >= 24 { text.crypt(TwentyFour.self) }
      switch text.blockCount {
      case ..<1: break
      case ...4: text.cryptLast(Four.self)
      case ...8: text.cryptLast(Eight.self)
      case ...16: text.cryptLast(Sixteen.self)
      default: text.cryptLast(TwentyFour.self)
      }
    }

    /// Zeroes the first sixteen vector registers, in which keys and texts may be left.
    @inline(never) @export(interface)
    public static func scrub() { Builtin.int_x86_avx_vzeroall() }
  }
#endif
