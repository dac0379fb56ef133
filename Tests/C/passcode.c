/*
 * Passcodes: rules and comparison of keyboards. What each function refuses and in which order, the sixteen rules and
 * what keeps them, all rules on typed and received passcodes, and every pair of states. What each rule and pattern
 * means is tested in Swift.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "codes.h"
#include "fixture.h"
#include <pthread.h>
#include <unistd.h>

enum { MOST_RULES = 16, LONGEST_TEXT = 256, UNTOUCHED = 2222222, RULES = 14 };

static uint64_t seed;

static CUSTOM_KEYBOARD new_keyboard(void) {
  CUSTOM_KEYBOARD k;
  REQUIRE_OK(CustomKeyboard_create(&k));
  return k;
}

static CUSTOM_KEYBOARD_RV add(CUSTOM_KEYBOARD k, int rule, size_t number, const char *text) {
  return CustomKeyboard_addRule(k, (CUSTOM_KEYBOARD_RULE)rule, number, text ? bytes(text) : NULL,
                                text ? strlen(text) : 0);
}

/* Types a passcode, and checks it. Returns the index of the rule that refuses, or -1. */
static int broken(CUSTOM_KEYBOARD k, const char *passcode) {
  size_t index = UNTOUCHED;
  REQUIRE_OK(CustomKeyboard_clear(k));
  REQUIRE_OK(CustomKeyboard_input(k, bytes(passcode), strlen(passcode)));
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_check(k, &index);
  CHECK(rv == OK ? index == UNTOUCHED : rv == REFUSED && index < MOST_RULES);
  return rv == OK ? -1 : (int)index;
}

/* ---- Rules ------------------------------------------------------------------------------------------------------- */

/* Of each rule: whether it has a number and a text, one of each, and what it refuses and lets through. */
static const struct example {
  size_t number;
  const char *text, *refused, *allowed;
} examples[RULES] = {
    {4, NULL, "123", "1234"},         {4, NULL, "12345", "1234"},         {0, NULL, "12a4", "1234"},
    {0, NULL, "12-4", "12a4"},        {3, NULL, "1555", "1551"},          {3, NULL, "9123", "9124"},
    {0, NULL, "1212", "1213"},        {0, NULL, "1122", "1123"},          {0, "Bank", "myBANK1", "mybamk1"},
    {0, "1984-03-07", "0703", "0704"}, {4, "+49 30 1234567", "x0123", "x0124"}, {0, NULL, "1234", "8068"},
    {0, "^\\d+$", "12a", "123"},      {0, "(.)\\1", "a11b", "a1b1"},
};

