/*
 * CustomVault_change: several calls as one transaction. Who waits for it is looked at in vault_change_wait.c.
 *
 *     vault_change [SCENARIO]          only the one with that name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_scenarios.h"
#include <pthread.h>
#include <sqlite3.h>
#include <sys/file.h>

static CUSTOM_VAULT other_vault;

static answer update(const char *account, const char *data) {
  return CustomVault_updateItem(vault, "s", account, NULL, NULL, BYTES(data));
}
static int has(const char *account, const char *data) { return holds(vault, "s", account, data); }

/* What another process finds: a character for each account, or ? if the vault does not open. */
static int look(const char *accounts) {
  REQUIRE_OK(open_file(path));
  for (const char *account = accounts; *account != 0; account++) {
    char name[2] = {*account, 0}, value = look_for(name) == CUSTOM_KEYBOARD_SPACE ? *account : '-';
    REQUIRE(write(STDOUT_FILENO, &value, 1) == 1);
  }
  return CustomVault_close(vault) != CUSTOM_KEYBOARD_OK;
}
static const char *others_see(const char *accounts) {
  static char seen[32];
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(program_invocation_name, "vault_change", "--look", path, accounts, (char *)NULL);
    _exit(99);
  }
  close(ends[1]);
  ssize_t count = read(ends[0], seen, sizeof seen - 1), more = 1;
  while (count > 0 && more > 0) count += more = read(ends[0], seen + count, sizeof seen - 1 - (size_t)count);
  seen[count > 0 ? count : 0] = 0;
  close(ends[0]);
  CHECK_EQUAL(status_of(child), 0);
  return seen;
}

/* ---- All or nothing ---------------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD keyboard, next_keyboard;
static const char words[] = "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong";
static unsigned runs;

/* Each kind of call that changes something, and what it answers when it reads that. */
static answer change_all_kinds(void *wanted) {
  char read[CUSTOM_VAULT_MAXWORDSSIZE];
  size_t length, listed = 0;
  CUSTOM_VAULT_POLICY policy = {sizeof policy, 7, 70, 0};
  runs++;
  CHECK_RV(add("b", "new"), OK);
  CHECK_RV(update("b", "newer"), OK);
  CHECK_RV(add("b", "again"), EXISTS);
  CHECK_RV(update("no such account", "x"), NOT_FOUND);
  CHECK_RV(CustomVault_replaceItem(vault, "s", "a", BYTES("something else"), BYTES("x")), MISMATCH);
  CHECK_RV(CustomVault_replaceItem(vault, "s", "a", BYTES("old"), BYTES("replaced")), OK);
  CHECK(has("a", "replaced") && has("b", "newer"));
  CHECK_RV(CustomVault_deleteItem(vault, "s", "c"), OK);
  CHECK_RV(look_for("c"), NOT_FOUND);
  CHECK_RV(CustomVault_listItems(vault, "s", count_item, &listed), OK);
  CHECK_EQUAL(listed, 2);
  CHECK_RV(CustomVault_setPasscode(vault, "PIN", keyboard, NULL), OK);
  CHECK_RV(CustomVault_setPolicy(vault, "PIN", &policy), OK);
  policy = (CUSTOM_VAULT_POLICY){.size = sizeof policy};
  CHECK_RV(CustomVault_policy(vault, "PIN", &policy), OK);
  CHECK(policy.triesToLock == 7 && policy.lockSeconds == 70 && policy.maximumLocks == 0);
  CHECK_RV(CustomVault_resetPasscode(vault, "old PIN"), OK);
  CHECK_RV(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL), OK);
  CHECK_RV(CustomVault_keepWords(vault, "words", words), OK);
  CHECK_RV(CustomVault_readWords(vault, "words", read, sizeof read, &length), OK);
  CHECK(strcmp(read, words) == 0);
  CHECK(strcmp(others_see("abc"), "a-c") == 0);
  return *(const answer *)wanted;
}

static void check_all_kinds(int are_done) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  size_t length;
  CHECK(has("a", are_done ? "replaced" : "old"));
  CHECK_EQUAL(look_for("b"), are_done ? CUSTOM_KEYBOARD_SPACE : CUSTOM_KEYBOARD_NOT_FOUND);
  CHECK_EQUAL(look_for("c"), are_done ? CUSTOM_KEYBOARD_NOT_FOUND : CUSTOM_KEYBOARD_SPACE);
  CHECK_EQUAL(CustomVault_passcodeState(vault, "PIN", &state),
              are_done ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_NOT_FOUND);
  CHECK_EQUAL(CustomVault_passcodeState(vault, "old PIN", &state),
              are_done ? CUSTOM_KEYBOARD_NOT_FOUND : CUSTOM_KEYBOARD_OK);
  CHECK_EQUAL(CustomVault_readWords(vault, "words", NULL, 0, &length),
              are_done ? CUSTOM_KEYBOARD_SPACE : CUSTOM_KEYBOARD_NOT_FOUND);
}

