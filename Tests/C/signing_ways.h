/*
 * The ways of signatures: the lengths of their keys and signatures, and the way of sealed texts with such keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SIGNING_WAYS_H
#define SIGNING_WAYS_H

#include "sealed_ways.h"

static const struct signing_way {
  const char *name;
  CUSTOM_SIGNWAY way;
  CUSTOM_ENCWAY keys;
  size_t secret_length, public_length, signature_length;
  unsigned step; /* of many inputs, a test takes every so many: to sign with RSA takes milliseconds */
} signing_ways[] = {
    {"P-256", CUSTOM_SIGNWAY_P256, CUSTOM_ENCWAY_P256, 32, 65, 64, 1},
    {"SM2", CUSTOM_SIGNWAY_SM2, CUSTOM_ENCWAY_SM2, 32, 65, 64, 1},
    {"RSA", CUSTOM_SIGNWAY_RSA, CUSTOM_ENCWAY_RSA, RSA_SECRET, RSA_PUBLIC, 256, 19},
};
enum { SIGNING_WAYS = sizeof signing_ways / sizeof *signing_ways, LONGEST_SIGNATURE = 256 };

#endif
