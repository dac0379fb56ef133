/*
 * A process that writes into a vault's WAL, or copies from it into the file, has the WAL's lock. Without it SQLite
 * before 3.51.3 loses what was committed, and the last scenario makes it do so: a process begins the WAL anew while
 * another one has read where it ends, and has not yet copied it.
 *
 *     vault_checkpoint [SCENARIO]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_others.h"
#include <sys/file.h>

enum { LARGE = 65536 };
static char wal[310];
static void name_files(void) { snprintf(wal, sizeof wal, "%s-wal", path); }

/* ---- SQLite's disk, with a look at what it does ------------------------------------------------------------------ */

static sqlite3_vfs *real_vfs;
static const sqlite3_io_methods *real_methods, *real_wal_methods; /* SQLite has others for a file that it never locks */
static sqlite3_io_methods methods, wal_methods;
static sqlite3_file *vault_file, *wal_file;
static int is_looking, unlocked_writes;
static unsigned copied_pages, written_frames;
static void (*at_copy)(void);  /* a checkpoint has read where the WAL ends */
static void (*at_begin)(void); /* a transaction may write now */

static int is_locked(void) {
  int file = open(wal, O_RDWR), is_free = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
  if (file >= 0) close(file);
  return !is_free;
}
static void note_write(unsigned *count) {
  unlocked_writes += is_looking && !is_locked();
  *count += is_looking != 0;
}
static int look_and_copy(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (file == vault_file) note_write(&copied_pages);
  return real_methods->xWrite(file, bytes, count, offset);
}
static int look_and_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (file == wal_file) note_write(&written_frames);
  return real_wal_methods->xWrite(file, bytes, count, offset);
}
static int look_and_forget(sqlite3_file *file, sqlite3_int64 offset, void *page) {
  if (at_copy != NULL) at_copy();
  return real_methods->xUnfetch(file, offset, page);
}
static int lock_and_look(sqlite3_file *file, int first, int count, int flags) {
  int code = real_methods->xShmLock(file, first, count, flags);
  /* The lock with the number 0 is that of the one who writes. */
  if (code == SQLITE_OK && first == 0 && count == 1 && (flags & SQLITE_SHM_LOCK) != 0 && at_begin != NULL) at_begin();
  return code;
}
static int open_and_look(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  int code = real_vfs->xOpen(real_vfs, name, file, flags, out);
  if (file->pMethods == NULL || name == NULL) return code;
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
    methods = *(real_methods = file->pMethods);
    methods.xWrite = look_and_copy, methods.xUnfetch = look_and_forget, methods.xShmLock = lock_and_look;
    file->pMethods = &methods;
  } else if ((flags & SQLITE_OPEN_WAL) != 0) {
    wal_methods = *(real_wal_methods = file->pMethods);
    wal_methods.xWrite = look_and_write;
    file->pMethods = &wal_methods;
  }
  if (strcmp(name, path) == 0) vault_file = file;
  if (strcmp(name, wal) == 0) wal_file = file;
  return code;
}
static void look_at_disk(void) {
  static sqlite3_vfs vfs;
  REQUIRE(sqlite3_initialize() == SQLITE_OK && (real_vfs = sqlite3_vfs_find(NULL)) != NULL);
  vfs = *real_vfs;
  vfs.zName = "looking", vfs.pNext = NULL, vfs.xOpen = open_and_look;
  REQUIRE(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

/* ---- Every write ------------------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD_RV add_large(int number) {
  static uint8_t data[LARGE];
  char account[16];
  snprintf(account, sizeof account, "large %d", number);
  return CustomVault_addItem(vault, "s", account, NULL, NULL, data, sizeof data);
}

/* What was written since the last look: all of it under the lock. */
static void check_writes(unsigned least_frames, unsigned least_copied) {
  CHECK_EQUAL(unlocked_writes, 0);
  if (!CHECK(written_frames >= least_frames && copied_pages >= least_copied))
    fprintf(stderr, "  %u writes, %u copied pages\n", written_frames, copied_pages);
  written_frames = copied_pages = 0;
}

static void every_write_is_under_the_lock(void) {
  CUSTOM_KEYBOARD keyboard = typed("right");
  CUSTOM_VAULT_STATE state;
  look_at_disk();
  REQUIRE_OK(open_file(path));
  is_looking = 1;
  CHECK_RV(add("a", "first"), OK);
  check_writes(2, 0);
  for (int i = 0; i < 80; i++) CHECK_RV(add_large(i), OK); /* more than 1,000 pages */
  check_writes(1000, 500);
  CHECK_RV(CustomVault_setPasscode(vault, "PIN", keyboard, NULL), OK);
  CHECK_RV(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL), OK);
  check_writes(2, 2);
  CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), MISMATCH);
  CHECK_RV(CustomVault_resetPasscode(vault, "PIN"), OK);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OK);
  check_writes(1000, 500);
  CHECK_RV(add("b", "second"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  check_writes(2, 2);
  CHECK(!is_locked());
  REQUIRE_OK(CustomVault_open(&vault, path, other_key, 32));
  CHECK(holds(vault, "s", "a", "first") && holds(vault, "s", "b", "second"));
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- The lock is another one's ----------------------------------------------------------------------------------- */

/* Who does not get it in five seconds changes nothing, and copies nothing when the vault is closed: SQLite takes this
 * connection for the last one, and would. Reading needs no lock. */
static void without_the_lock_nothing_is_written(void) {
  look_at_disk();
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  int file = open(wal, O_RDWR | O_CLOEXEC);
  REQUIRE(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0);
  is_looking = 1;
  CHECK_RV(add("b", "second"), BUSY);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK(copied_pages == 0 && written_frames == 0);
  REQUIRE(close(file) == 0);
  CHECK_RV(open_file(path), OK);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(look_for("b"), NOT_FOUND);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK(copied_pages > 0);
}

/* A call that opens the file waits for the lock once, if it changes something, and never to empty the WAL. */
static int locked_wal;
static void take_lock(void) {
  locked_wal = open(wal, O_RDWR | O_CLOEXEC);
  REQUIRE(locked_wal >= 0 && flock(locked_wal, LOCK_EX | LOCK_NB) == 0);
}
static void an_open_waits_once(void) {
  CUSTOM_KEYBOARD right = typed("right"), wrong = typed("wrong");
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_VAULT opened = 5;
  struct stat seen;
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, right, NULL, 0, NULL));
  REQUIRE_OK(CustomVault_close(vault));
  take_lock();
  is_in_a_hurry = 1;
  CHECK_RV(CustomVault_open(&opened, path, other_key, 32), MISMATCH);
  CHECK_EQUAL(steady_looks, 0);
  CHECK_RV(CustomVault_openWithPasscode(&opened, path, right, NULL, 0, &state), BUSY);
  CHECK_EQUAL(steady_looks, 51);
  REQUIRE(close(locked_wal) == 0);
  while_checking = take_lock; /* the try is counted */
  CHECK_RV(CustomVault_openWithPasscode(&opened, path, wrong, NULL, 0, &state), MISMATCH);
  CHECK_EQUAL(steady_looks, 51);
  REQUIRE(stat(wal, &seen) == 0);
  CHECK(seen.st_size > 0);
  REQUIRE(close(locked_wal) == 0);
  /* Without the other process, a call that has counted empties the WAL. */
  CHECK_RV(CustomVault_openWithPasscode(&opened, path, wrong, NULL, 0, &state), MISMATCH);
  REQUIRE(stat(wal, &seen) == 0);
  CHECK(seen.st_size == 0 && is_state(&state, 3, 0, 0) && opened == 5);
}

