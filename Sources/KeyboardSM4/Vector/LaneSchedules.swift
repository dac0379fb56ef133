// The keys of many short texts, a lane of the registers for each: schedules for decryption, side by side.
//
// The round keys are equivalent ones (see Schedule.swift), and come as cheaply as plain ones. Three κ in sequence sum
// up to a round key, so three e in sequence sum up to two round keys four apart, and those differ by what T' gave: once
// four round keys are known, e[i-1] = e[i-2] ^ e[i-3] ^ T'. Before that, κ = 0 takes the place of the older round key,
// and the new round key K ^ T' the place of T', where K is a word of the key. The first four rounds are nevertheless
// like the others: what the four K contribute to e[1] and later can begin in e[-2] and e[-3], because without T' the e
// repeat after three rounds. Only e[-1] and e[0] then lack something, and get it at the end.
//
// SPDX-License-Identifier: Apache-2.0

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
