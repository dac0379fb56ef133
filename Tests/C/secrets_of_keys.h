/*
 * The part of secrets.c that opens sealed texts and signs, with private keys and the keys of SM4-GCM.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SECRETS_OF_KEYS_H
#define SECRETS_OF_KEYS_H

#include "hidden.h"
#include "sealed_rsa.h"
#include <string.h>

/* An open keyboard with a key, no context, and a password. */
static CUSTOM_KEYBOARD ready_to_seal(CUSTOM_ENCWAY way, const uint8_t *key, size_t length) {
  CUSTOM_KEYBOARD keyboard;
  OK(CustomKeyboard_create(&keyboard));
  OK(CustomKeyboard_setEncKey(keyboard, key, length, way));
  OK(CustomKeyboard_setContext(keyboard, NULL, 0));
  OK(CustomKeyboard_open(keyboard));
  OK(CustomKeyboard_input(keyboard, (const uint8_t *)"kgcx879@", 8));
  return keyboard;
}

/* Keys for sealed texts, and what they give: nothing depends on them but the verdicts. A verdict is whether a private
 * key is in range (before it is copied and after), whether the shared point is zero, and whether the text is right (two
 * branches look at GCM's).
 * The texts here are altered, because the length of a password is told when the text is right, and much depends on it
 * then. */
static void sealed_texts(void) {
  static const struct {
    CUSTOM_ENCWAY way;
    unsigned long verdicts, batch_verdicts; /* of a text, and of two */
  } ways[] = {{CUSTOM_ENCWAY_SM4_GCM, 2, 4},
              {CUSTOM_ENCWAY_X25519, 2, 2},
              {CUSTOM_ENCWAY_P256, 4, 6},
              {CUSTOM_ENCWAY_SM2, 4, 6}};
  static uint8_t secret[32], public[65], space[512], clear[512];
  size_t secret_length, public_length, offset, length;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int round = 0; round < 3; round++) {
      CUSTOM_ENCWAY way = ways[i].way;
      OK(CustomKeyboard_generateKey(way, secret, sizeof secret, &secret_length, public, sizeof public, &public_length));
      if (public_length == 0) hide(secret, sizeof secret);
      const uint8_t *key = public_length > 0 ? public : secret;
      size_t key_length = public_length > 0 ? public_length : secret_length;
      CUSTOM_KEYBOARD handle = ready_to_seal(way, key, key_length);
      OK(CustomKeyboard_getText(handle, space, sizeof space, &offset, &length));
      expect("getText, sealed", 0);
      size_t typed_offset, typed_length;
      OK(CustomKeyboard_sealTyped(handle, way, key, key_length, NULL, 0, clear, sizeof clear, &typed_offset,
                                  &typed_length));
      expect("sealTyped", 0);
      OK(CustomKeyboard_destroy(handle));
      show(space, sizeof space);
      space[offset + length - 1] ^= 1;
      size_t sealed_offset = offset, sealed_length = length;
      hide(secret, sizeof secret);
      answers(CustomKeyboard_unseal(way, secret, secret_length, NULL, 0, space + offset, length, clear, sizeof clear,
                                    &offset, &length),
              CUSTOM_KEYBOARD_UNDECRYPTABLE);
      expect("unseal, its verdicts", ways[i].verdicts);
      CUSTOM_KEYBOARD_SEALED_JOB jobs[2];
      for (int j = 0; j < 2; j++)
        jobs[j] = (CUSTOM_KEYBOARD_SEALED_JOB){NULL, 0, space + sealed_offset, sealed_length, clear, sizeof clear,
                                               0, CUSTOM_KEYBOARD_OK};
      OK(CustomKeyboard_unsealBatch(way, secret, secret_length, jobs, 2));
      for (int j = 0; j < 2; j++) answers(jobs[j].rv, CUSTOM_KEYBOARD_UNDECRYPTABLE);
      expect("unsealBatch, its verdicts", ways[i].batch_verdicts);
      show(secret, sizeof secret);
    }
}

/* Hides the secret numbers of a private key of RSA but for their first two bytes: where a number begins, and how long
 * it is, shows. A number is an element 02 82 xx xx, or 02 81 xx. They come after the modulus and the exponent. */
static void hide_rsa_numbers(uint8_t *secret) {
  size_t at = RSA_FIRST_SECRET;
  for (int i = 0; i < 6; i++) {
    size_t header = secret[at + 1] == 0x82 ? 4 : 3;
    size_t length = header == 4 ? (size_t)secret[at + 2] << 8 | secret[at + 3] : secret[at + 2];
    check("a number of RSA", secret[at] == 2 && length >= 128 && at + header + length <= RSA_SECRET, at);
    at += header + length;
    hide(secret + at - length + 2, length - 2);
  }
  check("the end of a key of RSA", at == RSA_SECRET, at);
}

/* RSA: nothing depends on the numbers but the verdicts: whether they belong together, whether the result is right, and
 * whether the text is. Texts are altered: here in each of them another part of what OAEP looks at is wrong. */
