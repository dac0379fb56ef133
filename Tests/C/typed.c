/*
 * What is done with what is typed, and kept nowhere: one rule (checkRule), and a sealed text for another recipient
 * (sealTyped). The keyboard, its rules, its key and its context are afterwards as they were.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "sealed.h"

enum { RULES = 14, MOST_RULES = 16, LONGEST_TEXT = 256, ROUNDS = 4000 / LESS };

static uint64_t seed;

static void retype(CUSTOM_KEYBOARD k, const char *passcode) {
  REQUIRE_OK(CustomKeyboard_clear(k));
  REQUIRE_OK(CustomKeyboard_input(k, bytes(passcode), strlen(passcode)));
}

/* ---- checkRule --------------------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD_RV check_rule(CUSTOM_KEYBOARD k, int rule, size_t number, const char *text) {
  return CustomKeyboard_checkRule(k, (CUSTOM_KEYBOARD_RULE)rule, number, text ? bytes(text) : NULL,
                                  text ? strlen(text) : 0);
}

static const char *const passcodes[] = {"",     "1234",   "123456", "112233", "121212", "070384", "aaaa",
                                        "myBank7", "19840307", "x01234", "483725", "\xed\x95\x9c\xea\xb8\x80", "a-b"};
static const char *const texts[] = {NULL, "Bank", "1984-03-07", "+49 30 1234567", "^\\d+$", "(.)\\1",
                                    "(a", "1984-13-07", "\xff", ""};

/* The same verdict as of a keyboard that has this rule only, for rules that do not exist, too. */
static void compare_with_added_rules(void) {
  CUSTOM_KEYBOARD one = holding(""), other = holding("");
  unsigned long verdicts[3] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    const char *passcode = passcodes[draw(&seed) % (sizeof passcodes / sizeof *passcodes)];
    const char *text = texts[draw(&seed) % (sizeof texts / sizeof *texts)];
    int rule = (int)(draw(&seed) % (RULES + 1)), has_text = rule >= 8 && rule != 11;
    int has_number = rule <= 1 || rule == 4 || rule == 5 || rule == 10;
    size_t number = has_number ? 1 + draw(&seed) % 9 : 0, index;
    /* Mostly a rule as it should be. */
    if (!has_text && draw(&seed) % 8) text = NULL;
    if (draw(&seed) % 16 == 0) number = draw(&seed) % 9;
    retype(one, passcode);
    retype(other, passcode);
    CUSTOM_KEYBOARD_RV expected = CustomKeyboard_addRule(other, (CUSTOM_KEYBOARD_RULE)rule, number,
                                                         text ? bytes(text) : NULL, text ? strlen(text) : 0);
    if (expected == OK) expected = CustomKeyboard_check(other, &index);
    REQUIRE_OK(CustomKeyboard_clearRules(other));
    if (!CHECK_EQUAL(check_rule(one, rule, number, text), expected))
      fprintf(stderr, "  (rule %d, %zu, %s, passcode %s)\n", rule, number, text ? text : "NULL", passcode);
    verdicts[expected == OK ? 0 : expected == REFUSED ? 1 : 2]++;
  }
  /* All three came often enough. */
  for (int i = 0; i < 3; i++) CHECK(verdicts[i] > ROUNDS / 20);
  REQUIRE_OK(CustomKeyboard_destroy(one));
  REQUIRE_OK(CustomKeyboard_destroy(other));
}

