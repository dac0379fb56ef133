/*
 * The vault from outside: its file, its handles and its items, one at a time and in the order of codes.
 *
 *     vault          a folder of its own below TMPDIR
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* memmem */
#include "vault.h"
#include <limits.h>
#include <sys/wait.h>

static const uint8_t key[] = "the key of the vault, 32 bytes..", other_key[] = "another key of 32 bytes ........";

/* ---- Items ------------------------------------------------------------------------------------------------------ */

static void items_come_back(CUSTOM_VAULT vault) {
  uint8_t data[CUSTOM_VAULT_MAXDATASIZE];
  size_t length = 77;
  CHECK_RV(CustomVault_addItem(vault, "bank", "kim", NULL, NULL, BYTES("token 1")), OK);
  CHECK_RV(CustomVault_addItem(vault, "bank", "kim", NULL, NULL, BYTES("token 2")), EXISTS);
  CHECK_RV(CustomVault_addItem(vault, "bank", "lee", "Lee's", "token", BYTES("token 3")), OK);
  CHECK(holds(vault, "bank", "kim", "token 1") && holds(vault, "bank", "lee", "token 3"));
  CHECK_RV(CustomVault_readItem(vault, "bank", "ki", data, sizeof data, &length), NOT_FOUND);
  CHECK_RV(CustomVault_readItem(vault, "ban", "kkim", data, sizeof data, &length), NOT_FOUND);
  CHECK(length == 77);
  CHECK_RV(CustomVault_readItem(vault, "bank", "kim", data, 6, &length), SPACE);
  CHECK(length == 7);
  CHECK_RV(CustomVault_readItem(vault, "bank", "kim", NULL, 0, &length), SPACE);

  /* This item and no other. */
  CHECK_RV(CustomVault_updateItem(vault, "bank", "kim", "Kim's", NULL, BYTES("longer token")), OK);
  CHECK(holds(vault, "bank", "kim", "longer token") && holds(vault, "bank", "lee", "token 3"));
  CHECK_RV(CustomVault_updateItem(vault, "bank", "park", NULL, NULL, BYTES("x")), NOT_FOUND);
  CHECK_RV(CustomVault_replaceItem(vault, "bank", "kim", BYTES("longer toke"), BYTES("n")), MISMATCH);
  CHECK_RV(CustomVault_replaceItem(vault, "bank", "kim", BYTES("longer tokem"), BYTES("n")), MISMATCH);
  CHECK(holds(vault, "bank", "kim", "longer token"));
  CHECK_RV(CustomVault_replaceItem(vault, "bank", "kim", BYTES("longer token"), BYTES("next")), OK);
  CHECK_RV(CustomVault_replaceItem(vault, "bank", "park", BYTES("a"), BYTES("b")), NOT_FOUND);
  CHECK(holds(vault, "bank", "kim", "next"));
  CHECK_RV(CustomVault_deleteItem(vault, "bank", "lee"), OK);
  CHECK_RV(CustomVault_deleteItem(vault, "bank", "lee"), NOT_FOUND);
  CHECK(holds(vault, "bank", "kim", "next"));

  /* All lengths around the blocks, and the longest. */
  static const size_t lengths[] = {0, 1, 15, 16, 17, 31, 32, 33, 255, 4096, 65535, 65536};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    static uint8_t text[CUSTOM_VAULT_MAXDATASIZE];
    for (size_t k = 0; k < lengths[i]; k++) text[k] = (uint8_t)(k * 7 + i);
    CHECK_RV(CustomVault_addItem(vault, "lengths", "one", NULL, NULL, text, lengths[i]), OK);
    CHECK_RV(CustomVault_readItem(vault, "lengths", "one", data, sizeof data, &length), OK);
    CHECK(length == lengths[i] && memcmp(text, data, length) == 0);
    CHECK_RV(CustomVault_deleteItem(vault, "lengths", "one"), OK);
  }
  CHECK_RV(CustomVault_addItem(vault, "lengths", "one", NULL, NULL, data, sizeof data + 1), MAXLEN);
}

