/*
 * The calls of custom_vault.h, a row each. Included twice by vault_calls.h. `V` is the vault that `prepare` made, `K`
 * the keyboard.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* ---- A vault's life ---------------------------------------------------------------------------------------------- */

WORDS(version, "it", (.prepare = no_vault), )
WORDS(cause, "of the last failure", (.prepare = no_vault), )
CALL(open, "OK", OK, (.prepare = no_vault, .undo = close_made), &v.made, v.other, v.key, sizeof v.key)
CALL(open, "OK, a file that is there", OK, (.prepare = vault_closed, .undo = close_made), &v.made, v.path, v.key,
     sizeof v.key)
CALL(open, "another key", MISMATCH, (.prepare = vault_closed), &v.made, v.path, v.next_key, sizeof v.next_key)
CALL(open, "a short key", ERR, (.prepare = no_vault), &v.made, v.path, v.key, sizeof v.key - 1)
CALL(open, "no path", ARGUMENT, (.prepare = no_vault), &v.made, NULL, v.key, sizeof v.key)
CALL(close, "OK", OK, (.prepare = vault_opened, .undo = open_it_again), V)
CALL(close, "again", ARGUMENT, (.prepare = vault_closed), V)
CALL(change, "OK", OK, (.prepare = vault_opened, .undo = delete_item, .is_right = is_item_there), V, add_inside, NULL)
CALL(change, "what the body answers", EXISTS, (.prepare = with_item), V, add_inside, NULL)
CALL(changeKey, "OK", OK, (.prepare = with_item, .is_right = is_item_there), V, v.key, sizeof v.key)
CALL(changeKey, "OK, another key", OK, (.prepare = with_item, .is_right = is_item_there), V, v.next_key,
     sizeof v.next_key)
CALL(changeKey, "a short key", ERR, (.prepare = vault_opened), V, v.next_key, sizeof v.next_key - 1)
CALL(backup, "OK", OK, (.prepare = with_item, .undo = remove_copy), V, v.copy)
CALL(backup, "there is a file", EXISTS, (.prepare = vault_copied), V, v.copy)

/* ---- Items ------------------------------------------------------------------------------------------------------- */

CALL(addItem, "OK", OK, (.prepare = vault_opened, .undo = delete_item, .is_right = is_item_there), V, VAULT_ITEM, NULL,
     NULL, VAULT_DATA)
CALL(addItem, "there is one", EXISTS, (.prepare = with_item), V, VAULT_ITEM, NULL, NULL, VAULT_DATA)
CALL(readItem, "OK", OK, (.prepare = with_item, .is_right = is_item_right), V, VAULT_ITEM, v.read, sizeof v.read,
     &v.length)
CALL(readItem, "no space", SPACE, (.prepare = with_item), V, VAULT_ITEM, v.read, w.password_length - 1, &v.length)
CALL(readItem, "no such item", NOT_FOUND, (.prepare = vault_opened), V, VAULT_ITEM, v.read, sizeof v.read, &v.length)
CALL(updateItem, "OK", OK, (.prepare = with_item, .is_right = is_item_there), V, VAULT_ITEM, "a label", NULL,
     VAULT_DATA)
CALL(updateItem, "no such item", NOT_FOUND, (.prepare = vault_opened), V, VAULT_ITEM, NULL, NULL, VAULT_DATA)
CALL(replaceItem, "OK", OK, (.prepare = with_item, .is_right = is_item_there), V, VAULT_ITEM, VAULT_DATA, VAULT_DATA)
CALL(replaceItem, "another", MISMATCH, (.prepare = with_item, .is_right = is_item_there), V, VAULT_ITEM, v.next_key,
     sizeof v.next_key, VAULT_DATA)
CALL(deleteItem, "OK", OK, (.prepare = with_item, .undo = add_item), V, VAULT_ITEM)
CALL(deleteItem, "no such item", NOT_FOUND, (.prepare = vault_opened), V, VAULT_ITEM)
CALL(listItems, "OK", OK, (.prepare = with_item, .is_right = is_listed), V, NULL, each_item, NULL)
CALL(listItems, "no function", ARGUMENT, (.prepare = with_item), V, NULL, NULL, NULL)

/* ---- Passcodes --------------------------------------------------------------------------------------------------- */

CALL(setPasscode, "OK", OK, (.prepare = without_passcode, .undo = reset_passcode, .is_slow = 1), V, "pin", K, NULL)
CALL(setPasscode, "there is one", EXISTS, (.prepare = with_passcode, .is_slow = 1), V, "pin", K, NULL)
CALL(setPasscode, "while idle", OP_DISABLE, (.prepare = idle_and_vault), V, "pin", K, NULL)
CALL(checkPasscode, "OK", OK, (.prepare = with_passcode, .is_slow = 1), V, "pin", K, v.passcode_key, &v.state)
CALL(checkPasscode, "another", MISMATCH, (.prepare = with_another_typed, .is_slow = 1), V, "pin", w.other,
     v.passcode_key, &v.state)
