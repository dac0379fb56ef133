/*
 * Threads and their cancellation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

typedef struct _opaque_pthread_t *pthread_t;

#define PTHREAD_CANCEL_ENABLE 1
#define PTHREAD_CANCEL_DISABLE 0
#define PTHREAD_CANCEL_DEFERRED 2
#define PTHREAD_CANCEL_ASYNCHRONOUS 0

pthread_t pthread_self(void);
int pthread_setcancelstate(int state, int *before);
int pthread_setcanceltype(int type, int *before);

#ifdef __cplusplus
}
#endif
