/*
 * A process that registers, authenticates, deregisters, changes and resets is killed: at each call that writes to the
 * vault's file, draws random numbers or derives a key, in each kind of operation; and at random moments. After each:
 *
 *     no key without a user     a key is that of the user who registered it, and only the passcode uses it; a key that
 *                               a server has, or may have, is there, and the one before it until then
 *     no counter goes back      not in a key that is kept, not in the next answer, not that of the registrations
 *     no free try               a passcode that was looked at was counted before; only the right one ends the counting
 *
 *     fido_kill [TIMES]         at random moments; SEED from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"
#include <custom_fido.h>

enum { USERS = 3, KEY_ID = 32, TRIES = 1000, MOST_KEYS = 65536 };
#define FACET "ios:bundle-id:com.example.bank"
#define KEYS "CustomFido keys"
#define PASSCODE "CustomFido passcode"

static const char *const users[USERS] = {"ann", "ben", "cleo"};
static const uint8_t vault_key[] = "the key of the vault, 32 bytes..";
static char folder[256], path[300];

typedef enum kind {
  REGISTER, REGISTER_ONLINE, AUTHENTICATE, FAIL, DEREGISTER, CHANGE, RESET, KINDS
} kind;
static const char *const kind_names[KINDS] = {
    "a registration", "a registration at a server", "an authentication", "a wrong try", "a deregistration", "a change",
    "a reset"};

/* What the process that is killed has told. */
typedef struct report {
  enum { BEGUN = 1, TRYING, SENT, DONE } phase;
  kind kind;
  uint32_t number, user;
  int result;
  uint32_t signatures, registrations; /* the counters that the server gets                                           */
  uint8_t keyID[KEY_ID];
} report;

static kind kind_of(uint32_t number) {
  static const kind often[] = {REGISTER, AUTHENTICATE, FAIL, REGISTER_ONLINE, FAIL, AUTHENTICATE, REGISTER, CHANGE,
                               AUTHENTICATE, FAIL, REGISTER_ONLINE, DEREGISTER, REGISTER, AUTHENTICATE, FAIL, RESET};
  return often[(number * UINT32_C(2654435761) >> 13) % (sizeof often / sizeof *often)];
}
static uint32_t user_of(uint32_t number) { return (number * UINT32_C(40503) >> 5) % USERS; }

/* ---- The client -------------------------------------------------------------------------------------------------- */

static CUSTOM_VAULT vault;
static CUSTOM_FIDO fido;

