/*
 * A power cut after each call that changes the disk, while a vault is made, changed, copied, gets another key and is
 * opened after an earlier power cut. What was not synced is lost, there in part, or garbage, in any order. After each:
 * the vault opens and is as before the change or as after it, whole; and as after it, once the call has returned. A
 * try of a passcode is on the disk before the passcode is looked at.
 *
 *     vault_power [CHANGES [SURVIVALS]]          SEED from the environment; SURVIVALS: how many random ones a power cut
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_changes.h"
#include "disk.h"
#include <time.h>

enum { CHANGES_FROM_AN_IMAGE = 8 };

static char folder[256], path[300], copy[300], other_folder[256], other[300];
static int random_survivals;
static unsigned long power_cuts, seen[2], kinds[CHANGE_KINDS];

static void clear_folder(const char *name) {
  remove_folder(name);
  REQUIRE(mkdir(name, 0700) == 0);
}

/* What a power cut left, which is in `image`: the vault opens, and has one of two contents. */
static int check_image(const contents *before, const contents *after, int is_done, const char *what) {
  contents found = {{0}, 0};
  CUSTOM_VAULT vault;
  clear_folder(other_folder);
  write_image(other_folder);
  if (disk_draw(2)) { /* the WAL's index is not synced, and may be anything */
    char name[310];
    uint8_t garbage[32768];
    for (size_t i = 0; i < sizeof garbage; i++) garbage[i] = (uint8_t)disk_draw(256);
    snprintf(name, sizeof name, "%s-shm", other);
    FILE *index = fopen(name, "wb");
    REQUIRE(index != NULL && fwrite(garbage, 1, sizeof garbage, index) == sizeof garbage && fclose(index) == 0 &&
            chmod(name, 0600) == 0);
  }
  power_cuts++;
  CUSTOM_KEYBOARD_RV rv = open_with_either(&vault, other, &found);
  int code = rv == CUSTOM_KEYBOARD_OK ? read_contents(vault, &found) : (int)rv;
  if (rv == CUSTOM_KEYBOARD_OK) CustomVault_close(vault);
  int is_after = is_same(&found, after) && found.key == after->key;
  int is_before = is_same(&found, before) && found.key == before->key;
  /* A vault that is being made has no key yet: the first key that opens it is its key. */
  int is_right = code == CUSTOM_KEYBOARD_OK && (is_after || (is_before && !is_done));
  seen[is_after]++;
  if (!CHECK(is_right))
    fprintf(stderr, "  %s: code %d, contents of %s, %s\n", what, code,
            is_after ? "after" : is_before ? "before" : "neither", is_done ? "after the call" : "in the call");
  return is_right;
}

/* All power cuts since the call number `from` was made. */
static void check_power_cuts(size_t from, const contents *before, const contents *after, const char *what) {
  for (size_t count = from; count <= disk.record_count; count++)
    for (int i = 0; i < 2 + random_survivals; i++) {
      cut_power(count, i < 2 ? (enum survival)i : PARTS);
      if (!check_image(before, after, count == disk.record_count, what)) return;
    }
}

/* One change, and the power cuts in it. */
static contents change_once(CUSTOM_VAULT vault, contents now, uint32_t number) {
  change next = pick_change(&now, number);
  if (number % 12 == 6) next.kind = BACK_UP;
  if (number % 12 == 11) next.kind = CHANGE_KEY;
  contents after = contents_after(&now, next);
  size_t from = disk.record_count;
  kinds[next.kind]++;
  CHECK_RV(make_change(vault, &now, next, copy), OK);
  check_power_cuts(from, &now, &after, change_names[next.kind]);
  if (next.kind == BACK_UP) {
    /* The copy is on the disk, too, with the contents that the vault has. */
    contents found;
    CUSTOM_VAULT made;
    char name[300];
    clear_folder(other_folder);
    cut_power(disk.record_count, NOTHING);
    write_image(other_folder);
    snprintf(name, sizeof name, "%s/copy", other_folder);
    if (CHECK_RV(open_with_either(&made, name, &found), OK)) {
      CHECK(read_contents(made, &found) == CUSTOM_KEYBOARD_OK && is_same(&found, &now) && found.key == now.key);
      CHECK_RV(CustomVault_close(made), OK);
    }
    REQUIRE(unlink(copy) == 0);
    tell_disk(DISK_SYNC_FOLDER, folder, NULL, NULL, 0, 0);
  }
  return after;
}

/* ---- Tries ------------------------------------------------------------------------------------------------------ */

static size_t records_at_check;

