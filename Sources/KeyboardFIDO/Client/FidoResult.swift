// What a call of the client answers, and a sentence for it.
// SPDX-License-Identifier: Apache-2.0

package import CCustomFido
import CCustomKeyboard
package import KeyboardCodes

/// What a call answers: a code of the guide, or the negative of a library's code.
package struct FidoResult: Error, Equatable, Sendable {
  package let code: Int32
  /// The address of a static sentence that knows more than the code; 0 if there is none.
  private let knownCause: UInt

  package init(_ result: CUSTOM_FIDO_RESULT) { self.init(code: Int32(truncatingIfNeeded: result.rawValue)) }

  /// - Parameter cause: a sentence that is never freed.
  package init(code: Int32, cause: UnsafePointer<CChar>? = nil) {
    self.code = code
    knownCause = UInt(bitPattern: cause)
  }

  package init(_ error: KeyboardError) { self.init(code: -Int32(error.code), cause: Self.text(error.sentence)) }

  /// A code of the libraries' own.
  init(_ error: CUSTOM_KEYBOARD_RV) { self.init(code: -Int32(error.rawValue)) }

  /// Whether nothing has failed.
  package var isSuccess: Bool {
    switch CUSTOM_FIDO_RESULT(rawValue: UInt32(bitPattern: code)) {
    case CUSTOM_FIDO_SUCCESS, CUSTOM_FIDO_AUTH_READY, CUSTOM_FIDO_RESET_SUCCESS, CUSTOM_FIDO_CHANGE_SUCCESS: true
    default: false
    }
  }

  /// Compares the codes.
  package static func == (left: FidoResult, right: FidoResult) -> Bool { left.code == right.code }

  /// What is wrong, as exactly as it is known: never freed.
  package var cause: UnsafePointer<CChar> {
    UnsafePointer<CChar>(bitPattern: knownCause) ?? Self.sentence(for: code)
  }

  /// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
  package static func text(_ string: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
