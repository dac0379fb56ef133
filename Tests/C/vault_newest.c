/*
 * A program that may write a vault's file, but has no key, puts back a whole state that the vault had: rows and head
 * agree, so that nothing in the file tells. An open handle remembers the newest state that it has seen.
 *
 *     vault_newest [SCENARIO]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vault_others.h"

static CUSTOM_VAULT_STATE state;

static void let_others_keep(void) { let_others_run(KEEP_ALL); }
static void let_others_put_back(void) { let_others_run(PUT_ALL_BACK); }

static void five_tries_are_five(void) {
  unsigned answered = 0, before;
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(set_passcode(vault, "PIN", "right", 5, 900, 0));
  let_others_keep();
  before = derived;
  for (int i = 0; i < 16; i++) {
    CUSTOM_KEYBOARD_RV rv = try_passcode(vault, "PIN", "wrong", NULL, &state);
    answered += rv == CUSTOM_KEYBOARD_MISMATCH;
    CHECK(rv == CUSTOM_KEYBOARD_MISMATCH || (i > 0 && rv == CUSTOM_KEYBOARD_DAMAGED));
    let_others_put_back();
  }
  CHECK_EQUAL(answered, 1);
  CHECK_EQUAL(derived, before + 1);
  CHECK_RV(try_passcode(vault, "PIN", "right", NULL, &state), DAMAGED);
  state.size = sizeof state;
  CHECK_RV(CustomVault_passcodeState(vault, "PIN", &state), DAMAGED);
  CHECK_RV(CustomVault_setPolicy(vault, "PIN", NULL), DAMAGED);
  CHECK_RV(CustomVault_resetPasscode(vault, "PIN"), DAMAGED);
  /* What it cannot notice: nobody remembers what a handle knew. */
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK);
  CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), MISMATCH);
  CHECK(is_state(&state, 4, 0, 0));
  CHECK_RV(CustomVault_close(vault), OK);
}

/* Each call that reads or changes; a counter that was sent is not read again. */
static void no_call_takes_an_older_state(void) {
  char copy[310];
  size_t listed = 0;
  snprintf(copy, sizeof copy, "%s.copy", path);
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("counter", "1"));
  let_others_keep();
  REQUIRE_OK(CustomVault_replaceItem(vault, "s", "counter", BYTES("1"), BYTES("2")));
  CHECK(holds(vault, "s", "counter", "2"));
  let_others_put_back();
  CHECK_RV(look_for("counter"), DAMAGED);
  CHECK_RV(look_for("no such account"), DAMAGED);
  CHECK_RV(CustomVault_replaceItem(vault, "s", "counter", BYTES("1"), BYTES("2")), DAMAGED);
  CHECK_RV(CustomVault_updateItem(vault, "s", "counter", NULL, NULL, BYTES("2")), DAMAGED);
  CHECK_RV(CustomVault_deleteItem(vault, "s", "counter"), DAMAGED);
  CHECK_RV(add("new", "1"), DAMAGED);
  CHECK_RV(CustomVault_listItems(vault, NULL, count_item, &listed), DAMAGED);
  CHECK_RV(CustomVault_backup(vault, copy), DAMAGED);
  CHECK(access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), DAMAGED);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* Another process changes the vault; then its state is the newest that this handle has seen, once it has looked. */
static int change_beside(const char *account) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(strcmp(account, "the key") == 0 ? CustomVault_changeKey(vault, other_key, 32) : add(account, "value"));
  REQUIRE_OK(CustomVault_close(vault));
  return 0;
}
static void let_others_change(const char *account) { CHECK_EQUAL(status_of(run_self("--change", path, account)), 0); }

static void what_was_read_counts(void) {
  REQUIRE_OK(open_file(path));
  let_others_keep();
  let_others_change("a");
  CHECK_RV(look_for("a"), SPACE);
  let_others_put_back();
  CHECK_RV(look_for("a"), DAMAGED);
  /* Another state of the same generation is not the one that this handle knows. */
  let_others_change("b");
  CHECK_RV(look_for("b"), DAMAGED);
  CHECK_RV(add("c", "value"), DAMAGED);
  /* A later one is as good as any: this is what a handle cannot know. */
  let_others_change("c");
  CHECK_RV(look_for("c"), SPACE);
  CHECK_RV(add("d", "value"), OK);
  /* With another key nothing is older. */
  let_others_change("the key");
  CHECK_RV(look_for("c"), MISMATCH);
  CHECK_RV(add("e", "value"), MISMATCH);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* The key that this handle has given the vault. */
static void another_key_is_the_newest_state(void) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "1"));
  REQUIRE_OK(CustomVault_changeKey(vault, other_key, 32));
  let_others_keep();
  CHECK_RV(add("b", "1"), OK);
  let_others_put_back();
  CHECK_RV(look_for("b"), DAMAGED);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), DAMAGED);
  CHECK_RV(CustomVault_close(vault), OK);
}

static const struct scenario scenarios[] = {
    {"five tries are five", five_tries_are_five, 38},
    {"no call takes an older state", no_call_takes_an_older_state, 14},
    {"what was read counts", what_was_read_counts, 13},
    {"another key is the newest state", another_key_is_the_newest_state, 6},
};

int main(int count, char **arguments) {
  int status = do_as_another(count, arguments);
  if (status >= 0) return status;
  if (count == 4 && strcmp(arguments[1], "--change") == 0) {
    snprintf(path, sizeof path, "%s", arguments[2]);
    return change_beside(arguments[3]);
  }
  return RUN_SCENARIOS("vault_newest", arguments[1]);
}
