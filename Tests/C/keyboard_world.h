/*
 * What the calls of keyboard_calls.h need: two keyboards, keys, texts, a space for answers; how each is made, and how
 * answers are judged. A program fills in the first part of `w`; `prepare` functions make the rest. For sealed texts and
 * signatures see sealing_world.h, for PIN blocks pin_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef KEYBOARD_WORLD_H
#define KEYBOARD_WORLD_H

#include "calls.h"
#include "page.h"
#include "sealing.h"

enum {
  WORLD_PASSWORD = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE,
  WORLD_JOBS = 70,
  WORLD_SEALED_JOBS = 11, /* a group and some more */
  WORLD_SPACE = 65536,
  WORLD_CONTEXT = 20,
  SALT_AT = 31, /* in a verifier that the library made */
  SALT_SIZE = 22,
};

static struct world {
  /* From the program. */
  const struct algorithm *algorithm;
  CUSTOM_KEYBOARD_LAYOUT layout;
  uint8_t password[WORLD_PASSWORD + 1], key[LONGEST_KEY];
  size_t password_length;    /* at least 5 */
  size_t space_size;         /* of getText and decrypt; never more than WORLD_SPACE */
  int is_exact;              /* whether a sealed text and what is in it get a space of their own size */
  int may_be_idle;           /* after a fork */
  void (*at_callback)(void); /* NULL: nothing */
  /* Made by `prepare`. */
  CUSTOM_KEYBOARD keyboard, other;
  uint8_t not_utf8[WORLD_PASSWORD + 1];
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], bad_text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  uint8_t long_text[CUSTOM_KEYBOARD_MAXTEXTSIZE + 16];
  size_t text_length;
  size_t pressed; /* a key, and its middle */
  double x, y;
  CUSTOM_KEYBOARD_JOB jobs[WORLD_JOBS];
  uint8_t clears[WORLD_JOBS][WORLD_PASSWORD];
  size_t job_count;
  CUSTOM_KEYBOARD_SEALED_JOB sealed_jobs[WORLD_SEALED_JOBS];
  size_t sealed_job_count;
  int is_decrypting;
  CUSTOM_KEYBOARD_CIPHER cipher;
  char verifier[CUSTOM_KEYBOARD_MAXVERIFIERSIZE];
  uint8_t derived[64], derived_before[64];
  size_t room;               /* bytes of the space that the call may fill; 0 if it fills none */
  size_t places;             /* at so many places a text may be put, as the call's first draw says; or 0 */
  size_t drawn_at, drawn_size; /* what the call draws is only there in the space; 0, 0: everywhere but in the answer */
  int is_drawn;              /* all of that is drawn: no part of it is the same twice */
  /* Answers. */
  uint8_t space[WORLD_SPACE], blocks[1024], check[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset, length;
  CUSTOM_KEYBOARD_KEY keys[MOST_KEYS];
  CUSTOM_KEYBOARD made;
  unsigned told;
} w = {.space_size = CUSTOM_KEYBOARD_ENCDATASPACESIZE};

static void wipe_bytes(volatile void *memory, size_t size) {
  for (size_t i = 0; i < size; i++) ((volatile uint8_t *)memory)[i] = 0;
}

/* For programs that make a call again and again: a passcode and a key. */
__attribute__((unused)) static void fixed_secrets(void) {
  w.algorithm = &algorithms[ALGORITHM_COUNT - 1];
  w.layout = CUSTOM_KEYBOARD_LAYOUT_LETTERS;
  w.password_length = 12;
  memcpy(w.password, "a passcode..", 12);
  for (size_t i = 0; i < sizeof w.key; i++) w.key[i] = (uint8_t)(i * 37 + 5);
}

/* ---- Callbacks --------------------------------------------------------------------------------------------------- */

static void world_changed(void *context, CUSTOM_KEYBOARD keyboard, size_t characters) {
  (void)context, (void)keyboard;
  w.told += characters > 0;
  if (w.at_callback) w.at_callback();
}

static void world_completed(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context, (void)keyboard;
  w.told++;
  if (w.at_callback) w.at_callback();
}

