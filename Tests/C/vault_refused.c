/*
 * With any code but OK nothing is changed: each call of custom_vault.h that is refused, and each one that would succeed
 * where the vault refuses it, leaves the folder, all rows and the caller's memory as they were. Only a wrong passcode
 * is counted.
 *
 *     vault_refused custom_vault.h
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only the keyboard's calls need */
#pragma GCC diagnostic ignored "-Wunused-variable"
#define CHEAP_KEYS
#include "vault_calls.h"
#include "vault_put_back.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { TOO_LONG = CUSTOM_VAULT_MAXDATASIZE + 1 };

/* A clock that runs ahead, so that waiting for another program takes no five seconds. */
static int is_in_a_hurry;
int clock_gettime(clockid_t clock, struct timespec *time) {
  static time_t ahead;
  int answer = (int)syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_MONOTONIC && is_in_a_hurry) time->tv_sec += ++ahead;
  return answer;
}

/* A folder that cannot be opened, as one with the rights 0300, also for root, who may open any. */
static int is_folder_closed;
int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (is_folder_closed && (flags & O_DIRECTORY) != 0) return errno = EACCES, -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* ---- What another process sees in the folder --------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
  return hash;
}

/* All rows of a vault's file; of another file, nothing. */
static uint64_t hash_rows(const char *path) {
  static const char *const tables[] = {"head", "passcode_key", "item", "passcode", "words"};
  uint64_t hash = 1;
  sqlite3 *database;
  REQUIRE(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    sqlite3_stmt *statement;
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY id", tables[i]);
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) continue;
    while (sqlite3_step(statement) == SQLITE_ROW)
      for (int column = 0; column < sqlite3_column_count(statement); column++)
        hash = mix(hash, sqlite3_column_blob(statement, column), (size_t)sqlite3_column_bytes(statement, column));
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
  return hash;
}

/* Names, and what files have. A name ends the hash of its file, so their order does not matter. */
static int look_at_folder(const char *folder) {
  char path[400];
  uint64_t all = 0;
  DIR *names = opendir(folder);
  REQUIRE(names != NULL);
  for (struct dirent *entry; (entry = readdir(names)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || (length > 4 && strchr("ws", entry->d_name[length - 3]) != NULL)) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    all += mix(hash_rows(path), entry->d_name, length);
  }
  closedir(names);
  return write(STDOUT_FILENO, &all, sizeof all) != sizeof all;
}

/* Runs this program again, because a forked child has no vault. Returns what it writes. */
static uint64_t run_other(const char *how, const char *path) {
  uint64_t told = 0;
  int ends[2], status = -1;
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(program_invocation_name, "other", how, path, (char *)NULL);
    _exit(99);
  }
  close(ends[1]);
  ssize_t count = read(ends[0], &told, sizeof told);
  close(ends[0]);
  REQUIRE(waitpid(child, &status, 0) == child && status == 0 && count == sizeof told);
  return told;
}
static uint64_t folder_now(void) { return run_other("--look", v.folder); }

/* ---- More calls that are refused --------------------------------------------------------------------------------- */

