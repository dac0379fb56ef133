// The rounds on many blocks under one key.
//
// **Equivalent keys.** A round computes a0 ^= T(a1 ^ a2 ^ a3 ^ rk). The round key leaves that sum if each word carries
// a share of it: hold a_j ^ κ_j in place of a_j, the κ chosen so that κ[i+1] ^ κ[i+2] ^ κ[i+3] = rk[i]. The sum of
// three words is then what the S-box wants, and the word that is replaced must change its share: the round becomes a0
// ^= T(a1 ^ a2 ^ a3) ^ e[i] with e[i] = κ[i+4] ^ κ[i]. The key no longer stands in the way of the result that is waited
// for, and where three are summed at once it costs nothing.
//
// With κ = 0 outside 0…35, the words e[-4]…e[35] are everything: the first four are what the words take on before the
// rounds, the last four what they put off after them. That is the schedule: `scheduleWords` words. Two of its words are
// always 0, the first and the last.

/// Words in a schedule: four to begin with, one a round, four to end with.
@export(implementation) @inline(__always)
public var scheduleWords: Int { 40 }

/// What the last three of a set's words take on before the rounds, or the first three put off after them.
public struct EndKeys<Word: Words> {
  public let first, second, third: Word

  @export(implementation) @inline(__always)
  public init(_ first: Word, _ second: Word, _ third: Word) {
    self.first = first
    self.second = second
    self.third = third
  }

  /// Three words of a schedule.
  @export(implementation) @inline(__always)
  public init(_ schedule: UnsafePointer<UInt32>) {
    self.init(Word(repeating: schedule[0]), Word(repeating: schedule[1]), Word(repeating: schedule[2]))
  }
}

/// Where a set of blocks stands. Vectors that would pass the end lie on the last whole one instead: they compute some
/// blocks twice, with the same result, and nothing is copied and no mask needed. All is loaded before any is stored, so
/// that input and output may be the same.
public struct Span<Pointer> {
  public var start: Pointer
  public var lastVector: Int

  @export(implementation) @inline(__always)
  public init(start: Pointer, lastVector: Int) {
    self.start = start
    self.lastVector = lastVector
  }
}

extension Span<UnsafeRawPointer> {
  @export(implementation) @inline(__always)
  public subscript(offset: Int) -> UnsafeRawPointer { start + min(offset, lastVector) }
}

extension Span<UnsafeMutableRawPointer> {
  @export(implementation) @inline(__always)
  public subscript(offset: Int) -> UnsafeMutableRawPointer { start + min(offset, lastVector) }
}

/// Blocks that go through the rounds together.
public protocol BlockSet {
  associatedtype Set: InstructionSet

  static var byteCount: Int { get }

  init(loadingFrom input: Span<UnsafeRawPointer>, at offset: Int, entry: EndKeys<Set.Word>)
  mutating func round(_ number: Int, key: Set.Word, alone: Bool)
  mutating func store(to output: Span<UnsafeMutableRawPointer>, at offset: Int, exit: EndKeys<Set.Word>)
}

/// Four registers: one of each word of as many blocks as a register has words.
public struct Quad<Set: InstructionSet>: BlockSet {
  public var a0, a1, a2, a3: Set.Word
  /// The sum that the next round begins with, for a set that is alone.
  public var x: Set.Word

  @export(implementation) @inline(__always)
  public init(_ a0: Set.Word, _ a1: Set.Word, _ a2: Set.Word, _ a3: Set.Word) {
    self.a0 = a0
    self.a1 = a1
    self.a2 = a2
    self.a3 = a3
    x = Set.sum(a1, a2, a3)
  }

  @export(implementation) @inline(__always)
  public static var byteCount: Int { 4 &* Set.Word.byteCount }

  @export(implementation) @inline(__always)
  public init(loadingFrom input: Span<UnsafeRawPointer>, at offset: Int, entry: EndKeys<Set.Word>) {
    let step = Set.Word.byteCount
    var a0 = Set.Word(loadingFrom: input[offset])
    var a1 = Set.Word(loadingFrom: input[offset &+ step])
    var a2 = Set.Word(loadingFrom: input[offset &+ 2 &* step])
    var a3 = Set.Word(loadingFrom: input[offset &+ 3 &* step])
    Set.Word.transpose(&a0, &a1, &a2, &a3)
    self.init(
      Set.entered(a0), Set.entered(a1) ^ entry.first, Set.entered(a2) ^ entry.second, Set.entered(a3) ^ entry.third)
  }

