/*
 * The calls of custom_keyboard.h, a row each. Included twice by keyboard_calls.h. `K` is the keyboard that `prepare`
 * made.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* ---- A keyboard's life ------------------------------------------------------------------------------------------- */

CALL(create, "OK", OK, (.prepare = no_keyboard, .undo = destroy_made), &w.made)
CALL(create, "NULL", ARGUMENT, (.prepare = no_keyboard), NULL)
CALL(destroy, "OK", OK, (.prepare = two_typed, .undo = make_other), w.other)
CALL(destroy, "again", ARGUMENT, (.prepare = one_destroyed), w.other)
CALL(destroy, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0)
CALL(setEncKey, "OK", OK, (.prepare = new_keyboard), K, w.key, w.algorithm->key_length, w.algorithm->way)
CALL(setEncKey, "OK, again", OK, (.prepare = idle), K, w.key, w.algorithm->key_length, w.algorithm->way)
CALL(setEncKey, "NULL", ARGUMENT, (.prepare = idle), K, NULL, w.algorithm->key_length, w.algorithm->way)
CALL(setEncKey, "a wrong length", ERR, (.prepare = idle), K, w.key, w.algorithm->key_length - 1, w.algorithm->way)
CALL(setEncKey, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0, w.key, w.algorithm->key_length, w.algorithm->way)
CALL(setEncKey, "while up", OP_DISABLE, (.prepare = up), K, w.key, w.algorithm->key_length, w.algorithm->way)
CALL(open, "OK", OK, (.prepare = idle, .undo = close_it), K)
CALL(open, "OK, again", OK, (.prepare = idle_again, .undo = close_it), K)
CALL(open, "while up", OP_DISABLE, (.prepare = up), K)
CALL(open, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0)
CALL(close, "OK", OK, (.prepare = typed_in, .undo = open_it), K)
CALL(close, "while idle", OP_DISABLE, (.prepare = idle_again), K)
CALL(input, "OK", OK, (.prepare = up, .undo = clear_it), K, w.password, w.password_length)
CALL(input, "OK, again", OK, (.prepare = cleared, .undo = clear_it), K, w.password, w.password_length)
CALL(input, "OK, once more", OK, (.prepare = up_again, .undo = clear_it), K, w.password, w.password_length)
CALL(input, "one character", OK, (.prepare = nearly_typed, .undo = delete_it), K, w.password + w.password_length - 1, 1)
CALL(input, "too long", MAXLEN, (.prepare = typed_in), K, w.password, WORLD_PASSWORD)
CALL(input, "far too long", MAXLEN, (.prepare = up), K, w.password, WORLD_PASSWORD + 1)
CALL(input, "no UTF-8", ARGUMENT, (.prepare = up), K, w.not_utf8, w.password_length)
CALL(input, "while idle", OP_DISABLE, (.prepare = idle_again), K, w.password, w.password_length)
CALL(deleteBackward, "OK", OK, (.prepare = typed_in), K)
CALL(deleteBackward, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0)
CALL(clear, "OK", OK, (.prepare = typed_in), K)
CALL(clear, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0)
CALL(count, "OK", OK, (.prepare = typed_in), K, &w.length)
CALL(count, "NULL", ARGUMENT, (.prepare = typed_in), K, NULL)
CALL(getText, "OK", OK, (.prepare = typed_for_space, .is_right = is_text_right), K, w.space, w.room, &w.offset,
     &w.length)
CALL(getText, "OK, exact", OK, (.prepare = typed_for_exact, .is_right = is_text_right), K, w.space, w.room, &w.offset,
     &w.length)
CALL(getText, "no space", SPACE, (.prepare = typed_in), K, w.space, 7, &w.offset, &w.length)
CALL(getText, "NULL", ARGUMENT, (.prepare = typed_in), K, NULL, 7, &w.offset, &w.length)
CALL(getText, "idle", OP_DISABLE, (.prepare = idle_again), K, w.space, w.space_size, &w.offset, &w.length)

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

