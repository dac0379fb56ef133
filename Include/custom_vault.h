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

#define CUSTOM_VAULT_VERSION CUSTOM_KEYBOARD_VERSION

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

/* One sentence on this thread's last call of this library that answered anything but OK, as CustomKeyboard_cause has it
 * for the keyboard's functions. All wrong passcodes have one sentence. */
const char *CUSTOM_KEYBOARD_NONNULL CustomVault_cause(void);

/* A handle: never 0, never used twice in a process. Any other number answers ARGUMENT. */
typedef uint64_t CUSTOM_VAULT;

/* Opens the vault in the file `path`, and makes the file if there is none. `vault` gets the handle. All rows are
 * checked: one that was removed, exchanged or put back is noticed here.
 *
 * The file must be a regular file of this user with one name, which nobody else may read or write, in a folder of this
 * user's into which nobody else may write. Links in the folder's path are followed once, when the vault is opened. A
 * name that ends in -wal, -shm or -journal, in small letters or capitals, is refused: SQLite deletes such files beside
 * a neighbour. A process has a file open once: another handle for it answers BUSY. Other
 * processes may open it at the same time; a call waits for them and for other threads, five seconds in all, and then
 * answers BUSY. A file or a disk that this user may only read can be opened and read; every
 * change and every try of a passcode then answers STORAGE. They do so too while the file or its WAL is not at its path,
 * because it was moved, removed or replaced. The WAL is `path` and "-wal": it has the latest changes, while the vault
 * is open and after a crash. Processes that change the vault lock it, so that no other program may: Docs/Vault.md.
 *
 * An open vault remembers the newest state that it has read or written. If somebody puts an older one back, every call
 * but close answers DAMAGED. What another process knew, or this one before it opened the vault, it cannot notice.
 *
 * Answers ARGUMENT (NULL, an empty path, a name of SQLite's), OP_DISABLE (the child of a fork of a process that opened
 * a vault, or tried to: SQLite forbids it, until exec), ERR (a key of another length), STORAGE (the path or its rights,
 * the disk, a WAL that is left of a vault whose file is gone, or a path of more than 504 bytes, counted from / and
 * without links; a new file's has 487 at most), BUSY (see above, or another process has it for five seconds), DAMAGED
 * (no vault, or one that was altered), MISMATCH (another key), MEMORY (also for more than 256 vaults at once), RANDOM.
 */
CUSTOM_KEYBOARD_RV CustomVault_open(CUSTOM_VAULT *CUSTOM_KEYBOARD_NULLABLE vault,
                                    const char *CUSTOM_KEYBOARD_NULLABLE path,
                                    const uint8_t *CUSTOM_KEYBOARD_NULLABLE key, size_t keyLength);

/* Wipes the keys and ends the handle. Answers ARGUMENT (no vault, here and in all other functions that take one),
 * OP_DISABLE (a forked child, as in all functions). */
CUSTOM_KEYBOARD_RV CustomVault_close(CUSTOM_VAULT vault);

/* Gives the vault another key, and seals everything anew under a new root key, in one transaction. Other processes that
 * have it open get MISMATCH from then on. The old key still opens an old copy of the file. What it opened in the WAL is
 * removed: for that, the call waits up to five seconds for processes that read, and if they go on, a later change or
 * closing does it. Answers ARGUMENT (NULL), ERR (a key of another length), MISMATCH, DAMAGED (a row was removed or put
 * back, too), STORAGE, BUSY, MEMORY, RANDOM; the old key then stays. Only after STORAGE, when the disk could not say
 * whether it has the change, the next open may want the new key: keep both until one has opened the vault. */
CUSTOM_KEYBOARD_RV CustomVault_changeKey(CUSTOM_VAULT vault, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                         size_t keyLength);

