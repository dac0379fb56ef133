/*
 * What the calls of fido_calls.h need: a client with a vault, a server in this process, a passcode that is set up, and
 * a request that waits. Vault and keyboards are those of vault_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_WORLD_H
#define FIDO_WORLD_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* what only the vault's calls need */
#include "vault_world.h"
#pragma GCC diagnostic pop
#include <custom_fido.h>

#define FIDO_FACET "ios:bundle-id:com.example.bank"
#define FIDO_HEADER(op) \
  "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"" op "\",\"appID\":\"" FIDO_FACET "\"}"
#define FIDO_ASK(op) FIDO_HEADER(op) ",\"challenge\":\"AAECAwQFBgcICQoLDA0ODw\",\"username\":\"kim\"," \
  "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]]}}]"

static char fido_registration[] = FIDO_ASK("Reg"), fido_authentication[] = FIDO_ASK("Auth");
static char fido_deregistration[] =
    FIDO_HEADER("Dereg") ",\"authenticators\":[{\"aaid\":\"C0DE#0001\",\"keyID\":\"\"}]}]";

static char fido_facet[] = FIDO_FACET, fido_aaid[] = "C0DE#0001", fido_user[] = "kim";
static char fido_url[] = "https://example.com/ask", fido_origin[] = "https://login.example.com";
static char fido_context[] = "{\"shop\":\"12\"}", fido_binding[] = "{\"serverEndPoint\":\"AAEC\"}";

static struct fido_world {
  CUSTOM_FIDO fido, made;
  const char *request; /* what the server asks */
  /* Answers. */
  char text[16384];
  size_t length, names;
  int number;
  unsigned types;
  CUSTOM_FIDO_AUTHENTICATOR each[2];
  int has_asked; /* the server's address, as it was given */
} f;

static int send_to_server(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  (void)context;
  if (v.at_callback) v.at_callback();
  int is_answer = strstr(exchange->url, "answer") != NULL;
  f.has_asked = is_answer || strcmp(exchange->url, "https://example.com/ask") == 0;
  int length = snprintf(exchange->answer, exchange->capacity, "{\"statusCode\":1200%s%s%s}",
                        is_answer ? "" : ",\"uafRequest\":", is_answer ? "" : f.request,
                        is_answer ? ",\"newUAFRequest\":null" : "");
  exchange->answerLength = (size_t)length;
  exchange->status = 200;
  strcpy(exchange->contentType, "application/fido+uaf");
  return 0;
}

static void destroy_made_client(void) {
  (void)CustomFido_destroy(f.made);
  f.made = 0;
}
static void release_clients(void) {
  destroy_made_client();
  (void)CustomFido_destroy(f.fido);
  f.fido = 0;
  release_vaults();
}

/* ---- Without a network ------------------------------------------------------------------------------------------- */

static void make_client(void) {
  (void)CustomFido_create(&f.fido, v.vault, FIDO_FACET);
  (void)CustomFido_setAAID(f.fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001");
}
/* Whether a client has the facet and the model's name that a request is for. */
static int has_names(CUSTOM_FIDO client) {
  int result = CustomFido_begin(client, fido_registration, sizeof fido_registration - 1, NULL, NULL);
  return CustomFido_cancel(client) == 0 && result == CUSTOM_FIDO_AUTH_READY;
}
static int is_client_right(void) { return has_names(f.fido); }
static int is_made_client_right(void) {
  return CustomFido_setAAID(f.made, CUSTOM_FIDO_PASSCODE, "C0DE#0001") == 0 && has_names(f.made);
}
static void with_client(void) {
  without_passcode();
  f.request = fido_registration;
  make_client();
  REQUIRE(f.fido != 0);
}
static void with_idle_keyboard(void) {
  with_client();
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
}
static void without_client(void) {
  with_client();
  REQUIRE(CustomFido_destroy(f.fido) == 0);
}
static void ask(const char *request) {
  REQUIRE(CustomFido_begin(f.fido, request, strlen(request), NULL, NULL) == CUSTOM_FIDO_AUTH_READY);
}
static void with_request(void) {
  with_client();
  ask(fido_registration);
}
static void finish_it(void) {
  REQUIRE(CustomFido_finish(f.fido, CUSTOM_FIDO_PASSCODE, NULL, w.keyboard, w.other) == CUSTOM_FIDO_SUCCESS);
}
static void with_answer(void) {
  with_request();
  finish_it();
}
static void with_key(void) {
  with_answer();
  f.request = fido_authentication;
}
static void to_authenticate(void) {
  with_key();
  ask(fido_authentication);
}
static void ask_again(void) {
  (void)CustomFido_begin(f.fido, fido_authentication, sizeof fido_authentication - 1, NULL, NULL);
}
static void ask_to_register(void) {
  (void)CustomFido_begin(f.fido, fido_registration, sizeof fido_registration - 1, NULL, NULL);
}
static void register_again(void) {
  ask_to_register();
  (void)CustomFido_finish(f.fido, CUSTOM_FIDO_PASSCODE, NULL, w.keyboard, w.other);
}
static void to_fail(void) {
  to_authenticate();
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.keyboard));
}
static void to_change_nothing(void) {
  with_key();
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.keyboard));
}
static int each_user(void *context, const char *name) {
  (void)context;
  f.names += name[0] == 'k'; /* strcmp would leave the name in a register */
  if (v.at_callback) v.at_callback();
  return 0;
}
static int is_one_named(void) { return f.names > 0; }

/* ---- With a server ----------------------------------------------------------------------------------------------- */

#define FIDO_SERVER fido_url, "https://example.com/answer", 5, send_to_server, NULL
static void set_server(void) { REQUIRE(CustomFido_setServer(f.fido, FIDO_SERVER) == 0); }
static int is_server_right(void) {
  int result = CustomFido_startRegistration(f.fido, "kim", NULL);
  return CustomFido_cancel(f.fido) == 0 && result == CUSTOM_FIDO_AUTH_READY && f.has_asked;
}
static void with_server(void) {
  with_client();
  set_server();
}
static void start_again(void) { (void)CustomFido_startRegistration(f.fido, "kim", NULL); }
static void to_resume(void) {
  with_server();
  REQUIRE(CustomFido_startRegistration(f.fido, "kim", NULL) == CUSTOM_FIDO_AUTH_READY);
}
static void with_key_and_server(void) {
  to_resume();
  REQUIRE(CustomFido_resume(f.fido, CUSTOM_FIDO_PASSCODE, NULL, w.keyboard, w.other) == CUSTOM_FIDO_SUCCESS);
  f.request = fido_authentication;
}
static void to_deregister(void) {
  with_key_and_server();
  f.request = fido_deregistration;
}
static int is_status_right(void) { return f.number == 1200; }

#endif /* FIDO_WORLD_H */
