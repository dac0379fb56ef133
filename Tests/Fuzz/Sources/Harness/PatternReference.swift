// Patterns matched in another way than the library's: by functions that call each other, on strings.
// SPDX-License-Identifier: Apache-2.0

/// A pattern as a tree; nil if it is malformed.
public struct PatternReference {
  private indirect enum Node {
    case scalar((Unicode.Scalar) -> Bool)
    case start, end
    case group(Int, [[Node]])
    case look(isNegative: Bool, [[Node]])
    case reference(Int)
    case count(Node, least: Int, most: Int, isLazy: Bool)
  }

  private typealias Groups = [Int: [Unicode.Scalar]]

  private var alternatives: [[Node]] = []
  private var rest: ArraySlice<Unicode.Scalar>
  private var opened = 0
  private var ended: Set<Int> = []
  private var isMalformed = false

  public init?(_ pattern: String) {
    rest = Array(pattern.unicodeScalars)[...]
    alternatives = parseAlternatives()
    if isMalformed || !rest.isEmpty { return nil }
  }

  // MARK: - Parsing

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func parseAlternatives() -> [[Node]] {
    var all = [parseSequence()]
    while skip("|") { all.append(parseSequence()) }
    return all
  }

  private mutating func parseSequence() -> [Node] {
    var nodes: [Node] = []
    while let first = rest.first, first != "|", first != ")", !isMalformed {
      let node = parseAtom()
      nodes.append(parseCount(of: node))
    }
    return nodes
  }

  private mutating func parseCount(of node: Node) -> Node {
    guard let first = rest.first, "*+?{".unicodeScalars.contains(first) else { return node }
    rest.removeFirst()
    var (least, most) = first == "+" ? (1, Int.max) : first == "?" ? (0, 1) : (0, Int.max)
    if first == "{" {
      guard let end = rest.firstIndex(of: "}") else { return fail() }
      let parts = String(String.UnicodeScalarView(rest[..<end])).split(separator: ",", omittingEmptySubsequences: false)
      rest = rest[(end + 1)...]
      guard parts.count <= 2, let number = Self.number(parts[0]) else { return fail() }
      least = number
      most = parts.count == 1 ? number : parts[1].isEmpty ? Int.max : Self.number(parts[1]) ?? -1
      guard least <= most else { return fail() }
    }
    let isLazy = skip("?")
    switch node {
    case .start, .end, .look: return fail()
    default: break
    }
    if let next = rest.first, "*+?{".unicodeScalars.contains(next) { return fail() }
    return .count(node, least: least, most: most, isLazy: isLazy)
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    guard let number = Int(text), number < 0xffff_ffff else { return nil }
    return number
  }

  private mutating func fail() -> Node {
    isMalformed = true
    return .start
  }

  private mutating func parseAtom() -> Node {
    let first = rest.removeFirst()
    switch first {
    case "(": return parseGroup()
    case "[": return parseSet()
    case "\\": return parseEscape()
    case "^": return .start
    case "$": return .end
    case ".": return .scalar { $0 != "\n" }
    case "*", "+", "?", "{": return fail()
    default: return .scalar { $0 == first }
    }
  }

  private mutating func parseGroup() -> Node {
    var number = 0
    var isNegative: Bool?
    if skip("?") {
      if skip("=") { isNegative = false } else if skip("!") { isNegative = true } else if !skip(":") { return fail() }
    } else {
      opened += 1
      number = opened
    }
    let all = parseAlternatives()
    guard skip(")") else { return fail() }
    ended.insert(number)
    if let isNegative { return .look(isNegative: isNegative, all) }
    return .group(number, all)
  }

  private mutating func parseEscape() -> Node {
    if let digit = rest.first, "123456789".unicodeScalars.contains(digit) {
      rest.removeFirst()
      let number = Int(digit.value) - 0x30
      if let next = rest.first, "0"..."9" ~= next { return fail() }
      return ended.contains(number) ? .reference(number) : fail()
    }
    guard let item = parseItem() else { return fail() }
    return .scalar(item.accepts)
  }

