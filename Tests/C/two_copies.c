/*
 * Two copies of the library in one process, as when two plug-ins each bring their own. Every function of one copy
 * returns ARGUMENT for a handle of the other, however many keyboards both have, and the keyboard does not change. So
 * handles begin with a different number in each copy and each process; the program runs itself to check that.
 *
 *     two_copies LIBRARY.so          (two_copies LIBRARY.so first: prints the first handle of a process)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <unistd.h>

enum { KEYBOARDS = 4000 / LESS, PROCESSES = 64, LETTERS = 3 };

static const uint8_t key[16] = "890765432980765";

/* ---- A copy ------------------------------------------------------------------------------------------------------ */

#define FUNCTIONS(DO)                                                                                             \
  DO(create) DO(destroy) DO(setEncKey) DO(open) DO(close) DO(input) DO(deleteBackward) DO(clear) DO(count)        \
  DO(getText) DO(setLayout) DO(setSize) DO(keys) DO(pressKey) DO(touch) DO(setTextField) DO(setOKAction)

struct copy {
  void *library;
#define POINTER(name) __typeof__(&CustomKeyboard_##name) name;
  FUNCTIONS(POINTER)
};

static struct copy load(const char *path) {
  struct copy copy = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (!copy.library) fprintf(stderr, "%s\n", dlerror());
  REQUIRE(copy.library);
  void *symbol; /* C has no conversion from a data pointer to a function pointer, so the bits are copied */
#define SYMBOL(name)                                          \
  symbol = dlsym(copy.library, "CustomKeyboard_" #name);      \
  REQUIRE(symbol);                                            \
  memcpy(&copy.name, &symbol, sizeof symbol);
  FUNCTIONS(SYMBOL)
  return copy;
}

/* Copies the file to a new name, which can be removed as soon as the copy is loaded. */
static struct copy load_copy(const char *path) {
  char name[4096], block[65536];
  const char *directory = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/two_copies.XXXXXX", directory ? directory : "/tmp");
  int file = mkstemp(name);
  FILE *from = fopen(path, "rb");
  REQUIRE(from && file >= 0);
  for (size_t count; (count = fread(block, 1, sizeof block, from)) > 0;)
    REQUIRE(write(file, block, count) == (ssize_t)count);
  fclose(from);
  close(file);
  struct copy copy = load(name);
  unlink(name);
  return copy;
}

/* ---- One copy's keyboards in the other --------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD handles[2][KEYBOARDS];

static void ignore_change(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context, (void)keyboard, (void)count;
}
static void ignore_action(void *context, CUSTOM_KEYBOARD keyboard) { (void)context, (void)keyboard; }

/* Every other keyboard takes the slot of a destroyed one, and so has another generation. */
static void create_all(const struct copy *copy, CUSTOM_KEYBOARD *made) {
  for (int i = 0; i < KEYBOARDS; i++) {
    REQUIRE_OK(copy->create(&made[i]));
    if (i % 2 == 0) continue;
    REQUIRE_OK(copy->destroy(made[i]));
    REQUIRE_OK(copy->create(&made[i]));
  }
  for (int i = 0; i < KEYBOARDS; i++) {
    REQUIRE_OK(copy->setEncKey(made[i], key, sizeof key, CUSTOM_ENCWAY_SM4));
    if (i % 4 == 0) continue; /* some stay idle, because some functions need that */
    REQUIRE_OK(copy->open(made[i]));
    REQUIRE_OK(copy->input(made[i], (const uint8_t *)"abc", LETTERS));
  }
}

/* Every function of `copy`, with handles of the other copy; destroy comes last, and for some handles also first. */
static void refuse_all(const struct copy *copy, const CUSTOM_KEYBOARD *foreign) {
  static CUSTOM_KEYBOARD_KEY keys[40];
  uint8_t space[64];
  size_t a, b;
  for (int i = 0; i < KEYBOARDS; i++) {
    CUSTOM_KEYBOARD k = foreign[i];
#define REFUSED(call) CHECK_EQUAL(copy->call, CUSTOM_KEYBOARD_ARGUMENT)
    if (i % 3 == 0) REFUSED(destroy(k));
    REFUSED(setEncKey(k, key, sizeof key, CUSTOM_ENCWAY_SM4));
    REFUSED(setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0));
    REFUSED(setSize(k, 320, 216, 6, 8));
    REFUSED(setTextField(k, ignore_change, NULL));
    REFUSED(setOKAction(k, ignore_action, NULL));
    REFUSED(open(k));
    REFUSED(keys(k, keys, 40, &a));
    REFUSED(pressKey(k, 0));
    REFUSED(touch(k, 1, 1));
    REFUSED(input(k, (const uint8_t *)"x", 1));
    REFUSED(deleteBackward(k));
    REFUSED(count(k, &a));
    REFUSED(getText(k, space, sizeof space, &a, &b));
    REFUSED(clear(k));
    REFUSED(close(k));
    REFUSED(destroy(k));
  }
}

