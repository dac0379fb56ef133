/*
 * Every fault of a ciphertext gives the same code and an unchanged space, so that the answer does not say which fault
 * it was. All 256 padding bytes with both block sizes, each wrong at every position, alone and in a batch; and every
 * length that is not a whole number of blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"

static const uint8_t key[LONGEST_KEY + 1] = "890765432980765423451673";
static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], untouched[sizeof space];

struct ends {
  const struct algorithm *algorithm;
  CUSTOM_KEYBOARD_CIPHER cipher;
  uint8_t empty[16]; /* the text of an empty password */
};

static int are(const uint8_t *bytes, uint8_t value, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != value) return 0;
  return 1;
}

/* The same answer from a batch, whose other jobs are right: decryptBatch judges several paddings together. */
static void check_in_batch(struct ends *ends, const uint8_t *clear, const uint8_t *text, size_t expected) {
  enum { JOBS = 4, ROOM = 16 };
  static uint8_t spaces[JOBS][ROOM];
  static unsigned calls;
  const struct algorithm *a = ends->algorithm;
  CUSTOM_KEYBOARD_JOB jobs[JOBS];
  unsigned place = calls++ % JOBS;
  for (unsigned i = 0; i < JOBS; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){key, a->key_length, i == place ? text : ends->empty, a->block_size, spaces[i], ROOM,
                                    1, CUSTOM_KEYBOARD_ERR};
  memset(spaces, 0x5c, sizeof spaces);
  REQUIRE_OK(CustomKeyboard_decryptBatch(a->way, jobs, JOBS));
  for (unsigned i = 0; i < JOBS; i++) {
    int is_wrong = i == place && expected == SIZE_MAX;
    size_t length = i == place && !is_wrong ? expected : 0;
    int right = CHECK_EQUAL(jobs[i].rv, is_wrong ? CUSTOM_KEYBOARD_UNDECRYPTABLE : CUSTOM_KEYBOARD_OK) &&
                CHECK_EQUAL(jobs[i].clearLength, length) && CHECK(memcmp(spaces[i], clear, length) == 0) &&
                CHECK(are(spaces[i] + length, 0x5c, ROOM - length));
    if (!right) check_print_hex(a->name, clear, a->block_size);
  }
}

/* Encrypts whole blocks, which include their padding, and decrypts them; `expected` is SIZE_MAX if that must fail. */
static void check_clear(struct ends *ends, const uint8_t *clear, size_t length, size_t expected) {
  const struct algorithm *a = ends->algorithm;
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t offset = 1111111, clear_length = 2222222;
  REQUIRE_OK(CustomKeyboard_cryptECB(&ends->cipher, clear, text, length));
  memcpy(space, untouched, sizeof space);
  CUSTOM_KEYBOARD_RV rv =
      CustomKeyboard_decrypt(a->way, key, a->key_length, text, length, space, sizeof space, &offset, &clear_length);
  int right;
  if (expected == SIZE_MAX) {
    right = CHECK_EQUAL(rv, CUSTOM_KEYBOARD_UNDECRYPTABLE) && CHECK(memcmp(space, untouched, sizeof space) == 0) &&
            CHECK(offset == 1111111 && clear_length == 2222222);
  } else {
    right = CHECK_OK(rv) && CHECK_EQUAL(clear_length, expected) && CHECK_BYTES(space + offset, clear, expected);
  }
  if (!right) check_print_hex(a->name, clear, length);
  if (length == a->block_size) check_in_batch(ends, clear, text, expected);
}

/* PKCS#7 (RFC 5652 §6.3), written simply and not constant-time. */
static size_t unpadded(const uint8_t *clear, size_t length, size_t block_size) {
  size_t padding = clear[length - 1];
  if (padding < 1 || padding > block_size) return SIZE_MAX;
  for (size_t i = 1; i <= padding; i++)
    if (clear[length - i] != padding) return SIZE_MAX;
  return length - padding;
}

static void check_padding(struct ends *ends, size_t block_count) {
  size_t size = ends->algorithm->block_size, length = block_count * size;
  uint8_t clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  for (unsigned last = 0; last < 256; last++) {
    /* Only the last byte set, and then as many padding bytes as fit. */
    memset(clear, 0x7e, sizeof clear);
    clear[length - 1] = (uint8_t)last;
    check_clear(ends, clear, length, last == 1 ? length - 1 : SIZE_MAX);
    for (size_t i = 0; i < last && i < length; i++) clear[length - 1 - i] = (uint8_t)last;
    check_clear(ends, clear, length, last >= 1 && last <= size ? length - last : SIZE_MAX);
    if (last < 1 || last > size) continue;
    /* Right except for one byte, which takes all other values. */
    for (size_t place = 1; place <= last; place++)
      for (unsigned value = 0; value < 256; value++) {
        clear[length - place] = (uint8_t)value;
        check_clear(ends, clear, length, unpadded(clear, length, size));
        clear[length - place] = (uint8_t)last;
      }
  }
}

static void check_lengths(struct ends *ends) {
  const struct algorithm *a = ends->algorithm;
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE + 64] = {0};
  for (size_t length = 0; length <= sizeof text; length++) {
    if (length > 0 && length <= CUSTOM_KEYBOARD_MAXTEXTSIZE && length % a->block_size == 0) continue;
    size_t offset = 1111111, clear_length = 2222222;
    memcpy(space, untouched, sizeof space);
    CHECK_EQUAL(CustomKeyboard_decrypt(a->way, key, a->key_length, text, length, space, sizeof space, &offset,
                                       &clear_length),
                length > CUSTOM_KEYBOARD_MAXTEXTSIZE ? CUSTOM_KEYBOARD_MAXLEN : CUSTOM_KEYBOARD_UNDECRYPTABLE);
    CHECK(memcmp(space, untouched, sizeof space) == 0 && offset == 1111111 && clear_length == 2222222);
  }
}

int main(void) {
  for (size_t i = 0; i < sizeof untouched; i++) untouched[i] = (uint8_t)(i * 37);
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    struct ends ends = {&algorithms[i], {{0}}, {0}};
    size_t size = ends.algorithm->block_size;
    REQUIRE_OK(CustomKeyboard_setupCipher(&ends.cipher, ends.algorithm->way, key, ends.algorithm->key_length, 0));
    memset(ends.empty, (int)size, size);
    REQUIRE_OK(CustomKeyboard_cryptECB(&ends.cipher, ends.empty, ends.empty, size));
    check_padding(&ends, 1);
    check_padding(&ends, 2);
    check_padding(&ends, CUSTOM_KEYBOARD_MAXTEXTSIZE / ends.algorithm->block_size);
    check_lengths(&ends);
    REQUIRE_OK(CustomKeyboard_wipeCipher(&ends.cipher));
  }
  return check_end("padding", 750000);
}
