/*
 * Lists of calls, for the programs that make every call of a header and look at what each does to memory, registers,
 * the stack, threads and forks. A row is one call: its arguments, what must be there before, the code that it answers,
 * and whether its answer is right. A program walks all rows, so a new function is tested everywhere by adding rows to
 * its header's list (keyboard_calls.h, vault_calls.h, fido_calls.h).
 *
 * A list includes its rows twice, with CALL defined in two ways:
 *
 *     CALL(function, "what is special", CODE, (.prepare = …, .undo = …), arguments…)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CALLS_H
#define CALLS_H

#include "functions.h"

/* A row that is called several times, in variants: with each algorithm, in both directions. */
struct variants {
  int count;
  void (*choose)(int which);
  const char *(*name)(int which);
  int (*is_slow)(int which); /* NULL: none is */
};

enum { ANY_POINTER = -1000 };
struct call {
  const char *function, *label;
  int expected;          /* the code, or ANY_POINTER */
  uint64_t (*run)(void); /* nothing but the call: what is captured after it is what the library left */
  void (*prepare)(void); /* makes all that the call needs */
  void (*undo)(void);    /* makes it possible to call again; NULL if nothing needs to be undone */
  int (*is_right)(void); /* whether the answers are right, after the expected code; NULL if the code is all */
  const struct variants *variants;
  int succeeds; /* although its code is not 0 */
  int is_slow; /* takes milliseconds: a program may leave it out where it makes the same calls many times */
};

/* All calls of a header. */
struct call_list {
  const char *prefix;       /* of the header's functions */
  const struct call *calls;
  size_t count;
  void (*release)(void);    /* ends what `prepare` made */
};

#define CALL_NAME_(list, line) run_##list##_##line
#define CALL_NAME(list, line) CALL_NAME_(list, line)
#define CALL_OPTIONS(...) __VA_ARGS__
/* The body of a row's function, and its row. */
#define CALL_RUN(list, prefix, function, ...)                                                                    \
  __attribute__((noinline)) static uint64_t CALL_NAME(list, __LINE__)(void) {                                   \
    return (uint64_t)(uintptr_t)prefix##function(__VA_ARGS__);                                                  \
  }
#define CALL_ROW(list, name, what, code, options)                                                               \
  {.function = #name, .label = what, .expected = code, .run = CALL_NAME(list, __LINE__), CALL_OPTIONS options},

/* What a call is called in a message: "unseal, altered, P-256". */
static inline const char *call_name(const struct call *call, int variant) {
  static char name[120];
  const char *which = call->variants && call->variants->name ? call->variants->name(variant) : NULL;
  snprintf(name, sizeof name, "%s, %s%s%s", call->function, call->label, which ? ", " : "", which ? which : "");
  return name;
}

static inline int variant_count(const struct call *call) { return call->variants ? call->variants->count : 1; }

static inline void choose_variant(const struct call *call, int variant) {
  if (call->variants) call->variants->choose(variant);
}

static inline int is_success(const struct call *call) { return call->expected == 0 || call->succeeds; }

static inline int is_slow_call(const struct call *call, int variant) {
  return call->is_slow || (call->variants && call->variants->is_slow && call->variants->is_slow(variant));
}

/* Checks the code of a call that was made, or that there is a pointer. */
static inline int check_code(const struct call *call, uint64_t answer) {
  return call->expected == ANY_POINTER ? CHECK(answer != 0) : CHECK_EQUAL((int32_t)answer, call->expected);
}

/* Checks the answers, too. */
static inline void check_call(const struct call *call, int variant, uint64_t answer) {
  int passed = check_code(call, answer);
  if (passed && call->is_right) passed = CHECK(call->is_right());
  if (!passed) fprintf(stderr, "  (%s)\n", call_name(call, variant));
}

/* Makes each call: `body` runs it after its preparation, and looks at what it wants to. */
static inline void walk_calls(const struct call_list *list, int with_slow_ones,
                              void (*body)(const struct call *call, int variant)) {
  for (size_t i = 0; i < list->count; i++)
    for (int variant = 0; variant < variant_count(&list->calls[i]); variant++) {
      const struct call *call = &list->calls[i];
      choose_variant(call, variant);
      if (!with_slow_ones && is_slow_call(call, variant)) continue;
      body(call, variant);
      list->release();
    }
}

/* Checks that each function of the header has a row that succeeds and one that fails, but those that cannot fail; and
 * that no row is of a function that the header does not have. */
static inline void check_complete(const struct call_list *list, const char *header) {
  read_functions(header, list->prefix);
  for (const struct call *call = list->calls; call < list->calls + list->count; call++)
    note_call(call->function, call->expected != ANY_POINTER && !is_success(call));
  check_all_called();
  for (size_t i = 0; i < function_count; i++) functions[i].successes = functions[i].errors = 0;
}

#endif /* CALLS_H */
