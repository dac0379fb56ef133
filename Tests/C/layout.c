/*
 * The layouts as a UI programmer uses them: every layout call with bad arguments in every state, which must return the
 * first code that applies and leave the current page unchanged; the keys of every page, with their roles, positions and
 * frames on views of all sizes; and a touch on a drawn key must press that key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page.h"
#include <math.h>

enum { SIZES = 200, ARGUMENT = CUSTOM_KEYBOARD_ARGUMENT, OP_DISABLE = CUSTOM_KEYBOARD_OP_DISABLE };

static int same_page(const struct page *a, const struct page *b) {
  for (size_t i = 0; i < a->count && a->count == b->count; i++) {
    const CUSTOM_KEYBOARD_KEY *p = &a->keys[i], *q = &b->keys[i];
    if (memcmp(&p->grid, &q->grid, sizeof p->grid) != 0 || p->x != q->x || p->y != q->y || p->width != q->width ||
        p->height != q->height || p->role != q->role || memcmp(p->label, q->label, sizeof p->label) != 0)
      return 0;
  }
  return a->count == b->count;
}

/* ---- Bad arguments in every state -------------------------------------------------------------------------------- */

/* `expected` is what a correct call would return in this state; a bad argument is reported before it. */
static void refuse(CUSTOM_KEYBOARD k, CUSTOM_KEYBOARD_RV expected, int is_up) {
  struct page before = {.count = 0}, after;
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  size_t count = 4711;
  const int unknown[] = {-1, 7, 10, 99, 255, 256, 257, INT32_MAX};
  const double bad[] = {NAN, INFINITY, -INFINITY, -1, -1e-9, 1e300, -1e300};
  const size_t indices[] = {MOST_KEYS, 100, 255, 256, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
  if (is_up) look(k, &before);
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    CUSTOM_KEYBOARD_LAYOUT layout = (CUSTOM_KEYBOARD_LAYOUT)unknown[i];
    CUSTOM_KEYBOARD_SHUFFLE shuffle = (CUSTOM_KEYBOARD_SHUFFLE)unknown[i];
    CHECK_EQUAL(CustomKeyboard_setLayout(k, layout, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, shuffle, 0), ARGUMENT);
  }
  CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, (CUSTOM_KEYBOARD_SHUFFLE)3, 0), ARGUMENT);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_EQUAL(CustomKeyboard_setSize(k, bad[i], 216, 6, 8), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setSize(k, 320, bad[i], 6, 8), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setSize(k, 320, 216, bad[i], 8), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setSize(k, 320, 216, 6, bad[i]), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_touch(k, bad[i], 50), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_touch(k, 50, bad[i]), ARGUMENT);
  }
  CHECK_EQUAL(CustomKeyboard_setSize(k, 0, 0, 0, 0), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setSize(k, 9.99, 216, 6, 8), ARGUMENT); /* ten letters in a row, four rows */
  CHECK_EQUAL(CustomKeyboard_setSize(k, 320, 3.99, 6, 8), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_touch(k, nextafter(320, 400), 50), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_touch(k, 50, nextafter(216, 400)), ARGUMENT);
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
    CHECK_EQUAL(CustomKeyboard_pressKey(k, indices[i]), ARGUMENT);
  if (is_up) CHECK_EQUAL(CustomKeyboard_pressKey(k, before.count), ARGUMENT);

  memset(keys, 0xa5, sizeof keys);
  CHECK_EQUAL(CustomKeyboard_keys(k, NULL, MOST_KEYS, &count), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_keys(k, NULL, SIZE_MAX, &count), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_keys(k, keys, MOST_KEYS, NULL), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_keys(k, keys, 0, NULL), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_keys(k, keys, SIZE_MAX, &count), ARGUMENT); /* they would end beyond the address space */
  CHECK_EQUAL(CustomKeyboard_keys(k, (CUSTOM_KEYBOARD_KEY *)(UINTPTR_MAX - 127), MOST_KEYS, &count), ARGUMENT);
  CHECK_EQUAL(count, 4711);
  for (size_t capacity = 0; capacity < (is_up ? before.count : MOST_KEYS); capacity++) {
    count = 4711;
    CHECK_EQUAL(CustomKeyboard_keys(k, capacity ? keys : NULL, capacity, &count),
                is_up ? CUSTOM_KEYBOARD_SPACE : expected);
    CHECK_EQUAL(count, is_up ? before.count : 4711);
  }
  if (!is_up) CHECK_EQUAL(CustomKeyboard_keys(k, keys, MOST_KEYS, &count), expected);
  for (size_t i = 0; i < sizeof keys; i++) CHECK(((uint8_t *)keys)[i] == 0xa5);

  if (!is_up) CHECK_EQUAL(CustomKeyboard_pressKey(k, 0), expected);
  if (!is_up) CHECK_EQUAL(CustomKeyboard_touch(k, 50, 50), expected);
  if (!is_up) return;
  CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 4), expected);
  look(k, &after);
  CHECK(same_page(&before, &after));
  CHECK_OK(CustomKeyboard_keys(k, keys, before.count, &count)); /* exactly enough; nothing after it is written */
  CHECK(count == before.count && ((uint8_t *)&keys[count])[0] == 0xa5);
}

