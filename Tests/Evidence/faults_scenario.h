/*
 * The whole C contract, call by call, each of them a STEP (faults.h): all functions of 0.1, every algorithm, keyboards
 * in more than one region, callbacks that call back, batches wide and narrow.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAULTS_SCENARIO_H
#define FAULTS_SCENARIO_H

#include "faults.h"

enum { PARTS = 5, MANY = 130 }; /* a region holds 128 keyboards */

/* Uses up what the generator draws from one seed, so that the next call needs another seed from the system. */
static void drain(void) {
  uint8_t text[16];
  size_t offset, length;
  if (is_limited || (plan && plan->kind != FAULT_GETRANDOM && plan->kind != FAULT_NONE)) return;
  from_hex(rows[2].text, text, sizeof text);
  REQUIRE_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, bytes(rows[2].key), 16, text, 16, large, sizeof large, &offset,
                                    &length));
}

static void check_text(int row) {
  uint8_t expected[16];
  from_hex(rows[row].text, expected, sizeof expected);
  if (CHECK_EQUAL(out.length, 16)) CHECK_BYTES(out.space + out.offset, expected, 16);
}

static void make_keyboard(void) {
  memset(&known, 0, sizeof known);
  known.key_row = -1;
  out.k = 0x4711;
  STEP(OK, CustomKeyboard_create(&out.k));
}

static void give_key(int row) {
  const struct row *r = &rows[row];
  STEP(OK, CustomKeyboard_setEncKey(out.k, bytes(r->key), strlen(r->key), r->way));
  known.key_row = row;
}

static void bring_up(void) {
  STEP(OK, CustomKeyboard_open(out.k));
  known.is_up = 1;
}

static void take_down(void) {
  STEP(OK, CustomKeyboard_close(out.k));
  known.is_up = known.is_typed = 0;
}

