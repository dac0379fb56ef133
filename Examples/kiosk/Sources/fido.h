/*
 * Registers a key of this device with the example bank, and logs in with it: FIDO UAF. A passcode or a pattern protects
 * the key, and never leaves the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_H
#define FIDO_H

#include <custom_fido.h>

#include "bank.h"
#include "typing.h"
#include "uaf.h"
#include "window.h"

typedef struct FIDO {
  Window *window;
  Bank *bank;                           /* of which a login gets a session */
  const char *account;
  const char *transaction;              /* what the person agrees to by logging in, or NULL */
  CUSTOM_FIDO_AUTHENTICATOR authenticator;
  Typing typing;
  gboolean is_registering;
  UAFChannel channel;
  CUSTOM_VAULT vault;
  CUSTOM_FIDO client;
  /* What a thread of its own does, and who is told its result. */
  int (*job)(struct FIDO *);
  void (*done)(struct FIDO *, int result);
  gboolean is_working, is_over;
  guint timer;
  /* What the thread has found. */
  const char *cause;    /* why the result is not a success, if it is not */
  char agreement[1024]; /* "" for none */
  int state;            /* of the authenticator */
  gboolean is_accepted; /* the authenticator, by the bank's policy */
  CUSTOM_VAULT_STATE attempts;
} FIDO;

/* What a new passcode must be. */
typedef struct FIDORules {
  int64_t digits; /* so many, or 0 for any characters */
  gboolean is_shuffled;
} FIDORules;

/* Opens the vault in `folder`, and makes the client and the keyboards. The other members are set. NULL, or what is
 * wrong, which the caller frees. */
char *fido_open(FIDO *fido, const char *folder, const char *address, FIDORules rules);

/* Asks the bank what it wants, and then for the passcode. */
void fido_begin(void *fido);

/* The window is gone: nobody is told anything any more. */
void fido_cancel(FIDO *fido);

/* Waits for the end of what is under way, and wipes all. */
void fido_close(FIDO *fido);

#endif
