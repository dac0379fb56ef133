/*
 * What a passcode's lock does on a phone while its clocks run and are set: the scenarios of vault_locks.h in which the
 * machine is not started again, because here no start has a number. After a restart the running clock begins at 0: the
 * lock begins anew, and does not end earlier.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vault.h"
#include "vault_locks.h"

/* Of darwin-run: what the clocks say, in seconds. */
extern void darwin_run_clocks(long running, long wall);

static CUSTOM_VAULT vault;
static CUSTOM_KEYBOARD keyboard;
static CUSTOM_VAULT_STATE state;

static void set_passcode(uint32_t seconds, uint32_t locks) {
  CUSTOM_VAULT_POLICY policy = {sizeof policy, 3, seconds, locks};
  REQUIRE_OK(CustomKeyboard_clear(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES("right")));
  CHECK_RV(CustomVault_setPasscode(vault, "clock", keyboard, &policy), OK);
}

static void take_step(const char *what, int number, const step *now) {
  darwin_run_clocks(now->running, now->wall);
  state = (CUSTOM_VAULT_STATE){.size = sizeof state};
  REQUIRE_OK(CustomKeyboard_clear(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES(now->action == RIGHT ? "right" : "no")));
  CUSTOM_KEYBOARD_RV rv = now->action == LOOK ? CustomVault_passcodeState(vault, "clock", &state)
                                              : CustomVault_checkPasscode(vault, "clock", keyboard, NULL, &state);
  uint32_t seconds = now->seconds == GOOD ? UINT32_MAX : (uint32_t)now->seconds;
  if (!CHECK_EQUAL(rv, now->rv) | !CHECK_EQUAL(state.triesLeft, now->tries) |
      !CHECK_EQUAL(state.secondsLeft, seconds) | !CHECK_EQUAL(state.locks, now->locks))
    fprintf(stderr, "  (%s: step %d)\n", what, number);
}

static int is_one_start(const step *steps) {
  for (; steps->action != 0; steps++)
    if (steps->boot != 1) return 0;
  return 1;
}

static const step after_a_restart[] = {
    {1, 5000, 5000, WRONG, NO, 2, 0, 0},    {1, 5000, 5000, WRONG, NO, 1, 0, 0},
    {1, 5000, 5000, WRONG, NO, 0, 100, 1},  {1, 5090, 5090, RIGHT, SHUT, 0, 10, 1},
    {1, 2, 900000, RIGHT, SHUT, 0, 100, 1}, {1, 101, 900099, RIGHT, SHUT, 0, 1, 1},
    {1, 102, 900100, RIGHT, OK_, 3, 0, 0},  {0},
};

int main(void) {
  char folder[256], path[300];
  static const uint8_t key[32] = "a key of thirty-two bytes, ours";
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  REQUIRE_OK(CustomVault_open(&vault, path, key, sizeof key));
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  for (size_t i = 0; i <= sizeof scenarios / sizeof *scenarios; i++) {
    int is_last = i == sizeof scenarios / sizeof *scenarios;
    const step *steps = is_last ? after_a_restart : scenarios[i].steps;
    if (!is_one_start(steps)) continue;
    darwin_run_clocks(steps->running, steps->wall);
    set_passcode(100, is_last ? 0 : scenarios[i].maximum);
    for (int j = 0; steps[j].action != 0; j++)
      take_step(is_last ? "another start" : scenarios[i].what, j + 1, &steps[j]);
    CHECK_RV(CustomVault_resetPasscode(vault, "clock"), OK);
  }
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
  remove_folder(folder);
  return check_end("locks", 200);
}
