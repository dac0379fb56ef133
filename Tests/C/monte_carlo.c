/*
 * Known answers that take millions of blocks, where each block depends on the one before: NIST's Monte Carlo tests for
 * 3DES, and SM4 encrypted a million times. One error anywhere changes all later answers. At the end the test tests
 * itself: a table with one wrong bit, in any line, must be noticed.
 *
 *     monte_carlo <directory of the tables> [outer rounds, of 400 [lines of SM4's table]]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"

enum { OUTER = 400, INNER = 10000, LINES = 72, LINES_OF_A_RUN = 12 };

static int outer = OUTER, sm4_lines = 2;
static unsigned long long blocks;

/* ---- The runs --------------------------------------------------------------------------------------------------- */

/* Inputs and outputs by count, for each keying option and direction. */
struct result {
  uint8_t keys[3][8], text[8], answer[8];
};
static struct result results[3][2][OUTER];

static void set_odd_parity(uint8_t *key) {
  for (int i = 0; i < 8; i++) {
    int ones = 0;
    for (int bit = 1; bit < 8; bit++) ones += key[i] >> bit & 1;
    key[i] = (uint8_t)((key[i] & 0xfe) | (ones % 2 == 0));
  }
}

/* 10,000 blocks; `last` receives the last three answers, the latest first. `length` is how many key bytes the library
 * gets: 24, 16 under option 2, 8 for single DES. */
static void run_inner(CUSTOM_ENCWAY way, const uint8_t *keys, size_t length, int decrypting, const uint8_t *text,
                      uint8_t last[3][8]) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  uint8_t block[8];
  memcpy(block, text, 8);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, way, keys, length, decrypting));
  for (int i = 0; i < INNER; i++) {
    memmove(last[1], last[0], 16);
    REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, block, block, 8));
    memcpy(last[0], block, 8);
  }
  REQUIRE_OK(CustomKeyboard_wipeCipher(&cipher));
  blocks += INNER;
}

static void run(int option, int decrypting, CUSTOM_ENCWAY way, size_t length) {
  static const uint8_t first[24] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x23, 0x45, 0x67, 0x89,
                                    0xab, 0xcd, 0xef, 0x01, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23};
  uint8_t keys[3][8], last[3][8], text[8];
  memcpy(keys, first, 24);
  memcpy(text, "Now is t", 8);
  for (int count = 0; count < outer; count++) {
    if (option == 3) memcpy(keys[1], keys[0], 8);
    if (option != 1) memcpy(keys[2], keys[0], 8);
    struct result *r = &results[option - 1][decrypting][count];
    memcpy(r->keys, keys, 24);
    memcpy(r->text, text, 8);
    run_inner(way, keys[0], length, decrypting, text, last);
    memcpy(r->answer, last[0], 8);
    memcpy(text, last[0], 8);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 8; j++) keys[i][j] ^= last[i][j];
      set_odd_parity(keys[i]);
    }
  }
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

/* How many lines of one option fail; `spoiled` is the line whose answer gets a flipped bit. */
static int failures_in(const char *directory, int option, int spoiled) {
  char path[1024], line[256], keys[49], text[17], answer[17], direction;
  int failures = 0, lines = 0, seen = 0, line_option, count;
  snprintf(path, sizeof path, "%s/tdes-monte-carlo.txt", directory);
  FILE *file = fopen(path, "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    struct result expected;
    if (line[0] == '#') continue;
    REQUIRE(sscanf(line, "%d %c %d %48s %16s %16s", &line_option, &direction, &count, keys, text, answer) == 6);
    REQUIRE(from_hex(keys, expected.keys[0], 24) == 24 && from_hex(text, expected.text, 8) == 8);
    REQUIRE(from_hex(answer, expected.answer, 8) == 8 && 0 <= count && count < OUTER);
    lines++;
    if (line_option != option || count >= outer) continue;
    if (++seen == spoiled) expected.answer[count % 8] ^= 1 << option;
    if (memcmp(&results[option - 1][direction == 'D'][count], &expected, sizeof expected) == 0) continue;
    failures++;
    if (!spoiled) fprintf(stderr, "%s: option %d, %c, count %d\n", path, option, direction, count);
  }
  fclose(file);
  CHECK_EQUAL(lines, LINES);
  if (outer == OUTER) CHECK_EQUAL(seen, 2 * LINES_OF_A_RUN);
  return failures;
}

static void check_runs(const char *directory, const char *name, int option, CUSTOM_ENCWAY way, size_t length) {
  memset(results, 0, sizeof results);
  run(option, 0, way, length);
  run(option, 1, way, length);
  CHECK_EQUAL(failures_in(directory, option, 0), 0);
  for (int line = 1; outer == OUTER && line <= 2 * LINES_OF_A_RUN; line++)
    CHECK_EQUAL(failures_in(directory, option, line), 1);
  printf("Monte Carlo, %s: 2 runs of %d x %d\n", name, outer, INNER);
}

/* ---- SM4 -------------------------------------------------------------------------------------------------------- */

static void repeat(const uint8_t *key, int decrypting, uint8_t *block, long times) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, 16, decrypting));
  for (long i = 0; i < times; i++) REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, block, block, 16));
  REQUIRE_OK(CustomKeyboard_wipeCipher(&cipher));
  blocks += (unsigned long long)times;
}

static void iterate_sm4(const char *directory) {
  char path[1024], line[256], fields[3][33];
  int lines = 0;
  long times;
  snprintf(path, sizeof path, "%s/sm4-iterated.txt", directory);
  FILE *file = fopen(path, "r");
  REQUIRE(file);
  while (lines < sm4_lines && fgets(line, sizeof line, file)) {
    uint8_t key[16], plain[16], secret[16], block[16];
    if (line[0] == '#') continue;
    REQUIRE(sscanf(line, "%32s %32s %32s %ld", fields[0], fields[1], fields[2], &times) == 4);
    REQUIRE(from_hex(fields[0], key, 16) == 16 && from_hex(fields[1], plain, 16) == 16);
    REQUIRE(from_hex(fields[2], secret, 16) == 16);
    memcpy(block, plain, 16);
    repeat(key, 0, block, times);
    CHECK_BYTES(block, secret, 16);
    repeat(key, 1, block, times);
    CHECK_BYTES(block, plain, 16);
    block[15] ^= 1; /* one wrong bit before the last million must give another answer */
    repeat(key, 0, block, times);
    CHECK(memcmp(block, secret, 16) != 0);
    lines++;
  }
  fclose(file);
  CHECK_EQUAL(lines, sm4_lines);
}

int main(int count, char **arguments) {
  REQUIRE(2 <= count && count <= 4);
  if (count > 2) outer = atoi(arguments[2]);
  if (count > 3) sm4_lines = atoi(arguments[3]);
  REQUIRE(0 <= outer && outer <= OUTER && 0 <= sm4_lines && sm4_lines <= 2);
  if (outer > 0) {
    check_runs(arguments[1], "three keys", 1, CUSTOM_ENCWAY_3DES, 24);
    check_runs(arguments[1], "two keys", 2, CUSTOM_ENCWAY_3DES, 16);
    check_runs(arguments[1], "one key", 3, CUSTOM_ENCWAY_3DES, 24);
    check_runs(arguments[1], "DES", 3, CUSTOM_ENCWAY_DES, 8);
  }
  iterate_sm4(arguments[1]);
  printf("monte_carlo: %llu blocks\n", blocks);
  return check_end("monte_carlo", (outer < OUTER ? 0 : 4 * (3 + 24 * 3)) + 3 * (unsigned long)sm4_lines + 1);
}
