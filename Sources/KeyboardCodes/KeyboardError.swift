// The paper's CUSTOM_KEYBOARD_RV, shared by all modules. The integers stand in Include/custom_keyboard.h and nowhere else.

private import CCustomKeyboard

/// What can go wrong; the same cases as the codes of C.
///
/// A call that throws has changed nothing.
public enum KeyboardError: Error, Equatable, Sendable {
  /// The key has a wrong length for the algorithm, or none is set.
  case key
  /// Not allowed in this state: a key while the keyboard is up, typing while it is not.
  case operationDisabled
  /// A password longer than 128 bytes, or a ciphertext longer than 144.
  case tooLong
  /// The space is too small; this many bytes are needed.
  case spaceTooSmall(needed: Int)
  /// An argument that no state would make right: not UTF-8, overlapping buffers, a keyboard that is no more.
  case argument
  /// Not whole blocks, or wrong padding: one case, on purpose, so that nobody learns which.
  case undecryptable
  /// No memory.
  case memory
  /// The system gave no randomness.
  case random
}

extension KeyboardError {
  /// The `CUSTOM_KEYBOARD_RV` of the C header.
  public var code: UInt32 {
    switch self {
    case .key: CUSTOM_KEYBOARD_ERR.rawValue
    case .operationDisabled: CUSTOM_KEYBOARD_OP_DISABLE.rawValue
    case .tooLong: CUSTOM_KEYBOARD_MAXLEN.rawValue
    case .spaceTooSmall: CUSTOM_KEYBOARD_SPACE.rawValue
    case .argument: CUSTOM_KEYBOARD_ARGUMENT.rawValue
    case .undecryptable: CUSTOM_KEYBOARD_UNDECRYPTABLE.rawValue
    case .memory: CUSTOM_KEYBOARD_MEMORY.rawValue
    case .random: CUSTOM_KEYBOARD_RANDOM.rawValue
    }
  }

  /// The sentence for a `CUSTOM_KEYBOARD_RV`, success and unknown codes included: what to do about it.
  ///
  /// - C: `CustomKeyboard_message`.
  public static func message(forCode code: UInt32) -> StaticString {
    switch code {
    case CUSTOM_KEYBOARD_OK.rawValue:
      "Done."
    case CUSTOM_KEYBOARD_ERR.rawValue:
      "Give a key of 8 bytes for DES, 16 or 24 for 3DES, 16 for SM4, before the keyboard is opened."
    case CUSTOM_KEYBOARD_OP_DISABLE.rawValue:
      "Set the key while the keyboard is closed; type and take the text while it is open."
    case CUSTOM_KEYBOARD_MAXLEN.rawValue:
      "Keep the password to 128 bytes and the ciphertext to 144."
    case CUSTOM_KEYBOARD_SPACE.rawValue:
      "Call again with a space at least as long as the length that was reported."
    case CUSTOM_KEYBOARD_ARGUMENT.rawValue:
      "Pass a live keyboard, a known algorithm, whole UTF-8 characters, and buffers that exist and do not overlap."
    case CUSTOM_KEYBOARD_UNDECRYPTABLE.rawValue:
      "Check that the algorithm and the key are those it was encrypted with, and that the ciphertext is whole."
    case CUSTOM_KEYBOARD_MEMORY.rawValue:
      "Free some memory and call again."
    case CUSTOM_KEYBOARD_RANDOM.rawValue:
      "Let this process reach the system's random numbers (getrandom) and call again."
    default:
      "There is no such code; compare it with enum CUSTOM_KEYBOARD_RV of custom_keyboard.h."
    }
  }
}

extension KeyboardError: CustomStringConvertible {
  public var description: String { "\(Self.message(forCode: code))" }
}
