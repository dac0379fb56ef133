/*
 * Without memory a call still tells what is wrong with its arguments and its state: MEMORY comes after ARGUMENT,
 * OP_DISABLE, MAXLEN, ERR and SPACE. Each call runs in a process of its own, which has mapped nothing before and can
 * map nothing. The same call with nothing wrong answers MEMORY there. The list of all calls has rows that fail with no
 * keyboard, and need no memory to be prepared; these are made here, too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keyboard_calls.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static CUSTOM_KEYBOARD closed;
static uint8_t key[32] = {1, 2, 3}, zeros[32], out[600], text[CUSTOM_KEYBOARD_MAXSEALEDSIZE], point[65];
static CUSTOM_DUKPT_DEVICE device = {{1}};
/* A setup whose key is 1, and KE1 with the generator in both places. */
#define GENERATOR                                                                                                      \
  0xe2, 0xf2, 0xae, 0x0a, 0x6a, 0xbc, 0x4e, 0x71, 0xa8, 0x84, 0xa9, 0x61, 0xc5, 0x00, 0x51, 0x5f, 0x58, 0xe3, 0x0b,   \
      0x6a, 0xa5, 0x82, 0xdd, 0x8d, 0xb6, 0xa6, 0x59, 0x45, 0xe0, 0x8d, 0x2d, 0x76
static const uint8_t setup[96] = {[64] = 1}, ke1[96] = {GENERATOR, [64] = GENERATOR}, no_record[192];
static uint8_t state[128];
static size_t state_length;
static char string[200];
static size_t at, length;
static const char verifier[] = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$"
                               "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/* Every row: the function, what is wrong, the code, the arguments. */
