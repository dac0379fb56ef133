/*
 * A vault whose path names something else; whose rights are missing, or those of others; whose disk is full, or can
 * only be read, for real.
 *
 *     vault_places [SCENARIO]          only the one with that name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_scenarios.h"
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- Paths and rights ------------------------------------------------------------------------------------------- */

static char name[700];
static const char *in_folder(const char *rest) {
  snprintf(name, sizeof name, "%s/%s", folder, rest);
  return name;
}
static void make_vault(const char *rest) {
  REQUIRE_OK(open_file(in_folder(rest)));
  REQUIRE_OK(add("old", "value"));
  REQUIRE_OK(CustomVault_close(vault));
}
static void make_named_socket(const char *rest) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  REQUIRE(strlen(in_folder(rest)) < sizeof address.sun_path);
  memcpy(address.sun_path, name, strlen(name) + 1);
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(end >= 0 && bind(end, (struct sockaddr *)&address, sizeof address) == 0 && close(end) == 0);
}

/* What the path names cannot be a vault: nothing is opened, made or changed there. Nothing of it may block. */
static void only_files_are_opened(void) {
  static const char *const made[] = {"dangling", "to folder",  "to vault", "pipe", "socket",      "inner",  "inner/",
                                     "inner/.",  "inner/..",   ".",        "",     "new/",        "missing/new",
                                     "device",   "vault/new"};
  char longest[PATH_MAX + 10], target[300];
  make_vault("vault");
  snprintf(target, sizeof target, "%s/nothing", folder);
  REQUIRE(symlink(target, in_folder("dangling")) == 0 && symlink(folder, in_folder("to folder")) == 0);
  REQUIRE(symlink("vault", in_folder("to vault")) == 0 && mkfifo(in_folder("pipe"), 0600) == 0);
  REQUIRE(symlink("/dev/zero", in_folder("device")) == 0 && mkdir(in_folder("inner"), 0700) == 0);
  make_named_socket("socket");
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    CUSTOM_KEYBOARD_RV rv = open_file(in_folder(made[i]));
    if (!CHECK_EQUAL(rv, CUSTOM_KEYBOARD_STORAGE)) fprintf(stderr, "  %s\n", made[i]);
  }
  CHECK(access(target, F_OK) != 0); /* no file was made where the link leads */
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = 0;
  CHECK_RV(open_file(longest), STORAGE);
  memcpy(longest, in_folder(""), strlen(name));
  CHECK_RV(open_file(longest), STORAGE);
  CHECK_RV(open_file("/dev/null"), STORAGE);
  CHECK_RV(open_file("/"), STORAGE);
  /* SQLite has meanings for these. Here they are names in the working folder. */
  REQUIRE(chdir(folder) == 0);
  CHECK_RV(open_file(":memory:"), OK);
  CHECK(access(in_folder(":memory:"), F_OK) == 0);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file("file:vault?mode=memory"), OK);
  CHECK(access(in_folder("file:vault?mode=memory"), F_OK) == 0);
  CHECK_RV(CustomVault_close(vault), OK);
  /* A copy never goes where something is, and not into a folder that is not safe. */
  CHECK_RV(open_file(in_folder("vault")), OK);
  for (size_t i = 0; i < 6; i++) CHECK_RV(CustomVault_backup(vault, in_folder(made[i])), EXISTS);
  CHECK(access(target, F_OK) != 0);
  CHECK_RV(CustomVault_backup(vault, in_folder("missing/new")), STORAGE);
  REQUIRE(chmod(in_folder("inner"), 0722) == 0);
  CHECK_RV(CustomVault_backup(vault, in_folder("inner/copy")), STORAGE);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* SQLite makes and deletes files with these names beside a neighbour: `vault` would take `vault-wal` for its own. */
static void names_of_sqlite_are_refused(void) {
  static const char *const ends[] = {"-wal", "-shm", "-journal", "-WAL"};
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_KEYBOARD keyboard = typed("right 1");
  make_vault("vault");
  REQUIRE(chdir(folder) == 0);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char rest[32];
    snprintf(rest, sizeof rest, "new%s", ends[i]);
    CHECK_RV(open_file(in_folder(rest)), ARGUMENT);
    CHECK(strstr(CustomVault_cause(), "-wal") != NULL);
    CHECK_RV(open_file(ends[i]), ARGUMENT);
    CHECK_RV(CustomVault_openWithPasscode(&vault, name, keyboard, NULL, 0, &state), ARGUMENT);
    CHECK_RV(CustomVault_passcodeKeyState(name, &state), ARGUMENT);
    REQUIRE_OK(open_file(in_folder("vault")));
    CHECK_RV(CustomVault_backup(vault, in_folder(rest)), ARGUMENT);
    CHECK(access(name, F_OK) != 0);
    REQUIRE_OK(CustomVault_close(vault));
  }
  make_vault("wal");
  make_vault("a-wall");
  make_vault("-walk");
}

