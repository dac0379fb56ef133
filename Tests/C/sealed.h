/*
 * Common parts of the tests of sealed texts: a pair of keys for each way, a text sealed by a keyboard, and
 * the two functions that open one, with everything around them checked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALED_H
#define SEALED_H

#include "fixture.h"
#include "sealed_ways.h"

enum {
  LONGEST_PASSWORD = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE,
  LONGEST_CONTEXT = CUSTOM_KEYBOARD_MAXCONTEXTSIZE,
  LONGEST_SEALED = 1280, /* of these ways and keys */
  UNTOUCHED_OFFSET = 1111111,
  UNTOUCHED_LENGTH = 2222222,
};

/* Not NULL, for calls with a length of 0. */
static const uint8_t nothing[1];

/* A key that opens, and the one that a keyboard takes. */
struct pair {
  const struct sealed_way *sealing;
  uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC];
};

/* Of RSA there are two: the next is never the one before. */
static inline struct pair new_pair(const struct sealed_way *sealing) {
  static int drawn;
  struct pair pair = {.sealing = sealing};
  if (sealing->way == CUSTOM_ENCWAY_RSA) {
    take_rsa_key(drawn++ % RSA_KEYS, pair.secret, pair.public);
    return pair;
  }
  size_t secret_length, public_length;
  REQUIRE_OK(CustomKeyboard_generateKey(sealing->way, pair.secret, sizeof pair.secret, &secret_length, pair.public,
                                        sizeof pair.public, &public_length));
  int is_shared = sealing->way == CUSTOM_ENCWAY_SM4_GCM;
  REQUIRE(secret_length == sealing->secret_length);
  REQUIRE(public_length == (is_shared ? 0 : sealing->public_length));
  if (is_shared) memcpy(pair.public, pair.secret, sealing->secret_length);
  return pair;
}

struct bytes {
  size_t length;
  uint8_t at[LONGEST_CONTEXT];
};

static inline struct bytes drawn(uint64_t *seed, size_t length) {
  struct bytes result = {.length = length};
  draw_bytes(seed, result.at, length);
  return result;
}

static inline struct bytes drawn_password(uint64_t *seed, size_t length) {
  struct bytes result = {.length = length};
  draw_password(seed, result.at, length);
  return result;
}

/* A keyboard that is up, with a password, and ready to seal. */
static inline CUSTOM_KEYBOARD ready(const struct pair *pair, const struct bytes *password,
                                    const struct bytes *context) {
  CUSTOM_KEYBOARD keyboard = typed(pair->sealing->way, pair->public, pair->sealing->public_length, password->at,
                                   password->length);
  REQUIRE_OK(CustomKeyboard_setContext(keyboard, context->at, context->length));
  return keyboard;
}

/* `text` gets the whole sealed text, and has room for it. */
static inline void take_text(CUSTOM_KEYBOARD keyboard, const struct sealed_way *sealing, uint8_t *text) {
  size_t offset, length;
  REQUIRE_OK(CustomKeyboard_getText(keyboard, text, sealing->text_length, &offset, &length));
  REQUIRE(offset == 0 && length == sealing->text_length);
}

static inline void seal(const struct pair *pair, const struct bytes *password, const struct bytes *context,
                        uint8_t *text) {
  CUSTOM_KEYBOARD keyboard = ready(pair, password, context);
  take_text(keyboard, pair->sealing, text);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* Everything that unseal and receive are given. A test changes one part of it. */
struct opening {
  CUSTOM_ENCWAY way;
  const uint8_t *key;
  size_t key_length;
  const uint8_t *context;
  size_t context_length;
  const uint8_t *text;
  size_t text_length;
};

static inline struct opening opening(const struct pair *pair, const struct bytes *context, const uint8_t *text) {
  return (struct opening){pair->sealing->way, pair->secret,    pair->sealing->secret_length, context->at,
                          context->length,    text,            pair->sealing->text_length};
}

static inline CUSTOM_KEYBOARD_RV unseal_into(const struct opening *o, uint8_t *space, size_t size, size_t *offset,
                                             size_t *length) {
  return CustomKeyboard_unseal(o->way, o->key, o->key_length, o->context, o->context_length, o->text, o->text_length,
                               space, size, offset, length);
}

static inline CUSTOM_KEYBOARD_RV receive(CUSTOM_KEYBOARD keyboard, const struct opening *o) {
  return CustomKeyboard_receive(keyboard, o->way, o->key, o->key_length, o->context, o->context_length, o->text,
                                o->text_length);
}

static uint8_t sealed_space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], sealed_before[CUSTOM_KEYBOARD_ENCDATASPACESIZE];

static inline void prepare_space(void) {
  for (size_t i = 0; i < sizeof sealed_before; i++) sealed_before[i] = (uint8_t)(i * 37 + 5);
  memcpy(sealed_space, sealed_before, sizeof sealed_space);
}

static inline int is_space_untouched(void) { return memcmp(sealed_space, sealed_before, sizeof sealed_space) == 0; }

/* Whether both functions refuse with this code. Nothing is written, and the keyboard stays idle. */
static inline int refused(CUSTOM_KEYBOARD idle, const struct opening *o, CUSTOM_KEYBOARD_RV code) {
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  prepare_space();
  int right = CHECK_EQUAL(unseal_into(o, sealed_space, sizeof sealed_space, &offset, &length), code);
  right &= CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
  right &= CHECK_EQUAL(receive(idle, o), code);
  return right & CHECK_EQUAL(CustomKeyboard_close(idle), CUSTOM_KEYBOARD_OP_DISABLE);
}

/* Whether both functions give this password. */
static inline int opened(CUSTOM_KEYBOARD idle, const struct opening *o, const struct bytes *password) {
  size_t offset, length, count;
  int right = CHECK_OK(unseal_into(o, sealed_space, sizeof sealed_space, &offset, &length)) &&
              CHECK_EQUAL(length, password->length) && CHECK(offset <= sizeof sealed_space - length) &&
              CHECK_BYTES(sealed_space + offset, password->at, length);
  right = right && CHECK_OK(receive(idle, o)) && CHECK_OK(CustomKeyboard_count(idle, &count));
  return right && CHECK_EQUAL(count, password->length) && CHECK_OK(CustomKeyboard_close(idle));
}

static inline CUSTOM_KEYBOARD new_keyboard(void) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  return keyboard;
}

#endif /* SEALED_H */
