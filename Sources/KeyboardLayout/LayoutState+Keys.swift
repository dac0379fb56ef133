// The page that is up, key by key, and which of them a finger has touched.

/// The keys of a page, from the top left to the bottom right, made one by one as they are asked for.
///
/// They are those of the layout as it is while they are asked for: a key press in between may change them.
public struct PageKeys: IteratorProtocol {
  private let layout: LayoutState
  private let frames: Frames
  private var drawn: DrawnKeys

  fileprivate init(_ layout: LayoutState) {
    let page = layout.drawing
    self.layout = layout
    frames = Frames(layout.size, of: page, in: layout.kind)
    drawn = page.keys
  }

  public mutating func next() -> Key? {
    guard let key = drawn.next() else { return nil }
    let frame = frames.frame(key.grid)
    return Key(
      grid: key.grid, x: frame.x, y: frame.y, width: frame.width, height: frame.height, role: key.role,
      label: layout.label(of: key))
  }
}

// A sequence brings arrays along, which the C library has no use for.
#if !hasFeature(Embedded)
  extension PageKeys: Sequence {}
#endif

extension LayoutState {
  var drawing: PageDrawing { PageDrawing(kind, page) }

  func drawnKey(at index: Int) -> DrawnKey? {
    guard index >= 0 else { return nil }
    var keys = drawing.keys
    var key = keys.next()
    var left = index
    while key != nil && left > 0 {
      key = keys.next()
      left -= 1
    }
    return key
  }

  // MARK: What the screen shows

  /// The keys of the page that is up; all of them in one go.
  ///
  /// - Timing: depends on the page only.
  /// - C: `CustomKeyboard_keys`.
  public var keys: PageKeys { PageKeys(self) }

  public var keyCount: Int {
    var keys = drawing.keys
    var count = 0
    while keys.next() != nil { count += 1 }
    return count
  }

  /// One key of the page that is up; nil if there is none of that number.
  public func key(at index: Int) -> Key? {
    guard let key = drawnKey(at: index) else { return nil }
    let frame = Frames(size, of: drawing, in: kind).frame(key.grid)
    return Key(
      grid: key.grid, x: frame.x, y: frame.y, width: frame.width, height: frame.height, role: key.role,
      label: label(of: key))
  }

  // MARK: What a finger touches

  /// The key that holds a point of the view, or else the nearest one; of several the first.
  ///
  /// - Returns: its number; nil outside the view, whose edges are inside.
  /// - Timing: depends on the page only.
  /// - C: `CustomKeyboard_touch`.
  public func keyIndex(x: Double, y: Double) -> Int? {
    let size = size
    // NaN compares false with everything.
    guard x >= 0, x <= size.width, y >= 0, y <= size.height else { return nil }
    let page = drawing
    let frames = Frames(size, of: page, in: kind)
    var keys = page.keys
    var nearest: Int?
    var shortest = Double.infinity
    var index = 0
    while let key = keys.next() {
      let distance = frames.frame(key.grid).squaredDistance(x: x, y: y)
      if distance < shortest {
        shortest = distance
        nearest = index
      }
      index += 1
    }
    return nearest
  }

  /// The smallest width and the smallest height that a key has on any of the layout's pages.
  ///
  /// For a designer who fits the keyboard to a small screen: `KeySize.isSmallForFingers` tells when it becomes too
  /// small.
  public var smallestKeySize: KeySize {
    var smallest = KeySize(width: .infinity, height: .infinity)
    let kind = kind
    let size = size
    for code in Page.letters.rawValue...Page.symbols.rawValue {
      let page = PageDrawing(kind, Page(rawValue: code) ?? .letters)
      let frames = Frames(size, of: page, in: kind)
      var keys = page.keys
      while let key = keys.next() {
        let frame = frames.frame(key.grid)
        smallest.width = min(smallest.width, frame.width)
        smallest.height = min(smallest.height, frame.height)
      }
    }
    return smallest
  }
}

/// How large a key is, in points.
public struct KeySize: Equatable, Sendable, BitwiseCopyable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Whether it is smaller in one direction than the 44 points that a fingertip hits without trying.
  ///
  /// - Source: Apple, Human Interface Guidelines, "Buttons": a hit region of at least 44 × 44 points.
  public var isSmallForFingers: Bool { width < 44 || height < 44 }
}
