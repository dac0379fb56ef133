/*
 * The calls that fork_inside.c interrupts: how each is prepared, made, undone, and judged. It defines the sizes and the
 * password before it includes this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORK_CALLS_H
#define FORK_CALLS_H

#include "page.h"
#include "sealing.h"

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD keyboard;
static uint8_t space[LONGEST_SPACE];
static size_t space_size, offset, length;
static const struct algorithm *algorithm;
static uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], clears[BATCH][CUSTOM_KEYBOARD_MAXTEXTSIZE];
static size_t text_length;
static CUSTOM_KEYBOARD_JOB jobs[BATCH];

static void type_password(void) {
  keyboard = typed(algorithm->way, page_key, algorithm->key_length, password, PASSWORD);
}
static void encrypt_password(void) {
  type_password();
  REQUIRE_OK(CustomKeyboard_getText(keyboard, text, padded(PASSWORD, algorithm->block_size), &offset, &text_length));
}
static void show_pin(void) {
  keyboard = shown_under(algorithm, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
}
static void hide_pin(void) {
  show_pin();
  REQUIRE_OK(CustomKeyboard_close(keyboard));
}
static void type_nothing(void) { keyboard = typed(algorithm->way, page_key, algorithm->key_length, password, 0); }
static void prepare_jobs(void) {
  encrypt_password();
  for (int i = 0; i < BATCH; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){page_key, algorithm->key_length, text, text_length, clears[i], sizeof clears[i], 0,
                                    CUSTOM_KEYBOARD_OK};
}

static CUSTOM_KEYBOARD_RV get_text(void) {
  return CustomKeyboard_getText(keyboard, space, space_size, &offset, &length);
}
static CUSTOM_KEYBOARD_RV decrypt(void) {
  return CustomKeyboard_decrypt(algorithm->way, page_key, algorithm->key_length, text, text_length, space, space_size,
                                &offset, &length);
}
static CUSTOM_KEYBOARD_RV decrypt_batch(void) { return CustomKeyboard_decryptBatch(algorithm->way, jobs, BATCH); }
static CUSTOM_KEYBOARD_RV open_it(void) { return CustomKeyboard_open(keyboard); }
static CUSTOM_KEYBOARD_RV touch_it(void) { return CustomKeyboard_touch(keyboard, 5, 5); }
static CUSTOM_KEYBOARD_RV input_it(void) { return CustomKeyboard_input(keyboard, password, PASSWORD); }
static CUSTOM_KEYBOARD_RV set_key(void) {
  return CustomKeyboard_setEncKey(keyboard, page_key, algorithm->key_length, algorithm->way);
}

/* The same with a sealed text. A new key goes into the space, all of it: no child may have the parent's. */
static void take_recipient_of(const struct sealed_way *way) {
  sealing.way = way;
  make_keys();
  type_password();
  REQUIRE_OK(CustomKeyboard_close(keyboard));
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, sealing.public, sealing.public_length, sealing.way->way));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, password, PASSWORD));
}
static void take_recipient(void) { take_recipient_of(&sealed_ways[1]); }
static void take_p256_recipient(void) { take_recipient_of(&sealed_ways[2]); }
static void take_sm2_recipient(void) { take_recipient_of(&sealed_ways[3]); }
static void take_rsa_recipient(void) { take_recipient_of(&sealed_ways[SEALED_WAYS - 1]); }
static void seal_it(void) {
  REQUIRE_OK(CustomKeyboard_getText(keyboard, sealing.text, sealing.way->text_length, &offset, &sealing.text_length));
}
static void seal_password(void) {
  take_recipient();
  seal_it();
}
static void seal_with_p256(void) {
  take_p256_recipient();
  seal_it();
}
static void seal_with_sm2(void) {
  take_sm2_recipient();
  seal_it();
}
static void seal_with_rsa(void) {
  take_rsa_recipient();
  seal_it();
}
static CUSTOM_KEYBOARD_RV seal_typed(void) {
  return CustomKeyboard_sealTyped(keyboard, sealing.way->way, keyboard_key(&sealing), keyboard_key_length(&sealing),
                                  NULL, 0, space, space_size, &offset, &length);
}
static CUSTOM_KEYBOARD_RV unseal(void) {
  return CustomKeyboard_unseal(sealing.way->way, sealing.secret, sealing.secret_length, NULL, 0, sealing.text,
                               sealing.text_length, space, space_size, &offset, &length);
}
static CUSTOM_KEYBOARD_RV generate(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_generateKey(CUSTOM_ENCWAY_P256, space, LONGEST_MADE_SECRET, &offset,
                                                     space + LONGEST_MADE_SECRET, LONGEST_MADE_PUBLIC, &length);
  if (rv == CUSTOM_KEYBOARD_OK) offset = length = 0; /* nothing in the space is the same for all */
  return rv;
}

