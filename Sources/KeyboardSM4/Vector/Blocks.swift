// The rounds: as many blocks at a time as fill the processor.
//
// SPDX-License-Identifier: Apache-2.0

/// Where the blocks of a row of quads are. All are loaded before any is stored.
public protocol BlockPlaces<Word> {
  associatedtype Word: Words
  /// Register `part` (0…3) of a quad, each block in 128 bits of it.
  func load(_ part: Int, of quad: Int) -> Word
  func store(_ blocks: Word, _ part: Int, of quad: Int)
}

/// Four registers: one of each word of as many blocks as a register has words.
public struct Quad<Instructions: InstructionSet> {
  public typealias Word = Instructions.Word
  public var a0, a1, a2, a3: Word
  /// The sum that the next round begins with, for a quad that is alone.
  public var x: Word

  @inline(always) public static var blockCount: Int { Word.wordCount }

  @inline(always) public init<Places: BlockPlaces<Word>>(
    _ number: Int, from places: Places, adding keys: (Word, Word, Word)
  ) {
    a0 = places.load(0, of: number)
    a1 = places.load(1, of: number)
    a2 = places.load(2, of: number)
    a3 = places.load(3, of: number)
    Word.transpose(&a0, &a1, &a2, &a3)
    a0 = Instructions.entered(a0)
    a1 = Instructions.entered(a1) ^ keys.0
    a2 = Instructions.entered(a2) ^ keys.1
    a3 = Instructions.entered(a3) ^ keys.2
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
  @inline(always) public func store<Places: BlockPlaces<Word>>(
    _ number: Int, to places: Places, adding keys: (Word, Word, Word)
  ) {
    var r0 = Instructions.left(a3)
    var r1 = Instructions.left(a2 ^ keys.2)
    var r2 = Instructions.left(a1 ^ keys.1)
    var r3 = Instructions.left(a0 ^ keys.0)
    Word.transpose(&r0, &r1, &r2, &r3)
    places.store(r0, 0, of: number)
    places.store(r1, 1, of: number)
    places.store(r2, 2, of: number)
    places.store(r3, 3, of: number)
  }
}

extension Row {
  /// Encrypts or decrypts a row of quads.
  @inline(always) public static func crypt<Instructions: InstructionSet, Places: BlockPlaces, Keys: RoundKeys>(
    _ places: Places, _ keys: inout Keys
  ) where Element == Quad<Instructions>, Places.Word == Instructions.Word, Keys.Word == Instructions.Word {
    var quads = Self { Quad($0, from: places, adding: keys.entry(of: $0)) }

    @inline(always) func round(_ index: Int, _ number: Int) {
      quads.forEach { $1.round(number, key: keys.round(index, number, of: $0), alone: count == 1) }
    }

    // Four rounds a turn: all of them written out are slower, for want of room in the processor's front end.
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
public struct TextPlaces<Word: Words>: BlockPlaces {
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

  @inline(always) public func load(_ part: Int, of quad: Int) -> Word { Word(loadingFrom: input + offset(part, quad)) }

  @inline(always)
  public func store(_ blocks: Word, _ part: Int, of quad: Int) { blocks.store(to: output + offset(part, quad)) }
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
  ///   - many: as many quads as the processor keeps busy with.
  ///   - rest: the largest row for what remains; at least two quads.
  @inline(always) public mutating func crypt<Narrow: InstructionSet, Wide: InstructionSet, Many: Row, Rest: Row>(
    few: One<Quad<Narrow>>.Type, many: Many.Type, rest: Rest.Type
  ) where Many.Element == Quad<Wide>, Rest.Element == Quad<Wide> {
    let quad = Quad<Wide>.blockCount
    while blockCount >= Many.count &* quad { crypt(many, blockCount: Many.count &* quad) }
    while blockCount > 0 {
      if blockCount <= Quad<Narrow>.blockCount {
        cryptSome(few)
      } else if blockCount <= quad {
        cryptSome(One<Quad<Wide>>.self)
      } else if blockCount <= 2 &* quad || Rest.count == 2 {
        cryptSome(Two<Quad<Wide>>.self)
      } else {
        cryptSome(rest)
      }
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
    Quads.crypt(TextPlaces(input, output, byteCount: byteCount), &keys)
    input += byteCount
    output += byteCount
    self.blockCount &-= blockCount
  }
}
