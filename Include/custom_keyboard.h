/*
 * CustomKeyboard: a password goes from a finger to a server, and is never in the clear on its way.
 *
 * The life of a keyboard:
 *
 *     create ──► idle ── open ──► open ── close ──► idle ──► destroy
 *                 │                │
 *            setEncKey        keys, touch, pressKey: the library's keyboard, newly shuffled
 *            setLayout        input, deleteBackward, clear: your own
 *                                  │
 *                               getText  ──►  ciphertext somewhere in a space of random bytes
 *                                                        │
 *     decrypt (needs no keyboard; any machine)  ◄────────┘
 *
 * Every function returns a CUSTOM_KEYBOARD_RV unless shown otherwise. Wrong arguments get a code and never end the
 * process, except for a pointer to memory that does not exist.
 * Where several codes could answer: bad arguments first (ARGUMENT), then the state (OP_DISABLE), then the rest.
 * A call that fails changes nothing: not the keyboard, not the space, not the places for its answers, except that
 * SPACE reports the length that is needed. A pointer may be NULL only where its length is 0.
 *
 * Any thread may call anything. Calls on one keyboard are serialised; calls on different keyboards do not wait for
 * each other. No function may be called from a signal handler. A thread is never cancelled inside a call, its callbacks
 * included: a request to cancel it waits until the call returns. If a thread has the asynchronous cancellation type,
 * its callbacks must not call cancellation points (read, sleep): glibc may wait there for ever.
 *
 * In the child of a fork every keyboard is idle, empty and without a key: secrets do not cross a fork. If a signal
 * handler forks in the middle of a call, a call on a keyboard answers OP_DISABLE in the child, or OK if it had ended or
 * not begun.
 *
 * All functions are in this one file, however long it becomes: a C program includes one header. The pages of Docs/ that
 * it names are installed in share/doc/customkeyboard.
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

/* For functions whose answer must be looked at: a verdict, or whether there is a key or a text at all. A compiler then
 * warns of a call that ignores it. */
#if defined(__GNUC__)
#define CUSTOM_KEYBOARD_ANSWER __attribute__((warn_unused_result))
#else
#define CUSTOM_KEYBOARD_ANSWER
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constants -------------------------------------------------------------------------------------------------- */

#define CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE 128    /* bytes: the longest password, 1024 bits                            */
#define CUSTOM_KEYBOARD_MAXTEXTSIZE 144         /* bytes: the longest ECB ciphertext, nine SM4 blocks                */
#define CUSTOM_KEYBOARD_MAXCONTEXTSIZE 256      /* bytes: the longest context of a sealed text                       */
#define CUSTOM_KEYBOARD_MAXSEALEDSIZE 1280      /* bytes: the longest sealed text; later ways may have longer ones   */
#define CUSTOM_KEYBOARD_MAXVERIFIERSIZE 128     /* bytes: room for makeVerifier's string, with its NUL               */
#define CUSTOM_KEYBOARD_ENCDATASPACESIZE 2048   /* bytes: a good space for getText and decrypt                       */
#define CUSTOM_KEYBOARD_MAXKEYS 37              /* keys: the most that a page has; compare with what `keys` reports  */

/* How a password is encrypted. The first three are ECB with PKCS#5/#7 padding; DES and 3DES are mbedTLS's (table
 * look-ups, not constant-time). Then there are sealed texts: never the same twice, not to be altered, and bound to a
 * context. Docs/SealedTexts.md describes them byte by byte. The last four are PIN blocks, which payment networks take:
 * a PIN of 4 to 12 digits, in no other function than setEncKey, getText, receive and dukptNext (Docs/PINBlocks.md). */
typedef enum CUSTOM_ENCWAY {
  CUSTOM_ENCWAY_DES = 0,  /* key of 8 bytes; broken, for old peers only                                              */
  CUSTOM_ENCWAY_3DES = 1, /* key of 24 bytes K1 K2 K3, or of 16 bytes K1 K2 (then K3 = K1); retired by NIST          */
  CUSTOM_ENCWAY_SM4 = 2,  /* key of 16 bytes; constant-time                                                          */
  CUSTOM_ENCWAY_SM4_GCM = 3, /* SM4-GCM (RFC 8998) under 16 bytes that both ends have; texts of 172 bytes            */
  CUSTOM_ENCWAY_X25519 = 4,  /* HPKE (RFC 9180) with X25519 and ChaCha20-Poly1305; texts of 192 bytes                */
  CUSTOM_ENCWAY_P256 = 5,    /* HPKE (RFC 9180) with P-256 and AES-256-GCM; texts of 225 bytes                       */
  CUSTOM_ENCWAY_SM2 = 6,     /* SM2 (GM/T 0003.4) of a fresh key for SM4-GCM; texts of 285 bytes                     */
  CUSTOM_ENCWAY_RSA = 7,     /* RSAES-OAEP (RFC 8017) with SHA-256; texts as long as the modulus, 256 … 512 bytes    */
  CUSTOM_ENCWAY_XWING = 8,   /* HPKE with X-Wing (ML-KEM-768 and X25519) and AES-256-GCM; texts of 1280 bytes        */
  CUSTOM_ENCWAY_PIN0 = 9,    /* PIN block of ISO 9564-1 format 0, 3DES, key of 16 or 24 bytes; texts of 8 bytes      */
  CUSTOM_ENCWAY_PIN1 = 10,   /* format 1, likewise; the only one without an account number                           */
  CUSTOM_ENCWAY_PIN3 = 11,   /* format 3, likewise                                                                   */
  CUSTOM_ENCWAY_PIN4 = 12    /* format 4, AES, key of 16, 24 or 32 bytes; texts of 16 bytes                          */
} CUSTOM_ENCWAY;

/* The codes of all modules. Those from EXISTS on are answered by modules that store something; of the functions here,
 * only dukptNext answers one of them. */
typedef enum CUSTOM_KEYBOARD_RV {
  CUSTOM_KEYBOARD_OK = 0,            /* success                                                                      */
  CUSTOM_KEYBOARD_ERR = 1,           /* key error: wrong length or value for the algorithm, or none set              */
  CUSTOM_KEYBOARD_OP_DISABLE = 2,    /* not allowed in this state: a new key while open, typing while not open       */
  CUSTOM_KEYBOARD_MAXLEN = 3,        /* password over 128 bytes, ECB ciphertext over 144, context over 256           */
  CUSTOM_KEYBOARD_SPACE = 4,         /* space too small; the needed length is reported, nothing is written           */
  CUSTOM_KEYBOARD_ARGUMENT = 5,      /* NULL, unknown algorithm, not UTF-8, overlap, dead or foreign handle          */
  CUSTOM_KEYBOARD_UNDECRYPTABLE = 6, /* a text that is wrong in any way: one code, on purpose                        */
  CUSTOM_KEYBOARD_MEMORY = 7,        /* no memory                                                                    */
  CUSTOM_KEYBOARD_RANDOM = 8,        /* the system gave no randomness                                                */
  CUSTOM_KEYBOARD_MISMATCH = 9,      /* the signature is wrong, or passwords or the ends of a login differ           */
  CUSTOM_KEYBOARD_REFUSED = 10,      /* a rule refuses the passcode; not for a PIN block; all DUKPT keys were used   */
  CUSTOM_KEYBOARD_EXISTS = 11,       /* something of this name is there already                                      */
  CUSTOM_KEYBOARD_NOT_FOUND = 12,    /* nothing of this name is there                                                */
  CUSTOM_KEYBOARD_LOCKED = 13,       /* too many wrong tries: nothing was tried now                                  */
  CUSTOM_KEYBOARD_DAMAGED = 14,      /* what is stored was altered, or is not whole                                  */
  CUSTOM_KEYBOARD_STORAGE = 15,      /* a file that cannot be read or written, or that others may change             */
  CUSTOM_KEYBOARD_BUSY = 16          /* it is in use elsewhere: call again                                           */
} CUSTOM_KEYBOARD_RV;