static void rsa(void) {
  static uint8_t secret[RSA_SECRET], sealed[256], signature[256], clear[144];
  size_t offset, length;
  for (int round = 0; round < RSA_KEYS; round++) {
    const uint8_t *public = (const uint8_t *)rsa_keys[round].public;
    show(secret, sizeof secret);
    memcpy(secret, rsa_keys[round].secret, sizeof secret);
    CUSTOM_KEYBOARD handle = ready_to_seal(CUSTOM_ENCWAY_RSA, public, RSA_PUBLIC);
    OK(CustomKeyboard_getText(handle, sealed, sizeof sealed, &offset, &length));
    OK(CustomKeyboard_destroy(handle));
    expect("getText, RSA", 0);
    hide_rsa_numbers(secret);
    sealed[255] ^= 1;
    answers(CustomKeyboard_unseal(CUSTOM_ENCWAY_RSA, secret, sizeof secret, NULL, 0, sealed, sizeof sealed, clear,
                                  sizeof clear, &offset, &length),
            CUSTOM_KEYBOARD_UNDECRYPTABLE);
    expect("unseal, RSA, its verdicts", 3);
    OK(CustomKeyboard_signText(CUSTOM_SIGNWAY_RSA, secret, sizeof secret, NULL, 0, sealed, sizeof sealed, signature,
                               sizeof signature, &length));
    expect("signText, RSA, its verdicts", 2);
    show(signature, sizeof signature);
    OK(CustomKeyboard_verifyText(CUSTOM_SIGNWAY_RSA, public, RSA_PUBLIC, NULL, 0, sealed, sizeof sealed, signature,
                                 length));
    expect("verifyText, RSA, of what is public", 0);
  }
}

/* X-Wing, from the seed on. Valgrind also reports how ML-KEM's matrix is drawn: its seed is public, but comes from the
 * private key. secrets.sh allows that by name. The same key meets three texts: with another tag, another ciphertext of
 * ML-KEM (implicit rejection) and another point. All three must look alike. */
static void xwing(void) {
  static uint8_t secret[32], public[1216], made[1216], sealed[1280], clear[144];
  static const size_t places[] = {1279, 500, 1100};
  size_t secret_length, public_length, offset, length;
  for (int round = 0; round < 3; round++) {
    unsigned long first = 0;
    OK(CustomKeyboard_generateKey(CUSTOM_ENCWAY_XWING, secret, sizeof secret, &secret_length, public, sizeof public,
                                  &public_length));
    CUSTOM_KEYBOARD handle = ready_to_seal(CUSTOM_ENCWAY_XWING, public, sizeof public);
    OK(CustomKeyboard_getText(handle, sealed, sizeof sealed, &offset, &length));
    OK(CustomKeyboard_destroy(handle));
    expect("getText, X-Wing", 0);
    for (int i = 0; i < 3; i++) {
      sealed[places[i]] ^= 1;
      hide(secret, sizeof secret);
      answers(CustomKeyboard_unseal(CUSTOM_ENCWAY_XWING, secret, sizeof secret, NULL, 0, sealed, sizeof sealed, clear,
                                    sizeof clear, &offset, &length),
              CUSTOM_KEYBOARD_UNDECRYPTABLE);
      show(secret, sizeof secret);
      sealed[places[i]] ^= 1;
      unsigned long errors = new_errors();
      check("unseal, X-Wing: the matrix and the verdict", errors > 1000, errors);
      if (i == 0) first = errors;
      check("unseal, X-Wing: another fault looks the same", errors == first, errors);
    }
    hide(secret, sizeof secret);
    OK(CustomKeyboard_publicKey(CUSTOM_ENCWAY_XWING, secret, sizeof secret, made, sizeof made, &length));
    show(secret, sizeof secret);
    show(made, sizeof made);
    expect_some("publicKey, X-Wing: the matrix");
    check("publicKey, X-Wing", memcmp(made, public, sizeof made) == 0, length);
  }
}

/* The public key of a private one: the verdict is whether the private one is in range. */
static void public_keys(void) {
  static const struct {
    CUSTOM_ENCWAY way;
    unsigned long verdicts;
  } ways[] = {{CUSTOM_ENCWAY_X25519, 0}, {CUSTOM_ENCWAY_P256, 1}, {CUSTOM_ENCWAY_SM2, 1}};
  static uint8_t secret[32], public[65], made[65];
  size_t secret_length, public_length, length;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int round = 0; round < 3; round++) {
      OK(CustomKeyboard_generateKey(ways[i].way, secret, sizeof secret, &secret_length, public, sizeof public,
                                    &public_length));
      hide(secret, sizeof secret);
      OK(CustomKeyboard_publicKey(ways[i].way, secret, secret_length, made, sizeof made, &length));
      expect("publicKey, its verdicts", ways[i].verdicts);
      show(secret, sizeof secret);
      show(made, sizeof made);
      check("publicKey, its key", length == public_length && memcmp(made, public, length) == 0, length);
    }
}

/* Private keys that sign, and the nonces made from them. The verdicts: whether the key is in range (before it is
 * copied, after, and for SM2 once more), and whether the nonce gives a signature. */
static void signatures(void) {
  static const struct {
    CUSTOM_SIGNWAY way;
    CUSTOM_ENCWAY keys;
    unsigned long verdicts;
  } ways[] = {{CUSTOM_SIGNWAY_P256, CUSTOM_ENCWAY_P256, 3}, {CUSTOM_SIGNWAY_SM2, CUSTOM_ENCWAY_SM2, 4}};
  static uint8_t secret[32], public[65], signature[64], message[40];
  size_t secret_length, public_length, length;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int round = 0; round < 3; round++) {
      OK(CustomKeyboard_generateKey(ways[i].keys, secret, sizeof secret, &secret_length, public, sizeof public,
                                    &public_length));
      hide(secret, sizeof secret);
      OK(CustomKeyboard_signText(ways[i].way, secret, sizeof secret, message, 10, message, sizeof message, signature,
                                 sizeof signature, &length));
      expect("signText, its verdicts", ways[i].verdicts);
      show(secret, sizeof secret);
      show(signature, sizeof signature);
      OK(CustomKeyboard_verifyText(ways[i].way, public, public_length, message, 10, message, sizeof message, signature,
                                   length));
      expect("verifyText, of what is public", 0);
    }
}

#endif
