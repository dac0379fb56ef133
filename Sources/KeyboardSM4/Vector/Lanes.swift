// Many short texts, each under a key of its own: a lane of the registers for each, key schedule and decryption side by
// side in all of them.
//
// The round keys are equivalent ones (see Schedule.swift), and come as cheaply as plain ones. Three κ in sequence sum
// up to a round key, so three e in sequence sum up to two round keys four apart, and those differ by what T' gave: once
// four round keys are known, e[i-1] = e[i-2] ^ e[i-3] ^ T'. Before that, κ = 0 takes the place of the older round key,
// and the new round key K ^ T' the place of T', where K is a word of the key. The first four rounds are nevertheless
// like the others: what the four K contribute to e[1] and later can begin in e[-2] and e[-3], because without T' the e
// repeat after three rounds. Only e[-1] and e[0] then lack something, and get it at the end.
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

/// The schedules of a row of groups, for decryption: a register for each word, and a schedule for each group. They
/// begin with word 0, which is not used, and end with the only one of the last four that is not 0. After them there is
/// room for four words of every job: first of its key, then of a block.
public struct LaneSchedules<Word: Words>: RoundKeys {
  public let memory: UnsafeMutableRawPointer

  @inline(always) public init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }
  @inline(always) public static var firstOfFour: Int { Schedule.exit &+ 1 }
  @inline(always) public static var wordCount: Int { firstOfFour &+ 4 }

  /// Bytes of a group's schedule.
  @inline(always) public static var byteCount: Int { wordCount &* Word.byteCount }

  @inline(always) public func place(_ word: Int, of group: Int) -> UnsafeMutableRawPointer {
    memory + (word &* Word.byteCount &+ group &* Self.byteCount)
  }

  /// Where the four words are.
  @inline(always) public func words(of group: Int) -> UnsafeMutableRawPointer { place(Self.firstOfFour, of: group) }

  @inline(always) public func word(_ word: Int, of group: Int) -> Word { Word(loadingFrom: place(word, of: group)) }

  @inline(always) public func entry(of group: Int) -> (Word, Word, Word) {
    (word(1, of: group), word(2, of: group), word(3, of: group))
  }

  @inline(always) public func round(_ index: Int, _ number: Int, of group: Int) -> Word {
    word(Schedule.firstRound &+ index &+ number, of: group)
  }

  @inline(always) public func exit(of group: Int) -> (Word, Word, Word) {
    (word(Schedule.exit, of: group), Word(repeating: 0), Word(repeating: 0))
  }
}

/// The key schedules of a group.
public struct LaneKeys<Instructions: InstructionSet> {
  public typealias Word = Instructions.Word
  public var k0, k1, k2, k3: Word
  /// e[i-2] and e[i-3] in round i.
  public var e1, e2: Word
  /// What the next round applies T' to, for a group that is alone.
  public var x: Word

  /// - Parameter words: of the keys.
  @inline(always) public init(_ words: FourWords<Word>) {
    let parameter = Standard.systemParameter
    (k0, k1, k2, k3) = words
    k0 = k0 ^ Self.entered(parameter.0)
    k1 = k1 ^ Self.entered(parameter.1)
    k2 = k2 ^ Self.entered(parameter.2)
    k3 = k3 ^ Self.entered(parameter.3)
    e1 = k1 ^ k2
    e2 = Instructions.sum(k0, k1, k3)
    x = Instructions.sum(e1, k3, Self.enteredConstant(Standard.firstKeyConstant))
  }

  /// What e[-1] and e[0] lack, as long as no round has changed the words.
  @inline(always) public var lacking: (Word, Word) { (k2 ^ k3, k3) }

  /// A1·parameter ^ 0x65
  @inline(always) public static func entered(_ parameter: UInt32) -> Word {
    Instructions.entered(Word(repeating: parameter.byteSwapped)) ^ Word(repeating: basisConstant)
  }

  /// A1·constant
  @inline(always) public static func enteredConstant(_ constant: UInt32) -> Word {
    Instructions.entered(Word(repeating: constant.byteSwapped))
  }

  /// Round `number` of four. Leaves e[i-1] in `e1`.
  @inline(always) public mutating func round(_ number: Int, constant: Word) {
    let t: Word
    switch number {
    case 0: t = Self.round(&k0, k1, k2, k3, constant)
    case 1: t = Self.round(&k1, k2, k3, k0, constant)
    case 2: t = Self.round(&k2, k3, k0, k1, constant)
    default: t = Self.round(&k3, k0, k1, k2, constant)
    }
    (e1, e2) = (Instructions.sum(t, e1, e2), e1)
  }