static void all_of_it_or_nothing(void) {
  static const answer answers[] = {CUSTOM_KEYBOARD_NOT_FOUND, (answer)4711, CUSTOM_KEYBOARD_STORAGE,
                                   CUSTOM_KEYBOARD_OK};
  char wal[310];
  struct stat about;
  keyboard = typed("1357"), next_keyboard = typed("2468");
  open_with("a", "old");
  REQUIRE_OK(add("c", "old"));
  REQUIRE_OK(CustomVault_setPasscode(vault, "old PIN", keyboard, NULL));
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    CHECK_EQUAL(change(change_all_kinds, (void *)&answers[i]), answers[i]);
    if (answers[i] == (answer)4711) CHECK(strstr(CustomVault_cause(), "no such code") != NULL);
    check_all_kinds(answers[i] == CUSTOM_KEYBOARD_OK);
  }
  CHECK_EQUAL(runs, sizeof answers / sizeof *answers);
  /* What a passcode's removal left in the WAL is gone. */
  snprintf(wal, sizeof wal, "%s-wal", path);
  CHECK(stat(wal, &about) == 0 && about.st_size == 0);
  for (int again = 0; again < 2; again++) {
    REQUIRE_OK(CustomVault_close(vault));
    if (again == 0) CHECK_RV(open_file(path), OK);
    else CHECK_RV(CustomVault_openWithPasscode(&vault, path, keyboard, NULL, 0, NULL), OK);
    check_all_kinds(1);
  }
}

/* A change in which nothing is changed leaves the files as they are. */
static answer only_read(void *context) {
  (void)context;
  CHECK(has("a", "old"));
  return CUSTOM_KEYBOARD_OK;
}
static void nothing_is_written_for_nothing(void) {
  char wal[310];
  struct stat before, after;
  open_with("a", "old");
  snprintf(wal, sizeof wal, "%s-wal", path);
  REQUIRE(stat(wal, &before) == 0);
  CHECK_RV(change(only_read, NULL), OK);
  CHECK(stat(wal, &after) == 0 && before.st_size == after.st_size);
  CHECK_RV(CustomVault_change(vault, NULL, NULL), ARGUMENT);
  CHECK_RV(CustomVault_change(vault + 1, only_read, NULL), ARGUMENT);
}

/* ---- What is refused inside -------------------------------------------------------------------------------------- */

static answer never(void *context) {
  (void)context;
  CHECK(0);
  return CUSTOM_KEYBOARD_OK;
}
static answer add_to_other(void *context) {
  (void)context;
  CHECK_RV(change(never, NULL), OP_DISABLE); /* the outer one is of the same thread, too */
  return CustomVault_addItem(other_vault, "s", "b", NULL, NULL, BYTES("other"));
}
static answer try_what_is_refused(void *context) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  uint8_t secret[32] = {0}, none[32] = {0};
  char copy[310];
  (void)context;
  unsigned before = derived;
  snprintf(copy, sizeof copy, "%s.copy", path);
  CHECK_RV(add("b", "new"), OK);
  CHECK_RV(change(never, NULL), OP_DISABLE);
  CHECK(strstr(CustomVault_cause(), "change") != NULL);
  CHECK_RV(CustomVault_checkPasscode(vault, "PIN", keyboard, secret, &state), OP_DISABLE);
  CHECK_RV(CustomVault_checkPasscode(vault, "", keyboard, secret, &state), ARGUMENT);
  CHECK_RV(CustomVault_changePasscode(vault, "PIN", keyboard, next_keyboard, &state), OP_DISABLE);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OP_DISABLE);
  CHECK_RV(CustomVault_changeKey(vault, NULL, 32), ARGUMENT);
  CHECK_RV(CustomVault_backup(vault, copy), OP_DISABLE);
  CHECK_RV(CustomVault_backup(vault, ""), ARGUMENT);
  CHECK_RV(CustomVault_close(vault), OP_DISABLE);
  CHECK(memcmp(secret, none, 32) == 0 && derived == before && access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_change(other_vault, add_to_other, NULL), OK);
  CHECK(has("b", "new"));
  return CUSTOM_KEYBOARD_OK;
}
static void some_calls_are_refused(void) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  char second[310];
  keyboard = typed("1357"), next_keyboard = typed("2468");
  snprintf(second, sizeof second, "%s.second", path);
  REQUIRE_OK(CustomVault_open(&other_vault, second, key, 32));
  open_with("a", "old");
  REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", keyboard, NULL));
  CHECK_RV(change(try_what_is_refused, NULL), OK);
  CHECK(has("b", "new") && holds(other_vault, "s", "b", "other"));
  CHECK_RV(CustomVault_passcodeState(vault, "PIN", &state), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(CustomVault_checkPasscode(vault, "PIN", keyboard, NULL, &state), OK);
  CHECK_RV(change(only_read, NULL), OK);
}

