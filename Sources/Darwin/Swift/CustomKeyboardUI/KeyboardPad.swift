// The keyboard for SwiftUI.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import CustomKeyboard
  public import KeyboardScreen
  public import SwiftUI

  /// A keyboard in SwiftUI.
  ///
  ///     KeyboardPad(keyboard, isOpen: isOpen) { error in message = error.description }
  @MainActor
  public struct KeyboardPad: UIViewControllerRepresentable {
    private let keyboard: Keyboard
    private let isOpen: Bool
    private let speech: KeyboardScreen.Speech
    private let onRefusal: (KeyboardError) -> Void
    private let onPattern: () -> Void

    /// A view of a keyboard.
    ///
    /// - Parameters:
    ///   - keyboard: the app opens and closes it.
    ///   - isOpen: whether it is open: when this changes, the keys are looked at anew.
    ///   - speech: what a screen reader may say.
    ///   - onPattern: called when a pattern is drawn.
    ///   - onRefusal: called when the keyboard refuses a press.
    public init(
      _ keyboard: Keyboard, isOpen: Bool, speech: KeyboardScreen.Speech = .silent,
      onPattern: @escaping () -> Void = {}, onRefusal: @escaping (KeyboardError) -> Void
    ) {
      (self.keyboard, self.isOpen, self.speech) = (keyboard, isOpen, speech)
      (self.onPattern, self.onRefusal) = (onPattern, onRefusal)
    }

    public func makeUIViewController(context: Context) -> KeyboardViewController { KeyboardViewController(keyboard) }

    public func updateUIViewController(_ controller: KeyboardViewController, context: Context) {
      let view = controller.keyboardView
      (view.onPattern, view.onRefusal) = (onPattern, onRefusal)
      view.speech = speech
      view.refresh()
    }
  }
#endif
