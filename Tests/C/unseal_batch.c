/*
 * unsealBatch compared with unseal: every number of texts around the eight that are opened together, and every kind of
 * bad job among good ones. The batch must answer each job exactly as unseal does. The bytes after a password and the
 * buffers of failed jobs must be unchanged.
 *
 *     unseal_batch [TEXTS [RSA]]          so many good and altered texts of each way more; of RSA so many, or one for
 *                                         fifty of another way
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "codes.h"
#include "sealed.h"
#include <pthread.h>
#include <stddef.h>

enum { MOST = 33, POOL = 24, ROOM = 192, GUARD = 0xa5, BAD_KINDS = 24, THREAD_ROUNDS = 60 / LESS };

static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, MOST};

/* A password and its sealed text. */
struct sealed_text {
  struct bytes password, context;
  uint8_t text[LONGEST_SEALED];
};

/* One job and everything it points to. Bytes that must not change surround its `clear` buffer. */
struct task {
  uint8_t context[LONGEST_CONTEXT + 1], text[LONGEST_SEALED + 1], clear[ROOM];
  CUSTOM_KEYBOARD_SEALED_JOB job;
};

/* A private key, and texts for it. */
struct world {
  const struct sealed_way *way;
  struct pair pair;
  struct sealed_text pool[POOL];
};

static void make_world(struct world *w, const struct sealed_way *way, uint64_t *seed) {
  w->way = way;
  w->pair = new_pair(way);
  for (int i = 0; i < POOL; i++) {
    struct sealed_text *s = &w->pool[i];
    s->password = drawn_password(seed, i == 0 ? 0 : i == 1 ? LONGEST_PASSWORD : 1 + draw(seed) % LONGEST_PASSWORD);
    s->context = drawn(seed, i == 2 ? 0 : i == 3 ? LONGEST_CONTEXT : draw(seed) % (LONGEST_CONTEXT + 1));
    seal(&w->pair, &s->password, &s->context, s->text);
  }
}

/* A good job with exactly the room it needs, or more. */
static void make_job(struct task *t, const struct world *w, uint64_t *seed) {
  const struct sealed_text *s = &w->pool[draw(seed) % POOL];
  memset(t, GUARD, sizeof *t);
  memcpy(t->context, s->context.at, s->context.length);
  memcpy(t->text, s->text, w->way->text_length);
  t->job = (CUSTOM_KEYBOARD_SEALED_JOB){t->context,
                                        s->context.length,
                                        t->text,
                                        w->way->text_length,
                                        t->clear,
                                        s->password.length + (draw(seed) % 2 ? 0 : draw(seed) % 40),
                                        77,
                                        (CUSTOM_KEYBOARD_RV)77};
}

/* Numbers where a field or a point is special; of curves, the first one or two numbers of a text. */
static void store_edge(uint8_t *number, uint64_t *seed) {
#define FOUR 0xff, 0xff, 0xff, 0xff
  static const uint8_t p25519[32] = {0xed, 0xff, 0xff, 0xff, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, 0xff, 0xff,
                                     0xff, 0x7f};
  static const uint8_t p256[32] = {FOUR, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, FOUR, FOUR, FOUR};
  static const uint8_t sm2[32] = {0xff, 0xff, 0xff, 0xfe, FOUR, FOUR, FOUR, FOUR, 0, 0, 0, 0, FOUR, FOUR};
#undef FOUR
  static const uint8_t order_8[32] = {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
                                      0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
                                      0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00};
  const uint8_t *const numbers[] = {p25519, p256, sm2, order_8};
  unsigned kind = draw(seed) % 6;
  if (kind < 4) memcpy(number, numbers[kind], 32);
  else memset(number, kind == 4 ? 0 : 0xff, 32);
  if (draw(seed) % 2) number[draw(seed) % 2 ? 0 : 31] += (uint8_t)(draw(seed) % 5 - 2);
}

