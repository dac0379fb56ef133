/*
 * What the library takes from mbedTLS: DES and 3DES; for HPKE SHA-256, ChaCha20-Poly1305 and AES-GCM.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_MBEDTLS_H
#define CUSTOM_KEYBOARD_MBEDTLS_H

#if !__has_include(<mbedtls/des.h>)
#error "mbedTLS was not found. Debian, Ubuntu: apt-get install libmbedtls-dev."
#else
#include <mbedtls/version.h>
#if MBEDTLS_VERSION_MAJOR >= 4
#error "mbedTLS 4 has no DES. Install mbedTLS 2.28 or 3.6 (Debian, Ubuntu: libmbedtls-dev)."
#endif
#include <mbedtls/chachapoly.h>
#include <mbedtls/des.h>
#include <mbedtls/gcm.h>
#include <mbedtls/sha256.h>
#endif

/* SHA-256. The names have changed from 2.28 to 3.6. None of them fails: they only compute. */
static inline void keyboard_sha256_begin(mbedtls_sha256_context *context) {
  mbedtls_sha256_init(context);
#if MBEDTLS_VERSION_MAJOR < 3
  (void)mbedtls_sha256_starts_ret(context, 0);
#else
  (void)mbedtls_sha256_starts(context, 0);
#endif
}

static inline void keyboard_sha256_absorb(mbedtls_sha256_context *context, const unsigned char *bytes, size_t count) {
#if MBEDTLS_VERSION_MAJOR < 3
  (void)mbedtls_sha256_update_ret(context, bytes, count);
#else
  (void)mbedtls_sha256_update(context, bytes, count);
#endif
}

static inline void keyboard_sha256_finish(mbedtls_sha256_context *context, unsigned char *digest) {
#if MBEDTLS_VERSION_MAJOR < 3
  (void)mbedtls_sha256_finish_ret(context, digest);
#else
  (void)mbedtls_sha256_finish(context, digest);
#endif
}

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
  mbedtls_sha256_context sha256;
  mbedtls_chachapoly_context chachapoly;
  mbedtls_gcm_context gcm;
  unsigned char zeros[32] = {0}, text[16], tag[16];
  keyboard_sha256_begin(&sha256);
  keyboard_sha256_absorb(&sha256, zeros, sizeof zeros);
  keyboard_sha256_finish(&sha256, zeros);
  mbedtls_chachapoly_init(&chachapoly);
  int ignored = mbedtls_chachapoly_setkey(&chachapoly, zeros) |
                mbedtls_chachapoly_encrypt_and_tag(&chachapoly, sizeof text, zeros, NULL, 0, zeros, text, tag) |
                mbedtls_chachapoly_auth_decrypt(&chachapoly, sizeof text, zeros, NULL, 0, tag, text, text);
  mbedtls_chachapoly_free(&chachapoly);
  mbedtls_gcm_init(&gcm);
  ignored |= mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, zeros, 256) ||
             mbedtls_gcm_crypt_and_tag(&gcm, MBEDTLS_GCM_ENCRYPT, sizeof text, zeros, 12, NULL, 0, zeros, text,
                                       sizeof tag, tag) ||
             mbedtls_gcm_auth_decrypt(&gcm, sizeof text, zeros, 12, NULL, 0, tag, sizeof tag, text, text);
  mbedtls_gcm_free(&gcm);
  (void)ignored;
}

#endif
