// Few blocks under a key for one use. The key schedule and the rounds are two chains in which every step waits for the one
// before, while much of the processor is idle. Where instructions are powerful enough, both together take little longer
// than one of them: two thirds of the time for a password.
//
// This works for encryption, whose rounds take the round keys in the order in which they are made.

extension Text {
  /// Encrypts the blocks that are left, or as many as the set has room for, under the key in `schedule`, which is not
  /// expanded. There must be at least one block.
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
