// From a view's size to its keys' frames: the paper's arithmetic (§2). Key width from the view's width and the gaps,
// key height from the view's height and the row gaps.

/// The view that a keyboard is drawn in, and how far apart its keys stand, in points.
public struct ViewSize: Equatable, Sendable, BitwiseCopyable {
  public var width: Double
  public var height: Double
  public var columnGap: Double
  public var rowGap: Double

  public init(width: Double, height: Double, columnGap: Double, rowGap: Double) {
    self.width = width
    self.height = height
    self.columnGap = columnGap
    self.rowGap = rowGap
  }

  /// A telephone held upright.
  public static var standard: ViewSize { ViewSize(width: 320, height: 216, columnGap: 6, rowGap: 8) }

  /// More points than any screen has, and few enough that no arithmetic on them loses a key.
  public static var limit: Double { 1_000_000 }

  /// Whether these are sizes at all, and leave each key of `kind`'s pages a point in both directions.
  func holdsKeys(of kind: LayoutKind) -> Bool {
    // NaN compares false with everything.
    width >= Double(kind.keysAcross) && width <= Self.limit && height >= Double(kind.keysDown) && height <= Self.limit
      && columnGap >= 0 && columnGap <= Self.limit && rowGap >= 0 && rowGap <= Self.limit
  }
}

extension LayoutKind {
  /// The smallest keys that stand side by side on one of its pages.
  var keysAcross: Int {
    switch self {
    case .letters, .digits, .symbols: 10
    case .mixed: 9
    case .pin: 3
    }
  }

  /// The rows of its highest page.
  var keysDown: Int { 4 }
}

/// Turns places in a page's grid into points.
struct Frames {
  private let size: ViewSize
  private let columnGap: Double
  private let rowGap: Double
  private let columnPitch: Double
  private let rowPitch: Double

  init(_ size: ViewSize, of page: PageDrawing, in kind: LayoutKind) {
    self.size = size
    columnGap = Self.gap(size.columnGap, between: kind.keysAcross, in: size.width)
    rowGap = Self.gap(size.rowGap, between: page.rows, in: size.height)
    columnPitch = (size.width + columnGap) / Double(page.columns)
    rowPitch = (size.height + rowGap) / Double(page.rows)
  }

  /// The gap that was asked for, or as much of it as leaves each of `count` keys a point.
  private static func gap(_ gap: Double, between count: Int, in extent: Double) -> Double {
    min(gap, (extent - Double(count)) / Double(count - 1))
  }

  func frame(_ grid: GridRect) -> Frame {
    let (x, width) = Self.span(
      grid.column, grid.columnSpan, pitch: columnPitch, gap: columnGap, extent: size.width)
    let (y, height) = Self.span(grid.row, grid.rowSpan, pitch: rowPitch, gap: rowGap, extent: size.height)
    return Frame(x: x, y: y, width: width, height: height)
  }

  private static func span(
    _ first: Int, _ count: Int, pitch: Double, gap: Double, extent: Double
  ) -> (start: Double, length: Double) {
    let start = Double(first - 1) * pitch
    // Rounding must push no key over its neighbour's edge or the view's.
    let end = min(Double(first - 1 + count) * pitch - gap, extent)
    var length = end - start
    while start + length > end { length = length.nextDown }
    return (start, length)
  }
}

/// A rectangle in points.
struct Frame {
  let x: Double
  let y: Double
  let width: Double
  let height: Double

  /// The square of the distance to a point; 0 inside and on the edges.
  func squaredDistance(x px: Double, y py: Double) -> Double {
    let dx = max(max(x - px, px - (x + width)), 0)
    let dy = max(max(y - py, py - (y + height)), 0)
    return dx * dx + dy * dy
  }
}
