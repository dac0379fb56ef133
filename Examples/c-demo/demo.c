/*
 * The three test rows of the paper, how the ciphertext is placed among random bytes, and a sealed text.
 * `make demo` runs it.
 *
 *     cc demo.c $(pkg-config --cflags --libs customkeyboard) && ./a.out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_keyboard.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_SPACE 256 /* bytes; CUSTOM_KEYBOARD_ENCDATASPACESIZE would fill four screens */

/* A test row: what the paper prints as the ciphertext and, where that is a misprint, what is right and why. */
struct row {
  const char *name;
  CUSTOM_ENCWAY way;
  const char *key, *password, *printed, *right, *reason;
};

static const struct row rows[] = {
    {"DES", CUSTOM_ENCWAY_DES, "89076543", "kgcx879@", "et145f1aed986f0be696b7d7d09dcd79",
     "ef145f1aed986f0be696b7d7d09dcd79", "misprint in the paper: 't' is not a hexadecimal digit, read 'f'"},
    {"3DES", CUSTOM_ENCWAY_3DES, "890765432980765423451673", "kgcx879@", "3e60e9a43c5e3c660d7e1d774a0c6818",
     "5e6a10496ab1955b0d7e1d774a0c6818", "misprint in the paper: it prints another password's"},
    {"SM4", CUSTOM_ENCWAY_SM4, "8907654329807654", "kgcx879@", "0f413569eb66b50be0c1db9c518fb909",
     "0f413569eb66b50be0c1db9c518fb909", "match"},
};

/* Ends the program with the library's own advice if a call fails. */
static void check(CUSTOM_KEYBOARD_RV rv) {
  if (rv == CUSTOM_KEYBOARD_OK) return;
  fprintf(stderr, "demo: code %d. %s\n", (int)rv, CustomKeyboard_cause());
  exit(EXIT_FAILURE);
}

static const uint8_t *bytes(const char *text) { return (const uint8_t *)text; }

/* A keyboard that is up, with the row's key set and its password typed. */
static CUSTOM_KEYBOARD typed(const struct row *row) {
  CUSTOM_KEYBOARD keyboard;
  check(CustomKeyboard_create(&keyboard));
  check(CustomKeyboard_setEncKey(keyboard, bytes(row->key), strlen(row->key), row->way));
  check(CustomKeyboard_open(keyboard));
  check(CustomKeyboard_input(keyboard, bytes(row->password), strlen(row->password)));
  return keyboard;
}

static void finish(CUSTOM_KEYBOARD keyboard) {
  check(CustomKeyboard_close(keyboard));
  check(CustomKeyboard_destroy(keyboard));
}

static void wipe(uint8_t *memory, size_t length) {
  volatile uint8_t *wiped = memory;
  for (size_t i = 0; i < length; i++) wiped[i] = 0;
}

/* Decrypts and prints a password, and wipes it. */
static void print_decrypted(const char *label, const struct row *row, const uint8_t *text, size_t length) {
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset, count;
  check(CustomKeyboard_decrypt(row->way, bytes(row->key), strlen(row->key), text, length, space, sizeof space, &offset,
                               &count));
  printf("    %-11s %.*s\n", label, (int)count, (const char *)space + offset);
  wipe(space, sizeof space);
}

static size_t from_hex(const char *hex, uint8_t *out) {
  size_t length = strlen(hex) / 2;
  for (size_t i = 0; i < length; i++) {
    char pair[3] = {hex[2 * i], hex[2 * i + 1], 0}, *end;
    out[i] = (uint8_t)strtoul(pair, &end, 16);
    if (*end) return 0;
  }
  return length;
}

