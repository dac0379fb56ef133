/*
 * Carries the messages of libcustomfido to a server, with libcurl.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEND_H
#define SEND_H

#include <custom_fido.h>

/* A CUSTOM_FIDO_SEND for CustomFido_setServer. `context` is NULL, or a string: the path of a file with the certificates
 * of the authorities that are trusted, instead of those of the system. Call curl_global_init before. */
int send_by_curl(void *context, CUSTOM_FIDO_EXCHANGE *exchange);

#endif