/* Writes a copy of the vault, as it is at one moment, to a new file with the same key. Answers ARGUMENT (NULL, an empty
 * path, a name of SQLite's), EXISTS (the path names something, which is never overwritten, or the WAL of a vault that
 * was there is left), STORAGE, BUSY, MISMATCH, DAMAGED (a row was removed or put back, too), MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomVault_backup(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE path);

/* Runs `body` once, with `context`. What this thread does to this vault inside it is one transaction: all of it is on
 * the disk when the call answers OK, none of it otherwise (but for STORAGE at the end, as in items), and nobody sees a
 * part.
 *
 * Answers ARGUMENT (NULL), OP_DISABLE (inside another change of this vault in this thread), BUSY, STORAGE, DAMAGED,
 * MISMATCH (another process has changed the key), MEMORY, and then `body` did not run; what `body` answered, if that is
 * not OK; STORAGE, DAMAGED, MEMORY, RANDOM at the end. A call inside that answers one of these four, or BUSY, spoils
 * the change: later calls and the end answer the same. After any other code the change goes on.
 *
 * Inside, checkPasscode, changePasscode, changeKey, backup and close answer OP_DISABLE: a try is counted on the disk
 * before it is checked. Other threads and processes wait meanwhile, and answer BUSY after five seconds. So `body` waits
 * for nobody who may use this vault. It returns (no exception, no longjmp), and calls no FIDO client on this vault.
 * Signals are delivered in it, and the thread cannot be cancelled; a child that is forked in it ends nothing. */
CUSTOM_KEYBOARD_RV CustomVault_change(CUSTOM_VAULT vault,
                                      CUSTOM_KEYBOARD_RV (*CUSTOM_KEYBOARD_NULLABLE body)(
                                          void *CUSTOM_KEYBOARD_NULLABLE context),
                                      void *CUSTOM_KEYBOARD_NULLABLE context);

/* ---- Items ------------------------------------------------------------------------------------------------------ */

/* An item is found by its service and its account: UTF-8 of 1 to 255 bytes, ended by a NUL. Its label and its kind have
 * 0 to 255 bytes; NULL is "" and "password". Its data is any 0 to 65,536 bytes. All of it is sealed in the file.
 *
 * Each function answers ARGUMENT for a string that is NULL where that is not said, empty where it may not be, too long
 * or not UTF-8; MISMATCH if another process has changed the key; DAMAGED, STORAGE, BUSY, MEMORY, RANDOM as open does.
 * When a call has answered OK, its change is whole and on the disk. With any other code nothing is changed; only after
 * STORAGE, when the disk could not say whether it has a change, that change may be there, whole, at the next open. */

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
 * lock is held, so that `each` may call anything; the strings exist until it returns. The thread cannot be cancelled in
 * `each`. Answers ARGUMENT (`each` is NULL). */
CUSTOM_KEYBOARD_RV CustomVault_listItems(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE service,
                                         int (*CUSTOM_KEYBOARD_NULLABLE each)(
                                             void *CUSTOM_KEYBOARD_NULLABLE context,
                                             const CUSTOM_VAULT_ITEM *CUSTOM_KEYBOARD_NONNULL item),
                                         void *CUSTOM_KEYBOARD_NULLABLE context);

/* ---- Passcodes whose tries are counted -------------------------------------------------------------------------- */

/* A passcode is typed on a keyboard and never leaves it: the vault asks CustomKeyboard_deriveKey. It has a name, UTF-8
 * of 1 to 255 bytes, ended by a NUL. Each has a key of its own, which only the right passcode gives: what must be
 * unreadable without the person is sealed under it.
 *
 * A try is counted on the disk before it is checked, so killing the process saves no try. After too many wrong ones
 * nothing can be tried for a time. While the machine runs, its running clock measures that time; while it is off, the
 * wall clock. A wall clock that is set back starts the lock again; one that is set forward may end it.
 *
 * A person who puts an older file back also gets its older count of tries, unless the vault is open: Docs/Vault.md. */

#define CUSTOM_VAULT_PASSCODEKEYSIZE 32 /* bytes: the key that a passcode gives                                       */

/* When a passcode is locked. NULL in its place means 5, 300 and 0, and so do members that `size` does not hold. */
typedef struct CUSTOM_VAULT_POLICY {
  size_t size;           /* sizeof(CUSTOM_VAULT_POLICY)                                                              */
  uint32_t triesToLock;  /* how many wrong tries lock it; 1 to 1000                                                  */
  uint32_t lockSeconds;  /* how long it is locked; 1 to 2147483647. Then there are `triesToLock` tries again         */
  uint32_t maximumLocks; /* after this many locks it stays locked until it is reset; 0: no maximum                   */
} CUSTOM_VAULT_POLICY;

