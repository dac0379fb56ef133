/*
 * What can be typed: only UTF-8; characters as a person counts them, however their bytes are split into calls; at most
 * 128 bytes; a text that can be read several times; and a refused call that changes nothing. Also the library's own
 * strings: a message for every code, and its version.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"

static const uint8_t key[] = "8907654329807654";
enum { KEY_LENGTH = 16 };

static CUSTOM_KEYBOARD fresh(void) { return typed(CUSTOM_ENCWAY_SM4, key, KEY_LENGTH, NULL, 0); }

static size_t count(CUSTOM_KEYBOARD keyboard) {
  size_t characters = SIZE_MAX;
  CHECK_OK(CustomKeyboard_count(keyboard, &characters));
  return characters;
}

/* Checks that the keyboard holds exactly these bytes, by decrypting its text. */
static int holds(CUSTOM_KEYBOARD keyboard, const void *expected, size_t length) {
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t offset, text_length, clear_offset, clear_length = SIZE_MAX;
  CHECK_OK(CustomKeyboard_getText(keyboard, text, padded(length, 16), &offset, &text_length));
  CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, KEY_LENGTH, text, text_length, clear, sizeof clear,
                                  &clear_offset, &clear_length));
  return CHECK_EQUAL(clear_length, length) && CHECK_BYTES(clear + clear_offset, expected, length);
}

/* ---- Characters -------------------------------------------------------------------------------------------------- */

#define KOREAN "\xed\x95\x9c\xea\xb8\x80"                                                       /* two syllables      */
#define FAMILY "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7"       /* three, two joiners */
#define FLAG_KR "\xf0\x9f\x87\xb0\xf0\x9f\x87\xb7"                                              /* two indicators     */
#define ACUTE "\xcc\x81"                                                                        /* combining, U+0301  */

/* Types the pieces between the bars one by one and counts after each; then deletes character by character. */
static void check_characters(const char *pieces, const char *counts, const char *after_deleting) {
  CUSTOM_KEYBOARD keyboard = fresh();
  char all[256] = "";
  int n = 0, right = 1;
  for (const char *piece = pieces; *piece; n++) {
    size_t length = strcspn(piece, "|");
    CHECK_OK(CustomKeyboard_input(keyboard, bytes(piece), length));
    strncat(all, piece, length);
    right &= CHECK_EQUAL(count(keyboard), counts[n] - '0') && holds(keyboard, all, strlen(all));
    piece += length + (piece[length] == '|');
  }
  for (const char *left = after_deleting; *left; left++) {
    CHECK_OK(CustomKeyboard_deleteBackward(keyboard));
    right &= CHECK_EQUAL(count(keyboard), *left - '0');
  }
  right &= holds(keyboard, "", 0);
  CHECK_OK(CustomKeyboard_deleteBackward(keyboard)); /* nothing left to delete: OK, without effect */
  right &= CHECK_EQUAL(count(keyboard), 0);
  if (!right) fprintf(stderr, "  (typed %s)\n", pieces);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

static void check_all_characters(void) {
  check_characters("a|b|c", "123", "210");
  check_characters(KOREAN "\xc3\xa9" FAMILY FLAG_KR, "5", "43210");
  check_characters(KOREAN "|\xc3\xa9|" FAMILY "|" FLAG_KR, "2345", "43210");
  /* A combining character comes in a call of its own. */
  check_characters("e|" ACUTE "|x|" ACUTE "|" ACUTE, "11222", "10");
  check_characters(ACUTE "|" ACUTE "|a", "112", "10");
  /* Regional indicators form pairs, however they are split into calls. */
  check_characters("\xf0\x9f\x87\xb0|\xf0\x9f\x87\xb7|\xf0\x9f\x87\xaf|\xf0\x9f\x87\xb5", "1122", "10");
  /* Joiners: man + ZWJ + woman + ZWJ + girl, one scalar per call, stay one character all the time. */
  check_characters("\xf0\x9f\x91\xa8|\xe2\x80\x8d|\xf0\x9f\x91\xa9|\xe2\x80\x8d|\xf0\x9f\x91\xa7|z", "111112", "10");
  /* Skin tone, variation selector, keycap; jamo that form a syllable; CR LF; NUL is a character like any other. */
  check_characters("\xf0\x9f\x91\x8d|\xf0\x9f\x8f\xbd", "11", "0");
  check_characters("\xe2\x9d\xa4|\xef\xb8\x8f|1|\xef\xb8\x8f|\xe2\x83\xa3", "11222", "10");
  check_characters("\xe1\x84\x92|\xe1\x85\xa1|\xe1\x86\xab|\xe1\x84\x92", "1112", "10");
  check_characters("\r|\n|\n", "112", "10");
  CUSTOM_KEYBOARD keyboard = fresh();
  CHECK_OK(CustomKeyboard_input(keyboard, bytes("a\0b"), 3));
  CHECK_EQUAL(count(keyboard), 3);
  holds(keyboard, "a\0b", 3);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------- */

/* Whether one to four bytes are one UTF-8 scalar, directly from the definition (RFC 3629 §3, §4). */
static int is_scalar(const uint8_t *b, size_t n) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  static const uint8_t lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0}, mask[] = {0, 0x80, 0xe0, 0xf0, 0xf8};
  if (n < 1 || n > 4 || (b[0] & mask[n]) != lead[n]) return 0;
  uint32_t scalar = b[0] & (uint8_t)~mask[n];
  for (size_t i = 1; i < n; i++) {
    if ((b[i] & 0xc0) != 0x80) return 0;
    scalar = scalar << 6 | (b[i] & 0x3f);
  }
  return scalar >= least[n] && scalar <= 0x10ffff && (scalar < 0xd800 || scalar > 0xdfff);
}

