/*
 * What the tests of PIN blocks and of DUKPT share: ways, a key, an account, a keyboard and what is typed on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PIN_H
#define PIN_H

#include "codes.h"
#include "fixture.h"

#define PIN0 CUSTOM_ENCWAY_PIN0
#define PIN1 CUSTOM_ENCWAY_PIN1
#define PIN3 CUSTOM_ENCWAY_PIN3
#define PIN4 CUSTOM_ENCWAY_PIN4

enum { ROOM = 64 };
static const uint8_t good_key[33] = "01234567abcdefghzyxwvutsABCDEFGH";
static const char card[] = "4012345678909";
static uint64_t seed;
static CUSTOM_KEYBOARD keyboard;
static uint8_t space[ROOM];
static size_t offset, length;

static const char *card_of(CUSTOM_ENCWAY way) { return way == PIN1 ? "" : card; }

static void set_context(CUSTOM_KEYBOARD k, const char *context) {
  if (context == NULL) return; /* none is set */
  REQUIRE_OK(CustomKeyboard_setContext(k, bytes(context), strlen(context)));
}

/* Opens and types. */
static void type(CUSTOM_KEYBOARD k, const char *context, const char *text) {
  CustomKeyboard_close(k);
  set_context(k, context);
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, bytes(text), strlen(text)));
}

static CUSTOM_KEYBOARD_RV get_text(CUSTOM_KEYBOARD k, size_t size) {
  return CustomKeyboard_getText(k, space, size, &offset, &length);
}

#endif /* PIN_H */