/* The state of the count of wrong tries. Members that `size` does not hold are not written. */
typedef struct CUSTOM_VAULT_STATE {
  size_t size;          /* sizeof(CUSTOM_VAULT_STATE)                                                                */
  uint32_t triesLeft;   /* wrong tries to the next lock; 0 while it is locked                                        */
  uint32_t secondsLeft; /* to the end of the lock; 0: not locked; UINT32_MAX: until it is reset                      */
  uint32_t locks;       /* since the last right passcode                                                             */
} CUSTOM_VAULT_STATE;

/* Makes a passcode of what is typed. Answers ARGUMENT (NULL, the name, a policy out of range or with a size that holds
 * no member, no keyboard), OP_DISABLE (it is not open), REFUSED (nothing is typed), EXISTS; MISMATCH, DAMAGED, STORAGE,
 * BUSY, MEMORY, RANDOM as in items. */
CUSTOM_KEYBOARD_RV CustomVault_setPasscode(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                           CUSTOM_KEYBOARD keyboard,
                                           const CUSTOM_VAULT_POLICY *CUSTOM_KEYBOARD_NULLABLE policy);

/* Counts a try, then tells whether the passcode is right. `key` gets its key of 32 bytes, or is NULL; the caller wipes
 * it. `state`, or NULL, gets the state after OK, MISMATCH and LOCKED. The right passcode sets tries and locks to 0. The
 * last wrong try answers MISMATCH with `secondsLeft` set. Takes 20 ms, and the time in which open checks all rows; the
 * vault's other calls wait.
 *
 * Answers ARGUMENT (`state` with a size that holds no member; `key` and `state` overlap; no keyboard), OP_DISABLE (it
 * is not open); NOT_FOUND; LOCKED (nothing was tried or counted); STORAGE, BUSY, DAMAGED (a row was put back, too),
 * MEMORY, RANDOM (counting failed, and nothing was checked); then, and the try is counted: MISMATCH (another passcode,
 * or nothing is typed, or another thread or process changed the passcode meanwhile), and MEMORY, OP_DISABLE, STORAGE,
 * BUSY, RANDOM if there was no memory for the check, or the keyboard was closed or the file failed just then.
 * passcodeState tells which it was. MISMATCH leaves `state` as it was if it means that another process has changed the
 * vault's key. */
CUSTOM_KEYBOARD_RV CustomVault_checkPasscode(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                             CUSTOM_KEYBOARD keyboard, uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                             CUSTOM_VAULT_STATE *CUSTOM_KEYBOARD_NULLABLE state)
    CUSTOM_KEYBOARD_ANSWER;

/* Checks `current` as checkPasscode does, then makes what is typed on `next` the passcode, in one transaction. Its key
 * and its policy stay. Answers ARGUMENT, OP_DISABLE (one of the keyboards is not open), REFUSED (nothing is typed on
 * `next`; nothing is counted), then as checkPasscode. */
CUSTOM_KEYBOARD_RV CustomVault_changePasscode(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                              CUSTOM_KEYBOARD current, CUSTOM_KEYBOARD next,
                                              CUSTOM_VAULT_STATE *CUSTOM_KEYBOARD_NULLABLE state)
    CUSTOM_KEYBOARD_ANSWER;

/* Removes a passcode, locked or not: its row is gone from the file and its WAL. With its key all is gone that was
 * sealed under it, but for those who have an older copy: of the file, or of the row, in a free part of a page from
 * where SQLite has moved it. They need the passcode, and the vault's key of that time (see changeKey). Waits for
 * processes that read, as changeKey does. Answers ARGUMENT, NOT_FOUND. */
CUSTOM_KEYBOARD_RV CustomVault_resetPasscode(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name);

/* Tells the state, without a try. Answers ARGUMENT (NULL, a size that holds no member), NOT_FOUND, LOCKED (`state` says
 * for how long). */
CUSTOM_KEYBOARD_RV CustomVault_passcodeState(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                             CUSTOM_VAULT_STATE *CUSTOM_KEYBOARD_NULLABLE state);

/* Tells a passcode's policy. Members that `size` does not hold are not written. Answers ARGUMENT (NULL, a size that
 * holds no member), NOT_FOUND. */
CUSTOM_KEYBOARD_RV CustomVault_policy(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                      CUSTOM_VAULT_POLICY *CUSTOM_KEYBOARD_NULLABLE policy);

