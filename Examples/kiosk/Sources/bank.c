/*
 * JSON over HTTP, with libsoup. Nothing here is secret but a session: a sealed text and a message of OPAQUE may be seen
 * by everybody. The bank's answers are read with suspicion: they have to be short, flat and soon there; what is missing
 * or of another type is an error, and no text of them is markup.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bank.h"

#include <json-glib/json-glib.h>
#include <libsoup/soup.h>
#include <string.h>

enum {
  TIMEOUT = 15,     /* seconds without a byte from the bank */
  DEADLINE = 30,    /* seconds for a whole answer */
  LONGEST = 4096,   /* bytes of an answer */
  MOST_BRACKETS = 8 /* in an answer: JSON-GLib runs out of stack with very many */
};

struct Bank {
  SoupSession *session;
  GCancellable *cancellable; /* of the request that is under way */
  char *address, *key_id, *challenge, *step, *login; /* `login` is the session, a secret */
};

typedef struct Request {
  SoupMessage *message;
  GCancellable *cancellable;
  guint timer;
  gboolean is_late;
  BankDone *done;
  void *data;
  const char *wanted; /* the member of the answer that the caller gets as bytes, or NULL */
  const char *noted;  /* another member that must be there, or NULL */
  char **note;        /* where that one is kept for a later request, or NULL */
  char body[LONGEST];
} Request;

/* ---- Base64url without padding ---------------------------------------------------------------------------------- */

char *base64url(const uint8_t *bytes, size_t length) {
  char *text = g_base64_encode(bytes, length);
  text[strcspn(text, "=")] = '\0';
  return g_strdelimit(g_strdelimit(text, "+", '-'), "/", '_');
}

static uint8_t *decoded(const char *text, size_t *length) {
  g_autofree char *padded = g_strconcat(text, "===" + (strlen(text) + 3) % 4, NULL);
  return g_base64_decode(g_strdelimit(g_strdelimit(padded, "-", '+'), "_", '/'), length);
}

static void forget(char **text) {
  if (*text) explicit_bzero(*text, strlen(*text));
  g_clear_pointer(text, g_free);
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

/* The object of an answer; NULL if it is not an object. */
static JsonObject *object_of(JsonParser *parser, const char *text, gsize size) {
  int brackets = 0;
  for (gsize i = 0; i < size; i++) brackets += text[i] == '[' || text[i] == '{';
  if (brackets > MOST_BRACKETS || !json_parser_load_from_data(parser, text, (gssize)size, NULL)) return NULL;
  JsonNode *root = json_parser_get_root(parser);
  return root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
}

/* Tells the caller what became of a request. */
static void conclude(const Request *request, gsize length, const GError *error) {
  g_autoptr(JsonParser) parser = json_parser_new();
  JsonObject *object = length < LONGEST ? object_of(parser, request->body, length) : NULL;
  JsonNode *left = member(object, "attemptsLeft", G_TYPE_INT64);
  BankAnswer answer = {.outcome = outcome_of(error ? 0 : soup_message_get_status(request->message)),
                       .attempts_left = left ? (int)CLAMP(json_node_get_int(left), -1, G_MAXINT) : -1};
  const char *wanted = request->wanted ? text_member(object, request->wanted) : "";
  const char *noted = request->noted ? text_member(object, request->noted) : "";
  g_autofree uint8_t *bytes = NULL;
  answer.message = text_member(object, "message");
  answer.moves = g_strcmp0(text_member(object, "moves"), "opaque") == 0;
  if (answer.outcome == BANK_OK && !(wanted && noted)) {
    answer.outcome = BANK_REFUSED;
  } else if (answer.outcome == BANK_OK) {
    answer.bytes = bytes = decoded(wanted, &answer.length);
    if (request->note) forget(request->note), *request->note = g_strdup(noted);
  } else if (answer.outcome == BANK_UNREACHABLE && !answer.message) {
    const gboolean is_distrusted = g_error_matches(error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE);
    answer.message = is_distrusted ? "The bank's certificate is not trusted." : "The bank cannot be reached.";
  }
  if (!answer.message) answer.message = "The bank's answer makes no sense.";
  request->done(&answer, request->data);
  if (bytes) explicit_bzero(bytes, answer.length);
}

static void finish(Request *request, gsize length, const GError *error) {
  g_clear_handle_id(&request->timer, g_source_remove);
  /* Cancelled, and not because it was late: nobody waits for the answer any more. */
  if (request->is_late || !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) conclude(request, length, error);
  g_object_unref(request->message);
  g_object_unref(request->cancellable);
  explicit_bzero(request, sizeof *request);
  g_free(request);
}

static void take_body(GObject *stream, GAsyncResult *result, gpointer request) {
  g_autoptr(GError) error = NULL;
  gsize length;
  g_input_stream_read_all_finish(G_INPUT_STREAM(stream), result, &length, &error);
  finish(request, length, error);
}

static void take_head(GObject *session, GAsyncResult *result, gpointer data) {
  Request *request = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GInputStream) stream = soup_session_send_finish(SOUP_SESSION(session), result, &error);
  if (stream)
    g_input_stream_read_all_async(stream, request->body, LONGEST, G_PRIORITY_DEFAULT, request->cancellable, take_body,
                                  request);
  else
    finish(request, 0, error);
}

static gboolean give_up(gpointer data) {
  Request *request = data;
  request->timer = 0;
  request->is_late = TRUE;
  g_cancellable_cancel(request->cancellable);
  return G_SOURCE_REMOVE;
}

/* ---- Requests --------------------------------------------------------------------------------------------------- */

