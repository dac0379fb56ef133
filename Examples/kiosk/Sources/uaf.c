/*
 * With libsoup. Certificates are checked, no redirect is followed, nothing is sent twice, and an answer that is too
 * long is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "uaf.h"

#include <libsoup/soup.h>
#include <string.h>

#include "bank.h"

static gboolean copy(char *place, size_t capacity, const char *text) {
  if (text && strlen(text) >= capacity) return FALSE;
  if (text) strcpy(place, text);
  return TRUE;
}

/* The bank's certificate as the channel binding: somebody in the middle has another one, and what is signed here tells
 * the bank. One that is too long is refused: without it nothing would tell. */
static gboolean bind_channel(SoupMessage *message, CUSTOM_FIDO_EXCHANGE *exchange) {
  GTlsCertificate *certificate = soup_message_get_tls_peer_certificate(message);
  g_autoptr(GByteArray) bytes = NULL;
  if (!certificate) return g_str_has_prefix(exchange->url, "http://");
  g_object_get(certificate, "certificate", &bytes, NULL);
  g_autofree char *text = base64url(bytes->data, bytes->len);
  g_autofree char *binding = g_strconcat("{\"tlsServerCertificate\":\"", text, "\"}", NULL);
  return copy(exchange->channelBinding, sizeof exchange->channelBinding, binding);
}

/* Whether the answer fits. */
static gboolean take_body(GInputStream *body, CUSTOM_FIDO_EXCHANGE *exchange, GCancellable *cancellable) {
  gsize length;
  char more;
  if (!g_input_stream_read_all(body, exchange->answer, exchange->capacity, &length, cancellable, NULL)) return FALSE;
  exchange->answerLength = length;
  return length < exchange->capacity || g_input_stream_read(body, &more, 1, cancellable, NULL) == 0;
}

int uaf_send(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  UAFChannel *channel = context;
  g_autoptr(GError) error = NULL;
  /* A session of this thread's own, and a new connection: on one that was kept, libsoup sends again what was lost. */
  g_autoptr(SoupSession) session =
      soup_session_new_with_options("timeout", exchange->seconds, "accept-language-auto", TRUE, NULL);
  g_autoptr(SoupMessage) message = soup_message_new(exchange->method, exchange->url);
  if (!message) return 1;
  soup_session_remove_feature_by_type(session, SOUP_TYPE_CONTENT_DECODER);
  if (channel->authorities) soup_session_set_tls_database(session, channel->authorities);
  /* The library gives no http URL but one of this machine; a proxy would be another one. */
  if (g_str_has_prefix(exchange->url, "http://")) soup_session_set_proxy_resolver(session, NULL);
  soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT | SOUP_MESSAGE_NEW_CONNECTION);
  /* libsoup would send it again after 421, whatever the flags say. */
  g_signal_connect_swapped(message, "restarted", G_CALLBACK(g_cancellable_cancel), channel->cancellable);
  if (g_str_equal(exchange->method, "POST")) {
    g_autoptr(GBytes) body = g_bytes_new(exchange->body, exchange->bodyLength);
    soup_message_set_request_body_from_bytes(message, "application/fido+uaf; charset=utf-8", body);
    soup_message_headers_replace(soup_message_get_request_headers(message), "Accept", "application/fido+uaf");
  }
  g_autoptr(GInputStream) stream = soup_session_send(session, message, channel->cancellable, &error);
  channel->is_distrusted = g_error_matches(error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE);
  if (!stream || !take_body(stream, exchange, channel->cancellable)) return 1;
  SoupMessageHeaders *headers = soup_message_get_response_headers(message);
  const char *authorized = soup_message_headers_get_one(headers, "FIDO-AppID-Redirect-Authorized");
  exchange->status = (int)soup_message_get_status(message);
  exchange->redirectAuthorized = authorized && g_ascii_strcasecmp(authorized, "true") == 0;
  const char *type = soup_message_headers_get_one(headers, "Content-Type");
  const char *location = soup_message_headers_get_one(headers, "Location");
  const gboolean is_whole = bind_channel(message, exchange) &&
                            copy(exchange->contentType, sizeof exchange->contentType, type) &&
                            copy(exchange->location, sizeof exchange->location, location);
  return is_whole ? 0 : 1;
}
