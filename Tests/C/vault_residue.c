/*
 * Where the vault's secrets are: the caller's key and the file's root with all keys that follow from them, names, data,
 * passcodes, peppers, words, and what was drawn. During a call they are in locked memory, which is in no core dump and
 * which a fork empties, and in the caller's own; passcodes and words not while the disk is waited for. After it, only
 * keys are, while the vault is open. SQLite's memory and the files have none, ever.
 *
 * Compiled with FIDO_SECRETS, it calls the FIDO client on a vault: the passcode, what only it opens, the private key
 * and the key that seals it are secrets too, and exist during a call only.
 *
 *     vault_residue inside [N]       searches in the middle of calls: at every N-th call of SQLite to its disk and for
 *                                    memory, after each call, and in the children of forks at these moments
 *     vault_residue debugger [N]     another process stops this one N times, at random moments, and searches it
 *
 * SEED from the environment.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_secrets.h"
#include "locked.h"
#include <signal.h>
#include <time.h>

enum { SEARCHES_TO_A_FORK = 8 };
static unsigned long searches, forks, every = 1, found_locked;
static unsigned seen; /* a bit for each of `seen_kinds` that was found in locked memory */
#ifdef FIDO_SECRETS
static const char *const seen_kinds[] = {"key", "root", "sealing", "private"}, program_name[] = "fido_residue";
#else
static const char *const seen_kinds[] = {"key", "root", "data"}, program_name[] = "vault_residue";
#endif

static int is_locked(uintptr_t at) {
  for (size_t i = 0; i < locked_count; i++)
    if (at >= (uintptr_t)locked_regions[i].start && at < (uintptr_t)locked_regions[i].end) return 1;
  for (size_t i = 0; i < stack_count; i++)
    if (at >= (uintptr_t)secret_stacks[i].start && at < (uintptr_t)secret_stacks[i].end) return 1;
  return 0;
}

/* What an open vault keeps. */
static int is_key(const char *kind) {
  static const char *const kinds[] = {"key", "next key", "root", "hash key", "drawn"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kind, kinds[i]) == 0) return 1;
  return 0;
}

/* What is typed, and words. They were read, or are not there yet, when the disk or SQLite's memory is waited for. */
static int is_typed(const char *kind) {
  return strcmp(kind, "passcode") == 0 || strcmp(kind, "next code") == 0 || strcmp(kind, "words") == 0;
}

static int is_allowed_here(const char *kind, uintptr_t at) {
  if (is_inside && is_the_callers(at)) return 1;
  if (!is_locked(at)) find_locked();
  if (!is_locked(at)) return 0;
  found_locked++;
  for (unsigned i = 0; i < sizeof seen_kinds / sizeof *seen_kinds; i++)
    if (strcmp(kind, seen_kinds[i]) == 0) seen |= 1u << i;
  return is_inside ? !is_typed(kind) : is_key(kind);
}

/* ---- Inside of calls --------------------------------------------------------------------------------------------- */

/* The child of a fork at this moment has nothing at all, not in locked memory either. */
static void search_fork(const char *when) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    hide_all();
    may_be = NULL;
    _exit(scan(when, 0) > 0);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  in the child of a fork %s\n", when);
  forks++;
}

static void search_here(void) {
  char when[128];
  if (moment_count % every != 0 && is_inside) return;
  snprintf(when, sizeof when, "%s %s", is_inside ? "in" : "after", moment_name);
  searches++;
  CHECK_EQUAL(scan(when, atomic_load(&check_failures) > 3), 0);
  if (searches % SEARCHES_TO_A_FORK == 0) search_fork(when);
}

/* A secret of each kind in SQLite's memory, on the stack, and in a file: they are found. */
static void plant_secrets(void) {
  for (int i = 0; i < SECRETS; i++) {
    volatile uint8_t on_stack[16];
    volatile uint8_t *in_heap = sqlite3_malloc(64);
    REQUIRE(in_heap != NULL);
    CHECK_EQUAL(scan("nothing is planted", 0), 0);
    for (size_t k = 0; k < 16; k++) in_heap[k + 8] = masked[i].masked[k] ^ masked[i].mask[k];
    if (!CHECK(scan("planted", 1) > 0)) fprintf(stderr, "  %s is not found\n", secret_kinds[i].kind);
    wipe(in_heap, 64);
    for (size_t k = 0; k < 16; k++) on_stack[k] = masked[i].masked[k] ^ masked[i].mask[k];
    if (!CHECK(scan("planted", 1) > 0)) fprintf(stderr, "  %s is not found\n", secret_kinds[i].kind);
    wipe(on_stack, sizeof on_stack);
    sqlite3_free((void *)(uintptr_t)in_heap);
  }
}

