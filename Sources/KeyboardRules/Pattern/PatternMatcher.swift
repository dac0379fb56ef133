// Finds a pattern in a text as Python's `re.search` does: the first way from the left that matches, tried in the order
// that the pattern's alternatives and counts say.
// SPDX-License-Identifier: Apache-2.0
//
// The matcher goes through the program until something fails, and then back to the last choice on its stack. Some
// patterns would take years. So steps are counted, and the stack has an end: when either is used up, there is no
// answer.

/// What a search says.
enum PatternResult {
  case found
  case notFound
  /// The steps or the stack are used up.
  case exhausted
}

/// A search for a pattern in a text.
///
/// - Timing: depends on the pattern and the text.
struct PatternMatcher {
  /// A few milliseconds' work.
  static var mostSteps: Int { 250_000 }

  private let text: Scalars
  private let program: UnsafeMutablePointer<Instruction>
  private let groups: UnsafeMutablePointer<UInt8>
  private let loops: UnsafeMutablePointer<PatternMemory.Loop>
  private let stack: UnsafeMutablePointer<StackEntry>
  /// Bit n for group n, if a reference names it. The others need not be remembered.
  private let referencedGroups: UInt16

  private var steps = PatternMatcher.mostSteps
  /// Entries on the stack.
  private var height = 0
  /// The entry of the innermost lookahead that is being matched.
  private var look = 0
  private var index = 0
  private var place = 0

  /// - Parameters:
  ///   - memory: with the program that the parser has made.
  ///   - referencedGroups: what the parser has returned.
  static func search(_ text: Scalars, _ memory: PatternMemory, referencedGroups: UInt16) -> PatternResult {
    var matcher = PatternMatcher(text, memory, referencedGroups)
    for start in 0...text.count {
      let result = matcher.match(at: start)
      guard result == .notFound else { return result }
    }
    return .notFound
  }

  private init(_ text: Scalars, _ memory: PatternMemory, _ referencedGroups: UInt16) {
    self.text = text
    self.referencedGroups = referencedGroups
    program = memory.program
    groups = memory.groups
    loops = memory.loops
    stack = memory.stack.assumingMemoryBound(to: StackEntry.self)
  }

  private mutating func match(at start: Int) -> PatternResult {
    groups.update(repeating: PatternMemory.nowhere, count: 2 * (PatternMemory.groupCapacity + 1))
    (height, look, index, place) = (0, 0, 0, start)
    while steps > 0 {
      steps -= 1
      let instruction = program[index]
      if instruction.operation == .found { return .found }
      guard take(instruction) || goBack() else { return .notFound }
    }
    return .exhausted
  }

  /// Carries out one instruction, and goes on to the next.
  ///
  /// - Returns: whether it matches.
  private mutating func take(_ instruction: Instruction) -> Bool {
    switch instruction.operation {
    case .range, .scalarClass, .set:
      guard acceptsScalar(at: place) else { return false }
      place += 1
      index += instruction.width
      return true
    case .start:
      index += 1
      return place == 0
    case .end:
      index += 1
      return place == text.count
    case .groupStart: setGroup(Int(instruction.detail), 0)
    case .groupEnd: setGroup(Int(instruction.detail), 1)
    case .reference: return takeReference(Int(instruction.detail))
    case .split: push(.choice, place, program: index + Int(instruction.count))
    case .jump: index += Int(instruction.count) - 1
    case .repeatOne: return takeRepeat(instruction)
    case .lazyRepeatOne: return takeLazyRepeat(instruction)
    case .loop:
      let loop = Int(instruction.detail)
      pushLoop(loop)
      loops[loop] = PatternMemory.Loop(rounds: 0, lastStart: UInt16(PatternMemory.nowhere))
      index += Int(instruction.count)
      takeRound(program[index])
      return true
    case .until, .lazyUntil:
      let loop = Int(instruction.detail)
      pushLoop(loop)
      loops[loop].rounds += 1
      takeRound(instruction)
      return true
    case .look:
      push(
        .look, place, program: index + Int(instruction.count) + 1, first: UInt16(look),
        second: UInt16(instruction.detail))
      look = height - 1
    case .lookEnd: return endLook()
    case .found: break
    }
    index += 1
    return true
  }

  // MARK: - Single scalars

  /// Whether the single scalar that the instruction at `index`, or `distance` further on, wants is at `place`.
  private mutating func acceptsScalar(at place: Int, after distance: Int = 0) -> Bool {
    place < text.count && accepts(text[place], index + distance)
  }

  /// Sixteen items of a set take as long as a step.
  private mutating func accepts(_ scalar: UInt32, _ index: Int) -> Bool {
    let instruction = program[index]
    guard instruction.operation == .set else { return instruction.isItem(for: scalar) }
    for item in 1...Int(instruction.count) where program[index + item].isItem(for: scalar) {
      steps -= item / 16
      return instruction.detail == 0
    }
    steps -= Int(instruction.count) / 16
    return instruction.detail == 1
  }

  private mutating func takeRepeat(_ instruction: Instruction) -> Bool {
    let most = min(Int(instruction.value), text.count - place)
    var count = 0
    while count < most, acceptsScalar(at: place + count, after: 1) { count += 1 }
    steps -= count
    guard count >= instruction.count else { return false }
    index += 1
    index += program[index].width
    if count > instruction.count {
      push(.fewer, place + count, program: index, first: UInt16(place) + instruction.count)
    }
    place += count
    return true
  }

