/*
 * Core dumps of a process that uses a vault must not contain the vault's keys, names, data, passcodes or words, at
 * whatever point it dies: after each kind of call, or in the middle of it. What its caller had in ordinary memory for
 * the call is wiped first. For comparison, the same is found if it is not wiped, and if locked memory is dumped.
 * With FIDO_SECRETS it is the FIDO client that uses the vault (fido_secrets.h).
 *
 *     dumps_vault kernel|gdb TIMES                      who writes the dump, and how many moments are tried
 *     dumps_vault victim SEED MOMENT FOLDER what        the process that dies
 *
 * Run it in an empty directory: dumps are written, searched and removed there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only the other searches call */
#include "vault_secrets.h"
#include "dump_file.h"
#include <time.h>

enum what { WIPED, NOT_WIPED, ALL_DUMPED };

static unsigned long last_moment;
static enum what what_is_done;

/* Signals wait during a call, but abort does not. */
static void die_in_call(void) {
  if (moment_count < last_moment || !is_inside) return;
  if (what_is_done != NOT_WIPED) hide_all();
  if (what_is_done == ALL_DUMPED) dump_everything();
  abort();
}
static void die_after_call(void) {
  if (moment_count >= last_moment && !is_inside) abort();
}

static int be_victim(char **words) {
  uint64_t seed = strtoull(words[0], NULL, 10);
  last_moment = strtoul(words[1], NULL, 10);
  snprintf(secret_folder, sizeof secret_folder, "%.200s", words[2]);
  what_is_done = (enum what)atoi(words[3]);
  snprintf(secret_path, sizeof secret_path, "%.250s/vault", secret_folder);
  snprintf(secret_copy, sizeof secret_copy, "%.250s/copy", secret_folder);
  register_faulty();
  faulty_hook = look_inside;
  at_moment = last_moment % 8 == 0 && what_is_done == WIPED ? die_after_call : die_in_call;
  draw_masked(seed);
  wipe_stack();
  use_secrets(seed);
  return 0;
}

/* Searches the one dump in this directory, and removes it. */
static long hits_in_dump(const char *when, int quiet, size_t *bytes) {
  long hits = -1;
  DIR *directory = opendir(".");
  REQUIRE(directory != NULL);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    struct stat about;
    if (entry->d_name[0] == '.') continue;
    int file = open(entry->d_name, O_RDONLY);
    REQUIRE(file >= 0 && fstat(file, &about) == 0 && about.st_size > 100000);
    const uint8_t *dump = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    REQUIRE(dump != MAP_FAILED && memcmp(dump, ELFMAG, SELFMAG) == 0);
    hits = (long)scan_range("the dump", (uintptr_t)dump, (uintptr_t)dump + (size_t)about.st_size, when, quiet);
    *bytes += (size_t)about.st_size;
    munmap((void *)(uintptr_t)dump, (size_t)about.st_size);
    close(file);
    unlink(entry->d_name);
  }
  closedir(directory);
  return hits;
}

/* How many needles are in the dump of a process that dies at a moment; -1 if it did not die. */
static long dump_at(int by_gdb, uint64_t seed, unsigned long moment, enum what what, size_t *bytes) {
  char texts[3][32], *words[] = {"victim", texts[0], texts[1], secret_folder, texts[2], NULL, NULL};
  int status = -1;
  snprintf(texts[0], sizeof texts[0], "%llu", (unsigned long long)seed);
  snprintf(texts[1], sizeof texts[1], "%lu", moment);
  snprintf(texts[2], sizeof texts[2], "%d", (int)what);
  clear_secret_folder();
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) start_victim(by_gdb, words);
  REQUIRE(waitpid(child, &status, 0) == child);
  return hits_in_dump(texts[1], what != WIPED, bytes);
}

int main(int count, char **arguments) {
  if (count >= 6 && strcmp(arguments[1], "victim") == 0) return be_victim(arguments + 2);
  REQUIRE(count == 3);
  int by_gdb = strcmp(arguments[1], "gdb") == 0, times = atoi(arguments[2]), dumps = 0;
  uint64_t seed = getenv("SEED") != NULL ? strtoull(getenv("SEED"), NULL, 10) : (uint64_t)time(NULL), state = seed;
  size_t bytes = 0;
  prepare_secrets();
  learn_secrets(seed);
  for (int i = 0; i < times; i++) {
    unsigned long moment = 1 + next_number(&state) % (moments_in_all - 60);
    long hits = dump_at(by_gdb, seed, moment, WIPED, &bytes);
    if (!CHECK_EQUAL(hits, 0)) fprintf(stderr, "  seed %llu, moment %lu\n", (unsigned long long)seed, moment);
    dumps++;
  }
  /* Controls, each in the middle of calls: in one of these moments the caller has something. */
  long in_clear_found = 0, locked_found = 0;
  for (unsigned long part = 1; part < 4; part++) {
    in_clear_found += dump_at(by_gdb, seed, moments_in_all / 4 * part + 1, NOT_WIPED, &bytes);
    locked_found += dump_at(by_gdb, seed, moments_in_all / 4 * part + 1, ALL_DUMPED, &bytes);
  }
  CHECK(in_clear_found > 0);
  CHECK(locked_found > 100);
  remove_folder(secret_folder);
  printf("dumps %d\nmegabytes %zu\n", dumps, bytes >> 20);
  return check_end("dumps_vault", (unsigned long)times / 2);
}
