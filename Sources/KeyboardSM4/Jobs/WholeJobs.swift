// The jobs of a batch that have one block and nothing wrong, as nearly all have. A register holds a whole job while it
// is read and judged, and four decrypted blocks while their padding is.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin
  public import KeyboardSM4Vector

  /// Jobs that are read as a whole.
  public enum WholeJobs {
    /// Copies jobs into lanes, up to the first that has not one block, or with which something is wrong.
    ///
    /// - Parameters:
    ///   - jobs: the caller's, all of them; see `BlockJob`.
    ///   - jobsByteCount: of all of them.
    ///   - first: the first to be copied.
    ///   - count: how many at most.
    ///   - lanes: get the places of the keys and the texts.
    ///   - origins: get the jobs, and the places for the passwords.
    /// - Returns: how many were copied.
    /// - Timing: depends on places and lengths, which are not secret.
    @inline(never) @export(interface)
    public static func take(
      _ jobs: UnsafeRawPointer, byteCount jobsByteCount: Int, from first: UnsafeMutableRawPointer, count: Int,
      into lanes: UnsafeMutablePointer<LaneJob>, origins: UnsafeMutablePointer<BlockOrigin>
    ) -> Int {
      // A place is neither NULL nor in the upper half of the address space; a length is that of a block; and there is
      // room for one.
      let block = UInt64(Standard.blockByteCount)
      let (places, capacity) = (UInt64(Int64.max), UInt64(Int32.max / 2))
      let least = JobWords(SIMD8(1, block, 1, block, 1, block, 0, 0))
      let range = JobWords(SIMD8(places, 0, places, 0, places, capacity, .max, .max))
      // Three ranges do not overlap the room for the password: key, jobs and text. The room's last byte is in such a
      // range, or the range's first byte is in the room, if their distance is less than both lengths together.
      let jobsLength = UInt64(truncatingIfNeeded: jobsByteCount)
      let lengths = JobWords(SIMD8(block &- 1, jobsLength &- 1, block &- 1, 0, 0, 0, 0, 0))
      let start = JobWords(SIMD8(repeating: UInt64(UInt(bitPattern: jobs))))
      let others: UInt8 = 0b1111_1000  // the words that are not compared with those three

      var (job, taken) = (first, 0)
      while taken < count {
        let words = JobWords(readingOnce: job)
        let clear = JobWords.shuffle(words, words, SIMD8(4, 4, 4, 4, 4, 4, 4, 4))
        let capacity = JobWords.shuffle(words, words, SIMD8(5, 5, 5, 5, 5, 5, 5, 5))
        let starts = JobWords.shuffle(words, start, SIMD8(0, 8, 2, 3, 4, 5, 6, 7))
        let distances = clear &+ capacity &- JobWords(SIMD8(repeating: 1)) &- starts
        let isPlain = (words &- least).isAtMost(range)
        let isApart = (capacity &+ lengths).isAtMost(distances)
        guard isPlain & (isApart | others) == .max else { break }
        words.storeKeyAndText(to: lanes + taken)
        origins[taken] = BlockOrigin(job: job, clear: words.clear)
        job += BlockJob.byteCount
        taken &+= 1
      }
      return taken
    }

    /// Answers jobs with blocks that were decrypted, without their padding: four at a time, up to four of which one has
    /// a wrong padding, or fewer than four.
    ///
    /// - Parameters:
    ///   - blocks: one after the other.
    ///   - origins: whose they are; each has room for a whole block. Its bytes behind the password stay as they are.
    /// - Returns: how many were answered.
    /// - Timing: depends on whether all four are padded rightly, and on nothing else of theirs.
    @inline(never) @export(interface)
    public static func answer(_ blocks: UnsafeRawPointer, _ origins: UnsafePointer<BlockOrigin>, count: Int) -> Int {
      var answered = 0
      while count &- answered >= PaddedBlocks.count {
        let texts = PaddedBlocks(blocks + answered &* Standard.blockByteCount)
        guard texts.arePadded else { break }
        let origin = origins + answered
        texts.storeWithoutPadding { origin[$0].clear }
        for number in 0..<PaddedBlocks.count {
          let job = origin[number].job
          job.storeBytes(of: texts.length(of: number), toByteOffset: BlockJob.clearLengthOffset, as: UInt64.self)
          job.storeBytes(of: 0, toByteOffset: BlockJob.codeOffset, as: UInt32.self)
        }
        answered &+= PaddedBlocks.count
      }
      return answered
    }
  }

  /// The eight words of a job.
  private struct JobWords {
    let lanes: Builtin.Vec8xInt64

    @inline(always) init(_ lanes: Builtin.Vec8xInt64) { self.lanes = lanes }
    @inline(always) init(_ words: SIMD8<UInt64>) { lanes = words._storage._value }

    /// Reads memory that another thread may change. It is read once, because what comes out of the product with the
    /// unit matrix is not what is in memory, as far as the compiler knows.
    @inline(always) init(readingOnce memory: UnsafeRawPointer) {
      let unit: UInt64 = 0x0102_0408_1020_4080
      lanes = Builtin.bitcast_Vec16xInt32_Vec8xInt64(Word16(loadingFrom: memory).product(unit).lanes)
    }

    @inline(always) static func &+ (a: Self, b: Self) -> Self { Self(Builtin.add_Vec8xInt64(a.lanes, b.lanes)) }
    @inline(always) static func &- (a: Self, b: Self) -> Self { Self(Builtin.sub_Vec8xInt64(a.lanes, b.lanes)) }

    /// A bit for each word, that of word 0 first.
    @inline(always) func isAtMost(_ others: Self) -> UInt8 {
      UInt8(Builtin.bitcast_Vec8xInt1_Int8(Builtin.cmp_ule_Vec8xInt64(lanes, others.lanes)))
    }

    /// Word i of the result is word `order[i]` of `a` (0…7) or `b` (8…15).
    @inline(always) static func shuffle(_ a: Self, _ b: Self, _ order: SIMD8<UInt32>) -> Self {
      Self(Builtin.shufflevector_Vec8xInt64_Vec8xInt32(a.lanes, b.lanes, order._storage._value))
    }

    @inline(always) var clear: UnsafeMutableRawPointer {
      let word = Int(Builtin.extractelement_Vec8xInt64_Int32(lanes, (4 as Int32)._value))
      return UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped
    }

    /// They are next to each other in a lane's job, too.
    @inline(always) func storeKeyAndText(to lane: UnsafeMutablePointer<LaneJob>) {
      var words = SIMD2<UInt64>()
      let order = SIMD2<UInt32>(0, 2)._storage._value
      words._storage._value = Builtin.shufflevector_Vec8xInt64_Vec2xInt32(lanes, lanes, order)
      UnsafeMutableRawPointer(lane).storeBytes(of: words, as: SIMD2<UInt64>.self)
    }
  }

  /// Four blocks that end in padding, perhaps: `PaddedBlock` with a register for all of them.
  private struct PaddedBlocks {
    @inline(always) static var count: Int { 4 }

    let texts: Word16
    /// In every byte of a block, its last: how many bytes of padding there should be.
    let paddings: Builtin.Vec64xInt8
    /// Which bytes those are.
    let isPadding: Builtin.Vec64xInt1

    @inline(always) init(_ blocks: UnsafeRawPointer) {
      texts = Word16(loadingFrom: blocks)
      paddings = Builtin.int_x86_avx512_pshuf_b_512(texts.bytes, Self.repeated(15))
      let places = SIMD16<UInt32>(
        0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c, 0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c,
        0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c, 0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c)
      let ends = Builtin.add_Vec64xInt8(Word16(places._storage._value).bytes, paddings)
      isPadding = Builtin.cmp_ugt_Vec64xInt8(ends, Self.repeated(15))
    }

    @inline(always) static func repeated(_ byte: UInt8) -> Builtin.Vec64xInt8 {
      SIMD64<UInt8>(repeating: byte)._storage._value
    }

    /// Whether every padding has 1 to 16 bytes, all of the same value.
    @inline(always) var arePadded: Bool {
      let isOther = Builtin.and_Vec64xInt1(isPadding, Builtin.cmp_ne_Vec64xInt8(texts.bytes, paddings))
      let isWrong = Builtin.cmp_ugt_Vec64xInt8(
        Builtin.sub_Vec64xInt8(paddings, Self.repeated(1)), Self.repeated(15))
      return UInt64(Builtin.bitcast_Vec64xInt1_Int64(Builtin.or_Vec64xInt1(isOther, isWrong))) == 0
    }

    @inline(always) func storeWithoutPadding(to place: (Int) -> UnsafeMutableRawPointer) {
      let old = Word16(gathering: { UnsafeRawPointer(place($0)) })
      Word16(bytes: Builtin.select_Vec64xInt1_Vec64xInt8(isPadding, old.bytes, texts.bytes)).scatter(to: place)
    }

    @inline(always) func length(of number: Int) -> UInt64 {
      let lengths = Word16(bytes: Builtin.sub_Vec64xInt8(Self.repeated(16), paddings))
      let block =
        switch number {
        case 0: lengths.quarter(SIMD4(0, 1, 2, 3))
        case 1: lengths.quarter(SIMD4(4, 5, 6, 7))
        case 2: lengths.quarter(SIMD4(8, 9, 10, 11))
        default: lengths.quarter(SIMD4(12, 13, 14, 15))
        }
      return UInt64(UInt8(Builtin.extractelement_Vec16xInt8_Int32(block.bytes, (0 as Int32)._value)))
    }
  }
#endif