static void open_client(void) {
  REQUIRE_OK(CustomVault_open(&vault, path, vault_key, 32));
  REQUIRE(CustomFido_create(&fido, vault, FACET) == 0);
  REQUIRE(CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001") == 0);
}

static void close_client(void) {
  REQUIRE(CustomFido_destroy(fido) == 0);
  REQUIRE_OK(CustomVault_close(vault));
}

static const char *passcode_of(uint32_t version) {
  static char text[32];
  snprintf(text, sizeof text, "passcode %u", version);
  return text;
}

static CUSTOM_KEYBOARD typed_of(uint32_t version) { return typed(passcode_of(version)); }

/* A request; `keyID` is 43 characters, or NULL. */
static const char *request_for(const char *op, uint32_t user, const char *keyID) {
  static char text[1024];
  snprintf(text, sizeof text,
           "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"%s\",\"appID\":\"\"},"
           "\"challenge\":\"bm90IHJhbmRvbSwgYnV0IGxvbmcgZW5vdWdoIHRvIGJlIHNv\",\"username\":\"%s\","
           "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]%s%.43s%s}]]}}]",
           op, users[user], keyID != NULL ? ",\"keyIDs\":[\"" : "", keyID != NULL ? keyID : "",
           keyID != NULL ? "\"]" : "");
  return text;
}

static int begin(const char *request) { return CustomFido_begin(fido, request, strlen(request), NULL, NULL); }

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static size_t decode(const char *text, uint8_t *bytes, size_t capacity) {
  uint32_t bits = 0, count = 0;
  size_t length = 0;
  for (const char *digit; *text != 0 && (digit = strchr(alphabet, *text)) != NULL; text++) {
    bits = bits << 6 | (uint32_t)(digit - alphabet);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    REQUIRE(length < capacity);
    bytes[length++] = (uint8_t)(bits >> count);
  }
  return length;
}

static void encode_key(const uint8_t *keyID, char *text) {
  uint32_t bits = 0, count = 0;
  for (size_t i = 0; i < KEY_ID; i++) {
    bits = bits << 8 | keyID[i];
    for (count += 8; count >= 6; count -= 6) *text++ = alphabet[bits >> (count - 6) & 63];
  }
  *text++ = alphabet[bits << (6 - count) & 63];
  *text = 0;
}

static uint32_t number_at(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Takes key ID and counters out of TLV: of an assertion, or of what the vault keeps of a key. */
static void read_fields(const uint8_t *bytes, size_t length, void (*each)(unsigned tag, const uint8_t *, size_t)) {
  while (length >= 4) {
    unsigned tag = bytes[0] | (unsigned)bytes[1] << 8, size = bytes[2] | (unsigned)bytes[3] << 8;
    REQUIRE(size <= length - 4);
    if (tag & 0x1000)
      read_fields(bytes + 4, size, each);
    else
      each(tag, bytes + 4, size);
    bytes += 4 + size;
    length -= 4 + size;
  }
}

static report answered;
static void read_answer_field(unsigned tag, const uint8_t *value, size_t size) {
  if (tag == 0x2e09 && size == KEY_ID) memcpy(answered.keyID, value, KEY_ID);
  if (tag != 0x2e0d) return;
  answered.signatures = number_at(value);
  answered.registrations = size == 8 ? number_at(value + 4) : 0;
}

/* What the server reads in an answer, which may be a string inside JSON. */
static void read_answer(const char *text) {
  uint8_t bytes[512];
  const char *found = text;
  for (const char *next; (next = strstr(found, "assertion")) != NULL;) found = next + 9;
  REQUIRE(found != text);
  while (*found != 0 && strchr("\\\":", *found) != NULL) found++;
  read_fields(bytes, decode(found, bytes, sizeof bytes), read_answer_field);
}

/* ---- The process that is killed ---------------------------------------------------------------------------------- */

static int reports, is_killed_at, calls_so_far, is_a_try;
static report now;

/* Dies at the chosen call. */
static void pass(void) {
  if (is_killed_at > 0 && ++calls_so_far == is_killed_at) kill(getpid(), SIGKILL);
}
static void tell(int phase) {
  now.phase = phase;
  if (write(reports, &now, sizeof now) != sizeof now) _exit(4);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  pass();
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}
int ftruncate64(int file, off64_t length) {
  pass();
  return (int)syscall(SYS_ftruncate, file, length);
}
int fdatasync(int file) {
  pass();
  return (int)syscall(SYS_fdatasync, file);
}
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  pass();
  return syscall(SYS_getrandom, bytes, count, flags);
}

/* In the call that derives a key, which is after the counting and before the checking. */
static void now_it_is_tried(void) {
  pass();
  if (is_a_try) tell(TRYING);
  pass();
}

static void tell_answer(int phase) {
  memcpy(now.keyID, answered.keyID, KEY_ID);
  now.signatures = answered.signatures;
  now.registrations = answered.registrations;
  tell(phase);
}

static int send_to_server(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  const char *asked = context;
  int is_answer = strstr(exchange->url, "answer") != NULL;
  if (is_answer) {
    read_answer(exchange->body);
    tell_answer(SENT);
    pass();
  }
  exchange->answerLength =
      (size_t)snprintf(exchange->answer, exchange->capacity, is_answer ? "{\"statusCode\":1200}"
                                                                       : "{\"statusCode\":1200,\"uafRequest\":%s}",
                       asked);
  exchange->status = 200;
  strcpy(exchange->contentType, "application/fido+uaf");
  return 0;
}

/* One operation. `version` is that of the passcode, which a change raises. */
static int operate(uint32_t *version) {
  CUSTOM_KEYBOARD keyboard = typed_of(now.kind == FAIL ? 0 : *version), again = typed_of(*version);
  int result = 0, sets = 0, state;
  REQUIRE(CustomFido_state(fido, CUSTOM_FIDO_PASSCODE, &state) == 0);
  /* Not while wrong tries are counted, but then it is so already. */
  CustomFido_setOption(fido, CUSTOM_FIDO_PASSCODE, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, TRIES);
  is_a_try = 1;
  switch (now.kind) {
    case REGISTER:
    case REGISTER_ONLINE:
      /* The first derivation sets the passcode. */
      sets = state == CUSTOM_FIDO_STATE_NOT_REGISTERED;
      is_a_try = !sets;
      while_checking = now_it_is_tried;
      if (now.kind == REGISTER) {
        result = begin(request_for("Reg", now.user, NULL));
        REQUIRE(result == CUSTOM_FIDO_AUTH_READY);
        result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again);
      } else {
        char request[1024];
        snprintf(request, sizeof request, "%s", request_for("Reg", now.user, NULL));
        REQUIRE(CustomFido_setServer(fido, "https://a.example/ask", "https://a.example/answer", 5, send_to_server,
                                     request) == 0);
        result = CustomFido_startRegistration(fido, users[now.user], NULL);
        REQUIRE(result == CUSTOM_FIDO_AUTH_READY);
        result = CustomFido_resume(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again);
      }
      break;
    case AUTHENTICATE:
    case FAIL:
      result = begin(request_for("Auth", now.user, NULL));
      if (result != CUSTOM_FIDO_AUTH_READY) break;
      while_checking = now_it_is_tried;
      result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, users[now.user], keyboard, 0);
      break;
    case DEREGISTER:
      result = begin("[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"Dereg\",\"appID\":\"\"},"
                     "\"authenticators\":[{\"aaid\":\"C0DE#0001\",\"keyID\":\"\"}]}]");
      break;
    case CHANGE:
      type_again(again, passcode_of(*version + 1));
      while_checking = now_it_is_tried;
      result = CustomFido_change(fido, CUSTOM_FIDO_PASSCODE, keyboard, again);
      if (result == CUSTOM_FIDO_CHANGE_SUCCESS) ++*version;
      break;
    case RESET:
      result = CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE);
      break;
    case KINDS:
      break;
  }
  while_checking = NULL;
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(again));
  return result;
}