static void refuse_in_every_state(void) {
  for (int layout = 0; layout < 3; layout++) {
    CUSTOM_KEYBOARD k = shown((CUSTOM_KEYBOARD_LAYOUT)layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0);
    struct page page;
    refuse(k, CUSTOM_KEYBOARD_OP_DISABLE, 1);
    look(k, &page);
    CHECK_OK(CustomKeyboard_pressKey(k, find_role(&page, layout == 1 ? CUSTOM_KEYBOARD_ROLE_TO_LETTERS
                                                                     : CUSTOM_KEYBOARD_ROLE_TO_DIGITS)));
    refuse(k, CUSTOM_KEYBOARD_OP_DISABLE, 1);
    CHECK_OK(CustomKeyboard_close(k));
    refuse(k, CUSTOM_KEYBOARD_OP_DISABLE, 0);
    CHECK_OK(CustomKeyboard_destroy(k));
    refuse(k, CUSTOM_KEYBOARD_ARGUMENT, 0);
  }
  refuse(0, CUSTOM_KEYBOARD_ARGUMENT, 0);
  refuse(UINT64_MAX, CUSTOM_KEYBOARD_ARGUMENT, 0);
}

/* A view that fits a PIN pad but is too small for letters: a bad argument in every state. */
static void refuse_what_does_not_fit(void) {
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0);
  CHECK_OK(CustomKeyboard_setSize(k, 3, 4, 6, 8));
  for (int is_up = 1; is_up >= 0; is_up--) {
    CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_MIXED, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setSize(k, 2.9, 4, 0, 0), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setSize(k, 3, 3.9, 0, 0), ARGUMENT);
    if (is_up) CHECK_OK(CustomKeyboard_close(k));
  }
  CHECK_OK(CustomKeyboard_open(k)); /* still the PIN pad */
  struct page page;
  look(k, &page);
  CHECK_EQUAL(page.count, 12);
  CHECK_OK(CustomKeyboard_destroy(k));
}

/* ---- The keys of a page ------------------------------------------------------------------------------------------ */

/* Checks that the frames are inside the view, not empty, apart from each other, and ordered from the upper left to the
 * lower right. */
static void check_frames(const struct page *page, double width, double height) {
  for (size_t i = 0; i < page->count; i++) {
    const CUSTOM_KEYBOARD_KEY *a = &page->keys[i];
    CHECK(a->x >= 0 && a->y >= 0 && a->width > 0 && a->height > 0);
    CHECK(a->x + a->width <= width && a->y + a->height <= height);
    CHECK(a->grid.row >= 1 && a->grid.column >= 1 && a->grid.rowSpan >= 1 && a->grid.columnSpan >= 1);
    CHECK((int)a->role >= 0 && a->role <= CUSTOM_KEYBOARD_ROLE_BLANK && memchr(a->label, 0, sizeof a->label));
    CHECK((a->label[0] == 0) == (a->role == CUSTOM_KEYBOARD_ROLE_BLANK));
    CHECK(a->role != CUSTOM_KEYBOARD_ROLE_CHARACTER || (a->label[0] > ' ' && a->label[1] == 0));
    for (size_t j = 0; j < i; j++) {
      const CUSTOM_KEYBOARD_KEY *b = &page->keys[j];
      CHECK(a->grid.row > b->grid.row || (a->grid.row == b->grid.row && a->grid.column > b->grid.column));
      int apart = b->x + b->width <= a->x || a->x + a->width <= b->x;
      CHECK(apart || b->y + b->height <= a->y || a->y + a->height <= b->y);
      CHECK((a->grid.row == b->grid.row) == (a->y == b->y)); /* all rows are on one grid */
      CHECK(fabs(a->height - b->height) < 1e-6);
    }
  }
}

