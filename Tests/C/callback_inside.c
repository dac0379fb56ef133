/*
 * Calls from inside a callback: they never wait; otherwise two callbacks could wait for each other for ever. Two
 * callbacks that end each other, callbacks inside callbacks, and a callback that forks. An alarm ends a test that
 * hangs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "letters.h"
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ENCOUNTERS = 200 / LESS + 10 };

/* ---- Two callbacks that end each other --------------------------------------------------------------------------- */

/* What each of two running callbacks does to the other's keyboard or to its own. Each waits, inside, until the other's
 * call has returned. If one of these calls waited for a callback, it would wait for ever. */
enum deed { TAKE_FIELD, TAKE_ACTION, REPLACE_FIELD, DESTROY, DEEDS };

struct party {
  CUSTOM_KEYBOARD own, other;
  enum deed deed;
  int is_done_to_own, is_field; /* whether the field's callback runs, or the action */
  atomic_int *inside, *done;
};

static void wait_for(atomic_int *number, int value) {
  while (atomic_load(number) < value) sched_yield();
}

static CUSTOM_KEYBOARD_RV act(enum deed deed, CUSTOM_KEYBOARD k) {
  switch (deed) {
    case TAKE_FIELD: return CustomKeyboard_setTextField(k, NULL, NULL);
    case TAKE_ACTION: return CustomKeyboard_setOKAction(k, NULL, NULL);
    case REPLACE_FIELD: return CustomKeyboard_setTextField(k, ignore, NULL);
    default: return CustomKeyboard_destroy(k);
  }
}

static void meet(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  struct party *party = context;
  (void)count;
  CHECK(keyboard == party->own);
  atomic_fetch_add(party->inside, 1);
  wait_for(party->inside, 2);
  CUSTOM_KEYBOARD_RV rv = act(party->deed, party->is_done_to_own ? party->own : party->other);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_ARGUMENT); /* the other may have destroyed it */
  atomic_fetch_add(party->done, 1);
  wait_for(party->done, 2);
}

static void meet_in_action(void *context, CUSTOM_KEYBOARD keyboard) { meet(context, keyboard, 0); }

static void set_to_meet(struct party *party) {
  CHECK_OK(party->is_field ? CustomKeyboard_setTextField(party->own, meet, party)
                           : CustomKeyboard_setOKAction(party->own, meet_in_action, party));
}

static void *press_a_key(void *context) {
  struct party *party = context;
  CHECK_OK(CustomKeyboard_pressKey(party->own, party->is_field ? LETTER_KEY : RETURN_KEY));
  return NULL;
}

static void let_them_meet(enum deed first, enum deed second, uint64_t *seed) {
  atomic_int inside = 0, done = 0;
  CUSTOM_KEYBOARD a = letters(), b = letters();
  struct party parties[2] = {{a, b, first, draw(seed) % 2, draw(seed) % 2, &inside, &done},
                             {b, a, second, draw(seed) % 2, draw(seed) % 2, &inside, &done}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    set_to_meet(&parties[i]);
    REQUIRE(pthread_create(&threads[i], NULL, press_a_key, &parties[i]) == 0);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  CHECK_EQUAL(atomic_load(&done), 2);
  CustomKeyboard_destroy(a);
  CustomKeyboard_destroy(b);
}

/* The same keyboard's callback runs on two threads at once; each makes its call on their common keyboard. */
static void let_them_meet_on_one(enum deed deed, int is_field) {
  atomic_int inside = 0, done = 0;
  CUSTOM_KEYBOARD k = letters();
  struct party party = {k, k, deed, 1, is_field, &inside, &done};
  pthread_t threads[2];
  set_to_meet(&party);
  for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, press_a_key, &party) == 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  CHECK_EQUAL(atomic_load(&done), 2);
  CustomKeyboard_destroy(k);
}

/* A thread outside any callback waits for a callback, which meanwhile makes its call on the same keyboard. */
struct outsider {
  CUSTOM_KEYBOARD keyboard;
  enum deed deed;
  atomic_int *has_returned;
};

static void *act_from_outside(void *context) {
  struct outsider *outsider = context;
  act(outsider->deed, outsider->keyboard);
  atomic_store(outsider->has_returned, 1);
  return NULL;
}

struct insider {
  CUSTOM_KEYBOARD keyboard;
  enum deed deed;
  struct outsider outsider;
  pthread_t thread;
  atomic_int has_returned, was_early;
};

