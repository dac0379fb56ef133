/*
 * The program that follow.h follows for sealed texts, signatures and OPAQUE: everything that takes a private key, with
 * small and large keys, and everything but Argon2id that takes a password that is never sent (traced.h).
 *
 * unseal is followed with one text, sealed for someone else, under many keys: everything up to the verdict, which is
 * the same. Where a key opens its text, passwords are of one length, and the space is too, so that nothing is at a
 * random place. RSA is not followed, because it takes five million instructions: constant_time.py shows it on both
 * of its paths. X-Wing draws a matrix from its public key, by rejection, so how many steps that takes differs from key
 * to key, and is known to all: it is followed with one key, and many texts. (timing.sh looks at its keys, too, and
 * takes what is public as known.)
 *
 *     traced_sealed [TIMES]          so many keys for each call, 8 if not told
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "traced.h"
#include "sealed_ways.h"
#include "signing_ways.h"

enum { PASSWORD = 12, CONTEXT = 20, SIGNED = 150, LONGEST_TEXT = CUSTOM_KEYBOARD_MAXSEALEDSIZE };

static const struct sealed_way *sealing;
static const struct signing_way *signing;
static uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], context[CONTEXT], text[LONGEST_TEXT], clear[PASSWORD];
static uint8_t signed_text[SIGNED], signature[LONGEST_SIGNATURE];
static size_t offset, length;
static int turn;

static void draw_pair(CUSTOM_ENCWAY way) {
  size_t secret_length, public_length;
  require(CustomKeyboard_generateKey(way, secret, sizeof secret, &secret_length, public, sizeof public,
                                     &public_length));
  if (public_length == 0) memcpy(public, secret, secret_length);
}

/* A text of random characters, for the pair that there is now. */
static void seal(void) {
  CUSTOM_KEYBOARD keyboard;
  uint8_t password[PASSWORD];
  for (int i = 0; i < PASSWORD; i++) password[i] = (uint8_t)('!' + draw() % 94);
  draw_bytes(context, sizeof context);
  require(CustomKeyboard_create(&keyboard));
  require(CustomKeyboard_setEncKey(keyboard, public, sealing->public_length, sealing->way));
  require(CustomKeyboard_setContext(keyboard, context, sizeof context));
  require(CustomKeyboard_open(keyboard));
  require(CustomKeyboard_input(keyboard, password, sizeof password));
  require(CustomKeyboard_getText(keyboard, text, sealing->text_length, &offset, &length));
  require(CustomKeyboard_destroy(keyboard));
}

/* In turn: 1, 6, numbers with long runs of ones and zeros, and random ones. All are below both orders. */
static void draw_key(void) {
  size_t size = sealing ? sealing->secret_length : signing->secret_length;
  draw_bytes(secret, size);
  switch (turn++) {
    case 1: memset(secret, 0, size), secret[size - 1] = 1; break;
    case 2: memset(secret, 0xff, size), memset(secret, 0x7f, 1); break;
    case 3: memset(secret, 0, size), secret[size - 1] = 6; break;
    default: secret[0] &= 0x7f;
  }
}

/* Of bytes that nobody has sealed. */
static void draw_text(void) { draw_bytes(text, sealing->text_length); }

static void open_text(CUSTOM_KEYBOARD_RV expected) {
  CUSTOM_KEYBOARD_RV rv =
      CustomKeyboard_unseal(sealing->way, secret, sealing->secret_length, context, sizeof context, text,
                            sealing->text_length, clear, sizeof clear, &offset, &length);
  if (rv != expected) abort();
}
static void unseal_foreign(void) { open_text(CUSTOM_KEYBOARD_UNDECRYPTABLE); }
static void unseal(void) { open_text(CUSTOM_KEYBOARD_OK); }

/* Two texts, so that they are computed side by side where the processor can. */
static void unseal_two_foreign(void) {
  static uint8_t clears[2][PASSWORD];
  CUSTOM_KEYBOARD_SEALED_JOB jobs[2];
  for (int i = 0; i < 2; i++)
    jobs[i] = (CUSTOM_KEYBOARD_SEALED_JOB){context, sizeof context,   text, sealing->text_length, clears[i],
                                           sizeof clears[i], 0, CUSTOM_KEYBOARD_OK};
  require(CustomKeyboard_unsealBatch(sealing->way, secret, sealing->secret_length, jobs, 2));
  for (int i = 0; i < 2; i++)
    if (jobs[i].rv != CUSTOM_KEYBOARD_UNDECRYPTABLE) abort();
}

static void draw_and_seal(void) {
  draw_pair(sealing->way);
  seal();
}
static void generate(void) { draw_pair(sealing->way); }
static void make_public(void) {
  require(CustomKeyboard_publicKey(sealing->way, secret, sealing->secret_length, public, sizeof public, &length));
}
static void nothing(void) {}

static void draw_to_sign(void) {
  draw_key();
  draw_bytes(signed_text, sizeof signed_text);
}
static void sign(void) {
  require(CustomKeyboard_signText(signing->way, secret, signing->secret_length, context, sizeof context, signed_text,
                                  sizeof signed_text, signature, sizeof signature, &length));
}

