/*
 * getText into a space of more than 256 GiB, the amount that one ChaCha20 key gives with a 32-bit counter. It must not
 * trap, and its bytes must not repeat from the start. A 16 MB file in memory is mapped again and again, at consecutive
 * addresses, so that little memory is used; only the first and the last 64 KB have memory of their own.
 *
 * Run by hand: it takes at least five minutes and half a gigabyte of page tables. `huge GIB` takes another size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include <sys/mman.h>
#include <unistd.h>

enum { END = 65536, CHUNK = 16 << 20, BATCH = 256, PASSWORD = 8 };

static const uint8_t key[16] = "890765432980765";

/* `size` bytes of address space: END bytes of their own, then the same chunk repeated, then END bytes of their own. */
static uint8_t *map_space(size_t size) {
  int file = memfd_create("space", 0);
  REQUIRE(file >= 0 && ftruncate(file, CHUNK + 2 * END) == 0);
  uint8_t *space = mmap(NULL, size + CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(space != MAP_FAILED);
  /* Chunks at multiples of 2 MB, where the kernel may use large pages. */
  space += (-(uintptr_t)space - END) & ((1 << 21) - 1);
  int access = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_FIXED;
  REQUIRE(mmap(space, END, access, kind, file, CHUNK) == space);
  for (size_t at = END; at < size - END; at += CHUNK) {
    size_t count = size - END - at < CHUNK ? size - END - at : CHUNK;
    REQUIRE(mmap(space + at, count, access, kind, file, 0) == space + at);
    madvise(space + at, count, MADV_HUGEPAGE);
  }
  REQUIRE(mmap(space + size - END, END, access, kind, file, CHUNK + END) == space + size - END);
  close(file);
  return space;
}

/* How many batches at the end also occur at the beginning. */
static int count_repeated(const uint8_t *space, size_t size) {
  int repeated = 0;
  for (size_t i = 0; i < END; i += BATCH)
    for (size_t j = 0; j < END; j += BATCH) repeated += memcmp(space + i, space + size - END + j, BATCH) == 0;
  return repeated;
}

static int is_zero(const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (bytes[i] != 0) return 0;
  return 1;
}

int main(int count, char **arguments) {
  size_t gib = count > 1 ? strtoull(arguments[1], NULL, 10) : 256, size = (gib << 30) + END;
  uint8_t clear[64];
  size_t offset = 0, length = 0, clear_offset, clear_length;
  struct timespec start, end;
  uint8_t *space = map_space(size);
  CUSTOM_KEYBOARD k = typed(CUSTOM_ENCWAY_SM4, key, sizeof key, bytes("kgcx879@"), PASSWORD);
  timespec_get(&start, TIME_UTC);
  CHECK_OK(CustomKeyboard_getText(k, space, size, &offset, &length));
  timespec_get(&end, TIME_UTC);
  CHECK(length == 16 && offset <= size - length);
  CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, sizeof key, space + offset, length, clear, sizeof clear,
                                  &clear_offset, &clear_length));
  CHECK(clear_length == PASSWORD && memcmp(clear + clear_offset, "kgcx879@", PASSWORD) == 0);
  CHECK_EQUAL(count_repeated(space, size), 0);
  for (size_t at = 0; at < END; at += BATCH) CHECK(!is_zero(space + at, 64) && !is_zero(space + size - END + at, 64));
  CHECK_OK(CustomKeyboard_destroy(k));
  printf("%zu GiB and 64 KB in %lld seconds\n", gib, (long long)(end.tv_sec - start.tv_sec));
  return check_end("huge", 260);
}
