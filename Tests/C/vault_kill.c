/*
 * A process that makes a vault, changes it, copies it and gives it another key is killed at random moments. After each:
 * the vault opens, every change that was reported as done is there, and the one that was under way is there whole or
 * not at all; so is a copy.
 *
 *     vault_kill [TIMES]          SEED from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_changes.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { NEW_VAULT_EVERY = 8 };

static char folder[256], path[300], copy[300];

/* Makes one change after another, from a number on, and tells each before and after. */
static void change_until_killed(uint32_t number, int reports) {
  contents now;
  CUSTOM_VAULT vault;
  if (open_with_either(&vault, path, &now) != CUSTOM_KEYBOARD_OK) _exit(2);
  if (read_contents(vault, &now) != CUSTOM_KEYBOARD_OK) _exit(3);
  for (;; number++) {
    change next = pick_change(&now, number);
    uint32_t report[2] = {number, 0};
    unlink(copy);
    if (write(reports, report, sizeof report) != sizeof report) _exit(4);
    if (make_change(vault, &now, next, copy) != CUSTOM_KEYBOARD_OK) _exit(5);
    report[1] = 1;
    if (write(reports, report, sizeof report) != sizeof report) _exit(6);
    now = contents_after(&now, next);
  }
}

/* Starts the process: a program of its own, because a forked child of a process that opened a vault has none. */
static pid_t start(uint32_t number, int reports[2]) {
  char numbers[2][16];
  REQUIRE(pipe(reports) == 0);
  pid_t child = fork();
  if (child == 0) {
    snprintf(numbers[0], 16, "%u", number);
    snprintf(numbers[1], 16, "%d", reports[1]);
    execl(program_invocation_name, "vault_kill", "--change", folder, numbers[0], numbers[1], (char *)NULL);
    _exit(1);
  }
  close(reports[1]);
  return child;
}

static void set_folder(const char *name) {
  snprintf(folder, sizeof folder, "%s", name);
  snprintf(path, sizeof path, "%.250s/vault", folder);
  snprintf(copy, sizeof copy, "%.250s/copy", folder);
}

static int is_all_seen(const unsigned long *kinds) {
  for (int kind = 0; kind < CHANGE_KINDS; kind++)
    if (kinds[kind] == 0) return 0;
  return 1;
}

static void check_copy(const contents *before) {
  CUSTOM_VAULT vault;
  contents found;
  if (access(copy, F_OK) != 0) return;
  if (!CHECK_RV(open_with_either(&vault, copy, &found), OK)) return;
  CHECK(read_contents(vault, &found) == CUSTOM_KEYBOARD_OK && is_same(&found, before));
  CHECK_RV(CustomVault_close(vault), OK);
}

int main(int count, char **arguments) {
  if (count == 5 && strcmp(arguments[1], "--change") == 0) {
    set_folder(arguments[2]);
    change_until_killed((uint32_t)atoi(arguments[3]), atoi(arguments[4]));
  }
  char made[256];
  int times = count > 1 ? atoi(arguments[1]) : 100;
  contents done = {{0}, 0};
  uint32_t next = 1;
  unsigned long finished = 0, interrupted[2] = {0}, kinds[CHANGE_KINDS] = {0};
  unsigned seed = getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
  srand(seed);
  make_folder(made, sizeof made);
  set_folder(made);
  /* On a slow machine few changes are made between two kills. */
  for (int i = 0; i < times || (i < 20 * times && !is_all_seen(kinds)); i++) {
    int reports[2], is_new = i % NEW_VAULT_EVERY == 0;
    if (is_new) {
      remove_folder(folder);
      REQUIRE(mkdir(folder, 0700) == 0);
      memset(&done, 0, sizeof done);
    }
    pid_t child = start(next, reports);
    /* Until it has made or opened the vault, and while it changes it. */
    struct timespec moment = {0, 1000L * (rand() % (is_new ? 12000 : 40000))};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (!CHECK(WIFSIGNALED(status))) fprintf(stderr, "  it ended by itself: %x\n", status);
    uint32_t report[2], begun = 0;
    while (read(reports[0], report, sizeof report) == sizeof report) {
      begun = report[1] ? 0 : report[0];
      next = report[0] + 1;
      if (!report[1]) continue;
      change was = pick_change(&done, report[0]);
      kinds[was.kind]++;
      done = contents_after(&done, was);
      finished++;
    }
    close(reports[0]);
    CUSTOM_VAULT vault;
    contents found, after = begun != 0 ? contents_after(&done, pick_change(&done, begun)) : done;
    if (!CHECK_RV(open_with_either(&vault, path, &found), OK)) break;
    int code = read_contents(vault, &found);
    int is_after = is_same(&found, &after) && found.key == after.key;
    int is_before = is_same(&found, &done) && found.key == done.key;
    if (!CHECK(code == CUSTOM_KEYBOARD_OK && (is_after || is_before))) {
      fprintf(stderr, "  killed in number %u (%s): code %d\n", begun,
              begun != 0 ? change_names[pick_change(&done, begun).kind] : "none", code);
      break;
    }
    if (begun != 0) {
      interrupted[is_after && !is_before]++;
      kinds[pick_change(&done, begun).kind]++; /* on a busy machine, most changes are under way */
    }
    CHECK_RV(CustomVault_close(vault), OK);
    check_copy(&found);
    unlink(copy);
    done = found;
  }
  CHECK(is_all_seen(kinds));
  if (atomic_load(&check_failures) > 0) fprintf(stderr, "  seed %u\n", seed);
  remove_folder(folder);
  printf("%lu changes were done, %lu under way: %lu of these are there\n", finished,
         interrupted[0] + interrupted[1], interrupted[1]);
  return check_end("vault_kill", 3ul * (unsigned long)times);
}
