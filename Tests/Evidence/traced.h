/*
 * What the programs that are followed have in common: a call is repeated with other secrets at the same addresses. They
 * print a line for each call, with the results of follow.h, or of a tracer from outside. The first call of each kind is
 * not followed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TRACED_H
#define TRACED_H

#define _GNU_SOURCE /* the numbers of registers */

#include "follow.h"
#include <custom_keyboard.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 8 };

static uint64_t draw(void) {
  static uint64_t seed = 1;
  uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void draw_bytes(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)draw();
}

static void require(CUSTOM_KEYBOARD_RV rv) {
  if (rv != CUSTOM_KEYBOARD_OK) abort();
}

static void follow_times(const char *what, int times, void (*prepare)(void), void (*call)(void)) {
  for (volatile int i = 0; i <= times; i++) {
    prepare();
    if (i == 0) {
      call();
      continue;
    }
    printf("%s ", what);
    fflush(stdout);
    follow_call(call);
  }
}

/* What the library must not do, and the trace must show. */
static uint8_t control_secret;
static volatile uint8_t control_table[256], control_result;
static void draw_control(void) { control_secret = (uint8_t)draw(); }
static void look_up(void) { control_result = control_table[control_secret]; }
static void branch(void) {
  if (control_secret & 1) control_result = 1;
}

static void follow_controls(void) {
  follow_times("control,look-up", TIMES, draw_control, look_up);
  follow_times("control,branch", TIMES, draw_control, branch);
}

#endif /* TRACED_H */
