/*
 * For fido_kill.c: what must be so in a vault after its process was killed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_KEPT_H
#define FIDO_KEPT_H

#include "fido_kill.h"

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

#endif
