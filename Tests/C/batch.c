/*
 * decryptBatch compared with decrypt: every batch size at which lanes fill up, mixed text lengths, and every kind of
 * bad job among good ones. The batch must answer each job exactly as decrypt does. The bytes after a password and the
 * buffers of failed jobs must be unchanged.
 *
 *     batch [JOBS]          so many jobs of each algorithm more
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"
#include <pthread.h>

enum { MOST = 1000, LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE, ROOM = 192, GUARD = 0xa5 };
enum { BAD_KINDS = 21, SHARED_JOBS = 200, PER_THREAD = 65, TWO_THREAD_ROUNDS = 300 / LESS };

static const size_t counts[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 130, 300, MOST};

/* One job and everything it points to. Bytes that must not change surround its `clear` buffer. */
struct task {
  uint8_t key[LONGEST_KEY], text[CUSTOM_KEYBOARD_MAXTEXTSIZE + 32], clear[ROOM];
  CUSTOM_KEYBOARD_JOB job;
};

static void encrypt(const struct algorithm *a, const uint8_t *key, uint8_t *blocks, size_t length) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, key, a->key_length, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, blocks, blocks, length));
  REQUIRE_OK(CustomKeyboard_wipeCipher(&cipher));
}

/* A good job with exactly the room it needs, or more. If `broken` is not 0, the padding byte at that distance from the
 * end is wrong. */
static void make_job(struct task *t, const struct algorithm *a, uint64_t *seed, size_t length, size_t broken) {
  size_t whole = padded(length, a->block_size);
  draw_bytes(seed, t->key, sizeof t->key);
  draw_bytes(seed, t->text, length);
  memset(t->text + length, (int)(whole - length), whole - length);
  if (broken > 0) t->text[whole - broken] ^= (uint8_t)(1 + draw(seed) % 255);
  encrypt(a, t->key, t->text, whole);
  memset(t->clear, GUARD, sizeof t->clear);
  size_t capacity = draw(seed) % 2 ? length : length + draw(seed) % 40;
  t->job = (CUSTOM_KEYBOARD_JOB){t->key, a->key_length, t->text, whole, t->clear, capacity, 77, (CUSTOM_KEYBOARD_RV)77};
}

/* Makes a good job bad, in one of BAD_KINDS ways. */
static void spoil(struct task *t, const struct algorithm *a, uint64_t *seed, unsigned kind) {
  CUSTOM_KEYBOARD_JOB *j = &t->job;
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 7};
  size_t size = sizes[draw(seed) % 4];
  switch (kind) {
    case 0: j->key = NULL; break;
    case 1: j->text = NULL; break;
    case 2: j->clear = NULL, j->clearCapacity = 1 + draw(seed) % 200; break;
    case 3: j->keyLength = draw(seed) % 40; break; /* may be right by chance; decrypt decides */
    case 4: j->keyLength = size; break;
    case 5: j->textLength = size; break;
    case 6: j->clearCapacity = SIZE_MAX - draw(seed) % 2 * (SIZE_MAX / 2); break;
    case 7: j->textLength = CUSTOM_KEYBOARD_MAXTEXTSIZE + 1 + draw(seed) % 31; break;
    case 8: j->textLength -= 1 + draw(seed) % (a->block_size - 1); break;
    case 9: j->textLength = 0; break;
    case 10: j->text = NULL, j->textLength = 0; break;
    case 11: j->key = NULL, j->keyLength = 0; break;
    case 12: make_job(t, a, seed, draw(seed) % (LONGEST + 1), 1 + draw(seed) % a->block_size); break;
    case 13: make_job(t, a, seed, 1 + draw(seed) % LONGEST, 0), t->job.clearCapacity = 0; break;
    case 14: j->clear = t->key + draw(seed) % a->key_length, j->clearCapacity += 1; break;
    case 15: j->clear = t->text + draw(seed) % j->textLength, j->clearCapacity += 1; break;
    case 16: j->clear = last_bytes(), j->clearCapacity = 4 + draw(seed) % 200; break;
    case 17: j->key = last_bytes(), j->keyLength = 100; break;
    case 18: j->text = last_bytes(), j->textLength = 1000; break;
    case 19: j->clear = NULL, j->clearCapacity = 0; break; /* an empty password fits even there */
    default: j->clearCapacity -= j->clearCapacity > 0; break; /* one byte too small, or still enough */
  }
}

/* What decrypt answers for a job, in a space exactly as long as the answer; and the job's own length and code. */
static void answer_alone(const struct task *t, CUSTOM_ENCWAY way, struct task *expected) {
  static uint8_t own[LONGEST + 1];
  const CUSTOM_KEYBOARD_JOB *j = &t->job;
  size_t offset = 0, length = 0;
  /* decrypt checks for NULL, overlaps and the end of the address space; otherwise the space is one of ours. */
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_decrypt(way, j->key, j->keyLength, j->text, j->textLength, NULL, 0, &offset,
                                                 &length);
  int is_room = j->clear == t->clear && j->clearCapacity <= ROOM;
  if (!is_room) {
    size_t ignored = 0;
    CUSTOM_KEYBOARD_RV placed = CustomKeyboard_decrypt(way, j->key, j->keyLength, j->text, j->textLength, j->clear,
                                                       j->clearCapacity, &offset, &ignored);
    if (placed != CUSTOM_KEYBOARD_OK) rv = placed;
  } else if (rv == CUSTOM_KEYBOARD_SPACE && length <= j->clearCapacity) {
    rv = CustomKeyboard_decrypt(way, j->key, j->keyLength, j->text, j->textLength, own, length, &offset, &length);
    memcpy(expected->clear, own, length);
  }
  expected->job.rv = rv;
  expected->job.clearLength = rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_SPACE ? length : 0;
}

