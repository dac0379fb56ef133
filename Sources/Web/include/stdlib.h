/*
 * mbedTLS includes <stdlib.h>, and allocates with what mbedtls_config.h names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
