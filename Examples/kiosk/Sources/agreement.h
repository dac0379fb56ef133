/*
 * OPAQUE with the example bank: a login, or a registration that ends with a login. The passcode stays in the library's
 * keyboard, and the bank gets nothing that it could read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef AGREEMENT_H
#define AGREEMENT_H

#include <custom_keyboard.h>

#include "bank.h"

typedef struct Agreement {
  Bank *bank;
  const char *account;
  CUSTOM_KEYBOARD first, again; /* `again` has what was typed a second time, or is `first` */
  BankDone *done;               /* gets the verdict; with OK, the bank's client has the session */
  void *data;
  int attempts_left;
  char session[23]; /* until the bank has taken KE3 */
} Agreement;

/* One at a time. The other members are set, and what is typed stays until `done`. */
void agreement_login(Agreement *agreement);
void agreement_register(Agreement *agreement);

#endif
