// The lengths that the suite has, on phones: from the C header.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension OPAQUE {
  package static var elementSize: Int { Int(CUSTOM_OPAQUE_REQUESTSIZE) }
  package static var scalarSize: Int { Int(CUSTOM_OPAQUE_SETUPSIZE) - keySize }
  /// A session key; an export key.
  package static var keySize: Int { Int(CUSTOM_OPAQUE_KEYSIZE) }
}
