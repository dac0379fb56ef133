/*
 * A vault whose file others use, hold or keep busy.
 *
 *     vault_beside [SCENARIO]          only the one with that name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_scenarios.h"
#include <poll.h>
#include <sqlite3.h>

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

/* What the other program does: it takes a lock, tells that, keeps it for so many milliseconds, and tells that it will
 * release it now. */
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
  REQUIRE(write(STDOUT_FILENO, "r", 1) == 1);
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
}
static int has_told_the_end(void) {
  struct pollfd end = {told[0], POLLIN, 0};
  return poll(&end, 1, 0) == 1 && (end.revents & POLLIN) != 0;
}
static void end_hold(void) {
  kill(holder, SIGKILL);
  waitpid(holder, NULL, 0);
  close(told[0]);
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
  REQUIRE_OK(add("old", "value"));
  let_hold("to write", "600000");
  CHECK_WAITS(add("new", "value"));
  CHECK_RV(look_for("old"), SPACE); /* reading does not wait */
  CHECK_RV(look_for("new"), NOT_FOUND);
  end_hold();
  CHECK_RV(look_for("new"), NOT_FOUND);
  CHECK_RV(add("new", "value"), OK);
  let_hold("to write", "700");
  CHECK_RV(CustomVault_deleteItem(vault, "s", "old"), OK);
  CHECK(has_told_the_end());
  end_hold();
}

static void an_open_waits(void) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old", "value"));
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
  REQUIRE_OK(add("old", "value"));
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
    CHECK_RV(add(account, "value"), OK);
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

/* The other program: opens, adds, closes. */
static int add_and_close(const char *account) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add(account, "value"));
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
    CHECK_RV(add(account, "value"), OK);
    drop_locks(path);
    snprintf(with, sizeof with, "other %d", i);
    CHECK_EQUAL(status_of(run_self(i % 3 == 2 ? "--fail" : "--add", path, with)), 0);
    snprintf(account, sizeof account, "after %d", i);
    CHECK_RV(add(account, "value"), OK);
  }
  /* By this handle, by another program, and by a new handle. */
  for (int look = 0; look < 3; look++) {
    if (look == 1) CHECK_EQUAL(status_of(run_self("--add", path, "at last")), 0);
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

/* ---- All -------------------------------------------------------------------------------------------------------- */

static const struct scenario scenarios[] = {
    {"a change waits", a_change_waits, 8},
    {"an open waits", an_open_waits, 4},
    {"a change of the key waits", a_change_of_the_key_waits, 9},
    {"a try waits", a_try_waits, 7},
    {"a try to open waits", a_try_to_open_waits, 6},
    {"a busy neighbour lets others in", a_busy_neighbour_lets_others_in, 2},
    {"the host closes the file", the_host_closes_the_file, 100},
};

int main(int count, char **arguments) {
  if (count > 2) snprintf(path, sizeof path, "%s", arguments[2]);
  if (count == 5 && strcmp(arguments[1], "--hold") == 0) return hold(arguments[3], arguments[4]);
  if (count == 4 && strcmp(arguments[1], "--add") == 0) return add_and_close(arguments[3]);
  if (count == 4 && strcmp(arguments[1], "--fail") == 0) return fail_and_close();
  return RUN_SCENARIOS("vault_beside", arguments[1]);
}
