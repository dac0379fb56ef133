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
#include "page.h"
#include "functions.h"
#include "locked.h"
#include "scan.h"
#include "sealing.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 300, LONGEST_WAIT = 20 /* seconds */, THREAD_STACK = 1 << 18, PASSWORD = 40, JOBS = 20 };

enum kind { PENDING, DEFERRED, ASYNCHRONOUS, HELD_BACK, KINDS };
static const char *const kind_names[KINDS] = {"pending before the call", "deferred", "asynchronous",
                                              "asynchronous, with a signal that arrives during the call"};

#include "cancel_calls.h"

/* ---- The thread that is cancelled -------------------------------------------------------------------------------- */

static const struct attempt *attempt;
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
    attempt->call();
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

static void make_keyboard(void) {
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_create(&other));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, CLEAR(key), a->key_length, a->way));
  REQUIRE_OK(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0));
  REQUIRE_OK(CustomKeyboard_setTextField(k, changed, NULL));
  REQUIRE_OK(CustomKeyboard_setOKAction(k, completed, NULL));
  if (attempt->is_idle) return;
  REQUIRE_OK(CustomKeyboard_open(k));
  has_points = 0;
  REQUIRE_OK(CustomKeyboard_input(k, CLEAR(password), PASSWORD));
  /* For an asynchronous cancellation that is pending when the call begins, glibc 2.36 checks only the type, not whether
   * cancellation is disabled; and its cancellation points make the type asynchronous while they wait. */
  has_points = kind < ASYNCHRONOUS;
}

static void hide_all(void) {
  wipe(password.in_clear, PASSWORD);
  wipe(key.in_clear, PASSWORD);
  wipe(decrypted, sizeof decrypted);
  wipe(clear, sizeof clear);
  wipe(sealing.space, sizeof sealing.space);
  wipe(&cipher, sizeof cipher);
  wipe(&own_cipher, sizeof own_cipher);
}

static void show_all(void) {
  show(&password);
  show(&key);
  REQUIRE_OK(CustomKeyboard_setupCipher(&own_cipher, a->way, CLEAR(key), a->key_length, 0));
  for (int i = 0; i < JOBS; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){CLEAR(key), a->key_length, text, text_length, clear[i], PASSWORD, 0, 0};
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
  show_all();
  make_keyboard();
  sealing.keyboard = k;
  callbacks_begun = callbacks_ended = 0;
  AT("cancellation");
  cancel_one(seed);
  CHECK_EQUAL(callbacks_begun, callbacks_ended);
  CHECK_EQUAL(taken_places(), 0);
  AT("count");
  CHECK_OK(CustomKeyboard_count(k, &characters));
  AT("destroy");
  CHECK_OK(CustomKeyboard_destroy(k));
  CustomKeyboard_destroy(other); /* the thread may have destroyed these two */
  CustomKeyboard_destroy(created);
  CHECK_EQUAL(remains(), 0);
  hide_all();
  progress->trials++;
}

/* Sanitizers and valgrind map terabytes of their own, or keep copies: memory is not searched under them. */
#if defined(__SANITIZE_ADDRESS__) || LESS > 1
#define SEARCH(when, quiet, otherwise) ((void)scan, (size_t)(otherwise))
#else
#define SEARCH(when, quiet, otherwise) scan((when), (quiet))
#endif

/* ---- Processes --------------------------------------------------------------------------------------------------- */

/* The checks of memory see what it contains, and see that it is empty. */
static void check_controls(void) {
  volatile uint8_t *planted = calloc(1, PASSWORD);
  REQUIRE(planted);
  show_all();
  make_keyboard();
  find_locked();
  CHECK(remains() > 0);
  has_points = 0;
  for (int i = 0; i < ATTEMPTS; i++) CHECK(attempts[i].call() >= 0); /* now every region is mapped */
  find_locked();
  REQUIRE_OK(CustomKeyboard_destroy(k));
  CustomKeyboard_destroy(other);
  hide_all();
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
  while (!atomic_load(&is_enough)) REQUIRE_OK(CustomKeyboard_getText(k, large, 1 << 22, &offset, &length));
  return NULL;
}
static void check_taken(void) {
  pthread_t thread;
  uint8_t *large = malloc(1 << 22);
  REQUIRE(large);
  show_all();
  make_keyboard();
  REQUIRE(pthread_create(&thread, NULL, fill_spaces, large) == 0);
  while (taken_places() == 0) sched_yield(); /* until then, or until the alarm */
  atomic_store(&is_enough, 1);
  REQUIRE(pthread_join(thread, NULL) == 0);
  CHECK_EQUAL(taken_places(), 0);
  REQUIRE_OK(CustomKeyboard_destroy(k));
  REQUIRE_OK(CustomKeyboard_destroy(other));
  free(large);
  hide_all();
}

