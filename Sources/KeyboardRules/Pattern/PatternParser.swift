// Patterns, in a part of the language of Python's `re` with its flag ASCII. Docs/Passcodes.md describes that part.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText
//
// One pass from the left to the right, with open groups in memory and not on the stack.

/// A pattern that is not well-formed, and where: the offset in bytes of the part that is wrong.
struct PatternFault: Error {
  let position: Int
}

/// Makes a program of a pattern.
struct PatternParser {
  private let pattern: UnsafeRawBufferPointer
  private let program: UnsafeMutablePointer<Instruction>
  private let openGroups: UnsafeMutablePointer<OpenGroup>

  private var offset = 0
  /// Instructions so far.
  private var length = 0
  private var depth = 0
  private var loopCount = 0
  private var groupCount = 0
  /// Groups that a reference can name, because they have ended: bit n for group n.
  private var endedGroups: UInt16 = 0
  /// Groups that a reference names.
  private var referencedGroups: UInt16 = 0
  /// What a count would belong to.
  private var item = Item.none
  private var itemStart = 0
  /// The innermost open group, or the whole pattern.
  private var group = OpenGroup()

  private enum Item {
    /// Nothing, an anchor, a lookahead, or what has a count already.
    case none
    case oneScalar
    case other
  }

  /// A group whose parenthesis is not closed, or the whole pattern.
  private struct OpenGroup {
    var kind = Kind.plain
    /// Its number, or 0 for a group that nobody can refer to.
    var number: UInt8 = 0
    /// Where its parenthesis is, in bytes.
    var position: UInt16 = 0
    /// Where its program begins.
    var start: UInt16 = 0
    /// Where the program of the alternative begins that is being read.
    var alternative: UInt16 = 0
    /// The last jump from the end of an alternative to the end of the group, or `nothing`. Each has the distance to the
    /// one before, until the end of the group is known.
    var lastJump: UInt16 = nothing

    static var nothing: UInt16 { 0xffff }

    enum Kind: UInt8 { case plain, look, negativeLook }
  }

  /// As much of `PatternMemory` as parsing takes: 7 KB.
  static var byteCount: Int {
    PatternMemory.stackOffset + PatternMemory.longestPattern * MemoryLayout<OpenGroup>.stride
  }

  /// - Parameter pattern: at most 256 bytes.
  /// - Returns: the groups that references name: bit n for group n.
  static func parse(_ pattern: UnsafeRawBufferPointer, into memory: PatternMemory) throws(PatternFault) -> UInt16 {
    precondition(pattern.count <= PatternMemory.longestPattern)
    var parser = PatternParser(pattern, memory)
    try parser.parse()
    return parser.referencedGroups
  }

  private init(_ pattern: UnsafeRawBufferPointer, _ memory: PatternMemory) {
    self.pattern = pattern
    program = memory.program
    // The stack is not in use yet, and has room for a group per byte.
    openGroups = memory.stack.assumingMemoryBound(to: OpenGroup.self)
  }

  // MARK: - Reading

  private func isNext(_ character: Unicode.Scalar, after distance: Int = 0) -> Bool {
    offset + distance < pattern.count && UInt32(pattern[offset + distance]) == character.value
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    offset += 1
    return true
  }

  /// The next digit's value, if there is a digit.
  private var nextDigit: Int? {
    guard offset < pattern.count, isDigit(UInt32(pattern[offset])) else { return nil }
    return Int(pattern[offset]) - 0x30
  }

  private mutating func readScalar() throws(PatternFault) -> UInt32 {
    guard let (scalar, length) = UTF8Text.scalar(in: pattern, at: offset) else { throw PatternFault(position: offset) }
    offset += length
    return scalar
  }

