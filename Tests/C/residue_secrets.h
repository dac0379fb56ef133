/*
 * What residue.c searches for, and how a scenario's password, key and texts are made. It defines the scenario before it
 * includes this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RESIDUE_SECRETS_H
#define RESIDUE_SECRETS_H

#include "fixture.h"
#include "foretell.h"
#include "scan.h"

/* ---- Secrets ----------------------------------------------------------------------------------------------------- */

/* A secret is one array XOR the other; `in_clear` holds it only during a call. */
struct secret {
  uint8_t masked[LONGEST + 16], mask[LONGEST + 16];
  size_t length;
};
static struct secret password, key;
static volatile uint8_t in_clear[LONGEST + 16];
static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];

static void draw_secret(struct secret *secret, size_t length, unsigned least, unsigned values) {
  uint64_t seed = given.seed ^ least;
  secret->length = length;
  for (size_t i = 0; i < sizeof secret->masked; i++) {
    secret->mask[i] = (uint8_t)draw(&seed);
    secret->masked[i] = (uint8_t)(least + draw(&seed) % values) ^ secret->mask[i];
  }
}

__attribute__((noinline)) static const uint8_t *show(const struct secret *secret, size_t from, size_t length) {
  for (size_t i = 0; i < length; i++) in_clear[i] = secret->masked[from + i] ^ secret->mask[from + i];
  return (const uint8_t *)in_clear;
}

static void hide(void) { wipe(in_clear, sizeof in_clear); }

static void draw_secrets(void) {
  draw_secret(&password, lengths[given.length], '!', 94);
  draw_secret(&key, algorithms[given.algorithm].key_length, 0, 256);
}

/* ---- The parent's part: what to look for ------------------------------------------------------------------------- */

/* The same word twice, as neighbouring lanes hold it if their keys or texts are the same. */
static void add_twins(const uint8_t *words, size_t length) {
  for (size_t i = 0; i + 4 <= length; i += 4) {
    uint8_t twins[16];
    for (int j = 0; j < 8; j++) twins[j] = words[i + (size_t)(j & 3)], twins[8 + j] = words[i + (size_t)(~j & 3)];
    add_needles("twins", twins, sizeof twins, 8);
  }
}

static void reverse_words(uint8_t *words, size_t count) {
  for (size_t i = 0; i < count / 2; i++)
    for (size_t j = 0; j < 4; j++) {
      uint8_t byte = words[4 * i + j];
      words[4 * i + j] = words[4 * (count - 1 - i) + j];
      words[4 * (count - 1 - i) + j] = byte;
    }
}

/* The words of the schedule, also byte-swapped. SM4's schedule for encryption is the one for decryption in reverse
 * order, 40 words or 32; what setupCipher leaves is at first only the key. */
static void add_schedule(const struct algorithm *a, int decrypting) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  int backwards = a->way == CUSTOM_ENCWAY_SM4 && !decrypting;
  REQUIRE_OK(
      CustomKeyboard_setupCipher(&cipher, a->way, show(&key, 0, key.length), key.length, decrypting || backwards));
  uint8_t *schedule = (uint8_t *)&cipher;
  if (backwards) {
    /* If there are 40 words, some of the last eight are not 0. */
    static const uint8_t none[32];
    reverse_words(schedule + 8, memcmp(schedule + 8 + 4 * 32, none, sizeof none) == 0 ? 32 : 40);
  }
  add_needles(decrypting ? "decryption" : "encryption", schedule + 8, CIPHER_SIZE - 8, 4);
  add_twins(schedule + 8, CIPHER_SIZE - 8);
  for (size_t i = 0; i < CIPHER_SIZE; i += 4) {
    uint8_t word[4] = {schedule[i + 3], schedule[i + 2], schedule[i + 1], schedule[i]};
    memcpy(schedule + i, word, 4);
  }
  add_needles(decrypting ? "decryption" : "encryption", schedule + 8, CIPHER_SIZE - 8, 4);
}

/* Words of neighbouring blocks next to each other, as vector registers hold them after a transposition. */
static void add_lanes(const uint8_t *blocks, size_t length) {
  for (size_t i = 0; i + 20 <= length; i += 4) {
    uint8_t lanes[8], swapped[8];
    memcpy(lanes, blocks + i, 4);
    memcpy(lanes + 4, blocks + i + 16, 4);
    for (int j = 0; j < 8; j++) swapped[j] = lanes[j ^ 3];
    add_needles("lanes", lanes, 8, 1);
    add_needles("lanes", swapped, 8, 1);
  }
}

static void prepare(void) {
  const struct algorithm *a = &algorithms[given.algorithm];
  uint8_t clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  CUSTOM_KEYBOARD_CIPHER cipher;
  memset(&needles, 0, sizeof needles);
  needles.factor = given.seed | 1;
  draw_secrets();
  add_needles("password", show(&password, 0, password.length), password.length, 1);
  add_lanes(show(&password, 0, password.length), password.length);
  add_twins(show(&password, 0, password.length), password.length);
  add_needles("key", show(&key, 0, key.length), key.length, 1);
  add_twins(show(&key, 0, key.length), key.length);
  add_schedule(a, 0);
  add_schedule(a, 1);

  given.text_length = padded(password.length, a->block_size);
  memset(clear, (int)(given.text_length - password.length), sizeof clear);
  memcpy(clear, show(&password, 0, password.length), password.length);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, show(&key, 0, key.length), key.length, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, given.text, given.text_length));
}

#endif /* RESIDUE_SECRETS_H */