/* One sentence that says what to do about a code; never NULL, never freed. */
const char *CUSTOM_KEYBOARD_NONNULL CustomKeyboard_message(CUSTOM_KEYBOARD_RV rv);

/* One sentence on this thread's last call that answered anything but OK: what was wrong, as exactly as the function
 * knew it, and what to do. Where nothing more is known, it is the code's sentence; "Done." before the first failure. It
 * has nothing of the caller's in it, no digits of a PIN, a card or a key, and may be logged. Never NULL, never freed,
 * valid for ever. A call that answers OK leaves it as it is, and so does a job that fails in a batch. In the child of a
 * fork it is the parent's. It is for people: programs look at the code. UNDECRYPTABLE and MISMATCH have one sentence
 * each, on purpose. */
const char *CUSTOM_KEYBOARD_NONNULL CustomKeyboard_cause(void);

/* The library's version, "major.minor.patch". */
const char *CUSTOM_KEYBOARD_NONNULL CustomKeyboard_version(void);

/* ---- The keyboard ----------------------------------------------------------------------------------------------- */

/* A handle: never 0, never used twice in a process, and not valid in another copy of the library in the same process.
 * Any other number answers ARGUMENT. */
typedef uint64_t CUSTOM_KEYBOARD;

/* Makes a keyboard: idle, without a key, letters shuffled at each opening. `keyboard` gets its handle. Answers ARGUMENT
 * (NULL), MEMORY. */
CUSTOM_KEYBOARD_RV CustomKeyboard_create(CUSTOM_KEYBOARD *CUSTOM_KEYBOARD_NULLABLE keyboard);

/* Wipes everything and ends the handle, open or not. When it returns, no callback of the keyboard runs (see below).
 * Answers ARGUMENT (no keyboard, here and in all other functions that take one). */
CUSTOM_KEYBOARD_RV CustomKeyboard_destroy(CUSTOM_KEYBOARD keyboard);

/* Sets the key that passwords are encrypted with: for ECB and SM4_GCM a secret key, 8, 16 or 24 bytes as the algorithm
 * says; for the other sealed texts the recipient's public key. X25519: 32 bytes (RFC 7748); P256 and SM2: 65 bytes,
 * 04 || x || y; RSA: a SubjectPublicKeyInfo in DER, of 2048 to 4096 bits; XWING: 1216 bytes, ML-KEM-768's key, then
 * X25519's. PIN blocks take a secret key: 3DES, or for PIN4 AES. It is copied, and kept until it is replaced or the
 * keyboard destroyed; open and close do not change it.
 *
 * A key as text (PEM, hexadecimal digits, base64) is sure to be ERR only if the way takes no key of its length: PIN4
 * takes 32 hexadecimal digits as a key of AES-256. `keyboard key --to raw` prints the bytes of such a text.
 *
 * Answers ARGUMENT (an unknown algorithm), OP_DISABLE (the keyboard is open), ERR (a wrong length, no point of the
 * curve, no such key of RSA or XWING; of a PIN block K1 = K2 or K2 = K3, which is single DES), MEMORY, RANDOM; the old
 * key then stays. The paper's setEncKeyAndWay. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setEncKey(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                            size_t keyLength, CUSTOM_ENCWAY way);

/* Shows the keyboard: nothing is typed, the first page is shown, the keys are shuffled as the layout says. Answers
 * ARGUMENT, OP_DISABLE (it is open already), MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomKeyboard_open(CUSTOM_KEYBOARD keyboard);

/* Wipes what was typed, the order of the keys and the context. The key stays, unless dukptNext has set it. Answers
 * ARGUMENT, OP_DISABLE (it is not open). */
CUSTOM_KEYBOARD_RV CustomKeyboard_close(CUSTOM_KEYBOARD keyboard);

/* Appends whole characters, `length` bytes of UTF-8. Answers ARGUMENT (not UTF-8), OP_DISABLE (it is not open), MAXLEN
 * (the password would be longer than 128 bytes); nothing is then appended. */
CUSTOM_KEYBOARD_RV CustomKeyboard_input(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE utf8,
                                        size_t length);

/* Removes the last character: what a person sees as one, however many bytes it has. Does nothing if nothing is typed.
 * Answers ARGUMENT, OP_DISABLE (it is not open). */
CUSTOM_KEYBOARD_RV CustomKeyboard_deleteBackward(CUSTOM_KEYBOARD keyboard);

/* Wipes what was typed; the keyboard stays open. Answers ARGUMENT, OP_DISABLE (it is not open). */
CUSTOM_KEYBOARD_RV CustomKeyboard_clear(CUSTOM_KEYBOARD keyboard);

/* The number of characters typed, as people count them; 0 while the keyboard is idle. Answers ARGUMENT (NULL). */
CUSTOM_KEYBOARD_RV CustomKeyboard_count(CUSTOM_KEYBOARD keyboard, size_t *CUSTOM_KEYBOARD_NULLABLE characterCount);

/* Encrypts what was typed. All of `space` is filled with random bytes, and the ciphertext is at a uniformly random
 * offset in it. A space exactly as long as the ciphertext holds it at offset 0. `space` may have any size. The call may
 * be repeated: what was typed stays until close. If nothing was typed, the ciphertext is one block of padding.
 *
 * A sealed text goes the same way: it has the same length for every password, and is bound to the context. A PIN block
 * is bound to the card's number, which is its context: 10 to 19 ASCII digits, the check digit included. PIN1 has none.
 *
 * Answers ARGUMENT (a place for an answer is inside `space`), OP_DISABLE (it is not open), ERR (no key is set:
 * plaintext never leaves; a way that seals and no context, not even an empty one; ECB or PIN1 and a context; PIN0, PIN3
 * or PIN4 and no card's number), REFUSED (for a PIN block what is not 4 to 12 ASCII digits; a PIN that was received in
 * a block and must not become this text), SPACE (`textLength` bytes are needed), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_getText(CUSTOM_KEYBOARD keyboard, uint8_t *CUSTOM_KEYBOARD_NULLABLE space,
                                          size_t spaceSize, size_t *CUSTOM_KEYBOARD_NULLABLE textOffset,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE textLength)
    CUSTOM_KEYBOARD_ANSWER;

/* ---- Layout and touch ------------------------------------------------------------------------------------------- */

