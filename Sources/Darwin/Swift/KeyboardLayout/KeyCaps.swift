// The keys of the page on the screen, one by one, as C has written them.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard

/// The keys of a page, from the top left to the bottom right.
package struct KeyCaps: Sequence, IteratorProtocol {
  private var keys: ArraySlice<CUSTOM_KEYBOARD_KEY>

  package init(_ keys: ArraySlice<CUSTOM_KEYBOARD_KEY>) { self.keys = keys }

  package mutating func next() -> KeyCap? { keys.popFirst().map { KeyCap($0) } }
}

extension KeyCap {
  fileprivate init(_ key: CUSTOM_KEYBOARD_KEY) {
    let grid = GridRect(
      row: Int(key.grid.row), column: Int(key.grid.column), rowSpan: Int(key.grid.rowSpan),
      columnSpan: Int(key.grid.columnSpan))
    var label = KeyLabel()
    withUnsafeBytes(of: key.label) { for i in 0..<KeyLabel.byteCount { label.set(i, $0[i]) } }
    self.init(
      grid: grid, x: key.x, y: key.y, width: key.width, height: key.height,
      role: UInt8(exactly: key.role.rawValue).flatMap(KeyRole.init(rawValue:)) ?? .blank, label: label)
  }
}
