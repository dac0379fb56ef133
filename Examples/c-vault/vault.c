/*
 * Keeps a token on the device behind a PIN: five wrong PINs lock it for five minutes, however often the program is
 * killed in between.
 *
 *     cc vault.c $(pkg-config --cflags --libs customvault) && mkdir -m 700 kept
 *     ./a.out kept set TOKEN < pin        chooses a PIN, and keeps a token
 *     ./a.out kept get < pin              prints the token
 *
 * The PIN is read from standard input, a line. A program with a screen shows a keyboard and calls CustomKeyboard_touch.
 *
 * The token is sealed twice: by the vault, and under the key that only the PIN gives. So not even this program can read
 * it without the person. The key of the vault is in a file here; it belongs where the device keeps such things.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <custom_vault.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { TOKEN = 100 };

static void fail(const char *what) {
  fprintf(stderr, "vault: %s\n", what);
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

/* The key of the vault: 32 random bytes in a file that only this user may read. They are drawn once. */
static void load_key(const char *folder, uint8_t key[CUSTOM_VAULT_KEYSIZE]) {
  char path[4096], draft[4096];
  snprintf(path, sizeof path, "%s/key", folder);
  snprintf(draft, sizeof draft, "%s/key.%ld", folder, (long)getpid());
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    /* Whole or not at all: a vault whose key was cut off is lost. */
    file = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || getrandom(key, CUSTOM_VAULT_KEYSIZE, 0) != CUSTOM_VAULT_KEYSIZE ||
        write(file, key, CUSTOM_VAULT_KEYSIZE) != CUSTOM_VAULT_KEYSIZE || fsync(file) != 0)
      fail("The key cannot be written.");
    link(draft, path); /* another process may have been faster: then its key is the key */
    unlink(draft);
    close(file);
    file = open(path, O_RDONLY | O_CLOEXEC);
  }
  if (file < 0 || read(file, key, CUSTOM_VAULT_KEYSIZE) != CUSTOM_VAULT_KEYSIZE) fail("The key cannot be read.");
  close(file);
  /* The key's name is on the disk before a vault needs it, also if another process gave it. */
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || fsync(directory) != 0) fail("The folder cannot be written.");
  close(directory);
}

static CUSTOM_VAULT open_vault(const char *folder) {
  char path[4096];
  uint8_t key[CUSTOM_VAULT_KEYSIZE];
  CUSTOM_VAULT vault;
  snprintf(path, sizeof path, "%s/vault", folder);
  load_key(folder, key);
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&vault, path, key, sizeof key);
  explicit_bzero(key, sizeof key);
  check_vault(rv);
  return vault;
}

/* A keyboard with a PIN typed on it. */
static CUSTOM_KEYBOARD read_pin(void) {
  CUSTOM_KEYBOARD keyboard;
  char character;
  check(CustomKeyboard_create(&keyboard));
  check(CustomKeyboard_open(keyboard));
  while (read(STDIN_FILENO, &character, 1) == 1 && character != '\n')
    check(CustomKeyboard_input(keyboard, (const uint8_t *)&character, 1));
  return keyboard;
}

/* Whether the PIN is right. */
static int try_pin(CUSTOM_VAULT vault, CUSTOM_KEYBOARD pin, uint8_t key[CUSTOM_VAULT_PASSCODEKEYSIZE]) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_KEYBOARD_RV rv = CustomVault_checkPasscode(vault, "pin", pin, key, &state);
  if (rv != CUSTOM_KEYBOARD_MISMATCH && rv != CUSTOM_KEYBOARD_LOCKED) {
    check_vault(rv);
    return 1;
  }
  if (state.secondsLeft > 0)
    printf("Locked for %u minutes.\n", (state.secondsLeft + 59) / 60);
  else
    printf("Wrong PIN. Tries left: %u\n", state.triesLeft);
  return 0;
}

/* What is sealed under the PIN's key: here another vault, so that no cipher is needed. */
static CUSTOM_VAULT open_inner(const char *folder, uint8_t key[CUSTOM_VAULT_PASSCODEKEYSIZE]) {
  char path[4096];
  CUSTOM_VAULT inner;
  snprintf(path, sizeof path, "%s/behind-pin", folder);
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&inner, path, key, CUSTOM_VAULT_PASSCODEKEYSIZE);
  explicit_bzero(key, CUSTOM_VAULT_PASSCODEKEYSIZE);
  check_vault(rv);
  return inner;
}

int main(int count, char **arguments) {
  int is_set = count == 4 && strcmp(arguments[2], "set") == 0;
  if (!is_set && !(count == 3 && strcmp(arguments[2], "get") == 0)) fail("Usage: FOLDER set TOKEN, or FOLDER get");
  const char *folder = arguments[1];
  CUSTOM_VAULT vault = open_vault(folder);
  CUSTOM_KEYBOARD pin = read_pin();
  uint8_t key[CUSTOM_VAULT_PASSCODEKEYSIZE], token[TOKEN];
  size_t length = 0;
  if (is_set) {
    CUSTOM_KEYBOARD_RV rv = CustomVault_setPasscode(vault, "pin", pin, NULL); /* five tries, five minutes */
    if (rv != CUSTOM_KEYBOARD_EXISTS) check_vault(rv);
  }
  if (!try_pin(vault, pin, key)) return EXIT_FAILURE;
  check(CustomKeyboard_destroy(pin));
  CUSTOM_VAULT inner = open_inner(folder, key);
  if (is_set) {
    const uint8_t *next = (const uint8_t *)arguments[3];
    CUSTOM_KEYBOARD_RV rv = CustomVault_addItem(inner, "bank", "me", NULL, "token", next, strlen(arguments[3]));
    if (rv == CUSTOM_KEYBOARD_EXISTS)
      rv = CustomVault_updateItem(inner, "bank", "me", NULL, NULL, next, strlen(arguments[3]));
    check_vault(rv);
    puts("Kept."); /* it is on the disk */
  } else {
    check_vault(CustomVault_readItem(inner, "bank", "me", token, sizeof token, &length));
    printf("%.*s\n", (int)length, (const char *)token);
    explicit_bzero(token, sizeof token);
  }
  check_vault(CustomVault_close(inner));
  check_vault(CustomVault_close(vault));
  return EXIT_SUCCESS;
}
