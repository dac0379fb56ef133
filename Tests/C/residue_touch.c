/*
 * What touching keys leaves behind in memory. A password is entered by touch, key by key, over several pages and in
 * both cases. Meanwhile, and after getText and close, all writable memory is searched for the password and for the
 * sequence of touched keys. Each is searched for as consecutive bytes, and with the strides at which arrays hold
 * characters: integers of 2, 4 and 8 bytes, labels of 16, and whole keys. It also searches for what the calls draw: the
 * generator's key, its batch and the order of the keys, which may only be in locked memory. Controls plant all of these
 * in each form and must be found.
 *
 * Each password has its own process, so that the library's calls are first calls. Between a call and a search the
 * program calls libc functions for the first time (disturb.h).
 *
 *     residue_touch name    the name to print
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "page.h"
#include "scan.h"
#include "disturb.h"
#include "foretell.h"
#include <sys/wait.h>

enum { LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE, CHILDREN = 18 };

static const size_t lengths[] = {12, 20, LONGEST};
static const size_t strides[] = {1, 2, 4, 8, 16, sizeof(CUSTOM_KEYBOARD_KEY)};
enum { LENGTH_COUNT = sizeof lengths / sizeof *lengths, STRIDES = sizeof strides / sizeof *strides };

/* The password, and the indices of the keys that were touched for it: one array XOR the other, byte by byte. */
static volatile uint8_t masked[LONGEST], trail[LONGEST], mask[LONGEST];
static size_t length;
static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];

__attribute__((noinline)) static void draw_secret(uint64_t seed) {
  for (size_t i = 0; i < length; i++) {
    mask[i] = (uint8_t)draw(&seed);
    masked[i] = (uint8_t)('!' + draw(&seed) % 94) ^ mask[i];
  }
}

__attribute__((noinline)) static void add_secret(const char *kind, const volatile uint8_t *secret) {
  for (size_t start = 0; start + WINDOW <= length; start++) {
    uint64_t window = 0;
    for (size_t i = WINDOW; i > 0; i--) window = window << 8 | (uint64_t)(secret[start + i - 1] ^ mask[start + i - 1]);
    add_needle(kind, window);
  }
}

/* ---- The search -------------------------------------------------------------------------------------------------- */

/* How often a needle occurs in a range, with `stride` bytes from one of its bytes to the next. */
static size_t scan_strided(uintptr_t start, uintptr_t end, size_t stride) {
  size_t hits = 0;
  for (uintptr_t at = start; at + (WINDOW - 1) * stride < end; at++) {
    const volatile uint8_t *byte = (const volatile uint8_t *)at;
    if (byte[0] == 0 && byte[stride] == 0) continue; /* most memory is zero, and no two characters are NUL */
    uint64_t window = 0;
    for (size_t i = WINDOW; i > 0; i--) window = window << 8 | byte[(i - 1) * stride];
    if (find_needle(window * needles.factor) >= 0) hits++;
  }
  return hits;
}

/* All strides except 1, which `scan` searches, over all memory that can be read and written. */
static size_t scan_strides(const char *when, int quiet) {
  static char line[512];
  size_t hits = 0;
  unsigned long start, end;
  FILE *file = fopen("/proc/self/maps", "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx rw", &start, &end) != 2 || !strstr(line, " rw")) continue;
    for (int i = 1; i < STRIDES; i++) {
      size_t found = scan_strided(start, end, strides[i]);
      if (found && !quiet) fprintf(stderr, "  %s: %zu at stride %zu in %s", when, found, strides[i], line);
      hits += found;
    }
  }
  fclose(file);
  return hits;
}

static void search(const char *when) {
  disturb();
  CHECK_EQUAL(scan(when, 0), 0);
  CHECK_EQUAL(scan_strides(when, 0), 0);
}

/* ---- Tapping ----------------------------------------------------------------------------------------------------- */

static int is_searched; /* whether a search follows the tap */

/* Switches to the character and its case and touches it; the page is wiped, as a careful UI would do. This is a
 * function of its own, so that no frame ever holds two characters. */
__attribute__((noinline)) static void tap(CUSTOM_KEYBOARD k, size_t i, int by_index, int shuffles, int layout) {
  static struct page page;
  char c = (char)(masked[i] ^ mask[i]);
  size_t index = turn_to(k, &page, c), shift = find_role(&page, CUSTOM_KEYBOARD_ROLE_SHIFT);
  for (int presses = 0; presses < 2 && page.keys[index].label[0] != c; presses++) press(k, &page, shift);
  REQUIRE(index != NO_KEY && page.keys[index].label[0] == c);
  trail[i] = (uint8_t)index ^ mask[i];
  if (is_searched && shuffles) foretell(DRAWS_PRESS, layout); /* otherwise nothing is drawn */
  if (by_index)
    CHECK_OK(CustomKeyboard_pressKey(k, index));
  else
    CHECK_OK(CustomKeyboard_touch(k, page.keys[index].x + 1, page.keys[index].y + 1));
  wipe(&page, sizeof page);
}