  /// What follows a backslash, as a test; and the scalar, if it is one.
  private mutating func parseItem() -> (accepts: (Unicode.Scalar) -> Bool, scalar: Unicode.Scalar?)? {
    guard let first = rest.popFirst() else { return nil }
    let digit: (Unicode.Scalar) -> Bool = { "0"..."9" ~= $0 }
    let word: (Unicode.Scalar) -> Bool = { digit($0) || "a"..."z" ~= $0 || "A"..."Z" ~= $0 || $0 == "_" }
    let space: (Unicode.Scalar) -> Bool = { " \t\n\r\u{b}\u{c}".unicodeScalars.contains($0) }
    switch first {
    case "d": return (digit, nil)
    case "w": return (word, nil)
    case "s": return (space, nil)
    case "D": return ({ !digit($0) }, nil)
    case "W": return ({ !word($0) }, nil)
    case "S": return ({ !space($0) }, nil)
    case "!"..."/", ":"..."@", "["..."`", "{"..."~": return ({ $0 == first }, first)
    default: return nil
    }
  }

  private mutating func parseSet() -> Node {
    let isNegative = skip("^")
    var items: [(Unicode.Scalar) -> Bool] = []
    repeat {
      guard let lower = parseSetItem() else { return fail() }
      if rest.first == "-", rest.count > 1, rest[rest.startIndex + 1] != "]" {
        rest.removeFirst()
        guard let low = lower.scalar, let high = parseSetItem()?.scalar, low <= high else { return fail() }
        items.append { low <= $0 && $0 <= high }
      } else {
        items.append(lower.accepts)
      }
    } while !skip("]")
    return .scalar { scalar in items.contains { $0(scalar) } != isNegative }
  }

  private mutating func parseSetItem() -> (accepts: (Unicode.Scalar) -> Bool, scalar: Unicode.Scalar?)? {
    if skip("\\") { return parseItem() }
    guard let first = rest.popFirst() else { return nil }
    return ({ $0 == first }, first)
  }

  // MARK: - Matching

  /// Whether the pattern is found, or nil if that takes too long.
  public func isFound(in text: String) -> Bool? {
    let matcher = Matcher(text: Array(text.unicodeScalars))
    for start in 0...matcher.text.count {
      if matcher.any(alternatives, start, [:], { _, _ in true }) { return matcher.steps > 0 ? true : nil }
      if matcher.steps <= 0 { return nil }
    }
    return false
  }

  private final class Matcher {
    let text: [Unicode.Scalar]
    /// Few, because each is a call inside the one before.
    var steps = 3_000

    typealias Next = (Int, Groups) -> Bool

    init(text: [Unicode.Scalar]) { self.text = text }

    func any(_ all: [[Node]], _ place: Int, _ groups: Groups, _ next: Next) -> Bool {
      for nodes in all where sequence(nodes[...], place, groups, next) { return true }
      return false
    }

    func sequence(_ nodes: ArraySlice<Node>, _ place: Int, _ groups: Groups, _ next: Next) -> Bool {
      guard let first = nodes.first else { return next(place, groups) }
      return one(first, place, groups) { place, groups in sequence(nodes.dropFirst(), place, groups, next) }
    }

    func one(_ node: Node, _ place: Int, _ groups: Groups, _ next: Next) -> Bool {
      steps -= 1
      guard steps > 0 else { return false }
      switch node {
      case .scalar(let accepts): return place < text.count && accepts(text[place]) && next(place + 1, groups)
      case .start: return place == 0 && next(place, groups)
      case .end: return place == text.count && next(place, groups)
      case .reference(let number):
        guard let group = groups[number], text[place...].starts(with: group) else { return false }
        return next(place + group.count, groups)
      case .group(let number, let all):
        return any(all, place, groups) { end, inner in
          var inner = inner
          if number > 0 { inner[number] = Array(text[place..<end]) }
          return next(end, inner)
        }
      case .look(let isNegative, let all):
        var found: Groups?
        let matches = any(all, place, groups) { _, inner in
          found = inner
          return true
        }
        return matches != isNegative && steps > 0 && next(place, isNegative ? groups : found ?? groups)
      case .count(let node, let least, let most, let isLazy):
        return rounds(node, least, most, isLazy, 0, place, nil, groups, next)
      }
    }

    private func rounds(
      _ node: Node, _ least: Int, _ most: Int, _ isLazy: Bool, _ done: Int, _ place: Int, _ last: Int?,
      _ groups: Groups,
      _ next: Next
    ) -> Bool {
      steps -= 1
      guard steps > 0 else { return false }
      let isNeeded = done < least
      let mayGoOn = isNeeded || done < most && last != place
      if isLazy, !isNeeded, next(place, groups) { return true }
      if mayGoOn {
        let found = one(node, place, groups) { end, inner in
          rounds(node, least, most, isLazy, done + 1, end, isNeeded ? last : place, inner, next)
        }
        if found { return true }
      }
      return !isLazy && !isNeeded && next(place, groups)
    }
  }
}
