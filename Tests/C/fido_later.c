/*
 * What is left after something that came in the middle of a FIDO client's call: a reset, a server's verdict that the
 * vault could not take, another key of the vault, a message without memory.
 *
 *     a reset takes its keys      those of the value that it removed, and no key of the next one
 *     a verdict is kept           also if the vault fails when it comes, and still fails at the next request
 *     a fault is a fault          a person who typed the right passcode is not told that it was wrong
 *     a session ends              its token and its request, whatever is begun next
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only fido_beside.c needs */
#include "fido_clients.h"
#include <pthread.h>
#include <sys/resource.h>

static int result_of_other;

/* ---- A reset ----------------------------------------------------------------------------------------------------- */

static void (*while_removing)(void);
CUSTOM_KEYBOARD_RV CustomVault_resetPasscode(CUSTOM_VAULT v, const char *name) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *);
  ORIGINAL(CustomVault_resetPasscode);
  CUSTOM_KEYBOARD_RV rv = original(v, name);
  if (while_removing != NULL) {
    void (*now)(void) = while_removing;
    while_removing = NULL;
    now();
  }
  return rv;
}

static void other_registers(void) { result_of_other = register_on(other, key_of_other); }
static void other_resets(void) { result_of_other = CustomFido_reset(other, CUSTOM_FIDO_PASSCODE); }
static void other_replaces(void) {
  other_resets();
  CHECK_EQUAL(result_of_other, CUSTOM_FIDO_RESET_SUCCESS);
  other_registers();
}
static CUSTOM_KEYBOARD next;
static int was_verified;
static void other_changes(void) {
  was_verified = derived > 0;
  result_of_other = CustomFido_change(other, CUSTOM_FIDO_PASSCODE, right, next);
}
static int is_set(void) {
  int state = 0;
  REQUIRE(CustomFido_state(fido, CUSTOM_FIDO_PASSCODE, &state) == 0);
  return state == CUSTOM_FIDO_STATE_AVAILABLE;
}

/* The other client sets the next value up, and registers, while a reset is under way: it comes before or after. */
static pthread_t registering;
static void *register_in_thread(void *none) {
  other_registers();
  return none;
}
static void thread_registers(void) { REQUIRE(pthread_create(&registering, NULL, register_in_thread, NULL) == 0); }
static void register_inside_a_reset(void) {
  uint8_t keyID[KEY_ID];
  REQUIRE(register_on(fido, key_of_client) == 0);
  calls = 0, chosen = 1, happens = other_registers, result_of_other = -1;
  CHECK_EQUAL(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE), CUSTOM_FIDO_RESET_SUCCESS);
  chosen = 0, happens = NULL;
  CHECK_EQUAL(result_of_other, 0);
  CHECK(calls >= 1 && !is_set());
  CHECK_EQUAL(count_keys(), 0);
  REQUIRE(register_on(fido, key_of_client) == 0);
  result_of_other = -1, while_removing = thread_registers;
  CHECK_EQUAL(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE), CUSTOM_FIDO_RESET_SUCCESS);
  REQUIRE(pthread_join(registering, NULL) == 0);
  /* It may have looked at the value that was there before. */
  CHECK(result_of_other == 0 || result_of_other == CUSTOM_FIDO_NOT_REG_USER ||
        result_of_other == CUSTOM_FIDO_STATE_NOT_REGISTERED);
  if (result_of_other != 0) other_registers();
  CHECK(result_of_other == 0 && is_set() && is_there(key_of_other));
  CHECK_EQUAL(count_keys(), 1);
  CHECK_EQUAL(authenticate(keyID), 0);
  CHECK_BYTES(keyID, key_of_other, KEY_ID);
}