/* One request at a time. */
static void send(Bank *bank, const char *method, const char *path, char *body, Request wanted) {
  g_autofree char *address = g_strconcat(bank->address, path, NULL);
  Request *request = g_memdup2(&wanted, sizeof wanted);
  request->message = soup_message_new(method, address);
  soup_message_add_flags(request->message, SOUP_MESSAGE_NO_REDIRECT);
  if (body) {
    g_autoptr(GBytes) bytes = g_bytes_new_take(body, strlen(body));
    soup_message_set_request_body_from_bytes(request->message, "application/json", bytes);
  }
  if (bank->login) {
    g_autofree char *bearer = g_strconcat("Bearer ", bank->login, NULL);
    soup_message_headers_append(soup_message_get_request_headers(request->message), "Authorization", bearer);
    explicit_bzero(bearer, strlen(bearer));
  }
  request->cancellable = g_cancellable_new();
  g_set_object(&bank->cancellable, request->cancellable);
  request->timer = g_timeout_add_seconds(DEADLINE, give_up, request);
  soup_session_send_async(bank->session, request->message, G_PRIORITY_DEFAULT, request->cancellable, take_head,
                          request);
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
  send(bank, "POST", "/api/challenge", json("account", account, "purpose", purpose, "keyId", bank->key_id, NULL),
       (Request){.done = done, .data = data, .wanted = "context", .noted = "challenge", .note = &bank->challenge});
}

void bank_login(Bank *bank, const uint8_t *text, size_t length, BankDone *done, void *data) {
  g_autofree char *sealed = base64url(text, length);
  send(bank, "POST", "/api/login", json("challenge", bank->challenge, "keyId", bank->key_id, "text", sealed, NULL),
       (Request){.done = done, .data = data, .noted = "session", .note = &bank->login});
}

void bank_logout(Bank *bank, BankDone *done, void *data) {
  send(bank, "POST", "/api/logout", NULL, (Request){.done = done, .data = data});
  forget(&bank->login);
}

void bank_use_session(Bank *bank, const char *session) {
  forget(&bank->login);
  bank->login = g_strdup(session);
}

void bank_register(Bank *bank, const uint8_t *text, const uint8_t *again, size_t length, BankDone *done, void *data) {
  g_autofree char *sealed = base64url(text, length), *sealed_again = base64url(again, length);
  send(bank, "POST", "/api/register",
       json("challenge", bank->challenge, "keyId", bank->key_id, "text", sealed, "again", sealed_again, NULL),
       (Request){.done = done, .data = data, .noted = "account"});
}

/* ---- OPAQUE ----------------------------------------------------------------------------------------------------- */

void bank_begin_login(Bank *bank, const char *account, const uint8_t *ke1, size_t length, BankDone *done, void *data) {
  g_autofree char *text = base64url(ke1, length);
  send(bank, "POST", "/api/opaque/login", json("account", account, "ke1", text, NULL),
       (Request){.done = done, .data = data, .wanted = "ke2", .noted = "step", .note = &bank->step});
}

void bank_ask_to_register(Bank *bank, const char *account, const uint8_t *request, size_t length, BankDone *done,
                          void *data) {
  g_autofree char *text = base64url(request, length);
  send(bank, "POST", "/api/opaque/register", json("account", account, "request", text, NULL),
       (Request){.done = done, .data = data, .wanted = "response", .noted = "step", .note = &bank->step});
}

void bank_send_record(Bank *bank, const uint8_t *record, size_t length, const uint8_t *ke1, size_t ke1_length,
                      BankDone *done, void *data) {
  g_autofree char *text = base64url(record, length), *begun = base64url(ke1, ke1_length);
  send(bank, "POST", "/api/opaque/record", json("step", bank->step, "record", text, "ke1", begun, NULL),
       (Request){.done = done, .data = data, .wanted = "ke2", .noted = "step", .note = &bank->step});
}

void bank_finish(Bank *bank, const uint8_t *ke3, size_t length, BankDone *done, void *data) {
  g_autofree char *text = base64url(ke3, length);
  send(bank, "POST", "/api/opaque/finish", json("step", bank->step, "ke3", text, NULL),
       (Request){.done = done, .data = data, .noted = "account"});
}

/* A name that ends so is this machine's own, whatever a name server says (RFC 6761). */
static gboolean is_this_machine(const char *host) {
  g_autoptr(GInetAddress) address = g_inet_address_new_from_string(host);
  return address ? g_inet_address_get_is_loopback(address)
                 : !g_ascii_strcasecmp(host, "localhost") || g_str_has_suffix(host, ".localhost");
}

Bank *bank_new(const char *address, GTlsDatabase *authorities) {
  g_autoptr(GUri) uri = g_uri_parse(address, SOUP_HTTP_URI_FLAGS, NULL);
  const gboolean is_http = uri && g_str_equal(g_uri_get_scheme(uri), "http");
  if (!is_http && !(uri && g_str_equal(g_uri_get_scheme(uri), "https"))) return NULL;
  if (is_http && !is_this_machine(g_uri_get_host(uri))) return NULL;
  Bank *bank = g_new0(Bank, 1);
  bank->address = g_strndup(address, strlen(address) - (g_str_has_suffix(address, "/") ? 1 : 0));
  bank->session = soup_session_new_with_options("timeout", TIMEOUT, "accept-language-auto", TRUE, NULL);
  if (authorities) soup_session_set_tls_database(bank->session, authorities);
  if (is_http) soup_session_set_proxy_resolver(bank->session, NULL); /* a proxy would be another machine */
  return bank;
}

void bank_cancel(Bank *bank) { g_cancellable_cancel(bank->cancellable); }

void bank_free(Bank *bank) {
  bank_cancel(bank);
  g_clear_object(&bank->cancellable);
  g_object_unref(bank->session);
  forget(&bank->login);
  g_free(bank->address);
  g_free(bank->key_id);
  g_free(bank->challenge);
  g_free(bank->step);
  g_free(bank);
}
