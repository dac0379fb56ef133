/*
 * Which functions a header declares, and which of them a program has called with success and with an error. A program
 * fails if the header has a function that it does not call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "check.h"
#include <ctype.h>

enum { MOST_FUNCTIONS = 64, LONGEST_NAME = 40 };

static struct function {
  char name[LONGEST_NAME]; /* without "CustomKeyboard_" or "CustomVault_" */
  unsigned successes, errors;
  int takes_keyboard; /* dukptNext as its second argument, all others as the first */
} functions[MOST_FUNCTIONS];
static size_t function_count;

/* The function of that name, which is added to the list if it is not there yet. */
static inline struct function *find_function(const char *name, size_t length) {
  for (size_t i = 0; i < function_count; i++)
    if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0) return &functions[i];
  REQUIRE(function_count < MOST_FUNCTIONS && length < LONGEST_NAME);
  memcpy(functions[function_count].name, name, length);
  return &functions[function_count++];
}

/* Reads the header: every "CustomKeyboard_…(" that is not in a comment, if that is the prefix. */
static inline void read_functions(const char *path, const char *prefix) {
  static char text[1 << 17];
  FILE *file = fopen(path, "r");
  REQUIRE(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  REQUIRE(length > 0 && length < sizeof text - 1);
  for (char *comment = text, *end; (comment = strstr(comment, "/*")); comment = end) {
    REQUIRE((end = strstr(comment, "*/")));
    memset(comment, ' ', (size_t)(end - comment));
  }
  for (char *at = text; (at = strstr(at, prefix));) {
    const char *name = at += strlen(prefix);
    while (isalnum((unsigned char)*at)) at++;
    if (*at != '(') continue;
    const char *end = strchr(at, ';'), *keyboard = strstr(at, "CUSTOM_KEYBOARD keyboard");
    REQUIRE(end);
    find_function(name, (size_t)(at - name))->takes_keyboard = keyboard && keyboard < end;
  }
  REQUIRE(function_count >= 10);
}

/* Counts a call; returns its function. */
static inline struct function *note_call(const char *name, int has_failed) {
  size_t known = function_count;
  struct function *function = find_function(name, strlen(name));
  REQUIRE(function_count == known); /* the header must have it */
  if (has_failed)
    function->errors++;
  else
    function->successes++;
  return function;
}

/* Checks that each function of the header was called with success, and with an error if it can fail. */
static inline void check_all_called(void) {
  for (size_t i = 0; i < function_count; i++) {
    const struct function *f = &functions[i];
    int cannot_fail = strcmp(f->name, "version") == 0 || strcmp(f->name, "cause") == 0 || strstr(f->name, "essage");
    if (!CHECK(f->successes > 0) || !CHECK(f->errors > 0 || cannot_fail))
      fprintf(stderr, "  (%s: %u calls with success, %u with an error)\n", f->name, f->successes,
              f->errors);
  }
}

#endif /* FUNCTIONS_H */
