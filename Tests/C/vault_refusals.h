/*
 * Calls that custom_vault.h refuses, a row for each code and argument that vault_rows.h does not have. Included twice
 * by vault_refused.c, as vault_rows.h is by vault_calls.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define LONG_NAME long_name /* too long for a name, and for that of a file */
#define BAD_NAME "\xff"

/* ---- A vault's life ---------------------------------------------------------------------------------------------- */

CALL(open, "an empty path", ARGUMENT, (.prepare = no_vault), &v.made, "", v.key, sizeof v.key)
CALL(open, "a name of SQLite's", ARGUMENT, (.prepare = no_vault), &v.made, in_world("new-wal"), v.key, sizeof v.key)
CALL(open, "no folder", STORAGE, (.prepare = no_vault), &v.made, in_world("none/new"), v.key, sizeof v.key)
CALL(open, "a long path", STORAGE, (.prepare = no_vault), &v.made, in_world(LONG_NAME), v.key, sizeof v.key)
CALL(changeKey, "no key", ARGUMENT, (.prepare = with_item), V, NULL, 32)
CALL(change, "no body", ARGUMENT, (.prepare = with_item), V, NULL, NULL)
CALL(change, "a copy inside", OP_DISABLE, (.prepare = with_item), V, copy_inside, NULL)
CALL(change, "after an addition", NOT_FOUND, (.prepare = with_item), V, add_and_fail, NULL)
CALL(backup, "no path", ARGUMENT, (.prepare = with_item), V, NULL)
CALL(backup, "an empty path", ARGUMENT, (.prepare = with_item), V, "")
CALL(backup, "a name of SQLite's", ARGUMENT, (.prepare = with_item), V, in_world("new-journal"))
CALL(backup, "no folder", STORAGE, (.prepare = with_item), V, in_world("none/new"))

/* ---- Items ------------------------------------------------------------------------------------------------------- */

CALL(addItem, "no service", ARGUMENT, (.prepare = with_item), V, NULL, "account", NULL, NULL, VAULT_DATA)
CALL(addItem, "an empty account", ARGUMENT, (.prepare = with_item), V, "service", "", NULL, NULL, VAULT_DATA)
CALL(addItem, "a long label", ARGUMENT, (.prepare = vault_opened), V, VAULT_ITEM, LONG_NAME, NULL, VAULT_DATA)
CALL(addItem, "a kind that is not UTF-8", ARGUMENT, (.prepare = vault_opened), V, VAULT_ITEM, NULL, BAD_NAME,
     VAULT_DATA)
CALL(addItem, "no data", ARGUMENT, (.prepare = vault_opened), V, VAULT_ITEM, NULL, NULL, NULL, 5)
CALL(addItem, "long data", MAXLEN, (.prepare = vault_opened), V, VAULT_ITEM, NULL, NULL, w.space, TOO_LONG)
CALL(readItem, "no length", ARGUMENT, (.prepare = with_item), V, VAULT_ITEM, v.read, sizeof v.read, NULL)
CALL(readItem, "an empty service", ARGUMENT, (.prepare = with_item), V, "", "account", v.read, sizeof v.read, &v.length)
CALL(updateItem, "a long account", ARGUMENT, (.prepare = with_item), V, "service", LONG_NAME, NULL, NULL, VAULT_DATA)
CALL(updateItem, "a long label", ARGUMENT, (.prepare = with_item), V, VAULT_ITEM, LONG_NAME, NULL, VAULT_DATA)
CALL(updateItem, "long data", MAXLEN, (.prepare = with_item), V, VAULT_ITEM, NULL, NULL, w.space, TOO_LONG)
CALL(replaceItem, "no such item", NOT_FOUND, (.prepare = vault_opened), V, VAULT_ITEM, VAULT_DATA, VAULT_DATA)
CALL(replaceItem, "no data", ARGUMENT, (.prepare = with_item), V, VAULT_ITEM, NULL, 5, VAULT_DATA)
CALL(replaceItem, "long data", MAXLEN, (.prepare = with_item), V, VAULT_ITEM, VAULT_DATA, w.space, TOO_LONG)
CALL(deleteItem, "no account", ARGUMENT, (.prepare = with_item), V, "service", NULL)
CALL(listItems, "an empty service", ARGUMENT, (.prepare = with_item), V, "", each_item, NULL)

/* ---- Passcodes --------------------------------------------------------------------------------------------------- */

CALL(setPasscode, "an empty name", ARGUMENT, (.prepare = without_passcode), V, "", K, NULL)
CALL(setPasscode, "another policy", ARGUMENT, (.prepare = without_passcode), V, "pin", K, &no_tries)
CALL(setPasscode, "no keyboard", ARGUMENT, (.prepare = without_passcode), V, "pin", 5, NULL)
CALL(setPasscode, "nothing typed", REFUSED, (.prepare = nothing_typed), V, "pin", K, NULL)
CALL(checkPasscode, "a state without members", ARGUMENT, (.prepare = with_passcode), V, "pin", K, v.passcode_key,
     &no_state)
