/*
 * Sealed texts and signatures of other libraries, for comparison: the steps that a program would write itself. A peer
 * does all that can be done once before it is timed: it keeps its keys, contexts and fetched algorithms. Our calls get
 * bytes, and begin anew each time.
 *
 * Every function that does not make a peer returns 1 if it succeeded. Peers are never freed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALED_PEERS_H
#define SEALED_PEERS_H

#include <stddef.h>
#include <stdint.h>

enum { PEER_BLOCK = 144, PEER_DER = 128, PEER_SESSION_KEY = 16, PEER_RSA_KEY = 2400, PEER_RSA_TEXT = 512 };

/* The two suites of HPKE: X25519 with ChaCha20-Poly1305, P-256 with AES-256-GCM; both with HKDF-SHA256. */
typedef enum peer_suite { PEER_X25519, PEER_P256 } peer_suite;

typedef struct peer_bytes {
  const uint8_t *bytes;
  size_t count;
} peer_bytes;

/* HPKE (RFC 9180) in base mode, on OpenSSL's EVP. NULL if OpenSSL does not have what it takes. */
typedef struct openssl_hpke openssl_hpke;
openssl_hpke *openssl_hpke_new(peer_suite suite, const uint8_t private_key[32], const uint8_t *public_key);
int openssl_hpke_open(openssl_hpke *peer, peer_bytes context, const uint8_t *text, uint8_t block[PEER_BLOCK]);
int openssl_hpke_seal(openssl_hpke *peer, peer_bytes context, const uint8_t block[PEER_BLOCK], uint8_t *text);

/* The same on mbedTLS. */
typedef struct mbedtls_hpke mbedtls_hpke;
mbedtls_hpke *mbedtls_hpke_new(peer_suite suite, const uint8_t private_key[32], const uint8_t *public_key);
int mbedtls_hpke_open(mbedtls_hpke *peer, peer_bytes context, const uint8_t *text, uint8_t block[PEER_BLOCK]);
int mbedtls_hpke_seal(mbedtls_hpke *peer, peer_bytes context, const uint8_t block[PEER_BLOCK], uint8_t *text);

/* SM2 encryption of 16 bytes by OpenSSL, in DER. It has no SM4-GCM, so this is a part of what a sealed text needs. */
typedef struct openssl_sm2 openssl_sm2;
openssl_sm2 *openssl_sm2_new(const uint8_t private_key[32], const uint8_t public_key[65]);
int openssl_sm2_open(openssl_sm2 *peer, peer_bytes der, uint8_t key[PEER_SESSION_KEY]);
int openssl_sm2_seal(openssl_sm2 *peer, const uint8_t key[PEER_SESSION_KEY], uint8_t der[PEER_DER], size_t *count);
/* The first 113 bytes of a sealed text as DER. */
size_t openssl_sm2_der(const uint8_t *text, uint8_t der[PEER_DER]);

/* Signatures by OpenSSL, in DER, over the context's length, the context and the text. */
typedef enum peer_signature { PEER_ECDSA, PEER_SM2 } peer_signature;
typedef struct openssl_signer openssl_signer;
openssl_signer *openssl_signer_new(peer_signature kind, const uint8_t private_key[32], const uint8_t public_key[65]);
int openssl_sign(openssl_signer *peer, peer_bytes context, peer_bytes text, uint8_t der[PEER_DER], size_t *count);
int openssl_verify(openssl_signer *peer, peer_bytes context, peer_bytes text, peer_bytes der);
/* What is signed: the context's length, the context, the text. 0 if it does not fit. */
size_t peer_join(uint8_t *message, size_t size, peer_bytes context, peer_bytes text);

/* RSA by OpenSSL, with a new key: texts of OAEP, signatures of PSS. The keys are PKCS#1 and SubjectPublicKeyInfo; their
 * functions return how many bytes they have, or 0. */
typedef struct openssl_rsa openssl_rsa;
openssl_rsa *openssl_rsa_new(unsigned bits);
size_t openssl_rsa_private_key(const openssl_rsa *peer, uint8_t der[PEER_RSA_KEY]);
size_t openssl_rsa_public_key(const openssl_rsa *peer, uint8_t der[PEER_RSA_KEY]);
int openssl_rsa_open(openssl_rsa *peer, peer_bytes context, peer_bytes text, uint8_t block[PEER_BLOCK]);
int openssl_rsa_seal(openssl_rsa *peer, peer_bytes context, const uint8_t block[PEER_BLOCK],
                     uint8_t text[PEER_RSA_TEXT], size_t *count);
int openssl_rsa_sign(openssl_rsa *peer, peer_bytes context, peer_bytes text, uint8_t signature[PEER_RSA_TEXT],
                     size_t *count);
int openssl_rsa_verify(openssl_rsa *peer, peer_bytes context, peer_bytes text, peer_bytes signature);

#endif