/* Where a key is in its page's grid: rows and columns counted from 1. */
typedef struct ENCKEYBOARD_GridRect {
  int row, column, rowSpan, columnSpan;
} ENCKEYBOARD_GridRect;

typedef enum CUSTOM_KEYBOARD_LAYOUT {
  CUSTOM_KEYBOARD_LAYOUT_LETTERS = 0, /* 26 letters first, with switches to digits and symbols; the default          */
  CUSTOM_KEYBOARD_LAYOUT_DIGITS = 1,  /* the same pages, the 10 digits first                                         */
  CUSTOM_KEYBOARD_LAYOUT_SYMBOLS = 2, /* the same pages, ASCII's 32 symbols first                                    */
  CUSTOM_KEYBOARD_LAYOUT_MIXED = 3,   /* all 68 pooled, shuffled and dealt over three pages                          */
  CUSTOM_KEYBOARD_LAYOUT_PIN = 4,     /* 3 x 4: ten digits, blank, delete; no return, so set maximumCount            */
  CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS = 5, /* 4 x 4: ten digits and four blank keys, shuffled; delete, return          */
  CUSTOM_KEYBOARD_LAYOUT_PATTERN = 6     /* 3 x 3 nodes to draw a pattern through; see below                         */
} CUSTOM_KEYBOARD_LAYOUT;

typedef enum CUSTOM_KEYBOARD_SHUFFLE {
  CUSTOM_KEYBOARD_SHUFFLE_NONE = 0,
  CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING = 1, /* the default; never the order of the last opening                      */
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
  CUSTOM_KEYBOARD_ROLE_BLANK = 9,  /* does nothing                                                                   */
  CUSTOM_KEYBOARD_ROLE_NODE = 10   /* of a pattern: a circle that fills the key's frame                              */
} CUSTOM_KEYBOARD_ROLE;

typedef struct CUSTOM_KEYBOARD_KEY {
  ENCKEYBOARD_GridRect grid;
  double x, y, width, height; /* points, from the view's upper left corner                                           */
  CUSTOM_KEYBOARD_ROLE role;
  char label[16]; /* UTF-8, ends with NUL                                                                            */
} CUSTOM_KEYBOARD_KEY;

/* Which keys there are, and when they change places. `maximumCount` characters complete the input, as RETURN does, and
 * further keys are ignored; 0 means no limit below 128 bytes. It limits keys, not `input`. Answers ARGUMENT (no such
 * layout or shuffle, a view with fewer points than the layout has keys, a pattern that is shuffled or has a maximum
 * over 9), OP_DISABLE (the keyboard is open).
 *
 * PATTERN has nine nodes, the digits 1 to 9 row by row; a pattern has each at most once. A cell is a third of the
 * view's shorter side, in the middle of the view, and a node is a circle of 0.35 cells around the cell's middle. Call
 * `touch` for every move of the finger: inside a node it appends the node's digit, if that is free, and before it a
 * free node that the line passes over (from 1 to 3, that is 2); elsewhere in the view it does nothing. So the count may
 * grow by two. pressKey does the same by index. No key completes a pattern: it ends when the finger leaves. `input`
 * takes digits 1 to 9 that are free, as they come; others are ARGUMENT. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setLayout(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD_LAYOUT layout,
                                            CUSTOM_KEYBOARD_SHUFFLE shuffle, size_t maximumCount);

/* The view's size and the gaps between keys, in points; in every state. 320 x 216, 6 and 8 at first. Gaps shrink where
 * keys would have less than a point. Answers ARGUMENT (a view with fewer points than keys, or not a size). */
CUSTOM_KEYBOARD_RV CustomKeyboard_setSize(CUSTOM_KEYBOARD keyboard, double width, double height, double columnGap,
                                          double rowGap);

/* The keys of the page that is shown, from the upper left to the lower right; a key's index is its place in this list.
 * Answers ARGUMENT (the place for `keyCount` is inside `keys`), OP_DISABLE (the keyboard is not open), SPACE
 * (`capacity` is too small, `keyCount` keys are there). */
CUSTOM_KEYBOARD_RV CustomKeyboard_keys(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD_KEY *CUSTOM_KEYBOARD_NULLABLE keys,
                                       size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE keyCount);

/* Presses a key. Look at `keys` again afterwards: the page, the case or the places may have changed. Answers ARGUMENT
 * (no such key), OP_DISABLE (the keyboard is not open), MAXLEN (the password would be longer than 128 bytes), MEMORY,
 * RANDOM; nothing is then changed. */
CUSTOM_KEYBOARD_RV CustomKeyboard_pressKey(CUSTOM_KEYBOARD keyboard, size_t index);

/* Presses the key that holds the point, or else the nearest one; in a pattern, only a node that holds it. Answers
 * ARGUMENT for a point outside the view, and all that pressKey answers. */
CUSTOM_KEYBOARD_RV CustomKeyboard_touch(CUSTOM_KEYBOARD keyboard, double x, double y);

/* Callbacks run on the thread that made the call, after the call has done its work and with no lock held: they may call
 * any function, `destroy` included. The text field's callback runs first, then the OK action. NULL removes a callback.
 *
 * When setTextField, setOKAction or destroy returns, the callback that was set before does not run any more and will
 * not start: its context may be freed. For that, these three wait while another thread runs the callback. So a callback
 * must not wait for a lock that a caller of these three may hold, nor for a thread that may call them. From inside a
 * callback of the library, of any keyboard, they do not wait. A callback must return: not by longjmp, an exception or
 * pthread_exit. */

/* Sets what is called after every call that changed what is typed (not by open and close), with the number of
 * characters. Answers ARGUMENT, MEMORY. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setTextField(
    CUSTOM_KEYBOARD keyboard,
    void (*CUSTOM_KEYBOARD_NULLABLE changed)(void *CUSTOM_KEYBOARD_NULLABLE context, CUSTOM_KEYBOARD keyboard,
                                             size_t characterCount),
    void *CUSTOM_KEYBOARD_NULLABLE context);

/* Sets what is called when the input is complete: RETURN was pressed, or a key brought the maximum. The place to call
 * getText. Answers ARGUMENT, MEMORY. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setOKAction(
    CUSTOM_KEYBOARD keyboard,
    void (*CUSTOM_KEYBOARD_NULLABLE action)(void *CUSTOM_KEYBOARD_NULLABLE context, CUSTOM_KEYBOARD keyboard),
    void *CUSTOM_KEYBOARD_NULLABLE context);

/* ---- Passcodes -------------------------------------------------------------------------------------------------- */

/* What a passcode must not be. MIN_LENGTH and MAX_LENGTH count what `count` counts, all others Unicode scalars. An
 * empty passcode breaks at most MIN_LENGTH, MATCH and NOT_MATCH. Docs/Passcodes.md says how many PINs each rule
 * refuses. */
