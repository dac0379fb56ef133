/*
 * What cancel.c calls: every function of the header, with a password and a key that are in the clear only during a
 * trial. It defines PASSWORD, JOBS and the kinds of cancellation before it includes this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CANCEL_CALLS_H
#define CANCEL_CALLS_H

#include "page.h"
#include "sealing.h"

/* ---- Secrets, which are in the clear only during a trial --------------------------------------------------------- */

static struct secret {
  volatile uint8_t masked[PASSWORD], mask[PASSWORD], in_clear[PASSWORD];
} password, key;

static void draw_secret(struct secret *secret, uint64_t seed, unsigned least, unsigned values) {
  for (size_t i = 0; i < PASSWORD; i++) {
    secret->mask[i] = (uint8_t)draw(&seed);
    secret->masked[i] = (uint8_t)(least + draw(&seed) % values) ^ secret->mask[i];
  }
}

static void show(struct secret *secret) {
  for (size_t i = 0; i < PASSWORD; i++) secret->in_clear[i] = secret->masked[i] ^ secret->mask[i];
}

#define CLEAR(secret) ((const uint8_t *)(secret).in_clear)

/* ---- What is called ---------------------------------------------------------------------------------------------- */

static const struct algorithm *a = &algorithms[3];
static CUSTOM_KEYBOARD k, other, created;
static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], decrypted[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
static uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], clear[JOBS][PASSWORD + 8];
static size_t text_length, offset, length, characters;
static CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
static CUSTOM_KEYBOARD_JOB jobs[JOBS];
static uint8_t generated[LONGEST_MADE_SECRET + LONGEST_MADE_PUBLIC];
static CUSTOM_KEYBOARD_CIPHER cipher, own_cipher;
static char verifier[CUSTOM_KEYBOARD_MAXVERIFIERSIZE];
static volatile unsigned callbacks_begun, callbacks_ended;
static int has_points; /* whether callbacks are cancellation points */

/* Both callbacks: like an app's, they call functions that are cancellation points. */
static void come_to_points(void) {
  const struct timespec moment = {0, 1000};
  uint8_t byte;
  callbacks_begun++;
  if (has_points) {
    pthread_testcancel();
    nanosleep(&moment, NULL);
    if (read(STDIN_FILENO, &byte, 0) != 0) byte = 0;
  }
  callbacks_ended++;
}
static void changed(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context, (void)keyboard, (void)count;
  come_to_points();
}
static void completed(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context, (void)keyboard;
  come_to_points();
}

