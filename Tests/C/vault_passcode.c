/*
 * Passcodes in a vault: what each function answers, how tries are counted and locked by any clock, what threads, forks
 * and cancellation do, and what of it the file shows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_locks.h"
#include "vault_passcode.h"
#include <pthread.h>

static const uint8_t key[] = "the key of the vault, 32 bytes..", other_key[] = "another key of 32 bytes ........";
static char folder[256], path[300];
static CUSTOM_VAULT vault;
static CUSTOM_VAULT_STATE state;

/* ---- One at a time ---------------------------------------------------------------------------------------------- */

static void the_right_one_gives_its_key(void) {
  uint8_t first[32], second[32], other[32];
  CUSTOM_KEYBOARD keyboard = typed("kim's passcode");
  CHECK_RV(CustomVault_setPasscode(vault, "kim", keyboard, NULL), OK);
  CHECK(memory_asked == 19456 && passes_asked == 2);
  CHECK_RV(CustomVault_setPasscode(vault, "kim", keyboard, NULL), EXISTS);
  CHECK_RV(CustomVault_setPasscode(vault, "lee", keyboard, NULL), OK);
  CHECK_RV(try_passcode(vault, "kim", "kim's passcode", first, &state), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(CustomVault_checkPasscode(vault, "kim", keyboard, second, NULL), OK);
  CHECK_RV(CustomVault_checkPasscode(vault, "lee", keyboard, other, NULL), OK);
  CHECK_BYTES(first, second, 32);
  CHECK(memcmp(first, other, 32) != 0);
  CHECK_RV(CustomVault_checkPasscode(vault, "kim", keyboard, NULL, NULL), OK);
  memset(second, 7, sizeof second);
  CHECK_RV(try_passcode(vault, "kim", "kim's passcodf", second, &state), MISMATCH);
  CHECK(is_state(&state, 4, 0, 0) && second[0] == 7 && second[31] == 7);
  CHECK_RV(try_passcode(vault, "kim", "", second, &state), MISMATCH); /* nothing is a wrong try, too */
  CHECK(is_state(&state, 3, 0, 0));
  state.size = sizeof state;
  CHECK_RV(CustomVault_passcodeState(vault, "kim", &state), OK);
  CHECK(is_state(&state, 3, 0, 0));

  /* Setting a policy gives nobody back the tries that are used up. */
  CUSTOM_VAULT_POLICY policy = {sizeof policy, 9, 60, 2};
  CHECK_RV(CustomVault_setPolicy(vault, "kim", &policy), REFUSED);
  CHECK_RV(try_passcode(vault, "kim", "kim's passcode", NULL, &state), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(CustomVault_setPolicy(vault, "kim", &policy), OK);
  CHECK_RV(CustomVault_passcodeState(vault, "kim", &state), OK);
  CHECK(is_state(&state, 9, 0, 0));
  CHECK_RV(CustomVault_setPolicy(vault, "kim", NULL), OK);
  CHECK_RV(CustomVault_setPolicy(vault, "park", NULL), NOT_FOUND);

  /* A change keeps the key. */
  CUSTOM_KEYBOARD next = typed("next passcode");
  CHECK_RV(CustomVault_changePasscode(vault, "kim", next, keyboard, &state), MISMATCH);
  CHECK(is_state(&state, 4, 0, 0));
  CHECK_RV(CustomVault_changePasscode(vault, "kim", keyboard, next, &state), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(try_passcode(vault, "kim", "kim's passcode", NULL, &state), MISMATCH);
  CHECK_RV(try_passcode(vault, "kim", "next passcode", second, &state), OK);
  CHECK_BYTES(first, second, 32);
  type_again(next, "");
  CHECK_RV(CustomVault_changePasscode(vault, "kim", keyboard, next, NULL), REFUSED);
  CHECK_RV(CustomVault_passcodeState(vault, "kim", &state), OK);
  CHECK(is_state(&state, 5, 0, 0)); /* that was not counted */

  /* A reset ends it. */
  CHECK_RV(CustomVault_resetPasscode(vault, "lee"), OK);
  CHECK_RV(CustomVault_resetPasscode(vault, "lee"), NOT_FOUND);
  CHECK_RV(CustomVault_checkPasscode(vault, "lee", keyboard, NULL, NULL), NOT_FOUND);
  CHECK_RV(CustomVault_setPasscode(vault, "lee", keyboard, NULL), OK);
  CHECK_RV(CustomVault_checkPasscode(vault, "lee", keyboard, second, NULL), OK);
  CHECK(memcmp(other, second, 32) != 0);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
  CHECK_OK(CustomKeyboard_destroy(next));
}

static void codes_have_their_order(void) {
  char longest[257];
  memset(longest, 'n', 256);
  longest[256] = 0;
  uint8_t bytes[64] = {0};
  CUSTOM_KEYBOARD up = typed("kim's passcode"), idle, dead = typed(""), empty = typed("");
  REQUIRE_OK(CustomKeyboard_create(&idle));
  REQUIRE_OK(CustomKeyboard_destroy(dead));
  CHECK_RV(set_passcode(vault, "locked", "x", 1, 1000, 0), OK);
  CHECK_RV(try_passcode(vault, "locked", "y", NULL, &state), MISMATCH);
  CHECK(is_state(&state, 0, 1000, 1));
  unsigned before = derived;
  static const char *const wrong[] = {NULL, "", "\xff"};
  CUSTOM_VAULT_STATE none = {.size = 11}, some = {12, 77, 77, 77};
  CUSTOM_VAULT_POLICY policies[] = {{11, 5, 5, 5}, {16, 5, 0, 0}, {24, 0, 1, 0}, {24, 1001, 1, 0},
                                    {24, 1, 0x80000000u, 0}, {SIZE_MAX, 5, 5, 5}};
  for (size_t i = 0; i < 4; i++) {
    const char *name = i < 3 ? wrong[i] : longest;
    CHECK_RV(CustomVault_setPasscode(vault, name, idle, NULL), ARGUMENT);
    CHECK_RV(CustomVault_checkPasscode(vault, name, idle, NULL, NULL), ARGUMENT);
    CHECK_RV(CustomVault_changePasscode(vault, name, idle, idle, NULL), ARGUMENT);
    CHECK_RV(CustomVault_resetPasscode(vault, name), ARGUMENT);
    CHECK_RV(CustomVault_passcodeState(vault, name, &some), ARGUMENT);
    CHECK_RV(CustomVault_setPolicy(vault, name, NULL), ARGUMENT);
  }
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    CHECK_RV(CustomVault_setPasscode(vault, "p", idle, &policies[i]), ARGUMENT);
    CHECK_RV(CustomVault_setPolicy(vault, "none", &policies[i]), ARGUMENT);
  }
  CHECK_RV(CustomVault_setPasscode(0, "p", up, NULL), ARGUMENT);
  CHECK_RV(CustomVault_setPasscode(vault, "p", dead, NULL), ARGUMENT);
  CHECK_RV(CustomVault_setPasscode(vault, "locked", idle, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_setPasscode(vault, "locked", empty, NULL), REFUSED);
  CHECK_RV(CustomVault_setPasscode(vault, "locked", up, NULL), EXISTS);
  CHECK_RV(CustomVault_checkPasscode(vault, "locked", dead, NULL, NULL), ARGUMENT);
  CHECK_RV(CustomVault_checkPasscode(vault, "none", up, NULL, &none), ARGUMENT);
  CHECK_RV(CustomVault_checkPasscode(vault, "none", up, (uint8_t *)&some, &some), ARGUMENT);
  CHECK_RV(CustomVault_checkPasscode(vault, "none", idle, NULL, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_checkPasscode(vault, "none", up, NULL, &some), NOT_FOUND);
  CHECK(some.triesLeft == 77);
  CHECK_RV(CustomVault_checkPasscode(vault, "locked", up, bytes, &some), LOCKED);
  CHECK(some.triesLeft == 0 && some.secondsLeft == 77 && some.locks == 77); /* what 12 bytes hold */
  CHECK_RV(CustomVault_changePasscode(vault, "none", idle, dead, NULL), ARGUMENT);
  CHECK_RV(CustomVault_changePasscode(vault, "none", dead, idle, NULL), ARGUMENT);
  CHECK_RV(CustomVault_changePasscode(vault, "none", idle, up, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_changePasscode(vault, "none", up, idle, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_changePasscode(vault, "none", up, empty, NULL), REFUSED);
  CHECK_RV(CustomVault_changePasscode(vault, "none", up, up, NULL), NOT_FOUND);
  CHECK_RV(CustomVault_changePasscode(vault, "locked", up, up, NULL), LOCKED);
  CHECK_RV(CustomVault_passcodeState(vault, "none", NULL), ARGUMENT);
  CHECK_RV(CustomVault_passcodeState(vault, "none", &none), ARGUMENT);
  CHECK_RV(CustomVault_passcodeState(vault, "none", &some), NOT_FOUND);
  CHECK_RV(CustomVault_passcodeState(vault, "locked", &state), LOCKED);
  CHECK(state.secondsLeft > 900 && state.secondsLeft <= 1000 && state.locks == 1);
  CHECK_RV(CustomVault_setPolicy(vault, "locked", NULL), REFUSED);
  CHECK_RV(CustomVault_listPasscodes(vault, NULL, NULL), ARGUMENT);
  CHECK_EQUAL(derived, before); /* nothing of this was a try */
  CHECK_RV(CustomVault_resetPasscode(vault, "locked"), OK);
  CHECK_OK(CustomKeyboard_destroy(up));
  CHECK_OK(CustomKeyboard_destroy(idle));
  CHECK_OK(CustomKeyboard_destroy(empty));
}

static int write_name(void *context, const char *name) {
  char *text = context;
  CHECK_RV(CustomVault_passcodeState(vault, name, &state), OK); /* `each` may call anything */
  strcat(strcat(text, name), " ");
  return strcmp(name, "last") == 0;
}

static void lists_name_them_in_order(void) {
  char text[256] = "";
  CHECK_RV(set_passcode(vault, "last", "x", 5, 5, 5), OK);
  CHECK_RV(set_passcode(vault, "zz", "x", 5, 5, 5), OK);
  CHECK_RV(set_passcode(vault, "a", "x", 5, 5, 5), OK);
  CHECK_RV(CustomVault_listPasscodes(vault, write_name, text), OK);
  CHECK(strcmp(text, "a kim last ") == 0);
  size_t items = 0;
  CHECK_RV(CustomVault_listItems(vault, NULL, count_item, &items), OK);
  CHECK(items == 0); /* passcodes are not items */
  CHECK_RV(CustomVault_resetPasscode(vault, "last"), OK);
  CHECK_RV(CustomVault_resetPasscode(vault, "zz"), OK);
  CHECK_RV(CustomVault_resetPasscode(vault, "a"), OK);
}

static void another_root_keeps_them(void) {
  uint8_t before[32], after[32];
  CHECK_RV(try_passcode(vault, "kim", "next passcode", before, &state), OK);
  CHECK_RV(try_passcode(vault, "kim", "wrong", NULL, &state), MISMATCH);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OK);
  CHECK_RV(CustomVault_passcodeState(vault, "kim", &state), OK);
  CHECK(is_state(&state, 4, 0, 0));
  CHECK_RV(try_passcode(vault, "kim", "next passcode", after, &state), OK);
  CHECK_BYTES(before, after, 32);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CHECK_RV(try_passcode(vault, "kim", "next passcode", after, &state), OK);
  CHECK_BYTES(before, after, 32);
}

/* ---- Clocks ----------------------------------------------------------------------------------------------------- */

/* The numbers of the namespaces of time, of this process and of its next children; 0 after the first thread's end. */
static ino_t clocks_number = 1, next_clocks_number = 1, later_number;
int stat(const char *name, struct stat *about) {
  int rv = fstatat(AT_FDCWD, name, about, 0);
  if (clocks_are_ours && clocks_number == 0 && strncmp(name, "/proc/self/ns/", 14) == 0) return errno = ENOENT, -1;
  if (clocks_are_ours && strcmp(name, "/proc/self/ns/time") == 0) about->st_ino = clocks_number;
  if (clocks_are_ours && strcmp(name, "/proc/self/ns/time_for_children") == 0)
    about->st_ino = offsets_read > 0 && later_number != 0 ? later_number : next_clocks_number;
  return rv;
}

/* Anybody may begin a namespace of time in which the machine has been running for years. */
static void namespaces_end_no_lock(void) {
  static const struct {
    const char *what;
    int64_t ahead, offset;
    ino_t own, next, later;
  } tried[] = {{"ahead, with the number of one that is gone", 1000000000, 1000000000, 1, 1, 0},
               {"ahead, with a number of its own", 1000000500, 1000000500, 2, 2, 0},
               {"behind", -9500, -9500, 2, 2, 0},
               {"this process's, while the next children's is another", 1000000000, 0, 2, 1, 0},
               {"this process's, while another thread changes the next children's", 1000000000, 0, 2, 2, 1},
               {"a process whose first thread has ended", 1000000000, INT64_MIN, 0, 0, 0},
               {"one whose offset nobody can read", 1000000000, INT64_MIN, 2, 2, 0}};
  for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
    boot_number = 1, running_ms = 20000, wall_ms = 5000000, offset_ms = 0, clocks_number = next_clocks_number = 1;
    CHECK_RV(set_passcode(vault, "clock", "right", 1, 100, 0), OK);
    CHECK_RV(try_passcode(vault, "clock", "no", NULL, &state), MISMATCH);
    running_ms += tried[i].ahead + 40000, wall_ms += 40000, offsets_read = 0, later_number = tried[i].later;
    offset_ms = tried[i].offset, clocks_number = tried[i].own, next_clocks_number = tried[i].next;
    if (!CHECK_RV(CustomVault_passcodeState(vault, "clock", &state), LOCKED) || !CHECK(is_state(&state, 0, 60, 1)))
      fprintf(stderr, "  a namespace of time: %s\n", tried[i].what);
    CHECK_RV(try_passcode(vault, "clock", "right", NULL, &state), LOCKED);
    /* Back where the lock began, and ended. */
    running_ms = 120000, wall_ms = 5100000, offset_ms = 0, clocks_number = next_clocks_number = 1, later_number = 0;
    CHECK_RV(try_passcode(vault, "clock", "right", NULL, &state), OK);
    CHECK_RV(CustomVault_resetPasscode(vault, "clock"), OK);
  }
}

static void locks_keep_their_time(void) {
  clocks_are_ours = 1;
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    boot_number = 1, running_ms = 10000, wall_ms = 5000000;
    CHECK_RV(set_passcode(vault, "clock", "right", 3, 100, scenarios[i].maximum), OK);
    for (const step *now = scenarios[i].steps; now->action != 0; now++) {
      boot_number = now->boot, running_ms = now->running * 1000, wall_ms = now->wall * 1000;
      state.size = sizeof state;
      CUSTOM_KEYBOARD_RV rv = now->action == LOOK
                                  ? CustomVault_passcodeState(vault, "clock", &state)
                                  : try_passcode(vault, "clock", now->action == RIGHT ? "right" : "no", NULL, &state);
      uint32_t seconds = now->seconds == GOOD ? UINT32_MAX : (uint32_t)now->seconds;
      if (!CHECK_EQUAL(rv, now->rv) || !CHECK(is_state(&state, (uint32_t)now->tries, seconds, (uint32_t)now->locks)))
        fprintf(stderr, "  %s: step %d\n", scenarios[i].what, (int)(now - scenarios[i].steps) + 1);
    }
    CHECK_RV(CustomVault_resetPasscode(vault, "clock"), OK);
  }
  /* Milliseconds count: a lock does not end a moment early. */
  boot_number = 1, running_ms = 10900, wall_ms = 5000000;
  CHECK_RV(set_passcode(vault, "clock", "right", 1, 100, 0), OK);
  CHECK_RV(try_passcode(vault, "clock", "no", NULL, &state), MISMATCH);
  running_ms = 110899;
  CHECK_RV(try_passcode(vault, "clock", "right", NULL, &state), LOCKED);
  CHECK(is_state(&state, 0, 1, 1));
  running_ms = 110900;
  CHECK_RV(try_passcode(vault, "clock", "right", NULL, &state), OK);
  CHECK_RV(CustomVault_resetPasscode(vault, "clock"), OK);
  namespaces_end_no_lock();
  clocks_are_ours = 0;
}

/* ---- Threads, forks, cancellation ------------------------------------------------------------------------------- */

static void *try_often(void *context) {
  CUSTOM_KEYBOARD keyboard = typed("no");
  for (int i = 0; i < 10; i++) {
    CUSTOM_KEYBOARD_RV rv = CustomVault_checkPasscode(vault, "threads", keyboard, NULL, NULL);
    if (rv == CUSTOM_KEYBOARD_MISMATCH) ++*(int *)context;
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return NULL;
}

static void threads_share_the_tries(void) {
  pthread_t threads[8];
  int had[8] = {0}, all = 0;
  CHECK_RV(set_passcode(vault, "threads", "right", 33, 1000000, 0), OK);
  for (int i = 0; i < 8; i++) REQUIRE(pthread_create(&threads[i], NULL, try_often, &had[i]) == 0);
  for (int i = 0; i < 8; i++) {
    REQUIRE(pthread_join(threads[i], NULL) == 0);
    all += had[i];
  }
  CHECK_EQUAL(all, 33);
  CHECK_RV(CustomVault_resetPasscode(vault, "threads"), OK);
}

static atomic_int answers[4];

static int no_end(void *context, const char *name) {
  (void)name;
  sleep(0); /* a cancellation point, perhaps */
  if (write(*(int *)context, "x", 1) != 1) abort();
  return 0;
}

/* The thread is to be cancelled from the beginning, but each call ends. */
static void *cancelled(void *context) {
  CUSTOM_KEYBOARD keyboard = typed("right");
  CUSTOM_VAULT_STATE mine = {.size = sizeof mine};
  pthread_cancel(pthread_self());
  atomic_store(&answers[0], (int)CustomVault_checkPasscode(vault, "cancel", keyboard, NULL, &mine));
  atomic_store(&answers[1], (int)CustomVault_addItem(vault, "cancel", "cancel", NULL, NULL, NULL, 0));
  atomic_store(&answers[2], (int)CustomVault_listPasscodes(vault, no_end, context));
  atomic_store(&answers[3], (int)CustomKeyboard_destroy(keyboard));
  pthread_testcancel();
  return NULL;
}

static void calls_are_not_cancelled(void) {
  pthread_t thread;
  void *result = NULL;
  int nowhere = open("/dev/null", O_WRONLY);
  CHECK_RV(set_passcode(vault, "cancel", "right", 5, 5, 5), OK);
  for (int i = 0; i < 4; i++) atomic_store(&answers[i], -1);
  REQUIRE(pthread_create(&thread, NULL, cancelled, &nowhere) == 0);
  REQUIRE(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(atomic_load(&answers[i]), CUSTOM_KEYBOARD_OK);
  close(nowhere);
  CHECK_RV(CustomVault_deleteItem(vault, "cancel", "cancel"), OK);
  CHECK_RV(CustomVault_resetPasscode(vault, "cancel"), OK);
}

static void forked_children_have_no_passcodes(void) {
  CUSTOM_KEYBOARD keyboard = typed("next passcode");
  pid_t child = fork();
  if (child == 0) {
    int right = CustomVault_checkPasscode(vault, "kim", keyboard, NULL, NULL) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_setPasscode(vault, "new", keyboard, NULL) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_changePasscode(vault, "kim", keyboard, keyboard, NULL) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_resetPasscode(vault, "kim") == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_passcodeState(vault, "kim", &state) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_setPolicy(vault, "kim", NULL) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomVault_listPasscodes(vault, write_name, NULL) == CUSTOM_KEYBOARD_OP_DISABLE;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK_RV(CustomVault_checkPasscode(vault, "kim", keyboard, NULL, NULL), OK);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- The file --------------------------------------------------------------------------------------------------- */

static void the_file_shows_nothing(void) {
  uint8_t bytes[32];
  CHECK_RV(set_passcode(vault, "a name that is looked for", "passcode1", 5, 5, 5), OK);
  CHECK_RV(try_passcode(vault, "a name that is looked for", "passcode1", bytes, &state), OK);
  const struct {
    const void *start;
    size_t length;
  } secrets[] = {{"kim's pass", 10}, {"next pass", 9}, {"passcode1", 9}, {"a name that", 11}, {bytes, 16},
                 {bytes + 16, 16},   {last_derived, 16}, {last_derived + 16, 16}, {key, 16}, {other_key, 16}};
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK(files_hold_bytes_now(folder, "SQLite format 3", 15)); /* the search finds what is there */
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    if (!CHECK(!files_hold_bytes_now(folder, secrets[i].start, secrets[i].length))) fprintf(stderr, "  %zu\n", i);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
}

int main(void) {
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
  the_right_one_gives_its_key();
  CHECK_RV(CustomVault_resetPasscode(vault, "lee"), OK);
  codes_have_their_order();
  lists_name_them_in_order();
  another_root_keeps_them();
  locks_keep_their_time();
  threads_share_the_tries();
  calls_are_not_cancelled();
  forked_children_have_no_passcodes();
  the_file_shows_nothing();
  CHECK_RV(CustomVault_close(vault), OK);
  remove_folder(folder);
  return check_end("vault_passcode", 400);
}