static const CUSTOM_VAULT_POLICY no_tries = {sizeof no_tries, 0, 1, 0}, one_try = {sizeof one_try, 1, 900, 0};
static CUSTOM_VAULT_STATE no_state;
static CUSTOM_VAULT_POLICY no_policy;
static char long_name[300];
static const char *in_world(const char *rest) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%.300s", v.folder, rest);
  return path;
}
static CUSTOM_KEYBOARD_RV copy_inside(void *context) {
  (void)context;
  return CustomVault_backup(v.vault, v.copy);
}
static CUSTOM_KEYBOARD_RV add_and_fail(void *context) {
  (void)context;
  REQUIRE_OK(CustomVault_addItem(v.vault, "service", "inside", NULL, NULL, VAULT_DATA));
  return CustomVault_deleteItem(v.vault, "service", "no such account");
}
static void nothing_typed(void) {
  without_passcode();
  REQUIRE_OK(CustomKeyboard_clear(w.keyboard));
}
static void nothing_next(void) {
  with_passcode();
  REQUIRE_OK(CustomKeyboard_clear(w.other));
}
static void passcode_and_idle(void) {
  with_passcode();
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
}
static void locked(void) {
  without_passcode();
  REQUIRE_OK(CustomVault_setPasscode(v.vault, "pin", w.keyboard, &one_try));
  REQUIRE_OK(CustomKeyboard_deleteBackward(w.other));
  REQUIRE(CustomVault_checkPasscode(v.vault, "pin", w.other, NULL, NULL) == CUSTOM_KEYBOARD_MISMATCH);
}
static void closed_and_locked(void) {
  without_passcode();
  REQUIRE_OK(CustomVault_setPasscodeKey(v.vault, w.keyboard, VAULT_PEPPER, &one_try));
  REQUIRE_OK(CustomVault_close(v.vault));
  REQUIRE(CustomVault_openWithPasscode(&v.made, v.path, w.keyboard, NULL, 0, NULL) == CUSTOM_KEYBOARD_MISMATCH);
}

#define K w.keyboard
#define V v.vault
#define CALL(function, label, code, options, ...) CALL_RUN(refusal, CustomVault_, function, __VA_ARGS__)
#include "vault_refusals.h"
#undef CALL
#define CALL(function, label, code, options, ...) CALL_ROW(refusal, function, label, CUSTOM_KEYBOARD_##code, options)
static const struct call refusal_rows[] = {
#include "vault_refusals.h"
};
static const struct call_list refusals = {"CustomVault_", refusal_rows, sizeof refusal_rows / sizeof *refusal_rows,
                                          release_vaults};

/* ---- Why a vault refuses what would succeed ---------------------------------------------------------------------- */

