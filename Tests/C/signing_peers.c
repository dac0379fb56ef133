/*
 * Signatures of OpenSSL, and ours for OpenSSL: random keys, contexts and texts, in both directions. Each end makes what
 * is signed by itself: the context's length as 8 bytes, big-endian, the context, the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"
#include "sealed_ways.h"
#include "signing_ways.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

enum { ROUNDS = 1500 / LESS, LONGEST_TEXT = 1000, LONGEST_DER = 80, NUMBER = 32 };

static uint64_t seed;

/* What both ends sign. */
struct message {
  size_t context_length, text_length;
  uint8_t context[CUSTOM_KEYBOARD_MAXCONTEXTSIZE], text[LONGEST_TEXT];
};

/* OpenSSL's names for a way. RSA has no group. */
static const struct peer {
  const char *type, *group;
  const EVP_MD *(*digest)(void);
  const char *identity;
} peers[SIGNING_WAYS] = {{"EC", "prime256v1", EVP_sha256, NULL},
                         {"SM2", "SM2", EVP_sm3, "1234567812345678"},
                         {"RSA", NULL, EVP_sha256, NULL}};

static EVP_PKEY *key_of(const struct peer *peer, const uint8_t *secret, const uint8_t *public) {
  EVP_PKEY *key = NULL;
  if (!peer->group) {
    REQUIRE((key = d2i_AutoPrivateKey(NULL, &secret, RSA_SECRET)));
    return key;
  }
  OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
  BIGNUM *number = BN_bin2bn(secret, NUMBER, NULL);
  REQUIRE(OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, peer->group, 0));
  REQUIRE(OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, public, 65));
  REQUIRE(OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, number));
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(build);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, peer->type, NULL);
  REQUIRE(EVP_PKEY_fromdata_init(context) == 1);
  REQUIRE(EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) == 1);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(build);
  BN_free(number);
  return key;
}

/* Begins, and absorbs the message. */
static EVP_MD_CTX *begin(const struct peer *peer, EVP_PKEY *key, const struct message *m, int is_signing) {
  EVP_MD_CTX *md = EVP_MD_CTX_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
  if (peer->identity) REQUIRE(EVP_PKEY_CTX_set1_id(context, peer->identity, (int)strlen(peer->identity)) == 1);
  EVP_MD_CTX_set_pkey_ctx(md, context);
  REQUIRE((is_signing ? EVP_DigestSignInit : EVP_DigestVerifyInit)(md, NULL, peer->digest(), NULL, key) == 1);
  if (!peer->group)
    REQUIRE(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
            EVP_PKEY_CTX_set_rsa_pss_saltlen(context, 32) == 1 &&
            EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1);
  uint8_t length[8] = {0};
  length[6] = (uint8_t)(m->context_length >> 8);
  length[7] = (uint8_t)m->context_length;
  const uint8_t *parts[] = {length, m->context, m->text};
  const size_t lengths[] = {8, m->context_length, m->text_length};
  for (int i = 0; i < 3; i++)
    REQUIRE((is_signing ? EVP_DigestSignUpdate : EVP_DigestVerifyUpdate)(md, parts[i], lengths[i]) == 1);
  return md;
}

static void end(EVP_MD_CTX *md) {
  EVP_PKEY_CTX *context = EVP_MD_CTX_get_pkey_ctx(md);
  EVP_MD_CTX_free(md);
  EVP_PKEY_CTX_free(context);
}

static int is_right(const struct peer *peer, EVP_PKEY *key, const struct message *m, const uint8_t *signature,
                    size_t length) {
  EVP_MD_CTX *md = begin(peer, key, m, 0);
  int is_right = EVP_DigestVerifyFinal(md, signature, length) == 1;
  end(md);
  return is_right;
}

/* OpenSSL's signatures on curves are DER. */
static int is_right_for_peer(const struct peer *peer, EVP_PKEY *key, const struct message *m, const uint8_t *rs) {
  uint8_t der[LONGEST_DER], *place = der;
  if (!peer->group) return is_right(peer, key, m, rs, LONGEST_SIGNATURE);
  ECDSA_SIG *signature = ECDSA_SIG_new();
  REQUIRE(ECDSA_SIG_set0(signature, BN_bin2bn(rs, NUMBER, NULL), BN_bin2bn(rs + NUMBER, NUMBER, NULL)) == 1);
  int length = i2d_ECDSA_SIG(signature, &place);
  ECDSA_SIG_free(signature);
  REQUIRE(length > 0 && length <= LONGEST_DER);
  return is_right(peer, key, m, der, (size_t)length);
}

static void sign_as_peer(const struct peer *peer, EVP_PKEY *key, const struct message *m, uint8_t *rs) {
  uint8_t der[LONGEST_DER];
  const uint8_t *place = der;
  size_t length = peer->group ? sizeof der : LONGEST_SIGNATURE;
  EVP_MD_CTX *md = begin(peer, key, m, 1);
  REQUIRE(EVP_DigestSignFinal(md, peer->group ? der : rs, &length) == 1);
  end(md);
  if (!peer->group) return;
  ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &place, (long)length);
  REQUIRE(signature);
  REQUIRE(BN_bn2binpad(ECDSA_SIG_get0_r(signature), rs, NUMBER) == NUMBER);
  REQUIRE(BN_bn2binpad(ECDSA_SIG_get0_s(signature), rs + NUMBER, NUMBER) == NUMBER);
  ECDSA_SIG_free(signature);
}

static void exchange(const struct signing_way *signing, const struct peer *peer) {
  for (int round = 0; round < ROUNDS / (int)signing->step; round++) {
    uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], signature[LONGEST_SIGNATURE];
    size_t secret_length, public_length, length;
    struct message m = {.context_length = draw(&seed) % (sizeof m.context + 1),
                        .text_length = draw(&seed) % (sizeof m.text + 1)};
    draw_bytes(&seed, m.context, m.context_length);
    draw_bytes(&seed, m.text, m.text_length);
    secret_length = signing->secret_length, public_length = signing->public_length;
    if (!peer->group)
      take_rsa_key(round % RSA_KEYS, secret, public);
    else
      REQUIRE_OK(CustomKeyboard_generateKey(signing->keys, secret, sizeof secret, &secret_length, public, sizeof public,
                                            &public_length));
    EVP_PKEY *key = key_of(peer, secret, public);
    CHECK_OK(CustomKeyboard_signText(signing->way, secret, secret_length, m.context, m.context_length, m.text,
                                     m.text_length, signature, sizeof signature, &length));
    CHECK(is_right_for_peer(peer, key, &m, signature));
    signature[draw(&seed) % length] ^= 1;
    CHECK(!is_right_for_peer(peer, key, &m, signature));

    sign_as_peer(peer, key, &m, signature);
#define VERIFY() \
  CustomKeyboard_verifyText(signing->way, public, public_length, m.context, m.context_length, m.text, m.text_length, \
                            signature, length)
    CHECK_OK(VERIFY());
    signature[draw(&seed) % length] ^= 1;
    CHECK_EQUAL(VERIFY(), CUSTOM_KEYBOARD_MISMATCH);
#undef VERIFY
    EVP_PKEY_free(key);
  }
}

int main(void) {
  seed = take_seed();
  for (int i = 0; i < SIGNING_WAYS; i++) exchange(&signing_ways[i], &peers[i]);
  return check_end("signing_peers", 15000);
}
