/*
 * What a server in C does, for compare.py: a batch of texts that are anywhere in memory, and one login. It is called
 * from Python, which costs a microsecond, and so is timed in the same way as the package for Python.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <custom_keyboard.h>
#include <stdlib.h>
#include <string.h>

/* Opens the texts, counts those that open, and wipes the passwords; -1 if the call fails. */
long batch(CUSTOM_ENCWAY way, const uint8_t *key, size_t keyLength, const uint8_t *const *contexts,
           const size_t *contextLengths, const uint8_t *const *texts, const size_t *textLengths, size_t count) {
  CUSTOM_KEYBOARD_SEALED_JOB *jobs = calloc(count, sizeof *jobs);
  uint8_t *clear = malloc(count * CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE);
  long opened = -1;
  if (jobs && clear) {
    for (size_t i = 0; i < count; i++) {
      jobs[i].context = contexts[i];
      jobs[i].contextLength = contextLengths[i];
      jobs[i].text = texts[i];
      jobs[i].textLength = textLengths[i];
      jobs[i].clear = clear + i * CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE;
      jobs[i].clearCapacity = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE;
    }
    if (CustomKeyboard_unsealBatch(way, key, keyLength, jobs, count) == CUSTOM_KEYBOARD_OK) {
      opened = 0;
      for (size_t i = 0; i < count; i++) opened += jobs[i].rv == CUSTOM_KEYBOARD_OK;
    }
    explicit_bzero(clear, count * CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE);
  }
  free(clear);
  free(jobs);
  return opened;
}

/* One login: 1 if the verifier is right, 0 if it is wrong, -1 if something fails. */
int login(CUSTOM_ENCWAY way, const uint8_t *key, size_t keyLength, const uint8_t *context, size_t contextLength,
          const uint8_t *text, size_t textLength, const uint8_t *pepper, size_t pepperLength, const char *verifier) {
  CUSTOM_KEYBOARD keyboard;
  int verdict = -1;
  if (CustomKeyboard_create(&keyboard) != CUSTOM_KEYBOARD_OK) return -1;
  if (CustomKeyboard_receive(keyboard, way, key, keyLength, context, contextLength, text, textLength) ==
      CUSTOM_KEYBOARD_OK) {
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_checkVerifier(keyboard, pepper, pepperLength, verifier);
    if (rv == CUSTOM_KEYBOARD_OK) verdict = 1;
    if (rv == CUSTOM_KEYBOARD_MISMATCH) verdict = 0;
  }
  CustomKeyboard_destroy(keyboard);
  return verdict;
}
