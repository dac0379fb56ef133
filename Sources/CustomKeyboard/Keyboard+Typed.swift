// What is typed, for other parts of an app and for C: one rule, a key, the keyboard's handle. For Swift.
// SPDX-License-Identifier: Apache-2.0

#if hasFeature(Embedded)
  import KeyboardMemory
#else
  public import KeyboardMemory
#endif

extension Keyboard {
  /// The keyboard's number in C: what a function of C takes as a `CUSTOM_KEYBOARD`. It is valid as long as this
  /// keyboard exists, in C code that is linked with this package's `CustomKeyboardC` and not with another copy of the
  /// library.
  ///
  ///     import CCustomKeyboard
  ///
  ///     let other = second.handle
  ///     let rv = withExtendedLifetime((keyboard, second)) { CustomKeyboard_compare(keyboard.handle, other) }
  public var handle: UInt64 { keyboardHandle.number }

  /// Makes a raw key of what is typed: Argon2id with one lane. No key equals the hash of a verifier.
  ///
  /// - Parameters:
  ///   - salt: 8 … 64 bytes, drawn once for each key.
  ///   - pepper: 0 … 64 secret bytes.
  ///   - memoryKiB: 8 … 1,048,576; or 0, and `passes` 0: 19,456 and 2, as a new verifier has.
  ///   - passes: at least 1; memory times passes at most 2,097,152.
  ///   - key: 16 … 64 bytes, all of which are written. The caller wipes them.
  /// - Throws: `.argument` for a wrong length of salt or key, or for the costs; `.operationDisabled` while the keyboard
  ///   is not open; `.tooLong` for the pepper; `.memory`, in this order. Nothing is then written.
  /// - Timing: about 20 ms with the usual costs; depends on secrets only where Argon2id does.
  /// - Source: RFC 9106.
  /// - C: `CustomKeyboard_deriveKey`.
  public func deriveKey(
    salt: Span<UInt8>, pepper: Span<UInt8>, memoryKiB: UInt32 = 0, passes: UInt32 = 0,
    into key: inout MutableSpan<UInt8>
  ) throws(KeyboardError) {
    try key.withUnsafeMutableBytes { key throws(KeyboardError) in
      try salt.withUnsafeBytes { salt throws(KeyboardError) in
        try pepper.withUnsafeBytes { pepper throws(KeyboardError) in
          try keyboardHandle.deriveKey(salt: salt, pepper: pepper, memorySize: memoryKiB, passCount: passes, into: key)
        }
      }
    }
  }

  #if !hasFeature(Embedded)
    /// The same in locked memory of its own.
    ///
    /// - Parameter byteCount: the key's length, 16 … 64 bytes.
    /// - Throws: as the other `deriveKey`.
    public func deriveKey(
      salt: Span<UInt8>, pepper: Span<UInt8>, memoryKiB: UInt32 = 0, passes: UInt32 = 0, byteCount: Int = 32
    ) throws(KeyboardError) -> SecretBytes {
      guard KeyboardHandle.keyCounts ~= byteCount else { throw .argument(.keyLength) }
      var key = try SecretBytes(capacity: byteCount)
      try key.extend { memory throws(KeyboardError) in
        try salt.withUnsafeBytes { salt throws(KeyboardError) in
          try pepper.withUnsafeBytes { pepper throws(KeyboardError) in
            try keyboardHandle.deriveKey(
              salt: salt, pepper: pepper, memorySize: memoryKiB, passCount: passes, into: memory)
          }
        }
        return byteCount
      }
      return key
    }

    /// Checks what is typed, or was received, against one rule, which is kept nowhere.
    ///
    /// - Parameter rule: the rule. Those of `check` stay.
    /// - Returns: whether it refuses. A pattern that takes too many steps refuses.
    /// - Throws: `.argument` for a number out of range, or for a malformed date, pattern or telephone number;
    ///   `.operationDisabled` while the keyboard is not open; `.tooLong` for a text over 256 bytes; `.memory`.
    /// - Timing: depends on the passcode, and on the rule.
    /// - C: `CustomKeyboard_checkRule`.
    public func isRefused(by rule: PasscodeRules.Rule) throws(KeyboardError) -> Bool {
      try rule.text.lend { text throws(KeyboardError) in
        try keyboardHandle.isRefused(by: rule.kind, number: rule.number, text: text)
      }
    }
  #endif
}
