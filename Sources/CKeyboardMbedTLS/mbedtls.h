/*
 * What the library takes from mbedTLS: DES and 3DES.
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
#include <mbedtls/des.h>
#endif

/* Calls each function of mbedTLS that the library uses, with a key of zeros. In a program that binds lazily, the dynamic
 * linker saves all registers to the stack at the first call of each function. */
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

#endif
