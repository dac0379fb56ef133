/*
 * Threads are cancelled inside every function of the header: with a cancellation that is pending when the call begins,
 * at random moments with both cancellation types, and with glibc's signal arriving when cancellation is disabled. After
 * each, no keyboard may be locked (`count` answers, or an alarm ends the process), no workspace may be taken, `destroy`
 * must wipe, and neither password nor key may be in memory. A thread that is cancelled in a callback ends only after
 * the call.
 *
 * Each function and each kind of cancellation runs in its own process, so that one that hangs does not hide the rest.
 *
 *     cancel [header [n [all]]]    the path of custom_keyboard.h, to check that every function is called; one trial in
 *                                  n; with `all`, go on after the first failure
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keyboard_calls.h"
#include "locked.h"
#include "scan.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 300, THREAD_STACK = 1 << 18, PASSWORD = 40 };

enum kind { PENDING, DEFERRED, ASYNCHRONOUS, HELD_BACK, KINDS };
static const char *const kind_names[KINDS] = {"pending before the call", "deferred", "asynchronous",
                                              "asynchronous, with a signal that arrives during the call"};

/* ---- Secrets, which are in the clear only during a trial --------------------------------------------------------- */

static struct secret {
  volatile uint8_t masked[PASSWORD], mask[PASSWORD];
} password, key;

static void draw_secret(struct secret *secret, uint64_t seed, unsigned least, unsigned values) {
  for (size_t i = 0; i < PASSWORD; i++) {
    secret->mask[i] = (uint8_t)draw(&seed);
    secret->masked[i] = (uint8_t)(least + draw(&seed) % values) ^ secret->mask[i];
  }
}

static void show(void) {
  for (size_t i = 0; i < PASSWORD; i++) w.password[i] = password.masked[i] ^ password.mask[i];
  for (size_t i = 0; i < sizeof w.key; i++) w.key[i] = key.masked[i] ^ key.mask[i];
}

/* ---- Callbacks that are cancellation points, like an app's ------------------------------------------------------- */

static volatile unsigned callbacks_begun, callbacks_ended;
static int has_points;

static void come_to_points(void) {
  const struct timespec moment = {0, 1000};
  uint8_t byte;
  callbacks_begun++;
  if (has_points) {
    pthread_testcancel();
    nanosleep(&moment, NULL);
    if (read(STDIN_FILENO, &byte, 0) != 0) byte = 0;
  }
  callbacks_ended++;
}

/* ---- The thread that is cancelled -------------------------------------------------------------------------------- */

static const struct call *attempt;
static enum kind kind;
static sem_t is_running, may_go;

/* glibc cancels an asynchronous thread by this signal. Held back until the library has disabled cancellation, it
 * arrives at the worst moment: the canceller has marked the thread, and waits for nothing more. */
enum { CANCEL_SIGNAL = 32 };
static atomic_int is_marked;
static void hold_signal(int how) {
  uint64_t signals = UINT64_C(1) << (CANCEL_SIGNAL - 1);
  syscall(SYS_rt_sigprocmask, how, &signals, NULL, sizeof signals);
}

/* Cancellation may interrupt everything that this thread does, so it calls only the library and functions that can be
 * interrupted anywhere. */
static void *call_until_cancelled(void *unused) {
  int ignored;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ignored);
  pthread_setcanceltype(kind >= ASYNCHRONOUS ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &ignored);
  if (kind == HELD_BACK) {
    hold_signal(SIG_BLOCK);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &ignored);
  }
  sem_post(&is_running);
  while (kind == HELD_BACK && !atomic_load(&is_marked)) continue;
  if (kind == PENDING)
    while (sem_wait(&may_go) != 0) continue;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &ignored);
  for (;;) {
    attempt->run();
    if (attempt->undo) attempt->undo();
    if (kind == HELD_BACK) hold_signal(SIG_UNBLOCK);
    if (kind < ASYNCHRONOUS) pthread_testcancel();
  }
  return unused;
}

/* Makes a workspace as a fork leaves it, without a generator, so that the next call needs a key from the system. */
static size_t empty(uint8_t *workspace, size_t size) {
  memset(workspace, 0, size);
  return 0;
}