/* A path as long as SQLite takes it, and longer ones. What is made has a longer name at first. */
static void long_paths_are_told(void) {
  enum { LIMIT = 504, DRAFT = 17 };
  char longest[600], copy[700];
  size_t start = strlen(in_folder(""));
  memcpy(longest, name, start);
  for (size_t length = LIMIT - DRAFT - 1; length < LIMIT - DRAFT + 2; length++) {
    memset(longest + start, 'x', length - start);
    for (size_t i = start + 100; i + 50 < length; i += 100) longest[i] = '/';
    longest[length] = 0;
    for (char *slash = longest + start; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
      *slash = 0;
      REQUIRE(mkdir(longest, 0700) == 0 || errno == EEXIST);
    }
    int is_possible = length <= LIMIT - DRAFT;
    CHECK_EQUAL(open_file(longest), is_possible ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_STORAGE);
    CHECK_EQUAL(access(longest, F_OK), is_possible ? 0 : -1);
    if (!is_possible) CHECK(strstr(CustomVault_cause(), "504 bytes") != NULL);
    if (!is_possible) continue;
    REQUIRE_OK(add("old", "value"));
    CHECK_RV(CustomVault_close(vault), OK);
    /* One that is there needs no other name. */
    snprintf(copy, sizeof copy, "%s%.*s", longest, (int)(LIMIT - length), "0123456789012345678901234567890");
    for (int more = 0; more < 2; more++) {
      REQUIRE(rename(longest, copy) == 0);
      CHECK_EQUAL(open_file(copy), more ? CUSTOM_KEYBOARD_STORAGE : CUSTOM_KEYBOARD_OK);
      if (more) CHECK(strstr(CustomVault_cause(), "504 bytes") != NULL);
      if (!more) CHECK_RV(look_for("old"), SPACE);
      if (!more) CHECK_RV(CustomVault_close(vault), OK);
      REQUIRE(rename(copy, longest) == 0);
      strcat(copy, "+");
    }
  }
}

