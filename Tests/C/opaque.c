/*
 * OPAQUE: registrations and logins of many passwords and terms, the order of the steps, what ends one, altered bytes of
 * every message, overlapping arguments, accounts that do not exist.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "fixture.h"
#include <pthread.h>

enum { ROUNDS = 40 / LESS, ELEMENT = 32, KEY = CUSTOM_OPAQUE_KEYSIZE };

static uint8_t setup[CUSTOM_OPAQUE_SETUPSIZE], public[ELEMENT], request[CUSTOM_OPAQUE_REQUESTSIZE];
static uint8_t response[CUSTOM_OPAQUE_RESPONSESIZE], record[CUSTOM_OPAQUE_RECORDSIZE];
static uint8_t ke1[CUSTOM_OPAQUE_KE1SIZE], ke2[CUSTOM_OPAQUE_KE2SIZE], ke3[CUSTOM_OPAQUE_KE3SIZE];
static uint8_t state[CUSTOM_OPAQUE_STATESIZE], client_key[KEY], server_key[KEY], exported[KEY], registered[KEY];
static const uint8_t account[16] = "anna";
static CUSTOM_OPAQUE_TERMS cheap = {.size = sizeof(CUSTOM_OPAQUE_TERMS), .memoryKiB = 8, .passes = 1, .lanes = 1};
static size_t length, other;

#define SERVER setup, sizeof setup, account, 4

static CUSTOM_KEYBOARD with(const char *password) {
  return typed(CUSTOM_ENCWAY_SM4, account, 16, bytes(password), strlen(password));
}

static CUSTOM_KEYBOARD_RV begin(CUSTOM_KEYBOARD k) {
  return CustomKeyboard_opaqueLogin(k, ke1, sizeof ke1, &length);
}
static CUSTOM_KEYBOARD_RV answer(const CUSTOM_OPAQUE_TERMS *terms) {
  return CustomKeyboard_opaqueAnswer(SERVER, record, sizeof record, terms, ke1, sizeof ke1, ke2, sizeof ke2, &length,
                                     state, sizeof state, &other);
}
static CUSTOM_KEYBOARD_RV finish(CUSTOM_KEYBOARD k, const CUSTOM_OPAQUE_TERMS *terms) {
  return CustomKeyboard_opaqueFinish(k, ke2, sizeof ke2, terms, ke3, sizeof ke3, &length, client_key, exported);
}
static CUSTOM_KEYBOARD_RV check(void) {
  return CustomKeyboard_opaqueCheck(state, sizeof state, ke3, sizeof ke3, server_key, sizeof server_key, &length);
}
static CUSTOM_KEYBOARD_RV begin_registration(CUSTOM_KEYBOARD k) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_opaqueRegister(k, request, sizeof request, &length);
  if (rv == CUSTOM_KEYBOARD_OK)
    REQUIRE_OK(CustomKeyboard_opaqueRespond(SERVER, request, sizeof request, response, sizeof response, &length));
  return rv;
}
static CUSTOM_KEYBOARD_RV record_it(CUSTOM_KEYBOARD k, const CUSTOM_OPAQUE_TERMS *terms) {
  return CustomKeyboard_opaqueRecord(k, response, sizeof response, terms, record, sizeof record, &length, registered);
}
static void register_it(CUSTOM_KEYBOARD k, const CUSTOM_OPAQUE_TERMS *terms) {
  REQUIRE_OK(begin_registration(k));
  REQUIRE_OK(record_it(k, terms));
}

/* ---- Both ends agree, and only they ------------------------------------------------------------------------------ */

