/*
 * Each call of SQLite to the disk and for memory, and each of the library's own, fails in turn while a passcode is
 * tried: that call only, or that one and all later ones. No try is free: if the passcode was looked at and was wrong,
 * one less is left when the file is opened again. No key and no handle come with a code, and the right passcode stays
 * right.
 *
 *     vault_tries [STEP [OTHERS]]     every STEP-th request for memory and OTHERS-th other call fails; 1 for all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault.h"
#include "faulty_calls.h"

static const uint8_t vault_key[] = "the key of the vault, 32 bytes..";
static char folder[256], path[300], template[300], template_folder[256];
static unsigned long survived[FAULTS];
static CUSTOM_KEYBOARD right, wrong, next;
static uint8_t right_keys[2][32]; /* of the PINs of the two vaults */

/* ---- A call that tries a passcode ------------------------------------------------------------------------------- */

enum { LEFT_AT_FIRST = 3, TRIES = 4 };

/* `last`: one try is left before it. */
static const struct scenario {
  const char *name;
  enum { CHECK_IT, CHANGE_IT, OPEN_WITH_IT } what;
  int is_right, last;
} scenarios[] = {
    {"checkPasscode, wrong", CHECK_IT, 0, 0},         {"checkPasscode, right", CHECK_IT, 1, 0},
    {"checkPasscode, the last try", CHECK_IT, 0, 1},  {"checkPasscode, right at last", CHECK_IT, 1, 1},
    {"changePasscode, wrong", CHANGE_IT, 0, 0},       {"changePasscode, right", CHANGE_IT, 1, 0},
    {"openWithPasscode, wrong", OPEN_WITH_IT, 0, 0},  {"openWithPasscode, right", OPEN_WITH_IT, 1, 0},
    {"openWithPasscode, the last", OPEN_WITH_IT, 0, 1},
};

static unsigned looked; /* how often a passcode was looked at since a fault was armed */

/* In the library's place: a key that costs little. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  static CUSTOM_KEYBOARD_RV (*original)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t,
                                        uint32_t, uint8_t *, size_t);
  (void)memoryKiB, (void)passes;
  if (original == NULL) *(void **)&original = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  looked += keyboard != next;
  return original(keyboard, salt, saltLength, pepper, pepperLength, 8, 1, key, keyLength);
}

static CUSTOM_KEYBOARD typed(const char *text) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES(text)));
  return keyboard;
}

static CUSTOM_KEYBOARD_RV call(const struct scenario *scenario, CUSTOM_VAULT *vault, uint8_t key[32]) {
  CUSTOM_KEYBOARD keyboard = scenario->is_right ? right : wrong;
  switch (scenario->what) {
  case CHECK_IT: return CustomVault_checkPasscode(*vault, "PIN", keyboard, key, NULL);
  case CHANGE_IT: return CustomVault_changePasscode(*vault, "PIN", keyboard, next, NULL);
  default: return CustomVault_openWithPasscode(vault, path, keyboard, NULL, 0, NULL);
  }
}

/* ---- What is left ----------------------------------------------------------------------------------------------- */

/* Copies the vault with three tries left, or that with one. */
static void use_template(int last) {
  char from[320], to[320];
  remove_folder(folder);
  REQUIRE(mkdir(folder, 0700) == 0);
  for (int i = 0; i < 2; i++) {
    snprintf(from, sizeof from, "%s-%d%s", template, last, i == 0 ? "" : "-wal");
    snprintf(to, sizeof to, "%s%s", path, i == 0 ? "" : "-wal");
    if (i == 0 || access(from, F_OK) == 0) copy_file(from, to);
  }
}

static void make_templates(void) {
  char name[320];
  CUSTOM_VAULT vault, none;
  CUSTOM_VAULT_POLICY policy = {sizeof policy, TRIES, 1000000, 0};
  for (int last = 0; last <= 1; last++) {
    snprintf(name, sizeof name, "%s-%d", template, last);
    REQUIRE_OK(CustomVault_open(&vault, name, vault_key, 32));
    REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", right, &policy));
    REQUIRE_OK(CustomVault_checkPasscode(vault, "PIN", right, right_keys[last], NULL));
    REQUIRE_OK(CustomVault_setPasscodeKey(vault, right, NULL, 0, &policy));
    for (int i = last ? 1 : LEFT_AT_FIRST; i < TRIES; i++)
      CHECK_RV(CustomVault_checkPasscode(vault, "PIN", wrong, NULL, NULL), MISMATCH);
    REQUIRE_OK(CustomVault_close(vault));
    for (int i = last ? 1 : LEFT_AT_FIRST; i < TRIES; i++)
      CHECK_RV(CustomVault_openWithPasscode(&none, name, wrong, NULL, 0, NULL), MISMATCH);
  }
}

/* How many tries are left, as the open vault says, or the file of a vault that is closed; -1 for another code. */
static int tries_left(const struct scenario *scenario, CUSTOM_VAULT vault) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CUSTOM_KEYBOARD_RV rv = scenario->what == OPEN_WITH_IT ? CustomVault_passcodeKeyState(path, &state)
                                                         : CustomVault_passcodeState(vault, "PIN", &state);
  return rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_LOCKED ? (int)state.triesLeft : -1;
}

