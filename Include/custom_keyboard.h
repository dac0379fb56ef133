/*
 * CustomKeyboard: a password goes from a finger to a server without lying about in the clear.
 *
 * The life of a keyboard:
 *
 *     create ──► idle ── open ──► up ── close ──► idle ──► destroy
 *                 │                │
 *            setEncKey        input, deleteBackward, clear, count
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
 * each other. In the child of a fork every keyboard is idle, empty and without a key: secrets do not cross a fork.
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

/* A handle: never 0, never used twice in a process. Any other number answers ARGUMENT. */
typedef uint64_t CUSTOM_KEYBOARD;

CUSTOM_KEYBOARD_RV CustomKeyboard_create(CUSTOM_KEYBOARD *CUSTOM_KEYBOARD_NULLABLE keyboard);

/* Wipes everything and ends the handle, open or not. */
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

/* Encrypts what was typed. All of `space` is filled with random bytes, and the ciphertext stands at a uniformly random
 * offset in it; a space exactly as long as the ciphertext holds it at offset 0. May be asked again: what was typed
 * stays until close. Nothing typed is legal and gives one block of padding. Without a key: ERR, never plaintext. */
CUSTOM_KEYBOARD_RV CustomKeyboard_getText(CUSTOM_KEYBOARD keyboard, uint8_t *CUSTOM_KEYBOARD_NULLABLE space,
                                          size_t spaceSize, size_t *CUSTOM_KEYBOARD_NULLABLE textOffset,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE textLength);

/* ---- Decryption, with no keyboard ------------------------------------------------------------------------------- */

/* The other end: `text` is 1 … 144 bytes of whole blocks, and the password stands at a uniformly random offset in
 * `space`, which is filled like getText's. `space` must not overlap `key` or `text` (ARGUMENT). The caller wipes it. */
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

/* The server's call: many passwords, each under its own key, side by side. Each job is answered by itself, and a bad one
 * spoils no other: its `clear` is untouched. The call answers OK unless `jobs` is NULL with a count, or the algorithm is
 * unknown (ARGUMENT; no job is then answered), or there is no memory (MEMORY; likewise). No job's `clear` may overlap its
 * own key or text (that job answers ARGUMENT) nor anything of another job's. */
CUSTOM_KEYBOARD_RV CustomKeyboard_decryptBatch(CUSTOM_ENCWAY way, CUSTOM_KEYBOARD_JOB *CUSTOM_KEYBOARD_NULLABLE jobs,
                                               size_t count);

/* ---- The bare block ciphers (the paper's *_setkey_enc, *_setkey_dec, *_crypt_ecb) ------------------------------- */

/* A key schedule in memory of the caller's, who wipes it with wipeCipher. It may be copied; a zeroed one is no cipher. */
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
