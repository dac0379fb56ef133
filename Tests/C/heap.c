/*
 * What mbedTLS takes from the heap during a call, above all the key schedule of AES, is zero again when it is freed.
 * This program's own free() looks at every block before it is given back.
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

static void watch(void) {
  blocks = dirty_blocks = 0;
  watches = 1;
}

/* Seals, opens, and fails to open; of all that, only P-256's AES needs the heap. */
static void use(const struct sealed_way *way) {
  struct sealing *s = &sealing;
  CUSTOM_KEYBOARD k;
  s->way = way;
  s->space_size = sizeof s->space;
  REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_generate());
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, keyboard_key(s), keyboard_key_length(s), way->way));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, (const uint8_t *)"kgcx879@", 8));
  for (int i = 0; i < 100; i++) {
    watch();
    CHECK_OK(CustomKeyboard_getText(k, s->text, way->text_length, &s->offset, &s->text_length));
    CHECK_OK((CUSTOM_KEYBOARD_RV)call_unseal());
    s->text[way->text_length - 1] ^= 1;
    CHECK_EQUAL((CUSTOM_KEYBOARD_RV)call_unseal(), CUSTOM_KEYBOARD_UNDECRYPTABLE);
    watches = 0;
    CHECK_EQUAL(blocks > 0, way->way == CUSTOM_ENCWAY_P256);
    CHECK_EQUAL(dirty_blocks, 0);
  }
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
  watch();
  plant();
  watches = 0;
  CHECK_EQUAL(dirty_blocks, 1);
  return check_end("heap", 2000);
}
