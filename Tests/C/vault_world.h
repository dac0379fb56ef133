/*
 * What the calls of vault_calls.h need: a vault in a folder of its own, with an item, a passcode or words in it; and
 * keyboards with a passcode, which are those of keyboard_world.h. Keys and words are made from the password there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_WORLD_H
#define VAULT_WORLD_H

#include "keyboard_world.h"
#include "vault.h"

static struct vault_world {
  /* From the program. */
  void (*at_callback)(void); /* NULL: nothing */
  /* Made by `prepare`. */
  char folder[200], path[220], copy[220], other[220];
  uint8_t key[CUSTOM_VAULT_KEYSIZE], next_key[CUSTOM_VAULT_KEYSIZE];
  const char *words;
  const uint8_t *right_seed; /* the first 16 bytes of these words' seed */
  CUSTOM_VAULT vault;
  CUSTOM_VAULT_STATE state;
  CUSTOM_VAULT_POLICY policy;
  /* Answers. */
  CUSTOM_VAULT made;
  uint8_t read[256], passcode_key[CUSTOM_VAULT_PASSCODEKEYSIZE], seed[CUSTOM_VAULT_SEEDSIZE];
  char made_words[CUSTOM_VAULT_MAXWORDSSIZE];
  size_t length, listed;
} v;

#ifdef CHEAP_KEYS
/* In place of the function that the vault's library would find: keys of passcodes are derived with little memory,
 * for programs that make the same calls many times. */
#include <dlfcn.h>
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  static CUSTOM_KEYBOARD_RV (*original)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t,
                                        uint32_t, uint8_t *, size_t);
  (void)memoryKiB, (void)passes;
  if (!original) *(void **)&original = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  return original(keyboard, salt, saltLength, pepper, pepperLength, 8, 1, key, keyLength);
}
#endif

/* ---- Secrets and files ------------------------------------------------------------------------------------------- */

static void vault_secrets(void) {
  static const char *const words[] = {"glow void ketchup thunder digital clock sport half six nice open artefact",
                                      "lava include region explain simple omit dog slot melt reflect copy reward"};
  for (size_t i = 0; i < CUSTOM_VAULT_KEYSIZE; i++) {
    v.key[i] = (uint8_t)(w.password[i % w.password_length] * 167 + i * 59 + w.key[i % 8]);
    v.next_key[i] = (uint8_t)(v.key[i] * 113 + i + 7);
  }
  /* PBKDF2 by Python's hashlib, of these words and "mnemonic"; the first bytes of 64. */
  static const uint8_t seeds[2][16] = {
      {0x82, 0xe9, 0x4c, 0x4c, 0x1e, 0x98, 0x0c, 0x85, 0x2b, 0x2c, 0x86, 0xca, 0xc7, 0xac, 0x2b, 0xb0},
      {0xe3, 0xda, 0xeb, 0x59, 0xe8, 0xe0, 0x53, 0x43, 0x7a, 0xa8, 0x92, 0x7a, 0x2a, 0xa5, 0x80, 0x5c}};
  static char words_now[120];
  v.words = strcpy(words_now, words[w.password[0] & 1]);
  v.right_seed = seeds[w.password[0] & 1];
}

/* What a vault's files may be called. */
static void remove_vault(const char *path) {
  static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
  char name[240];
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    unlink(name);
  }
}

static void remove_vault_folder(void) { remove_folder(v.folder); }

static void no_vault(void) {
  vault_secrets();
  if (v.folder[0]) return;
  make_folder(v.folder, sizeof v.folder);
  snprintf(v.path, sizeof v.path, "%s/vault", v.folder);
  snprintf(v.copy, sizeof v.copy, "%s/copy", v.folder);
  snprintf(v.other, sizeof v.other, "%s/other", v.folder);
  REQUIRE(atexit(remove_vault_folder) == 0);
}

static void close_made(void) {
  (void)CustomVault_close(v.made);
  v.made = 0;
}

static void release_vaults(void) {
  close_made();
  (void)CustomVault_close(v.vault);
  v.vault = 0;
  release_world();
  if (!v.folder[0]) return;
  remove_vault(v.path);
  remove_vault(v.copy);
  remove_vault(v.other);
}

/* ---- Vaults ------------------------------------------------------------------------------------------------------ */

static void open_it_again(void) { (void)CustomVault_open(&v.vault, v.path, v.key, sizeof v.key); }

static void vault_opened(void) {
  no_vault();
  REQUIRE_OK(CustomVault_open(&v.vault, v.path, v.key, sizeof v.key));
}
static void vault_closed(void) {
  vault_opened();
  REQUIRE_OK(CustomVault_close(v.vault));
}
/* Undoes a call: it does not read `v.copy`, which another thread may change meanwhile. */
static void remove_copy(void) {
  char path[220];
  snprintf(path, sizeof path, "%s/copy", v.folder);
  remove_vault(path);
}

static void vault_copied(void) {
  vault_opened();
  REQUIRE_OK(CustomVault_backup(v.vault, v.copy));
}

/* ---- Items ------------------------------------------------------------------------------------------------------- */

static char vault_service[] = "service";
#define VAULT_ITEM vault_service, "account"
#define VAULT_DATA w.password, w.password_length

