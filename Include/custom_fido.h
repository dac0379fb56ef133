/*
 * CustomFido: a client of FIDO UAF 1.1 whose authenticators are a passcode and a pattern.
 *
 * The app shows the keyboard, and brings the network; the library speaks the protocol and keeps the keys, in a vault
 * (custom_vault.h). A key can be used only with the passcode or pattern that protects it, by a keyboard
 * (custom_keyboard.h): nothing else ever has what was typed. Docs/FIDO.md tells the whole way.
 *
 * Every function but `version` and `message` answers an int: a CUSTOM_FIDO_RESULT, or, below 0, the negative of a
 * CUSTOM_KEYBOARD_RV. The rules of custom_keyboard.h hold here, too: those for threads, NULL, fork, cancellation and
 * the order of codes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_FIDO_H
#define CUSTOM_FIDO_H

#include "custom_vault.h"

#define CUSTOM_FIDO_VERSION CUSTOM_KEYBOARD_VERSION

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
  CUSTOM_FIDO_NOT_REG_USER = 1009, /* also a server's */
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

/* One sentence on this thread's last call of this library that did not succeed, as CustomKeyboard_cause has it for the
 * keyboard's functions; below 0, what the vault or the keyboard has to say. SUCCESS, AUTH_READY, RESET_SUCCESS and
 * CHANGE_SUCCESS leave it as it is. */
const char *CUSTOM_KEYBOARD_NONNULL CustomFido_cause(void);

/* ---- The client ------------------------------------------------------------------------------------------------- */

/* How a person proves to be the user. Each has one value for the whole vault, whatever server asks. */
typedef enum CUSTOM_FIDO_AUTHENTICATOR {
  CUSTOM_FIDO_PASSCODE = 1,
  CUSTOM_FIDO_PATTERN = 2
} CUSTOM_FIDO_AUTHENTICATOR;

/* A handle: never 0, never used twice in a process. Any other number answers -ARGUMENT. */
typedef uint64_t CUSTOM_FIDO;

/* Makes a client that keeps its keys in a vault, which must stay open: after it was closed, calls that need it answer
 * -ARGUMENT. A process has at most 1,024 clients.
 * `facetID` names the app, "ios:bundle-id:…" or "android:apk-key-hash:…": visible ASCII of at most 512 bytes. The
 * app declares it, and nothing here can prove it. Answers INVALID_PARAMETER (NULL, not such a text, an https URL:
 * pages are not facets here), -OP_DISABLE (the child of a fork), -ARGUMENT (no open vault), -MEMORY, -RANDOM. */
int CustomFido_create(CUSTOM_FIDO *CUSTOM_KEYBOARD_NULLABLE fido, CUSTOM_VAULT vault,
                      const char *CUSTOM_KEYBOARD_NULLABLE facetID);

/* Ends the handle; the keys stay in the vault. */
int CustomFido_destroy(CUSTOM_FIDO fido);

/* Names the model of an authenticator, four hexadecimal digits each of vendor and model: "4E4E#4005". Without a name no
 * request uses the authenticator; change, reset and attempts work. A key keeps the name that it was made under. Answers
 * INVALID_PARAMETER (no such name), INVALID_AUTHENTICATOR_TYPE. */
int CustomFido_setAAID(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator,
                       const char *CUSTOM_KEYBOARD_NULLABLE aaid);

/* What a new passcode or pattern must be, and when wrong tries lock it. The passcode has all options but
 * MINIMUM_NODE_COUNT; the pattern has that one and the three of locking. MIN_LENGTH, MAX_LENGTH and NUMBER_PAD matter
 * for a PASSCODE_TYPE of 0. The rules that the app gave the keyboard (CustomKeyboard_addRule) are checked, too. Options
 * belong to the client. Each option of locking also changes the passcode or pattern that is set already. */