static int call_create(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_create(&created);
  CustomKeyboard_destroy(created);
  return (int)rv;
}
static int call_destroy(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_destroy(other);
  CustomKeyboard_create(&other);
  return (int)rv;
}
static int call_set_key(void) { return (int)CustomKeyboard_setEncKey(k, CLEAR(key), a->key_length, a->way); }
static int call_open(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_open(k);
  CustomKeyboard_close(k);
  return (int)rv;
}
static int call_close(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_close(k);
  CustomKeyboard_open(k);
  return (int)rv;
}
static int call_input(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_input(k, CLEAR(password), PASSWORD);
  CustomKeyboard_clear(k);
  return (int)rv;
}
static int call_delete(void) { return (int)CustomKeyboard_deleteBackward(k); }
static int call_clear(void) { return (int)CustomKeyboard_clear(k); }
static int call_count(void) { return (int)CustomKeyboard_count(k, &characters); }
static int call_text(void) { return (int)CustomKeyboard_getText(k, space, sizeof space, &offset, &length); }
static int call_set_layout(void) {
  return (int)CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_MIXED, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
}
static int call_set_size(void) { return (int)CustomKeyboard_setSize(k, 400, 300, 3, 4); }
static int call_keys(void) { return (int)CustomKeyboard_keys(k, keys, MOST_KEYS, &characters); }
static int call_press(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_pressKey(k, 4);
  CustomKeyboard_clear(k);
  return (int)rv;
}
static int call_touch(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_touch(k, 200, 190); /* the space, or near it */
  CustomKeyboard_clear(k);
  return (int)rv;
}
static int call_set_field(void) { return (int)CustomKeyboard_setTextField(k, changed, NULL); }
static int call_set_action(void) { return (int)CustomKeyboard_setOKAction(k, completed, NULL); }
static int call_decrypt(void) {
  return (int)CustomKeyboard_decrypt(a->way, CLEAR(key), a->key_length, text, text_length, decrypted, sizeof decrypted,
                                     &offset, &length);
}
static int call_batch(void) { return (int)CustomKeyboard_decryptBatch(a->way, jobs, JOBS); }
static int call_setup(void) { return (int)CustomKeyboard_setupCipher(&cipher, a->way, CLEAR(key), a->key_length, 0); }
static int call_crypt(void) { return (int)CustomKeyboard_cryptECB(&own_cipher, CLEAR(password), clear[0], 32); }
static int call_wipe(void) { return (int)CustomKeyboard_wipeCipher(&cipher); }
static int call_context(void) { return (int)CustomKeyboard_setContext(k, CLEAR(password), PASSWORD); }
static int call_unsealing(void) { return (int)call_unseal(); }
static int call_receiving(void) {
  int rv = (int)call_receive();
  CustomKeyboard_close(k);
  return rv;
}
static int call_generating(void) {
  size_t secret_length, public_length;
  return (int)CustomKeyboard_generateKey(CUSTOM_ENCWAY_P256, generated, LONGEST_MADE_SECRET, &secret_length,
                                         generated + LONGEST_MADE_SECRET, LONGEST_MADE_PUBLIC, &public_length);
}
static int call_making_public(void) {
  sealing.made_capacity = sizeof sealing.made;
  return (int)call_public_key();
}
static int call_sealing_typed(void) {
  sealing.typed_key_length = keyboard_key_length(&sealing);
  sealing.typed_size = sizeof sealing.typed_text;
  return (int)call_seal_typed();
}
static int call_signing(void) { return (int)call_sign(); }
static int call_verifying(void) { return (int)call_verify(); }
static int call_check_pattern(void) { return (int)CustomKeyboard_checkPattern(bytes("^(a|b)*$"), 8, &characters); }
static int call_add_rule(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_addRule(k, CUSTOM_KEYBOARD_RULE_TEXT, 0, CLEAR(password), 4);
  CustomKeyboard_clearRules(k);
  return (int)rv;
}
static int call_clear_rules(void) { return (int)CustomKeyboard_clearRules(k); }
static int call_check(void) {
  CustomKeyboard_addRule(k, CUSTOM_KEYBOARD_RULE_MATCH, 0, bytes("^(.|..)*$"), 9);
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_check(k, &characters);
  CustomKeyboard_clearRules(k);
  return (int)rv;
}
static int call_rule_message(void) { return CustomKeyboard_ruleMessage(CUSTOM_KEYBOARD_RULE_RUN) ? 0 : -1; }
static int call_compare(void) { return (int)CustomKeyboard_compare(k, other); }
static int call_make_verifier(void) {
  return (int)CustomKeyboard_makeVerifier(k, CLEAR(key), 16, verifier, sizeof verifier, &characters);
}
static int call_check_verifier(void) {
  return (int)CustomKeyboard_checkVerifier(k, CLEAR(key), 16,
                                           "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA");
}
static int call_check_rule(void) {
  return (int)CustomKeyboard_checkRule(k, CUSTOM_KEYBOARD_RULE_MATCH, 0, bytes("^(.|..)*$"), 9);
}
static int call_derive(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_deriveKey(k, bytes("saltsalt"), 8, CLEAR(key), 16, 64, 1, clear[1], 32);
  wipe(clear[1], 32);
  return (int)rv;
}
static int call_message(void) { return CustomKeyboard_message(CUSTOM_KEYBOARD_OK) ? 0 : -1; }
static int call_version(void) { return CustomKeyboard_version() ? 0 : -1; }

static const struct attempt {
  const char *function;
  int (*call)(void);
  int is_idle; /* for a keyboard that is not up */
} attempts[] = {
    {"create", call_create, 0},          {"destroy", call_destroy, 0},         {"setEncKey", call_set_key, 1},
    {"open", call_open, 1},              {"close", call_close, 0},             {"input", call_input, 0},
    {"deleteBackward", call_delete, 0},  {"clear", call_clear, 0},             {"count", call_count, 0},
    {"getText", call_text, 0},           {"setLayout", call_set_layout, 1},    {"setSize", call_set_size, 0},
    {"keys", call_keys, 0},              {"pressKey", call_press, 0},          {"touch", call_touch, 0},
    {"setTextField", call_set_field, 0}, {"setOKAction", call_set_action, 0},  {"decrypt", call_decrypt, 0},
    {"decryptBatch", call_batch, 0},     {"setupCipher", call_setup, 0},       {"cryptECB", call_crypt, 0},
    {"wipeCipher", call_wipe, 0},        {"message", call_message, 0},         {"version", call_version, 0},
    {"setContext", call_context, 0},     {"unseal", call_unsealing, 0},        {"receive", call_receiving, 1},
    {"generateKey", call_generating, 0}, {"publicKey", call_making_public, 0},
    {"signText", call_signing, 0},        {"verifyText", call_verifying, 0},
    {"checkPattern", call_check_pattern, 0}, {"addRule", call_add_rule, 0},    {"clearRules", call_clear_rules, 0},
    {"check", call_check, 0},            {"ruleMessage", call_rule_message, 0}, {"compare", call_compare, 0},
    {"checkRule", call_check_rule, 0},   {"deriveKey", call_derive, 0},        {"sealTyped", call_sealing_typed, 0},
    {"makeVerifier", call_make_verifier, 0}, {"checkVerifier", call_check_verifier, 0},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

#endif /* CANCEL_CALLS_H */
