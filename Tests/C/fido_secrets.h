/*
 * For vault_secrets.h: the calls of the FIDO client that need or make a secret. Besides the vault's own secrets these
 * are the passcode, what only it opens (the 32 bytes of CustomVault_checkPasscode), the key that seals a private key,
 * and the private key. The first run opens the private key from the vault's record, as Docs/FIDO.md says it is sealed,
 * with OpenSSL, and checks whether the public key belongs to it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_SECRETS_H
#define FIDO_SECRETS_H

#include <custom_fido.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

/* Of its appID: SHA-256. */
#define FIDO_SERVICE "CustomFido keys 3 0b56daffa257408a7879c026d20b10d1b02c6a8df49359f37e6f96cf49b4fac0"
#define FIDO_APP "\"appID\":\"https://example.com/facets\""
#define FIDO_ASK(op, more) \
  "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"" op "\"," FIDO_APP "}," \
  "\"challenge\":\"AAECAwQFBgcICQoLDA0ODw\"," \
  "\"username\":\"kim\"," more "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]]}}]"

static const char ask_registration[] = FIDO_ASK("Reg", "");
static const char ask_authentication[] =
    FIDO_ASK("Auth", "\"transaction\":[{\"contentType\":\"text/plain\",\"content\":\"UGF5IDEw\"}],");
static const char ask_deregistration[] =
    "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"Dereg\"," FIDO_APP "},\"authenticators\":[{\"aaid\":\"\","
    "\"keyID\":\"\"}]}]";
static const char the_facets[] =
    "{\"trustedFacets\":[{\"version\":{\"major\":1,\"minor\":0},\"ids\":[\"ios:bundle-id:com.example.bank\"]}]}";

/* ---- What the first run writes down ------------------------------------------------------------------------------ */

static struct {
  uint8_t passcode_key[32], sealing_key[32], private_key[32];
} learned;

/* What the client gets from the vault. */
CUSTOM_KEYBOARD_RV CustomVault_checkPasscode(CUSTOM_VAULT vault, const char *name, CUSTOM_KEYBOARD keyboard,
                                             uint8_t *key, CUSTOM_VAULT_STATE *state) {
  static CUSTOM_KEYBOARD_RV (*real)(CUSTOM_VAULT, const char *, CUSTOM_KEYBOARD, uint8_t *, CUSTOM_VAULT_STATE *);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "CustomVault_checkPasscode");
  CUSTOM_KEYBOARD_RV rv = real(vault, name, keyboard, key, state);
  if (is_first_run && rv == CUSTOM_KEYBOARD_OK && key != NULL) memcpy(learned.passcode_key, key, 32);
  return rv;
}

/* The bytes, and as numbers lie in memory: the last byte first. */
static void add_number(const char *kind, const uint8_t *bytes) {
  uint8_t turned[32];
  for (int i = 0; i < 32; i++) turned[i] = bytes[31 - i];
  add_bytes(kind, bytes, 32);
  add_bytes(kind, turned, 32);
}

static void add_more_needles(void) {
  uint8_t product[32];
  BN_CTX *context = BN_CTX_new();
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  BIGNUM *number = BN_bin2bn(learned.private_key, 32, NULL);
  REQUIRE(context != NULL && group != NULL && number != NULL);
  REQUIRE(BN_lshift(number, number, 256) && BN_nnmod(number, number, EC_GROUP_get0_order(group), context));
  REQUIRE(BN_bn2binpad(number, product, 32) == 32);
  add_bytes("opened", learned.passcode_key, 32);
  add_bytes("sealing", learned.sealing_key, 32);
  add_number("private", learned.private_key);
  add_number("Montgomery", product); /* 2^256 times the private key: the form that products are made in */
  BN_clear_free(number);
  EC_GROUP_free(group);
  BN_CTX_free(context);
}

/* Steps over a field of a record: tag, length, value. */
static const uint8_t *after_field(const uint8_t *field) { return field + 4 + (field[2] | field[3] << 8); }

static void open_private_key(const uint8_t *record, size_t length) {
  uint8_t bound[1024], text[64] = "CustomFido key 2", nonce[12] = {0}, point[65];
  const uint8_t *owner = after_field(record), *end = owner, *key = NULL;
  unsigned written = 0;
  int count = 0;
  /* AAID, key ID, appID, origin, user, public key */
  for (int i = 0; i < 6; i++) key = end + 4, end = after_field(end);
  const uint8_t *sealed = after_field(end) + 4;
  REQUIRE(sealed + 48 == record + length && end - key == 65);
  bound[0] = record[4]; /* the authenticator */
  memcpy(bound + 1, owner, (size_t)(end - owner));
  SHA256(bound, 1 + (size_t)(end - owner), text + 16);
  text[48] = 1;
  REQUIRE(HMAC(EVP_sha256(), learned.passcode_key, 32, text, 49, learned.sealing_key, &written) && written == 32);
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  REQUIRE(cipher != NULL &&
          EVP_DecryptInit_ex(cipher, EVP_chacha20_poly1305(), NULL, learned.sealing_key, nonce) == 1 &&
          EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(uintptr_t)(sealed + 32)) == 1 &&
          EVP_DecryptUpdate(cipher, learned.private_key, &count, sealed, 32) == 1 && count == 32 &&
          EVP_DecryptFinal_ex(cipher, learned.private_key + 32, &count) == 1);
  EVP_CIPHER_CTX_free(cipher);
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  BIGNUM *number = BN_bin2bn(learned.private_key, 32, NULL);
  EC_POINT *product = group != NULL ? EC_POINT_new(group) : NULL;
  REQUIRE(product != NULL && number != NULL && EC_POINT_mul(group, product, number, NULL, NULL, NULL) == 1);
  REQUIRE(EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL) == 65);
  REQUIRE(memcmp(point, key, 65) == 0);
  EC_POINT_free(product);
  BN_clear_free(number);
  EC_GROUP_free(group);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

