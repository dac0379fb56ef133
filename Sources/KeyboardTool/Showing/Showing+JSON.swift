// For programs: frames unrounded, one key to a line so that a diff shows what moved.
// SPDX-License-Identifier: Apache-2.0

import KeyboardLayout

extension Showing {
  var json: String {
    let seed = seed.map { "\n  \"seed\": \($0),\n  \"note\": \"documentation: seed \($0)\"," } ?? ""
    let lines = keys.map { "    \(Self.json($0))" }.joined(separator: ",\n")
    return """
      {
        "layout": "\(kind.name)",
        "page": \(page),
        "pages": \(kind.pageCount),
        "shift": "\(shift.name)",\(seed)
        "size": {"width": \(size.width), "height": \(size.height), \
      "columnGap": \(size.columnGap), "rowGap": \(size.rowGap)},
        "smallestKey": {"width": \(smallestKeySize.width), "height": \(smallestKeySize.height), \
      "isSmallForFingers": \(smallestKeySize.isSmallForFingers)},
        "keys": [
      \(lines)
        ]
      }

      """
  }

  private static func json(_ key: KeyCap) -> String {
    let grid = key.grid
    return """
      {"role": "\(key.role)", "label": \(quoted(key.label.text)), \
      "grid": {"row": \(grid.row), "column": \(grid.column), \
      "rowSpan": \(grid.rowSpan), "columnSpan": \(grid.columnSpan)}, \
      "x": \(key.x), "y": \(key.y), "width": \(key.width), "height": \(key.height)}
      """
  }

  /// Labels are printable ASCII (RFC 8259 §7).
  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
  }
}