typedef enum CUSTOM_KEYBOARD_RULE {
  CUSTOM_KEYBOARD_RULE_MIN_LENGTH = 0,   /* fewer than `number` characters; 0 to 128                                 */
  CUSTOM_KEYBOARD_RULE_MAX_LENGTH = 1,   /* more than `number` characters; 0 to 128                                  */
  CUSTOM_KEYBOARD_RULE_DIGITS = 2,       /* anything but ASCII digits                                                */
  CUSTOM_KEYBOARD_RULE_ALPHANUMERIC = 3, /* anything but ASCII digits and letters                                    */
  CUSTOM_KEYBOARD_RULE_SAME = 4,         /* `number` equal scalars in a row; 2 to 128                                */
  CUSTOM_KEYBOARD_RULE_RUN = 5,       /* `number` digits or letters in a row, each one up or each one down; 2 to 128 */
  CUSTOM_KEYBOARD_RULE_PAIRS = 6,     /* one pair over and over: 1212; nothing of fewer than four characters         */
  CUSTOM_KEYBOARD_RULE_DOUBLES = 7,   /* doubled characters: 1122; nothing of fewer than four characters             */
  CUSTOM_KEYBOARD_RULE_TEXT = 8,      /* contains `text`, ASCII letters in either case                               */
  CUSTOM_KEYBOARD_RULE_DATE = 9,      /* contains the date `text`, yyyy-mm-dd, in one of thirteen ways to write it   */
  CUSTOM_KEYBOARD_RULE_PHONE = 10,    /* contains `number` digits in a row of the number `text`; 2 to 128            */
  CUSTOM_KEYBOARD_RULE_COMMON = 11,   /* is on the built-in list, ASCII letters in either case                       */
  CUSTOM_KEYBOARD_RULE_MATCH = 12,    /* the pattern `text` is not found in it                                       */
  CUSTOM_KEYBOARD_RULE_NOT_MATCH = 13 /* the pattern `text` is found in it                                           */
} CUSTOM_KEYBOARD_RULE;

/* Adds a rule, in every state. Rules are kept until clearRules or destroy, which wipe them: a date of birth is
 * personal. 16 at most, with 256 bytes of text each. Only `check` looks at them: nobody is locked out by a rule at
 * login.
 *
 * Answers ARGUMENT (no such rule; a number out of range; a text that is missing, not UTF-8, no date, no pattern, or
 * with fewer digits than `number`; a number or text that the rule does not have), MAXLEN (a longer text, a 17th rule),
 * MEMORY, in this order; the rules are then as they were. */
CUSTOM_KEYBOARD_RV CustomKeyboard_addRule(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD_RULE rule, size_t number,
                                          const uint8_t *CUSTOM_KEYBOARD_NULLABLE text, size_t textLength);

/* Wipes all rules. Answers ARGUMENT. */
CUSTOM_KEYBOARD_RV CustomKeyboard_clearRules(CUSTOM_KEYBOARD keyboard);

/* Tells whether a pattern is well-formed: Python's `re` with ASCII classes, and this much of it (Docs/Passcodes.md).
 * Answers ARGUMENT (it is not: `position` gets the place of the fault in bytes), MAXLEN (over 256 bytes), MEMORY. */
CUSTOM_KEYBOARD_RV CustomKeyboard_checkPattern(const uint8_t *CUSTOM_KEYBOARD_NULLABLE pattern, size_t patternLength,
                                               size_t *CUSTOM_KEYBOARD_NULLABLE position)
    CUSTOM_KEYBOARD_ANSWER;

/* Checks what is typed, or was received, against the rules. A pattern that takes too many steps refuses. The time
 * depends on the passcode. Answers ARGUMENT, OP_DISABLE (the keyboard is not open), REFUSED (`brokenRule` gets the
 * index, in the order of adding, of the first rule that refuses), MEMORY. */
CUSTOM_KEYBOARD_RV CustomKeyboard_check(CUSTOM_KEYBOARD keyboard, size_t *CUSTOM_KEYBOARD_NULLABLE brokenRule)
    CUSTOM_KEYBOARD_ANSWER;

/* The same with one rule, which is kept nowhere; those that were added do not matter. Answers ARGUMENT (as addRule),
 * OP_DISABLE (the keyboard is not open), MAXLEN (a longer text), REFUSED, MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_checkRule(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD_RULE rule, size_t number,
                                            const uint8_t *CUSTOM_KEYBOARD_NULLABLE text, size_t textLength)
    CUSTOM_KEYBOARD_ANSWER;

/* One sentence for the person whose passcode a rule refuses; never NULL, never freed. */
const char *CUSTOM_KEYBOARD_NONNULL CustomKeyboard_ruleMessage(CUSTOM_KEYBOARD_RULE rule);

/* Tells whether the same is typed in two keyboards, in the same time for all contents of one length. Answers ARGUMENT,
 * OP_DISABLE (one is not open), MISMATCH. */
CUSTOM_KEYBOARD_RV CustomKeyboard_compare(CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD other)
    CUSTOM_KEYBOARD_ANSWER;

/* Makes what a server stores in place of the passcode: Argon2id (RFC 9106), 19 MiB, two passes, as a PHC string
 * that ends with NUL. The pepper, 0 … 64 bytes, is Argon2id's secret. `verifierLength` does not count the NUL. A
 * verifier does not protect a PIN from anyone who has it and the pepper: keep the pepper elsewhere, and count attempts.
 *
 * Answers ARGUMENT (`verifier` overlaps another argument), OP_DISABLE (it is not open), MAXLEN (the pepper), SPACE
 * (`verifierLength` bytes are needed, NUL included), MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomKeyboard_makeVerifier(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE pepper,
                                               size_t pepperLength, char *CUSTOM_KEYBOARD_NULLABLE verifier,
                                               size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE verifierLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Checks what is typed, or was received, against a verifier, which ends with NUL: Argon2id with up to 1 GiB and bounded
 * time, with m, t and p in any order; and for import, without a pepper, `$sha256d$` and `$sha256x2$` with 64
 * hexadecimal digits (Docs/Passcodes.md). Nothing but the verdict depends on the hash. 64 checks at once take 1.2 GiB:
 * bound them.
 *
 * Answers ARGUMENT (no verifier, or one of those two with a pepper), OP_DISABLE (it is not open), MAXLEN (the pepper),
 * MISMATCH, MEMORY. */
CUSTOM_KEYBOARD_RV CustomKeyboard_checkVerifier(CUSTOM_KEYBOARD keyboard,
                                                const uint8_t *CUSTOM_KEYBOARD_NULLABLE pepper, size_t pepperLength,
                                                const char *CUSTOM_KEYBOARD_NULLABLE verifier)
    CUSTOM_KEYBOARD_ANSWER;

/* Makes a raw key of what is typed, for what must be unreadable without the person: Argon2id with one lane, and
 * "CustomKeyboard key" as associated data, so that no key equals the hash of a verifier. `salt` has 8 to 64 bytes, and
 * is drawn once for each key; `pepper`, 0 … 64, is secret; `keyLength` is 16 to 64. `memoryKiB` and `passes` are 0 and
 * 0 for 19456 and 2, or within the bounds that checkVerifier has. The caller wipes `key`.
 *
 * Answers ARGUMENT (a wrong length of `salt` or `key`; costs out of bounds, or only one of them 0; `key` overlaps
 * another argument), OP_DISABLE (it is not open), MAXLEN (the pepper), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE salt,
                                            size_t saltLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE pepper,
                                            size_t pepperLength, uint32_t memoryKiB, uint32_t passes,
                                            uint8_t *CUSTOM_KEYBOARD_NULLABLE key, size_t keyLength)
    CUSTOM_KEYBOARD_ANSWER;

/* ---- Decryption, with no keyboard ------------------------------------------------------------------------------- */