static void arguments_are_checked(CUSTOM_VAULT vault) {
  char longest[257];
  uint8_t byte = 0;
  size_t length;
  memset(longest, 'x', sizeof longest);
  longest[256] = 0;
  static const char *const wrong[] = {"",      "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "a\xc3", "\xe0\x80\x80"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK_RV(CustomVault_addItem(vault, wrong[i], "a", NULL, NULL, &byte, 1), ARGUMENT);
    CHECK_RV(CustomVault_addItem(vault, "a", wrong[i], NULL, NULL, &byte, 1), ARGUMENT);
    CHECK_EQUAL(CustomVault_addItem(vault, "a", "a", wrong[i], NULL, &byte, 1),
                i == 0 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ARGUMENT);
    CHECK_EQUAL(CustomVault_deleteItem(vault, "a", "a"), i == 0 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_NOT_FOUND);
  }
  CHECK_RV(CustomVault_addItem(vault, longest, "a", NULL, NULL, &byte, 1), ARGUMENT);
  longest[255] = 0;
  CHECK_RV(CustomVault_addItem(vault, longest, longest, longest, longest, &byte, 1), OK);
  CHECK_RV(CustomVault_readItem(vault, longest, longest, &byte, 1, &length), OK);
  CHECK_RV(CustomVault_deleteItem(vault, longest, longest), OK);
  CHECK_RV(CustomVault_addItem(vault, "한글", "é😀", NULL, NULL, &byte, 1), OK);
  CHECK_RV(CustomVault_deleteItem(vault, "한글", "é😀"), OK);
  CHECK_RV(CustomVault_addItem(vault, NULL, "a", NULL, NULL, &byte, 1), ARGUMENT);
  CHECK_RV(CustomVault_addItem(vault, "a", NULL, NULL, NULL, &byte, 1), ARGUMENT);
  CHECK_RV(CustomVault_addItem(vault, "a", "a", NULL, NULL, NULL, 1), ARGUMENT);
  CHECK_RV(CustomVault_readItem(vault, "a", "a", NULL, 1, &length), ARGUMENT);
  CHECK_RV(CustomVault_readItem(vault, "a", "a", &byte, 1, NULL), ARGUMENT);
  CHECK_RV(CustomVault_listItems(vault, NULL, NULL, NULL), ARGUMENT);
  CHECK_RV(CustomVault_listItems(vault, "", count_item, NULL), ARGUMENT);
  CHECK_RV(CustomVault_backup(vault, NULL), ARGUMENT);
  CHECK_RV(CustomVault_backup(vault, ""), ARGUMENT);
  CHECK_RV(CustomVault_changeKey(vault, NULL, 32), ARGUMENT);
  CHECK_RV(CustomVault_changeKey(vault, key, 31), ERR);
  static const CUSTOM_VAULT none[] = {0, 1, 257, UINT64_MAX, UINT64_C(1) << 32};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    CHECK_RV(CustomVault_addItem(none[i], "a", "a", NULL, NULL, &byte, 1), ARGUMENT);
    CHECK_RV(CustomVault_close(none[i]), ARGUMENT);
  }
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

typedef struct names {
  char text[4096];
  CUSTOM_VAULT vault;
  int left;
} names;

static int write_names(void *context, const CUSTOM_VAULT_ITEM *item) {
  names *all = context;
  CHECK(item->size == sizeof *item && item->created > 1700000000 && item->modified >= item->created);
  CHECK(holds_bytes(all->vault, item->service, item->account, NULL, item->dataLength)); /* `each` may call anything */
  size_t used = strlen(all->text);
  snprintf(all->text + used, sizeof all->text - used, "%s/%s/%s/%s/%zu ", item->service, item->account, item->label,
           item->kind, item->dataLength);
  return --all->left == 0;
}

