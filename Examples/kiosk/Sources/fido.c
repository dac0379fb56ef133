/*
 * From the bank's request to its verdict. The library asks the bank, in a thread of its own, since it waits for the
 * answer; meanwhile nothing can be typed.
 *
 *     begin ──► the bank's request ──► type ──► sign ──► the bank's verdict ──► begin
 *                                       ▲        │
 *                                       └─ wrong ┘      the request still waits
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fido.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "device.h"
#include "keyboard_view.h"

/* The app's name, which the bank must know, and the models of its two authenticators. */
#define FACET "ios:bundle-id:com.example.bank"
#define AAID_OF_PASSCODE "0000#0001"
#define AAID_OF_PATTERN "0000#0002"

enum {
  DEADLINE = 60,          /* seconds for all messages of a step */
  SHORTEST_PASSWORD = 8,  /* characters */
  LONGEST_TOKEN = 1 << 16 /* bytes */
};

/* ---- In a thread of its own ------------------------------------------------------------------------------------- */

static void run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
  FIDO *fido = data;
  (void)source, (void)cancellable;
  int result = fido->job(fido);
  fido->cause = CustomFido_cause(); /* of this thread; before a call that may fail for another reason */
  fido->attempts = (CUSTOM_VAULT_STATE){.size = sizeof fido->attempts};
  CustomFido_attempts(fido->client, fido->authenticator, &fido->attempts);
  g_task_return_int(task, result);
}

static void finish(GObject *source, GAsyncResult *result, gpointer data) {
  FIDO *fido = data;
  (void)source;
  g_clear_handle_id(&fido->timer, g_source_remove);
  fido->is_working = FALSE;
  if (!fido->is_over) fido->done(fido, (int)g_task_propagate_int(G_TASK(result), NULL));
}

static gboolean give_up(gpointer data) {
  FIDO *fido = data;
  fido->timer = 0;
  g_cancellable_cancel(fido->channel.cancellable);
  return G_SOURCE_REMOVE;
}

static void work(FIDO *fido, int (*job)(FIDO *), void (*done)(FIDO *, int)) {
  window_say(fido->window->prompt, "One moment …");
  window_say(fido->window->message, "%s", "");
  window_let_type(fido->window, FALSE);
  fido->job = job;
  fido->done = done;
  fido->is_working = TRUE;
  g_clear_object(&fido->channel.cancellable);
  fido->channel.cancellable = g_cancellable_new();
  fido->channel.is_distrusted = FALSE;
  fido->timer = g_timeout_add_seconds(DEADLINE, give_up, fido);
  g_autoptr(GTask) task = g_task_new(NULL, NULL, finish, fido);
  g_task_set_task_data(task, fido, NULL);
  g_task_run_in_thread(task, run);
}

/* ---- What the person is told ------------------------------------------------------------------------------------ */

/* Returns whether there is another try now. */
static gboolean explain_attempts(FIDO *fido, int result) {
  const CUSTOM_VAULT_STATE *state = &fido->attempts;
  if (state->secondsLeft == UINT32_MAX)
    window_say(fido->window->message, "Locked after too many wrong tries, until it is reset.");
  else if (state->secondsLeft > 0)
    window_say(fido->window->message, "Locked after too many wrong tries, for %u more seconds.", state->secondsLeft);
  else if (result == CUSTOM_FIDO_FAIL_VERIFY_LOCKED)
    window_say(fido->window->message, "It was locked until now.");
  else
    window_say(fido->window->message, "Wrong %s. %u attempt%s left.", fido->typing.what, state->triesLeft,
               state->triesLeft == 1 ? "" : "s");
  return state->secondsLeft == 0;
}

static const char *why_there_is_no_answer(const FIDO *fido) {
  return fido->channel.is_distrusted ? "The bank's certificate is not trusted." : "The bank cannot be reached.";
}

/* Says what went wrong, and why. Returns whether typing again may mend it: the request still waits. */
static gboolean explain(FIDO *fido, int result, const char *why) {
  window_say(fido->window->prompt, "%s", "");
  switch (result) {
    case CUSTOM_FIDO_FAIL_VERIFY:
    case CUSTOM_FIDO_FAIL_VERIFY_LOCKED:
    case CUSTOM_FIDO_MAX_LOCK_COUNT_OVER: return explain_attempts(fido, result);
    case CUSTOM_FIDO_NETWORK_STATE:
      window_say(fido->window->message, "%s", why_there_is_no_answer(fido));
      return FALSE;
    case CUSTOM_FIDO_NOT_REG_USER:
      if (!fido->is_registering) {
        window_say(fido->window->message, "This device has no key of yours.");
        return FALSE;
      }
      break;
    case -CUSTOM_KEYBOARD_MISMATCH: /* of the vault's key, if nothing was typed twice */
      if (fido->typing.is_new) {
        window_say(fido->window->message, "The two are not the same.");
        return TRUE;
      }
      break;
  }
  window_say(fido->window->message, "%s", why);
  return result == -CUSTOM_KEYBOARD_REFUSED;
}

