/*
 * For tests of the vault's passcodes: keyboards that have something typed, and three functions of the program's own
 * instead of those that the vault's library would find. Keys are derived with little memory, and a test can do
 * something at the moment between counting and checking; the clocks, and the number of the machine's start, are what
 * the test says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_PASSCODE_H
#define VAULT_PASSCODE_H

#include "vault.h"
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* ---- What is derived -------------------------------------------------------------------------------------------- */

static unsigned derived;         /* calls so far                                                                     */
static void (*while_checking)(void); /* run by the next call, before it derives                                      */
static uint32_t memory_asked, passes_asked;
static uint8_t last_derived[64]; /* a key of which nothing may reach the file                                        */

CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t, uint32_t,
                                 uint8_t *, size_t);
  *(void **)&original = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  derived++;
  memory_asked = memoryKiB;
  passes_asked = passes;
  if (while_checking != NULL) {
    void (*now)(void) = while_checking;
    while_checking = NULL;
    now();
  }
  CUSTOM_KEYBOARD_RV rv = original(keyboard, salt, saltLength, pepper, pepperLength, 8, 1, key, keyLength);
  if (rv == CUSTOM_KEYBOARD_OK) memcpy(last_derived, key, keyLength);
  return rv;
}

/* ---- Clocks ----------------------------------------------------------------------------------------------------- */

static int clocks_are_ours;
static int64_t running_ms, wall_ms;
static int boot_number;   /* 0: unreadable                                                                            */
static int offsets_read;  /* how often the offset was                                                                 */
static int64_t offset_ms; /* of the namespace of time: how far its clock is ahead; INT64_MIN: unreadable              */
/* The vault looks at the steady clock only while it waits. In a hurry each look finds a second more, of which it counts
 * a tenth: one wait has 51 looks. */
static int is_in_a_hurry;
static unsigned steady_looks;

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (clocks_are_ours && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME)) {
    int64_t now = clock == CLOCK_BOOTTIME ? running_ms : wall_ms;
    time->tv_sec = (time_t)(now / 1000);
    time->tv_nsec = (long)(now % 1000) * 1000000;
    return 0;
  }
  int answer = (int)syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_MONOTONIC && is_in_a_hurry) time->tv_sec += ++steady_looks;
  return answer;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  int is_boot = strcmp(path, "/proc/sys/kernel/random/boot_id") == 0;
  if (clocks_are_ours && (is_boot || strcmp(path, "/proc/self/timens_offsets") == 0)) {
    int ends[2];
    char text[128];
    offsets_read += !is_boot;
    if ((is_boot ? boot_number == 0 : offset_ms == INT64_MIN) || pipe(ends) != 0) return -1;
    /* As the kernel writes them: whole seconds, and the rest in nanoseconds. */
    int64_t part = (offset_ms % 1000 + 1000) % 1000, whole = (offset_ms - part) / 1000;
    int length = is_boot ? snprintf(text, sizeof text, "%08x-1234-4321-abcd-0123456789ab\n", (unsigned)boot_number)
                         : snprintf(text, sizeof text, "monotonic  %10d %9d\nboottime   %10lld %9ld\n", 7, 0,
                                    (long long)whole, (long)part * 1000000);
    int written = write(ends[1], text, (size_t)length) == length;
    close(ends[1]);
    return written ? ends[0] : -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* ---- Keyboards -------------------------------------------------------------------------------------------------- */

static inline CUSTOM_KEYBOARD typed(const char *text) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES(text)));
  return keyboard;
}

static inline void type_again(CUSTOM_KEYBOARD keyboard, const char *text) {
  REQUIRE_OK(CustomKeyboard_clear(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES(text)));
}

static inline CUSTOM_KEYBOARD_RV set_passcode(CUSTOM_VAULT vault, const char *name, const char *text, uint32_t tries,
                                              uint32_t seconds, uint32_t locks) {
  CUSTOM_KEYBOARD keyboard = typed(text);
  CUSTOM_VAULT_POLICY policy = {sizeof policy, tries, seconds, locks};
  CUSTOM_KEYBOARD_RV rv = CustomVault_setPasscode(vault, name, keyboard, &policy);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return rv;
}

/* Tries a passcode. `state` gets all three members. */
static inline CUSTOM_KEYBOARD_RV try_passcode(CUSTOM_VAULT vault, const char *name, const char *text, uint8_t *key,
                                              CUSTOM_VAULT_STATE *state) {
  static CUSTOM_KEYBOARD keyboard;
  if (keyboard == 0) keyboard = typed("");
  type_again(keyboard, text);
  *state = (CUSTOM_VAULT_STATE){.size = sizeof *state};
  return CustomVault_checkPasscode(vault, name, keyboard, key, state);
}

static inline int is_state(const CUSTOM_VAULT_STATE *state, uint32_t tries, uint32_t seconds, uint32_t locks) {
  int is_right = state->triesLeft == tries && state->secondsLeft == seconds && state->locks == locks;
  if (!is_right)
    fprintf(stderr, "  %u tries, %u seconds, %u locks\n", state->triesLeft, state->secondsLeft, state->locks);
  return is_right;
}

/* Runs this program again with arguments, because a forked child has no vault. */
static inline pid_t run_self(const char *how, const char *path, const char *argument) {
  pid_t child = fork();
  if (child == 0) {
    execl(program_invocation_name, "self", how, path, argument, (char *)NULL);
    _exit(99);
  }
  return child;
}

#endif
