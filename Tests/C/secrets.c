/*
 * Tests constant time: keys and texts are hidden (hidden.h), and nothing may depend on them. Tests/C/secrets.sh runs
 * it; without valgrind it says so and fails. With an argument it does one of the things that are documented as not
 * constant-time, and fails if valgrind reports nothing.
 *
 *     secrets [des|padding|input]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hidden.h"
#include "secrets_of_keys.h"
#include <string.h>

static uint8_t key[16], text[16 * 300], output[16 * 300];

/* What the library must not do, and valgrind must find: a table look-up, as in every textbook's SM4. */
static void look_up(void) {
  static volatile uint8_t table[256];
  volatile uint8_t result = table[text[0]];
  (void)result;
}

static void blocks(void) {
  for (size_t n = 1; n <= 300; n += n < 100 ? 1 : 67)
    for (int decrypting = 0; decrypting < 2; decrypting++) {
      CUSTOM_KEYBOARD_CIPHER cipher;
      hide(key, sizeof key);
      hide(text, 16 * n);
      OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, key, 16, decrypting));
      show(&cipher, 8); /* the mark at its start names the algorithm and is not secret */
      OK(CustomKeyboard_cryptECB(&cipher, text, output, 16 * n));
      OK(CustomKeyboard_wipeCipher(&cipher));
      show(output, sizeof output);
      expect("setupCipher, cryptECB", 0);
    }
}

static void keyboard(void) {
  CUSTOM_KEYBOARD handle;
  uint8_t space[1024];
  size_t offset, length;
  OK(CustomKeyboard_create(&handle));
  hide(key, sizeof key);
  OK(CustomKeyboard_setEncKey(handle, key, 16, CUSTOM_ENCWAY_SM4));
  OK(CustomKeyboard_open(handle));
  OK(CustomKeyboard_input(handle, (const uint8_t *)"kgcx879@", 8));
  OK(CustomKeyboard_getText(handle, space, sizeof space, &offset, &length));
  OK(CustomKeyboard_destroy(handle));
  expect("setEncKey, getText", 0);
}

/* Apart from the outcome, which the caller is told, nothing may depend on the contents of a text. Valgrind reports one
 * error for each text, where the library uses whether its padding is right; timing.sh checks that this error is
 * there. */
static void outcomes(void) {
  static CUSTOM_KEYBOARD_JOB jobs[70];
  uint8_t clear[70][160];
  size_t offset, length;
  expect("before the outcomes", 0);
  for (size_t blocks = 1; blocks <= 9; blocks++) {
    hide(key, sizeof key);
    hide(text, sizeof text);
    answers(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, text, 16 * blocks, clear[0], 160, &offset, &length),
            CUSTOM_KEYBOARD_UNDECRYPTABLE);
    expect("decrypt", 1);
    for (size_t count = 2; count <= 70; count += 17) {
      for (size_t i = 0; i < count; i++)
        jobs[i] = (CUSTOM_KEYBOARD_JOB){key, 16, text + 16 * i, 16 * (i % blocks + 1), clear[i], 160,
                                        0,   CUSTOM_KEYBOARD_OK};
      OK(CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs, count));
      expect("decryptBatch, once for each job", count);
      for (size_t i = 0; i < count; i++) answers(jobs[i].rv, CUSTOM_KEYBOARD_UNDECRYPTABLE);
      expect("codes, which are told", 0);
    }
  }
}

/* PIN blocks that are opened and made. Under AES nothing depends on key and PIN but the verdict; 3DES is mbedTLS's,
 * which looks up tables: what follows on it must not. Every fault of a field looks the same. */
static void pin_blocks(void) {
  static const struct {
    CUSTOM_ENCWAY way;
    size_t size;
    const char *card;
  } ways[] = {{CUSTOM_ENCWAY_PIN4, 16, "4012345678909"}, {CUSTOM_ENCWAY_PIN0, 8, "4012345678909"},
              {CUSTOM_ENCWAY_PIN1, 8, ""}, {CUSTOM_ENCWAY_PIN3, 8, "4012345678909"}};
  static uint8_t pin_key[16] = "0123456789abcdef", block[16];
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int round = 0; round < 20; round++) {
      CUSTOM_KEYBOARD handle;
      size_t card_length = strlen(ways[i].card);
      memset(block, 17 * round + 1, sizeof block);
      OK(CustomKeyboard_create(&handle));
      hide(pin_key, sizeof pin_key);
      CUSTOM_KEYBOARD_RV rv = CustomKeyboard_receive(handle, ways[i].way, pin_key, sizeof pin_key,
                                                     (const uint8_t *)ways[i].card, card_length, block, ways[i].size);
      show(&rv, sizeof rv);
      show(pin_key, sizeof pin_key);
      if (ways[i].way == CUSTOM_ENCWAY_PIN4) expect("receive, PIN4, its verdict", 1);
      else expect_some("receive, a PIN block under 3DES");
      answers(rv, CUSTOM_KEYBOARD_UNDECRYPTABLE); /* by chance one in 640 of PIN1 opens, but not of these */
      OK(CustomKeyboard_destroy(handle));
    }
  (void)new_errors();
}

