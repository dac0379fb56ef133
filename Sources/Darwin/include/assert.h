/*
 * mbedTLS includes <assert.h>, and asserts nothing at run time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#define assert(condition) ((void)0)
