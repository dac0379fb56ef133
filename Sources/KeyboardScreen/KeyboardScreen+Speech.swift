// What a screen reader gets. Programs that test apps, and those that record sessions, read the same: so a character is
// there only if the person wants it spoken.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

/// A key for a screen reader. It has no identifier: that would be a place for the character, too.
public struct SpokenKey: Equatable, Sendable {
  /// For `activate`.
  public let index: Int
  /// Points from the view's left edge.
  public let x: Double
  /// Points from the view's upper edge.
  public let y: Double
  /// In points.
  public let width: Double
  /// In points.
  public let height: Double
  /// What is said.
  public let label: String
  /// Whether the system may treat it as a key of a keyboard, whose character it then says while typing.
  public let isKeyboardKey: Bool
}

extension KeyboardScreen {
  /// The keys, in the order of reading; none while they are covered. In silence, blank keys are there like the others:
  /// which ones are blank tells where the characters are.
  public var spokenKeys: [SpokenKey] {
    guard cover.isEmpty else { return [] }
    return keys.compactMap { key in
      guard key.role != .blank || speech == .silent else { return nil }
      return SpokenKey(
        index: key.index, x: key.x, y: key.y, width: key.width, height: key.height, label: spokenLabel(key),
        isKeyboardKey: speech == .spoken)
    }
  }

  private func spokenLabel(_ key: KeyboardKey) -> String {
    switch key.role {
    case .character, .blank, .node: key.mayBeSpoken ? key.accessibilityLabel : "key"
    default: key.accessibilityLabel
    }
  }

  /// How much is typed: "3 characters". It is said for the whole keyboard.
  public var spokenValue: String {
    if !cover.isEmpty { return "hidden" }
    let count = keyboard.count
    return count == 1 ? "1 character" : "\(count) characters"
  }

  /// A screen reader's user presses a key.
  ///
  /// - Parameter index: of a spoken key.
  public func activate(_ index: Int) -> Reaction {
    guard cover.isEmpty else { return .nothing }
    return pressing { keyboard throws(KeyboardError) in try keyboard.pressKey(at: index) }
  }
}