static void check_logins(uint64_t seed) {
  for (int round = 0; round < ROUNDS; round++) {
    uint8_t password[CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE], terms_bytes[256];
    size_t password_length = round == 0 ? 0 : draw(&seed) % (sizeof password + 1);
    draw_password(&seed, password, password_length);
    draw_bytes(&seed, terms_bytes, sizeof terms_bytes);
    CUSTOM_OPAQUE_TERMS terms = cheap;
    terms.context = terms.client = terms.server = terms_bytes;
    terms.contextLength = draw(&seed) % 257;
    terms.clientLength = round % 2 ? draw(&seed) % 256 : 0;
    terms.serverLength = round % 4 > 1 ? draw(&seed) % 256 : 0;
    terms.lanes = 1 + (uint32_t)(draw(&seed) % 3);
    terms.memoryKiB = 8 * terms.lanes;
    CUSTOM_KEYBOARD k = typed(CUSTOM_ENCWAY_SM4, account, 16, password, password_length);
    register_it(k, &terms);
    CHECK_BYTES(response + ELEMENT, public, ELEMENT);
    CHECK_OK(begin(k));
    CHECK_OK(answer(&terms));
    CHECK_OK(finish(k, &terms));
    CHECK_OK(check());
    CHECK_BYTES(server_key, client_key, KEY);
    CHECK_BYTES(exported, registered, KEY);
    /* Any of the terms is another one. */
    CUSTOM_OPAQUE_TERMS wrong = terms;
    if (round % 3 == 0) wrong.passes = 2;
    else if (round % 3 == 1) wrong.context = terms_bytes, wrong.contextLength = (terms.contextLength + 1) % 257;
    else wrong.client = account, wrong.clientLength = 4;
    REQUIRE_OK(begin(k));
    REQUIRE_OK(answer(&terms));
    CHECK_EQUAL(finish(k, &wrong), CUSTOM_KEYBOARD_MISMATCH);
    REQUIRE_OK(CustomKeyboard_destroy(k));
  }
}

