/*
 * The calls of custom_fido.h, a row each. Included twice by fido_calls.h. `F` is the client that `prepare` made, `K`
 * the keyboard with the passcode, and P the authenticator.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define WELL .succeeds = 1
#define TEXT f.text, sizeof f.text, &f.length
#define REQUEST(text) text, sizeof text - 1
WORDS(version, "it", (.prepare = no_vault), )
WORDS(message, "a result", (.prepare = no_vault), CUSTOM_FIDO_JSON_PARSER)
WORDS(cause, "of the last failure", (.prepare = no_vault), )

/* ---- A client's life --------------------------------------------------------------------------------------------- */

CALL(create, "OK", SUCCESS, (.prepare = vault_opened, .undo = destroy_made_client, .is_right = is_made_client_right),
     &f.made, v.vault, fido_facet)
CALL(create, "no facet", INVALID_PARAMETER, (.prepare = vault_opened), &f.made, v.vault, NULL)
CALL(destroy, "OK", SUCCESS, (.prepare = with_client, .undo = make_client), F)
CODE(destroy, "again", -CUSTOM_KEYBOARD_ARGUMENT, (.prepare = without_client), F)
CALL(setAAID, "OK", SUCCESS, (.prepare = with_client, .is_right = is_client_right), F, P, fido_aaid)
CALL(setAAID, "no name", INVALID_PARAMETER, (.prepare = with_client), F, P, "C0DE")
CALL(setOption, "OK", SUCCESS, (.prepare = with_client), F, P, CUSTOM_FIDO_OPTION_MIN_LENGTH, 4)
CALL(setOption, "too large", INVALID_PARAMETER, (.prepare = with_client), F, P, CUSTOM_FIDO_OPTION_MIN_LENGTH, 400)
CALL(applyLayout, "OK", SUCCESS, (.prepare = with_idle_keyboard), F, P, K)
CALL(applyLayout, "no such authenticator", INVALID_AUTHENTICATOR_TYPE, (.prepare = with_client), F, NONE, K)
CALL(state, "OK", SUCCESS, (.prepare = with_client), F, P, &f.number)
CALL(state, "NULL", INVALID_PARAMETER, (.prepare = with_client), F, P, NULL)
CALL(attempts, "OK", SUCCESS, (.prepare = with_key, .is_slow = 1), F, P, &v.state)
CALL(attempts, "nothing is set", STATE_NOT_REGISTERED, (.prepare = with_client), F, P, &v.state)
CALL(availableTypes, "OK", SUCCESS, (.prepare = with_client), F, &f.types)
CALL(availableTypes, "NULL", INVALID_PARAMETER, (.prepare = with_client), F, NULL)

/* ---- Without a network ------------------------------------------------------------------------------------------- */

CALL(appID, "OK", SUCCESS, (.prepare = with_client), F, REQUEST(fido_registration), TEXT)
CALL(appID, "no JSON", JSON_PARSER, (.prepare = with_client), F, fido_registration, 9, TEXT)
CALL(begin, "a registration", AUTH_READY, (.prepare = with_client, WELL), F, REQUEST(fido_registration), NULL, NULL)
CALL(begin, "a registration, with a channel binding", AUTH_READY, (.prepare = with_client, WELL), F,
     REQUEST(fido_registration), NULL, fido_binding)
CALL(begin, "an authentication", AUTH_READY, (.prepare = with_key, WELL, .is_slow = 1), F, REQUEST(fido_authentication),
     NULL, NULL)
CALL(begin, "a deregistration", SUCCESS, (.prepare = with_key, .is_slow = 1), F, REQUEST(fido_deregistration), NULL,
     NULL)
CALL(begin, "no key", NOT_REG_USER, (.prepare = with_client), F, REQUEST(fido_authentication), NULL, NULL)
CALL(begin, "no JSON", JSON_PARSER, (.prepare = with_client), F, fido_registration, 9, NULL, NULL)
CALL(choices, "OK", SUCCESS, (.prepare = with_request), F, f.each, 2, &f.length)
CALL(choices, "no request", AUTH_REQUEST_NOT_EXIST, (.prepare = with_client), F, f.each, 2, &f.length)
CALL(accounts, "OK", SUCCESS, (.prepare = with_request, .is_right = is_one_named), F, P, each_user, NULL)
CALL(accounts, "no request", AUTH_REQUEST_NOT_EXIST, (.prepare = with_client), F, P, each_user, NULL)
CALL(transaction, "OK", SUCCESS, (.prepare = to_authenticate, .is_slow = 1), F, TEXT)
CALL(transaction, "no request", AUTH_REQUEST_NOT_EXIST, (.prepare = with_client), F, TEXT)
CALL(finish, "a registration", SUCCESS, (.prepare = with_request, .undo = ask_to_register, .is_slow = 1), F, P, NULL, K,
     w.other)
