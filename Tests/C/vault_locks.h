/*
 * What a passcode's lock does while clocks run, are set, and machines start again: a table for vault_passcode.c. Each
 * passcode has three tries, and is then locked for 100 seconds. The wall clock is 5000 when the machine has run for 10.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_LOCKS_H
#define VAULT_LOCKS_H

#include <custom_keyboard.h>

enum { RIGHT = 'r', WRONG = 'w', LOOK = 'l', GOOD = -1 };

typedef struct step {
  int boot, running, wall; /* of the clocks, in seconds                                                              */
  int action;
  CUSTOM_KEYBOARD_RV rv;
  int tries, seconds, locks; /* afterwards; GOOD: for good                                                           */
} step;

#define OK_ CUSTOM_KEYBOARD_OK
#define NO CUSTOM_KEYBOARD_MISMATCH
#define SHUT CUSTOM_KEYBOARD_LOCKED

static const struct {
  const char *what;
  uint32_t maximum;
  step steps[12];
} scenarios[] = {
    {"the lock begins with the last wrong try, and ends after its time", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 10, 5000, RIGHT, SHUT, 0, 100, 1}, {1, 109, 5099, RIGHT, SHUT, 0, 1, 1}, {1, 110, 5100, LOOK, OK_, 3, 0, 1},
      {1, 110, 5100, WRONG, NO, 2, 0, 1}, {1, 110, 5100, RIGHT, OK_, 3, 0, 0}}},
    {"after a lock there are as many tries again", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 110, 5100, WRONG, NO, 2, 0, 1}, {1, 110, 5100, WRONG, NO, 1, 0, 1}, {1, 120, 5110, WRONG, NO, 0, 100, 2},
      {1, 219, 5209, WRONG, SHUT, 0, 1, 2}, {1, 220, 5210, RIGHT, OK_, 3, 0, 0}}},
    {"the second lock is for good", 2,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 110, 5100, WRONG, NO, 2, 0, 1}, {1, 110, 5100, WRONG, NO, 1, 0, 1}, {1, 110, 5100, WRONG, NO, 0, GOOD, 2},
      {1, 110, 5100, RIGHT, SHUT, 0, GOOD, 2}, {1, 900000, 900000, RIGHT, SHUT, 0, GOOD, 2},
      {2, 5, 900000, LOOK, SHUT, 0, GOOD, 2}}},
    {"the first lock is for good", 1,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, GOOD, 1},
      {1, 900000, 900000, RIGHT, SHUT, 0, GOOD, 1}}},
    {"a right try forgets the wrong ones", 1,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, RIGHT, OK_, 3, 0, 0},
      {1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, GOOD, 1}}},
    {"the wall clock set forward ends nothing while the machine runs", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 20, 900000, RIGHT, SHUT, 0, 90, 1}, {1, 110, 900090, RIGHT, OK_, 3, 0, 0}}},
    {"the wall clock set back prolongs nothing while the machine runs", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 20, 7, RIGHT, SHUT, 0, 90, 1}, {1, 110, 7, RIGHT, OK_, 3, 0, 0}}},
    {"another start: the wall clock counts, and from then on this start's", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {2, 3, 5040, LOOK, SHUT, 0, 60, 1}, {2, 33, 900000, RIGHT, SHUT, 0, 30, 1}, {2, 62, 1, RIGHT, SHUT, 0, 1, 1},
      {2, 63, 1, RIGHT, OK_, 3, 0, 0}}},
    {"another start that a try sees first", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {2, 3, 5040, WRONG, SHUT, 0, 60, 1}, {2, 33, 900000, RIGHT, SHUT, 0, 30, 1}, {2, 63, 1, RIGHT, OK_, 3, 0, 0}}},
    {"off long enough", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {2, 1, 5100, RIGHT, OK_, 3, 0, 0}}},
    {"off, and the clock set forward: it may end", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {2, 1, 900000, LOOK, OK_, 3, 0, 1}}},
    {"off, and the clock set back: it begins anew", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 90, 5080, RIGHT, SHUT, 0, 20, 1}, {2, 3, 4999, LOOK, SHUT, 0, 100, 1}, {2, 102, 5098, RIGHT, SHUT, 0, 1, 1},
      {2, 103, 5099, RIGHT, OK_, 3, 0, 0}}},
    {"started again and again, the clock always the same", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 10, 5000, WRONG, NO, 0, 100, 1},
      {2, 10, 5000, RIGHT, SHUT, 0, 100, 1}, {3, 10, 5000, RIGHT, SHUT, 0, 100, 1},
      {4, 10, 4000, RIGHT, SHUT, 0, 100, 1}, {5, 10, 4000, RIGHT, SHUT, 0, 100, 1},
      {5, 110, 4000, RIGHT, OK_, 3, 0, 0}}},
    {"back in an earlier start: a snapshot", 0,
     {{1, 10, 5000, WRONG, NO, 2, 0, 0}, {1, 10, 5000, WRONG, NO, 1, 0, 0}, {1, 50, 5000, WRONG, NO, 0, 100, 1},
      {1, 20, 5000, RIGHT, SHUT, 0, 100, 1}, {1, 119, 5000, RIGHT, SHUT, 0, 1, 1},
      {1, 120, 5000, RIGHT, OK_, 3, 0, 0}}},
    {"no number of the start: the wall clock counts", 0,
     {{0, 10, 5000, WRONG, NO, 2, 0, 0}, {0, 10, 5000, WRONG, NO, 1, 0, 0}, {0, 10, 5000, WRONG, NO, 0, 100, 1},
      {0, 900000, 5050, RIGHT, SHUT, 0, 50, 1}, {0, 900000, 5099, LOOK, SHUT, 0, 1, 1},
      {0, 900000, 5098, LOOK, SHUT, 0, 100, 1}, {0, 10, 5198, RIGHT, OK_, 3, 0, 0}}},
    {"a number of the start that becomes readable", 0,
     {{0, 10, 5000, WRONG, NO, 2, 0, 0}, {0, 10, 5000, WRONG, NO, 1, 0, 0}, {0, 10, 5000, WRONG, NO, 0, 100, 1},
      {1, 500, 5050, RIGHT, SHUT, 0, 50, 1}, {1, 549, 9, LOOK, SHUT, 0, 1, 1}, {1, 550, 9, RIGHT, OK_, 3, 0, 0}}},
};

#endif
