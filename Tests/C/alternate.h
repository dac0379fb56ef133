/*
 * An input of a call that changes while it is read. On x86-64 each instruction that touches it is stopped at: its page
 * is not there, and comes for this one instruction. Elsewhere a thread alternates the values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ALTERNATE_H
#define ALTERNATE_H

#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_INPUTS = 40 };
struct input {
  const char *name;
  uint8_t *at;
  size_t size;
};

/* ---- Bad values -------------------------------------------------------------------------------------------------- */

/* A byte of an input, and what it becomes. (Of several, a call might see some good and some bad.) */
struct change {
  const struct input *input;
  size_t offset;
  uint8_t good, bad;
};

enum { CHANGES = 5 };
/* A bit at the beginning, in the middle, at the end; the first byte of a second key of DES like the first key's, from
 * which it differs in no other; an end in the middle. False if the input is too short. */
static int make_change(const struct input *input, int kind, struct change *c) {
  const size_t offsets[CHANGES] = {0, input->size / 2, input->size - 1, 8, input->size / 2};
  *c = (struct change){input, offsets[kind], 0, 0};
  if (c->offset >= input->size) return 0;
  c->good = input->at[c->offset];
  c->bad = kind == 3 ? input->at[0] : kind == 4 ? 0 : c->good ^ 0x80;
  return c->good != c->bad;
}

static void put(const struct change *c, int is_bad) { c->input->at[c->offset] = is_bad ? c->bad : c->good; }

/* ---- Another thread that works while a call is held -------------------------------------------------------------- */

enum { PAGE = 4096 };
/* What other threads and handlers touch is in pages of its own: the one with the input is not there. */
static union {
  struct {
    int ask[2], answer[2];
    void (*work)(void);
  };
  uint8_t whole[PAGE];
} others __attribute__((aligned(PAGE)));

#if defined(__x86_64__)
/* libc's functions would be looked up in memory that may not be there. */
static long raw_call(long number, long a, long b, long c) {
  long answer;
  __asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return answer;
}
#else
#define raw_call syscall
#endif

static void *work_when_asked(void *unused) {
  char byte;
  while (raw_call(SYS_read, others.ask[0], (long)&byte, 1) == 1) {
    others.work();
    raw_call(SYS_write, others.answer[1], (long)&byte, 1);
  }
  return unused;
}

/* ---- Stops ------------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
enum { WAIT_SECONDS = 60 };

static union {
  struct {
    uint8_t *page;
    size_t size; /* 0: nothing is stopped */
    uint8_t *byte, good, bad;
    int first, then, after, count; /* which value it has, up to how many stops */
    int holds, waited, ask, answer;
  };
  uint8_t whole[PAGE];
} stop __attribute__((aligned(PAGE)));

static void protect(int rights) { raw_call(SYS_mprotect, (long)stop.page, (long)stop.size, rights); }

static void hold(void) {
  struct {
    int file;
    short events, answered;
  } answer = {stop.answer, 1 /* POLLIN */, 0};
  char byte = 0;
  raw_call(SYS_write, stop.ask, (long)&byte, 1);
  stop.waited = raw_call(SYS_poll, (long)&answer, 1, WAIT_SECONDS * 1000) != 1;
  if (!stop.waited) raw_call(SYS_read, stop.answer, (long)&byte, 1);
}

static void on_fault(int number, siginfo_t *information, void *context) {
  uint8_t *at = information->si_addr;
  if (stop.size == 0 || at < stop.page || at >= stop.page + stop.size) {
    signal(number, SIG_DFL); /* a fault of its own */
    return;
  }
  protect(PROT_READ | PROT_WRITE);
  if (at + 32 > stop.byte && at <= stop.byte) {
    stop.count++;
    if (stop.holds) {
      hold();
      return;
    }
    *(volatile uint8_t *)stop.byte = (stop.count > stop.after ? stop.then : stop.first) ? stop.bad : stop.good;
  }
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= 0x100; /* one instruction */
}

static void on_step(int number, siginfo_t *information, void *context) {
  (void)number, (void)information;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
  if (stop.size) protect(PROT_NONE);
}

static void begin_stops(void) {
  struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  REQUIRE(sigaction(SIGSEGV, &fault, NULL) == 0 && sigaction(SIGTRAP, &step, NULL) == 0);
  stop.ask = others.ask[1];
  stop.answer = others.answer[0];
}

static void stop_in(const struct change *c) {
  stop.byte = c->input->at + c->offset;
  stop.good = c->good, stop.bad = c->bad;
  stop.page = (uint8_t *)((uintptr_t)stop.byte & ~(uintptr_t)(PAGE - 1));
  stop.count = stop.waited = 0;
  stop.size = PAGE;
  protect(PROT_NONE);
}

/* From here on the input has the first value until the read after `after`, and then the second. */
static void stop_at(const struct change *c, int first, int then, int after) {
  stop.first = first, stop.then = then, stop.after = after, stop.holds = 0;
  stop_in(c);
}

/* From here on, others work before the input is read first. */
static void hold_at(const struct change *c) {
  stop.holds = 1;
  stop_in(c);
}

/* Nothing is stopped any more. */
static void let_be(void) {
  if (stop.size) protect(PROT_READ | PROT_WRITE);
  stop.size = 0;
}

static int stops(void) { return stop.count; }
static int has_waited(void) { return stop.waited; }
#else
static void begin_stops(void) {}
static void stop_at(const struct change *c, int first, int then, int after) {
  (void)c, (void)first, (void)then, (void)after;
}
static void hold_at(const struct change *c) { (void)c; }
static void let_be(void) {}
static int stops(void) { return 1; }
static int has_waited(void) { return 0; }
#endif

/* ---- A thread that alternates the values ------------------------------------------------------------------------- */

static struct {
  const struct change *change;
  atomic_int is_over;
  pthread_t thread;
} alternating;

static void *alternate(void *unused) {
  const struct change *c = alternating.change;
  volatile uint8_t *byte = c->input->at + c->offset;
  for (int is_bad = 0; !atomic_load(&alternating.is_over); is_bad = !is_bad) *byte = is_bad ? c->bad : c->good;
  return unused;
}

static void begin_alternating(const struct change *c) {
  alternating.change = c;
  atomic_store(&alternating.is_over, 0);
  REQUIRE(pthread_create(&alternating.thread, NULL, alternate, NULL) == 0);
}

static void end_alternating(void) {
  atomic_store(&alternating.is_over, 1);
  REQUIRE(pthread_join(alternating.thread, NULL) == 0);
}

static void begin_alternate(void (*work)(void)) {
  pthread_t thread;
  others.work = work;
  REQUIRE(pipe(others.ask) == 0 && pipe(others.answer) == 0);
  REQUIRE(pthread_create(&thread, NULL, work_when_asked, NULL) == 0);
  begin_stops();
}

#endif /* ALTERNATE_H */
