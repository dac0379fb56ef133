/*
 * Every function in every state, with every kind of argument that a mistake can produce. One table says which code each
 * call returns. A refused call must have changed nothing: not the keyboard, not the space, not the answers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"

/* ---- States ------------------------------------------------------------------------------------------------------ */

enum state { ZERO, INVENTED, DESTROYED, IDLE, KEYED, OPEN, EMPTY, TYPED, CLOSED, STATE_COUNT };
static const char *const state_names[STATE_COUNT] = {
    "handle 0",    "invented",          "destroyed",           "idle",        "idle with key", "up without key",
    "up, nothing typed", "up, something typed", "closed again"};

static const uint8_t key[65] = "8907654329807654234516", other_key[LONGEST_KEY] = "abcdefghijklmnopqrstuvw";
static const char password[] = "pass\xed\x95\x9c";

/* A new keyboard in this state, or a number that is not a handle. */
static CUSTOM_KEYBOARD keyboard_in(enum state state) {
  CUSTOM_KEYBOARD keyboard = 0;
  if (state == ZERO) return 0;
  if (state == INVENTED) return UINT64_C(0xfeedfacecafebeef);
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  if (state == KEYED || state == EMPTY || state == TYPED || state == CLOSED)
    REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, key, 16, CUSTOM_ENCWAY_SM4));
  if (state == OPEN || state == EMPTY || state == TYPED || state == CLOSED) REQUIRE_OK(CustomKeyboard_open(keyboard));
  if (state == OPEN || state == TYPED || state == CLOSED)
    REQUIRE_OK(CustomKeyboard_input(keyboard, bytes(password), strlen(password)));
  if (state == CLOSED) REQUIRE_OK(CustomKeyboard_close(keyboard));
  if (state == DESTROYED) REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return keyboard;
}

/* All of a keyboard's state that is visible from outside. */
struct view {
  size_t count, length;
  CUSTOM_KEYBOARD_RV rv, opened, text, again;
  uint8_t bytes[16], empty[16];
};