/* A reset in the middle of a registration: a success has a key that signs. */
static void reset_inside_a_registration(void) {
  uint8_t keyID[KEY_ID];
  int gone = 0;
  for (int at = 1;; at++) {
    REQUIRE(register_on(fido, key_of_client) == 0);
    REQUIRE(begin(request_for("Reg", 0, NULL)) == CUSTOM_FIDO_AUTH_READY);
    calls = 0, chosen = at, happens = other_resets, result_of_other = -1;
    int result = finish_on(fido, NULL), was_reached = calls >= at;
    chosen = 0;
    if (!was_reached) break;
    CHECK_EQUAL(result_of_other, CUSTOM_FIDO_RESET_SUCCESS);
    if (result == 0) {
      CHECK_EQUAL(authenticate(keyID), 0);
    } else {
      CHECK(result == CUSTOM_FIDO_NOT_REG_USER || result == CUSTOM_FIDO_STATE_NOT_REGISTERED);
      CHECK_EQUAL(count_keys(), 0);
      gone++;
    }
    if (atomic_load(&check_failures) > 0) fprintf(stderr, "  the other client resets at call %d\n", at);
  }
  CHECK(gone > 1);
  /* The other client sets the same value up again, and registers: one of the two keys is the user's. */
  for (int at = 1;; at++) {
    REQUIRE(register_on(fido, key_of_client) == 0);
    REQUIRE(begin(request_for("Reg", 0, NULL)) == CUSTOM_FIDO_AUTH_READY);
    calls = 0, chosen = at, happens = other_replaces, result_of_other = -1;
    int result = finish_on(fido, NULL), was_reached = calls >= at;
    chosen = 0;
    if (!was_reached) break;
    CHECK_EQUAL(result_of_other, 0);
    CHECK(result == 0 || result == CUSTOM_FIDO_NOT_REG_USER);
    if (result == 0) read_response(fido, key_of_client);
    CHECK_EQUAL(authenticate(keyID), 0);
    CHECK_BYTES(keyID, result == 0 ? key_of_client : key_of_other, KEY_ID);
    CHECK_EQUAL(count_keys(), 1);
    if (atomic_load(&check_failures) > 0) fprintf(stderr, "  the other client replaces the value at call %d\n", at);
  }
  happens = NULL;
}

/* The other client changes the value after it was verified: the key stays the same, and nobody was wrong. */
static void change_inside_a_registration(void) {
  CUSTOM_VAULT_STATE attempts = {.size = sizeof attempts};
  int were_right = 0;
  next = typed("next passcode");
  for (int at = 1;; at++) {
    REQUIRE(register_on(fido, key_of_client) == 0);
    REQUIRE(begin(request_for("Reg", 0, NULL)) == CUSTOM_FIDO_AUTH_READY);
    calls = 0, chosen = at, happens = other_changes, result_of_other = -1, derived = 0;
    int result = finish_on(fido, NULL), was_reached = calls >= at;
    chosen = 0;
    if (!was_reached) break;
    CHECK_EQUAL(result_of_other, CUSTOM_FIDO_CHANGE_SUCCESS);
    were_right += was_verified;
    CHECK_EQUAL(result, was_verified ? 0 : CUSTOM_FIDO_FAIL_VERIFY);
    REQUIRE(CustomFido_attempts(fido, CUSTOM_FIDO_PASSCODE, &attempts) == 0);
    CHECK_EQUAL(attempts.triesLeft, was_verified ? 5 : 4);
    REQUIRE(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE) == CUSTOM_FIDO_RESET_SUCCESS);
  }
  CHECK(were_right > 0);
  happens = NULL;
  REQUIRE_OK(CustomKeyboard_destroy(next));
}

/* A count of registrations or resets that nobody can read does not keep a value. */
static void a_damaged_count_keeps_nothing(void) {
  static const uint8_t zeros[4];
  REQUIRE(register_on(fido, key_of_client) == 0);
  REQUIRE_OK(CustomVault_updateItem(vault, "CustomFido counters", "passcode", NULL, NULL, zeros, 4));
  REQUIRE_OK(CustomVault_updateItem(vault, "CustomFido counters", "passcode resets", NULL, NULL, zeros, 4));
  CHECK_EQUAL(register_on(fido, key_of_client), -CUSTOM_KEYBOARD_DAMAGED);
  CHECK_EQUAL(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE), CUSTOM_FIDO_RESET_SUCCESS);
  CHECK(!is_set());
  CHECK_EQUAL(count_keys(), 0);
  REQUIRE_OK(CustomVault_deleteItem(vault, "CustomFido counters", "passcode"));
}

/* ---- A verdict --------------------------------------------------------------------------------------------------- */