typedef enum CUSTOM_FIDO_OPTION {
  CUSTOM_FIDO_OPTION_MIN_LENGTH = 0,          /* 0 to 128; 0 at first                                                */
  CUSTOM_FIDO_OPTION_MAX_LENGTH = 1,          /* 0 to 128; 0, as at first: no maximum                                */
  CUSTOM_FIDO_OPTION_NUMBER_PAD = 2,          /* 1: digits only, on a pad                                            */
  CUSTOM_FIDO_OPTION_SHUFFLE_DISABLE = 3,     /* 1: the keys never change places                                     */
  CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK = 4, /* 1 to 1000; 5 at first                                               */
  CUSTOM_FIDO_OPTION_LOCK_TIME = 5,           /* seconds, 1 to 2147483647; 300 at first                              */
  CUSTOM_FIDO_OPTION_MAX_LOCK_COUNT = 6,      /* 0, as at first: no maximum                                          */
  CUSTOM_FIDO_OPTION_MINIMUM_NODE_COUNT = 7,  /* 1 to 9; 4 at first                                                  */
  CUSTOM_FIDO_OPTION_PASSCODE_TYPE = 8        /* 0: as the options say; 4, 6: that many digits.                       */
                                              /* All three types share one passcode                                  */
} CUSTOM_FIDO_OPTION;

/* Answers INVALID_AUTHENTICATOR_TYPE, INVALID_PARAMETER (no such option, a value out of range),
 * IGNORE_LOCK_OPTION_SET (an option of locking, while wrong tries or locks are counted). */
int CustomFido_setOption(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator, CUSTOM_FIDO_OPTION option,
                         int64_t value);

/* Gives an idle keyboard the layout, shuffle and maximum that the options mean. */
int CustomFido_applyLayout(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator, CUSTOM_KEYBOARD keyboard);

/* `state` gets 3005 to 3008. */
int CustomFido_state(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator, int *CUSTOM_KEYBOARD_NULLABLE state);

/* The state of the count of wrong tries (CustomVault_passcodeState). Answers STATE_NOT_REGISTERED if nothing is set. */
int CustomFido_attempts(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator,
                        CUSTOM_VAULT_STATE *CUSTOM_KEYBOARD_NULLABLE state);

/* `types` gets the sum of the authenticators that have an AAID. */
int CustomFido_availableTypes(CUSTOM_FIDO fido, unsigned *CUSTOM_KEYBOARD_NULLABLE types);

/* ---- The protocol, without a network ---------------------------------------------------------------------------- */

/* The appID of a server's request, so that the app can fetch its list of trusted facets: only if it begins with
 * "https://". `length` does not count the NUL. Answers INVALID_PARAMETER, JSON_PARSER, UNSUPPORTED_VERSION,
 * UNTRUSTED_FACET_ID (it begins with that, and is not a URL), -SPACE (`length` bytes and a NUL are needed). */
int CustomFido_appID(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE request, size_t requestLength,
                     char *CUSTOM_KEYBOARD_NULLABLE appID, size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE length);

/* Takes a server's request: an array of requests, or one. It uses every key of the appID, no matter which server it was
 * made with: the app knows where the request comes from. A request that waited is forgotten, whatever is answered,
 * except while a message is under way (-BUSY). `trustedFacets` is what the appID's URL answered, or NULL.
 * `channelBinding` is a JSON object, or NULL for an empty one.
 *
 * Answers AUTH_READY (a person must be asked), SUCCESS (deregistered), INVALID_PARAMETER, SET_CHANNEL_BINDING,
 * JSON_PARSER, NOT_REG_USER, UNTRUSTED_FACET_ID, NO_SUITABLE_AUTHENTICATOR, UNSUPPORTED_VERSION; of the vault, as a
 * number below 0, -ARGUMENT, -MISMATCH, -DAMAGED, -STORAGE, -BUSY, -MEMORY, -RANDOM: here and below. */
int CustomFido_begin(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE request, size_t requestLength,
                     const char *CUSTOM_KEYBOARD_NULLABLE trustedFacets,
                     const char *CUSTOM_KEYBOARD_NULLABLE channelBinding);

/* The authenticators that the policy accepts, in its order. Answers AUTH_REQUEST_NOT_EXIST, INVALID_PARAMETER,
 * -SPACE. */
int CustomFido_choices(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR *CUSTOM_KEYBOARD_NULLABLE each, size_t capacity,
                       size_t *CUSTOM_KEYBOARD_NULLABLE count);

/* Calls `each` with the user names whose keys the policy accepts. For a registration it is the name in the request; if
 * a server was asked for one user, it is that name only. A number other than 0 ends it. The names are copied first and
 * no lock is held, so that `each` may call anything; a name exists until it returns. Answers INVALID_PARAMETER,
 * AUTH_REQUEST_NOT_EXIST, INVALID_AUTHENTICATOR_TYPE. */