static void cancel_one(uint64_t *seed) {
  pthread_t thread;
  pthread_attr_t attributes;
  for_each_workspace(empty);
  atomic_store(&is_marked, 0);
  REQUIRE(sem_init(&is_running, 0, 0) == 0 && sem_init(&may_go, 0, 0) == 0);
  REQUIRE(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0);
  REQUIRE(pthread_create(&thread, &attributes, call_until_cancelled, NULL) == 0);
  pthread_attr_destroy(&attributes);
  while (sem_wait(&is_running) != 0) continue;
  if (kind == DEFERRED || kind == ASYNCHRONOUS)
    for (uint64_t wait = draw(seed) % 20000; wait > 0; wait--) __asm__ volatile("" ::: "memory");
  REQUIRE(pthread_cancel(thread) == 0);
  atomic_store(&is_marked, 1);
  REQUIRE(sem_post(&may_go) == 0);
  /* Only cancellation ends the thread. Its result is not checked: if the cancellation acts in pthread_setcancelstate,
   * glibc 2.36 returns no result. */
  REQUIRE(pthread_join(thread, NULL) == 0);
}

/* ---- What must hold afterwards ----------------------------------------------------------------------------------- */

/* Counts nonzero words in slots and stacks, and in workspaces except their generators. A batch's workspace keeps
 * pointers. */
static size_t remains(void) {
  size_t sum = 0;
  for (size_t i = 0; i < locked_count; i++) {
    const struct locked_region *region = &locked_regions[i];
    size_t size = workspace_size(region);
    if (size == BATCH_WORKSPACE) continue;
    for (const uint8_t *at = region->start; at < region->end; at += 8) {
      uint64_t word;
      memcpy(&word, at, sizeof word);
      sum += word != 0 && (size == 0 || (size_t)(at - region->start) % size >= GENERATOR_SIZE);
    }
  }
  return sum + left_on_stacks();
}

/* Makes what the call needs, and a keyboard also where it needs none. */
static void prepare(void) {
  show();
  has_points = 0;
  attempt->prepare();
  if (!w.keyboard) typed_in();
  /* For an asynchronous cancellation that is pending when the call begins, glibc 2.36 checks only the type, not whether
   * cancellation is disabled; and its cancellation points make the type asynchronous while they wait. */
  has_points = kind < ASYNCHRONOUS;
}

/* Tells the parent how far a child came that hangs or dies. */
static struct progress {
  unsigned trials;
  unsigned long checks;
  char at[24];
} *progress;

static int passed(void) { return atomic_load(&check_failures) == 0; }

static void run_trial(uint64_t *seed, unsigned wait) {
#define AT(where) snprintf(progress->at, sizeof progress->at, where)
  AT("before the call");
  alarm(wait);
  prepare();
  callbacks_begun = callbacks_ended = 0;
  AT("cancellation");
  cancel_one(seed);
  CHECK_EQUAL(callbacks_begun, callbacks_ended);
  CHECK_EQUAL(taken_places(), 0);
  AT("count");
  CHECK_OK(CustomKeyboard_count(w.keyboard, &w.length));
  AT("destroy");
  CHECK_OK(CustomKeyboard_destroy(w.keyboard));
  w.keyboard = 0;
  release_world(); /* the thread may have destroyed the others */
  CHECK_EQUAL(remains(), 0);
  hide_world();
  progress->trials++;
}

/* Sanitizers and valgrind map terabytes of their own, or keep copies: memory is not searched under them. */
#if defined(__SANITIZE_ADDRESS__) || LESS > 1
#define SEARCH(when, quiet, otherwise) ((void)scan, (size_t)(otherwise))
#else
#define SEARCH(when, quiet, otherwise) scan((when), (quiet))
#endif

/* ---- Processes --------------------------------------------------------------------------------------------------- */

static void make_once(const struct call *call, int variant) {
  attempt = call;
  prepare();
  has_points = 0;
  check_call(call, variant, call->run());
}

/* The checks of memory see what it contains, and see that it is empty. */
static void check_controls(void) {
  volatile uint8_t *planted = calloc(1, PASSWORD);
  REQUIRE(planted);
  show();
  typed_in();
  find_locked();
  CHECK(remains() > 0);
  release_world();
  walk_calls(&keyboard_calls, 0, make_once); /* now every region is mapped */
  find_locked();
  hide_world();
  CHECK_EQUAL(remains(), 0);
  CHECK_EQUAL(taken_places(), 0);
  wipe_stack();
  CHECK_EQUAL(SEARCH("before", 0, 0), 0);
  for (size_t i = 0; i < PASSWORD; i++) planted[i] = key.masked[i] ^ key.mask[i];
  CHECK(SEARCH("control", 1, 1) > 0);
  wipe(planted, PASSWORD);
  free((void *)planted);
}

