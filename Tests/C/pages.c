/*
 * The memory for secrets as the kernel sees it: locked, left out of core dumps, wiped in the child of a fork, between
 * pages that cannot be accessed, and small for each keyboard. A child of a fork, which inherits no lock, locks what it
 * uses again. Also, a library that is unloaded and loaded again never
 * returns a handle twice, and leaves no additional memory behind each time.
 *
 *     pages libcustomkeyboard.so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "sealing.h"
#include "fixture.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sys/resource.h>

enum { KEYBOARDS = 10000, LOADS = 300, LINE = 4096 };

static const uint8_t key[] = "8907654329807654";

struct pages {
  size_t mappings, secret_kilobytes, used_kilobytes, faults, resident_kilobytes;
};

/* Reads /proc/self/smaps. Memory for secrets is the memory that a fork wipes; nothing else in this program asks for
 * that. */
static struct pages look(void) {
  struct pages seen = {0, 0, 0, 0, 0};
  char line[LINE], access[8] = "", before[8] = "";
  unsigned long start, end, last_end = 0, kilobytes = 0, amount, resident = 0;
  int adjoins = 0, awaits_guard = 0;
  FILE *file = fopen("/proc/self/smaps", "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx %7s", &start, &end, access) == 3) {
      /* A child has locked some pages of a region, and not those that it has not used. */
      int is_same_region = start == last_end && strcmp(before, access) == 0 && strcmp(access, "rw-p") == 0;
      adjoins = start == last_end && (strcmp(before, "---p") == 0 || is_same_region);
      if (awaits_guard && !is_same_region) seen.faults += start != last_end || strcmp(access, "---p") != 0;
      awaits_guard = 0;
      seen.mappings++;
      kilobytes = (end - start) / 1024;
      last_end = end;
      strcpy(before, access);
    } else if (sscanf(line, "Rss: %lu", &amount) == 1) {
      seen.resident_kilobytes += resident = amount;
    } else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " wf")) {
      seen.secret_kilobytes += kilobytes;
      seen.faults += !adjoins + !strstr(line, " dd") + (strcmp(access, "rw-p") != 0);
      if (seen.secret_kilobytes < 4096 && resident > 0) { /* the limit is 8 MB */
        seen.used_kilobytes += resident;
        seen.faults += !strstr(line, " lo");
      }
      awaits_guard = 1;
    }
  }
  fclose(file);
  return seen;
}

static void check_pages(void) {
  static CUSTOM_KEYBOARD keyboards[KEYBOARDS];
  struct pages before = look();
  for (int i = 0; i < KEYBOARDS; i++) keyboards[i] = typed(CUSTOM_ENCWAY_SM4, key, 16, bytes("secret"), 6);
  uint8_t space[64];
  size_t offset, length;
  CHECK_OK(CustomKeyboard_getText(keyboards[0], space, sizeof space, &offset, &length));
  struct pages after = look();
  CHECK(after.secret_kilobytes > before.secret_kilobytes);
  CHECK_EQUAL(after.faults, 0);
  /* Bytes for a keyboard. What valgrind remembers of them is resident, too. */
  CHECK(LESS > 1 || (after.resident_kilobytes - before.resident_kilobytes) * 1024 / KEYBOARDS <= 2600);
  CHECK(after.mappings - before.mappings < KEYBOARDS / 10);
  for (int i = 0; i < KEYBOARDS; i++) CHECK_OK(CustomKeyboard_destroy(keyboards[i]));
  for (int i = 0; i < KEYBOARDS; i++) REQUIRE_OK(CustomKeyboard_create(&keyboards[i]));
  CHECK_EQUAL(look().secret_kilobytes, after.secret_kilobytes); /* released memory is used again */
  for (int i = 0; i < KEYBOARDS; i++) CHECK_OK(CustomKeyboard_destroy(keyboards[i]));
}

/* Uses a slot, and a workspace of each size. */
static void use_all(CUSTOM_KEYBOARD keyboard) {
  struct sealing *s = &sealing;
  CUSTOM_KEYBOARD_JOB jobs[2];
  uint8_t space[64], clear[2][16];
  size_t offset, length;
  CustomKeyboard_close(keyboard);
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, key, 16, CUSTOM_ENCWAY_SM4));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, bytes("secret"), 6));
  REQUIRE_OK(CustomKeyboard_getText(keyboard, space, 16, &offset, &length));
  for (int i = 0; i < 2; i++) jobs[i] = (CUSTOM_KEYBOARD_JOB){key, 16, space, 16, clear[i], 16, 0, 0};
  REQUIRE_OK(CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs, 2));
  s->way = &sealed_ways[1];
  REQUIRE(call_generate() == CUSTOM_KEYBOARD_OK);
}

/* The child finds all of it empty and not locked, and locks what it touches. */
static void check_child(void) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  use_all(keyboard);
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    unsigned long failures = atomic_load(&check_failures);
    CHECK_EQUAL(look().used_kilobytes, 0);
    use_all(keyboard);
    struct pages seen = look();
    CHECK(seen.used_kilobytes >= 16);
    CHECK_EQUAL(seen.faults, 0);
    _exit(atomic_load(&check_failures) != failures);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* The program itself is linked with the static library, so that only this function loads and unloads the shared one. */
static void check_loading(const char *path) {
  CUSTOM_KEYBOARD last = 0, keyboard = 0;
  size_t mappings = 0;
  for (int i = 0; i < LOADS; i++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror());
    REQUIRE(library);
    CUSTOM_KEYBOARD_RV (*create)(CUSTOM_KEYBOARD *), (*destroy)(CUSTOM_KEYBOARD);
    *(void **)&create = dlsym(library, "CustomKeyboard_create");
    *(void **)&destroy = dlsym(library, "CustomKeyboard_destroy");
    REQUIRE(create && destroy);
    CHECK_OK(create(&keyboard));
    CHECK_OK(destroy(keyboard));
    CHECK(keyboard != last);
    CHECK(i == 0 || destroy(last) == CUSTOM_KEYBOARD_ARGUMENT);
    last = keyboard;
    dlclose(library);
    if (i == 1) mappings = look().mappings;
  }
  CHECK(look().mappings <= mappings + 4);
}

int main(int count, char **arguments) {
  REQUIRE(count == 2);
  check_child();
  check_pages();
  check_loading(arguments[1]);
  return check_end("pages", 2 * KEYBOARDS + 4 * LOADS);
}
