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
 *     depth header [name [n]]    the path of custom_keyboard.h; the name to print; one of n lengths and distances
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "page.h"
#include "capture.h"
#include "functions.h"
#include "locked.h"
#include "sealing.h"
#include "shuffle.h"

/* Sets alternate, so that a value that only counts up (a handle's generation) does not seem to depend on the set. */
enum { WARM, A1, B1, A2, B2, A3, RUNS };
enum { CALLS = 300, JOBS = 70, LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE, PLANTED = 9000 };

/* ---- Secrets: two sets ------------------------------------------------------------------------------------------- */

static const struct algorithm *a;
static uint64_t set_seeds[2];
static uint8_t *generator;         /* its key, in locked memory */
static uint8_t *sealing_generator; /* that of the calls on sealed texts; their keys are drawn from it */
static size_t password_length, text_length;
static uint8_t password[LONGEST + 1], key[LONGEST_KEY];
static uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], bad_text[CUSTOM_KEYBOARD_MAXTEXTSIZE];

static void take_set(int set) {
  uint64_t seed = set_seeds[set];
  CUSTOM_KEYBOARD_CIPHER cipher;
  uint8_t clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  draw_password(&seed, password, sizeof password);
  for (size_t i = 0; i < sizeof password; i++) password[i] = (uint8_t)('a' + password[i] % 26);
  draw_bytes(&seed, key, sizeof key);
  text_length = padded(password_length, a->block_size);
  memset(clear, (int)(text_length - password_length), sizeof clear);
  memcpy(clear, password, password_length);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, key, a->key_length, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, text, text_length));
  clear[text_length - 1] = 0;
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, bad_text, text_length));
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
  if (sealing_generator) set_one_generator(sealing_generator, set, call + CALLS, 0, 0);
}

/* ---- Images of the stack ----------------------------------------------------------------------------------------- */

static struct capture capture;
static uint8_t (*images)[CALLS][STACK_IMAGE];
static int run;
static unsigned call_count;
static struct {
  struct function *function;
  const char *label;
} calls[CALLS];

static struct depth {
  size_t touched, residue; /* bytes below the caller: the deepest change, and the deepest residue */
  unsigned calls, dirty_calls;
  char first[160]; /* describes the deepest of those */
} depths[MOST_FUNCTIONS];

static void prepare_call(uint64_t places) {
  REQUIRE(call_count < CALLS);
  if (run > WARM) set_generator(run == B1 || run == B2, call_count, places, 3);
  capture.paints = 1;
  capture.below = images[run][call_count];
}

static void finish_call(const char *name, const char *label, uint64_t answer, int expected) {
  if (!CHECK_EQUAL(left_on_stacks(), 0)) fprintf(stderr, "  (%s, %s: on the stack for secrets)\n", name, label);
  calls[call_count].function = note_call(name, expected > 0);
  calls[call_count++].label = label;
  if (expected >= 0 && !CHECK_EQUAL((uint32_t)answer, expected)) fprintf(stderr, "  (%s, %s)\n", name, label);
}