/* One operation after another, from a number on; only one, if it is to be killed at a chosen call. */
static void operate_until_killed(uint32_t number, uint32_t version, kind chosen, int at) {
  open_client();
  is_killed_at = at;
  for (;; number++) {
    static char text[65536];
    size_t length;
    now = (report){.kind = at > 0 ? chosen : kind_of(number), .number = number, .user = user_of(number)};
    tell(BEGUN);
    now.result = operate(&version);
    if (now.result == 0 && now.kind != DEREGISTER && now.kind != REGISTER_ONLINE) {
      REQUIRE(CustomFido_response(fido, text, sizeof text, &length) == 0);
      read_answer(text);
    }
    tell_answer(DONE);
    if (at > 0) _exit(0);
  }
}

static pid_t start(uint32_t number, uint32_t version, kind chosen, int at, int ends[2]) {
  char numbers[5][16];
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    const uint32_t values[5] = {number, version, chosen, (uint32_t)at, (uint32_t)ends[1]};
    for (int i = 0; i < 5; i++) snprintf(numbers[i], 16, "%u", values[i]);
    execl(program_invocation_name, "fido_kill", "--operate", folder, numbers[0], numbers[1], numbers[2], numbers[3],
          numbers[4], (char *)NULL);
    _exit(1);
  }
  close(ends[1]);
  return child;
}

/* ---- What must be so --------------------------------------------------------------------------------------------- */

/* What is known: from reports, and from what was found after a kill. */
static struct model {
  int is_set;
  uint32_t version, wrong, registrations, tried;
  struct {
    int has;
    uint8_t keyID[KEY_ID]; /* that a server has                                                                      */
    unsigned spare;        /* keys of registrations that were killed                                                 */
  } users[USERS];
} known;

/* The highest counter that a server has seen, of each key. */
static struct {
  uint8_t keyID[KEY_ID];
  uint32_t highest;
} seen[MOST_KEYS];
static size_t seen_count;

static uint32_t *highest_of(const uint8_t *keyID) {
  for (size_t i = seen_count; i-- > 0;)
    if (memcmp(seen[i].keyID, keyID, KEY_ID) == 0) return &seen[i].highest;
  REQUIRE(seen_count < MOST_KEYS);
  memcpy(seen[seen_count].keyID, keyID, KEY_ID);
  seen[seen_count].highest = 0;
  return &seen[seen_count++].highest;
}

