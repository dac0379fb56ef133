/*
 * No call uses the heap: what is there, a fork copies and a core dump contains, and a call that allocates waits for a
 * thread that holds the allocator's locks. This program's own malloc(), calloc(), realloc(), posix_memalign() and
 * free() count their calls, for each function of the header.
 *
 *     heap header    the path of custom_keyboard.h
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keyboard_calls.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static int uses, calls;

void *malloc(size_t size) { return uses++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return uses++, __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return uses++, __libc_realloc(block, size); }
void free(void *block) { uses++, __libc_free(block); }
int posix_memalign(void **block, size_t alignment, size_t size) {
  uses++;
  return (*block = __libc_memalign(alignment, size)) == NULL;
}

static void make_call(const struct call *call, int variant) {
  call->prepare();
  uses = 0;
  uint64_t answer = call->run();
  int now = uses;
  check_call(call, variant, answer);
  if (!CHECK_EQUAL(now, 0)) fprintf(stderr, "  (%s: on the heap)\n", call_name(call, variant));
  calls++;
}

/* The compiler must not see that nobody uses the blocks. */
static void control(void) {
  void *(*volatile take)(size_t) = malloc;
  int (*volatile take_aligned)(void **, size_t, size_t) = posix_memalign;
  void (*volatile give_back)(void *) = free;
  void *aligned;
  uses = 0;
  give_back(take(300));
  REQUIRE(take_aligned(&aligned, 16, 300) == 0);
  give_back(aligned);
  CHECK_EQUAL(uses, 4);
}

int main(int count, char **arguments) {
  REQUIRE(count == 2);
  check_complete(&keyboard_calls, arguments[1]);
  fixed_secrets();
  new_keyboard(); /* only the first call of a process binds malloc() and free() (linux.h) */
  release_world();
  walk_calls(&keyboard_calls, 1, make_call);
  control();
  return check_end("heap", 2 * (unsigned long)calls);
}
