/*
 * Known answers: the results in the paper, the Chinese standard and NIST's documents, through the functions that a user
 * calls. The tables are data files stored with their sources (Tests/Vectors); each has a known number of lines, all of
 * which must run. At the end the test tests itself: a table with one wrong bit must be noticed.
 *
 *     vectors <directory of the tables>
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"

enum { LONGEST_TEXT = 1024 };

struct vector {
  uint8_t key[LONGEST_KEY], plain[LONGEST_TEXT], secret[LONGEST_TEXT];
  size_t key_length, length;
};

/* The library's result for `from`; false if a call fails. */
static int crypt(CUSTOM_ENCWAY way, const uint8_t *key, size_t key_length, int decrypting, const uint8_t *from,
                 uint8_t *to, size_t length) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  if (CustomKeyboard_setupCipher(&cipher, way, key, key_length, decrypting) != CUSTOM_KEYBOARD_OK) return 0;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_cryptECB(&cipher, from, to, length);
  return CustomKeyboard_wipeCipher(&cipher) == CUSTOM_KEYBOARD_OK && rv == CUSTOM_KEYBOARD_OK;
}

/* Whether a vector is right in both directions. */
static int holds(const struct vector *v, CUSTOM_ENCWAY way) {
  uint8_t out[LONGEST_TEXT];
  return crypt(way, v->key, v->key_length, 0, v->plain, out, v->length) && memcmp(out, v->secret, v->length) == 0 &&
         crypt(way, v->key, v->key_length, 1, v->secret, out, v->length) && memcmp(out, v->plain, v->length) == 0;
}

/* Reads `key plaintext ciphertext`; returns 0 for a comment. Any other line ends the test. */
static int read_vector(char *line, struct vector *v) {
  if (line[0] == '#') return 0;
  const char *key = strtok(line, " \n"), *plain = strtok(NULL, " \n"), *secret = strtok(NULL, " \n");
  REQUIRE(key && plain && secret && !strtok(NULL, " \n"));
  v->key_length = from_hex(key, v->key, sizeof v->key);
  v->length = from_hex(plain, v->plain, sizeof v->plain);
  REQUIRE(v->key_length != SIZE_MAX && v->length != SIZE_MAX && v->length > 0);
  REQUIRE(from_hex(secret, v->secret, sizeof v->secret) == v->length);
  return 1;
}

/* Runs a table; for 3DES, DES's key is repeated `times` times. `spoiled` flips one bit of that line's answer. Returns
 * how many vectors fail, and CHECKs only the number of lines. */
static unsigned failures_in(const char *directory, const char *name, CUSTOM_ENCWAY way, int times, int lines,
                            int spoiled) {
  char path[1024], line[4 * LONGEST_TEXT + 256];
  struct vector v;
  unsigned failures = 0;
  int count = 0;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "r");
  if (!file) perror(path);
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    if (!read_vector(line, &v)) continue;
    if (++count == spoiled) v.secret[v.length - 1] ^= 1;
    for (int i = 1; i < times; i++) memcpy(v.key + 8 * i, v.key, 8);
    v.key_length *= (size_t)times;
    if (!holds(&v, way)) {
      failures++;
      if (!spoiled) fprintf(stderr, "%s: vector %d\n", path, count);
    }
  }
  fclose(file);
  CHECK_EQUAL(count, lines);
  return failures;
}

static const struct table {
  const char *name;
  CUSTOM_ENCWAY way;
  int lines;
} tables[] = {
    {"des-variable-plaintext.txt", CUSTOM_ENCWAY_DES, 64},
    {"des-initial-permutation.txt", CUSTOM_ENCWAY_DES, 64},
    {"des-variable-key.txt", CUSTOM_ENCWAY_DES, 56},
    {"des-permutation.txt", CUSTOM_ENCWAY_DES, 32},
    {"des-substitution.txt", CUSTOM_ENCWAY_DES, 19},
    {"des-multi-block.txt", CUSTOM_ENCWAY_DES, 10},
    {"tdes-two-keys.txt", CUSTOM_ENCWAY_3DES, 32},
    {"tdes-three-keys.txt", CUSTOM_ENCWAY_3DES, 32},
    {"tdes-multi-block.txt", CUSTOM_ENCWAY_3DES, 20},
    {"sm4.txt", CUSTOM_ENCWAY_SM4, 32},
};
enum { TABLE_COUNT = sizeof tables / sizeof *tables, DES_TABLE_COUNT = 6 };

