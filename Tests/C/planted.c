/*
 * Faults that a memory checker must find, one for each argument. Checks that expect "no error" run this first: a
 * checker that finds nothing here proves nothing there. Where possible, the fault happens inside the library.
 *
 *     planted none|read|write|freed|uninitialised|overflow|leak
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"
#include <limits.h>

enum { PASSWORD = 8, WHOLE = 16 };

static void encrypt(const uint8_t *key, size_t space_size) {
  uint8_t *space = malloc(space_size);
  size_t offset, length;
  REQUIRE(space);
  CUSTOM_KEYBOARD keyboard = typed(CUSTOM_ENCWAY_SM4, key, 16, bytes("kgcx879@"), PASSWORD);
  REQUIRE_OK(CustomKeyboard_getText(keyboard, space, WHOLE, &offset, &length));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  free(space);
}

int main(int count, char **arguments) {
  REQUIRE(count == 2);
  const char *fault = arguments[1];
  uint8_t *key = calloc(16, 1), *short_key = calloc(15, 1);
  REQUIRE(key && short_key);
  if (strcmp(fault, "none") == 0) {
    encrypt(key, WHOLE);
  } else if (strcmp(fault, "read") == 0) {
    encrypt(short_key, WHOLE); /* the library reads one byte too many */
  } else if (strcmp(fault, "write") == 0) {
    encrypt(key, WHOLE - 1); /* the library writes one byte too many */
  } else if (strcmp(fault, "freed") == 0) {
    uint8_t *volatile gone = key;
    free(key);
    encrypt(gone, WHOLE);
    key = NULL;
  } else if (strcmp(fault, "uninitialised") == 0) {
    uint8_t *volatile fresh = malloc(WHOLE);
    uint8_t clear[WHOLE];
    size_t offset, length;
    REQUIRE(fresh); /* whether its padding is right is undefined */
    CUSTOM_KEYBOARD_RV rv =
        CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, fresh, WHOLE, clear, sizeof clear, &offset, &length);
    REQUIRE(rv != CUSTOM_KEYBOARD_ARGUMENT);
    free(fresh);
  } else if (strcmp(fault, "overflow") == 0) {
    volatile int most = INT_MAX;
    printf("%d\n", most + count);
  } else if (strcmp(fault, "leak") == 0) {
    uint8_t *volatile lost = malloc(100);
    REQUIRE(lost);
    lost = NULL;
  } else {
    REQUIRE(!"a fault that is known");
  }
  free(key);
  free(short_key);
  printf("planted: %s\n", fault);
  return EXIT_SUCCESS;
}
