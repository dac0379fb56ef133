/*
 * One message to the server, and its answer. Certificates are always checked, no redirect is followed, nothing is sent
 * twice, and an answer that is too long or too late is refused. Cookies, a user and a password are never set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "send.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static size_t take_body(char *bytes, size_t one, size_t count, void *context) {
  CUSTOM_FIDO_EXCHANGE *exchange = context;
  if (count > exchange->capacity - exchange->answerLength) return 0; /* curl gives up */
  memcpy(exchange->answer + exchange->answerLength, bytes, one * count);
  exchange->answerLength += count;
  return count;
}

/* The value of a header line if it has this name. */
static int value_of(const char *line, size_t length, const char *name, const char **value, size_t *value_length) {
  size_t name_length = strlen(name);
  if (length <= name_length || line[name_length] != ':' || strncasecmp(line, name, name_length) != 0) return 0;
  for (line += name_length + 1, length -= name_length + 1; length > 0 && (*line == ' ' || *line == '\t'); length--)
    line++;
  while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL) length--;
  *value = line;
  *value_length = length;
  return 1;
}

static size_t take_header(char *line, size_t one, size_t count, void *context) {
  CUSTOM_FIDO_EXCHANGE *exchange = context;
  const char *value;
  size_t length;
  (void)one;
  if (value_of(line, count, "Location", &value, &length)) {
    if (length >= sizeof exchange->location) return 0;
    memcpy(exchange->location, value, length);
    exchange->location[length] = 0;
  }
  if (value_of(line, count, "FIDO-AppID-Redirect-Authorized", &value, &length))
    exchange->redirectAuthorized = length == 4 && strncasecmp(value, "true", 4) == 0;
  return count;
}

/* The server's certificate as the channel binding: the text between the lines of PEM is base64 already. Somebody in the
 * middle has another certificate, and what is signed here tells the server. One that is too long is refused: without it
 * nothing would tell. Returns whether there is one. */
static int bind_channel(CURL *curl, CUSTOM_FIDO_EXCHANGE *exchange) {
  static const char name[] = "Cert:-----BEGIN CERTIFICATE-----", start[] = "{\"tlsServerCertificate\":\"";
  struct curl_certinfo *chain = NULL;
  char *out = exchange->channelBinding, *end = out + sizeof exchange->channelBinding - 3;
  if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL) return 0;
  if (chain->num_of_certs < 1) return 0;
  for (struct curl_slist *field = chain->certinfo[0]; field != NULL; field = field->next) {
    if (strncmp(field->data, name, sizeof name - 1) != 0) continue;
    memcpy(out, start, sizeof start - 1);
    out += sizeof start - 1;
    for (const char *in = field->data + sizeof name - 1; *in != '-' && *in != 0 && out < end; in++) {
      if (*in == '\n' || *in == '\r' || *in == '=') continue;
      *out++ = *in == '+' ? '-' : *in == '/' ? '_' : *in;
    }
    if (out >= end) return 0;
    memcpy(out, "\"}", 3);
    return 1;
  }
  return 0;
}

int send_by_curl(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  CURL *curl = curl_easy_init();
  if (curl == NULL) return 1;
  /* The library gives no http URL but one of this machine; a proxy would be another one. */
  int is_local = strncmp(exchange->url, "http://", 7) == 0, is_post = strcmp(exchange->method, "POST") == 0;
  struct curl_slist *headers = NULL;
  const char *lines[] = {
      "Content-Type: application/fido+uaf; charset=utf-8", "Accept: application/fido+uaf", "Expect:"};
  for (size_t i = 0; is_post && i < sizeof lines / sizeof *lines; i++) {
    struct curl_slist *longer = curl_slist_append(headers, lines[i]);
    if (longer == NULL) {
      curl_slist_free_all(headers);
      curl_easy_cleanup(curl);
      return 1;
    }
    headers = longer;
  }
  exchange->answerLength = 0;
  CURLcode code = CURLE_OK;
#define SET(option, value) \
  if (code == CURLE_OK) code = curl_easy_setopt(curl, option, value)
  SET(CURLOPT_URL, exchange->url);
  SET(CURLOPT_PROTOCOLS_STR, is_local ? "http" : "https");
  if (is_local) SET(CURLOPT_PROXY, "");
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  SET(CURLOPT_CERTINFO, 1L);
  if (context != NULL) SET(CURLOPT_CAINFO, (const char *)context);
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_TIMEOUT, (long)exchange->seconds);
  /* curl sends again by itself what was lost on a connection that it had kept. */
  SET(CURLOPT_FRESH_CONNECT, 1L);
  SET(CURLOPT_FORBID_REUSE, 1L);
  SET(CURLOPT_HTTPHEADER, headers);
  if (is_post) {
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->bodyLength);
    SET(CURLOPT_POSTFIELDS, exchange->body);
  }
  SET(CURLOPT_HEADERFUNCTION, take_header);
  SET(CURLOPT_HEADERDATA, exchange);
  SET(CURLOPT_WRITEFUNCTION, take_body);
  SET(CURLOPT_WRITEDATA, exchange);
#undef SET
  if (code == CURLE_OK) code = curl_easy_perform(curl);
  long status = 0;
  char *type = NULL;
  if (code == CURLE_OK) code = curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_OK) code = curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
  if (code == CURLE_OK && type != NULL && strlen(type) < sizeof exchange->contentType)
    memcpy(exchange->contentType, type, strlen(type) + 1);
  exchange->status = (int)status;
  if (code == CURLE_OK && !is_local && !bind_channel(curl, exchange)) code = CURLE_PEER_FAILED_VERIFICATION;
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  return code == CURLE_OK ? 0 : 1;
}
