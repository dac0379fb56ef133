/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPENSSL_KEY_H
#define OPENSSL_KEY_H

#include <openssl/evp.h>

/* A key pair on a curve of 256 bits: type "EC" or "SM2", and the curve's name. NULL if there is no such pair. */
EVP_PKEY *openssl_key(const char *type, const char *group, const uint8_t private_key[32],
                      const uint8_t public_key[65]);

#endif
