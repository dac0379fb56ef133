// Many short texts, each under a key of its own: a lane of the registers for each, key schedule and decryption side by
// side in all of them.
//
// SPDX-License-Identifier: Apache-2.0

/// One text to be decrypted: where its next block is, and where it goes.
public struct LaneJob {
  /// 16 bytes.
  public var key: UnsafeRawPointer
  /// `blockCount` blocks.
  public var text: UnsafeRawPointer
  /// As much memory, in which the blocks come out; `text` itself, or not overlapping any job's.
  public var output: UnsafeMutableRawPointer
  /// At least one.
  public var blockCount: Int

  @inline(always)
  public init(key: UnsafeRawPointer, text: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int) {
    self.key = key
    self.text = text
    self.output = output
    self.blockCount = blockCount
  }

  @inline(always) mutating func advance(discarding discarded: UnsafeMutableRawPointer) {
    if blockCount > 1 {
      text += Standard.blockByteCount
      output += Standard.blockByteCount
      blockCount &-= 1
    } else {
      output = discarded
    }
  }
}

/// Jobs in groups of as many as a register has words.
public struct LaneGroups {
  public let jobs: UnsafeMutablePointer<LaneJob>
  public let count: Int
  /// Where each group is. Those that are whole are the caller's jobs. One that is not is in `spare`: its jobs, and
  /// after them copies whose results are not wanted. One that is missing does the last one's jobs once more, to no
  /// effect. (In memory, because the compiler would otherwise choose between two addresses at every access.)
  public let groups: UnsafeMutablePointer<UnsafeMutablePointer<LaneJob>>
  public let spare: UnsafeMutablePointer<LaneJob>
  public let groupSize: Int
  /// Where a block goes that is not wanted.
  public let discarded: UnsafeMutableRawPointer

  /// The most groups in flight on any path.
  public static var mostGroups: Int { 4 }

  /// Lends memory for the groups.
  @inline(always) public static func withMemory(
    groupSize: Int, discarded: UnsafeMutableRawPointer,
    _ body: (_ divide: (_ jobs: UnsafeMutablePointer<LaneJob>, _ count: Int) -> LaneGroups) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: LaneJob.self, capacity: groupSize) { spare in
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<LaneJob>.self, capacity: mostGroups) { groups in
        body { jobs, count in
          let divided = LaneGroups(
            jobs: jobs, count: count, groups: groups.baseAddress!, spare: spare.baseAddress!, groupSize: groupSize,
            discarded: discarded)
          divided.begin()
          return divided
        }
      }
    }
  }

  @inline(always) public init(
    jobs: UnsafeMutablePointer<LaneJob>, count: Int, groups: UnsafeMutablePointer<UnsafeMutablePointer<LaneJob>>,
    spare: UnsafeMutablePointer<LaneJob>, groupSize: Int, discarded: UnsafeMutableRawPointer
  ) {
    (self.jobs, self.count, self.groups) = (jobs, count, groups)
    (self.spare, self.groupSize, self.discarded) = (spare, groupSize, discarded)
  }

  @inline(always) public subscript(group: Int) -> UnsafeMutablePointer<LaneJob> { groups[group] }

  /// Divides the jobs. (The usual case without a call, whose price is 2 % of a row with 256-bit registers.)
  @inline(always) public func begin() {
    guard count == 2 &* groupSize else { return divide() }
    groups[0] = jobs
    groups[1] = jobs + groupSize
  }

  @inline(never) @export(interface)
  public func divide() {
    var (first, last) = (0, spare)
    for group in 0..<Self.mostGroups {
      let left = count &- first
      if left >= groupSize {
        last = jobs + first
      } else if left > 0 {
        for lane in 0..<groupSize {
          spare[lane] = jobs[first &+ min(lane, left &- 1)]
          if lane >= left { spare[lane].output = discarded }
        }
        last = spare
      }
      groups[group] = last
      first &+= groupSize
    }
  }

  /// Whether any job has another block.
  @inline(always) public var hasMore: Bool {
    for job in 0..<count where jobs[job].blockCount > 1 { return true }
    return false
  }

  /// Every job goes on to its next block. A text that has none is decrypted once more, to no effect.
  ///
  /// - Returns: true.
  @inline(never) @export(interface)
  public func advance() -> Bool {
    for job in 0..<count { jobs[job].advance(discarding: discarded) }
    divide()
    return true
  }
}

/// How the words of a group come into its memory and leave it.
public enum LaneWords<Instructions: InstructionSet> {
  public typealias Word = Instructions.Word