/* Checks that a copy's own keyboards have not changed. */
static void check_all(const struct copy *copy, const CUSTOM_KEYBOARD *own) {
  uint8_t space[64];
  for (int i = 0; i < KEYBOARDS; i++) {
    size_t count = 99, a, b;
    int is_up = i % 4 != 0;
    CHECK_OK(copy->count(own[i], &count));
    CHECK_EQUAL(count, is_up ? LETTERS : 0);
    if (!is_up) CHECK_OK(copy->open(own[i]));
    CHECK_OK(copy->getText(own[i], space, sizeof space, &a, &b));
    CHECK_OK(copy->destroy(own[i]));
  }
}

static void use_two_copies(const char *path) {
  struct copy copies[2] = {load(path), load_copy(path)};
  REQUIRE(copies[0].create != copies[1].create);
  int alike = 0;
  for (int i = 0; i < 2; i++) create_all(&copies[i], handles[i]);
  for (int i = 0; i < KEYBOARDS; i++) alike += handles[0][i] == handles[1][i];
  printf("%d of %d handles are the same in both copies\n", alike, KEYBOARDS);
  CHECK_EQUAL(alike, 0);
  for (int i = 0; i < 2; i++) refuse_all(&copies[i], handles[1 - i]);
  for (int i = 0; i < 2; i++) check_all(&copies[i], handles[i]);
}

/* ---- First handles ----------------------------------------------------------------------------------------------- */

static int print_first(const char *path) {
  struct copy copy = load(path);
  CUSTOM_KEYBOARD first;
  REQUIRE_OK(copy.create(&first));
  printf("%llu\n", (unsigned long long)first);
  return EXIT_SUCCESS;
}

/* Two processes may begin alike once, because that can happen by chance. */
static void compare_processes(const char *program, const char *path) {
  unsigned long long firsts[PROCESSES];
  char command[8192];
  int same = 0;
  REQUIRE((size_t)snprintf(command, sizeof command, "'%s' '%s' first", program, path) < sizeof command);
  for (int i = 0; i < PROCESSES; i++) {
    FILE *output = popen(command, "r");
    REQUIRE(output && fscanf(output, "%llu", &firsts[i]) == 1 && pclose(output) == 0);
    CHECK(firsts[i] != 0);
    int is_old = 0;
    for (int j = 0; j < i; j++) is_old |= firsts[i] >> 32 == firsts[j] >> 32;
    same += is_old;
  }
  printf("%d of %d processes began with a generation that another one had\n", same, PROCESSES);
  CHECK(same <= 1);
}

int main(int count, char **arguments) {
  REQUIRE(count >= 2);
  if (count > 2) return print_first(arguments[1]);
  alarm(LONGEST_WAIT);
  use_two_copies(arguments[1]);
  compare_processes(arguments[0], arguments[1]);
  return check_end("two_copies", 100000);
}