/* These two undo calls. They do not read `vault_service`: another thread may change it meanwhile. */
static void add_item(void) {
  (void)CustomVault_addItem(v.vault, "service", "account", NULL, NULL, VAULT_DATA);
}
static void delete_item(void) { (void)CustomVault_deleteItem(v.vault, "service", "account"); }
static void with_item(void) {
  vault_opened();
  REQUIRE_OK(CustomVault_addItem(v.vault, VAULT_ITEM, "label", "kind", VAULT_DATA));
}
static int is_item_right(void) {
  return v.length == w.password_length && memcmp(v.read, w.password, v.length) == 0;
}
static int is_item_there(void) {
  return CustomVault_readItem(v.vault, VAULT_ITEM, v.read, sizeof v.read, &v.length) == CUSTOM_KEYBOARD_OK &&
         is_item_right();
}
static int each_item(void *context, const CUSTOM_VAULT_ITEM *item) {
  (void)context;
  v.listed += item->service[0] == 's';
  if (v.at_callback) v.at_callback();
  return 0;
}
static int each_name(void *context, const char *name) {
  (void)context;
  v.listed += name[0] != 0;
  if (v.at_callback) v.at_callback();
  return 0;
}
static int is_listed(void) { return v.listed > 0; }
static CUSTOM_KEYBOARD_RV add_inside(void *context) {
  (void)context;
  CUSTOM_KEYBOARD_RV rv = CustomVault_addItem(v.vault, VAULT_ITEM, NULL, NULL, VAULT_DATA);
  if (v.at_callback) v.at_callback();
  return rv;
}

/* ---- Passcodes --------------------------------------------------------------------------------------------------- */

static CUSTOM_VAULT_STATE *fresh_state(void) {
  v.policy = (CUSTOM_VAULT_POLICY){.size = sizeof v.policy};
  v.state = (CUSTOM_VAULT_STATE){.size = sizeof v.state};
  return &v.state;
}
static void without_passcode(void) {
  vault_opened();
  two_typed();
  fresh_state();
}
static void idle_and_vault(void) {
  vault_opened();
  idle_again();
}
static void reset_passcode(void) { (void)CustomVault_resetPasscode(v.vault, "pin"); }
static void set_passcode(void) { (void)CustomVault_setPasscode(v.vault, "pin", w.keyboard, NULL); }
static void with_passcode(void) {
  without_passcode();
  REQUIRE_OK(CustomVault_setPasscode(v.vault, "pin", w.keyboard, NULL));
}
static int is_policy_right(void) { return v.policy.triesToLock == 5 && v.policy.lockSeconds == 300; }
static void with_another_typed(void) {
  with_passcode();
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.other));
}

#define VAULT_PEPPER w.key, 8
static void set_passcode_key(void) { (void)CustomVault_setPasscodeKey(v.vault, w.keyboard, VAULT_PEPPER, NULL); }
static void remove_passcode_key(void) { (void)CustomVault_removePasscodeKey(v.vault); }
static void with_passcode_key(void) {
  without_passcode();
  REQUIRE_OK(CustomVault_setPasscodeKey(v.vault, w.keyboard, VAULT_PEPPER, NULL));
}
static void closed_with_passcode_key(void) {
  with_passcode_key();
  REQUIRE_OK(CustomVault_close(v.vault));
}
static void closed_with_another_typed(void) {
  closed_with_passcode_key();
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.other));
}
static void closed_without_passcode_key(void) {
  without_passcode();
  REQUIRE_OK(CustomVault_close(v.vault));
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

/* Their checksum is wrong. */
static const char no_words[] = "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo";
#define VAULT_MADE_WORDS v.made_words, sizeof v.made_words, &v.length
static void delete_words(void) { (void)CustomVault_deleteWords(v.vault, "words"); }
static void keep_words(void) { (void)CustomVault_keepWords(v.vault, "words", v.words); }
static void with_words(void) {
  vault_opened();
  REQUIRE_OK(CustomVault_keepWords(v.vault, "words", v.words));
}
static void words_typed(void) {
  vault_opened();
  new_keyboard();
  REQUIRE_OK(CustomKeyboard_open(w.keyboard));
  REQUIRE_OK(CustomKeyboard_input(w.keyboard, bytes(v.words), strlen(v.words)));
}
/* Zeros are words, too. */
static int are_words_drawn(void) {
  return strlen(v.made_words) == v.length && strncmp(v.made_words, "abandon abandon ", 16) != 0;
}
static int is_seed_right(void) { return memcmp(v.seed, v.right_seed, 16) == 0; }
static int are_words_right(void) { return strcmp(v.made_words, v.words) == 0 && v.length == strlen(v.words); }
static int are_words_there(void) {
  return CustomVault_readWords(v.vault, "words", VAULT_MADE_WORDS) == CUSTOM_KEYBOARD_OK && are_words_right();
}

/* ---- For programs that make a call again and again --------------------------------------------------------------- */

/* The call, so that it can be made again; its code. */
__attribute__((unused)) static int make_and_undo(const struct call *call) {
  int code = (int)call->run();
  if (call->undo) call->undo();
  return code;
}

/* Opens the vault with the key that it has, or that changeKey gave it. */
__attribute__((unused)) static CUSTOM_KEYBOARD_RV open_with_either_key(void) {
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&v.vault, v.path, v.key, sizeof v.key);
  return rv == CUSTOM_KEYBOARD_MISMATCH ? CustomVault_open(&v.vault, v.path, v.next_key, sizeof v.next_key) : rv;
}

/* Whether the vault that the call needs is open while it is not made. */
__attribute__((unused)) static int is_vault_open(void) {
  return CustomVault_deleteItem(v.vault, "s", "no such account") == CUSTOM_KEYBOARD_NOT_FOUND;
}

#endif /* VAULT_WORLD_H */
