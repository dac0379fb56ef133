/*
 * The calls that need no keyboard, with the arguments that a mistake or an attacker gives them: NULL, impossible
 * lengths, overlapping buffers, unknown algorithms, ciphers that were never set up, and pointers at the end of the
 * address space. The library must refuse such a pointer before it uses it. Each call returns its code, and memory that
 * it may not write to is unchanged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"
#include <stddef.h>

enum { SPACE_SIZE = 1024 };

static uint8_t space[SPACE_SIZE];
static size_t offset, length;
static const uint8_t key[LONGEST_KEY + 1] = "890765432980765423451673";

static void reset(void) {
  memset(space, 0xa5, sizeof space);
  offset = 1111111;
  length = 2222222;
}

static int untouched(void) {
  for (size_t i = 0; i < sizeof space; i++)
    if (space[i] != 0xa5) return 0;
  return offset == 1111111;
}

/* ---- decrypt ----------------------------------------------------------------------------------------------------- */

/* A ciphertext of `password_length` bytes 'a'. */
static size_t encrypted(const struct algorithm *a, size_t password_length, uint8_t *out) {
  uint8_t password[CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE];
  size_t place, text_length;
  memset(password, 'a', sizeof password);
  CUSTOM_KEYBOARD keyboard = typed(a->way, key, a->key_length, password, password_length);
  REQUIRE_OK(CustomKeyboard_getText(keyboard, out, padded(password_length, a->block_size), &place, &text_length));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return text_length;
}

#define DECRYPT_REFUSED(expected, way, key, keyLength, text, textLength, space, spaceSize, offset, length)      \
  do {                                                                                                          \
    reset();                                                                                                    \
    CHECK_EQUAL(CustomKeyboard_decrypt(way, key, keyLength, text, textLength, space, spaceSize, offset, length), \
                CUSTOM_KEYBOARD_##expected);                                                                    \
    CHECK(untouched());                                                                                         \
  } while (0)

static void refuse_decrypting(const struct algorithm *a) {
  uint8_t t[CUSTOM_KEYBOARD_MAXTEXTSIZE + 16] = {0};
  size_t n = encrypted(a, 20, t), k = a->key_length;
  CUSTOM_ENCWAY w = a->way;
  const int unknown[] = {3, 99, -1, 256, 257, 258, 0x7fffffff};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    DECRYPT_REFUSED(ARGUMENT, (CUSTOM_ENCWAY)unknown[i], key, k, t, n, space, SPACE_SIZE, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, NULL, k, t, n, space, SPACE_SIZE, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, NULL, n, space, SPACE_SIZE, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, t, n, NULL, SPACE_SIZE, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, t, n, space, SPACE_SIZE, NULL, &length);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, t, n, space, SPACE_SIZE, &offset, NULL);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, t, n, space, SIZE_MAX, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, t, n, space, SIZE_MAX / 2 + 1, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, key, k, t, n, last_bytes(), 100, &offset, &length);
  /* ARGUMENT is reported first, although the key is wrong too and the text is not a number of whole blocks. */
  DECRYPT_REFUSED(ARGUMENT, w, key, 3, t, 7, NULL, SPACE_SIZE, &offset, &length);
  DECRYPT_REFUSED(ARGUMENT, w, NULL, 3, t, 999, space, 0, &offset, &length);

  const size_t lengths[] = {0, 1, 7, 9, 15, 17, 23, 25, 100, 1u << 20, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    DECRYPT_REFUSED(ERR, w, key, lengths[i], t, n, space, SPACE_SIZE, &offset, &length);
    if (lengths[i] > CUSTOM_KEYBOARD_MAXTEXTSIZE)
      DECRYPT_REFUSED(MAXLEN, w, key, k, t, lengths[i], space, SPACE_SIZE, &offset, &length);
    else if (lengths[i] % 8 != 0 || lengths[i] == 0)
      DECRYPT_REFUSED(UNDECRYPTABLE, w, key, k, t, lengths[i], space, SPACE_SIZE, &offset, &length);
  }
  DECRYPT_REFUSED(ERR, w, NULL, 0, t, n, space, SPACE_SIZE, &offset, &length);
  DECRYPT_REFUSED(UNDECRYPTABLE, w, key, k, NULL, 0, space, SPACE_SIZE, &offset, &length);
  for (size_t m = CUSTOM_KEYBOARD_MAXTEXTSIZE + 1; m <= sizeof t; m++)
    DECRYPT_REFUSED(MAXLEN, w, key, k, t, m, space, SPACE_SIZE, &offset, &length);
  /* Buffers beyond the end of the address space are a bad argument, whatever their length; a wrong key comes later. */
  const size_t wrong_lengths[] = {0, 7, 15, 25, 100}, text_lengths[] = {8, 16, 144, 145, 1000};
  DECRYPT_REFUSED(ARGUMENT, w, last_bytes(), 100, t, n, space, SPACE_SIZE, &offset, &length);
  for (size_t i = 0; i < 5; i++) {
    DECRYPT_REFUSED(ARGUMENT, w, key, k, last_bytes(), text_lengths[i], space, SPACE_SIZE, &offset, &length);
    for (size_t j = 0; j < 5; j++)
      DECRYPT_REFUSED(ARGUMENT, w, key, wrong_lengths[j], last_bytes(), text_lengths[i], space, SPACE_SIZE, &offset,
                      &length);
  }

  for (size_t small = 0; small < 20; small++) {
    DECRYPT_REFUSED(SPACE, w, key, k, t, n, space, small, &offset, &length);
    CHECK_EQUAL(length, 20);
  }
  DECRYPT_REFUSED(SPACE, w, key, k, t, n, NULL, 0, &offset, &length);
  CHECK_EQUAL(length, 20);
}

