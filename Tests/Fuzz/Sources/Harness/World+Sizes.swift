// Numbers for views and fingers: mostly sensible, sometimes ones that are difficult for arithmetic.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  private static let odd: [Double] = [
    .nan, .infinity, -.infinity, -0.0, -1, .leastNonzeroMagnitude, 2.9, 3, 4, 4.0.nextDown, 9, 10, 10.0.nextDown, 11,
    1e6, 1e6.nextUp, 1e300, .greatestFiniteMagnitude, 0.1,
  ]

  /// A coordinate or length in points, mostly within a screen.
  private func points() -> Double {
    switch reader.number(below: 16) {
    case 0...11: Double(reader.number(below: 1024))
    case 12...14: reader.one(of: Self.odd)
    default: Double(bitPattern: reader.word())
    }
  }

  public func setAnySize(_ handle: CUSTOM_KEYBOARD) {
    let (width, height) = (points(), points())
    let areGaps = reader.number(below: 4) > 0
    setSize(handle, width, height, areGaps ? Double(reader.number(below: 32)) : points(), areGaps ? 6 : points())
  }

  public func touchAnywhere(_ handle: CUSTOM_KEYBOARD) {
    guard reader.number(below: 8) > 0 else { return touch(handle, points(), points()) }
    let layout = keyboards[handle]?.layout ?? LayoutModel()
    let (across, down) = (Double(reader.byte()) / 255, Double(reader.byte()) / 255)
    touch(handle, across * layout.width, down * layout.height)
  }

  /// Mostly a layout that exists.
  public func setAnyLayout(_ handle: CUSTOM_KEYBOARD) {
    // Layout 6, the pattern, has no model here: Tests/C/layout.c has one. 7 does not exist.
    let kinds: [UInt32] = [0, 1, 2, 3, 4, 5, 7]
    let (kind, shuffle) = (reader.one(of: kinds), UInt32(reader.number(below: 4)))
    let maximum = UInt(reader.number(below: 16))
    let hostile = reader.number(below: 16) == 15
    setLayout(
      handle, hostile && kind == 7 ? 0x100 : kind, hostile && shuffle == 3 ? .max : shuffle,
      maximumCount: hostile ? reader.one(of: [127, 128, 129, 256, 260, UInt.max, 1 << 63]) : maximum)
  }
}
