/*
 * Calls that counted.py counts the instructions of, for iPhones and for arm64 Linux. CALL is getText, decrypt, or the
 * way of a text to open:
 *
 *     counted CALL TIMES
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sealed.h"

int main(int count, char **arguments) {
  static const uint8_t key[16] = "0123456789abcdef";
  uint64_t seed = 1;
  uint8_t text[LONGEST_SEALED], space[512];
  size_t offset, length, text_length;
  REQUIRE(count == 3);
  long times = atol(arguments[2]);
  struct bytes password = drawn_password(&seed, 12), context = drawn(&seed, 20);
  CUSTOM_KEYBOARD k = typed(CUSTOM_ENCWAY_SM4, key, sizeof key, password.at, password.length);
  REQUIRE_OK(CustomKeyboard_getText(k, space, 16, &offset, &text_length));
  if (strcmp(arguments[1], "getText") == 0) {
    uint8_t to[256];
    while (times-- > 0) CHECK_OK(CustomKeyboard_getText(k, to, sizeof to, &offset, &length));
  } else if (strcmp(arguments[1], "decrypt") == 0) {
    uint8_t to[256];
    while (times-- > 0)
      CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, sizeof key, space, text_length, to, sizeof to, &offset,
                                      &length));
  } else {
    const struct sealed_way *way = sealed_ways;
    while (strcmp(way->name, arguments[1]) != 0) REQUIRE(++way < sealed_ways + SEALED_WAYS);
    struct pair pair = new_pair(way);
    seal(&pair, &password, &context, text);
    while (times-- > 0) {
      struct opening o = opening(&pair, &context, text);
      CHECK_OK(unseal_into(&o, space, sizeof space, &offset, &length));
    }
  }
  return check_end("counted", 1);
}
