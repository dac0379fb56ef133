/*
 * CustomKeyboard: a password goes from a finger to a server without lying about in the clear.
 *
 * The life of a keyboard:
 *
 *     create ──► idle ── open ──► up ── close ──► idle ──► destroy
 *                 │                │
 *            setEncKey        keys, touch, pressKey: the library's keyboard, newly shuffled
 *            setLayout        input, deleteBackward, clear: your own
 *                                  │
 *                               getText  ──►  ciphertext somewhere in a space of random bytes
 *                                                        │
 *     decrypt (needs no keyboard; any machine)  ◄────────┘
 *
 * Every function returns a CUSTOM_KEYBOARD_RV unless shown otherwise, and none traps, whatever its arguments.
 * Where several codes could answer: bad arguments first (ARGUMENT), then the state (OP_DISABLE), then the rest.
 * A call that fails changes nothing: not the keyboard, not the space, not the places for its answers, except that
 * SPACE reports the length that is needed. A pointer may be NULL only where its length is 0.
 *
 * Any thread may call anything. Calls on one keyboard are serialised; calls on different keyboards do not wait for
 * each other. No function may be called from a signal handler. A thread is never cancelled inside a call, its callbacks
 * included: a request to cancel it waits until the call returns.
 *
 * In the child of a fork every keyboard is idle, empty and without a key: secrets do not cross a fork. If a signal
 * handler forks in the middle of a call, a call on a keyboard answers OP_DISABLE in the child, or OK if it had ended or
 * not begun.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_H
#define CUSTOM_KEYBOARD_H

#include <stddef.h>
#include <stdint.h>

#define CUSTOM_KEYBOARD_VERSION "0.1.0"

/* Nullability is for Swift and Objective-C clients; C and C++ compilers without it see nothing. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#define CUSTOM_KEYBOARD_NULLABLE _Nullable
#define CUSTOM_KEYBOARD_NONNULL _Nonnull
#else
#define CUSTOM_KEYBOARD_NULLABLE
#define CUSTOM_KEYBOARD_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constants -------------------------------------------------------------------------------------------------- */

#define CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE 128    /* bytes: the longest password, 1024 bits                            */
#define CUSTOM_KEYBOARD_MAXTEXTSIZE 144         /* bytes: the longest ciphertext, nine SM4 blocks                    */
#define CUSTOM_KEYBOARD_ENCDATASPACESIZE 1024   /* bytes: a good space for getText and decrypt                       */
#define CUSTOM_KEYBOARD_MAXKEYS 37              /* keys: the most that a page has; compare with what `keys` reports  */

/* The algorithm, ECB with PKCS#5/#7 padding. DES and 3DES are mbedTLS's (table look-ups, not constant-time). */
typedef enum CUSTOM_ENCWAY {
  CUSTOM_ENCWAY_DES = 0,  /* key of 8 bytes; broken, for old peers only                                              */
  CUSTOM_ENCWAY_3DES = 1, /* key of 24 bytes K1 K2 K3, or of 16 bytes K1 K2 (then K3 = K1); retired by NIST          */
  CUSTOM_ENCWAY_SM4 = 2   /* key of 16 bytes; constant-time                                                          */
} CUSTOM_ENCWAY;

typedef enum CUSTOM_KEYBOARD_RV {
  CUSTOM_KEYBOARD_OK = 0,            /* success                                                                      */
  CUSTOM_KEYBOARD_ERR = 1,           /* key error: wrong length for the algorithm, or none set                       */
  CUSTOM_KEYBOARD_OP_DISABLE = 2,    /* not allowed in this state: a key while up, typing while not                  */
  CUSTOM_KEYBOARD_MAXLEN = 3,        /* password longer than 128 bytes, or ciphertext longer than 144                */
  CUSTOM_KEYBOARD_SPACE = 4,         /* space too small; the needed length is reported, nothing is written           */
  CUSTOM_KEYBOARD_ARGUMENT = 5,      /* NULL, unknown algorithm, not UTF-8, overlap, dead or foreign handle          */
  CUSTOM_KEYBOARD_UNDECRYPTABLE = 6, /* not whole blocks, or wrong padding: one code, on purpose                     */
  CUSTOM_KEYBOARD_MEMORY = 7,        /* no memory                                                                    */
  CUSTOM_KEYBOARD_RANDOM = 8         /* the system gave no randomness                                                */
} CUSTOM_KEYBOARD_RV;

