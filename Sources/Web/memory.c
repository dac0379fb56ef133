/*
 * The memory that a module in WebAssembly hands out: all that lies behind its data. It never grows, because an engine
 * may move it then and leave a copy behind.
 *
 *     ├ header (16) ┼─ memory, at a multiple of 64 ─┼ header (16) ┼─ … ─┤ end
 *
 * What is given back is wiped, so free memory is all zero, apart from the headers of free blocks. These are in a list
 * in the order of their addresses, and neighbours are joined: nothing is lost, however sizes change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "web.h"

/* The beginning of a block. */
typedef struct Header {
  size_t size; /* of the whole block; a multiple of 64 */
  struct Header *next; /* the next free block, while this one is free */
  uint64_t unused;
} Header;

enum { UNIT = 64, PAGE = 65536 };

extern unsigned char __heap_base;
static Header *free_blocks;
static int is_ready;

/* One free block of all memory. */
static void prepare(void) {
  uintptr_t first = ((uintptr_t)&__heap_base + sizeof(Header) + UNIT - 1) / UNIT * UNIT - sizeof(Header);
  uintptr_t end = __builtin_wasm_memory_size(0) * PAGE - sizeof(Header);
  is_ready = 1;
  free_blocks = (Header *)first;
  free_blocks->size = (end - first) / UNIT * UNIT;
}

void *keyboard_map(size_t size) {
  if (!is_ready) prepare();
  if (size > (size_t)__builtin_wasm_memory_size(0) * PAGE) return NULL;
  size = (size + sizeof(Header) + UNIT - 1) / UNIT * UNIT;
  for (Header **place = &free_blocks; *place != NULL; place = &(*place)->next) {
    Header *block = *place;
    if (block->size < size) continue;
    if (block->size > size) {
      Header *rest = (Header *)((uintptr_t)block + size);
      rest->size = block->size - size;
      rest->next = block->next;
      *place = rest;
      block->size = size;
    } else {
      *place = block->next;
    }
    block->next = NULL;
    void *memory = block + 1;
#if defined(CUSTOM_KEYBOARD_WITHOUT_WIPING)
    memset(memory, 0, size - sizeof(Header));
#endif
    return memory;
  }
  return NULL;
}

/* Joins a free block with the free one behind it, if they touch. */
static void join(Header *block) {
  Header *next = block->next;
  if ((uintptr_t)block + block->size != (uintptr_t)next) return;
  block->size += next->size;
  block->next = next->next;
  memset(next, 0, sizeof(Header));
}

static void give_back(void *memory) {
  if (memory == NULL) return;
  Header *block = (Header *)memory - 1, *before = NULL;
  keyboard_wipe(memory, block->size - sizeof(Header));
  block->next = free_blocks;
  while (block->next != NULL && block->next < block) {
    before = block->next;
    block->next = before->next;
  }
  if (before == NULL) {
    free_blocks = block;
  } else {
    before->next = block;
  }
  join(block);
  if (before != NULL) join(before);
}

void keyboard_unmap(void *memory, size_t size) {
  (void)size;
  give_back(memory);
}

/* ---- Wiping ------------------------------------------------------------------------------------------------------ */

/* Tests link a module without wiping, to see that their searches find something there. */
void keyboard_wipe(void *memory, size_t size) {
#if !defined(CUSTOM_KEYBOARD_WITHOUT_WIPING)
  memset(memory, 0, size);
  __asm__ volatile("" ::"r"(memory) : "memory"); /* as if somebody read it */
#else
  (void)memory, (void)size;
#endif
}

void mbedtls_platform_zeroize(void *memory, size_t size) { keyboard_wipe(memory, size); }

extern unsigned char __stack_low;

/* Zeroes the stack in memory below the caller, down to its end. */
void keyboard_wipe_stack(void) {
  unsigned char *top;
  __asm__ volatile(".globaltype __stack_pointer, i32\n\tglobal.get __stack_pointer\n\tlocal.set %0" : "=r"(top));
  keyboard_wipe(&__stack_low, (size_t)(top - &__stack_low));
}

/* ---- For JavaScript ---------------------------------------------------------------------------------------------- */

/* Zeroed memory to pass bytes in; 0 when there is none. */
__attribute__((export_name("keyboard_allocate"))) void *keyboard_allocate(size_t size) { return keyboard_map(size); }

/* Wipes it and takes it back. */
__attribute__((export_name("keyboard_release"))) void keyboard_release(void *memory) { give_back(memory); }
