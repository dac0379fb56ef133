/*
 * What the library takes from mbedTLS: DES, 3DES and AES; for HPKE ChaCha20-Poly1305; RSA.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_MBEDTLS_H
#define CUSTOM_KEYBOARD_MBEDTLS_H

#if !__has_include(<mbedtls/des.h>)
#error "mbedTLS was not found. Debian, Ubuntu: apt-get install libmbedtls-dev."
#else
/* For three numbers of a private key of RSA, which mbedTLS 3.6 takes in no other way. */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS
#include <mbedtls/version.h>
#if MBEDTLS_VERSION_MAJOR >= 4
#error "mbedTLS 4 has no DES. Install mbedTLS 2.28 or 3.6 (Debian, Ubuntu: libmbedtls-dev)."
#endif
#include <mbedtls/aes.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/des.h>
#include <mbedtls/rsa.h>
#endif

/* ---- RSA --------------------------------------------------------------------------------------------------------- */

/* A positive number where a key's DER has it: big-endian, without leading zeros. */
typedef struct keyboard_number {
  const unsigned char *start;
  size_t count;
} keyboard_number;

/* A key of RSA in PKCS#1's order (RFC 8017, A.1.2). A public key has only the first two numbers. */
typedef struct keyboard_rsa_key {
  keyboard_number modulus, exponent, private_exponent, prime1, prime2, exponent1, exponent2, coefficient;
} keyboard_rsa_key;

/* A context for OAEP and PSS, both with SHA-256. The numbers are in mbedTLS's own heap memory, also those that a call
 * needs for a time. mbedtls_rsa_free and mbedtls_mpi_free wipe it. */
static inline void keyboard_rsa_begin(mbedtls_rsa_context *rsa) {
#if MBEDTLS_VERSION_MAJOR < 3
  mbedtls_rsa_init(rsa, MBEDTLS_RSA_PKCS_V21, MBEDTLS_MD_SHA256);
#else
  mbedtls_rsa_init(rsa);
  (void)mbedtls_rsa_set_padding(rsa, MBEDTLS_RSA_PKCS_V21, MBEDTLS_MD_SHA256);
#endif
}

/* All numbers of the key are given, so mbedTLS computes none: its inversions are not constant-time.
 *
 * A fork may empty the memory that the key is in. In the child, some numbers are then zero, and mbedTLS would search
 * for others. The modulus never begins with a zero, so one that does tells that all numbers are worth nothing. */
static inline int keyboard_rsa_import(mbedtls_rsa_context *rsa, const keyboard_rsa_key *key) {
  int error = mbedtls_rsa_import_raw(rsa, key->modulus.start, key->modulus.count, key->prime1.start, key->prime1.count,
                                     key->prime2.start, key->prime2.count, key->private_exponent.start,
                                     key->private_exponent.count, key->exponent.start, key->exponent.count);
  if (error == 0) error = mbedtls_mpi_read_binary(&rsa->DP, key->exponent1.start, key->exponent1.count);
  if (error == 0) error = mbedtls_mpi_read_binary(&rsa->DQ, key->exponent2.start, key->exponent2.count);
  if (error == 0) error = mbedtls_mpi_read_binary(&rsa->QP, key->coefficient.start, key->coefficient.count);
  if (error == 0 && *(volatile const unsigned char *)key->modulus.start == 0) error = MBEDTLS_ERR_RSA_BAD_INPUT_DATA;
  return error == 0 ? mbedtls_rsa_complete(rsa) : error;
}

/* 0 if the numbers of a private key belong together. mbedtls_rsa_check_privkey would answer a lack of memory as a wrong
 * key. Whether the primes are prime is not asked. */