/* ---- Keyboards --------------------------------------------------------------------------------------------------- */

static void release_world(void) {
  CUSTOM_KEYBOARD keyboards[] = {w.made, w.other, w.keyboard};
  w.made = w.other = w.keyboard = 0;
  /* The last one first: each is then in the same slot in the next round. */
  for (int i = 0; i < 3; i++)
    if (keyboards[i]) (void)CustomKeyboard_destroy(keyboards[i]);
  w.room = w.places = w.drawn_at = w.drawn_size = 0;
  w.is_drawn = 0;
}

static void no_keyboard(void) { w.room = 0; }

static void new_keyboard(void) { REQUIRE_OK(CustomKeyboard_create(&w.keyboard)); }

static void idle(void) {
  new_keyboard();
  REQUIRE_OK(CustomKeyboard_setEncKey(w.keyboard, w.key, w.algorithm->key_length, w.algorithm->way));
  REQUIRE_OK(CustomKeyboard_setLayout(w.keyboard, w.layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0));
  REQUIRE_OK(CustomKeyboard_setTextField(w.keyboard, world_changed, NULL));
  REQUIRE_OK(CustomKeyboard_setOKAction(w.keyboard, world_completed, NULL));
}

static void type_in(CUSTOM_KEYBOARD keyboard, size_t length) {
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, w.password, length));
}

static void up(void) {
  idle();
  type_in(w.keyboard, 0);
  memcpy(w.not_utf8, w.password, sizeof w.not_utf8);
  w.not_utf8[w.password_length - 1] ^= 0x80;
}

/* A key that types something: a blank key among the digits draws no new order. */
static void up_with_key(void) {
  struct page page;
  up();
  look(w.keyboard, &page);
  for (w.pressed = 0; page.keys[w.pressed].role != CUSTOM_KEYBOARD_ROLE_CHARACTER;) w.pressed++;
  w.x = page.keys[w.pressed].x + page.keys[w.pressed].width / 2;
  w.y = page.keys[w.pressed].y + page.keys[w.pressed].height / 2;
}

static void typed_in(void) {
  idle();
  type_in(w.keyboard, w.password_length);
}

/* All but the last character. */
static void nearly_typed(void) {
  idle();
  type_in(w.keyboard, w.password_length - 1);
}

/* An idle keyboard that was up before, and one that is up again. */
static void idle_again(void) {
  typed_in();
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
}
static void up_again(void) {
  idle_again();
  REQUIRE_OK(CustomKeyboard_open(w.keyboard));
}
static void cleared(void) {
  typed_in();
  REQUIRE_OK(CustomKeyboard_clear(w.keyboard));
}

/* Two with the same password; two of which one has less. */
static void two_typed(void) {
  typed_in();
  REQUIRE_OK(CustomKeyboard_create(&w.other));
  type_in(w.other, w.password_length);
}
static void two_different(void) {
  two_typed();
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.other));
}

/* The other one is gone. */
static void one_destroyed(void) {
  two_typed();
  REQUIRE_OK(CustomKeyboard_destroy(w.other));
}

static void destroy_made(void) { (void)CustomKeyboard_destroy(w.made); }
static void make_other(void) { (void)CustomKeyboard_create(&w.other); }
static void close_it(void) { (void)CustomKeyboard_close(w.keyboard); }
static void open_it(void) { (void)CustomKeyboard_open(w.keyboard); }
static void clear_it(void) { (void)CustomKeyboard_clear(w.keyboard); }
static void delete_it(void) { (void)CustomKeyboard_deleteBackward(w.keyboard); }

/* ---- ECB --------------------------------------------------------------------------------------------------------- */

static size_t ecb_length(void) { return padded(w.password_length, w.algorithm->block_size); }

static void typed_for_space(void) {
  typed_in();
  w.room = w.space_size;
  w.places = w.room - ecb_length() + 1;
}