static void check_each_rule(void) {
  CUSTOM_KEYBOARD k = holding("");
  for (int rule = 0; rule < RULES; rule++) {
    const struct example *e = &examples[rule];
    CHECK_OK(add(k, rule, e->number, e->text));
    CHECK_EQUAL(broken(k, e->refused), 0);
    CHECK_EQUAL(broken(k, e->allowed), -1);
    CHECK_OK(CustomKeyboard_clearRules(k));
    CHECK_EQUAL(broken(k, e->refused), -1);
    /* A number or text that it does not have, or has not. */
    CHECK_EQUAL(add(k, rule, e->number == 0 ? 1 : 129, e->text), ARGUMENT);
    CHECK_EQUAL(add(k, rule, e->number, e->text ? NULL : "1"), ARGUMENT);
    CHECK_EQUAL(add(k, rule, e->number, "\xff"), ARGUMENT);
    const char *message = CustomKeyboard_ruleMessage((CUSTOM_KEYBOARD_RULE)rule);
    CHECK(strlen(message) > 10 && message[strlen(message) - 1] == '.');
    for (int other = 0; other < rule; other++)
      CHECK(strcmp(message, CustomKeyboard_ruleMessage((CUSTOM_KEYBOARD_RULE)other)) != 0);
  }
  for (int rule = -2; rule < 300; rule++) {
    if (rule >= 0 && rule < RULES) continue;
    CHECK_EQUAL(add(k, rule, 0, NULL), ARGUMENT);
    CHECK(strlen(CustomKeyboard_ruleMessage((CUSTOM_KEYBOARD_RULE)rule)) > 10);
  }
  CHECK_EQUAL(broken(k, "1"), -1);
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* The edges of rules: where runs turn, what is odd, every writing of a date, a pattern that takes too many steps. */
static void check_edges_of_rules(void) {
  static const struct {
    int rule;
    size_t number;
    const char *text, *passcode;
    int is_refused;
  } cases[] = {
      {CUSTOM_KEYBOARD_RULE_RUN, 3, NULL, "2123", 1},     {CUSTOM_KEYBOARD_RULE_RUN, 3, NULL, "212", 0},
      {CUSTOM_KEYBOARD_RULE_PAIRS, 0, NULL, "12121", 0},  {CUSTOM_KEYBOARD_RULE_DOUBLES, 0, NULL, "11", 0},
      {CUSTOM_KEYBOARD_RULE_DOUBLES, 0, NULL, "1", 0},    {CUSTOM_KEYBOARD_RULE_DOUBLES, 0, NULL, "112233", 1},
      {CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", "1987", 1}, {CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", "0423", 1},
      {CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", "2304", 1}, {CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", "8704", 1},
      {CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", "0487", 1}, {CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", "2387", 0},
      {CUSTOM_KEYBOARD_RULE_MATCH, 0, "^(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 1},
      {CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, "^(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 1},
      {CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, "^(a|aa)+$", "aab", 0},
  };
  CUSTOM_KEYBOARD k = holding("");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    REQUIRE_OK(add(k, cases[i].rule, cases[i].number, cases[i].text));
    if (!CHECK_EQUAL(broken(k, cases[i].passcode), cases[i].is_refused ? 0 : -1))
      fprintf(stderr, "  (rule %d, %s)\n", cases[i].rule, cases[i].passcode);
    REQUIRE_OK(CustomKeyboard_clearRules(k));
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* How much memory is mapped, in pages. */
static long mapped(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  REQUIRE(file && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  return pages;
}

/* A keyboard that is destroyed takes the memory of its rules with it, and so does clearRules. */
static void check_memory_of_rules(void) {
  enum { KEYBOARDS = 500 };
  long before = 0;
  for (int i = 0; i < KEYBOARDS; i++) {
    CUSTOM_KEYBOARD k = new_keyboard();
    REQUIRE_OK(add(k, CUSTOM_KEYBOARD_RULE_DATE, 0, "1984-03-07"));
    if (i % 2) REQUIRE_OK(CustomKeyboard_clearRules(k));
    REQUIRE_OK(CustomKeyboard_destroy(k));
    if (i == KEYBOARDS / 2) before = mapped();
  }
  CHECK(mapped() < before + KEYBOARDS / 8);
}

static void check_arguments_of_rules(void) {
  static uint8_t text[LONGEST_TEXT + 1];
  CUSTOM_KEYBOARD k = holding("x");
  size_t index = UNTOUCHED;
  memset(text, 'x', sizeof text);
#define ADD(expected, ...) CHECK_EQUAL(CustomKeyboard_addRule(__VA_ARGS__), expected)
  ADD(ARGUMENT, 0, CUSTOM_KEYBOARD_RULE_DIGITS, 0, NULL, 0);
  ADD(ARGUMENT, k + 1, CUSTOM_KEYBOARD_RULE_DIGITS, 0, NULL, 0);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, NULL, 3);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, text, 0);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, last_bytes(), 100);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_TEXT, 1, text, sizeof text); /* before MAXLEN */
  ADD(MAXLEN, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, text, sizeof text);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, SIZE_MAX, NULL, 0);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_SAME, 1, NULL, 0);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_MATCH, 0, bytes("(a"), 2);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_DATE, 0, bytes("1984-13-01"), 10);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_PHONE, 5, bytes("12 34"), 5);
  CHECK_EQUAL(CustomKeyboard_check(k, NULL), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_check(0, &index), ARGUMENT);
  CHECK_OK(CustomKeyboard_check(k, &index)); /* none of these was added */
  for (int i = 0; i < MOST_RULES; i++) ADD(OK, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, text, LONGEST_TEXT);
  ADD(MAXLEN, k, CUSTOM_KEYBOARD_RULE_DIGITS, 0, NULL, 0);
  ADD(ARGUMENT, k, CUSTOM_KEYBOARD_RULE_DIGITS, 1, NULL, 0);
  CHECK_OK(CustomKeyboard_check(k, &index));
  CHECK_OK(CustomKeyboard_clearRules(k));
  CHECK_OK(CustomKeyboard_clearRules(k));
  CHECK_EQUAL(CustomKeyboard_clearRules(0), ARGUMENT);
  for (int i = 0; i < MOST_RULES; i++)
    ADD(OK, k, i == MOST_RULES - 1 ? CUSTOM_KEYBOARD_RULE_DIGITS : CUSTOM_KEYBOARD_RULE_MAX_LENGTH,
        i == MOST_RULES - 1 ? 0 : 128, NULL, 0);
  CHECK_EQUAL(CustomKeyboard_check(k, &index), REFUSED);
  CHECK_EQUAL(index, MOST_RULES - 1);
  /* The text is copied. */
  CHECK_OK(CustomKeyboard_clearRules(k));
  ADD(OK, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, text, 1);
  memset(text, 'y', sizeof text);
  CHECK_EQUAL(broken(k, "x"), 0);
  CHECK_EQUAL(broken(k, "y"), -1);