/* The public key of a private one: the same for all, so that it is not in the space. */
static void take_pair(void) {
  type_password();
  sealing.way = &sealed_ways[1];
  sealing.made_capacity = sizeof sealing.made;
  REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_generate());
}
static CUSTOM_KEYBOARD_RV make_public(void) { return (CUSTOM_KEYBOARD_RV)call_public_key(); }
static void clear_public(void) { memset(sealing.made, 0, sizeof sealing.made); }
static int is_public_right(void) {
  size_t size = sealing.public_length;
  return sealing.made_length == size && memcmp(sealing.made, sealing.public, size) == 0;
}

enum { SIGNATURE = 64, SALT_AT = 31 }; /* of P-256; in a verifier */

/* The signature fills the space: no child may have the parent's nonce, or another child's. */
static void take_signing_key(void) {
  type_password();
  sealing.way = &sealed_ways[2];
  REQUIRE_OK((CUSTOM_KEYBOARD_RV)call_generate());
}
static CUSTOM_KEYBOARD_RV sign(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_signText(CUSTOM_SIGNWAY_P256, sealing.secret, sealing.secret_length, NULL, 0,
                                                  password, PASSWORD, space, SIGNATURE, &length);
  if (rv == CUSTOM_KEYBOARD_OK) offset = length = 0; /* nothing in the space is the same for all */
  return rv;
}

/* The verifier of what is typed, and rules. */
static char verifier[CUSTOM_KEYBOARD_MAXVERIFIERSIZE];
static void take_verifier(void) {
  type_password();
  REQUIRE_OK(CustomKeyboard_makeVerifier(keyboard, page_key, 16, verifier, sizeof verifier, &length));
}
static CUSTOM_KEYBOARD_RV make_verifier(void) {
  CUSTOM_KEYBOARD_RV rv =
      CustomKeyboard_makeVerifier(keyboard, page_key, 16, (char *)space, CUSTOM_KEYBOARD_MAXVERIFIERSIZE, &length);
  if (rv == CUSTOM_KEYBOARD_OK) {
    memcpy(verifier, space, sizeof verifier);
    memcpy(space, space + SALT_AT, 22); /* no child may have the parent's salt */
    offset = length = 0;
  }
  return rv;
}
static CUSTOM_KEYBOARD_RV check_verifier(void) {
  return CustomKeyboard_checkVerifier(keyboard, page_key, 16, verifier);
}
/* The key of what is typed, the same each time: not in the space. */
static uint8_t derived[2][32];
static CUSTOM_KEYBOARD_RV derive_into(uint8_t *key) {
  return CustomKeyboard_deriveKey(keyboard, page_key, 16, page_key, 16, 4096, 1, key, sizeof derived[0]);
}
static void take_derived(void) {
  type_password();
  REQUIRE_OK(derive_into(derived[0]));
}
static CUSTOM_KEYBOARD_RV derive(void) { return derive_into(derived[1]); }
static void clear_derived(void) { memset(derived[1], 0, sizeof derived[1]); }
static int is_derived_right(void) { return memcmp(derived[0], derived[1], sizeof derived[0]) == 0; }
static CUSTOM_KEYBOARD_RV compare(void) { return CustomKeyboard_compare(keyboard, keyboard); }
static void take_rules(void) {
  type_password();
  REQUIRE_OK(CustomKeyboard_addRule(keyboard, CUSTOM_KEYBOARD_RULE_COMMON, 0, NULL, 0));
  REQUIRE_OK(CustomKeyboard_addRule(keyboard, CUSTOM_KEYBOARD_RULE_MATCH, 0, (const uint8_t *)"^(.|..)*$", 9));
}
static CUSTOM_KEYBOARD_RV check(void) { return CustomKeyboard_check(keyboard, &offset); }
static CUSTOM_KEYBOARD_RV add_rule(void) {
  return CustomKeyboard_addRule(keyboard, CUSTOM_KEYBOARD_RULE_PHONE, 4, (const uint8_t *)"0123456789", 10);
}
static CUSTOM_KEYBOARD_RV check_rule(void) {
  return CustomKeyboard_checkRule(keyboard, CUSTOM_KEYBOARD_RULE_MATCH, 0, (const uint8_t *)"^(.|..)*$", 9);
}
static void clear_rules(void) { REQUIRE_OK(CustomKeyboard_clearRules(keyboard)); }

