// What a terminal can show: boxes and symbols where it speaks UTF-8, ASCII where it does not.

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

  /// By the locale, as other programs decide it.
  static var ofTerminal: Glyphs {
    setlocale(LC_CTYPE, "")
    guard let codeset = nl_langinfo(CInt(CODESET)) else { return .ascii }
    return String(cString: codeset).uppercased().hasPrefix("UTF") ? .unicode : .ascii
  }
}