static void check_job(const struct task *got, const struct task *expected) {
  const CUSTOM_KEYBOARD_JOB *g = &got->job, *e = &expected->job;
  CHECK_EQUAL(g->rv, e->rv);
  CHECK_EQUAL(g->clearLength, e->clearLength);
  CHECK(memcmp(got->clear, expected->clear, sizeof got->clear) == 0);
  CHECK(memcmp(got->key, expected->key, sizeof got->key) == 0);
  CHECK(memcmp(got->text, expected->text, sizeof got->text) == 0);
  CHECK(g->key == e->key && g->keyLength == e->keyLength && g->text == e->text && g->textLength == e->textLength &&
        g->clear == e->clear && g->clearCapacity == e->clearCapacity);
}

/* Any length, a short one, or one at the edge of a block. */
enum lengths { ANY, SHORT, EDGES };

static size_t draw_length(const struct algorithm *a, uint64_t *seed, enum lengths kind) {
  size_t length = draw(seed) % (LONGEST + 1);
  if (kind == SHORT) return length % 16;
  if (kind == ANY || draw(seed) % 2) return length;
  length = length / a->block_size * a->block_size + draw(seed) % 2;
  return length - (length > 0 && draw(seed) % 3 == 0);
}

/* A batch of `count` jobs; one in `one_in` is bad, or none if it is 0. */
static void check_batch(const struct algorithm *a, size_t count, unsigned one_in, enum lengths kind, uint64_t *seed,
                        struct task *tasks, struct task *expected, CUSTOM_KEYBOARD_JOB *jobs) {
  for (size_t i = 0; i < count; i++) {
    make_job(&tasks[i], a, seed, draw_length(a, seed, kind), 0);
    if (one_in && draw(seed) % one_in == 0) spoil(&tasks[i], a, seed, (unsigned)(draw(seed) % BAD_KINDS));
    expected[i] = tasks[i];
    answer_alone(&tasks[i], a->way, &expected[i]);
    jobs[i] = tasks[i].job;
  }
  if (!CHECK_OK(CustomKeyboard_decryptBatch(a->way, jobs, count))) return;
  for (size_t i = 0; i < count; i++) {
    tasks[i].job = jobs[i];
    check_job(&tasks[i], &expected[i]);
  }
}

static struct task all_tasks[MOST], all_expected[MOST];
static CUSTOM_KEYBOARD_JOB all_jobs[MOST];

static void check_counts(const struct algorithm *a, uint64_t *seed) {
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (unsigned one_in = 0; one_in <= 7; one_in += 1 + one_in * 2 / 3) /* 0, 1, 2, 4, 7 */
      check_batch(a, counts[i], one_in, one_in == 7 ? SHORT : ANY, seed, all_tasks, all_expected, all_jobs);
}

/* Batches of 1 to 80 jobs, one in four bad: lanes are full, nearly full or nearly empty. */
static void check_jobs(const struct algorithm *a, uint64_t *seed, unsigned long number) {
  while (number > 0) {
    size_t count = 1 + draw(seed) % 80;
    if (count > number) count = number;
    check_batch(a, count, 4, draw(seed) % 4 ? EDGES : SHORT, seed, all_tasks, all_expected, all_jobs);
    number -= count;
  }
}

/* Every kind of bad job at each of 40 positions; broken padding at every position, for every length. */
static void check_each_fault(const struct algorithm *a, uint64_t *seed) {
  for (unsigned kind = 0; kind < BAD_KINDS + LONGEST; kind++)
    for (size_t place = 0; place < 40; place += (kind < BAD_KINDS ? 1 : 13) * LESS) {
      for (size_t i = 0; i < 40; i++) {
        struct task *t = &all_tasks[i];
        size_t length = kind < BAD_KINDS ? draw(seed) % 40 : kind - BAD_KINDS;
        size_t padding = padded(length, a->block_size) - length;
        make_job(t, a, seed, length, kind >= BAD_KINDS && i != place ? 1 + i % padding : 0);
        if (kind < BAD_KINDS && i == place) spoil(t, a, seed, kind);
        all_expected[i] = *t;
        answer_alone(t, a->way, &all_expected[i]);
        if (kind >= BAD_KINDS && i == place) CHECK_EQUAL(all_expected[i].job.rv, CUSTOM_KEYBOARD_OK);
        all_jobs[i] = t->job;
      }
      CHECK_OK(CustomKeyboard_decryptBatch(a->way, all_jobs, 40));
      for (size_t i = 0; i < 40; i++) {
        all_tasks[i].job = all_jobs[i];
        check_job(&all_tasks[i], &all_expected[i]);
      }
    }
}