CALL(setLayout, "OK", OK, (.prepare = idle), K, w.layout, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0)
CALL(setLayout, "unknown", ARGUMENT, (.prepare = idle), K, (CUSTOM_KEYBOARD_LAYOUT)99, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0)
CALL(setLayout, "while up", OP_DISABLE, (.prepare = up), K, w.layout, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0)
CALL(setSize, "OK", OK, (.prepare = typed_in), K, 320, 240, 3, 5)
CALL(setSize, "too small", ARGUMENT, (.prepare = typed_in), K, 1, 1, 3, 5)
CALL(setSize, "not a number", ARGUMENT, (.prepare = typed_in), K, 320, (double)NAN, 3, 5)
CALL(keys, "OK", OK, (.prepare = typed_in), K, w.keys, MOST_KEYS, &w.length)
CALL(keys, "too few", SPACE, (.prepare = typed_in), K, w.keys, 3, &w.length)
CALL(pressKey, "OK", OK, (.prepare = up_with_key, .undo = clear_it), K, w.pressed)
CALL(pressKey, "no such key", ARGUMENT, (.prepare = typed_in), K, 99)
CALL(touch, "OK", OK, (.prepare = up_with_key, .undo = clear_it), K, w.x, w.y)
CALL(touch, "outside", ARGUMENT, (.prepare = typed_in), K, 2000, 20)
CALL(setTextField, "OK", OK, (.prepare = typed_in), K, world_changed, NULL)
CALL(setTextField, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0, world_changed, NULL)
CALL(setOKAction, "OK", OK, (.prepare = typed_in), K, world_completed, NULL)
CALL(setOKAction, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0, world_completed, NULL)

/* ---- ECB --------------------------------------------------------------------------------------------------------- */

#define DECRYPT_KEY w.algorithm->way, w.key, w.algorithm->key_length
CALL(decrypt, "OK", OK, (.prepare = encrypted_for_space, .is_right = is_clear_right), DECRYPT_KEY, w.text,
     w.text_length, w.space, w.room, &w.offset, &w.length)
CALL(decrypt, "OK, exact", OK, (.prepare = encrypted_for_exact, .is_right = is_clear_right), DECRYPT_KEY, w.text,
     w.text_length, w.space, w.room, &w.offset, &w.length)
CALL(decrypt, "no space", SPACE, (.prepare = encrypted), DECRYPT_KEY, w.text, w.text_length, w.space,
     w.password_length - 1, &w.offset, &w.length)
CALL(decrypt, "a wrong key", ERR, (.prepare = encrypted), w.algorithm->way, w.key, 5, w.text, w.text_length, w.space,
     w.space_size, &w.offset, &w.length)
CALL(decrypt, "wrong padding", UNDECRYPTABLE, (.prepare = encrypted), DECRYPT_KEY, w.bad_text, w.text_length, w.space,
     w.space_size, &w.offset, &w.length)
CALL(decrypt, "too long", MAXLEN, (.prepare = encrypted), DECRYPT_KEY, w.long_text, sizeof w.long_text, w.space,
     w.space_size, &w.offset, &w.length)
CALL(decrypt, "overlap", ARGUMENT, (.prepare = encrypted), DECRYPT_KEY, w.space, w.algorithm->block_size, w.space,
     w.space_size, &w.offset, &w.length)
CALL(decryptBatch, "OK", OK, (.prepare = batch, .undo = clear_jobs, .is_right = are_jobs_right, .variants = &batches),
     w.algorithm->way, w.jobs, w.job_count)
CALL(decryptBatch, "NULL", ARGUMENT, (.prepare = no_keyboard), w.algorithm->way, NULL, 3)
CALL(setupCipher, "OK", OK, (.prepare = no_keyboard, .variants = &directions), &w.cipher, DECRYPT_KEY, w.is_decrypting)
CALL(setupCipher, "a wrong length", ERR, (.prepare = no_keyboard, .variants = &directions), &w.cipher,
     w.algorithm->way, w.key, 5, w.is_decrypting)
CALL(cryptECB, "a block", OK, (.prepare = set_up_cipher, .variants = &directions), &w.cipher, w.blocks, w.blocks,
     w.algorithm->block_size)
CALL(cryptECB, "nine blocks", OK, (.prepare = set_up_cipher, .variants = &directions), &w.cipher, w.blocks, w.blocks,
     9 * w.algorithm->block_size)
CALL(cryptECB, "many blocks", OK, (.prepare = set_up_cipher, .variants = &directions), &w.cipher, w.blocks, w.blocks,
     sizeof w.blocks)
CALL(cryptECB, "no whole blocks", ARGUMENT, (.prepare = set_up_cipher, .variants = &directions), &w.cipher, w.blocks,
     w.blocks, 5)
CALL(wipeCipher, "OK", OK, (.prepare = set_up_cipher, .is_right = is_cipher_wiped, .variants = &directions), &w.cipher)
CALL(wipeCipher, "NULL", ARGUMENT, (.prepare = no_keyboard), NULL)