/* Gives a passcode another policy. Answers ARGUMENT, NOT_FOUND, REFUSED (wrong tries or locks are counted: the right
 * passcode ends that). */
CUSTOM_KEYBOARD_RV CustomVault_setPolicy(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                         const CUSTOM_VAULT_POLICY *CUSTOM_KEYBOARD_NULLABLE policy);

/* Calls `each` with the name of every passcode, as listItems does with items. Answers ARGUMENT (`each` is NULL). */
CUSTOM_KEYBOARD_RV CustomVault_listPasscodes(CUSTOM_VAULT vault,
                                             int (*CUSTOM_KEYBOARD_NULLABLE each)(
                                                 void *CUSTOM_KEYBOARD_NULLABLE context,
                                                 const char *CUSTOM_KEYBOARD_NONNULL name),
                                             void *CUSTOM_KEYBOARD_NULLABLE context);

/* ---- A passcode that opens the vault ---------------------------------------------------------------------------- */

/* What is typed may open the vault beside the key. It does not protect against a person who has a copy of the file: the
 * count of tries is in the file, and a person who has a copy can guess without counting. What protects then is the
 * passcode's strength, of which a PIN has none, and the pepper: Docs/Vault.md has numbers. `pepper` is 0 to 64 secret
 * bytes that are not in the file: of a server, or of a chip of the device. */

/* Makes what is typed open the vault, instead of any passcode that did, which is removed from the file and its WAL. It
 * still opens older copies of the file, and a person who has one can compute from it what opens the present vault: only
 * changeKey ends that. Waits for processes that read, as changeKey does. Answers ARGUMENT (NULL, a policy out of
 * range, no keyboard), OP_DISABLE (it is not open), MAXLEN (the pepper), REFUSED (nothing is typed); MISMATCH, DAMAGED,
 * STORAGE, BUSY, MEMORY, RANDOM as in items. */
CUSTOM_KEYBOARD_RV CustomVault_setPasscodeKey(CUSTOM_VAULT vault, CUSTOM_KEYBOARD keyboard,
                                              const uint8_t *CUSTOM_KEYBOARD_NULLABLE pepper, size_t pepperLength,
                                              const CUSTOM_VAULT_POLICY *CUSTOM_KEYBOARD_NULLABLE policy);

/* Removes it, as changeKey does, too; of older copies the same holds as for a passcode that is replaced. Answers
 * ARGUMENT, NOT_FOUND (there is none). */
CUSTOM_KEYBOARD_RV CustomVault_removePasscodeKey(CUSTOM_VAULT vault);

/* Opens a vault with what is typed: counts a try, then checks it, as checkPasscode does, and tells the state as that
 * does. Answers ARGUMENT (NULL, the path, no keyboard), OP_DISABLE (it is not open), MAXLEN (the pepper); STORAGE,
 * BUSY (this process has it open, too) and DAMAGED as open; NOT_FOUND (no file, which is not made then, or no passcode
 * that opens it, or another process has just changed the key); LOCKED; MISMATCH (another passcode or pepper, or it was
 * replaced meanwhile), MEMORY, RANDOM. `state` is told with OK, LOCKED and MISMATCH. */
CUSTOM_KEYBOARD_RV CustomVault_openWithPasscode(CUSTOM_VAULT *CUSTOM_KEYBOARD_NULLABLE vault,
                                                const char *CUSTOM_KEYBOARD_NULLABLE path, CUSTOM_KEYBOARD keyboard,
                                                const uint8_t *CUSTOM_KEYBOARD_NULLABLE pepper, size_t pepperLength,
                                                CUSTOM_VAULT_STATE *CUSTOM_KEYBOARD_NULLABLE state)
    CUSTOM_KEYBOARD_ANSWER;

/* Tells the state of that passcode's tries. Answers ARGUMENT (NULL, the path, a size that holds no member),
 * NOT_FOUND, LOCKED, and as openWithPasscode: BUSY while this process has the vault open. */
CUSTOM_KEYBOARD_RV CustomVault_passcodeKeyState(const char *CUSTOM_KEYBOARD_NULLABLE path,
                                                CUSTOM_VAULT_STATE *CUSTOM_KEYBOARD_NULLABLE state);

