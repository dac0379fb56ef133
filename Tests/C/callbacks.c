/*
 * Callbacks may call any function, directly or on another thread that they wait for: the library holds no lock while
 * they run. If it held one, this program would hang and be killed. There is one exception: setTextField, setOKAction
 * and destroy wait for a running callback, so a callback must not wait for a thread that calls them (callback_end.c).
 * Callbacks get the keyboard, the count and their context. They stay set after close and open. They are not called if
 * nothing changed, nor after they were removed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "page.h"
#include <pthread.h>
#include <unistd.h>

enum { DEPTH = 6, ROUNDS = 200 };

/* What a callback does when it is called, and what it has seen. */
static struct plan {
  void (*body)(CUSTOM_KEYBOARD keyboard);
  unsigned field_calls, ok_calls, depth;
  size_t counts[16];
  CUSTOM_KEYBOARD keyboard;
  int is_wrong;
} plan;

static void field_changed(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  plan.is_wrong |= context != &plan.field_calls || keyboard != plan.keyboard;
  if (plan.field_calls < 16) plan.counts[plan.field_calls] = count;
  plan.field_calls++;
  if (plan.body) plan.body(keyboard);
}

static void completed(void *context, CUSTOM_KEYBOARD keyboard) {
  plan.is_wrong |= context != &plan.ok_calls || keyboard != plan.keyboard;
  plan.ok_calls++;
  if (plan.body) plan.body(keyboard);
}

/* A PIN pad with one key pressed. The callbacks are set after that, so they have not been called yet. */
static CUSTOM_KEYBOARD pad(size_t maximum, void (*in_field)(CUSTOM_KEYBOARD), void (*in_action)(CUSTOM_KEYBOARD)) {
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, maximum);
  CHECK_OK(CustomKeyboard_pressKey(k, 0));
  memset(&plan, 0, sizeof plan);
  plan.body = in_field ? in_field : in_action;
  plan.keyboard = k;
  if (in_field || !in_action) CHECK_OK(CustomKeyboard_setTextField(k, field_changed, &plan.field_calls));
  if (in_action || !in_field) CHECK_OK(CustomKeyboard_setOKAction(k, completed, &plan.ok_calls));
  return k;
}

/* ---- What a callback does ---------------------------------------------------------------------------------------- */

static void ask_text(CUSTOM_KEYBOARD k) {
  uint8_t text[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t length = read_back(k, text), count;
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK(length == count && memcmp(text, "1234", length) == 0);
}

static void close_it(CUSTOM_KEYBOARD k) { CHECK_OK(CustomKeyboard_close(k)); }

static void destroy_it(CUSTOM_KEYBOARD k) {
  size_t count;
  CHECK_OK(CustomKeyboard_destroy(k));
  CHECK_EQUAL(CustomKeyboard_count(k, &count), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_pressKey(k, 0), CUSTOM_KEYBOARD_ARGUMENT);
}

static void open_anew(CUSTOM_KEYBOARD k) {
  CHECK_OK(CustomKeyboard_close(k));
  CHECK_OK(CustomKeyboard_setEncKey(k, page_key, 16, CUSTOM_ENCWAY_SM4));
  CHECK_OK(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0));
  CHECK_OK(CustomKeyboard_open(k));
}

static void change_layout_and_size(CUSTOM_KEYBOARD k) {
  struct page page;
  CHECK_EQUAL(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0),
              CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_OK(CustomKeyboard_setSize(k, 30, 40, 0, 0));
  look(k, &page);
  CHECK(page.count == 12 && page.keys[11].x == 20 && page.keys[11].y == 30);
}

static void take_away(CUSTOM_KEYBOARD k) {
  CHECK_OK(CustomKeyboard_setTextField(k, NULL, NULL));
  CHECK_OK(CustomKeyboard_setOKAction(k, NULL, NULL));
}

/* Each press calls this again before it returns, so the presses nest. */
static void press_on(CUSTOM_KEYBOARD k) {
  if (++plan.depth < DEPTH) CHECK_OK(CustomKeyboard_pressKey(k, plan.depth));
}

static void *call_everything(void *keyboard) {
  CUSTOM_KEYBOARD k = *(CUSTOM_KEYBOARD *)keyboard;
  struct page page;
  uint8_t text[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t count;
  plan.body = NULL; /* this thread must not call the callback that waits for it */
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(read_back(k, text), count);
  CHECK_OK(CustomKeyboard_setSize(k, 100, 100, 1, 1));
  look(k, &page);
  CHECK_OK(CustomKeyboard_touch(k, 50, 50));
  CHECK_OK(CustomKeyboard_deleteBackward(k));
  CHECK_OK(CustomKeyboard_input(k, bytes("12"), 2));
  CHECK_OK(CustomKeyboard_clear(k));
  open_anew(k);
  return NULL;
}

/* Inside a call on the keyboard, waits for another thread's calls on the same keyboard. Removing callbacks and
 * destroying stay on this thread: on the other one, they would wait for the callback that waits for that thread. */
static void wait_for_another_thread(CUSTOM_KEYBOARD k) {
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, call_everything, &k) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  take_away(k);
  CHECK_OK(CustomKeyboard_destroy(k));
}