/* ---- Sealed texts ------------------------------------------------------------------------------------------------ */

#define SPACE_AND_ANSWERS w.space, w.room, &w.offset, &w.length
#define CONTEXT sealing.context, sealing.context_length
#define SEALED_TEXT CONTEXT, sealing.text, sealing.text_length
#define KEY_OF_KEYBOARD sealing.way->way, keyboard_key(&sealing)
CALL(generateKey, "OK", OK, (.prepare = pair_in_space, .is_right = is_pair_right, .variants = &generated),
     sealing.way->way, w.space, sealing.way->secret_length, &w.offset, w.space + sealing.way->secret_length,
     LONGEST_MADE_PUBLIC, &w.length)
CALL(generateKey, "no space", SPACE, (.prepare = no_keyboard, .variants = &generated), sealing.way->way, w.space, 5,
     &w.offset, w.check, 5, &w.length)
CALL(generateKey, "RSA", ARGUMENT, (.prepare = no_keyboard), CUSTOM_ENCWAY_RSA, w.space, LONGEST_MADE_SECRET, &w.offset,
     w.check, LONGEST_MADE_PUBLIC, &w.length)
CALL(generateKey, "ECB", ARGUMENT, (.prepare = no_keyboard), CUSTOM_ENCWAY_SM4, w.space, LONGEST_MADE_SECRET, &w.offset,
     w.check, LONGEST_MADE_PUBLIC, &w.length)
CALL(publicKey, "OK", OK, (.prepare = keys, .undo = clear_public, .is_right = is_public_right, .variants = &pairs),
     sealing.way->way, sealing.secret, sealing.secret_length, sealing.made, sealing.public_length, &sealing.made_length)
CALL(publicKey, "no space", SPACE, (.prepare = keys, .variants = &pairs), sealing.way->way, sealing.secret,
     sealing.secret_length, sealing.made, sealing.public_length - 1, &sealing.made_length)
CALL(publicKey, "a wrong length", ERR, (.prepare = keys, .variants = &pairs), sealing.way->way, sealing.secret,
     sealing.secret_length - 1, sealing.made, sealing.public_length - 1, &sealing.made_length)
CALL(publicKey, "too large", ERR, (.prepare = keys_too_large, .variants = &curves), sealing.way->way, sealing.secret,
     sealing.secret_length, sealing.made, sealing.public_length, &sealing.made_length)
CALL(publicKey, "no pairs", ARGUMENT, (.prepare = keys, .variants = &without_pairs), sealing.way->way, sealing.secret,
     sealing.secret_length, sealing.made, sizeof sealing.made, &sealing.made_length)
CALL(setEncKey, "OK, to seal", OK, (.prepare = keys_and_keyboard, .variants = &sealed), K, keyboard_key(&sealing),
     keyboard_key_length(&sealing), sealing.way->way)
CALL(setEncKey, "no key of this way", ERR, (.prepare = keys_and_keyboard, .variants = &sealed), K, w.space, 5,
     sealing.way->way)
CALL(setContext, "OK", OK, (.prepare = idle), K, sealing.context, WORLD_CONTEXT)
CALL(setContext, "an empty one", OK, (.prepare = idle), K, NULL, 0)
CALL(setContext, "too long", MAXLEN, (.prepare = idle), K, w.space, CUSTOM_KEYBOARD_MAXCONTEXTSIZE + 1)
CALL(getText, "OK, sealed", OK, (.prepare = recipient, .is_right = is_sealed_text_right, .variants = &sealed), K,
     SPACE_AND_ANSWERS)
CALL(getText, "no context", ERR, (.prepare = recipient_without_context, .variants = &sealed), K, SPACE_AND_ANSWERS)
CALL(sealTyped, "OK", OK, (.prepare = recipient, .is_right = is_sealed_text_right, .variants = &sealed), K,
     KEY_OF_KEYBOARD, keyboard_key_length(&sealing), CONTEXT, SPACE_AND_ANSWERS)
CALL(sealTyped, "no space", SPACE, (.prepare = recipient, .variants = &sealed), K, KEY_OF_KEYBOARD,
     keyboard_key_length(&sealing), CONTEXT, w.space, sealing.way->text_length - 1, &w.offset, &w.length)
