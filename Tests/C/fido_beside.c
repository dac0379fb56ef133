/*
 * What others do in the middle of a FIDO client's call: at each call that it makes to the vault, another client
 * registers, or the vault fails.
 *
 *     an answer is honest       a key whose registration succeeded is there; of one that failed nothing is left, and no
 *                               later signature is by it
 *     no user without a key     while a key is replaced, its user is not told to register again
 *     no weaker lock            one option that is set leaves the others as they are, no matter who set those
 *     no other answer           the server gets the answer to what it asked
 *     no cost of others         keys of other appIDs are neither listed nor read
 *     no counter twice          nor when a program without a key puts the vault's older rows back
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fido_clients.h"
#include "vault_put_back.h"
#include <pthread.h>

/* ---- Two registrations at once ----------------------------------------------------------------------------------- */

static int result_of_other;
static void other_registers(void) { result_of_other = register_on(other, key_of_other); }
static void other_registers_online(void) { result_of_other = register_online(other, key_of_other); }
/* No verdict comes: the server may have the key. */
static void other_registers_unanswered(void) {
  no_answer = 1;
  result_of_other = register_online(other, key_of_other);
  no_answer = 0;
  CHECK_EQUAL(result_of_other, CUSTOM_FIDO_NETWORK_STATE);
}
static void other_resets(void) { result_of_other = CustomFido_reset(other, CUSTOM_FIDO_PASSCODE); }

static void check_one_key(int result) {
  uint8_t keyID[KEY_ID];
  CHECK_EQUAL(result_of_other, 0);
  CHECK(result == 0 || result == CUSTOM_FIDO_NOT_REG_USER);
  /* The other one's call is inside this one's: a success means that this key came last. */
  if (result == 0) CHECK(is_there(key_of_client) && !is_there(key_of_other));
  else CHECK(is_there(key_of_other));
  CHECK_EQUAL(count_keys(), 1);
  CHECK_EQUAL(authenticate(keyID), 0);
  CHECK_BYTES(keyID, result == 0 ? key_of_client : key_of_other, KEY_ID);
}