/* PIN blocks that are made: whether what is typed is a PIN, and nothing else. And blocks that open: up to the verdict
 * nothing depends on the PIN; then it is read as every text that is typed or received is, which takes as long for all
 * PINs of a length. */
static void right_pin_blocks(void) {
  static const char *const pins[] = {"1234", "9071", "123456", "907158", "123456789012", "907158342650"};
  static const char card[] = "4012345678909";
  static uint8_t pin_key[16] = "0123456789abcdef", block[16], typed[12];
  unsigned long before = 0;
  for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
    CUSTOM_KEYBOARD handle;
    size_t offset, length, count = strlen(pins[i]);
    memcpy(typed, pins[i], count);
    OK(CustomKeyboard_create(&handle));
    OK(CustomKeyboard_setEncKey(handle, pin_key, sizeof pin_key, CUSTOM_ENCWAY_PIN4));
    OK(CustomKeyboard_setContext(handle, (const uint8_t *)card, sizeof card - 1));
    OK(CustomKeyboard_open(handle));
    hide(typed, sizeof typed);
    VALGRIND_DISABLE_ERROR_REPORTING; /* see `input` */
    OK(CustomKeyboard_input(handle, typed, count));
    VALGRIND_ENABLE_ERROR_REPORTING;
    (void)new_errors();
    OK(CustomKeyboard_getText(handle, block, sizeof block, &offset, &length));
    expect("getText, PIN4, whether it is a PIN", 1);
    show(block, sizeof block);
    OK(CustomKeyboard_close(handle));
    hide(pin_key, sizeof pin_key);
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_receive(handle, CUSTOM_ENCWAY_PIN4, pin_key, sizeof pin_key,
                                                   (const uint8_t *)card, sizeof card - 1, block, sizeof block);
    show(&rv, sizeof rv);
    show(pin_key, sizeof pin_key);
    OK(rv);
    unsigned long errors = new_errors();
    check("receive, PIN4, a block that opens", errors > 0, errors);
    if (i % 2 != 0) check("receive, PIN4, another PIN of this length", errors == before, errors);
    before = errors;
    VALGRIND_DISABLE_ERROR_REPORTING;
    OK(CustomKeyboard_destroy(handle));
    VALGRIND_ENABLE_ERROR_REPORTING;
  }
}

/* A passcode is compared with another, and with the two forms of digests: only the verdict is told, by each function
 * that returns it. (Argon2id's time
 * depends on the password, as RFC 9106 has it.) */
static void passcodes(void) {
  static const char *const forms[] = {
      "$sha256d$cfc32b61db0bcdd71cba720b65f9fb6e6b74b0044c2d1f5e7a6a1f9049a1cf9b",
      "$sha256x2$756bc47cb5215dc3329ca7e1f7be33a2dad68990bb94b76d90aa07f4e44a233a"};
  static const char *const passcodes[] = {"1234", "1234", "1834"};
  CUSTOM_KEYBOARD handles[3];
  for (int i = 0; i < 3; i++) {
    uint8_t typed[4];
    memcpy(typed, passcodes[i], sizeof typed);
    hide(typed, sizeof typed);
    OK(CustomKeyboard_create(&handles[i]));
    OK(CustomKeyboard_open(handles[i]));
    /* What is typed is examined: see `input`. */
    VALGRIND_DISABLE_ERROR_REPORTING;
    OK(CustomKeyboard_input(handles[i], typed, sizeof typed));
    VALGRIND_ENABLE_ERROR_REPORTING;
  }
  for (int i = 1; i < 3; i++) {
    answers(CustomKeyboard_compare(handles[0], handles[i]), i == 1 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH);
    expect("compare, its verdict", 2);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 1; j < 3; j++) {
      answers(CustomKeyboard_checkVerifier(handles[j], NULL, 0, forms[i]),
              j == 1 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH);
      expect("checkVerifier, its verdict", 2);
    }
  for (int i = 0; i < 3; i++) OK(CustomKeyboard_destroy(handles[i]));
}

/* OPAQUE. A server's setup, its records, and what it computes with them: nothing shows but the verdicts, alike with and
 * without a record. They are whether setup, record and messages are accepted, and whether a derived key is 0. Of a
 * client nothing shows at its first step; at its second Argon2id's addresses do, as RFC 9106 has them, and the
 * verdict. */
