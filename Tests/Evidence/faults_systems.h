/*
 * Systems that really lack something: only one page of memory left, or two, three …; no locked memory; no /dev, no
 * files at all; no getrandom. Nothing is interposed here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAULTS_SYSTEMS_H
#define FAULTS_SYSTEMS_H

#include "faults_scenario.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kilobytes in a line of /proc/self/status. */
static unsigned long kilobytes(const char *name) {
  char line[128];
  unsigned long amount = 0;
  FILE *file = fopen("/proc/self/status", "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %lu", &amount);
  fclose(file);
  return amount;
}

static void set_soft_limit(int resource, rlim_t value) {
  struct rlimit limit;
  REQUIRE(getrlimit(resource, &limit) == 0);
  limit.rlim_cur = value;
  REQUIRE(setrlimit(resource, &limit) == 0);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The limit includes the stack, and the kernel kills a process whose stack cannot grow; so it grows now. */
__attribute__((noinline)) static void grow_stack(void) {
  volatile uint8_t deep[512 << 10];
  for (size_t i = 0; i < sizeof deep; i += 1024) deep[i] = 1;
}

/* The whole scenario with this many pages of address space left. The first call that gets none returns MEMORY; then the
 * limit is removed and the call repeated. `argument` is pages * PARTS + order. */
static void with_pages_left(int argument) {
  grow_stack();
  unsigned long size = kilobytes("VmSize") * 1024;
  is_limited = 1;
  set_soft_limit(RLIMIT_AS, size + (rlim_t)(argument / PARTS) * 4096);
  run_scenario(argument % PARTS);
}

static void sweep_memory(void (*in_child)(void (*)(int), int, const char *)) {
  unsigned long refused = 0;
  int most = 0;
  for (int order = 0; order < PARTS; order++)
    for (int left = 0;; left += left < 8 ? 1 : 7) {
      REQUIRE(left < 4000);
      in_child(with_pages_left, left * PARTS + order, "pages left");
      refused += run->dealt;
      if (left > most) most = left;
      if (run->dealt == 0) break;
    }
  CHECK(refused > 100);
  printf("system\tRLIMIT_AS\t%lu\trefusals with 0 to %d pages left\n", refused, most);
}

/* ---- Locked memory ----------------------------------------------------------------------------------------------- */

static void without_locked_memory(int order) {
  set_soft_limit(RLIMIT_MEMLOCK, 0);
  if (geteuid() == 0) REQUIRE(setresuid(65534, 65534, 65534) == 0); /* root has no limit on locked memory */
  char page[1];
  REQUIRE(mlock(page, 1) == -1); /* control */
  run_scenario(order);
  prctl(PR_SET_DUMPABLE, 1); /* otherwise /proc/self belongs to root after setresuid */
  run->dealt = kilobytes("VmLck");
}

static void with_locked_memory(int order) {
  run_scenario(order);
  run->dealt = kilobytes("VmLck");
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void deny(const int *calls, size_t count, int error) {
  enum { MOST = 8 };
  struct sock_filter filter[2 * MOST + 2];
  size_t n = 0;
  REQUIRE(count <= MOST);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < count; i++) {
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error);
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {(unsigned short)n, filter};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* No file can be opened, by any function. */
static void without_open(int order) {
#ifdef SYS_open
  static const int calls[] = {SYS_openat, SYS_openat2, SYS_open};
#else
  static const int calls[] = {SYS_openat, SYS_openat2};
#endif
  deny(calls, sizeof calls / sizeof *calls, ENOENT);
  REQUIRE(open("/dev/urandom", O_RDONLY) == -1); /* control */
  run_scenario(order);
}

/* An empty file system; if the process may not make one, then in its own user namespace. */
static void without_dev(int order) {
  char empty[64]; /* below the working directory, which faults.sh removes */
  REQUIRE(open("/dev/urandom", O_RDONLY) >= 0);
  snprintf(empty, sizeof empty, "empty-%d", (int)getpid());
  REQUIRE(mkdir(empty, 0755) == 0);
  int done = chroot(empty) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(empty) == 0);
  if (done) {
    REQUIRE(chdir("/") == 0);
    REQUIRE(open("/dev/urandom", O_RDONLY) == -1 && open("/dev", O_RDONLY) == -1); /* control */
  }
  run_scenario(order);
  run->dealt = (unsigned long)done;
}

/* ---- Randomness -------------------------------------------------------------------------------------------------- */

/* A call that needs randomness returns RANDOM and does nothing else: no weaker source replaces getrandom. */
#define REFUSED(call)                               \
  do {                                              \
    begin_step();                                   \
    CHECK_EQUAL((call), CUSTOM_KEYBOARD_RANDOM);    \
    CHECK_BYTES(&out, &before, sizeof out);         \
    struct view view;                               \
    take_view(&view);                               \
    CHECK_BYTES(&view, &view_before, sizeof view);  \
    run->dealt++;                                   \
  } while (0)

static void without_getrandom(int error) {
  static const int calls[] = {SYS_getrandom};
  uint8_t text[16];
  deny(calls, 1, error);
  REQUIRE(getrandom(text, 1, 0) == -1 && errno == error); /* control */
  memset(&out, 0xa5, sizeof out);
  make_keyboard();
  for (int row = 0; row < ROWS; row++) {
    const struct row *r = &rows[row];
    size_t key_length = strlen(r->key);
    const uint8_t *key = bytes(r->key);
    from_hex(r->text, text, sizeof text);
    REFUSED(CustomKeyboard_setEncKey(out.k, key, key_length, r->way));
    REFUSED(CustomKeyboard_decrypt(r->way, key, key_length, text, 16, out.space, 9, &out.offset, &out.length));
    REFUSED(CustomKeyboard_decrypt(r->way, key, key_length, text, 16, out.space, 1024, &out.offset, &out.length));
    /* A space with only one possible offset needs no randomness. */
    STEP(OK, CustomKeyboard_decrypt(r->way, key, key_length, text, 16, out.space, 8, &out.offset, &out.length));
    CHECK_BYTES(out.space, secret, 8);
  }
  REFUSED(CustomKeyboard_open(out.k));
  STEP(OP_DISABLE, CustomKeyboard_close(out.k));
  STEP(OP_DISABLE, CustomKeyboard_pressKey(out.k, 0));
  STEP(OP_DISABLE, CustomKeyboard_input(out.k, bytes(secret), 8));
  STEP(OK, CustomKeyboard_setLayout(out.k, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 4));
  end_keyboard();
  decrypt_batches();
  use_ciphers();
  make_many();
}

static void check_systems(void (*in_child)(void (*)(int), int, const char *)) {
  static const int errors[] = {ENOSYS, EPERM};
  unsigned long unlocked = 0, unopened = 0, alone = 0, refused = 0;
  sweep_memory(in_child);
  for (int order = 0; order < PARTS; order++) {
    in_child(with_locked_memory, order, "locked memory");
    CHECK(run->dealt > 0); /* control: if the limit allows it, memory is locked */
    in_child(without_locked_memory, order, "no locked memory");
    CHECK_EQUAL(run->dealt, 0);
    unlocked += run->calls;
    in_child(without_open, order, "no file can be opened");
    unopened += run->calls;
    in_child(without_dev, order, "an empty file system");
    CHECK_EQUAL(run->dealt, 1); /* otherwise this machine does not allow the test, and nothing is shown */
    alone += run->calls;
  }
  printf("system\tRLIMIT_MEMLOCK\t%lu\tcalls, none of which locked anything\n", unlocked);
  printf("system\topen\t%lu\tcalls while no file could be opened\n", unopened);
  printf("system\t/dev\t%lu\tcalls in an empty file system\n", alone);
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    in_child(without_getrandom, errors[i], "no getrandom");
    CHECK_EQUAL(run->dealt, 10);
    refused += run->dealt;
  }
  printf("system\tgetrandom\t%lu\tcalls refused under seccomp\n", refused);
}

#endif /* FAULTS_SYSTEMS_H */
