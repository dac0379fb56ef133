/*
 * A web page: WebAssembly without a system. One thread, one memory of a fixed size, and random numbers that JavaScript
 * brings. Nothing here can lock memory, guard it, or keep it out of a dump: Docs/Web.md says what that means. The
 * functions that are not inline are in Sources/Web.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_WEB_H
#define CUSTOM_KEYBOARD_WEB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* A page has a keyboard or two, and one thread, which works on at most two passwords at a time, in `receive`. */
enum { KEYBOARD_SLOTS_IN_REGION = 8, KEYBOARD_REGIONS = 256 };
enum { KEYBOARD_PASSWORD_WORKSPACES = 2, KEYBOARD_SEALED_TEXT_WORKSPACES = 1, KEYBOARD_BATCH_WORKSPACES = 1 };

/* No buffer reaches past this address: WebAssembly stops a program that reads there. */
static inline uintptr_t keyboard_memory_end(void) { return __builtin_wasm_memory_size(0) * 65536; }

/* What sizes are rounded up to: there are no pages that could be protected. */
static inline size_t keyboard_page_size(void) { return 64; }

/* Zeroed memory at a multiple of 64. NULL when there is none. */
void *keyboard_map(size_t size);

/* Wipes memory and gives it back. */
void keyboard_unmap(void *memory, size_t size);

static inline void *keyboard_reserve(size_t size) { return keyboard_map(size); }
static inline int keyboard_commit(void *memory, size_t size) {
  (void)memory, (void)size;
  return 1;
}
static inline void keyboard_use_large_pages(void *memory, size_t size) { (void)memory, (void)size; }

/* Nothing can be done. But there is no fork, so no child of one can see the memory. */
static inline int keyboard_make_secret(void *memory, size_t size) {
  (void)memory, (void)size;
  return 1;
}

static inline void keyboard_lock_pages(void *pages, size_t size) { (void)pages, (void)size; }

/* Zeroes memory even if nobody reads it again. */
void keyboard_wipe(void *memory, size_t size);

/* ---- One thread -------------------------------------------------------------------------------------------------- */

static inline int keyboard_defer_cancellation(void) { return 0; }
static inline void keyboard_undo_deferring(int type) { (void)type; }
static inline int keyboard_disable_cancellation(void) { return 0; }
static inline int keyboard_forbid_cancellation(void) { return 0; }
static inline void keyboard_allow_cancellation(int before) { (void)before; }
static inline void keyboard_restore_cancellation(int before) { (void)before; }
static inline uint64_t keyboard_thread(void) { return 1; }

typedef uint32_t keyboard_lock_t;
typedef uint32_t keyboard_condition_t;
static inline void keyboard_lock(keyboard_lock_t *lock) { (void)lock; }
static inline void keyboard_unlock(keyboard_lock_t *lock) { (void)lock; }
static inline void keyboard_wait(keyboard_condition_t *condition, keyboard_lock_t *lock) {
  (void)condition, (void)lock;
}
static inline void keyboard_wake_all(keyboard_condition_t *condition) { (void)condition; }

/* ---- Randomness -------------------------------------------------------------------------------------------------- */

/* crypto.getRandomValues. JavaScript returns 1 when it has filled the memory, and 0 when it could not. */
__attribute__((import_module("keyboard"), import_name("random"))) int keyboard_random(void *memory, size_t size);

/* ---- What a page does not have ----------------------------------------------------------------------------------- */

static inline const char *keyboard_environment(const char *name) {
  (void)name;
  return NULL;
}

/* Nothing is bound lazily. */
static inline void keyboard_bind_libc(void) {}

/* Another copy of the library has a memory of its own, and knows no handle of this one. */
static inline uint64_t keyboard_own_address(void) { return 0; }

#endif
