/*
 * JSON over HTTP, with libsoup. Nothing here is secret: a sealed text may be seen by everybody. The bank's answers are
 * read with suspicion: what is missing or of another type is an error, and no text of them is markup.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bank.h"

#include <json-glib/json-glib.h>
#include <libsoup/soup.h>
#include <string.h>

enum { TIMEOUT = 15 }; /* seconds without a byte from the bank */

struct Bank {
  SoupSession *session;
  GCancellable *cancellable;
  char *address, *key_id, *challenge;
};

typedef struct Request {
  SoupMessage *message;
  BankDone *done;
  void *data;
  const char *wanted; /* the member of the answer that the caller gets as bytes, or NULL */
  const char *noted;  /* another member that must be there, or NULL */
  char **note;        /* where that one is kept for a later request, or NULL */
} Request;

/* ---- Base64url without padding ---------------------------------------------------------------------------------- */

static char *encoded(const uint8_t *bytes, size_t length) {
  char *text = g_base64_encode(bytes, length);
  text[strcspn(text, "=")] = '\0';
  return g_strdelimit(g_strdelimit(text, "+", '-'), "/", '_');
}

static uint8_t *decoded(const char *text, size_t *length) {
  g_autofree char *padded = g_strconcat(text, "===" + (strlen(text) + 3) % 4, NULL);
  return g_base64_decode(g_strdelimit(g_strdelimit(padded, "-", '+'), "_", '/'), length);
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

static BankOutcome outcome_of(guint status) {
  switch (status) {
    case 200: return BANK_OK;
    case 401: return BANK_WRONG;
    case 423: return BANK_LOCKED;
    case 0:
    case 408:
    case 502:
    case 503:
    case 504: return BANK_UNREACHABLE;
    default: return BANK_REFUSED;
  }
}

/* A member that is of this type, or NULL. */
static JsonNode *member(JsonObject *object, const char *name, GType type) {
  JsonNode *node = object ? json_object_get_member(object, name) : NULL;
  return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type ? node : NULL;
}

static const char *text_member(JsonObject *object, const char *name) {
  JsonNode *node = member(object, name, G_TYPE_STRING);
  return node ? json_node_get_string(node) : NULL;
}

/* The object of an answer; NULL if it is none. */
static JsonObject *object_of(JsonParser *parser, GBytes *body) {
  gsize size = 0;
  const char *text = body ? g_bytes_get_data(body, &size) : NULL;
  if (!text || !json_parser_load_from_data(parser, text, (gssize)size, NULL)) return NULL;
  JsonNode *root = json_parser_get_root(parser);
  return root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
}

static void finish(GObject *session, GAsyncResult *result, gpointer data) {
  g_autofree Request *request = data;
  g_autoptr(SoupMessage) message = request->message;
  g_autoptr(JsonParser) parser = json_parser_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) body = soup_session_send_and_read_finish(SOUP_SESSION(session), result, &error);
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) return; /* by bank_free */

  JsonObject *object = object_of(parser, body);
  JsonNode *left = member(object, "attemptsLeft", G_TYPE_INT64);
  BankAnswer answer = {.outcome = outcome_of(body ? soup_message_get_status(message) : 0),
                       .attempts_left = left ? (int)CLAMP(json_node_get_int(left), -1, G_MAXINT) : -1};
  const char *wanted = request->wanted ? text_member(object, request->wanted) : "";
  const char *noted = request->noted ? text_member(object, request->noted) : "";
  g_autofree uint8_t *bytes = NULL;
  answer.message = text_member(object, "message");
  if (answer.outcome == BANK_OK && !(wanted && noted)) {
    answer.outcome = BANK_REFUSED;
  } else if (answer.outcome == BANK_OK) {
    answer.bytes = bytes = decoded(wanted, &answer.length);
    if (request->note) g_free(*request->note), *request->note = g_strdup(noted);
  } else if (answer.outcome == BANK_UNREACHABLE && !answer.message) {
    const gboolean is_distrusted = g_error_matches(error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE);
    answer.message = is_distrusted ? "The bank's certificate is not trusted." : "The bank cannot be reached.";
  }
  if (!answer.message) answer.message = "The bank's answer makes no sense.";
  request->done(&answer, request->data);
}

