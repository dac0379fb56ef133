// The nodes of a pattern in the order in which they were drawn: digits 1 to 9, each once.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardMemory

/// A pattern that is being drawn: a view of what is typed.
///
///     1 ─ 2 ─ 3
///     4   5   6      From 1 to 3 the line passes over 2, from 1 to 9 over 5, from 2 to 8 over 5.
///     7   8   9
package struct PatternPath {
  private let password: MaskedBytes

  package init(password: MaskedBytes) { self.password = password }

  package static var nodeCount: Int { 9 }

  /// Whether a node is among the first `count`.
  ///
  /// - Timing: depends on `count` only.
  package func contains(_ node: UInt8, before count: Int) -> Bool {
    var found: UInt8 = 0
    for i in 0..<count { found |= password[i] == node ? 1 : 0 }
    return found != 0
  }

  /// Whether these are nodes, and none of them comes twice or is among the first `count`.
  package func isPath(_ nodes: UnsafeRawBufferPointer, after count: Int) -> Bool {
    isPath(nodes.count, after: count) { nodes[$0] }
  }

  /// Whether what is typed there are nodes, and none of them comes twice or before.
  package func isPath(_ range: Range<Int>) -> Bool {
    isPath(range.count, after: range.lowerBound) { password[range.lowerBound + $0] }
  }

  private func isPath(_ nodeCount: Int, after count: Int, _ node: (Int) -> UInt8) -> Bool {
    var drawn: UInt16 = 0
    for i in 0..<nodeCount {
      let node = node(i)
      guard let number = number(node), drawn >> UInt16(number) & 1 == 0, !contains(node, before: count)
      else { return false }
      drawn |= 1 << UInt16(number)
    }
    return true
  }

  /// The node in the middle between the last of the first `count` nodes and another one, if there is one. It may be in
  /// the pattern already.
  package func nodePassed(onTheWayTo node: UInt8, from count: Int) -> UInt8? {
    guard count > 0, let last = number(password[count - 1]), let next = number(node) else { return nil }
    let (row, column) = (last / 3 + next / 3, last % 3 + next % 3)
    guard row % 2 == 0, column % 2 == 0, last != next else { return nil }
    return UInt8(ascii: "1") + UInt8(row / 2 * 3 + column / 2)
  }

  /// A node's number from 0; nil for another character, which a text that was received may have.
  private func number(_ node: UInt8) -> Int? {
    node >= UInt8(ascii: "1") && node <= UInt8(ascii: "9") ? Int(node - UInt8(ascii: "1")) : nil
  }
}
