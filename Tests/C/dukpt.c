/*
 * DUKPT: which code each mistake gets and which comes first, keys that serve one text, devices that are damaged or used
 * up. A call that fails changes nothing. Threads that share a device get each key once, and wait for no other device.
 * That the keys are right is seen by pin_peers.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "pin.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t base_key[33] = "the base key that a host has, 32";
static const uint8_t identifier[12] = {0xff, 0xff, 0x98, 0x76, 0x54, 0x32, 0x10, 0xe0};

static size_t ksn_length(CUSTOM_DUKPT scheme) { return scheme == CUSTOM_DUKPT_TDES ? 10 : 12; }
static size_t working_length(int scheme) {
  return scheme == CUSTOM_DUKPT_AES256                                      ? 32
         : scheme == CUSTOM_DUKPT_AES192 || scheme == CUSTOM_DUKPT_AES_3TDEA ? 24
                                                                            : 16;
}
static CUSTOM_ENCWAY way_of(int scheme) {
  return scheme >= CUSTOM_DUKPT_AES128 && scheme <= CUSTOM_DUKPT_AES256 ? PIN4 : PIN0;
}
static int takes_key(int scheme, size_t n) {
  if (scheme == CUSTOM_DUKPT_TDES) return n == 16;
  size_t least = scheme == CUSTOM_DUKPT_AES192 ? 24 : scheme == CUSTOM_DUKPT_AES256 ? 32 : 16;
  return (n == 16 || n == 24 || n == 32) && n >= least;
}

static void derive_in_order(void) {
  uint8_t ksn[13], output[40];
  memcpy(ksn, identifier, 12);
  for (int scheme = -1; scheme <= 6; scheme++) {
    CUSTOM_DUKPT s = (CUSTOM_DUKPT)scheme;
    int exists = scheme >= 0 && scheme <= 5;
    for (size_t n = 0; n <= 33; n++)
      for (size_t k = 9; k <= 13; k++) {
        CUSTOM_KEYBOARD_RV expected = !exists ? ARGUMENT : !takes_key(scheme, n) || k != ksn_length(s) ? ERR : SPACE;
        length = 0;
        CHECK_EQUAL(CustomKeyboard_dukptInitialKey(s, base_key, n, ksn, k, output, n - (n > 0), &length), expected);
        CHECK_EQUAL(length, expected == SPACE ? n : 0);
        /* The counter is 0. */
        CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, ksn, k, output, 1, &length), exists ? ERR : ARGUMENT);
      }
    if (!exists) continue;
    size_t n = scheme == CUSTOM_DUKPT_TDES ? 16 : 32, k = ksn_length(s);
    /* Counters: 0, the most bits, one more. */
    int bits = scheme == CUSTOM_DUKPT_TDES ? 21 : 32, most = scheme == CUSTOM_DUKPT_TDES ? 10 : 16;
    for (int set = 0; set <= bits; set++) {
      uint8_t number[12];
      memcpy(number, identifier, 12);
      for (int bit = 0; bit < set; bit++) number[k - 1 - (size_t)(bit / 8)] |= (uint8_t)(1 << bit % 8);
      CUSTOM_KEYBOARD_RV expected = set == 0 || set > most ? ERR : OK;
      CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, number, k, output, 40, &length), expected);
      if (expected == OK) CHECK_EQUAL(length, working_length(scheme));
      CHECK_OK(CustomKeyboard_dukptInitialKey(s, base_key, n, number, k, output, 40, &length));
      CHECK_EQUAL(length, n);
      CUSTOM_DUKPT_DEVICE device;
      CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, base_key, n, number, k), set == 0 ? OK : ERR);
    }
    ksn[k - 1] = 1;
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, ksn, k, output, working_length(scheme) - 1, &length), SPACE);
    CHECK_EQUAL(length, working_length(scheme));
    /* ARGUMENT: NULL with a length, memory that ends, overlaps. */
    uint8_t both[64];
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, NULL, n, ksn, k, output, 40, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, NULL, k, output, 40, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, ksn, k, NULL, 40, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, ksn, k, output, 40, NULL), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, last_bytes(), n, ksn, k, output, 40, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, both, n, ksn, k, both + n - 1, 40, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, both, k, both + k - 1, 40, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptKey(s, base_key, n, ksn, k, both, 40, (size_t *)(void *)both), ARGUMENT);
    memcpy(both, base_key, n);
    CHECK_OK(CustomKeyboard_dukptKey(s, both, n, ksn, k, both + n, working_length(scheme), &length));
    CUSTOM_DUKPT_DEVICE device;
    CHECK_EQUAL(CustomKeyboard_dukptLoad(NULL, s, base_key, n, identifier, k), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, NULL, n, identifier, k), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, base_key, n, NULL, k), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, (uint8_t *)&device + 1100, n, identifier, k), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, base_key, n, (uint8_t *)&device, k), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, base_key, n - 1, identifier, k), ERR);
    CHECK_EQUAL(CustomKeyboard_dukptLoad(&device, s, base_key, n, identifier, k - 1), ERR);
    ksn[k - 1] = 0;
  }
}

