// What a key press does. The key is looked up once; everything that the press does is in the result.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardMemory

/// What a key does to the text.
package enum KeyEffect: Equatable, Sendable {
  /// Types an ASCII character, which may be a space.
  case type(UInt8)
  /// Draws a pattern on to a node: its digit, 1 to 9, in ASCII.
  case node(UInt8)
  /// Removes the last character.
  case delete
  /// Completes the input.
  case complete
  /// Leaves the text alone: a switch, shift, or a blank key.
  case nothing
}

/// All that a key press does. It is valid for the state that it was looked up in, until that state changes.
package struct Press: Equatable, Sendable {
  package let effect: KeyEffect
  /// Whether the characters change places afterwards, which needs randomness.
  package let shuffles: Bool
  /// What the screen shows afterwards.
  let page: Page
  let shift: ShiftState
}

extension LayoutState {
  /// Looks up a key by its index. Changes nothing.
  ///
  /// - Parameter index: the key's place in `keys`, from 0.
  /// - Returns: nil if the page has no such key.
  /// - Timing: depends on the index, the role, and the character on the key.
  /// - C: `CustomKeyboard_pressKey`.
  @inline(never)
  package func press(at index: Int) -> Press? {
    guard index >= 0 else { return nil }
    var caps = drawing.caps
    var left = index
    while let cap = caps.next() {
      if left == 0 { return press(cap) }
      left -= 1
    }
    return nil
  }

  /// Looks up the key that contains a point, or the nearest key. Of several, the first in `keys`. Changes nothing.
  ///
  /// - Parameters:
  ///   - x: points from the view's left edge, which is inside the view, as is the right edge.
  ///   - y: points from the view's upper edge, which is inside the view, as is the lower edge.
  /// - Returns: nil outside the view.
  /// - Timing: depends on the page, the role, and the character on the key.
  /// - C: `CustomKeyboard_touch`.
  @inline(never)
  package func press(x: Double, y: Double) -> Press? {
    let size = size
    // NaN compares false with everything.
    guard x >= 0, x <= size.width, y >= 0, y <= size.height else { return nil }
    let page = drawing
    let frames = Frames(size, of: page, in: kind)
    guard kind != .pattern else { return pressNode(x: x, y: y, frames) }
    var caps = page.caps
    var nearest: DrawnCap?
    var shortest = Double.infinity
    while let cap = caps.next() {
      let distance = frames.key(cap.grid).squaredDistance(x: x, y: y)
      if distance < shortest {
        shortest = distance
        nearest = cap
      }
    }
    return nearest.map { press($0) }
  }

  /// A node whose circle contains the point; between the nodes, nothing.
  private func pressNode(x: Double, y: Double, _ frames: Frames) -> Press {
    var caps = drawing.caps
    while let cap = caps.next() {
      if frames.frame(cap.grid).hasInCircle(x: x, y: y) { return press(cap) }
    }
    return Press(effect: .nothing, shuffles: false, page: page, shift: shift)
  }

  private func press(_ cap: DrawnCap) -> Press {
    var (effect, page, shift) = (KeyEffect.nothing, page, shift)
    switch role(of: cap) {
    case .character:
      effect = .type(character(at: cap.place))
      if shift == .oneLetter && CharacterSource.isLetter(order[cap.place]) { shift = .off }
    case .space: effect = .type(UInt8(ascii: " "))
    case .delete: effect = .delete
    case .return: effect = .complete
    case .shift: shift = shift.next
    case .toLetters: page = .letters
    case .toDigits: page = .digits
    case .toSymbols: page = .symbols
    case .node: effect = .node(UInt8(ascii: "1") + UInt8(cap.place))
    case .blank, .clear: break
    }
    let shuffles = if case .type = effect { shuffle == .eachKey } else { false }
    return Press(effect: effect, shuffles: shuffles, page: page, shift: shift)
  }

  /// Shows what a press that shuffles nothing leads to.
  ///
  /// - Parameter press: looked up in this state.
  package func apply(_ press: Press) {
    precondition(!press.shuffles)
    show(press)
  }

  /// Shows what a press leads to, with the characters in a new order if it shuffles.
  ///
  /// - Parameters:
  ///   - press: looked up in this state.
  ///   - source: used only if the press shuffles.
  /// - Throws: what the source throws; the layout is then unchanged.
  /// - Timing: depends on the layout, and on how often a random number is rejected.
  @inline(never)
  package func apply<Source: RandomSource & ~Copyable>(
    _ press: Press, using source: inout Source
  ) throws(Source.Failure) {
    if press.shuffles { try arrange(using: &source) }
    show(press)
  }

  private func show(_ press: Press) { (page, shift) = (press.page, press.shift) }
}
