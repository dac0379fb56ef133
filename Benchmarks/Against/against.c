/*
 * Two builds of the library against each other, in one process: `make bench-against OTHER=path/libcustomkeyboard.so`.
 * They take turns, each beginning every second round, and the ratio is taken within a round: this build's time divided
 * by the other's. Shown are medians, and half the interquartile range of the ratio in percent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "../../Include/custom_keyboard.h"
#include "../clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 201, SAMPLE = 250000 /* ns */, BULK = 16384, LARGEST_BATCH = 4096, BLOCK = 16 };

static const uint8_t key[] = "890765432980765423451673", password[] = "kgcx879@";
enum { PASSWORD = sizeof password - 1 };

#define REQUIRE(condition) \
  do \
    if (!(condition)) fprintf(stderr, "against: %s fails (line %d)\n", #condition, __LINE__), exit(1); \
  while (0)

/* One build: its functions, and what they work on. */
struct build {
#define FUNCTION(name) __typeof__(CustomKeyboard_##name) *name;
#define FUNCTIONS \
  FUNCTION(create) FUNCTION(setEncKey) FUNCTION(setLayout) FUNCTION(open) FUNCTION(close) FUNCTION(input) \
  FUNCTION(clear) FUNCTION(touch) FUNCTION(getText) FUNCTION(decrypt) FUNCTION(decryptBatch) FUNCTION(setupCipher) \
  FUNCTION(cryptECB) FUNCTION(version)
  FUNCTIONS
#undef FUNCTION
  CUSTOM_KEYBOARD sm4, triple_des, idle, pad;
  CUSTOM_KEYBOARD_CIPHER cipher;
  CUSTOM_KEYBOARD_JOB jobs[LARGEST_BATCH];
  uint8_t text[BLOCK], output[BULK];
};

static uint8_t input[BULK], keys[LARGEST_BATCH][BLOCK], texts[LARGEST_BATCH][BLOCK];
static uint8_t clears[2][LARGEST_BATCH][BLOCK];

/* ---- What is measured: `count` operations, and the codes of all calls joined ------------------------------------- */

typedef unsigned work(struct build *b, long count);

static unsigned bulk(struct build *b, long count) {
  unsigned codes = 0;
  while (count--) codes |= b->cryptECB(&b->cipher, input, b->output, BULK);
  return codes;
}

static unsigned get_text(struct build *b, CUSTOM_KEYBOARD keyboard, size_t size, long count) {
  unsigned codes = 0;
  size_t offset, length;
  while (count--) codes |= b->getText(keyboard, b->output, size, &offset, &length);
  return codes;
}

static unsigned text_exact(struct build *b, long count) { return get_text(b, b->sm4, BLOCK, count); }
static unsigned text_1024(struct build *b, long count) { return get_text(b, b->sm4, 1024, count); }
static unsigned triple_des(struct build *b, long count) { return get_text(b, b->triple_des, BLOCK, count); }

static unsigned decrypt(struct build *b, long count) {
  unsigned codes = 0;
  size_t offset, length;
  while (count--)
    codes |= b->decrypt(CUSTOM_ENCWAY_SM4, key, 16, b->text, BLOCK, b->output, PASSWORD, &offset, &length);
  return codes;
}

static unsigned batch(struct build *b, size_t size, long count) {
  unsigned codes = 0;
  while (count--) codes |= b->decryptBatch(CUSTOM_ENCWAY_SM4, b->jobs, size);
  for (size_t i = 0; i < size; i++) codes |= b->jobs[i].rv;
  return codes;
}

static unsigned batch_16(struct build *b, long count) { return batch(b, 16, count); }
static unsigned batch_64(struct build *b, long count) { return batch(b, 64, count); }
static unsigned batch_256(struct build *b, long count) { return batch(b, 256, count); }
static unsigned batch_4096(struct build *b, long count) { return batch(b, 4096, count); }

static unsigned open_close(struct build *b, long count) {
  unsigned codes = 0;
  while (count--) codes |= b->open(b->idle) | b->close(b->idle);
  return codes;
}

static unsigned touch_clear(struct build *b, long count) {
  unsigned codes = 0;
  while (count--) codes |= b->touch(b->pad, 10, 10) | b->clear(b->pad);
  return codes;
}

static unsigned setup(struct build *b, long count) {
  unsigned codes = 0;
  while (count--) codes |= b->setupCipher(&b->cipher, CUSTOM_ENCWAY_SM4, key, 16, 0);
  return codes;
}

static const struct item {
  const char *name;
  work *run;
} items[] = {
    {"SM4-ECB, 16 KiB", bulk},
    {"getText, SM4, exact space", text_exact},
    {"getText, SM4, 1024 bytes", text_1024},
    {"getText, 3DES, exact space", triple_des},
    {"decrypt, SM4, exact space", decrypt},
    {"decryptBatch of 16", batch_16},
    {"decryptBatch of 64", batch_64},
    {"decryptBatch of 256", batch_256},
    {"decryptBatch of 4096", batch_4096},
    {"open and close", open_close},
    {"touch and clear", touch_clear},
    {"setupCipher, SM4 (no goal)", setup},
};

/* ---- The two builds ---------------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD up(struct build *b, CUSTOM_ENCWAY way, size_t key_length) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE(b->create(&keyboard) == 0 && b->setEncKey(keyboard, key, key_length, way) == 0);
  REQUIRE(b->open(keyboard) == 0 && b->input(keyboard, password, PASSWORD) == 0);
  return keyboard;
}

static void load(struct build *b, const char *path, int number) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "against: %s\n", dlerror()), exit(1);
#define FUNCTION(name) REQUIRE(b->name = (__typeof__(b->name))dlsym(library, "CustomKeyboard_" #name));
  FUNCTIONS
#undef FUNCTION
  b->sm4 = up(b, CUSTOM_ENCWAY_SM4, 16);
  b->triple_des = up(b, CUSTOM_ENCWAY_3DES, 24);
  REQUIRE(b->create(&b->idle) == 0 && b->create(&b->pad) == 0);
  REQUIRE(b->setLayout(b->pad, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0) == 0);
  REQUIRE(b->open(b->pad) == 0);
  REQUIRE(setup(b, 1) == 0 && text_exact(b, 1) == 0);
  memcpy(b->text, b->output, BLOCK);
  for (size_t i = 0; i < LARGEST_BATCH; i++)
    b->jobs[i] = (CUSTOM_KEYBOARD_JOB){keys[i], 16, texts[i], BLOCK, clears[number][i], BLOCK, 0, 0};
}

/* Texts of the batch, each under its own key. */
static void make_texts(struct build *b) {
  uint8_t block[BLOCK];
  memset(block, BLOCK - PASSWORD, sizeof block);
  memcpy(block, password, PASSWORD);
  for (size_t i = 0; i < LARGEST_BATCH; i++) {
    CUSTOM_KEYBOARD_CIPHER cipher;
    memcpy(keys[i], &(uint64_t[2]){i * 0x9e3779b97f4a7c15, i}, BLOCK);
    REQUIRE(b->setupCipher(&cipher, CUSTOM_ENCWAY_SM4, keys[i], 16, 0) == 0);
    REQUIRE(b->cryptECB(&cipher, block, texts[i], BLOCK) == 0);
  }
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

/* Taken again if the kernel gave the processor to another program, up to ten times. */
static double sample(work *run, struct build *b, long count) {
  double time = 0;
  for (int attempt = 0; attempt < 10; attempt++) {
    long before = interruptions();
    double start = now();
    REQUIRE(run(b, count) == 0);
    time = now() - start;
    if (interruptions() == before) break;
  }
  return time / (double)count;
}

static void compare(const struct item *item, struct build *builds) {
  static double times[2][ROUNDS], ratios[ROUNDS];
  long count = 1;
  while (sample(item->run, &builds[0], count) * (double)count < SAMPLE) count *= 2;
  for (int round = 0; round < ROUNDS; round++) {
    for (int turn = 0; turn < 2; turn++) {
      int which = (round + turn) % 2;
      times[which][round] = sample(item->run, &builds[which], count);
    }
    ratios[round] = times[0][round] / times[1][round];
  }
  qsort(times[0], ROUNDS, sizeof **times, ascending);
  qsort(times[1], ROUNDS, sizeof **times, ascending);
  qsort(ratios, ROUNDS, sizeof *ratios, ascending);
  double median = ratios[ROUNDS / 2], spread = (ratios[3 * ROUNDS / 4] - ratios[ROUNDS / 4]) / median * 50;
  printf("%-28s %12.1f %12.1f %8.3f %7.1f\n", item->name, times[0][ROUNDS / 2], times[1][ROUNDS / 2], median, spread);
  fflush(stdout);
}

int main(int argc, char **argv) {
  static struct build builds[2];
  if (argc != 3) fprintf(stderr, "against THIS.so OTHER.so\n"), exit(2);
  use_one_processor();

  for (int i = 0; i < 2; i++) load(&builds[i], argv[i + 1], i);
  REQUIRE(builds[0].version != builds[1].version);
  REQUIRE(memcmp(builds[0].text, builds[1].text, BLOCK) == 0);
  make_texts(&builds[0]);
  for (int i = 0; i < 2; i++) {
    REQUIRE(batch_4096(&builds[i], 1) == 0);
    for (size_t j = 0; j < LARGEST_BATCH; j++) REQUIRE(memcmp(clears[i][j], password, PASSWORD) == 0);
  }
  printf("%-28s %12s %12s %8s %7s\n", "", "this, ns", "other, ns", "ratio", "± %");
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) compare(&items[i], builds);
}