/* ---- A change that is spoiled ------------------------------------------------------------------------------------ */

static long allocations_left = -1;
static sqlite3_mem_methods real_memory;
static void *give_memory(int size) {
  if (allocations_left == 0) return NULL;
  if (allocations_left > 0) allocations_left--;
  return real_memory.xMalloc(size);
}
static void *give_more_memory(void *block, int size) {
  return allocations_left == 0 ? NULL : real_memory.xRealloc(block, size);
}

static int is_stubborn;
static answer lack_memory(void *context) {
  size_t length, listed = 0;
  (void)context;
  CHECK_RV(add("b", "new"), OK);
  allocations_left = 0;
  /* All names are new to SQLite's cache: one of these needs memory. */
  answer rv = CUSTOM_KEYBOARD_OK;
  for (int i = 0; i < 200 && rv == CUSTOM_KEYBOARD_OK; i++) {
    char account[16];
    static char long_data[60000];
    snprintf(account, sizeof account, "%d", i);
    memset(long_data, 'x', sizeof long_data - 1);
    rv = add(account, long_data);
  }
  allocations_left = -1;
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_MEMORY);
  /* There is memory again, but what was written before may be gone. */
  CHECK_RV(add("c", "new"), MEMORY);
  CHECK_RV(CustomVault_readItem(vault, "s", "a", NULL, 0, &length), MEMORY);
  CHECK_RV(CustomVault_listItems(vault, "s", count_item, &listed), MEMORY);
  CHECK_RV(CustomVault_deleteItem(vault, "s", "a"), MEMORY);
  CHECK_RV(CustomVault_close(vault), OP_DISABLE);
  CHECK_EQUAL(listed, 0);
  return is_stubborn ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_EXISTS;
}
static void a_fault_spoils_it(void) {
  sqlite3_mem_methods memory;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) == SQLITE_OK);
  memory = real_memory;
  memory.xMalloc = give_memory;
  memory.xRealloc = give_more_memory;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) == SQLITE_OK);
  REQUIRE(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK);
  REQUIRE(sqlite3_initialize() == SQLITE_OK);
  open_with("a", "old");
  for (is_stubborn = 0; is_stubborn < 2; is_stubborn++) {
    CHECK_EQUAL(change(lack_memory, NULL), is_stubborn ? CUSTOM_KEYBOARD_MEMORY : CUSTOM_KEYBOARD_EXISTS);
    CHECK(has("a", "old") && look_for("b") == CUSTOM_KEYBOARD_NOT_FOUND && look_for("c") == CUSTOM_KEYBOARD_NOT_FOUND);
    CHECK(strcmp(others_see("abc"), "a--") == 0);
    CHECK_RV(change(only_read, NULL), OK);
  }
  CHECK_RV(add("d", "new"), OK);
}

/* ---- Forks and signals ------------------------------------------------------------------------------------------- */

static pid_t child_of_body;
static answer fork_inside(void *is_waited_for) {
  char wal[310];
  CHECK_RV(add("b", "new"), OK);
  fflush(NULL);
  child_of_body = fork();
  if (child_of_body == 0) {
    if (add("c", "child") != CUSTOM_KEYBOARD_OP_DISABLE || look_for("a") != CUSTOM_KEYBOARD_OP_DISABLE ||
        change(never, NULL) != CUSTOM_KEYBOARD_OP_DISABLE || CustomVault_close(vault) != CUSTOM_KEYBOARD_OP_DISABLE)
      _exit(2);
    return CUSTOM_KEYBOARD_OK; /* into the vault's function, which ends nothing */
  }
  if (is_waited_for != NULL) CHECK_EQUAL(status_of(child_of_body), 0);
  /* The change is still under way, and still this process's. */
  snprintf(wal, sizeof wal, "%s-wal", path);
  int file = (int)syscall(SYS_openat, AT_FDCWD, wal, O_RDWR | O_CLOEXEC, 0);
  CHECK(file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0);
  close(file);
  CHECK_RV(add("d", "after"), OK);
  return CUSTOM_KEYBOARD_OK;
}
static void a_child_ends_nothing(void) {
  int waits = 1;
  open_with("a", "old");
  for (int i = 0; i < 2; i++) {
    answer rv = change(fork_inside, i == 0 ? &waits : NULL);
    if (child_of_body == 0) _exit(rv == CUSTOM_KEYBOARD_OP_DISABLE ? 0 : 3);
    CHECK_RV(rv, OK);
    if (i == 1) CHECK_EQUAL(status_of(child_of_body), 0);
    CHECK(has("b", "new") && has("d", "after") && look_for("c") == CUSTOM_KEYBOARD_NOT_FOUND);
    CHECK(strcmp(others_see("abcd"), "ab-d") == 0);
    REQUIRE_OK(CustomVault_deleteItem(vault, "s", "b"));
    REQUIRE_OK(CustomVault_deleteItem(vault, "s", "d"));
  }
}

