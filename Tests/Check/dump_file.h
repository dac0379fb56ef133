/*
 * A core dump, segment by segment: what of the needles (scan.h) it holds, and whether on the stack or in a register.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DUMP_FILE_H
#define DUMP_FILE_H

#include "scan.h"
#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* What is found of each kind; and how much of that on the stack, or in the registers. */
struct findings {
  size_t password, key, schedule, planted, on_stack, bytes;
};

/* Where the first thread's stack lies: the kernel has told the process an address on it (AT_RANDOM). */
static uint64_t stack_address(const uint8_t *note, const uint8_t *end) {
  while (note < end) {
    const Elf64_Nhdr *header = (const void *)note;
    const uint64_t *pair = (const void *)(note + sizeof *header + (header->n_namesz + 3) / 4 * 4);
    if (header->n_type == NT_AUXV)
      for (; pair[0] != AT_NULL; pair += 2)
        if (pair[0] == AT_RANDOM) return pair[1];
    note = (const uint8_t *)pair + (header->n_descsz + 3) / 4 * 4;
  }
  return 0;
}

static size_t search_segment(const uint8_t *dump, size_t length, struct findings *found) {
  size_t secrets = 0;
  for (size_t at = 0; at + WINDOW <= length; at++) {
    uint64_t window;
    memcpy(&window, dump + at, sizeof window);
    long needle = find_needle(window * needles.factor);
    if (needle < 0) continue;
    secrets += needles.kinds[needle][1] != 'l';
    switch (needles.kinds[needle][1]) {
      case 'a': found->password++; break;
      case 'e': found->key++; break;
      case 'c': found->schedule++; break;
      default: found->planted++;
    }
  }
  return secrets;
}

/* All segments of a dump: the registers and what else the kernel notes, and memory. */
static struct findings search_file(const char *path) {
  struct findings found = {0, 0, 0, 0, 0, 0};
  struct stat status;
  int file = open(path, O_RDONLY);
  REQUIRE(file >= 0 && fstat(file, &status) == 0 && status.st_size > 100000);
  const uint8_t *dump = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  REQUIRE(dump != MAP_FAILED && memcmp(dump, ELFMAG, SELFMAG) == 0);
  const Elf64_Ehdr *header = (const void *)dump;
  const Elf64_Phdr *segments = (const void *)(dump + header->e_phoff);
  uint64_t stack = 0;
  size_t stacks = 0;
  for (int i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr *s = &segments[i];
    REQUIRE(s->p_offset + s->p_filesz <= (uint64_t)status.st_size);
    if (s->p_type == PT_NOTE) stack = stack_address(dump + s->p_offset, dump + s->p_offset + s->p_filesz);
  }
  for (int i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr *s = &segments[i];
    int is_stack = s->p_type == PT_LOAD && stack - s->p_vaddr < s->p_filesz;
    size_t secrets = search_segment(dump + s->p_offset, s->p_filesz, &found);
    if (is_stack || s->p_type == PT_NOTE) found.on_stack += secrets;
    stacks += (size_t)is_stack;
    found.bytes += s->p_filesz;
  }
  REQUIRE(stacks == 1);
  munmap((void *)(uintptr_t)dump, (size_t)status.st_size);
  close(file);
  return found;
}

#endif /* DUMP_FILE_H */
