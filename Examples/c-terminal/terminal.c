/*
 * A terminal and a host, as payment networks have them: a PIN leaves the terminal in a PIN block, under a key that no
 * other transaction has (DUKPT, ANSI X9.24-3, AES). The host passes it on to the card's bank and never sees it.
 *
 *     cc -pthread terminal.c $(pkg-config --cflags --libs customkeyboard) && ./a.out DEVICE
 *
 * DEVICE is the file of the terminal's keys; it is made if it is not there. Type the letters beside the digits.
 *
 * All keys are in one process here, and in the clear. In a real terminal they are in a device that is made for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include <custom_keyboard.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIN_LENGTH = 4, BLOCK = 16, KSN = 12, BASE_KEY = 32, ZONE_KEY = 16 };

/* What the host has: the base key. The terminal's number names its initial key; the last four bytes count. */
static const uint8_t base_key[BASE_KEY + 1] = "the host's base key, 32 bytes...";
static const uint8_t terminal_number[KSN] = {0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56};
/* What the host shares with the card's bank. */
static const uint8_t zone_key[ZONE_KEY + 1] = "zone key 16 byte";
/* What the terminal reads from the card, and the host finds in the message. */
static const char card[] = "4111111111111111";

/* Ends the program with the library's own advice if a call fails. */
static void check(CUSTOM_KEYBOARD_RV rv) {
  if (rv == CUSTOM_KEYBOARD_OK) return;
  fprintf(stderr, "terminal: %s\n", CustomKeyboard_cause());
  exit(EXIT_FAILURE);
}

static void require(int holds, const char *what) {
  if (holds) return;
  perror(what);
  exit(EXIT_FAILURE);
}

static void print(const char *label, const uint8_t *bytes, size_t length) {
  printf("%-22s", label);
  for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
  putchar('\n');
}

/* ---- The terminal's file ----------------------------------------------------------------------------------------- */

/* Puts the device in place of the old one, so that after a crash one of the two is there, and syncs it. Only then
 * may the key be used. */
