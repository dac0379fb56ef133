// The error that a function of C has answered: the case of its code, with the cause whose sentence C tells.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  private import CCustomKeyboard

  extension KeyboardError {
    /// - Parameters:
    ///   - code: what was answered, not `CUSTOM_KEYBOARD_OK`.
    ///   - cause: what `CustomKeyboard_cause` says of it.
    ///   - needed: how many bytes are needed, if the code is `CUSTOM_KEYBOARD_SPACE`.
    package init(code: UInt32, cause: UnsafePointer<CChar>, needed: Int = 0) {
      guard let errors = Self.errors(ofCode: code, needed: needed) else {
        preconditionFailure("The C library is of another version than its Swift package.")
      }
      let sentence = String(cString: cause)
      self = errors.first { "\($0.sentence)" == sentence } ?? errors[0]
    }

    /// All errors with this code, the one without a cause first.
    private static func errors(ofCode code: UInt32, needed: Int) -> [KeyboardError]? {
      switch code {
      case CUSTOM_KEYBOARD_ERR.rawValue: KeyCause.allCases.map(KeyboardError.key)
      case CUSTOM_KEYBOARD_OP_DISABLE.rawValue: StateCause.allCases.map(KeyboardError.operationDisabled)
      case CUSTOM_KEYBOARD_MAXLEN.rawValue: LengthCause.allCases.map(KeyboardError.tooLong)
      case CUSTOM_KEYBOARD_ARGUMENT.rawValue: ArgumentCause.allCases.map(KeyboardError.argument)
      case CUSTOM_KEYBOARD_REFUSED.rawValue: RefusalCause.allCases.map(KeyboardError.refused)
      case CUSTOM_KEYBOARD_STORAGE.rawValue: StorageCause.allCases.map(KeyboardError.storage)
      case CUSTOM_KEYBOARD_SPACE.rawValue: [.spaceTooSmall(needed: needed)]
      case CUSTOM_KEYBOARD_UNDECRYPTABLE.rawValue: [.undecryptable]
      case CUSTOM_KEYBOARD_MEMORY.rawValue: [.memory]
      case CUSTOM_KEYBOARD_RANDOM.rawValue: [.random]
      case CUSTOM_KEYBOARD_MISMATCH.rawValue: [.mismatch]
      case CUSTOM_KEYBOARD_EXISTS.rawValue: [.exists]
      case CUSTOM_KEYBOARD_NOT_FOUND.rawValue: [.notFound]
      case CUSTOM_KEYBOARD_LOCKED.rawValue: [.locked]
      case CUSTOM_KEYBOARD_DAMAGED.rawValue: [.damaged]
      case CUSTOM_KEYBOARD_BUSY.rawValue: [.busy]
      default: nil
      }
    }
  }
#endif
