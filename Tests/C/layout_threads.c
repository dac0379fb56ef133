/*
 * Keys, touches and sizes from many threads: sixteen threads on one keyboard that other threads close, open and
 * destroy, and on a thousand keyboards. Every call returns a code that the contract allows, every page is complete and
 * consistent, and every ciphertext is one that the keys can have typed. Then a hundred thousand keyboards are open at
 * once, each with keys to show and each using little memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "page.h"
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 16, KEYBOARDS = 1000, ROUNDS = 15000 / LESS, MANY = 100000 / LESS, SAMPLE = 20000 / LESS };
enum { LEAST_KEYS = THREADS * ROUNDS / 20 }; /* typed and reported at least, however threads are scheduled */

static _Atomic CUSTOM_KEYBOARD keyboards[KEYBOARDS];
static int keyboard_count;
static atomic_ulong typed_by_keys, told_of_keys;

static void allow(CUSTOM_KEYBOARD_RV rv, const char *codes) {
  if (!CHECK(strchr(codes, '0' + (int)rv) != NULL)) fprintf(stderr, "  code %d is not one of %s\n", (int)rv, codes);
}

static void field_changed(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)keyboard;
  CHECK(context == &told_of_keys && count <= CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE);
  atomic_fetch_add(&told_of_keys, 1);
}

static CUSTOM_KEYBOARD pad(void) {
  CUSTOM_KEYBOARD k = shown(CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
  CHECK_OK(CustomKeyboard_setTextField(k, field_changed, &told_of_keys));
  return k;
}

static int near(double a, double b) { return a - b < 1e-6 && b - a < 1e-6; }

/* A PIN pad's page: each digit once, and all frames from one size of view, never from two. */
static void check_whole(const struct page *page) {
  int digits = 0;
  CHECK_EQUAL(page->count, 12);
  for (size_t i = 0; i < page->count; i++)
    if (page->keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER) digits |= 1 << (page->keys[i].label[0] - '0');
  CHECK_EQUAL(digits, 1023);
  const CUSTOM_KEYBOARD_KEY *last = &page->keys[11];
  double side = last->x + last->width; /* every size here is square and without gaps */
  CHECK(near(side, last->y + last->height));
  for (size_t i = 0; i < page->count; i++)
    CHECK(near(page->keys[i].width, side / 3) && near(page->keys[i].height, side / 4));
}

static void check_text(CUSTOM_KEYBOARD k) {
  uint8_t space[200], clear[200];
  size_t offset, length, clear_offset, clear_length;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(k, space, sizeof space, &offset, &length);
  allow(rv, "025");
  if (rv != CUSTOM_KEYBOARD_OK) return;
  CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, page_key, 16, space + offset, length, clear, sizeof clear,
                                  &clear_offset, &clear_length));
  size_t digits = 0;
  while (digits < clear_length && clear[clear_offset + digits] >= '0' && clear[clear_offset + digits] <= '9') digits++;
  CHECK_EQUAL(digits, clear_length);
}

/* Closes, opens or replaces a keyboard: seldom if there are many keyboards, more often if there is one. */
static void disturb(int place, CUSTOM_KEYBOARD k, uint64_t *seed) {
  switch (draw(seed) % 4) {
    case 0: allow(CustomKeyboard_close(k), "025"); break;
    case 1:
    case 2: allow(CustomKeyboard_open(k), "025"); break;
    default:
      if (CustomKeyboard_destroy(k) == CUSTOM_KEYBOARD_OK) atomic_store(&keyboards[place], pad());
  }
}

static int is_enough(void) {
  return atomic_load(&typed_by_keys) >= LEAST_KEYS && atomic_load(&told_of_keys) >= LEAST_KEYS;
}