#define FIDO(name, expected, call)                   \
  do {                                               \
    moment_name = name;                              \
    is_inside = 1;                                   \
    int fido_result = (call);                        \
    is_inside = 0;                                   \
    come_to_moment();                                \
    CHECK_EQUAL(fido_result, CUSTOM_FIDO_##expected); \
  } while (0)
#define BEGIN(request) CustomFido_begin(fido, request, sizeof request - 1, the_facets, NULL)

static int send_request(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  const char *request = *(const char **)context;
  int is_answer = strstr(exchange->url, "answer") != NULL, is_list = exchange->body == NULL;
  int length = is_list ? snprintf(exchange->answer, exchange->capacity, "%s", the_facets)
                       : snprintf(exchange->answer, exchange->capacity, "{\"statusCode\":1200%s%s}",
                                  is_answer ? "" : ",\"uafRequest\":", is_answer ? "" : request);
  exchange->answerLength = (size_t)length;
  exchange->status = 200;
  strcpy(exchange->contentType, is_list ? "application/fido.trusted-apps+json" : "application/fido+uaf");
  return 0;
}

static int take_name(void *context, const CUSTOM_VAULT_ITEM *item) {
  snprintf(context, 128, "%s", item->account);
  return 0;
}

/* The key's record. The first run learns its secrets; both make the same calls, so that both draw the same numbers. */
static void read_record(CUSTOM_VAULT vault) {
  uint8_t record[1024];
  char name[128] = "";
  size_t length = 0;
  REQUIRE_OK(CustomVault_listItems(vault, FIDO_SERVICE, take_name, name));
  REQUIRE_OK(CustomVault_readItem(vault, FIDO_SERVICE, name, record, sizeof record, &length));
  if (is_first_run) open_private_key(record, length);
}

/* A registration, authentications, a change of the passcode, and all again at a server. */
static void use_secrets(uint64_t seed) {
  CUSTOM_VAULT vault = 0;
  CUSTOM_FIDO fido = 0;
  CUSTOM_KEYBOARD keyboard, next;
  const char *request = ask_authentication;
  char text[4096];
  size_t length;
  drawing_state = seed ^ UINT64_C(0x1234567887654321);
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_create(&next));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_open(next));
  CALL("open", OK, CustomVault_open(&vault, secret_path, show(0, THE_KEY), KEY));
  FIDO("create", SUCCESS, CustomFido_create(&fido, vault, "ios:bundle-id:com.example.bank"));
  FIDO("setAAID", SUCCESS, CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001"));
  type_secret(keyboard, THE_PASSCODE);
  type_secret(next, NEXT_PASSCODE);
  FIDO("begin of a registration", AUTH_READY, BEGIN(ask_registration));
  FIDO("finish without a passcode", STATE_NOT_REGISTERED,
       CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, 0));
  CHECK_EQUAL(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, next), -CUSTOM_KEYBOARD_MISMATCH);
  type_secret(next, THE_PASSCODE);
  FIDO("finish of a registration", SUCCESS,
       CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, next));
  FIDO("response", SUCCESS, CustomFido_response(fido, text, sizeof text, &length));
  read_record(vault);
  type_secret(next, NEXT_PASSCODE);
  FIDO("begin of an authentication", AUTH_READY, BEGIN(ask_authentication));
  FIDO("finish with another passcode", FAIL_VERIFY, CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, next, 0));
  FIDO("finish of an authentication", SUCCESS, CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, "kim", keyboard, 0));
  FIDO("change", CHANGE_SUCCESS, CustomFido_change(fido, CUSTOM_FIDO_PASSCODE, keyboard, next));
  FIDO("setServer", SUCCESS,
       CustomFido_setServer(fido, "https://example.com/ask", "https://example.com/answer", 5, send_request,
                            (void *)&request));
  FIDO("startAuthentication", AUTH_READY, CustomFido_startAuthentication(fido, "kim", NULL));
  FIDO("resume", SUCCESS, CustomFido_resume(fido, CUSTOM_FIDO_PASSCODE, NULL, next, 0));
  request = ask_registration;
  FIDO("startRegistration", AUTH_READY, CustomFido_startRegistration(fido, "kim", NULL));
  FIDO("cancel", SUCCESS, CustomFido_cancel(fido));
  FIDO("deregistration", SUCCESS, BEGIN(ask_deregistration));
  FIDO("reset", RESET_SUCCESS, CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE));
  FIDO("destroy", SUCCESS, CustomFido_destroy(fido));
  CALL("close", OK, CustomVault_close(vault));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(next));
}

#endif /* FIDO_SECRETS_H */