  /// - Parameter alone: no other blocks fill the time in which this waits for its own results.
  @export(implementation) @inline(__always)
  public mutating func round(_ number: Int, key: Set.Word, alone: Bool) {
    switch number {
    case 0: alone ? Set.roundAlone(&a0, a1, a2, a3, key: key, x: &x) : Set.round(&a0, a1, a2, a3, key: key)
    case 1: alone ? Set.roundAlone(&a1, a2, a3, a0, key: key, x: &x) : Set.round(&a1, a2, a3, a0, key: key)
    case 2: alone ? Set.roundAlone(&a2, a3, a0, a1, key: key, x: &x) : Set.round(&a2, a3, a0, a1, key: key)
    default: alone ? Set.roundAlone(&a3, a0, a1, a2, key: key, x: &x) : Set.round(&a3, a0, a1, a2, key: key)
    }
  }

  /// Stores the blocks with their words in the opposite order, as the cipher ends. (GB/T 32907-2016 §7.1)
  @export(implementation) @inline(__always)
  public mutating func store(
    to output: Span<UnsafeMutableRawPointer>, at offset: Int, exit: EndKeys<Set.Word>
  ) {
    let step = Set.Word.byteCount
    var r0 = Set.left(a3)
    var r1 = Set.left(a2 ^ exit.third)
    var r2 = Set.left(a1 ^ exit.second)
    var r3 = Set.left(a0 ^ exit.first)
    Set.Word.transpose(&r0, &r1, &r2, &r3)
    r0.store(to: output[offset])
    r1.store(to: output[offset &+ step])
    r2.store(to: output[offset &+ 2 &* step])
    r3.store(to: output[offset &+ 3 &* step])
  }
}

/// Two sets of blocks side by side, one after the other within each round: the processor computes on one while it waits
/// for the other.
public struct Both<First: BlockSet, Second: BlockSet>: BlockSet where First.Set == Second.Set {
  public typealias Set = First.Set
  public var first: First
  public var second: Second

  @export(implementation) @inline(__always)
  public static var byteCount: Int { First.byteCount &+ Second.byteCount }

  @export(implementation) @inline(__always)
  public init(loadingFrom input: Span<UnsafeRawPointer>, at offset: Int, entry: EndKeys<Set.Word>) {
    first = First(loadingFrom: input, at: offset, entry: entry)
    second = Second(loadingFrom: input, at: offset &+ First.byteCount, entry: entry)
  }

  @export(implementation) @inline(__always)
  public mutating func round(_ number: Int, key: Set.Word, alone: Bool) {
    first.round(number, key: key, alone: false)
    second.round(number, key: key, alone: false)
  }

  @export(implementation) @inline(__always)
  public mutating func store(
    to output: Span<UnsafeMutableRawPointer>, at offset: Int, exit: EndKeys<Set.Word>
  ) {
    first.store(to: output, at: offset, exit: exit)
    second.store(to: output, at: offset &+ First.byteCount, exit: exit)
  }
}

/// A text on its way through the cipher.
public struct Text {
  public let schedule: UnsafePointer<UInt32>
  public var input: UnsafeRawPointer
  public var output: UnsafeMutableRawPointer
  /// Blocks that are still to be done.
  public var blockCount: Int

  @export(implementation) @inline(__always)
  public init(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    self.schedule = schedule.assumingMemoryBound(to: UInt32.self)
    self.input = input
    self.output = output
    self.blockCount = blockCount
  }

  /// As many blocks as the set has room for, which must be there.
  @export(implementation) @inline(__always)
  public mutating func crypt<Blocks: BlockSet>(_: Blocks.Type) {
    crypt(Blocks.self, lastVector: Blocks.byteCount &- Blocks.Set.Word.byteCount)
    input += Blocks.byteCount
    output += Blocks.byteCount
    blockCount &-= Blocks.byteCount / 16
  }

  /// As many blocks as are left, or as the set has room for; as many as a register holds must be there.
  @export(implementation) @inline(__always)
  public mutating func cryptSome<Blocks: BlockSet>(_: Blocks.Type) {
    let byteCount = min(16 &* blockCount, Blocks.byteCount)
    crypt(Blocks.self, lastVector: byteCount &- Blocks.Set.Word.byteCount)
    input += byteCount
    output += byteCount
    blockCount &-= byteCount / 16
  }

  @export(implementation) @inline(__always)
  public func crypt<Blocks: BlockSet>(_: Blocks.Type, lastVector: Int) {
    var blocks = Blocks(
      loadingFrom: Span(start: input, lastVector: lastVector), at: 0, entry: EndKeys(schedule + 1))
    // Four rounds a turn: all of them written out are slower, for want of room in the processor's front end.
    var key = schedule + 4
    let end = schedule + 36
    repeat {
      blocks.round(0, key: Blocks.Set.Word(repeating: key[0]), alone: true)
      blocks.round(1, key: Blocks.Set.Word(repeating: key[1]), alone: true)
      blocks.round(2, key: Blocks.Set.Word(repeating: key[2]), alone: true)
      blocks.round(3, key: Blocks.Set.Word(repeating: key[3]), alone: true)
      key += 4
    } while key != end
    blocks.store(to: Span(start: output, lastVector: lastVector), at: 0, exit: EndKeys(schedule + 36))
  }
}
