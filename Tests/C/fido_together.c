/*
 * Several processes, each with several threads, use one vault: they authenticate with the same key, begin and cancel on
 * one client, and register. No counter comes twice, each thread's counters grow, and no registration loses another.
 * A request that names thousands of keys reads each key in the vault once, not thousands of times.
 *
 *     fido_together [ROUNDS]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"
#include <custom_fido.h>
#include <pthread.h>

enum { PROCESSES = 3, THREADS = 4, MOST = 1 << 16 };
#define REQUEST(op, user) \
  "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"" op "\",\"appID\":\"\"}," \
  "\"challenge\":\"bm90IHJhbmRvbSwgYnV0IGxvbmcgZW5vdWdo\",\"username\":\"" user "\"," \
  "\"policy\":{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]]}}]"
static const char registration[] = REQUEST("Reg", "kim"), authentication[] = REQUEST("Auth", "kim");
static const char *const registrations[PROCESSES] = {REQUEST("Reg", "ann"), REQUEST("Reg", "ben"),
                                                     REQUEST("Reg", "cy")};
static const char *const names[PROCESSES] = {"ann", "ben", "cy"};
/* Of the appID that is the facet: its SHA-256. */
#define KEYS "CustomFido keys 3 5eaa6ca3d2e6ecaa008a50bfc18e74734c604669a2a6817422c6fb0501c9ec64"
static const uint8_t vault_key[] = "the key of the vault, 32 bytes..";
static char folder[256], path[300];

typedef struct told {
  uint32_t process, thread, counter;
  int32_t result;
} told;

static CUSTOM_VAULT vault;
static int rounds, reports;
static uint32_t process;

static CUSTOM_FIDO open_client(void) {
  CUSTOM_FIDO fido;
  REQUIRE(CustomFido_create(&fido, vault, "ios:bundle-id:com.example.bank") == 0);
  REQUIRE(CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001") == 0);
  return fido;
}

/* The last counter in an answer: base64url of TLV, in which 2E0D has four bytes. */
static uint32_t counter_in(const char *text) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  uint8_t bytes[512];
  uint32_t bits = 0, count = 0, length = 0;
  const char *found = strstr(text, "\"assertion\":\"");
  REQUIRE(found != NULL);
  for (found += 13; *found != '"'; found++) {
    bits = bits << 6 | (uint32_t)(strchr(alphabet, *found) - alphabet);
    if ((count += 6) < 8) continue;
    count -= 8;
    REQUIRE(length < sizeof bytes);
    bytes[length++] = (uint8_t)(bits >> count);
  }
  const uint8_t *field = memmem(bytes, length, "\x0d\x2e\x04\x00", 4);
  REQUIRE(field != NULL);
  return field[4] | (uint32_t)field[5] << 8 | (uint32_t)field[6] << 16 | (uint32_t)field[7] << 24;
}

static void tell(uint32_t thread, int result, uint32_t counter) {
  told now = {process, thread, counter, result};
  if (write(reports, &now, sizeof now) != sizeof now) _exit(4);
}

/* A client of the thread's own. */
static void *authenticate(void *number) {
  static _Thread_local char text[65536];
  CUSTOM_FIDO fido = open_client();
  CUSTOM_KEYBOARD keyboard = typed("491728");
  size_t length;
  for (int i = 0; i < rounds; i++) {
    int result = CustomFido_begin(fido, authentication, sizeof authentication - 1, NULL, NULL);
    if (result == CUSTOM_FIDO_AUTH_READY) result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, "kim", keyboard, 0);
    uint32_t counter = 0;
    if (result == 0) {
      REQUIRE(CustomFido_response(fido, text, sizeof text, &length) == 0);
      counter = counter_in(text);
    }
    tell((uint32_t)(uintptr_t)number, result, counter);
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE(CustomFido_destroy(fido) == 0);
  return NULL;
}