static void act_while_waited_for(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  struct insider *insider = context;
  struct timespec moment = {0, 2000000};
  (void)count;
  REQUIRE(pthread_create(&insider->thread, NULL, act_from_outside, &insider->outsider) == 0);
  nanosleep(&moment, NULL); /* by now it is almost always waiting */
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset, length;
  CUSTOM_KEYBOARD_RV gone = insider->outsider.deed == DESTROY ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == gone);
  act(insider->deed, keyboard);
  atomic_store(&insider->was_early, atomic_load(&insider->has_returned));
}

static void act_while_action_is_waited_for(void *context, CUSTOM_KEYBOARD keyboard) {
  act_while_waited_for(context, keyboard, 0);
}

static void act_on_both_sides(enum deed outside, enum deed inside, int is_field) {
  struct insider insider = {.keyboard = letters(), .deed = inside};
  insider.outsider = (struct outsider){insider.keyboard, outside, &insider.has_returned};
  CHECK_OK(is_field ? CustomKeyboard_setTextField(insider.keyboard, act_while_waited_for, &insider)
                    : CustomKeyboard_setOKAction(insider.keyboard, act_while_action_is_waited_for, &insider));
  CHECK_OK(CustomKeyboard_pressKey(insider.keyboard, is_field ? LETTER_KEY : RETURN_KEY));
  pthread_join(insider.thread, NULL);
  CHECK_EQUAL(atomic_load(&insider.has_returned), 1);
  /* Only a call that ends the running callback waits for it. If two calls end it, either of them may return at once. */
  int ends_it = outside == DESTROY || (outside == TAKE_ACTION) == !is_field;
  if (ends_it && inside == (is_field ? TAKE_ACTION : TAKE_FIELD)) CHECK_EQUAL(atomic_load(&insider.was_early), 0);
  CustomKeyboard_destroy(insider.keyboard);
}

/* ---- A new callback that never rests ----------------------------------------------------------------------------- */

/* While the old callback is replaced, three threads keep the new one running all the time: each call of it ends only
 * after the next has begun. The replacement waits for the old callback and not for the new one. */
static struct relay {
  CUSTOM_KEYBOARD keyboard;
  atomic_int started, old_running, is_over;
} relay;

static void run_on(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context, (void)keyboard, (void)count;
  int own = atomic_fetch_add(&relay.started, 1) + 1;
  while (atomic_load(&relay.started) == own && !atomic_load(&relay.is_over)) sched_yield();
}

static void run_until_replaced(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  struct timespec moment = {0, 1000000};
  (void)context, (void)keyboard, (void)count;
  atomic_fetch_add(&relay.old_running, 1);
  /* The library may start the new one only after this one has ended, so this does not wait for ever. */
  for (int i = 0; i < 20 && atomic_load(&relay.started) < 4; i++) nanosleep(&moment, NULL);
  atomic_fetch_sub(&relay.old_running, 1);
}

static void *type_in_relay(void *none) {
  while (!atomic_load(&relay.is_over)) {
    CustomKeyboard_input(relay.keyboard, bytes("x"), 1);
    CustomKeyboard_clear(relay.keyboard);
  }
  return none;
}

static void replace_by_restless(void) {
  pthread_t threads[3];
  relay.keyboard = letters();
  atomic_store(&relay.started, 0);
  atomic_store(&relay.is_over, 0);
  CHECK_OK(CustomKeyboard_setTextField(relay.keyboard, run_until_replaced, NULL));
  for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, type_in_relay, NULL) == 0);
  wait_for(&relay.old_running, 1);
  CHECK_OK(CustomKeyboard_setTextField(relay.keyboard, run_on, NULL));
  CHECK_EQUAL(atomic_load(&relay.old_running), 0);
  wait_for(&relay.started, 8);
  atomic_store(&relay.is_over, 1);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  CHECK_OK(CustomKeyboard_destroy(relay.keyboard));
}

/* ---- Callbacks that call the callback ---------------------------------------------------------------------------- */

static struct nest {
  int depth, deepest, calls, new_calls;
  enum deed deed;
} nest;

static void count_new(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)keyboard, (void)count;
  CHECK(context == &nest.new_calls);
  nest.new_calls++;
}

/* Types, which calls this again, down to a certain depth. There it makes its call, while all the outer calls
 * still run. */