/* In the library's place: a key that costs little. Whatever is not synced now may be lost. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  static CUSTOM_KEYBOARD_RV (*original)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t,
                                        uint32_t, uint8_t *, size_t);
  (void)memoryKiB, (void)passes;
  if (original == NULL) *(void **)&original = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  records_at_check = disk.record_count;
  return original(keyboard, salt, saltLength, pepper, pepperLength, 8, 1, key, keyLength);
}

static CUSTOM_KEYBOARD typed(const char *text) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES(text)));
  return keyboard;
}

/* However much is lost while a passcode is looked at, so many tries are left. */
static void check_tries_left(CUSTOM_KEYBOARD_RV code, uint32_t tries, int opens_vault) {
  for (int i = 0; i < 2 + random_survivals; i++) {
    CUSTOM_VAULT_STATE state = {.size = sizeof state};
    CUSTOM_VAULT vault;
    CUSTOM_KEYBOARD_RV rv;
    clear_folder(other_folder);
    cut_power(records_at_check, i < 2 ? (enum survival)i : PARTS);
    write_image(other_folder);
    power_cuts++;
    if (opens_vault) {
      rv = CustomVault_passcodeKeyState(other, &state);
    } else {
      if (!CHECK_RV(CustomVault_open(&vault, other, vault_keys[0], 32), OK)) return;
      rv = CustomVault_passcodeState(vault, "PIN", &state);
      CHECK_RV(CustomVault_close(vault), OK);
    }
    if (!CHECK(rv == code && state.triesLeft == tries))
      fprintf(stderr, "  %d: %u tries are left, not %u\n", (int)rv, state.triesLeft, tries);
  }
}

static void tries_are_on_the_disk(void) {
  CUSTOM_KEYBOARD right = typed("the right one"), wrong = typed("another");
  CUSTOM_VAULT vault, none;
  clear_folder(folder);
  watch_folder(folder, 0);
  CHECK_RV(CustomVault_open(&vault, path, vault_keys[0], 32), OK);
  CHECK_RV(CustomVault_setPasscode(vault, "PIN", right, NULL), OK);
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, NULL, 0, NULL), OK);
  for (uint32_t i = 1; i <= 5; i++) {
    CHECK_RV(CustomVault_checkPasscode(vault, "PIN", wrong, NULL, NULL), MISMATCH);
    check_tries_left(i < 5 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_LOCKED, 5 - i, 0);
    if (i == 2) {
      CHECK_RV(CustomVault_checkPasscode(vault, "PIN", right, NULL, NULL), OK);
      check_tries_left(CUSTOM_KEYBOARD_OK, 2, 0); /* it was right, but nobody knew yet */
      CHECK_RV(CustomVault_checkPasscode(vault, "PIN", wrong, NULL, NULL), MISMATCH);
      CHECK_RV(CustomVault_checkPasscode(vault, "PIN", wrong, NULL, NULL), MISMATCH);
    }
  }
  CHECK_RV(CustomVault_close(vault), OK);
  for (uint32_t i = 1; i <= 5; i++) {
    CHECK_RV(CustomVault_openWithPasscode(&none, path, wrong, NULL, 0, NULL), MISMATCH);
    check_tries_left(i < 5 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_LOCKED, 5 - i, 1);
  }
  disk.folder[0] = 0;
  REQUIRE_OK(CustomKeyboard_destroy(right));
  REQUIRE_OK(CustomKeyboard_destroy(wrong));
}

int main(int count, char **arguments) {
  int changes = count > 1 ? atoi(arguments[1]) : 24;
  random_survivals = count > 2 ? atoi(arguments[2]) : 1;
  const char *given = getenv("SEED");
  disk_seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
  uint64_t first_seed = disk_seed;
  contents now = {{0}, 0}, none = {{0}, 0};
  CUSTOM_VAULT vault;
  make_folder(folder, sizeof folder);
  make_folder(other_folder, sizeof other_folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(copy, sizeof copy, "%s/copy", folder);
  snprintf(other, sizeof other, "%s/vault", other_folder);
  register_faulty();

  watch_folder(folder, 0);
  CHECK_RV(CustomVault_open(&vault, path, vault_keys[0], 32), OK);
  check_power_cuts(0, &none, &none, "open, which makes the file");
  for (uint32_t number = 1; number <= (uint32_t)changes && atomic_load(&check_failures) == 0; number++) {
    now = change_once(vault, now, number + (uint32_t)(first_seed % 1000) * 1200);
    if (number % CHANGES_FROM_AN_IMAGE != 0) continue;
    /* Goes on with what a power cut left, and cuts the power while that is opened. */
    cut_power(disk.record_count, PARTS);
    disk.folder[0] = 0;
    CHECK_RV(CustomVault_close(vault), OK);
    clear_folder(folder);
    write_image(folder);
    watch_folder(folder, 1);
    contents found;
    if (!CHECK_RV(open_with_either(&vault, path, &found), OK)) break;
    check_power_cuts(0, &now, &now, "open after a power cut");
  }
  disk.folder[0] = 0;
  CHECK_RV(CustomVault_close(vault), OK);
  tries_are_on_the_disk();
  for (int kind = 0; kind < CHANGE_KINDS; kind++) CHECK(kinds[kind] > 0 || changes < 100);
  CHECK(seen[0] > 0 && seen[1] > 0); /* both outcomes were seen */
  if (atomic_load(&check_failures) > 0) fprintf(stderr, "  seed %llu\n", (unsigned long long)first_seed);
  remove_folder(folder);
  remove_folder(other_folder);
  printf("%lu power cuts: %lu before the change, %lu after it\n", power_cuts, seen[0], seen[1]);
  return check_end("vault_power", 10ul * (unsigned long)changes);
}