static char away[240];
static int lock = -1;
static void move_away(void) {
  snprintf(away, sizeof away, "%s/away", v.folder);
  REQUIRE(rename(v.path, away) == 0);
}
static void move_back(void) { REQUIRE(rename(away, v.path) == 0); }
static void change_key(void) { (void)run_other("--rekey", v.path); }
static void put_back(void) {
  (void)run_other("--keep", v.path);
  REQUIRE_OK(CustomVault_addItem(v.vault, "service", "newer", NULL, NULL, VAULT_DATA));
  (void)run_other("--put-back", v.path);
}
static void close_it_first(void) { REQUIRE_OK(CustomVault_close(v.vault)); }
static void take_lock(void) {
  char wal[240];
  snprintf(wal, sizeof wal, "%s-wal", v.path);
  lock = open(wal, O_RDWR | O_CLOEXEC);
  REQUIRE(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
  is_in_a_hurry = 1;
}
static void give_lock(void) {
  is_in_a_hurry = 0;
  REQUIRE(close(lock) == 0);
}
static void let_others_read(void) { REQUIRE(chmod(v.path, 0640) == 0); }
static void open_first(void) { open_it_again(); }
static void write_over(void) {
  FILE *file = fopen(v.path, "wb");
  REQUIRE(file != NULL && fputs("no vault", file) >= 0 && fclose(file) == 0);
}

static const struct reason {
  const char *name;
  CUSTOM_KEYBOARD_RV code;
  int is_for_openers; /* functions that take a path, and no vault */
  void (*begin)(void), (*end)(void);
} reasons[] = {
    {"the file was moved", CUSTOM_KEYBOARD_STORAGE, 0, move_away, move_back},
    {"another process has changed the key", CUSTOM_KEYBOARD_MISMATCH, 0, change_key, NULL},
    {"an older state was put back", CUSTOM_KEYBOARD_DAMAGED, 0, put_back, NULL},
    {"it is closed", CUSTOM_KEYBOARD_ARGUMENT, 0, close_it_first, NULL},
    {"another process changes it", CUSTOM_KEYBOARD_BUSY, 0, take_lock, give_lock},
    {"others may read the file", CUSTOM_KEYBOARD_STORAGE, 1, let_others_read, NULL},
    {"this process has it open", CUSTOM_KEYBOARD_BUSY, 1, open_first, NULL},
    {"it is something else", CUSTOM_KEYBOARD_DAMAGED, 1, write_over, NULL},
};

static int is_opener(const struct call *call) {
  return strncmp(call->function, "open", 4) == 0 || strcmp(call->function, "passcodeKeyState") == 0;
}
/* Those that change nothing: where they need not refuse, they succeed. */
static int only_reads(const struct call *call) {
  return strncmp(call->function, "read", 4) == 0 || strncmp(call->function, "list", 4) == 0 ||
         strcmp(call->function, "passcodeState") == 0 || strcmp(call->function, "policy") == 0 ||
         strcmp(call->function, "backup") == 0 || strcmp(call->function, "close") == 0;
}
static int takes_no_file(const struct call *call) {
  static const char *const names[] = {"version", "cause", "generateWords", "checkWords", "wordsSeed"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(call->function, names[i]) == 0) return 1;
  return 0;
}

/* ---- A call that is refused -------------------------------------------------------------------------------------- */

static unsigned refused;
/* Makes the call. `code` is what it may answer beside OK, which is only for those that change nothing. */
static void refuse(const struct call *call, const char *why, CUSTOM_KEYBOARD_RV code, void (*end)(void)) {
  static struct vault_world before;
  memset(v.read, 0xa5, sizeof v.read), memset(v.passcode_key, 0xa5, sizeof v.passcode_key);
  memset(v.seed, 0xa5, sizeof v.seed), memset(v.made_words, 0xa5, sizeof v.made_words);
  v.made = 0;
  before = v;
  uint64_t folder = folder_now();
  CUSTOM_KEYBOARD_RV rv = (CUSTOM_KEYBOARD_RV)call->run();
  int is_right = CHECK(rv == code || (rv == CUSTOM_KEYBOARD_OK && only_reads(call)));
  int is_counted = rv == CUSTOM_KEYBOARD_MISMATCH && v.state.size > 0 && v.state.triesLeft == 4;
  if (rv != CUSTOM_KEYBOARD_OK) {
    is_right &= CHECK((folder_now() == folder) == !is_counted);
    is_right &= CHECK_EQUAL(memcmp(v.read, before.read, sizeof v.read), 0) & CHECK_EQUAL(v.made, 0);
    is_right &= CHECK_EQUAL(memcmp(v.passcode_key, before.passcode_key, sizeof v.passcode_key), 0);
    is_right &= CHECK_EQUAL(memcmp(v.seed, before.seed, sizeof v.seed), 0);
    is_right &= CHECK_EQUAL(memcmp(v.made_words, before.made_words, sizeof v.made_words), 0);
    note_call(call->function, 1);
    refused++;
  } else if (strcmp(call->function, "backup") != 0) {
    is_right &= CHECK(strcmp(call->function, "close") == 0 || folder_now() == folder);
  }
  if (!is_right) fprintf(stderr, "  (%s, %s: answered %d)\n", call_name(call, 0), why, (int)rv);
  if (end != NULL) end();
}

static void refuse_all(const struct call_list *list) {
  for (const struct call *call = list->calls; call < list->calls + list->count; call++) {
    if (call->expected == ANY_POINTER) continue;
    if (call->expected != CUSTOM_KEYBOARD_OK) {
      call->prepare();
      refuse(call, "as it is", (CUSTOM_KEYBOARD_RV)call->expected, NULL);
      list->release();
      continue;
    }
    if (takes_no_file(call) || call->prepare == no_vault) continue;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
      if (reasons[i].is_for_openers != is_opener(call)) continue;
      call->prepare();
      reasons[i].begin();
      refuse(call, reasons[i].name, reasons[i].code, reasons[i].end);
      list->release();
    }
  }
}

/* ---- A file that is not made ------------------------------------------------------------------------------------- */

