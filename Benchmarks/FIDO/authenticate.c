/*
 * How long an authentication with FIDO takes, with and without the passcode's verifier (Argon2id): `make bench-fido`.
 *
 *     authenticate FOLDER [--check]          FOLDER is empty, and only this user's; --check fails over 2 ms
 *
 * With one key, and then with a thousand keys of other appIDs in the vault. The time of syncs is told apart: on a disk
 * there are three.
 *
 * The verifier is the vault's call of CustomKeyboard_deriveKey, which comes by here. The rest is the request and its
 * policy, the try that is counted, the key and its counter, which is on the disk before it is used, the signature, the
 * answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <custom_fido.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 101 };

#define HEADER "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"%s\",\"appID\":\"%s\"},"
static const char request[] =
    HEADER
    "\"challenge\":\"bm90IHJhbmRvbSwgYnV0IGxvbmcgZW5vdWdoIHRvIGJlIHNv\",\"username\":\"kim\","
    "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]]}}]";

static void expect(int got, int wanted, const char *what) {
  if (got == wanted) return;
  fprintf(stderr, "authenticate: %s: %d, not %d\n", what, got, wanted);
  exit(EXIT_FAILURE);
}

static double milliseconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
static double milliseconds(void) { return milliseconds_of(CLOCK_MONOTONIC); }
/* That this thread has worked: the same on a busy machine, and without the time for which a disk is waited for. */
static double worked(void) { return milliseconds_of(CLOCK_THREAD_CPUTIME_ID); }

static CUSTOM_KEYBOARD typed(void) {
  CUSTOM_KEYBOARD keyboard;
  expect(CustomKeyboard_create(&keyboard), 0, "create");
  expect(CustomKeyboard_open(keyboard), 0, "open");
  expect(CustomKeyboard_input(keyboard, (const uint8_t *)"491728", 6), 0, "input");
  return keyboard;
}

static double in_verifier, in_sync;
static int syncs;

/* In place of libc's, which SQLite calls. */
int fdatasync(int file) {
  double begun = milliseconds();
  int answer = (int)syscall(SYS_fdatasync, file);
  in_sync += milliseconds() - begun;
  syncs++;
  return answer;
}

/* The dynamic linker gives the vault this function instead of the library's, which it calls. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  CUSTOM_KEYBOARD_RV (*next)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t, uint32_t,
                             uint8_t *, size_t);
  *(void **)&next = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  double begun = worked();
  CUSTOM_KEYBOARD_RV rv =
      next(keyboard, salt, saltLength, pepper, pepperLength, memoryKiB, passes, key, keyLength);
  in_verifier += worked() - begun;
  return rv;
}

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static double median(double *values) {
  qsort(values, COUNT, sizeof *values, compare);
  return values[COUNT / 2];
}

enum { OTHERS = 1000 };

static CUSTOM_VAULT vault;
static CUSTOM_FIDO fido;
static CUSTOM_KEYBOARD keyboard;

/* A key at one of the other appIDs: a record of one that is there, under another service. */
static int copy_key(void *context, const CUSTOM_VAULT_ITEM *item) {
  char service[128];
  uint8_t record[2048];
  size_t length;
  (void)context;
  if (strncmp(item->service, "CustomFido keys", 15) != 0) return 0;
  expect(CustomVault_readItem(vault, item->service, item->account, record, sizeof record, &length), 0, "a key");
  snprintf(service, sizeof service, "%s", item->service);
  char *digits = service + strlen(service) - 8;
  for (int i = 0; i < OTHERS; i++) {
    snprintf(digits, 9, "%08x", i);
    expect(CustomVault_addItem(vault, service, item->account, NULL, item->kind, record, length), 0, "another key");
  }
  return 1;
}
static CUSTOM_KEYBOARD_RV add_others(void *context) { return CustomVault_listItems(vault, NULL, copy_key, context); }

/* Returns the median of what the thread has worked, without the verifier. */
static double measure(int keys) {
  static char text[1024], answer[65536];
  double all[COUNT], rest[COUNT], requests[COUNT], synced[COUNT];
  size_t length;
  snprintf(text, sizeof text, request, "Auth", "");
  syncs = 0;
  for (int i = 0; i < COUNT; i++) {
    in_verifier = 0, in_sync = 0;
    double begun = milliseconds(), idle = worked();
    expect(CustomFido_begin(fido, text, strlen(text), NULL, NULL), CUSTOM_FIDO_AUTH_READY, "request");
    requests[i] = worked() - idle;
    expect(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, 0), 0, "authentication");
    expect(CustomFido_response(fido, answer, sizeof answer, &length), 0, "answer");
    all[i] = milliseconds() - begun;
    expect(in_verifier > 0, 1, "the verifier does not come by here");
    rest[i] = worked() - idle - in_verifier;
    synced[i] = in_sync;
  }
  double without = median(rest);
  printf("%4d key%s: authentication %.2f ms; work without the verifier %.2f ms, of which the request %.2f; "
         "%.1f syncs, %.2f ms; answer %zu bytes\n",
         keys, keys == 1 ? " " : "s", median(all), without, median(requests), (double)syncs / COUNT, median(synced),
         length);
  return without;
}

int main(int count, char **arguments) {
  static char text[1024];
  uint8_t key[CUSTOM_VAULT_KEYSIZE] = "a key for a measurement";
  if (count < 2) return EXIT_FAILURE;
  snprintf(text, sizeof text, "%s/vault", arguments[1]);
  expect(CustomVault_open(&vault, text, key, sizeof key), 0, "vault");
  expect(CustomFido_create(&fido, vault, "ios:bundle-id:com.example.bank"), 0, "client");
  expect(CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001"), 0, "AAID");
  CUSTOM_KEYBOARD again = typed();
  keyboard = typed();
  snprintf(text, sizeof text, request, "Reg", "");
  expect(CustomFido_begin(fido, text, strlen(text), NULL, NULL), CUSTOM_FIDO_AUTH_READY, "registration");
  expect(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again), 0, "registration");
  double with_one = measure(1);
  expect(CustomVault_change(vault, add_others, NULL), 0, "other keys");
  double with_others = measure(1 + OTHERS);
  if (count > 2 && strcmp(arguments[2], "--check") == 0 && (with_one > 2 || with_others > 2)) {
    fprintf(stderr, "authenticate: over 2 ms without the verifier\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