static void lists_are_in_the_order_of_bytes(CUSTOM_VAULT vault) {
  static const char *const services[] = {"b", "a", "ab", "\xc3\xa9", "a"};
  static const char *const accounts[] = {"1", "2", "1", "1", "10"};
  for (int i = 0; i < 5; i++)
    CHECK_RV(CustomVault_addItem(vault, services[i], accounts[i], i == 0 ? "L" : NULL, i == 1 ? "k" : NULL,
                                 (const uint8_t *)"12345", (size_t)i), OK);
  names all = {.vault = vault};
  CHECK_RV(CustomVault_listItems(vault, NULL, write_names, &all), OK);
  const char *wanted = "a/10//password/4 a/2//k/1 ab/1//password/2 b/1/L/password/0 bank/kim/Kim's/password/4 "
                       "\xc3\xa9/1//password/3 ";
  CHECK(strcmp(all.text, wanted) == 0);
  names one = {.vault = vault};
  CHECK_RV(CustomVault_listItems(vault, "a", write_names, &one), OK);
  CHECK(strcmp(one.text, "a/10//password/4 a/2//k/1 ") == 0);
  names first = {.vault = vault, .left = 1};
  CHECK_RV(CustomVault_listItems(vault, NULL, write_names, &first), OK);
  CHECK(strcmp(first.text, "a/10//password/4 ") == 0);
  names nothing = {.vault = vault};
  CHECK_RV(CustomVault_listItems(vault, "zz", write_names, &nothing), OK);
  CHECK(nothing.text[0] == 0);
}

/* ---- Files and handles ------------------------------------------------------------------------------------------ */

static void another_key_opens_nothing(const char *path) {
  CUSTOM_VAULT vault = 5, again = 5;
  CHECK_RV(CustomVault_open(&vault, path, other_key, 32), MISMATCH);
  static const size_t wrong[] = {0, 1, 31, 33, 64, SIZE_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_RV(CustomVault_open(&vault, path, key, wrong[i]), ERR);
  CHECK_RV(CustomVault_open(&vault, path, NULL, 32), ARGUMENT);
  CHECK_RV(CustomVault_open(&vault, "", key, 32), ARGUMENT);
  CHECK_RV(CustomVault_open(&vault, NULL, key, 32), ARGUMENT);
  CHECK_RV(CustomVault_open(NULL, path, key, 32), ARGUMENT);
  CHECK(vault == 5);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  /* It is the file that may be open once, however its path is written. */
  char other_path[600], folder[300], before[PATH_MAX];
  const char *name = strrchr(path, '/') + 1;
  snprintf(folder, sizeof folder, "%.*s", (int)(name - 1 - path), path);
  CHECK_RV(CustomVault_open(&again, path, key, 32), BUSY);
  snprintf(other_path, sizeof other_path, "%s/./%s", folder, name);
  CHECK_RV(CustomVault_open(&again, other_path, key, 32), BUSY);
  snprintf(other_path, sizeof other_path, "%s/..%s/%s", folder, strrchr(folder, '/'), name);
  CHECK_RV(CustomVault_open(&again, other_path, key, 32), BUSY);
  REQUIRE(getcwd(before, sizeof before) != NULL && chdir(folder) == 0);
  CHECK_RV(CustomVault_open(&again, name, key, 32), BUSY);
  REQUIRE(chdir(before) == 0);
  CHECK(again == 5);
  CHECK(holds(vault, "bank", "kim", "next"));
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_close(vault), ARGUMENT);
}