/* Opens a keyboard, after computing what it will draw. */
static CUSTOM_KEYBOARD open_and_search(CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle) {
  CUSTOM_KEYBOARD k;
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, page_key, 16, CUSTOM_ENCWAY_SM4));
  REQUIRE_OK(CustomKeyboard_setLayout(k, layout, shuffle, 0));
  foretell(DRAWS_OPENING, layout);
  is_order_kept = 1;
  CHECK_OK(CustomKeyboard_open(k));
  keys_in_locked = orders_in_locked = 0;
  search("open");
  CHECK(keys_in_locked > 0);
  CHECK(orders_in_locked > 0);
  return k;
}

static void tap_and_search(CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle) {
  CUSTOM_KEYBOARD k = open_and_search(layout, shuffle);
  size_t offset, text_length;
  for (size_t i = 0; i < length; i++) {
    is_searched = i == length / 2 || i == length - 1;
    tap(k, i, i % 2 != 0, shuffle == CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, layout);
    if (i == length / 2) search("half tapped");
  }
  add_secret("trail", trail);
  wipe_stack();
  search("tapped");
  foretell(DRAWS_PLACE, layout);
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &text_length));
  search("getText");
  CHECK_OK(CustomKeyboard_setSize(k, 500, 300, 1, 1));
  CHECK_OK(CustomKeyboard_deleteBackward(k));
  search("deleteBackward");
  is_order_kept = 0;
  CHECK_OK(CustomKeyboard_close(k));
  search("close");
  CHECK_OK(CustomKeyboard_destroy(k));
  search("destroy");
}

/* The password and its sequence of keys, planted in the heap at every stride, are found; after wiping, they are
 * gone. */
static void run_controls(void) {
  volatile uint8_t *heap = calloc(LONGEST, sizeof(CUSTOM_KEYBOARD_KEY));
  REQUIRE(heap);
  for (int s = 0; s < STRIDES; s++)
    for (int secret = 0; secret <= 1; secret++) {
      for (size_t i = 0; i < length; i++) heap[5 + i * strides[s]] = (secret ? trail[i] : masked[i]) ^ mask[i];
      size_t hits = s == 0 ? scan("control", 1) : scan_strides("control", 1);
      CHECK(hits > 0);
      wipe(heap, LONGEST * sizeof(CUSTOM_KEYBOARD_KEY));
    }
  free((void *)heap);
  search("after the controls");
}

/* One password, on one layout, shuffled in one of the ways. */
static int run_child(int number, uint64_t seed) {
  static const CUSTOM_KEYBOARD_LAYOUT layouts[] = {CUSTOM_KEYBOARD_LAYOUT_LETTERS, CUSTOM_KEYBOARD_LAYOUT_MIXED,
                                                   CUSTOM_KEYBOARD_LAYOUT_SYMBOLS};
  length = lengths[number % LENGTH_COUNT];
  needles.factor = seed | 1;
  draw_secret(seed);
  add_secret("password", masked);
  wipe_stack();
  search("before");
  tap_and_search(layouts[number / LENGTH_COUNT % 3], number < CHILDREN / 2 ? CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING
                                                                          : CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY);
  run_controls();
  REQUIRE(write(STDOUT_FILENO, &check_count, sizeof check_count) == (ssize_t)sizeof check_count);
  return atomic_load(&check_failures) > 0;
}

static void run_process(int number, uint64_t seed) {
  int out[2], status;
  char words[2][32];
  unsigned long checks = 0;
  snprintf(words[0], sizeof words[0], "%d", number);
  snprintf(words[1], sizeof words[1], "%llu", (unsigned long long)seed);
  REQUIRE(pipe(out) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    execl("/proc/self/exe", "residue_touch", words[0], words[1], (char *)NULL);
    _exit(127);
  }
  close(out[1]);
  CHECK(read(out[0], &checks, sizeof checks) == (ssize_t)sizeof checks);
  close(out[0]);
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
  CHECK(checks >= 25);
  atomic_fetch_add(&check_count, checks);
}

int main(int count, char **arguments) {
  if (count == 3) return run_child(atoi(arguments[1]), strtoull(arguments[2], NULL, 10));
  REQUIRE(count == 2);
  uint64_t seed = take_seed();
  for (int i = 0; i < CHILDREN; i++) run_process(i, draw(&seed));
  return check_end(arguments[1], 2500);
}
