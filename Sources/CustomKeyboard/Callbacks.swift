// Whom a keyboard tells: the paper's setTextField: and setOKActionOnTarget:OKAction: (§3.3), as plain pointers, since that is
// what C has and what stands in a slot. Memory that a fork empties tells nobody.

/// Is told how many characters stand there, and nothing else of them.
package typealias TextFieldCallback =
  @convention(c) (_ context: UnsafeMutableRawPointer?, _ keyboard: UInt64, _ characterCount: Int) -> Void

/// Is told that the input is complete.
package typealias OKCallback = @convention(c) (_ context: UnsafeMutableRawPointer?, _ keyboard: UInt64) -> Void

/// As they stand in a keyboard's slot; all zero is nobody.
struct Callbacks {
  var textField: TextFieldCallback?
  var textFieldContext: UnsafeMutableRawPointer?
  var ok: OKCallback?
  var okContext: UnsafeMutableRawPointer?
}

/// What is to be told once the lock is released.
struct Notice {
  var isTextChanged = false
  var isComplete = false
  var characterCount = 0
}

extension KeyboardSession {
  /// What there is to tell after a call that changed the text, or completed it.
  func notice(isTextChanged: Bool, isComplete: Bool = false) -> Notice {
    Notice(isTextChanged: isTextChanged, isComplete: isComplete, characterCount: characterCount)
  }
}
