/*
 * Base64, hexadecimal digits and UTF-8 in full: the library's own compiled functions (in_full.py).
 *
 * A byte of Base64 comes from two characters, and a group of four says three bytes. So all pairs of characters in each
 * place are tried, right and wrong ones, and all groups of right ones. UTF-8 is a tree: after each beginning that is
 * not a whole character yet, each byte is tried.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "in_full.h"

/* ---- Base64: `self` is the alphabet, 0 or 1. */

void base64_encode(const void *bytes, const void *end, void *text, uint8_t alphabet);
uint8_t base64_is_text(const void *text, const void *end, void *bytes, uint8_t alphabet);
uint8_t base64_contains(uint8_t character, uint8_t alphabet);

static const char *const alphabets[2] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};

static int value_of(uint8_t character, int alphabet) {
  const char *found = character ? strchr(alphabets[alphabet], character) : NULL;
  return found ? (int)(found - alphabets[alphabet]) : -1;
}

/* A text of one to four characters beside its definition: whether it is right, and which bytes. */
static void check_group(const uint8_t *text, int size, int alphabet, const int *values) {
  uint8_t bytes[4] = {0};
  uint32_t bits = 0;
  int is_right = 1;
  for (int i = 0; i < size; i++) {
    int value = values[text[i]];
    is_right &= value >= 0;
    bits = bits << 6 | (uint32_t)(value & 63);
  }
  int count = size * 6 / 8, left = size * 6 % 8;
  is_right &= (bits & ((1u << left) - 1)) == 0;
  same((base64_is_text(text, text + size, bytes, (uint8_t)alphabet) & 1) == is_right, "Base64");
  same((base64_is_text(text, text + size, NULL, (uint8_t)alphabet) & 1) == is_right, "Base64");
  for (int i = 0; i < count && is_right; i++)
    same(bytes[i] == (uint8_t)(bits >> left >> 8 * (count - 1 - i)), "Base64");
}

static void base64(int alphabet) {
  unsigned long long count = 0;
  int values[256];
  for (int c = 0; c < 256; c++) {
    values[c] = value_of((uint8_t)c, alphabet);
    same((base64_contains((uint8_t)c, (uint8_t)alphabet) & 1) == (values[c] >= 0), "Base64, characters");
  }
  /* Two characters, in each two places of texts of up to four; the others are right. */
  for (int size = 1; size <= 4; size++)
    for (int first = 0; first < size; first++)
      for (int second = first; second < size; second++)
        for (unsigned pair = 0; pair < 65536; pair++) {
          uint8_t text[4];
          for (int i = 0; i < 4; i++) text[i] = (uint8_t)alphabets[alphabet][draw() % 64];
          text[first] = (uint8_t)pair;
          text[second] = (uint8_t)(pair >> 8);
          check_group(text, size, alphabet, values);
          count++;
        }
  /* All three bytes, there and back. */
  for (uint32_t all = 0; all < 1u << 24; all++) {
    uint8_t bytes[3] = {(uint8_t)(all >> 16), (uint8_t)(all >> 8), (uint8_t)all}, text[4], again[3];
    base64_encode(bytes, bytes + 3, text, (uint8_t)alphabet);
    for (int i = 0; i < 4; i++)
      same(text[i] == (uint8_t)alphabets[alphabet][all >> (18 - 6 * i) & 63], "Base64, encoding");
    same(base64_is_text(text, text + 4, again, (uint8_t)alphabet) & 1 && memcmp(again, bytes, 3) == 0, "Base64");
    count++;
  }
  /* One byte and two, which end in zeros. */
  for (uint32_t all = 0; all < 65536; all++)
    for (int size = 1; size <= 2; size++) {
      uint8_t bytes[2] = {(uint8_t)(all >> 8), (uint8_t)all}, text[4] = {0};
      uint32_t bits = size == 1 ? (all >> 8) << 4 : all << 2;
      base64_encode(bytes, bytes + size, text, (uint8_t)alphabet);
      for (int i = 0; i <= size; i++)
        same(text[i] == (uint8_t)alphabets[alphabet][bits >> 6 * (size - i) & 63], "Base64, encoding");
      same(text[size + 1] == 0, "Base64, encoding");
      count++;
    }
  tried(alphabet ? "base64url" : "Base64", count);
}

/* ---- Hexadecimal digits */

