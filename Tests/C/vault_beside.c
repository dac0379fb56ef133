/*
 * A vault whose file others use, hold or keep busy; whose path names something else; whose disk is full or read-only,
 * for real. Each scenario is a process of its own with a folder of its own, and all run at the same time, because some
 * wait for five seconds.
 *
 *     vault_beside [SCENARIO]          only the one with that name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

static const uint8_t key[] = "the key of the vault, 32 bytes..", other_key[] = "another key of 32 bytes ........";
static char folder[256], path[300];
static CUSTOM_VAULT vault;

static CUSTOM_KEYBOARD_RV open_file(const char *name) { return CustomVault_open(&vault, name, key, 32); }
static CUSTOM_KEYBOARD_RV add(const char *account) {
  return CustomVault_addItem(vault, "s", account, NULL, NULL, BYTES("value"));
}
static CUSTOM_KEYBOARD_RV look_for(const char *account) {
  size_t length;
  return CustomVault_readItem(vault, "s", account, NULL, 0, &length); /* SPACE, if it is there */
}
static double seconds(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static void sleep_for(long microseconds) {
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

/* ---- Another program that holds the file ------------------------------------------------------------------------ */

static pid_t holder;
static int told[2];

static void run_sql(sqlite3 *database, const char *sql) {
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) {
    fprintf(stderr, "  %s: %s\n", sql, sqlite3_errmsg(database));
    exit(1);
  }
}

/* What the other program does: it takes a lock, tells that, and keeps it for so many milliseconds. */
static int hold(const char *how, const char *milliseconds) {
  sqlite3 *database;
  REQUIRE(sqlite3_open(path, &database) == SQLITE_OK && sqlite3_busy_timeout(database, 60000) == SQLITE_OK);
  if (strcmp(how, "often") == 0) {
    /* Nearly all the time, but never for long: between two moments without a rhythm, for some 100 microseconds. */
    for (int turn = 0;; turn++) {
      run_sql(database, "BEGIN IMMEDIATE");
      if (turn == 0) REQUIRE(write(STDOUT_FILENO, "h", 1) == 1);
      sleep_for(20000 + rand() % 20000);
      run_sql(database, "COMMIT");
      sleep_for(50);
    }
  }
  if (strcmp(how, "alone") == 0) run_sql(database, "PRAGMA locking_mode=EXCLUSIVE");
  run_sql(database, strcmp(how, "alone") == 0 ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE");
  REQUIRE(write(STDOUT_FILENO, "h", 1) == 1);
  sleep_for(1000 * atol(milliseconds));
  REQUIRE(sqlite3_close(database) == SQLITE_OK);
  return 0;
}

static void let_hold(const char *how, const char *milliseconds) {
  char byte;
  REQUIRE(pipe(told) == 0);
  holder = fork();
  if (holder == 0) {
    dup2(told[1], STDOUT_FILENO);
    execl(program_invocation_name, "vault_beside", "--hold", path, how, milliseconds, (char *)NULL);
    _exit(99);
  }
  close(told[1]);
  REQUIRE(read(told[0], &byte, 1) == 1);
  close(told[0]);
}
static void end_hold(void) {
  kill(holder, SIGKILL);
  waitpid(holder, NULL, 0);
}

/* A call that must answer BUSY, after five seconds. */
#define CHECK_WAITS(call)                       \
  do {                                          \
    double from = seconds();                    \
    CHECK_RV(call, BUSY);                       \
    double waited = seconds() - from;           \
    if (!CHECK(waited > 4.9 && waited < 120))   \
      fprintf(stderr, "  %.1f seconds\n", waited); \
  } while (0)

static void a_change_waits(void) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old"));
  let_hold("to write", "600000");
  CHECK_WAITS(add("new"));
  CHECK_RV(look_for("old"), SPACE); /* reading does not wait */
  CHECK_RV(look_for("new"), NOT_FOUND);
  end_hold();
  CHECK_RV(look_for("new"), NOT_FOUND);
  CHECK_RV(add("new"), OK);
  let_hold("to write", "700");
  double from = seconds();
  CHECK_RV(CustomVault_deleteItem(vault, "s", "old"), OK);
  CHECK(seconds() - from > 0.5);
  end_hold();
}

static void an_open_waits(void) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old"));
  REQUIRE_OK(CustomVault_close(vault));
  let_hold("alone", "600000");
  CHECK_WAITS(open_file(path));
  end_hold();
  CHECK_RV(open_file(path), OK);
  CHECK_RV(look_for("old"), SPACE);
}