/* A link in the folder's path is followed once: the vault stays where it was opened. */
static void a_link_to_a_folder_is_followed(void) {
  char target[300], real[300];
  REQUIRE(mkdir(in_folder("one"), 0700) == 0 && mkdir(in_folder("two"), 0700) == 0);
  snprintf(target, sizeof target, "%s/link", folder);
  REQUIRE(symlink("one", target) == 0);
  CHECK_RV(open_file(in_folder("link/vault")), OK);
  CHECK_RV(add("a", "first"), OK);
  CHECK_RV(CustomVault_backup(vault, in_folder("link/copy")), OK);
  CHECK(access(in_folder("one/copy"), F_OK) == 0);
  REQUIRE(unlink(target) == 0 && symlink("two", target) == 0);
  CHECK_RV(add("b", "second"), OK);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(in_folder("one/vault")), OK);
  CHECK(holds(vault, "s", "a", "first") && holds(vault, "s", "b", "second"));
  REQUIRE(unlink(target) == 0 && symlink(folder, target) == 0);
  CHECK_RV(CustomVault_open(&(CUSTOM_VAULT){0}, in_folder("link/link/link/one/vault"), key, 32), BUSY);
  CHECK_RV(CustomVault_close(vault), OK);
  /* From the working folder, too. */
  REQUIRE(realpath(in_folder("two"), real) != NULL && chdir(in_folder("link/one")) == 0);
  CHECK_RV(open_file("../two/../two/vault"), OK);
  REQUIRE(chdir("/") == 0);
  CHECK_RV(add("c", "third"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK(access(in_folder("two/vault"), F_OK) == 0);
  /* Links that lead nowhere, or round. */
  REQUIRE(symlink("nowhere", in_folder("dangling")) == 0 && symlink("round", in_folder("round")) == 0);
  CHECK_RV(open_file(in_folder("dangling/vault")), STORAGE);
  CHECK_RV(open_file(in_folder("round/vault")), STORAGE);
  CHECK(access(in_folder("nowhere"), F_OK) != 0);
}

/* Each right that another person could have, one at a time. */
static void rights_of_others_are_refused(void) {
  make_vault("vault");
  for (mode_t bit = 1; bit < 0100; bit <<= 1) {
    REQUIRE(chmod(in_folder("vault"), 0600 | bit) == 0);
    if (!CHECK_EQUAL(open_file(name), CUSTOM_KEYBOARD_STORAGE)) fprintf(stderr, "  file %o\n", 0600 | bit);
    REQUIRE(chmod(name, 0600) == 0 && chmod(folder, 0700 | bit) == 0);
    CUSTOM_KEYBOARD_RV rv = open_file(name);
    int may_write = (bit & 022) != 0;
    if (!CHECK_EQUAL(rv, may_write ? CUSTOM_KEYBOARD_STORAGE : CUSTOM_KEYBOARD_OK))
      fprintf(stderr, "  folder %o\n", 0700 | bit);
    if (rv == CUSTOM_KEYBOARD_OK) CHECK_RV(CustomVault_close(vault), OK);
    REQUIRE(chmod(folder, 0700) == 0);
  }
  REQUIRE(chmod(folder, 01777) == 0); /* as /tmp is */
  CHECK_RV(open_file(in_folder("vault")), STORAGE);
  CHECK_RV(open_file(in_folder("new")), STORAGE);
  CHECK(access(name, F_OK) != 0);
  REQUIRE(chmod(folder, 0700) == 0);
}

/* A PIN in the vault `name`, and one that opens it. */
static void make_passcodes(void) {
  CUSTOM_KEYBOARD keyboard = typed("right 1");
  REQUIRE_OK(open_file(name));
  REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", keyboard, NULL));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL));
  REQUIRE_OK(CustomVault_close(vault));
}

/* The file `name`, which may be read and not written, is read. It takes no change, and nothing is tried. */
static void check_only_read(const char *account) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_KEYBOARD keyboard = typed("right 1");
  unsigned before = derived;
  CUSTOM_VAULT opened = 5;
  CHECK_RV(CustomVault_openWithPasscode(&opened, name, keyboard, NULL, 0, &state), STORAGE);
  CHECK(opened == 5);
  CHECK_RV(open_file(name), OK);
  CHECK_RV(look_for(account), SPACE);
  CHECK_RV(add("more", "value"), STORAGE);
  CHECK_RV(CustomVault_deleteItem(vault, "s", account), STORAGE);
  CHECK_RV(CustomVault_checkPasscode(vault, "PIN", keyboard, NULL, &state), STORAGE);
  CHECK_EQUAL(derived, before);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), STORAGE);
  CHECK_RV(look_for(account), SPACE);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* What this user may not do. Root may do everything, so root runs it as the user `nobody`; in /tmp, because TMPDIR may
 * be in a folder that only root may enter. */
static void missing_rights_are_told(void) {
  int is_root = geteuid() == 0;
  if (is_root) {
    remove_folder(folder);
    strcpy(folder, "/tmp/vault.XXXXXX");
    REQUIRE(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 0) == 0);
    REQUIRE(mkdtemp(folder) != NULL);
  }
  make_vault("vault");
  make_passcodes();
  REQUIRE(chmod(in_folder("vault"), 0) == 0);
  CHECK_RV(open_file(name), STORAGE);
  REQUIRE(chmod(name, 0600) == 0 && chmod(folder, 0500) == 0);
  CHECK_RV(open_file(in_folder("new")), STORAGE);
  CHECK_RV(open_file(in_folder("vault")), OK); /* its WAL is there */
  CHECK_RV(CustomVault_backup(vault, in_folder("copy")), STORAGE);
  CHECK_RV(add("new", "value"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  REQUIRE(chmod(folder, 0) == 0);
  CHECK_RV(open_file(in_folder("vault")), STORAGE);
  REQUIRE(chmod(folder, 0700) == 0);
  REQUIRE(chmod(in_folder("vault"), 0400) == 0);
  check_only_read("new");
  REQUIRE(chmod(name, 0600) == 0);
  CHECK_RV(open_file(name), OK);
  CHECK_RV(look_for("new"), SPACE);
  CHECK_RV(CustomVault_close(vault), OK);
  if (is_root) {
    /* A file of another user; then a folder of another user. */
    REQUIRE(setresuid(0, 0, 0) == 0);
    CHECK_RV(open_file(in_folder("vault")), STORAGE);
    REQUIRE(chown(folder, 0, 0) == 0);
    CHECK_RV(open_file(in_folder("vault")), STORAGE);
    REQUIRE(chown(in_folder("vault"), 0, 0) == 0);
    CHECK_RV(open_file(name), OK);
    CHECK_RV(look_for("new"), SPACE);
    CHECK_RV(CustomVault_close(vault), OK);
  }
}

/* ---- The disk --------------------------------------------------------------------------------------------------- */

/* Adds items until there is no room. Returns how many were added. */
static int fill(void) {
  static uint8_t data[3000];
  char account[16];
  int count = 0;
  CUSTOM_KEYBOARD_RV rv;
  for (;; count++) {
    snprintf(account, sizeof account, "%d", count);
    rv = CustomVault_addItem(vault, "full", account, NULL, NULL, data, sizeof data);
    if (rv != CUSTOM_KEYBOARD_OK || count == 5000) break;
  }
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_STORAGE);
  return count;
}
static void check_filled(int filled) {
  char account[16];
  size_t length, listed = 0;
  for (int i = 0; i < filled; i++) {
    snprintf(account, sizeof account, "%d", i);
    CHECK_RV(CustomVault_readItem(vault, "full", account, NULL, 0, &length), SPACE);
  }
  CHECK_RV(CustomVault_listItems(vault, "full", count_item, &listed), OK);
  CHECK_EQUAL(listed, filled);
}

