/*
 * No call uses the heap: what is there, a fork copies and a core dump contains, and a call that allocates waits for a
 * thread that holds the allocator's locks. This program's own malloc(), calloc(), realloc() and free() count their
 * calls, for sealed texts and signatures of every way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include "sealing.h"
#include "signing_ways.h"
#include <dlfcn.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static int uses;

void *malloc(size_t size) { return uses++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return uses++, __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return uses++, __libc_realloc(block, size); }
void free(void *block) { uses++, __libc_free(block); }

/* Seals, opens, fails to open, opens many. */
static void use(const struct sealed_way *way) {
  struct sealing *s = &sealing;
  CUSTOM_KEYBOARD k;
  s->way = way;
  s->space_size = sizeof s->space;
  make_keys();
  uses = 0;
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, keyboard_key(s), keyboard_key_length(s), way->way));
  REQUIRE_OK(CustomKeyboard_setContext(k, s->context, s->context_length));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, (const uint8_t *)"kgcx879@", 8));
  for (int i = 0; i < 20; i++) {
    CHECK_OK(CustomKeyboard_getText(k, s->text, way->text_length, &s->offset, &s->text_length));
    CHECK_OK((CUSTOM_KEYBOARD_RV)call_unseal());
    CUSTOM_KEYBOARD_SEALED_JOB job = {s->context, s->context_length, s->text, s->text_length,
                                      s->space,   s->space_size,     0,       CUSTOM_KEYBOARD_ERR};
    CHECK_OK(CustomKeyboard_unsealBatch(way->way, s->secret, s->secret_length, &job, 1));
    CHECK_OK(job.rv);
    s->text[way->text_length - 1] ^= 1;
    CHECK_EQUAL((CUSTOM_KEYBOARD_RV)call_unseal(), CUSTOM_KEYBOARD_UNDECRYPTABLE);
    CHECK_EQUAL(uses, 0);
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* Signs and verifies, with the keys that sealed texts have. */
static void sign(const struct signing_way *way) {
  struct sealing *s = &sealing;
  uint8_t signature[LONGEST_SIGNATURE];
  size_t length;
  s->way = sealed_ways;
  while (s->way->way != way->keys) s->way++;
  make_keys();
  uses = 0;
  for (int i = 0; i < 20; i++) {
    CHECK_OK(CustomKeyboard_signText(way->way, s->secret, s->secret_length, NULL, 0, s->context, s->context_length,
                                     signature, sizeof signature, &length));
    CHECK_OK(CustomKeyboard_verifyText(way->way, s->public, s->way->public_length, NULL, 0, s->context,
                                       s->context_length, signature, length));
    CHECK_EQUAL(uses, 0);
  }
}

/* The compiler must not see that nobody uses the block. */
static void control(void) {
  void *(*volatile take)(size_t) = malloc;
  void (*volatile give_back)(void *) = free;
  uses = 0;
  give_back(take(300));
  CHECK_EQUAL(uses, 2);
}

int main(void) {
  for (int i = 0; i < SEALED_WAYS; i++) use(&sealed_ways[i]);
  for (int i = 0; i < SIGNING_WAYS; i++) sign(&signing_ways[i]);
  control();
  return check_end("heap", 800);
}