static int fails_from_now;
static void fail_from_now(void) { calls = 0, chosen = fails_from_now, fails = 1; }
static int register_refused(const char *says) {
  ask_for("Reg", "");
  verdict = says;
  REQUIRE(CustomFido_startRegistration(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
  return resume_on(fido);
}
static int authenticate_online(uint8_t *keyID) {
  ask_for("Auth", "");
  int result = CustomFido_startAuthentication(fido, users[0], NULL);
  if (result == CUSTOM_FIDO_AUTH_READY) result = resume_on(fido);
  memcpy(keyID, answered.keyID, KEY_ID);
  return result;
}

static void a_refusal_is_kept(void) {
  uint8_t keyID[KEY_ID];
  REQUIRE(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE) > 0);
  for (int has_older = 0; has_older < 2; has_older++) {
    if (has_older) REQUIRE(register_online(fido, key_of_client) == 0);
    for (fails_after = 0; fails_after < 2; fails_after++) {
      fails_from_now = 1;
      on_the_way = fail_from_now;
      CHECK_EQUAL(register_refused("{\"statusCode\":1403}"), CUSTOM_FIDO_FORBIDDEN);
      CHECK(calls >= 1);
      if (fails_after) CHECK_EQUAL(authenticate_online(keyID), -CUSTOM_KEYBOARD_BUSY);
      chosen = 0, fails = 0;
      CHECK_EQUAL(authenticate_online(keyID), has_older ? 0 : CUSTOM_FIDO_NOT_REG_USER);
      CHECK_EQUAL(count_keys(), has_older);
      if (has_older) CHECK_BYTES(keyID, key_of_client, KEY_ID);
    }
  }
  fails_after = 0;
}

static void an_acceptance_is_kept(void) {
  uint8_t keyID[KEY_ID];
  for (int is_local = 0; is_local < 2; is_local++) {
    REQUIRE(register_online(fido, key_of_other) == 0);
    fails_from_now = 1, fails_after = 1;
    on_the_way = fail_from_now;
    CHECK_EQUAL(register_online(fido, key_of_client), 0);
    CHECK_EQUAL(is_local ? authenticate(keyID) : authenticate_online(keyID), -CUSTOM_KEYBOARD_BUSY);
    chosen = 0, fails = 0, fails_after = 0;
    CHECK_EQUAL(is_local ? authenticate(keyID) : authenticate_online(keyID), 0);
    CHECK_BYTES(keyID, key_of_client, KEY_ID);
    CHECK_EQUAL(count_keys(), 1);
  }
}

/* ---- Another key of the vault ------------------------------------------------------------------------------------ */

static const uint8_t next_key[] = "another key of 32 bytes ........";
static int change_key(const char *name) {
  CUSTOM_VAULT own;
  REQUIRE_OK(CustomVault_open(&own, name, vault_key, 32));
  REQUIRE_OK(CustomVault_changeKey(own, next_key, 32));
  REQUIRE_OK(CustomVault_close(own));
  return 0;
}

/* What happens just before a passcode is looked at, where no call to items is any more. */
static void (*before_a_check)(void);
static void happen_before_a_check(void) {
  void (*now)(void) = before_a_check;
  before_a_check = NULL;
  if (now != NULL) now();
}
CUSTOM_KEYBOARD_RV CustomVault_checkPasscode(CUSTOM_VAULT v, const char *name, CUSTOM_KEYBOARD keyboard, uint8_t *key,
                                             CUSTOM_VAULT_STATE *state) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, CUSTOM_KEYBOARD, uint8_t *, CUSTOM_VAULT_STATE *);
  ORIGINAL(CustomVault_checkPasscode);
  happen_before_a_check();
  return original(v, name, keyboard, key, state);
}
CUSTOM_KEYBOARD_RV CustomVault_changePasscode(CUSTOM_VAULT v, const char *name, CUSTOM_KEYBOARD current,
                                              CUSTOM_KEYBOARD to, CUSTOM_VAULT_STATE *state) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, CUSTOM_KEYBOARD, CUSTOM_KEYBOARD, CUSTOM_VAULT_STATE *);
  ORIGINAL(CustomVault_changePasscode);
  happen_before_a_check();
  return original(v, name, current, to, state);
}
static void others_change_the_key(void) {
  int status = -1;
  REQUIRE(waitpid(run_self("--key", path, ""), &status, 0) > 0 && status == 0);
}
static void open_again(void) {
  close_clients();
  CUSTOM_VAULT own;
  REQUIRE_OK(CustomVault_open(&own, path, next_key, 32));
  REQUIRE_OK(CustomVault_changeKey(own, vault_key, 32));
  REQUIRE_OK(CustomVault_close(own));
  open_clients();
}