static void show_row(const struct row *row) {
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], printed[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t offset, length;
  CUSTOM_KEYBOARD keyboard = typed(row);
  check(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
  finish(keyboard);

  char hex[2 * CUSTOM_KEYBOARD_MAXTEXTSIZE + 1];
  for (size_t i = 0; i < length; i++) snprintf(hex + 2 * i, 3, "%02x", space[offset + i]);
  bool right = strcmp(hex, row->right) == 0;
  printf("\n  %s\n", row->name);
  printf("    %-11s %s\n    %-11s %s\n", "key", row->key, "password", row->password);
  printf("    %-11s %s\n    %-11s %s\n", "ciphertext", hex, "paper's", row->printed);
  printf("    %-11s %s\n", "verdict", right ? row->reason : "WRONG");
  print_decrypted("decrypted", row, space + offset, length);
  size_t printed_length = from_hex(row->printed, printed);
  if (printed_length > 0 && strcmp(row->printed, row->right) != 0)
    print_decrypted("paper's is", row, printed, printed_length);
  if (!right) exit(EXIT_FAILURE);
}

/* Seals the row's password twice, for a key pair that is made here: in practice the server makes it, and sends the
 * challenge, random bytes that it uses once. */
static void show_sealed(const struct row *row) {
  uint8_t private_key[32], public_key[32], texts[2][CUSTOM_KEYBOARD_MAXSEALEDSIZE], space[SHOWN_SPACE];
  size_t private_length, public_length, offset, length;
  const char *challenge = "challenge 17: pay", *other = "challenge 18: pay";
  check(CustomKeyboard_generateKey(CUSTOM_ENCWAY_X25519, private_key, sizeof private_key, &private_length, public_key,
                                   sizeof public_key, &public_length));

  CUSTOM_KEYBOARD keyboard;
  check(CustomKeyboard_create(&keyboard));
  check(CustomKeyboard_setEncKey(keyboard, public_key, public_length, CUSTOM_ENCWAY_X25519));
  check(CustomKeyboard_setContext(keyboard, bytes(challenge), strlen(challenge)));
  check(CustomKeyboard_open(keyboard));
  check(CustomKeyboard_input(keyboard, bytes(row->password), strlen(row->password)));
  for (int time = 0; time < 2; time++) {
    check(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
    memcpy(texts[time], space + offset, length);
    printf("\n  sealed text %d: %zu bytes\n", time + 1, length);
    for (size_t i = 0; i < length; i++) printf("%s%02x", i % 32 == 0 ? i == 0 ? "    " : "\n    " : "", texts[time][i]);
    puts("");
  }
  finish(keyboard);
  if (memcmp(texts[0], texts[1], length) == 0) exit(EXIT_FAILURE);

  for (int time = 0; time < 2; time++) {
    size_t clear_offset, clear_length;
    check(CustomKeyboard_unseal(CUSTOM_ENCWAY_X25519, private_key, private_length, bytes(challenge), strlen(challenge),
                                texts[time], length, space, sizeof space, &clear_offset, &clear_length));
    printf("\n  text %d opened: %.*s\n", time + 1, (int)clear_length, (const char *)space + clear_offset);
    wipe(space, sizeof space);
  }
  CUSTOM_KEYBOARD_RV rv =
      CustomKeyboard_unseal(CUSTOM_ENCWAY_X25519, private_key, private_length, bytes(other), strlen(other), texts[0],
                            length, space, sizeof space, &offset, &length);
  wipe(private_key, sizeof private_key);
  if (rv != CUSTOM_KEYBOARD_UNDECRYPTABLE) exit(EXIT_FAILURE);
  printf("\n  text 1 with another challenge: UNDECRYPTABLE\n    %s\n", CustomKeyboard_message(rv));
}

/* Sixteen bytes a line; the ciphertext is between brackets, and in reverse video on a terminal. */
static void show_space(const uint8_t *space, size_t offset, size_t length) {
  bool terminal = isatty(STDOUT_FILENO);
  size_t end = offset + length;
  for (size_t line = 0; line < SHOWN_SPACE; line += 16) {
    printf("    %04zx ", line);
    for (size_t i = line; i < line + 16; i++) {
      bool inside = i >= offset && i < end;
      putchar(i == offset ? '[' : i == end && i != line ? ']' : ' ');
      printf(terminal && inside ? "\033[7m%02x\033[0m" : "%02x", space[i]);
    }
    puts(end > line && end <= line + 16 && end % 16 == 0 ? "]" : "");
  }
}

int main(void) {
  printf("CustomKeyboard %s: the paper's three rows\n", CustomKeyboard_version());
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) show_row(&rows[i]);

  puts("\nThe same password asked for twice: the same ciphertext, at another place, among");
  puts("other random bytes.");
  CUSTOM_KEYBOARD keyboard = typed(&rows[2]);
  for (int time = 1; time <= 2; time++) {
    uint8_t space[SHOWN_SPACE];
    size_t offset, length;
    check(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
    printf("\n  getText %d: %zu bytes at offset %zu\n", time, length, offset);
    show_space(space, offset, length);
  }
  finish(keyboard);

  puts("\nThe same password sealed twice for a server's public key: two texts that differ, which");
  puts("only the private key opens, and only with the server's challenge.");
  show_sealed(&rows[2]);
  return EXIT_SUCCESS;
}