static void forget_keys(void) {
  for (int user = 0; user < USERS; user++) known.users[user].has = 0, known.users[user].spare = 0;
}

static int is_registration(kind kind) { return kind == REGISTER || kind == REGISTER_ONLINE; }

/* The server gets an answer. */
static void see_answer(const report *told) {
  uint32_t *highest = highest_of(told->keyID);
  if (is_registration(told->kind)) {
    CHECK_EQUAL(told->signatures, 0);
    CHECK(told->registrations > known.registrations);
    known.registrations = told->registrations;
    known.users[told->user].has = 1;
    memcpy(known.users[told->user].keyID, told->keyID, KEY_ID);
  } else {
    if (!CHECK(told->signatures > *highest)) fprintf(stderr, "  %u after %u\n", told->signatures, *highest);
    /* After a registration that was killed it may be either. */
    if (known.users[told->user].spare == 0) CHECK_BYTES(told->keyID, known.users[told->user].keyID, KEY_ID);
    memcpy(known.users[told->user].keyID, told->keyID, KEY_ID);
  }
  *highest = told->signatures;
}

/* An operation was done. */
static void see_done(const report *told) {
  int had = known.users[told->user].has || known.users[told->user].spare > 0;
  int expected = 0;
  switch (told->kind) {
    case REGISTER:
    case REGISTER_ONLINE:
      if (told->kind == REGISTER) see_answer(told);
      known.is_set = 1;
      known.users[told->user].spare = 0;
      break;
    case AUTHENTICATE:
    case FAIL:
      expected = told->kind == FAIL ? CUSTOM_FIDO_FAIL_VERIFY : 0;
      if (!known.is_set) expected = CUSTOM_FIDO_STATE_NOT_REGISTERED;
      if (!had) expected = CUSTOM_FIDO_NOT_REG_USER;
      if (told->result == 0 && known.users[told->user].has) see_answer(told);
      break;
    case DEREGISTER:
      forget_keys();
      break;
    case CHANGE:
      expected = known.is_set ? CUSTOM_FIDO_CHANGE_SUCCESS : CUSTOM_FIDO_CHANGE_INVALID;
      known.version += told->result == CUSTOM_FIDO_CHANGE_SUCCESS;
      break;
    case RESET:
      expected = known.is_set ? CUSTOM_FIDO_RESET_SUCCESS : CUSTOM_FIDO_RESET_NONE;
      known.is_set = 0;
      forget_keys();
      break;
    case KINDS:
      break;
  }
  /* A key of a registration that was killed may be the only one, and may be of a passcode that was reset. */
  int is_unsure = known.users[told->user].spare > 0 && told->result == CUSTOM_FIDO_NOT_REG_USER;
  if (!is_unsure && !CHECK_EQUAL(told->result, expected)) fprintf(stderr, "  %s\n", kind_names[told->kind]);
  if (told->result == CUSTOM_FIDO_FAIL_VERIFY) known.wrong++;
  else if (told->kind != DEREGISTER && told->result != CUSTOM_FIDO_NOT_REG_USER) known.wrong = 0;
  known.tried = 0;
}

static struct found_key {
  uint8_t keyID[KEY_ID];
  char user[130];
  int is_accepted;
  uint32_t counter;
} found[200], reading;
static size_t found_count;

static void read_key_field(unsigned tag, const uint8_t *value, size_t size) {
  if (tag == 0x2e09) memcpy(reading.keyID, value, KEY_ID);
  if (tag == 0x2e0e) reading.is_accepted = value[1];
  if (tag == 0x2e0d) reading.counter = number_at(value);
  if (tag == 0x2806) memcpy(reading.user, value, size);
}

static int read_key(void *context, const CUSTOM_VAULT_ITEM *item) {
  uint8_t data[2048];
  size_t length;
  (void)context;
  REQUIRE_OK(CustomVault_readItem(vault, KEYS, item->account, data, sizeof data, &length));
  memset(&reading, 0, sizeof reading);
  read_fields(data, length, read_key_field);
  REQUIRE(found_count < sizeof found / sizeof *found);
  found[found_count++] = reading;
  return 0;
}

