/*
 * Finds the library's locked memory by how the kernel describes it: it is the memory that a fork empties ("wf" in
 * /proc/self/smaps), which nothing else in these programs asks for. It contains the keyboards' slots and the
 * workspaces, and the stacks for secrets. Each workspace has a mark that says whether it is taken, and a generator
 * (UseMark.swift, RandomStream.swift). A stack ends with its mark, and is otherwise zero between calls
 * (SecretStack.swift):
 *
 *     0       8                  32      64                    0                         48 KB − 64
 *     ├─ mark ┼─ budget, seeded ─┼─ key ─┤                     ├──────── stack ──────────┼─ mark ─┤
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOCKED_H
#define LOCKED_H

#include "check.h"
#include <fcntl.h>
#include <unistd.h>

enum {
  LOCKED_REGIONS = 256,
  PASSWORD_WORKSPACE = 1024,
  SEALED_WORKSPACE = 16 * 1024,
  BATCH_WORKSPACE = 32 * 1024,
#if defined(__APPLE__)
  PASSWORD_WORKSPACES = 16, /* four, in a page */
  SEALED_WORKSPACES = 2,
#else
  PASSWORD_WORKSPACES = 64,
  SEALED_WORKSPACES = 16,
  BATCH_WORKSPACES = 16,
#endif
  SECRET_STACK = 48 * 1024,
  STACK_MARK = 64,
  STACK_RETURNS = 16, /* above what is zeroed: where the zeroing returns to */
  MARK_TAKEN = 2,
  GENERATOR_KEY = 32, /* both offset and length */
  GENERATOR_SIZE = 64
};

static struct locked_region {
  uint8_t *start, *end;
} locked_regions[LOCKED_REGIONS], secret_stacks[LOCKED_REGIONS];
static size_t locked_count, stack_count;

/* Reads the regions again. Needs no heap. */
static inline void find_locked(void) {
  static char text[1 << 19]; /* under an emulator there are thousands of mappings */
  size_t filled = 0;
  unsigned long long start = 0, end = 0;
  int file = open("/proc/self/smaps", O_RDONLY);
  REQUIRE(file >= 0);
  for (ssize_t got; (got = read(file, text + filled, sizeof text - 1 - filled)) > 0;) filled += (size_t)got;
  close(file);
  REQUIRE(filled < sizeof text - 1);
  text[filled] = 0;
  locked_count = stack_count = 0;
  for (char *line = text, *next; *line; line = next) {
    next = strchr(line, '\n');
    *next++ = 0;
    char *rest;
    unsigned long long from = strtoull(line, &rest, 16);
    if (rest != line && *rest == '-') start = from, end = strtoull(rest + 1, NULL, 16);
    if (strncmp(line, "VmFlags:", 8) != 0 || !strstr(line, " wf")) continue;
    REQUIRE(locked_count < LOCKED_REGIONS && stack_count < LOCKED_REGIONS);
    struct locked_region region = {(uint8_t *)(uintptr_t)start, (uint8_t *)(uintptr_t)end};
    if (end - start == SECRET_STACK)
      secret_stacks[stack_count++] = region;
    else
      locked_regions[locked_count++] = region;
  }
}

/* The size of the workspaces in a region; 0 for a region of slots. The size of a region identifies a full table of
 * workspaces. A thread that found no free workspace gets a region of its own. iPhones have small tables in whole pages
 * of 16 KB, and some are alike: there slots are made first, and what batches use after what sealed texts use. */
static inline size_t workspace_size(const struct locked_region *region) {
  size_t size = (size_t)(region->end - region->start);
#if defined(__APPLE__)
  if (region == locked_regions) return 0;
  if (size == PASSWORD_WORKSPACES * PASSWORD_WORKSPACE) return PASSWORD_WORKSPACE;
  for (const struct locked_region *other = locked_regions + 1; other < region; other++)
    if (other->end - other->start == BATCH_WORKSPACE) return size == BATCH_WORKSPACE ? BATCH_WORKSPACE : 0;
  return size == SEALED_WORKSPACES * SEALED_WORKSPACE ? SEALED_WORKSPACE : 0;
#else
  if (size == PASSWORD_WORKSPACE * PASSWORD_WORKSPACES) return PASSWORD_WORKSPACE;
  if (size == SEALED_WORKSPACE * SEALED_WORKSPACES) return SEALED_WORKSPACE;
  if (size == BATCH_WORKSPACE * BATCH_WORKSPACES) return BATCH_WORKSPACE;
  if (size == 4096 || size == SEALED_WORKSPACE || size == BATCH_WORKSPACE) return size;
  return 0;
#endif
}

/* Calls `body` for each workspace in the regions that were found; returns the sum of its results. */
static inline size_t for_each_workspace(size_t (*body)(uint8_t *workspace, size_t size)) {
  size_t sum = 0;
  for (size_t i = 0; i < locked_count; i++) {
    size_t size = workspace_size(&locked_regions[i]);
    for (uint8_t *at = locked_regions[i].start; size > 0 && at + size <= locked_regions[i].end; at += size)
      sum += body(at, size);
  }
  return sum;
}

static inline size_t is_taken(uint8_t *workspace, size_t size) {
  (void)size;
  return __atomic_load_n((uint32_t *)(void *)workspace, __ATOMIC_ACQUIRE) == MARK_TAKEN;
}

/* How many workspaces and stacks are taken. */
static inline size_t taken_places(void) {
  size_t sum = for_each_workspace(is_taken);
  for (size_t i = 0; i < stack_count; i++) sum += is_taken(secret_stacks[i].end - STACK_MARK, 0);
  return sum;
}

/* How many words of the stacks for secrets are not zero. The kernel copies them, because valgrind calls the frames of
 * ended calls invalid. */
static inline size_t left_on_stacks(void) {
  static uint64_t copy[(SECRET_STACK - STACK_MARK - STACK_RETURNS) / 8];
  size_t sum = 0;
  int memory = open("/proc/self/mem", O_RDONLY);
  REQUIRE(memory >= 0);
  for (size_t i = 0; i < stack_count; i++) {
    off_t start = (off_t)(uintptr_t)secret_stacks[i].start;
    REQUIRE(pread(memory, copy, sizeof copy, start) == (ssize_t)sizeof copy);
    for (size_t at = 0; at < sizeof copy / 8; at++) sum += copy[at] != 0;
  }
  close(memory);
  return sum;
}

static uint8_t *generator_key_found;
static size_t generator_size = PASSWORD_WORKSPACE; /* of the workspaces whose generator is looked for */
static inline size_t has_generator(uint8_t *workspace, size_t size) {
  uint64_t any = 0;
  for (int i = 0; i < GENERATOR_KEY; i++) any |= workspace[GENERATOR_KEY + i];
  if (size == generator_size && any) generator_key_found = workspace + GENERATOR_KEY;
  return size == generator_size && any;
}

/* The key of the generator that workspaces of a size use, in a program with one thread. It must have drawn already. */
static inline uint8_t *generator_key_of(size_t size) {
  find_locked();
  generator_size = size;
  size_t found = for_each_workspace(has_generator);
  generator_size = PASSWORD_WORKSPACE;
  REQUIRE(found == 1);
  return generator_key_found;
}

/* That of calls on passwords. */
static inline uint8_t *generator_key(void) { return generator_key_of(PASSWORD_WORKSPACE); }

#endif /* LOCKED_H */
