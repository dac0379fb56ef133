/*
 * Calls of libc functions that have nothing to do with the library. Each call of `disturb` calls some of them for the
 * first time. With lazy binding, the dynamic linker then saves the processor's registers, vector registers included, to
 * the stack. Compile with -fno-builtin; otherwise the compiler replaces these calls with its own code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DISTURB_H
#define DISTURB_H

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static volatile long disturbed;
static char disturbance[64] = "12";

static int by_value(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

/* Every function has a number; none is called before its turn. */
static void call_function(unsigned turn) {
  char *s = disturbance, other[] = "other";
  long result = 0;
#define TURN(expression) \
  if (turn-- == 0) result = (long)(expression); else
  TURN(abs(-3)) TURN(labs(-3)) TURN(llabs(-3)) TURN(atoi(s)) TURN(atol(s)) TURN(atoll(s)) TURN(atof(s))
  TURN(strtol(s, NULL, 7)) TURN(strtoul(s, NULL, 7)) TURN(strtoll(s, NULL, 7)) TURN(strtod(s, NULL))
  TURN(strtof(s, NULL)) TURN(strtold(s, NULL)) TURN(getpid()) TURN(getppid()) TURN(getuid()) TURN(geteuid())
  TURN(getgid()) TURN(getegid()) TURN(div(7, 2).rem) TURN(ldiv(7, 2).rem) TURN(lldiv(7, 2).rem) TURN(strcspn(s, "2"))
  TURN(strspn(s, "1")) TURN(strpbrk(s, "2") - s) TURN(strcoll(s, other)) TURN(strnlen(s, 3)) TURN(ffs(8))
  TURN(strcasecmp(s, other)) TURN(strncasecmp(s, other, 2)) TURN(toupper('a')) TURN(tolower('A')) TURN(isalpha('a'))
  TURN(isdigit('a')) TURN(isspace('a')) TURN(isupper('a')) TURN(ispunct('a')) TURN(isxdigit('a')) TURN(iscntrl('a'))
  TURN(isgraph('a')) TURN(isprint('a')) TURN(isalnum('a')) TURN(isblank('a')) TURN(islower('a')) TURN(rand())
  TURN(random()) TURN(time(NULL)) TURN(clock()) TURN(mblen(s, 1)) TURN(btowc('a')) TURN(wctob(L'a'))
  TURN(towupper(L'a')) TURN(towlower(L'a')) TURN(iswalpha(L'a')) TURN(iswdigit(L'a')) TURN(iswspace(L'a'))
  TURN(iswpunct(L'a')) TURN(wcslen(L"wide")) TURN(wcscmp(L"wide", L"side")) TURN(wcschr(L"wide", L'd') != NULL)
  TURN(sysconf(_SC_PAGESIZE)) TURN(isatty(99)) TURN(getpgrp()) TURN(drand48() * 100) TURN(lrand48()) TURN(mrand48())
  TURN(memchr(s, '1', 2) != NULL) TURN(strrchr(s, '1') != NULL) TURN(strstr(s, "2") != NULL)
  TURN(strsep(&s, "x") != NULL) TURN(difftime(9, 3)) TURN(getpagesize()) TURN(access("/", F_OK))
  TURN(alarm(600)) TURN(strncmp(s, other, 2))
  { snprintf(disturbance + 8, 32, "%u", turn); }
  disturbed += result;
}

/* Prints integers and fractions, and sorts: libc's frames overwrite those of the library. */
__attribute__((noinline)) static void print_and_sort(void) {
  char letters[] = "disturbance", printed[64];
  qsort(letters, sizeof letters - 1, 1, by_value);
  snprintf(printed, sizeof printed, "%d %.6f %g", (int)disturbed, (double)disturbed / 7, 1e100 / 3);
  disturbed += printed[0] + letters[0];
}

/* Makes only first calls, so that nothing overwrites the saved registers. Every fourth time, print_and_sort follows. */
__attribute__((noinline, unused)) static void disturb(void) {
  static unsigned turn, time;
  for (int i = 0; i < 3; i++) call_function(turn++);
  if (time++ % 4 == 3) print_and_sort();
}

#endif /* DISTURB_H */