CALL(sealTyped, "a wrong length", ERR, (.prepare = recipient, .variants = &sealed), K, KEY_OF_KEYBOARD,
     keyboard_key_length(&sealing) - 1, CONTEXT, SPACE_AND_ANSWERS)
CALL(sealTyped, "a long context", MAXLEN, (.prepare = recipient, .variants = &sealed), K, KEY_OF_KEYBOARD,
     keyboard_key_length(&sealing), w.check, CUSTOM_KEYBOARD_MAXCONTEXTSIZE + 1, SPACE_AND_ANSWERS)
CALL(sealTyped, "no key", ERR, (.prepare = recipient_without_key, .variants = &pairs), K, KEY_OF_KEYBOARD,
     keyboard_key_length(&sealing), CONTEXT, SPACE_AND_ANSWERS)
CALL(sealTyped, "while idle", OP_DISABLE, (.prepare = sealed_idle, .variants = &sealed), K, KEY_OF_KEYBOARD,
     keyboard_key_length(&sealing), CONTEXT, SPACE_AND_ANSWERS)
CALL(unseal, "OK", OK, (.prepare = sealed_up, .is_right = is_clear_right, .variants = &sealed), sealing.way->way,
     sealing.secret, sealing.secret_length, SEALED_TEXT, SPACE_AND_ANSWERS)
CALL(unseal, "no space", SPACE, (.prepare = sealed_up, .variants = &sealed), sealing.way->way, sealing.secret,
     sealing.secret_length, SEALED_TEXT, w.space, w.password_length - 1, &w.offset, &w.length)
CALL(unseal, "altered", UNDECRYPTABLE, (.prepare = sealed_altered, .variants = &sealed), sealing.way->way,
     sealing.secret, sealing.secret_length, SEALED_TEXT, SPACE_AND_ANSWERS)
CALL(unseal, "a wrong length", ERR, (.prepare = sealed_up, .variants = &sealed), sealing.way->way, sealing.secret,
     sealing.secret_length - 1, SEALED_TEXT, SPACE_AND_ANSWERS)
CALL(unsealBatch, "OK", OK, (.prepare = sealed_jobs, .undo = clear_jobs, .is_right = are_sealed_jobs_right,
     .variants = &sealed_batches), sealing.way->way, sealing.secret, sealing.secret_length, w.sealed_jobs,
     w.sealed_job_count)
CALL(unsealBatch, "a wrong length", ERR, (.prepare = sealed_jobs, .variants = &sealed_batches), sealing.way->way,
     sealing.secret, sealing.secret_length - 1, w.sealed_jobs, w.sealed_job_count)
CALL(unsealBatch, "too large", ERR, (.prepare = keys_too_large, .variants = &curves), sealing.way->way, sealing.secret,
     sealing.secret_length, NULL, 0)
CALL(unsealBatch, "NULL", ARGUMENT, (.prepare = keys, .variants = &sealed), sealing.way->way, sealing.secret,
     sealing.secret_length, NULL, 3)
CALL(receive, "OK", OK,
     (.prepare = sealed_idle, .undo = close_it, .is_right = is_received_right, .variants = &sealed), K,
     sealing.way->way, sealing.secret, sealing.secret_length, SEALED_TEXT)
CALL(receive, "altered", UNDECRYPTABLE, (.prepare = sealed_altered, .variants = &sealed), K, sealing.way->way,
     sealing.secret, sealing.secret_length, SEALED_TEXT)
CALL(receive, "while up", OP_DISABLE, (.prepare = sealed_up, .variants = &sealed), K, sealing.way->way, sealing.secret,
     sealing.secret_length, SEALED_TEXT)

/* ---- Signatures -------------------------------------------------------------------------------------------------- */

CALL(signText, "OK", OK, (.prepare = signing_keys, .is_right = is_signature_right, .variants = &signatures),
     sealing.signing->way, sealing.secret, sealing.secret_length, SEALED_TEXT, w.space, w.room, &w.length)
CALL(signText, "no space", SPACE, (.prepare = signing_keys, .variants = &signatures), sealing.signing->way,
     sealing.secret, sealing.secret_length, SEALED_TEXT, w.space, w.room - 1, &w.length)
CALL(signText, "no key", ERR, (.prepare = signing_without_key, .variants = &signatures), sealing.signing->way,
     sealing.secret, sealing.secret_length, SEALED_TEXT, w.space, w.room, &w.length)
CALL(verifyText, "OK", OK, (.prepare = signed_text, .variants = &signatures), sealing.signing->way, sealing.public,
     sealing.public_length, SEALED_TEXT, sealing.signature, sealing.signature_length)