/* One client for all of these threads: what waits may be another thread's, or gone. */
static CUSTOM_FIDO shared;
static atomic_int is_over;
static void *disturb(void *nothing) {
  size_t length;
  char text[16];
  while (!atomic_load(&is_over)) {
    int begun = CustomFido_begin(shared, authentication, sizeof authentication - 1, NULL, NULL);
    int answer = CustomFido_response(shared, text, sizeof text, &length);
    int cancelled = CustomFido_cancel(shared);
    if ((begun != CUSTOM_FIDO_AUTH_READY && begun != -CUSTOM_KEYBOARD_BUSY) ||
        answer != CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST || cancelled != 0)
      tell(THREADS, -1000, (uint32_t)begun);
  }
  return nothing;
}

/* A process registers a user of its own, meanwhile. */
static void *register_user(void *nothing) {
  CUSTOM_FIDO fido = open_client();
  CUSTOM_KEYBOARD keyboard = typed("491728");
  for (int i = 0; i < rounds / 4 + 1; i++) {
    int result = CustomFido_begin(fido, registrations[process], strlen(registrations[process]), NULL, NULL);
    if (result == CUSTOM_FIDO_AUTH_READY) result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, 0);
    tell(THREADS + 1, result, 0);
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE(CustomFido_destroy(fido) == 0);
  return nothing;
}

static void run_threads(void) {
  pthread_t threads[THREADS + 3];
  REQUIRE_OK(CustomVault_open(&vault, path, vault_key, 32));
  shared = open_client();
  for (uintptr_t i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, authenticate, (void *)i) == 0);
  REQUIRE(pthread_create(&threads[THREADS], NULL, register_user, NULL) == 0);
  for (int i = 1; i < 3; i++) REQUIRE(pthread_create(&threads[THREADS + i], NULL, disturb, NULL) == 0);
  for (int i = 0; i <= THREADS; i++) pthread_join(threads[i], NULL);
  atomic_store(&is_over, 1);
  for (int i = 1; i < 3; i++) pthread_join(threads[THREADS + i], NULL);
  REQUIRE(CustomFido_destroy(shared) == 0);
  REQUIRE_OK(CustomVault_close(vault));
}

static int count_user(void *context, const char *name) {
  unsigned *found = context;
  for (int i = 0; i < PROCESSES; i++) *found += strcmp(name, names[i]) == 0;
  return 0;
}

/* In place of the function that the client's library would find. */
static unsigned reads;
CUSTOM_KEYBOARD_RV CustomVault_readItem(CUSTOM_VAULT of, const char *service, const char *account, uint8_t *data,
                                        size_t capacity, size_t *length) {
  CUSTOM_KEYBOARD_RV (*original)(CUSTOM_VAULT, const char *, const char *, uint8_t *, size_t, size_t *);
  *(void **)&original = dlsym(RTLD_NEXT, "CustomVault_readItem");
  __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED);
  return original(of, service, account, data, capacity, length);
}

static void name_many_keys(CUSTOM_FIDO fido, size_t keys) {
  static char text[60000];
  char *end = text + snprintf(text, sizeof text,
                              "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"Reg\",\"appID\":\"\"},"
                              "\"challenge\":\"bm90IHJhbmRvbSwgYnV0IGxvbmcgZW5vdWdo\",\"username\":\"dee\",\"policy\":"
                              "{\"accepted\":[[{\"aaid\":[\"C0DE#0001\"]}]],\"disallowed\":[{\"aaid\":[\"C0DE#0001\"],"
                              "\"keyIDs\":[");
  /* Each as long as a key's ID, and none of them one. */
  for (int i = 0; i < 1000; i++) end += sprintf(end, "\"%039dAAAA\",", i);
  strcpy(end - 1, "]}]}}]");
  reads = 0;
  CHECK_EQUAL(CustomFido_begin(fido, text, strlen(text), NULL, NULL), CUSTOM_FIDO_AUTH_READY);
  CHECK_EQUAL(reads, keys);
  CHECK_EQUAL(CustomFido_cancel(fido), 0);
}

