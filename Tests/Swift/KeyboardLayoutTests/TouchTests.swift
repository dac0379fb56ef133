// Which key a touch presses.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

/// The first key that contains the point, otherwise the nearest, found by comparing all of them.
private func nearest(_ keys: [KeyCap], _ x: Double, _ y: Double) -> Int {
  func holds(_ key: KeyCap) -> Bool {
    key.x <= x && x <= key.x + key.width && key.y <= y && y <= key.y + key.height
  }
  if let index = keys.firstIndex(where: holds) { return index }
  func distance(_ key: KeyCap) -> Double {
    let nearX = min(max(x, key.x), key.x + key.width)
    let nearY = min(max(y, key.y), key.y + key.height)
    return (x - nearX) * (x - nearX) + (y - nearY) * (y - nearY)
  }
  let shortest = keys.map(distance).min()!
  return keys.firstIndex { distance($0) == shortest }!
}

/// Whether a touch presses the key with this index.
private func isTouched(_ layout: TestLayout, x: Double, y: Double, index: Int) -> Bool {
  let press = layout.state.press(x: x, y: y)
  return press != nil && press == layout.state.press(at: index)
}

@Test(arguments: everyKind)
func aTouchMeansTheKeyItHitsOrTheNearest(kind: LayoutKind) throws {
  var generator = Statistical()
  let layout = try TestLayout(kind)
  let sizes = [
    ViewSize.standard, ViewSize(width: 10, height: 4, columnGap: 0, rowGap: 0),
    ViewSize(width: 700, height: 400, columnGap: 30, rowGap: 50),
  ]
  for size in sizes {
    try layout.state.setSize(size)
    try layout.onEveryPage { page in
      let keys = Array(layout.state.keys)
      let presses = keys.indices.map { layout.state.press(at: $0) }
      for (index, press) in presses.enumerated() where keys[index].role != .blank {
        try #require(press != nil && !presses[..<index].contains(press), "no two keys do the same")
      }
      var differing = 0
      for _ in 0..<300 {
        let x = Double.random(in: 0...size.width, using: &generator)
        let y = Double.random(in: 0...size.height, using: &generator)
        if layout.state.press(x: x, y: y) != presses[nearest(keys, x, y)] { differing += 1 }
      }
      for (index, key) in keys.enumerated() {
        let x = key.x + key.width / 2
        let y = key.y + key.height / 2
        if layout.state.press(x: x, y: y) != presses[index] { differing += 1 }
      }
      try #require(differing == 0, "\(kind) \(page) \(size), seed \(generator.seed)")
    }
  }
}

@Test func gapsBelongToTheNearestKeyAndTheirMiddleToTheFirst() throws {
  let layout = try TestLayout(.pin)
  // Keys of 90 × 40 at x = 0, 100, 200 and y = 0, 50, 100, 150.
  try layout.state.setSize(ViewSize(width: 290, height: 190, columnGap: 10, rowGap: 10))
  let expected: [(Double, Double, Int)] = [
    (0, 0, 0), (90, 40, 0), (94.9, 20, 0), (95, 20, 0), (95.1, 20, 1), (100, 20, 1),
    (45, 44.9, 0), (45, 45, 0), (45, 45.1, 3), (95.1, 45.1, 4), (95, 45, 0), (94, 46, 3), (96, 44, 1),
    (290, 190, 11), (0, 190, 9), (290, 0, 2),
  ]
  for (x, y, index) in expected { try #require(isTouched(layout, x: x, y: y, index: index), "\(x), \(y)") }
}

@Test func keysThatTouchLeaveTheirEdgeToTheFirst() throws {
  let layout = try TestLayout(.pin)
  try layout.state.setSize(ViewSize(width: 300, height: 400, columnGap: 0, rowGap: 0))
  #expect(isTouched(layout, x: 100, y: 50, index: 0))
  #expect(isTouched(layout, x: 100.nextUp, y: 50, index: 1))
  #expect(isTouched(layout, x: 100, y: 100, index: 0))
}

@Test(arguments: everyKind)
func touchesOutsideTheViewMeanNothing(kind: LayoutKind) throws {
  let layout = try TestLayout(kind)
  let outside: [(Double, Double)] = [
    (-1, 5), (5, -1), ((-0.0).nextDown, 5), (320.0.nextUp, 5), (5, 216.0.nextUp), (.infinity, 5), (5, -.infinity),
    (.nan, 5), (5, .nan), (.nan, .nan), (.greatestFiniteMagnitude, .greatestFiniteMagnitude),
  ]
  for (x, y) in outside { try #require(layout.state.press(x: x, y: y) == nil, "\(x), \(y)") }
  #expect(isTouched(layout, x: -0.0, y: 0, index: 0))
}
