/*
 * What the compiler must not know, or must not do twice. The same on every system.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_COMPILER_H
#define CUSTOM_KEYBOARD_COMPILER_H

#include <stddef.h>

/* Reads a word once: the compiler may neither read it again later nor split the read. For structures of the caller's
 * that another thread may be changing. */
static inline size_t keyboard_read_once(const void *word) { return *(const volatile size_t *)word; }

/* Reads a word as it is now, after all that was read and written before: a fork may have emptied it. */
static inline size_t keyboard_read_again(const void *word) {
  __asm__ volatile("" ::: "memory");
  return *(const volatile size_t *)word;
}

/* Writes the first and the last of at most 4,096 bytes, so that the process dies here if they do not exist. A page's
 * module has no holes in its memory. */
static inline void keyboard_touch(void *memory, size_t size) {
#if defined(__wasm__)
  (void)memory, (void)size;
#else
  volatile unsigned char *bytes = (volatile unsigned char *)memory;
  bytes[0] = 0;
  bytes[size - 1] = 0;
  __asm__ volatile("" ::: "memory");
#endif
}

/* 1, but the compiler must take it for any number: it may turn a mask that it understands into a jump. */
static inline long keyboard_one(void) {
  long one = 1;
  __asm__("" : "+r"(one));
  return one;
}

#endif
