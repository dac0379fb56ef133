/*
 * A passcode in a vault that is tried while something happens between counting and checking: a keyboard is closed,
 * another process tries, changes, locks or resets the passcode; and eight processes at once, and processes that are
 * killed at that moment.
 *
 *     vault_meanwhile [TIMES]          how many processes are killed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"

static const uint8_t key[] = "the key of the vault, 32 bytes..";
static char folder[256], path[300];
static CUSTOM_VAULT vault;
static CUSTOM_VAULT_STATE state = {.size = sizeof state};

static CUSTOM_KEYBOARD closed_meanwhile;
static void close_it(void) { REQUIRE_OK(CustomKeyboard_close(closed_meanwhile)); }

static const char *other_does;
static void let_another_process(void) {
  int status = -1;
  pid_t child = run_self(other_does, path, "race");
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

static void what_happens_meanwhile_counts(void) {
  CHECK_RV(set_passcode(vault, "race", "right", 5, 100, 0), OK);
  closed_meanwhile = typed("right");
  while_checking = close_it;
  CHECK_RV(CustomVault_checkPasscode(vault, "race", closed_meanwhile, NULL, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_passcodeState(vault, "race", &state), OK);
  CHECK(is_state(&state, 4, 0, 0)); /* it was counted */
  CHECK_OK(CustomKeyboard_destroy(closed_meanwhile));
  uint8_t bytes[32] = {0};
  static const struct {
    const char *what;
    CUSTOM_KEYBOARD_RV rv;
    uint32_t tries;
  } cases[] = {{"--wrong", CUSTOM_KEYBOARD_OK, 5}, {"--change", CUSTOM_KEYBOARD_MISMATCH, 5},
               {"--reset", CUSTOM_KEYBOARD_NOT_FOUND, 0}};
  for (size_t i = 0; i < 3; i++) {
    other_does = cases[i].what;
    while_checking = let_another_process;
    CHECK_EQUAL(try_passcode(vault, "race", "right", bytes, &state), cases[i].rv);
    CHECK((bytes[0] | bytes[31] | bytes[7]) != 0 || i > 0);
    memset(bytes, 0, sizeof bytes);
    if (cases[i].rv == CUSTOM_KEYBOARD_NOT_FOUND) break;
    state.size = sizeof state;
    CHECK_RV(CustomVault_passcodeState(vault, "race", &state), OK);
    CHECK(is_state(&state, cases[i].tries, 0, 0));
  }
  CHECK(bytes[0] == 0 && bytes[31] == 0);
}

/* Another process sets a passcode anew, with one try and a lock of a second, and uses the try. */
static int lock_anew(const char *name) {
  clocks_are_ours = 1, boot_number = 1, running_ms = 10000, wall_ms = 5000000;
  return CustomVault_resetPasscode(vault, name) != CUSTOM_KEYBOARD_OK ||
         set_passcode(vault, name, "other", 1, 1, 0) != CUSTOM_KEYBOARD_OK ||
         try_passcode(vault, name, "no", NULL, &state) != CUSTOM_KEYBOARD_MISMATCH;
}
static void let_it_lock_anew(void) {
  other_does = "--lock";
  let_another_process();
  running_ms += 4000, wall_ms += 4000; /* and this process sleeps meanwhile */
}
static void a_lock_that_has_ended_meanwhile_is_told(void) {
  clocks_are_ours = 1, boot_number = 1, running_ms = 10000, wall_ms = 5000000;
  CHECK_RV(set_passcode(vault, "race", "right", 5, 100, 0), OK);
  while_checking = let_it_lock_anew;
  CHECK_RV(try_passcode(vault, "race", "right", NULL, &state), MISMATCH);
  CHECK(is_state(&state, 1, 0, 1));
  CHECK_RV(CustomVault_resetPasscode(vault, "race"), OK);
  clocks_are_ours = 0;
}

/* Guesses until it is locked. The exit status is how often it could; 90 if something else happened, 91 if it is never
 * locked. */
static int guess(void) {
  for (int tries = 0; tries < 90; tries++) {
    CUSTOM_KEYBOARD_RV rv = try_passcode(vault, "crowd", "no", NULL, &state);
    if (rv == CUSTOM_KEYBOARD_LOCKED) return tries;
    if (rv != CUSTOM_KEYBOARD_MISMATCH) return 90;
  }
  return 91;
}