/* Makes a good job bad, in one of BAD_KINDS ways. Some are right by chance; unseal decides. */
static void spoil(struct task *t, const struct world *w, uint64_t *seed, unsigned kind) {
  CUSTOM_KEYBOARD_SEALED_JOB *j = &t->job;
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 7};
  size_t size = sizes[draw(seed) % 4], length = w->way->text_length;
  switch (kind) {
    case 0: j->context = NULL; break;
    case 1: j->text = NULL; break;
    case 2: j->clear = NULL, j->clearCapacity = 1 + draw(seed) % 200; break;
    case 3: j->contextLength = draw(seed) % (LONGEST_CONTEXT + 2); break;
    case 4: j->contextLength = size; break;
    case 5: j->textLength = size; break;
    case 6: j->clearCapacity = SIZE_MAX - draw(seed) % 2 * (SIZE_MAX / 2); break;
    case 7: j->textLength += 1; break;
    case 8: j->textLength -= 1 + draw(seed) % length; break;
    case 9: j->text = NULL, j->textLength = 0; break;
    case 10: j->context = NULL, j->contextLength = 0; break;
    case 11: t->text[draw(seed) % length] ^= (uint8_t)(1 << draw(seed) % 8); break;
    case 12: t->text[length - 1 - draw(seed) % 16] ^= (uint8_t)(1 << draw(seed) % 8); break; /* the tag */
    case 13: t->text[draw(seed) % (length < 65 ? length : 65)] ^= (uint8_t)(1 << draw(seed) % 8); break; /* a point */
    case 14: t->context[draw(seed) % sizeof t->context] ^= 1; break;
    case 15: j->clearCapacity = draw(seed) % 8; break;
    case 16: j->clear = (uint8_t *)w->pair.secret + draw(seed) % w->way->secret_length, j->clearCapacity = 1; break;
    case 17: j->clear = t->text + draw(seed) % length, j->clearCapacity += 1; break;
    case 18: j->clear = t->context, j->contextLength += j->contextLength == 0, j->clearCapacity += 1; break;
    case 19: j->clear = last_bytes(), j->clearCapacity = 4 + draw(seed) % 200; break;
    case 20: j->text = last_bytes(), j->textLength = 1000; break;
    case 21: j->context = last_bytes(), j->contextLength = 100; break;
    case 22: store_edge(t->text + (w->way->public_length == POINT), seed); break;
    default: store_edge(t->text + (w->way->public_length == POINT ? 1 + POINT / 2 : 0), seed); break;
  }
}

/* What unseal answers for a job, in a space exactly as long as the answer; and the job's own length and code. */
static void answer_alone(const struct task *t, const struct world *w, struct task *expected) {
  static _Thread_local uint8_t own[LONGEST_PASSWORD];
  const CUSTOM_KEYBOARD_SEALED_JOB *j = &t->job;
  struct opening o = {w->way->way,      w->pair.secret, w->way->secret_length, j->context,
                      j->contextLength, j->text,        j->textLength};
  size_t offset = 0, length = 0;
  CUSTOM_KEYBOARD_RV rv;
  if (j->clear != t->clear || j->clearCapacity > ROOM) {
    /* The place is NULL, or overlaps, or is not memory: if unseal did not refuse it, the test would write there. */
    rv = unseal_into(&o, j->clear, j->clearCapacity, &offset, &length);
  } else {
    rv = unseal_into(&o, own, sizeof own, &offset, &length);
    if (rv == OK && length > j->clearCapacity) rv = SPACE;
    else if (rv == OK) memcpy(expected->clear, own + offset, length);
  }
  expected->job.rv = rv;
  expected->job.clearLength = rv == OK || rv == SPACE ? length : 0;
}

static int check_job(const struct task *got, const struct task *expected) {
  const CUSTOM_KEYBOARD_SEALED_JOB *g = &got->job, *e = &expected->job;
  return CHECK_EQUAL(g->rv, e->rv) & CHECK_EQUAL(g->clearLength, e->clearLength) &
         CHECK(memcmp(got->clear, expected->clear, sizeof got->clear) == 0) &
         CHECK(memcmp(got->text, expected->text, sizeof got->text) == 0) &
         CHECK(memcmp(got->context, expected->context, sizeof got->context) == 0) &
         CHECK(g->context == e->context && g->contextLength == e->contextLength && g->text == e->text &&
               g->textLength == e->textLength && g->clear == e->clear && g->clearCapacity == e->clearCapacity);
}

static CUSTOM_KEYBOARD_RV run(const struct world *w, CUSTOM_KEYBOARD_SEALED_JOB *jobs, size_t count) {
  return CustomKeyboard_unsealBatch(w->way->way, w->pair.secret, w->way->secret_length, jobs, count);
}

