/*
 * Jobs that change while decryptBatch reads them: two threads of the caller store other values in every input field.
 * Each value is legal and every pointer points to valid memory. The call must not crash, must answer each job with a
 * code that some combination of the values allows, and must write only to the jobs' answers and their `clear` buffers.
 * Each combination of algorithm, number of jobs and changed field runs in a child process, so that a crash is counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "fixture.h"
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  MOST_JOBS = 70,
  JOBS_PER_RUN = 24000 / LESS, /* each child's calls answer at least this many jobs … */
  OVERLAPS = 20 / LESS + 1,    /* … and a field changes during at least this many calls */
  CHANGERS = 2,
  CAPACITY = 160,              /* bytes of every buffer: more than any length used here */
  LONG = 20,
  SHORT = 9, /* one block of SM4, as nearly all passwords are: such jobs are judged and answered in code of their own */
  GUARD = 64,
  UNANSWERED = 99
};

enum field { CLEAR = 1, KEY_LENGTH = 2, TEXT_LENGTH = 4, CLEAR_CAPACITY = 8, KEY = 16, TEXT = 32, ALL = 63 };

/* Which codes a job may have while the field changes. */
static const struct scenario {
  const char *name;
  unsigned fields;
  const char *codes;
  int is_whole_password; /* whether OK always comes with one of the job's two whole passwords */
} scenarios[] = {
    {"clear", CLEAR, "05", 1},
    {"keyLength", KEY_LENGTH, "01", 1},
    {"textLength", TEXT_LENGTH, "036", 0},
    {"clearCapacity", CLEAR_CAPACITY, "04", 1},
    {"key", KEY, "056", 0},
    {"text", TEXT, "05", 1},
    {"every field", ALL, "013456", 0},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* All memory of one job. Guard bytes between the buffers must not change. */
struct memory {
  uint8_t guard0[GUARD], keys[2][32], guard1[GUARD], texts[2][CAPACITY], guard2[GUARD], clear[CAPACITY], guard3[GUARD];
};

static struct memory memories[MOST_JOBS], pristine[MOST_JOBS];
static uint8_t passwords[MOST_JOBS][2][LONG];
static CUSTOM_KEYBOARD_JOB jobs[MOST_JOBS + 2]; /* the first and the last are guards */
static const struct algorithm *algorithm;
static const struct scenario *scenario;
static size_t job_count, password_length, text_length;

static atomic_int is_changing;
static struct {
  _Alignas(64) atomic_ulong count;
} changes[CHANGERS];

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static size_t encrypted(const uint8_t *key, const uint8_t *password, uint8_t *out) {
  size_t offset, length;
  CUSTOM_KEYBOARD keyboard = typed(algorithm->way, key, algorithm->key_length, password, password_length);
  REQUIRE_OK(CustomKeyboard_getText(keyboard, out, padded(password_length, algorithm->block_size), &offset, &length));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return length;
}

/* Two texts under the first key; the second key is wrong for both. */
static void prepare(uint64_t seed) {
  draw_bytes(&seed, (uint8_t *)memories, sizeof memories);
  memset(jobs, 0x5a, sizeof jobs);
  for (size_t i = 0; i < job_count; i++) {
    struct memory *m = &memories[i];
    memset(m->clear, 0xa5, sizeof m->clear);
    for (int text = 0; text < 2; text++) {
      draw_password(&seed, passwords[i][text], password_length);
      text_length = encrypted(m->keys[0], passwords[i][text], m->texts[text]);
    }
    jobs[i + 1] = (CUSTOM_KEYBOARD_JOB){m->keys[0], algorithm->key_length, m->texts[0], text_length, m->clear, CAPACITY,
                                        0, CUSTOM_KEYBOARD_OK};
  }
  memcpy(pristine, memories, sizeof pristine);
}

static void store(void *field, const void *value) {
  __atomic_store_n((uintptr_t *)field, (uintptr_t)value, __ATOMIC_RELAXED);
}
static void store_size(size_t *field, size_t value) { __atomic_store_n(field, value, __ATOMIC_RELAXED); }

/* Stores other values in the fields that change. Half of the choices are right, so that many jobs succeed. If only
 * `clear` changes, it may also point to the job's own text or key, which must be refused. */
static void change_job(size_t i, uint64_t *seed) {
  CUSTOM_KEYBOARD_JOB *job = &jobs[i + 1];
  struct memory *m = &memories[i];
  unsigned fields = scenario->fields;
  const uint8_t *const clears[] = {m->clear, NULL, m->clear, m->texts[0], m->clear, m->keys[0]};
  size_t clear_choices = fields == CLEAR ? 6 : 2;
  const uint8_t *const keys[] = {m->keys[0], m->keys[1], m->keys[0], NULL};
  const uint8_t *const texts[] = {m->texts[0], m->texts[1], m->texts[0], NULL};
  const size_t key_lengths[] = {algorithm->key_length, 0, algorithm->key_length, 23};
  const size_t text_lengths[] = {text_length, algorithm->block_size, text_length, 7, text_length, 152};
  const size_t capacities[] = {CAPACITY, 0, CAPACITY, password_length - 1};
  if (fields & CLEAR) store(&job->clear, clears[draw(seed) % clear_choices]);
  if (fields & KEY) store(&job->key, keys[draw(seed) % 4]);
  if (fields & TEXT) store(&job->text, texts[draw(seed) % 4]);
  if (fields & KEY_LENGTH) store_size(&job->keyLength, key_lengths[draw(seed) % 4]);
  if (fields & TEXT_LENGTH) store_size(&job->textLength, text_lengths[draw(seed) % 6]);
  if (fields & CLEAR_CAPACITY) store_size(&job->clearCapacity, capacities[draw(seed) % 4]);
}

static void *change(void *number) {
  uintptr_t own = (uintptr_t)number;
  uint64_t seed = first_seed + own;
  while (atomic_load_explicit(&is_changing, memory_order_relaxed))
    for (size_t i = 0; i < job_count; i++) {
      change_job(i, &seed);
      atomic_fetch_add_explicit(&changes[own].count, 1, memory_order_relaxed);
    }
  return NULL;
}

static unsigned long changed(void) {
  unsigned long sum = 0;
  for (int i = 0; i < CHANGERS; i++) sum += atomic_load(&changes[i].count);
  return sum;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

static int is_filled(const uint8_t *bytes, size_t from, size_t to, uint8_t with) {
  for (size_t i = from; i < to; i++)
    if (bytes[i] != with) return 0;
  return 1;
}

static int is_password(size_t i, size_t length) {
  return length == password_length && (memcmp(memories[i].clear, passwords[i][0], length) == 0 ||
                                       memcmp(memories[i].clear, passwords[i][1], length) == 0);
}

static void check_answer(size_t i) {
  struct memory *m = &memories[i];
  const CUSTOM_KEYBOARD_JOB *job = &jobs[i + 1];
  int is_right = CHECK((unsigned)job->rv < 10 && strchr(scenario->codes, '0' + (int)job->rv) != NULL);
  if (job->rv == CUSTOM_KEYBOARD_OK) {
    is_right &= CHECK(job->clearLength < CUSTOM_KEYBOARD_MAXTEXTSIZE);
    size_t length = job->clearLength <= CAPACITY ? job->clearLength : CAPACITY;
    is_right &= CHECK(is_filled(m->clear, length, CAPACITY, 0xa5));
    if (scenario->is_whole_password) is_right &= CHECK(is_password(i, length));
  } else {
    is_right &= CHECK(is_filled(m->clear, 0, CAPACITY, 0xa5));
    if (job->rv != CUSTOM_KEYBOARD_SPACE) is_right &= CHECK_EQUAL(job->clearLength, 0);
  }
  /* If all fields have just changed, `clear` may be the text or key that the job did not use. */
  if (job->rv == CUSTOM_KEYBOARD_OK && scenario->fields == ALL && is_filled(m->clear, 0, CAPACITY, 0xa5))
    memcpy(m, &pristine[i], sizeof *m);
  memset(m->clear, 0xa5, sizeof m->clear);
  is_right &= CHECK(memcmp(m, &pristine[i], sizeof *m) == 0);
  if (!is_right) {
    if (atomic_load(&check_failures) < CHECK_SHOWN)
      fprintf(stderr, "  (%s, %zu bytes, %zu jobs, %s changes: job %zu answers %d with %zu bytes)\n", algorithm->name,
              password_length, job_count, scenario->name, i, (int)job->rv, job->clearLength);
    memcpy(m, &pristine[i], sizeof *m);
  }
}

/* Runs in a child. */
static void race(void) {
  pthread_t threads[CHANGERS];
  CUSTOM_KEYBOARD_JOB guard;
  prepare(first_seed + job_count);
  memset(&guard, 0x5a, sizeof guard);
  atomic_store(&is_changing, 1);
  for (uintptr_t i = 0; i < CHANGERS; i++)
    REQUIRE(pthread_create(&threads[i], NULL, change, (void *)i) == 0);
  unsigned long answered = 0, overlaps = 0;
  while (answered < JOBS_PER_RUN || overlaps < OVERLAPS) {
    for (size_t i = 1; i <= job_count; i++) jobs[i].rv = (CUSTOM_KEYBOARD_RV)UNANSWERED;
    unsigned long before = changed();
    CHECK_OK(CustomKeyboard_decryptBatch(algorithm->way, jobs + 1, job_count));
    overlaps += changed() != before;
    for (size_t i = 0; i < job_count; i++) check_answer(i);
    answered += job_count;
  }
  atomic_store(&is_changing, 0);
  for (int i = 0; i < CHANGERS; i++) pthread_join(threads[i], NULL);
  CHECK(memcmp(&jobs[0], &guard, sizeof guard) == 0 && memcmp(&jobs[job_count + 1], &guard, sizeof guard) == 0);
}

/* ---- Children ---------------------------------------------------------------------------------------------------- */

static struct tally {
  atomic_ulong checks, failures;
} *tally;

/* Whether the child ended normally and found no error. */
static int run_child(void) {
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL); /* the signal is enough; no report from a sanitizer is needed */
    alarm(LONGEST_CHILD);
    atomic_store(&check_count, 0);
    atomic_store(&check_failures, 0);
    race();
    atomic_fetch_add(&tally->checks, atomic_load(&check_count));
    atomic_fetch_add(&tally->failures, atomic_load(&check_failures));
    _exit(atomic_load(&check_failures) > 0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  int is_well = CHECK_EQUAL(status, 0);
  if (!is_well)
    fprintf(stderr, "  (%s, %zu bytes, %zu jobs, %s changes)\n", algorithm->name, password_length, job_count,
            scenario->name);
  return is_well;
}

int main(void) {
  static const int ways[] = {3, 2, 0, 3};
  static const size_t lengths[] = {LONG, LONG, LONG, SHORT};
  static const size_t counts[] = {1, 2, 16, MOST_JOBS};
  unsigned runs = 0, bad = 0;
  take_seed();
  tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(tally != MAP_FAILED);
  /* With LESS, every fifth combination: it still covers each algorithm, number and field, though not all
   * combinations. */
  for (int i = 0; i < 4 * 4 * SCENARIOS; i += LESS > 1 ? 5 : 1) {
    algorithm = &algorithms[ways[i % 4]];
    password_length = lengths[i % 4];
    job_count = counts[i / 4 % 4];
    scenario = &scenarios[i / 16];
    bad += !run_child();
    runs++;
  }
  printf("%u of %u children crashed or found a wrong answer, %lu wrong answers\n", bad, runs,
         atomic_load(&tally->failures));
  atomic_fetch_add(&check_count, atomic_load(&tally->checks));
  return check_end("job_race", LESS > 1 ? 0 : 3000000);
}
