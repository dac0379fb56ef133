// A key as a Swift UI draws it, and as a screen reader says it.

#if !hasFeature(Embedded)
  public import KeyboardLayout

  /// A key of the page that is up.
  public struct KeyboardKey: Sendable, Equatable, Identifiable {
    /// Its place in the list, which `pressKey(at:)` takes.
    public let index: Int
    public var id: Int { index }
    /// Its place in the page's grid, rows and columns counted from 1.
    public let grid: GridRect
    /// Its frame in points, from the view's upper left corner.
    public let x, y, width, height: Double
    /// What it is for.
    public let role: KeyRole
    /// What stands on it.
    public let label: String
    /// Whether a screen reader may say `accessibilityLabel` aloud; if not, let it say nothing, or "key".
    public let mayBeSpoken: Bool

    init(_ key: KeyCap, index: Int, mayBeSpoken: Bool) {
      self.index = index
      grid = key.grid
      (x, y, width, height) = (key.x, key.y, key.width, key.height)
      role = key.role
      label = String(decoding: (0..<key.label.count).map { key.label[$0] }, as: UTF8.self)
      self.mayBeSpoken = mayBeSpoken
    }

    /// The key in words: "a", "capital A", "exclamation mark", "delete".
    public var accessibilityLabel: String {
      switch role {
      case .character: Self.spoken(label)
      case .space: "space"
      case .delete: "delete"
      case .clear: "clear"
      case .shift: label == "SHIFT" ? "caps lock" : "shift"
      case .toLetters: label == "abc" ? "letters" : "first page"
      case .toDigits: label == "123" ? "digits" : "second page"
      case .toSymbols: label == "#+=" ? "symbols" : "third page"
      case .return: "done"
      case .blank: ""
      }
    }

    private static func spoken(_ label: String) -> String {
      if let name = symbolNames[label] { return name }
      return label.first?.isUppercase == true ? "capital \(label)" : label
    }

    /// ASCII's 32 symbols by their Unicode names, or the shorter ones that people use.
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
#endif
