/*
 * A place for a password where there is no memory, or memory for all but its last byte: the process dies there. The
 * frame of a signal handler then has all registers as they were, and a core dump has both. Neither the frame nor the
 * memory of the place may have a part of the password: no register has one before the place is known to exist.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "sealed.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 40, WINDOW = 5, PAGE = 65536, STACK = 65536, FOUND = 3, CLEAN = 4, ALIVE = 5, REFUSED = 6 };

static struct bytes password, context;
static const uint8_t *handler_stack;
static uint8_t *place, *memory; /* `memory` is the page before the place, or the one that it begins in */

static int has_part(const uint8_t *from, const uint8_t *to) {
  for (; from + WINDOW <= to; from++)
    for (size_t i = 0; i + WINDOW <= LENGTH; i++)
      if (memcmp(from, password.at + i, WINDOW) == 0) return 1;
  return 0;
}

/* What the kernel has written of the interrupted program begins with `frame`. */
static void look(int number, siginfo_t *information, void *frame) {
  (void)number;
  uintptr_t at = (uintptr_t)information->si_addr, page = (uintptr_t)memory + PAGE;
  if (at < page || at >= page + PAGE) _exit(1); /* somewhere else */
  _exit(has_part(frame, handler_stack + STACK) || has_part(memory, memory + PAGE) ? FOUND : CLEAN);
}

/* How a child ends that calls `place_it`, with memory for `existing` bytes of the place. */
static int ends(CUSTOM_KEYBOARD_RV (*place_it)(void), size_t existing) {
  place = memory + PAGE - existing;
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = (void *)(uintptr_t)handler_stack, .ss_size = STACK};
    REQUIRE(sigaltstack(&stack, NULL) == 0);
    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0); /* Linux, Darwin */
    _exit(place_it() == CUSTOM_KEYBOARD_OK ? ALIVE : REFUSED);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static const struct algorithm *algorithm;
static const struct sealed_way *sealing;
static struct pair pair;
static uint8_t key[32], text[LONGEST_SEALED], other[LENGTH];
static size_t text_length;

static CUSTOM_KEYBOARD_RV decrypt(void) {
  size_t offset, length;
  return CustomKeyboard_decrypt(algorithm->way, key, algorithm->key_length, text, text_length, place, LENGTH, &offset,
                                &length);
}

static CUSTOM_KEYBOARD_RV unseal(void) {
  size_t offset, length;
  struct opening o = opening(&pair, &context, text);
  return unseal_into(&o, place, LENGTH, &offset, &length);
}

/* The second of two that are opened together; the first one's password is in its place. */
static CUSTOM_KEYBOARD_RV unseal_many(void) {
  CUSTOM_KEYBOARD_SEALED_JOB jobs[2];
  for (int i = 0; i < 2; i++)
    jobs[i] = (CUSTOM_KEYBOARD_SEALED_JOB){context.at, context.length, text, sealing->text_length, i ? place : other,
                                           LENGTH, 0, CUSTOM_KEYBOARD_OK};
  return CustomKeyboard_unsealBatch(sealing->way, pair.secret, sealing->secret_length, jobs, 2);
}

/* The control: what a careless library would do. */
static CUSTOM_KEYBOARD_RV copy(void) {
  volatile uint8_t *to = place;
  for (size_t i = 0; i + 8 <= LENGTH; i += 8) {
    uint64_t word;
    memcpy(&word, password.at + i, 8);
    *(volatile uint64_t *)(uintptr_t)(to + i) = word;
  }
  return CUSTOM_KEYBOARD_OK;
}

static void check(CUSTOM_KEYBOARD_RV (*place_it)(void), const char *call, const char *way) {
  for (size_t existing = 0; existing < LENGTH; existing += LENGTH - 1)
    if (!CHECK_EQUAL(ends(place_it, existing), CLEAN))
      fprintf(stderr, "  (%s, %s, %zu bytes of the place exist)\n", call, way, existing);
}

int main(void) {
  uint64_t seed = take_seed();
  uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED && mprotect(pages, PAGE, PROT_READ | PROT_WRITE) == 0);
  memory = pages;
  handler_stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(handler_stack != MAP_FAILED);
  password = drawn_password(&seed, LENGTH), context = drawn(&seed, 20);
  CHECK_EQUAL(ends(copy, 0), FOUND);
  CHECK_EQUAL(ends(copy, LENGTH - 1), FOUND);
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    size_t offset;
    algorithm = &algorithms[i];
    draw_bytes(&seed, key, sizeof key);
    CUSTOM_KEYBOARD k = typed(algorithm->way, key, algorithm->key_length, password.at, LENGTH);
    REQUIRE_OK(CustomKeyboard_getText(k, text, padded(LENGTH, algorithm->block_size), &offset, &text_length));
    REQUIRE_OK(CustomKeyboard_destroy(k));
    check(decrypt, "decrypt", algorithm->name);
  }
  for (int i = 0; i < SEALED_WAYS; i++) {
    sealing = &sealed_ways[i];
    pair = new_pair(sealing);
    seal(&pair, &password, &context, text);
    check(unseal, "unseal", sealing->name);
    check(unseal_many, "unsealBatch", sealing->name);
  }
  return check_end("bad_place", 2 + 2 * ALGORITHM_COUNT + 4 * SEALED_WAYS);
}
