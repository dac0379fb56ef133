/*
 * No two sealed texts are alike, and no part of them: of one password, key and context, sealed by threads, by one
 * keyboard that they share and by their own, and by children that are forked with one state of the generator.
 *
 *     alike [TRIES]          with SM4-GCM and with X25519, 20,000 if not told; fewer with the other ways
 *
 * Only 24 bytes of each text are kept: of its beginning (nonce or ephemeral key), of its middle and of its tag. By
 * chance, two of a million such numbers are alike once in 2^24 runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "locked.h"
#include "sealed.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PROCESSES = 4, THREADS = 4, PARTS = 3, USUAL = 20000 / LESS };

static uint64_t *records[PARTS]; /* in memory that the processes share */
static size_t tries;
static struct pair pair;
static struct bytes password, context;
static CUSTOM_KEYBOARD shared_one;
static int process;

static void keep(const uint8_t *text, size_t at) {
  const size_t length = pair.sealing->text_length;
  memcpy(&records[0][at], text + 1, 8); /* a point begins with 04 */
  memcpy(&records[1][at], text + length - 100, 8);
  memcpy(&records[2][at], text + length - 8, 8);
}

/* Every second text is of the keyboard that all threads share. */
static void *seal_many(void *number) {
  CUSTOM_KEYBOARD own = ready(&pair, &password, &context);
  uint8_t text[LONGEST_SEALED];
  for (size_t at = (size_t)process * THREADS + (size_t)(uintptr_t)number; at < tries; at += PROCESSES * THREADS) {
    take_text((at / (PROCESSES * THREADS)) % 2 ? own : shared_one, pair.sealing, text);
    keep(text, at);
  }
  REQUIRE_OK(CustomKeyboard_destroy(own));
  return NULL;
}

static void seal_in_threads(void) {
  pthread_t threads[THREADS];
  shared_one = ready(&pair, &password, &context);
  for (size_t i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&threads[i], NULL, seal_many, (void *)(uintptr_t)i) == 0);
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  REQUIRE_OK(CustomKeyboard_destroy(shared_one));
}

static int compare(const void *one, const void *other) {
  const uint64_t *a = one, *b = other;
  return (*a > *b) - (*a < *b);
}

/* How many of the numbers are there twice. */
static size_t count_alike(const uint64_t *numbers, size_t count) {
  size_t alike = 0;
  uint64_t *sorted = malloc(count * sizeof *sorted);
  REQUIRE(sorted);
  memcpy(sorted, numbers, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare);
  for (size_t i = 1; i < count; i++) alike += sorted[i] == sorted[i - 1];
  free(sorted);
  return alike;
}

/* A generator that repeats itself makes texts that are alike, and they are found. Called first: there is only one
 * generator then. */
static void check_control(const struct sealed_way *sealing) {
  static const uint64_t budget = 1 << 20;
  uint8_t text[LONGEST_SEALED], again[GENERATOR_KEY];
  pair = new_pair(sealing);
  CUSTOM_KEYBOARD keyboard = ready(&pair, &password, &context);
  take_text(keyboard, pair.sealing, text);
  uint8_t *generator = generator_key_of(SEALED_WORKSPACE);
  memcpy(again, generator, sizeof again);
  for (size_t at = 0; at < 2; at++) {
    memcpy(generator, again, sizeof again);
    memcpy(generator - GENERATOR_KEY + 8, &budget, sizeof budget);
    take_text(keyboard, pair.sealing, text);
    keep(text, at);
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  for (int part = 0; part < PARTS; part++) CHECK_EQUAL(count_alike(records[part], 2), 1);
}

static void seal_differently(const struct sealed_way *sealing, size_t count) {
  uint64_t seed = take_seed();
  pid_t children[PROCESSES];
  pair = new_pair(sealing);
  password = drawn_password(&seed, 8), context = drawn(&seed, 16);
  tries = count;
  for (int part = 0; part < PARTS; part++) memset(records[part], 0, tries * sizeof *records[part]);
  fflush(NULL);
  for (process = 1; process < PROCESSES; process++) {
    children[process] = fork();
    REQUIRE(children[process] >= 0);
    if (children[process] == 0) {
      seal_in_threads();
      _exit(atomic_load(&check_failures) > 0);
    }
  }
  process = 0;
  seal_in_threads();
  for (int i = 1; i < PROCESSES; i++) {
    int status;
    REQUIRE(waitpid(children[i], &status, 0) == children[i]);
    CHECK_EQUAL(status, 0);
  }
  for (int part = 0; part < PARTS; part++)
    if (!CHECK_EQUAL(count_alike(records[part], tries), 0))
      fprintf(stderr, "  (%s: %s)\n", sealing->name, part == 0 ? "beginning" : part == 1 ? "middle" : "tag");
  printf("%s: %zu texts, none alike\n", sealing->name, tries);
}

int main(int count, char **arguments) {
  size_t most = count > 1 ? strtoul(arguments[1], NULL, 10) : USUAL;
  size_t size = PARTS * most * sizeof(uint64_t);
  uint64_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED && most >= 100);
  for (size_t i = 0; i < PARTS; i++) records[i] = memory + i * most;
  for (int i = 0; i < SEALED_WAYS; i++) check_control(&sealed_ways[i]);
  for (int i = 0; i < SEALED_WAYS; i++) {
    int is_usual = sealed_ways[i].way == CUSTOM_ENCWAY_SM4_GCM || sealed_ways[i].way == CUSTOM_ENCWAY_X25519;
    seal_differently(&sealed_ways[i], is_usual ? most : most / 20);
  }
  return check_end("alike", SEALED_WAYS * (2 * PARTS + PROCESSES - 1) * LESS);
}