  private mutating func parse() throws(PatternFault) {
    while offset < pattern.count {
      let start = offset
      switch try readScalar() {
      case "(": try openGroup(at: start)
      case ")":
        guard depth > 0 else { throw PatternFault(position: start) }
        closeGroup()
      case "|": addAlternative()
      case "*": try addCount(0, Instruction.unlimited, at: start)
      case "+": try addCount(1, Instruction.unlimited, at: start)
      case "?": try addCount(0, 1, at: start)
      case "{": try readCount(at: start)
      case "[": try readSet(at: start)
      case "^": add(Instruction(operation: .start), .none)
      case "$": add(Instruction(operation: .end), .none)
      case ".": add(.scalarClass(.any), .oneScalar)
      case "\\": try readEscape(at: start)
      case let scalar: add(.range(scalar, scalar), .oneScalar)
      }
    }
    guard depth == 0 else { throw PatternFault(position: Int(group.position)) }
    endAlternatives()
    append(Instruction(operation: .found))
  }

  // MARK: - Writing

  private mutating func append(_ instruction: Instruction) {
    program[length] = instruction
    length += 1
  }

  /// Puts an instruction in front of those from `index` on.
  private mutating func insert(_ instruction: Instruction, at index: Int) {
    (program + index + 1).update(from: program + index, count: length - index)
    program[index] = instruction
    length += 1
  }

  private mutating func add(_ instruction: Instruction, _ item: Item) {
    self.item = item
    itemStart = length
    append(instruction)
  }

  // MARK: - Groups

  private mutating func openGroup(at start: Int) throws(PatternFault) {
    var kind = OpenGroup.Kind.plain
    var number = 0
    if skip("?") {
      if skip("=") {
        kind = .look
      } else if skip("!") {
        kind = .negativeLook
      } else if !skip(":") {
        throw PatternFault(position: start)
      }
    } else {
      groupCount += 1
      if groupCount <= PatternMemory.groupCapacity { number = groupCount }
    }
    openGroups[depth] = group
    depth += 1
    group = OpenGroup(kind: kind, number: UInt8(number), position: UInt16(start), start: UInt16(length))
    if kind != .plain { append(Instruction(operation: .look, detail: kind == .look ? 0 : 1)) }
    if number > 0 { append(Instruction(operation: .groupStart, detail: UInt8(number))) }
    group.alternative = UInt16(length)
    item = .none
  }

  private mutating func closeGroup() {
    endAlternatives()
    let ended = group
    depth -= 1
    group = openGroups[depth]
    itemStart = Int(ended.start)
    item = .other
    if ended.number > 0 {
      append(Instruction(operation: .groupEnd, detail: ended.number))
      endedGroups |= 1 << ended.number
    }
    if ended.kind != .plain {
      program[itemStart].count = UInt16(length - itemStart)
      append(Instruction(operation: .lookEnd))
      item = .none
    }
  }

  private mutating func addAlternative() {
    insert(Instruction(operation: .split), at: Int(group.alternative))
    let distance = group.lastJump == OpenGroup.nothing ? 0 : UInt16(length) - group.lastJump
    group.lastJump = UInt16(length)
    append(Instruction(operation: .jump, count: distance))
    program[Int(group.alternative)].count = UInt16(length) - group.alternative
    group.alternative = UInt16(length)
    item = .none
  }

  /// Lets all alternatives but the last go to the end of the group.
  private mutating func endAlternatives() {
    guard group.lastJump != OpenGroup.nothing else { return }
    var index = Int(group.lastJump)
    while true {
      let distance = Int(program[index].count)
      program[index].count = UInt16(length - index)
      guard distance > 0 else { return }
      index -= distance
    }
  }

  // MARK: - Counts

  private mutating func addCount(_ least: Int, _ most: Int, at start: Int) throws(PatternFault) {
    let isLazy = skip("?")
    switch item {
    case .none: throw PatternFault(position: start)
    case .oneScalar:
      insert(
        Instruction(
          operation: isLazy ? .lazyRepeatOne : .repeatOne, count: UInt16(least), value: UInt32(most)), at: itemStart)
    case .other:
      let distance = length + 1 - itemStart
      insert(Instruction(operation: .loop, detail: UInt8(loopCount), count: UInt16(distance)), at: itemStart)
      append(.until(loop: loopCount, least: least, most: most, isLazy: isLazy, roundLength: distance - 1))
      loopCount += 1
    }
    item = .none
  }