static void run_tables(const char *directory) {
  for (int i = 0; i < TABLE_COUNT; i++) {
    const struct table *t = &tables[i];
    CHECK_EQUAL(failures_in(directory, t->name, t->way, 1, t->lines, 0), 0);
    printf("%s: %d known answers\n", t->name, t->lines);
    if (t->way != CUSTOM_ENCWAY_DES) continue;
    /* If all its keys are equal, 3DES is DES. */
    CHECK_EQUAL(failures_in(directory, t->name, CUSTOM_ENCWAY_3DES, 2, t->lines, 0), 0);
    CHECK_EQUAL(failures_in(directory, t->name, CUSTOM_ENCWAY_3DES, 3, t->lines, 0), 0);
  }
}

/* One wrong bit in the first line, in the last, and in one between: exactly one vector fails each time. */
static void notice_wrong_answers(const char *directory) {
  for (int i = 0; i < TABLE_COUNT; i++) {
    const struct table *t = &tables[i];
    const int places[] = {1, t->lines / 2, t->lines};
    for (int j = 0; j < 3; j++) CHECK_EQUAL(failures_in(directory, t->name, t->way, 1, t->lines, places[j]), 1);
  }
}

/* GB/T 32907-2016, Annex A, example 2: example 1 encrypted 1,000,000 times; and decrypted again. */
static void encrypt_a_million_times(void) {
  uint8_t key[16], block[16], expected[16];
  CUSTOM_KEYBOARD_CIPHER cipher;
  from_hex("0123456789abcdeffedcba9876543210", key, sizeof key);
  from_hex("595298c7c6fd271f0402f804c33d3f66", expected, sizeof expected);
  memcpy(block, key, sizeof block);
  CHECK_OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, sizeof key, 0));
  for (int i = 0; i < 1000000 / LESS; i++)
    if (CustomKeyboard_cryptECB(&cipher, block, block, sizeof block) != CUSTOM_KEYBOARD_OK) break;
  if (LESS == 1) CHECK_BYTES(block, expected, sizeof block);
  CHECK_OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, sizeof key, 1));
  for (int i = 0; i < 1000000 / LESS; i++)
    if (CustomKeyboard_cryptECB(&cipher, block, block, sizeof block) != CUSTOM_KEYBOARD_OK) break;
  CHECK_BYTES(block, key, sizeof block);
  CHECK_OK(CustomKeyboard_wipeCipher(&cipher));
}

/* A row of the paper: encrypted through a keyboard, and decrypted without one. */
static void check_row(CUSTOM_ENCWAY way, const char *key, const char *password, const char *hex) {
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], clear[CUSTOM_KEYBOARD_ENCDATASPACESIZE], expected[16];
  size_t offset, length, clear_offset, clear_length;
  REQUIRE(from_hex(hex, expected, sizeof expected) == sizeof expected);
  CUSTOM_KEYBOARD keyboard = typed(way, bytes(key), strlen(key), bytes(password), strlen(password));
  CHECK_OK(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
  CHECK_EQUAL(length, sizeof expected);
  CHECK_BYTES(space + offset, expected, sizeof expected);
  CHECK_OK(CustomKeyboard_decrypt(way, bytes(key), strlen(key), expected, sizeof expected, clear, sizeof clear,
                                  &clear_offset, &clear_length));
  CHECK_EQUAL(clear_length, strlen(password));
  CHECK_BYTES(clear + clear_offset, password, strlen(password));
  CHECK_OK(CustomKeyboard_close(keyboard));
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

static void check_the_paper(void) {
  check_row(CUSTOM_ENCWAY_DES, "89076543", "kgcx879@", "ef145f1aed986f0be696b7d7d09dcd79");
  check_row(CUSTOM_ENCWAY_3DES, "890765432980765423451673", "kgcx879@", "5e6a10496ab1955b0d7e1d774a0c6818");
  check_row(CUSTOM_ENCWAY_SM4, "8907654329807654", "kgcx879@", "0f413569eb66b50be0c1db9c518fb909");
  /* The result that the paper prints for 3DES belongs to another password, with two digits exchanged. */
  check_row(CUSTOM_ENCWAY_3DES, "890765432980765423451673", "kgcx897@", "3e60e9a43c5e3c660d7e1d774a0c6818");
  /* DES ignores the lowest bit of each key byte, so these two keys of digits are the same. */
  check_row(CUSTOM_ENCWAY_DES, "98167452", "kgcx879@", "ef145f1aed986f0be696b7d7d09dcd79");
}

int main(int count, char **arguments) {
  REQUIRE(count == 2);
  check_the_paper();
  run_tables(arguments[1]);
  notice_wrong_answers(arguments[1]);
  encrypt_a_million_times();
  return check_end("vectors", 5 * 8 + (TABLE_COUNT + 2 * DES_TABLE_COUNT) * 2 + 3 * 2 * TABLE_COUNT + 5);
}