/* One shared byte is an overlap; adjacent buffers do not overlap. */
static void refuse_overlaps(const struct algorithm *a) {
  uint8_t t[CUSTOM_KEYBOARD_MAXTEXTSIZE], around[512], before[512];
  size_t n = encrypted(a, 20, t), at = 200, k = a->key_length;
  for (size_t i = 0; i < sizeof around; i++) around[i] = (uint8_t)i;
  for (size_t size = 20; size <= 64; size += 44)
    for (size_t start = at - size - 2; start <= at + n + 2; start++) {
      for (int with_key = 0; with_key <= 1; with_key++) {
        size_t given = with_key ? k : n;
        memcpy(around + at, with_key ? key : t, given);
        memcpy(before, around, sizeof before);
        reset();
        CUSTOM_KEYBOARD_RV rv = CustomKeyboard_decrypt(a->way, with_key ? around + at : key, k,
                                                       with_key ? t : around + at, n, around + start, size, &offset,
                                                       &length);
        int overlaps = start < at + given && at < start + size;
        CHECK_EQUAL(rv, overlaps ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK);
        if (overlaps) CHECK(memcmp(before, around, sizeof before) == 0 && offset == 1111111 && length == 2222222);
        if (!overlaps) CHECK(length == 20 && memcmp(around + at, with_key ? key : t, given) == 0);
      }
    }
  /* Key and text may be the same bytes, because decrypt writes to neither. */
  memset(around, 0, sizeof around);
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_decrypt(a->way, around, k, around, 16, space, SPACE_SIZE, &offset, &length);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_UNDECRYPTABLE);
}

/* If an answer is inside the space, one would overwrite the other. One shared byte is an overlap; adjacent buffers do
 * not overlap. */
