/*
 * Secrets of the searches of memory: drawn by the program, in its memory only masked, and in the clear only for the
 * time of a call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_MASKED_H
#define VAULT_MASKED_H

#include "scan.h"

enum { KEY = 32, NAME = 28, DATA = 700, PASSCODE = 20, LONGEST_SECRET = 1024, SECRET_SPACE = 4096 };

static const struct secret_kind {
  const char *kind;
  size_t length;
  int is_text;
} secret_kinds[] = {
    {"key", KEY, 0},           {"next key", KEY, 0},      {"pepper", KEY, 0},        {"service", NAME, 1},
    {"account", NAME, 1},      {"label", NAME, 1},        {"kind", NAME, 1},         {"data", DATA, 0},
    {"next data", DATA, 0},    {"name", NAME, 1},         {"passcode", PASSCODE, 1}, {"next code", PASSCODE, 1},
    {"words", 0, 1},
};
enum secret_number {
  THE_KEY, NEXT_KEY, PEPPER, SERVICE, ACCOUNT, LABEL, KIND, THE_DATA, NEXT_DATA, THE_NAME, THE_PASSCODE, NEXT_PASSCODE,
  WORDS, SECRETS
};

/* Twelve words, each letter thirteen places further: not what is searched for. */
static const char hidden_words[] = "yrtny jvaare gunax lrne jnir fnhfntr jbegu hfrshy yrtny jvaare gunax lryybj";

static struct masked {
  uint8_t masked[LONGEST_SECRET], mask[LONGEST_SECRET];
  size_t length;
} masked[SECRETS];

/* Where secrets are during a call, because its caller needs them. Texts end with a NUL. */
static volatile uint8_t in_clear[6][LONGEST_SECRET];
static uint8_t secret_space[SECRET_SPACE];

static uint64_t next_number(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void draw_masked(uint64_t seed) {
  for (int i = 0; i < SECRETS; i++) {
    uint64_t state = seed + (uint64_t)i * 1000003;
    masked[i].length = i == WORDS ? sizeof hidden_words - 1 : secret_kinds[i].length;
    for (size_t k = 0; k < masked[i].length; k++) {
      uint64_t number = next_number(&state);
      masked[i].mask[k] = (uint8_t)number;
      volatile uint8_t byte = secret_kinds[i].is_text ? (uint8_t)('!' + (number >> 8) % 94) : (uint8_t)(number >> 8);
      if (i == WORDS)
        byte = hidden_words[k] == ' ' ? ' ' : (uint8_t)('a' + (hidden_words[k] - 'a' + 13) % 26);
      masked[i].masked[k] = byte ^ masked[i].mask[k];
    }
  }
}

__attribute__((noinline)) static const uint8_t *show(int which, enum secret_number number) {
  volatile uint8_t *place = in_clear[which];
  for (size_t i = 0; i < masked[number].length; i++) place[i] = masked[number].masked[i] ^ masked[number].mask[i];
  place[masked[number].length] = 0;
  return (const uint8_t *)place;
}
static inline const char *show_text(int which, enum secret_number number) { return (const char *)show(which, number); }

static void hide_all(void) {
  wipe(in_clear, sizeof in_clear);
  wipe(secret_space, sizeof secret_space);
}

static inline int is_the_callers(uintptr_t at) {
  return (at >= (uintptr_t)in_clear && at < (uintptr_t)in_clear + sizeof in_clear) ||
         (at >= (uintptr_t)secret_space && at < (uintptr_t)secret_space + sizeof secret_space);
}

#endif