static void eight_processes_have_no_more_tries(void) {
  enum { PROCESSES = 8, TRIES = 20 };
  pid_t children[PROCESSES];
  int all = 0;
  CHECK_RV(set_passcode(vault, "crowd", "right", TRIES, 1000000, 0), OK);
  for (int i = 0; i < PROCESSES; i++) children[i] = run_self("--guess", path, "crowd");
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    CHECK(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status) && WEXITSTATUS(status) <= TRIES);
    all += WEXITSTATUS(status);
  }
  CHECK_EQUAL(all, TRIES);
  CHECK_RV(CustomVault_passcodeState(vault, "crowd", &state), LOCKED);
  CHECK_RV(CustomVault_resetPasscode(vault, "crowd"), OK);
}

static int reports = -1;
static void report(void) {
  if (write(reports, "x", 1) != 1) _exit(3);
  while_checking = report;
}

/* Guesses, and says so when a try has come to the check, until it is killed. */
static void guess_until_killed(void) {
  while_checking = report;
  for (;;)
    if (try_passcode(vault, "killed", "no", NULL, &state) != CUSTOM_KEYBOARD_MISMATCH) _exit(4);
}

static void a_killed_process_had_no_try_for_nothing(int times) {
  char number[16], seen[64];
  unsigned reached = 0, seed = (unsigned)time(NULL);
  srand(seed);
  CHECK_RV(set_passcode(vault, "killed", "right", 1000, 1000000, 0), OK);
  for (int i = 0; i < times && reached < 900; i++) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    snprintf(number, sizeof number, "%d", ends[1]);
    pid_t child = run_self("--killed", path, number);
    close(ends[1]);
    if (i % 2 == 0) { /* after a try has come to the check, which takes no time: most often between the two */
      if (read(ends[0], seen, 1) == 1) reached++;
    } else {
      struct timespec moment = {0, 1000L * (rand() % 20000)};
      nanosleep(&moment, NULL);
    }
    kill(child, SIGKILL);
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (ssize_t count; (count = read(ends[0], seen, sizeof seen)) > 0;) reached += (unsigned)count;
    close(ends[0]);
    CHECK_RV(CustomVault_passcodeState(vault, "killed", &state), OK);
    if (!CHECK(1000 - state.triesLeft >= reached))
      fprintf(stderr, "  %u tries were checked, %u counted (seed %u)\n", reached, 1000 - state.triesLeft, seed);
  }
  CHECK(reached >= (unsigned)times / 2);
  CHECK_RV(CustomVault_resetPasscode(vault, "killed"), OK);
}

static int run_as_other_process(const char *how, const char *argument) {
  if (strcmp(how, "--guess") == 0) return guess();
  if (strcmp(how, "--lock") == 0) return lock_anew(argument);
  CUSTOM_KEYBOARD one = typed("right"), two = typed("another");
  if (strcmp(how, "--reset") == 0) return CustomVault_resetPasscode(vault, argument) != CUSTOM_KEYBOARD_OK;
  if (strcmp(how, "--wrong") == 0) return try_passcode(vault, argument, "no", NULL, &state) != CUSTOM_KEYBOARD_MISMATCH;
  if (strcmp(how, "--change") == 0) return CustomVault_changePasscode(vault, argument, one, two, NULL) != 0 ||
                                           CustomVault_changePasscode(vault, argument, two, one, NULL) != 0;
  reports = atoi(argument);
  guess_until_killed();
  return 1;
}

int main(int count, char **arguments) {
  if (count == 4) {
    REQUIRE_OK(CustomVault_open(&vault, arguments[2], key, 32));
    int status = run_as_other_process(arguments[1], arguments[3]);
    REQUIRE_OK(CustomVault_close(vault));
    return status;
  }
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
  what_happens_meanwhile_counts();
  a_lock_that_has_ended_meanwhile_is_told();
  eight_processes_have_no_more_tries();
  a_killed_process_had_no_try_for_nothing(count > 1 ? atoi(arguments[1]) : 60);
  CHECK_RV(CustomVault_close(vault), OK);
  remove_folder(folder);
  return check_end("vault_meanwhile", 100);
}
