/*
 * When a callback ends. When setTextField, setOKAction or destroy has returned on a thread that is not inside a
 * callback, the old callback is not running and will not start again, so the caller may free its context. The contexts
 * here are marked as ended and kept, never reused, so that a late callback is counted instead of crashing. An alarm
 * ends a test that hangs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "letters.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum {
  TYPISTS = 3,
  ROUNDS = 200000 / LESS, /* of all kinds together; fewer if the time runs out … */
  SECONDS = 10,
  LEAST_ROUNDS = 2000 / LESS /* … but never fewer than this of a kind */
};

/* ---- Late callbacks ---------------------------------------------------------------------------------------------- */

/* The context of a callback. It is alive until the call that ends the callback has returned. */
struct context {
  atomic_int has_ended;
  atomic_int running;
};

static struct context *contexts;
static size_t context_count, most_contexts;
static atomic_ulong calls, late_starts, late_ends, late_running;
static _Atomic CUSTOM_KEYBOARD target;
static atomic_int are_typing;

static void work(struct context *context) {
  atomic_fetch_add(&context->running, 1);
  unsigned long number = atomic_fetch_add(&calls, 1);
  int was_late = atomic_load(&context->has_ended);
  if (was_late) atomic_fetch_add(&late_starts, 1);
  /* Some callbacks take long, so that the call that ends them comes while they run. */
  if (number % 16 == 0) sched_yield();
  for (volatile int i = 0; i < 50; i++) {}
  if (!was_late && atomic_load(&context->has_ended)) atomic_fetch_add(&late_ends, 1);
  atomic_fetch_sub(&context->running, 1);
}

static void field_changed(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)keyboard, (void)count;
  work(context);
}
static void completed(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)keyboard;
  work(context);
}

static struct context *new_context(void) {
  REQUIRE(context_count < most_contexts);
  return &contexts[context_count++];
}

/* Called after the call that ends the callback has returned. */
static void end_context(struct context *context) {
  atomic_store(&context->has_ended, 1);
  if (atomic_load(&context->running) != 0) atomic_fetch_add(&late_running, 1);
}

static void *type_always(void *none) {
  while (atomic_load(&are_typing)) {
    CUSTOM_KEYBOARD k = atomic_load(&target);
    CustomKeyboard_pressKey(k, LETTER_KEY);
    CustomKeyboard_pressKey(k, RETURN_KEY);
    CustomKeyboard_deleteBackward(k);
  }
  return none;
}

/* How a callback ends: it is removed, replaced by another, or destroyed with its keyboard. */
enum end { TAKEN_AWAY, REPLACED, DESTROYED, ENDS };
static const char *const end_names[ENDS] = {"taken away", "replaced", "destroyed"};

static CUSTOM_KEYBOARD_RV set(CUSTOM_KEYBOARD k, int is_field, struct context *context) {
  return is_field ? CustomKeyboard_setTextField(k, context ? field_changed : NULL, context)
                  : CustomKeyboard_setOKAction(k, context ? completed : NULL, context);
}

/* A callback is set and ended again and again while other threads type. The thread that ends it types too, so it was
 * inside a callback before. */