/* ---- Requests --------------------------------------------------------------------------------------------------- */

static void send(Bank *bank, const char *method, const char *path, char *body, Request request) {
  g_autofree char *address = g_strconcat(bank->address, path, NULL);
  request.message = soup_message_new(method, address);
  soup_message_add_flags(request.message, SOUP_MESSAGE_NO_REDIRECT);
  if (body) {
    g_autoptr(GBytes) bytes = g_bytes_new_take(body, strlen(body));
    soup_message_set_request_body_from_bytes(request.message, "application/json", bytes);
  }
  soup_session_send_and_read_async(bank->session, request.message, G_PRIORITY_DEFAULT, bank->cancellable, finish,
                                   g_memdup2(&request, sizeof request));
}

/* An object of texts: name, value, name, value, NULL. */
static char *json(const char *name, ...) {
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
  JsonObject *object = json_object_new();
  json_node_take_object(node, object);
  va_list rest;
  va_start(rest, name);
  for (; name; name = va_arg(rest, const char *))
    json_object_set_string_member(object, name, va_arg(rest, const char *));
  va_end(rest);
  return json_to_string(node, FALSE);
}

void bank_get_key(Bank *bank, BankDone *done, void *data) {
  send(bank, "GET", "/api/key", NULL,
       (Request){.done = done, .data = data, .wanted = "key", .noted = "keyId", .note = &bank->key_id});
}

void bank_get_challenge(Bank *bank, const char *account, const char *purpose, BankDone *done, void *data) {
  send(bank, "POST", "/api/challenge", json("account", account, "purpose", purpose, NULL),
       (Request){.done = done, .data = data, .wanted = "context", .noted = "challenge", .note = &bank->challenge});
}

void bank_login(Bank *bank, const uint8_t *text, size_t length, BankDone *done, void *data) {
  g_autofree char *sealed = encoded(text, length);
  send(bank, "POST", "/api/login", json("challenge", bank->challenge, "keyId", bank->key_id, "text", sealed, NULL),
       (Request){.done = done, .data = data, .wanted = "session"});
}

void bank_register(Bank *bank, const uint8_t *text, const uint8_t *again, size_t length, BankDone *done, void *data) {
  g_autofree char *sealed = encoded(text, length), *sealed_again = encoded(again, length);
  send(bank, "POST", "/api/register",
       json("challenge", bank->challenge, "keyId", bank->key_id, "text", sealed, "again", sealed_again, NULL),
       (Request){.done = done, .data = data, .noted = "account"});
}

Bank *bank_new(const char *address, GTlsDatabase *authorities) {
  g_autoptr(GUri) uri = g_uri_parse(address, SOUP_HTTP_URI_FLAGS, NULL);
  if (!uri || !(g_str_equal(g_uri_get_scheme(uri), "http") || g_str_equal(g_uri_get_scheme(uri), "https"))) return NULL;
  Bank *bank = g_new0(Bank, 1);
  bank->address = g_strndup(address, strlen(address) - (g_str_has_suffix(address, "/") ? 1 : 0));
  bank->cancellable = g_cancellable_new();
  bank->session = soup_session_new_with_options("timeout", TIMEOUT, NULL);
  if (authorities) soup_session_set_tls_database(bank->session, authorities);
  return bank;
}

void bank_free(Bank *bank) {
  g_cancellable_cancel(bank->cancellable);
  g_object_unref(bank->cancellable);
  g_object_unref(bank->session);
  g_free(bank->address);
  g_free(bank->key_id);
  g_free(bank->challenge);
  g_free(bank);
}
