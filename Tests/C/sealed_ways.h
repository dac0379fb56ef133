/*
 * The ways of sealed texts: the lengths of their keys and texts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALED_WAYS_H
#define SEALED_WAYS_H

#include <custom_keyboard.h>

static const struct sealed_way {
  const char *name;
  CUSTOM_ENCWAY way;
  size_t secret_length, public_length, text_length; /* of SM4_GCM, a keyboard takes the secret key */
} sealed_ways[] = {
    {"SM4-GCM", CUSTOM_ENCWAY_SM4_GCM, 16, 16, 172},
    {"X25519", CUSTOM_ENCWAY_X25519, 32, 32, 192},
    {"P-256", CUSTOM_ENCWAY_P256, 32, 65, 225},
    {"SM2", CUSTOM_ENCWAY_SM2, 32, 65, 285},
};
enum { SEALED_WAYS = sizeof sealed_ways / sizeof *sealed_ways, LONGEST_SECRET = 32, LONGEST_PUBLIC = 65 };

#endif
