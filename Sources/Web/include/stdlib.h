/*
 * mbedTLS includes <stdlib.h>, and takes nothing of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
