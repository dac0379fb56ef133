/*
 * What the children of fork_inside.c report, and whether two of them, or one and its parent, have bytes in common that
 * each should have drawn for itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORK_REPORTS_H
#define FORK_REPORTS_H

#include "keyboard_calls.h"

enum {
  FRESH = 256, /* bytes of the space that each child fills after the call              */
  RUN = 16     /* two children do not share this many consecutive bytes by chance      */
};

/* A call that is interrupted. */
struct operation {
  const struct call *call;
  int variant, count, algorithm;
  size_t space_size;
  int takes_keyboard;
};

/* What a child reports, in memory that it shares with its parent. */
struct report {
  const struct operation *operation;
  CUSTOM_KEYBOARD_RV rv;
  int is_exact; /* the text leaves no room for anything that is drawn */
  int has_ended, is_wrong_code, is_wrong_answer, is_not_idle, is_anew, is_not_usable, shows_keys;
  size_t offset, length; /* the call's answers; 0 if it failed, or if no part of the space is the same for all */
  size_t room, drawn_at, drawn_end;
  uint32_t order, shown_order;
  size_t fresh_offset, fresh_length;
  uint8_t fresh[FRESH];
  /* The space: in the child, at the fork and after the call; in the parent, after the call. */
  uint8_t *at_fork, *after, *of_parent;
};

static struct report *reports;
static int report_count;

/* RUN bytes that a child has written, and where. */
struct window {
  uint64_t hash;
  const uint8_t *bytes;
  int report;
};

static struct window *windows;
static size_t window_count;

static int by_hash(const void *a, const void *b) {
  uint64_t x = ((const struct window *)a)->hash, y = ((const struct window *)b)->hash;
  return (x > y) - (x < y);
}

static void add_window(const uint8_t *bytes, int report) {
  uint64_t words[2];
  memcpy(words, bytes, RUN);
  uint64_t hash = (words[0] ^ words[1] >> 32 ^ words[1] << 32) * UINT64_C(0x9e3779b97f4a7c15);
  windows[window_count++] = (struct window){hash ^ words[1] * UINT64_C(0x94d049bb133111eb), bytes, report};
}

/* Whether RUN bytes from `at` on overlap the text, which is the same in all children. */
static int touches(size_t at, size_t start, size_t count) {
  return count > 0 && at + RUN > start && at < start + count;
}

/* Everything that the child wrote after the fork, except the text. Zeroes are not randomness if the call has failed. */
static void add_windows(int number) {
  static const uint8_t zeros[RUN];
  const struct report *report = &reports[number];
  for (size_t at = report->drawn_at; at + RUN <= report->drawn_end && !report->is_exact; at++)
    if (memcmp(report->after + at, report->at_fork + at, RUN) != 0 && !touches(at, report->offset, report->length) &&
        (report->rv == CUSTOM_KEYBOARD_OK || memcmp(report->after + at, zeros, RUN) != 0))
      add_window(report->after + at, number);
  for (size_t at = 0; at + RUN <= FRESH && report->fresh_length > 0; at++)
    if (!touches(at, report->fresh_offset, report->fresh_length)) add_window(report->fresh + at, number);
}

/* How many children wrote something that another child wrote too. */
static int count_sharing(void) {
  size_t most = 0;
  uint8_t *shares = calloc((size_t)report_count, 1);
  for (int i = 0; i < report_count; i++) most += reports[i].room + FRESH;
  windows = malloc(most * sizeof *windows);
  REQUIRE(windows && shares);
  for (int i = 0; i < report_count; i++)
    if (reports[i].has_ended) add_windows(i);
  qsort(windows, window_count, sizeof *windows, by_hash);
  for (size_t i = 1; i < window_count; i++) {
    const struct window *a = &windows[i - 1], *b = &windows[i];
    if (a->hash == b->hash && a->report != b->report && memcmp(a->bytes, b->bytes, RUN) == 0)
      shares[a->report] = shares[b->report] = 1;
  }
  int sharing = 0;
  for (int i = 0; i < report_count; i++) {
    sharing += shares[i];
    if (shares[i]) printf("  %s\n", call_name(reports[i].operation->call, reports[i].operation->variant));
  }
  printf("%zu runs of %d bytes written by %d children\n", window_count, RUN, report_count);
  free(windows);
  free(shares);
  return sharing;
}

/* Whether a child that answered wrote the same bytes at the same place as its parent. */
static int shares_with_parent(const struct report *report) {
  if (report->rv != CUSTOM_KEYBOARD_OK) return 0;
  for (size_t at = report->drawn_at; at + RUN <= report->drawn_end; at++)
    if (memcmp(report->after + at, report->at_fork + at, RUN) != 0 && !touches(at, report->offset, report->length) &&
        memcmp(report->after + at, report->of_parent + at, RUN) == 0)
      return 1;
  return 0;
}

/* How many orders another child has too. There are 3,628,800 orders, so among 6000 of them some are equal by
 * chance. */
static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}
static int count_repeated(uint32_t *orders, int count) {
  int repeated = 0;
  qsort(orders, (size_t)count, sizeof *orders, by_number);
  for (int i = 1; i < count; i++) repeated += orders[i] == orders[i - 1];
  return repeated;
}

#endif