#define ROWS                                                                                                           \
  ROW(addRule, "a text that is not a date", ARGUMENT, closed, CUSTOM_KEYBOARD_RULE_DATE, 0, bytes("abcdefgh"), 8)      \
  ROW(addRule, "a text that is not a pattern", ARGUMENT, closed, CUSTOM_KEYBOARD_RULE_MATCH, 0, bytes("a(?:b"), 5)     \
  ROW(checkRule, "a text that is not a pattern", ARGUMENT, closed, CUSTOM_KEYBOARD_RULE_MATCH, 0, bytes("a(?:b"), 5)   \
  ROW(checkRule, "a pattern that is too long", OP_DISABLE, closed, CUSTOM_KEYBOARD_RULE_MATCH, 0, out, 300)            \
  ROW(checkPattern, "not a pattern", ARGUMENT, bytes("a(?:b"), 5, &at)                                                 \
  ROW(addRule, "a text of half the memory", MAXLEN, closed, CUSTOM_KEYBOARD_RULE_TEXT, 0, out, SIZE_MAX)               \
  ROW(unseal, "a text of another length", UNDECRYPTABLE, CUSTOM_ENCWAY_X25519, key, 32, NULL, 0, text, 191, out, 9,    \
      &at, &length)                                                                                                    \
  ROW(verifyText, "a key off the curve", ERR, CUSTOM_SIGNWAY_SM2, point, 65, NULL, 0, text, 9, out, 64)             \
  ROW(addRule, "a text that is too long", MAXLEN, closed, CUSTOM_KEYBOARD_RULE_TEXT, 0, out, 300)                      \
  ROW(addRule, "nothing", MEMORY, closed, CUSTOM_KEYBOARD_RULE_TEXT, 0, bytes("secret"), 6)                            \
  ROW(checkRule, "a text that is not a date", ARGUMENT, closed, CUSTOM_KEYBOARD_RULE_DATE, 0, bytes("abcdefgh"), 8)    \
  ROW(checkRule, "a keyboard that is not open", OP_DISABLE, closed, CUSTOM_KEYBOARD_RULE_TEXT, 0, bytes("secret"), 6)  \
  ROW(checkPattern, "a pattern that is too long", MAXLEN, out, 300, &at)                                               \
  ROW(checkPattern, "nothing", MEMORY, bytes("a+"), 2, &at)                                                            \
  ROW(check, "a keyboard that is not open", OP_DISABLE, closed, &at)                                                   \
  ROW(checkVerifier, "no verifier", ARGUMENT, closed, NULL, 0, "$argon2id$")                                           \
  ROW(checkVerifier, "a keyboard that is not open", OP_DISABLE, closed, NULL, 0, verifier)                             \
  ROW(makeVerifier, "a keyboard that is not open", OP_DISABLE, closed, NULL, 0, string, sizeof string, &length)        \
  ROW(deriveKey, "a keyboard that is not open", OP_DISABLE, closed, key, 16, NULL, 0, 0, 0, out, 32)                   \
  ROW(unseal, "a context that is too long", MAXLEN, CUSTOM_ENCWAY_X25519, key, 32, text, 300, text, 192, out, 9, &at,  \
      &length)                                                                                                         \
  ROW(unseal, "a key that is too short", ERR, CUSTOM_ENCWAY_P256, key, 31, NULL, 0, text, 225, out, 9, &at, &length)   \
  ROW(unseal, "a key that is zero, P-256", ERR, CUSTOM_ENCWAY_P256, zeros, 32, NULL, 0, text, 225, out, 9, &at,        \
      &length)                                                                                                         \
  ROW(unseal, "a key that is zero, SM2", ERR, CUSTOM_ENCWAY_SM2, zeros, 32, NULL, 0, text, 285, out, 9, &at, &length)  \
  ROW(unseal, "nothing", MEMORY, CUSTOM_ENCWAY_X25519, key, 32, NULL, 0, text, 192, out, 9, &at, &length)              \
  ROW(signText, "a key that is zero", ERR, CUSTOM_SIGNWAY_P256, zeros, 32, NULL, 0, text, 9, out, 64, &length)         \
  ROW(signText, "a signature that is too short", SPACE, CUSTOM_SIGNWAY_SM2, key, 32, NULL, 0, text, 9, out, 63,        \
      &length)                                                                                                         \
  ROW(opaqueSetup, "nothing", MEMORY, out, 96, &at, point, 32, &length)                                                \
  ROW(opaqueRespond, "a setup of zeros", ERR, zeros, 32, key, 4, ke1, 32, out, 64, &length)                            \
  ROW(opaqueRespond, "a key of zeros", ERR, text, 96, key, 4, ke1, 32, out, 64, &length)                               \
  ROW(opaqueRespond, "the identity", UNDECRYPTABLE, setup, 96, key, 4, zeros, 32, out, 64, &length)                    \
  ROW(opaqueRespond, "a response that is too short", SPACE, setup, 96, key, 4, ke1, 32, out, 63, &length)              \
  ROW(opaqueRespond, "nothing", MEMORY, setup, 96, key, 4, ke1, 32, out, 64, &length)                                  \
  ROW(opaqueAnswer, "no record", ERR, setup, 96, key, 4, no_record, 192, NULL, ke1, 96, out, 320, &length, state, 128, \
      &state_length)                                                                                                   \
  ROW(opaqueAnswer, "KE1 of zeros", UNDECRYPTABLE, setup, 96, key, 4, NULL, 0, NULL, no_record, 96, out, 320, &length, \
      state, 128, &state_length)                                                                                       \
  ROW(opaqueAnswer, "a state that is too short", SPACE, setup, 96, key, 4, NULL, 0, NULL, ke1, 96, out, 320, &length,  \
      state, 127, &state_length)                                                                                       \
  ROW(opaqueAnswer, "nothing", MEMORY, setup, 96, key, 4, NULL, 0, NULL, ke1, 96, out, 320, &length, state, 128,       \
      &state_length)                                                                                                   \
  ROW(opaqueCheck, "another KE3", MISMATCH, state, 128, ke1, 64, out, 64, &length)                                     \
  ROW(opaqueLogin, "a keyboard that is not open", OP_DISABLE, closed, out, 96, &length)                                \
  ROW(opaqueFinish, "a keyboard that is not open", OP_DISABLE, closed, out, 320, NULL, state, 64, &length, NULL, NULL) \
  ROW(signText, "nothing", MEMORY, CUSTOM_SIGNWAY_P256, key, 32, NULL, 0, text, 9, out, 64, &length)                   \
  ROW(publicKey, "a key that is zero", ERR, CUSTOM_ENCWAY_SM2, zeros, 32, point, sizeof point, &length)                \
  ROW(publicKey, "a space that is too small", SPACE, CUSTOM_ENCWAY_P256, key, 32, point, 64, &length)                  \
  ROW(publicKey, "nothing", MEMORY, CUSTOM_ENCWAY_P256, key, 32, point, sizeof point, &length)                         \
  ROW(receive, "a key that is zero", ERR, closed, CUSTOM_ENCWAY_P256, zeros, 32, NULL, 0, text, 225)                   \
  ROW(decrypt, "a key that is too short", ERR, CUSTOM_ENCWAY_SM4, key, 15, text, 16, out, 16, &at, &length)            \
  ROW(decrypt, "nothing", MEMORY, CUSTOM_ENCWAY_SM4, key, 16, text, 16, out, 16, &at, &length)                         \
  ROW(receive, "a PIN block with no account", ERR, closed, CUSTOM_ENCWAY_PIN4, key, 32, NULL, 0, text, 16)             \
  ROW(receive, "a key that is single DES", ERR, closed, CUSTOM_ENCWAY_PIN1, zeros, 16, NULL, 0, text, 8)               \
  ROW(receive, "a PIN block of another length", UNDECRYPTABLE, closed, CUSTOM_ENCWAY_PIN4, key, 32,                    \
      bytes("4012345678909"), 13, text, 8)                                                                             \
  ROW(dukptKey, "a counter that is zero", ERR, CUSTOM_DUKPT_TDES, key, 16, zeros, 10, out, 16, &length)                \
  ROW(dukptInitialKey, "a space that is too small", SPACE, CUSTOM_DUKPT_TDES, key, 16, zeros, 10, out, 15, &length)    \
  ROW(dukptInitialKey, "nothing", MEMORY, CUSTOM_DUKPT_TDES, key, 16, zeros, 10, out, 16, &length)                     \
  ROW(dukptLoad, "a key that is too short", ERR, &device, CUSTOM_DUKPT_AES192, key, 16, zeros, 12)                     \
  ROW(dukptLoad, "nothing", MEMORY, &device, CUSTOM_DUKPT_AES192, key, 24, zeros, 12)                                  \
  ROW(dukptNext, "no PIN block", ARGUMENT, &device, closed, CUSTOM_ENCWAY_3DES, out, 12, &length)                      \
  ROW(dukptNext, "no keyboard", ARGUMENT, &device, 0, CUSTOM_ENCWAY_PIN0, out, 12, &length)                            \
  ROW(dukptNext, "nothing that can be told", MEMORY, &device, closed, CUSTOM_ENCWAY_PIN0, out, 12, &length)            \
  ROW(getText, "a keyboard that is not open", OP_DISABLE, closed, out, sizeof out, &at, &length)                       \
  ROW(sealTyped, "a keyboard that is not open", OP_DISABLE, closed, CUSTOM_ENCWAY_X25519, key, 32, NULL, 0, out,       \
      sizeof out, &at, &length)

