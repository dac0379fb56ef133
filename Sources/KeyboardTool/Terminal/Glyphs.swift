// The signs that the pad is drawn with: boxes and symbols in a UTF-8 locale, ASCII in others.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct Glyphs {
  let mask, place: String
  let shift, capsLock, delete, ok: String
  /// Corners from the upper left clockwise, then horizontal and vertical.
  let box, selectedBox: [String]
  let arrows: String

  static let unicode = Glyphs(
    mask: "•", place: "·", shift: "⇧", capsLock: "⇪", delete: "⌫", ok: "⏎", box: ["╭", "╮", "╯", "╰", "─", "│"],
    selectedBox: ["┏", "┓", "┛", "┗", "━", "┃"], arrows: "←↑↓→")

  static let ascii = Glyphs(
    mask: "*", place: ".", shift: "sh", capsLock: "SH", delete: "<-", ok: "ok", box: ["+", "+", "+", "+", "-", "|"],
    selectedBox: ["#", "#", "#", "#", "=", "#"], arrows: "Arrows")

  /// The locale decides, as for other programs.
  static var ofTerminal: Glyphs { terminalReadsUTF8 ? .unicode : .ascii }

  static var terminalReadsUTF8: Bool {
    setlocale(LC_CTYPE, "")
    guard let codeset = nl_langinfo(CInt(CODESET)) else { return false }
    return String(cString: codeset).uppercased().hasPrefix("UTF")
  }
}