static void a_change_of_the_key_waits(void) {
  char copy[310];
  snprintf(copy, sizeof copy, "%s-copy", path);
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old"));
  let_hold("to write", "600000");
  CHECK_WAITS(CustomVault_changeKey(vault, other_key, 32));
  CHECK_RV(CustomVault_backup(vault, copy), OK); /* only reads */
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK);
  CHECK_RV(look_for("old"), SPACE);
  end_hold();
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(copy), OK);
  CHECK_RV(look_for("old"), SPACE);
}

/* Counting fails, so nothing is checked. */
static void a_try_waits(void) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_KEYBOARD keyboard = typed("right 1");
  uint8_t passcode_key[32] = {0}, none[32] = {0};
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", keyboard, NULL));
  let_hold("to write", "600000");
  unsigned before = derived;
  CHECK_WAITS(CustomVault_checkPasscode(vault, "PIN", keyboard, passcode_key, &state));
  CHECK_EQUAL(derived, before);
  CHECK(memcmp(passcode_key, none, 32) == 0);
  end_hold();
  CHECK_RV(CustomVault_passcodeState(vault, "PIN", &state), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(CustomVault_checkPasscode(vault, "PIN", keyboard, passcode_key, &state), OK);
}

static void a_try_to_open_waits(void) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_KEYBOARD keyboard = typed("right 1");
  CUSTOM_VAULT opened = 5;
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL));
  REQUIRE_OK(CustomVault_close(vault));
  let_hold("to write", "600000");
  unsigned before = derived;
  CHECK_WAITS(CustomVault_openWithPasscode(&opened, path, keyboard, NULL, 0, &state));
  CHECK(derived == before && opened == 5);
  end_hold();
  CHECK_RV(CustomVault_passcodeKeyState(path, &state), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(CustomVault_openWithPasscode(&opened, path, keyboard, NULL, 0, &state), OK);
}

/* Nobody has the file for five seconds, so everybody gets it. */
static void a_busy_neighbour_lets_others_in(void) {
  char account[16];
  REQUIRE_OK(open_file(path));
  let_hold("often", "0");
  for (int i = 0; i < 9; i++) {
    snprintf(account, sizeof account, "%d", i);
    CHECK_RV(add(account), OK);
    CHECK_RV(look_for(account), SPACE);
    sleep_for(150000); /* until the neighbour, which had to wait, has the file again */
  }
  end_hold();
}

/* ---- A host that opens and closes the file itself --------------------------------------------------------------- */

/* Closing any descriptor of a file drops the locks that the process has on it, SQLite's too. Another program then takes
 * itself for the only one: what it does when it closes the file must not lose what is in the WAL. */
static void drop_locks(const char *name) {
  char byte;
  int file = open(name, O_RDONLY);
  REQUIRE(file >= 0 && read(file, &byte, 1) == 1 && close(file) == 0);
}

static int run_other(const char *how, const char *account) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    execl(program_invocation_name, "vault_beside", how, path, account, (char *)NULL);
    _exit(99);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

/* The other program: opens, adds, closes. */
static int add_and_close(const char *account) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add(account));
  REQUIRE_OK(CustomVault_close(vault));
  return 0;
}

/* Or it opens, and once gets no memory, each time a moment later. */
static long allocations_left;
static sqlite3_mem_methods real_memory;
static void *give_memory(int size) { return allocations_left-- == 0 ? NULL : real_memory.xMalloc(size); }
static int fail_and_close(void) {
  int opened = 0, failed = 0;
  sqlite3_mem_methods memory;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) == SQLITE_OK);
  memory = real_memory;
  memory.xMalloc = give_memory;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) == SQLITE_OK);
  REQUIRE(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK);
  allocations_left = -1;
  REQUIRE(sqlite3_initialize() == SQLITE_OK);
  for (long given = 0; given < 2000 && opened < 20; given++) {
    allocations_left = given;
    CUSTOM_KEYBOARD_RV rv = open_file(path);
    failed += rv == CUSTOM_KEYBOARD_MEMORY;
    opened += rv == CUSTOM_KEYBOARD_OK;
    if (rv == CUSTOM_KEYBOARD_OK) REQUIRE_OK(CustomVault_close(vault));
  }
  return opened > 0 && failed > 50 ? 0 : 1;
}

