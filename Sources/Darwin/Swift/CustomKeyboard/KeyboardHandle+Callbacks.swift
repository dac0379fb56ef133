// Callbacks of a keyboard on phones: C's, and the closures that wait for the main actor.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import KeyboardCodes

extension KeyboardHandle {
  /// When this returns, the callback that was set before does not run any more and will not start, unless the calling
  /// thread is inside a callback.
  package func setTextField(
    _ callback: TextFieldCallback?, context: UnsafeMutableRawPointer?
  ) throws(KeyboardError) {
    try check(CustomKeyboard_setTextField(number, callback, context))
    Bell.wait()
  }

  /// As `setTextField`.
  package func setOKAction(_ callback: OKCallback?, context: UnsafeMutableRawPointer?) throws(KeyboardError) {
    try check(CustomKeyboard_setOKAction(number, callback, context))
    Bell.wait()
  }

  /// Runs a closure that a callback has queued to the main actor. It counts as a callback: a call that replaces a
  /// callback waits for it.
  @MainActor
  func runQueued(_ body: () -> Void) { Bell.ring(body) }
}

/// A keyboard that nobody sees. The queued closures run in its callback, so that C knows that the main actor is inside
/// one. A call that replaces a callback then waits, or does not wait, as it does in C.
private enum Bell {
  /// The closure that rings next.
  @MainActor private static var next: (() -> Void)?

  private static let callback: TextFieldCallback = { _, _, _ in
    MainActor.assumeIsolated {
      let body = next
      next = nil
      body?()
    }
  }

  /// Nil without memory: nothing that is queued then runs.
  private static let keyboard: KeyboardHandle? = {
    guard let keyboard = try? KeyboardHandle.create() else { return nil }
    let isReady =
      CustomKeyboard_setTextField(keyboard.number, callback, nil) == CUSTOM_KEYBOARD_OK
      && CustomKeyboard_open(keyboard.number) == CUSTOM_KEYBOARD_OK
    return isReady ? keyboard : nil
  }()

  @MainActor
  static func ring(_ body: () -> Void) {
    guard let keyboard else { return }
    withoutActuallyEscaping(body) { body in
      next = body
      var character = UInt8(ascii: "0")
      _ = CustomKeyboard_input(keyboard.number, &character, 1)
      next = nil
      _ = CustomKeyboard_clear(keyboard.number)
    }
  }

  /// Waits for what rings now, unless this is inside a callback.
  static func wait() {
    if let keyboard { _ = CustomKeyboard_setTextField(keyboard.number, callback, nil) }
  }
}
