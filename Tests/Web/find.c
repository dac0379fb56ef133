/*
 * A search of a module's memory, ten times as fast as JavaScript's: a test makes millions. It is a module of its own,
 * which gets the other one's memory, and writes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <wasm_simd128.h>

static uint64_t at(uintptr_t place) {
  uint64_t word;
  __builtin_memcpy(&word, (const void *)place, sizeof word);
  return word;
}

/* The first place from `place` on whose bytes under the mask are `wanted`; 0 if there is none. Eight bytes are read at
 * each place before `end`. The mask begins with two whole bytes. */
__attribute__((export_name("find"))) uintptr_t find(uintptr_t place, uintptr_t end, uint64_t wanted, uint64_t mask) {
  v128_t first = wasm_u8x16_splat((uint8_t)wanted), second = wasm_u8x16_splat((uint8_t)(wanted >> 8));
  for (; place + 24 <= end; place += 16) {
    v128_t firsts = wasm_i8x16_eq(wasm_v128_load((const void *)place), first);
    v128_t seconds = wasm_i8x16_eq(wasm_v128_load((const void *)(place + 1)), second);
    for (uint32_t both = wasm_i8x16_bitmask(wasm_v128_and(firsts, seconds)); both != 0; both &= both - 1) {
      uintptr_t found = place + (uintptr_t)__builtin_ctz(both);
      if ((at(found) & mask) == wanted) return found;
    }
  }
  for (; place + 8 <= end; place++)
    if ((at(place) & mask) == wanted) return place;
  return 0;
}
