/*
 * What mbedTLS wipes with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../CKeyboardPlatform/platform.h"

__attribute__((visibility("hidden"))) void mbedtls_platform_zeroize(void *memory, size_t size);
void mbedtls_platform_zeroize(void *memory, size_t size) { keyboard_wipe(memory, size); }
