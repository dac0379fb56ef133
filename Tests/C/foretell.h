/*
 * Needles (scan.h) for what a call is about to draw: the generator's key before and after the call, the batch, and the
 * order of the keys. They are computed before the call from the key in locked memory (locked.h, shuffle.h), so that
 * nothing is computed between the call and the search. Some of them may be in locked memory, but nowhere else: the next
 * key, pads, and the order of an open keyboard's keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORETELL_H
#define FORETELL_H

#include "capture.h"
#include "locked.h"
#include "scan.h"
#include "shuffle.h"

/* What a call draws: a pad; an offset in a space, which it then fills with the rest of the batch; the pad of a password
 * and then an order; or only an order. */
enum draws { DRAWS_PAD, DRAWS_PLACE, DRAWS_OPENING, DRAWS_PRESS };

/* Holds all intermediate results, so that only this and the stack below must be wiped. */
static struct {
  struct order order;
  uint8_t batch[BATCH], form[CHARACTERS];
} foretold;

static uint8_t *generator_at;     /* the key, in locked memory; NULL before the first draw */
static int is_order_kept;         /* whether an open keyboard has an order */
static size_t keys_in_locked, orders_in_locked; /* hits of the last search in locked memory, where they are allowed */
static uintptr_t order_at;                      /* where the last search found the order in locked memory */

static int is_locked(uintptr_t at) {
  for (size_t i = 0; i < locked_count; i++)
    if (at >= (uintptr_t)locked_regions[i].start && at < (uintptr_t)locked_regions[i].end) return 1;
  return 0;
}

/* Whether a needle is allowed where it was found. */
static int is_kept(const char *kind, uintptr_t at) {
  int is_key = strcmp(kind, "next key") == 0, is_order = strcmp(kind, "order") == 0;
  if (!is_key && !(is_order && is_order_kept) && strcmp(kind, "batch") != 0) return 0;
  if (!is_locked(at)) find_locked();
  if (!is_locked(at)) return 0;
  keys_in_locked += (size_t)is_key;
  orders_in_locked += (size_t)is_order;
  if (is_order) order_at = at;
  return 1;
}

/* Adds all groups of eight small numbers that follow each other, but for two kinds that other tables have too: with
 * repeated numbers, and counting up (0, 1, 2, …) but for one step at most, as in one order of some thousand. */
static void add_numbers(const char *kind, const uint8_t *numbers, size_t length) {
  for (size_t start = 0; start + WINDOW <= length; start++) {
    int different = 0, steps_up = 0;
    for (size_t i = 0; i < WINDOW; i++) {
      int seen = numbers[start + i] == 0;
      steps_up += i > 0 && numbers[start + i] == numbers[start + i - 1] + 1;
      for (size_t j = 0; j < i; j++) seen |= numbers[start + i] == numbers[start + j];
      different += !seen;
    }
    if (different >= 6 && steps_up < WINDOW - 2) add_needles(kind, numbers + start, WINDOW, 1);
  }
}

static void add_order(int layout) {
  int start = first_place(layout);
  size_t size = (size_t)place_count(layout);
  add_numbers("drawn", foretold.order.draws + start, size);
  add_numbers("places", foretold.order.places + start, size);
  for (int i = 0; i < CHARACTERS; i++) foretold.form[i] = foretold.order.places[i] ^ (uint8_t)i;
  add_numbers("order", foretold.form + start, size);
  for (int i = 0; i < CHARACTERS; i++) foretold.form[i] = (uint8_t)source_characters[foretold.order.places[i]];
  add_needles("characters", foretold.form + start, size, 1);
}

/* After the call, the key that was the next key must be gone. */
static void age_keys(void) {
  for (size_t i = 0; i < NEEDLES; i++)
    if (strcmp(needles.kinds[i], "next key") == 0) memcpy(needles.kinds[i], "old key", sizeof "old key");
}

/* Each word twice, as two neighbouring lanes of a register can hold a word of the key. */
static void add_doubles(const char *kind, const uint8_t *words, size_t length) {
  for (size_t at = 0; at < length; at += 4) {
    uint64_t word = 0;
    for (size_t i = 4; i > 0; i--) word = word << 8 | words[at + i - 1];
    add_needle(kind, word | word << 32);
  }
}

__attribute__((noinline)) static void add_draws(enum draws what, int layout) {
  for (uint32_t i = 0; i < BATCH / 64; i++) chacha_block(generator_at, i, foretold.batch + 64 * i);
  age_keys();
  add_needles("old key", generator_at, RANDOM_KEY, 4);
  add_needles("next key", foretold.batch, RANDOM_KEY, 4);
  add_doubles("doubled key", generator_at, RANDOM_KEY);
  add_doubles("doubled key", foretold.batch, RANDOM_KEY);
  if (what != DRAWS_PLACE) add_needles("batch", foretold.batch + RANDOM_KEY, BATCH - RANDOM_KEY, 4);
  if (what < DRAWS_OPENING) return;
  for (uint8_t parity = NEVER_SHOWN; parity <= ODD; parity++) { /* of the order shown before: all cases */
    uint8_t parities[POOLS] = {parity, parity, parity, parity};
    draw_order(generator_at, what == DRAWS_OPENING ? DRAWN_BY_OPEN : 0, layout, parities, &foretold.order);
    add_order(layout);
  }
}

/* Call this before a call that draws; it does nothing before the very first draw. It wipes everything that it computes
 * and zeroes all registers. */
__attribute__((noinline, unused)) static void foretell(enum draws what, int layout) {
  if (!generator_at) {
    find_locked();
    if (for_each_workspace(has_generator) == 0) return;
    generator_at = generator_key_found;
  }
  may_be = is_kept;
  add_draws(what, layout);
  wipe(&foretold.order, sizeof foretold.order);
  wipe(foretold.batch, sizeof foretold.batch);
  wipe(foretold.form, sizeof foretold.form);
  wipe_stack();
  zero_registers();
}

#endif /* FORETELL_H */
