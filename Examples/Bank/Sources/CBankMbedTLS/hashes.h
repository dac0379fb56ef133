/* SHA-256, HMAC and signatures from the library that CustomKeyboard needs already. These functions are the same in
 * mbedTLS 2.28 and 3.6.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_HASHES_H
#define BANK_HASHES_H

#include <mbedtls/ecdsa.h>
#include <mbedtls/md.h>

static inline int bank_sha256(const unsigned char *bytes, size_t length, unsigned char digest[32]) {
  return mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), bytes, length, digest);
}

static inline int bank_hmac_sha256(
    const unsigned char *key, size_t key_length, const unsigned char *bytes, size_t length, unsigned char mac[32]) {
  return mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), key, key_length, bytes, length, mac);
}

/* Returns 0 if the key has signed the digest: ECDSA on P-256. The key is a point in 65 bytes, the signature r and s. */
static inline int bank_verify_p256(
    const unsigned char key[65], const unsigned char digest[32], const unsigned char signature[64]) {
  mbedtls_ecp_group group;
  mbedtls_ecp_point point;
  mbedtls_mpi r, s;
  mbedtls_ecp_group_init(&group);
  mbedtls_ecp_point_init(&point);
  mbedtls_mpi_init(&r);
  mbedtls_mpi_init(&s);
  int error = mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1);
  if (error == 0) error = mbedtls_ecp_point_read_binary(&group, &point, key, 65);
  if (error == 0) error = mbedtls_ecp_check_pubkey(&group, &point);
  if (error == 0) error = mbedtls_mpi_read_binary(&r, signature, 32);
  if (error == 0) error = mbedtls_mpi_read_binary(&s, signature + 32, 32);
  if (error == 0) error = mbedtls_ecdsa_verify(&group, digest, 32, &point, &r, &s);
  mbedtls_mpi_free(&s);
  mbedtls_mpi_free(&r);
  mbedtls_ecp_point_free(&point);
  mbedtls_ecp_group_free(&group);
  return error;
}

#endif