static volatile sig_atomic_t signals_seen;
static void see_signal(int number) { signals_seen += number == SIGUSR1; }
static answer get_a_signal(void *context) {
  sigset_t blocked;
  (void)context;
  CHECK_RV(add("b", "new"), OK);
  CHECK(raise(SIGUSR1) == 0 && signals_seen == 1);
  /* What the body does to the thread's signals stays. */
  CHECK(sigemptyset(&blocked) == 0 && sigaddset(&blocked, SIGUSR2) == 0);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &blocked, NULL), 0);
  return add("c", "new");
}
static void signals_are_delivered(void) {
  sigset_t now;
  REQUIRE(signal(SIGUSR1, see_signal) != SIG_ERR);
  open_with("a", "old");
  CHECK_RV(change(get_a_signal, NULL), OK);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR2) && !sigismember(&now, SIGUSR1));
}

/* A thread that another one cancels during a change goes on until the change has ended. */
static answer be_cancelled(void *context) {
  (void)context;
  CHECK_EQUAL(pthread_cancel(pthread_self()), 0);
  usleep(1000);
  return add("b", "new");
}
static void *cancelled_thread(void *context) {
  CHECK_RV(change(be_cancelled, NULL), OK);
  pthread_testcancel();
  return context;
}
static void a_cancelled_thread_ends_later(void) {
  pthread_t thread;
  void *result;
  open_with("a", "old");
  REQUIRE(pthread_create(&thread, NULL, cancelled_thread, NULL) == 0 && pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED && has("b", "new"));
  CHECK_RV(change(only_read, NULL), OK);
}

/* ---- A process that dies ----------------------------------------------------------------------------------------- */

static answer die_after_some(void *text) {
  for (int i = 0; i < 3; i++) {
    char account[2] = {(char)('b' + i), 0};
    if (i == atoi(text)) kill(getpid(), SIGKILL);
    CHECK_RV(add(account, "new"), OK);
    CHECK_RV(update("a", account), OK);
  }
  if (atoi(text) == 3) kill(getpid(), SIGKILL);
  return CUSTOM_KEYBOARD_OK;
}
static int die_in_a_change(const char *text) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_change(vault, die_after_some, (void *)text));
  kill(getpid(), SIGKILL);
  return 1;
}
static void a_killed_process_leaves_nothing(void) {
  open_with("a", "old");
  for (int at = 0; at < 5; at++) {
    char text[12];
    snprintf(text, sizeof text, "%d", at);
    int status = status_of(run_self("--die", path, text));
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK(has("a", at < 4 ? "old" : "d"));
    CHECK(strcmp(others_see("abcd"), at < 4 ? "a---" : "abcd") == 0);
  }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static const struct scenario scenarios[] = {
    {"all of it or nothing", all_of_it_or_nothing, 100},
    {"nothing is written for nothing", nothing_is_written_for_nothing, 5},
    {"some calls are refused", some_calls_are_refused, 20},
    {"a fault spoils it", a_fault_spoils_it, 22},
    {"a child ends nothing", a_child_ends_nothing, 16},
    {"signals are delivered", signals_are_delivered, 6},
    {"a cancelled thread ends later", a_cancelled_thread_ends_later, 5},
    {"a killed process leaves nothing", a_killed_process_leaves_nothing, 15},
};

int main(int count, char **arguments) {
  if (count > 2) snprintf(path, sizeof path, "%s", arguments[2]);
  if (count == 4 && strcmp(arguments[1], "--look") == 0) return look(arguments[3]);
  if (count == 4 && strcmp(arguments[1], "--die") == 0) return die_in_a_change(arguments[3]);
  return RUN_SCENARIOS("vault_change", arguments[1]);
}
