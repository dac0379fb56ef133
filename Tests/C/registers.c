/*
 * What every function of the header leaves in the registers, on success and with each kind of error: nothing. Before a
 * call, all registers are filled with known words. After it, each vector register and each mask register has its old
 * value or zero, and no general register has part of a secret: the generator's key before and after the call, the batch
 * that it makes, the order that is drawn from it and shown, the password, the cipher's key.
 *
 *     registers header [name]    the path of custom_keyboard.h; the name to print
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
#include <math.h>

enum { SECRETS = 1 << 16, ONE_GENERATION = 1 << 13, JOBS = 70, LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE };

static struct capture capture;

#include "registers_secrets.h"

/* ---- Judgement --------------------------------------------------------------------------------------------------- */

/* How many registers a function has left something in, and a description of the first. */
static struct verdict {
  unsigned calls, dirty_calls, vectors, masks, generals;
  char first[160];
} verdicts[MOST_FUNCTIONS];

static const char *kind_of(uint64_t word) {
  for (size_t i = 0; i < secret_count; i++)
    if (secrets[i].word == word) return secrets[i].kind;
  return NULL;
}

/* Whether a word is the lower half of an address near one that was passed. Such a half is no secret, but now and then
 * it equals four of the many random bytes that are searched for. */
static int is_half_address(uint64_t word) {
  if (word >> 32 != 0) return 0;
  for (unsigned i = 0; i < GENERALS; i++)
    if ((uint32_t)(word - capture.before.generals[i] + 256) < 512) return 1;
  return 0;
}

static void judge(struct verdict *verdict, const char *label) {
  unsigned vectors = 0, masks = 0, generals = 0;
  char first[160] = "";
#define SAY(...) \
  if (!first[0]) snprintf(first, sizeof first, __VA_ARGS__)
  for (unsigned i = 0; i < (capture.width == 64 ? VECTORS : 16); i++) {
    int is_dirty = 0;
    for (unsigned lane = 0; lane < capture.width / 8; lane++) {
      uint64_t was, is;
      memcpy(&was, capture.before.vectors[i] + 8 * lane, sizeof was);
      memcpy(&is, capture.after.vectors[i] + 8 * lane, sizeof is);
      if (is == was || is == 0) continue;
      const char *kind = kind_of(is);
      SAY("%s: vector register %u, bytes %u on: %016llx (%s)", label, i, 8 * lane, (unsigned long long)is,
          kind ? kind : "nothing known");
      is_dirty = 1;
    }
    vectors += (unsigned)is_dirty;
  }
  for (unsigned i = 0; i < MASKS && capture.width == 64; i++) {
    uint64_t is = capture.after.masks[i];
    if (is == capture.before.masks[i] || is == 0) continue;
    SAY("%s: k%u: %016llx", label, i, (unsigned long long)is);
    masks++;
  }
  for (unsigned i = 0; i < GENERALS; i++) {
    uint64_t is = capture.after.generals[i];
    const char *kind = is == capture.before.generals[i] ? NULL : kind_of(is);
    if (!kind || is_half_address(is)) continue;
    SAY("%s: %s: %016llx (%s)", label, general_names[i], (unsigned long long)is, kind);
    generals++;
  }
#undef SAY
  verdict->calls++;
  verdict->dirty_calls += vectors + masks + generals > 0;
  if (vectors > verdict->vectors) verdict->vectors = vectors;
  if (masks > verdict->masks) verdict->masks = masks;
  if (generals > verdict->generals) verdict->generals = generals;
  if (first[0] && !verdict->first[0]) memcpy(verdict->first, first, sizeof first);
}

static void finish(const char *name, const char *label, uint64_t answer, int expected) {
  add_generator("generator's key after it");
  if (expected >= 0 && !CHECK_EQUAL((uint32_t)answer, expected)) fprintf(stderr, "  (%s, %s)\n", name, label);
  struct function *function = note_call(name, expected > 0);
  judge(&verdicts[function - functions], label);
}

