/*
 * The steps of OPAQUE between keyboard and bank:
 *
 *     register ──► request ──► response ──► record, KE1 ──┐
 *     log in ──────────────────────────────► KE1 ─────────┴──► KE2 ──► KE3 ──► session
 *
 * What takes Argon2id's time runs on a thread, because this one draws. The session comes from the session key, which
 * only the two ends have: no answer of the bank has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agreement.h"

#include <string.h>

static const uint8_t context[] = "CustomKeyboard bank 1";

/* The second half of a step. */
typedef struct Work {
  CUSTOM_KEYBOARD keyboard;
  gboolean is_login;
  uint8_t message[CUSTOM_OPAQUE_KE2SIZE + 1]; /* one byte more, which is as wrong as many */
  size_t length;
  uint8_t answer[CUSTOM_OPAQUE_RECORDSIZE], key[CUSTOM_OPAQUE_KEYSIZE];
  size_t answer_length;
  CUSTOM_KEYBOARD_RV rv;
} Work;

static void fail(Agreement *agreement, BankOutcome outcome, const char *message) {
  const BankAnswer answer = {.outcome = outcome, .message = message, .attempts_left = agreement->attempts_left};
  agreement->done(&answer, agreement->data);
}

static void free_work(void *work) {
  explicit_bzero(work, sizeof(Work));
  g_free(work);
}

static void compute(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
  (void)source, (void)cancellable;
  Work *work = data;
  const CUSTOM_OPAQUE_TERMS terms = {.size = sizeof terms, .context = context, .contextLength = sizeof context - 1};
  work->rv = work->is_login
                 ? CustomKeyboard_opaqueFinish(work->keyboard, work->message, work->length, &terms, work->answer,
                                               sizeof work->answer, &work->answer_length, work->key, NULL)
                 : CustomKeyboard_opaqueRecord(work->keyboard, work->message, work->length, &terms, work->answer,
                                               sizeof work->answer, &work->answer_length, NULL);
  g_task_return_boolean(task, TRUE);
}

/* Ends a step with the bank's answer to it. */
static void end_step(Agreement *agreement, CUSTOM_KEYBOARD keyboard, gboolean is_login, const BankAnswer *answer,
                     GAsyncReadyCallback ended) {
  Work *work = g_new0(Work, 1);
  work->keyboard = keyboard;
  work->is_login = is_login;
  work->length = MIN(answer->length, sizeof work->message);
  memcpy(work->message, answer->bytes, work->length);
  g_autoptr(GTask) task = g_task_new(NULL, NULL, ended, agreement);
  g_task_set_task_data(task, work, free_work);
  g_task_run_in_thread(task, compute);
}

/* ---- Log in ----------------------------------------------------------------------------------------------------- */

static void take_verdict(const BankAnswer *answer, void *data) {
  Agreement *agreement = data;
  if (answer->outcome == BANK_OK) bank_use_session(agreement->bank, agreement->session);
  explicit_bzero(agreement->session, sizeof agreement->session);
  agreement->done(answer, agreement->data);
}

static void make_session(Agreement *agreement, const uint8_t *key) {
  static const uint8_t label[] = "CustomKeyboard bank session";
  uint8_t digest[32];
  gsize length = sizeof digest;
  g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key, CUSTOM_OPAQUE_KEYSIZE);
  g_hmac_update(hmac, label, sizeof label - 1);
  g_hmac_get_digest(hmac, digest, &length);
  g_autofree char *session = base64url(digest, 16);
  g_strlcpy(agreement->session, session, sizeof agreement->session);
  explicit_bzero(session, strlen(session));
  explicit_bzero(digest, sizeof digest);
}

static void send_ke3(GObject *source, GAsyncResult *result, gpointer data) {
  (void)source;
  Agreement *agreement = data;
  const Work *work = g_task_get_task_data(G_TASK(result));
  if (work->rv == CUSTOM_KEYBOARD_MISMATCH) {
    fail(agreement, BANK_WRONG, "The account or the passcode is wrong.");
  } else if (work->rv) {
    fail(agreement, BANK_REFUSED, CustomKeyboard_message(work->rv));
  } else {
    make_session(agreement, work->key);
    bank_finish(agreement->bank, work->answer, work->answer_length, take_verdict, agreement);
  }
}

static void take_ke2(const BankAnswer *answer, void *data) {
  Agreement *agreement = data;
  if (answer->outcome != BANK_OK) {
    agreement->done(answer, agreement->data);
    return;
  }
  agreement->attempts_left = answer->attempts_left;
  end_step(agreement, agreement->again, TRUE, answer, send_ke3);
}

void agreement_login(Agreement *agreement) {
  uint8_t ke1[CUSTOM_OPAQUE_KE1SIZE];
  size_t length;
  agreement->attempts_left = -1;
  agreement->again = agreement->first;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_opaqueLogin(agreement->first, ke1, sizeof ke1, &length);
  if (rv)
    fail(agreement, BANK_REFUSED, CustomKeyboard_message(rv));
  else
    bank_begin_login(agreement->bank, agreement->account, ke1, length, take_ke2, agreement);
}

/* ---- Register --------------------------------------------------------------------------------------------------- */

static void send_record(GObject *source, GAsyncResult *result, gpointer data) {
  (void)source;
  Agreement *agreement = data;
  const Work *work = g_task_get_task_data(G_TASK(result));
  uint8_t ke1[CUSTOM_OPAQUE_KE1SIZE];
  size_t length;
  CUSTOM_KEYBOARD_RV rv = work->rv;
  if (!rv) rv = CustomKeyboard_opaqueLogin(agreement->again, ke1, sizeof ke1, &length);
  if (rv)
    fail(agreement, BANK_REFUSED, CustomKeyboard_message(rv));
  else
    bank_send_record(agreement->bank, work->answer, work->answer_length, ke1, length, take_ke2, agreement);
}

static void take_response(const BankAnswer *answer, void *data) {
  Agreement *agreement = data;
  if (answer->outcome == BANK_OK)
    end_step(agreement, agreement->first, FALSE, answer, send_record);
  else
    agreement->done(answer, agreement->data);
}

void agreement_register(Agreement *agreement) {
  uint8_t request[CUSTOM_OPAQUE_REQUESTSIZE];
  size_t length;
  agreement->attempts_left = -1;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_opaqueRegister(agreement->first, request, sizeof request, &length);
  if (rv)
    fail(agreement, BANK_REFUSED, CustomKeyboard_message(rv));
  else
    bank_ask_to_register(agreement->bank, agreement->account, request, length, take_response, agreement);
}