/* Whether so many tries may be left after a call that looked at the passcode or did not, and answered this. */
static int may_be_left(const struct scenario *scenario, int left, CUSTOM_KEYBOARD_RV answer) {
  int before = scenario->last ? 1 : LEFT_AT_FIRST;
  if (answer == CUSTOM_KEYBOARD_OK) return left == TRIES;
  if (looked > 0 && scenario->is_right) return left == before - 1 || left == TRIES; /* written, but not told */
  return left == before - 1 || (looked == 0 && left == before);
}

static void report(const struct scenario *scenario, const struct fault *fault, const char *what, int number) {
  fprintf(stderr, "  %s, %s, call %lu%s: %s %d\n", scenario->name, fault->name, faulty.at,
          faulty.stays ? " and later ones" : "", what, number);
}

/* Tries once with one fault. Returns whether it happened. */
static int survive(const struct scenario *scenario, const struct fault *fault, unsigned long at, int stays) {
  CUSTOM_VAULT vault = 0;
  CUSTOM_KEYBOARD_RV expected = scenario->is_right ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH;
  uint8_t key[32], *right_key = right_keys[scenario->last];
  int opens = scenario->what == OPEN_WITH_IT;
  memset(key, 7, sizeof key);
  use_template(scenario->last);
  if (!opens) REQUIRE_OK(CustomVault_open(&vault, path, vault_key, 32));
  looked = 0;
  faulty = (struct faulty){1, stays, fault->kind, at, fault->code, 0, 0};
  CUSTOM_KEYBOARD_RV answer = call(scenario, &vault, key);
  unsigned long failed = faulty.failed;
  if (!stays) faulty.is_armed = 0;
  if (!CHECK(answer == expected || (failed > 0 && answer == fault->answer)))
    report(scenario, fault, "answered", (int)answer);
  if (!CHECK(looked > 0 || answer == fault->answer)) report(scenario, fault, "not looked at", (int)answer);
  int gives = answer == CUSTOM_KEYBOARD_OK && scenario->what == CHECK_IT, same = 0;
  for (int i = 0; i < 32; i++) same += key[i] == (gives ? right_key[i] : 7);
  if (!CHECK_EQUAL(same, 32)) report(scenario, fault, "a key", (int)answer);
  if (!CHECK((vault != 0) == (!opens || answer == CUSTOM_KEYBOARD_OK))) report(scenario, fault, "a handle", 0);
  if (vault != 0 && !stays && !opens) {
    int left = tries_left(scenario, vault);
    if (!CHECK(may_be_left(scenario, left, answer))) report(scenario, fault, "on the same handle", left);
  }
  if (vault != 0) CHECK_RV(CustomVault_close(vault), OK);
  faulty.is_armed = 0;
  int left = opens ? tries_left(scenario, 0) : 0;
  CHECK_RV(CustomVault_open(&vault, path, vault_key, 32), OK);
  if (!opens) left = tries_left(scenario, vault);
  if (!CHECK(may_be_left(scenario, left, answer))) report(scenario, fault, "opened again, tries are left:", left);
  if (left > 0) { /* one passcode is right: the old one, or the new one if that was told or may have been written */
    int changes = scenario->what == CHANGE_IT && scenario->is_right;
    CUSTOM_KEYBOARD_RV old = CustomVault_checkPasscode(vault, "PIN", right, key, NULL);
    if (old == CUSTOM_KEYBOARD_MISMATCH && changes && left == TRIES)
      old = CustomVault_checkPasscode(vault, "PIN", next, key, NULL);
    else if (!CHECK(!changes || answer != CUSTOM_KEYBOARD_OK))
      report(scenario, fault, "the old one is right", (int)answer);
    if (!CHECK(old == CUSTOM_KEYBOARD_OK && memcmp(key, right_key, 32) == 0))
      report(scenario, fault, "the right one", (int)old);
  }
  CHECK_RV(CustomVault_close(vault), OK);
  return failed > 0;
}

int main(int count, char **arguments) {
  unsigned long steps[] = {1, 1}, offset = 0, all = 0;
  for (int i = 0; i < 2 && i + 1 < count; i++) steps[i] = strtoul(arguments[i + 1], NULL, 10);
  make_folder(folder, sizeof folder);
  make_folder(template_folder, sizeof template_folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(template, sizeof template, "%.280s/template", template_folder);
  right = typed("the right one"), wrong = typed("another"), next = typed("the next one");
  register_faulty();
  make_templates();
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    for (size_t k = 0; k < FAULTS; k++)
      for (int stays = 0; stays <= 1; stays++) {
        unsigned long step = steps[faults[k].kind != CALL_MALLOC];
        for (unsigned long at = 1 + offset++ % step; survive(&scenarios[i], &faults[k], at, stays); at += step)
          survived[k]++;
      }
  for (size_t k = 0; k < FAULTS; k++) {
    printf("%-30s %lu\n", faults[k].name, survived[k]);
    all += survived[k];
    int is_used = faults[k].kind == CALL_WRITE || faults[k].kind == CALL_SYNC || faults[k].kind == CALL_LOCK_SHARED ||
                  faults[k].kind == CALL_MALLOC || faults[k].kind == OWN_OPEN;
    if (!CHECK(survived[k] > 0 || !is_used)) fprintf(stderr, "  %s never failed\n", faults[k].name);
  }
  printf("%lu faults survived, and no try was free\n", all);
  remove_folder(folder);
  remove_folder(template_folder);
  return check_end("vault_tries", 500);
}