#define CALL_PLACED(name, label, expected, places, ...)                        \
  do {                                                                         \
    prepare_call(places);                                                      \
    uint64_t answer = CAPTURED(&capture, CustomKeyboard_##name, __VA_ARGS__);  \
    finish_call(#name, label, answer, CUSTOM_KEYBOARD_##expected);             \
  } while (0)
#define CALL(name, label, expected, ...) CALL_PLACED(name, label, expected, 0, __VA_ARGS__)
#define CALL_FLOATS(name, label, expected, keyboard, ...)                                                        \
  do {                                                                                                           \
    const double floats[] = {__VA_ARGS__};                                                                       \
    prepare_call(0);                                                                                             \
    uint64_t answer = captured_floats(&capture, (uintptr_t)CustomKeyboard_##name, keyboard, floats,              \
                                      (int)(sizeof floats / sizeof *floats));                                    \
    finish_call(#name, label, answer, CUSTOM_KEYBOARD_##expected);                                               \
  } while (0)

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
static size_t offset, length, count;
static volatile unsigned told;

static void changed(void *context, CUSTOM_KEYBOARD keyboard, size_t characters) {
  (void)context, (void)keyboard;
  told += characters > 0;
}

static void completed(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context, (void)keyboard;
  told++;
}

static void use_keyboard(CUSTOM_KEYBOARD_LAYOUT layout) {
  static CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  static CUSTOM_KEYBOARD k;
  CALL(create, "NULL", ARGUMENT, 0);
  CALL(create, "OK", OK, POINTER(&k));
  CALL(setEncKey, "a wrong length", ERR, k, POINTER(key), a->key_length - 1, a->way);
  CALL(setEncKey, "OK", OK, k, POINTER(key), a->key_length, a->way);
  CALL(setLayout, "OK", OK, k, layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
  CALL(setLayout, "unknown", ARGUMENT, k, 99, 0, 0);
  CALL_FLOATS(setSize, "OK", OK, k, 320, 240, 3, 5);
  CALL_FLOATS(setSize, "too small", ARGUMENT, k, 1, 1, 3, 5);
  CALL(setTextField, "OK", OK, k, POINTER(changed), 0);
  CALL(setTextField, "no keyboard", ARGUMENT, 0, POINTER(changed), 0);
  CALL(setOKAction, "OK", OK, k, POINTER(completed), 0);
  CALL(setOKAction, "no keyboard", ARGUMENT, 0, POINTER(completed), 0);
  CALL(open, "no keyboard", ARGUMENT, 0);
  CALL(open, "OK", OK, k);
  CALL(setEncKey, "while up", OP_DISABLE, k, POINTER(key), a->key_length, a->way);
  CALL(keys, "too few", SPACE, k, POINTER(keys), 3, POINTER(&count));
  CALL(keys, "OK", OK, k, POINTER(keys), MOST_KEYS, POINTER(&count));
  CALL(pressKey, "OK", OK, k, 5);
  CALL(pressKey, "no such key", ARGUMENT, k, 99);
  CALL_FLOATS(touch, "OK", OK, k, 20, 20);
  CALL_FLOATS(touch, "outside", ARGUMENT, k, 2000, 20);
  CALL(clear, "OK", OK, k);
  CALL(input, "OK", OK, k, POINTER(password), password_length);
  CALL(input, "too long", MAXLEN, k, POINTER(password), LONGEST);
  CALL(deleteBackward, "OK", OK, k);
  CALL(deleteBackward, "no keyboard", ARGUMENT, 0);
  CALL(input, "one character", OK, k, POINTER(password + password_length - 1), 1);
  CALL(count, "OK", OK, k, POINTER(&count));
  CALL(count, "NULL", ARGUMENT, k, 0);
  CALL_PLACED(getText, "OK", OK, sizeof space - text_length + 1, k, POINTER(space), sizeof space, POINTER(&offset),
              POINTER(&length));
  CALL(getText, "OK, exact", OK, k, POINTER(space), text_length, POINTER(&offset), POINTER(&length));
  CALL(getText, "no space", SPACE, k, POINTER(space), 7, POINTER(&offset), POINTER(&length));
  CALL(clear, "OK, again", OK, k);
  CALL(clear, "no keyboard", ARGUMENT, 0);
  password[password_length - 1] ^= 0x80;
  CALL(input, "no UTF-8", ARGUMENT, k, POINTER(password), password_length);
  password[password_length - 1] ^= 0x80;
  CALL(input, "OK, again", OK, k, POINTER(password), password_length);
  CALL(close, "OK", OK, k);
  CALL(close, "while idle", OP_DISABLE, k);
  CALL(open, "OK, again", OK, k);
  CALL(input, "OK, once more", OK, k, POINTER(password), password_length);
  CALL(destroy, "OK", OK, k);
  CALL(destroy, "again", ARGUMENT, 0);
}

static void use_decryption(void) {
  static CUSTOM_KEYBOARD_JOB jobs[JOBS];
  static uint8_t clear[JOBS][LONGEST];
  static const size_t counts[] = {1, 5, 16, JOBS};
#define DECRYPT(label, expected, places, key_length, text, size)                                                    \
  CALL_PLACED(decrypt, label, expected, places, a->way, POINTER(key), key_length, POINTER(text), text_length,       \
              POINTER(space), size, POINTER(&offset), POINTER(&length))
  DECRYPT("OK", OK, sizeof space - password_length + 1, a->key_length, text, sizeof space);
  DECRYPT("OK, exact", OK, 0, a->key_length, text, password_length);
  DECRYPT("no space", SPACE, 0, a->key_length, text, password_length - 1);
  DECRYPT("a wrong key", ERR, 0, 5, text, sizeof space);
  DECRYPT("wrong padding", UNDECRYPTABLE, 0, a->key_length, bad_text, sizeof space);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    for (size_t j = 0; j < counts[i]; j++)
      jobs[j] = (CUSTOM_KEYBOARD_JOB){key, a->key_length, j % 7 == 5 ? bad_text : text, text_length, clear[j],
                                      j % 5 == 3 ? password_length - 1 : LONGEST, 0, CUSTOM_KEYBOARD_OK};
    CALL(decryptBatch, "OK", OK, a->way, POINTER(jobs), counts[i]);
  }
  CALL(decryptBatch, "NULL", ARGUMENT, a->way, 0, 3);
}

static void use_cipher(void) {
  static CUSTOM_KEYBOARD_CIPHER cipher;
  static uint8_t blocks[1024];
  for (uint64_t decrypting = 0; decrypting <= 1; decrypting++) {
    CALL(setupCipher, "a wrong length", ERR, POINTER(&cipher), a->way, POINTER(key), 5, decrypting);
    CALL(setupCipher, "OK", OK, POINTER(&cipher), a->way, POINTER(key), a->key_length, decrypting);
    memcpy(blocks, password, password_length);
    CALL(cryptECB, "a block", OK, POINTER(&cipher), POINTER(blocks), POINTER(blocks), a->block_size);
    CALL(cryptECB, "nine blocks", OK, POINTER(&cipher), POINTER(blocks), POINTER(blocks), 9 * a->block_size);
    CALL(cryptECB, "many blocks", OK, POINTER(&cipher), POINTER(blocks), POINTER(blocks), sizeof blocks);
    CALL(cryptECB, "no whole blocks", ARGUMENT, POINTER(&cipher), POINTER(blocks), POINTER(blocks), 5);
    CALL(wipeCipher, "OK", OK, POINTER(&cipher));
    CALL(wipeCipher, "NULL", ARGUMENT, 0);
  }
}

#define CALL_SEALING(name, label, expected, call)                  \
  do {                                                             \
    prepare_call(0);                                               \
    uint64_t answer = CAPTURED(&capture, call, 0);                 \
    finish_call(#name, label, answer, CUSTOM_KEYBOARD_##expected); \
  } while (0)

#include "sealing_calls.h"

#define CALL_WORD(name, argument)                                                 \
  do {                                                                            \
    prepare_call(0);                                                              \
    uint64_t answer = CAPTURED(&capture, CustomKeyboard_##name, argument);        \
    finish_call(#name, "a pointer", answer, -1);                                  \
  } while (0)

#include "passcode_calls.h"

static void use_words(void) {
  CALL_WORD(message, 3);
  CALL_WORD(version, 0);
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
    snprintf(depth->first, sizeof depth->first, "%s, %s, password of %zu bytes, stack at %u: %zu bytes, from %zu below on, %02x or %02x",
             a->name, label, password_length, (unsigned)capture.shift, residue, deepest, images[A1][call][STACK_IMAGE - deepest],
             images[B1][call][STACK_IMAGE - deepest]);
  }
  return residue;
}

static void use_all(CUSTOM_KEYBOARD_LAYOUT layout) {
  for (run = WARM; run < RUNS; run++) {
    call_count = 0;
    take_set(run == B1 || run == B2);
    use_keyboard(layout);
    use_decryption();
    use_cipher();
    use_sealing();
    use_passcodes();
    use_words();
    if (run == WARM) sealing_generator = generator_key_of(SEALED_WORKSPACE);
    find_locked(); /* the stacks for secrets, too */
    REQUIRE(stack_count > 0);
  }
  for (unsigned call = 0; call < call_count && CAN_CAPTURE; call++)
    compare(call, &depths[calls[call].function - functions], calls[call].label);
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void leave(const uint8_t *secret) {
  volatile uint8_t deep[PLANTED];
  for (int i = 0; i < 8; i++) deep[i] = secret[i];
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
      prepare_call(0);
      CAPTURED(&capture, leave, POINTER(is_same ? same : key));
    }
    size_t residue = compare(0, &depth, "control");
    CHECK(is_same ? residue == 0 : residue >= 6);
    CHECK(depth.touched >= PLANTED && depth.touched < PLANTED + 300);
    /* The deepest byte of two keys may be the same. */
    CHECK(is_same ? depth.residue == 0 : depth.touched - depth.residue < 6);
  }
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
  read_functions(arguments[1]);
  int every = argument_count > 3 ? atoi(arguments[3]) : 1;
  REQUIRE(every >= 1);
  uint64_t seed = take_seed();
  images = calloc(RUNS, sizeof *images);
  REQUIRE(images);
  check_generator();
  for (int i = 0; i < ALGORITHM_COUNT; i++)
    for (int j = 0; j < 16; j += every) {
      a = &algorithms[i];
      password_length = lengths[j % 4];
      capture.shift = 16 * (uint64_t)(j / 4);
      leaves_out_slow_ways = j > 0;
      set_seeds[0] = draw(&seed);
      set_seeds[1] = draw(&seed);
      use_all(j % 2 ? CUSTOM_KEYBOARD_LAYOUT_MIXED : CUSTOM_KEYBOARD_LAYOUT_LETTERS);
    }
  if (CAN_CAPTURE) check_controls();
  check_all_called();
  size_t deepest = 0;
  for (size_t i = 0; i < function_count; i++) {
    printf("%-15s %6zu bytes deep\n", functions[i].name, depths[i].touched);
    if (!CHECK_EQUAL(depths[i].residue, 0))
      fprintf(stderr, "  (CustomKeyboard_%s: %u of %u calls leave a secret; %s)\n", functions[i].name,
              depths[i].dirty_calls, depths[i].calls, depths[i].first);
    if (depths[i].touched > deepest) deepest = depths[i].touched;
  }
  CHECK(deepest < STACK_IMAGE); /* otherwise the image is too small */
  free(images);
  return check_end(argument_count > 2 ? arguments[2] : "depth", 20000 / (unsigned long)every * LESS);
}
