// The two steps of OPAQUE that a keyboard begins.
// SPDX-License-Identifier: Apache-2.0

import KeyboardOPAQUE

/// What was begun. 0 is nothing.
package enum BegunStep: UInt8 {
  case registration = 1
  case login = 2

  /// Bytes of the message that it sends.
  var messageSize: Int {
    switch self {
    case .registration: OPAQUE.requestSize
    case .login: OPAQUE.ke1Size
    }
  }
}
