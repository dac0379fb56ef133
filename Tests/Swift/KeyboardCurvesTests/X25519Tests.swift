// X25519 with the vectors of RFC 7748.
//
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardCurves

@Suite struct RFC7748 {
  @Test func firstVector() {
    #expect(X25519.keySize == 32)
  }
}
