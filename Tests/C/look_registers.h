/*
 * The first look of walk.c: at the registers after a call. Before it, all registers are filled with known words. After
 * it, each vector register and each mask register has its old value, zero or arguments that were passed, and no general
 * register has part of a secret: the generator's key before and after the call, the batch that it makes, the order that
 * is drawn from it and shown, the password, the key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOK_REGISTERS_H
#define LOOK_REGISTERS_H

#include "capture.h"
#include "tested_calls.h"
#include "locked.h"
#include "shuffle.h"

enum { SECRETS = 1 << 16, ONE_GENERATION = 1 << 13 };

static struct capture capture;

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

/* The generator's secrets now; there are none before the first draw. Its memory was found after the first walk. */
static void add_generator(const char *kind) {
  static uint8_t last[RANDOM_KEY];
  uint8_t batch[BATCH];
  if (for_each_workspace(has_generator) == 0 || memcmp(last, generator_key_found, RANDOM_KEY) == 0) return;
  memcpy(last, generator_key_found, RANDOM_KEY);
  if (secret_count > SECRETS - ONE_GENERATION) secret_count = lasting_secrets;
  add_random_secret(kind, generator_key_found, RANDOM_KEY);
  for (uint32_t i = 0; i < BATCH / 64; i++) chacha_block(generator_key_found, i, batch + 64 * i);
  add_random_secret("generator's batch", batch, sizeof batch);
  add_orders(generator_key_found);
}

/* ---- Judgement --------------------------------------------------------------------------------------------------- */

/* How many registers a function has left something in, and a description of the first. */
static struct verdict {
  unsigned calls, dirty_calls, vectors, masks, generals;
  char first[160];
} verdicts[MOST_FUNCTIONS];

static const char *kind_of(uint64_t word) {
  for (size_t i = 0; i < secret_count; i++)
    if (secrets[i].word == word) return secrets[i].kind;
  return NULL;
}

/* Whether a word is the lower half of an address in what is passed, or in the library's code, which is behind an error
 * that a call has thrown. Such a half is not secret, but now and then it equals four of the many random bytes that are
 * searched for. */
static int is_half_address(uint64_t word) {
  const uint32_t reach = 1 << 20;
  return word >> 32 == 0 && ((uint32_t)(word - (uintptr_t)&w) < sizeof w ||
                             (uint32_t)(word - (uintptr_t)&sealing) < sizeof sealing ||
                             (uint32_t)(word - (uintptr_t)CustomKeyboard_version + reach) < 2 * reach);
}

/* Whether the 16 bytes that a word is in are arguments that were passed on the stack, or members of one, which are
 * moved two at a time: an address in this program, and another one or a length. */
static int is_passed(const uint8_t *vector, unsigned lane) {
#if defined(__APPLE__)
  extern const char first __asm__("__mh_execute_header"), end __asm__("segment$end$__DATA");
#else
  extern const char first __asm__("__executable_start"), end __asm__("_end");
#endif
  const uintptr_t start = (uintptr_t)&first, size = (uintptr_t)&end - start;
  uint64_t pair[2];
  memcpy(pair, vector + 16 * (lane / 2), sizeof pair);
  return pair[0] - start < size && (pair[1] - start < size || pair[1] < 1024);
}

static void judge(struct verdict *verdict, const char *label) {
  unsigned vectors = 0, masks = 0, generals = 0;
  char first[160] = "";
#define SAY(...) \
  if (!first[0]) snprintf(first, sizeof first, __VA_ARGS__)
  for (unsigned i = 0; i < vector_count(capture.width); i++) {
    int is_dirty = 0;
    for (unsigned lane = 0; lane < capture.width / 8; lane++) {
      uint64_t was, is;
      memcpy(&was, capture.before.vectors[i] + 8 * lane, sizeof was);
      memcpy(&is, capture.after.vectors[i] + 8 * lane, sizeof is);
      if (is == was || is == 0 || is_passed(capture.after.vectors[i], lane)) continue;
      const char *kind = kind_of(is);
      SAY("%s: vector register %u, bytes %u on: %016llx (%s)", label, i, 8 * lane, (unsigned long long)is,
          kind ? kind : "nothing known");
      is_dirty = 1;
    }
    vectors += (unsigned)is_dirty;
  }
  for (unsigned i = 0; i < MASKS && capture.width == 64; i++) {
    uint64_t is = capture.after.masks[i];
    if (is == capture.before.masks[i] || is == 0) continue;
    SAY("%s: k%u: %016llx", label, i, (unsigned long long)is);
    masks++;
  }
  for (unsigned i = 0; i < GENERALS; i++) {
    uint64_t is = capture.after.generals[i];
    const char *kind = is == capture.before.generals[i] ? NULL : kind_of(is);
    if (!kind || is_half_address(is)) continue;
    SAY("%s: %s: %016llx (%s)", label, general_names[i], (unsigned long long)is, kind);
    generals++;
  }
#undef SAY
  verdict->calls++;
  verdict->dirty_calls += vectors + masks + generals > 0;
  if (vectors > verdict->vectors) verdict->vectors = vectors;
  if (masks > verdict->masks) verdict->masks = masks;
  if (generals > verdict->generals) verdict->generals = generals;
  if (first[0] && !verdict->first[0]) memcpy(verdict->first, first, sizeof first);
}