static void nothing(void) {}
static void close_it(void) { REQUIRE_OK(CustomKeyboard_close(keyboard)); }
static void delete_it(void) { REQUIRE_OK(CustomKeyboard_deleteBackward(keyboard)); }
static void clear_it(void) { REQUIRE_OK(CustomKeyboard_clear(keyboard)); }
static void clear_jobs(void) { memset(clears, 0, sizeof clears); }

/* Whether the password is present, encrypted or not. */
static int is_text_right(void) {
  uint8_t clear[256];
  size_t at, count;
  return offset < space_size && length <= space_size - offset &&
         CustomKeyboard_decrypt(algorithm->way, page_key, algorithm->key_length, space + offset, length, clear,
                                sizeof clear, &at, &count) == CUSTOM_KEYBOARD_OK &&
         count == PASSWORD && memcmp(clear + at, password, PASSWORD) == 0;
}
static int is_clear_right(void) {
  return length == PASSWORD && offset <= space_size - PASSWORD && memcmp(space + offset, password, PASSWORD) == 0;
}
static int are_jobs_right(void) {
  for (int i = 0; i < BATCH; i++)
    if (jobs[i].rv != CUSTOM_KEYBOARD_OK || jobs[i].clearLength != PASSWORD ||
        memcmp(clears[i], password, PASSWORD) != 0)
      return 0;
  return 1;
}
static int is_sealed_text_right(void) {
  size_t at, count;
  return offset < space_size && length <= space_size - offset &&
         CustomKeyboard_unseal(sealing.way->way, sealing.secret, sealing.secret_length, NULL, 0, space + offset, length,
                               sealing.space, sizeof sealing.space, &at, &count) == CUSTOM_KEYBOARD_OK &&
         count == PASSWORD && memcmp(sealing.space + at, password, PASSWORD) == 0;
}
static int is_signature_right(void) {
  return CustomKeyboard_verifyText(CUSTOM_SIGNWAY_P256, sealing.public, sealing.public_length, NULL, 0, password,
                                   PASSWORD, space, SIGNATURE) == CUSTOM_KEYBOARD_OK;
}
/* The child's keyboard is idle. */
static int is_verifier_right(void) {
  CUSTOM_KEYBOARD_RV rv = check_verifier();
  return rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_OP_DISABLE;
}
static int is_always_right(void) { return 1; }