static void a_file_that_may_not_grow_is_kept(void) {
  struct rlimit limit, all;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &all) == 0);
  signal(SIGXFSZ, SIG_IGN);
  REQUIRE_OK(open_file(path));
  limit = all;
  limit.rlim_cur = 400000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  int filled = fill();
  CHECK(filled > 10);
  check_filled(filled);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), STORAGE);
  check_filled(filled);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &all) == 0);
  check_filled(filled);
  CHECK_RV(add("new", "value"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK);
  check_filled(filled);
  CHECK_RV(look_for("new"), SPACE);
}

/* A disk of a megabyte, which fills, becomes read-only, and gets room. */
static void a_full_disk_is_survived(void) {
  char disk[256], copy[310];
  snprintf(disk, sizeof disk, "%.200s/disk", folder);
  snprintf(path, sizeof path, "%.250s/vault", disk);
  snprintf(copy, sizeof copy, "%s/copy", disk);
  REQUIRE(mkdir(disk, 0700) == 0);
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", disk, "tmpfs", 0, "size=1m,mode=0700") != 0) {
    fprintf(stderr, "vault_places: no disk can be mounted here (%s): NOT RUN: a full disk, a read-only one\n",
            strerror(errno));
    return;
  }
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old", "value"));
  REQUIRE_OK(CustomVault_close(vault));
  snprintf(name, sizeof name, "%s", path);
  make_passcodes();
  REQUIRE_OK(open_file(path));
  int filled = fill();
  CHECK(filled > 10);
  check_filled(filled);
  CHECK_RV(CustomVault_backup(vault, copy), STORAGE);
  CHECK(access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), STORAGE);
  check_filled(filled);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK); /* a full disk can be read */
  check_filled(filled);
  CHECK_RV(CustomVault_close(vault), OK);
  REQUIRE(mount("none", disk, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m") == 0);
  snprintf(name, sizeof name, "%s", path);
  check_only_read("old");
  snprintf(copy, sizeof copy, "%s/new", disk);
  CHECK_RV(open_file(copy), STORAGE);
  REQUIRE(mount("none", disk, "tmpfs", MS_REMOUNT, "size=4m") == 0);
  CHECK_RV(open_file(path), OK);
  check_filled(filled);
  CHECK_RV(add("new", "value"), OK);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OK);
  check_filled(filled);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- All -------------------------------------------------------------------------------------------------------- */

static const struct scenario scenarios[] = {
    {"only files are opened", only_files_are_opened, 30},
    {"names of SQLite are refused", names_of_sqlite_are_refused, 24},
    {"long paths are told", long_paths_are_told, 14},
    {"a link to a folder is followed", a_link_to_a_folder_is_followed, 18},
    {"rights of others are refused", rights_of_others_are_refused, 12},
    {"missing rights are told", missing_rights_are_told, 10},
    {"a file that may not grow is kept", a_file_that_may_not_grow_is_kept, 30},
    {"a full disk is survived", a_full_disk_is_survived, 0},
};

int main(int count, char **arguments) {
  (void)count;
  return RUN_SCENARIOS("vault_places", arguments[1]);
}
