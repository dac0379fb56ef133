/*
 * Logs in to a server with a passcode that never leaves this program: FIDO UAF, against `make bank` or another server.
 *
 *     cc fido.c send.c $(pkg-config --cflags --libs customfido libcurl) && mkdir -m 700 kept
 *     ./a.out kept register http://localhost:8080 kim < passcode
 *     ./a.out kept authenticate http://localhost:8080 kim "Pay 10 to Bob?" < passcode      prints the server's token
 *     ./a.out kept deregister http://localhost:8080 kim < token
 *
 * The passcode is read from standard input, a line; two lines, the passcode twice, at the first registration. A program
 * with a screen shows a keyboard and calls CustomKeyboard_touch. What the server asks in between is on standard error.
 *
 * The environment's FIDO_AUTHORITIES names a file of certificates that are trusted instead of the system's: a bank's
 * app may know only its own authority. FIDO_AUTHENTICATOR=pattern takes a pattern, its nodes as digits: 14789.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "send.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The app's name, which the server must know, and the models of its two authenticators. */
#define FACET "ios:bundle-id:com.example.bank"
#define AAID_OF_PASSCODE "0000#0001"
#define AAID_OF_PATTERN "0000#0002"

static void fail(const char *what) {
  fprintf(stderr, "fido: %s\n", what);
  exit(EXIT_FAILURE);
}

/* Ends the program with what the library says was wrong, if a call of a keyboard fails. */
static void check(CUSTOM_KEYBOARD_RV rv) {
  if (rv != CUSTOM_KEYBOARD_OK) fail(CustomKeyboard_cause());
}

/* The same for a call of a vault. */
static void check_vault(CUSTOM_KEYBOARD_RV rv) {
  if (rv != CUSTOM_KEYBOARD_OK) fail(CustomVault_cause());
}

/* The vault with the keys. Its own key is in a file here; it belongs where the device keeps such things. */
static CUSTOM_VAULT open_vault(const char *folder) {
  char path[4096], draft[4096];
  uint8_t key[CUSTOM_VAULT_KEYSIZE];
  CUSTOM_VAULT vault;
  snprintf(path, sizeof path, "%s/key", folder);
  snprintf(draft, sizeof draft, "%s/key.%ld", folder, (long)getpid());
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    /* Whole or not at all: a vault whose key was cut off is lost. */
    file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || getrandom(key, sizeof key, 0) != sizeof key || write(file, key, sizeof key) != sizeof key ||
        fsync(file) != 0)
      fail("The key cannot be written.");
    link(draft, path); /* another process may have been faster: then its key is the key */
    unlink(draft);
    close(file);
    file = open(path, O_RDONLY | O_CLOEXEC);
  }
  if (file < 0 || read(file, key, sizeof key) != sizeof key) fail("The key cannot be read.");
  close(file);
  /* The key's name is on the disk before a vault needs it, also if another process gave it. */
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || fsync(directory) != 0) fail("The folder cannot be written.");
  close(directory);
  snprintf(path, sizeof path, "%s/vault", folder);
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&vault, path, key, sizeof key);
  explicit_bzero(key, sizeof key);
  check_vault(rv);
  return vault;
}

/* Reads a line, one byte at a time: a buffer would keep what is secret. Returns 0 at the end of the input. */
static int next_byte(char *byte) { return read(STDIN_FILENO, byte, 1) == 1 && *byte != '\n'; }

/* A keyboard with what was typed. */
static CUSTOM_KEYBOARD read_passcode(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator) {
  CUSTOM_KEYBOARD keyboard;
  char byte;
  check(CustomKeyboard_create(&keyboard));
  if (CustomFido_applyLayout(fido, authenticator, keyboard) != CUSTOM_FIDO_SUCCESS) fail(CustomFido_cause());
  check(CustomKeyboard_open(keyboard));
  while (next_byte(&byte)) check(CustomKeyboard_input(keyboard, (const uint8_t *)&byte, 1));
  return keyboard;
}

/* Shows what the server wants confirmed. The library refuses control characters but line feeds; the indent tells the
 * lines of the server's text from those of this program. */
static void show_transaction(const char *text) {
  fprintf(stderr, "The server asks: ");
  for (; *text != 0; text++) fprintf(stderr, *text == '\n' ? "\n                 " : "%c", *text);
  fprintf(stderr, "\n");
}