#define DESCRIBE(function, wrong, code, ...) {#function, wrong, CUSTOM_KEYBOARD_##code},
#define CALL_IT(function, wrong, code, ...) \
  if (row-- == 0) return CustomKeyboard_##function(__VA_ARGS__);

#define ROW DESCRIBE
static const struct row {
  const char *function, *wrong;
  CUSTOM_KEYBOARD_RV expected;
} rows[] = {ROWS};
#undef ROW

#define ROW CALL_IT
static int call(int row) {
  ROWS
  return 97;
}

/* One of the rows above, or a call of the list. */
static void check(int row, const struct call *listed, const char *function, const char *wrong, int expected) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    struct rlimit nothing = {1 << 16, 1 << 16};
    if (CustomKeyboard_create(&closed) != CUSTOM_KEYBOARD_OK) _exit(99); /* maps slots, and no workspace */
    if (setrlimit(RLIMIT_AS, &nothing) != 0) _exit(98);
    _exit(listed ? (int)listed->run() : call(row));
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, expected << 8)) fprintf(stderr, "  (%s, wrong: %s)\n", function, wrong);
}

static unsigned long listed_count;
static void check_listed(const struct call *listed, int variant) {
  if (listed->prepare != no_keyboard || listed->expected <= 0) return;
  check(0, listed, listed->function, call_name(listed, variant), listed->expected);
  listed_count++;
}

int main(void) {
  int count = (int)(sizeof rows / sizeof *rows);
  for (int row = 0; row < count; row++) check(row, NULL, rows[row].function, rows[row].wrong, rows[row].expected);
  w.algorithm = &algorithms[ALGORITHM_COUNT - 1];
  walk_calls(&keyboard_calls, 1, check_listed);
  REQUIRE(listed_count > 15);
  return check_end("without_memory", (unsigned long)count + listed_count);
}