static void no_right_value_is_called_wrong(void) {
  uint8_t keyID[KEY_ID];
  CUSTOM_KEYBOARD empty = typed("");
  next = typed("next passcode");
  CUSTOM_FIDO bare;
  int missed = 0;
  for (int at = 1;; at++) {
    REQUIRE(register_on(fido, key_of_client) == 0);
    calls = 0, chosen = at, happens = others_change_the_key;
    int result = authenticate(keyID), was_reached = calls >= at;
    chosen = 0;
    if (!was_reached) break;
    CHECK_EQUAL(result, -CUSTOM_KEYBOARD_MISMATCH);
    missed += result == -CUSTOM_KEYBOARD_MISMATCH;
    open_again();
  }
  CHECK(missed > 5);
  happens = NULL;
  before_a_check = others_change_the_key;
  CHECK_EQUAL(authenticate(keyID), -CUSTOM_KEYBOARD_MISMATCH);
  open_again();
  before_a_check = others_change_the_key;
  CHECK_EQUAL(CustomFido_change(fido, CUSTOM_FIDO_PASSCODE, right, next), -CUSTOM_KEYBOARD_MISMATCH);
  open_again();
  /* A client without a model's name changes a value all the same. */
  REQUIRE(CustomFido_create(&bare, vault, FACET) == 0);
  others_change_the_key();
  CHECK_EQUAL(CustomFido_change(bare, CUSTOM_FIDO_PASSCODE, right, next), -CUSTOM_KEYBOARD_MISMATCH);
  CHECK_EQUAL(CustomFido_change(fido, CUSTOM_FIDO_PASSCODE, right, next), -CUSTOM_KEYBOARD_MISMATCH);
  REQUIRE(CustomFido_destroy(bare) == 0);
  open_again();
  CHECK_EQUAL(authenticate(keyID), 0);
  REQUIRE(CustomFido_create(&bare, vault, FACET) == 0);
  REQUIRE(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE) == CUSTOM_FIDO_RESET_SUCCESS);
  CHECK_EQUAL(CustomFido_change(bare, CUSTOM_FIDO_PASSCODE, right, empty), CUSTOM_FIDO_CHANGE_INVALID);
  REQUIRE(CustomFido_destroy(bare) == 0);
  REQUIRE_OK(CustomKeyboard_destroy(next));
  REQUIRE_OK(CustomKeyboard_destroy(empty));
}

/* ---- A session --------------------------------------------------------------------------------------------------- */

static int has_token(void) {
  char token[64];
  size_t length;
  REQUIRE(CustomFido_token(fido, token, sizeof token, &length) == 0);
  return length > 0;
}
static void log_in(void) {
  ask_for("Reg", "");
  verdict = "{\"statusCode\":1200,\"additionalTokens\":[{\"type\":\"HTTP_COOKIE\",\"value\":\"session\"}]}";
  REQUIRE(CustomFido_startRegistration(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
  CHECK_EQUAL(resume_on(fido), 0);
  CHECK(has_token());
}
static void look_at_the_response(void) {
  char text[4096];
  size_t length;
  CHECK_EQUAL(CustomFido_response(fido, text, sizeof text, &length), CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST);
}

static void a_session_ends(void) {
  static const struct {
    const char *user;
    int result;
  } wrong[] = {{"", CUSTOM_FIDO_EMPTY_USERNAME}, {"a b", CUSTOM_FIDO_INVALID_USERNAME},
               {NULL, CUSTOM_FIDO_EMPTY_USERNAME}};
  on_the_way = look_at_the_response;
  log_in();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    log_in();
    CHECK_EQUAL(CustomFido_startAuthentication(fido, wrong[i].user, NULL), wrong[i].result);
    CHECK(!has_token());
    ask_for("Auth", "");
    REQUIRE(CustomFido_startAuthentication(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
    CHECK_EQUAL(CustomFido_startRegistration(fido, wrong[i].user, NULL), wrong[i].result);
    CHECK_EQUAL(resume_on(fido), CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST);
  }
}

/* Not with sanitizers, which need more of the address space than this leaves. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static struct rlimit memory;
static int send_without_memory(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  int failed = send_answer(context, exchange);
  struct rlimit none = memory;
  none.rlim_cur = 1 << 20;
  REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
  return failed;
}
static void memory_comes_back(void) {
  REQUIRE(getrlimit(RLIMIT_AS, &memory) == 0);
  ask_for("Auth", "");
  REQUIRE(CustomFido_setServer(fido, "https://a.example/ask", "https://a.example/answer", 5, send_without_memory,
                               NULL) == 0);
  int result = CustomFido_startAuthentication(fido, users[0], NULL);
  REQUIRE(setrlimit(RLIMIT_AS, &memory) == 0);
  CHECK(result == CUSTOM_FIDO_AUTH_READY || result == -CUSTOM_KEYBOARD_MEMORY);
  set_server(fido);
  CHECK_EQUAL(CustomFido_startAuthentication(fido, users[0], NULL), CUSTOM_FIDO_AUTH_READY);
  CHECK_EQUAL(resume_on(fido), 0);
}
#else
static void memory_comes_back(void) {}
#endif

int main(int count, char **arguments) {
  if (count == 4) return change_key(arguments[2]);
  begin_clients();
  register_inside_a_reset();
  reset_inside_a_registration();
  change_inside_a_registration();
  a_damaged_count_keeps_nothing();
  a_refusal_is_kept();
  an_acceptance_is_kept();
  no_right_value_is_called_wrong();
  a_session_ends();
  memory_comes_back();
  end_clients();
  return check_end("fido_later", 110);
}
