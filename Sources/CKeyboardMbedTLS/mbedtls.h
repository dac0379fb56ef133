/*
 * What the library takes from mbedTLS: DES, 3DES and AES; for HPKE ChaCha20-Poly1305.
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
#include <mbedtls/aes.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/des.h>
#endif

/* ---- Binding ----------------------------------------------------------------------------------------------------- */

#if defined(__wasm__)
/* WebAssembly binds nothing lazily. */
static inline void keyboard_bind_mbedtls(void) {}
static inline void keyboard_bind_mbedtls_hpke(void) {}
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

#endif

#endif
