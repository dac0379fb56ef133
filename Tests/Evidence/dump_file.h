/*
 * Searches a core dump, segment by segment, for the needles (scan.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DUMP_FILE_H
#define DUMP_FILE_H

#include "scan.h"
#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* How often each kind was found. */
struct findings {
  size_t password, key, schedule, generator, shuffle, planted, bytes;
};

static void search_segment(const uint8_t *dump, size_t length, struct findings *found) {
  for (size_t at = 0; at + WINDOW <= length; at++) {
    uint64_t window;
    memcpy(&window, dump + at, sizeof window);
    long needle = find_needle(window * needles.factor);
    if (needle < 0) continue;
    switch (needles.kinds[needle][1]) {
      case 'a': found->password++; break;
      case 'e': found->key++; break;
      case 'c': found->schedule++; break;
      case 'r': found->generator++; break; /* "drawn" */
      case 'h': found->shuffle++; break;
      default: found->planted++;
    }
  }
}

/* All segments of a dump: the registers and other data that the kernel adds, and memory. */
static struct findings search_file(const char *path) {
  struct findings found = {0};
  struct stat status;
  int file = open(path, O_RDONLY);
  REQUIRE(file >= 0 && fstat(file, &status) == 0 && status.st_size > 100000);
  const uint8_t *dump = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  REQUIRE(dump != MAP_FAILED && memcmp(dump, ELFMAG, SELFMAG) == 0);
  const Elf64_Ehdr *header = (const void *)dump;
  const Elf64_Phdr *segments = (const void *)(dump + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++) {
    REQUIRE(segments[i].p_offset + segments[i].p_filesz <= (uint64_t)status.st_size);
    search_segment(dump + segments[i].p_offset, segments[i].p_filesz, &found);
    found.bytes += segments[i].p_filesz;
  }
  REQUIRE(header->e_phnum > 10);
  munmap((void *)(uintptr_t)dump, (size_t)status.st_size);
  close(file);
  return found;
}

#endif /* DUMP_FILE_H */
