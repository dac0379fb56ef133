/*
 * What the tests of callbacks share: a keyboard with letters that is up, its keys, and a callback that does nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LETTERS_H
#define LETTERS_H

#include "page.h"

enum { LETTER_KEY = 0, RETURN_KEY = 31 }; /* of the letters, not shuffled */

static inline CUSTOM_KEYBOARD letters(void) {
  return shown(CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0);
}

static inline void ignore(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context, (void)keyboard, (void)count;
}

#endif
