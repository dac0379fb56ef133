/*
 * What every function of the header leaves in the registers, on success and with each kind of error: nothing. Before a
 * call, all registers are filled with known words. After it, each vector register and each mask register has its old
 * value, zero or arguments that were passed, and no general register has part of a secret: the generator's key before
 * and after the call, the batch that it makes, the order that is drawn from it and shown, the password, the key.
 *
 *     registers header [name]    the path of custom_keyboard.h; the name to print
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "capture.h"
#include "tested_calls.h"
#include "locked.h"
#include "shuffle.h"

enum { SECRETS = 1 << 16, ONE_GENERATION = 1 << 13 };

static struct capture capture;

#include "registers_secrets.h"

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

/* Whether the 16 bytes that a word is in are arguments that were passed on the stack, which are moved two at a time: an
 * address in the shared world, and another one or a length. */
static int is_passed(const uint8_t *vector, unsigned lane) {
  uint64_t pair[2];
  memcpy(pair, vector + 16 * (lane / 2), sizeof pair);
  return pair[0] - (uintptr_t)&w < sizeof w && (pair[1] - (uintptr_t)&w < sizeof w || pair[1] < 1024);
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

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

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

/* An error has one byte, and the library may move it with the three bytes beside it, which are what the stack held
 * before the call. So nothing of this program's own may be there: it has just computed the generator's batch. */
static void make_call(const struct call *call, int variant) {
  call->prepare();
  add_generator("generator's key before it");
  forget();
  uint64_t answer = CAPTURED(&capture, call->run, 0);
  add_generator("generator's key after it");
  judge(&verdicts[find_function(call->function, strlen(call->function)) - functions], call_name(call, variant));
  check_call(call, variant, answer);
  if (draws_order(call)) check_foretold();
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

extern void plant_low(const void *secret), plant_general(const void *secret);
#if defined(__x86_64__)
extern void plant_middle(const void *secret), plant_high(const void *secret), plant_mask(const void *secret);
__asm__(".text\n\t.globl plant_low,plant_middle,plant_high,plant_mask,plant_general\n\t"
        ".hidden plant_low,plant_middle,plant_high,plant_mask,plant_general\n"
        "plant_low:\n\tendbr64\n\tmovdqu (%rdi),%xmm13\n\tret\n"
        "plant_middle:\n\tendbr64\n\tvinserti128 $1,(%rdi),%ymm6,%ymm6\n\tret\n"
        "plant_high:\n\tendbr64\n\tvinserti64x2 $3,(%rdi),%zmm29,%zmm29\n\tret\n"
        "plant_mask:\n\tendbr64\n\tkmovq 8(%rdi),%k5\n\tret\n"
        "plant_general:\n\tendbr64\n\tmovq 16(%rdi),%r10\n\tmovl 4(%rdi),%esi\n\tret\n");
#else
__asm__(".text\n\t.p2align 2\n\t.globl plant_low,plant_general\n\t.hidden plant_low,plant_general\n"
        "plant_low:\n\thint #34\n\tldr q29,[x0]\n\tret\n"
        "plant_general:\n\thint #34\n\tldr x15,[x0,#16]\n\tldr w4,[x0,#4]\n\tret\n");
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
static void run_controls(void) {
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

static void draw_secrets(uint64_t *seed, size_t length) {
  secret_count = 0;
  w.password_length = length;
  draw_password(seed, w.password, sizeof w.password);
  draw_bytes(seed, w.key, sizeof w.key);
  for_each_secret(add_random_secret);
  lasting_secrets = secret_count;
}

int main(int argument_count, char **arguments) {
  static const CUSTOM_KEYBOARD_LAYOUT layouts[] = {CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_LAYOUT_MIXED,
                                                   CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS};
  REQUIRE(argument_count >= 2);
  check_complete(tested, arguments[1]);
  uint64_t seed = take_seed();
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    static const size_t lengths[] = {9, 40, 127};
    w.algorithm = &algorithms[i];
    for (int j = 0; j < 3; j++) {
      draw_secrets(&seed, lengths[j]);
      w.layout = layouts[j < 2 ? j : 2 + i % 2];
      walk_calls(tested, 1, make_call);
    }
  }
  run_controls();
  for (size_t i = 0; i < function_count; i++) {
    const struct verdict *v = &verdicts[i];
    if (!CHECK_EQUAL(v->dirty_calls, 0))
      fprintf(stderr, "  (%s: %u of %u calls, up to %u vector, %u mask, %u general registers; %s)\n",
              functions[i].name, v->dirty_calls, v->calls, v->vectors, v->masks, v->generals, v->first);
  }
  return check_end(argument_count > 2 ? arguments[2] : "registers",
                   (tested == &keyboard_calls ? 3000 : 700) * LESS);
}
