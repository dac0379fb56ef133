// The rounds: as many blocks at a time as fill the processor.
//
// SPDX-License-Identifier: Apache-2.0

/// One of each word of as many blocks as a register has words.
public typealias FourWords<Word> = (Word, Word, Word, Word)

/// Where the blocks of a row of quads are. All are loaded before any is stored.
public protocol BlockPlaces<Instructions> {
  associatedtype Instructions: InstructionSet
  /// The words of a quad's blocks, in the basis of the rounds.
  func load(_ quad: Int) -> FourWords<Instructions.Word>
  /// Stores blocks whose words are still in that basis.
  func store(_ words: FourWords<Instructions.Word>, to quad: Int)
}

extension InstructionSet {
  /// The words of blocks, in the basis of the rounds. The blocks are four in a row of registers: each in 128 bits.
  @inline(always) public static func entered(_ blocks: FourWords<Word>) -> FourWords<Word> {
    var (r0, r1, r2, r3) = blocks
    Word.transpose(&r0, &r1, &r2, &r3)
    return (entered(r0), entered(r1), entered(r2), entered(r3))
  }

  /// The inverse.
  @inline(always) public static func left(_ words: FourWords<Word>) -> FourWords<Word> {
    var (r0, r1, r2, r3) = (left(words.0), left(words.1), left(words.2), left(words.3))
    Word.transpose(&r0, &r1, &r2, &r3)
    return (r0, r1, r2, r3)
  }
}

/// Four registers: one of each word of as many blocks as a register has words.
public struct Quad<Instructions: InstructionSet> {
  public typealias Word = Instructions.Word
  public var a0, a1, a2, a3: Word
  /// The sum that the next round begins with, for a quad that is alone.
  public var x: Word

  @inline(always) public static var blockCount: Int { Word.wordCount }

  @inline(always) public init<Places: BlockPlaces<Instructions>>(
    _ number: Int, from places: Places, adding keys: (Word, Word, Word)
  ) {
    (a0, a1, a2, a3) = places.load(number)
    a1 = a1 ^ keys.0
    a2 = a2 ^ keys.1
    a3 = a3 ^ keys.2
    x = Instructions.sum(a1, a2, a3)
  }

  /// - Parameter alone: no other blocks fill the time in which this waits for its own results.
  @inline(always) public mutating func round(_ number: Int, key: Word, alone: Bool) {
    switch number {
    case 0: Self.round(&a0, a1, a2, a3, key, &x, alone)
    case 1: Self.round(&a1, a2, a3, a0, key, &x, alone)
    case 2: Self.round(&a2, a3, a0, a1, key, &x, alone)
    default: Self.round(&a3, a0, a1, a2, key, &x, alone)
    }
  }

  @inline(always) public static func round(
    _ a: inout Word, _ b: Word, _ c: Word, _ d: Word, _ key: Word, _ x: inout Word, _ alone: Bool
  ) {
    if alone {
      Instructions.roundAlone(&a, b, c, d, key: key, x: &x)
    } else {
      Instructions.round(&a, b, c, d, key: key)
    }
  }

  /// Stores the blocks with their words in the opposite order, as the cipher ends. (GB/T 32907-2016 §7.1)
  @inline(always) public func store<Places: BlockPlaces<Instructions>>(
    _ number: Int, to places: Places, adding keys: (Word, Word, Word)
  ) {
    places.store((a3, a2 ^ keys.2, a1 ^ keys.1, a0 ^ keys.0), to: number)
  }
}