CALL(finish, "an authentication", SUCCESS, (.prepare = to_authenticate, .undo = ask_again, .is_slow = 1), F, P, NULL, K,
     0)
CALL(finish, "another passcode", FAIL_VERIFY, (.prepare = to_fail, .is_slow = 1), F, P, NULL, K, 0)
CALL(finish, "no request", AUTH_REQUEST_NOT_EXIST, (.prepare = with_client), F, P, NULL, K, 0)
CALL(response, "OK", SUCCESS, (.prepare = with_answer, .is_slow = 1), F, TEXT)
CALL(response, "there is none", AUTH_REQUEST_NOT_EXIST, (.prepare = with_request), F, TEXT)
CALL(cancel, "OK", SUCCESS, (.prepare = with_request), F)
CODE(cancel, "no client", -CUSTOM_KEYBOARD_ARGUMENT, (.prepare = without_client), F)
CALL(change, "OK", CHANGE_SUCCESS, (.prepare = with_key, WELL, .is_slow = 1), F, P, K, w.other)
CALL(change, "another passcode", CHANGE_FAIL, (.prepare = to_change_nothing, .is_slow = 1), F, P, K, w.other)
CALL(reset, "OK", RESET_SUCCESS, (.prepare = with_key, .undo = register_again, WELL, .is_slow = 1), F, P)
CALL(reset, "there is none", RESET_NONE, (.prepare = with_client), F, P)

/* ---- With a server ----------------------------------------------------------------------------------------------- */

CALL(setServer, "OK", SUCCESS, (.prepare = with_client, .is_right = is_server_right), F, FIDO_SERVER)
CALL(setServer, "no URL", INVALID_PARAMETER, (.prepare = with_client), F, NULL, NULL, 5, send_to_server, NULL)
CALL(addOrigin, "OK", SUCCESS, (.prepare = with_server), F, fido_origin)
CALL(addOrigin, "with a path", INVALID_PARAMETER, (.prepare = with_server), F, "https://login.example.com/x")
CALL(startRegistration, "OK", AUTH_READY, (.prepare = with_server, WELL), F, fido_user, NULL)
CALL(startRegistration, "OK, with a context", AUTH_READY, (.prepare = with_server, WELL), F, fido_user, fido_context)
CALL(startRegistration, "no name", EMPTY_USERNAME, (.prepare = with_server), F, "", NULL)
CALL(startAuthentication, "OK", AUTH_READY, (.prepare = with_key_and_server, WELL, .is_slow = 1), F, "kim", NULL)
CALL(startAuthentication, "no name", EMPTY_USERNAME, (.prepare = with_server), F, "", NULL)
CALL(startDeregistration, "OK", SUCCESS, (.prepare = to_deregister, .is_slow = 1), F, "kim", NULL)
CALL(startDeregistration, "no name", EMPTY_USERNAME, (.prepare = with_server), F, "", NULL)
CALL(startDeregistrationAll, "OK", SUCCESS, (.prepare = to_deregister, .is_slow = 1), F, "kim", NULL)
CALL(startDeregistrationAll, "no name", EMPTY_USERNAME, (.prepare = with_server), F, "", NULL)
CALL(resume, "OK", SUCCESS, (.prepare = to_resume, .undo = start_again, .is_slow = 1), F, P, NULL, K, w.other)
CALL(resume, "no request", AUTH_REQUEST_NOT_EXIST, (.prepare = with_server), F, P, NULL, K, w.other)
CALL(token, "OK", SUCCESS, (.prepare = with_client), F, TEXT)
CALL(token, "NULL", INVALID_PARAMETER, (.prepare = with_client), F, NULL, 9, &f.length)
CALL(serverStatus, "OK", SUCCESS, (.prepare = to_resume, .is_right = is_status_right), F, &f.number)
CALL(serverStatus, "NULL", INVALID_PARAMETER, (.prepare = with_client), F, NULL)
#undef WELL
#undef TEXT
#undef REQUEST