/* OPAQUE. What ends a step of the client computes Argon2id, which is not constant in time. */
static struct {
  uint8_t setup[CUSTOM_OPAQUE_SETUPSIZE], request[CUSTOM_OPAQUE_REQUESTSIZE], response[CUSTOM_OPAQUE_RESPONSESIZE];
  uint8_t ke1[CUSTOM_OPAQUE_KE1SIZE], ke2[CUSTOM_OPAQUE_KE2SIZE], ke3[CUSTOM_OPAQUE_KE3SIZE];
  uint8_t state[CUSTOM_OPAQUE_STATESIZE], key[CUSTOM_OPAQUE_KEYSIZE];
  CUSTOM_KEYBOARD keyboard;
} opaque;
static const uint8_t account[] = "account";

static void draw_typed(void) {
  for (int i = 0; i < PASSWORD; i++) clear[i] = (uint8_t)('!' + draw() % 94);
  require(CustomKeyboard_clear(opaque.keyboard));
  require(CustomKeyboard_input(opaque.keyboard, clear, sizeof clear));
}
static void begin_registration(void) {
  require(CustomKeyboard_opaqueRegister(opaque.keyboard, opaque.request, sizeof opaque.request, &length));
}
static void begin_login(void) {
  require(CustomKeyboard_opaqueLogin(opaque.keyboard, opaque.ke1, sizeof opaque.ke1, &length));
}

/* A seed, and a key below the group's order. */
static void draw_setup(void) {
  draw_bytes(opaque.setup, sizeof opaque.setup);
  opaque.setup[sizeof opaque.setup - 1] &= 0x0f;
}
static void respond(void) {
  require(CustomKeyboard_opaqueRespond(opaque.setup, sizeof opaque.setup, account, sizeof account, opaque.request,
                                       sizeof opaque.request, opaque.response, sizeof opaque.response, &length));
}
static void answer(void) {
  size_t other;
  require(CustomKeyboard_opaqueAnswer(opaque.setup, sizeof opaque.setup, account, sizeof account, NULL, 0, NULL,
                                      opaque.ke1, sizeof opaque.ke1, opaque.ke2, sizeof opaque.ke2, &length,
                                      opaque.state, sizeof opaque.state, &other));
}
static void draw_state(void) { draw_bytes(opaque.state, sizeof opaque.state); }
static void check(void) {
  if (CustomKeyboard_opaqueCheck(opaque.state, sizeof opaque.state, opaque.ke3, sizeof opaque.ke3, opaque.key,
                                 sizeof opaque.key, &length) != CUSTOM_KEYBOARD_MISMATCH)
    abort();
}

static void follow_opaque(int times) {
  require(CustomKeyboard_create(&opaque.keyboard));
  require(CustomKeyboard_open(opaque.keyboard));
  follow_times("opaqueRegister", times, draw_typed, begin_registration);
  follow_times("opaqueLogin", times, draw_typed, begin_login);
  follow_times("opaqueRespond", times, draw_setup, respond);
  follow_times("opaqueAnswer", times, draw_setup, answer);
  follow_times("opaqueCheck", times, draw_state, check);
}

int main(int count, char **arguments) {
  int times = count > 1 ? atoi(arguments[1]) : TIMES;
  char what[64];
  follow_controls();
  for (int i = 0; i < SEALED_WAYS; i++) {
    sealing = &sealed_ways[i];
    if (sealing->way == CUSTOM_ENCWAY_RSA) continue;
    int is_xwing = sealing->way == CUSTOM_ENCWAY_XWING;
    void (*draw_other)(void) = is_xwing ? draw_text : draw_key;
    turn = 0;
    draw_and_seal();
    snprintf(what, sizeof what, "unseal,%s,foreign", sealing->name);
    follow_times(what, times, draw_other, unseal_foreign);
    turn = 0;
    snprintf(what, sizeof what, "unsealBatch,%s,foreign", sealing->name);
    follow_times(what, times, draw_other, unseal_two_foreign);
    draw_and_seal();
    snprintf(what, sizeof what, "unseal,%s,own", sealing->name);
    /* What comes after the verdict is the same for all ways, and each step takes microseconds. */
    if (sealing->way == CUSTOM_ENCWAY_SM4_GCM) follow_times(what, TIMES, draw_and_seal, unseal);
    snprintf(what, sizeof what, "generateKey,%s", sealing->name);
    if (sealing->way == CUSTOM_ENCWAY_SM4_GCM || is_xwing) continue;
    follow_times(what, times, nothing, generate);
    turn = 0;
    snprintf(what, sizeof what, "publicKey,%s", sealing->name);
    follow_times(what, times, draw_key, make_public);
  }
  sealing = NULL;
  for (int i = 0; i < SIGNING_WAYS; i++) {
    signing = &signing_ways[i];
    if (signing->way == CUSTOM_SIGNWAY_RSA) continue;
    turn = 0;
    snprintf(what, sizeof what, "signText,%s", signing->name);
    follow_times(what, times, draw_to_sign, sign);
  }
  follow_opaque(times);
  return 0;
}
