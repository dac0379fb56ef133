// Text that a terminal shows and does not obey: control characters would rename a window or move the cursor, and marks
// of text direction would show "exe.txt" for "txt.exe".
// SPDX-License-Identifier: Apache-2.0

package enum TerminalText {
  /// Text with escapes. Not for secrets: strings are not wiped.
  package static func escaped(_ text: String) -> String {
    let readsUTF8 = Glyphs.terminalReadsUTF8
    var escaped = ""
    for scalar in text.unicodeScalars {
      if scalar == "\n" || isShown(scalar, inUTF8: readsUTF8) {
        escaped.unicodeScalars.append(scalar)
      } else {
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return escaped
  }

  /// Text with escapes, for newlines too.
  package static func line(_ text: String) -> String { escaped(text).replacing("\n", with: "\\u{a}") }

  /// How many cells a terminal takes for a line, as most terminals count.
  package static func width(_ line: String) -> Int {
    line.unicodeScalars.reduce(0) { cells, scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: cells
      default: cells + (isWide(scalar) ? 2 : 1)
      }
    }
  }

  /// The large blocks of Unicode's EastAsianWidth.txt with W and F.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      true
    default: false
    }
  }

  /// Whether a terminal would not show these bytes as they are.
  package static func needsEscapes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let readsUTF8 = Glyphs.terminalReadsUTF8
    var isPlain = true
    forEachPiece(bytes) { piece in
      switch piece {
      case .scalar(let scalar): isPlain = isPlain && isShown(scalar, inUTF8: readsUTF8)
      case .byte: isPlain = false
      }
    }
    return !isPlain
  }

  fileprivate enum Piece {
    case scalar(Unicode.Scalar)
    /// Not UTF-8.
    case byte(UInt8)
  }

  fileprivate static func forEachPiece(_ bytes: UnsafeRawBufferPointer, _ body: (Piece) -> Void) {
    var place = 0
    while place < bytes.count {
      var rest = bytes[place...].makeIterator()
      var parser = Unicode.UTF8.ForwardParser()
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        body(.scalar(Unicode.UTF8.decode(encoded)))
        place += encoded.count
      case .error(let length):
        for byte in bytes[place..<place + length] { body(.byte(byte)) }
        place += length
      case .emptyInput: return
      }
    }
  }

  /// - Parameter inUTF8: whether the terminal reads UTF-8. Another one may take the bytes of a letter for control
  ///   characters.
  fileprivate static func isShown(_ scalar: Unicode.Scalar, inUTF8: Bool) -> Bool {
    (scalar.isASCII || inUTF8) && !isControl(scalar)
  }

  /// Whether a character is one that text has for what shows it, and not for people.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // C0, DEL and C1 (ISO 6429).
    case 0x00..<0x20, 0x7f..<0xa0: true
    // Marks, embeddings, overrides and isolates of text direction (Unicode Standard Annex 9).
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    // Separators of lines and paragraphs.
    case 0x2028, 0x2029: true
    default: false
    }
  }
}

extension WipedOutput {
  /// - Parameter escaped: whether to escape what a terminal would not show, and backslashes.
  package mutating func append(_ bytes: UnsafeRawBufferPointer, escaped: Bool) {
    guard escaped else {
      for byte in bytes { append(byte) }
      return
    }
    let readsUTF8 = Glyphs.terminalReadsUTF8
    TerminalText.forEachPiece(bytes) { piece in
      switch piece {
      case .scalar("\\"): append("\\\\")
      case .scalar(let scalar) where TerminalText.isShown(scalar, inUTF8: readsUTF8): append(scalar)
      case .scalar(let scalar): append("\\u{\(String(scalar.value, radix: 16))}")
      case .byte(let byte): append("\\x\(String(byte, radix: 16))")
      }
    }
  }
}
