// The path for processors with GFNI and AVX-512: 16 blocks in four registers, five such sets in flight.

#if arch(x86_64)
  import KeyboardSM4Vector

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

    /// Encrypts up to four blocks under a key for one use.
    @inline(never) @export(interface)
    public static func encryptFew(
      _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule: key, input: input, output: output, blockCount: blockCount)
      if blockCount > 0 { text.encryptSome(Four.self, Narrow.self) }
    }

    @inline(never) @export(interface)
    public static func decryptOne(
      _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
      scratch: UnsafeMutableRawPointer
    ) {
      Narrow.decryptOne(key, input, output, scratch: scratch)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule: schedule, input: input, output: output, blockCount: blockCount)
      while text.blockCount >= 80 { text.crypt(Eighty.self) }
      while text.blockCount > 0 {
        switch text.blockCount {
        case ...4: text.cryptSome(Four.self)
        case ...16: text.cryptSome(Sixteen.self)
        case ...32: text.cryptSome(ThirtyTwo.self)
        default: text.cryptSome(FortyEight.self)
        }
      }
    }
  }
#endif