/* The other end, for ECB: `text` is whole blocks, 8 … 144 bytes, and the password is at a uniformly random offset in
 * `space`, which is filled like getText's. The caller wipes it. Sealed texts are for `unseal`.
 *
 * Answers ARGUMENT (no way of ECB's; `space` overlaps `key`, `text` or the place for an answer), ERR (a wrong key
 * length), MAXLEN (a text of more than 144 bytes), UNDECRYPTABLE, SPACE (`clearLength` bytes are needed), MEMORY,
 * RANDOM. */
CUSTOM_KEYBOARD_RV CustomKeyboard_decrypt(CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                          size_t keyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE text,
                                          size_t textLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE space, size_t spaceSize,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE clearOffset,
                                          size_t *CUSTOM_KEYBOARD_NULLABLE clearLength)
    CUSTOM_KEYBOARD_ANSWER;

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
 * the end of memory, or `way` is not an ECB way (ARGUMENT), or there is no memory (MEMORY); no job is then answered.
 * No job's `clear` may overlap its own key or text or the array of jobs (that job answers ARGUMENT), nor anything of
 * another job's. Each field of a job is read once. */
CUSTOM_KEYBOARD_RV CustomKeyboard_decryptBatch(CUSTOM_ENCWAY way, CUSTOM_KEYBOARD_JOB *CUSTOM_KEYBOARD_NULLABLE jobs,
                                               size_t count);

/* ---- Sealed texts ----------------------------------------------------------------------------------------------- */

/* Sets what the next texts are sealed for: the server's challenge and the purpose, 0 … 256 bytes, in every state. It is
 * copied. A length of 0 sets the empty context; only close removes one, because a challenge is for one use. Without one
 * getText makes no sealed text: a forgotten challenge would be noticed by the server only. ECB ways and PIN1 take an
 * empty context for none. Answers ARGUMENT, MAXLEN (longer); the old context then stays. */
CUSTOM_KEYBOARD_RV CustomKeyboard_setContext(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE context,
                                             size_t contextLength);

/* getText for another recipient, while the keyboard is open: `key` is as setEncKey takes it, for a way that seals. The
 * context is given here; a length of 0 is the empty one. The key and the context that were set are not used, and stay.
 *
 * Answers ARGUMENT (not a way that seals; `space` overlaps another argument), OP_DISABLE (it is not open), MAXLEN (the
 * context), ERR (the key's length or value), REFUSED (a PIN that was received in a PIN block), SPACE (`textLength`
 * bytes are needed), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_sealTyped(CUSTOM_KEYBOARD keyboard, CUSTOM_ENCWAY way,
                                            const uint8_t *CUSTOM_KEYBOARD_NULLABLE key, size_t keyLength,
                                            const uint8_t *CUSTOM_KEYBOARD_NULLABLE context, size_t contextLength,
                                            uint8_t *CUSTOM_KEYBOARD_NULLABLE space, size_t spaceSize,
                                            size_t *CUSTOM_KEYBOARD_NULLABLE textOffset,
                                            size_t *CUSTOM_KEYBOARD_NULLABLE textLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Opens a sealed text: `key` is the secret key, 16 bytes (SM4_GCM) or 32 (X25519; P256 and SM2 big-endian; XWING's
 * seed), or for RSA a PKCS#8 or PKCS#1 in DER. The password is put into `space` as decrypt does. Every fault of the
 * text is UNDECRYPTABLE: altered, of another length, way, key or context.
 *
 * Answers ARGUMENT (an ECB way; `space` overlaps another argument), MAXLEN (the context), ERR (the key's length or
 * value), UNDECRYPTABLE, SPACE (`clearLength` bytes are needed), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_unseal(CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                         size_t keyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE context,
                                         size_t contextLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE text,
                                         size_t textLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE space, size_t spaceSize,
                                         size_t *CUSTOM_KEYBOARD_NULLABLE clearOffset,
                                         size_t *CUSTOM_KEYBOARD_NULLABLE clearLength)
    CUSTOM_KEYBOARD_ANSWER;

/* One sealed text to open, for unsealBatch. */
typedef struct CUSTOM_KEYBOARD_SEALED_JOB {
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE context; /* given: what the text was sealed for                             */
  size_t contextLength;
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE text; /* given                                                              */
  size_t textLength;
  uint8_t *CUSTOM_KEYBOARD_NULLABLE clear; /* given: where the password goes, at offset 0                             */
  size_t clearCapacity;
  size_t clearLength;    /* answered: the password's length; if rv is SPACE, the capacity needed; else 0             */
  CUSTOM_KEYBOARD_RV rv; /* answered: what unseal would, for this text                                               */
} CUSTOM_KEYBOARD_SEALED_JOB;

/* The server's call: many texts, one private key, as unseal takes it. What depends on the key only is done once, and on
 * processors with AVX-512 IFMA eight texts are opened side by side. Each job is answered by itself, as unseal would
 * answer it, and a bad one spoils no other. Of `clear`, only `clearLength` bytes are written; on failure none.
 *
 * Answers ARGUMENT (an ECB way; `key` is NULL; `jobs` is NULL with a count or runs past the end of memory), ERR (the
 * key's length or value), MEMORY, in this order; no job is then answered. No job's `clear` may overlap its own context
 * or text, the key or the array of jobs (that job answers ARGUMENT), nor anything of another job's. Each field of a job
 * is read once. */
CUSTOM_KEYBOARD_RV CustomKeyboard_unsealBatch(CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                              size_t keyLength,
                                              CUSTOM_KEYBOARD_SEALED_JOB *CUSTOM_KEYBOARD_NULLABLE jobs, size_t count);

/* Opens an idle keyboard with the password of a text, ECB or sealed, or with the PIN of a PIN block, as if it had been
 * typed there: a server then never holds a password in memory of its own. A PIN of a block stays a PIN of a block, and
 * one that was bound to a card stays bound to it, until close (Docs/PINBlocks.md); and anybody who may choose the way
 * or the context of a block can find out the PIN. The key and the context that were set stay, for the text that leaves.
 * No callback is called, and the maximum count does not matter. A failure leaves the keyboard idle.
 *
 * Answers ARGUMENT, OP_DISABLE (it is open), MAXLEN (the context; an ECB text over 144 bytes), ERR (the key's length or
 * value; ECB or PIN1 with a context; no card's number), UNDECRYPTABLE (a password that is not UTF-8, too), MAXLEN (an
 * ECB password over 128 bytes), MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomKeyboard_receive(CUSTOM_KEYBOARD keyboard, CUSTOM_ENCWAY way,
                                          const uint8_t *CUSTOM_KEYBOARD_NULLABLE key, size_t keyLength,
                                          const uint8_t *CUSTOM_KEYBOARD_NULLABLE context, size_t contextLength,
                                          const uint8_t *CUSTOM_KEYBOARD_NULLABLE text, size_t textLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Makes a key for sealed texts, and its public key. The lengths are those of setEncKey and unseal; SM4_GCM has no
 * public key: `publicKey` may be NULL, and `publicLength` is 0. The caller wipes the private key. RSA's keys are made
 * elsewhere, by `openssl genpkey` for example.
 *
 * Answers ARGUMENT (an ECB way, or RSA; buffers that overlap), SPACE (both lengths are reported), MEMORY, RANDOM. */