  /// Returns what T' gave.
  @inline(always) public static func round(
    _ k: inout Word, _ b: Word, _ c: Word, _ d: Word, _ constant: Word
  ) -> Word {
    let t = Instructions.keyMixed(Instructions.sum(b ^ constant, c, d))
    k = k ^ t
    return t
  }

  /// A round where no other group fills the time in which it waits for its own results.
  ///
  /// - Parameter constants: of this round and the next, as their sum.
  @inline(always) public mutating func roundAlone(_ number: Int, constants: Word) {
    let t: Word
    switch number {
    case 0: t = Self.roundAlone(&k0, k1, constants, &x)
    case 1: t = Self.roundAlone(&k1, k2, constants, &x)
    case 2: t = Self.roundAlone(&k2, k3, constants, &x)
    default: t = Self.roundAlone(&k3, k0, constants, &x)
    }
    (e1, e2) = (Instructions.sum(t, e1, e2), e1)
  }

  /// The next `x` is this one without `b`, its oldest word, and with the new one: the chain is T' and two sums.
  @inline(always) public static func roundAlone(
    _ k: inout Word, _ b: Word, _ constants: Word, _ x: inout Word
  ) -> Word {
    let (y0, y1, y2, y3) = Instructions.keyImages(of: x)
    let early = Instructions.sum(k ^ constants, b, x)
    x = Instructions.sum(
      Instructions.sum(early, y0, y1.rotatedLeft(by: 24)), y2.rotatedLeft(by: 16), y3.rotatedLeft(by: 8))
    let t = x ^ early
    k = k ^ t
    return t
  }

  /// The last four e, which are κ[31]…κ[34], from the last four round keys, e[29] and e[30]:
  /// each k is the sum of three κ, and e[i] = κ[i+4] ^ κ[i].
  @inline(always) public var lastKappas: (Word, Word, Word, Word) {
    let kappa31 = Instructions.sum(k0, k1, k2) ^ e2
    let kappa32 = Instructions.sum(k1, k2, k3) ^ e1
    let kappa33 = Instructions.sum(k2, kappa31, kappa32)
    let kappa34 = Instructions.sum(k3, kappa32, kappa33)
    return (kappa31, kappa32, kappa33, kappa34)
  }
}

extension LaneSchedules {
  /// Writes the schedules of a row of groups.
  @inline(always) public func expand<Instructions: InstructionSet, Keys: Row>(_: Keys.Type, _ groups: LaneGroups)
  where Keys.Element == LaneKeys<Instructions>, Instructions.Word == Word {
    for group in 0..<Keys.count {
      LaneWords<Instructions>.gather(
        UnsafeRawPointer(groups[group]) + MemoryLayout<LaneJob>.offset(of: \.key)!, into: words(of: group))
    }
    var keys = Keys { LaneKeys(LaneWords<Instructions>.load(words(of: $0))) }
    var constant = Standard.firstKeyConstant

    // Words 1 and 2 are written last, and keep until then what the words of the first two rounds lack.
    keys.forEach { group, lanes in
      lanes.lacking.0.store(to: place(1, of: group))
      lanes.lacking.1.store(to: place(2, of: group))
    }

    // Round i writes e[i-1], which is word `exit` - i of a schedule that runs backwards.
    @inline(always) func round(_ index: Int, _ number: Int) {
      let next = Standard.nextKeyConstant(constant)
      keys.forEach { group, lanes in
        if Keys.count == 1 {
          lanes.roundAlone(number, constants: LaneKeys<Instructions>.enteredConstant(constant ^ next))
        } else {
          lanes.round(number, constant: LaneKeys<Instructions>.enteredConstant(constant))
        }
        lanes.e1.store(to: place(Schedule.exit &- index &- number, of: group))
      }
      constant = next
    }

    var index = 0
    repeat {
      round(index, 0)
      round(index, 1)
      round(index, 2)
      round(index, 3)
      index &+= 4
    } while index != Standard.roundCount

    keys.forEach { group, lanes in
      add(1, to: Schedule.exit, of: group)
      add(2, to: Schedule.exit &- 1, of: group)
      let (kappa31, kappa32, kappa33, kappa34) = lanes.lastKappas
      kappa31.store(to: place(4, of: group))
      kappa32.store(to: place(3, of: group))
      kappa33.store(to: place(2, of: group))
      kappa34.store(to: place(1, of: group))
    }
  }

  @inline(always) public func add(_ other: Int, to number: Int, of group: Int) {
    (word(number, of: group) ^ word(other, of: group)).store(to: place(number, of: group))
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
