/*
 * Ten thousand passwords entered through `touch`, compared with a simple model of what a tap does: on all layouts and
 * pages, on views of any size, inside keys, on their edges and in the gaps near them, with deletions, shifts, page
 * switches and spaces between; up to the maximum, beyond it, and to the longest password. Each decrypts to what was
 * meant, and the field and the OK action are called exactly as the model expects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page.h"

enum { PASSWORDS = 10000 / LESS, LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE, TRIES = 50 };
enum shift { OFF, ONE_LETTER, CAPS_LOCK };

/* The state that the keyboard should have, kept as simply as possible. */
static struct model {
  uint8_t text[LONGEST];
  size_t length, maximum;
  enum shift shift;
  CUSTOM_KEYBOARD_SHUFFLE shuffle;
  double width, height;
  unsigned long field_calls, ok_calls;
} model;

/* How often the callbacks were called, and with what. */
static struct {
  unsigned long field_calls, ok_calls, wrong;
  CUSTOM_KEYBOARD keyboard;
} told;

/* How often rare cases came up, which a random test could miss. */
static unsigned long refused, ignored, gaps;

static void field_changed(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  size_t now = 4711;
  told.field_calls++;
  told.wrong += context != &model || keyboard != told.keyboard;
  told.wrong += CustomKeyboard_count(keyboard, &now) != CUSTOM_KEYBOARD_OK || now != count;
}

static void completed(void *context, CUSTOM_KEYBOARD keyboard) {
  told.ok_calls++;
  told.wrong += context != &told || keyboard != told.keyboard;
}

/* ---- The model --------------------------------------------------------------------------------------------------- */

/* Types a character if there is room for it. */
static CUSTOM_KEYBOARD_RV type(uint8_t c) {
  if (model.maximum > 0 && model.length >= model.maximum) return ignored++, CUSTOM_KEYBOARD_OK;
  if (model.length == LONGEST) return refused++, CUSTOM_KEYBOARD_MAXLEN;
  model.text[model.length++] = c;
  model.field_calls++;
  if (is_letter((char)c) && model.shift == ONE_LETTER) model.shift = OFF;
  if (model.length == model.maximum) model.ok_calls++;
  return CUSTOM_KEYBOARD_OK;
}

static CUSTOM_KEYBOARD_RV expect(const CUSTOM_KEYBOARD_KEY *key) {
  switch (key->role) {
    case CUSTOM_KEYBOARD_ROLE_CHARACTER: return type((uint8_t)key->label[0]);
    case CUSTOM_KEYBOARD_ROLE_SPACE: return type(' ');
    case CUSTOM_KEYBOARD_ROLE_DELETE:
      if (model.length > 0) model.length--, model.field_calls++;
      break;
    case CUSTOM_KEYBOARD_ROLE_CLEAR:
      model.field_calls += model.length > 0;
      model.length = 0;
      break;
    case CUSTOM_KEYBOARD_ROLE_SHIFT: model.shift = (model.shift + 1) % 3; break;
    case CUSTOM_KEYBOARD_ROLE_RETURN: model.ok_calls++; break;
    default: break;
  }
  return CUSTOM_KEYBOARD_OK;
}

/* ---- Fingers ----------------------------------------------------------------------------------------------------- */

static double squared_distance(const CUSTOM_KEYBOARD_KEY *key, double x, double y) {
  double right = key->x + key->width, below = key->y + key->height;
  double dx = x < key->x ? key->x - x : x > right ? x - right : 0;
  double dy = y < key->y ? key->y - y : y > below ? y - below : 0;
  return dx * dx + dy * dy;
}

/* Whether `index` is the key nearest to the point, and clearly so. */
static int is_meant(const struct page *page, size_t index, double x, double y) {
  double distance = squared_distance(&page->keys[index], x, y);
  for (size_t i = 0; i < page->count; i++)
    if (i != index && squared_distance(&page->keys[i], x, y) <= distance + 1e-6) return 0;
  return 1;
}

static double fraction(uint64_t *seed) { return (double)(draw(seed) >> 11) / 9007199254740992.0; }

static double within(double value, double limit) { return value < 0 ? 0 : value > limit ? limit : value; }

/* A point that means this key: anywhere in it, on an edge or corner, or near it; its middle if no other is found. */
static void aim(const struct page *page, size_t index, uint64_t *seed, double *x, double *y) {
  const CUSTOM_KEYBOARD_KEY *key = &page->keys[index];
  for (int i = 0; i < TRIES; i++) {
    double u = fraction(seed), v = fraction(seed);
    switch (draw(seed) % 3) {
      case 0: break;
      case 1: /* an edge or a corner */
        u = draw(seed) % 2 ? (double)(draw(seed) % 2) : u;
        v = draw(seed) % 2 ? (double)(draw(seed) % 2) : v;
        break;
      default: /* near it, up to half its size away */
        u = 2 * u - 0.5;
        v = 2 * v - 0.5;
    }
    *x = within(key->x + u * key->width, model.width);
    *y = within(key->y + v * key->height, model.height);
    if (!is_meant(page, index, *x, *y)) continue;
    gaps += squared_distance(key, *x, *y) > 0;
    return;
  }
  *x = key->x + key->width / 2;
  *y = key->y + key->height / 2;
}

static void resize(CUSTOM_KEYBOARD k, uint64_t *seed) {
  model.width = 12 + fraction(seed) * (draw(seed) % 4 ? 400 : 3000);
  model.height = 6 + fraction(seed) * (draw(seed) % 4 ? 300 : 3000);
  CHECK_OK(CustomKeyboard_setSize(k, model.width, model.height, fraction(seed) * 20, fraction(seed) * 20));
}