static const struct found_key *find_key(const uint8_t *keyID) {
  for (size_t i = 0; i < found_count; i++)
    if (memcmp(found[i].keyID, keyID, KEY_ID) == 0) return &found[i];
  return NULL;
}

static void check_tries(const report *last, int is_set) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  if (!is_set) return;
  REQUIRE(CustomFido_attempts(fido, CUSTOM_FIDO_PASSCODE, &state) == 0);
  uint32_t counted = TRIES - state.triesLeft, least = known.wrong + known.tried, most = least;
  if (last != NULL) {
    int is_right = last->kind != FAIL && last->kind != DEREGISTER && last->kind != RESET;
    /* It is counted before it is tried. A right try ends the counting, but only a right one that was tried. */
    most = known.wrong + (last->kind != DEREGISTER && last->kind != RESET);
    if (is_right && known.tried) least = 0;
    if (is_registration(last->kind) && !known.is_set) least = 0;
  }
  if (!CHECK(counted >= least && counted <= most))
    fprintf(stderr, "  %u tries are counted, not %u to %u\n", counted, least, most);
  CHECK(state.locks == 0 && state.secondsLeft == 0);
  known.wrong = counted;
  known.tried = 0;
}

/* Whether keys may be gone without a report. */
static int may_delete(const report *last) { return last != NULL && (last->kind == DEREGISTER || last->kind == RESET); }

static void check_keys(const report *last) {
  found_count = 0;
  REQUIRE_OK(CustomVault_listItems(vault, KEYS, read_key, NULL));
  for (size_t i = 0; i < found_count; i++) {
    int is_ours = 0;
    for (int user = 0; user < USERS; user++) is_ours |= strcmp(found[i].user, users[user]) == 0;
    CHECK(is_ours);
    CHECK(found[i].counter >= *highest_of(found[i].keyID));
  }
  for (int user = 0; user < USERS; user++) {
    unsigned count = 0, accepted = 0;
    int is_begun = last != NULL && is_registration(last->kind) && last->user == (uint32_t)user;
    if (is_begun) known.users[user].spare++;
    for (size_t i = 0; i < found_count; i++)
      if (strcmp(found[i].user, users[user]) == 0) count++, accepted += (unsigned)found[i].is_accepted;
    if (!CHECK(count <= (unsigned)known.users[user].has + known.users[user].spare))
      fprintf(stderr, "  %s has %u keys, %d and %u are known\n", users[user], count, known.users[user].has,
              known.users[user].spare);
    CHECK(accepted <= 1 || known.users[user].spare > 0);
    if (known.users[user].has) {
      const struct found_key *key = find_key(known.users[user].keyID);
      /* The key that the server has is kept, until another has been accepted. */
      if (!CHECK(key != NULL || may_delete(last) || (is_begun && accepted > 0)))
        fprintf(stderr, "  %s has %u keys, %u accepted, after %s\n", users[user], count, accepted,
                last == NULL ? "none" : kind_names[last->kind]);
      if (key == NULL) known.users[user].has = 0;
      for (size_t i = 0; key == NULL && i < found_count; i++) {
        if (!found[i].is_accepted || strcmp(found[i].user, users[user]) != 0) continue;
        known.users[user].has = 1;
        memcpy(known.users[user].keyID, found[i].keyID, KEY_ID);
      }
    }
    if (count == 0) known.users[user].has = 0, known.users[user].spare = 0;
  }
  uint8_t counter[4] = {0};
  size_t length = 0;
  CUSTOM_KEYBOARD_RV rv = CustomVault_readItem(vault, "CustomFido counters", "passcode", counter, 4, &length);
  CHECK((rv == CUSTOM_KEYBOARD_NOT_FOUND && known.registrations == 0) ||
        (rv == CUSTOM_KEYBOARD_OK && number_at(counter) >= known.registrations));
}

