// The vault's library beside the keyboard's, in one Swift program.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CCustomVault
import Testing

@Suite struct VersionTests {
  @Test func isTheHeaders() {
    #expect(String(cString: CustomVault_version()) == CUSTOM_VAULT_VERSION)
  }

  /// The products have one version: an upper one needs what is new in a lower one.
  @Test func isTheKeyboards() {
    #expect(String(cString: CustomVault_version()) == String(cString: CustomKeyboard_version()))
  }
}