/* Mostly characters; otherwise any key, function keys more often than their share. */
static size_t choose(const struct page *page, uint64_t *seed) {
  size_t index = draw(seed) % page->count;
  if (draw(seed) % 4 == 0) {
    size_t function = find_role(page, (CUSTOM_KEYBOARD_ROLE)(draw(seed) % 10));
    return function == NO_KEY ? index : function;
  }
  for (int i = 0; i < 20 && page->keys[index].role != CUSTOM_KEYBOARD_ROLE_CHARACTER; i++)
    index = draw(seed) % page->count;
  return index;
}

/* Checks that letters are shown in the case in which they will be typed. */
static void check_case(const struct page *page) {
  int wrong = 0;
  for (size_t i = 0; i < page->count; i++) {
    char c = page->keys[i].label[0];
    if (page->keys[i].role != CUSTOM_KEYBOARD_ROLE_CHARACTER || !is_letter(c)) continue;
    wrong += (c <= 'Z') != (model.shift != OFF);
  }
  CHECK_EQUAL(wrong, 0);
}

static int same_labels(const struct page *a, const struct page *b) {
  if (a->count != b->count) return 0;
  for (size_t i = 0; i < a->count; i++)
    if (a->keys[i].role != b->keys[i].role || strcmp(a->keys[i].label, b->keys[i].label) != 0) return 0;
  return 1;
}

/* One tap, with checks of everything that can be observed. */
static void tap(CUSTOM_KEYBOARD k, struct page *page, size_t index, uint64_t *seed) {
  struct page before = *page;
  unsigned long field_calls = model.field_calls;
  double x, y;
  size_t count;
  aim(page, index, seed, &x, &y);
  CUSTOM_KEYBOARD_RV expected = expect(&page->keys[index]);
  CHECK_EQUAL(CustomKeyboard_touch(k, x, y), expected);
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(count, model.length);
  CHECK_EQUAL(told.field_calls, model.field_calls);
  CHECK_EQUAL(told.ok_calls, model.ok_calls);
  look(k, page);
  check_case(page);
  int is_typing = before.keys[index].role <= CUSTOM_KEYBOARD_ROLE_SPACE;
  if (is_typing && field_calls == model.field_calls) CHECK(same_labels(&before, page)); /* ignored, or refused */
  if (is_typing && field_calls < model.field_calls && model.shuffle == CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY)
    CHECK(!same_labels(&before, page));
}

static void tap_password(const struct algorithm *a, uint64_t *seed, int round) {
  uint8_t text[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  struct page page;
  memset(&model, 0, sizeof model);
  memset(&told, 0, sizeof told);
  int layout = (int)(draw(seed) % LAYOUTS), is_long = round % 50 == 0;
  model.shuffle = (CUSTOM_KEYBOARD_SHUFFLE)(draw(seed) % 3);
  model.maximum = draw(seed) % 3 ? 0 : 1 + draw(seed) % 20;
  CUSTOM_KEYBOARD k = shown_under(a, (CUSTOM_KEYBOARD_LAYOUT)layout, model.shuffle, model.maximum);
  told.keyboard = k;
  CHECK_OK(CustomKeyboard_setTextField(k, field_changed, &model));
  CHECK_OK(CustomKeyboard_setOKAction(k, completed, &told));
  resize(k, seed);
  look(k, &page);
  for (size_t taps = is_long ? 300 : draw(seed) % 30; taps > 0; taps--) {
    if (draw(seed) % 8 == 0) resize(k, seed), look(k, &page);
    tap(k, &page, choose(&page, seed), seed);
  }
  size_t length = read_back_under(a, k, text);
  if (CHECK_EQUAL(length, model.length)) CHECK_BYTES(text, model.text, length);
  CHECK_EQUAL(told.wrong, 0);
  CHECK_OK(CustomKeyboard_destroy(k));
}

/* A maximum that `input` has already reached or exceeded: it limits only keys. */
static void check_maximum_and_input(void) {
  for (size_t given = 0; given <= 8; given++) {
    memset(&told, 0, sizeof told);
    CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 4);
    size_t count;
    told.keyboard = k;
    CHECK_OK(CustomKeyboard_setOKAction(k, completed, &told));
    CHECK_OK(CustomKeyboard_input(k, bytes("12345678"), given));
    CHECK_EQUAL(told.ok_calls, 0);
    for (int i = 0; i < 8; i++) CHECK_OK(CustomKeyboard_pressKey(k, 0));
    CHECK_OK(CustomKeyboard_count(k, &count));
    CHECK_EQUAL(count, given > 4 ? given : 4);
    CHECK_EQUAL(told.ok_calls, given < 4);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
  const size_t none[] = {0, 129, 256, 257, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX}; /* impossible maxima */
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, none[i]);
    for (int j = 0; j < LONGEST; j++) CHECK_OK(CustomKeyboard_pressKey(k, (size_t)j % 9));
    CHECK_EQUAL(CustomKeyboard_pressKey(k, 0), CUSTOM_KEYBOARD_MAXLEN);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
}

int main(void) {
  uint64_t seed = take_seed();
  for (int i = 0; i < PASSWORDS; i++) tap_password(&algorithms[i % ALGORITHM_COUNT], &seed, i);
  CHECK(refused > 100 / LESS && ignored > 1000 / LESS && gaps > 10000 / LESS);
  check_maximum_and_input();
  return check_end("touch", 1000000);
}
