/*
 * Clang's own <limits.h> has the limits of the types; this is what Darwin adds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include_next <limits.h>

#define PATH_MAX 1024