/* How many keys of each role, in the order of CUSTOM_KEYBOARD_ROLE, each page of each layout has. */
static const uint8_t roles[LAYOUTS][3][10] = {
    [0] = {{26, 1, 1, 0, 1, 0, 1, 1, 1, 0}, {10, 1, 1, 0, 0, 1, 0, 1, 1, 0}, {32, 1, 1, 0, 0, 1, 1, 0, 1, 0}},
    [3] = {{23, 1, 1, 0, 1, 0, 1, 1, 1, 0}, {23, 1, 1, 0, 1, 1, 0, 1, 1, 0}, {22, 1, 1, 0, 1, 1, 1, 0, 1, 1}},
    [4] = {{10, 0, 1, 0, 0, 0, 0, 0, 0, 1}},
    [5] = {{10, 0, 1, 0, 0, 0, 0, 0, 1, 4}},
};

static void check_roles(const struct page *page, int layout) {
  uint8_t counted[10] = {0};
  for (size_t i = 0; i < page->count; i++) counted[page->keys[i].role]++;
  CHECK_BYTES(counted, roles[layout < 3 ? 0 : layout][page_number(page, layout)], 10);
}

/* The widths of Return, Space and all keys that are not letters are whole multiples of a letter key plus its gaps. */
static void check_multiples(const struct page *page, double gap, double letter) {
  for (size_t i = 0; i < page->count; i++) {
    double multiple = (page->keys[i].width + gap) / (letter + gap);
    CHECK(fabs(multiple - round(multiple)) < 1e-9 && multiple > 0.5);
  }
}

static void check_page(struct page *page, int layout, void *size) {
  const double *s = size; /* width, height, column gap as set, column gap as used, width of a letter key */
  check_frames(page, s[0], s[1]);
  check_roles(page, layout);
  if (!is_pad(layout) && s[0] > 60) check_multiples(page, s[3], s[4]);
}