extension Row {
  /// Encrypts or decrypts a row of quads.
  @inline(always)
  public static func crypt<Instructions: InstructionSet, Places: BlockPlaces<Instructions>, Keys: RoundKeys>(
    _ places: Places, _ keys: inout Keys
  ) where Element == Quad<Instructions>, Keys.Word == Instructions.Word {
    var quads = Self { Quad($0, from: places, adding: keys.entry(of: $0)) }

    @inline(always) func round(_ index: Int, _ number: Int) {
      quads.forEach { $1.round(number, key: keys.round(index, number, of: $0), alone: count == 1) }
    }

    // Four rounds a turn: all of them written out are slower, because they do not fit into the processor's front
    // end.
    var index = 0
    repeat {
      round(index, 0)
      round(index, 1)
      round(index, 2)
      round(index, 3)
      index &+= 4
    } while index != Standard.roundCount
    quads.forEach { $1.store($0, to: places, adding: keys.exit(of: $0)) }
  }
}

/// Blocks one after the other. Registers that would pass the end lie on the last whole one instead: they compute some
/// blocks twice, with the same result, so nothing is copied and no mask is needed.
public struct TextPlaces<Instructions: InstructionSet>: BlockPlaces {
  public typealias Word = Instructions.Word
  public let input: UnsafeRawPointer
  public let output: UnsafeMutableRawPointer
  /// The offset of the last register.
  public let last: Int

  @inline(always) public init(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, byteCount: Int) {
    self.input = input
    self.output = output
    last = byteCount &- Word.byteCount
  }

  @inline(always)
  public func offset(_ part: Int, _ quad: Int) -> Int { min((4 &* quad &+ part) &* Word.byteCount, last) }

  @inline(always) public func load(_ quad: Int) -> FourWords<Word> {
    @inline(always) func part(_ number: Int) -> Word { Word(loadingFrom: input + offset(number, quad)) }
    return Instructions.entered((part(0), part(1), part(2), part(3)))
  }

  @inline(always) public func store(_ words: FourWords<Word>, to quad: Int) {
    let blocks = Instructions.left(words)
    blocks.0.store(to: output + offset(0, quad))
    blocks.1.store(to: output + offset(1, quad))
    blocks.2.store(to: output + offset(2, quad))
    blocks.3.store(to: output + offset(3, quad))
  }
}

/// A text on its way through the cipher.
public struct Text {
  public let schedule: UnsafeRawPointer
  public var input: UnsafeRawPointer
  public var output: UnsafeMutableRawPointer
  /// Blocks that are still to be done.
  public var blockCount: Int

  @inline(always) public init(
    _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    self.schedule = schedule
    self.input = input
    self.output = output
    self.blockCount = blockCount
  }

  /// Encrypts or decrypts the text.
  ///
  /// - Parameters:
  ///   - few: four blocks, in 128-bit registers.
  ///   - some: one quad or two, for what is left after those, if it is more than `few`.
  ///   - many: as many quads as the processor keeps busy with.
  @inline(always) public mutating func crypt<Narrow: InstructionSet, Wide: InstructionSet, Some: Row, Many: Row>(
    few: One<Quad<Narrow>>.Type, some: Some.Type, many: Many.Type
  ) where Some.Element == Quad<Wide>, Many.Element == Quad<Wide> {
    let whole = Many.count &* Quad<Wide>.blockCount
    while blockCount >= whole { crypt(many, blockCount: whole) }
    while blockCount > 0 {
      if blockCount <= Quad<Narrow>.blockCount { cryptSome(few) } else { cryptSome(some) }
    }
  }

  /// As many blocks as are left, or as the row has room for; at least as many as fit into a register.
  @inline(always) public mutating func cryptSome<Instructions: InstructionSet, Quads: Row>(_: Quads.Type)
  where Quads.Element == Quad<Instructions> {
    crypt(Quads.self, blockCount: min(blockCount, Quads.count &* Quad<Instructions>.blockCount))
  }

  @inline(always) public mutating func crypt<Instructions: InstructionSet, Quads: Row>(_: Quads.Type, blockCount: Int)
  where Quads.Element == Quad<Instructions> {
    let byteCount = blockCount &* Standard.blockByteCount
    var keys = SharedKeys<Instructions.Word>(schedule)
    Quads.crypt(TextPlaces<Instructions>(input, output, byteCount: byteCount), &keys)
    input += byteCount
    output += byteCount
    self.blockCount &-= blockCount
  }
}