static inline int keyboard_rsa_check(const mbedtls_rsa_context *rsa) {
  const mbedtls_mpi *primes[] = {&rsa->P, &rsa->Q}, *exponents[] = {&rsa->DP, &rsa->DQ};
  mbedtls_mpi number, order;
  mbedtls_mpi_init(&number);
  mbedtls_mpi_init(&order);
  int error = mbedtls_mpi_mul_mpi(&number, &rsa->P, &rsa->Q);
  if (error == 0) error = mbedtls_mpi_cmp_mpi(&number, &rsa->N);
  for (int i = 0; i < 2; i++) {
    if (error == 0) error = mbedtls_mpi_sub_int(&order, primes[i], 1);
    if (error == 0) error = mbedtls_mpi_mod_mpi(&number, &rsa->D, &order);
    if (error == 0) error = mbedtls_mpi_cmp_mpi(&number, exponents[i]);
    if (error == 0) error = mbedtls_mpi_mul_mpi(&number, &number, &rsa->E);
    if (error == 0) error = mbedtls_mpi_mod_mpi(&number, &number, &order);
    if (error == 0) error = mbedtls_mpi_cmp_int(&number, 1);
  }
  if (error == 0) error = mbedtls_mpi_mul_mpi(&number, &rsa->QP, &rsa->Q);
  if (error == 0) error = mbedtls_mpi_mod_mpi(&number, &number, &rsa->P);
  if (error == 0) error = mbedtls_mpi_cmp_int(&number, 1);
  mbedtls_mpi_free(&number);
  mbedtls_mpi_free(&order);
  return error;
}

/* Random bytes for mbedTLS. */
typedef int keyboard_random_source(void *context, unsigned char *bytes, size_t count);

/* RSAES-OAEP with an empty label; what comes out is as long as the modulus. */
static inline int keyboard_rsa_encrypt(mbedtls_rsa_context *rsa, keyboard_random_source *random, void *source,
                                       const unsigned char *message, size_t count, unsigned char *output) {
#if MBEDTLS_VERSION_MAJOR < 3
  return mbedtls_rsa_rsaes_oaep_encrypt(rsa, random, source, MBEDTLS_RSA_PUBLIC, NULL, 0, count, message, output);
#else
  return mbedtls_rsa_rsaes_oaep_encrypt(rsa, random, source, NULL, 0, count, message, output);
#endif
}

static inline int keyboard_rsa_decrypt(mbedtls_rsa_context *rsa, keyboard_random_source *random, void *source,
                                       const unsigned char *text, unsigned char *output, size_t capacity,
                                       size_t *count) {
#if MBEDTLS_VERSION_MAJOR < 3
  return mbedtls_rsa_rsaes_oaep_decrypt(rsa, random, source, MBEDTLS_RSA_PRIVATE, NULL, 0, count, text, output,
                                        capacity);
#else
  return mbedtls_rsa_rsaes_oaep_decrypt(rsa, random, source, NULL, 0, count, text, output, capacity);
#endif
}

/* RSASSA-PSS of a digest of 32 bytes, with a salt of as many. A signature is as long as the modulus. */
static inline int keyboard_rsa_sign(mbedtls_rsa_context *rsa, keyboard_random_source *random, void *source,
                                    const unsigned char *digest, unsigned char *signature) {
  return mbedtls_rsa_rsassa_pss_sign_ext(rsa, random, source, MBEDTLS_MD_SHA256, 32, digest, 32, signature);
}

static inline int keyboard_rsa_verify(mbedtls_rsa_context *rsa, const unsigned char *digest,
                                      const unsigned char *signature) {
#if MBEDTLS_VERSION_MAJOR < 3
  return mbedtls_rsa_rsassa_pss_verify_ext(rsa, NULL, NULL, MBEDTLS_RSA_PUBLIC, MBEDTLS_MD_SHA256, 32, digest,
                                           MBEDTLS_MD_SHA256, 32, signature);
#else
  return mbedtls_rsa_rsassa_pss_verify_ext(rsa, MBEDTLS_MD_SHA256, 32, digest, MBEDTLS_MD_SHA256, 32, signature);
#endif
}

/* ---- Binding ----------------------------------------------------------------------------------------------------- */

