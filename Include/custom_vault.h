/*
 * CustomVault: secrets that are kept on the device, in one file that only their key opens.
 *
 * The library uses keyboards through custom_keyboard.h, whose codes and rules hold here, too: those for threads, NULL,
 * fork, cancellation and the order of codes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_VAULT_H
#define CUSTOM_VAULT_H

#include "custom_keyboard.h"

#define CUSTOM_VAULT_VERSION "0.1.0"

/* As in custom_keyboard.h: nullability is for Swift and Objective-C clients. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The vault -------------------------------------------------------------------------------------------------- */

#define CUSTOM_VAULT_KEYSIZE 32       /* bytes: the key that opens a vault                                            */
#define CUSTOM_VAULT_MAXNAMESIZE 255  /* bytes: the longest service, account, label and kind, without their NUL       */
#define CUSTOM_VAULT_MAXDATASIZE 65536 /* bytes: the longest data of an item                                          */

/* The library's version, "major.minor.patch". */
const char *CUSTOM_KEYBOARD_NONNULL CustomVault_version(void);

/* A handle: never 0, never used twice in a process. Any other number answers ARGUMENT. */
typedef uint64_t CUSTOM_VAULT;

/* Opens the vault in the file `path`, and makes the file if there is none. `vault` gets the handle. All rows are
 * checked: one that was removed, exchanged or put back is noticed here.
 *
 * The file must be a regular file of this user with one name, which nobody else may read or write, in a folder of this
 * user's into which nobody else may write. A process has a file open once: another handle for it answers BUSY. Other
 * processes may open it at the same time.
 *
 * Answers ARGUMENT (NULL, an empty path), OP_DISABLE (the child of a fork of a process that opened a vault: SQLite
 * forbids it, until exec), ERR (a key of another length), STORAGE (the path or its rights, the disk), BUSY (see above,
 * or another process has it for five seconds), DAMAGED (no vault, or one that was altered), MISMATCH (another key),
 * MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomVault_open(CUSTOM_VAULT *CUSTOM_KEYBOARD_NULLABLE vault,
                                    const char *CUSTOM_KEYBOARD_NULLABLE path,
                                    const uint8_t *CUSTOM_KEYBOARD_NULLABLE key, size_t keyLength);

/* Wipes the keys and ends the handle. Answers ARGUMENT (no vault, here and in all other functions that take one),
 * OP_DISABLE (a forked child, as in all functions). */
CUSTOM_KEYBOARD_RV CustomVault_close(CUSTOM_VAULT vault);

/* Gives the vault another key, and seals everything anew under a new root key, in one transaction. Other processes that
 * have it open get MISMATCH from then on. The old key still opens an old copy of the file. Answers ARGUMENT (NULL), ERR
 * (a key of another length), MISMATCH, DAMAGED, STORAGE, BUSY, MEMORY, RANDOM; the old key then stays. */
CUSTOM_KEYBOARD_RV CustomVault_changeKey(CUSTOM_VAULT vault, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                         size_t keyLength);

/* Writes a copy of the vault, as it is at one moment, to a new file with the same key. Answers ARGUMENT (NULL, an empty
 * path), EXISTS (the path names something, which is never overwritten), STORAGE, BUSY, MISMATCH, DAMAGED, MEMORY,
 * RANDOM. */
CUSTOM_KEYBOARD_RV CustomVault_backup(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE path);

/* ---- Items ------------------------------------------------------------------------------------------------------ */

/* An item is found by its service and its account: UTF-8 of 1 to 255 bytes, ended by a NUL. Its label and its kind have
 * 0 to 255 bytes; NULL is "" and "password". Its data is any 0 to 65,536 bytes. All of it is sealed in the file.
 *
 * Each function answers ARGUMENT for a string that is NULL where that is not said, empty where it may not be, too long
 * or not UTF-8; MISMATCH if another process has changed the key; DAMAGED, STORAGE, BUSY, MEMORY, RANDOM as open does.
 * A change is whole and on the disk when the call returns, or nothing is changed. */

/* Adds an item. Answers ARGUMENT, MAXLEN (more data), EXISTS. */
CUSTOM_KEYBOARD_RV CustomVault_addItem(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                       const char *CUSTOM_KEYBOARD_NULLABLE account,
                                       const char *CUSTOM_KEYBOARD_NULLABLE label,
                                       const char *CUSTOM_KEYBOARD_NULLABLE kind,
                                       const uint8_t *CUSTOM_KEYBOARD_NULLABLE data, size_t dataLength);

/* Reads the data of an item. Answers ARGUMENT, NOT_FOUND, SPACE (`dataLength` bytes are needed). The caller wipes
 * `data`. */
CUSTOM_KEYBOARD_RV CustomVault_readItem(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                        const char *CUSTOM_KEYBOARD_NULLABLE account,
                                        uint8_t *CUSTOM_KEYBOARD_NULLABLE data, size_t capacity,
                                        size_t *CUSTOM_KEYBOARD_NULLABLE dataLength);

/* Changes this item and no other. A label or kind of NULL stays. Answers ARGUMENT, MAXLEN, NOT_FOUND. */
CUSTOM_KEYBOARD_RV CustomVault_updateItem(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                          const char *CUSTOM_KEYBOARD_NULLABLE account,
                                          const char *CUSTOM_KEYBOARD_NULLABLE label,
                                          const char *CUSTOM_KEYBOARD_NULLABLE kind,
                                          const uint8_t *CUSTOM_KEYBOARD_NULLABLE data, size_t dataLength);

/* Changes the data of an item, if it is still what was expected. Answers ARGUMENT, MAXLEN, NOT_FOUND, MISMATCH (it is
 * something else). */
CUSTOM_KEYBOARD_RV CustomVault_replaceItem(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                           const char *CUSTOM_KEYBOARD_NULLABLE account,
                                           const uint8_t *CUSTOM_KEYBOARD_NULLABLE expected, size_t expectedLength,
                                           const uint8_t *CUSTOM_KEYBOARD_NULLABLE data, size_t dataLength);

/* Deletes an item. Answers ARGUMENT, NOT_FOUND. */
CUSTOM_KEYBOARD_RV CustomVault_deleteItem(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                          const char *CUSTOM_KEYBOARD_NULLABLE account);

/* What a list says of an item. */
typedef struct CUSTOM_VAULT_ITEM {
  size_t size;                       /* of this structure; later versions may add members                            */
  const char *CUSTOM_KEYBOARD_NULLABLE service;
  const char *CUSTOM_KEYBOARD_NULLABLE account;
  const char *CUSTOM_KEYBOARD_NULLABLE label;
  const char *CUSTOM_KEYBOARD_NULLABLE kind;
  int64_t created;                   /* seconds since 1970                                                           */
  int64_t modified;
  size_t dataLength;
} CUSTOM_VAULT_ITEM;

/* Calls `each` with every item of a service, or with all if it is NULL, in the order of bytes: by service, then by
 * account. A number other than 0 from `each` ends the list, and the call answers OK. The items are copied first and no
 * lock is held, so that `each` may call anything; the strings exist until it returns. Answers ARGUMENT (`each` is
 * NULL). */
CUSTOM_KEYBOARD_RV CustomVault_listItems(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                         int (*CUSTOM_KEYBOARD_NULLABLE each)(
                                             void *CUSTOM_KEYBOARD_NULLABLE context,
                                             const CUSTOM_VAULT_ITEM *CUSTOM_KEYBOARD_NONNULL item),
                                         void *CUSTOM_KEYBOARD_NULLABLE context);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* CUSTOM_VAULT_H */
