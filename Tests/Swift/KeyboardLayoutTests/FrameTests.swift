// Frames on two hundred views, from the size of a point to the size of a wall.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

private let sizes: [ViewSize] = {
  var generator = Statistical(seed: 2024)
  var sizes: [ViewSize] = []
  for width in [1, 3, 9, 10, 10.5, 320, 4000] as [Double] {
    for height in [1, 3, 4, 4.25, 216, 4000] as [Double] {
      sizes.append(ViewSize(width: width, height: height, columnGap: 6, rowGap: 8))
      sizes.append(ViewSize(width: width, height: height, columnGap: 0, rowGap: 0))
    }
  }
  // As many small sizes as large ones.
  func extent() -> Double {
    let whole = Double(1 << Int.random(in: 2..<12, using: &generator))
    return min(4000, whole * Double.random(in: 1..<2, using: &generator))
  }
  while sizes.count < 200 {
    let gaps = [0, 1, 6, extent()].map { $0 * Double.random(in: 0.5..<1, using: &generator) }
    sizes.append(
      ViewSize(
        width: extent(), height: extent(), columnGap: gaps.randomElement(using: &generator)!,
        rowGap: gaps.randomElement(using: &generator)!))
  }
  return sizes
}()

private func isClose(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-9 * max(1, abs(b)) }

/// The paper, §2: key width = (view width − gaps) / keys, key height = (view height − row gaps) / rows.
@Test(arguments: everyKind)
func keysAreAsLargeAsThePaperSays(kind: LayoutKind) throws {
  let across = kind.across
  let size = ViewSize(width: 375, height: 260, columnGap: 5, rowGap: 11)
  let layout = try TestLayout(kind)
  try layout.state.setSize(size)
  let letterWidth = (375 - (across - 1) * 5) / across
  try layout.onEveryPage { page in
    let rows = page == .digits && kind != .mixed && !kind.isPad ? 3.0 : 4
    for key in layout.state.keys {
      let multiple = Double(key.grid.columnSpan / (kind.isPad ? 1 : 2))
      try #require(isClose(key.width, multiple * letterWidth + (multiple - 1) * 5))
      try #require(isClose(key.height, (260 - (rows - 1) * 11) / rows), "function keys are as high as letter keys")
    }
  }
}

@Test func rowsOfTenAndNineAreShiftedByHalfAKey() {
  let keys = Array(TestLayout().state.keys)
  let first = keys[0]
  #expect(isClose(first.width, 26.6) && isClose(first.height, 48))
  #expect(isClose(keys[1].x - first.x, 32.6))
  #expect(isClose(keys[10].x - first.x, 16.3) && isClose(keys[10].y, 56))
  #expect(isClose(keys[18].x + keys[18].width, 320 - 16.3))
  #expect(keys[19].role == .shift && keys[19].x == 0)
  #expect(keys[27].role == .delete && isClose(keys[27].x + keys[27].width, 320))
}

@Test func gapsShrinkBeforeKeysVanish() throws {
  let layout = TestLayout()
  try layout.state.setSize(ViewSize(width: 28, height: 10, columnGap: 6, rowGap: 8))
  let keys = Array(layout.state.keys)
  #expect(isClose(keys[0].width, 1) && isClose(keys[1].x, 3), "ten points for keys, eighteen for nine gaps")
  #expect(isClose(keys[0].height, 1) && isClose(keys[10].y, 3), "four points for keys, six for three gaps")
  try layout.state.setSize(ViewSize(width: 10, height: 4, columnGap: 1e6, rowGap: 1e6))
  for key in layout.state.keys where key.role == .character {
    try #require(isClose(key.width, 1) && isClose(key.height, 1))
  }
}

@Test(arguments: everyKind)
func theSmallestKeyIsFoundOnWhateverPage(kind: LayoutKind) throws {
  let layout = try TestLayout(kind)
  for size in sizes {
    guard (try? layout.state.setSize(size)) != nil else { continue }
    var widths: [Double] = []
    var heights: [Double] = []
    layout.onEveryPage { _ in
      widths += layout.state.keys.map(\.width)
      heights += layout.state.keys.map(\.height)
    }
    try #require(layout.state.smallestKeySize == KeySize(width: widths.min()!, height: heights.min()!), "size \(size)")
  }
}

@Test func keysUnder44PointsAreSmallForFingers() throws {
  let layout = try TestLayout(.pin)
  // Three keys of 44 and two gaps of 6; four rows of 44 and three gaps of 8.
  try layout.state.setSize(ViewSize(width: 144, height: 200, columnGap: 6, rowGap: 8))
  #expect(layout.state.smallestKeySize == KeySize(width: 44, height: 44))
  #expect(!layout.state.smallestKeySize.isSmallForFingers)
  try layout.state.setSize(ViewSize(width: 143, height: 200, columnGap: 6, rowGap: 8))
  #expect(layout.state.smallestKeySize.isSmallForFingers)
  try layout.state.setSize(ViewSize(width: 144, height: 199, columnGap: 6, rowGap: 8))
  #expect(layout.state.smallestKeySize.isSmallForFingers)
}
