/*
 * A call whose resources fail must return MEMORY or RANDOM, lose nothing, write nothing, and work afterwards. An
 * interposed library (interposer.c) makes libc's functions fail at the 1st, 2nd … last call; other tests run on systems
 * that really lack something. Each fault has its own process, so that first calls really are first calls.
 *
 *     LD_PRELOAD=…/interposer.so faults interposed
 *     LD_PRELOAD=…/interposer.so faults misjudged     must fail: it treats a refusal as an interruption
 *     faults alone
 *
 * faults.sh reads the lines that begin with "hit", "dealt" and "system".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "faults_scenario.h"
#include "faults_systems.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kind_names[FAULT_KINDS] = {
    "mmap",   "mprotect",           "munmap", "mlock",              "madvise",
    "getrandom", "getrandom of nothing", "malloc", "pthread_mutex_lock",
};

/* Runs `body` in a child, which reports in `run`. A crash, a hang or a failed check there is a failure here. */
static void in_child(void (*body)(int), int argument, const char *name) {
  memset(run, 0, sizeof *run);
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    atomic_store(&check_count, 0);
    body(argument);
    disarm();
    if (plan)
      for (int kind = 0; kind < FAULT_KINDS; kind++) run->kind_calls[kind] = atomic_load(&plan->calls[kind]);
    run->failed = plan ? atomic_load(&plan->failed) : 0;
    run->checks = atomic_load(&check_count);
    run->finished = 1;
    fflush(NULL);
    _exit(atomic_load(&check_failures) > 0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  int passed = CHECK_EQUAL(status, 0) & CHECK(run->finished);
  if (!passed) fprintf(stderr, "  (%s, %d)\n", name, argument);
  atomic_fetch_add(&check_count, run->checks);
}

/* ---- Interposed -------------------------------------------------------------------------------------------------- */

static void set_plan(enum fault_kind kind, unsigned long first, unsigned long last, int error) {
  plan->kind = kind;
  plan->first = first;
  plan->last = last;
  plan->error = error;
}

/* Counts the calls of the scenario when nothing fails. Each function must be called, or making it fail proves
 * nothing. */
static void count_calls(void) {
  set_plan(FAULT_NONE, 0, 0, 0);
  unsigned long most[FAULT_KINDS] = {0};
  for (int order = 0; order < PARTS; order++) {
    in_child(run_scenario, order, "no fault");
    CHECK_EQUAL(run->dealt, 0);
    CHECK(run->calls > 300);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
      if (run->kind_calls[kind] > most[kind]) most[kind] = run->kind_calls[kind];
  }
  for (int kind = 0; kind < FAULT_KINDS; kind++) {
    CHECK(most[kind] > 0);
    printf("hit\t%s\t%lu\n", kind_names[kind], most[kind]);
  }
}

/* One kind fails with one error at the 1st, 2nd … nth call, until no call is left to fail; `span` calls in a row
 * fail. */
static void sweep(enum fault_kind kind, int error, unsigned long span) {
  unsigned long faults = 0, n;
  unsigned stride = kind == FAULT_MUTEX_LOCK ? 11 : 1;
  for (int order = 0; order < PARTS; order++) {
    for (n = 1;; n += n > 20 ? stride : 1) { /* locks behave alike after the first few */
      set_plan(kind, n, span == ULONG_MAX ? span : n + span - 1, error);
      in_child(run_scenario, order, kind_names[kind]);
      if (run->kind_calls[kind] < n) break;
      CHECK(run->failed > 0);
      faults += run->failed;
      if (atomic_load(&check_failures) > CHECK_SHOWN) return;
    }
    CHECK(n > 1);
  }
  printf("dealt\t%s\t%lu\t%s, %s\n", kind_names[kind], faults, error ? strerrorname_np(error) : "an answer of 0",
         span == 1 ? "once" : span == ULONG_MAX ? "from then on" : "three times");
  fflush(stdout);
}

static void sweep_all(void) {
  static const struct {
    enum fault_kind kind;
    int error;
    unsigned long span;
  } sweeps[] = {
      {FAULT_MMAP, ENOMEM, 1},
      {FAULT_MMAP, ENOMEM, ULONG_MAX},
      {FAULT_MPROTECT, ENOMEM, 1},
      {FAULT_MPROTECT, EACCES, ULONG_MAX},
      {FAULT_MUNMAP, EINVAL, 1},
      {FAULT_MLOCK, ENOMEM, 1}, /* past RLIMIT_MEMLOCK */
      {FAULT_MLOCK, EPERM, ULONG_MAX},
      {FAULT_MADVISE, EINVAL, 1}, /* as on a kernel before 4.14 */
      {FAULT_MADVISE, EINVAL, ULONG_MAX},
      {FAULT_GETRANDOM, ENOSYS, 1},
      {FAULT_GETRANDOM, EPERM, ULONG_MAX},
      {FAULT_GETRANDOM, 0, 1},
      {FAULT_GETRANDOM, EINTR, 3}, /* interrupted, which is not a failure */
      {FAULT_GETRANDOM_NOTHING, ENOSYS, 1},
      {FAULT_MALLOC, ENOMEM, 1},
      {FAULT_MUTEX_LOCK, EINVAL, 1},
      {FAULT_MUTEX_LOCK, EINVAL, ULONG_MAX},
  };
  for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) sweep(sweeps[i].kind, sweeps[i].error, sweeps[i].span);
}

/* ---- Randomness in pieces ---------------------------------------------------------------------------------------- */