int CustomFido_accounts(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator,
                        int (*CUSTOM_KEYBOARD_NULLABLE each)(void *CUSTOM_KEYBOARD_NULLABLE context,
                                                             const char *CUSTOM_KEYBOARD_NONNULL userName),
                        void *CUSTOM_KEYBOARD_NULLABLE context);

/* The text that the person must see before agreeing, UTF-8 of at most 200 characters with a NUL; "" if there is none.
 * The signature says that the person has confirmed it. Answers AUTH_REQUEST_NOT_EXIST, INVALID_PARAMETER, -SPACE. */
int CustomFido_transaction(CUSTOM_FIDO fido, char *CUSTOM_KEYBOARD_NULLABLE text, size_t capacity,
                           size_t *CUSTOM_KEYBOARD_NULLABLE length);

/* Verifies the person, and makes or uses a key. `userName` may be NULL if there is one. `again` is 0, or a second
 * keyboard on which the same was typed: so a registration sets up an authenticator that has no value yet. After SUCCESS
 * the answer is in `response`, and a new key has replaced the older ones of its user. After any other answer but
 * AUTH_REQUEST_NOT_EXIST the request still waits, there is no response, and the older key is used as before.
 *
 * Answers AUTH_REQUEST_NOT_EXIST (also if a server was asked for the request: resume answers that),
 * INVALID_AUTHENTICATOR_TYPE, INVALID_PARAMETER (several users, and no name), NO_SUITABLE_AUTHENTICATOR (not one of the
 * choices), NOT_REG_USER (no key; or a newer one was registered meanwhile, or the new one reset), STATE_NOT_REGISTERED,
 * FAIL_VERIFY, FAIL_VERIFY_LOCKED, MAX_LOCK_COUNT_OVER; -MISMATCH (the two differ), -ARGUMENT (`again` is `keyboard`),
 * -REFUSED (by an option or a rule). */
int CustomFido_finish(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator,
                      const char *CUSTOM_KEYBOARD_NULLABLE userName, CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD again);

/* The answer for the server: a JSON array with a NUL. Answers AUTH_REQUEST_NOT_EXIST (there is none),
 * INVALID_PARAMETER, -SPACE. */
int CustomFido_response(CUSTOM_FIDO fido, char *CUSTOM_KEYBOARD_NULLABLE response, size_t capacity,
                        size_t *CUSTOM_KEYBOARD_NULLABLE length);

/* Forgets the request that waits, and its answer. */
int CustomFido_cancel(CUSTOM_FIDO fido);

/* Gives an authenticator another value; its keys stay. Answers CHANGE_SUCCESS; CHANGE_FAIL (the current one is wrong or
 * locked: `attempts` tells), CHANGE_USER_CANCEL (a keyboard is 0), CHANGE_INVALID, -REFUSED (by an option or a
 * rule). */
int CustomFido_change(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator, CUSTOM_KEYBOARD current,
                      CUSTOM_KEYBOARD next);

/* Removes an authenticator's value, locked or not. Its keys are deleted: nobody could open them any more. Those of a
 * value that another client sets meanwhile stay. Answers RESET_SUCCESS, RESET_NONE, RESET_INVALID_TYPE, RESET_FAIL (the
 * vault failed: try again). */
int CustomFido_reset(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator);

/* ---- The same against a server (FIDO UAF Client API and Transport Binding) -------------------------------------- */

/* One message to the server and its answer. The library fills the members above the line, the app those below. */
typedef struct CUSTOM_FIDO_EXCHANGE {
  size_t size;                              /* sizeof(CUSTOM_FIDO_EXCHANGE)                                          */
  const char *CUSTOM_KEYBOARD_NULLABLE method; /* "POST" with Content-Type: application/fido+uaf; charset=utf-8;     */
                                            /* "GET" without credentials, for a list of trusted facets               */
  const char *CUSTOM_KEYBOARD_NULLABLE url;
  const char *CUSTOM_KEYBOARD_NULLABLE body; /* of a POST: `bodyLength` bytes of JSON                                */
  size_t bodyLength;
  unsigned seconds;                         /* after so long, give up                                                */
  char *CUSTOM_KEYBOARD_NULLABLE answer;    /* for the answer's body                                                 */
  size_t capacity;                          /* a longer answer is refused: return another number than 0              */
  /* ---------------------------------------------------------------------------------------------------------------- */
  size_t answerLength;
  int status;                               /* of HTTP                                                               */
  int redirectAuthorized;                   /* 1: there is a header FIDO-AppID-Redirect-Authorized: true             */
  char contentType[64];
  char location[1024];                      /* of a redirect, which the app does not follow                          */
  char channelBinding[8192];                /* a JSON object with what is known of the TLS connection, or ""         */
} CUSTOM_FIDO_EXCHANGE;