static void write_device(const char *path, const CUSTOM_DUKPT_DEVICE *device) {
  char new_path[4096], folder[4096];
  errno = ENAMETOOLONG;
  require(snprintf(new_path, sizeof new_path, "%s.new", path) < (int)sizeof new_path, path);
  snprintf(folder, sizeof folder, "%s", path);
  /* One that a crash has left may be readable for others. */
  require(unlink(new_path) == 0 || errno == ENOENT, new_path);
  int file = open(new_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  require(file >= 0, new_path);
  require(write(file, device, sizeof *device) == (ssize_t)sizeof *device && fsync(file) == 0, new_path);
  close(file);
  require(rename(new_path, path) == 0, path);
  int directory = open(dirname(folder), O_RDONLY);
  require(directory >= 0 && fsync(directory) == 0, path);
  close(directory);
}

/* Answers 0 only if the terminal has no device yet. A device that cannot be read now ends the program: with a new one
 * in its place, the counter would begin again, and each key would be used twice. */
static int read_device(const char *path, CUSTOM_DUKPT_DEVICE *device) {
  int file = open(path, O_RDONLY);
  if (file < 0 && errno == ENOENT) return 0;
  require(file >= 0, path);
  ssize_t length = read(file, device, sizeof *device);
  require(length >= 0, path);
  if ((size_t)length < sizeof *device) {
    fprintf(stderr, "terminal: %s: a device has %zu bytes\n", path, sizeof *device);
    exit(EXIT_FAILURE);
  }
  close(file);
  return 1;
}

/* Held from the moment a key is taken until the device is written: of threads that share it, another one would change
 * it meanwhile, and half of one state and half of another would be kept. */
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the next key. Returns the length of its serial number. */
static size_t take_key(const char *path, CUSTOM_DUKPT_DEVICE *device, CUSTOM_KEYBOARD pad, uint8_t *ksn) {
  size_t ksn_length;
  pthread_mutex_lock(&device_lock);
  check(CustomKeyboard_dukptNext(device, pad, CUSTOM_ENCWAY_PIN4, ksn, KSN, &ksn_length));
  write_device(path, device);
  pthread_mutex_unlock(&device_lock);
  return ksn_length;
}

/* ---- The host ---------------------------------------------------------------------------------------------------- */

/* The initial key of a new terminal, which is loaded where nobody else is, and then wiped. A real terminal never does
 * so by itself: the file may be gone for other reasons, a disk that is not mounted for example. */
static void make_terminal(CUSTOM_DUKPT_DEVICE *device) {
  uint8_t initial_key[BASE_KEY];
  size_t length;
  check(CustomKeyboard_dukptInitialKey(CUSTOM_DUKPT_AES128, base_key, BASE_KEY, terminal_number, KSN,
                                       initial_key, sizeof initial_key, &length));
  check(CustomKeyboard_dukptLoad(device, CUSTOM_DUKPT_AES128, initial_key, length, terminal_number, KSN));
  explicit_bzero(initial_key, sizeof initial_key);
}

/* Makes the terminal's block one for the card's bank. The PIN is in a keyboard meanwhile, and nowhere else. */
static void pass_on(const uint8_t *ksn, const uint8_t *block) {
  uint8_t key[16], next[8];
  size_t length, offset;
  CUSTOM_KEYBOARD keyboard;
  check(CustomKeyboard_dukptKey(CUSTOM_DUKPT_AES128, base_key, BASE_KEY, ksn, KSN, key, sizeof key, &length));
  check(CustomKeyboard_create(&keyboard));
  check(CustomKeyboard_setEncKey(keyboard, zone_key, ZONE_KEY, CUSTOM_ENCWAY_PIN0));
  check(CustomKeyboard_receive(keyboard, CUSTOM_ENCWAY_PIN4, key, length, (const uint8_t *)card, strlen(card), block,
                               BLOCK));
  explicit_bzero(key, sizeof key);
  /* The same card: for another one, the answer would be REFUSED. */
  check(CustomKeyboard_setContext(keyboard, (const uint8_t *)card, strlen(card)));
  check(CustomKeyboard_getText(keyboard, next, sizeof next, &offset, &length));
  check(CustomKeyboard_destroy(keyboard));
  print("to the card's bank:", next, sizeof next);
}

/* ---- The terminal ------------------------------------------------------------------------------------------------ */

static void type(CUSTOM_KEYBOARD pad) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  size_t key_count, count = 0;
  check(CustomKeyboard_keys(pad, keys, CUSTOM_KEYBOARD_MAXKEYS, &key_count));
  for (size_t i = 0; i < key_count; i++)
    if (keys[i].role != CUSTOM_KEYBOARD_ROLE_BLANK) printf("%c) %s   ", (char)('a' + i), keys[i].label);
  printf("\nPIN of %d digits: ", PIN_LENGTH);
  fflush(stdout);
  while (count < PIN_LENGTH) {
    char letter;
    require(read(STDIN_FILENO, &letter, 1) == 1, "no PIN");
    if (letter < 'a' || (size_t)(letter - 'a') >= key_count) continue;
    check(CustomKeyboard_pressKey(pad, (size_t)(letter - 'a')));
    check(CustomKeyboard_count(pad, &count));
  }
  putchar('\n');
}

int main(int argc, char **argv) {
  CUSTOM_DUKPT_DEVICE device;
  CUSTOM_KEYBOARD pad;
  uint8_t ksn[KSN], block[BLOCK];
  size_t offset, length;
  if (argc != 2) {
    fprintf(stderr, "terminal: which file has the terminal's keys?\n");
    return EXIT_FAILURE;
  }
  if (!read_device(argv[1], &device)) make_terminal(&device);

  check(CustomKeyboard_create(&pad));
  check(CustomKeyboard_setLayout(pad, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, PIN_LENGTH));
  check(CustomKeyboard_setContext(pad, (const uint8_t *)card, strlen(card)));
  size_t ksn_length = take_key(argv[1], &device, pad, ksn);
  explicit_bzero(&device, sizeof device);
  check(CustomKeyboard_open(pad));
  type(pad);
  check(CustomKeyboard_getText(pad, block, sizeof block, &offset, &length)); /* and the key is gone */
  check(CustomKeyboard_destroy(pad));

  print("key serial number:", ksn, ksn_length);
  print("PIN block:", block, length);
  pass_on(ksn, block);
  return EXIT_SUCCESS;
}