CALL(checkPasscode, "no such name", NOT_FOUND, (.prepare = without_passcode), V, "pin", K, v.passcode_key, &v.state)
CALL(changePasscode, "OK", OK, (.prepare = with_passcode, .is_slow = 1), V, "pin", K, w.other, &v.state)
CALL(changePasscode, "no such name", NOT_FOUND, (.prepare = without_passcode), V, "pin", K, w.other, &v.state)
CALL(resetPasscode, "OK", OK, (.prepare = with_passcode, .undo = set_passcode, .is_slow = 1), V, "pin")
CALL(resetPasscode, "no such name", NOT_FOUND, (.prepare = vault_opened), V, "pin")
CALL(passcodeState, "OK", OK, (.prepare = with_passcode, .is_slow = 1), V, "pin", &v.state)
CALL(passcodeState, "no such name", NOT_FOUND, (.prepare = without_passcode), V, "pin", &v.state)
CALL(policy, "OK", OK, (.prepare = with_passcode, .is_right = is_policy_right, .is_slow = 1), V, "pin", &v.policy)
CALL(policy, "no such name", NOT_FOUND, (.prepare = without_passcode), V, "pin", &v.policy)
CALL(setPolicy, "OK", OK, (.prepare = with_passcode, .is_slow = 1), V, "pin", NULL)
CALL(setPolicy, "no such name", NOT_FOUND, (.prepare = vault_opened), V, "pin", NULL)
CALL(listPasscodes, "OK", OK, (.prepare = with_passcode, .is_right = is_listed, .is_slow = 1), V, each_name, NULL)
CALL(listPasscodes, "no function", ARGUMENT, (.prepare = vault_opened), V, NULL, NULL)
CALL(setPasscodeKey, "OK", OK, (.prepare = without_passcode, .undo = remove_passcode_key, .is_slow = 1), V, K,
     VAULT_PEPPER, NULL)
CALL(setPasscodeKey, "a long pepper", MAXLEN, (.prepare = without_passcode), V, K, w.check, 65, NULL)
CALL(removePasscodeKey, "OK", OK, (.prepare = with_passcode_key, .undo = set_passcode_key, .is_slow = 1), V)
CALL(removePasscodeKey, "there is none", NOT_FOUND, (.prepare = vault_opened), V)
CALL(openWithPasscode, "OK", OK, (.prepare = closed_with_passcode_key, .undo = close_made, .is_slow = 1), &v.made,
     v.path, K, VAULT_PEPPER, &v.state)
CALL(openWithPasscode, "another", MISMATCH, (.prepare = closed_with_another_typed, .is_slow = 1), &v.made, v.path,
     w.other, VAULT_PEPPER, &v.state)
CALL(openWithPasscode, "there is none", NOT_FOUND, (.prepare = closed_without_passcode_key), &v.made, v.path, K,
     VAULT_PEPPER, &v.state)
CALL(passcodeKeyState, "OK", OK, (.prepare = closed_with_passcode_key, .is_slow = 1), v.path, &v.state)
CALL(passcodeKeyState, "there is none", NOT_FOUND, (.prepare = closed_without_passcode_key), v.path, &v.state)

/* ---- Words ------------------------------------------------------------------------------------------------------- */

CALL(generateWords, "OK", OK, (.prepare = vault_opened, .is_right = are_words_drawn), 24, VAULT_MADE_WORDS)
CALL(generateWords, "so many never", ARGUMENT, (.prepare = vault_opened), 13, VAULT_MADE_WORDS)
CALL(checkWords, "OK", OK, (.prepare = vault_opened, .is_right = are_words_right), v.words, VAULT_MADE_WORDS)
CALL(checkWords, "no words", REFUSED, (.prepare = vault_opened), no_words, VAULT_MADE_WORDS)
CALL(wordsSeed, "OK", OK, (.prepare = vault_opened, .is_right = is_seed_right, .is_slow = 1), v.words, NULL, v.seed)
CALL(wordsSeed, "no words", REFUSED, (.prepare = vault_opened), no_words, NULL, v.seed)
CALL(keepWords, "OK", OK, (.prepare = vault_opened, .undo = delete_words, .is_right = are_words_there), V, "words",
     v.words)
CALL(keepWords, "there are some", EXISTS, (.prepare = with_words), V, "words", v.words)
CALL(keepTypedWords, "OK", OK, (.prepare = words_typed, .undo = delete_words, .is_right = are_words_there), V, "words",
     K)
CALL(keepTypedWords, "no words", REFUSED, (.prepare = without_passcode), V, "words", K)
CALL(readWords, "OK", OK, (.prepare = with_words, .is_right = are_words_right), V, "words", VAULT_MADE_WORDS)
CALL(readWords, "no space", SPACE, (.prepare = with_words), V, "words", v.made_words, 5, &v.length)
CALL(readWords, "no such name", NOT_FOUND, (.prepare = vault_opened), V, "words", VAULT_MADE_WORDS)
CALL(deleteWords, "OK", OK, (.prepare = with_words, .undo = keep_words), V, "words")
CALL(deleteWords, "no such name", NOT_FOUND, (.prepare = vault_opened), V, "words")
CALL(listWords, "OK", OK, (.prepare = with_words, .is_right = is_listed), V, each_name, NULL)
CALL(listWords, "no function", ARGUMENT, (.prepare = vault_opened), V, NULL, NULL)