/* Ciphertexts of the password: a right one, and one whose padding is wrong. */
static void encrypted(void) {
  const struct algorithm *a = w.algorithm;
  uint8_t clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  CUSTOM_KEYBOARD_CIPHER cipher;
  w.text_length = ecb_length();
  memset(clear, (int)(w.text_length - w.password_length), sizeof clear);
  memcpy(clear, w.password, w.password_length);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, w.key, a->key_length, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, w.text, w.text_length));
  clear[w.text_length - 1] = 0;
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, w.bad_text, w.text_length));
  REQUIRE_OK(CustomKeyboard_wipeCipher(&cipher));
  wipe_bytes(clear, sizeof clear);
}

static void encrypted_for_space(void) {
  encrypted();
  w.room = w.space_size;
  w.places = w.room - w.password_length + 1;
}

/* Batches that fill the lanes and have jobs left over: good jobs, some without room and some with broken padding. */
static CUSTOM_KEYBOARD_RV code_of_job(size_t i) {
  return i % 7 == 5 ? CUSTOM_KEYBOARD_UNDECRYPTABLE : i % 5 == 3 ? CUSTOM_KEYBOARD_SPACE : CUSTOM_KEYBOARD_OK;
}
static void batch(void) {
  encrypted();
  memset(w.clears, 0, sizeof w.clears);
  for (size_t i = 0; i < w.job_count; i++)
    w.jobs[i] = (CUSTOM_KEYBOARD_JOB){w.key, w.algorithm->key_length,
                                      code_of_job(i) == CUSTOM_KEYBOARD_UNDECRYPTABLE ? w.bad_text : w.text,
                                      w.text_length, w.clears[i],
                                      code_of_job(i) == CUSTOM_KEYBOARD_SPACE ? w.password_length - 1 : WORLD_PASSWORD,
                                      0, CUSTOM_KEYBOARD_OK};
}
static void clear_jobs(void) { memset(w.clears, 0, sizeof w.clears); }
static int are_jobs_right(void) {
  for (size_t i = 0; i < w.job_count; i++) {
    int is_good = code_of_job(i) == CUSTOM_KEYBOARD_OK;
    if (w.jobs[i].rv != code_of_job(i)) return 0;
    if (is_good && w.jobs[i].clearLength != w.password_length) return 0;
    if (is_good && memcmp(w.clears[i], w.password, w.password_length) != 0) return 0;
  }
  return 1;
}

static void set_up_cipher(void) {
  REQUIRE_OK(CustomKeyboard_setupCipher(&w.cipher, w.algorithm->way, w.key, w.algorithm->key_length, w.is_decrypting));
  memcpy(w.blocks, w.password, w.password_length);
}

static int is_cipher_wiped(void) {
  static const CUSTOM_KEYBOARD_CIPHER none;
  return memcmp(&w.cipher, &none, sizeof none) == 0;
}

/* Whether the password is in the space, encrypted or not. */
static int holds_password(const uint8_t *bytes, size_t room, size_t at, size_t length) {
  return length == w.password_length && at <= room && length <= room - at &&
         memcmp(bytes + at, w.password, length) == 0;
}
static int is_text_right(void) {
  size_t at, count;
  return w.offset < w.room && w.length <= w.room - w.offset &&
         CustomKeyboard_decrypt(w.algorithm->way, w.key, w.algorithm->key_length, w.space + w.offset, w.length, w.check,
                                sizeof w.check, &at, &count) == CUSTOM_KEYBOARD_OK &&
         holds_password(w.check, sizeof w.check, at, count);
}
static int is_clear_right(void) { return holds_password(w.space, w.room, w.offset, w.length); }
static void typed_for_exact(void) {
  typed_in();
  w.room = ecb_length();
}
static void encrypted_for_exact(void) {
  encrypted();
  w.room = w.password_length;
}

/* Whether these bytes are in what is typed. In the child of a fork the keyboard may be idle by now. */
static int is_typed(const uint8_t *text, size_t length) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_checkRule(w.keyboard, CUSTOM_KEYBOARD_RULE_TEXT, 0, text, length);
  return rv == CUSTOM_KEYBOARD_REFUSED || (w.may_be_idle && rv == CUSTOM_KEYBOARD_OP_DISABLE);
}
static int is_received_right(void) { return is_typed(w.password, 5); }

