/*
 * In the middle of a call that types or deletes, a thread has one character of the password, not more: another process
 * steps through the call, and after each instruction it looks at the registers and at the stack. (vault_residue.c stops
 * other calls, at random moments.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A character has four bytes at most, so that five in a row are of two. */
enum { LENGTH = 40, WINDOW = 5, BELOW = 16384, ABOVE = 512, REGISTERS = 16384, MOST_STEPS = 2000000 };

/* The password is on pages that the child's stack is not. */
static struct shared {
  uint8_t password[LENGTH];
  uintptr_t stack; /* the caller's */
} *shared;
static CUSTOM_KEYBOARD keyboard;
static uint8_t is_first[256]; /* bytes that a part of the password begins with */

static int has_part(const uint8_t *from, size_t length) {
  for (size_t at = 0; at + WINDOW <= length; at++)
    for (size_t i = 0; is_first[from[at]] && i + WINDOW <= LENGTH; i++)
      if (memcmp(from + at, shared->password + i, WINDOW) == 0) return 1;
  return 0;
}

/* ---- What is stepped through ------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD_RV input(void) { return CustomKeyboard_input(keyboard, shared->password, LENGTH); }

static CUSTOM_KEYBOARD_RV input_more(void) { return CustomKeyboard_input(keyboard, shared->password + LENGTH - 6, 6); }

/* After three times there is room for eight more. */
static CUSTOM_KEYBOARD_RV input_thrice(void) { return input() | input() | input(); }

static CUSTOM_KEYBOARD_RV input_too_much(void) {
  return input() == CUSTOM_KEYBOARD_MAXLEN ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ARGUMENT;
}

static CUSTOM_KEYBOARD_RV delete_one(void) { return CustomKeyboard_deleteBackward(keyboard); }

static CUSTOM_KEYBOARD_RV press(void) { return CustomKeyboard_pressKey(keyboard, 3); }

/* The controls: what careless libraries would do. */
static CUSTOM_KEYBOARD_RV copy_to_stack(void) {
  volatile uint8_t copy[LENGTH];
  for (size_t i = 0; i < LENGTH; i++) copy[i] = shared->password[i];
  return copy[0] ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ARGUMENT;
}

static CUSTOM_KEYBOARD_RV read_eight(void) {
  return *(volatile uint64_t *)(uintptr_t)(shared->password + 8) ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ARGUMENT;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

struct seen {
  unsigned long steps, on_stack, in_registers;
  int status;
};

static void look(pid_t child, struct seen *seen) {
  static uint8_t stack[BELOW + ABOVE], registers[REGISTERS];
  static const int sets[] = {
    NT_PRSTATUS,
#if defined(__x86_64__)
    NT_X86_XSTATE,
#else
    NT_PRFPREG,
#endif
  };
  struct iovec here = {stack, sizeof stack}, there = {(uint8_t *)shared->stack - BELOW, sizeof stack};
  REQUIRE(process_vm_readv(child, &here, 1, &there, 1, 0) == (ssize_t)sizeof stack);
  seen->on_stack += (unsigned long)has_part(stack, sizeof stack);
  int found = 0;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    struct iovec set = {registers, sizeof registers};
    REQUIRE(ptrace(PTRACE_GETREGSET, child, (void *)(uintptr_t)sets[i], &set) == 0);
    found |= has_part(registers, set.iov_len);
  }
  seen->in_registers += (unsigned long)found;
}

/* A child stops before the call and after it. */
__attribute__((noinline)) static int run_child(CUSTOM_KEYBOARD_RV (*call)(void)) {
  shared->stack = (uintptr_t)__builtin_frame_address(0);
  raise(SIGSTOP);
  CUSTOM_KEYBOARD_RV rv = call();
  raise(SIGSTOP);
  return rv == CUSTOM_KEYBOARD_OK ? 0 : 1;
}

/* `prepare`, if there is one, is not stepped through. */
static struct seen step_through(CUSTOM_KEYBOARD_RV (*prepare)(void), CUSTOM_KEYBOARD_RV (*call)(void)) {
  struct seen seen = {0};
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    REQUIRE_OK(CustomKeyboard_create(&keyboard)); /* a fork takes none along */
    REQUIRE_OK(CustomKeyboard_open(keyboard));
    if (prepare) REQUIRE_OK(prepare());
    REQUIRE(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
    _exit(run_child(call));
  }
  REQUIRE(waitpid(child, &seen.status, 0) == child && WIFSTOPPED(seen.status) && WSTOPSIG(seen.status) == SIGSTOP);
  do {
    REQUIRE(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0 && waitpid(child, &seen.status, 0) == child);
    if (!WIFSTOPPED(seen.status) || WSTOPSIG(seen.status) != SIGTRAP) break;
    look(child, &seen);
  } while (++seen.steps < MOST_STEPS);
  REQUIRE(WIFSTOPPED(seen.status) && WSTOPSIG(seen.status) == SIGSTOP);
  REQUIRE(ptrace(PTRACE_CONT, child, NULL, NULL) == 0 && waitpid(child, &seen.status, 0) == child);
  return seen;
}

static void check(const char *name, CUSTOM_KEYBOARD_RV (*prepare)(void), CUSTOM_KEYBOARD_RV (*call)(void)) {
  struct seen seen = step_through(prepare, call);
  if (CHECK(seen.steps > 500) & CHECK_EQUAL(seen.status, 0) & CHECK_EQUAL(seen.on_stack, 0) &
      CHECK_EQUAL(seen.in_registers, 0))
    return;
  fprintf(stderr, "  (%s, %lu steps)\n", name, seen.steps);
}

int main(void) {
  uint64_t seed = take_seed();
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  draw_password(&seed, shared->password, LENGTH);
  for (size_t i = 0; i + WINDOW <= LENGTH; i++) is_first[shared->password[i]] = 1;

  struct seen seen = step_through(NULL, copy_to_stack);
  CHECK(seen.status == 0 && seen.on_stack > 0);
  seen = step_through(NULL, read_eight);
  CHECK(seen.status == 0 && seen.in_registers > 0);

  check("input", NULL, input);
  check("input, more", input, input_more);
  check("input, too much", input_thrice, input_too_much);
  check("deleteBackward", input, delete_one);
  check("pressKey", input, press);
  return check_end("typing_steps", 2 + 4 * 5);
}