static void register_beside(void) {
  int older = 0, newer = 0;
  happens = other_registers;
  for (chosen = 1;; chosen++) {
    calls = 0;
    result_of_other = -1;
    int result = begin(request_for("Reg", 0, NULL)) == CUSTOM_FIDO_AUTH_READY ? finish_on(fido, NULL) : -1;
    int was_reached = calls >= chosen, at = chosen;
    chosen = 0;
    if (!was_reached) break;
    if (result == 0) read_response(fido, key_of_client);
    check_one_key(result);
    if (atomic_load(&check_failures) > 0) fprintf(stderr, "  the other client registers at call %d\n", at);
    older += result != 0, newer += result == 0;
    chosen = at;
  }
  happens = NULL;
  /* Nobody else comes into the middle of a change. */
  CHECK(older == 0 && newer > 4);

  /* While the answer is on its way to the server. */
  other_resets();
  on_the_way = other_registers_online;
  check_one_key(register_online(fido, key_of_client));
  on_the_way = other_resets;
  CHECK_EQUAL(register_online(fido, key_of_client), CUSTOM_FIDO_NOT_REG_USER);
  CHECK_EQUAL(result_of_other, CUSTOM_FIDO_RESET_SUCCESS);
  CHECK_EQUAL(count_keys(), 0);

  /* A newer key that a server may have stays, when an older one is accepted: one that is new, or was there. */
  on_the_way = other_registers_unanswered;
  CHECK_EQUAL(register_online(fido, key_of_client), 0);
  CHECK(is_there(key_of_client) && is_there(key_of_other));
  CHECK_EQUAL(register_online(fido, key_of_client), 0);
  ask_for("Auth", "");
  REQUIRE(CustomFido_startAuthentication(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
  other_registers_unanswered();
  CHECK_EQUAL(resume_on(fido), 0);
  CHECK(is_there(key_of_client) && is_there(key_of_other));
  CHECK_EQUAL(register_online(fido, key_of_client), 0);
  CHECK_EQUAL(count_keys(), 1);
  other_resets();

  /* Of two that a server may have, the newer one signs. */
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  REQUIRE(CustomFido_attempts(fido, CUSTOM_FIDO_PASSCODE, &state) == CUSTOM_FIDO_STATE_NOT_REGISTERED);
  for (int i = 0; i < 2; i++) other_registers_unanswered();
  CHECK_EQUAL(count_keys(), 2);
  ask_for("Auth", "");
  REQUIRE(CustomFido_startAuthentication(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
  CHECK_EQUAL(resume_on(fido), 0);
  CHECK_BYTES(answered.keyID, key_of_other, KEY_ID);
  CHECK_EQUAL(count_keys(), 1);
  other_resets();
}

/* ---- A vault that fails ------------------------------------------------------------------------------------------ */

static void register_in_a_vault_that_fails(void) {
  uint8_t keyID[KEY_ID], last[KEY_ID];
  char text[4096];
  size_t length;
  int failed = 0;
  REQUIRE(register_on(fido, last) == 0);
  for (fails_after = 0; fails_after < 2; fails_after++)
    for (int at = 1;; at++) {
      REQUIRE(begin(request_for("Reg", 0, NULL)) == CUSTOM_FIDO_AUTH_READY);
      calls = 0, chosen = at, fails = 1;
      int result = finish_on(fido, NULL);
      int was_reached = calls >= at;
      chosen = 0, fails = 0;
      if (!was_reached) {
        read_response(fido, last);
        break;
      }
      CHECK_EQUAL(result, -CUSTOM_KEYBOARD_BUSY);
      int answer = CustomFido_response(fido, text, sizeof text, &length);
      CHECK_EQUAL(answer, result == 0 ? 0 : CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST);
      if (answer == 0) read_response(fido, last);
      /* What the server does not have does not sign. */
      CHECK_EQUAL(authenticate(keyID), 0);
      CHECK_BYTES(keyID, last, KEY_ID);
      if (atomic_load(&check_failures) > 0)
        fprintf(stderr, "  call %d fails%s\n", at, fails_after ? ", and all after" : "");
      failed++;
      CHECK_EQUAL(count_keys(), 1);
      REQUIRE(register_on(fido, last) == 0);
      CHECK_EQUAL(count_keys(), 1);
    }
  fails_after = 0;
  CHECK(failed > 10);
}

static int fails_from_now;
static void fail_from_now(void) { calls = 0, chosen = fails_from_now, fails = 1; }
static void accept_in_a_vault_that_fails(void) {
  uint8_t keyID[KEY_ID];
  int at = 0, were_reached = 1;
  other_resets();
  set_server(fido);
  while (were_reached) {
    fails_from_now = ++at;
    on_the_way = fail_from_now;
    CHECK_EQUAL(register_online(fido, key_of_client), 0);
    were_reached = calls >= at;
    chosen = 0, fails = 0;
    CHECK_EQUAL(authenticate(keyID), 0);
    CHECK_BYTES(keyID, key_of_client, KEY_ID);
    if (atomic_load(&check_failures) > 0) fprintf(stderr, "  call %d fails\n", at);
  }
  CHECK(at > 3);
}

/* ---- A key that is replaced -------------------------------------------------------------------------------------- */

static void authenticate_while_replaced(void) {
  uint8_t keyID[KEY_ID];
  unsigned long last = 0;
  other_resets();
  REQUIRE(register_on(fido, key_of_client) == 0);
  happens = other_registers;
  for (int at = 1;; at++) {
    calls = 0, chosen = at;
    int result = authenticate(keyID), was_reached = calls >= at;
    chosen = 0;
    if (!was_reached) break;
    if (!CHECK_EQUAL(result, 0)) fprintf(stderr, "  the other client registers at call %d\n", at);
    last++;
  }
  CHECK(last > 5);
  REQUIRE(register_online(fido, key_of_client) == 0);
  happens = other_registers_online;
  ask_for("Auth", "");
  for (int at = 1;; at++) {
    calls = 0, chosen = at;
    int result = CustomFido_startAuthentication(fido, users[0], NULL), was_reached = calls >= at;
    chosen = 0;
    if (!was_reached) break;
    if (!CHECK_EQUAL(result, CUSTOM_FIDO_AUTH_READY)) fprintf(stderr, "  the other client registers at call %d\n", at);
    CHECK_EQUAL(resume_on(fido), 0);
  }
  happens = NULL;
}

/* ---- Locks ------------------------------------------------------------------------------------------------------- */

static uint32_t tries_left(void) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  REQUIRE(CustomFido_attempts(other, CUSTOM_FIDO_PASSCODE, &state) == 0);
  return state.triesLeft;
}
static int set_option(CUSTOM_FIDO client, CUSTOM_FIDO_OPTION option, int64_t value) {
  return CustomFido_setOption(client, CUSTOM_FIDO_PASSCODE, option, value);
}
static void other_weakens(void) { result_of_other = set_option(other, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 1000); }
static void other_strengthens(void) { result_of_other = set_option(other, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 2); }

static void lock_beside(void) {
  /* Both set the passcode up: the lock is that of the one who was first. */
  REQUIRE(set_option(fido, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 1000) == 0);
  for (int at = 1;; at++) {
    CHECK_EQUAL(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE), CUSTOM_FIDO_RESET_SUCCESS);
    REQUIRE(set_option(other, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 3) == 0);
    calls = 0, chosen = at, happens = other_registers;
    CHECK_EQUAL(register_on(fido, key_of_client) % CUSTOM_FIDO_NOT_REG_USER, 0);
    int was_reached = calls >= at;
    chosen = 0;
    uint32_t before = tries_left();
    CHECK(before == 3 || before == 1000);
    CHECK_EQUAL(set_option(other, CUSTOM_FIDO_OPTION_LOCK_TIME, 600), 0);
    CHECK(tries_left() <= before);
    if (!was_reached) break;
  }
  /* Another client changes the same option at each call: what is set last counts, for both. */
  for (int is_weaker = 0; is_weaker < 2; is_weaker++)
    for (int at = 1;; at++) {
      calls = 0, chosen = at, happens = is_weaker ? other_weakens : other_strengthens;
      CHECK_EQUAL(set_option(fido, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, is_weaker ? 2 : 1000), 0);
      int was_reached = calls >= at;
      chosen = 0;
      if (!was_reached) break;
      uint32_t before = tries_left();
      CHECK_EQUAL(set_option(fido, CUSTOM_FIDO_OPTION_LOCK_TIME, 60), 0);
      if (!CHECK(tries_left() == before)) fprintf(stderr, "  %u tries, then %u\n", before, tries_left());
    }
  happens = NULL;
  /* The vault fails: the lock is never weaker than what was set last, or before. */
  for (int at = 1;; at++) {
    REQUIRE(set_option(fido, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 1000) == 0);
    calls = 0, chosen = at, fails = 1;
    int result = set_option(fido, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 3), was_reached = calls >= at;
    chosen = 0, fails = 0;
    if (!was_reached) break;
    CHECK(result == 0 || result == -CUSTOM_KEYBOARD_BUSY);
    uint32_t before = tries_left();
    CHECK_EQUAL(set_option(other, CUSTOM_FIDO_OPTION_LOCK_TIME, 700), 0);
    if (!CHECK(tries_left() <= before))
      fprintf(stderr, "  call %d fails: %u tries, then %u\n", at, before, tries_left());
  }
  REQUIRE(set_option(fido, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 1000) == 0);
}

/* ---- Another request --------------------------------------------------------------------------------------------- */

static pthread_t beginner;
static int began, wrong_answers;
static void *begin_another(void *none) {
  const char *request = "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"Auth\",\"appID\":\"\"},"
                        "\"challenge\":\"YW5vdGhlciByZXF1ZXN0\","
                        "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]]}}]";
  (void)none;
  began += begin(request) == CUSTOM_FIDO_AUTH_READY;
  return NULL;
}
/* The call waits until the client is free. */
static void begin_beside(void) { REQUIRE(pthread_create(&beginner, NULL, begin_another, NULL) == 0); }

static int send_and_look(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  static char first[512];
  if (strstr(exchange->url, "answer") != NULL) {
    const char *found = strstr(exchange->body, "fcParams");
    REQUIRE(found != NULL);
    if (first[0] == 0) memcpy(first, found, 200);
    wrong_answers += memcmp(first, found, 200) != 0;
  }
  return send_answer(context, exchange);
}

static void resume_beside(void) {
  REQUIRE(CustomFido_setServer(fido, "https://a.example/ask", "https://a.example/answer", 5, send_and_look, NULL) == 0);
  ask_for("Auth", "");
  for (int i = 0; i < 300; i++) {
    REQUIRE(CustomFido_startAuthentication(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
    while_checking = i > 0 ? begin_beside : NULL;
    CHECK_EQUAL(resume_on(fido), 0);
    if (i > 0) REQUIRE(pthread_join(beginner, NULL) == 0);
  }
  CHECK_EQUAL(wrong_answers, 0);
  printf("%d requests were begun beside\n", began);
}

static void wait_asleep(void) {
  ask_for("Auth", ",\"lifetimeMillis\":60000");
  clocks_are_ours = 1;
  running_ms = 1000000, wall_ms = 2000000, boot_number = 1;
  for (int is_late = 0; is_late < 2; is_late++) {
    REQUIRE(CustomFido_startAuthentication(fido, users[0], NULL) == CUSTOM_FIDO_AUTH_READY);
    running_ms += is_late ? 60001 : 59000;
    CHECK_EQUAL(resume_on(fido), is_late ? CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST : 0);
  }
  clocks_are_ours = 0;
}

/* ---- Counters that are put back ---------------------------------------------------------------------------------- */

/* ---- What an authentication costs -------------------------------------------------------------------------------- */

/* The vault's generation, as another process reads it: it grows with each transaction that changes something. */
static int tell_generation(const char *name) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  REQUIRE(sqlite3_open(name, &database) == SQLITE_OK);
  REQUIRE(sqlite3_prepare_v2(database, "SELECT generation FROM head", -1, &statement, NULL) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  int generation = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return generation & 0x7f;
}
static int status_of_child(pid_t child);
static int generation_now(void) { return WEXITSTATUS(status_of_child(run_self("--generation", path, ""))); }

/* Keys of other appIDs cost nothing: two lists, the reads of one key, the try's two transactions and one more. */
static void keys_of_others_cost_nothing(void) {
  enum { OTHERS = 200 };
  static const char digits[] = "0123456789abcdef";
  uint8_t keyID[KEY_ID], data[2048];
  char service[128], account[80] = "";
  size_t length;
  REQUIRE(register_on(fido, key_of_client) == 0);
  for (int i = 0; i < KEY_ID; i++) snprintf(account + 2 * i, 3, "%02x", key_of_client[i]);
  REQUIRE_OK(CustomVault_readItem(vault, KEYS, account, data, sizeof data, &length));
  for (int others = 0; others <= OTHERS; others += OTHERS) {
    for (int i = 0; i < others; i++) {
      snprintf(service, sizeof service, "%s", KEYS);
      service[19] = 'x', service[20] = digits[i % 16], service[21] = digits[i / 16];
      REQUIRE_OK(CustomVault_addItem(vault, service, account, NULL, "passcode", data, length));
    }
    int before = generation_now();
    lists = 0, reads = 0, changes = 0;
    CHECK_EQUAL(authenticate(keyID), 0);
    CHECK_EQUAL(lists, 2);
    CHECK(reads <= 6);
    CHECK_EQUAL(changes, 1);
    CHECK_EQUAL((generation_now() - before) & 0x7f, 3);
  }
  CHECK_EQUAL(CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE), CUSTOM_FIDO_RESET_SUCCESS);
  /* A reset takes those of all appIDs. */
  CHECK_RV(CustomVault_readItem(vault, service, account, data, sizeof data, &length), NOT_FOUND);
}

static int status_of_child(pid_t child) {
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}
static void sign_with_older_counters(void) {
  uint8_t keyID[KEY_ID];
  REQUIRE(register_on(fido, key_of_client) == 0 && authenticate(keyID) == 0);
  uint32_t last = answered.signatures;
  CHECK_EQUAL(status_of_child(run_self("--sql", path, KEEP_ALL)), 0);
  for (int i = 0; i < 4; i++) {
    int result = authenticate(keyID);
    CHECK_EQUAL(result, i == 0 ? 0 : -CUSTOM_KEYBOARD_DAMAGED);
    if (result == 0) CHECK(answered.signatures > last);
    if (result == 0) last = answered.signatures;
    CHECK_EQUAL(status_of_child(run_self("--sql", path, PUT_ALL_BACK)), 0);
  }
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--generation") == 0) return tell_generation(arguments[2]);
  if (count == 4) return run_sql(arguments[2], arguments[3]);
  begin_clients();
  REQUIRE(register_on(fido, key_of_client) == 0);
  register_beside();
  register_in_a_vault_that_fails();
  accept_in_a_vault_that_fails();
  authenticate_while_replaced();
  lock_beside();
  REQUIRE(register_online(fido, key_of_client) == 0);
  resume_beside();
  wait_asleep();
  keys_of_others_cost_nothing();
  sign_with_older_counters();
  end_clients();
  return check_end("fido_beside", 560);
}