static int search_inside(uint64_t seed) {
  at_moment = search_here;
  may_be = is_allowed_here;
  atomic_store(&check_failures, 0);
  draw_masked(seed);
  wipe_stack();
  plant_secrets();
  use_secrets(seed);
  CHECK(found_locked > 1000); /* what is searched for is what there is */
  CHECK_EQUAL(seen, (1u << sizeof seen_kinds / sizeof *seen_kinds) - 1);
  CHECK(forks > 0);
  printf("%lu searches at %lu moments, and in %lu forks\n", searches, moment_count, forks);
  fflush(stdout);
  return atomic_load(&check_failures) > 0;
}

/* ---- From another process ---------------------------------------------------------------------------------------- */

/* The calls, once, because in a second round the libraries would draw other numbers. */
static int be_searched(uint64_t seed) {
  atomic_store(&check_failures, 0);
  draw_masked(seed);
  wipe_stack();
  use_secrets(seed);
  return atomic_load(&check_failures) > 0;
}

/* Searches the memory of a process that is stopped: all that it can write to, but what a fork would empty, and its
 * caller's. It is a fork of this one, so its variables have this one's addresses. */
static size_t search_process(pid_t child, size_t *bytes, size_t *found_at_all) {
  static uint8_t block[1 << 20];
  static char text[1 << 19];
  char name[64];
  size_t filled = 0, hits = 0;
  snprintf(name, sizeof name, "/proc/%d/smaps", (int)child);
  int file = open(name, O_RDONLY);
  REQUIRE(file >= 0);
  for (ssize_t got; (got = read(file, text + filled, sizeof text - 1 - filled)) > 0;) filled += (size_t)got;
  close(file);
  text[filled] = 0;
  snprintf(name, sizeof name, "/proc/%d/mem", (int)child);
  int memory = open(name, O_RDONLY);
  REQUIRE(memory >= 0);
  unsigned long start = 0, end = 0;
  int is_writable = 0;
  char heading[128] = "";
  for (char *line = text, *next; *line; line = next) {
    char rights[8];
    unsigned long from, to;
    next = strchr(line, '\n');
    *next++ = 0;
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3) {
      start = from, end = to, is_writable = strncmp(rights, "rw", 2) == 0;
      snprintf(heading, sizeof heading, "%.100s\n", line);
    }
    if (strncmp(line, "VmFlags:", 8) != 0 || !is_writable || strstr(line, " wf")) continue;
    for (unsigned long at = start; at < end; at += sizeof block - WINDOW) {
      size_t count = end - at < sizeof block ? end - at : sizeof block;
      if (pread(memory, block, count, (off_t)at) != (ssize_t)count) continue;
      *bytes += count;
      for (size_t i = 0; i + WINDOW <= count; i++) {
        uint64_t window;
        memcpy(&window, block + i, sizeof window);
        long found = find_needle(window * needles.factor);
        if (found >= 0) (*found_at_all)++;
        if (found < 0 || is_the_callers(at + i)) continue;
        if (hits++ < 4) fprintf(stderr, "  %s at %#lx of %s", needles.kinds[found], at + i, heading);
      }
    }
  }
  close(memory);
  wipe(block, sizeof block);
  return hits;
}

static void search_with_debugger(uint64_t seed, long times) {
  size_t bytes = 0, rounds = 0, found_at_all = 0;
  srand((unsigned)seed);
  for (long i = 0; i < times && atomic_load(&check_failures) == 0; rounds++) {
    int status = -1;
    clear_secret_folder();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(be_searched(seed));
    for (; i < times && atomic_load(&check_failures) == 0; i++) {
      usleep((useconds_t)(rand() % 3000));
      REQUIRE(kill(child, SIGSTOP) == 0 && waitpid(child, &status, WUNTRACED) == child);
      if (!WIFSTOPPED(status)) break;
      CHECK_EQUAL(search_process(child, &bytes, &found_at_all), 0);
      REQUIRE(kill(child, SIGCONT) == 0);
    }
    if (WIFSTOPPED(status)) {
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    } else {
      CHECK_EQUAL(status, 0);
    }
  }
  CHECK(found_at_all > 0); /* of what the caller has during a call */
  printf("%ld searches of %zu processes that were stopped, %zu MB\n", times, rounds, bytes >> 20);
}

int main(int count, char **arguments) {
  uint64_t seed = getenv("SEED") != NULL ? strtoull(getenv("SEED"), NULL, 10) : (uint64_t)time(NULL);
  int is_debugger = count > 1 && strcmp(arguments[1], "debugger") == 0;
  long number = count > 2 ? atol(arguments[2]) : 1;
  prepare_secrets();
  learn_secrets(seed);
  if (is_debugger) {
    search_with_debugger(seed, number);
  } else {
    int status = -1;
    every = (unsigned long)number;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(search_inside(seed));
    REQUIRE(waitpid(child, &status, 0) == child);
    if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  seed %llu\n", (unsigned long long)seed);
    CHECK_EQUAL(search_files(0), 0);
    atomic_fetch_add(&check_count, 500); /* of the child */
  }
  remove_folder(secret_folder);
  return check_end(program_name, is_debugger ? (unsigned long)number : 100);
}