static void check_sizes(uint64_t *seed) {
  for (int layout = 0; layout < LAYOUTS; layout++) {
    CUSTOM_KEYBOARD k = shown((CUSTOM_KEYBOARD_LAYOUT)layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0);
    static const double keys_across[LAYOUTS] = {10, 10, 10, 9, 3, 4};
    double across = keys_across[layout], standard[] = {320, 216, 6, 6, (326 / across) - 6};
    for_each_page(k, layout, check_page, standard); /* unless told otherwise */
    for (int i = 0; i < SIZES; i++) {
      double limit = i % 4 ? 500 : 4000, unit = (double)(1 << 20);
      double s[5] = {across + (double)(draw(seed) % (uint64_t)(limit * unit)) / unit,
                     4 + (double)(draw(seed) % 4000) / 7, i % 3 ? (double)(draw(seed) % 200) / 9 : 0};
      s[3] = fmin(s[2], (s[0] - across) / (across - 1));
      s[4] = (s[0] + s[3]) / across - s[3];
      CHECK_OK(CustomKeyboard_setSize(k, s[0], s[1], s[2], (double)(draw(seed) % 200) / 9));
      for_each_page(k, layout, check_page, s);
    }
    CHECK_OK(CustomKeyboard_setSize(k, across, 4, 50, 50)); /* a point for each key, and none for gaps */
    struct page page;
    look(k, &page);
    check_frames(&page, across, 4);
    for (size_t i = 0; i < page.count; i++) CHECK(page.keys[i].width > 1 - 1e-9 && page.keys[i].height > 1 - 1e-9);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
}

/* What is touched is where it is drawn now: every key's middle, after every change of size. */
static void touch_what_is_drawn(uint64_t *seed) {
  for (int layout = 0; layout < LAYOUTS; layout++) {
    CUSTOM_KEYBOARD k = shown((CUSTOM_KEYBOARD_LAYOUT)layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0);
    for (int i = 0; i < 50; i++) {
      struct page page;
      uint8_t expected[MOST_KEYS], got[128];
      size_t length = 0;
      double width = 12 + (double)(draw(seed) % 900), height = 6 + (double)(draw(seed) % 900);
      CHECK_OK(CustomKeyboard_setSize(k, width, height, i % 9, i % 7));
      look(k, &page);
      for (size_t j = 0; j < page.count; j++) {
        const CUSTOM_KEYBOARD_KEY *key = &page.keys[j];
        if (key->role != CUSTOM_KEYBOARD_ROLE_CHARACTER) continue;
        CHECK_OK(CustomKeyboard_touch(k, key->x + key->width / 2, key->y + key->height / 2));
        expected[length++] = (uint8_t)key->label[0];
      }
      if (CHECK_EQUAL(read_back(k, got), length)) CHECK_BYTES(got, expected, length);
      CHECK_OK(CustomKeyboard_clear(k));
      int next = CUSTOM_KEYBOARD_ROLE_TO_LETTERS + (page_number(&page, layout) + 1) % 3;
      if (!is_pad(layout)) press(k, &page, find_role(&page, (CUSTOM_KEYBOARD_ROLE)next));
    }
    CHECK_OK(CustomKeyboard_destroy(k));
  }
}

/* ---- Patterns ---------------------------------------------------------------------------------------------------- */

/* Draws through nodes with a finger that starts anywhere in a node's circle, and compares what is typed. */
static void check_pattern(const char *nodes, const char *expected) {
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  struct page page;
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0);
  look(k, &page);
  REQUIRE(page.count == 9);
  for (const char *node = nodes; *node != 0; node++) {
    const CUSTOM_KEYBOARD_KEY *key = &page.keys[*node - '1'];
    CHECK_EQUAL(key->role, CUSTOM_KEYBOARD_ROLE_NODE);
    CHECK_EQUAL(key->label[0], *node);
    /* A frame's corner is outside its circle: it takes nothing, and is not an error. */
    CHECK_EQUAL(CustomKeyboard_touch(k, key->x + 0.1 * key->width, key->y + 0.1 * key->height), CUSTOM_KEYBOARD_OK);
    CHECK_EQUAL(CustomKeyboard_touch(k, key->x + 0.8 * key->width, key->y + 0.8 * key->height), CUSTOM_KEYBOARD_OK);
  }
  size_t length = read_back(k, text);
  CHECK_EQUAL(length, strlen(expected));
  CHECK_BYTES(text, expected, strlen(expected));
  CustomKeyboard_destroy(k);
}

/* The four ends of a node's frame are on its circle, and so is a point at 0.35 of a cell from the middle. What is a
 * thousandth farther away takes nothing. */
static void touch_edges(double width, double height) {
  static const double ways[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {0.6, 0.8}, {-0.8, 0.6}};
  const double cell = (width < height ? width : height) / 3;
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0);
  struct page page;
  size_t count;
  REQUIRE_OK(CustomKeyboard_setSize(k, width, height, 6, 6));
  look(k, &page);
  for (size_t i = 0; i < 9; i++) {
    const CUSTOM_KEYBOARD_KEY *key = &page.keys[i];
    const double x = key->x + key->width / 2, y = key->y + key->height / 2;
    const double ends[][2] = {{key->x, y}, {key->x + key->width, y}, {x, key->y}, {x, key->y + key->height}};
    for (size_t way = 0; way < 10; way++) {
      const double *at = way < 6 ? (const double[]){x + ways[way][0] * 0.35 * cell, y + ways[way][1] * 0.35 * cell}
                                 : ends[way - 6];
      CHECK_OK(CustomKeyboard_clear(k));
      CHECK_OK(CustomKeyboard_touch(k, x + 1.001 * (at[0] - x), y + 1.001 * (at[1] - y)));
      CHECK_OK(CustomKeyboard_count(k, &count));
      CHECK_EQUAL(count, 0);
      CHECK_OK(CustomKeyboard_touch(k, at[0], at[1]));
      CHECK_OK(CustomKeyboard_count(k, &count));
      CHECK_EQUAL(count, 1);
    }
  }
  CustomKeyboard_destroy(k);
}