CUSTOM_KEYBOARD_RV CustomKeyboard_generateKey(CUSTOM_ENCWAY way, uint8_t *CUSTOM_KEYBOARD_NULLABLE privateKey,
                                              size_t privateCapacity, size_t *CUSTOM_KEYBOARD_NULLABLE privateLength,
                                              uint8_t *CUSTOM_KEYBOARD_NULLABLE publicKey, size_t publicCapacity,
                                              size_t *CUSTOM_KEYBOARD_NULLABLE publicLength)
    CUSTOM_KEYBOARD_ANSWER;

/* The public key of a private key: both have the lengths that generateKey makes. Of X25519, P256, SM2 and XWING;
 * RSA's is made elsewhere, by `openssl pkey -pubout` for example.
 *
 * Answers ARGUMENT (another way; `publicKey` overlaps another argument), ERR (the key's length or value), SPACE
 * (`publicLength` bytes are needed), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_publicKey(CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE privateKey,
                                            size_t privateLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE publicKey,
                                            size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE publicLength)
    CUSTOM_KEYBOARD_ANSWER;

/* ---- Signatures -------------------------------------------------------------------------------------------------- */

/* How a text is signed. A signature of the first two is r || s, 64 bytes; one of RSA is as long as the modulus. */
typedef enum CUSTOM_SIGNWAY {
  CUSTOM_SIGNWAY_P256 = 0, /* ECDSA on P-256 with SHA-256 (FIPS 186-5)                                               */
  CUSTOM_SIGNWAY_SM2 = 1,  /* SM2 with SM3 (GB/T 32918.2), for the standard's default identity 1234567812345678      */
  CUSTOM_SIGNWAY_RSA = 2   /* RSASSA-PSS with SHA-256 and a salt of 32 bytes (RFC 8017); 2048 to 4096 bits           */
} CUSTOM_SIGNWAY;

/* Signs a text of any length in a context of 0 … 256 bytes: what is signed is the context's length (8 bytes,
 * big-endian) || context || text. `key` is the private key, 32 bytes, big-endian, or for RSA PKCS#8 or PKCS#1 in DER;
 * it should serve nothing else. No two signatures of a text are alike, and others can change one into another that is
 * right too: a signature is not a token.
 *
 * Answers ARGUMENT (an unknown way; `signature` overlaps another argument), MAXLEN (the context), ERR (the key's length
 * or value), SPACE (`signatureLength` bytes are needed), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_signText(CUSTOM_SIGNWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                           size_t keyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE context,
                                           size_t contextLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE text,
                                           size_t textLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE signature,
                                           size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE signatureLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Tells whether a signature is right. `publicKey` is the signer's, 65 bytes, 04 || x || y, or for RSA
 * SubjectPublicKeyInfo in DER. Take it, the way and the context from your own record.
 *
 * Answers ARGUMENT, MAXLEN (the context), ERR (the key's length or value), MISMATCH (another
 * signature, whatever its length), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_verifyText(CUSTOM_SIGNWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE publicKey,
                                             size_t publicKeyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE context,
                                             size_t contextLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE text,
                                             size_t textLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE signature,
                                             size_t signatureLength)
    CUSTOM_KEYBOARD_ANSWER;

/* ---- A password that never leaves (OPAQUE, RFC 9807) ------------------------------------------------------------- */

/* What is typed stays in the keyboard. The server keeps a record that it cannot read, learns only whether the password
 * was right, and both ends get a session key. Suite: OPAQUE-3DH, OPRF(ristretto255, SHA-512), HKDF-SHA-512,
 * HMAC-SHA-512, Argon2id with 16 zero bytes of salt and 64 bytes out. The password is what is typed, byte for byte.
 *
 *     client                                            server
 *     opaqueRegister   ──────── request ────────►       opaqueRespond
 *     opaqueRecord     ◄─────── response ────────
 *                      ──────── record ─────────►       keeps it
 *
 *     opaqueLogin      ────────── KE1 ──────────►       opaqueAnswer, keeps the state
 *     opaqueFinish     ◄───────── KE2 ───────────
 *                      ────────── KE3 ──────────►       opaqueCheck, once for each state
 *
 * A server counts an attempt before it sends KE2 or a response, for accounts that do not exist, too: each lets someone
 * try one password. For an account that has a record, opaqueRespond is for its owner only, logged in. A state is used
 * once, whatever opaqueCheck answers, and is kept with its account: KE3 names none.
 *
 * In all of these ARGUMENT is also: an account of length 0; terms of another size; costs out of bounds, or some but not
 * all of them 0; a place for an answer that overlaps any other argument. An answer is written in its own length only.
 * Elements are decoded strictly, and the identity is none. */
#define CUSTOM_OPAQUE_SETUPSIZE 96     /* bytes, secret: oprf_seed 64, server_private_key 32                          */
#define CUSTOM_OPAQUE_REQUESTSIZE 32   /* blinded_message                                                             */
#define CUSTOM_OPAQUE_RESPONSESIZE 64  /* evaluated_message 32, server_public_key 32                                  */
#define CUSTOM_OPAQUE_RECORDSIZE 192   /* client_public_key 32, masking_key 64, envelope 96                           */
#define CUSTOM_OPAQUE_KE1SIZE 96       /* blinded_message 32, client_nonce 32, client_public_keyshare 32              */
#define CUSTOM_OPAQUE_KE2SIZE 320      /* evaluated_message, masking_nonce, masked_response 128, nonce, keyshare, MAC */
#define CUSTOM_OPAQUE_KE3SIZE 64       /* client_mac                                                                  */
#define CUSTOM_OPAQUE_STATESIZE 128    /* secret, of the server between KE2 and KE3: client_mac 64, session key 64    */
#define CUSTOM_OPAQUE_KEYSIZE 64       /* session key; export key                                                     */

/* What both ends have alike. NULL in place of this: all of it empty. */
typedef struct CUSTOM_OPAQUE_TERMS {
  size_t size;                                      /* set by the caller: sizeof(CUSTOM_OPAQUE_TERMS)                */
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE context;  /* 0 … 256 bytes: the application; only a login uses it          */
  size_t contextLength;
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE client;   /* client_identity, 0 … 255; none: the client's public key       */
  size_t clientLength;
  const uint8_t *CUSTOM_KEYBOARD_NULLABLE server;   /* server_identity, 0 … 255; none: the server's public key       */
  size_t serverLength;
  uint32_t memoryKiB, passes, lanes;                /* Argon2id's, of the client; 0, 0, 0: 19456, 2, 1; bounds as    */
} CUSTOM_OPAQUE_TERMS;                              /* of checkVerifier: 8 KiB and more a lane, 1 to 16 lanes        */