/* One sentence that says what to do about a code; never NULL, never freed. */
const char *CUSTOM_KEYBOARD_NONNULL CustomKeyboard_message(CUSTOM_KEYBOARD_RV rv);

/* The library's version, "major.minor.patch". */
const char *CUSTOM_KEYBOARD_NONNULL CustomKeyboard_version(void);

/* ---- The keyboard ----------------------------------------------------------------------------------------------- */

/* A handle: never 0, never used twice in a process, and not valid in another copy of the library in the same process.
 * Any other number answers ARGUMENT. */
typedef uint64_t CUSTOM_KEYBOARD;

CUSTOM_KEYBOARD_RV CustomKeyboard_create(CUSTOM_KEYBOARD *CUSTOM_KEYBOARD_NULLABLE keyboard);

/* Wipes everything and ends the handle, open or not. When it returns, no callback of the keyboard runs (see below). */
CUSTOM_KEYBOARD_RV CustomKeyboard_destroy(CUSTOM_KEYBOARD keyboard);

/* The key that passwords are encrypted under; it is copied, and kept over open and close until it is replaced or the
 * keyboard destroyed. Not while the keyboard is up (OP_DISABLE). A key of a wrong length is refused (ERR), and the old
 * one stays. The paper's setEncKeyAndWay. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setEncKey(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                            size_t keyLength, CUSTOM_ENCWAY way);

CUSTOM_KEYBOARD_RV CustomKeyboard_open(CUSTOM_KEYBOARD keyboard);

/* Wipes what was typed. */
CUSTOM_KEYBOARD_RV CustomKeyboard_close(CUSTOM_KEYBOARD keyboard);

/* Appends whole UTF-8 characters. A password longer than 128 bytes is refused (MAXLEN), and nothing is appended. */
CUSTOM_KEYBOARD_RV CustomKeyboard_input(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE utf8,
                                        size_t length);

/* Removes the last character, what a person sees as one, however many bytes it has; nothing when nothing is typed. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deleteBackward(CUSTOM_KEYBOARD keyboard);

CUSTOM_KEYBOARD_RV CustomKeyboard_clear(CUSTOM_KEYBOARD keyboard);

/* The number of characters typed; 0 while the keyboard is idle. */
CUSTOM_KEYBOARD_RV CustomKeyboard_count(CUSTOM_KEYBOARD keyboard, size_t *CUSTOM_KEYBOARD_NULLABLE characterCount);

/* Encrypts what was typed. All of `space` is filled with random bytes, and the ciphertext is at a uniformly random
 * offset in it; a space exactly as long as the ciphertext holds it at offset 0. `space` may have any size; the places
 * for the two answers must not be inside it (ARGUMENT). May be called again: what was typed stays until close. Nothing
 * typed is allowed and gives one block of padding. Without a key: ERR, never plaintext. */
CUSTOM_KEYBOARD_RV CustomKeyboard_getText(CUSTOM_KEYBOARD keyboard, uint8_t *CUSTOM_KEYBOARD_NULLABLE space,
                                          size_t spaceSize, size_t *CUSTOM_KEYBOARD_NULLABLE textOffset,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE textLength);

/* ---- Layout and touch ------------------------------------------------------------------------------------------- */

/* Where a key is in its page's grid: rows and columns counted from 1. */
typedef struct ENCKEYBOARD_GridRect {
  int row, column, rowSpan, columnSpan;
} ENCKEYBOARD_GridRect;

typedef enum CUSTOM_KEYBOARD_LAYOUT {
  CUSTOM_KEYBOARD_LAYOUT_LETTERS = 0, /* 26 letters first, with switches to digits and symbols; what a keyboard has    */
  CUSTOM_KEYBOARD_LAYOUT_DIGITS = 1,  /* the same pages, the 10 digits first                                         */
  CUSTOM_KEYBOARD_LAYOUT_SYMBOLS = 2, /* the same pages, ASCII's 32 symbols first                                    */
  CUSTOM_KEYBOARD_LAYOUT_MIXED = 3,   /* all 68 pooled, shuffled and dealt over three pages                          */
  CUSTOM_KEYBOARD_LAYOUT_PIN = 4      /* 3 x 4: ten digits, bottom left blank, bottom right delete                   */
} CUSTOM_KEYBOARD_LAYOUT;