/* Runs this many rounds, and more until enough has happened: a keyboard may stay closed for long if few threads run. */
static void *use_keys(void *number) {
  uint64_t seed = first_seed + (uint64_t)(uintptr_t)number;
  struct page page;
  for (int round = 0; round < ROUNDS || !is_enough(); round++) {
    int place = (int)(draw(&seed) % (uint64_t)keyboard_count);
    CUSTOM_KEYBOARD k = atomic_load(&keyboards[place]);
    double side = 20 + (double)(draw(&seed) % 500);
    CUSTOM_KEYBOARD_RV rv;
    switch (draw(&seed) % 8) {
      case 0: allow(CustomKeyboard_setSize(k, side, side, 0, 0), "05"); break;
      case 1:
      case 2:
        rv = CustomKeyboard_keys(k, page.keys, MOST_KEYS, &page.count);
        allow(rv, "025");
        if (rv == CUSTOM_KEYBOARD_OK && page.keys[1].x - page.keys[0].width < 1e-6) check_whole(&page); /* no gaps */
        break;
      case 3:
      case 4:
        rv = CustomKeyboard_pressKey(k, draw(&seed) % 12);
        allow(rv, "0235");
        atomic_fetch_add(&typed_by_keys, rv == CUSTOM_KEYBOARD_OK);
        break;
      case 5: allow(CustomKeyboard_touch(k, (double)(draw(&seed) % 20), (double)(draw(&seed) % 20)), "0235"); break;
      case 6:
        if (draw(&seed) % 20 == 0) disturb(place, k, &seed);
        break;
      default: check_text(k);
    }
  }
  return NULL;
}

static void use_from_all_threads(int count) {
  pthread_t threads[THREADS];
  keyboard_count = count;
  atomic_store(&typed_by_keys, 0);
  atomic_store(&told_of_keys, 0);
  for (int i = 0; i < count; i++) atomic_store(&keyboards[i], pad());
  for (uintptr_t i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&threads[i], NULL, use_keys, (void *)(i + 1 + (uintptr_t)count)) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; i++) CHECK_OK(CustomKeyboard_destroy(atomic_load(&keyboards[i])));
  CHECK(is_enough());
}

/* ---- A hundred thousand ------------------------------------------------------------------------------------------ */

static size_t resident_bytes(void) {
  unsigned long all, resident;
  FILE *file = fopen("/proc/self/statm", "r");
  REQUIRE(file && fscanf(file, "%lu %lu", &all, &resident) == 2);
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Each has its layout and one pressed key, so that all its memory is in use. */
static void open_many(void) {
  static CUSTOM_KEYBOARD many[MANY];
  uint64_t seed = first_seed;
  struct page page;
  uint8_t text[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  memset(many, 1, sizeof many);
  size_t before = resident_bytes();
  for (int i = 0; i < MANY; i++) {
    many[i] = shown((CUSTOM_KEYBOARD_LAYOUT)(i % LAYOUTS), CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0);
    REQUIRE_OK(CustomKeyboard_setSize(many[i], 100 + i % 1000, 100, 1, 1));
    REQUIRE_OK(CustomKeyboard_setTextField(many[i], field_changed, &told_of_keys));
    look(many[i], &page);
    REQUIRE_OK(CustomKeyboard_pressKey(many[i], find_role(&page, CUSTOM_KEYBOARD_ROLE_CHARACTER)));
  }
  size_t each = (resident_bytes() - before) / MANY;
  if (!CHECK(LESS > 1 || each <= 2600)) fprintf(stderr, "  %zu bytes for each keyboard\n", each);
  for (int i = 0; i < SAMPLE; i++) {
    int number = (int)(draw(&seed) % MANY);
    look(many[number], &page);
    size_t first = find_role(&page, CUSTOM_KEYBOARD_ROLE_CHARACTER);
    REQUIRE(page.count >= 12 && first != NO_KEY);
    const CUSTOM_KEYBOARD_KEY *last = &page.keys[page.count - 1];
    CHECK(near(last->x + last->width, 100 + number % 1000));
    CHECK(read_back(many[number], text) == 1 && text[0] == (uint8_t)page.keys[first].label[0]);
  }
  for (int i = 0; i < MANY; i++) CHECK_OK(CustomKeyboard_destroy(many[i]));
}

int main(void) {
  alarm(LONGEST_WAIT);
  take_seed();
  use_from_all_threads(1);
  use_from_all_threads(KEYBOARDS);
  open_many();
  return check_end("layout_threads", 1500000);
}