CALL(verifyText, "altered", MISMATCH, (.prepare = signed_altered, .variants = &signatures), sealing.signing->way,
     sealing.public, sealing.public_length, SEALED_TEXT, sealing.signature, sealing.signature_length)

/* ---- Passcodes: what is typed, a rule's text and the pepper are secrets ------------------------------------------ */

CALL(checkPattern, "OK", OK, (.prepare = no_keyboard), bytes(pattern), sizeof pattern - 1, &w.length)
CALL(checkPattern, "none", ARGUMENT, (.prepare = no_keyboard), bytes(no_pattern), sizeof no_pattern - 1, &w.length)
CALL(addRule, "TEXT", OK, (.prepare = typed_in, .undo = clear_rules), K, CUSTOM_KEYBOARD_RULE_TEXT, 0, w.password, 5)
CALL(addRule, "COMMON", OK, (.prepare = typed_in, .undo = clear_rules), K, CUSTOM_KEYBOARD_RULE_COMMON, 0, NULL, 0)
CALL(addRule, "PHONE", OK, (.prepare = typed_in, .undo = clear_rules), K, RULE(PHONE, 8, phone, sizeof phone - 1))
CALL(addRule, "MATCH", OK, (.prepare = typed_in, .undo = clear_rules), K, RULE(MATCH, 0, "^.{3}", 5))
CALL(addRule, "no pattern", ARGUMENT, (.prepare = typed_in), K, RULE(MATCH, 0, no_pattern, sizeof no_pattern - 1))
CALL(clearRules, "OK", OK, (.prepare = ruled_by_text), K)
CALL(clearRules, "no keyboard", ARGUMENT, (.prepare = no_keyboard), 0)
CALL(check, "OK", OK, (.prepare = ruled), K, &w.length)
CALL(check, "the text is in it", REFUSED, (.prepare = ruled_by_text, .is_right = is_third_broken), K, &w.length)
CALL(check, "while idle", OP_DISABLE, (.prepare = idle_again), K, &w.length)
CALL(checkRule, "a pattern", OK, (.prepare = typed_in), K, RULE(MATCH, 0, hard_pattern, sizeof hard_pattern - 1))
CALL(checkRule, "a number", OK, (.prepare = typed_in), K, RULE(PHONE, 8, phone, sizeof phone - 1))
CALL(checkRule, "the text is in it", REFUSED, (.prepare = typed_in), K, CUSTOM_KEYBOARD_RULE_TEXT, 0, w.password, 5)
CALL(checkRule, "no pattern", ARGUMENT, (.prepare = typed_in), K, RULE(MATCH, 0, no_pattern, sizeof no_pattern - 1))
CALL(checkRule, "while idle", OP_DISABLE, (.prepare = idle_again), K, CUSTOM_KEYBOARD_RULE_TEXT, 0, w.password, 5)
CALL(compare, "OK", OK, (.prepare = two_typed), K, w.other)
CALL(compare, "another", MISMATCH, (.prepare = two_different), K, w.other)
CALL(makeVerifier, "OK", OK, (.prepare = typed_for_verifier, .is_right = is_verifier_right, .is_slow = 1), K, w.key, 8,
     (char *)w.space, CUSTOM_KEYBOARD_MAXVERIFIERSIZE, &w.length)
CALL(makeVerifier, "no space", SPACE, (.prepare = typed_in), K, w.key, 8, (char *)w.space, 5, &w.length)
CALL(makeVerifier, "a long pepper", MAXLEN, (.prepare = typed_in), K, w.check, 65, (char *)w.space, 5, &w.length)
CALL(checkVerifier, "of another, cheap", MISMATCH, (.prepare = typed_in), K, w.key, 8, cheap_verifier)
CALL(checkVerifier, "OK", OK, (.prepare = verified, .is_slow = 1), K, w.key, 8, w.verifier)
CALL(checkVerifier, "of another", MISMATCH, (.prepare = verified, .is_slow = 1), w.other, w.key, 8, w.verifier)
CALL(checkVerifier, "of another, SHA-256", MISMATCH, (.prepare = typed_in), K, NULL, 0, import_form)
CALL(checkVerifier, "none", ARGUMENT, (.prepare = typed_in), K, w.key, 8, "$argon2id$")
CALL(deriveKey, "OK", OK, (.prepare = derived, .undo = clear_derived, .is_right = is_derived_right), K, w.key, 8,
     w.key, 8, 64, 2, w.derived, 64)