/* A text that is not a path of nodes is ARGUMENT on an idle keyboard, too, and however long it is. */
static void refuse_nodes(CUSTOM_KEYBOARD k, CUSTOM_KEYBOARD_RV of_nodes) {
  static const char *const wrong[] = {"0", "a", "11", "121", "1234567891"};
  char many[200];
  memset(many, '1', sizeof many);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)wrong[i], strlen(wrong[i])), ARGUMENT);
  for (size_t i = 10; i <= sizeof many; i++)
    CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)many, i), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)"159", 3), of_nodes);
}

/* After a received text of 127 bytes there is room for one node: two are refused, and then nothing is drawn. */
static void draw_into_little_room(void) {
  static const uint8_t key[] = "8907654329807654";
  uint8_t long_text[127], sealed[144];
  size_t offset, length, count;
  memset(long_text, 'a', sizeof long_text);
  long_text[126] = '1';
  CUSTOM_KEYBOARD from = shown(CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0), k;
  REQUIRE_OK(CustomKeyboard_close(from));
  REQUIRE_OK(CustomKeyboard_setEncKey(from, key, 16, CUSTOM_ENCWAY_SM4));
  REQUIRE_OK(CustomKeyboard_open(from));
  REQUIRE_OK(CustomKeyboard_input(from, long_text, sizeof long_text));
  REQUIRE_OK(CustomKeyboard_getText(from, sealed, 128, &offset, &length));
  k = shown(CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0);
  REQUIRE_OK(CustomKeyboard_close(k));
  REQUIRE_OK(CustomKeyboard_receive(k, CUSTOM_ENCWAY_SM4, key, 16, NULL, 0, sealed, 128));
  CHECK_EQUAL(CustomKeyboard_pressKey(k, 2), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(count, 127);
  /* A text with another byte, or a node that is used, is ARGUMENT, though there is no room. */
  CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)"23", 2), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)"2a", 2), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)"21", 2), ARGUMENT);
  CHECK_OK(CustomKeyboard_pressKey(k, 1));
  CHECK_EQUAL(CustomKeyboard_pressKey(k, 4), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(count, 128);
  CustomKeyboard_destroy(from);
  CustomKeyboard_destroy(k);
}

static void check_patterns(void) {
  static const char *const drawn[][2] = {{"13", "123"},       {"19", "159"},     {"1212", "12"},
                                         {"1168", "168"},     {"213", "213"},    {"5", "5"},
                                         {"1793", "1478963"}, {"2519", "2519"}, {"28", "258"},
                                         {"64", "654"},       {"37", "357"},     {"31", "321"}};
  for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) check_pattern(drawn[i][0], drawn[i][1]);
  static const char *const refused[] = {"5", "0", "a", "11", "2 ", "\xc3\xa9"};
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 9);
  CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)"59", 2), CUSTOM_KEYBOARD_OK);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)refused[i], strlen(refused[i])), ARGUMENT);
  CHECK_OK(CustomKeyboard_clear(k));
  refuse_nodes(k, CUSTOM_KEYBOARD_OK);
  CustomKeyboard_close(k);
  refuse_nodes(k, CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 10), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0),
              ARGUMENT);
  CustomKeyboard_destroy(k);
}

int main(void) {
  uint64_t seed = take_seed();
  refuse_in_every_state();
  refuse_what_does_not_fit();
  check_sizes(&seed);
  touch_what_is_drawn(&seed);
  check_patterns();
  touch_edges(320, 216);
  touch_edges(216, 320);
  touch_edges(3, 3);
  touch_edges(390, 844);
  draw_into_little_room();
  return check_end("layout", 4000000);
}
