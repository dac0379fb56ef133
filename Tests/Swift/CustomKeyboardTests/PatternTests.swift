// A pattern in the Swift interface: its nodes and its callbacks. Fingers and lines are in Tests/C/layout.c.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Synchronization
import Testing

private let view = ViewSize(width: 500, height: 300, columnGap: 90, rowGap: 70)

/// An open keyboard for a pattern, and what was told to its field.
private final class Drawing: Sendable {
  let keyboard: Keyboard
  private let told = Mutex<(counts: [Int], completions: Int)>(([], 0))
  var counts: [Int] { told.withLock { $0.counts } }
  var completions: Int { told.withLock { $0.completions } }

  init(maximumCount: Int = 0) throws {
    keyboard = try Keyboard()
    try keyboard.setSize(view)
    try keyboard.setLayout(.pattern, shuffle: .none, maximumCount: maximumCount)
    keyboard.setTextField { [unowned self] count in told.withLock { $0.counts.append(count) } }
    keyboard.setOKAction { [unowned self] _ in told.withLock { $0.completions += 1 } }
    try keyboard.open()
  }

  /// Whether these are the nodes that were drawn.
  func holds(_ nodes: String) throws -> Bool {
    let other = try Keyboard()
    try other.open()
    try other.input(Array(nodes.utf8).span)
    return try keyboard.hasSamePassword(as: other)
  }

  func touch(_ node: Int) throws {
    try keyboard.touch(x: 150 + Double((node - 1) % 3) * 100, y: 50 + Double((node - 1) / 3) * 100)
  }
}

@Suite struct PatternTests {
  @Test func nodesAreCirclesInTheMiddleOfTheView() throws {
    let keys = try Drawing().keyboard.keys()
    #expect(keys.map(\.label) == (1...9).map(String.init))
    #expect(keys.allSatisfy { $0.role == .node && abs($0.width - 70) < 1e-9 && abs($0.height - 70) < 1e-9 })
    for (index, key) in keys.enumerated() {
      #expect(abs(key.x + 35 - (150 + Double(index % 3) * 100)) < 1e-9)
      #expect(abs(key.y + 35 - (50 + Double(index / 3) * 100)) < 1e-9)
    }
  }

  @Test func pressingAKeyDrawsToItsNode() throws {
    let drawing = try Drawing()
    try drawing.keyboard.pressKey(at: 0)
    try drawing.keyboard.pressKey(at: 8)
    try drawing.keyboard.pressKey(at: 4)
    #expect(try drawing.holds("159"))
    #expect(throws: KeyboardError.self) { try drawing.keyboard.pressKey(at: 9) }
  }

  @Test func deletingFreesANode() throws {
    let drawing = try Drawing()
    for node in [1, 2] { try drawing.touch(node) }
    try drawing.keyboard.deleteBackward()
    try drawing.touch(2)
    #expect(try drawing.holds("12"))
    try drawing.keyboard.clear()
    try drawing.touch(2)
    #expect(try drawing.holds("2"))
  }

  @Test func theMaximumCompletesAPattern() throws {
    let drawing = try Drawing(maximumCount: 3)
    try drawing.touch(1)
    try drawing.touch(3)
    #expect(drawing.counts == [1, 3])
    #expect(drawing.completions == 1)
    try drawing.touch(4)
    try drawing.touch(3)
    #expect(drawing.completions == 1)
    #expect(try drawing.holds("123"))
    // The node that is passed over comes first, and takes the last place.
    let short = try Drawing(maximumCount: 2)
    try short.touch(1)
    try short.touch(9)
    #expect(try short.holds("15"))
    #expect(short.completions == 1)
  }
}