CALL(deriveKey, "OK, cheap", OK, (.prepare = typed_in), K, w.key, 8, NULL, 0, 8, 1, w.derived, 32)
CALL(deriveKey, "a short salt", ARGUMENT, (.prepare = typed_in), K, w.key, 7, w.key, 8, 8, 1, w.derived, 32)
CALL(deriveKey, "no costs", ARGUMENT, (.prepare = typed_in), K, w.key, 8, w.key, 8, 8, 0, w.derived, 32)
CALL(deriveKey, "a long pepper", MAXLEN, (.prepare = typed_in), K, w.key, 8, w.check, 65, 8, 1, w.derived, 16)
CALL(deriveKey, "while idle", OP_DISABLE, (.prepare = idle_again), K, w.key, 8, w.key, 8, 8, 1, w.derived, 32)

/* ---- Words ------------------------------------------------------------------------------------------------------- */

WORDS(message, "a code", (.prepare = no_keyboard, .variants = &codes), code)
WORDS(cause, "of the last failure", (.prepare = no_keyboard), )
WORDS(version, "it", (.prepare = no_keyboard), )
WORDS(ruleMessage, "a rule", (.prepare = no_keyboard), CUSTOM_KEYBOARD_RULE_COMMON)

/* ---- OPAQUE ------------------------------------------------------------------------------------------------------ */

#define RESPONSE opaque.response, sizeof opaque.response
#define RECORD opaque.record, sizeof opaque.record
#define KE1 opaque.ke1, sizeof opaque.ke1
#define KE2 opaque.ke2, sizeof opaque.ke2
#define KE3 opaque.ke3, sizeof opaque.ke3
#define KE2_AND_STATE KE2, &w.length, opaque.state, sizeof opaque.state, &w.offset
CALL(opaqueSetup, "OK", OK, (.prepare = no_keyboard), opaque.setup, sizeof opaque.setup, &w.length, opaque.public,
     sizeof opaque.public, &w.offset)
CALL(opaqueSetup, "no space", SPACE, (.prepare = no_keyboard), opaque.setup, sizeof opaque.setup, &w.length,
     opaque.public, 31, &w.offset)
CALL(opaqueSetup, "overlap", ARGUMENT, (.prepare = no_keyboard), opaque.setup, sizeof opaque.setup, &w.length,
     opaque.setup + 64, sizeof opaque.public, &w.offset)
CALL(opaqueRespond, "OK", OK, (.prepare = opaque_responded), OPAQUE_SERVER, opaque.request, sizeof opaque.request,
     RESPONSE, &w.length)
CALL(opaqueRespond, "the identity", UNDECRYPTABLE, (.prepare = opaque_responded), OPAQUE_SERVER, opaque_none, 32,
     RESPONSE, &w.length)
CALL(opaqueRespond, "no space", SPACE, (.prepare = opaque_responded), OPAQUE_SERVER, opaque.request,
     sizeof opaque.request, opaque.response, 63, &w.length)
CALL(opaqueRespond, "no setup", ERR, (.prepare = opaque_responded), opaque_none, 96, opaque_account, 4, opaque.request,
     sizeof opaque.request, RESPONSE, &w.length)
CALL(opaqueRespond, "a long account", MAXLEN, (.prepare = opaque_responded), opaque.setup, sizeof opaque.setup,
     opaque_account, 256, opaque.request, sizeof opaque.request, RESPONSE, &w.length)
CALL(opaqueRespond, "no account", ARGUMENT, (.prepare = opaque_responded), opaque.setup, sizeof opaque.setup,
     opaque_account, 0, opaque.request, sizeof opaque.request, RESPONSE, &w.length)
CALL(opaqueAnswer, "OK", OK, (.prepare = opaque_answered), OPAQUE_SERVER, RECORD, &opaque_terms, KE1, KE2_AND_STATE)
CALL(opaqueAnswer, "OK, no such account", OK, (.prepare = opaque_answered), OPAQUE_SERVER, NULL, 0, NULL, KE1,
     KE2_AND_STATE)
CALL(opaqueAnswer, "another length", UNDECRYPTABLE, (.prepare = opaque_answered), OPAQUE_SERVER, RECORD, &opaque_terms,
     opaque.ke1, 95, KE2_AND_STATE)