/* Draws a server's setup, which all its accounts share, and writes its public key, 32 bytes. Keep it as long as the
 * records, and where they are not. Answers ARGUMENT, SPACE (both lengths are reported), MEMORY, RANDOM, in this
 * order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueSetup(uint8_t *CUSTOM_KEYBOARD_NULLABLE setup, size_t capacity,
                                              size_t *CUSTOM_KEYBOARD_NULLABLE setupLength,
                                              uint8_t *CUSTOM_KEYBOARD_NULLABLE publicKey, size_t publicCapacity,
                                              size_t *CUSTOM_KEYBOARD_NULLABLE publicLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Answers the request of a registration. `account` is the RFC's credential_identifier, 1 … 255 bytes: the database's
 * name of the record, unique and never changed. Answers ARGUMENT, MAXLEN (the account), ERR (the setup), UNDECRYPTABLE
 * (the request, its length too), SPACE (`responseLength` bytes are needed), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueRespond(const uint8_t *CUSTOM_KEYBOARD_NULLABLE setup, size_t setupLength,
                                                const uint8_t *CUSTOM_KEYBOARD_NULLABLE account, size_t accountLength,
                                                const uint8_t *CUSTOM_KEYBOARD_NULLABLE request, size_t requestLength,
                                                uint8_t *CUSTOM_KEYBOARD_NULLABLE response, size_t capacity,
                                                size_t *CUSTOM_KEYBOARD_NULLABLE responseLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Answers the first message of a login. With a record of length 0 there is no such account: the answer has the same
 * form and takes the same time, and its made-up record is the same each time. Answers ARGUMENT, MAXLEN (the account,
 * the terms), ERR (the setup; the record: its length, its public key), UNDECRYPTABLE (KE1, its length too), SPACE (both
 * lengths are reported), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueAnswer(const uint8_t *CUSTOM_KEYBOARD_NULLABLE setup, size_t setupLength,
                                               const uint8_t *CUSTOM_KEYBOARD_NULLABLE account, size_t accountLength,
                                               const uint8_t *CUSTOM_KEYBOARD_NULLABLE record, size_t recordLength,
                                               const CUSTOM_OPAQUE_TERMS *CUSTOM_KEYBOARD_NULLABLE terms,
                                               const uint8_t *CUSTOM_KEYBOARD_NULLABLE ke1, size_t ke1Length,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE ke2, size_t capacity,
                                               size_t *CUSTOM_KEYBOARD_NULLABLE ke2Length,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE state, size_t stateCapacity,
                                               size_t *CUSTOM_KEYBOARD_NULLABLE stateLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Tells whether the client knew the password, and gives the session key. Do nothing for the client before this answers
 * OK. Answers ARGUMENT, ERR (the state's length), MISMATCH (KE3, its length too), SPACE (`sessionKeyLength` bytes are
 * needed), in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueCheck(const uint8_t *CUSTOM_KEYBOARD_NULLABLE state, size_t stateLength,
                                              const uint8_t *CUSTOM_KEYBOARD_NULLABLE ke3, size_t ke3Length,
                                              uint8_t *CUSTOM_KEYBOARD_NULLABLE sessionKey, size_t capacity,
                                              size_t *CUSTOM_KEYBOARD_NULLABLE sessionKeyLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Begins a registration of what is typed. What a begun step keeps is in the keyboard; another begun step, a change of
 * what is typed, clear, close, destroy and a fork wipe it. Answers ARGUMENT, OP_DISABLE (it is not open), REFUSED (a
 * PIN that was received in a PIN block), SPACE (`requestLength` bytes are needed), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueRegister(CUSTOM_KEYBOARD keyboard, uint8_t *CUSTOM_KEYBOARD_NULLABLE request,
                                                 size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE requestLength)
    CUSTOM_KEYBOARD_ANSWER;

/* Ends it: makes the record for the server, and the export key (NULL, or 64 bytes), which only the client ever knows.
 * Takes Argon2id's time and memory: not on the thread that draws. Another thread may type meanwhile, and this then
 * answers OP_DISABLE. Only OK ends the step.
 *
 * Answers ARGUMENT, OP_DISABLE (it is not open; no opaqueRegister for what is typed now), MAXLEN (the terms),
 * UNDECRYPTABLE (the response, its length too), SPACE (`recordLength` bytes are needed), MEMORY, RANDOM, in this
 * order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueRecord(CUSTOM_KEYBOARD keyboard,
                                               const uint8_t *CUSTOM_KEYBOARD_NULLABLE response,
                                               size_t responseLength,
                                               const CUSTOM_OPAQUE_TERMS *CUSTOM_KEYBOARD_NULLABLE terms,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE record, size_t capacity,
                                               size_t *CUSTOM_KEYBOARD_NULLABLE recordLength,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE exportKey)
    CUSTOM_KEYBOARD_ANSWER;

/* Begins a login with what is typed, as opaqueRegister begins a registration. Answers ARGUMENT, OP_DISABLE, REFUSED,
 * SPACE (`ke1Length` bytes are needed), MEMORY, RANDOM, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueLogin(CUSTOM_KEYBOARD keyboard, uint8_t *CUSTOM_KEYBOARD_NULLABLE ke1,
                                              size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE ke1Length)
    CUSTOM_KEYBOARD_ANSWER;

/* Ends it: checks the server, and makes KE3, the session key and the export key (each NULL, or 64 bytes). Never repeat
 * it by yourself: each time, the server may try one password. Takes Argon2id's time and memory, as opaqueRecord. OK and
 * MISMATCH end the step.
 *
 * Answers ARGUMENT, OP_DISABLE (it is not open; no opaqueLogin for what is typed now), MAXLEN (the terms), SPACE
 * (`ke3Length` bytes are needed), MISMATCH (every fault of KE2: another password, other terms, another server, altered,
 * of another length), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_opaqueFinish(CUSTOM_KEYBOARD keyboard, const uint8_t *CUSTOM_KEYBOARD_NULLABLE ke2,
                                               size_t ke2Length,
                                               const CUSTOM_OPAQUE_TERMS *CUSTOM_KEYBOARD_NULLABLE terms,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE ke3, size_t capacity,
                                               size_t *CUSTOM_KEYBOARD_NULLABLE ke3Length,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE sessionKey,
                                               uint8_t *CUSTOM_KEYBOARD_NULLABLE exportKey)
    CUSTOM_KEYBOARD_ANSWER;

/* ---- Keys that change with each transaction (DUKPT) ------------------------------------------------------------- */

/* How a terminal gets its keys, and what kind of key that is. */
typedef enum CUSTOM_DUKPT {
  CUSTOM_DUKPT_TDES = 0,      /* ANSI X9.24-1: base and initial key of 16 bytes, KSN of 10, working key of 16        */
  CUSTOM_DUKPT_AES128 = 1,    /* ANSI X9.24-3: base and initial key of 16, 24 or 32 bytes, KSN of 12; AES-128        */
  CUSTOM_DUKPT_AES192 = 2,    /* the same with a working key of AES-192; base key of 24 or 32                        */
  CUSTOM_DUKPT_AES256 = 3,    /* the same with AES-256; base key of 32                                               */
  CUSTOM_DUKPT_AES_2TDEA = 4, /* the same with a working key of 3DES, K1 K2                                          */
  CUSTOM_DUKPT_AES_3TDEA = 5  /* the same with a working key of 3DES, K1 K2 K3                                       */
} CUSTOM_DUKPT;