static void type_deeper(void *context, CUSTOM_KEYBOARD k, size_t count) {
  (void)count;
  CHECK(context == &nest);
  nest.calls++;
  if (++nest.depth < nest.deepest) {
    CHECK_OK(CustomKeyboard_pressKey(k, LETTER_KEY));
  } else if (nest.deed == REPLACE_FIELD) {
    CHECK_OK(CustomKeyboard_setTextField(k, count_new, &nest.new_calls));
    CHECK_OK(CustomKeyboard_pressKey(k, LETTER_KEY));
    CHECK_EQUAL(nest.new_calls, 1); /* the new one works while calls of the old one still run */
  } else if (nest.deed == TAKE_ACTION) {
    CHECK_OK(CustomKeyboard_setOKAction(k, NULL, NULL));
  } else {
    CHECK_OK(act(nest.deed, k));
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_pressKey(k, LETTER_KEY);
    CHECK_EQUAL(rv, nest.deed == DESTROY ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK);
  }
}

static void nest_callbacks(enum deed deed, int deepest) {
  CUSTOM_KEYBOARD k = letters();
  nest = (struct nest){0, deepest, 0, 0, deed};
  CHECK_OK(CustomKeyboard_setTextField(k, type_deeper, &nest));
  CHECK_OK(CustomKeyboard_pressKey(k, LETTER_KEY));
  CHECK_EQUAL(nest.calls, deepest);
  if (deed == REPLACE_FIELD) {
    CHECK_OK(CustomKeyboard_pressKey(k, LETTER_KEY));
    CHECK_EQUAL(nest.new_calls, 2);
  }
  /* Outside callbacks again: these calls do not wait, because no callback runs. */
  CUSTOM_KEYBOARD_RV expected = deed == DESTROY ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK;
  CHECK_EQUAL(CustomKeyboard_setTextField(k, NULL, NULL), expected);
  CHECK_EQUAL(CustomKeyboard_destroy(k), expected);
}

/* ---- A callback that forks --------------------------------------------------------------------------------------- */

/* The child's keyboards are empty, and no callback runs there; the callback that forked returns into the child. */
static pid_t forked;
static void fork_inside(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context, (void)keyboard, (void)count;
  forked = fork();
  if (forked == 0) alarm(LONGEST_WAIT);
}

static void fork_in_callback(void) {
  CUSTOM_KEYBOARD k = letters();
  int status;
  CHECK_OK(CustomKeyboard_setTextField(k, fork_inside, NULL));
  CHECK_OK(CustomKeyboard_pressKey(k, LETTER_KEY));
  REQUIRE(forked >= 0);
  if (forked == 0) atomic_store(&check_failures, 0);
  nest = (struct nest){0};
  CUSTOM_KEYBOARD_RV up = forked == 0 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_OP_DISABLE;
  CHECK_EQUAL(CustomKeyboard_setEncKey(k, page_key, 16, CUSTOM_ENCWAY_SM4), up);
  CHECK_EQUAL(CustomKeyboard_open(k), up);
  CHECK_OK(CustomKeyboard_setTextField(k, count_new, &nest.new_calls));
  CHECK_OK(CustomKeyboard_input(k, bytes("x"), 1));
  CHECK_EQUAL(nest.new_calls, 1);
  CHECK_OK(CustomKeyboard_setTextField(k, NULL, NULL));
  CHECK_OK(CustomKeyboard_destroy(k));
  if (forked == 0) _exit(atomic_load(&check_failures) > 0);
  REQUIRE(waitpid(forked, &status, 0) == forked);
  CHECK_EQUAL(status, 0);
}

int main(void) {
  uint64_t seed = take_seed();
  alarm(LONGEST_WAIT);
  for (int deed = 0; deed < DEEDS; deed++)
    for (int depth = 1; depth <= 6; depth++) nest_callbacks((enum deed)deed, depth);
  for (int i = 0; i < ENCOUNTERS; i++) {
    enum deed first = (enum deed)(draw(&seed) % DEEDS), second = (enum deed)(draw(&seed) % DEEDS);
    let_them_meet(first, second, &seed);
    let_them_meet_on_one(first, i % 2);
  }
  for (int outside = 0; outside < DEEDS; outside++)
    for (int inside = 0; inside < DEEDS; inside++) {
      act_on_both_sides((enum deed)outside, (enum deed)inside, 0);
      act_on_both_sides((enum deed)outside, (enum deed)inside, 1);
    }
  for (int i = 0; i < 5; i++) replace_by_restless();
  fork_in_callback();
  return check_end("callback_inside", 800);
}
