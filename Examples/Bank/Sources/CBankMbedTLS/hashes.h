/* SHA-256 and HMAC from the library that CustomKeyboard needs already. These two functions are the same in mbedTLS 2.28
 * and 3.6.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_HASHES_H
#define BANK_HASHES_H

#include <mbedtls/md.h>

static inline int bank_sha256(const unsigned char *bytes, size_t length, unsigned char digest[32]) {
  return mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), bytes, length, digest);
}

static inline int bank_hmac_sha256(
    const unsigned char *key, size_t key_length, const unsigned char *bytes, size_t length, unsigned char mac[32]) {
  return mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), key, key_length, bytes, length, mac);
}

#endif
