/*
 * The library compared with OpenSSL, which shares no code with it (SM4 through EVP; DES and 3DES through the old DES
 * functions). Every password length under every algorithm in both directions, and the bare ciphers on 0 to 300 blocks:
 * in place, in separate buffers and at odd addresses. Keys and passwords are random; SEED=… repeats a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "fixture.h"
#include <openssl/des.h>
#include <openssl/evp.h>

enum { ROUNDS = 4, LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE };
enum { MOST_BLOCKS = 300, MARGIN = 64, MOST_BYTES = MOST_BLOCKS * 16 };

static uint64_t seed;

/* ---- The second implementation ----------------------------------------------------------------------------------- */

static void openssl_sm4(const uint8_t *key, int decrypting, const uint8_t *in, uint8_t *out, size_t length) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0;
  REQUIRE(context && EVP_CipherInit_ex(context, EVP_sm4_ecb(), NULL, key, NULL, !decrypting));
  EVP_CIPHER_CTX_set_padding(context, 0);
  if (length > 0) REQUIRE(EVP_CipherUpdate(context, out, &written, in, (int)length) && (size_t)written == length);
  EVP_CIPHER_CTX_free(context);
}

static void openssl_des(const uint8_t *key, size_t key_length, int decrypting, const uint8_t *in, uint8_t *out,
                        size_t length) {
  DES_key_schedule schedules[3];
  for (size_t i = 0; i < 3; i++) {
    DES_cblock one;
    memcpy(one, key + (8 * i) % key_length, sizeof one);
    DES_set_key_unchecked(&one, &schedules[i]);
  }
  for (size_t at = 0; at < length; at += 8) {
    DES_cblock block, result;
    memcpy(block, in + at, sizeof block);
    if (key_length == 8)
      DES_ecb_encrypt(&block, &result, &schedules[0], decrypting ? DES_DECRYPT : DES_ENCRYPT);
    else
      DES_ecb3_encrypt(&block, &result, &schedules[0], &schedules[1], &schedules[2],
                       decrypting ? DES_DECRYPT : DES_ENCRYPT);
    memcpy(out + at, result, sizeof result);
  }
}

static void openssl(const struct algorithm *a, const uint8_t *key, int decrypting, const uint8_t *in, uint8_t *out,
                    size_t length) {
  if (a->way == CUSTOM_ENCWAY_SM4)
    openssl_sm4(key, decrypting, in, out, length);
  else
    openssl_des(key, a->key_length, decrypting, in, out, length);
}

/* ---- Passwords --------------------------------------------------------------------------------------------------- */

static void check_password(const struct algorithm *a, size_t length) {
  uint8_t key[LONGEST_KEY], password[160], expected[160], space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], clear[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset, text_length, clear_offset, clear_length, whole = padded(length, a->block_size);
  draw_bytes(&seed, key, sizeof key);
  draw_password(&seed, password, length);
  CUSTOM_KEYBOARD keyboard = typed(a->way, key, a->key_length, password, length);
  memset(password + length, (int)(whole - length), whole - length);
  openssl(a, key, 0, password, expected, whole);

  /* Spaces from the smallest possible to the suggested size. */
  const size_t sizes[] = {whole, whole + 1, whole + 1 + draw(&seed) % 500, sizeof space};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    CHECK_OK(CustomKeyboard_getText(keyboard, space, sizes[i], &offset, &text_length));
    if (!CHECK(text_length == whole && offset <= sizes[i] - whole)) continue;
    CHECK_BYTES(space + offset, expected, whole);
    memcpy(text, space + offset, whole);
    size_t clear_size = i == 0 ? length : sizes[i];
    CHECK_OK(CustomKeyboard_decrypt(a->way, key, a->key_length, text, whole, clear, clear_size, &clear_offset,
                                    &clear_length));
    if (!CHECK(clear_length == length && clear_offset <= clear_size - length)) continue;
    CHECK_BYTES(clear + clear_offset, password, length);
  }
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- Bare ciphers ------------------------------------------------------------------------------------------------ */

static void check_blocks(const struct algorithm *a, size_t block_count, int decrypting) {
  static uint8_t input[MOST_BYTES + 2 * MARGIN], output[sizeof input], expected[sizeof input], guards[sizeof input];
  size_t length = block_count * a->block_size, from = MARGIN + draw(&seed) % 16, to = MARGIN + draw(&seed) % 16;
  uint8_t key[LONGEST_KEY];
  CUSTOM_KEYBOARD_CIPHER cipher;
  draw_bytes(&seed, key, sizeof key);
  draw_bytes(&seed, input, sizeof input);
  memset(guards, 0xa5, sizeof guards);
  openssl(a, key, decrypting, input + from, expected, length);
  CHECK_OK(CustomKeyboard_setupCipher(&cipher, a->way, key, a->key_length, decrypting));

  memcpy(output, guards, sizeof output);
  CHECK_OK(CustomKeyboard_cryptECB(&cipher, input + from, output + to, length)); /* separate buffers */
  CHECK_BYTES(output + to, expected, length);
  CHECK(memcmp(output, guards, to) == 0);
  CHECK(memcmp(output + to + length, guards, sizeof output - to - length) == 0);

  memcpy(output, guards, sizeof output);
  memcpy(output + to, input + from, length);
  CHECK_OK(CustomKeyboard_cryptECB(&cipher, output + to, output + to, length)); /* in place */
  CHECK_BYTES(output + to, expected, length);
  CHECK(memcmp(output, guards, to) == 0);
  CHECK(memcmp(output + to + length, guards, sizeof output - to - length) == 0);

  /* And back. */
  CUSTOM_KEYBOARD_CIPHER back;
  CHECK_OK(CustomKeyboard_setupCipher(&back, a->way, key, a->key_length, !decrypting));
  CHECK_OK(CustomKeyboard_cryptECB(&back, output + to, output + to, length));
  CHECK_BYTES(output + to, input + from, length);
  CHECK_OK(CustomKeyboard_wipeCipher(&back));
  CHECK_OK(CustomKeyboard_wipeCipher(&cipher));
}

/* A million random blocks of SM4, 4096 under each key. */
static void check_a_million(void) {
  enum { BLOCKS = 4096, KEYS = 245 / LESS };
  static uint8_t input[16 * BLOCKS], output[sizeof input], expected[sizeof input];
  for (int i = 0; i < KEYS; i++) {
    uint8_t key[16];
    CUSTOM_KEYBOARD_CIPHER cipher;
    draw_bytes(&seed, key, sizeof key);
    draw_bytes(&seed, input, sizeof input);
    openssl_sm4(key, i & 1, input, expected, sizeof input);
    CHECK_OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, sizeof key, i & 1));
    CHECK_OK(CustomKeyboard_cryptECB(&cipher, input, output, sizeof input));
    CHECK_BYTES(output, expected, sizeof input);
    CHECK_OK(CustomKeyboard_wipeCipher(&cipher));
  }
}

int main(void) {
  seed = take_seed();
  check_a_million();
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    for (int round = 0; round < ROUNDS; round++)
      for (size_t length = 0; length <= LONGEST; length++) check_password(&algorithms[i], length);
    for (size_t blocks = 0; blocks <= MOST_BLOCKS; blocks++) {
      check_blocks(&algorithms[i], blocks, 0);
      check_blocks(&algorithms[i], blocks, 1);
    }
  }
  return check_end("differential", ALGORITHM_COUNT * (ROUNDS * (LONGEST + 1) * 25 + 2 * (MOST_BLOCKS + 1) * 14));
}
