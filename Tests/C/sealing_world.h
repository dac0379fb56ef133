/*
 * What the calls of keyboard_calls.h on sealed texts and signatures need. Keys are in `sealing`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALING_WORLD_H
#define SEALING_WORLD_H

#include "keyboard_world.h"

/* ---- Variants ---------------------------------------------------------------------------------------------------- */

static void choose_sealing(int which) { sealing.way = &sealed_ways[which]; }
static const char *sealing_name(int which) { return sealed_ways[which].name; }
static int is_sealing_slow(int which) { return sealed_ways[which].step > 1; }
static const struct variants sealed = {SEALED_WAYS, choose_sealing, sealing_name, is_sealing_slow};

/* One text of each way, and more than are opened together. */
static void choose_sealed_jobs(int which) {
  choose_sealing(which / 2);
  w.sealed_job_count = which % 2 ? WORLD_SEALED_JOBS : 1;
}
static const char *sealed_jobs_name(int which) {
  static char name[40];
  snprintf(name, sizeof name, "%s, %s", sealing_name(which / 2), which % 2 ? "11 texts" : "1 text");
  return name;
}
static int are_sealed_jobs_slow(int which) { return is_sealing_slow(which / 2); }
static const struct variants sealed_batches = {2 * SEALED_WAYS, choose_sealed_jobs, sealed_jobs_name,
                                               are_sealed_jobs_slow};

/* The keys to sign with are those of a way of sealed texts. */
static void choose_signing(int which) {
  sealing.signing = &signing_ways[which];
  for (int i = 0; i < SEALED_WAYS; i++)
    if (sealed_ways[i].way == sealing.signing->keys) sealing.way = &sealed_ways[i];
}
static const char *signing_name(int which) { return signing_ways[which].name; }
static int is_signing_slow(int which) { return signing_ways[which].step > 1; }
static const struct variants signatures = {SIGNING_WAYS, choose_signing, signing_name, is_signing_slow};