/* One call. */
#define CALL(name, label, expected, ...)                                               \
  do {                                                                                 \
    add_generator("generator's key before it");                                        \
    uint64_t answer = CAPTURED(&capture, CustomKeyboard_##name, __VA_ARGS__);          \
    finish(#name, label, answer, CUSTOM_KEYBOARD_##expected);                          \
  } while (0)

/* One call of a function that takes a keyboard and doubles. */
#define CALL_FLOATS(name, label, expected, keyboard, ...)                                                       \
  do {                                                                                                          \
    add_generator("generator's key before it");                                                                 \
    const double floats[] = {__VA_ARGS__};                                                                      \
    uint64_t answer = captured_floats(&capture, (uintptr_t)CustomKeyboard_##name, keyboard, floats,             \
                                      (int)(sizeof floats / sizeof *floats));                                   \
    finish(#name, label, answer, CUSTOM_KEYBOARD_##expected);                                                   \
  } while (0)

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static const struct algorithm *a;
static uint8_t password[LONGEST + 1], key[LONGEST_KEY], space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
static uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], bad_text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
static size_t password_length, text_length, offset, length, count;
static volatile unsigned told;

static void changed(void *context, CUSTOM_KEYBOARD keyboard, size_t characters) {
  (void)context, (void)keyboard;
  told += characters > 0;
}

static void completed(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context, (void)keyboard;
  told++;
}

/* The order on the current page is one of those that were computed: so the needles are right. */
static void check_foretold(CUSTOM_KEYBOARD k) {
  struct page page;
  uint64_t word = 0;
  int characters = 0;
  look(k, &page);
  for (size_t i = 0; i < page.count && characters < 8; i++)
    if (page.keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER)
      word |= (uint64_t)(uint8_t)page.keys[i].label[0] << 8 * characters++;
  const char *kind = kind_of(word);
  CHECK(kind && strcmp(kind, "characters in order") == 0);
}

static void use_keyboard(CUSTOM_KEYBOARD_LAYOUT layout) {
  static CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  CUSTOM_KEYBOARD k = 0;
  CALL(create, "NULL", ARGUMENT, 0);
  CALL(create, "OK", OK, POINTER(&k));
  CALL(setEncKey, "NULL", ARGUMENT, k, 0, a->key_length, a->way);
  CALL(setEncKey, "a wrong length", ERR, k, POINTER(key), a->key_length - 1, a->way);
  CALL(setEncKey, "OK", OK, k, POINTER(key), a->key_length, a->way);
  CALL(setEncKey, "OK, again", OK, k, POINTER(key), a->key_length, a->way);
  CALL(setEncKey, "no keyboard", ARGUMENT, 0, POINTER(key), a->key_length, a->way);
  CALL(setLayout, "OK", OK, k, layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
  CALL(setLayout, "unknown", ARGUMENT, k, 99, 0, 0);
  CALL_FLOATS(setSize, "OK", OK, k, 320, 240, 3, 5);
  CALL_FLOATS(setSize, "not a number", ARGUMENT, k, 320, (double)NAN, 3, 5);
  CALL(setTextField, "OK", OK, k, POINTER(changed), 0);
  CALL(setTextField, "no keyboard", ARGUMENT, 0, POINTER(changed), 0);
  CALL(setOKAction, "OK", OK, k, POINTER(completed), 0);
  CALL(setOKAction, "no keyboard", ARGUMENT, 0, POINTER(completed), 0);
  CALL(getText, "idle", OP_DISABLE, k, POINTER(space), sizeof space, POINTER(&offset), POINTER(&length));
  CALL(open, "no keyboard", ARGUMENT, 0);
  CALL(open, "OK", OK, k);
  check_foretold(k);
  CALL(open, "while up", OP_DISABLE, k);
  CALL(setEncKey, "while up", OP_DISABLE, k, POINTER(key), a->key_length, a->way);
  CALL(setLayout, "while up", OP_DISABLE, k, layout, 0, 0);
  CALL(keys, "too few", SPACE, k, POINTER(keys), 3, POINTER(&count));
  CALL(keys, "OK", OK, k, POINTER(keys), MOST_KEYS, POINTER(&count));
  CALL(input, "OK", OK, k, POINTER(password), password_length);
  CALL(input, "too long", MAXLEN, k, POINTER(password), LONGEST + 1 - password_length % 2);
  CALL(deleteBackward, "OK", OK, k);
  CALL(deleteBackward, "no keyboard", ARGUMENT, 0);
  CALL(pressKey, "OK", OK, k, 5);
  check_foretold(k);
  CALL(pressKey, "no such key", ARGUMENT, k, 99);
  CALL(deleteBackward, "OK", OK, k);
  CALL_FLOATS(touch, "OK", OK, k, 20, 20);
  check_foretold(k);
  CALL_FLOATS(touch, "outside", ARGUMENT, k, 2000, 20);
  CALL(count, "OK", OK, k, POINTER(&count));
  CALL(count, "NULL", ARGUMENT, k, 0);
  CALL(getText, "OK", OK, k, POINTER(space), sizeof space, POINTER(&offset), POINTER(&length));
  CALL(getText, "OK, exact", OK, k, POINTER(space), length, POINTER(&offset), POINTER(&length));
  CALL(getText, "no space", SPACE, k, POINTER(space), 7, POINTER(&offset), POINTER(&length));
  CALL(getText, "NULL", ARGUMENT, k, 0, 7, POINTER(&offset), POINTER(&length));
  CALL(clear, "OK", OK, k);
  CALL(clear, "no keyboard", ARGUMENT, 0);
  password[password_length - 1] ^= 0x80;
  CALL(input, "no UTF-8", ARGUMENT, k, POINTER(password), password_length);
  password[password_length - 1] ^= 0x80;
  CALL(input, "OK, again", OK, k, POINTER(password), password_length);
  CALL(close, "OK", OK, k);
  CALL(close, "while idle", OP_DISABLE, k);
  CALL(input, "while idle", OP_DISABLE, k, POINTER(password), password_length);
  CALL(open, "OK, again", OK, k);
  check_foretold(k);
  CALL(destroy, "OK", OK, k);
  CALL(destroy, "again", ARGUMENT, k);
}

static void use_decryption(void) {
  static CUSTOM_KEYBOARD_JOB jobs[JOBS];
  static uint8_t clear[JOBS][LONGEST];
  static const size_t counts[] = {1, 5, 16, JOBS};
  static uint8_t long_text[160];
#define DECRYPT(label, expected, key_length, text, text_length, size)                                              \
  CALL(decrypt, label, expected, a->way, POINTER(key), key_length, POINTER(text), text_length, POINTER(space), size, \
       POINTER(&offset), POINTER(&length))
  DECRYPT("OK", OK, a->key_length, text, text_length, sizeof space);
  DECRYPT("OK, exact", OK, a->key_length, text, text_length, password_length);
  DECRYPT("no space", SPACE, a->key_length, text, text_length, password_length - 1);
  DECRYPT("a wrong key", ERR, 5, text, text_length, sizeof space);
  DECRYPT("wrong padding", UNDECRYPTABLE, a->key_length, bad_text, text_length, sizeof space);
  DECRYPT("too long", MAXLEN, a->key_length, long_text, sizeof long_text, sizeof space);
  DECRYPT("overlap", ARGUMENT, a->key_length, space, a->block_size, sizeof space);
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

/* A call whose arguments are in `sealing`. */
#define CALL_SEALING(name, label, expected, call)               \
  do {                                                          \
    add_generator("generator's key before it");                 \
    uint64_t answer = CAPTURED(&capture, call, 0);              \
    finish(#name, label, answer, CUSTOM_KEYBOARD_##expected);   \
  } while (0)

#include "sealing_calls.h"

#define CALL_WORD(name, argument)                                                 \
  do {                                                                            \
    uint64_t answer = CAPTURED(&capture, CustomKeyboard_##name, argument);        \
    finish(#name, "a pointer", answer, -1);                                       \
  } while (0)

#include "passcode_calls.h"

static void use_words(void) {
  for (uint64_t rv = 0; rv < 18; rv++) CALL_WORD(message, rv);
  CALL_WORD(version, 0);
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
extern void plant_low(const void *secret), plant_middle(const void *secret), plant_high(const void *secret);
extern void plant_mask(const void *secret), plant_general(const void *secret);
__asm__(".text\n\t.globl plant_low,plant_middle,plant_high,plant_mask,plant_general\n\t"
        ".hidden plant_low,plant_middle,plant_high,plant_mask,plant_general\n"
        "plant_low:\n\tendbr64\n\tmovdqu (%rdi),%xmm13\n\tret\n"
        "plant_middle:\n\tendbr64\n\tvinserti128 $1,(%rdi),%ymm6,%ymm6\n\tret\n"
        "plant_high:\n\tendbr64\n\tvinserti64x2 $3,(%rdi),%zmm29,%zmm29\n\tret\n"
        "plant_mask:\n\tendbr64\n\tkmovq 8(%rdi),%k5\n\tret\n"
        "plant_general:\n\tendbr64\n\tmovq 16(%rdi),%r10\n\tmovl 4(%rdi),%esi\n\tret\n");

/* A secret in one register is noticed; without a secret, nothing is. */
static void check_control(void (*planter)(const void *), unsigned vectors, unsigned masks, unsigned generals) {
  struct verdict verdict = {0};
  CAPTURED(&capture, planter, POINTER(generator_key()));
  judge(&verdict, "control");
  CHECK_EQUAL(verdict.vectors, vectors);
  CHECK_EQUAL(verdict.masks, masks);
  CHECK_EQUAL(verdict.generals, generals);
}

static void run_controls(void) {
  struct verdict verdict = {0};
  add_generator("generator's key");
  CAPTURED(&capture, capture_nothing, 0);
  judge(&verdict, "control");
  CHECK_EQUAL(verdict.dirty_calls, 0);
  check_control(plant_low, 1, 0, 0);
  if (capture.width >= 32) check_control(plant_middle, 1, 0, 0);
  if (capture.width >= 64) check_control(plant_high, 1, 0, 0);
  if (capture.width >= 64) check_control(plant_mask, 0, 1, 0);
  check_control(plant_general, 0, 0, 2);
}
#else
static void run_controls(void) {}
#endif

static void prepare(uint64_t *seed, size_t size) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  uint8_t clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  secret_count = 0;
  password_length = size;
  draw_password(seed, password, sizeof password);
  draw_bytes(seed, key, sizeof key);
  add_random_secret("password", password, password_length);
  add_random_secret("key", key, a->key_length);
  lasting_secrets = secret_count;
  text_length = padded(size, a->block_size);
  memset(clear, (int)(text_length - size), sizeof clear);
  memcpy(clear, password, size);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, key, a->key_length, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, text, text_length));
  clear[text_length - 1] = 0;
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, bad_text, text_length));
}

int main(int argument_count, char **arguments) {
  static const CUSTOM_KEYBOARD_LAYOUT layouts[] = {CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_LAYOUT_MIXED,
                                                   CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS};
  REQUIRE(argument_count >= 2);
  read_functions(arguments[1]);
  uint64_t seed = take_seed();
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    static const size_t lengths[] = {9, 40, 127};
    a = &algorithms[i];
    for (int j = 0; j < 3; j++) {
      prepare(&seed, lengths[j]);
      use_keyboard(layouts[j < 2 ? j : 2 + i % 2]);
      use_decryption();
      use_cipher();
      use_sealing();
      use_passcodes();
      use_words();
    }
  }
  run_controls();
  check_all_called();
  for (size_t i = 0; i < function_count; i++) {
    const struct verdict *v = &verdicts[i];
    if (!CHECK_EQUAL(v->dirty_calls, 0))
      fprintf(stderr, "  (CustomKeyboard_%s: %u of %u calls, up to %u vector, %u mask, %u general registers; %s)\n",
              functions[i].name, v->dirty_calls, v->calls, v->vectors, v->masks, v->generals, v->first);
  }
  return check_end(argument_count > 2 ? arguments[2] : "registers", 800 * LESS);
}
