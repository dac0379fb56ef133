// For people: a picture that follows the reader's light or dark scheme and needs no font or file besides itself.
// SPDX-License-Identifier: Apache-2.0

import KeyboardLayout

extension Showing {
  private static var margin: Double { 8 }

  var svg: String {
    let width = size.width + 2 * Self.margin
    let height = size.height + 2 * Self.margin + (seed == nil ? 0 : 12)
    let note = seed.map {
      """
        <text class="note" x="\(short(width / 2))" y="\(short(height - 6))">documentation: seed \($0)</text>

      """
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(short(width))" height="\(short(height))" \
      viewBox="0 0 \(short(width)) \(short(height))" role="img">
        <title>\(kind.name), page \(page) of \(kind.pageCount)</title>
      \(Self.style)
        <rect class="view" width="\(short(width))" height="\(short(height))" rx="10"/>
      \(keys.filter { $0.role != .blank }.map(drawn).joined())\(note ?? "")</svg>

      """
  }

  /// Neutral, and readable in either scheme; a reader who has neither sees the light one.
  private static var style: String {
    """
      <style>
        text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Cantarell, "DejaVu Sans", sans-serif;
          text-anchor: middle; fill: #16181d }
        .view { fill: #d3d6dd } .under { fill: #8d929c } .key { fill: #fff } .function { fill: #b4bac6 }
        .return { fill: #2563eb } .onReturn { fill: #fff } .note { font-size: 8px; fill: #5b606b }
        .icon { fill: none; stroke: #16181d; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round }
        .on { fill: #16181d }
        @media (prefers-color-scheme: dark) {
          text { fill: #f4f5f7 } .view { fill: #25272c } .under { fill: #0d0e10 } .key { fill: #62666f }
          .function { fill: #3f434b } .return { fill: #3b7bf6 } .onReturn { fill: #fff } .note { fill: #9aa0ab }
          .icon { stroke: #f4f5f7 } .on { fill: #f4f5f7 }
        }
      </style>
    """
  }

  private func drawn(_ key: KeyCap) -> String {
    let (x, y) = (key.x + Self.margin, key.y + Self.margin)
    let radius = short(min(5, key.width / 4, key.height / 4))
    let kind = key.role == .return ? "return" : key.role.isFunction ? "function" : "key"
    let box = "width=\"\(short(key.width))\" height=\"\(short(key.height))\" rx=\"\(radius)\""
    return """
        <rect class="under" x="\(short(x))" y="\(short(y + 1))" \(box)/>
        <rect class="\(kind)" x="\(short(x))" y="\(short(y))" \(box)/>
      \(content(key, x: x + key.width / 2, y: y + key.height / 2))

      """
  }

  /// The label or icon of a key, around its centre.
  private func content(_ key: KeyCap, x: Double, y: Double) -> String {
    let scale = min(1, key.width / 24, key.height / 24)
    let place = "transform=\"translate(\(short(x)) \(short(y))) scale(\(short(scale)))\""
    switch key.role {
    case .shift:
      let lock = shift == .capsLock ? "M-4 9.5H4" : ""
      return """
          <path class="icon\(shift == .off ? "" : " on")" \(place) d="M0-8L8 0.5H4V6H-4V0.5H-8Z\(lock)"/>
        """
    case .delete:
      return """
          <path class="icon" \(place) d="M-4-6.5H9.5V6.5H-4L-10 0ZM0-2.5L5 2.5M5-2.5L0 2.5"/>
        """
    default:
      let label = key.label.text
      let isCharacter = key.role == .character
      // How many ems it is wide, in a wide font.
      let ems = isCharacter ? 1 : label.reduce(0) { $0 + ($1.isLetter ? 0.6 : 0.8) }
      let fontSize = min(isCharacter ? 20 : 13, key.height * 0.6, key.width * 0.85 / max(ems, 1))
      let style = key.role == .return ? " class=\"onReturn\"" : ""
      return """
          <text\(style) x="\(short(x))" y="\(short(y + fontSize * 0.35))" \
        font-size="\(short(fontSize))">\(escaped(label))</text>
        """
    }
  }

  private func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: String(character)
      }
    }.joined()
  }
}