typedef enum CUSTOM_KEYBOARD_SHUFFLE {
  CUSTOM_KEYBOARD_SHUFFLE_NONE = 0,
  CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING = 1, /* what a keyboard does: never the order of the opening before            */
  CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY = 2      /* after every character, too                                            */
} CUSTOM_KEYBOARD_SHUFFLE;

typedef enum CUSTOM_KEYBOARD_ROLE {
  CUSTOM_KEYBOARD_ROLE_CHARACTER = 0,
  CUSTOM_KEYBOARD_ROLE_SPACE = 1,
  CUSTOM_KEYBOARD_ROLE_DELETE = 2,
  CUSTOM_KEYBOARD_ROLE_CLEAR = 3,
  CUSTOM_KEYBOARD_ROLE_SHIFT = 4, /* one letter; pressed twice, caps lock                                            */
  CUSTOM_KEYBOARD_ROLE_TO_LETTERS = 5,
  CUSTOM_KEYBOARD_ROLE_TO_DIGITS = 6,
  CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS = 7,
  CUSTOM_KEYBOARD_ROLE_RETURN = 8, /* calls the OK action                                                            */
  CUSTOM_KEYBOARD_ROLE_BLANK = 9   /* does nothing                                                                   */
} CUSTOM_KEYBOARD_ROLE;

typedef struct CUSTOM_KEYBOARD_KEY {
  ENCKEYBOARD_GridRect grid;
  double x, y, width, height; /* points, from the view's upper left corner                                           */
  CUSTOM_KEYBOARD_ROLE role;
  char label[16]; /* UTF-8, ends with NUL                                                                            */
} CUSTOM_KEYBOARD_KEY;

/* Which keys there are, and when they change places; not while the keyboard is up. `maximumCount` characters complete
 * the input, as RETURN does, and further keys are ignored; 0 is no limit below 128 bytes. It limits keys, not `input`.
 * A view with fewer points than this layout has keys: ARGUMENT. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setLayout(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD_LAYOUT layout,
                                            CUSTOM_KEYBOARD_SHUFFLE shuffle, size_t maximumCount);

/* The view's size and gaps in points, at any time; 320 x 216, 6 and 8 unless told otherwise. Gaps shrink where keys
 * would have less than a point; a view with fewer points than keys is refused (ARGUMENT), as is what is no size. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setSize(CUSTOM_KEYBOARD keyboard, double width, double height, double columnGap,
                                          double rowGap);

/* The keys of the page that is up, from the upper left to the lower right; a key's index is its place in this list. The
 * place for `keyCount` must not be inside `keys` (ARGUMENT). */
CUSTOM_KEYBOARD_RV CustomKeyboard_keys(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD_KEY *CUSTOM_KEYBOARD_NULLABLE keys,
                                       size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE keyCount);

/* Presses a key. Look at `keys` again afterwards: the page, the case or the places may have changed. */
CUSTOM_KEYBOARD_RV CustomKeyboard_pressKey(CUSTOM_KEYBOARD keyboard, size_t index);

/* Presses the key that holds the point, or else the nearest one. Outside the view: ARGUMENT. */
CUSTOM_KEYBOARD_RV CustomKeyboard_touch(CUSTOM_KEYBOARD keyboard, double x, double y);

/* Callbacks run on the thread that made the call, after the call has done its work and with no lock held: they may call
 * any function, `destroy` included. The field is told first, then the OK action. NULL takes a callback away.
 *
 * When setTextField, setOKAction or destroy returns, the callback that was set before does not run any more and will
 * not start: its context may be freed. For that, these three wait while another thread runs the callback. So a callback
 * must not wait for a lock that a caller of these three may hold, nor for a thread that may call them. From inside a
 * callback of the library, of any keyboard, they do not wait. A callback must return: not by longjmp, an exception or
 * pthread_exit. */