/* A sealed text of the password, and its signature; the private key stays here, and is not looked for. */
static void make_sealed_text(void) {
  struct sealing *s = &sealing;
  s->way = &sealed_ways[2];
  s->space_size = sizeof s->space;
  REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_generate());
  s->signing = &signing_ways[0]; /* the curve of that key */
  s->signature_capacity = s->signing->signature_length;
  REQUIRE_OK(CustomKeyboard_close(k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, s->public, s->public_length, s->way->way));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, CLEAR(password), PASSWORD));
  REQUIRE_OK(CustomKeyboard_getText(k, s->text, s->way->text_length, &s->offset, &s->text_length));
  REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_sign());
}

static void make_text(void) {
  size_t at;
  show_all();
  attempt = &attempts[6];
  make_keyboard();
  REQUIRE_OK(CustomKeyboard_getText(k, space, sizeof space, &at, &text_length));
  memcpy(text, space + at, text_length);
  make_sealed_text();
  REQUIRE_OK(CustomKeyboard_destroy(k));
  REQUIRE_OK(CustomKeyboard_destroy(other));
  hide_all();
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

static int run_child(uint64_t seed, unsigned wait) {
  alarm(LONGEST_WAIT);
  atomic_store(&check_count, 0);
  atomic_store(&check_failures, 0);
  needles.factor = draw(&seed) | 1;
  draw_secret(&password, draw(&seed), '!', 94);
  draw_secret(&key, draw(&seed), 0, 256);
  add_masked("password", &password, PASSWORD);
  add_masked("key", &key, a->key_length);
  make_text();
  attempt = &attempts[6];
  check_controls();
  attempt = &attempts[6];
  check_taken();
  attempt = &attempts[0];
  for (attempt = attempts; attempt < attempts + ATTEMPTS && strcmp(attempt->function, progress->at) != 0;) attempt++;
  REQUIRE(attempt < attempts + ATTEMPTS);
  for (int trial = 0; trial < trials && passed(); trial++) run_trial(&seed, wait);
  /* An asynchronous cancellation is a signal, and its frame holds the registers of the code it interrupts. No function
   * can prevent that, so stacks are searched only after the other kinds; locked memory is searched after all of
   * them. */
  alarm(LONGEST_WAIT);
  wipe_stack();
  if (passed() && kind < ASYNCHRONOUS) CHECK_EQUAL(SEARCH("after cancellations", 0, 0), 0);
  for (size_t i = 0; i < locked_count && passed(); i++)
    CHECK_EQUAL(scan_range("locked memory", (uintptr_t)locked_regions[i].start, (uintptr_t)locked_regions[i].end,
                           "after cancellations", 0), 0);
  progress->checks = atomic_load(&check_count);
  return !passed();
}

static int run_process(uint64_t seed, const struct attempt *which, unsigned wait) {
  int status;
  memset(progress, 0, sizeof *progress);
  snprintf(progress->at, sizeof progress->at, "%s", which->function);
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(run_child(seed, wait));
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
  for (int i = 0; i < ATTEMPTS; i++) find_function(attempts[i].function, strlen(attempts[i].function));
  if (argument_count > 1) read_functions(arguments[1], "CustomKeyboard_");
  uint64_t seed = take_seed();
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(progress != MAP_FAILED);
  for (size_t i = 0; i < function_count; i++) {
    const struct attempt *which = attempts;
    while (which < attempts + ATTEMPTS && strcmp(which->function, functions[i].name) != 0) which++;
    if (!CHECK(which < attempts + ATTEMPTS)) fprintf(stderr, "  (no case for %s)\n", functions[i].name);
    if (which == attempts + ATTEMPTS) continue;
    for (kind = PENDING; kind < KINDS && (failed == 0 || goes_on); kind++) {
      failed += !run_process(draw(&seed), which, goes_on ? 2 : LONGEST_WAIT);
      runs++;
    }
  }
  if (failed) fprintf(stderr, "cancel: %u of %u kinds failed\n", failed, runs);
  return check_end("cancel", 100000 / (unsigned long)every);
}