static void check_altered(void) {
  CUSTOM_KEYBOARD k = with("0417"), wrong = with("0418");
  register_it(k, &cheap);
  for (size_t i = 0; i < sizeof ke2; i++) {
    REQUIRE_OK(begin(k));
    REQUIRE_OK(answer(&cheap));
    ke2[i] ^= (uint8_t)(1 << i % 8);
    memset(ke3, 0xa5, sizeof ke3);
    if (!CHECK_EQUAL(finish(k, &cheap), CUSTOM_KEYBOARD_MISMATCH)) fprintf(stderr, "  (byte %zu of KE2)\n", i);
    CHECK(ke3[0] == 0xa5 && ke3[63] == 0xa5);
  }
  /* Of KE1 on its way: no element any more, or the client notices. */
  for (size_t i = 0; i < sizeof ke1; i++) {
    REQUIRE_OK(begin(k));
    ke1[i] ^= (uint8_t)(1 << i % 8);
    CUSTOM_KEYBOARD_RV rv = answer(&cheap);
    if (!CHECK(rv == CUSTOM_KEYBOARD_UNDECRYPTABLE || (rv == 0 && finish(k, &cheap) == CUSTOM_KEYBOARD_MISMATCH)))
      fprintf(stderr, "  (byte %zu of KE1)\n", i);
  }
  for (size_t i = 0; i < sizeof ke3; i++) {
    REQUIRE_OK(begin(k));
    REQUIRE_OK(answer(&cheap));
    REQUIRE_OK(finish(k, &cheap));
    ke3[i] ^= (uint8_t)(1 << i % 8);
    CHECK_EQUAL(check(), CUSTOM_KEYBOARD_MISMATCH);
    if (i > 8) i += 7;
  }
  REQUIRE_OK(begin(wrong));
  REQUIRE_OK(answer(&cheap));
  CHECK_EQUAL(finish(wrong, &cheap), CUSTOM_KEYBOARD_MISMATCH);
  /* Each element: bit 255, and the identity. */
  for (size_t at = 0; at < sizeof ke1; at += 64) {
    REQUIRE_OK(begin(k));
    ke1[at + 31] |= 0x80;
    CHECK_EQUAL(answer(&cheap), CUSTOM_KEYBOARD_UNDECRYPTABLE);
    memset(ke1 + at, 0, ELEMENT);
    CHECK_EQUAL(answer(&cheap), CUSTOM_KEYBOARD_UNDECRYPTABLE);
  }
  for (size_t at = 0; at < sizeof response; at += ELEMENT) {
    REQUIRE_OK(begin_registration(k));
    memset(response + at, 0, ELEMENT);
    CHECK_EQUAL(record_it(k, &cheap), CUSTOM_KEYBOARD_UNDECRYPTABLE);
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
  REQUIRE_OK(CustomKeyboard_destroy(wrong));
}

static void check_unknown(void) {
  CUSTOM_KEYBOARD k = with("0417");
  uint8_t first[CUSTOM_OPAQUE_KE2SIZE];
  REQUIRE_OK(begin(k));
  for (int i = 0; i < 2; i++) {
    CHECK_OK(CustomKeyboard_opaqueAnswer(SERVER, NULL, 0, &cheap, ke1, sizeof ke1, ke2, sizeof ke2, &length, state,
                                         sizeof state, &other));
    CHECK_EQUAL(length, sizeof ke2);
    CHECK_EQUAL(other, sizeof state);
    /* Evaluated alike; the rest is new. */
    if (i == 0) memcpy(first, ke2, sizeof ke2);
    else CHECK(memcmp(first, ke2, 32) == 0 && memcmp(first + 32, ke2 + 32, 32) && memcmp(first + 64, ke2 + 64, 32));
  }
  CHECK_EQUAL(finish(k, &cheap), CUSTOM_KEYBOARD_MISMATCH);
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static void check_order(void) {
  CUSTOM_KEYBOARD k = with("0417");
  CHECK_EQUAL(record_it(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_EQUAL(finish(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  register_it(k, &cheap);
  CHECK_EQUAL(record_it(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  REQUIRE_OK(begin(k));
  REQUIRE_OK(answer(&cheap));
  CHECK_EQUAL(record_it(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  /* What leaves the step. */
  CUSTOM_OPAQUE_TERMS wrong = cheap;
  static const uint8_t name[256];
  wrong.client = name, wrong.clientLength = sizeof name;
  CHECK_EQUAL(finish(k, &wrong), CUSTOM_KEYBOARD_MAXLEN);
  wrong = cheap, wrong.size--;
  CHECK_EQUAL(finish(k, &wrong), CUSTOM_KEYBOARD_ARGUMENT);
  wrong = cheap, wrong.lanes = 0;
  CHECK_EQUAL(finish(k, &wrong), CUSTOM_KEYBOARD_ARGUMENT);
  wrong = cheap, wrong.memoryKiB = 15, wrong.lanes = 2;
  CHECK_EQUAL(finish(k, &wrong), CUSTOM_KEYBOARD_ARGUMENT);
  wrong = cheap, wrong.memoryKiB = 136, wrong.lanes = 17;
  CHECK_EQUAL(finish(k, &wrong), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_opaqueFinish(k, ke2, sizeof ke2, &cheap, ke3, 63, &length, NULL, NULL),
              CUSTOM_KEYBOARD_SPACE);
  CHECK_EQUAL(length, sizeof ke3);
  CHECK_EQUAL(CustomKeyboard_opaqueLogin(k, request, 95, &length), CUSTOM_KEYBOARD_SPACE);
  CHECK_EQUAL(length, sizeof ke1);
  CHECK_OK(CustomKeyboard_input(k, NULL, 0));
  CHECK_OK(finish(k, &cheap));
  CHECK_EQUAL(finish(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  /* What ends it. */
  REQUIRE_OK(begin(k));
  CHECK_EQUAL(CustomKeyboard_opaqueFinish(k, ke2, sizeof ke2 - 1, &cheap, ke3, sizeof ke3, &length, NULL, NULL),
              CUSTOM_KEYBOARD_MISMATCH);
  CHECK_EQUAL(finish(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  for (int i = 0; i < 5; i++) {
    REQUIRE_OK(begin(k));
    REQUIRE_OK(answer(&cheap));
    if (i == 0) REQUIRE_OK(CustomKeyboard_input(k, bytes("1"), 1));
    else if (i == 1) REQUIRE_OK(CustomKeyboard_deleteBackward(k));
    else if (i == 2) REQUIRE_OK(CustomKeyboard_clear(k));
    else if (i == 3) REQUIRE_OK(begin_registration(k));
    else {
      REQUIRE_OK(CustomKeyboard_close(k));
      REQUIRE_OK(CustomKeyboard_open(k));
    }
    CHECK_EQUAL(finish(k, &cheap), CUSTOM_KEYBOARD_OP_DISABLE);
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* Two threads that end one step: it ends once. */
static void *finish_too(void *keyboard) {
  uint8_t own[CUSTOM_OPAQUE_KE3SIZE];
  size_t own_length;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_opaqueFinish(*(CUSTOM_KEYBOARD *)keyboard, ke2, sizeof ke2, &cheap, own,
                                                      sizeof own, &own_length, NULL, NULL);
  return (void *)(uintptr_t)rv;
}
static void check_threads(void) {
  CUSTOM_KEYBOARD k = with("0417");
  register_it(k, &cheap);
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t threads[3];
    int ended = 0;
    REQUIRE_OK(begin(k));
    REQUIRE_OK(answer(&cheap));
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, finish_too, &k) == 0);
    for (int i = 0; i < 3; i++) {
      void *rv;
      REQUIRE(pthread_join(threads[i], &rv) == 0);
      ended += (uintptr_t)rv == CUSTOM_KEYBOARD_OK;
      CHECK((uintptr_t)rv == CUSTOM_KEYBOARD_OK || (uintptr_t)rv == CUSTOM_KEYBOARD_OP_DISABLE);
    }
    CHECK_EQUAL(ended, 1);
  }
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* ---- Overlaps ---------------------------------------------------------------------------------------------------- */

static void check_overlaps(void) {
  static uint8_t space[2048];
  CUSTOM_KEYBOARD k = with("0417");
  CUSTOM_OPAQUE_TERMS *terms = (CUSTOM_OPAQUE_TERMS *)(void *)(space + 1024);
  register_it(k, &cheap);
  REQUIRE_OK(begin(k));
  memcpy(space, setup, sizeof setup);
  *terms = cheap;
#define OVERLAPS(...) CHECK_EQUAL(__VA_ARGS__, CUSTOM_KEYBOARD_ARGUMENT)
  OVERLAPS(CustomKeyboard_opaqueSetup(space, 96, &length, space + 95, 32, &other));
  OVERLAPS(CustomKeyboard_opaqueSetup(space, 96, &length, space + 96, 32, &length));
  OVERLAPS(CustomKeyboard_opaqueRespond(space, 96, account, 4, request, 32, space + 95, 64, &length));
  OVERLAPS(CustomKeyboard_opaqueAnswer(SERVER, record, 192, &cheap, ke1, 96, space, 320, &length, space + 319, 128,
                                       &other));
  OVERLAPS(CustomKeyboard_opaqueAnswer(SERVER, record, 192, terms, ke1, 96, space + 1000, 320, &length, state, 128,
                                       &other));
  OVERLAPS(CustomKeyboard_opaqueAnswer(SERVER, record, 192, &cheap, space + 400, 96, space + 300, 320, &length, state,
                                       128, &other));
  OVERLAPS(CustomKeyboard_opaqueCheck(space, 128, ke3, 64, space + 64, 64, &length));
  OVERLAPS(CustomKeyboard_opaqueRecord(k, space, 64, &cheap, space + 63, 192, &length, NULL));
  OVERLAPS(CustomKeyboard_opaqueRecord(k, response, 64, &cheap, space, 192, &length, space + 191));
  OVERLAPS(CustomKeyboard_opaqueFinish(k, space, 320, &cheap, ke3, 64, &length, space + 300, NULL));
  OVERLAPS(CustomKeyboard_opaqueFinish(k, ke2, 320, &cheap, ke3, 64, &length, space, space + 63));
  OVERLAPS(CustomKeyboard_opaqueFinish(k, ke2, 320, &cheap, space, 64, &length, space + 63, NULL));
  OVERLAPS(CustomKeyboard_opaqueFinish(k, ke2, 320, terms, space + 1030, 64, &length, NULL, NULL));
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

int main(void) {
  uint64_t seed = take_seed();
  REQUIRE_OK(CustomKeyboard_opaqueSetup(setup, sizeof setup, &length, public, sizeof public, &other));
  CHECK_EQUAL(length, sizeof setup);
  CHECK_EQUAL(other, sizeof public);
  check_logins(seed);
  check_altered();
  check_unknown();
  check_order();
  check_threads();
  check_overlaps();
  return check_end("opaque", 700);
}
