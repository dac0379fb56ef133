/*
 * For fido_kill.c: the operations, what the process that is killed tells of them, its client of FIDO, and how answers
 * are read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_KILL_H
#define FIDO_KILL_H

#include "vault_passcode.h"
#include <custom_fido.h>

enum { USERS = 4, LOCAL_USERS = 2, KEY_ID = 32, TRIES = 1000, MOST_KEYS = 65536 };
#define FACET "ios:bundle-id:com.example.bank"
/* Of the appID that is the facet: its SHA-256. */
#define KEYS "CustomFido keys 3 5eaa6ca3d2e6ecaa008a50bfc18e74734c604669a2a6817422c6fb0501c9ec64"
#define PASSCODE "CustomFido passcode"

static const char *const users[USERS] = {"ann", "ben", "cleo", "dan"};
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
/* Some register with what the app brings, the others at a server: a key replaces one of its own origin only. */
static uint32_t user_of(uint32_t number, kind kind) {
  uint32_t drawn = number * UINT32_C(40503) >> 5;
  if (kind == REGISTER) return drawn % LOCAL_USERS;
  return kind == REGISTER_ONLINE ? LOCAL_USERS + drawn % (USERS - LOCAL_USERS) : drawn % USERS;
}

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

#endif