static void load(CUSTOM_DUKPT_DEVICE *device, CUSTOM_DUKPT scheme) {
  size_t n = scheme == CUSTOM_DUKPT_TDES ? 16 : 32;
  REQUIRE_OK(CustomKeyboard_dukptLoad(device, scheme, base_key, n, identifier, ksn_length(scheme)));
}

static CUSTOM_KEYBOARD_RV next(CUSTOM_DUKPT_DEVICE *device, CUSTOM_KEYBOARD k, CUSTOM_ENCWAY way) {
  static uint8_t ksn[12];
  return CustomKeyboard_dukptNext(device, k, way, ksn, sizeof ksn, &length);
}

/* Whether the keyboard has a key: a sealed text would be made with it. */
static int has_key(CUSTOM_KEYBOARD k, CUSTOM_ENCWAY way) {
  type(k, card_of(way), "1234");
  CUSTOM_KEYBOARD_RV rv = get_text(k, 0);
  REQUIRE_OK(CustomKeyboard_close(k));
  REQUIRE(rv == SPACE || rv == ERR);
  return rv == SPACE;
}

static void take_the_next_key(void) {
  for (int scheme = 0; scheme <= 5; scheme++) {
    CUSTOM_DUKPT s = (CUSTOM_DUKPT)scheme;
    CUSTOM_DUKPT_DEVICE device, before, blank = {{0}};
    CUSTOM_KEYBOARD k;
    uint8_t ksn[16];
    REQUIRE_OK(CustomKeyboard_create(&k));
    load(&device, s);
    before = device;
    /* Which ways go with which working key, before the state. */
    for (int way = -1; way <= 13; way++) {
      int is_pin = way >= PIN0 && way <= PIN4, fits = is_pin && (way == PIN4) == (way_of(scheme) == PIN4);
      REQUIRE_OK(CustomKeyboard_open(k));
      CHECK_EQUAL(next(&device, k, (CUSTOM_ENCWAY)way), fits ? OP_DISABLE : ARGUMENT);
      REQUIRE_OK(CustomKeyboard_close(k));
      if (!fits) CHECK_EQUAL(next(&device, k, (CUSTOM_ENCWAY)way), ARGUMENT);
      CHECK_BYTES(&device, &before, sizeof device);
    }
    CUSTOM_ENCWAY way = way_of(scheme);
    CHECK_EQUAL(next(NULL, k, way), ARGUMENT);
    CHECK_EQUAL(next(&device, 0, way), ARGUMENT);
    CHECK_EQUAL(next(&blank, k, way), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, NULL, 12, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, ksn, 12, NULL), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, last_bytes(), 12, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext((CUSTOM_DUKPT_DEVICE *)(void *)(last_bytes() - 4), k, way, ksn, 12, &length),
                ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, (uint8_t *)&device + 1151, 12, &length), ARGUMENT);
    uint64_t room[146];
    uint8_t *inside = memcpy(room + 2, &device, sizeof device);
    CUSTOM_DUKPT_DEVICE *in_room = (CUSTOM_DUKPT_DEVICE *)(room + 2);
    CHECK_EQUAL(CustomKeyboard_dukptNext(in_room, k, way, inside - 11, 12, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, ksn, 12, (size_t *)(void *)&device), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, ksn, 16, (size_t *)(void *)ksn), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_dukptNext(&device, k, way, ksn, ksn_length(s) - 1, &length), SPACE);
    CHECK_EQUAL(length, ksn_length(s));
    CHECK_BYTES(&device, &before, sizeof device);
    CHECK(!has_key(k, way));
    /* Every byte that is changed is noticed, and nothing is done. OP_DISABLE comes before. */
    for (size_t at = 0; at < sizeof device; at++) {
      CUSTOM_DUKPT_DEVICE damaged = device, kept;
      ((uint8_t *)&damaged)[at] ^= (uint8_t)(1 + draw(&seed) % 255);
      kept = damaged;
      CUSTOM_KEYBOARD_RV rv = CustomKeyboard_dukptNext(&damaged, k, way, ksn, 0, &length);
      if (!CHECK_EQUAL(rv, DAMAGED)) fprintf(stderr, "  (byte %zu)\n", at);
      CHECK_BYTES(&damaged, &kept, sizeof kept);
    }
    CHECK(!has_key(k, way));
    ((uint8_t *)&before)[100] ^= 1;
    REQUIRE_OK(CustomKeyboard_open(k));
    CHECK_EQUAL(next(&before, k, way), OP_DISABLE);
    REQUIRE_OK(CustomKeyboard_close(k));

    /* One key, one text: getText that answers OK ends it, and no other. */
    CHECK_OK(next(&device, k, way));
    CHECK_EQUAL(length, ksn_length(s));
    type(k, card_of(way), "12");
    CHECK_EQUAL(get_text(k, ROOM), REFUSED);
    REQUIRE_OK(CustomKeyboard_input(k, bytes("34"), 2));
    CHECK_EQUAL(get_text(k, 7), SPACE);
    set_context(k, "123");
    CHECK_EQUAL(get_text(k, ROOM), ERR);
    set_context(k, card_of(way));
    CHECK_EQUAL(CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4_GCM, good_key, 16, NULL, 0, space, 0, &offset, &length),
                SPACE);
    CHECK_OK(get_text(k, ROOM));
    CHECK_EQUAL(get_text(k, ROOM), ERR);
    CHECK_EQUAL(get_text(k, 0), ERR);
    CHECK(!has_key(k, way));
    /* close ends it, too. */
    CHECK_OK(next(&device, k, way));
    CHECK(has_key(k, way));
    CHECK(!has_key(k, way));
    /* A key of your own in its place stays. */
    CHECK_OK(next(&device, k, way));
    REQUIRE_OK(CustomKeyboard_setEncKey(k, good_key, 16, PIN0));
    CHECK(has_key(k, PIN0));
    CHECK(has_key(k, PIN0));
    /* And one of a transaction in place of your own goes. */
    CHECK_OK(next(&device, k, way));
    CHECK(has_key(k, way));
    CHECK(!has_key(k, way));
    REQUIRE_OK(CustomKeyboard_destroy(k));
  }
}

