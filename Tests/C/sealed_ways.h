/*
 * The ways of sealed texts: the lengths of their keys and texts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALED_WAYS_H
#define SEALED_WAYS_H

#include "sealed_rsa.h"
#include <custom_keyboard.h>

static const struct sealed_way {
  const char *name;
  CUSTOM_ENCWAY way;
  size_t secret_length, public_length, text_length; /* of SM4_GCM, a keyboard takes the secret key */
  unsigned step; /* of many inputs, a test takes every so many: to open a text of RSA takes milliseconds */
} sealed_ways[] = {
    {"SM4-GCM", CUSTOM_ENCWAY_SM4_GCM, 16, 16, 172, 1},
    {"X25519", CUSTOM_ENCWAY_X25519, 32, 32, 192, 1},
    {"P-256", CUSTOM_ENCWAY_P256, 32, 65, 225, 1},
    {"SM2", CUSTOM_ENCWAY_SM2, 32, 65, 285, 1},
    {"RSA", CUSTOM_ENCWAY_RSA, RSA_SECRET, RSA_PUBLIC, 256, 19},
    {"X-Wing", CUSTOM_ENCWAY_XWING, 32, 1216, 1280, 5},
};
enum {
  SEALED_WAYS = sizeof sealed_ways / sizeof *sealed_ways,
  LONGEST_SECRET = RSA_SECRET,
  LONGEST_PUBLIC = 1216,
  LONGEST_MADE_SECRET = 32, /* of the keys that the library makes */
  LONGEST_MADE_PUBLIC = 1216,
  POINT = 65, /* of P-256 and SM2 */
};

#endif