int main(int count, char **arguments) {
  if (count == 6 && strcmp(arguments[1], "--run") == 0) {
    snprintf(path, sizeof path, "%.250s/vault", arguments[2]);
    process = (uint32_t)atoi(arguments[3]);
    reports = atoi(arguments[4]);
    rounds = atoi(arguments[5]);
    run_threads();
    return 0;
  }
  rounds = count > 1 ? atoi(arguments[1]) : 25;
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%.250s/vault", folder);
  REQUIRE_OK(CustomVault_open(&vault, path, vault_key, 32));
  CUSTOM_FIDO fido = open_client();
  CUSTOM_KEYBOARD keyboard = typed("491728"), again = typed("491728");
  REQUIRE(CustomFido_setOption(fido, CUSTOM_FIDO_PASSCODE, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, 1000) == 0);
  REQUIRE(CustomFido_begin(fido, registration, sizeof registration - 1, NULL, NULL) == CUSTOM_FIDO_AUTH_READY);
  REQUIRE(CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again) == 0);
  REQUIRE(CustomFido_destroy(fido) == 0);
  REQUIRE_OK(CustomVault_close(vault));

  int ends[2], status;
  pid_t children[PROCESSES];
  REQUIRE(pipe(ends) == 0);
  for (int i = 0; i < PROCESSES; i++)
    if ((children[i] = fork()) == 0) {
      char numbers[3][16];
      snprintf(numbers[0], 16, "%d", i);
      snprintf(numbers[1], 16, "%d", ends[1]);
      snprintf(numbers[2], 16, "%d", rounds);
      close(ends[0]);
      execl(program_invocation_name, "fido_together", "--run", folder, numbers[0], numbers[1], numbers[2],
            (char *)NULL);
      _exit(1);
    }
  close(ends[1]);

  static uint8_t seen[MOST];
  uint32_t last[PROCESSES][THREADS] = {{0}}, highest = 0, done = 0, busy = 0, registered = 0;
  told now;
  while (read(ends[0], &now, sizeof now) == sizeof now) {
    if (now.result == -CUSTOM_KEYBOARD_BUSY) { /* others were faster for five seconds */
      busy++;
      continue;
    }
    if (!CHECK_EQUAL(now.result, 0) || now.thread >= THREADS) {
      registered += now.thread == THREADS + 1;
      continue;
    }
    CHECK(now.counter < MOST && !seen[now.counter]++);
    CHECK(now.counter > last[now.process][now.thread]);
    last[now.process][now.thread] = now.counter;
    if (now.counter > highest) highest = now.counter;
    done++;
  }
  for (int i = 0; i < PROCESSES; i++)
    CHECK(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(highest >= done && done > 0);
  CHECK(done + busy >= (uint32_t)(PROCESSES * THREADS * rounds));

  /* Each user has one key, and the counter of the registrations has lost none. */
  REQUIRE_OK(CustomVault_open(&vault, path, vault_key, 32));
  fido = open_client();
  REQUIRE(CustomFido_begin(fido, authentication, sizeof authentication - 1, NULL, NULL) == CUSTOM_FIDO_AUTH_READY);
  unsigned users = 0;
  CHECK(CustomFido_accounts(fido, CUSTOM_FIDO_PASSCODE, count_user, &users) == 0 && users == PROCESSES);
  uint8_t counter[4];
  size_t length, items = 0;
  CHECK_OK(CustomVault_readItem(vault, "CustomFido counters", "passcode", counter, 4, &length));
  CHECK((uint32_t)(counter[0] | counter[1] << 8) >= registered + 1);
  CHECK_OK(CustomVault_listItems(vault, KEYS, count_item, &items));
  CHECK(items == PROCESSES + 1 || busy > 0);
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  CHECK_EQUAL(CustomFido_attempts(fido, CUSTOM_FIDO_PASSCODE, &state), 0);
  CHECK(state.locks == 0);
  name_many_keys(fido, items);
  REQUIRE(CustomFido_destroy(fido) == 0);
  REQUIRE_OK(CustomVault_close(vault));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(again));
  remove_folder(folder);
  printf("%u authentications, %u registrations, %u were busy; the last counter is %u\n", done, registered, busy,
         highest);
  return check_end("fido_together", 100);
}
