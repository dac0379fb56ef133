// The lengths that the suite has, of which all others are made.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardSHA2

extension OPAQUE {
  package static var elementSize: Int { Ristretto255.elementSize }
  package static var scalarSize: Int { Ristretto255.scalarSize }
  /// A tag of HMAC, a digest, a session key, an export key.
  package static var keySize: Int { SHA512.digestSize }
}
