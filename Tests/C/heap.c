/*
 * Only RSA uses the heap. What mbedTLS takes from it during a call, all numbers of RSA, is zero again when it is freed.
 * This program's own free() looks at every block before it is given back. Its own calloc() can fail: a call of RSA then
 * answers that there is no memory, and says nothing about the key or the text.
 *
 * Not for mbedTLS 3.6: it leaves numbers of an inversion. What is inverted there is masked with a random number.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include "sealing.h"
#include <dlfcn.h>
#include <malloc.h>

static int watches;
static size_t blocks, dirty_blocks;
static size_t taken, last_taken = SIZE_MAX; /* the blocks of calloc, and how many there are */

void free(void *block) {
  static void (*next)(void *);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "free");
  if (watches && block) {
    const uint8_t *bytes = block;
    size_t size = malloc_usable_size(block), at = 0;
    while (at < size && bytes[at] == 0) at++;
    blocks++;
    dirty_blocks += at < size;
  }
  next(block);
}

/* mbedTLS's only way to take memory. dlsym may call it too, before `next` is known: never while blocks are counted. */
void *calloc(size_t count, size_t size) {
  static void *(*next)(size_t, size_t);
  static char first[4096];
  static size_t used;
  if (!next) {
    static int looks;
    if (looks++ > 0) return used += 512, first + used - 512;
    *(void **)&next = dlsym(RTLD_NEXT, "calloc");
  }
  return watches && ++taken > last_taken ? NULL : next(count, size);
}

static void watch(void) {
  blocks = dirty_blocks = taken = 0;
  watches = 1;
}

/* Seals, opens, and fails to open; of all that, only RSA needs the heap. */
static void use(const struct sealed_way *way) {
  struct sealing *s = &sealing;
  CUSTOM_KEYBOARD k;
  s->way = way;
  s->space_size = sizeof s->space;
  make_keys();
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, keyboard_key(s), keyboard_key_length(s), way->way));
  REQUIRE_OK(CustomKeyboard_setContext(k, s->context, s->context_length));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, (const uint8_t *)"kgcx879@", 8));
  for (int i = 0; i < 100; i++) {
    watch();
    CHECK_OK(CustomKeyboard_getText(k, s->text, way->text_length, &s->offset, &s->text_length));
    CHECK_OK((CUSTOM_KEYBOARD_RV)call_unseal());
    s->text[way->text_length - 1] ^= 1;
    CHECK_EQUAL((CUSTOM_KEYBOARD_RV)call_unseal(), CUSTOM_KEYBOARD_UNDECRYPTABLE);
    watches = 0;
    CHECK_EQUAL(blocks > 0, way->way == CUSTOM_ENCWAY_RSA);
    CHECK_EQUAL(dirty_blocks, 0);
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* Every block of memory of a call is the one that is not there. */
static void use_without_memory(void) {
  struct sealing *s = &sealing;
  CUSTOM_KEYBOARD k;
  int failures = 0;
  s->way = sealed_ways;
  while (s->way->way != CUSTOM_ENCWAY_RSA) s->way++;
  make_keys();
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, keyboard_key(s), keyboard_key_length(s), s->way->way));
  REQUIRE_OK(CustomKeyboard_setContext(k, s->context, s->context_length));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_getText(k, s->text, s->way->text_length, &s->offset, &s->text_length));
  for (int which = 0; which < 3; which++) {
    s->text[s->text_length - 1] ^= which == 2; /* altered: UNDECRYPTABLE only if there is memory */
    CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_MEMORY;
    for (last_taken = 0; rv == CUSTOM_KEYBOARD_MEMORY; last_taken++) {
      watch();
      rv = which == 0 ? CustomKeyboard_getText(k, s->space, s->way->text_length, &s->offset, &s->length)
                      : (CUSTOM_KEYBOARD_RV)call_unseal();
      watches = 0;
      CHECK_EQUAL(dirty_blocks, 0);
      failures += rv == CUSTOM_KEYBOARD_MEMORY;
    }
    CHECK_EQUAL(rv, which == 2 ? CUSTOM_KEYBOARD_UNDECRYPTABLE : CUSTOM_KEYBOARD_OK);
    CHECK(taken > 10);
  }
  last_taken = SIZE_MAX;
  CHECK(failures > 100);
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* One byte that is not zero. The compiler must not see that nobody reads it. */
static void plant(void) {
  volatile uint8_t *block = calloc(1, 300);
  void (*volatile give_back)(void *) = free;
  REQUIRE(block);
  block[299] = 1;
  give_back((void *)block);
}

int main(void) {
  for (int i = 0; i < SEALED_WAYS; i++) use(&sealed_ways[i]);
  use_without_memory();
  watch();
  plant();
  watches = 0;
  CHECK_EQUAL(dirty_blocks, 1);
  return check_end("heap", 2000);
}