/* Some of the ways of sealed texts. */
#define SOME_WAYS(ways, ...)                                                                        \
  static const CUSTOM_ENCWAY ways##_list[] = {__VA_ARGS__};                                         \
  static void choose_##ways(int which) {                                                            \
    for (int i = 0; i < SEALED_WAYS; i++)                                                           \
      if (sealed_ways[i].way == ways##_list[which]) sealing.way = &sealed_ways[i];                  \
  }                                                                                                 \
  static const char *name_of_##ways(int which) {                                                    \
    choose_##ways(which);                                                                           \
    return sealing.way->name;                                                                       \
  }                                                                                                 \
  static const struct variants ways = {sizeof ways##_list / sizeof *ways##_list, choose_##ways, name_of_##ways, NULL};
SOME_WAYS(pairs, CUSTOM_ENCWAY_X25519, CUSTOM_ENCWAY_P256, CUSTOM_ENCWAY_SM2)
SOME_WAYS(curves, CUSTOM_ENCWAY_P256, CUSTOM_ENCWAY_SM2) /* not every number is a private key */
SOME_WAYS(generated, CUSTOM_ENCWAY_SM4_GCM, CUSTOM_ENCWAY_X25519, CUSTOM_ENCWAY_P256, CUSTOM_ENCWAY_SM2)
SOME_WAYS(without_pairs, CUSTOM_ENCWAY_SM4_GCM, CUSTOM_ENCWAY_RSA)

/* ---- Sealed texts ------------------------------------------------------------------------------------------------ */

static void keys(void) {
  make_keys();
  sealing.context_length = WORLD_CONTEXT;
}

/* A keyboard that is up with a key for sealed texts, and a password. */
static void recipient(void) {
  keys();
  idle();
  REQUIRE_OK(CustomKeyboard_setEncKey(w.keyboard, keyboard_key(&sealing), keyboard_key_length(&sealing),
                                      sealing.way->way));
  REQUIRE_OK(CustomKeyboard_setContext(w.keyboard, sealing.context, sealing.context_length));
  type_in(w.keyboard, w.password_length);
  w.room = w.is_exact ? sealing.way->text_length : w.space_size;
}

static void recipient_without_context(void) {
  recipient();
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
  type_in(w.keyboard, w.password_length);
}

static void keys_and_keyboard(void) {
  keys();
  idle();
}

static void sealed_up(void) {
  recipient();
  REQUIRE_OK(CustomKeyboard_getText(w.keyboard, sealing.text, sealing.way->text_length, &w.offset,
                                    &sealing.text_length));
  w.room = w.is_exact ? w.password_length : w.space_size;
}
static void sealed_idle(void) {
  sealed_up();
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
}
/* The same text many times; some without room, and some for a context that is not theirs. */
static void sealed_jobs(void) {
  sealed_idle();
  memset(w.clears, 0, sizeof w.clears);
  for (size_t i = 0; i < w.sealed_job_count; i++)
    w.sealed_jobs[i] = (CUSTOM_KEYBOARD_SEALED_JOB){
        sealing.context, sealing.context_length - (code_of_job(i) == CUSTOM_KEYBOARD_UNDECRYPTABLE),
        sealing.text, sealing.text_length, w.clears[i],
        code_of_job(i) == CUSTOM_KEYBOARD_SPACE ? w.password_length - 1 : WORLD_PASSWORD, 0, CUSTOM_KEYBOARD_OK};
}
static int are_sealed_jobs_right(void) {
  for (size_t i = 0; i < w.sealed_job_count; i++) {
    const CUSTOM_KEYBOARD_SEALED_JOB *job = &w.sealed_jobs[i];
    int is_good = code_of_job(i) == CUSTOM_KEYBOARD_OK;
    if (job->rv != code_of_job(i)) return 0;
    if (is_good && job->clearLength != w.password_length) return 0;
    if (is_good && memcmp(job->clear, w.password, w.password_length) != 0) return 0;
  }
  return 1;
}
static void sealed_altered(void) {
  sealed_idle();
  sealing.text[sealing.text_length - 1] ^= 1;
}
/* What is not a public key: for the curves, a point that is not on it. */
static void recipient_without_key(void) {
  recipient();
  sealing.public[0] ^= 0x40;
  sealing.public[sealing.public_length - 1] ^= 0x80;
}
static void keys_too_large(void) {
  keys();
  memset(sealing.secret, 0xff, 8);
}

static int is_sealed_text_right(void) {
  size_t at, count;
  return w.length == sealing.way->text_length && w.offset <= w.room && w.length <= w.room - w.offset &&
         CustomKeyboard_unseal(sealing.way->way, sealing.secret, sealing.secret_length, sealing.context,
                               sealing.context_length, w.space + w.offset, w.length, w.check, sizeof w.check, &at,
                               &count) == CUSTOM_KEYBOARD_OK &&
         holds_password(w.check, sizeof w.check, at, count);
}

/* The new key goes into the space, all of it. */
static void pair_in_space(void) {
  sealing.context_length = WORLD_CONTEXT;
  w.room = sealing.way->secret_length + (sealing.way->way == CUSTOM_ENCWAY_SM4_GCM ? 0 : sealing.way->public_length);
  w.is_drawn = 1;
}
static int is_pair_right(void) {
  size_t secret = sealing.way->secret_length, public = w.room - secret, length;
  if (w.offset != secret || w.length != public) return 0;
  return public == 0 ||
         (CustomKeyboard_publicKey(sealing.way->way, w.space, secret, w.check, sizeof w.check, &length) ==
              CUSTOM_KEYBOARD_OK && length == public && memcmp(w.check, w.space + secret, public) == 0);
}
static void clear_public(void) { memset(sealing.made, 0, sizeof sealing.made); }
static int is_public_right(void) {
  return sealing.made_length == sealing.public_length &&
         memcmp(sealing.made, sealing.public, sealing.public_length) == 0;
}

/* ---- Signatures -------------------------------------------------------------------------------------------------- */

static void signing_keys(void) {
  keys();
  sealing.text_length = 100;
  w.room = sealing.signing->signature_length;
  w.is_drawn = 1;
}
static void signing_without_key(void) {
  signing_keys();
  memset(sealing.secret, 0, sealing.secret_length);
}
static void signed_text(void) {
  signing_keys();
  sealing.signature_capacity = sealing.signing->signature_length;
  REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_sign());
  w.room = 0;
}
static void signed_altered(void) {
  signed_text();
  sealing.signature[20] ^= 1;
}
static int is_signature_right(void) {
  return CustomKeyboard_verifyText(sealing.signing->way, sealing.public, sealing.public_length, sealing.context,
                                   sealing.context_length, sealing.text, sealing.text_length, w.space, w.length) ==
         CUSTOM_KEYBOARD_OK;
}

#endif /* SEALING_WORLD_H */
