/*
 * The method of ctgrind: valgrind treats what is hidden as undefined, and reports every branch and every address that
 * depends on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HIDDEN_H
#define HIDDEN_H

#include <custom_keyboard.h>
#include <stdio.h>
#include <valgrind/memcheck.h>

static int failures, checks;

static void hide(void *memory, size_t size) { VALGRIND_MAKE_MEM_UNDEFINED(memory, size); }
static void show(void *memory, size_t size) { VALGRIND_MAKE_MEM_DEFINED(memory, size); }

/* How many errors valgrind has reported since the last call. */
static unsigned long new_errors(void) {
  static unsigned long before;
  unsigned long now = VALGRIND_COUNT_ERRORS, errors = now - before;
  before = now;
  return errors;
}

static void check(const char *what, int passed, unsigned long number) {
  checks++;
  if (passed) return;
  failures++;
  printf("%s: %lu\n", what, number);
}

/* Valgrind must have reported exactly this many errors since the last time, or any number except 0. */
static void expect(const char *what, unsigned long errors) {
  unsigned long got = new_errors();
  check(what, got == errors, got);
}
static void expect_some(const char *what) {
  unsigned long got = new_errors();
  check(what, got > 0, got);
}

/* Checks that the measured call did its work. */
static void answers(CUSTOM_KEYBOARD_RV rv, CUSTOM_KEYBOARD_RV expected) {
  check("a code", rv == expected, (unsigned long)rv);
}
#define OK(call) answers(call, CUSTOM_KEYBOARD_OK)

#endif
