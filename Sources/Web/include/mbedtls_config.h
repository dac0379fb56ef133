/*
 * What is compiled of mbedTLS for WebAssembly: what CKeyboardMbedTLS uses, and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

#define MBEDTLS_DES_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_AES_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_GCM_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_MD_C
#define MBEDTLS_OID_C
#define MBEDTLS_PKCS1_V21
#define MBEDTLS_RSA_C

#define MBEDTLS_PLATFORM_C
#define MBEDTLS_PLATFORM_NO_STD_FUNCTIONS
#define MBEDTLS_PLATFORM_ZEROIZE_ALT
#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_PLATFORM_CALLOC_MACRO keyboard_calloc
#define MBEDTLS_PLATFORM_FREE_MACRO keyboard_free
void *keyboard_calloc(size_t count, size_t size);
void keyboard_free(void *memory);
