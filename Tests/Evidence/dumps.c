/*
 * Core dumps must not contain a password, a key, a key schedule, the random generator's key or the order of the keys,
 * at whatever point the process dies. The process also searches its own memory at these points. For comparison, secrets
 * in ordinary memory are found in each dump.
 *
 *     dumps kernel|gdb|gdb-all|search    who writes the dump; `search` is for a process that lives
 *     dumps victim …                     the process that dies
 *
 * Run it in an empty directory: dumps are written, searched and removed there. gdb is slow, so without gdb-all each
 * point is dumped for only one of the algorithms; the controls are dumped for each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "dump_file.h"
#include "schedules.h"
#include "victim.h"

/* ---- What to look for -------------------------------------------------------------------------------------------- */

static void add_words(const uint32_t *words, size_t count, int swapped) {
  for (size_t i = 0; i + 2 <= count; i++) {
    uint32_t pair[2] = {words[i], words[i + 1]};
    if (swapped) pair[0] = __builtin_bswap32(pair[0]), pair[1] = __builtin_bswap32(pair[1]);
    uint64_t window;
    memcpy(&window, pair, sizeof window);
    add_needle("schedule", window);
  }
}

enum { DRAWS = 20 /* more draws than the victim's calls need */ };

/* The keys that the victim's generator has, one after another, and the order that its keyboard shows first. */
static void add_generator(void) {
  uint8_t now[RANDOM_KEY], next[RANDOM_KEY], parities[POOLS] = {NEVER_SHOWN};
  memcpy(now, show(&generator, 0, RANDOM_KEY), RANDOM_KEY);
  draw_order(now, DRAWN_BY_OPEN, CUSTOM_KEYBOARD_LAYOUT_LETTERS, parities, &foretold.order);
  add_numbers("shuffle", foretold.order.draws, CHARACTERS);
  add_numbers("shuffle", foretold.order.places, CHARACTERS);
  for (int i = 0; i < CHARACTERS; i++) foretold.form[i] = foretold.order.places[i] ^ (uint8_t)i;
  add_numbers("shuffle", foretold.form, CHARACTERS);
  for (int i = 0; i < DRAWS; i++) {
    add_needles("drawn", now, RANDOM_KEY, 4);
    add_doubles("drawn", now, RANDOM_KEY);
    next_key(now, next);
    memcpy(now, next, RANDOM_KEY);
  }
}

/* Needles, and the ciphertexts that the victim receives. */
static void prepare(const struct algorithm *a, uint64_t seed, int with_planted) {
  uint32_t words[SCHEDULE_WORDS];
  uint8_t clear[48];
  CUSTOM_KEYBOARD_CIPHER cipher;
  memset(&needles, 0, sizeof needles);
  needles.factor = seed | 1;
  draw_secrets(a, seed);
  add_needles("password", show(&password, 0, PASSWORD), PASSWORD, 1);
  if (with_planted) add_needles("planted", show(&planted, 0, PLANTED), PLANTED, 1);
  add_needles("key", show(&key, 0, key.length), key.length, 1);
  add_generator();
  for (int decrypting = 0; decrypting < 2; decrypting++)
    for (int swapped = 0; swapped < 2; swapped++) {
      add_words(words, make_schedule(a, show(&key, 0, key.length), decrypting, words), swapped);
      /* SM4's own instructions use round keys in another basis, so the keys of a set-up cipher are needles too. */
      REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, show(&key, 0, key.length), key.length, decrypting));
      add_words((const uint32_t *)&cipher + 2, sizeof cipher / 4 - 2, swapped);
    }
  victim.text_length = padded(PASSWORD, a->block_size);
  memset(clear, (int)(victim.text_length - PASSWORD), sizeof clear);
  memcpy(clear, show(&password, 0, PASSWORD), PASSWORD);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, show(&key, 0, key.length), key.length, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, victim.text, victim.text_length));
  clear[victim.text_length - 1] = 0;
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, victim.faulty_text, victim.text_length));
}

/* ---- Dumps ------------------------------------------------------------------------------------------------------- */

static size_t dumped_bytes, torn;