static void check_tasks(const struct world *w, struct task *tasks, struct task *expected, size_t count) {
  CUSTOM_KEYBOARD_SEALED_JOB jobs[MOST];
  for (size_t i = 0; i < count; i++) {
    expected[i] = tasks[i];
    answer_alone(&tasks[i], w, &expected[i]);
    jobs[i] = tasks[i].job;
  }
  if (!CHECK_OK(run(w, jobs, count))) return;
  for (size_t i = 0; i < count; i++) {
    tasks[i].job = jobs[i];
    if (!check_job(&tasks[i], &expected[i])) fprintf(stderr, "  (%s, job %zu of %zu)\n", w->way->name, i, count);
  }
}

static struct task all_tasks[MOST], all_expected[MOST];

static void check_counts(const struct world *w, uint64_t *seed) {
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (unsigned one_in = 0; one_in <= 7; one_in += w->way->step > 10 ? 7 : 1 + one_in * 2 / 3) { /* 0, 1, 2, 4, 7 */
      for (size_t i = 0; i < counts[c]; i++) {
        make_job(&all_tasks[i], w, seed);
        if (one_in && draw(seed) % one_in == 0) spoil(&all_tasks[i], w, seed, draw(seed) % BAD_KINDS);
      }
      check_tasks(w, all_tasks, all_expected, counts[c]);
    }
}

/* Every kind of bad job at each of nine places among good ones. */
static void check_each_fault(const struct world *w, uint64_t *seed) {
  for (unsigned kind = 0; kind < BAD_KINDS; kind++)
    for (size_t place = 0; place < 9; place += w->way->step > 10 ? 9 : w->way->step > 1 ? 4 : 1) {
      for (size_t i = 0; i < 9; i++) make_job(&all_tasks[i], w, seed);
      spoil(&all_tasks[place], w, seed, kind);
      check_tasks(w, all_tasks, all_expected, 9);
    }
}

/* A `clear` in the array of jobs: its own job's, another's, or partly outside. */
static void refuse_clear_in_jobs(const struct world *w, uint64_t *seed) {
  enum { COUNT = 9, CAPACITY = ROOM / 2 + 1 };
  CUSTOM_KEYBOARD_SEALED_JOB around[COUNT + 3], *jobs = around + 1, before[COUNT + 3];
  const size_t size = sizeof *jobs;
  size_t places = 0;
  REQUIRE(size < CAPACITY); /* so the first place is partly before the array, and the last one partly behind it */
  for (size_t at = 0; at < (COUNT + 1) * size; at += 20) {
    memset(around, 0x5a, sizeof around);
    for (size_t i = 0; i < COUNT; i++) {
      make_job(&all_tasks[i], w, seed);
      jobs[i] = all_tasks[i].job;
      jobs[i].clearCapacity = LONGEST_PASSWORD;
    }
    jobs[4].clear = (uint8_t *)around + at;
    jobs[4].clearCapacity = CAPACITY;
    memcpy(before, around, sizeof before);
    CHECK_OK(run(w, jobs, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
      CHECK_EQUAL(jobs[i].rv, i == 4 ? ARGUMENT : OK);
      if (i == 4) CHECK_EQUAL(jobs[i].clearLength, 0);
      jobs[i].rv = before[i + 1].rv, jobs[i].clearLength = before[i + 1].clearLength;
    }
    CHECK(memcmp(around, before, sizeof around) == 0);
    places++;
  }
  CHECK(places > 2 * COUNT);
}

/* The call itself is refused: no job gets an answer. */
static void refuse_calls(const struct world *w, uint64_t *seed) {
  const int no_seal[] = {0, 1, 2, 9, 10, 11, 12, 99, -1, 256, 260, 0x7fffffff};
  make_job(&all_tasks[0], w, seed);
  all_expected[0] = all_tasks[0];
  CUSTOM_KEYBOARD_SEALED_JOB job = all_tasks[0].job, same = job;
  CUSTOM_ENCWAY way = w->way->way;
  const uint8_t *key = w->pair.secret;
  size_t key_length = w->way->secret_length;
#define REFUSES(code, way, key, key_length, jobs, count)                                                    \
  do {                                                                                                      \
    CHECK_EQUAL(CustomKeyboard_unsealBatch(way, key, key_length, jobs, count), code);                       \
    CHECK(memcmp(&job, &same, sizeof job) == 0);                                                            \
    CHECK(memcmp(&all_tasks[0], &all_expected[0], sizeof all_tasks[0]) == 0);                               \
  } while (0)
  for (size_t i = 0; i < sizeof no_seal / sizeof *no_seal; i++) {
    REFUSES(ARGUMENT, (CUSTOM_ENCWAY)no_seal[i], key, key_length, &job, 1);
    REFUSES(ARGUMENT, (CUSTOM_ENCWAY)no_seal[i], key, key_length, NULL, 0);
  }
  const size_t many[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / sizeof job, SIZE_MAX / sizeof job + 2};
  for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
    REFUSES(ARGUMENT, way, key, key_length, NULL, many[i]);
    REFUSES(ARGUMENT, way, key, key_length, &job, many[i]); /* they would end beyond the address space */
  }
  REFUSES(ARGUMENT, way, key, key_length, NULL, 1);
  REFUSES(ARGUMENT, way, NULL, key_length, &job, 1);
  REFUSES(ARGUMENT, way, NULL, 0, &job, 1);
  REFUSES(ARGUMENT, way, NULL, 0, NULL, 0);
  REFUSES(ARGUMENT, way, NULL, 5, NULL, 1); /* before ERR */
  for (size_t length = 0; length < 40; length++)
    if (length != key_length) {
      REFUSES(CUSTOM_KEYBOARD_ERR, way, key, length, &job, 1);
      REFUSES(CUSTOM_KEYBOARD_ERR, way, key, length, NULL, 0);
    }
  const size_t sizes[] = {SIZE_MAX / 2, 2384, 1 << 20};
  for (size_t i = 0; i < 3; i++) REFUSES(CUSTOM_KEYBOARD_ERR, way, key, sizes[i], &job, 1);
  for (int value = 0; value <= 255; value += 255) {
    static uint8_t bytes[LONGEST_SECRET];
    memset(bytes, value, sizeof bytes);
    if (way == CUSTOM_ENCWAY_P256 || way == CUSTOM_ENCWAY_SM2 || way == CUSTOM_ENCWAY_RSA)
      REFUSES(CUSTOM_KEYBOARD_ERR, way, bytes, key_length, &job, 1);
  }
#undef REFUSED
  CHECK_OK(CustomKeyboard_unsealBatch(way, key, key_length, NULL, 0));
  CHECK_OK(CustomKeyboard_unsealBatch(way, key, key_length, &job, 0));
  CHECK(memcmp(&job, &same, sizeof job) == 0);
}

