/*
 * Each call of SQLite to the disk and for memory, and each of the library's own, fails in turn: that call only, or that
 * one and all later ones. The library's function answers OK or a code of its own; the vault then has its old or its new
 * contents, whole, on the same handle and after opening it again; and it works.
 *
 *     vault_faults [STEP]          every STEP-th call fails; 1 for all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_changes.h"
#include "faulty_calls.h"

static char folder[256], path[300], copy[300], template[300], template_folder[256];
static unsigned long survived[FAULTS];

/* What a call is made of: the vault before it, and the call. */
static const struct scenario {
  const char *name;
  enum { CHANGE, OPEN_NEW, OPEN_OLD, READ, LIST } what;
  enum change_kind kind;
  int is_second; /* after a call that had no memory */
} scenarios[] = {
    {"open of a new file", OPEN_NEW, 0, 0},
    {"open", OPEN_OLD, 0, 0},
    {"readItem", READ, 0, 0},
    {"listItems", LIST, 0, 0},
    {"addItem", CHANGE, ADD, 0},
    {"updateItem", CHANGE, UPDATE, 0},
    {"replaceItem", CHANGE, REPLACE, 0},
    {"deleteItem", CHANGE, DELETE, 0},
    {"changeKey", CHANGE, CHANGE_KEY, 0},
    {"backup", CHANGE, BACK_UP, 0},
    {"change", CHANGE, TOGETHER, 0},
    {"readItem after a lack of memory", READ, 0, 1},
    {"addItem after a lack of memory", CHANGE, ADD, 1},
    {"change after a lack of memory", CHANGE, TOGETHER, 1},
};

static const contents at_first = {{0, 1001, 1002, 1003, 0, 1004}, 0}, empty = {{0}, 0};

static void clear_folder(void) {
  remove_folder(folder);
  REQUIRE(mkdir(folder, 0700) == 0);
}

/* A vault with some items, in its file and in its WAL. */
static void make_template(void) {
  char from[310], to[310];
  CUSTOM_VAULT vault;
  contents now = empty;
  REQUIRE_OK(CustomVault_open(&vault, path, vault_keys[0], 32));
  for (unsigned account = 0; account < ACCOUNTS; account++)
    if (at_first.numbers[account] != 0) {
      change next = {ADD, account, at_first.numbers[account]};
      REQUIRE_OK(make_change(vault, &now, next, NULL));
    }
  REQUIRE_OK(CustomVault_close(vault));
  snprintf(from, sizeof from, "%s-wal", path);
  snprintf(to, sizeof to, "%s-wal", template);
  copy_file(path, template);
  copy_file(from, to);
}

static void use_template(void) {
  char from[310], to[310];
  clear_folder();
  snprintf(from, sizeof from, "%s-wal", template);
  snprintf(to, sizeof to, "%s-wal", path);
  copy_file(template, path);
  copy_file(from, to);
}

static change change_of(enum change_kind kind) {
  change next = {kind, kind == ADD ? 0 : 2, 2001};
  return next;
}

/* Makes the call of a scenario. `vault` is 0 for those that open it. */
static CUSTOM_KEYBOARD_RV call(const struct scenario *scenario, CUSTOM_VAULT *vault) {
  static uint8_t data[CUSTOM_VAULT_MAXDATASIZE], expected[LONGEST_VALUE + 4];
  size_t length = 0;
  CUSTOM_KEYBOARD_RV rv;
  switch (scenario->what) {
  case CHANGE: return make_change(*vault, &at_first, change_of(scenario->kind), copy);
  case READ:
    rv = CustomVault_readItem(*vault, "s", "account 2", data, sizeof data, &length);
    if (rv == CUSTOM_KEYBOARD_OK)
      CHECK(length == make_value(expected, at_first.numbers[2]) && memcmp(data, expected, length) == 0);
    return rv;
  case LIST:
    rv = CustomVault_listItems(*vault, NULL, count_item, &length);
    if (rv == CUSTOM_KEYBOARD_OK) CHECK_EQUAL(length, 4);
    return rv;
  default: return CustomVault_open(vault, path, vault_keys[0], 32);
  }
}

static void have_no_memory(CUSTOM_VAULT vault) {
  size_t length = 0;
  faulty = (struct faulty){1, 1, CALL_MALLOC, 1, 0, 0, 0};
  CHECK_RV(CustomVault_listItems(vault, NULL, count_item, &length), MEMORY);
  faulty.is_armed = 0;
}

static void report(const struct scenario *scenario, const struct fault *fault, const char *what, int code) {
  fprintf(stderr, "  %s, %s, call %lu%s: %s %d\n", scenario->name, fault->name, faulty.at,
          faulty.stays ? " and later ones" : "", what, code);
}

/* Whether a vault that can be read has contents that it may have. */
static int is_allowed(const contents *found, const contents *before, const contents *after, CUSTOM_KEYBOARD_RV answer) {
  return is_same(found, after) || (answer != CUSTOM_KEYBOARD_OK && is_same(found, before));
}