static void check_dump(int algorithm, enum point point, uint64_t seed, int by_gdb) {
  char numbers[3][32], texts[2][97], *words[] = {"victim", numbers[0], numbers[1], numbers[2], texts[0], texts[1]};
  struct findings found = {0};
  int status, is_control = point >= POINT_CONTROL_CIPHER;
  prepare(&algorithms[algorithm], seed, 1);
  snprintf(numbers[0], 32, "%d", algorithm);
  snprintf(numbers[1], 32, "%d", point);
  snprintf(numbers[2], 32, "%llu", (unsigned long long)seed);
  to_hex(victim.text, victim.text_length, texts[0]);
  to_hex(victim.faulty_text, victim.text_length, texts[1]);
  int passed = dump_victim(by_gdb, words, &found, &status);
  size_t secrets = found.password + found.key + found.schedule;
  /* If the process dies in the middle of a draw, the generator's key is in registers; it is never used again. */
  int is_torn = point == POINT_IN_TEXT || point == POINT_IN_DECRYPT || point == POINT_IN_PLACING;
  if (!is_control) passed &= CHECK_EQUAL(found.shuffle, 0);
  if (!is_control && !is_torn) passed &= CHECK_EQUAL(found.generator, 0);
  if (is_control && point != POINT_CONTROL_CIPHER) passed &= CHECK(found.generator > 0);
  if (point == POINT_CONTROL_TYPED || point == POINT_CONTROL_IN_TEXT) passed &= CHECK(found.shuffle > 0);
  torn += (size_t)is_torn;
  if (!is_control || point == POINT_CONTROL_TYPED) {
    passed &= CHECK_EQUAL(secrets, 0);
  } else {
    /* All subkeys except those that are too regular to search for. */
    uint32_t unused[SCHEDULE_WORDS];
    size_t count = make_schedule(&algorithms[algorithm], show(&key, 0, key.length), 0, unused);
    /* SM4 may have no schedule in getText, where few blocks use a key that is not expanded, and for one decrypted
     * block. */
    int has_schedule = algorithms[algorithm].way != CUSTOM_ENCWAY_SM4 || point == POINT_CONTROL_CIPHER ||
                       (point == POINT_CONTROL_IN_DECRYPT && victim.text_length > 16);
    if (has_schedule) passed &= CHECK(found.schedule > count / 2);
    if (point != POINT_CONTROL_IN_DECRYPT) passed &= CHECK(found.key >= 1); /* the caller wiped it */
    if (point != POINT_CONTROL_IN_TEXT) passed &= CHECK(found.password >= 8); /* it is encrypted there */
  }
  dumped_bytes += found.bytes;
  if (!passed)
    fprintf(stderr, "  (%s, %s, by %s: password %zu, key %zu, schedule %zu, generator %zu, shuffle %zu, "
            "planted %zu of %zu "
            "bytes, status %#x)\n", algorithms[algorithm].name, point_texts[point], by_gdb ? "gdb" : "the kernel",
            found.password, found.key, found.schedule, found.generator, found.shuffle, found.planted, found.bytes,
            status);
}

/* ---- Processes that live ----------------------------------------------------------------------------------------- */

static void check_living(int algorithm, uint64_t seed) {
  char numbers[3][32];
  int in[2], out[2], status;
  unsigned long checks = 0;
  prepare(&algorithms[algorithm], seed, 0);
  snprintf(numbers[0], 32, "%d", algorithm);
  snprintf(numbers[1], 32, "%d", POINT_ALL);
  snprintf(numbers[2], 32, "%llu", (unsigned long long)seed);
  char texts[2][97];
  to_hex(victim.text, victim.text_length, texts[0]);
  to_hex(victim.faulty_text, victim.text_length, texts[1]);
  fflush(NULL);
  REQUIRE(pipe(in) == 0 && pipe(out) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    execl("/proc/self/exe", "dumps", "victim", numbers[0], numbers[1], numbers[2], texts[0], texts[1], (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  REQUIRE(write(in[1], &needles, sizeof needles) == (ssize_t)sizeof needles);
  close(in[1]);
  CHECK(read(out[0], &checks, sizeof checks) == (ssize_t)sizeof checks);
  close(out[0]);
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, 0) || !CHECK(checks > 60)) fprintf(stderr, "  (%s)\n", algorithms[algorithm].name);
  atomic_fetch_add(&check_count, checks);
}

static int be_victim(char **words) {
  uint64_t seed = strtoull(words[2], NULL, 10);
  victim.algorithm = &algorithms[atoi(words[0])];
  victim.point = (enum point)atoi(words[1]);
  victim.text_length = from_hex(words[3], victim.text, sizeof victim.text);
  REQUIRE(from_hex(words[4], victim.faulty_text, sizeof victim.faulty_text) == victim.text_length);
  for (size_t filled = 0; victim.point == POINT_ALL && filled < sizeof needles;) {
    ssize_t got = read(STDIN_FILENO, (uint8_t *)&needles + filled, sizeof needles - filled);
    REQUIRE(got > 0);
    filled += (size_t)got;
  }
  draw_secrets(victim.algorithm, seed);
  live();
  REQUIRE(victim.point == POINT_ALL); /* otherwise it should have died */
  REQUIRE(write(STDOUT_FILENO, &check_count, sizeof check_count) == (ssize_t)sizeof check_count);
  return atomic_load(&check_failures) > 0;
}

int main(int count, char **words) {
  if (count == 7 && strcmp(words[1], "victim") == 0) return be_victim(words + 2);
  REQUIRE(count == 2);
  uint64_t seed = take_seed();
  int by_gdb = strncmp(words[1], "gdb", 3) == 0, is_short = strcmp(words[1], "gdb") == 0, dumps = 0, controls = 0;
  printf("seed %llu\n", (unsigned long long)first_seed);
  if (strcmp(words[1], "search") == 0) {
    for (int round = 0; round < 5; round++)
      for (int algorithm = 0; algorithm < ALGORITHM_COUNT; algorithm++) check_living(algorithm, draw(&seed));
    return check_end("searched", 1000);
  }
  for (int point = 0; point < POINT_COUNT; point++)
    for (int algorithm = 0; algorithm < ALGORITHM_COUNT; algorithm++) {
      if (is_short && point < POINT_CONTROL_CIPHER && algorithm != point % ALGORITHM_COUNT) continue;
      check_dump(algorithm, (enum point)point, draw(&seed), by_gdb);
      if (point < POINT_CONTROL_CIPHER)
        dumps++;
      else
        controls++;
    }
  printf("dumps %d, and %d of controls\nmegabytes %zu\n", dumps, controls, dumped_bytes >> 20);
  printf("torn %zu in the middle of a call\n", torn);
  return check_end(words[1], 4 * POINT_COUNT);
}
