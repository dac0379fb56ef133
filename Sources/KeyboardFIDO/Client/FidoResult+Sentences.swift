// Where the causes of a client's results come from, and a sentence for each code.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomKeyboard
import CCustomVault
import KeyboardCodes

extension FidoResult {
  /// - Parameter cause: a string literal.
  init(_ result: CUSTOM_FIDO_RESULT, _ cause: StaticString) {
    self.init(code: Int32(truncatingIfNeeded: result.rawValue), cause: Self.text(cause))
  }

  /// A code of the libraries' own.
  ///
  /// - Parameter cause: a string literal.
  init(_ error: CUSTOM_KEYBOARD_RV, _ cause: StaticString) {
    self.init(code: -Int32(error.rawValue), cause: Self.text(cause))
  }

  /// What a function of the vault has answered in this thread.
  init(vault error: CUSTOM_KEYBOARD_RV) { self.init(code: -Int32(error.rawValue), cause: CustomVault_cause()) }

  /// What a function of a keyboard has answered in this thread.
  init(keyboard error: CUSTOM_KEYBOARD_RV) { self.init(code: -Int32(error.rawValue), cause: CustomKeyboard_cause()) }

  /// What is said of a code of which nothing more is known: never freed.
  static func sentence(for code: Int32) -> UnsafePointer<CChar> {
    let ofLibrary: UInt32 = code < 0 ? code.magnitude : .max
    return text(message(for: code) ?? KeyboardError.message(forCode: ofLibrary))
  }