static void the_key_changes(const char *path, const char *copy) {
  CUSTOM_VAULT vault, backup;
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CHECK_RV(CustomVault_backup(vault, path), EXISTS);
  CHECK_RV(CustomVault_backup(vault, copy), OK);
  CHECK_RV(CustomVault_backup(vault, copy), EXISTS);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OK);
  CHECK(holds(vault, "bank", "kim", "next") && holds(vault, "a", "10", "1234"));
  CHECK_RV(CustomVault_addItem(vault, "after", "change", NULL, NULL, BYTES("new")), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), MISMATCH);
  CHECK_RV(CustomVault_open(&vault, path, other_key, 32), OK);
  CHECK(holds(vault, "bank", "kim", "next") && holds(vault, "after", "change", "new"));
  CHECK_RV(CustomVault_open(&backup, copy, key, 32), OK);
  CHECK(holds(backup, "bank", "kim", "next"));
  CHECK_RV(CustomVault_readItem(backup, "after", "change", NULL, 0, &(size_t){0}), NOT_FOUND);
  CHECK_RV(CustomVault_close(backup), OK);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), OK);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* Before a process has opened a vault, its children may. */
static void a_child_may_be_the_first(const char *path) {
  pid_t child = fork();
  if (child == 0) {
    CUSTOM_VAULT own;
    _exit(CustomVault_open(&own, path, key, 32) == CUSTOM_KEYBOARD_OK &&
                  CustomVault_addItem(own, "child", "first", NULL, NULL, BYTES("x")) == CUSTOM_KEYBOARD_OK &&
                  CustomVault_close(own) == CUSTOM_KEYBOARD_OK
              ? 0
              : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* In a child, and in a child of the child. */
static void check_children_have_none(CUSTOM_VAULT vault, const char *path) {
  pid_t child = fork();
  if (child == 0) {
    int status = 0;
    pid_t grandchild = fork();
    CUSTOM_VAULT own;
    size_t length;
    int right = CustomVault_readItem(vault, "bank", "kim", NULL, 0, &length) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_close(vault) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_open(&own, path, key, 32) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_addItem(vault, NULL, "a", NULL, NULL, NULL, 0) == CUSTOM_KEYBOARD_ARGUMENT;
    if (grandchild > 0) right &= waitpid(grandchild, &status, 0) == grandchild && status == 0;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void forked_children_have_no_vault(const char *path, const char *copy) {
  CUSTOM_VAULT vault, second;
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  check_children_have_none(vault, path);
  CHECK_RV(CustomVault_open(&second, copy, key, 32), OK);
  check_children_have_none(second, path);
  CHECK_RV(CustomVault_close(second), OK);
  CHECK(holds(vault, "bank", "kim", "next"));
  CHECK_RV(CustomVault_close(vault), OK);
  check_children_have_none(vault, path); /* all are closed */
}

/* What would be written to a file that nobody finds again is refused: items, tries, another key. */
static void a_moved_file_takes_no_change(const char *path, const char *elsewhere) {
  CUSTOM_VAULT vault;
  CUSTOM_KEYBOARD keyboard;
  CHECK_RV(CustomKeyboard_create(&keyboard), OK);
  CHECK_RV(CustomKeyboard_open(keyboard), OK);
  CHECK_RV(CustomKeyboard_input(keyboard, (const uint8_t *)"4711", 4), OK);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CHECK_RV(CustomVault_setPasscode(vault, "pin", keyboard, NULL), OK);
  CHECK(rename(path, elsewhere) == 0);
  CHECK_RV(CustomVault_addItem(vault, "bank", "moved", NULL, NULL, (const uint8_t *)"x", 1), STORAGE);
  CHECK_RV(CustomVault_updateItem(vault, "bank", "kim", NULL, NULL, (const uint8_t *)"x", 1), STORAGE);
  CHECK_RV(CustomVault_deleteItem(vault, "bank", "kim"), STORAGE);
  CHECK_RV(CustomVault_checkPasscode(vault, "pin", keyboard, NULL, NULL), STORAGE);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), STORAGE);
  CHECK(holds(vault, "bank", "kim", "next"));
  CHECK(rename(elsewhere, path) == 0);
  CHECK_RV(CustomVault_checkPasscode(vault, "pin", keyboard, NULL, NULL), OK);
  CHECK_RV(CustomVault_addItem(vault, "bank", "moved", NULL, NULL, (const uint8_t *)"x", 1), OK);
  CHECK_RV(CustomVault_deleteItem(vault, "bank", "moved"), OK);
  /* Another file has its name. */
  CHECK_RV(CustomVault_backup(vault, elsewhere), OK);
  CHECK(rename(elsewhere, path) == 0);
  CHECK_RV(CustomVault_resetPasscode(vault, "pin"), STORAGE);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomKeyboard_destroy(keyboard), OK);
}

static void rights_are_checked(const char *folder, const char *path) {
  CUSTOM_VAULT vault;
  char name[512];
  CHECK(chmod(path, 0640) == 0);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), STORAGE);
  CHECK(chmod(path, 0600) == 0 && chmod(folder, 0770) == 0);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), STORAGE);
  CHECK(chmod(folder, 0755) == 0);
  snprintf(name, sizeof name, "%s/symbolic", folder);
  CHECK(symlink(path, name) == 0);
  CHECK_RV(CustomVault_open(&vault, name, key, 32), STORAGE);
  snprintf(name, sizeof name, "%s/hard", folder);
  CHECK(link(path, name) == 0);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), STORAGE);
  CHECK(unlink(name) == 0);
  CHECK_RV(CustomVault_open(&vault, folder, key, 32), STORAGE);
  snprintf(name, sizeof name, "%s/missing/file", folder);
  CHECK_RV(CustomVault_open(&vault, name, key, 32), STORAGE);
  snprintf(name, sizeof name, "%s/empty", folder);
  FILE *file = fopen(name, "w");
  CHECK(file != NULL && fclose(file) == 0 && chmod(name, 0600) == 0);
  CHECK_RV(CustomVault_open(&vault, name, key, 32), DAMAGED);
  file = fopen(name, "w");
  CHECK(file != NULL && fputs("This is not a database, although it is longer than SQLite's header, "
                              "which has 100 bytes in every file.", file) >= 0 && fclose(file) == 0);
  CHECK_RV(CustomVault_open(&vault, name, key, 32), DAMAGED);
}

