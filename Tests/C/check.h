/*
 * Checks for the C tests. A failed check prints its place, what was expected and what it got. A program ends with one
 * line. It also fails if it made fewer checks than expected: a test that did not run proves nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CHECK_H
#define CHECK_H

#include <custom_keyboard.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_ulong check_count, check_failures;

/* Divides the number of repetitions, for tools that make a program fifty times slower (-DLESS=20). Checks that need
 * large numbers are then left out. */
#ifndef LESS
#define LESS 1
#endif

/* Seconds after which a program, and a process that it started, is killed, and so fails: it hangs. On a busy machine
 * they take twenty times as long as on an idle one, and must not come near that. */
enum { LONGEST_WAIT = 600, LONGEST_CHILD = 120 };

enum { CHECK_SHOWN = 25 }; /* so many failures are printed; further ones are only counted */

/* Counts a check. Returns whether it failed and must be printed. */
static inline int check_failed(int passed) {
  atomic_fetch_add(&check_count, 1);
  return !passed && atomic_fetch_add(&check_failures, 1) < CHECK_SHOWN;
}

static inline int check_equal(const char *file, int line, const char *what, long long got, long long expected) {
  if (check_failed(got == expected))
    fprintf(stderr, "%s:%d: %s: expected %lld, got %lld\n", file, line, what, expected, got);
  return got == expected;
}

static inline int check_true(const char *file, int line, const char *what, int passed) {
  if (check_failed(passed)) fprintf(stderr, "%s:%d: expected %s, got the opposite\n", file, line, what);
  return passed;
}

static inline void check_print_hex(const char *label, const uint8_t *bytes, size_t length) {
  fprintf(stderr, "  %-8s ", label);
  for (size_t i = 0; i < length; i++) fprintf(stderr, "%02x", bytes[i]);
  fputc('\n', stderr);
}

static inline int check_bytes(const char *file, int line, const char *what, const void *got, const void *expected,
                              size_t length) {
  int passed = length == 0 || memcmp(got, expected, length) == 0;
  if (check_failed(passed)) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    check_print_hex("expected", expected, length);
    check_print_hex("got", got, length);
  }
  return passed;
}

/* Each is true if the check passed, so that a test can stop when it makes no sense to continue. */
#define CHECK(condition) check_true(__FILE__, __LINE__, #condition, !!(condition))
#define CHECK_EQUAL(got, expected) check_equal(__FILE__, __LINE__, #got, (long long)(got), (long long)(expected))
#define CHECK_BYTES(got, expected, length) check_bytes(__FILE__, __LINE__, #got, (got), (expected), (length))
#define CHECK_OK(call) CHECK_EQUAL(call, CUSTOM_KEYBOARD_OK)

/* Ends the test if a precondition fails that is not itself being tested. */
#define REQUIRE(condition)                                                              \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: this must hold: %s\n", __FILE__, __LINE__, #condition); \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

#define REQUIRE_OK(call) REQUIRE((call) == CUSTOM_KEYBOARD_OK)

/* The last line of a program, and its exit status. */
static inline int check_end(const char *name, unsigned long least) {
  least /= LESS;
  unsigned long count = atomic_load(&check_count), failures = atomic_load(&check_failures);
  if (count < least) fprintf(stderr, "%s: expected at least %lu checks, got %lu\n", name, least, count);
  if (failures > 0) fprintf(stderr, "%s: %lu of %lu checks failed\n", name, failures, count);
  printf("%s: %lu checks\n", name, count);
  return failures > 0 || count < least ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif /* CHECK_H */