/* Makes the call with one fault. Returns whether it happened. */
static int survive(const struct scenario *scenario, const struct fault *fault, unsigned long at, int stays) {
  CUSTOM_VAULT vault = 0;
  contents before = scenario->what == OPEN_NEW ? empty : at_first, found = before,
           after = scenario->what == CHANGE ? contents_after(&before, change_of(scenario->kind)) : before;
  if (scenario->what == OPEN_NEW)
    clear_folder();
  else
    use_template();
  int opens = scenario->what == OPEN_NEW || scenario->what == OPEN_OLD;
  if (!opens) REQUIRE_OK(CustomVault_open(&vault, path, vault_keys[0], 32));
  if (scenario->is_second) have_no_memory(vault);
  faulty = (struct faulty){1, stays, fault->kind, at, fault->code, 0, 0};
  CUSTOM_KEYBOARD_RV answer = call(scenario, &vault);
  int is_open = vault != 0;
  unsigned long failed = faulty.failed;
  if (!CHECK(answer == CUSTOM_KEYBOARD_OK || answer == fault->answer)) report(scenario, fault, "answered", (int)answer);
  if (!CHECK(failed > 0 || answer == CUSTOM_KEYBOARD_OK)) report(scenario, fault, "answered", (int)answer);
  if (!CHECK(is_open == (!opens || answer == CUSTOM_KEYBOARD_OK))) report(scenario, fault, "a handle", is_open);
  faulty.is_armed = 0;
  if (is_open) {
    /* The same handle goes on. */
    int code = read_contents(vault, &found);
    if (!CHECK(code == CUSTOM_KEYBOARD_OK && is_allowed(&found, &before, &after, answer)))
      report(scenario, fault, "on the same handle", code);
    change next = {found.numbers[5] != 0 ? UPDATE : ADD, 5, 3001};
    after = contents_after(&after, next);
    before = contents_after(&before, next);
    CUSTOM_KEYBOARD_RV rv = make_change(vault, &found, next, NULL);
    if (!CHECK_EQUAL(rv, CUSTOM_KEYBOARD_OK)) report(scenario, fault, "the next change", (int)rv);
  }
  if (is_open) CHECK_RV(CustomVault_close(vault), OK);
  CUSTOM_KEYBOARD_RV rv = open_with_either(&vault, path, &found);
  int code = rv == CUSTOM_KEYBOARD_OK ? read_contents(vault, &found) : (int)rv;
  if (!CHECK(code == CUSTOM_KEYBOARD_OK && is_allowed(&found, &before, &after, answer)))
    report(scenario, fault, "opened again", code);
  if (code == CUSTOM_KEYBOARD_OK && found.key == 1) CHECK(scenario->what == CHANGE && scenario->kind == CHANGE_KEY);
  if (rv == CUSTOM_KEYBOARD_OK) CHECK_RV(CustomVault_close(vault), OK);
  /* A copy is whole, or there is none. */
  struct stat about;
  if (scenario->what == CHANGE && scenario->kind == BACK_UP && stat(copy, &about) == 0) {
    rv = CustomVault_open(&vault, copy, vault_keys[0], 32);
    code = rv == CUSTOM_KEYBOARD_OK ? read_contents(vault, &found) : (int)rv;
    if (!CHECK(code == CUSTOM_KEYBOARD_OK && is_same(&found, &at_first))) report(scenario, fault, "the copy", code);
    if (rv == CUSTOM_KEYBOARD_OK) CHECK_RV(CustomVault_close(vault), OK);
  }
  return failed > 0;
}

int main(int count, char **arguments) {
  unsigned long step = count > 1 ? strtoul(arguments[1], NULL, 10) : 1, offset = 0;
  make_folder(folder, sizeof folder);
  make_folder(template_folder, sizeof template_folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(copy, sizeof copy, "%s/copy", folder);
  snprintf(template, sizeof template, "%s/template", template_folder);
  register_faulty();
  make_template();
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    for (size_t k = 0; k < FAULTS; k++)
      for (int stays = 0; stays <= 1; stays++)
        for (unsigned long at = 1 + (faults[k].kind == CALL_MALLOC ? offset++ % step : 0);
             survive(&scenarios[i], &faults[k], at, stays); at += faults[k].kind == CALL_MALLOC ? step : 1)
          survived[k]++;
  unsigned long all = 0;
  for (size_t k = 0; k < FAULTS; k++) {
    printf("%-30s %lu\n", faults[k].name, survived[k]);
    if (!CHECK(survived[k] > 0)) fprintf(stderr, "  %s never failed\n", faults[k].name);
    all += survived[k];
  }
  printf("%lu faults survived\n", all);
  remove_folder(folder);
  remove_folder(template_folder);
  return check_end("vault_faults", 2000);
}
