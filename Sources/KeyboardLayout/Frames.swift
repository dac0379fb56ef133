// From a view's size to the frames of its keys: the paper's arithmetic (§2).
// SPDX-License-Identifier: Apache-2.0
//
// The keys' width follows from the view's width and the column gaps, their height from the view's height and the row
// gaps.

/// Turns cells of a page's grid into points.
struct Frames {
  private let size: ViewSize
  private let columnGap: Double
  private let rowGap: Double
  private let columnPitch: Double
  private let rowPitch: Double
  /// Nodes are circles in square cells, in the middle of the view; gaps do not matter.
  private let areNodes: Bool

  init(_ size: ViewSize, of page: PageDrawing, in kind: LayoutKind) {
    let (columns, rows) = page.gridSize
    self.size = size
    areNodes = kind == .pattern
    columnGap = Self.gap(size.columnGap, between: kind.keysAcross, in: size.width)
    rowGap = Self.gap(size.rowGap, between: rows, in: size.height)
    columnPitch = (size.width + columnGap) / Double(columns)
    rowPitch = (size.height + rowGap) / Double(rows)
  }

  /// The requested gap, or the largest that leaves a point to each of `count` keys.
  private static func gap(_ gap: Double, between count: Int, in extent: Double) -> Double {
    min(gap, (extent - Double(count)) / Double(count - 1))
  }

  func frame(_ grid: GridRect) -> Frame {
    areNodes ? node(grid) : key(grid)
  }

  @inline(__always)
  func key(_ grid: GridRect) -> Frame {
    let (x, width) = Self.span(
      grid.column, grid.columnSpan, pitch: columnPitch, gap: columnGap, extent: size.width)
    let (y, height) = Self.span(grid.row, grid.rowSpan, pitch: rowPitch, gap: rowGap, extent: size.height)
    return Frame(x: x, y: y, width: width, height: height)
  }

  /// A node's circle: 0.35 of a cell around the cell's middle. A cell is a third of the view's shorter side.
  private func node(_ grid: GridRect) -> Frame {
    let cell = min(size.width, size.height) / 3
    let radius = 0.35 * cell
    let x = (size.width - 3 * cell) / 2 + (Double(grid.column) - 0.5) * cell
    let y = (size.height - 3 * cell) / 2 + (Double(grid.row) - 0.5) * cell
    return Frame(x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius)
  }

  private static func span(
    _ first: Int, _ count: Int, pitch: Double, gap: Double, extent: Double
  ) -> (start: Double, length: Double) {
    let start = Double(first - 1) * pitch
    // Rounding must not move an edge over the next key's edge or the view's.
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

  /// Whether a point is in the circle that fills this frame, or on its edge: a billionth more, because the caller's
  /// numbers and ours are rounded.
  func hasInCircle(x px: Double, y py: Double) -> Bool {
    let (dx, dy, radius) = (px - (x + width / 2), py - (y + height / 2), width / 2 * (1 + 1e-9))
    return dx * dx + dy * dy <= radius * radius
  }

  /// The square of the distance to a point; 0 inside and on the edges.
  func squaredDistance(x px: Double, y py: Double) -> Double {
    let dx = max(max(x - px, px - (x + width)), 0)
    let dy = max(max(y - py, py - (y + height)), 0)
    return dx * dx + dy * dy
  }
}
