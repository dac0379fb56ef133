/*
 * A client of the three frameworks, as C and as Objective-C: their headers are found by the frameworks' names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CCustomFido/custom_fido.h>

int use(CUSTOM_KEYBOARD keyboard, CUSTOM_VAULT vault);
int use(CUSTOM_KEYBOARD keyboard, CUSTOM_VAULT vault) {
  return CustomKeyboard_destroy(keyboard) == CUSTOM_KEYBOARD_OK && CustomVault_close(vault) == CUSTOM_KEYBOARD_OK &&
         CustomFido_version() != 0;
}
