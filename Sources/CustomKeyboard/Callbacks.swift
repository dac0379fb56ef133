// The paper's setTextField: and setOKActionOnTarget:OKAction: (§3.3), as plain pointers: a slot holds no objects, and
// C has none. Memory that a fork has emptied has no callbacks.
// SPDX-License-Identifier: Apache-2.0

/// A keyboard's callbacks, as they are in its slot. All zero: none.
struct Callbacks {
  var textField: TextFieldCallback?
  var textFieldContext: UnsafeMutableRawPointer?
  var ok: OKCallback?
  var okContext: UnsafeMutableRawPointer?
  /// Grows when a callback is replaced: a running callback with a smaller number is an old one.
  var version: UInt64 = 0

  var isSet: Bool { textField != nil || ok != nil }

  /// Those of a keyboard that is being destroyed: none, and none can be set.
  static var ended: Callbacks { Callbacks(version: .max) }
  var hasEnded: Bool { version == .max }
}

/// What there is to tell after a call.
struct Notice {
  var isTextChanged = false
  var isComplete = false
  var characterCount = 0
}
