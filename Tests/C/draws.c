/*
 * The numbers that a shuffle is drawn from. They reveal the order of the keys, so none of them may be left on the stack
 * when the call returns: after open, and after a touch that shuffles. The test computes the numbers from the keys that
 * are then shown. First the search must find numbers that a function of this program leaves there.
 *
 * The stack may hold the numbers during the call: this program does not check that. A library that wipes the whole
 * stack that a call used passes, even if it does not wipe the drawn numbers themselves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page.h"

enum { OPENINGS = 2000, LETTERS = 26, RUN = 12, DEPTH = 16384 };

static uint8_t stack[DEPTH];

/* Copies the stack below the caller's frame. The loop keeps its variables in registers. */
__attribute__((noinline)) static void copy_stack(void) {
  const volatile uint8_t *top = (const volatile uint8_t *)__builtin_frame_address(0);
  for (size_t i = 0; i < DEPTH; i++) stack[DEPTH - 1 - i] = *(top - 1 - i);
}

/* Fills the stack below the caller's frame, so that nothing from earlier calls is left there. */
__attribute__((noinline)) static void paint_stack(void) {
  volatile uint8_t frame[DEPTH];
  for (size_t i = 0; i < DEPTH; i++) frame[i] = 0xee;
  (void)frame[0];
}

/* Whether RUN consecutive draws are in the copy. */
static int is_found(const uint8_t *draws) {
  for (size_t at = 0; at + RUN <= DEPTH; at++)
    for (size_t i = 0; i + RUN <= LETTERS; i++)
      if (stack[at] == draws[i] && memcmp(stack + at, draws + i, RUN) == 0) return 1;
  return 0;
}

/* Computes the draws that Durstenfeld's shuffle must have made for the letters that are shown. */
static void work_out(CUSTOM_KEYBOARD keyboard, uint8_t *draws) {
  static const char source[] = "qwertyuiopasdfghjklzxcvbnm";
  char order[LETTERS], letters[LETTERS];
  struct page page;
  size_t count = 0;
  look(keyboard, &page);
  for (size_t i = 0; i < page.count; i++)
    if (page.keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER) {
      REQUIRE(count < LETTERS);
      letters[count++] = page.keys[i].label[0];
    }
  REQUIRE(count == LETTERS);
  memcpy(order, source, LETTERS);
  for (int place = LETTERS - 1; place >= 0; place--) {
    int other = 0;
    while (order[other] != letters[place]) other++;
    REQUIRE(other <= place);
    draws[place] = (uint8_t)other;
    order[other] = order[place];
    order[place] = letters[place];
  }
}

/* Leaves draws where a library that forgets to wipe them would leave them. */
__attribute__((noinline)) static void plant(const uint8_t *draws) {
  volatile uint8_t frame[1000];
  for (size_t i = 0; i < sizeof frame; i++) frame[i] = i < LETTERS ? draws[i] : 0; /* all, or clang's is shorter */
  (void)frame[0];
}

int main(void) {
  uint8_t draws[LETTERS];
  int after_open = 0, after_touch = 0, planted = 0;
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
  for (int i = 0; i < OPENINGS; i++) {
    CHECK_OK(CustomKeyboard_close(k));
    paint_stack();
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_open(k);
    copy_stack();
    CHECK_OK(rv);
    work_out(k, draws);
    after_open += is_found(draws);

    paint_stack();
    rv = CustomKeyboard_touch(k, 5, 5);
    copy_stack();
    CHECK_OK(rv);
    work_out(k, draws);
    after_touch += is_found(draws);

    paint_stack();
    plant(draws);
    copy_stack();
    planted += is_found(draws);
  }
  printf("draws on the stack: %d times after open, %d after touch, %d of %d that were planted\n", after_open,
         after_touch, planted, OPENINGS);
  CHECK_EQUAL(after_open, 0);
  CHECK_EQUAL(after_touch, 0);
  CHECK_EQUAL(planted, OPENINGS);
  CHECK_OK(CustomKeyboard_destroy(k));
  return check_end("draws", 3 * OPENINGS);
}