/* What one transaction erases: a device has no key of the past. */
static void erase_what_was_used(void) {
  CUSTOM_DUKPT_DEVICE device;
  load(&device, CUSTOM_DUKPT_AES128);
  for (uint8_t count = 1; count <= 8; count++) {
    uint8_t number[12];
    memcpy(number, identifier, 12);
    number[11] = count;
    int bit = 0;
    while (!(count >> bit & 1)) bit++;
    const uint8_t *used = (const uint8_t *)&device + 24 + 32 * bit;
    uint8_t was[32];
    memcpy(was, used, 32);
    CHECK_OK(next(&device, keyboard, PIN4));
    CHECK(memmem(&device, sizeof device, was, 32) == NULL);
    static const uint8_t zeros[32];
    CHECK_BYTES(used, zeros, 32);
  }
}

/* Threads with a keyboard each take keys of one device: nobody gets a key that another one got, or one of the past, and
 * the device is whole all the time. */
enum { SHARERS = 4, SHARED_KEYS = 2000 / LESS };
static CUSTOM_DUKPT_DEVICE shared_device;
static uint8_t is_taken[1 << 21];
static void *take_shared(void *unused) {
  CUSTOM_KEYBOARD k;
  uint32_t before = 0;
  REQUIRE_OK(CustomKeyboard_create(&k));
  for (int i = 0; i < SHARED_KEYS; i++) {
    uint8_t ksn[10];
    size_t size;
    if (!CHECK_OK(CustomKeyboard_dukptNext(&shared_device, k, PIN0, ksn, sizeof ksn, &size))) break;
    uint32_t counter = (uint32_t)(ksn[7] & 31) << 16 | (uint32_t)ksn[8] << 8 | ksn[9];
    int was_taken = __atomic_exchange_n(&is_taken[counter], 1, __ATOMIC_RELAXED);
    if (!CHECK(counter > before) || !CHECK_EQUAL(was_taken, 0)) break;
    before = counter;
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
  return unused;
}
static void share_a_device(void) {
  pthread_t threads[SHARERS];
  load(&shared_device, CUSTOM_DUKPT_TDES);
  for (int i = 0; i < SHARERS; i++) REQUIRE(pthread_create(&threads[i], NULL, take_shared, NULL) == 0);
  for (int i = 0; i < SHARERS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
  /* The next one is the first that nobody has. */
  uint8_t ksn[10];
  CHECK_OK(CustomKeyboard_dukptNext(&shared_device, keyboard, PIN0, ksn, sizeof ksn, &length));
  uint32_t counter = (uint32_t)(ksn[7] & 31) << 16 | (uint32_t)ksn[8] << 8 | ksn[9], taken = 0;
  for (uint32_t i = 0; i < counter; i++) taken += is_taken[i];
  CHECK_EQUAL(taken, SHARERS * SHARED_KEYS);
  CHECK_EQUAL(is_taken[counter], 0);
}

/* A thread loads the device again and again, while the others take keys of it: a load that answered OK is not undone by
 * a call that began before it, and the device is whole all the time. */
enum { LOADS = 2000 / LESS };
static int loads_are_over;
static void *take_while_loaded(void *unused) {
  CUSTOM_KEYBOARD k;
  uint8_t ksn[10];
  size_t size;
  REQUIRE_OK(CustomKeyboard_create(&k));
  while (!__atomic_load_n(&loads_are_over, __ATOMIC_RELAXED))
    if (!CHECK_OK(CustomKeyboard_dukptNext(&shared_device, k, PIN0, ksn, sizeof ksn, &size))) break;
  REQUIRE_OK(CustomKeyboard_destroy(k));
  return unused;
}
static void load_a_shared_device(void) {
  pthread_t threads[SHARERS];
  load(&shared_device, CUSTOM_DUKPT_TDES);
  for (int i = 0; i < SHARERS; i++) REQUIRE(pthread_create(&threads[i], NULL, take_while_loaded, NULL) == 0);
  for (int i = 0; i < LOADS; i++) {
    uint8_t number[10] = {0xaa, (uint8_t)(i >> 8), (uint8_t)i}, ksn[10] = {0};
    CHECK_OK(CustomKeyboard_dukptLoad(&shared_device, CUSTOM_DUKPT_TDES, base_key, 16, number, sizeof number));
    CHECK_OK(CustomKeyboard_dukptNext(&shared_device, keyboard, PIN0, ksn, sizeof ksn, &length));
    if (!CHECK_BYTES(ksn, number, 7)) break;
  }
  __atomic_store_n(&loads_are_over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < SHARERS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
}

/* Threads each take a key of their own device, whose page comes only when all of them have asked for theirs: none of
 * them waits for another one's device, however many there are. */
enum { OWNERS = 100, PAGE = 65536, PATIENCE = 60 };
static const int no_access[] = {SIGSEGV, SIGBUS}; /* Linux, Darwin */
static uint8_t *pages;
static atomic_int asked, is_late;
static void wait_for_all(int number, siginfo_t *information, void *context) {
  (void)context;
  uint8_t *at = information->si_addr;
  if (at < pages || at >= pages + OWNERS * PAGE) {
    signal(number, SIG_DFL); /* a fault of its own */
    return;
  }
  atomic_fetch_add(&asked, 1);
  for (int i = 0; atomic_load(&asked) < OWNERS && !atomic_load(&is_late); i++) {
    usleep(1000);
    if (i == PATIENCE * 1000) atomic_store(&is_late, 1);
  }
  mprotect(pages + (size_t)(at - pages) / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE);
}
static void *take_own(void *device) {
  CUSTOM_KEYBOARD k;
  uint8_t ksn[10];
  size_t size;
  REQUIRE_OK(CustomKeyboard_create(&k));
  CHECK_OK(CustomKeyboard_dukptNext(device, k, PIN0, ksn, sizeof ksn, &size));
  REQUIRE_OK(CustomKeyboard_destroy(k));
  return NULL;
}
static void wait_for_no_other_device(void) {
  struct sigaction action = {.sa_sigaction = wait_for_all, .sa_flags = SA_SIGINFO}, before[2];
  pthread_t threads[OWNERS];
  pages = mmap(NULL, OWNERS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  for (int i = 0; i < 2; i++) REQUIRE(sigaction(no_access[i], &action, &before[i]) == 0);
  for (size_t i = 0; i < OWNERS; i++) load((CUSTOM_DUKPT_DEVICE *)(void *)(pages + i * PAGE), CUSTOM_DUKPT_TDES);
  REQUIRE(mprotect(pages, OWNERS * PAGE, PROT_NONE) == 0);
  for (size_t i = 0; i < OWNERS; i++) REQUIRE(pthread_create(&threads[i], NULL, take_own, pages + i * PAGE) == 0);
  for (size_t i = 0; i < OWNERS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
  CHECK(!atomic_load(&is_late));
  for (int i = 0; i < 2; i++) REQUIRE(sigaction(no_access[i], &before[i], NULL) == 0);
  REQUIRE(munmap(pages, OWNERS * PAGE) == 0);
}

int main(void) {
  seed = take_seed();
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  derive_in_order();
  take_the_next_key();
  erase_what_was_used();
  share_a_device();
  load_a_shared_device();
  wait_for_no_other_device();
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return check_end("dukpt", 19000);
}