static void opaque(void) {
  static uint8_t setup[CUSTOM_OPAQUE_SETUPSIZE], public[32], request[CUSTOM_OPAQUE_REQUESTSIZE];
  static uint8_t response[CUSTOM_OPAQUE_RESPONSESIZE], record[CUSTOM_OPAQUE_RECORDSIZE];
  static uint8_t ke1[CUSTOM_OPAQUE_KE1SIZE], ke2[CUSTOM_OPAQUE_KE2SIZE], ke3[CUSTOM_OPAQUE_KE3SIZE];
  static uint8_t state[CUSTOM_OPAQUE_STATESIZE], session[CUSTOM_OPAQUE_KEYSIZE], export[CUSTOM_OPAQUE_KEYSIZE];
  static const uint8_t account[] = "kim";
  CUSTOM_OPAQUE_TERMS terms = {.size = sizeof terms, .memoryKiB = 8, .passes = 1, .lanes = 1};
  uint8_t typed[4] = "1234";
  size_t length, other;
  CUSTOM_KEYBOARD handle;
  OK(CustomKeyboard_opaqueSetup(setup, sizeof setup, &length, public, sizeof public, &other));
  hide(setup, sizeof setup);
  hide(typed, sizeof typed);
  OK(CustomKeyboard_create(&handle));
  OK(CustomKeyboard_open(handle));
  VALGRIND_DISABLE_ERROR_REPORTING; /* see `input` */
  OK(CustomKeyboard_input(handle, typed, sizeof typed));
  VALGRIND_ENABLE_ERROR_REPORTING;
  (void)new_errors();

  OK(CustomKeyboard_opaqueRegister(handle, request, sizeof request, &length));
  expect("opaqueRegister", 0);
  show(request, sizeof request);
  OK(CustomKeyboard_opaqueRespond(setup, sizeof setup, account, 3, request, sizeof request, response, sizeof response,
                                  &length));
  expect("opaqueRespond, its verdicts", 2);
  show(response, sizeof response);
  OK(CustomKeyboard_opaqueRecord(handle, response, sizeof response, &terms, record, sizeof record, &length, export));
  expect_some("opaqueRecord, Argon2id");

  OK(CustomKeyboard_opaqueLogin(handle, ke1, sizeof ke1, &length));
  expect("opaqueLogin", 0);
  show(ke1, sizeof ke1);
  for (int i = 0; i < 2; i++) {
    hide(record, sizeof record);
    OK(CustomKeyboard_opaqueAnswer(setup, sizeof setup, account, 3, record, i == 0 ? 0 : sizeof record, &terms, ke1,
                                   sizeof ke1, ke2, sizeof ke2, &length, state, sizeof state, &other));
    expect("opaqueAnswer, its verdicts", 4);
  }
  show(ke2, sizeof ke2);
  OK(CustomKeyboard_opaqueFinish(handle, ke2, sizeof ke2, &terms, ke3, sizeof ke3, &length, session, export));
  expect_some("opaqueFinish, Argon2id and the verdict");
  show(ke3, sizeof ke3);
  OK(CustomKeyboard_opaqueCheck(state, sizeof state, ke3, sizeof ke3, session, sizeof session, &length));
  expect("opaqueCheck, its verdict", 1);
  OK(CustomKeyboard_destroy(handle));
}

/* ---- What is documented as not constant-time --------------------------------------------------------------------- */

static void des(void) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  hide(key, 8);
  hide(text, 64);
  OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_DES, key, 8, 0));
  show(&cipher, 8);
  OK(CustomKeyboard_cryptECB(&cipher, text, output, 64));
  OK(CustomKeyboard_wipeCipher(&cipher));
}

static void padding(void) {
  uint8_t clear[64];
  size_t offset, length;
  hide(text, 64);
  answers(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, text, 64, clear, sizeof clear, &offset, &length),
          CUSTOM_KEYBOARD_UNDECRYPTABLE);
}

/* Typed text is examined when it is typed, and again when it is deleted: the number of bytes of a character decides how
 * much is left. Nothing else depends on the text. */
static void input(void) {
  static uint8_t typed[] = "kgcx879@";
  CUSTOM_KEYBOARD handle;
  uint8_t space[1024];
  size_t offset, length, count;
  OK(CustomKeyboard_create(&handle));
  OK(CustomKeyboard_setEncKey(handle, key, 16, CUSTOM_ENCWAY_SM4));
  OK(CustomKeyboard_open(handle));
  hide(typed, 8);
  OK(CustomKeyboard_input(handle, typed, 8));
  expect_some("input");
  OK(CustomKeyboard_getText(handle, space, sizeof space, &offset, &length));
  OK(CustomKeyboard_count(handle, &count));
  OK(CustomKeyboard_clear(handle));
  OK(CustomKeyboard_destroy(handle));
  expect("getText, count, clear, destroy after it", 0);
}

static int except(const char *which) {
  if (strcmp(which, "input") == 0) {
    input();
    return failures > 0;
  }
  if (strcmp(which, "des") == 0) des();
  if (strcmp(which, "padding") == 0) padding();
  expect_some(which);
  return failures > 0;
}

int main(int count, char **arguments) {
  if (!RUNNING_ON_VALGRIND) {
    puts("secrets: run this under valgrind");
    return 1;
  }
  if (count > 1) return except(arguments[1]);
  hide(text, sizeof text);
  look_up();
  expect("a look-up that should be found", 1);
  blocks();
  keyboard();
  outcomes();
  sealed_texts();
  rsa();
  xwing();
  pin_blocks();
  right_pin_blocks();
  public_keys();
  signatures();
  passcodes();
  opaque();
  printf("secrets: %d checks\n", checks);
  return failures > 0 || checks < 2500;
}