static void end_keyboard(void) {
  STEP(OK, CustomKeyboard_destroy(out.k));
  known.key_row = -1, known.is_up = known.is_typed = 0;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static void type_passwords(void) {
  for (int row = 0; row < ROWS; row++) {
    make_keyboard();
    bring_up();
    STEP(ERR, CustomKeyboard_getText(out.k, out.space, sizeof out.space, &out.offset, &out.length));
    take_down();
    drain();
    give_key((row + 1) % ROWS);
    drain();
    give_key(row);
    STEP(ERR, CustomKeyboard_setEncKey(out.k, bytes(rows[0].key), 7, CUSTOM_ENCWAY_SM4));
    drain();
    bring_up();
    STEP(OP_DISABLE, CustomKeyboard_open(out.k));
    STEP(OK, CustomKeyboard_input(out.k, bytes("once"), 4));
    STEP(OK, CustomKeyboard_deleteBackward(out.k));
    STEP(OK, CustomKeyboard_clear(out.k));
    STEP(ARGUMENT, CustomKeyboard_input(out.k, bytes("\xff"), 1));
    STEP(OK, CustomKeyboard_input(out.k, bytes(secret), 8));
    known.is_typed = 1;
    STEP(OK, CustomKeyboard_count(out.k, &out.count));
    CHECK_EQUAL(out.count, 8);
    drain();
    STEP(OK, CustomKeyboard_getText(out.k, out.space, sizeof out.space, &out.offset, &out.length));
    check_text(row);
    STEP(OK, CustomKeyboard_getText(out.k, out.space, 16, &out.offset, &out.length));
    check_text(row);
    STEP(SPACE, CustomKeyboard_getText(out.k, out.space, 15, &out.offset, &out.length));
    take_down();
    end_keyboard();
    STEP(ARGUMENT, CustomKeyboard_open(out.k));
  }
}

static void decrypt_texts(void) {
  for (int row = 0; row < ROWS; row++) {
    const struct row *r = &rows[row];
    size_t key_length = strlen(r->key);
    uint8_t text[16];
    from_hex(r->text, text, sizeof text);
    out.k = 0;
#define DECRYPT(size) \
  CustomKeyboard_decrypt(r->way, bytes(r->key), key_length, text, 16, out.space, (size), &out.offset, &out.length)
    STEP(OK, DECRYPT(sizeof out.space));
    CHECK(out.length == 8 && memcmp(out.space + out.offset, secret, 8) == 0);
    drain();
    STEP(OK, DECRYPT(500));
    CHECK(out.length == 8 && memcmp(out.space + out.offset, secret, 8) == 0);
    STEP(OK, DECRYPT(8));
    CHECK_BYTES(out.space, secret, 8);
    STEP(SPACE, DECRYPT(7));
    text[15] ^= 1;
    STEP(UNDECRYPTABLE, DECRYPT(sizeof out.space));
  }
}

static void decrypt_batches(void) {
  static const int counts[] = {1, 2, 17, JOBS};
  out.k = 0;
  for (int row = ROWS - 1; row >= 0; row--)
    for (int c = 0; c < 4; c++) {
      const struct row *r = &rows[row];
      uint8_t text[16];
      from_hex(r->text, text, sizeof text);
      for (int i = 0; i < counts[c]; i++)
        out.jobs[i] = (CUSTOM_KEYBOARD_JOB){bytes(r->key), strlen(r->key), text, 16,
                                            out.clear[i],  i % 5 == 3 ? 7 : 32, 0, CUSTOM_KEYBOARD_RANDOM};
      STEP(OK, CustomKeyboard_decryptBatch(r->way, out.jobs, (size_t)counts[c]));
      for (int i = 0; i < counts[c]; i++) {
        CHECK_EQUAL(out.jobs[i].rv, i % 5 == 3 ? CUSTOM_KEYBOARD_SPACE : CUSTOM_KEYBOARD_OK);
        if (i % 5 != 3) CHECK_BYTES(out.clear[i], secret, 8);
      }
    }
}

static void use_ciphers(void) {
  out.k = 0;
  for (int row = 0; row < ROWS; row++) {
    const struct row *r = &rows[row];
    uint8_t text[16], clear[16];
    from_hex(r->text, text, sizeof text);
    STEP(OK, CustomKeyboard_setupCipher(&out.cipher, r->way, bytes(r->key), strlen(r->key), 1));
    STEP(OK, CustomKeyboard_cryptECB(&out.cipher, text, clear, 16));
    CHECK_BYTES(clear, secret, 8);
    STEP(OK, CustomKeyboard_wipeCipher(&out.cipher));
    STEP(ARGUMENT, CustomKeyboard_cryptECB(&out.cipher, text, clear, 16));
  }
  CHECK(strlen(CustomKeyboard_message(CUSTOM_KEYBOARD_MEMORY)) > 5 && strlen(CustomKeyboard_version()) >= 5);
}

/* ---- Tapping ----------------------------------------------------------------------------------------------------- */

static void note_field(void *context, CUSTOM_KEYBOARD k, size_t count) {
  (void)context, (void)k;
  notes.field_calls++;
  notes.last_count = count;
}

/* Gets the text during the press, as an app does; a failure here is not a failure of the press. */
static void note_ok(void *context, CUSTOM_KEYBOARD k) {
  struct notes pressed = notes_before;
  (void)context;
  CHECK_EQUAL(k, out.k);
  notes.ok_calls++;
  disarm();
  drain();
  STEP(OK, CustomKeyboard_getText(k, out.space, sizeof out.space, &out.offset, &out.length));
  notes_before = pressed;
  failed_before = plan ? atomic_load(&plan->failed) : 0;
  arm();
}

static void tap_keys(void) {
  static const CUSTOM_KEYBOARD_LAYOUT layouts[] = {CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_LAYOUT_LETTERS,
                                                   CUSTOM_KEYBOARD_LAYOUT_MIXED};
  static const CUSTOM_KEYBOARD_SHUFFLE shuffles[] = {
      CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, CUSTOM_KEYBOARD_SHUFFLE_NONE};
  make_keyboard();
  STEP(OK, CustomKeyboard_setTextField(out.k, note_field, &notes));
  STEP(OK, CustomKeyboard_setOKAction(out.k, note_ok, &notes));
  for (int i = 0; i < 3; i++) {
    give_key(i);
    STEP(OK, CustomKeyboard_setSize(out.k, 320 + i, 216, 6, 8));
    STEP(OK, CustomKeyboard_setLayout(out.k, layouts[i], shuffles[i], 4));
    drain();
    bring_up();
    memset(&notes, 0, sizeof notes);
    for (unsigned typed = 0; typed < 4; typed++) {
      STEP(OK, CustomKeyboard_keys(out.k, out.keys, MOST_KEYS, &out.key_count));
      drain();
      if (typed % 2)
        STEP(OK, CustomKeyboard_touch(out.k, out.keys[typed].x + 1, out.keys[typed].y + 1));
      else
        STEP(OK, CustomKeyboard_pressKey(out.k, typed));
      CHECK_EQUAL(notes.field_calls, typed + 1);
      CHECK_EQUAL(notes.last_count, typed + 1);
    }
    CHECK_EQUAL(notes.ok_calls, 1);
    CHECK_EQUAL(out.length, rows[i].way == CUSTOM_ENCWAY_SM4 ? 16 : 8);
    for (size_t turn = 0; turn < out.key_count; turn++) {
      if (out.keys[turn].role < CUSTOM_KEYBOARD_ROLE_DELETE) continue; /* every function key, including return */
      drain();
      STEP(OK, CustomKeyboard_pressKey(out.k, turn));
      STEP(OK, CustomKeyboard_keys(out.k, out.keys, MOST_KEYS, &out.key_count));
    }
    STEP(ARGUMENT, CustomKeyboard_touch(out.k, -1, -1));
    take_down();
  }
  end_keyboard();
}

static void make_many(void) {
  static CUSTOM_KEYBOARD handles[MANY];
  for (int i = 0; i < MANY; i++) {
    make_keyboard();
    handles[i] = out.k;
  }
  for (int i = 0; i < MANY; i++) {
    out.k = handles[i];
    end_keyboard();
  }
}

/* The whole scenario, beginning with a different part each time: the first part finds nothing mapped or seeded. */
static void run_scenario(int order) {
  void (*const parts[PARTS])(void) = {type_passwords, decrypt_texts, decrypt_batches, tap_keys, make_many};
  memset(&out, 0xa5, sizeof out);
  out.k = 0;
  /* The first call prepares the library, even if some of its requests are refused. */
  size_t count;
  arm();
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_count(0, &count);
  disarm();
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_ARGUMENT);
  if (order % 2) use_ciphers();
  for (int i = 0; i < PARTS; i++) parts[(order + i) % PARTS]();
  if (order % 2 == 0) use_ciphers();
}

#endif /* FAULTS_SCENARIO_H */