/* Reads the state of a keyboard and destroys it. An idle one is opened to see whether it has its key and is empty. */
static struct view look_at(CUSTOM_KEYBOARD keyboard) {
  struct view view;
  size_t offset;
  memset(&view, 0, sizeof view);
  view.rv = CustomKeyboard_count(keyboard, &view.count);
  view.text = CustomKeyboard_getText(keyboard, view.bytes, sizeof view.bytes, &offset, &view.length);
  view.opened = CustomKeyboard_open(keyboard);
  if (view.opened == CUSTOM_KEYBOARD_OP_DISABLE) CustomKeyboard_clear(keyboard);
  view.again = CustomKeyboard_getText(keyboard, view.empty, sizeof view.empty, &offset, &view.length);
  CustomKeyboard_destroy(keyboard);
  return view;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Everything a call may write to, with sentinels and guard bytes. */
enum { MOST_KEYS = 40 };
static struct {
  uint8_t space[64];
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  size_t offset, length;
} out;

/* A place for an answer inside the space, or inside the keys. */
static size_t *in_space(size_t at) { return (size_t *)(void *)(out.space + at); }
static size_t *in_keys(size_t at) { return (size_t *)(void *)((uint8_t *)out.keys + at); }

static void reset_out(void) {
  memset(out.space, 0xa5, sizeof out.space);
  memset(out.keys, 0xa5, sizeof out.keys);
  out.offset = 1111111;
  out.length = 2222222;
}

static int space_is_untouched(void) {
  for (size_t i = 0; i < sizeof out.space; i++)
    if (out.space[i] != 0xa5) return 0;
  for (size_t i = 0; i < sizeof out.keys; i++)
    if (((uint8_t *)out.keys)[i] != 0xa5) return 0;
  return out.offset == 1111111;
}

/* Input that is too long and also not UTF-8: wrong at the first byte, at the last, or cut off within a character. */
static CUSTOM_KEYBOARD_RV type_spoilt(CUSTOM_KEYBOARD k, size_t length, size_t at, uint8_t byte) {
  static uint8_t text[1 << 16];
  memset(text, 'x', sizeof text);
  text[at] = byte;
  return CustomKeyboard_input(k, text, length);
}

#define CALL(name, expression) \
  static CUSTOM_KEYBOARD_RV name(CUSTOM_KEYBOARD k) { return (expression); }
#define SET(key, length, way) CustomKeyboard_setEncKey(k, (key), (length), (way))
#define TYPE(text, length) CustomKeyboard_input(k, bytes(text), (length))
#define TEXT(space, size) CustomKeyboard_getText(k, (space), (size), &out.offset, &out.length)

CALL(set_key, SET(other_key, 8, CUSTOM_ENCWAY_DES))
CALL(set_no_key, SET(NULL, 0, CUSTOM_ENCWAY_SM4))
CALL(set_null, SET(NULL, 16, CUSTOM_ENCWAY_SM4))
CALL(set_short, SET(other_key, 15, CUSTOM_ENCWAY_SM4))
CALL(set_long, SET(other_key, 24, CUSTOM_ENCWAY_SM4))
CALL(set_half, SET(other_key, SIZE_MAX / 2 + 1, CUSTOM_ENCWAY_DES))
CALL(set_all, SET(other_key, SIZE_MAX, CUSTOM_ENCWAY_3DES))
CALL(set_way_13, SET(other_key, 16, (CUSTOM_ENCWAY)13))
CALL(set_way_99, SET(other_key, 0, (CUSTOM_ENCWAY)99))
CALL(set_way_minus, SET(other_key, 16, (CUSTOM_ENCWAY)-1))
CALL(set_way_258, SET(other_key, 16, (CUSTOM_ENCWAY)258))
CALL(open_up, CustomKeyboard_open(k))
CALL(close_down, CustomKeyboard_close(k))
CALL(type_some, TYPE("more", 4))
CALL(type_nothing, TYPE("", 0))
CALL(type_null_0, CustomKeyboard_input(k, NULL, 0))
CALL(type_null, CustomKeyboard_input(k, NULL, 1))
CALL(type_null_all, CustomKeyboard_input(k, NULL, SIZE_MAX))
CALL(type_bad, TYPE("ok\xff", 3))
CALL(type_long, CustomKeyboard_input(k, (const uint8_t[129]){'x', 'y'}, 129))
CALL(type_long_bad_first, type_spoilt(k, 129, 0, 0xff))
CALL(type_long_bad_last, type_spoilt(k, 129, 128, 0xff))
CALL(type_long_cut, type_spoilt(k, 130, 129, 0xc3))
CALL(type_longer_bad, type_spoilt(k, 300, 299, 0x80))
CALL(type_longest_bad, type_spoilt(k, 1 << 16, (1 << 16) - 1, 0xed))
CALL(type_longest, type_spoilt(k, 1 << 16, 0, 'y'))
CALL(type_half, TYPE("half", SIZE_MAX / 2 + 1))
CALL(type_all, TYPE("all", SIZE_MAX))
CALL(delete_one, CustomKeyboard_deleteBackward(k))
CALL(clear_all, CustomKeyboard_clear(k))
CALL(count_all, CustomKeyboard_count(k, &out.length))
CALL(count_null, CustomKeyboard_count(k, NULL))
CALL(text, TEXT(out.space, sizeof out.space))
CALL(text_exact, TEXT(out.space, 16))
CALL(text_short, TEXT(out.space, 15))
CALL(text_none, TEXT(out.space, 0))
CALL(text_null_0, TEXT(NULL, 0))
CALL(text_null, TEXT(NULL, 1024))
CALL(text_half, TEXT(out.space, SIZE_MAX / 2 + 1))
CALL(text_all, TEXT(out.space, SIZE_MAX))
CALL(text_no_offset, CustomKeyboard_getText(k, out.space, sizeof out.space, NULL, &out.length))
CALL(text_no_length, CustomKeyboard_getText(k, out.space, sizeof out.space, &out.offset, NULL))
CALL(text_offset_inside, CustomKeyboard_getText(k, out.space, sizeof out.space, in_space(8), &out.length))
CALL(text_length_inside, CustomKeyboard_getText(k, out.space, sizeof out.space, &out.offset, in_space(56)))
CALL(text_both_inside, CustomKeyboard_getText(k, out.space, sizeof out.space, in_space(0), in_space(16)))
CALL(text_offset_partly, CustomKeyboard_getText(k, out.space + 7, 50, in_space(0), &out.length))
CALL(text_length_partly, CustomKeyboard_getText(k, out.space + 1, 48, &out.offset, in_space(48)))
CALL(text_short_inside, CustomKeyboard_getText(k, out.space, 15, &out.offset, in_space(8)))
CALL(keys_all, CustomKeyboard_keys(k, out.keys, MOST_KEYS, &out.length))
CALL(keys_null, CustomKeyboard_keys(k, NULL, MOST_KEYS, &out.length))
CALL(keys_no_count, CustomKeyboard_keys(k, out.keys, MOST_KEYS, NULL))
CALL(keys_count_inside, CustomKeyboard_keys(k, out.keys, MOST_KEYS, in_keys(0)))
CALL(keys_count_last, CustomKeyboard_keys(k, out.keys, MOST_KEYS, in_keys(sizeof out.keys - 8)))
CALL(keys_count_of_few, CustomKeyboard_keys(k, out.keys, 1, in_keys(sizeof *out.keys - 8)))
#define RULE(number, text, length) CustomKeyboard_checkRule(k, CUSTOM_KEYBOARD_RULE_TEXT, (number), (text), (length))
static const uint8_t long_text[257];
CALL(rule, RULE(0, bytes("nowhere"), 7))
CALL(rule_broken, RULE(0, bytes(""), 0))
CALL(rule_null, RULE(0, NULL, 1))
CALL(rule_number, RULE(1, bytes("a"), 1))
CALL(rule_long, RULE(0, long_text, sizeof long_text))
CALL(rule_refuses, CustomKeyboard_checkRule(k, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 9, NULL, 0))
#define DERIVE(salt, pepper, passes, length) \
  CustomKeyboard_deriveKey(k, long_text, (salt), long_text, (pepper), 8, (passes), out.space, (length))
CALL(derive, DERIVE(8, 64, 1, 32))
CALL(derive_no_salt, DERIVE(7, 64, 1, 32))
CALL(derive_no_pass, DERIVE(8, 64, 0, 32))
CALL(derive_short_key, DERIVE(8, 65, 1, 15))
CALL(derive_long_pepper, DERIVE(8, 65, 1, 32))
#define SEAL(way, key_size, context_size, at, size)                                                         \
  CustomKeyboard_sealTyped(k, (way), key, (key_size), long_text, (context_size), (at), (size), &out.offset, \
                           &out.length)
static uint8_t sealed[172];
CALL(seal_it, SEAL(CUSTOM_ENCWAY_SM4_GCM, 16, 256, sealed, sizeof sealed))
CALL(seal_ecb, SEAL(CUSTOM_ENCWAY_SM4, 16, 0, sealed, sizeof sealed))
CALL(seal_short_key, SEAL(CUSTOM_ENCWAY_SM4_GCM, 15, 256, sealed, 3))
CALL(seal_no_point, SEAL(CUSTOM_ENCWAY_P256, 65, 0, sealed, 3))
CALL(seal_long_context, SEAL(CUSTOM_ENCWAY_SM4_GCM, 15, 257, sealed, 3))
CALL(seal_null, SEAL(CUSTOM_ENCWAY_SM4_GCM, 16, 0, NULL, 3))
CALL(destroy, CustomKeyboard_destroy(k))

/* The expected code for each state, in the order of the enum: three numbers that are not a keyboard; idle, idle with
 * key; up without key, up and empty, up and typed; closed again. */
static const struct row {
  const char *name;
  CUSTOM_KEYBOARD_RV (*call)(CUSTOM_KEYBOARD);
  char codes[STATE_COUNT + 1];
} rows[] = {
    {"setEncKey", set_key, "555002220"},
    {"setEncKey NULL, 0", set_no_key, "555112221"},
    {"setEncKey NULL, 16", set_null, "555555555"},
    {"setEncKey short", set_short, "555112221"},
    {"setEncKey long", set_long, "555112221"},
    {"setEncKey SIZE_MAX/2+1", set_half, "555112221"},
    {"setEncKey SIZE_MAX", set_all, "555112221"},
    {"setEncKey way 13", set_way_13, "555555555"},
    {"setEncKey way 99, 0 bytes", set_way_99, "555555555"},
    {"setEncKey way -1", set_way_minus, "555555555"},
    {"setEncKey way 258", set_way_258, "555555555"},
    {"open", open_up, "555002220"},
    {"close", close_down, "555220002"},
    {"input", type_some, "555220002"},
    {"input nothing", type_nothing, "555220002"},
    {"input NULL, 0", type_null_0, "555220002"},
    {"input NULL, 1", type_null, "555555555"},
    {"input NULL, SIZE_MAX", type_null_all, "555555555"},
    {"input not UTF-8", type_bad, "555555555"},
    {"input 129 bytes", type_long, "555223332"},
    {"input 129 bytes, the first not UTF-8", type_long_bad_first, "555555555"},
    {"input 129 bytes, the last not UTF-8", type_long_bad_last, "555555555"},
    {"input 130 bytes, cut in a character", type_long_cut, "555555555"},
    {"input 300 bytes, the last not UTF-8", type_longer_bad, "555555555"},
    {"input 65536 bytes, cut in a character", type_longest_bad, "555555555"},
    {"input 65536 bytes", type_longest, "555223332"},
    {"input SIZE_MAX/2+1", type_half, "555223332"},
    {"input SIZE_MAX", type_all, "555223332"},
    {"deleteBackward", delete_one, "555220002"},
    {"clear", clear_all, "555220002"},
    {"count", count_all, "555000000"},
    {"count NULL", count_null, "555555555"},
    {"getText", text, "555221002"},
    {"getText exact", text_exact, "555221002"},
    {"getText short", text_short, "555221442"},
    {"getText 0 bytes", text_none, "555221442"},
    {"getText NULL, 0", text_null_0, "555221442"},
    {"getText NULL, 1024", text_null, "555555555"},
    {"getText SIZE_MAX/2+1", text_half, "555555555"},
    {"getText SIZE_MAX", text_all, "555555555"},
    {"getText no offset", text_no_offset, "555555555"},
    {"getText no length", text_no_length, "555555555"},
    {"getText offset in space", text_offset_inside, "555555555"},
    {"getText length in space", text_length_inside, "555555555"},
    {"getText both in space", text_both_inside, "555555555"},
    {"getText offset partly in space", text_offset_partly, "555555555"},
    {"getText length partly in space", text_length_partly, "555555555"},
    {"getText length in short space", text_short_inside, "555555555"},
    {"keys", keys_all, "555220002"},
    {"keys NULL", keys_null, "555555555"},
    {"keys no count", keys_no_count, "555555555"},
    {"keys count in keys", keys_count_inside, "555555555"},
    {"keys count at the keys' end", keys_count_last, "555555555"},
    {"keys count in too few keys", keys_count_of_few, "555555555"},
    {"checkRule", rule, "555220002"},
    {"checkRule without a text", rule_broken, "555555555"},
    {"checkRule NULL", rule_null, "555555555"},
    {"checkRule with a number", rule_number, "555555555"},
    {"checkRule, long text", rule_long, "555223332"},
    {"checkRule, refusing", rule_refuses, "55522:::2"},
    {"deriveKey", derive, "555220002"},
    {"deriveKey, short salt", derive_no_salt, "555555555"},
    {"deriveKey, no passes", derive_no_pass, "555555555"},
    {"deriveKey, short key", derive_short_key, "555555555"},
    {"deriveKey, long pepper", derive_long_pepper, "555223332"},
    {"sealTyped", seal_it, "555220002"},
    {"sealTyped ECB", seal_ecb, "555555555"},
    {"sealTyped, short key", seal_short_key, "555221112"},
    {"sealTyped, no point", seal_no_point, "555221112"},
    {"sealTyped, long context", seal_long_context, "555223332"},
    {"sealTyped NULL", seal_null, "555555555"},
    {"destroy", destroy, "555000000"},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void check_cell(const struct row *row, enum state state) {
  CUSTOM_KEYBOARD_RV expected = (CUSTOM_KEYBOARD_RV)(row->codes[state] - '0');
  CUSTOM_KEYBOARD keyboard = keyboard_in(state);
  reset_out();
  CUSTOM_KEYBOARD_RV rv = row->call(keyboard);
  int right = CHECK_EQUAL(rv, expected);
  if (expected == CUSTOM_KEYBOARD_OK) {
    CustomKeyboard_destroy(keyboard);
  } else {
    struct view before = look_at(keyboard_in(state)), after = look_at(keyboard);
    right &= CHECK(space_is_untouched());
    right &= CHECK_EQUAL(out.length, expected == CUSTOM_KEYBOARD_SPACE ? 16 : 2222222);
    right &= CHECK(memcmp(&before, &after, sizeof before) == 0);
  }
  if (!right) fprintf(stderr, "  (%s, keyboard %s)\n", row->name, state_names[state]);
}

/* A key of a wrong length leaves the old one in place, and a good one replaces it: every algorithm, every length. */
static void refuse_wrong_keys(void) {
  for (int i = 0; i < ALGORITHM_COUNT; i++)
    for (size_t length = 0; length <= 64; length++) {
      const struct algorithm *a = &algorithms[i];
      uint8_t long_key[64] = {1, 2, 3}, before[16], text_after[16];
      size_t offset, text_length;
      CUSTOM_KEYBOARD k = keyboard_in(KEYED);
      int fits = length == a->key_length || (a->way == CUSTOM_ENCWAY_3DES && (length == 16 || length == 24));
      CHECK_EQUAL(SET(long_key, length, a->way), fits ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ERR);
      REQUIRE_OK(CustomKeyboard_open(k));
      CHECK_OK(CustomKeyboard_getText(k, text_after, sizeof text_after, &offset, &text_length));
      CustomKeyboard_destroy(k);
      k = keyboard_in(EMPTY);
      REQUIRE_OK(CustomKeyboard_getText(k, before, sizeof before, &offset, &text_length));
      CHECK((memcmp(before, text_after, sizeof before) == 0) == !fits);
      CustomKeyboard_destroy(k);
    }
}

int main(void) {
  CHECK_EQUAL(CustomKeyboard_create(NULL), CUSTOM_KEYBOARD_ARGUMENT);
  for (int i = 0; i < ROW_COUNT; i++)
    for (enum state state = 0; state < STATE_COUNT; state++) check_cell(&rows[i], state);
  refuse_wrong_keys();
  return check_end("contract", 2300);
}