#if defined(__wasm__)
/* WebAssembly binds nothing lazily. */
static inline void keyboard_bind_mbedtls(void) {}
static inline void keyboard_bind_mbedtls_hpke(void) {}
static inline void keyboard_bind_mbedtls_rsa(void) {}
static inline void keyboard_bind_mbedtls_aes(void) {}
#else

/* Calls each function of mbedTLS that the library uses, with a key of zeros. In a program that binds lazily, the
 * dynamic linker saves all registers to the stack at the first call of each function. */
__attribute__((noinline)) static void keyboard_bind_mbedtls(void) {
  union {
    mbedtls_des_context one;
    mbedtls_des3_context three;
  } context;
  unsigned char key[24] = {0}, block[8] = {0};
  mbedtls_des_init(&context.one);
  int ignored = mbedtls_des_setkey_enc(&context.one, key) | mbedtls_des_setkey_dec(&context.one, key) |
                mbedtls_des_crypt_ecb(&context.one, block, block);
  mbedtls_des3_init(&context.three);
  ignored |= mbedtls_des3_set2key_enc(&context.three, key) | mbedtls_des3_set2key_dec(&context.three, key) |
             mbedtls_des3_set3key_enc(&context.three, key) | mbedtls_des3_set3key_dec(&context.three, key) |
             mbedtls_des3_crypt_ecb(&context.three, block, block);
  (void)ignored;
}

/* The same for HPKE. */
__attribute__((noinline)) static void keyboard_bind_mbedtls_hpke(void) {
  mbedtls_chachapoly_context chachapoly;
  mbedtls_aes_context aes;
  unsigned char zeros[32] = {0}, text[16] = {0}, tag[16];
  mbedtls_chachapoly_init(&chachapoly);
  int ignored = mbedtls_chachapoly_setkey(&chachapoly, zeros) |
                mbedtls_chachapoly_encrypt_and_tag(&chachapoly, sizeof text, zeros, NULL, 0, zeros, text, tag) |
                mbedtls_chachapoly_auth_decrypt(&chachapoly, sizeof text, zeros, NULL, 0, tag, text, text);
  mbedtls_chachapoly_free(&chachapoly);
  mbedtls_aes_init(&aes);
  size_t offset = 0;
  ignored |= mbedtls_aes_setkey_enc(&aes, zeros, 256) | mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, text, text) |
             mbedtls_aes_crypt_ctr(&aes, sizeof text, &offset, text, tag, zeros, zeros);
  (void)ignored;
}

/* The same for AES in both directions. */
__attribute__((noinline)) static void keyboard_bind_mbedtls_aes(void) {
  mbedtls_aes_context aes;
  unsigned char zeros[16] = {0};
  mbedtls_aes_init(&aes);
  int ignored = mbedtls_aes_setkey_enc(&aes, zeros, 128) | mbedtls_aes_setkey_dec(&aes, zeros, 128) |
                mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_DECRYPT, zeros, zeros);
  (void)ignored;
}

/* The same for RSA, with no key at all: each function refuses at once. */
__attribute__((noinline)) static void keyboard_bind_mbedtls_rsa(void) {
  mbedtls_rsa_context rsa;
  unsigned char bytes[32] = {1};
  const keyboard_rsa_key none = {.modulus = {bytes, 0}};
  size_t count;
  keyboard_rsa_begin(&rsa);
  int ignored = keyboard_rsa_import(&rsa, &none) | keyboard_rsa_check(&rsa) | mbedtls_mpi_cmp_int(&rsa.N, 0) |
                keyboard_rsa_encrypt(&rsa, NULL, NULL, bytes, sizeof bytes, bytes) |
                keyboard_rsa_decrypt(&rsa, NULL, NULL, bytes, bytes, sizeof bytes, &count) |
                keyboard_rsa_sign(&rsa, NULL, NULL, bytes, bytes) | keyboard_rsa_verify(&rsa, bytes, bytes);
  mbedtls_rsa_free(&rsa);
  (void)ignored;
}

#endif

#endif