  /// Stores four words of each job, in the basis of the rounds.
  ///
  /// A function of its own, and through memory: rows keep nothing in registers meanwhile, which would be saved to a
  /// stack that is not wiped so deep.
  ///
  /// - Parameter places: the first of as many pointers as a group has jobs, each in its job.
  @inline(never) public static func gather(_ places: UnsafeRawPointer, into memory: UnsafeMutableRawPointer) {
    @inline(always) func part(_ number: Int) -> Word {
      Word {
        (places + (number &+ 4 &* $0) &* MemoryLayout<LaneJob>.stride).load(as: UnsafeRawPointer.self)
      }
    }
    store(Instructions.entered((part(0), part(1), part(2), part(3))), to: memory)
  }

  /// Writes the blocks that four words are, to where the jobs want them.
  @inline(never) public static func scatter(_ memory: UnsafeRawPointer, to group: UnsafePointer<LaneJob>) {
    let blocks = Instructions.left(load(memory))
    blocks.0.scatter { group[4 &* $0].output }
    blocks.1.scatter { group[4 &* $0 &+ 1].output }
    blocks.2.scatter { group[4 &* $0 &+ 2].output }
    blocks.3.scatter { group[4 &* $0 &+ 3].output }
  }

  @inline(always) public static func load(_ memory: UnsafeRawPointer) -> FourWords<Word> {
    let size = Word.byteCount
    return (
      Word(loadingFrom: memory), Word(loadingFrom: memory + size), Word(loadingFrom: memory + 2 &* size),
      Word(loadingFrom: memory + 3 &* size)
    )
  }

  @inline(always) public static func store(_ words: FourWords<Word>, to memory: UnsafeMutableRawPointer) {
    let size = Word.byteCount
    words.0.store(to: memory)
    words.1.store(to: memory + size)
    words.2.store(to: memory + 2 &* size)
    words.3.store(to: memory + 3 &* size)
  }
}

/// The words of every job's next block, in the groups' memory.
public struct LanePlaces<Instructions: InstructionSet>: BlockPlaces {
  public let schedules: LaneSchedules<Instructions.Word>

  @inline(always) public init(_ schedules: LaneSchedules<Instructions.Word>) { self.schedules = schedules }

  @inline(always) public func load(_ quad: Int) -> FourWords<Instructions.Word> {
    LaneWords<Instructions>.load(schedules.words(of: quad))
  }

  @inline(always) public func store(_ words: FourWords<Instructions.Word>, to quad: Int) {
    LaneWords<Instructions>.store(words, to: schedules.words(of: quad))
  }
}

extension Row {
  /// Decrypts jobs, with a row of quads for their blocks.
  ///
  /// - Parameters:
  ///   - keys: a row of as many groups, at least two.
  ///   - scratch: room for the schedules of the groups and a block, which the caller wipes. Fastest at a multiple of a
  ///     register's size.
  @inline(always) public static func decrypt<Instructions: InstructionSet, Keys: Row>(
    _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer, keys: Keys.Type
  ) where Element == Quad<Instructions>, Keys.Element == LaneKeys<Instructions> {
    let size = Quad<Instructions>.blockCount
    // With narrow words two groups take hardly longer than one, and code for one would cost 2 KB.
    let mostGroups = count <= size && Self.count > 2 ? 1 : count <= 2 &* size ? 2 : Self.count
    let discarded = scratch + mostGroups &* LaneSchedules<Instructions.Word>.byteCount
    LaneGroups.withMemory(groupSize: size, discarded: discarded) { divide in
      var (jobs, left) = (jobs, count)
      while left > 0 {
        let taken: Int
        if left <= size && Self.count > 2 {
          taken = left
          One<Quad<Instructions>>.decrypt(divide(jobs, taken), scratch, One<LaneKeys<Instructions>>.self)
        } else if left <= 2 &* size || Self.count == 2 {
          taken = min(left, 2 &* size)
          Two<Quad<Instructions>>.decrypt(divide(jobs, taken), scratch, Two<LaneKeys<Instructions>>.self)
        } else {
          taken = min(left, Self.count &* size)
          Self.decrypt(divide(jobs, taken), scratch, keys)
        }
        jobs += taken
        left &-= taken
      }
    }
  }

  @inline(always) public static func decrypt<Instructions: InstructionSet, Keys: Row>(
    _ groups: LaneGroups, _ scratch: UnsafeMutableRawPointer, _: Keys.Type
  ) where Element == Quad<Instructions>, Keys.Element == LaneKeys<Instructions> {
    var schedules = LaneSchedules<Instructions.Word>(scratch)
    schedules.expand(Keys.self, groups)
    repeat {
      for group in 0..<Self.count {
        LaneWords<Instructions>.gather(
          UnsafeRawPointer(groups[group]) + MemoryLayout<LaneJob>.offset(of: \.text)!, into: schedules.words(of: group))
      }
      crypt(LanePlaces<Instructions>(schedules), &schedules)
      for group in 0..<Self.count {
        LaneWords<Instructions>.scatter(schedules.words(of: group), to: groups[group])
      }
    } while groups.hasMore && groups.advance()
  }
}
