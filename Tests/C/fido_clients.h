/*
 * For tests of what happens in the middle of a FIDO client's calls: two clients of one vault, and a server that answers
 * what the test says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_CLIENTS_H
#define FIDO_CLIENTS_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* what only fido_kill.c needs */
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "fido_kill.h"
#pragma GCC diagnostic pop
#include "fido_vault_calls.h"

/* ---- Clients ----------------------------------------------------------------------------------------------------- */

static CUSTOM_FIDO other;
static CUSTOM_KEYBOARD right, right_again;
static uint8_t key_of_client[KEY_ID], key_of_other[KEY_ID];

static int begin_on(CUSTOM_FIDO client, const char *request) {
  return CustomFido_begin(client, request, strlen(request), NULL, NULL);
}
static int finish_on(CUSTOM_FIDO client, const char *user) {
  return CustomFido_finish(client, CUSTOM_FIDO_PASSCODE, user, right, right_again);
}
static void read_response(CUSTOM_FIDO client, uint8_t *keyID) {
  static char text[65536];
  size_t length;
  REQUIRE(CustomFido_response(client, text, sizeof text, &length) == 0);
  read_answer(text);
  memcpy(keyID, answered.keyID, KEY_ID);
}
static int register_on(CUSTOM_FIDO client, uint8_t *keyID) {
  int result = begin_on(client, request_for("Reg", 0, NULL));
  if (result != CUSTOM_FIDO_AUTH_READY) return result;
  result = finish_on(client, NULL);
  if (result == 0) read_response(client, keyID);
  return result;
}

static int is_there(const uint8_t *keyID) {
  char name[2 * KEY_ID + 1];
  uint8_t data[2048];
  size_t length;
  int was_inside = is_inside;
  for (int i = 0; i < KEY_ID; i++) snprintf(name + 2 * i, 3, "%02x", keyID[i]);
  is_inside = 1;
  CUSTOM_KEYBOARD_RV rv = CustomVault_readItem(vault, KEYS, name, data, sizeof data, &length);
  is_inside = was_inside;
  REQUIRE(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_NOT_FOUND);
  return rv == CUSTOM_KEYBOARD_OK;
}
static size_t count_keys(void) {
  size_t count = 0;
  REQUIRE_OK(CustomVault_listItems(vault, KEYS, count_item, &count));
  return count;
}

/* The key with which the user authenticates now. */
static int authenticate(uint8_t *keyID) {
  int result = begin(request_for("Auth", 0, NULL));
  if (result != CUSTOM_FIDO_AUTH_READY) return result;
  result = finish_on(fido, users[0]);
  if (result == 0) read_response(fido, keyID);
  return result;
}

static const char *verdict, *asked;
static int no_answer;
static void (*on_the_way)(void);
static int send_answer(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  int is_answer = strstr(exchange->url, "answer") != NULL;
  (void)context;
  if (is_answer) {
    read_answer(exchange->body);
    if (on_the_way != NULL) {
      void (*now)(void) = on_the_way;
      report mine = answered;
      on_the_way = NULL;
      now();
      answered = mine;
    }
  }
  exchange->answerLength =
      (size_t)(is_answer ? snprintf(exchange->answer, exchange->capacity, "%s", verdict)
                         : snprintf(exchange->answer, exchange->capacity, "{\"statusCode\":1200%s}", asked));
  exchange->status = 200;
  strcpy(exchange->contentType, "application/fido+uaf");
  return is_answer && no_answer;
}
static void ask_for(const char *op, const char *more) {
  static char text[2048];
  snprintf(text, sizeof text, ",\"uafRequest\":%s%s", request_for(op, 0, NULL), more);
  asked = text;
  verdict = "{\"statusCode\":1200}";
}
static void set_server(CUSTOM_FIDO client) {
  REQUIRE(CustomFido_setServer(client, "https://a.example/ask", "https://a.example/answer", 5, send_answer, NULL) == 0);
}
static int resume_on(CUSTOM_FIDO client) {
  return CustomFido_resume(client, CUSTOM_FIDO_PASSCODE, NULL, right, right_again);
}
static int register_online(CUSTOM_FIDO client, uint8_t *keyID) {
  ask_for("Reg", "");
  REQUIRE(CustomFido_startRegistration(client, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
  int result = resume_on(client);
  memcpy(keyID, answered.keyID, KEY_ID);
  return result;
}

/* ---- Both clients ------------------------------------------------------------------------------------------------ */

static void open_clients(void) {
  open_client();
  REQUIRE(CustomFido_create(&other, vault, FACET) == 0);
  REQUIRE(CustomFido_setAAID(other, CUSTOM_FIDO_PASSCODE, "C0DE#0001") == 0);
  set_server(fido);
  set_server(other);
}
static void close_clients(void) {
  REQUIRE(CustomFido_destroy(other) == 0);
  close_client();
}
static void begin_clients(void) {
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%.250s/vault", folder);
  right = typed("passcode"), right_again = typed("passcode");
  open_clients();
}
static void end_clients(void) {
  close_clients();
  REQUIRE_OK(CustomKeyboard_destroy(right));
  REQUIRE_OK(CustomKeyboard_destroy(right_again));
  remove_folder(folder);
}

#endif
