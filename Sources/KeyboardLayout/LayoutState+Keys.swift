// The keys of the page on the screen, one by one.
// SPDX-License-Identifier: Apache-2.0

/// The keys of a page, from the top left to the bottom right. Each is made from the layout when it is read: read all of
/// them before a key press.
package struct KeyCaps: IteratorProtocol {
  private let layout: LayoutState
  private let frames: Frames
  private var drawn: DrawnCaps

  fileprivate init(_ layout: LayoutState) {
    let page = layout.drawing
    self.layout = layout
    frames = Frames(layout.size, of: page, in: layout.kind)
    drawn = page.caps
  }

  package mutating func next() -> KeyCap? {
    guard let cap = drawn.next() else { return nil }
    let frame = frames.frame(cap.grid)
    return KeyCap(
      grid: cap.grid, x: frame.x, y: frame.y, width: frame.width, height: frame.height, role: layout.role(of: cap),
      label: layout.label(of: cap))
  }
}

// A Sequence needs arrays, which the C library does without.
#if !hasFeature(Embedded)
  extension KeyCaps: Sequence {}
#endif

extension LayoutState {
  var drawing: PageDrawing { PageDrawing(kind, page) }

  /// The keys of the page on the screen.
  ///
  /// - Timing: depends on the page only.
  /// - C: `CustomKeyboard_keys`.
  package var keys: KeyCaps { KeyCaps(self) }

  package var keyCount: Int {
    var caps = drawing.caps
    var count = 0
    while caps.next() != nil { count += 1 }
    return count
  }

  /// The smallest width and the smallest height of a key on any page of the layout.
  package var smallestKeySize: KeySize {
    var smallest = KeySize(width: .infinity, height: .infinity)
    let kind = kind
    let size = size
    for code in Page.letters.rawValue...Page.symbols.rawValue {
      let page = PageDrawing(kind, Page(rawValue: code) ?? .letters)
      let frames = Frames(size, of: page, in: kind)
      var caps = page.caps
      while let cap = caps.next() {
        let frame = frames.frame(cap.grid)
        smallest.width = min(smallest.width, frame.width)
        smallest.height = min(smallest.height, frame.height)
      }
    }
    return smallest
  }
}