#undef ADD
  REQUIRE_OK(CustomKeyboard_destroy(k));
  CHECK_EQUAL(CustomKeyboard_clearRules(k), ARGUMENT);
}

/* Rules live in every state, until clearRules or destroy; check works only while the keyboard is up. */
static void check_states_of_rules(void) {
  CUSTOM_KEYBOARD k = new_keyboard();
  size_t index = UNTOUCHED;
  CHECK_OK(add(k, CUSTOM_KEYBOARD_RULE_DIGITS, 0, NULL));
  CHECK_EQUAL(CustomKeyboard_check(k, &index), OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_check(k, NULL), ARGUMENT);
  for (int round = 0; round < 3; round++) {
    REQUIRE_OK(CustomKeyboard_open(k));
    CHECK_EQUAL(broken(k, "12x"), 0);
    CHECK_EQUAL(broken(k, ""), -1);
    CHECK_OK(add(k, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 1, NULL));
    CHECK_EQUAL(broken(k, ""), 1);
    REQUIRE_OK(CustomKeyboard_close(k));
    CHECK_OK(CustomKeyboard_clearRules(k));
    CHECK_OK(add(k, CUSTOM_KEYBOARD_RULE_DIGITS, 0, NULL));
  }
  /* A received passcode is checked as a typed one. */
  static const uint8_t key[16] = {1, 2, 3};
  uint8_t text[144];
  size_t offset, length;
  CUSTOM_KEYBOARD sender = typed(CUSTOM_ENCWAY_SM4, key, 16, bytes("12x4"), 4);
  REQUIRE_OK(CustomKeyboard_getText(sender, text, 16, &offset, &length));
  CHECK_OK(CustomKeyboard_receive(k, CUSTOM_ENCWAY_SM4, key, 16, NULL, 0, text, length));
  CHECK_EQUAL(CustomKeyboard_check(k, &index), REFUSED);
  CHECK_EQUAL(index, 0);
  CHECK_OK(CustomKeyboard_compare(k, sender));
  REQUIRE_OK(CustomKeyboard_destroy(sender));
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

static void check_patterns(void) {
  static uint8_t pattern[LONGEST_TEXT + 1];
  size_t position = UNTOUCHED;
  memset(pattern, 'a', sizeof pattern);
#define PATTERN(expected, ...) CHECK_EQUAL(CustomKeyboard_checkPattern(__VA_ARGS__), expected)
  PATTERN(OK, bytes("^(?:a|b){2,3}\\1?$") + 1, 0, &position);
  PATTERN(OK, bytes("(a|b){2,3}\\1?$"), 14, &position);
  PATTERN(OK, NULL, 0, &position);
  PATTERN(OK, pattern, LONGEST_TEXT, &position);
  CHECK_EQUAL(position, UNTOUCHED);
  PATTERN(ARGUMENT, NULL, 1, &position);
  PATTERN(ARGUMENT, pattern, 1, NULL);
  PATTERN(ARGUMENT, last_bytes(), 100, &position);
  PATTERN(MAXLEN, pattern, LONGEST_TEXT + 1, &position);
  PATTERN(MAXLEN, pattern, SIZE_MAX / 4, &position);
  CHECK_EQUAL(position, UNTOUCHED);
  PATTERN(ARGUMENT, bytes("ab(c"), 4, &position);
  CHECK_EQUAL(position, 2);
  PATTERN(ARGUMENT, bytes("abc\\b"), 5, &position);
  CHECK_EQUAL(position, 3);
#undef PATTERN
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

static void check_comparison(void) {
  CUSTOM_KEYBOARD idle = new_keyboard();
  for (size_t length = 0; length <= 128; length += length < 20 ? 1 : 36) {
    char passcode[129] = "", changed[129];
    draw_password(&seed, (uint8_t *)passcode, length);
    CUSTOM_KEYBOARD one = holding(passcode), same = holding(passcode);
    CHECK_OK(CustomKeyboard_compare(one, same));
    CHECK_OK(CustomKeyboard_compare(same, one));
    CHECK_OK(CustomKeyboard_compare(one, one));
    for (size_t place = 0; place < length; place++) {
      memcpy(changed, passcode, sizeof changed);
      changed[place] = changed[place] == 'x' ? 'y' : 'x';
      CUSTOM_KEYBOARD other = holding(changed);
      CHECK_EQUAL(CustomKeyboard_compare(one, other), MISMATCH);
      CHECK_EQUAL(CustomKeyboard_compare(other, one), MISMATCH);
      REQUIRE_OK(CustomKeyboard_destroy(other));
    }
    if (length > 0) {
      memcpy(changed, passcode, sizeof changed);
      changed[length - 1] = 0;
      CUSTOM_KEYBOARD shorter = holding(changed);
      CHECK_EQUAL(CustomKeyboard_compare(one, shorter), MISMATCH);
      REQUIRE_OK(CustomKeyboard_destroy(shorter));
    }
    CHECK_EQUAL(CustomKeyboard_compare(one, idle), OP_DISABLE);
    CHECK_EQUAL(CustomKeyboard_compare(idle, one), OP_DISABLE);
    CHECK_EQUAL(CustomKeyboard_compare(idle, idle), OP_DISABLE);
    CHECK_EQUAL(CustomKeyboard_compare(one, 0), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_compare(0, one), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_compare(idle, 0), ARGUMENT);
    REQUIRE_OK(CustomKeyboard_destroy(same));
    CHECK_EQUAL(CustomKeyboard_compare(one, same), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_compare(idle, same), ARGUMENT);
    REQUIRE_OK(CustomKeyboard_destroy(one));
  }
  REQUIRE_OK(CustomKeyboard_destroy(idle));
}

/* Two threads that compare the same keyboards in opposite orders do not wait for each other for ever. */
static CUSTOM_KEYBOARD pair[2];
static void *compare_backwards(void *unused) {
  for (int i = 0; i < 200000 / LESS; i++) REQUIRE_OK(CustomKeyboard_compare(pair[1], pair[0]));
  return unused;
}
static void compare_both_ways(void) {
  pthread_t thread;
  alarm(LONGEST_CHILD); /* ends the program if they wait for each other */
  pair[0] = holding("123456");
  pair[1] = holding("123456");
  REQUIRE(pthread_create(&thread, NULL, compare_backwards, NULL) == 0);
  for (int i = 0; i < 200000 / LESS; i++) REQUIRE_OK(CustomKeyboard_compare(pair[0], pair[1]));
  REQUIRE(pthread_join(thread, NULL) == 0);
  CHECK_OK(CustomKeyboard_compare(pair[0], pair[1]));
  for (int i = 0; i < 2; i++) REQUIRE_OK(CustomKeyboard_destroy(pair[i]));
  alarm(0);
}

int main(void) {
  seed = take_seed();
  check_each_rule();
  check_edges_of_rules();
  check_memory_of_rules();
  check_arguments_of_rules();
  check_states_of_rules();
  check_patterns();
  check_comparison();
  compare_both_ways();
  return check_end("passcode", 2100);
}
