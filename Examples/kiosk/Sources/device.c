/*
 * The vault's key is in a file beside it here, so that the example runs anywhere. It belongs where the device keeps
 * such things: in a TPM, a secure element, or at least in another place than the vault.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a folder is this user's, and nobody else may write into it. */
static gboolean is_safe(const char *folder) {
  struct stat about;
  return stat(folder, &about) == 0 && about.st_uid == geteuid() && (about.st_mode & 022) == 0;
}

/* Makes the key's file if there is none. Under another name first: a key that is there in part would fit no vault, and
 * of two programs that make one, both take the first. */
static gboolean make_key(const char *path) {
  uint8_t key[CUSTOM_VAULT_KEYSIZE];
  g_autofree char *draft = g_strconcat(path, ".XXXXXX", NULL);
  int file = g_mkstemp_full(draft, O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return FALSE;
  gboolean is_made = getrandom(key, sizeof key, 0) == sizeof key && write(file, key, sizeof key) == sizeof key &&
                     fsync(file) == 0;
  explicit_bzero(key, sizeof key);
  is_made = close(file) == 0 && is_made && (link(draft, path) == 0 || errno == EEXIST);
  unlink(draft);
  return is_made;
}

/* Makes the names in a folder stay after a power cut. */
static gboolean sync_folder(const char *folder) {
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean is_synced = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  return is_synced;
}

static gboolean read_key(const char *path, uint8_t key[CUSTOM_VAULT_KEYSIZE]) {
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  gboolean is_whole = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
                      (about.st_mode & 077) == 0 && about.st_size == CUSTOM_VAULT_KEYSIZE &&
                      read(file, key, CUSTOM_VAULT_KEYSIZE) == CUSTOM_VAULT_KEYSIZE;
  if (file >= 0) close(file);
  return is_whole;
}

char *device_open(const char *folder, CUSTOM_VAULT *vault) {
  uint8_t key[CUSTOM_VAULT_KEYSIZE];
  g_autofree char *key_path = g_build_filename(folder, "key", NULL), *path = g_build_filename(folder, "vault", NULL);
  if (g_mkdir_with_parents(folder, 0700) != 0) return g_strdup_printf("%s: %s", folder, g_strerror(errno));
  if (!is_safe(folder)) return g_strdup_printf("%s: it is not yours alone to write to", folder);
  /* A vault whose key is lost cannot be opened with another one. */
  if (g_access(key_path, F_OK) != 0 && g_access(path, F_OK) != 0 && !make_key(key_path))
    return g_strdup_printf("%s: %s", key_path, g_strerror(errno));
  /* Before a vault needs the key: its name, also if another process gave it, and the folder's. */
  g_autofree char *parent = g_path_get_dirname(folder);
  if (!sync_folder(folder) || !sync_folder(parent)) return g_strdup_printf("%s: %s", folder, g_strerror(errno));
  if (!read_key(key_path, key)) return g_strdup_printf("%s: not a key that only you can read", key_path);
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(vault, path, key, sizeof key);
  explicit_bzero(key, sizeof key);
  return rv ? g_strdup_printf("%s: %s", path, CustomVault_cause()) : NULL;
}