static void refuse_answers_in_space(const struct algorithm *a) {
  static union {
    uint8_t bytes[256];
    size_t places[32];
  } around;
  uint8_t t[CUSTOM_KEYBOARD_MAXTEXTSIZE], before[sizeof around];
  size_t n = encrypted(a, 20, t), offset_elsewhere, length_elsewhere;
  CUSTOM_KEYBOARD keyboard = typed(a->way, key, a->key_length, bytes("kgcx879@"), 8);
  for (size_t start = 60; start < 70; start++)
    for (size_t size = 24; size <= 40; size++)
      for (size_t place = 0; place < 20; place++) {
        size_t at = 8 * place, *inside = &around.places[place];
        int overlaps = at < start + size && start < at + sizeof(size_t);
        for (int is_length = 0; is_length <= 1; is_length++) {
          size_t *o = is_length ? &offset_elsewhere : inside, *l = is_length ? inside : &length_elsewhere;
          CUSTOM_KEYBOARD_RV expected = overlaps ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK;
          memset(&around, 0xa5, sizeof around);
          memcpy(before, &around, sizeof before);
          offset_elsewhere = length_elsewhere = 1111111;
          CHECK_EQUAL(CustomKeyboard_decrypt(a->way, key, a->key_length, t, n, around.bytes + start, size, o, l),
                      expected);
          if (overlaps) CHECK(memcmp(before, &around, sizeof before) == 0);
          if (overlaps) CHECK(offset_elsewhere == 1111111 && length_elsewhere == 1111111);
          if (!overlaps) CHECK(*l == 20 && *o <= size - 20 && around.bytes[start + *o] == 'a');

          memset(&around, 0xa5, sizeof around);
          offset_elsewhere = length_elsewhere = 1111111;
          CHECK_EQUAL(CustomKeyboard_getText(keyboard, around.bytes + start, size, o, l), expected);
          if (overlaps) CHECK(memcmp(before, &around, sizeof before) == 0);
          if (overlaps) CHECK(offset_elsewhere == 1111111 && length_elsewhere == 1111111);
          if (!overlaps) CHECK(*l == 16 && *o <= size - 16);
        }
      }
  /* An empty space overlaps nothing. */
  CHECK_EQUAL(CustomKeyboard_decrypt(a->way, key, a->key_length, t, n, around.bytes + 64, 0, &around.places[8],
                                     &around.places[9]), CUSTOM_KEYBOARD_SPACE);
  CHECK_EQUAL(around.places[9], 20);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

static void refuse_count_in_keys(void) {
  static CUSTOM_KEYBOARD_KEY keys[40], before[40];
  CUSTOM_KEYBOARD keyboard = typed(CUSTOM_ENCWAY_SM4, key, 16, NULL, 0);
  for (size_t capacity = 1; capacity <= 36; capacity += 5)
    for (size_t at = 0; at + sizeof(size_t) <= sizeof keys; at += sizeof(size_t)) {
      size_t *count = (size_t *)(void *)((uint8_t *)keys + at);
      int overlaps = at < capacity * sizeof *keys;
      memset(keys, 0xa5, sizeof keys);
      memcpy(before, keys, sizeof before);
      CUSTOM_KEYBOARD_RV rv = CustomKeyboard_keys(keyboard, keys, capacity, count);
      CHECK_EQUAL(rv, overlaps ? CUSTOM_KEYBOARD_ARGUMENT : capacity < 32 ? CUSTOM_KEYBOARD_SPACE : CUSTOM_KEYBOARD_OK);
      if (overlaps) CHECK(memcmp(before, keys, sizeof keys) == 0);
      if (!overlaps) CHECK_EQUAL(*count, 32);
    }
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- decryptBatch ------------------------------------------------------------------------------------------------ */

enum { BATCH = 70, LETTERS = 5, ROOM = 32 };

static CUSTOM_KEYBOARD_JOB batch[BATCH + 2]; /* the first and the last are not passed to the call */
static uint8_t room[BATCH][ROOM];
static uint8_t one_text[2 * 16];

static void fill_batch(const struct algorithm *a, size_t count, size_t text_length) {
  memset(batch, 0x5a, sizeof batch);
  memset(room, 0xa5, sizeof room);
  for (size_t i = 0; i < count; i++)
    batch[i + 1] = (CUSTOM_KEYBOARD_JOB){key, a->key_length, one_text, text_length, room[i], ROOM, 77,
                                         (CUSTOM_KEYBOARD_RV)77};
}

/* Checks that the call changed only the answers in the array, and that all jobs but one have the right answer. */
static void check_batch(const CUSTOM_KEYBOARD_JOB *before, size_t count, size_t odd) {
  for (size_t i = 0; i < BATCH + 2; i++) {
    CUSTOM_KEYBOARD_JOB now = batch[i];
    int is_job = i >= 1 && i <= count;
    if (is_job && i - 1 != odd) {
      CHECK(now.rv == CUSTOM_KEYBOARD_OK && now.clearLength == LETTERS);
      CHECK(memcmp(room[i - 1], "aaaaa\xa5\xa5", 7) == 0);
    }
    if (is_job) now.clearLength = before[i].clearLength, now.rv = before[i].rv;
    CHECK(memcmp(&now, &before[i], sizeof now) == 0);
  }
}

/* A job whose password would be written into the array of jobs: into its own fields, another job's, or partly outside.
 * Only this job is refused. */
static void refuse_clear_in_jobs(const struct algorithm *a) {
  static const size_t counts[] = {1, 2, 16, BATCH};
  CUSTOM_KEYBOARD_JOB before[BATCH + 2];
  size_t text_length = encrypted(a, LETTERS, one_text), size = sizeof *batch;
  for (size_t c = 0; c < 4; c++) {
    size_t count = counts[c], odd = count / 2, own = size * (odd + 1), end = size * (count + 1);
    /* where `clear` begins, counted from the start of the array, and its capacity */
    const struct {
      size_t at, capacity;
      int overlaps;
    } cases[] = {
        {own + offsetof(CUSTOM_KEYBOARD_JOB, text), 8, 1},
        {own + offsetof(CUSTOM_KEYBOARD_JOB, key), 16, 1},
        {own + offsetof(CUSTOM_KEYBOARD_JOB, clear), ROOM, 1},
        {own, size, 1},
        {end - size, size, 1},           /* the last job's */
        {end - size + 8, 16, 1},         /* and its middle */
        {size, ROOM, 1},                 /* the first job's */
        {size - ROOM + 1, ROOM, 1},      /* one byte of the first */
        {end - 1, ROOM, 1},              /* one byte of the last */
        {size - ROOM, ROOM, 0},          /* before the array */
        {end, ROOM, 0},                  /* behind it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      fill_batch(a, count, text_length);
      batch[odd + 1].clear = (uint8_t *)batch + cases[i].at;
      batch[odd + 1].clearCapacity = cases[i].capacity;
      memcpy(before, batch, sizeof before);
      CHECK_OK(CustomKeyboard_decryptBatch(a->way, batch + 1, count));
      if (cases[i].overlaps) {
        CHECK_EQUAL(batch[odd + 1].rv, CUSTOM_KEYBOARD_ARGUMENT);
        CHECK_EQUAL(batch[odd + 1].clearLength, 0);
      } else {
        CHECK_OK(batch[odd + 1].rv);
        CHECK(memcmp((uint8_t *)batch + cases[i].at, "aaaaa", LETTERS) == 0);
        memcpy((uint8_t *)before + cases[i].at, "aaaaa", LETTERS);
      }
      check_batch(before, count, odd);
    }
  }
}

/* ---- The bare ciphers -------------------------------------------------------------------------------------------- */

static void refuse_setting_up(const struct algorithm *a) {
  CUSTOM_KEYBOARD_CIPHER cipher[3], before[3];
  memset(cipher, 0x5a, sizeof cipher);
  memcpy(before, cipher, sizeof before);
  CUSTOM_KEYBOARD_CIPHER *c = &cipher[1];
  CHECK_EQUAL(CustomKeyboard_setupCipher(NULL, a->way, key, a->key_length, 0), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, NULL, a->key_length, 0), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, NULL, SIZE_MAX, 0), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setupCipher(c, (CUSTOM_ENCWAY)3, key, 16, 0), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setupCipher(c, (CUSTOM_ENCWAY)-1, key, 3, 1), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, NULL, 0, 0), CUSTOM_KEYBOARD_ERR);
  const size_t lengths[] = {0, 1, 7, 9, 15, 17, 23, 25, 1000, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    /* The key directly below the cipher in memory, and directly above it. */
    uint8_t *low = (uint8_t *)&cipher[0], *high = (uint8_t *)&cipher[2];
    CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, key, lengths[i], 0), CUSTOM_KEYBOARD_ERR);
    CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, high, lengths[i], 0), CUSTOM_KEYBOARD_ERR);
    if (lengths[i] < sizeof *c || lengths[i] >= SIZE_MAX / 2)
      CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, low, lengths[i], 0), CUSTOM_KEYBOARD_ERR);
  }
  CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, last_bytes(), 100, 0), CUSTOM_KEYBOARD_ERR);
  for (size_t at = sizeof *c - a->key_length + 1; at < 2 * sizeof *c; at++)
    CHECK_EQUAL(CustomKeyboard_setupCipher(c, a->way, (uint8_t *)cipher + at, a->key_length, 0),
                CUSTOM_KEYBOARD_ARGUMENT);
  CHECK(memcmp(cipher, before, sizeof cipher) == 0);
  /* Adjacent buffers are allowed, and only the cipher is written to. */
  CHECK_OK(CustomKeyboard_setupCipher(c, a->way, (uint8_t *)c - a->key_length, a->key_length, 0));
  CHECK_OK(CustomKeyboard_setupCipher(c, a->way, (uint8_t *)(c + 1), a->key_length, 2));
  CHECK(memcmp(&cipher[0], &before[0], sizeof *c) == 0 && memcmp(&cipher[2], &before[2], sizeof *c) == 0);
}