/* A source that only counts gives the same fillings at once or byte by byte, if every byte that is requested is
 * used. */
static void fill(int source) {
  plan->source = (enum fault_source)source;
  run_scenario(1);
  arm();
  drain();
  make_keyboard();
  give_key(2);
  bring_up();
  STEP(OK, CustomKeyboard_getText(out.k, out.space, sizeof out.space, &out.offset, &out.length));
  unsigned sum = 1;
  for (size_t i = 0; i < sizeof out.space; i++) sum = sum * 31 + out.space[i];
  run->filling_sum = (int)(sum >> 1) + 1;
  run->dealt = atomic_load(&plan->calls[FAULT_GETRANDOM]);
}

static void check_short_reads(void) {
  int sums[3];
  unsigned long calls[3];
  set_plan(FAULT_NONE, 0, 0, 0);
  for (int source = SOURCE_SYSTEM; source <= SOURCE_COUNTER_SHORT; source++) {
    in_child(fill, source, "short reads");
    sums[source] = run->filling_sum;
    calls[source] = run->dealt;
  }
  CHECK(sums[SOURCE_COUNTER] != 0);
  CHECK_EQUAL(sums[SOURCE_COUNTER_SHORT], sums[SOURCE_COUNTER]);
  CHECK(sums[SOURCE_SYSTEM] != sums[SOURCE_COUNTER]); /* control: fillings really come from there */
  /* Keys of 32 bytes, and once four bytes for the first generation of handles. */
  CHECK_EQUAL(calls[SOURCE_COUNTER_SHORT], 32 * (calls[SOURCE_COUNTER] - 1) + 4);
  printf("dealt\tgetrandom\t%lu\tone byte at a time\n", calls[SOURCE_COUNTER_SHORT]);
}

/* ---- All workspaces taken ---------------------------------------------------------------------------------------- */

enum { CROWD = 64 };
static CUSTOM_KEYBOARD crowd[CROWD];

static void *ask(void *number) {
  uint8_t space[200], expected[16];
  size_t offset, length;
  from_hex(rows[2].text, expected, sizeof expected);
  CHECK_OK(CustomKeyboard_getText(crowd[(uintptr_t)number], space, sizeof space, &offset, &length));
  CHECK_BYTES(space + offset, expected, 16);
  return NULL;
}

/* Sixty-four threads wait in getrandom, each with a workspace; the next thread needs a workspace of its own. */
static void crowd_in(int kind) {
  pthread_t ids[CROWD];
  set_plan(FAULT_MADVISE, 1, ULONG_MAX, EINVAL); /* a generator that a fork does not empty is seeded each time */
  make_keyboard();
  give_key(2);
  CUSTOM_KEYBOARD own = out.k;
  for (int i = 0; i < CROWD; i++) {
    crowd[i] = typed(CUSTOM_ENCWAY_SM4, bytes(rows[2].key), 16, bytes(secret), 8);
  }
  out.k = own;
  atomic_store(&plan->gate_is_shut, 1);
  for (uintptr_t i = 0; i < CROWD; i++) REQUIRE(pthread_create(&ids[i], NULL, ask, (void *)i) == 0);
  while (atomic_load(&plan->waiting) < CROWD) usleep(1000);
  memset(plan->calls, 0, sizeof plan->calls);
  set_plan((enum fault_kind)kind, 1, 1, ENOMEM);
  give_key(1);
  set_plan((enum fault_kind)kind, 2, 2, ENOMEM); /* the retry was the second call, if there was one */
  bring_up();
  memset(plan->calls, 0, sizeof plan->calls);
  set_plan((enum fault_kind)kind, 1, ULONG_MAX, ENOMEM);
  STEP(OK, CustomKeyboard_input(out.k, bytes(secret), 8));
  known.is_typed = 1;
  STEP(OK, CustomKeyboard_getText(out.k, out.space, sizeof out.space, &out.offset, &out.length));
  check_text(1);
  STEP(OK, CustomKeyboard_pressKey(out.k, 0));
  atomic_store(&plan->gate_is_shut, 0);
  for (int i = 0; i < CROWD; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < CROWD; i++) CHECK_OK(CustomKeyboard_destroy(crowd[i]));
}

static void check_crowd(void) {
  static const enum fault_kind kinds[] = {FAULT_MMAP, FAULT_MPROTECT, FAULT_MUNMAP, FAULT_MLOCK, FAULT_MADVISE,
                                          FAULT_GETRANDOM};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    in_child(crowd_in, kinds[i], "all workspaces taken");
    CHECK(run->dealt >= 2);
    printf("dealt\t%s\t%lu\twhile 64 threads hold all workspaces\n", kind_names[kinds[i]], run->dealt);
  }
}

int main(int count, char **arguments) {
  REQUIRE(count == 2);
  run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(run != MAP_FAILED);
  plan = dlsym(RTLD_DEFAULT, "fault_plan");
  if (strcmp(arguments[1], "alone") == 0) {
    REQUIRE(!plan);
    check_systems(in_child);
    return check_end("faults alone", 1000);
  }
  REQUIRE(plan); /* otherwise nothing is interposed */
  if (strcmp(arguments[1], "misjudged") == 0) {
    set_plan(FAULT_MMAP, 2, 2, EINTR); /* the first is for the preparation, which works without it */
    in_child(run_scenario, 0, "misjudged on purpose");
    return check_end("faults misjudged", 1);
  }
  count_calls();
  sweep_all();
  check_short_reads();
  check_crowd();
  return check_end("faults interposed", 10000);
}
