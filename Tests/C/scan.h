/*
 * Searches all writable memory of its own process for secrets. It stores only products of what it searches for: eight
 * bytes of a secret, as a number, times a random odd number. So a hit is never the scanner's own data. The secret is
 * never written anywhere to compute a product: it comes byte by byte from two arrays that are XORed.
 *
 * A bitsliced cipher keeps a bit as a word of ones or of zeros. So 64 such words, one after another, are compared, too,
 * as the eight bytes whose bits they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCAN_H
#define SCAN_H

#include "check.h"
#include <fcntl.h>
#include <unistd.h>

#ifndef NEEDLE_BITS
#define NEEDLE_BITS 14 /* half of the table may be used */
#endif
enum { WINDOW = 8, NEEDLES = 1 << NEEDLE_BITS, SIEVE_BITS = 16, MAPS_SIZE = 1 << 16, PAGE = 4096 };

/* The products, as an open hash table (0 is empty), and one bit for each value of their upper bits. */
static struct needles {
  uint64_t factor, count, products[NEEDLES];
  char kinds[NEEDLES][12];
  uint8_t sieve[(1 << SIEVE_BITS) / 8];
} needles;

/* Zeroes memory byte by byte, so that no vector register is used. */
static inline void wipe(volatile void *memory, size_t length) {
  volatile uint8_t *bytes = memory;
  for (size_t i = 0; i < length; i++) bytes[i] = 0;
}

/* Zeroes the stack below the caller, where the test itself may have left a secret before it calls the library. */
__attribute__((noinline)) static void wipe_stack(void) {
  volatile uint8_t frame[65536];
  wipe(frame, sizeof frame);
}

/* The index of a product in the table, or -1. */
static inline long find_needle(uint64_t product) {
  uint64_t bit = product >> (64 - SIEVE_BITS);
  if (!(needles.sieve[bit / 8] >> bit % 8 & 1)) return -1;
  for (uint64_t i = bit % NEEDLES;; i = (i + 1) % NEEDLES) {
    if (needles.products[i] == 0) return -1;
    if (needles.products[i] == product) return (long)i;
  }
}

/* Adds eight bytes to search for, unless they are too regular, or half of them are zero, as after the last word of a
 * key schedule. Such bytes occur anywhere by chance: "1299" and a few zeros are the end of some string. */
static void add_needle(const char *kind, uint64_t window) {
  unsigned different = 0;
  for (int i = 0; i < WINDOW; i++) {
    int seen = 0;
    for (int j = 0; j < i; j++) seen |= (window >> 8 * i & 255) == (window >> 8 * j & 255);
    different += !seen;
  }
  uint64_t product = window * needles.factor, bit = product >> (64 - SIEVE_BITS);
  if (different < 4 || window >> 32 == 0 || (uint32_t)window == 0 || product == 0) return;
  if (find_needle(product) >= 0) return;
  REQUIRE(needles.count < NEEDLES / 2);
  uint64_t i = bit % NEEDLES;
  while (needles.products[i] != 0) i = (i + 1) % NEEDLES;
  needles.products[i] = product;
  snprintf(needles.kinds[i], sizeof needles.kinds[i], "%s", kind);
  needles.sieve[bit / 8] |= (uint8_t)(1 << bit % 8);
  needles.count++;
}

/* Adds all runs of eight bytes that begin at multiples of `stride`. */
static inline void add_needles(const char *kind, const volatile uint8_t *secret, size_t length, size_t stride) {
  for (size_t start = 0; start + WINDOW <= length; start += stride) {
    uint64_t window = 0;
    for (int i = WINDOW - 1; i >= 0; i--) window = window << 8 | secret[start + (size_t)i];
    add_needle(kind, window);
  }
}

/* Whether a needle of this kind is allowed where it was found; NULL if none is allowed anywhere. */
static int (*may_be)(const char *kind, uintptr_t at);

struct range {
  const char *line, *when; /* of /proc/self/maps, and what is going on */
  uintptr_t start;
  int quiet;
  size_t hits;
};

/* Counts a needle where it may not be, and prints the first few places. */
static inline void compare(struct range *range, uint64_t window, uintptr_t at) {
  long found = find_needle(window * needles.factor);
  if (found < 0 || (may_be && may_be(needles.kinds[found], at))) return;
  if (++range->hits <= 8 && !range->quiet) {
    int end_of_line = (int)strcspn(range->line, "\n");
    fprintf(stderr, "  %s: %s at %#lx, offset %#lx of %.*s\n", range->when, needles.kinds[found], (unsigned long)at,
            (unsigned long)(at - range->start), end_of_line, range->line);
  }
}

/* Whether a whole page begins here that has only zeros, as most of a stack and of a child's copy does. */
static inline int is_zero_page(uintptr_t at, uintptr_t end) {
  uint64_t word;
  if (at % PAGE != 0 || end - at < PAGE) return 0;
  for (uintptr_t of_page = at; of_page < at + PAGE; of_page += sizeof word) {
    __builtin_memcpy(&word, (const void *)of_page, sizeof word);
    if (word != 0) return 0;
  }
  return 1;
}

/* Searches a range; returns how often a needle was found. The word being compared is only ever in registers. A page of
 * zeros is passed over, but for the words that end in the next one: no needle is 0. */
static size_t scan_range(const char *line, uintptr_t start, uintptr_t end, const char *when, int quiet) {
  struct range range = {line, when, start, quiet, 0};
  uint64_t window, bits = 0;
  uint32_t word, words = 0;
  for (uintptr_t at = start; at + WINDOW <= end; at++) {
    if (is_zero_page(at, end)) {
      at += PAGE - WINDOW;
      continue;
    }
    __builtin_memcpy(&window, (const void *)at, sizeof window);
    compare(&range, window, at);
  }
  for (uintptr_t at = start; at + sizeof word <= end; at += sizeof word) {
    if (is_zero_page(at, end)) {
      words += PAGE / sizeof word, bits = 0, at += PAGE - sizeof word;
      continue;
    }
    __builtin_memcpy(&word, (const void *)at, sizeof word);
    words = word + 1 > 1 ? 0 : words + 1;
    bits = bits >> 1 | (uint64_t)word << 63;
    if (words >= 64 && bits != 0) compare(&range, bits, at);
  }
  return range.hits;
}

/* Searches all memory that can be read and written; returns how often a needle was found. */
__attribute__((noinline)) static size_t scan(const char *when, int quiet) {
  static char maps[MAPS_SIZE];
  size_t filled = 0, hits = 0, ranges = 0;
  int file = open("/proc/self/maps", O_RDONLY);
  REQUIRE(file >= 0);
  for (ssize_t got; (got = read(file, maps + filled, sizeof maps - 1 - filled)) > 0;) filled += (size_t)got;
  close(file);
  REQUIRE(filled < sizeof maps - 1);
  maps[filled] = 0;
  for (char *line = maps; *line; line = strchr(line, '\n') + 1) {
    char *rest;
    uintptr_t start = (uintptr_t)strtoull(line, &rest, 16), end = (uintptr_t)strtoull(rest + 1, &rest, 16);
    if (strncmp(rest, " rw", 3) != 0) continue;
    hits += scan_range(line, start, end, when, quiet);
    ranges++;
  }
  REQUIRE(ranges > 4);
  return hits;
}

#endif /* SCAN_H */