static void refuse_blocks(const struct algorithm *a) {
  CUSTOM_KEYBOARD_CIPHER c, never, copy;
  uint8_t buffer[256];
  memset(buffer, 0xa5, sizeof buffer);
  CHECK_OK(CustomKeyboard_setupCipher(&c, a->way, key, a->key_length, 0));
  size_t b = a->block_size;
  uint8_t *in = buffer + 64;
#define REFUSED(cipher, input, output, length)                                                              \
  do {                                                                                                      \
    CHECK_EQUAL(CustomKeyboard_cryptECB(cipher, input, output, length), CUSTOM_KEYBOARD_ARGUMENT);          \
    for (size_t spot = 0; spot < sizeof buffer; spot++)                                                     \
      if (buffer[spot] != 0xa5) CHECK_EQUAL(buffer[spot], 0xa5);                                            \
  } while (0)
  REFUSED(NULL, in, in, b);
  REFUSED(&c, NULL, in, b);
  REFUSED(&c, in, NULL, b);
  REFUSED(&c, NULL, NULL, SIZE_MAX);
  REFUSED(&c, in, in, SIZE_MAX);
  REFUSED(&c, in, in, SIZE_MAX - b + 1);
  REFUSED(&c, in, in, SIZE_MAX / 2 + 1);
  REFUSED(&c, last_bytes(), in, b);
  REFUSED(&c, in, last_bytes(), b);
  for (size_t n = 1; n < 64; n++)
    if (n % b != 0) REFUSED(&c, in, in, n);
  for (size_t distance = 1; distance < 3 * b; distance++) {
    REFUSED(&c, in, in + distance, 3 * b);
    REFUSED(&c, in + distance, in, 3 * b);
  }
  for (size_t at = 0; at < sizeof c; at += b) REFUSED(&c, in, (uint8_t *)&c + at, b);
  memcpy(&copy, &c, sizeof copy); /* a copy is a valid cipher; zeroes and random bytes are not */
  CHECK_OK(CustomKeyboard_cryptECB(&copy, in, buffer, b));
  memset(buffer, 0xa5, sizeof buffer);
  CHECK_OK(CustomKeyboard_wipeCipher(&c));
  for (size_t i = 0; i < sizeof c; i++) CHECK_EQUAL(((uint8_t *)&c)[i], 0);
  REFUSED(&c, in, in, b);
  for (int byte = 0; byte < 256; byte++) {
    memset(&never, byte, sizeof never);
    REFUSED(&never, in, in, b);
  }
  CHECK_OK(CustomKeyboard_cryptECB(&copy, in, buffer, 0));
  CHECK_OK(CustomKeyboard_cryptECB(&copy, NULL, NULL, 0));
  CHECK_EQUAL(buffer[0], 0xa5);
  CHECK_OK(CustomKeyboard_cryptECB(&copy, in, in + 3 * b, 3 * b)); /* adjacent */
  CHECK_OK(CustomKeyboard_wipeCipher(&copy));
  CHECK_EQUAL(CustomKeyboard_wipeCipher(NULL), CUSTOM_KEYBOARD_ARGUMENT);
}

int main(void) {
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    refuse_decrypting(&algorithms[i]);
    refuse_overlaps(&algorithms[i]);
    refuse_answers_in_space(&algorithms[i]);
    refuse_clear_in_jobs(&algorithms[i]);
    refuse_setting_up(&algorithms[i]);
    refuse_blocks(&algorithms[i]);
  }
  refuse_count_in_keys();
  return check_end("arguments", 60000);
}
