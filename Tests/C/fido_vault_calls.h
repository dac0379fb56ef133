/*
 * For tests of the FIDO client: the vault's functions for items and changes are the program's own. So at each call to
 * them something can happen, or the vault can fail. Inside a change nobody else can do anything, but a call can fail.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_VAULT_CALLS_H
#define FIDO_VAULT_CALLS_H

#include "vault_passcode.h"

static int calls;              /* to the functions below, in the call of the client that is looked at                 */
static int chosen;             /* at which of them something happens; 0: at none                                      */
static int fails, fails_after; /* the chosen one fails; and all after it                                              */
static void (*happens)(void);  /* what happens before the chosen one                                                  */
static const char *only_service;
static __thread int is_inside, is_in_change;
static unsigned lists, reads, changes; /* of the client, in all                                                       */

/* Whether this call fails. `service` is NULL for all items. */
static int is_chosen(const char *service) {
  if (chosen == 0 || is_inside || (service != NULL && strncmp(service, "CustomFido", 10) != 0)) return 0;
  if (is_in_change && happens != NULL) return 0;
  if (only_service != NULL && strcmp(service, only_service) != 0) return 0;
  calls++;
  if (calls != chosen) return calls > chosen && fails_after;
  if (happens != NULL) {
    is_inside = 1;
    happens();
    is_inside = 0;
  }
  return fails;
}

#define ORIGINAL(name) *(void **)&original = dlsym(RTLD_NEXT, #name)

CUSTOM_KEYBOARD_RV CustomVault_addItem(CUSTOM_VAULT v, const char *service, const char *account, const char *label,
                                       const char *kind, const uint8_t *data, size_t length) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, const char *, const char *, const char *, const uint8_t *,
                                 size_t);
  ORIGINAL(CustomVault_addItem);
  return is_chosen(service) ? CUSTOM_KEYBOARD_BUSY : original(v, service, account, label, kind, data, length);
}
CUSTOM_KEYBOARD_RV CustomVault_readItem(CUSTOM_VAULT v, const char *service, const char *account, uint8_t *data,
                                        size_t capacity, size_t *length) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, const char *, uint8_t *, size_t, size_t *);
  ORIGINAL(CustomVault_readItem);
  reads++;
  return is_chosen(service) ? CUSTOM_KEYBOARD_BUSY : original(v, service, account, data, capacity, length);
}
CUSTOM_KEYBOARD_RV CustomVault_replaceItem(CUSTOM_VAULT v, const char *service, const char *account,
                                           const uint8_t *expected, size_t expectedLength, const uint8_t *data,
                                           size_t length) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, const char *, const uint8_t *, size_t, const uint8_t *,
                                 size_t);
  ORIGINAL(CustomVault_replaceItem);
  return is_chosen(service) ? CUSTOM_KEYBOARD_BUSY
                            : original(v, service, account, expected, expectedLength, data, length);
}
CUSTOM_KEYBOARD_RV CustomVault_updateItem(CUSTOM_VAULT v, const char *service, const char *account, const char *label,
                                          const char *kind, const uint8_t *data, size_t length) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, const char *, const char *, const char *, const uint8_t *,
                                 size_t);
  ORIGINAL(CustomVault_updateItem);
  return is_chosen(service) ? CUSTOM_KEYBOARD_BUSY : original(v, service, account, label, kind, data, length);
}
CUSTOM_KEYBOARD_RV CustomVault_deleteItem(CUSTOM_VAULT v, const char *service, const char *account) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, const char *);
  ORIGINAL(CustomVault_deleteItem);
  return is_chosen(service) ? CUSTOM_KEYBOARD_BUSY : original(v, service, account);
}
CUSTOM_KEYBOARD_RV CustomVault_listItems(CUSTOM_VAULT v, const char *service,
                                         int (*each)(void *, const CUSTOM_VAULT_ITEM *), void *context) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, int (*)(void *, const CUSTOM_VAULT_ITEM *), void *);
  ORIGINAL(CustomVault_listItems);
  lists++;
  return is_chosen(service) ? CUSTOM_KEYBOARD_BUSY : original(v, service, each, context);
}

static CUSTOM_KEYBOARD_RV (*changing)(void *);
static CUSTOM_KEYBOARD_RV change_inside(void *context) {
  is_in_change = 1;
  CUSTOM_KEYBOARD_RV rv = changing(context);
  is_in_change = 0;
  return rv;
}
CUSTOM_KEYBOARD_RV CustomVault_change(CUSTOM_VAULT v, CUSTOM_KEYBOARD_RV (*body)(void *), void *context) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, CUSTOM_KEYBOARD_RV (*)(void *), void *);
  ORIGINAL(CustomVault_change);
  changes++;
  if (is_chosen(NULL)) return CUSTOM_KEYBOARD_BUSY;
  changing = body;
  return original(v, change_inside, context);
}

#endif