  private mutating func takeLazyRepeat(_ instruction: Instruction) -> Bool {
    let least = Int(instruction.count)
    for _ in 0..<least {
      guard acceptsScalar(at: place, after: 1) else { return false }
      place += 1
      steps -= 1
    }
    index += 1
    if instruction.value > least {
      push(.more, place, program: index, first: UInt16(truncatingIfNeeded: Int(instruction.value) - least))
    }
    index += program[index].width
    return true
  }

  // MARK: - Groups and references

  /// Remembers that the group begins (0) or ends (1) here.
  private mutating func setGroup(_ group: Int, _ side: Int) {
    guard referencedGroups >> group & 1 == 1 else { return }
    let byte = 2 * group + side
    push(.group, byte, first: UInt16(groups[byte]))
    groups[byte] = UInt8(place)
  }

  private mutating func takeReference(_ group: Int) -> Bool {
    let (start, end) = (groups[2 * group], groups[2 * group + 1])
    guard end != PatternMemory.nowhere else { return false }
    let count = Int(end) - Int(start)
    guard count <= text.count - place else { return false }
    for distance in 0..<count where text[Int(start) + distance] != text[place + distance] { return false }
    steps -= count
    place += count
    index += 1
    return true
  }

  // MARK: - Loops

  /// Decides at the end of a round, and before the first, whether there is another one.
  ///
  /// A round that began here and brought the text no further is not repeated, unless more rounds are needed. Python
  /// does the same, and does not look at the rounds that are needed.
  private mutating func takeRound(_ until: Instruction) {
    let loop = Int(until.detail)
    let state = loops[loop]
    let body = index - until.roundLength
    let rounds = Int(state.rounds)
    guard rounds >= until.count else {
      index = body
      return
    }
    index += 1
    let isAllowed =
      (rounds < until.mostRounds || until.mostRounds == Instruction.unlimited) && Int(state.lastStart) != place
    guard isAllowed else { return }
    if until.operation == .lazyUntil {
      push(.round, place, program: index - 1)
    } else {
      push(.choice, place, program: index)
      loops[loop].lastStart = UInt16(place)
      index = body
    }
  }

  private mutating func pushLoop(_ loop: Int) {
    push(.loop, loop, first: loops[loop].rounds, second: loops[loop].lastStart)
  }

  // MARK: - Lookaheads

  /// What the lookahead was for has matched: a negative one fails. A positive one goes back to where it began. Its
  /// choices are then gone, but not its groups.
  private mutating func endLook() -> Bool {
    let entry = stack[look]
    steps -= height - look
    if entry.second == 1 {
      while height > look + 1 {
        height -= 1
        undo(stack[height])
      }
      height = look
      look = Int(entry.first)
      return false
    }
    var kept = look
    for other in look + 1..<height where stack[other].isUndo {
      stack[kept] = stack[other]
      kept += 1
    }
    height = kept
    look = Int(entry.first)
    place = Int(entry.place)
    index += 1
    return true
  }

  // MARK: - The stack

  private mutating func push(
    _ kind: StackEntry.Kind, _ place: Int, program: Int = 0, first: UInt16 = 0, second: UInt16 = 0
  ) {
    guard height < PatternMemory.stackCapacity else {
      // The search ends before the next step.
      steps = 0
      return
    }
    stack[height] = StackEntry(
      kind: kind, place: UInt8(place), program: UInt16(program), first: first, second: second)
    height += 1
  }

  private func undo(_ entry: StackEntry) {
    switch entry.kind {
    case .group: groups[Int(entry.place)] = UInt8(entry.first)
    case .loop: loops[Int(entry.place)] = PatternMemory.Loop(rounds: entry.first, lastStart: entry.second)
    default: break
    }
  }

  /// Goes back to the last choice, and undoes what came after it.
  ///
  /// - Returns: whether there was one.
  private mutating func goBack() -> Bool {
    while height > 0 {
      height -= 1
      let entry = stack[height]
      place = Int(entry.place)
      index = Int(entry.program)
      switch entry.kind {
      case .choice: return true
      case .round:
        let until = program[index]
        loops[Int(until.detail)].lastStart = UInt16(place)
        index -= until.roundLength
        return true
      case .fewer:
        place -= 1
        if place > entry.first { push(.fewer, place, program: index, first: entry.first) }
        return true
      case .more:
        guard acceptsScalar(at: place) else { continue }
        place += 1
        if entry.first > 1 { push(.more, place, program: index, first: entry.first - 1) }
        index += program[index].width
        return true
      case .look:
        look = Int(entry.first)
        if entry.second == 1 { return true }
      case .group, .loop: undo(entry)
      }
    }
    return false
  }
}

extension Instruction {
  /// Whether it accepts the scalar. Not for an instruction that is a set.
  fileprivate func isItem(for scalar: UInt32) -> Bool {
    if operation == .range { return value <= scalar && scalar <= upperBound }
    return ScalarClass(rawValue: detail)?.contains(scalar) == true
  }
}
