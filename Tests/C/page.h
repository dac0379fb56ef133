/*
 * Common parts of the layout tests: an open keyboard, its page as the library reports it, keys found by role or
 * character, and the typed text, read back by decrypting it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PAGE_H
#define PAGE_H

#include "fixture.h"

enum { MOST_KEYS = 40, LAYOUTS = 6, NO_KEY = 999 };

/* The page that is shown. */
struct page {
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  size_t count;
};

static const uint8_t page_key[LONGEST_KEY + 1] = "890765432980765423451673";

static inline void look(CUSTOM_KEYBOARD keyboard, struct page *page) {
  REQUIRE_OK(CustomKeyboard_keys(keyboard, page->keys, MOST_KEYS, &page->count));
}

/* An open keyboard with this layout. */
static inline CUSTOM_KEYBOARD shown_under(const struct algorithm *a, CUSTOM_KEYBOARD_LAYOUT layout,
                                          CUSTOM_KEYBOARD_SHUFFLE shuffle, size_t maximum) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, page_key, a->key_length, a->way));
  REQUIRE_OK(CustomKeyboard_setLayout(keyboard, layout, shuffle, maximum));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  return keyboard;
}

static inline CUSTOM_KEYBOARD shown(CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle, size_t maximum) {
  return shown_under(&algorithms[3], layout, shuffle, maximum);
}

/* The typed text, as the receiver decrypts it. `out` has room for 128 bytes. */
static inline size_t read_back_under(const struct algorithm *a, CUSTOM_KEYBOARD keyboard, uint8_t *out) {
  uint8_t space[CUSTOM_KEYBOARD_MAXTEXTSIZE + 50], clear[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset, length, clear_offset, clear_length;
  REQUIRE_OK(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
  REQUIRE_OK(CustomKeyboard_decrypt(a->way, page_key, a->key_length, space + offset, length, clear, sizeof clear,
                                    &clear_offset, &clear_length));
  memcpy(out, clear + clear_offset, clear_length);
  return clear_length;
}

static inline size_t read_back(CUSTOM_KEYBOARD keyboard, uint8_t *out) {
  return read_back_under(&algorithms[3], keyboard, out);
}

static inline int is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* The first key with this role, or NO_KEY. */
static inline size_t find_role(const struct page *page, CUSTOM_KEYBOARD_ROLE role) {
  for (size_t i = 0; i < page->count; i++)
    if (page->keys[i].role == role) return i;
  return NO_KEY;
}

/* The key with this character, or NO_KEY. A letter may be shown in either case. */
static inline size_t find_character(const struct page *page, char c) {
  for (size_t i = 0; i < page->count; i++) {
    const CUSTOM_KEYBOARD_KEY *key = &page->keys[i];
    if (key->role != CUSTOM_KEYBOARD_ROLE_CHARACTER) continue;
    if (key->label[0] == c || (is_letter(c) && (key->label[0] ^ 32) == c)) return i;
  }
  return NO_KEY;
}

static inline void press(CUSTOM_KEYBOARD keyboard, struct page *page, size_t index) {
  CHECK_OK(CustomKeyboard_pressKey(keyboard, index));
  look(keyboard, page);
}

/* Switches pages until the character is there; returns its key, or NO_KEY. */
static inline size_t turn_to(CUSTOM_KEYBOARD keyboard, struct page *page, char c) {
  look(keyboard, page);
  for (int role = CUSTOM_KEYBOARD_ROLE_TO_LETTERS; role <= CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS; role++) {
    size_t index = find_character(page, c), turn = find_role(page, (CUSTOM_KEYBOARD_ROLE)role);
    if (index != NO_KEY) return index;
    if (turn != NO_KEY) press(keyboard, page, turn);
  }
  return find_character(page, c);
}

/* A pad has digits only, on one page. */
static inline int is_pad(int layout) { return layout >= CUSTOM_KEYBOARD_LAYOUT_PIN; }

/* The page that a layout shows first. */
static const int first_pages[LAYOUTS] = {0, 1, 2, 0, 0, 0};

/* The number of the page that is shown: the one that no key of the page leads to. */
static inline int page_number(const struct page *page, int layout) {
  for (int i = 0; i < 3 && !is_pad(layout); i++)
    if (find_role(page, (CUSTOM_KEYBOARD_ROLE)(CUSTOM_KEYBOARD_ROLE_TO_LETTERS + i)) == NO_KEY) return i;
  return 0;
}

/* Calls `body` for the page that is shown and for the two pages that it leads to. */
static inline void for_each_page(CUSTOM_KEYBOARD k, int layout, void (*body)(struct page *, int layout, void *),
                                 void *context) {
  struct page page;
  int first = first_pages[layout], pages = is_pad(layout) ? 1 : 3;
  look(k, &page);
  for (int i = 0; i < pages; i++) {
    CHECK_EQUAL(page_number(&page, layout), (first + i) % 3);
    body(&page, layout, context);
    if (pages > 1) press(k, &page, find_role(&page, (CUSTOM_KEYBOARD_ROLE)(5 + (first + i + 1) % 3)));
  }
}

#endif /* PAGE_H */