/* Fresh texts, so that the points are always others; one in four altered. */
static void check_texts(const struct world *w, uint64_t *seed, unsigned long number) {
  struct bytes password = drawn_password(seed, 12), context = drawn(seed, 32);
  CUSTOM_KEYBOARD keyboard = ready(&w->pair, &password, &context);
  while (number > 0) {
    size_t count = 1 + draw(seed) % MOST;
    if (count > number) count = number;
    for (size_t i = 0; i < count; i++) {
      struct task *t = &all_tasks[i];
      make_job(t, w, seed);
      t->job.contextLength = context.length;
      memcpy(t->context, context.at, context.length);
      take_text(keyboard, w->way, t->text);
      t->job.clearCapacity = ROOM;
      if (draw(seed) % 4 == 0) spoil(t, w, seed, 11 + draw(seed) % 2 * (11 + draw(seed) % 2)); /* 11, 22, 23 */
    }
    check_tasks(w, all_tasks, all_expected, count);
    number -= count;
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

static struct world worlds[SEALED_WAYS];

/* ---- Jobs that another thread changes ------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD_SEALED_JOB racing[MOST + 2]; /* the first and the last are guards */
static atomic_int is_changing;
static atomic_ulong changes;

/* Stores other legal values in all fields. Half of the choices are right, so that many jobs succeed. */
static void *change(void *world) {
  const struct world *w = world;
  uint64_t seed = first_seed + 99;
  while (atomic_load_explicit(&is_changing, memory_order_relaxed))
    for (size_t i = 0; i < MOST; i++) {
      struct task *t = &all_tasks[i];
      CUSTOM_KEYBOARD_SEALED_JOB *j = &racing[i + 1];
      uintptr_t values[][4] = {
          {(uintptr_t)t->context, 0, (uintptr_t)t->context, (uintptr_t)t->text},
          {all_expected[i].job.contextLength, 0, all_expected[i].job.contextLength, LONGEST_CONTEXT + 1},
          {(uintptr_t)t->text, 0, (uintptr_t)t->text, (uintptr_t)all_tasks[(i + 1) % MOST].text},
          {w->way->text_length, 7, w->way->text_length, LONGEST_SEALED + 1},
          {(uintptr_t)t->clear, 0, (uintptr_t)t->clear, (uintptr_t)t->text},
          {ROOM, 0, ROOM, 3}};
      unsigned field = draw(&seed) % 6;
      __atomic_store_n((uintptr_t *)j + field, values[field][draw(&seed) % 4], __ATOMIC_RELAXED);
      atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
    }
  return NULL;
}

/* Each job gets a code that some of the values allow, and only the answers and the places for passwords change. */
static void race(struct world *w, uint64_t *seed) {
  pthread_t thread;
  unsigned long overlaps = 0, codes[8] = {0};
  memset(racing, 0x5a, sizeof racing);
  CUSTOM_KEYBOARD_SEALED_JOB guard = racing[0];
  for (size_t i = 0; i < MOST; i++) {
    make_job(&all_tasks[i], w, seed);
    all_tasks[i].job.clearCapacity = ROOM;
    all_expected[i] = all_tasks[i];
    racing[i + 1] = all_tasks[i].job;
  }
  atomic_store(&is_changing, 1);
  REQUIRE(pthread_create(&thread, NULL, change, w) == 0);
  while (overlaps < 60 / LESS || codes[0] == 0 || codes[ARGUMENT] == 0) {
    unsigned long before = atomic_load(&changes);
    CHECK_OK(run(w, racing + 1, MOST));
    overlaps += atomic_load(&changes) != before;
    for (size_t i = 0; i < MOST; i++) {
      struct task *t = &all_tasks[i];
      const CUSTOM_KEYBOARD_SEALED_JOB *j = &racing[i + 1];
      CHECK(strchr("03456", '0' + (int)j->rv) != NULL);
      codes[j->rv & 7]++;
      if (j->rv == OK) {
        int is_known = 0; /* the text is this job's or the next one's */
        for (int k = 0; k < POOL; k++)
          is_known |= j->clearLength == w->pool[k].password.length &&
                      memcmp(t->clear, w->pool[k].password.at, j->clearLength) == 0;
        /* or `clear` has just become the text, which this job did not use */
        is_known |= memcmp(t->text, all_expected[i].text, sizeof t->text) != 0;
        CHECK(is_known);
        memcpy(t->text, all_expected[i].text, sizeof t->text);
      }
      CHECK(memcmp(t->text, all_expected[i].text, sizeof t->text) == 0);
      CHECK(memcmp(t->context, all_expected[i].context, sizeof t->context) == 0);
      memset(t->clear, GUARD, sizeof t->clear);
    }
  }
  atomic_store(&is_changing, 0);
  pthread_join(thread, NULL);
  CHECK(memcmp(&racing[0], &guard, sizeof guard) == 0 && memcmp(&racing[MOST + 1], &guard, sizeof guard) == 0);
}

/* ---- Two threads ------------------------------------------------------------------------------------------------- */

static void *run_batches(void *number) {
  uint64_t seed = first_seed + (uintptr_t)number;
  struct task *tasks = calloc(2 * MOST, sizeof *tasks);
  REQUIRE(tasks);
  for (int round = 0; round < THREAD_ROUNDS; round++) {
    const struct world *w = &worlds[draw(&seed) % SEALED_WAYS];
    size_t count = draw(&seed) % (MOST + 1) / w->way->step;
    for (size_t i = 0; i < count; i++) make_job(&tasks[i], w, &seed);
    check_tasks(w, tasks, tasks + MOST, count);
  }
  free(tasks);
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t seed = take_seed();
  unsigned long texts = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
  unsigned long texts_of_rsa = count > 2 ? strtoul(arguments[2], NULL, 10) : texts / 50;
  for (int i = 0; i < SEALED_WAYS; i++) {
    struct world *w = &worlds[i];
    make_world(w, &sealed_ways[i], &seed);
    check_counts(w, &seed);
    check_each_fault(w, &seed);
    refuse_clear_in_jobs(w, &seed);
    refuse_calls(w, &seed);
    if (w->way->step <= 10) race(w, &seed);
    check_texts(w, &seed, w->way->way == CUSTOM_ENCWAY_RSA ? texts_of_rsa : texts);
  }
  pthread_t threads[2];
  for (uintptr_t i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, run_batches, (void *)i) == 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return check_end("unseal_batch", 60000 / LESS);
}