/* A host closes descriptors that are not its own, and the number becomes another file's. */
static void a_lost_lock_is_missed(void) {
  char link[64], name[400];
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  int found = 63; /* SQLite has one, too: the vault's own was opened later */
  for (; found > 2; found--) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", found);
    ssize_t length = readlink(link, name, sizeof name);
    if (length == (ssize_t)strlen(wal) && memcmp(name, wal, strlen(wal)) == 0) break;
  }
  REQUIRE(found > 2);
  int null = open("/dev/null", O_RDWR);
  REQUIRE(dup2(null, found) == found);
  CHECK_RV(add("b", "second"), STORAGE);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK(fcntl(found, F_GETFD) >= 0); /* what is another file's now stays open */
  CHECK_RV(open_file(path), OK);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(add("b", "second"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* A process forks in the middle of a change, and is killed: its child still has the lock, and the others wait for that
 * one. This is what a user must know: Docs/Vault.md. */
static void fork_and_die(void) {
  pid_t child = fork();
  if (child == 0) {
    pid_t own = getpid();
    alarm(LONGEST_CHILD);
    (void)!write(STDOUT_FILENO, &own, sizeof own);
    for (;;) pause();
  }
  kill(getpid(), SIGKILL);
}
static int change_and_die(void) {
  look_at_disk();
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  at_begin = fork_and_die;
  return (int)add("never", "done");
}
static void a_child_keeps_the_lock(void) {
  int ends[2];
  pid_t grandchild = 0;
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  pid_t child = fork();
  if (child == 0) {
    if (dup2(ends[1], STDOUT_FILENO) < 0) _exit(98);
    execl(program_invocation_name, "dying", "--die", path, (char *)NULL);
    _exit(99);
  }
  REQUIRE(read(ends[0], &grandchild, sizeof grandchild) == sizeof grandchild);
  CHECK_EQUAL(status_of(child), SIGKILL);
  CHECK_RV(open_file(path), OK);
  CHECK_RV(add("b", "second"), BUSY);
  REQUIRE(kill(grandchild, SIGKILL) == 0);
  CHECK_RV(add("b", "second"), OK);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- The WAL begins anew beside a checkpoint --------------------------------------------------------------------- */

static int to_closer[2], from_closer[2];

/* The other process: opens the vault, and closes it when it is told to. Its checkpoint tells that it has read where the
 * WAL ends, and waits. */
static void wait_before_copy(void) {
  char byte;
  at_copy = NULL;
  REQUIRE(write(STDOUT_FILENO, "c", 1) == 1 && read(STDIN_FILENO, &byte, 1) == 1);
}
static int open_and_close(void) {
  char byte;
  look_at_disk();
  REQUIRE_OK(open_file(path));
  REQUIRE(write(STDOUT_FILENO, "o", 1) == 1 && read(STDIN_FILENO, &byte, 1) == 1);
  at_copy = wait_before_copy;
  REQUIRE_OK(CustomVault_close(vault));
  return 0;
}
static pid_t start_closer(void) {
  char byte;
  REQUIRE(pipe2(to_closer, O_CLOEXEC) == 0 && pipe2(from_closer, O_CLOEXEC) == 0);
  pid_t child = fork();
  if (child == 0) {
    if (dup2(to_closer[0], STDIN_FILENO) < 0 || dup2(from_closer[1], STDOUT_FILENO) < 0) _exit(98);
    execl(program_invocation_name, "closer", "--close", path, (char *)NULL);
    _exit(99);
  }
  close(from_closer[1]);
  REQUIRE(read(from_closer[0], &byte, 1) == 1 && byte == 'o');
  return child;
}

/* This process is in its transaction, and has not written yet. */
static ssize_t has_read_the_end;
static void let_closer_close(void) {
  char byte;
  at_begin = NULL;
  REQUIRE(write(to_closer[1], "n", 1) == 1);
  has_read_the_end = read(from_closer[0], &byte, 1); /* 0: it has ended without a checkpoint */
}

static void no_change_is_lost_beside_a_checkpoint(void) {
  look_at_disk();
  REQUIRE_OK(open_file(path));
  pid_t closer = start_closer();
  for (int i = 0; i < 3; i++) CHECK_RV(add_large(i), OK);
  let_others_run("PRAGMA main.wal_checkpoint(PASSIVE)"); /* so that the next change begins the WAL anew */
  at_begin = let_closer_close;
  CHECK_RV(add("late", "answered"), OK);
  CHECK_EQUAL(has_read_the_end, 0);
  (void)!write(to_closer[1], "g", 1);
  CHECK_EQUAL(status_of(closer), 0);
  CHECK_RV(add("later", "answered, too"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK);
  CHECK(holds(vault, "s", "late", "answered") && holds(vault, "s", "later", "answered, too"));
  CHECK_RV(CustomVault_close(vault), OK);
}

static const struct scenario scenarios[] = {
    {"every write is under the lock", every_write_is_under_the_lock, 90},
    {"without the lock nothing is written", without_the_lock_nothing_is_written, 9},
    {"an open waits once", an_open_waits_once, 9},
    {"a lost lock is missed", a_lost_lock_is_missed, 8},
    {"a child keeps the lock", a_child_keeps_the_lock, 6},
    {"no change is lost beside a checkpoint", no_change_is_lost_beside_a_checkpoint, 10},
};

int main(int count, char **arguments) {
  int status = do_as_another(count, arguments);
  if (status >= 0) return status;
  if (count == 3) {
    snprintf(path, sizeof path, "%s", arguments[2]);
    name_files();
    return strcmp(arguments[1], "--close") == 0 ? open_and_close() : change_and_die();
  }
  prepare_scenario = name_files;
  return RUN_SCENARIOS("vault_checkpoint", arguments[1]);
}
