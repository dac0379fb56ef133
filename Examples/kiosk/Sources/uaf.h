/*
 * One message of FIDO UAF to the bank, and its answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef UAF_H
#define UAF_H

#include <custom_fido.h>
#include <gio/gio.h>

typedef struct UAFChannel {
  GTlsDatabase *authorities; /* who must have signed the bank's certificate; NULL: one that the system trusts */
  GCancellable *cancellable;
  gboolean is_distrusted; /* gets whether the last message failed because of the bank's certificate */
} UAFChannel;

/* For CustomFido_setServer; the context is a UAFChannel. Waits for the answer: not for the thread of the window. */
int uaf_send(void *channel, CUSTOM_FIDO_EXCHANGE *exchange);

#endif