/* Asks the server, and the person; returns the last answer. */
static int work(CUSTOM_FIDO fido, CUSTOM_FIDO_AUTHENTICATOR authenticator, const char *what, const char *user,
                const char *more) {
  char context[2048] = "", text[1024];
  size_t length;
  int state;
  if (strcmp(what, "deregister") == 0) {
    /* A session on standard input: this server deletes no key for a stranger. */
    length = (size_t)snprintf(context, sizeof context, "{\"session\":\"");
    while (length < sizeof context - 3 && next_byte(context + length)) length++;
    memcpy(context + length, "\"}", 3);
    int result = CustomFido_startDeregistration(fido, user, context);
    explicit_bzero(context, sizeof context);
    return result;
  }
  if (more != NULL) {
    if (strpbrk(more, "\"\\\n") != NULL) fail("This example puts only simple texts into JSON.");
    snprintf(context, sizeof context, "{\"transactionText\":\"%s\"}", more);
  }
  int result = strcmp(what, "register") == 0 ? CustomFido_startRegistration(fido, user, more ? context : NULL)
                                             : CustomFido_startAuthentication(fido, user, more ? context : NULL);
  if (result != CUSTOM_FIDO_AUTH_READY) return result;
  result = CustomFido_transaction(fido, text, sizeof text, &length);
  if (result != CUSTOM_FIDO_SUCCESS) return result;
  /* A server may ask for another text than the person wants to confirm: only what was given is signed. */
  if (strcmp(text, more != NULL ? more : "") != 0) {
    if (length > 0) show_transaction(text);
    fail("Nothing was signed: that is not the text that was given.");
  }
  result = CustomFido_state(fido, authenticator, &state);
  if (result != CUSTOM_FIDO_SUCCESS) return result;
  CUSTOM_KEYBOARD first = read_passcode(fido, authenticator), again = 0;
  if (state == CUSTOM_FIDO_STATE_NOT_REGISTERED) again = read_passcode(fido, authenticator);
  result = CustomFido_resume(fido, authenticator, NULL, first, again);
  check(CustomKeyboard_destroy(first));
  if (again != 0) check(CustomKeyboard_destroy(again));
  return result;
}

int main(int count, char **arguments) {
  static const char *const words[] = {"register", "authenticate", "deregister"};
  int is_known = 0;
  for (int i = 0; count >= 5 && i < 3; i++) is_known |= strcmp(arguments[2], words[i]) == 0;
  if (!is_known || count > 6) fail("Usage: FOLDER register|authenticate|deregister URL USER [TEXT]");
  const char *named = getenv("FIDO_AUTHENTICATOR");
  CUSTOM_FIDO_AUTHENTICATOR authenticator =
      named != NULL && strcmp(named, "pattern") == 0 ? CUSTOM_FIDO_PATTERN : CUSTOM_FIDO_PASSCODE;
  curl_global_init(CURL_GLOBAL_DEFAULT);

  CUSTOM_VAULT vault = open_vault(arguments[1]);
  CUSTOM_FIDO fido;
  char request[1024], response[1024], token[1024];
  size_t length;
  snprintf(request, sizeof request, "%s/uaf/request", arguments[3]);
  snprintf(response, sizeof response, "%s/uaf/response", arguments[3]);
  int result = CustomFido_create(&fido, vault, FACET);
  if (result != CUSTOM_FIDO_SUCCESS) fail(CustomFido_cause());
  result = CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, AAID_OF_PASSCODE);
  if (result == CUSTOM_FIDO_SUCCESS) result = CustomFido_setAAID(fido, CUSTOM_FIDO_PATTERN, AAID_OF_PATTERN);
  if (result == CUSTOM_FIDO_SUCCESS)
    result = CustomFido_setServer(fido, request, response, 0, send_by_curl, getenv("FIDO_AUTHORITIES"));
  if (result == CUSTOM_FIDO_SUCCESS)
    result = work(fido, authenticator, arguments[2], arguments[4], count == 6 ? arguments[5] : NULL);
  if (result == CUSTOM_FIDO_SUCCESS) result = CustomFido_token(fido, token, sizeof token, &length);
  if (result != CUSTOM_FIDO_SUCCESS)
    fprintf(stderr, "%d: %s\n", result, CustomFido_cause());
  else if (length > 0)
    puts(token);
  explicit_bzero(token, sizeof token);
  CustomFido_destroy(fido);
  check_vault(CustomVault_close(vault));
  curl_global_cleanup();
  return result == CUSTOM_FIDO_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
