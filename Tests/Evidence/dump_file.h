/*
 * Makes a process dump, and searches the core dump, segment by segment, for the needles (scan.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DUMP_FILE_H
#define DUMP_FILE_H

#include "scan.h"
#include <dirent.h>
#include <elf.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { PLANTED = 32 }; /* bytes of the control that each dump must have */

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

/* Searches the one dump in this directory and removes it. */
static int take_dump(struct findings *found) {
  DIR *directory = opendir(".");
  int count = 0;
  REQUIRE(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    if (count++ == 0) *found = search_file(entry->d_name);
    unlink(entry->d_name);
  }
  closedir(directory);
  return count == 1;
}

static void ask_for_everything(void) {
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  REQUIRE(setrlimit(RLIMIT_CORE, &all) == 0);
  FILE *filter = fopen("/proc/self/coredump_filter", "w"); /* include pages of files and of devices */
  REQUIRE(filter && fputs("0x1ff", filter) >= 0 && fclose(filter) == 0);
}

static void start_victim(int by_gdb, char **words) {
  char program[4096], *by_kernel[8], *gdb[] = {"gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off",
      "-ex", "set startup-with-shell off", "-ex", "set follow-fork-mode child", "-ex", "run", "-ex",
      "generate-core-file core.gdb", "--args", program, words[0], words[1], words[2], words[3], words[4], words[5],
      NULL};
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  REQUIRE(length > 0);
  program[length] = 0;
  ask_for_everything();
  if (getenv("VICTIM_PRELOAD")) setenv("LD_PRELOAD", getenv("VICTIM_PRELOAD"), 1);
  if (by_gdb) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp("gdb", gdb);
  }
  by_kernel[0] = program;
  for (int i = 0; i < 7; i++) by_kernel[i + 1] = i < 6 ? words[i] : NULL;
  execv(program, by_kernel);
  _exit(127);
}

/* Makes a victim dump, and searches its dump, in which the planted control must be. Returns whether it is there. */
static int dump_victim(int by_gdb, char **words, struct findings *found, int *status) {
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) start_victim(by_gdb, words);
  REQUIRE(waitpid(child, status, 0) == child);
  return CHECK(take_dump(found)) & CHECK(found->planted >= PLANTED - WINDOW + 1);
}

/* Undoes MADV_DONTDUMP wherever it is set. */
static void dump_everything(void) {
  char line[512];
  unsigned long start = 0, end = 0, from, to, undone = 0;
  FILE *file = fopen("/proc/self/smaps", "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2) start = from, end = to;
    if (strncmp(line, "VmFlags:", 8) != 0 || !strstr(line, " dd") || strstr(line, " io")) continue;
    undone += madvise((void *)start, end - start, MADV_DODUMP) == 0;
  }
  fclose(file);
  REQUIRE(undone > 0);
}

static void to_hex(const uint8_t *from, size_t length, char *out) {
  for (size_t i = 0; i < length; i++) snprintf(out + 2 * i, 3, "%02x", from[i]);
}

#endif /* DUMP_FILE_H */
