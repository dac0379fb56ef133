/*
 * The ways of sealed texts, and calls of the functions for them whose arguments are in one structure: some have more
 * arguments than capture.h passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALING_H
#define SEALING_H

#include "check.h"

static const struct sealed_way {
  const char *name;
  CUSTOM_ENCWAY way;
  size_t secret_length, public_length, text_length; /* a keyboard takes the public key, but for SM4_GCM */
} sealed_ways[] = {
    {"SM4-GCM", CUSTOM_ENCWAY_SM4_GCM, 16, 0, 172},
    {"X25519", CUSTOM_ENCWAY_X25519, 32, 32, 192},
    {"P-256", CUSTOM_ENCWAY_P256, 32, 65, 225},
    {"SM2", CUSTOM_ENCWAY_SM2, 32, 65, 285},
};
enum { SEALED_WAYS = sizeof sealed_ways / sizeof *sealed_ways, LONGEST_SECRET = 32, LONGEST_PUBLIC = 65 };

static struct sealing {
  CUSTOM_KEYBOARD keyboard;
  const struct sealed_way *way;
  uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], context[CUSTOM_KEYBOARD_MAXCONTEXTSIZE];
  size_t secret_length, public_length, context_length;
  uint8_t text[CUSTOM_KEYBOARD_MAXSEALEDSIZE], space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t text_length, space_size, offset, length;
} sealing;

static inline const uint8_t *keyboard_key(const struct sealing *s) {
  return s->way->public_length > 0 ? s->public : s->secret;
}
static inline size_t keyboard_key_length(const struct sealing *s) {
  return s->way->public_length > 0 ? s->way->public_length : s->way->secret_length;
}

/* Not inlined, and without any work of their own: what is captured after them is what the library left. */
__attribute__((noinline, unused)) static uint64_t call_unseal(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_unseal(s->way->way, s->secret, s->secret_length, s->context, s->context_length,
                                         s->text, s->text_length, s->space, s->space_size, &s->offset, &s->length);
}
__attribute__((noinline, unused)) static uint64_t call_receive(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_receive(s->keyboard, s->way->way, s->secret, s->secret_length, s->context,
                                          s->context_length, s->text, s->text_length);
}
__attribute__((noinline, unused)) static uint64_t call_generate(void) {
  struct sealing *s = &sealing;
  return (uint64_t)CustomKeyboard_generateKey(s->way->way, s->secret, sizeof s->secret, &s->secret_length, s->public,
                                              sizeof s->public, &s->public_length);
}

#endif