/* ---- Recovery words --------------------------------------------------------------------------------------------- */

/* BIP-39 with the English list: 12, 15, 18, 21 or 24 words are 16, 20, 24, 28 or 32 bytes of entropy and a checksum.
 * They are read in either case, with any of Unicode's white space between them, and written in small letters with one
 * space between two, ended by a NUL that `length` does not count. Where the caller gets words, it wipes them. */

#define CUSTOM_VAULT_MAXWORDSSIZE 216 /* bytes: room for any 24 words, with their NUL                                 */
#define CUSTOM_VAULT_SEEDSIZE 64      /* bytes: what wordsSeed makes                                                  */

/* Draws new words. Answers ARGUMENT (NULL, another count), SPACE (fewer than 9 bytes a word, which `length` then says),
 * MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomVault_generateWords(size_t count, char *CUSTOM_KEYBOARD_NULLABLE words, size_t capacity,
                                             size_t *CUSTOM_KEYBOARD_NULLABLE length)
    CUSTOM_KEYBOARD_ANSWER;

/* Checks words, and writes them as they should be. With NULL, 0 and NULL behind `words`, it only checks. Answers
 * ARGUMENT (NULL, not UTF-8), REFUSED (other words, another number of them, or a wrong checksum: a word was mistaken or
 * words changed places), SPACE (`length` bytes are needed, NUL included), MEMORY. */
CUSTOM_KEYBOARD_RV CustomVault_checkWords(const char *CUSTOM_KEYBOARD_NULLABLE words,
                                          char *CUSTOM_KEYBOARD_NULLABLE normalised, size_t capacity,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE length)
    CUSTOM_KEYBOARD_ANSWER;

/* Makes the 64 bytes that wallets derive their keys from. `passphrase` is printable ASCII, or NULL for none. Takes 10
 * ms. Answers ARGUMENT (NULL, not UTF-8, another passphrase), REFUSED (as checkWords), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomVault_wordsSeed(const char *CUSTOM_KEYBOARD_NULLABLE words,
                                         const char *CUSTOM_KEYBOARD_NULLABLE passphrase,
                                         uint8_t *CUSTOM_KEYBOARD_NULLABLE seed)
    CUSTOM_KEYBOARD_ANSWER;

/* Keeps words in a vault under a name of 1 to 255 bytes. Answers ARGUMENT (NULL, the name, not UTF-8), REFUSED (as
 * checkWords), EXISTS; MISMATCH, DAMAGED, STORAGE, BUSY, MEMORY, RANDOM as in items. */
CUSTOM_KEYBOARD_RV CustomVault_keepWords(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                         const char *CUSTOM_KEYBOARD_NULLABLE words);

/* Checks the words that are typed on a keyboard, and keeps them: they are in locked memory only. The 128 bytes of a
 * keyboard hold any 12 words, but not any 15. Answers ARGUMENT (no keyboard), OP_DISABLE (it is not open), then as
 * keepWords. */
CUSTOM_KEYBOARD_RV CustomVault_keepTypedWords(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                              CUSTOM_KEYBOARD keyboard);

/* Reads words that are kept. Answers ARGUMENT, NOT_FOUND, SPACE (`length` bytes are needed, NUL included); else as
 * readItem. */
CUSTOM_KEYBOARD_RV CustomVault_readWords(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name,
                                         char *CUSTOM_KEYBOARD_NULLABLE words, size_t capacity,
                                         size_t *CUSTOM_KEYBOARD_NULLABLE length);

/* Deletes words. Answers ARGUMENT, NOT_FOUND. */
CUSTOM_KEYBOARD_RV CustomVault_deleteWords(CUSTOM_VAULT vault, const char *CUSTOM_KEYBOARD_NULLABLE name);

/* Calls `each` with every name that words have, as listItems does with items. Answers ARGUMENT (`each` is NULL). */
CUSTOM_KEYBOARD_RV CustomVault_listWords(CUSTOM_VAULT vault,
                                         int (*CUSTOM_KEYBOARD_NULLABLE each)(
                                             void *CUSTOM_KEYBOARD_NULLABLE context,
                                             const char *CUSTOM_KEYBOARD_NONNULL name),
                                         void *CUSTOM_KEYBOARD_NULLABLE context);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* CUSTOM_VAULT_H */
