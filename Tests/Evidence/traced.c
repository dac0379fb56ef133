/*
 * The program that follow.h or arm64/trace.c follows: each call of SM4, repeated with other keys and texts at the same
 * addresses (traced.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "traced.h"

enum { MOST = 8192, JOBS = 256, ROOM = 160 };

static uint8_t key[16], text[16 * MOST], output[16 * MOST], keys[JOBS][16], clear[JOBS][ROOM];
static CUSTOM_KEYBOARD_JOB jobs[JOBS];
static CUSTOM_KEYBOARD_CIPHER cipher;
static size_t count, offset, length;
static int decrypting;

/* A ciphertext of `blocks` blocks with correct padding of any length. */
static void encrypt(const uint8_t *with, uint8_t *into, size_t blocks, size_t padding) {
  CUSTOM_KEYBOARD_CIPHER other;
  draw_bytes(into, 16 * blocks);
  memset(into + 16 * blocks - padding, (int)padding, padding);
  require(CustomKeyboard_setupCipher(&other, CUSTOM_ENCWAY_SM4, with, 16, 0));
  require(CustomKeyboard_cryptECB(&other, into, into, 16 * blocks));
}

/* ---- Untraced preparation, and the traced calls ------------------------------------------------------------------ */

static void draw_all(void) {
  draw_bytes(key, sizeof key);
  draw_bytes(text, 16 * (count ? count : 1));
}
static void draw_and_set_up(void) {
  draw_all();
  require(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, 16, decrypting));
}
static void draw_jobs(void) {
  for (size_t i = 0; i < count; i++) {
    size_t blocks = decrypting ? 1 : i % 9 + 1;
    draw_bytes(keys[i], 16);
    encrypt(keys[i], text + ROOM * i, blocks, 1 + draw() % 16);
    jobs[i] = (CUSTOM_KEYBOARD_JOB){keys[i], 16, text + ROOM * i, 16 * blocks, clear[i], ROOM, 0, CUSTOM_KEYBOARD_OK};
  }
}
static void draw_text(void) {
  draw_bytes(key, sizeof key);
  encrypt(key, text, count, 7);
}

static void set_up(void) { require(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, 16, decrypting)); }
static void crypt_blocks(void) { require(CustomKeyboard_cryptECB(&cipher, text, output, 16 * count)); }
static void set_up_and_crypt(void) {
  set_up();
  crypt_blocks();
}
static void decrypt_batch(void) { require(CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs, count)); }
static void decrypt_one(void) {
  size_t size = 16 * count;
  require(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, text, size, output, size - 7, &offset, &length));
}

static void follow(const char *what, void (*prepare)(void), void (*call)(void)) {
  follow_times(what, TIMES, prepare, call);
}

/* The first argument is the largest number of blocks in a call, 8192 if there is none. */
int main(int argument_count, char **arguments) {
  size_t most = argument_count > 1 ? strtoul(arguments[1], NULL, 10) : MOST;
  static const size_t counts[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 80, 100, 333, 4096, 8192};
  char what[64];
  follow_controls();
  for (decrypting = 0; decrypting < 2; decrypting++) {
    count = 1;
    follow(decrypting ? "setupCipher,decryption" : "setupCipher,encryption", draw_all, set_up);
    follow(decrypting ? "setup+block,decryption" : "setup+block,encryption", draw_all, set_up_and_crypt);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      count = counts[i];
      if (count > most) continue;
      snprintf(what, sizeof what, "cryptECB,%zu,%s", count, decrypting ? "decryption" : "encryption");
      follow(what, draw_and_set_up, crypt_blocks);
    }
    for (count = 2; count <= JOBS && count <= most; count = count * 3 > JOBS && count < JOBS ? JOBS : count * 3) {
      snprintf(what, sizeof what, "decryptBatch,%zu,%s", count, decrypting ? "one-block" : "mixed");
      follow(what, draw_jobs, decrypt_batch);
    }
  }
  for (count = 1; count <= 9; count++) {
    snprintf(what, sizeof what, "decrypt,%zu", count);
    follow(what, draw_text, decrypt_one);
  }
  return 0;
}