/* Called after every call that changed what is typed (not by open and close), with the number of characters. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setTextField(
    CUSTOM_KEYBOARD keyboard,
    void (*CUSTOM_KEYBOARD_NULLABLE changed)(void *CUSTOM_KEYBOARD_NULLABLE context, CUSTOM_KEYBOARD keyboard,
                                             size_t characterCount),
    void *CUSTOM_KEYBOARD_NULLABLE context);

/* Called when the input is complete: RETURN was pressed, or a key brought the maximum. The place to call getText. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setOKAction(
    CUSTOM_KEYBOARD keyboard,
    void (*CUSTOM_KEYBOARD_NULLABLE action)(void *CUSTOM_KEYBOARD_NULLABLE context, CUSTOM_KEYBOARD keyboard),
    void *CUSTOM_KEYBOARD_NULLABLE context);

/* ---- Decryption, with no keyboard ------------------------------------------------------------------------------- */

/* The other end: `text` is 1 … 144 bytes of whole blocks, and the password is at a uniformly random offset in `space`,
 * which is filled like getText's. `space` must not overlap `key`, `text` or the places for the two answers (ARGUMENT).
 * The caller wipes it. */
CUSTOM_KEYBOARD_RV CustomKeyboard_decrypt(CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                          size_t keyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE text,
                                          size_t textLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE space, size_t spaceSize,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE clearOffset,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE clearLength);

/* One password to decrypt, for decryptBatch. */
typedef struct CUSTOM_KEYBOARD_JOB {
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE key; /* given                                                               */
  size_t keyLength;
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE text;
  size_t textLength;
  uint8_t *CUSTOM_KEYBOARD_NULLABLE clear; /* given: where the password goes, at offset 0                             */
  size_t clearCapacity;
  size_t clearLength;    /* answered: the password's length; if rv is SPACE, the capacity needed; else 0             */
  CUSTOM_KEYBOARD_RV rv; /* answered: what decrypt would, for this job                                               */
} CUSTOM_KEYBOARD_JOB;

/* The server's call: many passwords, each under its own key, side by side. Each job is answered by itself, and a bad
 * one spoils no other: its `clear` is untouched. The call answers OK unless `jobs` is NULL with a count or runs past
 * the end of memory, or the algorithm is unknown (ARGUMENT), or there is no memory (MEMORY); no job is then answered.
 * No job's `clear` may overlap its own key or text or the array of jobs (that job answers ARGUMENT), nor anything of
 * another job's. Each field of a job is read once. */
CUSTOM_KEYBOARD_RV CustomKeyboard_decryptBatch(CUSTOM_ENCWAY way, CUSTOM_KEYBOARD_JOB *CUSTOM_KEYBOARD_NULLABLE jobs,
                                               size_t count);

/* ---- The bare block ciphers (the paper's *_setkey_enc, *_setkey_dec, *_crypt_ecb) ------------------------------- */

/* An expanded key in the caller's memory; the caller wipes it with wipeCipher. It may be copied within the process; in
 * another process it means nothing. One of zeros is no cipher. */
typedef struct CUSTOM_KEYBOARD_CIPHER {
  uint64_t opaque[64];
} CUSTOM_KEYBOARD_CIPHER;

CUSTOM_KEYBOARD_RV CustomKeyboard_setupCipher(CUSTOM_KEYBOARD_CIPHER *CUSTOM_KEYBOARD_NULLABLE cipher,
                                              CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                              size_t keyLength, int decrypting);

/* Whole blocks (0 or more) and no padding; anything else is ARGUMENT. `output` may be `input`, and may not overlap it
 * otherwise. Any number of threads may use one cipher. */
CUSTOM_KEYBOARD_RV CustomKeyboard_cryptECB(const CUSTOM_KEYBOARD_CIPHER *CUSTOM_KEYBOARD_NULLABLE cipher,
                                           const uint8_t *CUSTOM_KEYBOARD_NULLABLE input,
                                           uint8_t *CUSTOM_KEYBOARD_NULLABLE output, size_t length);

CUSTOM_KEYBOARD_RV CustomKeyboard_wipeCipher(CUSTOM_KEYBOARD_CIPHER *CUSTOM_KEYBOARD_NULLABLE cipher);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* CUSTOM_KEYBOARD_H */
