/*
 * The second look of walk.c: at the stack below a call. It is painted before the call and copied directly after it.
 *
 * The same calls are made several times with one set of secrets (key, password, generator) and then with another set of
 * the same lengths and at the same addresses. A byte that is the same each time with one set and differs between the
 * two sets is residue of a secret. The second set's generator is chosen so that the offsets in spaces, which are not
 * secret, are the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOK_STACK_H
#define LOOK_STACK_H

#include "capture.h"
#include "tested_calls.h"
#include "locked.h"
#include "shuffle.h"

/* Sets alternate, so that a value that only counts up (a handle's generation) does not seem to depend on the set. */
enum { WARM, A1, B1, A2, B2, A3, RUNS };
enum { CALLS = 600, LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE, PLANTED = 9000 };

/* ---- Secrets: two sets ------------------------------------------------------------------------------------------- */

static uint64_t set_seeds[2];
static uint8_t *generator;         /* its key, in locked memory */
static uint8_t *sealing_generator; /* that of the calls on sealed texts; their keys are drawn from it */

static void take_set(int set) {
  uint64_t seed = set_seeds[set];
  draw_password(&seed, w.password, sizeof w.password);
  for (size_t i = 0; i < sizeof w.password; i++) w.password[i] = (uint8_t)('a' + w.password[i] % 26);
  draw_bytes(&seed, w.key, sizeof w.key);
}

/* Gives the generator a key of this set. Its first draw of a number below `places` is then `place`. */
static void set_one_generator(uint8_t *key, int set, unsigned call, uint64_t places, uint64_t place) {
  uint64_t seed = set_seeds[set] ^ (uint64_t)(call + 1) * 0x1000003, budget = 1 << 20;
  struct stream stream;
  do {
    draw_bytes(&seed, key, RANDOM_KEY);
    begin_stream(&stream, key, 0);
  } while (places > 1 && uniform(&stream, places) != place);
  memcpy(key - GENERATOR_KEY + 8, &budget, sizeof budget);
}

static void set_generator(int set, unsigned call, uint64_t places, uint64_t place) {
  if (!generator) generator = generator_key();
  set_one_generator(generator, set, call, places, place);
  if (sealing_generator) set_one_generator(sealing_generator, set, call + 2 * CALLS, 0, 0);
}

/* ---- Images of the stack ----------------------------------------------------------------------------------------- */

static uint8_t (*images)[CALLS][STACK_IMAGE];
static int run;
static unsigned call_count;
static struct made {
  const struct call *call;
  int variant;
} calls[CALLS];

static struct depth {
  size_t touched, residue; /* bytes below the caller: the deepest change, and the deepest residue */
  unsigned calls, dirty_calls;
  char first[240]; /* describes the deepest of those */
} depths[MOST_FUNCTIONS];

static void prepare_call(unsigned draws, uint64_t places) {
  REQUIRE(call_count < CALLS);
  if (run > WARM) set_generator(run == B1 || run == B2, draws, places, 3);
  capture.paints = 1;
  capture.below = images[run][call_count];
}

/* The calls of the vault and of FIDO are not compared: what SQLite leaves follows the heap and random names, which seem
 * to depend on the sets now and then. Their stacks are searched for the secrets themselves, eight bytes at a time. */
static int is_searched(void) { return tested != &keyboard_calls; }

static size_t found_secrets;
static void find_secret(const char *kind, const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at + 8 <= length; at++)
    if (memmem(capture.below, STACK_IMAGE, bytes + at, 8)) {
      if (found_secrets++ == 0) fprintf(stderr, "  %s, from byte %zu on, is on the stack\n", kind, at);
    }
}

static void search(const char *name) {
  found_secrets = 0;
  for_each_secret(find_secret);
  if (!CHECK_EQUAL(found_secrets, 0)) fprintf(stderr, "  (%s)\n", name);
}

