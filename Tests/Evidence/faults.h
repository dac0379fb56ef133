/*
 * One call of the library under a fault: what it must return, what must not change, and that it works afterwards.
 * `STEP(expected, call)` makes the call, and makes it again if a fault was dealt to it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "page.h"
#include "interposer.h"
#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>

enum { JOBS = 70, LARGE = (1 << 20) + 64 };

static struct fault_plan *plan; /* the interposed library's plan, or NULL */

/* The paper's password under its three keys (README.md), and the keys. */
static const struct row {
  CUSTOM_ENCWAY way;
  const char *key, *text;
  size_t text_length;
} rows[] = {
    {CUSTOM_ENCWAY_DES, "89076543", "ef145f1aed986f0be696b7d7d09dcd79", 16},
    {CUSTOM_ENCWAY_3DES, "890765432980765423451673", "5e6a10496ab1955b0d7e1d774a0c6818", 16},
    {CUSTOM_ENCWAY_SM4, "8907654329807654", "0f413569eb66b50be0c1db9c518fb909", 16},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char secret[] = "kgcx879@";

/* Everything that the library writes to. */
static struct answers {
  CUSTOM_KEYBOARD k;
  size_t offset, length, count, key_count;
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  CUSTOM_KEYBOARD_JOB jobs[JOBS];
  CUSTOM_KEYBOARD_CIPHER cipher;
  uint8_t clear[JOBS][32], space[1024];
} out, before;
static uint8_t large[LARGE];

/* The state of a keyboard that is visible from outside. */
struct view {
  int count_code, keys_code;
  size_t count, key_count;
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
};
static struct view view_before;

static struct notes {
  unsigned field_calls, ok_calls;
  size_t last_count;
} notes, notes_before;

/* The result of a run, in memory shared with the parent, because the process may die. */
struct run {
  unsigned long calls, dealt, failed, kind_calls[FAULT_KINDS], checks;
  int finished, filling_sum;
};
static struct run *run;

/* The scenario's own state: whose row's key the keyboard has, whether it is open, and whether the password is typed. */
static struct {
  int key_row, is_up, is_typed;
} known = {-1, 0, 0};

static int is_limited; /* the fault is the system's own: RLIMIT_AS */
static unsigned long failed_before;

static const int fault_codes[FAULT_KINDS] = {
    [FAULT_MMAP] = CUSTOM_KEYBOARD_MEMORY,
    [FAULT_MPROTECT] = CUSTOM_KEYBOARD_MEMORY,
    [FAULT_GETRANDOM] = CUSTOM_KEYBOARD_RANDOM,
}; /* the others are optional: the call works without them */

static void disarm(void) { if (plan) atomic_store(&plan->armed, 0); }
static void arm(void) { if (plan) atomic_store(&plan->armed, 1); }

static void take_view(struct view *view) {
  memset(view, 0, sizeof *view);
  view->count_code = (int)CustomKeyboard_count(out.k, &view->count);
  view->keys_code = (int)CustomKeyboard_keys(out.k, view->keys, MOST_KEYS, &view->key_count);
}

static void check_exact_text(int row) {
  uint8_t text[16], expected[16];
  size_t offset, length;
  from_hex(rows[row].text, expected, sizeof expected);
  if (CHECK_OK(CustomKeyboard_getText(out.k, text, sizeof text, &offset, &length)) && CHECK_EQUAL(length, 16))
    CHECK_BYTES(text, expected, 16);
}

/* Checks that the keyboard still has its key and what was typed. */
static void check_nothing_lost(void) {
  if (known.key_row < 0) return;
  if (known.is_up) {
    if (known.is_typed) check_exact_text(known.key_row);
    return;
  }
  CHECK_OK(CustomKeyboard_open(out.k));
  CHECK_OK(CustomKeyboard_input(out.k, bytes(secret), strlen(secret)));
  check_exact_text(known.key_row);
  CHECK_OK(CustomKeyboard_close(out.k));
}

static void begin_step(void) {
  take_view(&view_before);
  memcpy(&before, &out, sizeof out);
  notes_before = notes;
  failed_before = plan ? atomic_load(&plan->failed) : 0;
  arm();
}

static void lift_limit(void) {
  struct rlimit limit;
  REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  is_limited = 0;
}

/* Checks the result of a step; returns whether to make the call again. */
static int is_to_repeat(const char *call, int line, int rv, int expected) {
  disarm();
  unsigned long dealt = plan ? atomic_load(&plan->failed) - failed_before : 0;
  int code = plan && plan->kind != FAULT_NONE && plan->error != EINTR ? fault_codes[plan->kind] : CUSTOM_KEYBOARD_OK;
  if (is_limited && rv == CUSTOM_KEYBOARD_MEMORY) dealt = 1, code = CUSTOM_KEYBOARD_MEMORY;
  unsigned long failures = atomic_load(&check_failures);
  run->calls++;
  run->dealt += dealt;
  /* `create` draws only the first generation of handles, and works without it. */
  int is_spared = plan && plan->kind == FAULT_GETRANDOM && strncmp(call, "CustomKeyboard_create", 21) == 0;
  int fatal = dealt > 0 && code != CUSTOM_KEYBOARD_OK && !is_spared;
  CHECK_EQUAL(rv, fatal ? code : expected);
  if (fatal) {
    CHECK_BYTES(&out, &before, sizeof out);
    struct view view;
    take_view(&view);
    CHECK_BYTES(&view, &view_before, sizeof view);
    CHECK_BYTES(&notes, &notes_before, sizeof notes);
    if (plan) plan->kind = FAULT_NONE;
    if (is_limited) lift_limit();
    check_nothing_lost();
  }
  if (atomic_load(&check_failures) > failures) fprintf(stderr, "  in line %d, %s\n", line, call);
  return fatal;
}

#define STEP(expected, call)                                                         \
  do {                                                                               \
    int answer;                                                                      \
    do {                                                                             \
      begin_step();                                                                  \
      answer = (int)(call);                                                          \
    } while (is_to_repeat(#call, __LINE__, answer, CUSTOM_KEYBOARD_##expected));     \
  } while (0)

#endif /* FAULTS_H */
