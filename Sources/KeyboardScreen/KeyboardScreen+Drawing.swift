// What is on the screen: shapes and texts, all in one layer, so that no view has a character.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

/// A colour of sRGB, 0 … 1.
public struct Ink: Equatable, Sendable {
  /// 0 … 1.
  public let red: Double
  /// 0 … 1.
  public let green: Double
  /// 0 … 1.
  public let blue: Double

  init(_ hexadecimal: UInt32) {
    red = Double(hexadecimal >> 16 & 255) / 255
    green = Double(hexadecimal >> 8 & 255) / 255
    blue = Double(hexadecimal & 255) / 255
  }
}

/// How the person likes screens.
public struct ScreenStyle: Equatable, Sendable {
  /// A dark screen.
  public var isDark = false
  /// "Increase contrast".
  public var isHighContrast = false
  /// How much larger than usual text is; 1 is usual.
  public var textScale = 1.0
  /// Whether the person's language is written from right to left. Keys stay where they are, because their places are
  /// the keyboard's; what deletes points to where the text begins.
  public var isRightToLeft = false

  /// A light screen with usual text.
  public init() {}

  var background: Ink { Ink(isDark ? 0x1c1c1e : 0xd1d3d9) }
  var ink: Ink { Ink(isDark ? 0xffffff : 0x000000) }
  var characterKey: Ink { Ink(isDark ? (isHighContrast ? 0x000000 : 0x48484a) : 0xffffff) }
  var functionKey: Ink { Ink(isDark ? (isHighContrast ? 0x000000 : 0x2c2c2e) : (isHighContrast ? 0xffffff : 0xadb3bc)) }
}

/// A key to draw.
public struct DrawnKey: Equatable, Sendable {
  /// Points from the view's left edge.
  public let x: Double
  /// Points from the view's upper edge.
  public let y: Double
  /// In points.
  public let width: Double
  /// In points.
  public let height: Double
  /// In points.
  public let cornerRadius: Double
  /// The key's colour.
  public let fill: Ink
  /// One character, a symbol, or a few characters; may be empty.
  public let text: String
  /// The size of the system's font, in points. The text is in the middle of the key.
  public let textSize: Double
  /// The text's colour.
  public let ink: Ink
}

/// Everything to draw.
public struct KeyboardDrawing: Equatable, Sendable {
  /// Behind the keys.
  public let background: Ink
  /// None under a cover.
  public let keys: [DrawnKey]
}

extension KeyboardScreen {
  /// What to draw now. It does not depend on which keys were pressed, or are touched.
  public func drawing(_ style: ScreenStyle) -> KeyboardDrawing {
    let shown = cover.isEmpty ? keys.filter { $0.role != .blank || isDecoy($0) } : []
    return KeyboardDrawing(background: style.background, keys: shown.map { drawn($0, style) })
  }

  /// A blank key among characters is drawn like them; one that is only a place in the grid is not.
  private func isDecoy(_ key: KeyboardKey) -> Bool { keys.count { $0.role == .blank } > 1 }

  private func drawn(_ key: KeyboardKey, _ style: ScreenStyle) -> DrawnKey {
    let isCharacter = [.character, .blank, .space, .node].contains(key.role)
    let text = text(on: key, style)
    return DrawnKey(
      x: key.x, y: key.y, width: key.width, height: key.height,
      cornerRadius: key.role == .node ? min(key.width, key.height) / 2 : min(5, min(key.width, key.height) / 4),
      fill: isCharacter ? style.characterKey : style.functionKey, text: text,
      textSize: textSize(text, isCharacter ? 0.5 : 0.36, key, style), ink: style.ink)
  }

  private func text(on key: KeyboardKey, _ style: ScreenStyle) -> String {
    switch key.role {
    case .delete: style.isRightToLeft ? "⌦" : "⌫"
    case .shift: key.label == "SHIFT" ? "⇪" : key.label == "Shift" ? "⬆" : "⇧"
    case .return: "⏎"
    case .space, .node: ""
    default: key.label
    }
  }

  /// As large as the person likes, and no larger than the key: a character is about 0.7 of its size wide.
  private func textSize(_ text: String, _ share: Double, _ key: KeyboardKey, _ style: ScreenStyle) -> Double {
    let wanted = min(key.height * share, 24) * style.textScale
    return max(min(wanted, key.height * 0.8, key.width * 0.9 / (0.7 * Double(max(text.count, 1)))), 1)
  }
}
