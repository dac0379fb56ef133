/*
 * What the tests of the vault share: a folder of their own, items that are compared, files that are searched.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_H
#define VAULT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include "check.h"
#include <custom_vault.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK_RV(call, code) CHECK_EQUAL(call, CUSTOM_KEYBOARD_##code)
#define BYTES(text) (const uint8_t *)(text), strlen(text)

/* Whether the data of an item has `length` bytes, and those of `expected` unless it is NULL. */
static inline int holds_bytes(CUSTOM_VAULT vault, const char *service, const char *account, const void *expected,
                              size_t length) {
  static uint8_t data[CUSTOM_VAULT_MAXDATASIZE];
  size_t count = 0;
  return CustomVault_readItem(vault, service, account, data, sizeof data, &count) == CUSTOM_KEYBOARD_OK &&
         count == length && (expected == NULL || memcmp(data, expected, length) == 0);
}
static inline int holds(CUSTOM_VAULT vault, const char *service, const char *account, const char *text) {
  return holds_bytes(vault, service, account, text, strlen(text));
}

static inline int count_item(void *context, const CUSTOM_VAULT_ITEM *item) {
  (void)item;
  if (context != NULL) ++*(size_t *)context;
  return 0;
}

/* ---- Folders ---------------------------------------------------------------------------------------------------- */

static inline void make_folder(char *folder, size_t size) {
  const char *place = getenv("TMPDIR");
  snprintf(folder, size, "%s/vault.XXXXXX", place != NULL ? place : "/tmp");
  REQUIRE(mkdtemp(folder) != NULL);
}

static inline void remove_folder(const char *folder) {
  char name[1024];
  DIR *all = opendir(folder);
  for (struct dirent *file; all != NULL && (file = readdir(all)) != NULL;) {
    snprintf(name, sizeof name, "%s/%s", folder, file->d_name);
    unlink(name);
  }
  if (all != NULL) closedir(all);
  rmdir(folder);
}

/* Copies a file with its rights. */
static inline void copy_file(const char *from, const char *to) {
  static char block[1 << 16];
  FILE *source = fopen(from, "rb"), *target = fopen(to, "wb");
  REQUIRE(source != NULL && target != NULL);
  for (size_t count; (count = fread(block, 1, sizeof block, source)) > 0;)
    REQUIRE(fwrite(block, 1, count, target) == count);
  REQUIRE(fclose(source) == 0 && fclose(target) == 0 && chmod(to, 0600) == 0);
}

/* Whether bytes are in any file of a folder. Only for files that no vault of this process has open, or in a child:
 * closing a descriptor would drop SQLite's locks. */
static inline int files_hold_bytes_now(const char *folder, const void *bytes, size_t length) {
  static char contents[1 << 22];
  char name[1024];
  int found = 0;
  DIR *all = opendir(folder);
  REQUIRE(all != NULL);
  for (struct dirent *file; (file = readdir(all)) != NULL;) {
    snprintf(name, sizeof name, "%s/%s", folder, file->d_name);
    FILE *open = file->d_name[0] == '.' ? NULL : fopen(name, "rb");
    if (open == NULL) continue;
    size_t count = fread(contents, 1, sizeof contents, open);
    found |= memmem(contents, count, bytes, length) != NULL;
    fclose(open);
  }
  closedir(all);
  return found;
}
static inline int files_hold_now(const char *folder, const char *text) {
  return files_hold_bytes_now(folder, text, strlen(text));
}

#endif
