/*
 * The ways of signatures: the lengths of their keys and signatures, and the way of generateKey that makes such keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SIGNING_WAYS_H
#define SIGNING_WAYS_H

#include <custom_keyboard.h>

static const struct signing_way {
  const char *name;
  CUSTOM_SIGNWAY way;
  CUSTOM_ENCWAY keys;
  size_t secret_length, public_length, signature_length;
} signing_ways[] = {
    {"P-256", CUSTOM_SIGNWAY_P256, CUSTOM_ENCWAY_P256, 32, 65, 64},
    {"SM2", CUSTOM_SIGNWAY_SM2, CUSTOM_ENCWAY_SM2, 32, 65, 64},
};
enum { SIGNING_WAYS = sizeof signing_ways / sizeof *signing_ways, LONGEST_SIGNATURE = 64 };

#endif
