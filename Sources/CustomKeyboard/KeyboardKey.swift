// A key for a Swift user interface: what to draw, and what a screen reader may say.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardLayout

  /// A key of the page on the screen. Its label is what is drawn: show it and forget it, because labels and touches
  /// together are the password.
  ///
  /// - C: `CUSTOM_KEYBOARD_KEY`.
  public struct KeyboardKey: Sendable, Equatable, Identifiable {
    /// The key's place in the list of keys, from 0. `pressKey(at:)` takes it.
    public let index: Int
    /// The same as `index`: it names a key of this page, not a character.
    public var id: Int { index }
    /// The key's cells in the page's grid, rows and columns counted from 1.
    public let grid: GridRect
    /// Points from the view's left edge to the key's.
    public let x: Double
    /// Points from the view's upper edge to the key's.
    public let y: Double
    /// The key's width in points.
    public let width: Double
    /// The key's height in points.
    public let height: Double
    /// What the key is for.
    public let role: KeyRole
    /// The text on the key: a character of ASCII, or a word such as "delete". Empty on a blank key.
    public let label: String
    /// Whether a screen reader may say `accessibilityLabel` aloud. If not, let it say nothing, or "key".
    public let mayBeSpoken: Bool

    init(_ cap: KeyCap, index: Int, mayBeSpoken: Bool) {
      self.index = index
      grid = cap.grid
      (x, y, width, height) = (cap.x, cap.y, cap.width, cap.height)
      role = cap.role
      label = String(decoding: (0..<cap.label.count).map { cap.label[$0] }, as: UTF8.self)
      self.mayBeSpoken = mayBeSpoken
    }

    /// The key in English words: "a", "capital A", "exclamation mark", "delete". Empty for a blank key. Says the
    /// character even if `mayBeSpoken` is false.
    public var accessibilityLabel: String {
      switch role {
      case .character: Self.spoken(label)
      case .space: "space"
      case .delete: "delete"
      case .shift: label == "SHIFT" ? "caps lock" : "shift"
      case .toLetters: label == "abc" ? "letters" : "first page"
      case .toDigits: label == "123" ? "digits" : "second page"
      case .toSymbols: label == "#+=" ? "symbols" : "third page"
      case .return: "done"
      case .node: "node \(label)"
      case .blank, .clear: ""
      }
    }

    private static func spoken(_ label: String) -> String {
      if let name = symbolNames[label] { return name }
      return label.first?.isUppercase == true ? "capital \(label)" : label
    }

    /// The names of ASCII's 32 symbols in Unicode, or shorter names that people use.
    private static let symbolNames = [
      "!": "exclamation mark", "\"": "quotation mark", "#": "number sign", "$": "dollar sign", "%": "percent sign",
      "&": "ampersand", "'": "apostrophe", "(": "left parenthesis", ")": "right parenthesis", "*": "asterisk",
      "+": "plus sign", ",": "comma", "-": "hyphen", ".": "full stop", "/": "slash", ":": "colon", ";": "semicolon",
      "<": "less-than sign", "=": "equals sign", ">": "greater-than sign", "?": "question mark", "@": "at sign",
      "[": "left square bracket", "\\": "backslash", "]": "right square bracket", "^": "circumflex accent",
      "_": "low line", "`": "grave accent", "{": "left curly bracket", "|": "vertical line", "}": "right curly bracket",
      "~": "tilde",
    ]
  }

  extension KeyboardKey: CustomStringConvertible, CustomReflectable {
    /// Number and role only: a log of labels and touches is the password.
    public var description: String { "KeyboardKey(index: \(index), role: \(role))" }
    /// Number and role only.
    public var customMirror: Mirror { Mirror(self, children: ["index": index, "role": role]) }
  }
#endif
