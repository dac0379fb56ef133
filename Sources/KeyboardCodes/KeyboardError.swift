// The paper's CUSTOM_KEYBOARD_RV, shared by all modules. The integers are in Include/custom_keyboard.h only.
// SPDX-License-Identifier: Apache-2.0

private import CCustomKeyboard

/// What can go wrong: one case for each code of C but `CUSTOM_KEYBOARD_OK`.
///
/// A call that throws has changed nothing. If the function knows more than the code says, the case has a cause, for the
/// message and for programs that handle causes differently:
///
///     do {
///       try keyboard.touch(x: x, y: y)
///     } catch .argument(.outsideView) {
///       // Only this cause.
///     } catch .argument {
///       // Any cause.
///     }
///
/// A later version may add cases and causes, so a `switch` in another package needs an `@unknown default`.
///
/// - C: `CUSTOM_KEYBOARD_RV`.
@nonexhaustive
public enum KeyboardError: Error, Sendable {
  /// The key has a wrong length or value for the algorithm, or none is set; or an ECB text should have a context.
  case key(KeyCause)
  /// Not allowed in this state: setting a key while the keyboard is open, typing while it is not.
  case operationDisabled(StateCause)
  /// A password over 128 bytes, an ECB ciphertext over 144, or a context over 256.
  case tooLong(LengthCause)
  /// The space is too small; this many bytes are needed.
  case spaceTooSmall(needed: Int)
  /// An argument that is wrong in every state: not UTF-8, overlapping buffers, a keyboard that no longer exists.
  case argument(ArgumentCause)
  /// A text that is wrong in any way: one case on purpose, so that an attacker does not learn in which.
  case undecryptable
  /// No memory.
  case memory
  /// The system gave no random bytes.
  case random
  /// Not what it is compared with: another signature, another password.
  case mismatch
  /// A rule refuses the passcode; it is not a PIN, or must not become this text; or all keys of a terminal were used.
  case refused(RefusalCause)
  /// Something of this name is there already. This case and those below are of modules that store something.
  case exists
  /// Nothing of this name is there.
  case notFound
  /// Too many wrong tries: nothing was tried now.
  case locked
  /// What is stored was altered, or is not whole; a terminal's device, too.
  case damaged
  /// A file cannot be read or written, or others may change it.
  case storage(StorageCause)
  /// It is in use elsewhere.
  case busy
}

extension KeyboardError: Equatable {
  /// Compares the codes, and the bytes needed of two `.spaceTooSmall`, but not the causes: `error == .argument` is true
  /// for every cause. A pattern compares causes too: `if case .argument(.outsideView) = error`.
  public static func == (left: KeyboardError, right: KeyboardError) -> Bool {
    if case .spaceTooSmall(let leftNeeded) = left, case .spaceTooSmall(let rightNeeded) = right {
      return leftNeeded == rightNeeded
    }
    return left.code == right.code
  }
}

// MARK: - Codes

extension KeyboardError {
  /// The error's `CUSTOM_KEYBOARD_RV` in the C header, the same for every cause.
  public var code: UInt32 {
    @inline(never) get {
      switch self {
      case .key: CUSTOM_KEYBOARD_ERR.rawValue
      case .operationDisabled: CUSTOM_KEYBOARD_OP_DISABLE.rawValue
      case .tooLong: CUSTOM_KEYBOARD_MAXLEN.rawValue
      case .spaceTooSmall: CUSTOM_KEYBOARD_SPACE.rawValue
      case .argument: CUSTOM_KEYBOARD_ARGUMENT.rawValue
      case .undecryptable: CUSTOM_KEYBOARD_UNDECRYPTABLE.rawValue
      case .memory: CUSTOM_KEYBOARD_MEMORY.rawValue
      case .random: CUSTOM_KEYBOARD_RANDOM.rawValue
      case .mismatch: CUSTOM_KEYBOARD_MISMATCH.rawValue
      case .refused: CUSTOM_KEYBOARD_REFUSED.rawValue
      case .exists: CUSTOM_KEYBOARD_EXISTS.rawValue
      case .notFound: CUSTOM_KEYBOARD_NOT_FOUND.rawValue
      case .locked: CUSTOM_KEYBOARD_LOCKED.rawValue
      case .damaged: CUSTOM_KEYBOARD_DAMAGED.rawValue
      case .storage: CUSTOM_KEYBOARD_STORAGE.rawValue
      case .busy: CUSTOM_KEYBOARD_BUSY.rawValue
      }
    }
  }

  /// What to do about a `CUSTOM_KEYBOARD_RV`.
  ///
  /// - Parameter code: any number, 0 for success and unknown codes included.
  /// - Returns: one sentence in English.
  /// - C: `CustomKeyboard_message`.
  public static func message(forCode code: UInt32) -> StaticString {
    switch code {
    case CUSTOM_KEYBOARD_OK.rawValue:
      "Done."
    case CUSTOM_KEYBOARD_ERR.rawValue:
      "Set a key of the algorithm (raw bytes, no PEM) while closed; for a sealed text a context, too, for ECB none."
    case CUSTOM_KEYBOARD_OP_DISABLE.rawValue:
      "Set the key or receive a text while the keyboard is closed; type and take the text while it is open."
    case CUSTOM_KEYBOARD_MAXLEN.rawValue:
      "Keep the password to 128 bytes, an ECB ciphertext to 144 and a context to 256."
    case CUSTOM_KEYBOARD_SPACE.rawValue:
      "Call again with a space at least as long as the length that was reported."
    case CUSTOM_KEYBOARD_ARGUMENT.rawValue:
      "Pass a live keyboard, a known algorithm, good UTF-8, rules and verifiers, and buffers that do not overlap."
    case CUSTOM_KEYBOARD_UNDECRYPTABLE.rawValue:
      "Check that algorithm, key and context are those of the encryption, and that the ciphertext or message is whole."
    case CUSTOM_KEYBOARD_MEMORY.rawValue:
      "Free some memory and call again."
    case CUSTOM_KEYBOARD_RANDOM.rawValue:
      "Let this process reach the system's random numbers (getrandom) and call again."
    case CUSTOM_KEYBOARD_MISMATCH.rawValue:
      "Do not trust it: passcodes or ends of a login differ, or the signature is not for this text, context and key."
    case CUSTOM_KEYBOARD_REFUSED.rawValue:
      "Choose another passcode, or load new keys: this passcode is not allowed, or all keys were used."
    case CUSTOM_KEYBOARD_EXISTS.rawValue:
      "Choose another name, or change what has this one: it is there already."
    case CUSTOM_KEYBOARD_NOT_FOUND.rawValue:
      "Check the name: nothing of this name is there."
    case CUSTOM_KEYBOARD_LOCKED.rawValue:
      "Wait until the lock ends, or have it reset: there were too many wrong tries, and nothing was tried now."
    case CUSTOM_KEYBOARD_DAMAGED.rawValue:
      "Restore a copy, or load a terminal's keys anew: what is stored was altered, or is not whole."
    case CUSTOM_KEYBOARD_STORAGE.rawValue:
      "Check the file and its folder: whether they are there, the rights of their owner and of others, and the disk."
    case CUSTOM_KEYBOARD_BUSY.rawValue:
      "Call again: it is in use elsewhere, by this process or another one."
    default:
      "There is no such code; compare it with enum CUSTOM_KEYBOARD_RV of custom_keyboard.h."
    }
  }
}
