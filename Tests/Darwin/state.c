/*
 * What darwin.h promises of each call: DIT is on in the middle, and afterwards as it was; signals and cancellation are
 * as they were; memory for secrets is locked and absent from a forked child; and a generator that gives nothing is a
 * code, after which the keyboard works again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "check.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>

/* Of darwin-run. */
extern size_t darwin_run_asked(int what);
extern unsigned long darwin_run_draws(int with_dit);
extern void darwin_run_refuse(unsigned long count);
enum { INHERITED = 1, LOCKED = 2 };

static int dit(void) {
  uint64_t state;
  __asm__ volatile("mrs %0, S3_3_C4_C2_5" : "=r"(state));
  return state >> 24 & 1;
}
static void set_dit(int on) { __asm__ volatile("msr S3_3_C4_C2_5, %0" ::"r"((uint64_t)on << 24)); }

/* A password is typed and encrypted. */
static CUSTOM_KEYBOARD_RV use(int way) {
  static const uint8_t key[] = "8907654329807654";
  uint8_t space[256];
  size_t offset, length;
  CUSTOM_KEYBOARD k;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_create(&k);
  if (rv != CUSTOM_KEYBOARD_OK) return rv;
  rv = CustomKeyboard_setEncKey(k, key, 16, (CUSTOM_ENCWAY)way);
  if (rv == CUSTOM_KEYBOARD_OK) rv = CustomKeyboard_open(k);
  for (const char *c = "kgcx879@"; rv == CUSTOM_KEYBOARD_OK && *c; c++)
    rv = CustomKeyboard_input(k, (const void *)c, 1);
  if (rv == CUSTOM_KEYBOARD_OK) rv = CustomKeyboard_getText(k, space, sizeof space, &offset, &length);
  CHECK_OK(CustomKeyboard_destroy(k));
  return rv;
}

static void check_dit(int on) {
  set_dit(on);
  unsigned long all = darwin_run_draws(0), with = darwin_run_draws(1);
  for (int i = 0; i < 50 || (darwin_run_draws(0) == all && i < 100000); i++) {
    CHECK_OK(use(i % 2 ? CUSTOM_ENCWAY_SM4 : CUSTOM_ENCWAY_3DES));
    CHECK_EQUAL(dit(), on);
  }
  CHECK(darwin_run_draws(0) > all);
  CHECK_EQUAL(darwin_run_draws(1) - with, darwin_run_draws(0) - all);
  set_dit(0);
}

static void check_thread(void) {
  const sigset_t some = UINT32_C(1) << (SIGUSR1 - 1);
  sigset_t held = 0;
  int state = -1, type = -1;
  pthread_sigmask(SIG_SETMASK, &some, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  errno = EDOM;
  CHECK_OK(use(CUSTOM_ENCWAY_SM4));
  CHECK_EQUAL(errno, EDOM);
  pthread_sigmask(SIG_SETMASK, NULL, &held);
  CHECK_EQUAL(held, some);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state), pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  CHECK_EQUAL(state, PTHREAD_CANCEL_DISABLE);
  CHECK_EQUAL(type, PTHREAD_CANCEL_ASYNCHRONOUS);
}

static void check_memory(void) {
  size_t private = darwin_run_asked(INHERITED);
  CHECK(private >= 16384 && private <= 1 << 20); /* tables for an app, not for a server */
  CHECK_EQUAL(darwin_run_asked(INHERITED | LOCKED), private);
}

static void check_randomness(void) {
  darwin_run_refuse(1000000);
  CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_OK;
  for (int i = 0; i < 100000 && rv == CUSTOM_KEYBOARD_OK; i++) rv = use(CUSTOM_ENCWAY_SM4);
  CHECK(rv != CUSTOM_KEYBOARD_OK);
  darwin_run_refuse(0);
  CHECK_OK(use(CUSTOM_ENCWAY_SM4));
}

int main(void) {
  REQUIRE(dit() == 0);
  check_dit(0);
  check_dit(1);
  check_thread();
  check_memory();
  check_randomness();
  return check_end("state", 200);
}
