/*
 * How long an authentication with FIDO takes, with and without the passcode's verifier (Argon2id): `make bench-fido`.
 *
 *     authenticate FOLDER [--check]          FOLDER is empty, and only this user's; --check fails over 2 ms
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
#include <time.h>

enum { COUNT = 101 };

static const char request[] =
    "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"%s\",\"appID\":\"\"},"
    "\"challenge\":\"bm90IHJhbmRvbSwgYnV0IGxvbmcgZW5vdWdoIHRvIGJlIHNv\",\"username\":\"kim\","
    "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]]}}]";

static void expect(int got, int wanted, const char *what) {
  if (got == wanted) return;
  fprintf(stderr, "authenticate: %s: %d, not %d\n", what, got, wanted);
  exit(EXIT_FAILURE);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static CUSTOM_KEYBOARD typed(void) {
  CUSTOM_KEYBOARD keyboard;
  expect(CustomKeyboard_create(&keyboard), 0, "create");
  expect(CustomKeyboard_open(keyboard), 0, "open");
  expect(CustomKeyboard_input(keyboard, (const uint8_t *)"491728", 6), 0, "input");
  return keyboard;
}

static double in_verifier;

/* The dynamic linker gives the vault this function instead of the library's, which it calls. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  CUSTOM_KEYBOARD_RV (*next)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t, uint32_t,
                             uint8_t *, size_t);
  *(void **)&next = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  double begun = milliseconds();
  CUSTOM_KEYBOARD_RV rv =
      next(keyboard, salt, saltLength, pepper, pepperLength, memoryKiB, passes, key, keyLength);
  in_verifier += milliseconds() - begun;
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

int main(int count, char **arguments) {
  static char text[1024], answer[65536];
  double all[COUNT], rest[COUNT], requests[COUNT];
  uint8_t key[CUSTOM_VAULT_KEYSIZE] = "a key for a measurement";
  CUSTOM_VAULT vault;
  CUSTOM_FIDO fido;
  size_t length;
  if (count < 2) return EXIT_FAILURE;
  snprintf(text, sizeof text, "%s/vault", arguments[1]);
  expect(CustomVault_open(&vault, text, key, sizeof key), 0, "vault");
  expect(CustomFido_create(&fido, vault, "ios:bundle-id:com.example.bank"), 0, "client");
  expect(CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001"), 0, "AAID");
  CUSTOM_KEYBOARD keyboard = typed(), again = typed();
  snprintf(text, sizeof text, request, "Reg");
  expect(CustomFido_begin(fido, text, strlen(text), NULL, NULL), CUSTOM_FIDO_AUTH_READY, "registration");
  expect(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again), 0, "registration");
  snprintf(text, sizeof text, request, "Auth");
  for (int i = 0; i < COUNT; i++) {
    in_verifier = 0;
    double begun = milliseconds();
    expect(CustomFido_begin(fido, text, strlen(text), NULL, NULL), CUSTOM_FIDO_AUTH_READY, "request");
    requests[i] = milliseconds() - begun;
    expect(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, 0), 0, "authentication");
    expect(CustomFido_response(fido, answer, sizeof answer, &length), 0, "answer");
    all[i] = milliseconds() - begun;
    expect(in_verifier > 0, 1, "the verifier does not come by here");
    rest[i] = all[i] - in_verifier;
  }
  double without = median(rest);
  printf("authentication %.2f ms; without the verifier %.2f ms, of which the request %.2f ms; answer %zu bytes\n",
         median(all), without, median(requests), length);
  if (count > 2 && strcmp(arguments[2], "--check") == 0 && without > 2) {
    fprintf(stderr, "authenticate: over 2 ms without the verifier\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
