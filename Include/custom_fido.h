/*
 * CustomFido: a client of FIDO UAF 1.1 whose authenticators are a passcode and a pattern.
 *
 * The app shows the keyboard, and brings the network; the library speaks the protocol and keeps the keys, in a vault
 * (custom_vault.h). A key can be used only with the passcode or pattern that protects it, by a keyboard
 * (custom_keyboard.h): nothing else ever has what was typed. Docs/FIDO.md tells the whole way.
 *
 * Every function but `message` answers an int: a CUSTOM_FIDO_RESULT, or, below 0, the negative of a CUSTOM_KEYBOARD_RV.
 * The rules of custom_keyboard.h hold here, too: those for threads, NULL, fork, cancellation and the order of codes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_FIDO_H
#define CUSTOM_FIDO_H

#include "custom_vault.h"

#define CUSTOM_FIDO_VERSION "0.1.0"

/* As in custom_keyboard.h: nullability is for Swift and Objective-C clients. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results ---------------------------------------------------------------------------------------------------- */

/* What a function answers. The numbers are those of a known SDK's guide, so that an app that handles them need not
 * change. Docs/FIDO.md says what leads to each. */
typedef enum CUSTOM_FIDO_RESULT {
  CUSTOM_FIDO_SUCCESS = 0, /* the only one that means that all is done */
  CUSTOM_FIDO_AUTH_READY = 10, /* begin: show the keyboard, then call finish */
  CUSTOM_FIDO_AUTHENTICATOR_RESET = 980, /* for apps with such a button: never answered here */
  CUSTOM_FIDO_USER_CANCEL = 999,
  CUSTOM_FIDO_INVALID_PARAMETER = 1001,
  CUSTOM_FIDO_SET_CHANNEL_BINDING = 1002,
  CUSTOM_FIDO_JSON_PARSER = 1005,
  CUSTOM_FIDO_NOT_MATCH_FIDO_CLIENT = 1006, /* never answered: the client is in the app */
  CUSTOM_FIDO_CANNOT_USE_FIDO = 1007, /* never answered */
  CUSTOM_FIDO_ALREADY_REG_USER = 1008, /* a server's */
  CUSTOM_FIDO_NOT_REG_USER = 1009,
  CUSTOM_FIDO_INVALID_USERNAME = 1011,
  CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE = 1012,
  CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST = 1100,
  CUSTOM_FIDO_UNTRUSTED_FACET_ID = 2001,
  CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR = 2002,
  CUSTOM_FIDO_UNSUPPORTED_VERSION = 2003,
  CUSTOM_FIDO_STATE_NOT_SUPPORT = 3005, /* 3005 to 3008: what CustomFido_state tells */
  CUSTOM_FIDO_STATE_AVAILABLE = 3006,
  CUSTOM_FIDO_STATE_NOT_REGISTERED = 3007,
  CUSTOM_FIDO_STATE_LOCKED = 3008,
  CUSTOM_FIDO_FAIL_CHANGE = 3010, /* never answered: see 7111 */
  CUSTOM_FIDO_FAIL_RESET = 3011, /* never answered: see 7101 */
  CUSTOM_FIDO_FAIL_VERIFY = 3012,
  CUSTOM_FIDO_FAIL_VERIFY_LOCKED = 3013,
  CUSTOM_FIDO_MAX_LOCK_COUNT_OVER = 3014,
  CUSTOM_FIDO_IGNORE_LOCK_OPTION_SET = 3015,
  CUSTOM_FIDO_NETWORK_STATE = 4001,
  CUSTOM_FIDO_BIOMETRY_NOT_CHANGED = 7000, /* 7000 to 7015 are never answered: there is no sensor here */
  CUSTOM_FIDO_BIOMETRY_CHANGED = 7001,
  CUSTOM_FIDO_BIOMETRY_STATE_NOT_SUPPORT = 7002,
  CUSTOM_FIDO_BIOMETRY_STATE_ERROR = 7003,
  CUSTOM_FIDO_BIOMETRY_AUTH_FAIL = 7004,
  CUSTOM_FIDO_BIOMETRY_LOCK = 7005,
  CUSTOM_FIDO_BIOMETRY_NOT_REGISTERED = 7006,
  CUSTOM_FIDO_BIOMETRY_NOT_REG_PASSCODE = 7007,
  CUSTOM_FIDO_BIOMETRY_NOT_SUPPORT = 7008,
  CUSTOM_FIDO_BIOMETRY_USER_FALLBACK = 7009,
  CUSTOM_FIDO_BIOMETRY_APP_CANCEL = 7010,
  CUSTOM_FIDO_BIOMETRY_SYSTEM_CANCEL = 7011,
  CUSTOM_FIDO_BIOMETRY_INVALID_CONTEXT = 7012,
  CUSTOM_FIDO_BIOMETRY_NOT_AVAILABLE = 7013,
  CUSTOM_FIDO_BIOMETRY_NOT_INTERACTIVE = 7014,
  CUSTOM_FIDO_BIOMETRY_UNKNOWN = 7015,
  CUSTOM_FIDO_RESET_SUCCESS = 7100,
  CUSTOM_FIDO_RESET_FAIL = 7101,
  CUSTOM_FIDO_RESET_NONE = 7102,
  CUSTOM_FIDO_RESET_INVALID_TYPE = 7103,
  CUSTOM_FIDO_CHANGE_SUCCESS = 7110,
  CUSTOM_FIDO_CHANGE_FAIL = 7111,
  CUSTOM_FIDO_CHANGE_USER_CANCEL = 7112,
  CUSTOM_FIDO_CHANGE_INVALID = 7113,
  CUSTOM_FIDO_FORBIDDEN = 9000, /* a server's 1401, 1403 */
  CUSTOM_FIDO_UNKNOWN = 9999,
  CUSTOM_FIDO_SERVER_NO_USER = 13006, /* a server's */
  CUSTOM_FIDO_SERVER_NO_REGISTRATION = 15007, /* a server's */
  CUSTOM_FIDO_EMPTY_USERNAME = 19019
} CUSTOM_FIDO_RESULT;

/* The library's version, "major.minor.patch". */
const char *CUSTOM_KEYBOARD_NONNULL CustomFido_version(void);

/* One sentence in English for a result, also for one below 0; never NULL, never freed. */
const char *CUSTOM_KEYBOARD_NONNULL CustomFido_message(int result);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* CUSTOM_FIDO_H */