static void offer_to_try_again(FIDO *fido) {
  window_hide_count(fido->window);
  window_show_agreement(fido->window, "");
  window_offer(fido->window, "Try again", fido_begin, fido);
}

static void refuse(FIDO *fido, const char *why) {
  window_say(fido->window->prompt, "%s", "");
  window_say(fido->window->message, "%s", why);
  offer_to_try_again(fido);
}

/* ---- From the bank's request to its verdict --------------------------------------------------------------------- */

/* What the button does when all is done. */
static void log_in(void *data) {
  FIDO *fido = data;
  fido->is_registering = FALSE;
  fido_begin(fido);
}

static void begin_again(const BankAnswer *answer, void *data) {
  (void)answer; /* a session that the bank does not end ends by itself */
  fido_begin(data);
}

static void log_out(void *data) {
  FIDO *fido = data;
  window_say(fido->window->prompt, "One moment …");
  bank_logout(fido->bank, begin_again, fido);
}

/* Returns whether there is a session. */
static gboolean take_session(FIDO *fido) {
  g_autofree char *token = g_malloc(LONGEST_TOKEN);
  size_t length = 0;
  if (CustomFido_token(fido->client, token, LONGEST_TOKEN, &length) != CUSTOM_FIDO_SUCCESS) length = 0;
  if (length > 0) bank_use_session(fido->bank, token);
  explicit_bzero(token, length);
  return length > 0;
}

static void take_verdict(FIDO *fido, int result) {
  typing_forget(&fido->typing);
  if (result != CUSTOM_FIDO_SUCCESS) {
    if (explain(fido, result, fido->cause))
      typing_begin(&fido->typing);
    else
      offer_to_try_again(fido);
    return;
  }
  if (!fido->is_registering && !take_session(fido)) {
    refuse(fido, "The bank has begun no session.");
    return;
  }
  window_hide_count(fido->window);
  window_show_agreement(fido->window, "");
  window_say(fido->window->prompt, fido->is_registering ? "You are registered." : "You are logged in.");
  gtk_widget_set_visible(fido->window->view, FALSE);
  if (fido->is_registering)
    window_offer(fido->window, "Log in", log_in, fido);
  else
    window_offer(fido->window, "Log out", log_out, fido);
}

static int sign_and_send(FIDO *fido) {
  return CustomFido_resume(fido->client, fido->authenticator, fido->account, fido->typing.first,
                           fido->typing.is_new ? fido->typing.again : 0);
}

static void complete(void *data) { work(data, sign_and_send, take_verdict); }

/* What is in the way, though no call has failed. */
static int what_hinders(const FIDO *fido) {
  if (!fido->is_accepted)
    return fido->is_registering ? CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR : CUSTOM_FIDO_NOT_REG_USER;
  return fido->state == CUSTOM_FIDO_STATE_LOCKED ? CUSTOM_FIDO_FAIL_VERIFY_LOCKED : CUSTOM_FIDO_SUCCESS;
}

static int lay_out(FIDO *fido) {
  int result = CustomFido_applyLayout(fido->client, fido->authenticator, fido->typing.first);
  return result ? result : CustomFido_applyLayout(fido->client, fido->authenticator, fido->typing.again);
}

/* The bank's request is there: shows what the person agrees to, and lets it type. */
static void take_request(FIDO *fido, int result) {
  const char *why = fido->cause;
  if (result == CUSTOM_FIDO_SUCCESS) {
    result = what_hinders(fido);
    why = CustomFido_message(result);
  }
  if (result == CUSTOM_FIDO_SUCCESS) {
    result = lay_out(fido);
    why = CustomFido_cause();
  }
  if (result != CUSTOM_FIDO_SUCCESS) {
    explain(fido, result, why);
    offer_to_try_again(fido);
    return;
  }
  if (fido->transaction && !fido->is_registering && fido->agreement[0] == '\0') {
    refuse(fido, "The bank has sent nothing to agree to.");
    return;
  }
  window_show_agreement(fido->window, fido->agreement);
  fido->typing.is_new = fido->is_registering && fido->state == CUSTOM_FIDO_STATE_NOT_REGISTERED;
  typing_begin(&fido->typing);
}

