/*
 * The smallest useful program with a FIDO client, for every language version, compiler and way of linking that we
 * support. It must compile as C and as C++. It prints what versions the three libraries have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_fido.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("%s %s %s\n", CustomFido_version(), CustomVault_version(), CustomKeyboard_version());
  return strcmp(CustomFido_version(), CUSTOM_FIDO_VERSION) == 0 ? 0 : 1;
}