  /// {n}, {n,} and {n,m}.
  private mutating func readCount(at start: Int) throws(PatternFault) {
    guard let least = readNumber() else { throw PatternFault(position: start) }
    var most: Int64? = least
    var isLimited = true
    if skip(",") {
      most = readNumber()
      isLimited = most != nil
    }
    guard skip("}"), least < Self.tooLarge, (most ?? least) >= least, (most ?? least) < Self.tooLarge else {
      throw PatternFault(position: start)
    }
    func limited(_ number: Int64) -> Int { Int(min(number, Int64(Instruction.highestLimit))) }
    try addCount(limited(least), isLimited ? limited(most ?? 0) : Instruction.unlimited, at: start)
  }

  /// What Python's `re` refuses as a count.
  private static var tooLarge: Int64 { 0xffff_ffff }

  private mutating func readNumber() -> Int64? {
    var number: Int64?
    while let digit = nextDigit {
      number = min((number ?? 0) &* 10 &+ Int64(digit), Self.tooLarge)
      offset += 1
    }
    return number
  }

  // MARK: - Escapes and sets

  /// `\d` and so on, punctuation, or a reference.
  private mutating func readEscape(at start: Int) throws(PatternFault) {
    if let number = nextDigit {
      offset += 1
      // \10 would be group 10, or the character 8. There is no group 0.
      guard nextDigit == nil, endedGroups >> number & 1 == 1 else { throw PatternFault(position: start) }
      referencedGroups |= 1 << number
      add(Instruction(operation: .reference, detail: UInt8(number)), .other)
    } else {
      add(try readCharacterEscape(at: start), .oneScalar)
    }
  }

  /// What may follow a backslash in a set, and out of it.
  private mutating func readCharacterEscape(at start: Int) throws(PatternFault) -> Instruction {
    guard offset < pattern.count else { throw PatternFault(position: start) }
    let scalar = try readScalar()
    if let scalarClass = ScalarClass(letter: scalar) { return .scalarClass(scalarClass) }
    guard 0x21...0x7e ~= scalar, !isDigit(scalar), !isLetter(scalar) else { throw PatternFault(position: start) }
    return .range(scalar, scalar)
  }

  private mutating func readSet(at start: Int) throws(PatternFault) {
    add(Instruction(operation: .set), .oneScalar)
    let set = itemStart
    if skip("^") { program[set].detail = 1 }
    // A bracket at the very beginning is a character of the set.
    var isFirst = true
    while isFirst || !skip("]") {
      isFirst = false
      let itemOffset = offset
      let lower = try readSetItem(of: start)
      append(lower)
      guard isNext("-"), offset + 1 < pattern.count, !isNext("]", after: 1) else { continue }
      offset += 1
      let upper = try readSetItem(of: start)
      guard lower.operation == .range, upper.operation == .range, lower.value <= upper.value else {
        throw PatternFault(position: itemOffset)
      }
      program[length - 1] = .range(lower.value, upper.value)
    }
    program[set].count = UInt16(length - set - 1)
  }

  private mutating func readSetItem(of start: Int) throws(PatternFault) -> Instruction {
    guard offset < pattern.count else { throw PatternFault(position: start) }
    let itemOffset = offset
    if skip("\\") { return try readCharacterEscape(at: itemOffset) }
    let scalar = try readScalar()
    return .range(scalar, scalar)
  }
}

extension Instruction {
  fileprivate static func scalarClass(_ scalarClass: ScalarClass) -> Instruction {
    Instruction(operation: .scalarClass, detail: scalarClass.rawValue)
  }
}

/// Whether a scalar is the one in a `case` of a pattern's grammar.
private func ~= (character: Unicode.Scalar, scalar: UInt32) -> Bool { character.value == scalar }
