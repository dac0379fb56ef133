// What a view of a keyboard draws, says and does: everything but the view. UIKit's view is a thin layer on it, and its
// tests run where there is no UIKit.
// SPDX-License-Identifier: Apache-2.0

public import CustomKeyboard

/// The screen of an open keyboard: its keys, its fingers, and whether it may be seen.
///
/// The view calls what happened to it, draws `drawing`, and lets a screen reader have `spokenKeys`. Nothing that it
/// draws, says or plays depends on which key was pressed.
///
/// A press may call the app back before it returns, and the app may then call the screen again: so this is an object,
/// and no change of it lasts while the keyboard is called.
@MainActor
public final class KeyboardScreen {
  /// What a screen reader may say. Everybody near hears it, so ask the person.
  public enum Speech: Sendable {
    /// Characters are called "key".
    case silent
    /// Each key says its character.
    case spoken
  }

  /// Why nothing is shown.
  public struct Cover: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The screen is recorded or mirrored.
    public static let captured = Cover(rawValue: 1)
    /// The app is not in front: the system takes pictures of it then.
    public static let inactive = Cover(rawValue: 2)
  }

  /// What a touch, or another press, has led to.
  public enum Reaction: Equatable, Sendable {
    case nothing
    /// Draw again.
    case changed
    /// A pattern is drawn: the finger has left.
    case finished
    /// The keyboard refused, and nothing has changed.
    case failed(KeyboardError)
  }

  /// The keyboard, which the app opens and closes.
  public let keyboard: Keyboard
  /// What a screen reader may say.
  public var speech = Speech.silent { didSet { refresh() } }
  /// Whether characters of a hardware keyboard are typed. Other programs may see those, so they are not.
  public var takesHardwareKeys = false
  /// Why nothing is shown now; empty if the keys are.
  public private(set) var cover: Cover = []
  /// The keys of the page; none while the keyboard is closed.
  public private(set) var keys: [KeyboardKey] = []
  var (width, height) = (ViewSize.standard.width, ViewSize.standard.height)
  var fingers: [Finger] = []

  /// A screen of a keyboard in its standard size.
  ///
  /// - Parameter keyboard: open or closed; call `refresh` after opening or closing it.
  public init(_ keyboard: Keyboard) {
    self.keyboard = keyboard
    refresh()
  }

  /// Looks at the keys anew: after opening, closing, or another layout.
  public func refresh() { keys = (try? keyboard.keys(spoken: speech == .spoken)) ?? [] }

  var isPattern: Bool { keys.contains { $0.role == .node } }

  /// The view has another size.
  ///
  /// - Parameters:
  ///   - width: in points.
  ///   - height: in points.
  /// - Throws: `.argument` for a view with fewer points than keys. The old size then stays.
  public func setSize(width: Double, height: Double) throws(KeyboardError) {
    let gaps = ViewSize.standard
    try keyboard.setSize(
      ViewSize(width: width, height: height, columnGap: gaps.columnGap, rowGap: gaps.rowGap))
    (self.width, self.height) = (width, height)
    forgetFingers()
    refresh()
  }

  /// A good height: 54 points a row, and more for people with large text, so that a key's label grows, too.
  ///
  /// - Parameter textScale: how much larger than usual the person's text is; 1 is usual.
  public func preferredHeight(textScale: Double = 1) -> Double {
    let rows = keys.map { $0.grid.row + $0.grid.rowSpan - 1 }.max() ?? 4
    return Double(isPattern ? 4 : rows) * 54 * min(max(textScale, 1), 1.5)
  }

  /// Covers the keys, or not, for a reason. What fingers have begun under a cover is forgotten.
  public func setCover(_ reason: Cover, _ isOn: Bool) {
    if isOn { cover.insert(reason) } else { cover.remove(reason) }
    if isOn { forgetFingers() }
  }

  /// Types characters of a hardware keyboard, if the app has asked for that.
  public func type(hardware text: String) -> Reaction {
    guard takesHardwareKeys, cover.isEmpty else { return .nothing }
    let characters = ContiguousArray(text.utf8)
    return react { keyboard throws(KeyboardError) in try keyboard.input(characters.span) }
  }

  /// Makes a call on the keyboard, and looks at the keys anew.
  func react(_ call: (Keyboard) throws(KeyboardError) -> Void) -> Reaction {
    do throws(KeyboardError) { try call(keyboard) } catch { return .failed(error) }
    refresh()
    return .changed
  }
}
