/*
 * Errors of calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

int *__error(void);
#define errno (*__error())

#define ENOENT 2
#define ENOMEM 12
#define EEXIST 17
#define EWOULDBLOCK 35

#ifdef __cplusplus
}
#endif
