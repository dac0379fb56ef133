/*
 * Which characters a layout has, and in what order. Every character is reachable with the switch keys, exactly once, in
 * lower and in upper case. The order is new at each opening and differs from the one before; or new after each key; or
 * always the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page.h"

enum { OPENINGS = 2000 };

/* All characters of a layout in order, with one string for each pool that is shuffled separately. */
struct order {
  char pools[3][MOST_KEYS * 3];
};

static void note(struct page *page, int layout, void *order) {
  char *pool = ((struct order *)order)->pools[layout == 3 ? 0 : page_number(page, layout)];
  size_t length = strlen(pool);
  for (size_t i = 0; i < page->count; i++)
    if (page->keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER) pool[length++] = page->keys[i].label[0];
}

static struct order order_of(CUSTOM_KEYBOARD k, int layout) {
  struct order order;
  memset(&order, 0, sizeof order);
  for_each_page(k, layout, note, &order);
  return order;
}

/* How many pools have the same order in both. */
static int unchanged(const struct order *a, const struct order *b) {
  int same = 0;
  for (int i = 0; i < 3; i++) same += a->pools[i][0] && strcmp(a->pools[i], b->pools[i]) == 0;
  return same;
}

/* Checks that each character of the layout is there once: letters in lower case, in upper case after shift, and
 * back. */
static void check_characters(const struct order *order, int layout, int is_capital) {
  char found[128] = {0};
  for (int i = 0; i < 3; i++)
    for (const char *c = order->pools[i]; *c; c++) CHECK(++found[(int)*c] == 1);
  for (char c = '!'; c <= '~'; c++) {
    int is_small = c >= 'a' && c <= 'z', is_digit = c >= '0' && c <= '9';
    int expected = is_pad(layout) ? is_digit : is_letter(c) ? is_small != is_capital : 1;
    CHECK_EQUAL(found[(int)c], expected);
  }
}

static void check_openings(int layout) {
  CUSTOM_KEYBOARD k = shown((CUSTOM_KEYBOARD_LAYOUT)layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0);
  struct order before = order_of(k, layout), now;
  check_characters(&before, layout, 0);
  for (int i = 0; i < OPENINGS; i++) {
    CHECK_OK(CustomKeyboard_close(k));
    CHECK_OK(CustomKeyboard_open(k));
    now = order_of(k, layout);
    CHECK_EQUAL(unchanged(&before, &now), 0);
    if (i < 20) check_characters(&now, layout, 0);
    struct page page;
    look(k, &page);
    if (i % 50 == 0) { /* but the order stays while the keyboard is open, whatever is pressed */
      for (size_t j = 0; j < page.count; j++) CHECK_OK(CustomKeyboard_pressKey(k, is_pad(layout) ? j : 0));
      before = order_of(k, layout);
      CHECK(unchanged(&before, &now) == (layout < 3 ? 3 : 1));
    }
    before = now;
  }
  CHECK_OK(CustomKeyboard_destroy(k));
}

static void check_each_key_and_none(int layout) {
  for (int shuffle = 0; shuffle <= 2; shuffle += 2) {
    CUSTOM_KEYBOARD k = shown((CUSTOM_KEYBOARD_LAYOUT)layout, (CUSTOM_KEYBOARD_SHUFFLE)shuffle, 0);
    struct order before = order_of(k, layout), now;
    struct page page;
    for (int i = 0; i < 128; i++, before = now) {
      look(k, &page);
      size_t index = i % 5 == 0 && !is_pad(layout) ? find_role(&page, CUSTOM_KEYBOARD_ROLE_SPACE) : (size_t)i % 9;
      while (page.keys[index].role == CUSTOM_KEYBOARD_ROLE_BLANK) index++;
      CHECK_OK(CustomKeyboard_pressKey(k, index));
      now = order_of(k, layout);
      CHECK_EQUAL(unchanged(&before, &now), shuffle ? 0 : layout < 3 ? 3 : 1);
      check_characters(&now, layout, 0);
    }
    if (find_role(&page, CUSTOM_KEYBOARD_ROLE_SHIFT) != NO_KEY) {
      press(k, &page, find_role(&page, CUSTOM_KEYBOARD_ROLE_SHIFT));
      now = order_of(k, layout);
      check_characters(&now, layout, 1);
      for (int pool = 0; pool < 3; pool++) /* both cases have the same order */
        for (char *c = now.pools[pool]; *c; c++) *c = is_letter(*c) ? (char)(*c | 32) : *c;
      CHECK_EQUAL(unchanged(&before, &now), layout < 3 ? 3 : 1);
    }
    look(k, &page); /* full, so the order stays */
    CHECK_EQUAL(CustomKeyboard_pressKey(k, find_role(&page, CUSTOM_KEYBOARD_ROLE_CHARACTER)), CUSTOM_KEYBOARD_MAXLEN);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
}

int main(void) {
  for (int layout = 0; layout < LAYOUTS; layout++) {
    check_openings(layout);
    check_each_key_and_none(layout);
  }
  return check_end("order", 300000);
}
