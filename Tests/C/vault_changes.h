/*
 * Changes of a vault that follow from numbers, and the state in which each leaves it: for tests that interrupt changes
 * and then check whether the vault is as it was before the change, or as it is after it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_CHANGES_H
#define VAULT_CHANGES_H

#include "vault.h"

enum { ACCOUNTS = 6, LONGEST_VALUE = 5000 };

static const uint8_t vault_keys[2][33] = {"the key of the vault, 32 bytes..", "another key of 32 bytes ........"};

/* What is in a vault: the number of each account's value, 0 for no item; and which key opens it. */
typedef struct contents {
  uint32_t numbers[ACCOUNTS];
  int key;
} contents;

/* The value with a number: as long as the number says, so that half a value is noticed. */
static inline size_t make_value(uint8_t *data, uint32_t number) {
  size_t length = 4 + number * 7919 % LONGEST_VALUE;
  for (size_t i = 0; i < length; i++) data[i] = (uint8_t)(number * 31 + i);
  memcpy(data, &number, 4);
  return length;
}

static inline void account_name(char *name, unsigned account) { snprintf(name, 16, "account %u", account); }

/* Reads all of a vault. Returns a code, or -1 for a wrong value or a list of other items. */
static inline int read_contents(CUSTOM_VAULT vault, contents *found) {
  static uint8_t data[CUSTOM_VAULT_MAXDATASIZE], expected[LONGEST_VALUE + 4];
  char name[16];
  size_t items = 0, listed = 0;
  for (unsigned account = 0; account < ACCOUNTS; account++) {
    size_t length = 0;
    account_name(name, account);
    found->numbers[account] = 0;
    CUSTOM_KEYBOARD_RV rv = CustomVault_readItem(vault, "s", name, data, sizeof data, &length);
    if (rv == CUSTOM_KEYBOARD_NOT_FOUND) continue;
    if (rv != CUSTOM_KEYBOARD_OK) return (int)rv;
    uint32_t number = 0;
    memcpy(&number, data, 4);
    if (length < 4 || number == 0 || length != make_value(expected, number) || memcmp(data, expected, length) != 0)
      return -1;
    found->numbers[account] = number;
    items++;
  }
  CUSTOM_KEYBOARD_RV rv = CustomVault_listItems(vault, "s", count_item, &listed);
  return rv != CUSTOM_KEYBOARD_OK ? (int)rv : listed == items ? CUSTOM_KEYBOARD_OK : -1;
}

static inline int is_same(const contents *one, const contents *other) {
  return memcmp(one->numbers, other->numbers, sizeof one->numbers) == 0;
}

/* ---- Changes ---------------------------------------------------------------------------------------------------- */

typedef struct change {
  enum change_kind { ADD, UPDATE, REPLACE, DELETE, CHANGE_KEY, BACK_UP, TOGETHER, CHANGE_KINDS } kind;
  unsigned account;
  uint32_t number;
} change;

static const char *const change_names[] = {"addItem", "updateItem", "replaceItem", "deleteItem", "changeKey",
                                           "backup",  "change"};

/* The change with a number, of a vault with these contents. */
static inline change pick_change(const contents *now, uint32_t number) {
  uint32_t mixed = number * UINT32_C(2654435761);
  mixed ^= mixed >> 15;
  change next = {UPDATE, mixed / 64 % ACCOUNTS, number};
  unsigned chosen = mixed % 16;
  if (chosen == 0)
    next.kind = CHANGE_KEY;
  else if (chosen == 1)
    next.kind = BACK_UP;
  else if (chosen < 4)
    next.kind = TOGETHER;
  else if (now->numbers[next.account] == 0)
    next.kind = ADD;
  else if (chosen < 7)
    next.kind = DELETE;
  else if (chosen < 11)
    next.kind = REPLACE;
  return next;
}

/* Which other account a change has that is of two together. */
static inline unsigned second_account(change made) { return (made.account + 1) % ACCOUNTS; }

static inline contents contents_after(const contents *now, change made) {
  contents after = *now;
  if (made.kind == CHANGE_KEY)
    after.key ^= 1;
  else if (made.kind == DELETE)
    after.numbers[made.account] = 0;
  else if (made.kind != BACK_UP)
    after.numbers[made.account] = made.number;
  if (made.kind == TOGETHER) after.numbers[second_account(made)] = made.number;
  return after;
}

/* Two accounts, and calls that are refused. It goes on whatever its calls answer: then the change fails. */
static CUSTOM_KEYBOARD_RV first_fault;
static struct together {
  CUSTOM_VAULT vault;
  const contents *now;
  change next;
} together;
static inline void note_fault(CUSTOM_KEYBOARD_RV rv, CUSTOM_KEYBOARD_RV expected) {
  if (rv == expected) return;
  CHECK(first_fault == CUSTOM_KEYBOARD_OK || rv == first_fault);
  first_fault = rv;
}
static inline CUSTOM_KEYBOARD_RV change_together(void *context) {
  static uint8_t data[LONGEST_VALUE + 4];
  const struct together *all = context;
  size_t length = make_value(data, all->next.number);
  for (int i = 0; i < 2; i++) {
    unsigned account = i == 0 ? all->next.account : second_account(all->next);
    char name[16];
    account_name(name, account);
    if (all->now->numbers[account] == 0)
      note_fault(CustomVault_addItem(all->vault, "s", name, NULL, NULL, data, length), CUSTOM_KEYBOARD_OK);
    else
      note_fault(CustomVault_updateItem(all->vault, "s", name, NULL, NULL, data, length), CUSTOM_KEYBOARD_OK);
    note_fault(CustomVault_addItem(all->vault, "s", name, NULL, NULL, NULL, 0), CUSTOM_KEYBOARD_EXISTS);
  }
  return CUSTOM_KEYBOARD_OK;
}

/* Makes a change of a vault with these contents. A copy goes to `path`. */
static inline CUSTOM_KEYBOARD_RV make_change(CUSTOM_VAULT vault, const contents *now, change next, const char *path) {
  static uint8_t data[LONGEST_VALUE + 4], old[LONGEST_VALUE + 4];
  char name[16];
  account_name(name, next.account);
  size_t length = make_value(data, next.number), old_length = make_value(old, now->numbers[next.account]);
  switch (next.kind) {
  case ADD: return CustomVault_addItem(vault, "s", name, NULL, NULL, data, length);
  case UPDATE: return CustomVault_updateItem(vault, "s", name, NULL, NULL, data, length);
  case REPLACE: return CustomVault_replaceItem(vault, "s", name, old, old_length, data, length);
  case DELETE: return CustomVault_deleteItem(vault, "s", name);
  case CHANGE_KEY: return CustomVault_changeKey(vault, vault_keys[now->key ^ 1], 32);
  case TOGETHER: {
    first_fault = CUSTOM_KEYBOARD_OK;
    together = (struct together){vault, now, next};
    CUSTOM_KEYBOARD_RV rv = CustomVault_change(vault, change_together, &together);
    CHECK(first_fault == CUSTOM_KEYBOARD_OK || rv == first_fault);
    return rv;
  }
  default: return CustomVault_backup(vault, path);
  }
}

/* Opens a vault with one of the keys, the first that fits; `found->key` says which. */
static inline CUSTOM_KEYBOARD_RV open_with_either(CUSTOM_VAULT *vault, const char *path, contents *found) {
  CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_MISMATCH;
  for (found->key = 0; found->key < 2; found->key++) {
    rv = CustomVault_open(vault, path, vault_keys[found->key], 32);
    if (rv != CUSTOM_KEYBOARD_MISMATCH) return rv;
  }
  return rv;
}

#endif
