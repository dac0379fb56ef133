/*
 * For tests that make many vaults: scenarios, each a process of its own with a folder of its own. All run at the same
 * time, because some wait for five seconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_SCENARIOS_H
#define VAULT_SCENARIOS_H

#include "vault_passcode.h"

static const uint8_t key[] = "the key of the vault, 32 bytes..", other_key[] = "another key of 32 bytes ........";
static char folder[256], path[300];
static CUSTOM_VAULT vault;

static inline CUSTOM_KEYBOARD_RV open_file(const char *name) { return CustomVault_open(&vault, name, key, 32); }
static inline CUSTOM_KEYBOARD_RV add(const char *account, const char *data) {
  return CustomVault_addItem(vault, "s", account, NULL, NULL, BYTES(data));
}
static inline CUSTOM_KEYBOARD_RV look_for(const char *account) {
  size_t length;
  return CustomVault_readItem(vault, "s", account, NULL, 0, &length); /* SPACE, if it is there */
}

/* A vault with one item. */
static inline void open_with(const char *account, const char *data) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add(account, data));
}

typedef CUSTOM_KEYBOARD_RV answer;
static inline answer change(answer (*body)(void *), void *context) { return CustomVault_change(vault, body, context); }

/* Waits for a process that the test has started, and tells how it ended. */
static inline int status_of(pid_t child) {
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

struct scenario {
  const char *name;
  void (*run)(void);
  int least; /* checks */
};

static void (*prepare_scenario)(void); /* or NULL */
static int run_scenario(const struct scenario *scenario) {
  alarm(LONGEST_WAIT);
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  if (prepare_scenario != NULL) prepare_scenario();
  scenario->run();
  remove_folder(folder);
  if (atomic_load(&check_count) < (unsigned long)scenario->least) fprintf(stderr, "  too few checks\n");
  return atomic_load(&check_failures) > 0 || atomic_load(&check_count) < (unsigned long)scenario->least;
}

/* Runs all scenarios, or the one with the name `only`, before this process has a vault. */
static int run_scenarios(const char *program, const struct scenario *scenarios, size_t count, const char *only) {
  pid_t children[32];
  fflush(NULL);
  for (size_t i = 0; i < count; i++) {
    children[i] = 0;
    if (only != NULL && strcmp(only, scenarios[i].name) != 0) continue;
    if ((children[i] = fork()) == 0) _exit(run_scenario(&scenarios[i]));
  }
  for (size_t i = 0; i < count; i++) {
    if (children[i] == 0) continue;
    if (!CHECK_EQUAL(status_of(children[i]), 0)) fprintf(stderr, "  %s\n", scenarios[i].name);
    atomic_fetch_add(&check_count, (unsigned long)scenarios[i].least);
  }
  return check_end(program, 1);
}
#define RUN_SCENARIOS(program, only) run_scenarios(program, scenarios, sizeof scenarios / sizeof *scenarios, only)

#endif
