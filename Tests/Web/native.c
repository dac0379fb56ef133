/*
 * The native library, for a test that drives it and the module in WebAssembly side by side. It reads operations from
 * its standard input and writes what each one answers, callbacks included. operations.mjs has the same in JavaScript.
 *
 * Both get the same random numbers: the library asks this program's getrandom, which counts. So every answer must be
 * the same, byte by byte: handles, the order of keys, random spaces, sealed texts.
 *
 *     batch       length (4), then operations; a batch of no bytes ends the program
 *     operation   code (1), slot (1), other slot (1), flags (1), integers a b (4 each), numbers x y z w (8 each),
 *                 lengths of three blobs (2 each), the blobs
 *     answers     length (4), then for each operation its answer's length (2) and the answer
 *
 * All little-endian.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "custom_keyboard.h"

enum { SLOTS = 16, LONGEST_TEXT = 2048, LARGEST_ANSWER = 8192, LARGEST_BATCH = 1 << 24, MOST_ANSWERS = 1 << 26 };

/* ---- Random numbers: SplitMix64, eight bytes a number ------------------------------------------------------------ */

static uint64_t random_state;
static int failures_to_come;

static uint64_t next_random(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* In place of libc's. */
ssize_t getrandom(void *memory, size_t size, unsigned flags) {
  (void)flags;
  uint8_t *place = memory;
  if (size == 0) return 0;
  if (failures_to_come > 0) {
    failures_to_come--;
    errno = EIO;
    return -1;
  }
  for (size_t done = 0; done < size; done += 8) {
    uint64_t number = next_random();
    memcpy(place + done, &number, size - done < 8 ? size - done : 8);
  }
  return (ssize_t)size;
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

typedef struct Blob {
  const uint8_t *bytes;
  size_t length;
} Blob;

typedef struct Operation {
  uint8_t code, slot, other, flags;
  int32_t a, b;
  double x, y, z, w;
  Blob one, two, three;
} Operation;

enum { LAST_TEXT = 1 }; /* a flag: the third blob is the slot's last text, with the byte `a` exclusive-or `b` */

static CUSTOM_KEYBOARD keyboards[SLOTS];
static uint8_t last_texts[SLOTS][LONGEST_TEXT], space[LONGEST_TEXT];
static size_t last_lengths[SLOTS];
static CUSTOM_KEYBOARD_CIPHER ciphers[SLOTS];

static uint8_t answer[LARGEST_ANSWER];
static size_t answered;

static void put(const void *bytes, size_t count) {
  if (answered + count > sizeof answer) abort();
  memcpy(answer + answered, bytes, count);
  answered += count;
}
static void put_number(uint64_t number) {
  uint32_t low = (uint32_t)number;
  put(&low, sizeof low);
}

static void changed(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context;
  put("C", 1);
  put(&keyboard, sizeof keyboard);
  put_number(count);
}
static void complete(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context;
  put("K", 1);
  put(&keyboard, sizeof keyboard);
}

/* A space, whole, and where the result is in it. */
static void put_space(CUSTOM_KEYBOARD_RV rv, size_t size, size_t offset, size_t length) {
  if (rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_SPACE) put_number(length);
  if (rv != CUSTOM_KEYBOARD_OK) return;
  put_number(offset);
  put(space, size);
}

static size_t space_size(const Operation *op) { return (size_t)op->a <= sizeof space ? (size_t)op->a : sizeof space; }

static CUSTOM_KEYBOARD_RV get_text(const Operation *op) {
  size_t offset = 0, length = 0, size = space_size(op);
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(keyboards[op->slot], space, size, &offset, &length);
  put_space(rv, size, offset, length);
  if (rv == CUSTOM_KEYBOARD_OK) {
    memcpy(last_texts[op->slot], space + offset, length);
    last_lengths[op->slot] = length;
  }
  return rv;
}

static CUSTOM_KEYBOARD_RV keys(const Operation *op) {
  CUSTOM_KEYBOARD_KEY page[CUSTOM_KEYBOARD_MAXKEYS];
  size_t count = 0, capacity = (size_t)op->a < CUSTOM_KEYBOARD_MAXKEYS ? (size_t)op->a : CUSTOM_KEYBOARD_MAXKEYS;
  memset(page, 0, sizeof page);
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_keys(keyboards[op->slot], page, capacity, &count);
  put_number(count);
  if (rv == CUSTOM_KEYBOARD_OK) put(page, count * sizeof *page);
  return rv;
}

static CUSTOM_KEYBOARD_RV generate_key(const Operation *op) {
  uint8_t secret[32], open[65];
  size_t secret_length = 0, open_length = 0;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_generateKey((CUSTOM_ENCWAY)op->a, secret, sizeof secret, &secret_length, open,
                                                     sizeof open, &open_length);
  put_number(secret_length);
  put_number(open_length);
  if (rv == CUSTOM_KEYBOARD_OK) put(secret, secret_length), put(open, open_length);
  return rv;
}

static CUSTOM_KEYBOARD_RV batch(const Operation *op) {
  enum { MOST = 20, ROOM = 144 };
  CUSTOM_KEYBOARD_JOB jobs[MOST];
  static uint8_t clear[MOST][ROOM];
  size_t count = (size_t)op->b < MOST ? (size_t)op->b : MOST;
  memset(clear, 0, sizeof clear);
  memset(jobs, 0, sizeof jobs);
  for (size_t i = 0; i < count; i++) {
    jobs[i].key = op->one.bytes, jobs[i].keyLength = op->one.length;
    jobs[i].text = op->two.bytes, jobs[i].textLength = op->two.length > 16 * i ? op->two.length - 16 * i : 0;
    jobs[i].clear = clear[i], jobs[i].clearCapacity = ROOM;
  }
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_decryptBatch((CUSTOM_ENCWAY)op->a, jobs, count);
  for (size_t i = 0; i < count; i++) put_number(jobs[i].rv), put_number(jobs[i].clearLength), put(clear[i], ROOM);
  return rv;
}

static CUSTOM_KEYBOARD_RV perform(const Operation *op, Blob text) {
  CUSTOM_KEYBOARD keyboard = keyboards[op->slot];
  CUSTOM_ENCWAY way = (CUSTOM_ENCWAY)op->a;
  CUSTOM_KEYBOARD_RV rv;
  size_t number = 0, length = 0, size = space_size(op);
  switch (op->code) {
    case 0: {
      CUSTOM_KEYBOARD made = 0;
      CustomKeyboard_destroy(keyboard);
      if ((rv = CustomKeyboard_create(&made)) != CUSTOM_KEYBOARD_OK) return rv;
      put(&made, sizeof made);
      keyboards[op->slot] = made;
      if ((rv = CustomKeyboard_setTextField(made, changed, NULL)) != CUSTOM_KEYBOARD_OK) return rv;
      return CustomKeyboard_setOKAction(made, complete, NULL);
    }
    case 1: return CustomKeyboard_destroy(keyboard);
    case 2: return CustomKeyboard_setEncKey(keyboard, op->one.bytes, op->one.length, way);
    case 3: return CustomKeyboard_open(keyboard);
    case 4: return CustomKeyboard_close(keyboard);
    case 5: return CustomKeyboard_input(keyboard, op->one.bytes, op->one.length);
    case 6: return CustomKeyboard_deleteBackward(keyboard);
    case 7: return CustomKeyboard_clear(keyboard);
    case 8: rv = CustomKeyboard_count(keyboard, &number); put_number(number); return rv;
    case 9: return get_text(op);
    case 10: return CustomKeyboard_setLayout(keyboard, (CUSTOM_KEYBOARD_LAYOUT)op->a, (CUSTOM_KEYBOARD_SHUFFLE)op->b,
                                             op->other);
    case 11: return CustomKeyboard_setSize(keyboard, op->x, op->y, op->z, op->w);
    case 12: return keys(op);
    case 13: return CustomKeyboard_pressKey(keyboard, (size_t)op->a);
    case 14: return CustomKeyboard_touch(keyboard, op->x, op->y);
    case 15: return CustomKeyboard_setContext(keyboard, op->one.bytes, op->one.length);
    case 16: return CustomKeyboard_addRule(keyboard, (CUSTOM_KEYBOARD_RULE)op->a, (size_t)op->b, op->one.bytes,
                                           op->one.length);
    case 17: return CustomKeyboard_clearRules(keyboard);
    case 18: rv = CustomKeyboard_check(keyboard, &number); put_number(number); return rv;
    case 19: return CustomKeyboard_compare(keyboard, keyboards[op->other]);
    case 20: rv = CustomKeyboard_checkPattern(op->one.bytes, op->one.length, &number); put_number(number); return rv;
    case 21:
      rv = CustomKeyboard_decrypt(way, op->one.bytes, op->one.length, text.bytes, text.length, space,
                                  (size = op->other * 4u), &number, &length);
      put_space(rv, size, number, length);
      return rv;
    case 22:
      rv = CustomKeyboard_unseal(way, op->one.bytes, op->one.length, op->two.bytes, op->two.length, text.bytes,
                                 text.length, space, (size = op->other * 4u), &number, &length);
      put_space(rv, size, number, length);
      return rv;
    case 23: return CustomKeyboard_receive(keyboards[op->other], way, op->one.bytes, op->one.length, op->two.bytes,
                                           op->two.length, text.bytes, text.length);
    case 24: return generate_key(op);
    case 25:
      rv = CustomKeyboard_signText((CUSTOM_SIGNWAY)op->a, op->one.bytes, op->one.length, op->two.bytes, op->two.length,
                                   text.bytes, text.length, last_texts[op->other], LONGEST_TEXT, &length);
      put_number(length);
      put(last_texts[op->other], rv == CUSTOM_KEYBOARD_OK ? (last_lengths[op->other] = length) : 0);
      return rv;
    case 26: return CustomKeyboard_verifyText((CUSTOM_SIGNWAY)op->a, op->one.bytes, op->one.length, op->two.bytes,
                                              op->two.length, op->three.bytes, op->three.length, last_texts[op->other],
                                              last_lengths[op->other]);
    case 27: return CustomKeyboard_setupCipher(&ciphers[op->slot], way, op->one.bytes, op->one.length, op->b);
    case 28:
      rv = CustomKeyboard_cryptECB(&ciphers[op->slot], op->one.bytes, space, op->one.length);
      put(space, rv == CUSTOM_KEYBOARD_OK ? op->one.length : 0);
      return rv;
    case 29: return CustomKeyboard_wipeCipher(&ciphers[op->slot]);
    case 30: return batch(op);
    case 31: {
      const char *message = op->b ? CustomKeyboard_ruleMessage((CUSTOM_KEYBOARD_RULE)op->a)
                                  : CustomKeyboard_message((CUSTOM_KEYBOARD_RV)op->a);
      put(message, strlen(message));
      return CUSTOM_KEYBOARD_OK;
    }
    case 32: failures_to_come = op->a; return CUSTOM_KEYBOARD_OK;
    default: abort();
  }
}

/* The third blob, or a copy of the slot's last text with a byte changed. */
static Blob text_of(const Operation *op) {
  static uint8_t copy[LONGEST_TEXT];
  if (!(op->flags & LAST_TEXT)) return op->three;
  size_t length = last_lengths[op->slot];
  memcpy(copy, last_texts[op->slot], length);
  if (length > 0) copy[(size_t)op->b / 256 % length] ^= (uint8_t)op->b;
  return (Blob){copy, length};
}

/* ---- Reading and writing ----------------------------------------------------------------------------------------- */

static const uint8_t *place;

static void take(void *to, size_t count) {
  memcpy(to, place, count);
  place += count;
}

/* Each blob gets memory of its own, so that one that is read past its end can be noticed. */
static Blob take_blob(uint16_t length) {
  uint8_t *bytes = malloc(length + 1u);
  if (bytes == NULL) abort();
  take(bytes, length);
  return (Blob){bytes, length};
}

static void run(void) {
  Operation op;
  uint16_t lengths[3];
  take(&op.code, 4);
  take(&op.a, 8);
  take(&op.x, 32);
  take(lengths, sizeof lengths);
  op.one = take_blob(lengths[0]), op.two = take_blob(lengths[1]), op.three = take_blob(lengths[2]);
  op.slot %= SLOTS;
  answered = 1;
  answer[0] = (uint8_t)perform(&op, text_of(&op));
  free((void *)op.one.bytes), free((void *)op.two.bytes), free((void *)op.three.bytes);
}

int main(int count, char **arguments) {
  static uint8_t input[LARGEST_BATCH], output[MOST_ANSWERS];
  random_state = count > 1 ? strtoull(arguments[1], NULL, 10) : 0;
  for (;;) {
    uint32_t size, written = 0;
    if (fread(&size, sizeof size, 1, stdin) != 1 || size == 0) return 0;
    if (size > sizeof input || fread(input, size, 1, stdin) != 1) return 1;
    for (place = input; place < input + size; written += (uint32_t)answered + 2) {
      run();
      if (written + answered + 2 > sizeof output) return 1;
      uint16_t length = (uint16_t)answered;
      memcpy(output + written, &length, sizeof length);
      memcpy(output + written + 2, answer, answered);
    }
    fwrite(&written, sizeof written, 1, stdout);
    fwrite(output, written, 1, stdout);
    fflush(stdout);
  }
}
