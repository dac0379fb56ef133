/*
 * What the calls of keyboard_calls.h on OPAQUE need: a server's setup, the messages of a registration and of a login,
 * and what both ends keep. Argon2id costs as little as it may.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef OPAQUE_WORLD_H
#define OPAQUE_WORLD_H

#include "keyboard_world.h"

enum { OPAQUE_ELEMENT = 32, OPAQUE_ACCOUNT = 4 };

static struct opaque {
  uint8_t setup[CUSTOM_OPAQUE_SETUPSIZE], public[OPAQUE_ELEMENT];
  uint8_t request[CUSTOM_OPAQUE_REQUESTSIZE], response[CUSTOM_OPAQUE_RESPONSESIZE], record[CUSTOM_OPAQUE_RECORDSIZE];
  uint8_t ke1[CUSTOM_OPAQUE_KE1SIZE], ke2[CUSTOM_OPAQUE_KE2SIZE], ke3[CUSTOM_OPAQUE_KE3SIZE];
  uint8_t state[CUSTOM_OPAQUE_STATESIZE];
  uint8_t session[CUSTOM_OPAQUE_KEYSIZE], export[CUSTOM_OPAQUE_KEYSIZE], registered[CUSTOM_OPAQUE_KEYSIZE];
  uint8_t received[CUSTOM_OPAQUE_KEYSIZE];
} opaque;
static uint8_t opaque_account[256] = "anna";
static const uint8_t opaque_none[CUSTOM_OPAQUE_KE1SIZE];
static CUSTOM_OPAQUE_TERMS opaque_terms = {
    sizeof(CUSTOM_OPAQUE_TERMS), opaque_account, 4, NULL, 0, opaque_account, 3, 8, 1, 1};
static __attribute__((unused)) const CUSTOM_OPAQUE_TERMS opaque_costs = {.size = sizeof(CUSTOM_OPAQUE_TERMS),
                                                                         .passes = 1};
static __attribute__((unused)) const CUSTOM_OPAQUE_TERMS opaque_long = {
    sizeof(CUSTOM_OPAQUE_TERMS), NULL, 0, opaque_account, 256, NULL, 0, 8, 1, 1};
static __attribute__((unused)) const CUSTOM_OPAQUE_TERMS opaque_other = {
    sizeof(CUSTOM_OPAQUE_TERMS), opaque_account, 3, NULL, 0, opaque_account, 3, 8, 1, 1};

#define OPAQUE_SERVER opaque.setup, CUSTOM_OPAQUE_SETUPSIZE, opaque_account, OPAQUE_ACCOUNT

static void wipe_opaque(void) { wipe_bytes(&opaque, sizeof opaque); }

/* ---- A registration ---------------------------------------------------------------------------------------------- */

static void opaque_set_up(void) {
  size_t length, other;
  REQUIRE_OK(CustomKeyboard_opaqueSetup(opaque.setup, sizeof opaque.setup, &length, opaque.public,
                                        sizeof opaque.public, &other));
}
static void opaque_typed(void) {
  opaque_set_up();
  typed_in();
}
/* For a call that ends the step: begins it again. In the child of a fork the keyboard may be idle. */
static void opaque_register_again(void) {
  size_t length;
  if (CustomKeyboard_opaqueRegister(w.keyboard, opaque.request, sizeof opaque.request, &length) == CUSTOM_KEYBOARD_OK)
    REQUIRE_OK(CustomKeyboard_opaqueRespond(OPAQUE_SERVER, opaque.request, sizeof opaque.request, opaque.response,
                                            sizeof opaque.response, &length));
}
static void opaque_responded(void) {
  opaque_typed();
  opaque_register_again();
}
static void opaque_cleared(void) {
  opaque_responded();
  REQUIRE_OK(CustomKeyboard_clear(w.keyboard));
}
static void opaque_recorded(void) {
  size_t length;
  opaque_responded();
  REQUIRE_OK(CustomKeyboard_opaqueRecord(w.keyboard, opaque.response, sizeof opaque.response, &opaque_terms,
                                         opaque.record, sizeof opaque.record, &length, opaque.registered));
}

/* ---- A login ----------------------------------------------------------------------------------------------------- */

static void opaque_login_again(void) {
  size_t length, other;
  if (CustomKeyboard_opaqueLogin(w.keyboard, opaque.ke1, sizeof opaque.ke1, &length) == CUSTOM_KEYBOARD_OK)
    REQUIRE_OK(CustomKeyboard_opaqueAnswer(OPAQUE_SERVER, opaque.record, sizeof opaque.record, &opaque_terms,
                                           opaque.ke1, sizeof opaque.ke1, opaque.ke2, sizeof opaque.ke2, &length,
                                           opaque.state, sizeof opaque.state, &other));
}
static void opaque_answered(void) {
  opaque_recorded();
  opaque_login_again();
}
static void opaque_typed_on(void) {
  opaque_answered();
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.keyboard));
}
static void opaque_finished(void) {
  size_t length;
  opaque_answered();
  REQUIRE_OK(CustomKeyboard_opaqueFinish(w.keyboard, opaque.ke2, sizeof opaque.ke2, &opaque_terms, opaque.ke3,
                                         sizeof opaque.ke3, &length, opaque.session, opaque.export));
}
static void opaque_altered(void) {
  opaque_finished();
  opaque.ke3[5] ^= 1;
}

/* Whether the server takes what the client has made, and both have the same key. */
static int is_login_right(void) {
  size_t length;
  return CustomKeyboard_opaqueCheck(opaque.state, sizeof opaque.state, opaque.ke3, sizeof opaque.ke3, opaque.received,
                                    sizeof opaque.received, &length) == CUSTOM_KEYBOARD_OK &&
         memcmp(opaque.received, opaque.session, sizeof opaque.session) == 0 &&
         memcmp(opaque.export, opaque.registered, sizeof opaque.export) == 0;
}
static int is_session_right(void) { return memcmp(opaque.received, opaque.session, sizeof opaque.session) == 0; }

#endif /* OPAQUE_WORLD_H */
