// The sizes that an app gives and gets, in points.
// SPDX-License-Identifier: Apache-2.0

/// The size of the view that shows the keyboard, and the gaps between its keys, in points.
///
/// A point is the unit of the app's coordinates, whatever its size on the screen. A size is checked when a keyboard
/// gets it, not here.
public struct ViewSize: Equatable, Sendable, BitwiseCopyable {
  /// The view's width: at least a point for each key of the widest row, at most `limit`.
  public var width: Double
  /// The view's height: at least a point for each row, at most `limit`.
  public var height: Double
  /// The gap between two keys of a row, 0 … `limit`. It shrinks if keys would have less than a point.
  public var columnGap: Double
  /// The gap between two rows, 0 … `limit`. It shrinks if keys would have less than a point.
  public var rowGap: Double

  /// Makes a size. Nothing is checked.
  ///
  /// - Parameters:
  ///   - width: of the view, in points.
  ///   - height: of the view, in points.
  ///   - columnGap: between two keys of a row, in points.
  ///   - rowGap: between two rows, in points.
  public init(width: Double, height: Double, columnGap: Double, rowGap: Double) {
    self.width = width
    self.height = height
    self.columnGap = columnGap
    self.rowGap = rowGap
  }

  /// The size of a keyboard that was given none: 320 × 216 points with gaps of 6 and 8, a telephone held upright.
  public static var standard: ViewSize { ViewSize(width: 320, height: 216, columnGap: 6, rowGap: 8) }

  /// The largest width, height or gap: 1,000,000 points. No screen has more, and all arithmetic stays exact enough.
  public static var limit: Double { 1_000_000 }

  /// Whether all four numbers are in their ranges, and each key of `kind`'s pages has a point in both directions.
  func holdsKeys(of kind: LayoutKind) -> Bool {
    // NaN compares false with everything.
    width >= Double(kind.keysAcross) && width <= Self.limit && height >= Double(kind.keysDown) && height <= Self.limit
      && columnGap >= 0 && columnGap <= Self.limit && rowGap >= 0 && rowGap <= Self.limit
  }
}

extension LayoutKind {
  /// How many of the smallest keys fill a row.
  var keysAcross: Int {
    switch self {
    case .letters, .digits, .symbols: 10
    case .mixed: 9
    case .pin, .pattern: 3
    case .pinDecoys: 4
    }
  }

  /// The rows of the highest page.
  var keysDown: Int { self == .pattern ? 3 : 4 }
}

/// The size of a key in points.
public struct KeySize: Equatable, Sendable, BitwiseCopyable {
  /// The width in points.
  public var width: Double
  /// The height in points.
  public var height: Double

  /// Makes a size. Nothing is checked.
  ///
  /// - Parameters:
  ///   - width: in points.
  ///   - height: in points.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Whether the key is smaller in one direction than the 44 points that a fingertip hits easily.
  ///
  /// - Source: Apple, Human Interface Guidelines, "Buttons": a hit region of at least 44 × 44 points.
  public var isSmallForFingers: Bool { width < 44 || height < 44 }
}