/* A taken workspace is noticed: a thread fills a large space again and again. */
static atomic_int is_enough;
static void *fill_spaces(void *large) {
  size_t offset, length;
  while (!atomic_load(&is_enough)) REQUIRE_OK(CustomKeyboard_getText(w.keyboard, large, 1 << 22, &offset, &length));
  return NULL;
}
static void check_taken(void) {
  pthread_t thread;
  uint8_t *large = malloc(1 << 22);
  REQUIRE(large);
  show();
  typed_in();
  REQUIRE(pthread_create(&thread, NULL, fill_spaces, large) == 0);
  while (taken_places() == 0) sched_yield(); /* until then, or until the alarm */
  atomic_store(&is_enough, 1);
  REQUIRE(pthread_join(thread, NULL) == 0);
  CHECK_EQUAL(taken_places(), 0);
  release_world();
  free(large);
  hide_world();
}

static void add_masked(const char *name, const struct secret *secret, size_t size) {
  for (size_t start = 0; start + WINDOW <= size; start++) {
    uint64_t window = 0;
    for (size_t i = WINDOW; i > 0; i--)
      window = window << 8 | (uint64_t)(secret->masked[start + i - 1] ^ secret->mask[start + i - 1]);
    add_needle(name, window);
  }
}

static int trials = TRIALS / (LESS > 10 ? 10 : LESS);

static int run_child(uint64_t seed, const struct call *which, unsigned wait) {
  alarm(LONGEST_CHILD);
  atomic_store(&check_count, 0);
  atomic_store(&check_failures, 0);
  needles.factor = draw(&seed) | 1;
  draw_secret(&password, draw(&seed), '!', 94);
  draw_secret(&key, draw(&seed), 0, 256);
  add_masked("password", &password, PASSWORD);
  add_masked("key", &key, w.algorithm->key_length);
  check_controls();
  check_taken();
  attempt = which;
  choose_variant(which, variant_count(which) / 2); /* of ways and curves, P-256 */
  for (int trial = 0; trial < trials && passed(); trial++) run_trial(&seed, wait);
  /* An asynchronous cancellation is a signal, and its frame holds the registers of the code it interrupts. No function
   * can prevent that, so stacks are searched only after the other kinds; locked memory is searched after all of
   * them. */
  alarm(LONGEST_CHILD);
  wipe_stack();
  if (passed() && kind < ASYNCHRONOUS) CHECK_EQUAL(SEARCH("after cancellations", 0, 0), 0);
  for (size_t i = 0; i < locked_count && passed(); i++)
    CHECK_EQUAL(scan_range("locked memory", (uintptr_t)locked_regions[i].start, (uintptr_t)locked_regions[i].end,
                           "after cancellations", 0), 0);
  progress->checks = atomic_load(&check_count);
  return !passed();
}

static int run_process(uint64_t seed, const struct call *which, unsigned wait) {
  int status;
  memset(progress, 0, sizeof *progress);
  snprintf(progress->at, sizeof progress->at, "%s", which->function);
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(run_child(seed, which, wait));
  REQUIRE(waitpid(child, &status, 0) == child);
  atomic_fetch_add(&check_count, progress->checks);
  if (CHECK_EQUAL(status, 0)) return 1;
  fprintf(stderr, "  (%s, %s: ", which->function, kind_names[kind]);
  if (WIFSIGNALED(status))
    fprintf(stderr, "%s after %u trials, at %s)\n", WTERMSIG(status) == SIGALRM ? "hangs" : "dies", progress->trials,
            progress->at);
  else
    fprintf(stderr, "a check failed in trial %u)\n", progress->trials);
  return 0;
}

int main(int argument_count, char **arguments) {
  unsigned failed = 0, runs = 0;
  int every = argument_count > 2 ? atoi(arguments[2]) : 1, goes_on = argument_count > 3;
  REQUIRE(every >= 1);
  trials = (trials + every - 1) / every;
  if (argument_count > 1) check_complete(&keyboard_calls, arguments[1]);
  w.algorithm = &algorithms[3];
  w.layout = CUSTOM_KEYBOARD_LAYOUT_LETTERS;
  w.password_length = PASSWORD;
  w.at_callback = come_to_points;
  uint64_t seed = take_seed();
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(progress != MAP_FAILED);
  /* Of each function the first row, again for sealed texts. */
  for (const struct call *call = keyboard_rows; call < keyboard_rows + keyboard_calls.count; call++) {
    if (call > keyboard_rows && strcmp(call->function, call[-1].function) == 0) continue;
    for (kind = PENDING; kind < KINDS && (failed == 0 || goes_on); kind++) {
      failed += !run_process(draw(&seed), call, goes_on ? 2 : LONGEST_CHILD);
      runs++;
    }
  }
  if (failed) fprintf(stderr, "cancel: %u of %u kinds failed\n", failed, runs);
  return check_end("cancel", 100000 / (unsigned long)every);
}