static int ask_bank(FIDO *fido) {
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
  if (fido->is_registering) return CustomFido_startRegistration(fido->client, fido->account, NULL);
  if (!fido->transaction) return CustomFido_startAuthentication(fido->client, fido->account, NULL);
  json_node_take_object(node, json_object_new());
  json_object_set_string_member(json_node_get_object(node), "transactionText", fido->transaction);
  g_autofree char *context = json_to_string(node, FALSE);
  return CustomFido_startAuthentication(fido->client, fido->account, context);
}

static int ask(FIDO *fido) {
  CUSTOM_FIDO_AUTHENTICATOR each[2] = {0};
  size_t count = 0, length;
  int result = ask_bank(fido);
  if (result != CUSTOM_FIDO_AUTH_READY) return result;
  result = CustomFido_transaction(fido->client, fido->agreement, sizeof fido->agreement, &length);
  if (result == CUSTOM_FIDO_SUCCESS) result = CustomFido_choices(fido->client, each, G_N_ELEMENTS(each), &count);
  if (result == CUSTOM_FIDO_SUCCESS) result = CustomFido_state(fido->client, fido->authenticator, &fido->state);
  fido->is_accepted = (count > 0 && each[0] == fido->authenticator) || (count > 1 && each[1] == fido->authenticator);
  return result;
}

void fido_begin(void *data) {
  FIDO *fido = data;
  keyboard_view_end_speaking(fido->window->view);
  typing_forget(&fido->typing);
  window_hide_count(fido->window);
  window_show_agreement(fido->window, "");
  window_say(fido->window->title, "%s, %s", fido->is_registering ? "Welcome" : "Hello", fido->account);
  gtk_widget_set_visible(fido->window->view, TRUE);
  work(fido, ask, take_request);
}

/* ---- The client ------------------------------------------------------------------------------------------------- */

/* NULL, or what is wrong. */
static char *set_up(FIDO *fido, const char *address, FIDORules rules) {
  const gboolean is_passcode = fido->authenticator == CUSTOM_FIDO_PASSCODE;
  const char *end = g_str_has_suffix(address, "/") ? "" : "/";
  g_autofree char *request = g_strconcat(address, end, "uaf/request", NULL);
  g_autofree char *response = g_strconcat(address, end, "uaf/response", NULL);
  int result = CustomFido_create(&fido->client, fido->vault, FACET);
  if (!result) result = CustomFido_setAAID(fido->client, CUSTOM_FIDO_PASSCODE, AAID_OF_PASSCODE);
  if (!result) result = CustomFido_setAAID(fido->client, CUSTOM_FIDO_PATTERN, AAID_OF_PATTERN);
  if (!result && is_passcode)
    result = CustomFido_setOption(fido->client, fido->authenticator, CUSTOM_FIDO_OPTION_PASSCODE_TYPE, rules.digits);
  if (!result && is_passcode && rules.digits == 0)
    result = CustomFido_setOption(fido->client, fido->authenticator, CUSTOM_FIDO_OPTION_MIN_LENGTH, SHORTEST_PASSWORD);
  if (!result && is_passcode)
    result = CustomFido_setOption(fido->client, fido->authenticator, CUSTOM_FIDO_OPTION_SHUFFLE_DISABLE,
                                  !rules.is_shuffled);
  if (result) return g_strdup(CustomFido_cause());
  result = CustomFido_setServer(fido->client, request, response, 0, uaf_send, &fido->channel);
  return result ? g_strdup_printf("%s: as in https://bank.example; http:// only to localhost, 127.0.0.1 and [::1]",
                                  address)
                : NULL;
}

char *fido_open(FIDO *fido, const char *folder, const char *address, FIDORules rules) {
  char *wrong = device_open(folder, &fido->vault);
  if (wrong) return wrong;
  fido->channel.cancellable = g_cancellable_new();
  wrong = set_up(fido, address, rules);
  if (wrong) return wrong;
  fido->typing.window = fido->window;
  fido->typing.complete = complete;
  fido->typing.begin = fido_begin;
  fido->typing.data = fido;
  CUSTOM_KEYBOARD_RV rv = typing_make(&fido->typing);
  return rv ? g_strdup(CustomKeyboard_cause()) : NULL;
}

void fido_cancel(FIDO *fido) {
  fido->is_over = TRUE;
  g_cancellable_cancel(fido->channel.cancellable);
  CustomFido_cancel(fido->client);
}

void fido_close(FIDO *fido) {
  fido_cancel(fido);
  while (fido->is_working) g_main_context_iteration(NULL, TRUE);
  typing_end(&fido->typing);
  CustomFido_destroy(fido->client);
  CustomVault_close(fido->vault);
  g_object_unref(fido->channel.cancellable);
}