static void refuse_without_a_folder(void) {
  vault_opened();
  uint64_t folder = folder_now();
  for (int is_by_rights = 0; is_by_rights < 2; is_by_rights++) {
    if (is_by_rights && geteuid() == 0) break; /* the first turn is the same */
    is_folder_closed = !is_by_rights;
    REQUIRE(chmod(v.folder, is_by_rights ? 0300 : 0700) == 0);
    CHECK_EQUAL(CustomVault_open(&v.made, v.other, v.key, sizeof v.key), CUSTOM_KEYBOARD_STORAGE);
    CHECK_EQUAL(CustomVault_backup(v.vault, v.copy), CUSTOM_KEYBOARD_STORAGE);
    is_folder_closed = 0;
    REQUIRE(chmod(v.folder, 0700) == 0);
    CHECK(folder_now() == folder && v.made == 0);
  }
  CHECK_EQUAL(CustomVault_open(&v.made, v.other, v.key, sizeof v.key), CUSTOM_KEYBOARD_OK);
  CHECK_EQUAL(CustomVault_backup(v.vault, v.copy), CUSTOM_KEYBOARD_OK);
  release_vaults();
}

/* A process has 256 vaults at most. */
static void refuse_without_a_place(void) {
  static CUSTOM_VAULT vaults[255];
  char name[12];
  vault_opened();
  for (int i = 0; i < 255; i++) {
    snprintf(name, sizeof name, "%d", i);
    REQUIRE_OK(CustomVault_open(&vaults[i], in_world(name), v.key, sizeof v.key));
  }
  uint64_t folder = folder_now();
  CHECK_EQUAL(CustomVault_open(&v.made, v.other, v.key, sizeof v.key), CUSTOM_KEYBOARD_MEMORY);
  CHECK(folder_now() == folder && v.made == 0);
  /* What failed has kept no place. */
  REQUIRE_OK(CustomVault_close(vaults[0]));
  is_folder_closed = 1;
  CHECK_EQUAL(CustomVault_open(&v.made, v.other, v.key, sizeof v.key), CUSTOM_KEYBOARD_STORAGE);
  is_folder_closed = 0;
  CHECK_EQUAL(CustomVault_open(&v.made, v.other, v.key, sizeof v.key), CUSTOM_KEYBOARD_OK);
  for (int i = 1; i < 255; i++) REQUIRE_OK(CustomVault_close(vaults[i]));
  release_vaults();
}

/* ---- Other processes --------------------------------------------------------------------------------------------- */

static int do_as_another(const char *how, const char *path) {
  uint64_t done = 1;
  char kept[400];
  if (strcmp(how, "--look") == 0) return look_at_folder(path);
  if (strcmp(how, "--rekey") == 0) {
    vault_secrets();
    REQUIRE_OK(CustomVault_open(&v.vault, path, v.key, sizeof v.key));
    REQUIRE_OK(CustomVault_changeKey(v.vault, v.next_key, sizeof v.next_key));
    REQUIRE_OK(CustomVault_close(v.vault));
  } else if (strcmp(how, "--keep") == 0) {
    REQUIRE(run_sql(path, KEEP_ALL) == 0);
  } else {
    snprintf(kept, sizeof kept, "%s.kept", path);
    REQUIRE(run_sql(path, PUT_ALL_BACK) == 0 && unlink(kept) == 0);
  }
  return write(STDOUT_FILENO, &done, sizeof done) != sizeof done;
}

int main(int count, char **arguments) {
  fixed_secrets();
  memset(long_name, 'x', sizeof long_name - 1);
  if (count == 3) return do_as_another(arguments[1], arguments[2]);
  REQUIRE(count == 2);
  read_functions(arguments[1], vault_calls.prefix);
  refuse_all(&vault_calls);
  refuse_all(&refusals);
  refuse_without_a_folder();
  refuse_without_a_place();
  for (size_t i = 0; i < function_count; i++)
    if (strcmp(functions[i].name, "version") != 0 && strcmp(functions[i].name, "cause") != 0)
      if (!CHECK(functions[i].errors > 0)) fprintf(stderr, "  %s was never refused\n", functions[i].name);
  printf("%u calls were refused\n", refused);
  return check_end("vault_refused", 1200);
}