/* The order on the current page is one of those that were computed: so the needles are right. */
static void check_foretold(void) {
  struct page page;
  uint64_t word = 0;
  int characters = 0;
  look(w.keyboard, &page);
  for (size_t i = 0; i < page.count && characters < 8; i++)
    if (page.keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER)
      word |= (uint64_t)(uint8_t)page.keys[i].label[0] << 8 * characters++;
  const char *kind = kind_of(word);
  CHECK(kind && strcmp(kind, "characters in order") == 0);
}

static int draws_order(const struct call *call) {
  static const char *const functions_that_do[] = {"open", "pressKey", "touch"};
  for (int i = 0; i < 3; i++)
    if (strcmp(call->function, functions_that_do[i]) == 0)
      return tested == &keyboard_calls && call->expected == CUSTOM_KEYBOARD_OK;
  return 0;
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

extern void plant_low(const void *secret), plant_general(const void *secret);
#if defined(__x86_64__)
extern void plant_middle(const void *secret), plant_high(const void *secret), plant_mask(const void *secret);
__asm__(ASSEMBLY(plant_low) "endbr64\n\tmovdqu (%rdi),%xmm13\n\tret\n"
        ASSEMBLY(plant_middle) "endbr64\n\tvinserti128 $1,(%rdi),%ymm6,%ymm6\n\tret\n"
        ASSEMBLY(plant_high) "endbr64\n\tvinserti64x2 $3,(%rdi),%zmm29,%zmm29\n\tret\n"
        ASSEMBLY(plant_mask) "endbr64\n\tkmovq 8(%rdi),%k5\n\tret\n"
        ASSEMBLY(plant_general) "endbr64\n\tmovq 16(%rdi),%r10\n\tmovl 4(%rdi),%esi\n\tret\n");
#else
__asm__(ASSEMBLY(plant_low) "hint #34\n\tldr q29,[x0]\n\tret\n"
        ASSEMBLY(plant_general) "hint #34\n\tldr x15,[x0,#16]\n\tldr w4,[x0,#4]\n\tret\n");
#endif

static const struct control {
  void (*planter)(const void *);
  uint64_t width; /* what the registers have at least */
  unsigned vectors, masks, generals;
} controls[] = {
    {plant_low, 16, 1, 0, 0}, {plant_general, 16, 0, 0, 2},
#if defined(__x86_64__)
    {plant_middle, 32, 1, 0, 0}, {plant_high, 64, 1, 0, 0}, {plant_mask, 64, 0, 1, 0},
#endif
};

/* A secret in one register is noticed; without a secret, nothing is. */
static void check_registers(void) {
  struct verdict none = {0};
  add_generator("generator's key");
  CAPTURED(&capture, capture_nothing, 0);
  judge(&none, "control");
  CHECK_EQUAL(none.dirty_calls, 0);
  for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
    struct verdict verdict = {0};
    if (capture.width < controls[i].width) continue;
    CAPTURED(&capture, controls[i].planter, POINTER(generator_key()));
    judge(&verdict, "control");
    CHECK_EQUAL(verdict.vectors, controls[i].vectors);
    CHECK_EQUAL(verdict.masks, controls[i].masks);
    CHECK_EQUAL(verdict.generals, controls[i].generals);
  }
}

/* The password and the key that the world has now. */
static void note_secrets(void) {
  secret_count = 0;
  for_each_secret(add_random_secret);
  lasting_secrets = secret_count;
}

static void report_registers(void) {
  for (size_t i = 0; i < function_count; i++) {
    const struct verdict *v = &verdicts[i];
    if (!CHECK_EQUAL(v->dirty_calls, 0))
      fprintf(stderr, "  (%s: %u of %u calls, up to %u vector, %u mask, %u general registers; %s)\n",
              functions[i].name, v->dirty_calls, v->calls, v->vectors, v->masks, v->generals, v->first);
  }
}

#endif /* LOOK_REGISTERS_H */
