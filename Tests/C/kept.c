/*
 * Which secrets a keyboard keeps, and for how long. In its memory they are XORed with a pad, so a plain search cannot
 * find them, and cannot show that they are gone. This program undoes the XOR: it searches the library's locked memory
 * for two words, at any distance, whose exclusive or is a word of the secret. While a secret is kept, it must be found
 * once; after that, not at all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "fixture.h"
#include <fcntl.h>
#include <unistd.h>

enum { WORD = 8, FARTHEST = 2368 /* a slot has as many bytes, a workspace 1024 */, LONGEST = 128, LINE = 4096 };

/* How many of the secret's words are between two addresses, masked or in the clear. The kernel copies that memory,
 * because valgrind calls the frames of ended calls invalid, and the stacks for secrets have some. */
static size_t count_words_in(uintptr_t start, uintptr_t end, const uint8_t *secret, size_t length) {
  uint64_t words[LONGEST / WORD], *copy = malloc(end - start);
  size_t found = 0, count = length / WORD, size = (end - start) / WORD;
  int memory = open("/proc/self/mem", O_RDONLY);
  REQUIRE(copy && memory >= 0 && pread(memory, copy, end - start, (off_t)start) == (ssize_t)(end - start));
  close(memory);
  memcpy(words, secret, count * WORD);
  for (size_t at = 0; at < size; at++) {
    if (copy[at] == 0) continue; /* most of it; a word in the clear is found as `at` */
    for (size_t other = at; other < size && other <= at + FARTHEST / WORD; other++) {
      uint64_t sum = other == at ? copy[at] : copy[at] ^ copy[other];
      for (size_t i = 0; sum != 0 && i < count; i++) found += sum == words[i];
    }
  }
  free(copy);
  return found;
}

/* The same for all of the library's memory for secrets. It is the memory that a fork empties in the child; nothing else
 * in this program asks for that. */
static size_t count_words(const uint8_t *secret, size_t length) {
  char line[LINE];
  unsigned long start = 0, end = 0, from, to;
  size_t found = 0, regions = 0;
  FILE *file = fopen("/proc/self/smaps", "r");
  REQUIRE(file && length % WORD == 0 && length <= LONGEST);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2) start = from, end = to;
    if (strncmp(line, "VmFlags:", 8) != 0 || !strstr(line, " wf")) continue;
    found += count_words_in(start, end, secret, length);
    regions++;
  }
  fclose(file);
  REQUIRE(regions > 0);
  return found;
}

static const struct algorithm *a;
static uint8_t password[16], others[16], key[LONGEST_KEY], other_key[LONGEST_KEY];
static CUSTOM_KEYBOARD k;

/* Checks that the whole secret is there once. */
#define KEPT(secret, length) CHECK_EQUAL(count_words((secret), (length)), (length) / WORD)
#define GONE(secret, length) CHECK_EQUAL(count_words((secret), (length)), 0)

static void make(void) {
  REQUIRE_OK(CustomKeyboard_create(&k));
  GONE(key, a->key_length);
  CHECK_OK(CustomKeyboard_setEncKey(k, key, a->key_length, a->way));
  KEPT(key, a->key_length);
  CHECK_OK(CustomKeyboard_open(k));
  GONE(password, 16);
  CHECK_OK(CustomKeyboard_input(k, password, 16));
  KEPT(password, 16);
}

static void check_typing(void) {
  uint8_t space[64], broken[16];
  size_t offset, length;
  make();
  for (int i = 0; i < 2; i++) CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  KEPT(password, 16);
  KEPT(key, a->key_length);
  memcpy(broken, others, 16);
  broken[15] = 0xff;
  CHECK_EQUAL(CustomKeyboard_input(k, broken, 16), CUSTOM_KEYBOARD_ARGUMENT);
  GONE(others, 8);
  for (int i = 0; i < 8; i++) CHECK_OK(CustomKeyboard_deleteBackward(k));
  KEPT(password, 8);
  GONE(password + 8, 8);
  CHECK_OK(CustomKeyboard_clear(k));
  GONE(password, 16);
  CHECK_OK(CustomKeyboard_input(k, others, 16));
  KEPT(others, 16);
  CHECK_OK(CustomKeyboard_destroy(k));
  GONE(others, 16);
  GONE(key, a->key_length);
}

/* `close` wipes what was typed; the key stays for the next opening. */
static void check_closing(void) {
  uint8_t space[16];
  size_t offset, length;
  make();
  CHECK_OK(CustomKeyboard_close(k));
  GONE(password, 16);
  KEPT(key, a->key_length);
  CHECK_OK(CustomKeyboard_open(k));
  GONE(password, 16);
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  CHECK_EQUAL(length, a->block_size); /* an empty password */
  CHECK_OK(CustomKeyboard_close(k));
  CHECK_OK(CustomKeyboard_destroy(k));
  GONE(key, a->key_length);
}

/* A new key replaces the old one completely, even the end of a longer one; a refused key changes nothing. */
static void check_keys(void) {
  make();
  CHECK_OK(CustomKeyboard_close(k));
  CHECK_EQUAL(CustomKeyboard_setEncKey(k, other_key, a->key_length - 1, a->way), CUSTOM_KEYBOARD_ERR);
  GONE(other_key, 8);
  KEPT(key, a->key_length);
  CHECK_OK(CustomKeyboard_setEncKey(k, other_key, 8, CUSTOM_ENCWAY_DES));
  GONE(key, a->key_length);
  KEPT(other_key, 8);
  CHECK_OK(CustomKeyboard_destroy(k));
  GONE(other_key, 8);
}

/* Calls that need no keyboard leave no secret. */
static void check_decryption(void) {
  uint8_t text[32], clear[3][64], space[64];
  size_t offset, length;
  CUSTOM_KEYBOARD_JOB jobs[3];
  make();
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  memcpy(text, space + offset, length);
  CHECK_OK(CustomKeyboard_destroy(k));
  size_t text_length = length;
  CHECK_OK(CustomKeyboard_decrypt(a->way, key, a->key_length, text, text_length, space, 64, &offset, &length));
  CHECK_BYTES(space + offset, password, 16);
  GONE(password, 16);
  GONE(key, a->key_length);
  for (int i = 0; i < 3; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){key, a->key_length, text, text_length, clear[i], 64, 0, CUSTOM_KEYBOARD_RANDOM};
  CHECK_OK(CustomKeyboard_decryptBatch(a->way, jobs, 3));
  CHECK_BYTES(clear[2], password, 16);
  GONE(password, 16);
  GONE(key, a->key_length);
}

int main(void) {
  uint64_t seed = take_seed();
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    a = &algorithms[i];
    draw_password(&seed, password, sizeof password);
    draw_password(&seed, others, sizeof others);
    draw_bytes(&seed, key, sizeof key);
    draw_bytes(&seed, other_key, sizeof other_key);
    check_typing();
    check_closing();
    check_keys();
    check_decryption();
  }
  return check_end("kept", 250 * LESS);
}