/* The person types the passcode, for each user; and another one. */
static void use_keys(const report *last, int is_set, report *sent) {
  static char text[65536];
  size_t length;
  if (is_set) {
    CUSTOM_VAULT_STATE state;
    CUSTOM_KEYBOARD_RV rv = try_passcode(vault, PASSCODE, passcode_of(known.version), NULL, &state);
    if (rv == CUSTOM_KEYBOARD_MISMATCH && last != NULL && last->kind == CHANGE)
      rv = try_passcode(vault, PASSCODE, passcode_of(++known.version), NULL, &state);
    CHECK_RV(rv, OK);
    known.wrong = 0;
  }
  /* The server has the key that was sent, also without having said so. */
  if (sent != NULL && find_key(sent->keyID) != NULL) {
    char keyID[64];
    encode_key(sent->keyID, keyID);
    CHECK_EQUAL(begin(request_for("Auth", sent->user, keyID)), CUSTOM_FIDO_AUTH_READY);
    CUSTOM_KEYBOARD keyboard = typed_of(known.version);
    CHECK_EQUAL(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, users[sent->user], keyboard, 0), 0);
    REQUIRE_OK(CustomKeyboard_destroy(keyboard));
    REQUIRE(CustomFido_response(fido, text, sizeof text, &length) == 0);
    read_answer(text);
    CHECK_BYTES(answered.keyID, sent->keyID, KEY_ID);
    *highest_of(sent->keyID) = answered.signatures;
  }
  for (uint32_t user = 0; user < USERS; user++) {
    int may_be_gone = may_delete(last) || known.users[user].spare > 0;
    int result = begin(request_for("Auth", user, NULL));
    if (result == CUSTOM_FIDO_AUTH_READY) {
      CUSTOM_KEYBOARD keyboard = typed_of(known.version);
      result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, users[user], keyboard, 0);
      REQUIRE_OK(CustomKeyboard_destroy(keyboard));
    }
    if (!is_set) {
      /* Keys that a reset has left are of no use to anyone. */
      CHECK(result == CUSTOM_FIDO_NOT_REG_USER || result == CUSTOM_FIDO_STATE_NOT_REGISTERED);
      continue;
    }
    if (result == CUSTOM_FIDO_NOT_REG_USER) {
      CHECK(!known.users[user].has || may_be_gone);
      known.users[user].has = 0;
      continue;
    }
    if (!CHECK_EQUAL(result, 0)) continue;
    REQUIRE(CustomFido_response(fido, text, sizeof text, &length) == 0);
    read_answer(text);
    CHECK(answered.signatures > *highest_of(answered.keyID));
    *highest_of(answered.keyID) = answered.signatures;
    CHECK(known.users[user].spare > 0 || memcmp(answered.keyID, known.users[user].keyID, KEY_ID) == 0);
    known.users[user].has = 1;
    memcpy(known.users[user].keyID, answered.keyID, KEY_ID);
  }
}

/* What is known after a kill; `last` is the report of an operation that was not done, or NULL. */
static void check_after(const report *last, report *sent, int uses_keys) {
  int state;
  unsigned long failures = atomic_load(&check_failures);
  open_client();
  REQUIRE(CustomFido_state(fido, CUSTOM_FIDO_PASSCODE, &state) == 0);
  int is_set = state == CUSTOM_FIDO_STATE_AVAILABLE;
  CHECK(is_set || state == CUSTOM_FIDO_STATE_NOT_REGISTERED);
  int may_differ = last != NULL && (last->kind == RESET || (is_registration(last->kind) && !known.is_set));
  CHECK(is_set == known.is_set || may_differ);
  check_tries(last, is_set);
  check_keys(last);
  if (sent != NULL) {
    known.users[sent->user].has = 1;
    known.users[sent->user].spare++;
    CHECK(find_key(sent->keyID) != NULL);
  }
  if (uses_keys || (last != NULL && last->kind == CHANGE) || !is_set) use_keys(last, is_set, sent);
  known.is_set = is_set;
  if (last != NULL && last->kind == RESET && !is_set) {
    /* Keys may be left, which nothing opens any more. */
    forget_keys();
    for (size_t i = 0; i < found_count; i++)
      for (int user = 0; user < USERS; user++) known.users[user].spare += strcmp(found[i].user, users[user]) == 0;
  }
  close_client();
  if (atomic_load(&check_failures) > failures)
    fprintf(stderr, "  after %s%s\n", last == NULL ? "an operation that was done" : kind_names[last->kind],
            sent != NULL ? ", which the server has" : "");
}

static unsigned long done_count, killed_in[KINDS];