/* Sends, and waits for the answer. Returns 0, or another number if there is no answer. TLS certificates must be
 * checked. No lock is held: other threads may call, cancel among others. The thread cannot be cancelled in it. */
typedef int (*CUSTOM_FIDO_SEND)(void *CUSTOM_KEYBOARD_NULLABLE context,
                                CUSTOM_FIDO_EXCHANGE *CUSTOM_KEYBOARD_NONNULL exchange);

/* Where requests come from and answers go to: https URLs of at most 1023 bytes; http for this machine only. `seconds`
 * of 0 means 30. A request that waits, and for which a server was asked, is forgotten. Answers INVALID_PARAMETER, -BUSY
 * (a message is under way: here and below). */
int CustomFido_setServer(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE requestURL,
                         const char *CUSTOM_KEYBOARD_NULLABLE responseURL, unsigned seconds,
                         CUSTOM_FIDO_SEND CUSTOM_KEYBOARD_NULLABLE send, void *CUSTOM_KEYBOARD_NULLABLE sendContext);

/* A key belongs to the origin that it was made with: scheme, host and port of `requestURL`. A server uses and deletes
 * keys of its own origin only, unless the appID is an https URL on its host, or the appID's list of facets has its
 * origin. For any other server the app vouches here: it may use the keys of `origin`, too, until the next setServer.
 * "https://login.bank.example", at most 16 of them; http for this machine only. `begin` is the app's own word, and uses
 * every key of the appID. Answers INVALID_PARAMETER (also if no server is set), -BUSY. */
int CustomFido_addOrigin(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE origin);

/* Asks the server for a request, fetches its list of trusted facets if there is one, and begins. A request that waited
 * is forgotten, whatever is answered, except while a message is under way (-BUSY). `userName` is visible ASCII of at
 * most 128 bytes. Keys of other servers are not seen (addOrigin). `context` has what else the server wants to know, or
 * is NULL: a JSON object of strings, numbers, truths and nulls, with nothing inside them. Nothing is sent twice.
 * Answers as begin; EMPTY_USERNAME, INVALID_USERNAME, NETWORK_STATE, INVALID_PARAMETER (no server is set, or `context`
 * is not such an object), USER_CANCEL (cancelled meanwhile), and what a server answers: Docs/FIDO.md. */
int CustomFido_startRegistration(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE userName,
                                 const char *CUSTOM_KEYBOARD_NULLABLE context);
int CustomFido_startAuthentication(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE userName,
                                   const char *CUSTOM_KEYBOARD_NULLABLE context);
int CustomFido_startDeregistration(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE userName,
                                   const char *CUSTOM_KEYBOARD_NULLABLE context);
int CustomFido_startDeregistrationAll(CUSTOM_FIDO fido, const char *CUSTOM_KEYBOARD_NULLABLE userName,
                                      const char *CUSTOM_KEYBOARD_NULLABLE context);

/* Finishes, and sends the answer. A new key is the user's once the server has accepted it. If the server refuses it, it
 * is deleted; if there is no answer, it is kept. Answers as finish; NOT_REG_USER also if the server has accepted a key
 * that was meanwhile reset, deregistered, or replaced by a newer one; NETWORK_STATE, USER_CANCEL, and what a server
 * answers. */
int CustomFido_resume(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator,
                      const char *CUSTOM_KEYBOARD_NULLABLE userName, CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD again);

/* The server's token for the session that was authenticated, with a NUL; "" if it gave none. It is wiped by begin,
 * startRegistration and the others, whatever they answer but -BUSY, by a setServer that succeeds, cancel and destroy.
 * Answers INVALID_PARAMETER, -SPACE. */
int CustomFido_token(CUSTOM_FIDO fido, char *CUSTOM_KEYBOARD_NULLABLE token, size_t capacity,
                     size_t *CUSTOM_KEYBOARD_NULLABLE length);

/* `status` gets the status code of the server's last message, 0 if there is none. Answers INVALID_PARAMETER. */
int CustomFido_serverStatus(CUSTOM_FIDO fido, int *CUSTOM_KEYBOARD_NULLABLE status);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* CUSTOM_FIDO_H */