static void end_often(enum end end, int is_field, time_t until, unsigned long most_rounds, uint64_t *seed) {
  pthread_t typists[TYPISTS];
  CUSTOM_KEYBOARD k = letters();
  struct context *context = new_context();
  CHECK_OK(set(k, is_field, context));
  atomic_store(&target, k);
  atomic_store(&are_typing, 1);
  atomic_store(&calls, 0);
  atomic_store(&late_starts, 0);
  atomic_store(&late_ends, 0);
  atomic_store(&late_running, 0);
  for (int i = 0; i < TYPISTS; i++) REQUIRE(pthread_create(&typists[i], NULL, type_always, NULL) == 0);
  unsigned long rounds = 0;
  size_t last_context = context_count + most_rounds;
  while (context_count < last_context && (rounds < LEAST_ROUNDS || time(NULL) < until)) {
    struct context *next = NULL;
    if (rounds % 8 == 0) CustomKeyboard_pressKey(k, is_field ? LETTER_KEY : RETURN_KEY);
    for (uint64_t i = draw(seed) % 200; i > 0; i--) atomic_load(&calls);
    if (end == DESTROYED) {
      CUSTOM_KEYBOARD fresh = letters();
      next = new_context();
      CHECK_OK(set(fresh, is_field, next));
      atomic_store(&target, fresh);
      CHECK_OK(CustomKeyboard_destroy(k));
      k = fresh;
      end_context(context);
    } else if (end == REPLACED) {
      next = new_context();
      CHECK_OK(set(k, is_field, next));
      end_context(context);
    } else {
      CHECK_OK(set(k, is_field, NULL));
      end_context(context);
      next = new_context();
      CHECK_OK(set(k, is_field, next));
    }
    context = next;
    rounds++;
    while (rounds % 64 == 0 && atomic_load(&calls) < rounds / 16) sched_yield(); /* let the other threads type */
  }
  CHECK_OK(CustomKeyboard_destroy(k));
  end_context(context);
  atomic_store(&are_typing, 0);
  for (int i = 0; i < TYPISTS; i++) pthread_join(typists[i], NULL);
  printf("%s %s: %lu rounds, %lu calls, late: %lu began, %lu went on, %lu ran when the call returned\n",
         is_field ? "field" : "action", end_names[end], rounds, atomic_load(&calls), atomic_load(&late_starts),
         atomic_load(&late_ends), atomic_load(&late_running));
  CHECK_EQUAL(atomic_load(&late_starts), 0);
  CHECK_EQUAL(atomic_load(&late_ends), 0);
  CHECK_EQUAL(atomic_load(&late_running), 0);
  CHECK(rounds >= LEAST_ROUNDS || context_count == last_context);
}

static void end_callbacks(uint64_t *seed) {
  enum { KINDS = 2 * ENDS, ROUNDS_OF_A_KIND = ROUNDS / KINDS };
  most_contexts = KINDS * (ROUNDS_OF_A_KIND + 2);
  contexts = calloc(most_contexts, sizeof *contexts);
  REQUIRE(contexts);
  time_t start = time(NULL);
  for (int kind = 0; kind < KINDS; kind++)
    end_often((enum end)(kind / 2), kind % 2, start + (kind + 1) * SECONDS / KINDS, ROUNDS_OF_A_KIND, seed);
}

/* ---- Callbacks set while their keyboard is destroyed ------------------------------------------------------------- */

/* One thread holds the keyboard for some milliseconds, by filling a large space. Meanwhile destroy comes, and waits;
 * then setTextField comes, and waits too. It gets the keyboard after destroy has taken the callbacks away and before
 * destroy returns. */
enum { LARGE_SPACE = 24 << 20, STEP = 2000000 /* ns */ };

static void *fill_large_space(void *space) {
  size_t offset, length;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(atomic_load(&target), space, LARGE_SPACE, &offset, &length);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_ARGUMENT); /* destroy may come first */
  return NULL;
}

static void *destroy_target(void *none) {
  CHECK_OK(CustomKeyboard_destroy(atomic_load(&target)));
  return none;
}

static void *set_on_target(void *none) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_setTextField(atomic_load(&target), ignore, NULL);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_ARGUMENT);
  return none;
}

static void set_while_destroyed(void) {
  static void *(*const steps[])(void *) = {fill_large_space, destroy_target, set_on_target};
  struct timespec step = {0, STEP};
  void *space = malloc(LARGE_SPACE);
  REQUIRE(space);
  for (int i = 0; i < 25; i++) {
    pthread_t threads[3];
    atomic_store(&target, letters());
    for (int j = 0; j < 3; j++) {
      REQUIRE(pthread_create(&threads[j], NULL, steps[j], space) == 0);
      nanosleep(&step, NULL);
    }
    for (int j = 0; j < 3; j++) pthread_join(threads[j], NULL);
  }
  free(space);
}

int main(void) {
  uint64_t seed = take_seed();
  alarm(LONGEST_WAIT);
  set_while_destroyed();
  end_callbacks(&seed);
  free(contexts);
  return check_end("callback_end", 10000);
}