CALL(opaqueAnswer, "no space", SPACE, (.prepare = opaque_answered), OPAQUE_SERVER, RECORD, &opaque_terms, KE1, KE2,
     &w.length, opaque.state, 127, &w.offset)
CALL(opaqueAnswer, "no record", ERR, (.prepare = opaque_answered), OPAQUE_SERVER, opaque.record, 191, &opaque_terms,
     KE1, KE2_AND_STATE)
CALL(opaqueAnswer, "a long identity", MAXLEN, (.prepare = opaque_answered), OPAQUE_SERVER, RECORD, &opaque_long, KE1,
     KE2_AND_STATE)
CALL(opaqueAnswer, "some costs", ARGUMENT, (.prepare = opaque_answered), OPAQUE_SERVER, RECORD, &opaque_costs, KE1,
     KE2_AND_STATE)
CALL(opaqueCheck, "OK", OK, (.prepare = opaque_finished, .is_right = is_session_right), opaque.state,
     sizeof opaque.state, KE3, opaque.received, sizeof opaque.received, &w.length)
CALL(opaqueCheck, "altered", MISMATCH, (.prepare = opaque_altered), opaque.state, sizeof opaque.state, KE3,
     opaque.received, sizeof opaque.received, &w.length)
CALL(opaqueCheck, "no space", SPACE, (.prepare = opaque_finished), opaque.state, sizeof opaque.state, KE3,
     opaque.received, 63, &w.length)
CALL(opaqueCheck, "no state", ERR, (.prepare = opaque_finished), opaque.state, 127, KE3, opaque.received,
     sizeof opaque.received, &w.length)
CALL(opaqueRegister, "OK", OK, (.prepare = opaque_typed), K, opaque.request, sizeof opaque.request, &w.length)
CALL(opaqueRegister, "no space", SPACE, (.prepare = opaque_typed), K, opaque.request, 31, &w.length)
CALL(opaqueRegister, "while idle", OP_DISABLE, (.prepare = idle_again), K, opaque.request, sizeof opaque.request,
     &w.length)
CALL(opaqueRecord, "OK", OK, (.prepare = opaque_responded, .undo = opaque_register_again), K, RESPONSE, &opaque_terms,
     RECORD, &w.length, opaque.registered)
CALL(opaqueRecord, "another length", UNDECRYPTABLE, (.prepare = opaque_responded), K, opaque.response, 63,
     &opaque_terms, RECORD, &w.length, NULL)
CALL(opaqueRecord, "no space", SPACE, (.prepare = opaque_responded), K, RESPONSE, &opaque_terms, opaque.record, 191,
     &w.length, NULL)
CALL(opaqueRecord, "a long identity", MAXLEN, (.prepare = opaque_responded), K, RESPONSE, &opaque_long, RECORD,
     &w.length, NULL)
CALL(opaqueRecord, "cleared", OP_DISABLE, (.prepare = opaque_cleared), K, RESPONSE, &opaque_terms, RECORD, &w.length,
     NULL)
CALL(opaqueLogin, "OK", OK, (.prepare = opaque_typed), K, KE1, &w.length)
CALL(opaqueLogin, "no space", SPACE, (.prepare = opaque_typed), K, opaque.ke1, 95, &w.length)
CALL(opaqueLogin, "while idle", OP_DISABLE, (.prepare = idle_again), K, KE1, &w.length)
CALL(opaqueFinish, "OK", OK, (.prepare = opaque_answered, .undo = opaque_login_again, .is_right = is_login_right), K,
     KE2, &opaque_terms, KE3, &w.length, opaque.session, opaque.export)
CALL(opaqueFinish, "other terms", MISMATCH, (.prepare = opaque_answered, .undo = opaque_login_again), K, KE2,
     &opaque_other, KE3, &w.length, opaque.session, opaque.export)
CALL(opaqueFinish, "no space", SPACE, (.prepare = opaque_answered), K, KE2, &opaque_terms, opaque.ke3, 63, &w.length,
     NULL, NULL)
CALL(opaqueFinish, "typed on", OP_DISABLE, (.prepare = opaque_typed_on), K, KE2, &opaque_terms, KE3, &w.length, NULL,
     NULL)

/* ---- PIN blocks and DUKPT ---------------------------------------------------------------------------------------- */

