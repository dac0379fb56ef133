/*
 * Follows a call on this processor, instruction by instruction, from marker_begin to marker_end: the program sets the
 * trap flag, and its handler of SIGTRAP sees the registers before every instruction. (A debugger sees the same, five
 * times slower.) The result is a hash of all program counters and data addresses, the number of instructions, and how
 * many of them are in functions of interest. All three must be the same for different secrets.
 *
 * The environment says what to follow: TRACE_OPERANDS is the output of operands.py for the program, TRACE_INTEREST a
 * list of "start size" (hexadecimal). Of code that is not in TRACE_OPERANDS, such as libc, only the program counters
 * count. Without the two, nothing is followed, for tracers from outside (arm64/trace.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void marker_begin(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void marker_end(void) { __asm__ volatile("nop"); }

#ifdef __x86_64__

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { MOST_OPERANDS = 1 << 18, MOST_RANGES = 4096, TRAP_FLAG = 0x100, HANDLER_STACK = 1 << 16 };

static struct operand {
  uint64_t at;
  int base, index, scale;
  int64_t displacement;
} operands[MOST_OPERANDS];
static size_t operand_count;

static struct range {
  uint64_t start, size;
} ranges[MOST_RANGES];
static size_t range_count;

static struct {
  uint64_t hash, steps, inside;
} followed;

static void die(const char *what) {
  fprintf(stderr, "follow: %s\n", what);
  exit(2);
}

static void read_operands(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) die(path);
  struct operand *o = operands;
  while (operand_count < MOST_OPERANDS &&
         fscanf(file, "%lx %d %d %d %ld", &o->at, &o->base, &o->index, &o->scale, &o->displacement) == 5)
    o = &operands[++operand_count];
  if (!feof(file) || operand_count == 0) die("operands");
  fclose(file);
}

static void read_ranges(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) die(path);
  while (range_count < MOST_RANGES &&
         fscanf(file, "%lx %lx", &ranges[range_count].start, &ranges[range_count].size) == 2)
    range_count++;
  if (!feof(file) || range_count == 0) die("interest");
  fclose(file);
}

/* The index of the first operand at or after an address. They are sorted. */
static size_t first_operand(uint64_t at) {
  size_t low = 0, high = operand_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (operands[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Mostly the range of the instruction before. */
static int is_of_interest(uint64_t at) {
  static size_t last;
  if (at - ranges[last].start < ranges[last].size) return 1;
  for (size_t i = 0; i < range_count; i++)
    if (at - ranges[i].start < ranges[i].size) return last = i, 1;
  return 0;
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static void step(int number, siginfo_t *information, void *context) {
  static const int order[16] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  greg_t *now = ((ucontext_t *)context)->uc_mcontext.gregs;
  uint64_t at = (uint64_t)now[REG_RIP];
  (void)number, (void)information;
  if (at == (uint64_t)(uintptr_t)marker_end) {
    now[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    return;
  }
  followed.hash = mixed(followed.hash, at);
  followed.steps++;
  followed.inside += (uint64_t)is_of_interest(at);
  for (size_t i = first_operand(at); i < operand_count && operands[i].at == at; i++) {
    const struct operand *o = &operands[i];
    followed.hash = mixed(followed.hash, (o->base < 0 ? 0 : (uint64_t)now[order[o->base]]) +
                                             (o->index < 0 ? 0 : (uint64_t)now[order[o->index]]) * (uint64_t)o->scale +
                                             (uint64_t)o->displacement);
  }
}

/* In place of libc's, for the library: it holds signals back while it computes, and may hold all but SIGTRAP here. A
 * trap that is held back ends the process. */
long follow_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long follow_syscall(long number, long a, long b, long c, long d, long e, long f) {
  uint64_t held = 0;
  if (number == SYS_rt_sigprocmask && b) {
    held = *(const uint64_t *)b & ~(UINT64_C(1) << (SIGTRAP - 1));
    b = (long)&held;
  }
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return number;
}

static void prepare_to_follow(void) {
  static uint8_t stack[HANDLER_STACK];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  read_operands(getenv("TRACE_OPERANDS"));
  read_ranges(getenv("TRACE_INTEREST"));
  if (sigaltstack(&other, NULL) != 0 || sigaction(SIGTRAP, &action, NULL) != 0) die("no handler");
}

/* Prints "hash steps inside" after a call. */
__attribute__((noinline)) static void follow_call(void (*call)(void)) {
  if (!getenv("TRACE_OPERANDS")) {
    marker_begin();
    call();
    marker_end();
    return;
  }
  if (operand_count == 0) prepare_to_follow();
  memset(&followed, 0, sizeof followed);
  marker_begin();
  __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
                   :
                   : "i"(TRAP_FLAG)
                   : "cc", "memory");
  call();
  marker_end();
  printf("%016llx %llu %llu\n", (unsigned long long)followed.hash, (unsigned long long)followed.steps,
         (unsigned long long)followed.inside);
}

#else

static void follow_call(void (*call)(void)) {
  marker_begin();
  call();
  marker_end();
}

#endif
#endif /* FOLLOW_H */
