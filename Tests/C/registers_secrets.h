/*
 * The secrets that registers.c looks for in registers: words of the generator's key and batch, of orders, of passwords
 * and keys. It defines their numbers before it includes this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REGISTERS_SECRETS_H
#define REGISTERS_SECRETS_H

#include "fixture.h"
#include "locked.h"
#include "shuffle.h"

/* ---- Secrets ----------------------------------------------------------------------------------------------------- */

/* Eight bytes of a secret, or four. */
static struct secret {
  uint64_t word;
  const char *kind;
} secrets[SECRETS];
static size_t secret_count, lasting_secrets; /* those of the password and the key stay for all calls */

/* Words with too few different bytes are left out: a handle or a length can equal such a word by chance, and so can a
 * part of a compiler's table: 01 02 03 04 00 00 00 00 is also the beginning of one order in some 400,000. */
static void add_secret(const char *kind, const uint8_t *bytes, size_t length, size_t size) {
  for (size_t at = 0; at + size <= length; at += size == 4 ? 4 : 1) {
    uint64_t word = 0;
    size_t different = 0;
    for (size_t i = 0; i < size; i++) {
      word |= (uint64_t)bytes[at + i] << 8 * i;
      different += i == 0 || !memchr(bytes + at, bytes[at + i], i);
    }
    if (different < (size == 4 ? 3 : 6)) continue;
    REQUIRE(secret_count < SECRETS);
    secrets[secret_count++] = (struct secret){word, kind};
  }
}

static void add_random_secret(const char *kind, const uint8_t *bytes, size_t length) {
  add_secret(kind, bytes, length, 8);
  add_secret(kind, bytes, length, 4);
}

/* Adds the orders that the generator's next draws may make, in each form in which memory may hold them. The order
 * depends on the parity that was shown before and on the bytes drawn before, so all of them are secrets. */
static void add_orders(const uint8_t *key) {
  static const int layouts[] = {CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_LAYOUT_MIXED,
                                CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS};
  for (int i = 0; i < 24; i++) {
    uint8_t parity = (uint8_t)(i / 4 % 3), parities[POOLS] = {parity, parity, parity, parity}, form[CHARACTERS];
    struct order order;
    int layout = layouts[i % 4], start = first_place(layout), length = place_count(layout);
    draw_order(key, i / 12 ? DRAWN_BY_OPEN : 0, layout, parities, &order);
    add_secret("drawn order", order.draws + start, (size_t)length, 8);
    add_secret("order", order.places + start, (size_t)length, 8);
    for (int j = 0; j < CHARACTERS; j++) form[j] = order.places[j] ^ (uint8_t)j;
    add_secret("order, as it is stored", form + start, (size_t)length, 8);
    int characters = 0; /* without the blank keys */
    for (int j = start; j < start + length; j++)
      if (order.places[j] - start < length - blanks_of(layout))
        form[characters++] = (uint8_t)source_characters[order.places[j]];
    add_secret("characters in order", form, (size_t)characters, 8);
  }
}

/* The generator's secrets now; there are none before the first draw. */
static void add_generator(const char *kind) {
  static uint8_t last[RANDOM_KEY];
  uint8_t batch[BATCH];
  find_locked();
  if (for_each_workspace(has_generator) == 0 || memcmp(last, generator_key_found, RANDOM_KEY) == 0) return;
  memcpy(last, generator_key_found, RANDOM_KEY);
  if (secret_count > SECRETS - ONE_GENERATION) secret_count = lasting_secrets;
  add_random_secret(kind, generator_key_found, RANDOM_KEY);
  for (uint32_t i = 0; i < BATCH / 64; i++) chacha_block(generator_key_found, i, batch + 64 * i);
  add_random_secret("generator's batch", batch, sizeof batch);
  add_orders(generator_key_found);
}

#endif /* REGISTERS_SECRETS_H */