#define PIN_WAY pin.way->way
#define PIN_KEY pin.keys, pin.way->key_length
#define PIN_ACCOUNT pin_account, pin.way->account_length
#define PIN_BLOCK pin.block, pin.way->block_size
#define BASE_KEY pin.way->scheme, pin.keys + 16, pin.way->base_length
CALL(setEncKey, "OK, for PIN blocks", OK, (.prepare = pin_idle, .variants = &pins), K, PIN_KEY, PIN_WAY)
CALL(setEncKey, "no key of PIN blocks", ERR, (.prepare = pin_idle, .variants = &pins), K, pin.keys, 9, PIN_WAY)
CALL(getText, "OK, a PIN block", OK, (.prepare = pin_typed, .variants = &pins), K, pin.text, pin.way->block_size,
     &w.offset, &w.length)
CALL(getText, "no PIN", REFUSED, (.prepare = pin_short, .variants = &pins), K, pin.text, 0, &w.offset, &w.length)
CALL(getText, "no space for a block", SPACE, (.prepare = pin_typed, .variants = &pins), K, pin.text, 7, &w.offset,
     &w.length)
CALL(receive, "OK, a PIN block", OK,
     (.prepare = pin_block, .undo = close_it, .is_right = is_pin_received_right, .variants = &pins), K, PIN_WAY,
     PIN_KEY, PIN_ACCOUNT, PIN_BLOCK)
CALL(receive, "no account", ERR, (.prepare = pin_block, .variants = &pins), K, PIN_WAY, PIN_KEY, pin_account,
     pin.way->account_length ? 9 : 10, PIN_BLOCK)
CALL(receive, "an altered block", UNDECRYPTABLE, (.prepare = pin_altered, .variants = &pins), K, PIN_WAY, PIN_KEY,
     PIN_ACCOUNT, pin.block, pin_altered_length())
CALL(getText, "OK, translated", OK, (.prepare = pin_received, .variants = &pins), K, pin.text, pin.way->block_size,
     &w.offset, &w.length)
CALL(sealTyped, "a PIN of a block", REFUSED, (.prepare = pin_received, .variants = &pins), K, CUSTOM_ENCWAY_SM4_GCM,
     pin.keys, 16, NULL, 0, w.check, sizeof w.check, &w.offset, &w.length)
CALL(opaqueRegister, "a PIN of a block", REFUSED, (.prepare = pin_received, .variants = &pins), K, opaque.request,
     sizeof opaque.request, &w.length)
CALL(opaqueLogin, "a PIN of a block", REFUSED, (.prepare = pin_received, .variants = &pins), K, opaque.ke1,
     sizeof opaque.ke1, &w.length)
CALL(dukptInitialKey, "OK", OK, (.prepare = pin_idle, .variants = &pins), BASE_KEY, pin.ksn, pin.way->ksn_length,
     pin.made, sizeof pin.made, &w.length)
CALL(dukptInitialKey, "no space", SPACE, (.prepare = pin_idle, .variants = &pins), BASE_KEY, pin.ksn,
     pin.way->ksn_length, pin.made, 15, &w.length)
CALL(dukptKey, "OK", OK, (.prepare = pin_idle, .variants = &pins), BASE_KEY, pin.ksn, pin.way->ksn_length, pin.made,
     sizeof pin.made, &w.length)
CALL(dukptKey, "no counter", ERR, (.prepare = pin_idle, .variants = &pins), BASE_KEY, pin_ksn, pin.way->ksn_length,
     pin.made, sizeof pin.made, &w.length)
CALL(dukptLoad, "OK", OK, (.prepare = pin_idle, .variants = &pins), &pin.device, BASE_KEY, pin_ksn,
     pin.way->ksn_length)
CALL(dukptLoad, "a counter", ERR, (.prepare = pin_idle, .variants = &pins), &pin.device, BASE_KEY, pin.ksn,
     pin.way->ksn_length)
CALL(dukptNext, "OK", OK, (.prepare = pin_device, .undo = pin_load, .variants = &pins), &pin.device, K, PIN_WAY,
     pin.ksn, sizeof pin.ksn, &w.length)
CALL(dukptNext, "no space", SPACE, (.prepare = pin_device, .variants = &pins), &pin.device, K, PIN_WAY, pin.ksn, 9,
     &w.length)
CALL(dukptNext, "damaged", DAMAGED, (.prepare = pin_damaged, .variants = &pins), &pin.device, K, PIN_WAY, pin.ksn,
     sizeof pin.ksn, &w.length)
CALL(getText, "OK, with a key of one transaction", OK, (.prepare = pin_next, .undo = pin_again, .variants = &pins), K,
     pin.text, pin.way->block_size, &w.offset, &w.length)