/* ---- Variants ---------------------------------------------------------------------------------------------------- */

static void choose_direction(int which) { w.is_decrypting = which; }
static const char *direction_name(int which) { return which ? "decrypting" : "encrypting"; }
static const struct variants directions = {2, choose_direction, direction_name, NULL};

static const size_t job_counts[] = {1, 5, 16, WORLD_JOBS};
static void choose_jobs(int which) { w.job_count = job_counts[which]; }
static const char *jobs_name(int which) {
  static const char *const names[] = {"1 job", "5 jobs", "16 jobs", "70 jobs"};
  return names[which];
}
static const struct variants batches = {sizeof job_counts / sizeof *job_counts, choose_jobs, jobs_name, NULL};

static CUSTOM_KEYBOARD_RV code;
static void choose_code(int which) { code = (CUSTOM_KEYBOARD_RV)which; }
static const struct variants codes = {CUSTOM_KEYBOARD_BUSY + 2, choose_code, NULL, NULL};

/* ---- Passcodes --------------------------------------------------------------------------------------------------- */

/* Argon2id's least memory: microseconds. */
static __attribute__((unused)) char cheap_verifier[] = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA";
static __attribute__((unused)) char import_form[] =
    "$sha256x2$756bc47cb5215dc3329ca7e1f7be33a2dad68990bb94b76d90aa07f4e44a233a";
static __attribute__((unused)) char pattern[] = "^(?:(.)(?!\\1))*$", hard_pattern[] = "^(.|..)*$";
static __attribute__((unused)) char no_pattern[] = "a(?:b";
static __attribute__((unused)) char phone[] = "+82 10 8765 4321";
#define RULE(name, number, text, length) CUSTOM_KEYBOARD_RULE_##name, number, bytes(text), length

static void add(CUSTOM_KEYBOARD_RULE rule, size_t number, const uint8_t *text, size_t length) {
  REQUIRE_OK(CustomKeyboard_addRule(w.keyboard, rule, number, text, length));
}
static void ruled(void) {
  typed_in();
  add(RULE(NOT_MATCH, 0, "^\\d{99}$", 8));
  add(RULE(MATCH, 0, hard_pattern, sizeof hard_pattern - 1));
  add(RULE(MATCH, 0, "^.{3}", 5));
}
static void ruled_by_text(void) {
  typed_in();
  add(CUSTOM_KEYBOARD_RULE_COMMON, 0, NULL, 0);
  add(RULE(PHONE, 8, phone, sizeof phone - 1));
  add(CUSTOM_KEYBOARD_RULE_TEXT, 0, w.password, 5);
}
static void clear_rules(void) { (void)CustomKeyboard_clearRules(w.keyboard); }
static int is_third_broken(void) { return w.length == 2; }

static void verified(void) {
  size_t length;
  two_different();
  REQUIRE_OK(CustomKeyboard_makeVerifier(w.keyboard, w.key, 8, w.verifier, sizeof w.verifier, &length));
}
static void typed_for_verifier(void) {
  typed_in();
  w.room = CUSTOM_KEYBOARD_MAXVERIFIERSIZE;
  w.drawn_at = SALT_AT;
  w.drawn_size = SALT_SIZE;
  w.is_drawn = 1;
}
static int is_verifier_right(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_checkVerifier(w.keyboard, w.key, 8, (const char *)w.space);
  return rv == CUSTOM_KEYBOARD_OK || (w.may_be_idle && rv == CUSTOM_KEYBOARD_OP_DISABLE);
}

/* The key of what is typed is the same each time. */
static void derived(void) {
  typed_in();
  REQUIRE_OK(CustomKeyboard_deriveKey(w.keyboard, w.key, 8, w.key, 8, 64, 2, w.derived_before, 64));
}
static void clear_derived(void) { memset(w.derived, 0, sizeof w.derived); }
static int is_derived_right(void) { return memcmp(w.derived, w.derived_before, 64) == 0; }

#endif /* KEYBOARD_WORLD_H */