/* The call itself is refused: no job gets an answer. */
static void refuse_calls(const struct algorithm *a, uint64_t *seed) {
  const int unknown[] = {3, 99, -1, 256, 257, 0x7fffffff};
  make_job(&all_tasks[0], a, seed, 8, 0);
  CUSTOM_KEYBOARD_JOB job = all_tasks[0].job;
#define REFUSED(way, jobs, count)                                                                         \
  do {                                                                                                    \
    CHECK_EQUAL(CustomKeyboard_decryptBatch(way, jobs, count), CUSTOM_KEYBOARD_ARGUMENT);                 \
    CHECK(memcmp(&job, &all_tasks[0].job, sizeof job) == 0 && all_tasks[0].clear[0] == GUARD);            \
  } while (0)
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    REFUSED((CUSTOM_ENCWAY)unknown[i], &job, 1);
    REFUSED((CUSTOM_ENCWAY)unknown[i], NULL, 0);
  }
  const size_t many[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / sizeof job, SIZE_MAX / sizeof job + 2};
  for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
    REFUSED(a->way, NULL, many[i]);
    REFUSED(a->way, &job, many[i]); /* that many jobs would end beyond the address space */
  }
  REFUSED(a->way, NULL, 1);
  REFUSED(a->way, (CUSTOM_KEYBOARD_JOB *)(UINTPTR_MAX - 63 - 2 * sizeof job), 4);
  CHECK_OK(CustomKeyboard_decryptBatch(a->way, NULL, 0));
  CHECK_OK(CustomKeyboard_decryptBatch(a->way, &job, 0));
  CHECK(memcmp(&job, &all_tasks[0].job, sizeof job) == 0);
}

/* Many jobs that share one key and one text. */
static void share_inputs(const struct algorithm *a, uint64_t *seed) {
  static uint8_t clear[SHARED_JOBS][ROOM];
  struct task *t = &all_tasks[0];
  for (size_t length = 0; length <= LONGEST; length += 8 * LESS) {
    make_job(t, a, seed, length, 0);
    all_expected[0] = *t;
    answer_alone(t, a->way, &all_expected[0]);
    memset(clear, GUARD, sizeof clear);
    for (size_t i = 0; i < SHARED_JOBS; i++) {
      all_jobs[i] = t->job;
      all_jobs[i].clear = clear[i];
      all_jobs[i].clearCapacity = length;
    }
    CHECK_OK(CustomKeyboard_decryptBatch(a->way, all_jobs, SHARED_JOBS));
    for (size_t i = 0; i < SHARED_JOBS; i++) {
      CHECK(all_jobs[i].rv == CUSTOM_KEYBOARD_OK && all_jobs[i].clearLength == length);
      CHECK(memcmp(clear[i], all_expected[0].clear, ROOM) == 0);
    }
  }
}

static void *run_batches(void *number) {
  uint64_t seed = first_seed + (uintptr_t)number;
  struct task *tasks = calloc(2 * PER_THREAD, sizeof *tasks);
  CUSTOM_KEYBOARD_JOB *jobs = calloc(PER_THREAD, sizeof *jobs);
  REQUIRE(tasks && jobs);
  for (int round = 0; round < TWO_THREAD_ROUNDS; round++) {
    const struct algorithm *a = &algorithms[draw(&seed) % ALGORITHM_COUNT];
    size_t count = draw(&seed) % (PER_THREAD + 1);
    for (size_t i = 0; i < count; i++) {
      uint8_t password[LONGEST];
      make_job(&tasks[i], a, &seed, draw(&seed) % (LONGEST + 1), 0);
      size_t offset, length, room = tasks[i].job.clearCapacity;
      CHECK_OK(CustomKeyboard_decrypt(a->way, tasks[i].key, a->key_length, tasks[i].text, tasks[i].job.textLength,
                                      tasks[PER_THREAD + i].clear, ROOM, &offset, &length));
      memcpy(password, tasks[PER_THREAD + i].clear + offset, length);
      memset(tasks[PER_THREAD + i].clear, GUARD, ROOM);
      memcpy(tasks[PER_THREAD + i].clear, password, length);
      CHECK(length <= room);
      jobs[i] = tasks[i].job;
    }
    CHECK_OK(CustomKeyboard_decryptBatch(a->way, jobs, count));
    for (size_t i = 0; i < count; i++) {
      CHECK_OK(jobs[i].rv);
      CHECK(memcmp(tasks[i].clear, tasks[PER_THREAD + i].clear, ROOM) == 0);
    }
  }
  free(tasks);
  free(jobs);
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t seed = take_seed();
  unsigned long jobs = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    check_counts(&algorithms[i], &seed);
    check_each_fault(&algorithms[i], &seed);
    refuse_calls(&algorithms[i], &seed);
    share_inputs(&algorithms[i], &seed);
    check_jobs(&algorithms[i], &seed, jobs);
  }
  pthread_t threads[2];
  for (uintptr_t i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, run_batches, (void *)i) == 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return check_end("batch", 1500000);
}
