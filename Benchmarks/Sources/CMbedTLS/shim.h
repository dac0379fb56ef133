/* SPDX-License-Identifier: Apache-2.0 */
#include <mbedtls/des.h>
#include <mbedtls/version.h>
