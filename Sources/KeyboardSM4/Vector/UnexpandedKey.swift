// Few blocks under a new key. Both the key schedule and the rounds are chains, each of whose links waits for the one before
// while much of the processor is idle. Where instructions are powerful enough, the two made side by side take little longer
// than one: for a password, which is all that most keys are ever used for, two thirds of the time.
//
// That is possible for encryption, whose rounds take the round keys in the order in which they come. A schedule for it is
// therefore nothing but the key, until there are more blocks than this is for.

/// What stands in a schedule that is only a key: the key in its first words, and this in the last, which otherwise is 0.
@export(implementation) @inline(__always)
public var unexpandedMark: UInt32 { 1 }

@export(implementation) @inline(__always)
public func storeUnexpanded(_ key: UnsafeRawPointer, into schedule: UnsafeMutableRawPointer) {
  Word4(loadingFrom: key).store(to: schedule)
  schedule.storeBytes(of: unexpandedMark, toByteOffset: 4 &* (scheduleWords &- 1), as: UInt32.self)
}

/// Whether a schedule is only a key.
@export(implementation) @inline(__always)
public func isUnexpanded(_ schedule: UnsafeRawPointer) -> Bool {
  schedule.load(fromByteOffset: 4 &* (scheduleWords &- 1), as: UInt32.self) == unexpandedMark
}

extension Text {
  /// Encrypts as many blocks as are left, or as the set has room for, under a key that is not expanded. There must be one.
  @export(implementation) @inline(__always)
  public mutating func encryptSome<Blocks: BlockSet, Keys: InstructionSet>(_: Blocks.Type, _: Keys.Type)
  where Keys.Word == Word4 {
    typealias Word = Blocks.Set.Word
    let byteCount = min(16 &* blockCount, Blocks.byteCount)
    let lastVector = byteCount &- Word.byteCount
    var keys = EquivalentKeys<Keys>(schedule)
    let zero = Word(repeating: 0)
    // Round i takes e[i], which comes with round key i + 1.
    let entry = EndKeys(zero, zero, Word(repeatingFirstOf: keys.next(0)))
    var blocks = Blocks(loadingFrom: Span(start: input, lastVector: lastVector), at: 0, entry: entry)
    var turns: UInt32 = 8
    repeat {
      turns &-= 1
      blocks.round(0, key: Word(repeatingFirstOf: keys.next(1)), alone: true)
      blocks.round(1, key: Word(repeatingFirstOf: keys.next(2)), alone: true)
      blocks.round(2, key: Word(repeatingFirstOf: keys.next(3)), alone: true)
      let mask = Word4(repeating: turns == 0 ? 0 : .max)
      blocks.round(3, key: Word(repeatingFirstOf: keys.next(0, masked: mask)), alone: true)
    } while turns != 0
    let exit = EndKeys(
      Word(repeatingFirstOf: keys.kappa1), Word(repeatingFirstOf: keys.kappa2), Word(repeatingFirstOf: keys.kappa3))
    blocks.store(to: Span(start: output, lastVector: lastVector), at: 0, exit: exit)
    input += byteCount
    output += byteCount
    blockCount &-= byteCount / 16
  }
}
