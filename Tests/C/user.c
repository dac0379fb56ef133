/*
 * The smallest useful program, for every language version, compiler and way of linking that we support. It must compile
 * as C and as C++, and prints the paper's SM4 row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_keyboard.h>
#include <stdio.h>

int main(void) {
  static const uint8_t key[] = "8907654329807654", password[] = "kgcx879@";
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset = 0, length = 0, i;
  CUSTOM_KEYBOARD keyboard = 0;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_create(&keyboard);
  if (rv == CUSTOM_KEYBOARD_OK) rv = CustomKeyboard_setEncKey(keyboard, key, 16, CUSTOM_ENCWAY_SM4);
  if (rv == CUSTOM_KEYBOARD_OK) rv = CustomKeyboard_open(keyboard);
  if (rv == CUSTOM_KEYBOARD_OK) rv = CustomKeyboard_input(keyboard, password, 8);
  if (rv == CUSTOM_KEYBOARD_OK) rv = CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length);
  for (i = 0; i < length; i++) printf("%02x", space[offset + i]);
  printf(" %s\n", CustomKeyboard_message(rv));
  return CustomKeyboard_destroy(keyboard) == CUSTOM_KEYBOARD_OK ? (int)rv : 1;
}