/* ---- What comes of it -------------------------------------------------------------------------------------------- */

/* Runs `body` in the field's callback, and in the OK action, which a fourth digit calls. */
static void use_inside(void (*body)(CUSTOM_KEYBOARD), void (*then)(CUSTOM_KEYBOARD k)) {
  for (int in_action = 0; in_action <= 1; in_action++) {
    CUSTOM_KEYBOARD k = pad(in_action ? 2 : 0, in_action ? NULL : body, in_action ? body : NULL);
    CHECK_OK(CustomKeyboard_pressKey(k, 1));
    CHECK_EQUAL(in_action ? plan.ok_calls : plan.field_calls > 0, 1);
    CHECK(!plan.is_wrong);
    plan.body = NULL;
    then(k);
    CustomKeyboard_destroy(k);
  }
}

static void is_up(CUSTOM_KEYBOARD k) {
  size_t count;
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(count, 2);
  ask_text(k);
}

static void is_closed(CUSTOM_KEYBOARD k) {
  unsigned calls = plan.field_calls + plan.ok_calls;
  CHECK_EQUAL(CustomKeyboard_pressKey(k, 0), CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_OK(CustomKeyboard_open(k));
  CHECK_OK(CustomKeyboard_pressKey(k, 0));
  CHECK_OK(CustomKeyboard_pressKey(k, 1));
  CHECK(plan.field_calls + plan.ok_calls > calls); /* they are still set */
}

static void is_dead(CUSTOM_KEYBOARD k) {
  size_t count;
  CHECK_EQUAL(CustomKeyboard_open(k), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_touch(k, 5, 5), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setTextField(k, field_changed, NULL), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setOKAction(k, completed, NULL), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_count(k, &count), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_destroy(k), CUSTOM_KEYBOARD_ARGUMENT);
}

static void is_open_anew(CUSTOM_KEYBOARD k) {
  struct page page;
  size_t count;
  look(k, &page);
  CHECK(page.count > 26 && page.keys[0].label[0] == 'q');
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(count, 0);
}

static void is_silent(CUSTOM_KEYBOARD k) {
  CHECK_OK(CustomKeyboard_deleteBackward(k));
  CHECK_OK(CustomKeyboard_pressKey(k, 5));
  CHECK_EQUAL(plan.field_calls + plan.ok_calls, 1);
}

static void check_nesting(void) {
  CUSTOM_KEYBOARD k = pad(0, press_on, NULL);
  uint8_t text[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  CHECK_OK(CustomKeyboard_pressKey(k, 8));
  CHECK_EQUAL(plan.field_calls, DEPTH);
  for (size_t i = 0; i < DEPTH; i++) CHECK_EQUAL(plan.counts[i], i + 2);
  if (CHECK_EQUAL(read_back(k, text), DEPTH + 1)) CHECK_BYTES(text, "1923456", DEPTH + 1);
  CHECK_OK(CustomKeyboard_destroy(k));
}

/* When a key completes the input, the field's callback is called first. An OK action that it removes or destroys is not
 * called any more, because its context may be gone. An OK action that it sets is called. */
static void check_field_before_action(void) {
  static void (*const bodies[])(CUSTOM_KEYBOARD) = {NULL, take_away, destroy_it};
  for (int i = 0; i < 3; i++) {
    CUSTOM_KEYBOARD k = pad(2, NULL, NULL);
    plan.body = bodies[i];
    CHECK_OK(CustomKeyboard_pressKey(k, 1));
    CHECK_EQUAL(plan.field_calls, 1);
    CHECK_EQUAL(plan.ok_calls, bodies[i] == NULL);
    CustomKeyboard_destroy(k);
  }
}

#define TELLS(field, ok, expected, call)                                    \
  do {                                                                      \
    plan.field_calls = plan.ok_calls = 0;                                   \
    CHECK_EQUAL(call, CUSTOM_KEYBOARD_##expected);                          \
    CHECK(plan.field_calls == (field) && plan.ok_calls == (ok));            \
  } while (0)

/* Every call, and which callbacks it calls. */
static void check_who_is_told(void) {
  CUSTOM_KEYBOARD k = pad(3, NULL, NULL);
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t a, b;
  memset(space, 'x', sizeof space);
  TELLS(1, 0, OK, CustomKeyboard_pressKey(k, 3));
  TELLS(1, 1, OK, CustomKeyboard_touch(k, 1, 1));
  TELLS(0, 0, OK, CustomKeyboard_touch(k, 1, 1)); /* past the maximum */
  TELLS(0, 0, OK, CustomKeyboard_pressKey(k, 9)); /* blank */
  TELLS(1, 0, OK, CustomKeyboard_pressKey(k, 11)); /* delete */
  TELLS(1, 1, OK, CustomKeyboard_pressKey(k, 11 - 1));
  TELLS(1, 0, OK, CustomKeyboard_deleteBackward(k));
  TELLS(1, 0, OK, CustomKeyboard_clear(k));
  TELLS(0, 0, OK, CustomKeyboard_clear(k));
  TELLS(0, 0, OK, CustomKeyboard_deleteBackward(k));
  TELLS(0, 0, OK, CustomKeyboard_pressKey(k, 11));
  TELLS(1, 0, OK, CustomKeyboard_input(k, bytes("123"), 3)); /* the maximum is for keys */
  TELLS(0, 0, OK, CustomKeyboard_input(k, bytes(""), 0));
  TELLS(0, 0, OK, CustomKeyboard_input(k, NULL, 0));
  TELLS(0, 0, ARGUMENT, CustomKeyboard_input(k, bytes("\xff"), 1));
  memset(space, 'a', 500);
  TELLS(0, 0, MAXLEN, CustomKeyboard_input(k, space, 500));
  memset(space, 0xff, 500);
  TELLS(0, 0, ARGUMENT, CustomKeyboard_input(k, space, 500));
  TELLS(0, 0, ARGUMENT, CustomKeyboard_pressKey(k, 12));
  TELLS(0, 0, ARGUMENT, CustomKeyboard_touch(k, -1, 1));
  TELLS(0, 0, OP_DISABLE, CustomKeyboard_open(k));
  TELLS(0, 0, OP_DISABLE, CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0));
  TELLS(0, 0, OK, CustomKeyboard_setSize(k, 320, 216, 6, 8));
  TELLS(0, 0, OK, CustomKeyboard_keys(k, keys, MOST_KEYS, &a));
  TELLS(0, 0, OK, CustomKeyboard_getText(k, space, sizeof space, &a, &b));
  TELLS(0, 0, OK, CustomKeyboard_close(k));
  TELLS(0, 0, OP_DISABLE, CustomKeyboard_pressKey(k, 0));
  TELLS(0, 0, OP_DISABLE, CustomKeyboard_input(k, bytes("1"), 1));
  TELLS(0, 0, OK, CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0));
  TELLS(0, 0, OK, CustomKeyboard_open(k));
  TELLS(0, 1, OK, CustomKeyboard_pressKey(k, 31)); /* return, with nothing typed */
  TELLS(0, 0, OK, CustomKeyboard_pressKey(k, 19)); /* shift */
  TELLS(1, 0, OK, CustomKeyboard_pressKey(k, 30)); /* space */
  TELLS(0, 0, OK, CustomKeyboard_pressKey(k, 28)); /* to the digits */
  TELLS(1, 0, OK, CustomKeyboard_pressKey(k, 0));
  CHECK(!plan.is_wrong);
  take_away(k);
  TELLS(0, 0, OK, CustomKeyboard_pressKey(k, 0));
  TELLS(0, 0, OK, CustomKeyboard_pressKey(k, 14)); /* return */
  CHECK_OK(CustomKeyboard_setTextField(k, field_changed, &plan.field_calls)); /* set again */
  TELLS(1, 0, OK, CustomKeyboard_pressKey(k, 0));
  TELLS(0, 0, OK, CustomKeyboard_destroy(k));
  /* A new keyboard in the slot of an old one must not call the old one's callbacks. */
  CUSTOM_KEYBOARD next = shown(CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 1);
  TELLS(0, 0, OK, CustomKeyboard_pressKey(next, 0));
  CHECK_OK(CustomKeyboard_destroy(next));
}

int main(void) {
  alarm(LONGEST_WAIT);
  check_who_is_told();
  check_nesting();
  check_field_before_action();
  for (int round = 0; round < ROUNDS; round++) {
    use_inside(ask_text, is_up);
    use_inside(change_layout_and_size, is_up);
    use_inside(close_it, is_closed);
    use_inside(open_anew, is_open_anew);
    use_inside(take_away, is_silent);
    use_inside(destroy_it, is_dead);
    use_inside(wait_for_another_thread, is_dead);
  }
  return check_end("callbacks", 35000);
}
