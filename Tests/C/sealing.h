/*
 * Calls of the functions for sealed texts whose arguments are in one structure: some have more arguments than capture.h
 * passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALING_H
#define SEALING_H

#include "check.h"
#include "sealed_ways.h"
#include "signing_ways.h"

static struct sealing {
  const struct sealed_way *way;
  uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], context[CUSTOM_KEYBOARD_MAXCONTEXTSIZE];
  size_t secret_length, public_length, context_length;
  uint8_t text[CUSTOM_KEYBOARD_MAXSEALEDSIZE], space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t text_length, space_size, offset, length;
  const struct signing_way *signing; /* signs and verifies the text, with the same keys */
  uint8_t signature[LONGEST_SIGNATURE];
  size_t signature_capacity, signature_length;
  uint8_t made[LONGEST_MADE_PUBLIC]; /* by publicKey */
  size_t made_length;
} sealing;

static inline const uint8_t *keyboard_key(const struct sealing *s) {
  return s->way->way == CUSTOM_ENCWAY_SM4_GCM ? s->secret : s->public;
}
static inline size_t keyboard_key_length(const struct sealing *s) { return s->way->public_length; }

/* RSA's keys are not the library's. */
static inline void take_rsa_keys(struct sealing *s) {
  take_rsa_key(0, s->secret, s->public);
  s->secret_length = RSA_SECRET;
  s->public_length = RSA_PUBLIC;
}

/* Not inlined, and without any work of their own: what is captured after them is what the library left. */
__attribute__((noinline, unused)) static uint64_t call_unseal(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_unseal(s->way->way, s->secret, s->secret_length, s->context, s->context_length,
                                         s->text, s->text_length, s->space, s->space_size, &s->offset, &s->length);
}
__attribute__((noinline, unused)) static uint64_t call_generate(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_generateKey(s->way->way, s->secret, sizeof s->secret, &s->secret_length, s->public,
                                              sizeof s->public, &s->public_length);
}
__attribute__((noinline, unused)) static uint64_t call_sign(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_signText(s->signing->way, s->secret, s->secret_length, s->context, s->context_length,
                                           s->text, s->text_length, s->signature, s->signature_capacity,
                                           &s->signature_length);
}
__attribute__((noinline, unused)) static uint64_t call_verify(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_verifyText(s->signing->way, s->public, s->public_length, s->context,
                                             s->context_length, s->text, s->text_length, s->signature,
                                             s->signature_length);
}

static inline void make_keys(void) {
  if (sealing.way->way == CUSTOM_ENCWAY_RSA) take_rsa_keys(&sealing);
  else REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_generate());
}

#endif
