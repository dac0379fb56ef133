// What is done with a passcode without showing it: rules, comparison, verifiers. For Swift.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  /// What a server stores in place of a passcode: an Argon2id string in the PHC format, or one of the two forms for
  /// import (Docs/Passcodes.md).
  ///
  /// It does not protect a PIN from anyone who has it and the pepper. Keep the pepper elsewhere, and count attempts.
  ///
  /// - Source: RFC 9106; github.com/P-H-C/phc-string-format.
  public struct PasscodeVerifier: Sendable, Hashable {
    /// What is stored.
    public let string: String

    /// - Parameter string: what was stored. It is checked when it is used.
    public init(_ string: String) { self.string = string }
  }

  extension PasscodeVerifier: CustomStringConvertible, CustomReflectable {
    /// Not the string: PINs can be guessed with it.
    public var description: String { "PasscodeVerifier" }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  extension Keyboard {
    /// Checks what is typed, or was received.
    ///
    /// - Parameter rules: they replace those of the last check, and are kept until `clearRules` or another check.
    /// - Returns: the first rule that refuses, or nil. A pattern that takes too many steps refuses.
    /// - Throws: `.operationDisabled` while the keyboard is not open. For a bad rule: `.argument` for a number out
    ///   of range, or for a malformed date, pattern or telephone number; `.tooLong` for a text over 256 bytes, or
    ///   more than 16 rules. `.memory`.
    /// - Timing: depends on the passcode, and on the rules.
    /// - C: `CustomKeyboard_addRule` and `CustomKeyboard_check`.
    public func check(_ rules: PasscodeRules) throws(KeyboardError) -> PasscodeRules.Rule? {
      try keyboardHandle.clearRules()
      for rule in rules.rules {
        try rule.text.lend { text throws(KeyboardError) in
          try keyboardHandle.addRule(rule.kind, number: rule.number, text: text)
        }
      }
      return try keyboardHandle.firstBrokenRule().map { rules.rules[$0] }
    }

    /// Wipes the rules of the last check.
    ///
    /// - Throws: nothing that a living keyboard can throw.
    /// - C: `CustomKeyboard_clearRules`.
    public func clearRules() throws(KeyboardError) { try keyboardHandle.clearRules() }

    /// Tells whether the same is typed in both keyboards.
    ///
    /// - Throws: `.operationDisabled` while one of them is not open.
    /// - Timing: the same for all contents of one length.
    /// - C: `CustomKeyboard_compare`.
    public func hasSamePassword(as other: Keyboard) throws(KeyboardError) -> Bool {
      try keyboardHandle.hasSamePassword(as: other.keyboardHandle)
    }

    /// Makes what a server stores: Argon2id with 19 MiB and two passes, and a salt of its own each time.
    ///
    /// - Parameter pepper: 0 … 64 secret bytes, which are not in the verifier; best HMAC(master key, account), so that
    ///   verifiers cannot change places.
    /// - Throws: `.operationDisabled` while the keyboard is not open; `.tooLong` for the pepper; `.memory`, `.random`.
    /// - Timing: about 20 ms; depends on secrets only where Argon2id does.
    /// - Source: RFC 9106.
    /// - C: `CustomKeyboard_makeVerifier`.
    public func makeVerifier(pepper: Span<UInt8>) throws(KeyboardError) -> PasscodeVerifier {
      var string = [UInt8](repeating: 0, count: 128)
      let length = try string.lendMutable { output throws(KeyboardError) in
        try pepper.withUnsafeBytes { pepper throws(KeyboardError) in
          try keyboardHandle.makeVerifier(pepper: pepper, into: output)
        }
      }
      return PasscodeVerifier(String(decoding: string.prefix(length), as: UTF8.self))
    }

    /// Checks what is typed, or was received, against a verifier.
    ///
    /// - Parameters:
    ///   - verifier: from the account's record. Its memory and time are bounded: 1 GiB, about three seconds.
    ///   - pepper: the one that it was made with.
    /// - Returns: whether the passcode is the verifier's.
    /// - Throws: `.argument` if the text is not a verifier; `.operationDisabled` while the keyboard is not open;
    ///   `.tooLong` for the pepper; `.memory`.
    /// - Timing: as Argon2id's; only the verdict depends on the hash.
    /// - Source: RFC 9106.
    /// - C: `CustomKeyboard_checkVerifier`.
    public func check(_ verifier: PasscodeVerifier, pepper: Span<UInt8>) throws(KeyboardError) -> Bool {
      let string = Array(verifier.string.utf8)
      return try string.lend { string throws(KeyboardError) in
        try pepper.withUnsafeBytes { pepper throws(KeyboardError) in
          try keyboardHandle.checkVerifier(string, pepper: pepper)
        }
      }
    }
  }
#endif