void hexadecimal_encode(const void *bytes, const void *end, void *text);
uint8_t hexadecimal_decode(const void *text, const void *end, void *bytes);
uint8_t hexadecimal_is_digit(uint8_t character);

static int digit_of(uint8_t c) {
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  const char *found = c ? strchr(digits, c) : NULL;
  return found ? (int)(found - digits) & 15 : -1;
}

/* Each pair of characters in each place of texts of up to ten bytes, each byte, and odd lengths. */
static void hexadecimal(void) {
  unsigned long long count = 0;
  for (int c = 0; c < 256; c++)
    same((hexadecimal_is_digit((uint8_t)c) & 1) == (digit_of((uint8_t)c) >= 0), "hexadecimal, digits");
  for (int size = 1; size <= 10; size++)
    for (int place = 0; place < size; place++)
      for (unsigned pair = 0; pair < 65536; pair++) {
        uint8_t text[20], bytes[10], again[20];
        for (int i = 0; i < 20; i++) text[i] = (uint8_t)"0123456789abcdef"[draw() % 16];
        text[2 * place] = (uint8_t)pair;
        text[2 * place + 1] = (uint8_t)(pair >> 8);
        int high = digit_of(text[2 * place]), low = digit_of(text[2 * place + 1]);
        int is_right = high >= 0 && low >= 0;
        same((hexadecimal_decode(text, text + 2 * size, bytes) & 1) == is_right, "hexadecimal");
        same((hexadecimal_decode(text, text + 2 * size - 1, bytes) & 1) == 0, "hexadecimal, an odd length");
        for (int i = 0; i < size && is_right; i++)
          same(bytes[i] == (digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1])), "hexadecimal");
        if (is_right) {
          hexadecimal_encode(bytes, bytes + size, again);
          for (int i = 0; i < 2 * size; i++)
            same(again[i] == (uint8_t)"0123456789abcdef"[digit_of(text[i])], "hexadecimal, encoding");
        }
        count++;
      }
  tried("hexadecimal", count);
}

/* ---- UTF-8 */

void utf8_take(void);
enum { SCALAR_BYTES = 24 };

/* Whether bytes are a whole character (its number), the beginning of one (-1), or neither (-2). */
static int64_t definition(const uint8_t *bytes, int count) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000}, most[5] = {0, 0x7f, 0x7ff, 0xffff, 0x10ffff};
  int size = bytes[0] < 0x80 ? 1 : bytes[0] >> 5 == 6 ? 2 : bytes[0] >> 4 == 14 ? 3 : bytes[0] >> 3 == 30 ? 4 : 0;
  if (size == 0 || count > size) return -2;
  uint32_t number = size == 1 ? bytes[0] : bytes[0] & (0x7fu >> size);
  for (int i = 1; i < count; i++) {
    if (bytes[i] >> 6 != 2) return -2;
    number = number << 6 | (bytes[i] & 63);
  }
  /* The numbers that can still come of it, and those that characters of this length have. */
  uint32_t left = 6 * (uint32_t)(size - count), low = number << left, high = low | ((1u << left) - 1);
  if (low < least[size]) low = least[size];
  if (high > most[size]) high = most[size];
  if (low > high || (low >= 0xd800 && high <= 0xdfff)) return -2;
  return left ? -1 : (int64_t)number;
}

static unsigned long long utf8_count;

static void utf8_from(const uint8_t *state, uint8_t *bytes, int count) {
  for (int byte = 0; byte < 256; byte++) {
    uint8_t next[SCALAR_BYTES];
    memcpy(next, state, sizeof next);
    bytes[count] = (uint8_t)byte;
    uint64_t step = call_with_self((const void *)(uintptr_t)byte, NULL, utf8_take, next);
    int64_t wanted = definition(bytes, count + 1);
    uint64_t said = wanted >= 0 ? (uint64_t)wanted : wanted == -1 ? 1ull << 32 : 1ull << 32 | 1;
    same(step == said, "UTF-8");
    utf8_count++;
    if (wanted == -1) utf8_from(next, bytes, count + 1);
  }
}

static void utf8(void) {
  uint8_t bytes[5], state[SCALAR_BYTES] = {0};
  state[16] = 0x80, state[17] = 0xbf;
  utf8_from(state, bytes, 0);
  tried("UTF-8", utf8_count);
}

void text_in_full(void) {
  base64(0), base64(1);
  hexadecimal();
  utf8();
}