static const struct operation {
  const char *name;
  int count, algorithm;
  size_t space_size; /* 0 if the call fills no space */
  void (*prepare)(void);
  CUSTOM_KEYBOARD_RV (*call)(void);
  void (*undo)(void); /* makes it possible to call it again */
  int (*is_right)(void);
  int needs_keyboard;
} operations[] = {
    {"getText, 1 KB", 600 / LESS, 3, 1024, type_password, get_text, nothing, is_text_right, 1},
    {"getText, 4 KB", 200 / LESS, 2, 4096, type_password, get_text, nothing, is_text_right, 1},
    {"getText, 64 KB", 60 / LESS, 3, LONGEST_SPACE, type_password, get_text, nothing, is_text_right, 1},
    {"decrypt, 1 KB", 400 / LESS, 3, 1024, encrypt_password, decrypt, nothing, is_clear_right, 0},
    {"decrypt, 64 KB", 40 / LESS, 0, LONGEST_SPACE, encrypt_password, decrypt, nothing, is_clear_right, 0},
    {"decryptBatch, SM4", 100 / LESS, 3, 0, prepare_jobs, decrypt_batch, clear_jobs, are_jobs_right, 0},
    {"decryptBatch, 3DES", 100 / LESS, 2, 0, prepare_jobs, decrypt_batch, clear_jobs, are_jobs_right, 0},
    {"getText, sealed", 200 / LESS, 3, 1024, take_recipient, get_text, nothing, is_sealed_text_right, 1},
    {"unseal", 200 / LESS, 3, 1024, seal_password, unseal, nothing, is_clear_right, 0},
    {"generateKey", 200 / LESS, 3, LONGEST_MADE_SECRET + LONGEST_MADE_PUBLIC, type_password, generate, nothing,
     is_always_right, 0},
    {"publicKey", 200 / LESS, 3, 0, take_pair, make_public, clear_public, is_public_right, 0},
    {"getText, P-256", 200 / LESS, 3, 1024, take_p256_recipient, get_text, nothing, is_sealed_text_right, 1},
    {"unseal, P-256", 200 / LESS, 3, 1024, seal_with_p256, unseal, nothing, is_clear_right, 0},
    {"getText, SM2", 200 / LESS, 3, 1024, take_sm2_recipient, get_text, nothing, is_sealed_text_right, 1},
    {"unseal, SM2", 200 / LESS, 3, 1024, seal_with_sm2, unseal, nothing, is_clear_right, 0},
    {"getText, RSA", 100 / LESS, 3, 1024, take_rsa_recipient, get_text, nothing, is_sealed_text_right, 1},
    {"unseal, RSA", 100 / LESS, 3, 1024, seal_with_rsa, unseal, nothing, is_clear_right, 0},
    {"signText", 200 / LESS, 3, SIGNATURE, take_signing_key, sign, nothing, is_signature_right, 0},
    {"makeVerifier", 30 / LESS, 3, 22, type_password, make_verifier, nothing, is_verifier_right, 1},
    {"checkVerifier", 30 / LESS, 3, 0, take_verifier, check_verifier, nothing, is_always_right, 1},
    {"deriveKey", 60 / LESS, 3, 0, take_derived, derive, clear_derived, is_derived_right, 1},
    {"sealTyped", 200 / LESS, 3, 1024, take_recipient, seal_typed, nothing, is_sealed_text_right, 1},
    {"sealTyped, SM2", 100 / LESS, 3, 1024, take_sm2_recipient, seal_typed, nothing, is_sealed_text_right, 1},
    {"checkRule", 200 / LESS, 3, 0, type_password, check_rule, nothing, is_always_right, 1},
    {"compare", 200 / LESS, 3, 0, type_password, compare, nothing, is_always_right, 1},
    {"check", 200 / LESS, 3, 0, take_rules, check, nothing, is_always_right, 1},
    {"addRule", 200 / LESS, 3, 0, take_rules, add_rule, clear_rules, is_always_right, 1},
    {"open", 300 / LESS, 3, 0, hide_pin, open_it, close_it, is_always_right, 1},
    {"touch", 300 / LESS, 3, 0, show_pin, touch_it, delete_it, is_always_right, 1},
    {"input", 200 / LESS, 3, 0, type_nothing, input_it, clear_it, is_always_right, 1},
    {"setEncKey", 200 / LESS, 2, 0, hide_pin, set_key, nothing, is_always_right, 1},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

#endif /* FORK_CALLS_H */
