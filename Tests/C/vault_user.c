/*
 * The smallest useful program with a vault, for every language version, compiler and way of linking that we support. It
 * must compile as C and as C++. It prints what versions the two libraries have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_vault.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("%s %s\n", CustomVault_version(), CustomKeyboard_version());
  return strcmp(CustomVault_version(), CUSTOM_VAULT_VERSION) == 0 ? 0 : 1;
}
