// Columns of text. Widths are counted in characters, so that "×" and "µs" take one place each.
// SPDX-License-Identifier: Apache-2.0

import Foundation

func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

func padLeft(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// The line without spaces at its end.
func trimmed(_ line: String) -> String {
  String(line.reversed().drop { $0 == " " }.reversed())
}

/// With a comma between thousands.
func number(_ value: Double, _ digits: Int = 0) -> String {
  let plain = String(format: "%.\(digits)f", value)
  let parts = plain.split(separator: ".", maxSplits: 1).map(String.init)
  var whole = parts[0]
  var place = whole.count - 3
  while place > (whole.hasPrefix("-") ? 1 : 0) {
    whole.insert(",", at: whole.index(whole.startIndex, offsetBy: place))
    place -= 3
  }
  return parts.count > 1 ? whole + "." + parts[1] : whole
}

/// A number with three significant digits.
func short(_ value: Double) -> String {
  number(value, value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

/// A time in the unit that suits it.
func duration(_ nanoseconds: Double) -> String {
  switch nanoseconds {
  case ..<1e4: short(nanoseconds) + " ns"
  case ..<1e6: short(nanoseconds / 1e3) + " µs"
  default: short(nanoseconds / 1e6) + " ms"
  }
}
