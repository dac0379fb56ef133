/*
 * Where the result is in its space, and what surrounds it. The offset is random, each value equally likely, and all
 * other bytes are random. The paper's formula could go past the end of the space and favoured some offsets.
 *
 * No seed is chosen. The bounds fail by chance less than once in 10^9 runs of the program: chi-square with k degrees of
 * freedom exceeds k + 2 sqrt(k t) + 2 t with a probability of at most exp(-t) (Laurent and Massart, Annals of
 * Statistics 28 (2000), lemma 1). The program computes at most 200 such values, with t = 30: 200 exp(-30) = 1.9e-11.
 * That holds in the limit of many draws; the remaining factor of 50 is for cells that expect only 60. (The fewest cells
 * are two: the bound is then 8.5 sigma, for which Hoeffding's inequality gives 2 exp(-36).)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"

enum { PER_OFFSET = 60 };

static const uint8_t key[] = "890765432980765423451673";
static int statistics; /* how many chi-square values were compared with a bound */

/* A square root by Newton's method, so that no maths library is needed. */
static double root(double x) {
  double r = x > 1 ? x : 1;
  for (int i = 0; i < 100; i++) r = (r + x / r) / 2;
  return r;
}

static void check_uniform(const unsigned long *counts, size_t cells, const char *what) {
  const double t = 30, freedom = (double)cells - 1;
  double total = 0, square = 0;
  for (size_t i = 0; i < cells; i++) total += (double)counts[i];
  double expected = total / (double)cells;
  REQUIRE(expected >= 50);
  for (size_t i = 0; i < cells; i++) {
    double deviation = (double)counts[i] - expected;
    square += deviation * deviation / expected;
  }
  double bound = freedom + 2 * root(freedom * t) + 2 * t;
  statistics++;
  if (!CHECK(square < bound))
    fprintf(stderr, "  %s: chi-square %.1f, bound %.1f, %zu cells\n", what, square, bound, cells);
}

struct ask {
  const struct algorithm *algorithm;
  size_t password_length, space_size;
  int decrypting;
};

static void check_placement(struct ask ask) {
  static unsigned long offsets[4096], values[256];
  static uint8_t space[4096], last[4096];
  const struct algorithm *a = ask.algorithm;
  uint8_t password[CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE], text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t offset, length, text_length = padded(ask.password_length, a->block_size);
  size_t result = ask.decrypting ? ask.password_length : text_length, places = ask.space_size - result + 1;
  memset(password, 'p', sizeof password);
  memset(offsets, 0, sizeof offsets);
  memset(values, 0, sizeof values);
  CUSTOM_KEYBOARD keyboard = typed(a->way, key, a->key_length, password, ask.password_length);
  REQUIRE_OK(CustomKeyboard_getText(keyboard, text, text_length, &offset, &length));

  size_t zeroes = 0, repeated = 0, filled = 0, wrong = 0;
  for (size_t run = 0; run < places * PER_OFFSET; run++) {
    memcpy(last, space, sizeof last);
    memset(space, 0, sizeof space);
    CUSTOM_KEYBOARD_RV rv =
        ask.decrypting ? CustomKeyboard_decrypt(a->way, key, a->key_length, text, text_length, space, ask.space_size,
                                                &offset, &length)
                       : CustomKeyboard_getText(keyboard, space, ask.space_size, &offset, &length);
    if (rv != CUSTOM_KEYBOARD_OK || length != result || offset >= places ||
        memcmp(space + offset, ask.decrypting ? password : text, result) != 0) {
      wrong++;
      continue;
    }
    offsets[offset]++;
    size_t same = 0;
    for (size_t i = 0; i < ask.space_size; i++) {
      if (i == offset) i += length;
      if (i >= ask.space_size) break;
      values[space[i]]++;
      filled++;
      zeroes += space[i] == 0;
      same += space[i] == last[i];
    }
    repeated += run > 0 && ask.space_size - result >= 16 && same == ask.space_size - result;
  }
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(repeated, 0);
  for (size_t i = 0; i < places; i++) CHECK(offsets[i] > 0);
  if (places > 1) check_uniform(offsets, places, ask.decrypting ? "offsets of decrypt" : "offsets of getText");
  if (filled >= 256 * 50) {
    check_uniform(values, 256, "bytes of the filling");
    /* Bytes that were never written would be zero: the number of zeroes is within 8 sigma of the expected one. */
    double mean = (double)filled / 256;
    CHECK((double)zeroes < mean + 8 * root(mean));
  }
  for (size_t i = ask.space_size; i < sizeof space; i++)
    if (space[i] != 0) CHECK_EQUAL(space[i], 0); /* nothing is written after the space */
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* Neighbouring bytes are independent, and so is each filling of the one before and of the offset. Tests pairs of 4-bit
 * halves over many fillings. */
static void check_independence(void) {
  static unsigned long along[256], across[256], with_offset[256];
  static uint8_t space[1024], last[1024];
  size_t offset, length, last_offset = 0;
  CUSTOM_KEYBOARD keyboard = typed(CUSTOM_ENCWAY_SM4, key, 16, NULL, 0);
  for (int run = 0; run < 2000 / LESS; run++) {
    REQUIRE_OK(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
    for (size_t i = 0; i + 1 < sizeof space; i += 2) {
      int inside = i + 1 >= offset && i < offset + length;
      int inside_last = i + 1 >= last_offset && i < last_offset + length;
      if (inside) continue;
      along[(space[i] & 15) << 4 | (space[i + 1] & 15)]++;
      with_offset[(space[i] & 15) << 4 | (space[i + 1] >> 4)]++;
      if (run > 0 && !inside_last) across[(space[i] & 15) << 4 | (last[i] & 15)]++;
    }
    memcpy(last, space, sizeof last);
    last_offset = offset;
  }
  check_uniform(along, 256, "neighbours, low nibbles");
  check_uniform(with_offset, 256, "neighbours, low and high nibbles");
  check_uniform(across, 256, "one filling and the next");
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

int main(void) {
  /* With 60 draws for each of n offsets, the probability that some offset is never drawn is n exp(-60): 1e-23. */
  for (int i = 0; i < ALGORITHM_COUNT; i++)
    for (int decrypting = 0; decrypting <= 1; decrypting++) {
      size_t block = algorithms[i].block_size, exact = decrypting ? 8 : padded(8, block);
      const size_t sizes[] = {exact, exact + 1, exact + 2, exact + 7, 100, 257, 1024};
      for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
        if (sizes[j] == 1024 && i != ALGORITHM_COUNT - 1 && i != 0) continue;
        if (LESS > 1 && sizes[j] > 100) continue;
        check_placement((struct ask){&algorithms[i], 8, sizes[j], decrypting});
      }
    }
  check_placement((struct ask){&algorithms[3], 128, 150, 0});
  check_placement((struct ask){&algorithms[3], 128, 150, 1});
  check_placement((struct ask){&algorithms[3], 0, 40, 1});
  check_independence();
  CHECK(statistics >= (LESS > 1 ? 40 : 70) && statistics <= 200);
  return check_end("placement", 7000);
}