/* The rules that were added are neither looked at nor changed, and sixteen of them leave room for this one. */
static void keep_added_rules(void) {
  CUSTOM_KEYBOARD k = holding("4837");
  size_t index = 99;
  for (int i = 0; i < MOST_RULES; i++)
    REQUIRE_OK(CustomKeyboard_addRule(k, i == 9 ? CUSTOM_KEYBOARD_RULE_MIN_LENGTH : CUSTOM_KEYBOARD_RULE_DIGITS,
                                      i == 9 ? 5 : 0, NULL, 0));
  CHECK_OK(check_rule(k, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 4, NULL));
  CHECK_EQUAL(check_rule(k, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 5, NULL), REFUSED);
  CHECK_EQUAL(check_rule(k, CUSTOM_KEYBOARD_RULE_TEXT, 0, "37"), REFUSED);
  CHECK_EQUAL(CustomKeyboard_check(k, &index), REFUSED);
  CHECK_EQUAL(index, 9);
  retype(k, "48372");
  CHECK_OK(CustomKeyboard_check(k, &index));
  CHECK_OK(CustomKeyboard_clearRules(k));
  CHECK_EQUAL(check_rule(k, CUSTOM_KEYBOARD_RULE_TEXT, 0, "37"), REFUSED);
  CHECK_OK(CustomKeyboard_check(k, &index));
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* ARGUMENT, OP_DISABLE, MAXLEN, REFUSED: in this order. */
static void order_codes_of_rules(void) {
  static uint8_t longer[LONGEST_TEXT + 2];
  CUSTOM_KEYBOARD up = holding("aaaa"), idle = new_keyboard(), dead = holding("1");
  REQUIRE_OK(CustomKeyboard_destroy(dead));
  memset(longer, 'a', sizeof longer);
#define RULE(expected, ...) CHECK_EQUAL(CustomKeyboard_checkRule(__VA_ARGS__), expected)
  const CUSTOM_KEYBOARD_RULE text = CUSTOM_KEYBOARD_RULE_TEXT, match = CUSTOM_KEYBOARD_RULE_MATCH;
  for (size_t length = 1; length <= sizeof longer; length++) {
    int is_long = length > LONGEST_TEXT;
    RULE(is_long ? MAXLEN : length <= 4 ? REFUSED : OK, up, text, 0, longer, length);
    RULE(OP_DISABLE, idle, text, 0, longer, length);
    RULE(ARGUMENT, dead, text, 0, longer, length);
    RULE(ARGUMENT, idle, text, 1, longer, length);
    RULE(ARGUMENT, up, text, 1, longer, length);
  }
  CUSTOM_KEYBOARD all[] = {up, idle, dead, 0};
  for (int i = 0; i < 4; i++) {
    CUSTOM_KEYBOARD k = all[i];
    RULE(ARGUMENT, k, (CUSTOM_KEYBOARD_RULE)RULES, 0, NULL, 0);
    RULE(ARGUMENT, k, (CUSTOM_KEYBOARD_RULE)-1, 0, NULL, 0);
    RULE(ARGUMENT, k, (CUSTOM_KEYBOARD_RULE)264, 0, bytes("a"), 1);
    RULE(ARGUMENT, k, text, 0, NULL, 3);
    RULE(ARGUMENT, k, text, 0, NULL, 0);
    RULE(ARGUMENT, k, text, 0, last_bytes(), 100);
    RULE(ARGUMENT, k, text, 0, bytes("a\xff"), 2);
    RULE(ARGUMENT, k, match, 0, bytes("(a"), 2);
    RULE(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 129, NULL, 0);
    RULE(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_SAME, 1, NULL, 0);
    RULE(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_DATE, 0, bytes("1984-13-07"), 10);
    RULE(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_PHONE, 4, bytes("123"), 3);
    RULE(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_DIGITS, SIZE_MAX, NULL, 0);
  }
  RULE(OP_DISABLE, idle, CUSTOM_KEYBOARD_RULE_COMMON, 0, NULL, 0);
#undef RULE
  REQUIRE_OK(CustomKeyboard_destroy(up));
  REQUIRE_OK(CustomKeyboard_destroy(idle));
}

/* ---- sealTyped --------------------------------------------------------------------------------------------------- */

/* What sealTyped is given. A test changes one part of it. */
struct sealing_request {
  CUSTOM_ENCWAY way;
  const uint8_t *key;
  size_t key_length;
  const uint8_t *context;
  size_t context_length;
};

static CUSTOM_KEYBOARD_RV seal_typed(CUSTOM_KEYBOARD k, const struct sealing_request *r, uint8_t *space, size_t size,
                                     size_t *offset, size_t *length) {
  return CustomKeyboard_sealTyped(k, r->way, r->key, r->key_length, r->context, r->context_length, space, size, offset,
                                  length);
}

static struct sealing_request request(const struct pair *pair, const struct bytes *context) {
  return (struct sealing_request){pair->sealing->way, pair->public, pair->sealing->public_length, context->at,
                                  context->length};
}

/* Opens what sealTyped has made. */
static void check_text(const struct pair *pair, const struct bytes *context, const uint8_t *text,
                       const struct bytes *password) {
  size_t offset, length;
  struct opening o = opening(pair, context, text);
  uint8_t clear[CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE + 8];
  CHECK_OK(unseal_into(&o, clear, sizeof clear, &offset, &length));
  if (CHECK_EQUAL(length, password->length)) CHECK_BYTES(clear + offset, password->at, length);
}

/* Beside a key of every kind that was set, or none; in spaces of every size; with every length of context. */
static void seal_for_another(const struct sealed_way *sealing) {
  struct pair pair = new_pair(sealing), set = new_pair(&sealed_ways[1]);
  for (int kind = 0; kind < 3; kind++)
    for (size_t context_length = 0; context_length <= LONGEST_CONTEXT; context_length += 32 * sealing->step) {
      struct bytes context = drawn(&seed, context_length), own = drawn(&seed, kind == 2 ? 40 : 0);
      struct bytes password = drawn_password(&seed, draw(&seed) % (LONGEST_PASSWORD + 1));
      struct sealing_request r = request(&pair, &context);
      uint8_t text[2][LONGEST_SEALED], before[LONGEST_PASSWORD + 16], after[sizeof before], sealed[LONGEST_SEALED];
      size_t offset, length, ecb = padded(password.length, 16);
      static const uint8_t key[] = "8907654329807654";
      CUSTOM_KEYBOARD k = new_keyboard();
      if (kind == 1) REQUIRE_OK(CustomKeyboard_setEncKey(k, key, 16, CUSTOM_ENCWAY_SM4));
      if (kind == 2) REQUIRE_OK(CustomKeyboard_setEncKey(k, set.public, 32, CUSTOM_ENCWAY_X25519));
      if (kind == 2) REQUIRE_OK(CustomKeyboard_setContext(k, own.at, own.length));
      REQUIRE_OK(CustomKeyboard_open(k));
      REQUIRE_OK(CustomKeyboard_input(k, password.at, password.length));
      if (kind == 1) REQUIRE_OK(CustomKeyboard_getText(k, before, ecb, &offset, &length));
      for (int i = 0; i < 2; i++) {
        CHECK_OK(seal_typed(k, &r, text[i], sealing->text_length, &offset, &length));
        CHECK(offset == 0 && length == sealing->text_length);
        check_text(&pair, &context, text[i], &password);
      }
      CHECK(memcmp(text[0], text[1], sealing->text_length) != 0);
      prepare_space();
      CHECK_OK(seal_typed(k, &r, sealed_space, sizeof sealed_space, &offset, &length));
      CHECK(length == sealing->text_length && offset <= sizeof sealed_space - length);
      check_text(&pair, &context, sealed_space + offset, &password);
      CHECK(memcmp(sealed_space, sealed_before, offset < 16 ? 16 : offset) != 0);
      for (size_t size = 0; size < sealing->text_length; size += 1 + size / 2) {
        prepare_space();
        offset = UNTOUCHED_OFFSET;
        CHECK_EQUAL(seal_typed(k, &r, size ? sealed_space : NULL, size, &offset, &length), SPACE);
        CHECK(length == sealing->text_length && offset == UNTOUCHED_OFFSET && is_space_untouched());
      }
      /* The key and the context that were set. */
      if (kind == 0) CHECK_EQUAL(CustomKeyboard_getText(k, after, sizeof after, &offset, &length), ERR);
      if (kind == 1) CHECK_OK(CustomKeyboard_getText(k, after, ecb, &offset, &length));
      if (kind == 1) CHECK_BYTES(after, before, ecb);
      if (kind == 2) CHECK_OK(CustomKeyboard_getText(k, sealed, set.sealing->text_length, &offset, &length));
      if (kind == 2) check_text(&set, &own, sealed, &password);
      REQUIRE_OK(CustomKeyboard_destroy(k));
    }
}

static CUSTOM_KEYBOARD all_states[3];

/* The first two are live: up and idle. The third is dead. */
static void make_states(const struct bytes *password) {
  all_states[1] = new_keyboard();
  all_states[0] = new_keyboard();
  all_states[2] = new_keyboard();
  REQUIRE_OK(CustomKeyboard_open(all_states[0]));
  REQUIRE_OK(CustomKeyboard_input(all_states[0], password->at, password->length));
  REQUIRE_OK(CustomKeyboard_destroy(all_states[2]));
}

/* Whether a bad request gets the code in the state that is up, and OP_DISABLE or ARGUMENT before it in the others. */
static void refused_everywhere(const struct sealing_request *r, CUSTOM_KEYBOARD_RV code) {
  for (int state = 0; state < 3; state++) {
    size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
    CUSTOM_KEYBOARD_RV expected = code == ARGUMENT || state == 2 ? ARGUMENT : state == 1 ? OP_DISABLE : code;
    prepare_space();
    CHECK_EQUAL(seal_typed(all_states[state], r, sealed_space, sizeof sealed_space, &offset, &length), expected);
    CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
    /* Before SPACE. */
    CHECK_EQUAL(seal_typed(all_states[state], r, NULL, 0, &offset, &length), expected);
    CHECK(offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
  }
}

static void refuse_sealing(const struct sealed_way *sealing) {
  static uint8_t longer[LONGEST_PUBLIC + 300];
  static const CUSTOM_ENCWAY ways[] = {CUSTOM_ENCWAY_DES, CUSTOM_ENCWAY_3DES, CUSTOM_ENCWAY_SM4, CUSTOM_ENCWAY_PIN0,
                                       CUSTOM_ENCWAY_PIN1, CUSTOM_ENCWAY_PIN3, CUSTOM_ENCWAY_PIN4, (CUSTOM_ENCWAY)13,
                                       (CUSTOM_ENCWAY)99, (CUSTOM_ENCWAY)-1, (CUSTOM_ENCWAY)260};
  struct pair pair = new_pair(sealing);
  struct bytes context = drawn(&seed, 20), password = drawn_password(&seed, 30), long_context = drawn(&seed, 256);
  const struct sealing_request good = request(&pair, &context);
  struct sealing_request r;
  make_states(&password);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    r = good, r.way = ways[i];
    refused_everywhere(&r, ARGUMENT);
  }
  const uint8_t *nowhere[] = {NULL, last_bytes()};
  for (int i = 0; i < 2; i++) {
    r = good, r.key = nowhere[i];
    refused_everywhere(&r, ARGUMENT);
    r = good, r.context = nowhere[i];
    refused_everywhere(&r, ARGUMENT);
  }
  r = good, r.key = nothing, r.key_length = SIZE_MAX / 2;
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH, *none = NULL;
  prepare_space();
  CHECK_EQUAL(seal_typed(all_states[0], &good, sealed_space, SIZE_MAX, &offset, &length), ARGUMENT);
  CHECK_EQUAL(seal_typed(all_states[0], &good, last_bytes(), 400, &offset, &length), ARGUMENT);
  CHECK_EQUAL(seal_typed(all_states[0], &good, NULL, 1, &offset, &length), ARGUMENT);
  CHECK_EQUAL(seal_typed(all_states[0], &good, sealed_space, sizeof sealed_space, none, &length), ARGUMENT);
  CHECK_EQUAL(seal_typed(all_states[0], &good, sealed_space, sizeof sealed_space, &offset, none), ARGUMENT);
  CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);

  /* MAXLEN comes before ERR. */
  r = good, r.context = longer, r.context_length = LONGEST_CONTEXT + 1;
  refused_everywhere(&r, MAXLEN);
  r.key_length--;
  refused_everywhere(&r, MAXLEN);
  r = good, r.context = long_context.at, r.context_length = 256, r.key_length--;
  refused_everywhere(&r, ERR);
  memcpy(longer, pair.public, sealing->public_length);
  r = good, r.key = longer;
  for (r.key_length = 0; r.key_length <= sizeof longer; r.key_length += sealing->step)
    if (r.key_length != sealing->public_length) refused_everywhere(&r, ERR);
  r.key = NULL, r.key_length = 0;
  refused_everywhere(&r, ERR);
  if (sealing->way != CUSTOM_ENCWAY_SM4_GCM) {
    r = good, r.key = longer;
    memset(longer, 0, sealing->public_length);
    refused_everywhere(&r, ERR);
    memset(longer, 0xff, sealing->public_length);
    refused_everywhere(&r, ERR);
  }
  REQUIRE_OK(CustomKeyboard_destroy(all_states[0]));
  REQUIRE_OK(CustomKeyboard_destroy(all_states[1]));
}

