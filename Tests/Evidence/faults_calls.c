/*
 * Each call of the list of custom_keyboard.h, while the system refuses one thing: at the 1st, 2nd … time that the call
 * asks for it (interposer.c). The call answers MEMORY or RANDOM and has written nothing, or works all the same; made
 * again, it answers as usual. Each fault has a process of its own, and the call a thread of its own, which has no
 * workspace yet and no randomness left.
 *
 *     LD_PRELOAD=…/interposer.so faults_calls HEADER             the path of custom_keyboard.h
 *     LD_PRELOAD=…/interposer.so faults_calls HEADER misjudged   must fail: it wants another code
 *
 * faults.sh reads the lines that begin with "dealt".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keyboard_calls.h"
#include "interposer.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 40, MOST_OF_SLOW = 6, PASSWORD = 9 };

/* What is refused, and the code that a call then may answer. The library works without those that have OK; malloc
 * is only called to be bound (linux.h). */
static struct fault {
  enum fault_kind kind;
  const char *name;
  int error;
  CUSTOM_KEYBOARD_RV code;
  unsigned long dealt, answered;
} faults[] = {
    {FAULT_MMAP, "mmap", ENOMEM, CUSTOM_KEYBOARD_MEMORY, 0, 0},
    {FAULT_MPROTECT, "mprotect", ENOMEM, CUSTOM_KEYBOARD_MEMORY, 0, 0},
    {FAULT_GETRANDOM, "getrandom", ENOSYS, CUSTOM_KEYBOARD_RANDOM, 0, 0},
    {FAULT_GETRANDOM, "getrandom, which answers with nothing", 0, CUSTOM_KEYBOARD_RANDOM, 0, 0},
    {FAULT_GETRANDOM, "getrandom, interrupted", EINTR, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_GETRANDOM, "getrandom, in pieces", ONE_BYTE, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_GETRANDOM_NOTHING, "getrandom of nothing", EPERM, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_MALLOC, "malloc", ENOMEM, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_MLOCK, "mlock", ENOMEM, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_MADVISE, "madvise", EINVAL, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_MUNMAP, "munmap", EINVAL, CUSTOM_KEYBOARD_OK, 0, 0},
    {FAULT_MUTEX_LOCK, "pthread_mutex_lock", EINVAL, CUSTOM_KEYBOARD_OK, 0, 0},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static struct fault_plan *plan;
static struct run {
  unsigned long failed, checks;
  int is_answered, has_ended;
} *run;
static struct world before;

/* Uses up the randomness that this thread's workspace has. */
static void drain(void) {
  static const uint8_t key[] = "8907654329807654";
  static uint8_t large[(1 << 20) + 64];
  uint8_t text[16];
  size_t offset, length;
  from_hex("0f413569eb66b50be0c1db9c518fb909", text, sizeof text);
  REQUIRE_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, text, 16, large, sizeof large, &offset, &length));
}

struct attempt {
  const struct call *call;
  const struct fault *fault;
};

/* Of many texts each has its own code: a stack of its own may be missing for the later ones. */
static int is_job_refused(const struct call *call, const struct fault *fault) {
  if (strcmp(call->function, "unsealBatch") != 0) return 0;
  for (size_t i = 0; i < w.sealed_job_count; i++)
    if (fault->code != CUSTOM_KEYBOARD_OK && w.sealed_jobs[i].rv == fault->code) return 1;
  return 0;
}

static void *call_in_thread(void *argument) {
  const struct attempt *attempt = argument;
  const struct call *call = attempt->call;
  if (attempt->fault->kind == FAULT_GETRANDOM) drain();
  memcpy(&before, &w, sizeof w);
  atomic_store(&plan->armed, 1);
  uint64_t answer = call->run();
  atomic_store(&plan->armed, 0);
  run->failed = atomic_load(&plan->failed);
  plan->kind = FAULT_NONE;
  int32_t code = (int32_t)attempt->fault->code;
  int is_refused = run->failed > 0 && (int32_t)answer == code && code != call->expected;
  if (is_refused) CHECK_BYTES(&w, &before, sizeof w);
  if (is_refused || (run->failed > 0 && is_job_refused(call, attempt->fault))) {
    run->is_answered = 1;
    answer = call->run();
  }
  check_code(call, answer);
  if (call->is_right) CHECK(call->is_right());
  return NULL;
}

static void in_child(const struct call *call, const struct fault *fault) {
  pthread_t thread;
  struct attempt attempt = {call, fault};
  alarm(LONGEST_CHILD);
  atomic_store(&check_count, 0);
  atomic_store(&check_failures, 0);
  call->prepare();
  REQUIRE(pthread_create(&thread, NULL, call_in_thread, &attempt) == 0 && pthread_join(thread, NULL) == 0);
  run->checks = atomic_load(&check_count);
  run->has_ended = 1;
  fflush(NULL);
  _exit(atomic_load(&check_failures) > 0);
}

/* Returns whether the call asked that often for what is refused. */
static int refuse(const struct call *call, int variant, struct fault *fault, unsigned long which) {
  int status;
  memset(run, 0, sizeof *run);
  plan->kind = fault->kind, plan->error = fault->error;
  plan->first = plan->last = which;
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) in_child(call, fault);
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!(CHECK_EQUAL(status, 0) & CHECK(run->has_ended)))
    fprintf(stderr, "  (%s, where %s fails for the %lu. time)\n", call_name(call, variant), fault->name, which);
  atomic_fetch_add(&check_count, run->checks);
  fault->dealt += run->failed;
  fault->answered += (unsigned long)run->is_answered;
  return run->failed > 0;
}

static void sweep(const struct call *call, int variant) {
  unsigned long most = is_slow_call(call, variant) ? MOST_OF_SLOW : MOST;
  for (struct fault *fault = faults; fault < faults + FAULTS; fault++)
    for (unsigned long which = 1; which <= most && refuse(call, variant, fault, which); which++) continue;
}

int main(int count, char **arguments) {
  REQUIRE(count >= 2);
  check_complete(&keyboard_calls, arguments[1]);
  plan = dlsym(RTLD_DEFAULT, "fault_plan");
  REQUIRE(plan); /* otherwise nothing is interposed */
  run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(run != MAP_FAILED);
  uint64_t seed = take_seed();
  w.algorithm = &algorithms[ALGORITHM_COUNT - 1];
  w.password_length = PASSWORD;
  draw_password(&seed, w.password, sizeof w.password);
  draw_bytes(&seed, w.key, sizeof w.key);
  if (count > 2) faults[0].code = CUSTOM_KEYBOARD_RANDOM;
  walk_calls(&keyboard_calls, 1, sweep);
  for (struct fault *fault = faults; fault < faults + FAULTS; fault++) {
    CHECK(fault->dealt > 0);
    CHECK((fault->answered > 0) == (fault->code != CUSTOM_KEYBOARD_OK));
    printf("dealt\t%s\t%lu\tin each call, once\t%lu answered\n", fault->name, fault->dealt, fault->answered);
  }
  return check_end("faults of each call", 1000);
}