/* Takes the reports of a process that has ended, and checks. Returns whether it was killed in an operation. */
static int follow(int ends[2], uint32_t *number, int uses_keys) {
  report told, last = {.phase = DONE}, sent = {.phase = BEGUN};
  while (read(ends[0], &told, sizeof told) == sizeof told) {
    last = told;
    *number = told.number + 1;
    switch (told.phase) {
      case BEGUN: known.tried = 0; break;
      case TRYING: known.tried = 1; break;
      case SENT:
        see_answer(&told);
        sent = told;
        break;
      case DONE:
        see_done(&told);
        sent.phase = BEGUN;
        done_count++;
        break;
    }
  }
  close(ends[0]);
  int is_under_way = last.phase != DONE;
  if (is_under_way) killed_in[last.kind]++;
  check_after(is_under_way ? &last : NULL, sent.phase == SENT ? &sent : NULL, uses_keys);
  return is_under_way;
}

static void new_vault(void) {
  remove_folder(folder);
  REQUIRE(mkdir(folder, 0700) == 0);
  memset(&known, 0, sizeof known);
  known.version = 1;
  seen_count = 0;
}

static int run_one(uint32_t number, kind kind, int at, int uses_keys) {
  int ends[2], status;
  pid_t child = start(number, known.version, kind, at, ends);
  REQUIRE(waitpid(child, &status, 0) == child);
  int was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!CHECK(was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0))) fprintf(stderr, "  status %x\n", status);
  (void)follow(ends, &number, uses_keys);
  return was_killed;
}

/* Each kind is killed at its first call, its second, and so on, until it is through: with a passcode that is set and
 * keys of all users, and in an empty vault. */
static unsigned long kill_at_each_call(void) {
  unsigned long kills = 0;
  enum { NEVER = 1000000 };
  for (int is_empty = 0; is_empty < 2; is_empty++)
    for (kind kind = REGISTER; kind < KINDS; kind++) {
      if (is_empty && !is_registration(kind)) continue;
      int was_killed = 1, at = 1;
      for (uint32_t number = 1; was_killed; number++, at++) {
        int needs_keys = 0;
        if (is_empty || number == 1) new_vault();
        for (int user = 0; !is_empty && user < USERS; user++) needs_keys |= !known.users[user].has;
        for (uint32_t other = 0; !is_empty && needs_keys && other < 64; other++)
          if (!known.users[user_of(other)].has) (void)run_one(other, REGISTER, NEVER, 1);
        was_killed = run_one(number, kind, at, 1);
        kills += (unsigned)was_killed;
        if (atomic_load(&check_failures) > 0) return kills;
      }
      CHECK(at > 3);
    }
  return kills;
}

int main(int count, char **arguments) {
  if (count == 8 && strcmp(arguments[1], "--operate") == 0) {
    snprintf(folder, sizeof folder, "%s", arguments[2]);
    snprintf(path, sizeof path, "%.250s/vault", folder);
    reports = atoi(arguments[7]);
    operate_until_killed((uint32_t)atoi(arguments[3]), (uint32_t)atoi(arguments[4]), (kind)atoi(arguments[5]),
                         atoi(arguments[6]));
  }
  int times = count > 1 ? atoi(arguments[1]) : 100;
  uint32_t next = 1;
  unsigned seed = getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
  srand(seed);
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%.250s/vault", folder);
  unsigned long at_calls = kill_at_each_call();
  new_vault();
  memset(killed_in, 0, sizeof killed_in);
  for (int i = 0; i < times && atomic_load(&check_failures) == 0; i++) {
    int ends[2], status;
    if (i % 64 == 63) new_vault();
    pid_t child = start(next, known.version, REGISTER, 0, ends);
    struct timespec moment = {0, 1000L * (5000 + rand() % 30000)};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    (void)follow(ends, &next, rand() % 2);
  }
  if (atomic_load(&check_failures) > 0) fprintf(stderr, "  seed %u\n", seed);
  remove_folder(folder);
  unsigned long under_way = 0;
  for (int kind = 0; kind < KINDS; kind++) under_way += killed_in[kind];
  printf("killed at each of %lu calls; at %d random moments: %lu in an operation, %lu were done\n", at_calls, times,
         under_way, done_count);
  return check_end("fido_kill", 1000ul + 10ul * (unsigned long)times);
}
