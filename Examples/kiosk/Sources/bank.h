/*
 * A client of the example bank: messages of OPAQUE; its key, a challenge, and sealed texts for it. Every call returns
 * at once, and its answer comes later, from the main loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BANK_H
#define BANK_H

#include <gio/gio.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Bank Bank;

typedef enum BankOutcome {
  BANK_OK,
  BANK_WRONG,      /* another passcode */
  BANK_LOCKED,     /* too many wrong ones */
  BANK_REFUSED,    /* for another reason, which the message tells */
  BANK_UNREACHABLE /* or busy: the same may be tried again */
} BankOutcome;

typedef struct BankAnswer {
  BankOutcome outcome;
  const char *message;  /* one sentence, if the outcome is not OK */
  int attempts_left;    /* of WRONG, or after this one; -1 if the bank does not tell */
  gboolean moves;       /* the passcode is to be registered anew, in this session */
  const uint8_t *bytes; /* what was asked for */
  size_t length;
} BankAnswer;

/* The answer is valid until this returns. */
typedef void BankDone(const BankAnswer *answer, void *data);

/* NULL if the address does not begin with https://, or with http:// and a name or an address of this machine: an
 * attacker between the two could replace the bank's key, and read every passcode. The bank's certificate must be signed
 * by one of the authorities, or by one that the system trusts if `authorities` is NULL. */
Bank *bank_new(const char *address, GTlsDatabase *authorities);

/* Ends what is under way: no answer comes any more. */
void bank_cancel(Bank *bank);
void bank_free(Bank *bank);

/* The public key that texts are sealed for. */
void bank_get_key(Bank *bank, BankDone *done, void *data);

/* The context of the next text. `purpose` is "login" or "register". */
void bank_get_challenge(Bank *bank, const char *account, const char *purpose, BankDone *done, void *data);

/* Answers the challenge, which is then used up. */
void bank_login(Bank *bank, const uint8_t *text, size_t length, BankDone *done, void *data);
void bank_register(Bank *bank, const uint8_t *text, const uint8_t *again, size_t length, BankDone *done, void *data);

/* OPAQUE. Answers KE2, a response, KE2, and nothing. */
void bank_begin_login(Bank *bank, const char *account, const uint8_t *ke1, size_t length, BankDone *done, void *data);
void bank_ask_to_register(Bank *bank, const char *account, const uint8_t *request, size_t length, BankDone *done,
                          void *data);
void bank_send_record(Bank *bank, const uint8_t *record, size_t length, const uint8_t *ke1, size_t ke1_length,
                      BankDone *done, void *data);
void bank_finish(Bank *bank, const uint8_t *ke3, size_t length, BankDone *done, void *data);

/* Takes the session that a login with FIDO or OPAQUE began; NULL forgets it. */
void bank_use_session(Bank *bank, const char *session);

/* Ends the session that a login began. */
void bank_logout(Bank *bank, BankDone *done, void *data);

/* Bytes in base64url without padding. */
char *base64url(const uint8_t *bytes, size_t length);

#endif