/* Makes the initial key of a terminal from the base key (BDK); it is as long as that. `ksn` is the terminal's key
 * serial number, whose counter does not matter. The caller wipes the key.
 *
 * Answers ARGUMENT (an unknown scheme; `initialKey` overlaps another argument), ERR (the length of `baseKey` or `ksn`),
 * SPACE (`initialKeyLength` bytes are needed), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_dukptInitialKey(CUSTOM_DUKPT scheme, const uint8_t *CUSTOM_KEYBOARD_NULLABLE baseKey,
                                                  size_t baseKeyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE ksn,
                                                  size_t ksnLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE initialKey,
                                                  size_t capacity, size_t *CUSTOM_KEYBOARD_NULLABLE initialKeyLength)
    CUSTOM_KEYBOARD_ANSWER;

/* The host's call: makes the PIN encryption key of one transaction, whose KSN came with the PIN block. Of X9.24-1 it is
 * the PIN encryption variant, of X9.24-3 the key of usage 0x1000. `receive` takes it.
 *
 * Answers ARGUMENT (as dukptInitialKey), ERR (likewise; a counter of 0, or with more bits set than 10 (TDES) or 16
 * (AES)), SPACE (`keyLength` bytes are needed), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_dukptKey(CUSTOM_DUKPT scheme, const uint8_t *CUSTOM_KEYBOARD_NULLABLE baseKey,
                                           size_t baseKeyLength, const uint8_t *CUSTOM_KEYBOARD_NULLABLE ksn,
                                           size_t ksnLength, uint8_t *CUSTOM_KEYBOARD_NULLABLE key, size_t capacity,
                                           size_t *CUSTOM_KEYBOARD_NULLABLE keyLength)
    CUSTOM_KEYBOARD_ANSWER;

/* A terminal's registers: keys that are yet to be used, and none that was. The caller keeps the bytes (in a vault, for
 * example) and wipes them. They mean the same in every process, on every machine and in later versions. A checksum
 * finds accidents, not forgeries. A device that is copied, or restored from a backup, uses keys twice: never do that. A
 * fork copies it, too: only one of the two processes may go on with it. All zeros are not a device. */
typedef struct CUSTOM_DUKPT_DEVICE {
  uint64_t opaque[144];
} CUSTOM_DUKPT_DEVICE;

/* Loads a device with the future keys of an initial key, which is not kept: wipe it. Another call on this device ends
 * first: see dukptNext.
 *
 * Answers ARGUMENT (NULL; an unknown scheme; `device` overlaps another argument), ERR (the length of `initialKey` or
 * `ksn`; a counter that is not 0), MEMORY, in this order. */
CUSTOM_KEYBOARD_RV CustomKeyboard_dukptLoad(CUSTOM_DUKPT_DEVICE *CUSTOM_KEYBOARD_NULLABLE device, CUSTOM_DUKPT scheme,
                                            const uint8_t *CUSTOM_KEYBOARD_NULLABLE initialKey, size_t initialKeyLength,
                                            const uint8_t *CUSTOM_KEYBOARD_NULLABLE ksn, size_t ksnLength)
    CUSTOM_KEYBOARD_ANSWER;

/* The terminal's call: sets the idle keyboard's key to that of the next transaction, and moves the device on. `ksn`
 * gets the key serial number, 10 or 12 bytes, which goes to the host with the PIN block. The device erases the key. The
 * keyboard wipes it with the first getText that answers OK, and with close: it serves one text. `way` is PIN0, PIN1 or
 * PIN3 if the scheme's working key is one of 3DES, PIN4 if it is one of AES.
 *
 * In this order: dukptNext; write the device to where it is kept, and sync it; then open. A terminal that does not may
 * use a key twice after a crash.
 *
 * Calls on one device, dukptLoad included, wait for each other, and for no call on another one. But only a call is
 * whole: threads that share a device hold a lock of their own from dukptNext until the device is written, or one may
 * write half of one state and half of another. Two processes that share its memory may both get one key.
 *
 * Answers ARGUMENT (NULL; a way or a working key of another kind; an overlap; a device of zeros), OP_DISABLE (the
 * keyboard is open), DAMAGED (the device's checksum or version), REFUSED (all keys were used), SPACE (`ksnLength` bytes
 * are needed), MEMORY, RANDOM, in this order (without memory, nothing is told of what is in the device); device and
 * keyboard are then as they were. */
CUSTOM_KEYBOARD_RV CustomKeyboard_dukptNext(CUSTOM_DUKPT_DEVICE *CUSTOM_KEYBOARD_NULLABLE device,
                                            CUSTOM_KEYBOARD keyboard, CUSTOM_ENCWAY way,
                                            uint8_t *CUSTOM_KEYBOARD_NULLABLE ksn, size_t capacity,
                                            size_t *CUSTOM_KEYBOARD_NULLABLE ksnLength)
    CUSTOM_KEYBOARD_ANSWER;

/* ---- The bare block ciphers (the paper's *_setkey_enc, *_setkey_dec, *_crypt_ecb) ------------------------------- */

/* An expanded key in the caller's memory; the caller wipes it with wipeCipher. It may be copied within the process; in
 * another process it means nothing. All zeros are invalid. */
typedef struct CUSTOM_KEYBOARD_CIPHER {
  uint64_t opaque[64];
} CUSTOM_KEYBOARD_CIPHER;

#define CUSTOM_KEYBOARD_ENCRYPTING 0
#define CUSTOM_KEYBOARD_DECRYPTING 1 /* or any other number but 0                                                    */

/* Expands a key into `cipher`, for one direction: `decrypting` is one of the two constants. Answers ARGUMENT (NULL,
 * `way` is not an ECB way, `cipher` overlaps `key`), ERR (a wrong length). */
CUSTOM_KEYBOARD_RV CustomKeyboard_setupCipher(CUSTOM_KEYBOARD_CIPHER *CUSTOM_KEYBOARD_NULLABLE cipher,
                                              CUSTOM_ENCWAY way, const uint8_t *CUSTOM_KEYBOARD_NULLABLE key,
                                              size_t keyLength, int decrypting);

/* Encrypts or decrypts `length` bytes: whole blocks, 0 or more, and no padding. `output` may be `input`. Any number of
 * threads may use one cipher. Answers ARGUMENT (no whole blocks, any other overlap, `cipher` was not
 * set up). */
CUSTOM_KEYBOARD_RV CustomKeyboard_cryptECB(const CUSTOM_KEYBOARD_CIPHER *CUSTOM_KEYBOARD_NULLABLE cipher,
                                           const uint8_t *CUSTOM_KEYBOARD_NULLABLE input,
                                           uint8_t *CUSTOM_KEYBOARD_NULLABLE output, size_t length);

/* Wipes an expanded key. Answers ARGUMENT (NULL). */
CUSTOM_KEYBOARD_RV CustomKeyboard_wipeCipher(CUSTOM_KEYBOARD_CIPHER *CUSTOM_KEYBOARD_NULLABLE cipher);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* CUSTOM_KEYBOARD_H */