  /// The sentence in English.
  ///
  /// - Returns: nil for a number that is not a code of the guide.
  package static func message(for code: Int32) -> StaticString? {
    guard code >= 0 else { return nil }
    switch CUSTOM_FIDO_RESULT(rawValue: UInt32(code)) {
    case CUSTOM_FIDO_SUCCESS: return "Done."
    case CUSTOM_FIDO_AUTH_READY: return "A person must be asked for the passcode or the pattern now."
    case CUSTOM_FIDO_AUTHENTICATOR_RESET: return "The person wants to set a new passcode or pattern."
    case CUSTOM_FIDO_USER_CANCEL: return "The person has cancelled."
    case CUSTOM_FIDO_INVALID_PARAMETER:
      return "An argument is wrong: a missing text, a size, an option out of range, or a URL that is not https."
    case CUSTOM_FIDO_SET_CHANNEL_BINDING:
      return "The TLS connection is not the one that the server expects, or its channel binding is malformed."
    case CUSTOM_FIDO_JSON_PARSER: return "The server's message is not a UAF message."
    case CUSTOM_FIDO_NOT_MATCH_FIDO_CLIENT: return "No FIDO client is installed."
    case CUSTOM_FIDO_CANNOT_USE_FIDO: return "This device cannot use FIDO."
    case CUSTOM_FIDO_ALREADY_REG_USER: return "This user is registered already: deregister first, then register again."
    case CUSTOM_FIDO_NOT_REG_USER: return "This device has no key for this user: deregister, then register again."
    case CUSTOM_FIDO_INVALID_USERNAME:
      return "The user name has more than 128 bytes, a space, or a character that is not visible ASCII."
    case CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE: return "There is no such authenticator, or it has no AAID."
    case CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST: return "No request is waiting, or it has expired: begin again."
    case CUSTOM_FIDO_UNTRUSTED_FACET_ID: return "The server does not list this app as one of its facets."
    case CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR: return "The server accepts no authenticator of this device."
    case CUSTOM_FIDO_UNSUPPORTED_VERSION: return "The server's message has no version that is known here: 1.0 or 1.1."
    case CUSTOM_FIDO_STATE_NOT_SUPPORT: return "The authenticator is not available: it has no AAID."
    case CUSTOM_FIDO_STATE_AVAILABLE: return "The authenticator is ready."
    case CUSTOM_FIDO_STATE_NOT_REGISTERED: return "No passcode or pattern is set."
    case CUSTOM_FIDO_STATE_LOCKED: return "The authenticator is locked after wrong tries."
    case CUSTOM_FIDO_FAIL_CHANGE: return "The passcode or pattern was not changed."
    case CUSTOM_FIDO_FAIL_RESET: return "The passcode or pattern was not reset."
    case CUSTOM_FIDO_FAIL_VERIFY: return "The passcode or pattern is wrong."
    case CUSTOM_FIDO_FAIL_VERIFY_LOCKED: return "The authenticator is locked: wait until the time is over."
    case CUSTOM_FIDO_MAX_LOCK_COUNT_OVER:
      return "The authenticator was locked too often: it stays locked until it is reset."
    case CUSTOM_FIDO_IGNORE_LOCK_OPTION_SET:
      return "Options of locking cannot be changed while wrong tries are counted."
    case CUSTOM_FIDO_NETWORK_STATE: return "The server was not reached, or its answer was not whole."
    case CUSTOM_FIDO_BIOMETRY_NOT_CHANGED: return "Biometry: nothing has changed."
    case CUSTOM_FIDO_BIOMETRY_CHANGED: return "Biometry: a finger or face was added or removed."
    case CUSTOM_FIDO_BIOMETRY_STATE_NOT_SUPPORT: return "Biometry: the system is too old to tell."
    case CUSTOM_FIDO_BIOMETRY_STATE_ERROR: return "Biometry: register first."
    case CUSTOM_FIDO_BIOMETRY_AUTH_FAIL: return "Biometry: not recognised."
    case CUSTOM_FIDO_BIOMETRY_LOCK: return "Biometry: locked after too many tries."
    case CUSTOM_FIDO_BIOMETRY_NOT_REGISTERED: return "Biometry: no finger or face is set up."
    case CUSTOM_FIDO_BIOMETRY_NOT_REG_PASSCODE: return "Biometry: the device has no passcode."
    case CUSTOM_FIDO_BIOMETRY_NOT_SUPPORT: return "Biometry: this device has no sensor."
    case CUSTOM_FIDO_BIOMETRY_USER_FALLBACK: return "Biometry: the person wants another way."
    case CUSTOM_FIDO_BIOMETRY_APP_CANCEL: return "Biometry: the app has cancelled."
    case CUSTOM_FIDO_BIOMETRY_SYSTEM_CANCEL: return "Biometry: the system has cancelled."
    case CUSTOM_FIDO_BIOMETRY_INVALID_CONTEXT: return "Biometry: no longer valid."
    case CUSTOM_FIDO_BIOMETRY_NOT_AVAILABLE: return "Biometry: not available."
    case CUSTOM_FIDO_BIOMETRY_NOT_INTERACTIVE: return "Biometry: no screen may be shown."
    case CUSTOM_FIDO_BIOMETRY_UNKNOWN: return "Biometry: unknown error."
    case CUSTOM_FIDO_RESET_SUCCESS: return "The passcode or pattern was removed, with the keys that it protected."
    case CUSTOM_FIDO_RESET_FAIL: return "The passcode or pattern was not removed."
    case CUSTOM_FIDO_RESET_NONE: return "There is no passcode or pattern to remove."
    case CUSTOM_FIDO_RESET_INVALID_TYPE: return "There is no such authenticator to reset."
    case CUSTOM_FIDO_CHANGE_SUCCESS: return "The passcode or pattern was changed."
    case CUSTOM_FIDO_CHANGE_FAIL: return "Not changed: the old passcode or pattern is wrong, or locked."
    case CUSTOM_FIDO_CHANGE_USER_CANCEL: return "Not changed: the person has cancelled."
    case CUSTOM_FIDO_CHANGE_INVALID: return "Not changed: there is no such authenticator, or nothing is set."
    case CUSTOM_FIDO_FORBIDDEN: return "The server refuses FIDO for the moment: try again later."
    case CUSTOM_FIDO_UNKNOWN: return "Unknown error."
    case CUSTOM_FIDO_SERVER_NO_USER: return "The server does not know this user: register first."
    case CUSTOM_FIDO_SERVER_NO_REGISTRATION: return "The server has no registration of this user: register first."
    case CUSTOM_FIDO_EMPTY_USERNAME: return "The user name is missing."
    default: return nil
    }
  }
}