static void measure(struct depth *depth) {
  size_t at = 0;
  while (at < STACK_IMAGE && capture.below[at] == PAINT) at++;
  if (STACK_IMAGE - at > depth->touched) depth->touched = STACK_IMAGE - at;
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

/* Compares the images of a call; returns how many bytes depend on the secrets. */
static size_t compare(unsigned call, struct depth *depth, const char *label) {
  size_t residue = 0, deepest = 0, touched = 0, at = 0;
  while (at < STACK_IMAGE && images[A1][call][at] == PAINT && images[B1][call][at] == PAINT) at++;
  for (touched = STACK_IMAGE - at; at < STACK_IMAGE; at++) {
    uint8_t was = images[A1][call][at], is = images[B1][call][at];
    if (was == is || images[A2][call][at] != was || images[A3][call][at] != was || images[B2][call][at] != is) continue;
    if (residue++ == 0) deepest = STACK_IMAGE - at;
  }
  if (touched > depth->touched) depth->touched = touched;
  depth->calls++;
  depth->dirty_calls += residue > 0;
  if (deepest > depth->residue) {
    depth->residue = deepest;
    snprintf(depth->first, sizeof depth->first,
             "%s, %s, password of %zu bytes, stack at %u: %zu bytes, from %zu below on, %02x or %02x",
             w.algorithm->name, label, w.password_length, (unsigned)capture.shift, residue, deepest,
             images[A1][call][STACK_IMAGE - deepest], images[B1][call][STACK_IMAGE - deepest]);
  }
  return residue;
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void leave(const uint8_t *secret) {
  volatile uint8_t deep[PLANTED];
  for (int i = 0; i < PLANTED; i++) deep[i] = i < 8 ? secret[i] : 0; /* all, or clang's array is shorter */
  (void)deep;
}

/* Part of a key on the stack is found, with its depth; a part that is always the same is not residue. */
static void check_stack(void) {
  static const uint8_t same[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int is_same = 0; is_same <= 1; is_same++) {
    struct depth depth = {0};
    for (run = A1; run < RUNS; run++) {
      call_count = 0;
      take_set(run == B1 || run == B2);
      prepare_call(0, 0);
      CAPTURED(&capture, leave, POINTER(is_same ? same : w.key));
    }
    size_t residue = compare(0, &depth, "control");
    CHECK(is_same ? residue == 0 : residue >= 6);
    CHECK(depth.touched >= PLANTED && depth.touched < PLANTED + 300);
    /* The deepest byte of two keys may be the same. */
    CHECK(is_same ? depth.residue == 0 : depth.touched - depth.residue < 6);
  }
}

/* One of the secrets on the stack is found. */
static void check_search(void) {
  run = A1, call_count = 0;
  take_set(0);
  prepare_call(0, 0);
  CAPTURED(&capture, leave, POINTER(w.password));
  found_secrets = 0;
  for_each_secret(find_secret);
  CHECK(found_secrets > 0);
}

/* The generator has the key that it was given and continues from it, so the two sets really are what they should be. */
static void check_generator(void) {
  CUSTOM_KEYBOARD k;
  uint8_t next[RANDOM_KEY];
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_open(k));
  for (int set = 0; set < 2; set++) {
    set_generator(set, 7, 0, 0);
    next_key(generator_key(), next);
    REQUIRE_OK(CustomKeyboard_close(k));
    REQUIRE_OK(CustomKeyboard_open(k));
    CHECK_BYTES(generator_key(), next, RANDOM_KEY);
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* Whether the stack has room for all that was touched, too. */
static void report_stack(void) {
  size_t deepest = 0;
  for (size_t i = 0; i < function_count; i++) {
    printf("%-15s %6zu bytes deep\n", functions[i].name, depths[i].touched);
    if (!CHECK_EQUAL(depths[i].residue, 0))
      fprintf(stderr, "  (%s: %u of %u calls leave a secret; %s)\n", functions[i].name,
              depths[i].dirty_calls, depths[i].calls, depths[i].first);
    if (depths[i].touched > deepest) deepest = depths[i].touched;
  }
  CHECK(deepest < STACK_IMAGE); /* otherwise the image is too small */
}

#endif /* LOOK_STACK_H */
