/*
 * Signals and processes for darwin-run: numbers, flags and structures are Darwin's. A page that exists and may not be
 * touched is SIGBUS there, and SIGSEGV on Linux. What a handler gets as its third argument is Linux's: programs of
 * Tests/C only search it, and it has all registers. A child keeps all pages here, so that bad_place.c sees how a call
 * ends; on a phone no app can fork.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "run.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DARWIN_BUS = 10, DARWIN_SEGV = 11, MOST_ARGUMENTS = 32 };
enum { ON_STACK = 1, RESTART = 2, RESET = 4, WITH_INFORMATION = 0x40, DISABLED = 4 };

/* The numbers of those that a test uses; the others are errors. */
static int here(int number) {
  switch (number) {
  case DARWIN_BUS: return SIGBUS;
  case DARWIN_SEGV: return SIGSEGV;
  case 9: return SIGKILL;
  case 14: return SIGALRM;
  case 15: return SIGTERM;
  default: fail("signal %d", number);
  }
}

struct darwin_action {
  void *handler;
  uint32_t mask;
  int flags;
};
struct darwin_information {
  int number, error, code, process;
  uint32_t user;
  int status;
  void *place;
  uint64_t rest[9];
};
static struct darwin_action actions[32];

static void on_signal(int number, siginfo_t *information, void *context) {
  int there = number == SIGBUS ? DARWIN_BUS : number;
  if (number == SIGSEGV && information->si_code == SEGV_ACCERR) there = DARWIN_BUS;
  const struct darwin_action *action = &actions[there];
  if ((uintptr_t)action->handler < 2) { /* it has the other one's handler only: as without any */
    signal(number, SIG_DFL);
    return;
  }
  struct darwin_information own = {.number = there, .code = information->si_code, .place = information->si_addr};
  ((void (*)(int, void *, void *))action->handler)(there, &own, context);
}

static int on_sigaction(int number, const struct darwin_action *action, struct darwin_action *before) {
  int own = here(number);
  if (before) *before = actions[number];
  if (!action) return 0;
  if (action->flags & ~(ON_STACK | RESTART | RESET | WITH_INFORMATION)) fail("sigaction with flags %d", action->flags);
  actions[number] = *action;
  struct sigaction linux_action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  if (action->flags & ON_STACK) linux_action.sa_flags |= SA_ONSTACK;
  if (action->flags & RESTART) linux_action.sa_flags |= SA_RESTART;
  if (action->flags & RESET) linux_action.sa_flags |= (int)SA_RESETHAND;
  int is_memory = number == DARWIN_BUS || number == DARWIN_SEGV;
  if ((uintptr_t)action->handler < 2) {
    const void *others = is_memory ? actions[DARWIN_BUS + DARWIN_SEGV - number].handler : NULL;
    if ((uintptr_t)others > 1) return 0; /* on_signal decides */
    linux_action.sa_flags = 0, linux_action.sa_handler = action->handler ? SIG_IGN : SIG_DFL;
  }
  if (is_memory) return sigaction(SIGBUS, &linux_action, NULL) || sigaction(SIGSEGV, &linux_action, NULL) ? -1 : 0;
  return sigaction(own, &linux_action, NULL);
}
static void *on_signal_call(int number, void *handler) {
  struct darwin_action action = {handler, 0, RESTART}, before;
  return on_sigaction(number, &action, &before) == 0 ? before.handler : (void *)-1;
}

struct darwin_stack {
  void *place;
  size_t size;
  int flags;
};
static int on_sigaltstack(const struct darwin_stack *stack, struct darwin_stack *before) {
  if (before || !stack) fail("sigaltstack asks for the one before");
  stack_t own = {.ss_sp = stack->place, .ss_size = stack->size, .ss_flags = stack->flags & DISABLED ? SS_DISABLE : 0};
  return sigaltstack(&own, NULL);
}

/* The program begins anew, in another process that is like this one. */
static const char *const *own_command;
void set_command(const char *const *command) { own_command = command; }
int on_execl(const char *path, const char *name, void *stack);
int on_execl(const char *path, const char *name, void *stack) {
  const char *command[MOST_ARGUMENTS] = {getenv("EMULATOR")}, *const *given = stack;
  int count = 1;
  (void)name;
  if (strcmp(path, "/proc/self/exe") != 0 || !command[0]) fail("execl(\"%s\")", path);
  for (int i = 0; own_command[i]; i++) command[count++] = own_command[i];
  while (*given) {
    if (count == MOST_ARGUMENTS - 1) fail("too many arguments");
    command[count++] = *given++;
  }
  return execv(command[0], (char *const *)(uintptr_t)command);
}

/* How a child ended; of those that a signal ended, with Darwin's number. */
static int on_waitpid(int process, int *status, int options) {
  int own, found = waitpid(process, &own, options);
  if (found > 0 && WIFSIGNALED(own) && WTERMSIG(own) == SIGBUS) own = (own & ~0x7f) | DARWIN_BUS;
  if (status && found > 0) *status = own;
  return found;
}

extern char darwin_execl[];

static const struct symbol table[] = {
    SAME(dup2), SAME(fork), SAME(pipe), SAME(write), OWN(execl, darwin_execl), OWN(sigaction, on_sigaction),
    OWN(sigaltstack, on_sigaltstack), OWN(signal, on_signal_call), OWN(waitpid, on_waitpid),
};

void *signal_symbol(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].place;
  return NULL;
}