/* All sequences of up to four bytes, from bytes at which the rules change, compared with the definition. */
static void check_sequences(void) {
  static const uint8_t edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
                                  0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfc, 0xff};
  enum { EDGES = sizeof edges };
  CUSTOM_KEYBOARD keyboard = fresh();
  for (size_t n = 1, all = EDGES; n <= 4; n++, all *= EDGES)
    for (size_t i = 0; i < all; i++) {
      uint8_t b[4];
      for (size_t j = 0, rest = i; j < n; j++, rest /= EDGES) b[j] = edges[rest % EDGES];
      /* valid if it can be divided into scalars */
      int valid[5] = {1};
      for (size_t end = 1; end <= n; end++)
        for (size_t start = 0; start < end; start++) valid[end] |= valid[start] && is_scalar(b + start, end - start);
      CUSTOM_KEYBOARD_RV rv = CustomKeyboard_input(keyboard, b, n);
      if (!CHECK_EQUAL(rv, valid[n] ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ARGUMENT)) check_print_hex("typed", b, n);
      if (rv == CUSTOM_KEYBOARD_OK) CustomKeyboard_clear(keyboard);
    }
  /* A refused piece adds nothing, not even its valid beginning; half a character is not a character. */
  CHECK_OK(CustomKeyboard_input(keyboard, bytes("kept"), 4));
  CHECK_EQUAL(CustomKeyboard_input(keyboard, bytes("good\xc3"), 5), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_input(keyboard, bytes("\xa9"), 1), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_input(keyboard, bytes("\xed\xa0\x80good"), 7), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(count(keyboard), 4);
  holds(keyboard, "kept", 4);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- The maximum ------------------------------------------------------------------------------------------------- */

/* Exactly 128 bytes, in two pieces split anywhere; one more byte is refused and changes nothing. */
static void check_maximum(void) {
  uint8_t password[160];
  memset(password, 'm', sizeof password);
  for (size_t first = 0; first <= 128; first++) {
    CUSTOM_KEYBOARD keyboard = fresh();
    CHECK_OK(CustomKeyboard_input(keyboard, password, first));
    CHECK_EQUAL(CustomKeyboard_input(keyboard, password, 129 - first), CUSTOM_KEYBOARD_MAXLEN);
    CHECK_EQUAL(CustomKeyboard_input(keyboard, password, sizeof password), CUSTOM_KEYBOARD_MAXLEN);
    CHECK_EQUAL(count(keyboard), first);
    CHECK_OK(CustomKeyboard_input(keyboard, password, 128 - first));
    CHECK_EQUAL(CustomKeyboard_input(keyboard, password, 1), CUSTOM_KEYBOARD_MAXLEN);
    CHECK_OK(CustomKeyboard_input(keyboard, NULL, 0));
    CHECK_EQUAL(count(keyboard), 128);
    holds(keyboard, password, 128);
    CHECK_OK(CustomKeyboard_deleteBackward(keyboard));
    CHECK_EQUAL(CustomKeyboard_input(keyboard, bytes("\xc3\xa9"), 2), CUSTOM_KEYBOARD_MAXLEN);
    CHECK_OK(CustomKeyboard_input(keyboard, password, 1));
    CHECK_OK(CustomKeyboard_clear(keyboard));
    CHECK_EQUAL(count(keyboard), 0);
    CHECK_OK(CustomKeyboard_destroy(keyboard));
  }
}

/* The same text can be read any number of times, until close; after that the text is gone and the key is still set. */
static void ask_again(void) {
  uint8_t one[16], two[16];
  size_t offset, length;
  CUSTOM_KEYBOARD keyboard = fresh();
  CHECK_OK(CustomKeyboard_input(keyboard, bytes("again"), 5));
  CHECK_OK(CustomKeyboard_getText(keyboard, one, sizeof one, &offset, &length));
  for (int i = 0; i < 100; i++) {
    memset(two, 0, sizeof two);
    CHECK_OK(CustomKeyboard_getText(keyboard, two, sizeof two, &offset, &length));
    CHECK_EQUAL(offset, 0);
    CHECK_BYTES(two, one, sizeof one);
  }
  CHECK_OK(CustomKeyboard_close(keyboard));
  CHECK_EQUAL(count(keyboard), 0);
  CHECK_OK(CustomKeyboard_open(keyboard));
  holds(keyboard, "", 0);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- The library's strings --------------------------------------------------------------------------------------- */

static void check_messages(void) {
  const char *unknown = CustomKeyboard_message((CUSTOM_KEYBOARD_RV)(CUSTOM_KEYBOARD_BUSY + 1));
  for (int code = -3; code <= 300; code++) {
    const char *message = CustomKeyboard_message((CUSTOM_KEYBOARD_RV)code);
    if (!CHECK(message != NULL)) continue;
    size_t length = strlen(message);
    CHECK(length > 0 && length < 200 && message[length - 1] == '.' && !strchr(message, '\n'));
    CHECK((strcmp(message, unknown) == 0) == (code < 0 || code > CUSTOM_KEYBOARD_BUSY));
    for (int other = 0; other < code && code <= CUSTOM_KEYBOARD_BUSY; other++)
      CHECK(strcmp(message, CustomKeyboard_message((CUSTOM_KEYBOARD_RV)other)) != 0);
  }
  CHECK_BYTES(CustomKeyboard_version(), CUSTOM_KEYBOARD_VERSION, sizeof CUSTOM_KEYBOARD_VERSION);
}

int main(void) {
  check_all_characters();
  check_sequences();
  check_maximum();
  ask_again();
  check_messages();
  return check_end("text", 28 + 28 * 28 + 28 * 28 * 28 + 28 * 28 * 28 * 28 + 3000);
}
