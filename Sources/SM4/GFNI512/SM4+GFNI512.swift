// The path for processors with GFNI and AVX-512: 16 blocks in four registers, five such sets in flight.

#if arch(x86_64)
  import Builtin
  import SM4Vector

  private typealias Four = Quad<Narrow>
  private typealias Sixteen = Quad<Wide>
  private typealias ThirtyTwo = Both<Sixteen, Sixteen>
  private typealias FortyEight = Both<ThirtyTwo, Sixteen>
  private typealias Eighty = Both<ThirtyTwo, FortyEight>

  public enum GFNI512 {
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
      while text.blockCount >= 80 { text.crypt(Eighty.self) }
      switch text.blockCount {
      case ..<1: break
      case ...4: text.cryptLast(Four.self)
      case ...16: text.cryptLast(Sixteen.self)
      case ...32: text.cryptLast(ThirtyTwo.self)
      case ...48: text.cryptLast(FortyEight.self)
      default: text.cryptLast(Eighty.self)
      }
    }

    /// Zeroes the first sixteen vector registers, in which keys and texts may be left. The other sixteen of AVX-512 are beyond this
    /// instruction, and LLVM has no other.
    @inline(never) @export(interface)
    public static func scrub() { Builtin.int_x86_avx_vzeroall() }
  }
#endif
