// The signs that the pad is drawn with: boxes and symbols in a UTF-8 locale, ASCII in others.
// SPDX-License-Identifier: Apache-2.0

package struct Glyphs {
  package let mask, place: String
  package let shift, capsLock, delete, ok: String
  /// Corners from the upper left clockwise, then horizontal and vertical.
  package let box, selectedBox: [String]
  package let arrows: String

  package static let unicode = Glyphs(
    mask: "•", place: "·", shift: "⇧", capsLock: "⇪", delete: "⌫", ok: "⏎", box: ["╭", "╮", "╯", "╰", "─", "│"],
    selectedBox: ["┏", "┓", "┛", "┗", "━", "┃"], arrows: "←↑↓→")

  package static let ascii = Glyphs(
    mask: "*", place: ".", shift: "sh", capsLock: "SH", delete: "<-", ok: "ok", box: ["+", "+", "+", "+", "-", "|"],
    selectedBox: ["#", "#", "#", "#", "=", "#"], arrows: "Arrows")

  /// The locale decides, as for other programs.
  package static var ofTerminal: Glyphs { terminalReadsUTF8 ? .unicode : .ascii }

  package static var terminalReadsUTF8: Bool {
    setlocale(LC_CTYPE, "")
    guard let codeset = nl_langinfo(CInt(CODESET)) else { return false }
    return String(cString: codeset).uppercased().hasPrefix("UTF")
  }
}
