/*
 * Follows a program on this processor, instruction by instruction, from each call of marker_begin to marker_end. It
 * adds to the line that the program has begun: a hash of all program counters and data addresses in between, the number
 * of instructions, and how many of them are in functions of interest. All three must be the same for different secrets.
 *
 *     follow OPERANDS INTEREST BEGIN END PROGRAM [argument…]
 *
 * OPERANDS is the output of operands.py, INTEREST a list of "start size" (hexadecimal). For code that is not in
 * OPERANDS, such as libc, only the program counters count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OPERANDS = 1 << 18, MOST_RANGES = 256 };

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

static pid_t child;

static void die(const char *what) {
  fprintf(stderr, "follow: %s: %s\n", what, strerror(errno));
  if (child > 0) kill(child, SIGKILL);
  exit(2);
}

static void read_operands(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) die(path);
  struct operand *o = operands;
  while (operand_count < MOST_OPERANDS && fscanf(file, "%lx %d %d %d %ld", &o->at, &o->base, &o->index, &o->scale,
                                                 &o->displacement) == 5)
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

/* The first operand of the instruction at `at`, or NULL. The operands are sorted. */
static const struct operand *first_operand(uint64_t at) {
  size_t low = 0, high = operand_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (operands[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < operand_count && operands[low].at == at ? &operands[low] : NULL;
}

static int is_of_interest(uint64_t at) {
  for (size_t i = 0; i < range_count; i++)
    if (at - ranges[i].start < ranges[i].size) return 1;
  return 0;
}

static void wait_for_trap(void) {
  int status;
  if (waitpid(child, &status, 0) != child) die("waitpid");
  if (WIFEXITED(status)) exit(WEXITSTATUS(status));
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
    fprintf(stderr, "follow: the program stopped with status %x\n", (unsigned)status);
    kill(child, SIGKILL);
    exit(2);
  }
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

int main(int count, char **arguments) {
  if (count < 6) return fputs("follow OPERANDS INTEREST BEGIN END PROGRAM [argument…]\n", stderr), 2;
  read_operands(arguments[1]);
  read_ranges(arguments[2]);
  uint64_t begin = strtoull(arguments[3], NULL, 16), end = strtoull(arguments[4], NULL, 16);
  if (begin == 0 || end == 0) die("markers");

  child = fork();
  if (child < 0) die("fork");
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) execv(arguments[5], arguments + 5);
    _exit(127);
  }
  wait_for_trap();
  errno = 0;
  long original = ptrace(PTRACE_PEEKTEXT, child, (void *)begin, NULL);
  if (errno) die("reading the marker");
  long trapping = (original & ~0xffL) | 0xcc;
  for (;;) {
    if (ptrace(PTRACE_POKETEXT, child, (void *)begin, (void *)trapping) || ptrace(PTRACE_CONT, child, NULL, NULL))
      die("setting the marker");
    wait_for_trap();
    struct user_regs_struct now;
    if (ptrace(PTRACE_GETREGS, child, NULL, &now)) die("registers");
    now.rip = begin;
    if (ptrace(PTRACE_POKETEXT, child, (void *)begin, (void *)original) || ptrace(PTRACE_SETREGS, child, NULL, &now))
      die("clearing the marker");

    uint64_t hash = 0, steps = 0, inside = 0;
    while (now.rip != end) {
      const uint64_t registers[16] = {now.rax, now.rbx, now.rcx, now.rdx, now.rsi, now.rdi, now.rbp, now.rsp,
                                      now.r8,  now.r9,  now.r10, now.r11, now.r12, now.r13, now.r14, now.r15};
      hash = mixed(hash, now.rip);
      const struct operand *o = first_operand(now.rip);
      for (; o && o < operands + operand_count && o->at == now.rip; o++)
        hash = mixed(hash, (o->base < 0 ? 0 : registers[o->base]) +
                               (o->index < 0 ? 0 : registers[o->index]) * (uint64_t)o->scale + (uint64_t)o->displacement);
      steps++;
      inside += (uint64_t)is_of_interest(now.rip);
      if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL)) die("a step");
      wait_for_trap();
      if (ptrace(PTRACE_GETREGS, child, NULL, &now)) die("registers");
    }
    printf("%016llx %llu %llu\n", (unsigned long long)hash, (unsigned long long)steps, (unsigned long long)inside);
    fflush(stdout);
  }
}