/* One shared byte of the space and an argument is an overlap; adjacent buffers do not overlap. */
static void refuse_overlaps(const struct sealed_way *sealing) {
  static union {
    uint8_t bytes[4096];
    size_t places[512];
  } around;
  static uint8_t before[sizeof around];
  struct pair pair = new_pair(sealing);
  struct bytes context = drawn(&seed, 24), password = drawn_password(&seed, 20);
  const struct sealing_request good = request(&pair, &context);
  size_t size = sealing->text_length + 3, at = 1500, elsewhere;
  CUSTOM_KEYBOARD k = new_keyboard();
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, password.at, password.length));
  for (int is_context = 0; is_context <= 1; is_context++) {
    size_t given = is_context ? good.context_length : good.key_length;
    for (size_t start = at - size - 2; start <= at + given + 2; start += sealing->step > 1 && start > at ? 5 : 1) {
      int overlaps = start < at + given && at < start + size;
      struct sealing_request r = good;
      *(is_context ? &r.context : &r.key) = around.bytes + at;
      memset(&around, 0x5a, sizeof around);
      memcpy(around.bytes + at, is_context ? good.context : good.key, given);
      memcpy(before, &around, sizeof before);
      size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
      CHECK_EQUAL(seal_typed(k, &r, around.bytes + start, size, &offset, &length), overlaps ? ARGUMENT : OK);
      CHECK((memcmp(&around, before, sizeof before) == 0) == overlaps && (offset == UNTOUCHED_OFFSET) == overlaps);
      CHECK_BYTES(around.bytes + at, before + at, given);
      if (!overlaps) check_text(&pair, &context, around.bytes + start + offset, &password);
    }
  }
  for (size_t place = 0; place < 512; place += sealing->step)
    for (int is_length = 0; is_length <= 1; is_length++) {
      int overlaps = 8 * place < at + size && at < 8 * place + sizeof(size_t);
      size_t *inside = &around.places[place];
      CHECK_EQUAL(seal_typed(k, &good, around.bytes + at, size, is_length ? &elsewhere : inside,
                             is_length ? inside : &elsewhere),
                  overlaps ? ARGUMENT : OK);
    }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

int main(void) {
  seed = take_seed();
  compare_with_added_rules();
  keep_added_rules();
  order_codes_of_rules();
  for (int i = 0; i < SEALED_WAYS; i++) {
    seal_for_another(&sealed_ways[i]);
    refuse_sealing(&sealed_ways[i]);
    refuse_overlaps(&sealed_ways[i]);
  }
  return check_end("typed", 25000);
}