/* In a child, because closing a descriptor here would drop SQLite's locks. */
static int files_hold_apart(const char *folder, const char *text) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) _exit(files_hold_now(folder, text));
  REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* The file, the WAL and what else is in the folder have nothing of what went in. */
static void the_file_shows_nothing(const char *folder, const char *path) {
  static const char *const secrets[] = {"bank", "Kim's", "password", "next", "the key of the vault"};
  CHECK(files_hold_apart(folder, "SQLite format 3")); /* the search finds what is there */
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) CHECK(!files_hold_apart(folder, secrets[i]));
  struct stat file;
  CHECK(stat(path, &file) == 0 && (file.st_mode & 0777) == 0600 && file.st_nlink == 1);
}

int main(void) {
  char folder[256], path[300], copy[300];
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(copy, sizeof copy, "%s/copy", folder);
  CUSTOM_VAULT vault = 0;
  a_child_may_be_the_first(path);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CHECK(vault != 0);
  CHECK_RV(CustomVault_deleteItem(vault, "child", "first"), OK);
  items_come_back(vault);
  arguments_are_checked(vault);
  lists_are_in_the_order_of_bytes(vault);
  the_file_shows_nothing(folder, path);
  CHECK_RV(CustomVault_close(vault), OK);
  another_key_opens_nothing(path);
  the_key_changes(path, copy);
  the_file_shows_nothing(folder, path);
#ifndef __APPLE__ /* an app cannot fork */
  forked_children_have_no_vault(path, copy);
#endif
  snprintf(copy, sizeof copy, "%s/elsewhere", folder);
  a_moved_file_takes_no_change(path, copy);
  rights_are_checked(folder, path);
  remove_folder(folder);
  return check_end("vault", 250);
}
