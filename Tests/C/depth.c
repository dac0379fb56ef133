/*
 * How deep every function of the header uses the stack, and what it leaves there: nothing that depends on a secret. On
 * the stacks for secrets it leaves nothing at all.
 *
 * The stack below is painted before each call and copied directly after it. The same calls are made several times with
 * one set of secrets (key, password, generator) and then with another set of the same lengths and at the same
 * addresses. A byte that is the same each time with one set and differs between the two sets is residue of a secret.
 * All of this runs with the stack pointer at each possible distance from a multiple of 64.
 *
 * The second set's generator is chosen so that the offsets in spaces, which are not secret, are the same.
 *
 * With -DVAULT_CALLS or -DFIDO_CALLS, the stacks below the calls of those headers are searched for the secrets
 * themselves.
 *
 *     depth header [name [n]]    the path of custom_keyboard.h; the name to print; one of n lengths and distances
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
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

static struct capture capture;
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

/* What a call needs is drawn too, so it is the same each time with one set. */
static void make_call(const struct call *call, int variant) {
  prepare_call(2 * call_count, 0);
  call->prepare();
  prepare_call(2 * call_count + 1, w.places);
  uint64_t answer = CAPTURED(&capture, call->run, 0);
  if (!CHECK_EQUAL(left_on_stacks(), 0))
    fprintf(stderr, "  (%s: on the stack for secrets)\n", call_name(call, variant));
  if (is_searched()) search(call_name(call, variant));
  if (is_searched()) measure(&depths[find_function(call->function, strlen(call->function)) - functions]);
  calls[call_count++] = (struct made){call, variant};
  check_call(call, variant, answer);
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

static void use_all(int with_slow_ones) {
  for (run = WARM; run < (is_searched() ? B1 : RUNS); run++) {
    call_count = 0;
    take_set(run == B1 || run == B2);
    walk_calls(tested, with_slow_ones, make_call);
    if (run == WARM && !is_searched()) sealing_generator = generator_key_of(SEALED_WORKSPACE);
    find_locked(); /* the stacks for secrets, too */
    REQUIRE(stack_count > 0);
  }
  for (unsigned i = 0; i < call_count && !is_searched(); i++) {
    const struct made *made = &calls[i];
    const char *function = made->call->function;
    compare(i, &depths[find_function(function, strlen(function)) - functions], call_name(made->call, made->variant));
  }
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void leave(const uint8_t *secret) {
  volatile uint8_t deep[PLANTED];
  for (int i = 0; i < PLANTED; i++) deep[i] = i < 8 ? secret[i] : 0; /* all, or clang's array is shorter */
  (void)deep;
}

/* Part of a key on the stack is found, with its depth; a part that is always the same is not residue. */
static void check_controls(void) {
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

int main(int argument_count, char **arguments) {
  static const size_t lengths[] = {9, 50, LONGEST - 1, LONGEST};
  REQUIRE(argument_count >= 2);
  check_complete(tested, arguments[1]);
  int every = argument_count > 3 ? atoi(arguments[3]) : 1;
  REQUIRE(every >= 1);
  uint64_t seed = take_seed();
  images = calloc(RUNS, sizeof *images);
  REQUIRE(images);
  check_generator();
  for (int i = 0; i < ALGORITHM_COUNT; i++)
    for (int j = 0; j < 16; j += every) {
      w.algorithm = &algorithms[i];
      w.layout = j % 2 ? CUSTOM_KEYBOARD_LAYOUT_MIXED : CUSTOM_KEYBOARD_LAYOUT_LETTERS;
      w.password_length = lengths[j % 4];
      w.is_exact = 1;
      capture.shift = 16 * (uint64_t)(j / 4);
      set_seeds[0] = draw(&seed);
      set_seeds[1] = draw(&seed);
      use_all(j == 0);
    }
  if (is_searched()) check_search();
  else check_controls();
  size_t deepest = 0;
  for (size_t i = 0; i < function_count; i++) {
    printf("%-15s %6zu bytes deep\n", functions[i].name, depths[i].touched);
    if (!CHECK_EQUAL(depths[i].residue, 0))
      fprintf(stderr, "  (%s: %u of %u calls leave a secret; %s)\n", functions[i].name,
              depths[i].dirty_calls, depths[i].calls, depths[i].first);
    if (depths[i].touched > deepest) deepest = depths[i].touched;
  }
  CHECK(deepest < STACK_IMAGE); /* otherwise the image is too small */
  free(images);
  return check_end(argument_count > 2 ? arguments[2] : "depth",
                   (is_searched() ? 4000 : 20000) / (unsigned long)every * LESS);
}
