/*
 * What a libc and a compiler's runtime library bring elsewhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "web.h"

/* ---- <string.h>. The first three are instructions of WebAssembly's. ---------------------------------------------- */

void *memcpy(void *restrict to, const void *restrict from, size_t size) { return __builtin_memcpy(to, from, size); }
void *memmove(void *to, const void *from, size_t size) { return __builtin_memmove(to, from, size); }
void *memset(void *to, int byte, size_t size) { return __builtin_memset(to, byte, size); }

int memcmp(const void *one, const void *other, size_t size) {
  const unsigned char *first = one, *second = other;
  for (size_t i = 0; i < size; i++)
    if (first[i] != second[i]) return first[i] - second[i];
  return 0;
}

int strcmp(const char *one, const char *other) {
  while (*one != 0 && *one == *other) one++, other++;
  return (unsigned char)*one - (unsigned char)*other;
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length] != 0) length++;
  return length;
}

/* ---- The stack's protection -------------------------------------------------------------------------------------- */

/* Swift's functions compare it before they return. */
uintptr_t __stack_chk_guard = 0x5bd1e995;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

/* ---- The beginning ----------------------------------------------------------------------------------------------- */

void __wasm_call_ctors(void);

/* The first call. Without randomness the guard stays as it is, and what needs randomness answers RANDOM. */
__attribute__((export_name("_initialize"))) void keyboard_initialize(void) {
  uintptr_t guard;
  if (keyboard_random(&guard, sizeof guard)) __stack_chk_guard = guard;
  __wasm_call_ctors();
}