CALL(checkPasscode, "no keyboard", ARGUMENT, (.prepare = with_passcode), V, "pin", 5, v.passcode_key, &v.state)
CALL(checkPasscode, "while idle", OP_DISABLE, (.prepare = passcode_and_idle), V, "pin", K, v.passcode_key, &v.state)
CALL(checkPasscode, "locked", LOCKED, (.prepare = locked), V, "pin", K, v.passcode_key, &v.state)
CALL(changePasscode, "no keyboard", ARGUMENT, (.prepare = with_passcode), V, "pin", K, 5, &v.state)
CALL(changePasscode, "while idle", OP_DISABLE, (.prepare = passcode_and_idle), V, "pin", K, w.other, &v.state)
CALL(changePasscode, "nothing typed", REFUSED, (.prepare = nothing_next), V, "pin", K, w.other, &v.state)
CALL(changePasscode, "another", MISMATCH, (.prepare = with_another_typed), V, "pin", w.other, K, &v.state)
CALL(changePasscode, "locked", LOCKED, (.prepare = locked), V, "pin", K, w.other, &v.state)
CALL(resetPasscode, "an empty name", ARGUMENT, (.prepare = with_passcode), V, "")
CALL(passcodeState, "no state", ARGUMENT, (.prepare = with_passcode), V, "pin", NULL)
CALL(passcodeState, "locked", LOCKED, (.prepare = locked), V, "pin", &v.state)
CALL(policy, "no policy", ARGUMENT, (.prepare = with_passcode), V, "pin", NULL)
CALL(policy, "a policy without members", ARGUMENT, (.prepare = with_passcode), V, "pin", &no_policy)
CALL(policy, "an empty name", ARGUMENT, (.prepare = with_passcode), V, "", &v.policy)
CALL(setPolicy, "another policy", ARGUMENT, (.prepare = with_passcode), V, "pin", &no_tries)
CALL(setPolicy, "locked", REFUSED, (.prepare = locked), V, "pin", NULL)
CALL(setPasscodeKey, "another policy", ARGUMENT, (.prepare = with_passcode_key), V, K, VAULT_PEPPER, &no_tries)
CALL(setPasscodeKey, "while idle", OP_DISABLE, (.prepare = passcode_and_idle), V, K, VAULT_PEPPER, NULL)
CALL(setPasscodeKey, "nothing typed", REFUSED, (.prepare = nothing_typed), V, K, VAULT_PEPPER, NULL)
CALL(openWithPasscode, "an empty path", ARGUMENT, (.prepare = closed_with_passcode_key), &v.made, "", K, VAULT_PEPPER,
     &v.state)
CALL(openWithPasscode, "a name of SQLite's", ARGUMENT, (.prepare = closed_with_passcode_key), &v.made,
     in_world("vault-shm"), K, VAULT_PEPPER, &v.state)
CALL(openWithPasscode, "no file", NOT_FOUND, (.prepare = closed_with_passcode_key), &v.made, v.other, K, VAULT_PEPPER,
     &v.state)
CALL(openWithPasscode, "a long pepper", MAXLEN, (.prepare = closed_with_passcode_key), &v.made, v.path, K, w.check, 65,
     &v.state)
CALL(openWithPasscode, "no keyboard", ARGUMENT, (.prepare = closed_with_passcode_key), &v.made, v.path, 5, VAULT_PEPPER,
     &v.state)
CALL(openWithPasscode, "locked", LOCKED, (.prepare = closed_and_locked), &v.made, v.path, K, VAULT_PEPPER, &v.state)
CALL(passcodeKeyState, "an empty path", ARGUMENT, (.prepare = closed_with_passcode_key), "", &v.state)
CALL(passcodeKeyState, "no file", NOT_FOUND, (.prepare = closed_with_passcode_key), v.other, &v.state)
CALL(passcodeKeyState, "locked", LOCKED, (.prepare = closed_and_locked), v.path, &v.state)

/* ---- Words ------------------------------------------------------------------------------------------------------- */

CALL(generateWords, "no space", SPACE, (.prepare = vault_opened), 12, v.made_words, 5, &v.length)
CALL(checkWords, "not UTF-8", ARGUMENT, (.prepare = vault_opened), BAD_NAME, VAULT_MADE_WORDS)
CALL(checkWords, "no space", SPACE, (.prepare = vault_opened), v.words, v.made_words, 5, &v.length)
CALL(wordsSeed, "another passphrase", ARGUMENT, (.prepare = vault_opened), v.words, BAD_NAME, v.seed)
CALL(keepWords, "an empty name", ARGUMENT, (.prepare = with_words), V, "", v.words)
CALL(keepWords, "no words", REFUSED, (.prepare = vault_opened), V, "words", no_words)
CALL(keepTypedWords, "while idle", OP_DISABLE, (.prepare = idle_and_vault), V, "words", K)
CALL(keepTypedWords, "a long name", ARGUMENT, (.prepare = words_typed), V, LONG_NAME, K)
CALL(readWords, "no length", ARGUMENT, (.prepare = with_words), V, "words", v.made_words, sizeof v.made_words, NULL)
CALL(deleteWords, "an empty name", ARGUMENT, (.prepare = with_words), V, "")
