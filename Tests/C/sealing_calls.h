/*
 * Calls of the functions for sealed texts and signatures, with every way: successes and errors. For programs that look
 * at what a call leaves behind. They define how a call is made and looked at, before they include this:
 *
 *     CALL(name, label, expected, arguments…)        calls CustomKeyboard_NAME
 *     CALL_SEALING(name, label, expected, wrapper)   calls a function of sealing.h, which calls it
 *     password, password_length                      what is typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALING_CALLS_H
#define SEALING_CALLS_H

#include "sealing.h"

/* Ways that take milliseconds are left out where a program makes the same calls many times. */
static int leaves_out_slow_ways;

/* The public key of the private key that there is now. */
static void use_public_key(struct sealing *s) {
  uint8_t kept[8];
  int has_pairs = s->way->way != CUSTOM_ENCWAY_SM4_GCM && s->way->way != CUSTOM_ENCWAY_RSA;
  s->made_capacity = s->public_length;
  if (!has_pairs) {
    CALL_SEALING(publicKey, "no pairs", ARGUMENT, call_public_key);
    return;
  }
  CALL_SEALING(publicKey, "OK", OK, call_public_key);
  CHECK_EQUAL(s->made_length, s->public_length);
  CHECK_BYTES(s->made, s->public, s->public_length);
  s->made_capacity--;
  CALL_SEALING(publicKey, "no space", SPACE, call_public_key);
  s->secret_length--;
  CALL_SEALING(publicKey, "a wrong length", ERR, call_public_key);
  s->secret_length++;
  if (s->way->way == CUSTOM_ENCWAY_X25519) return;
  memcpy(kept, s->secret, sizeof kept);
  memset(s->secret, 0xff, sizeof kept);
  CALL_SEALING(publicKey, "too large", ERR, call_public_key);
  memcpy(s->secret, kept, sizeof kept);
}

/* The password of a keyboard that is up, once more. */
static void use_seal_typed(struct sealing *s) {
  s->typed_key_length = keyboard_key_length(s);
  s->typed_size = s->way->text_length;
  CALL_SEALING(sealTyped, "OK", OK, call_seal_typed);
  CHECK_EQUAL(s->length, s->way->text_length);
  s->typed_size--;
  CALL_SEALING(sealTyped, "no space", SPACE, call_seal_typed);
  s->typed_key_length--;
  CALL_SEALING(sealTyped, "a wrong length", ERR, call_seal_typed);
  s->typed_key_length++;
  s->context_length = CUSTOM_KEYBOARD_MAXCONTEXTSIZE + 1;
  CALL_SEALING(sealTyped, "a long context", MAXLEN, call_seal_typed);
  s->context_length = 20;
  if (s->way->way == CUSTOM_ENCWAY_SM4_GCM) return;
  s->public[0] ^= 0x40;
  s->public[s->public_length - 1] ^= 0x80;
  CALL_SEALING(sealTyped, "no key", ERR, call_seal_typed);
  s->public[0] ^= 0x40;
  s->public[s->public_length - 1] ^= 0x80;
}

static void use_sealing(void) {
  struct sealing *s = &sealing;
  static CUSTOM_KEYBOARD k;
  for (int i = 0; i < SEALED_WAYS; i++) {
    if (leaves_out_slow_ways && sealed_ways[i].step > 1) continue;
    s->way = &sealed_ways[i];
    s->context_length = 20;
    s->space_size = password_length; /* the password is then at offset 0 */
    if (s->way->way == CUSTOM_ENCWAY_RSA) {
      CALL_SEALING(generateKey, "RSA", ARGUMENT, call_generate);
      take_rsa_keys(s);
    } else {
      CALL_SEALING(generateKey, "OK", OK, call_generate);
    }
    use_public_key(s);
    CALL(create, "OK", OK, POINTER(&k));
    CALL(setEncKey, "no key of this way", ERR, k, POINTER(s->space), 5, s->way->way);
    CALL(setEncKey, "OK", OK, k, POINTER(keyboard_key(s)), keyboard_key_length(s), s->way->way);
    CALL(setContext, "OK", OK, k, POINTER(s->context), s->context_length);
    CALL(setContext, "too long", MAXLEN, k, POINTER(s->space), CUSTOM_KEYBOARD_MAXCONTEXTSIZE + 1);
    CALL(open, "OK", OK, k);
    CALL(input, "OK", OK, k, POINTER(password), password_length);
    CALL(getText, "OK, sealed", OK, k, POINTER(s->text), s->way->text_length, POINTER(&s->offset), POINTER(&s->length));
    s->text_length = s->length;
    s->keyboard = k;
    use_seal_typed(s);
    CALL_SEALING(unseal, "OK", OK, call_unseal);
    CHECK_BYTES(s->space + s->offset, password, password_length);
    s->space_size = password_length - 1;
    CALL_SEALING(unseal, "no space", SPACE, call_unseal);
    CALL_SEALING(receive, "while up", OP_DISABLE, call_receive);
    CALL(close, "OK", OK, k);
    CALL_SEALING(sealTyped, "while idle", OP_DISABLE, call_seal_typed);
    CALL_SEALING(receive, "OK", OK, call_receive);
    CALL(close, "OK", OK, k);
    s->text[s->text_length - 1] ^= 1;
    CALL_SEALING(receive, "altered", UNDECRYPTABLE, call_receive);
    CALL_SEALING(unseal, "altered", UNDECRYPTABLE, call_unseal);
    s->secret_length--;
    CALL_SEALING(unseal, "a wrong length", ERR, call_unseal);
    CALL(destroy, "OK", OK, k);
  }
  for (int i = 0; i < SIGNING_WAYS; i++) {
    if (leaves_out_slow_ways && signing_ways[i].step > 1) continue;
    s->signing = &signing_ways[i];
    s->way = &(const struct sealed_way){"to sign", s->signing->keys, 0, 0, 0, 1};
    s->text_length = 100;
    s->signature_capacity = s->signing->signature_length;
    if (s->signing->keys == CUSTOM_ENCWAY_RSA)
      take_rsa_keys(s);
    else
      CALL_SEALING(generateKey, "OK, to sign", OK, call_generate);
    CALL_SEALING(signText, "OK", OK, call_sign);
    CALL_SEALING(verifyText, "OK", OK, call_verify);
    s->signature[20] ^= 1;
    CALL_SEALING(verifyText, "altered", MISMATCH, call_verify);
    s->signature_capacity--;
    CALL_SEALING(signText, "no space", SPACE, call_sign);
    memset(s->secret, 0, s->secret_length);
    CALL_SEALING(signText, "no key", ERR, call_sign);
  }
  s->way = &(const struct sealed_way){"ECB", CUSTOM_ENCWAY_SM4, 16, 0, 16, 1};
  CALL_SEALING(generateKey, "ECB", ARGUMENT, call_generate);
}

#endif