static void the_host_closes_the_file(void) {
  enum { TURNS = 12 };
  char account[32], with[32];
  REQUIRE_OK(open_file(path));
  for (int i = 0; i < TURNS; i++) {
    snprintf(account, sizeof account, "own %d", i);
    CHECK_RV(add(account), OK);
    drop_locks(path);
    snprintf(with, sizeof with, "other %d", i);
    CHECK_EQUAL(run_other(i % 3 == 2 ? "--fail" : "--add", with), 0);
    snprintf(account, sizeof account, "after %d", i);
    CHECK_RV(add(account), OK);
  }
  /* By this handle, by another program, and by a new handle. */
  for (int look = 0; look < 3; look++) {
    if (look == 1) CHECK_EQUAL(run_other("--add", "at last"), 0);
    if (look == 1) CHECK(CustomVault_close(vault) == CUSTOM_KEYBOARD_OK && open_file(path) == CUSTOM_KEYBOARD_OK);
    for (int i = 0; i < TURNS; i++) {
      snprintf(account, sizeof account, "own %d", i);
      CHECK_RV(look_for(account), SPACE);
      snprintf(account, sizeof account, "after %d", i);
      CHECK_RV(look_for(account), SPACE);
      snprintf(account, sizeof account, "other %d", i);
      if (i % 3 != 2) CHECK_RV(look_for(account), SPACE);
    }
  }
}

/* ---- Paths and rights ------------------------------------------------------------------------------------------- */

static char name[700];
static const char *in_folder(const char *rest) {
  snprintf(name, sizeof name, "%s/%s", folder, rest);
  return name;
}
static void make_vault(const char *rest) {
  REQUIRE_OK(open_file(in_folder(rest)));
  REQUIRE_OK(add("old"));
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
  CHECK_RV(add("more"), STORAGE);
  CHECK_RV(CustomVault_deleteItem(vault, "s", account), STORAGE);
  CHECK_RV(CustomVault_checkPasscode(vault, "PIN", keyboard, NULL, &state), STORAGE);
  CHECK_EQUAL(derived, before);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), STORAGE);
  CHECK_RV(look_for(account), SPACE);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* What this user may not do. Root may do everything, so root runs it as the user `nobody`. */
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
  CHECK_RV(add("new"), OK);
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
  CHECK_RV(add("new"), OK);
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
    fprintf(stderr, "vault_beside: no disk can be mounted here (%s): NOT RUN: a full disk, a read-only one\n",
            strerror(errno));
    return;
  }
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old"));
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
  CHECK_RV(add("new"), OK);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OK);
  check_filled(filled);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- All -------------------------------------------------------------------------------------------------------- */

static const struct scenario {
  const char *name;
  void (*run)(void);
  int least; /* checks */
} scenarios[] = {
    {"a change waits", a_change_waits, 8},
    {"an open waits", an_open_waits, 4},
    {"a change of the key waits", a_change_of_the_key_waits, 9},
    {"a try waits", a_try_waits, 7},
    {"a try to open waits", a_try_to_open_waits, 6},
    {"a busy neighbour lets others in", a_busy_neighbour_lets_others_in, 2},
    {"the host closes the file", the_host_closes_the_file, 100},
    {"only files are opened", only_files_are_opened, 30},
    {"rights of others are refused", rights_of_others_are_refused, 12},
    {"missing rights are told", missing_rights_are_told, 10},
    {"a file that may not grow is kept", a_file_that_may_not_grow_is_kept, 30},
    {"a full disk is survived", a_full_disk_is_survived, 0},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static int run(const struct scenario *scenario) {
  alarm(LONGEST_WAIT);
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  scenario->run();
  remove_folder(folder);
  if (atomic_load(&check_count) < (unsigned long)scenario->least) fprintf(stderr, "  too few checks\n");
  return atomic_load(&check_failures) > 0 || atomic_load(&check_count) < (unsigned long)scenario->least;
}

int main(int count, char **arguments) {
  if (count > 2) snprintf(path, sizeof path, "%s", arguments[2]);
  if (count == 5 && strcmp(arguments[1], "--hold") == 0) return hold(arguments[3], arguments[4]);
  if (count == 4 && strcmp(arguments[1], "--add") == 0) return add_and_close(arguments[3]);
  if (count == 4 && strcmp(arguments[1], "--fail") == 0) return fail_and_close();
  pid_t children[SCENARIOS];
  fflush(NULL);
  for (size_t i = 0; i < SCENARIOS; i++) {
    children[i] = 0;
    if (count == 2 && strcmp(arguments[1], scenarios[i].name) != 0) continue;
    if ((children[i] = fork()) == 0) _exit(run(&scenarios[i]));
  }
  for (size_t i = 0; i < SCENARIOS; i++) {
    int status = -1;
    if (children[i] == 0) continue;
    REQUIRE(waitpid(children[i], &status, 0) == children[i]);
    if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  %s\n", scenarios[i].name);
    atomic_fetch_add(&check_count, (unsigned long)scenarios[i].least);
  }
  return check_end("vault_beside", 1);
}
