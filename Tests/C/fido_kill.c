/*
 * A process that registers, authenticates, deregisters, changes and resets is killed: at each call that writes to the
 * vault's file, draws random numbers or derives a key, in each kind of operation; and at random moments. After each:
 *
 *     no key without a user     a key is that of the user who registered it, and only the passcode uses it; a key that
 *                               a server has, or may have, is there, and the one before it until then
 *     no counter goes back      not in a key that is kept, not in the next answer, not that of the registrations
 *     no free try               a passcode that was looked at was counted before; only the right one ends the counting
 *
 *     fido_kill [TIMES]         at random moments; SEED from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fido_kept.h"

/* ---- The process that is killed ---------------------------------------------------------------------------------- */

static int reports, is_killed_at, calls_so_far, is_a_try;
static report now;

/* Dies at the chosen call. */
static void pass(void) {
  if (is_killed_at > 0 && ++calls_so_far == is_killed_at) kill(getpid(), SIGKILL);
}
static void tell(int phase) {
  now.phase = phase;
  if (write(reports, &now, sizeof now) != sizeof now) _exit(4);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  pass();
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}
int ftruncate64(int file, off64_t length) {
  pass();
  return (int)syscall(SYS_ftruncate, file, length);
}
int fdatasync(int file) {
  pass();
  return (int)syscall(SYS_fdatasync, file);
}
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  pass();
  return syscall(SYS_getrandom, bytes, count, flags);
}

/* In the call that derives a key, which is after the counting and before the checking. */
static void now_it_is_tried(void) {
  pass();
  if (is_a_try) tell(TRYING);
  pass();
}

static void tell_answer(int phase) {
  memcpy(now.keyID, answered.keyID, KEY_ID);
  now.signatures = answered.signatures;
  now.registrations = answered.registrations;
  tell(phase);
}

static int send_to_server(void *context, CUSTOM_FIDO_EXCHANGE *exchange) {
  const char *asked = context;
  int is_answer = strstr(exchange->url, "answer") != NULL;
  if (is_answer) {
    read_answer(exchange->body);
    tell_answer(SENT);
    pass();
  }
  exchange->answerLength =
      (size_t)snprintf(exchange->answer, exchange->capacity, is_answer ? "{\"statusCode\":1200}"
                                                                       : "{\"statusCode\":1200,\"uafRequest\":%s}",
                       asked);
  exchange->status = 200;
  strcpy(exchange->contentType, "application/fido+uaf");
  return 0;
}

/* One operation. `version` is that of the passcode, which a change raises. */
static int operate(uint32_t *version) {
  CUSTOM_KEYBOARD keyboard = typed_of(now.kind == FAIL ? 0 : *version), again = typed_of(*version);
  int result = 0, sets = 0, state;
  REQUIRE(CustomFido_state(fido, CUSTOM_FIDO_PASSCODE, &state) == 0);
  /* Not while wrong tries are counted, but then it is so already. */
  CustomFido_setOption(fido, CUSTOM_FIDO_PASSCODE, CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, TRIES);
  is_a_try = 1;
  switch (now.kind) {
    case REGISTER:
    case REGISTER_ONLINE:
      /* The first derivation sets the passcode. */
      sets = state == CUSTOM_FIDO_STATE_NOT_REGISTERED;
      is_a_try = !sets;
      while_checking = now_it_is_tried;
      if (now.kind == REGISTER) {
        result = begin(request_for("Reg", now.user, NULL));
        REQUIRE(result == CUSTOM_FIDO_AUTH_READY);
        result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again);
      } else {
        char request[1024];
        snprintf(request, sizeof request, "%s", request_for("Reg", now.user, NULL));
        REQUIRE(CustomFido_setServer(fido, "https://a.example/ask", "https://a.example/answer", 5, send_to_server,
                                     request) == 0);
        result = CustomFido_startRegistration(fido, users[now.user], NULL);
        REQUIRE(result == CUSTOM_FIDO_AUTH_READY);
        result = CustomFido_resume(fido, CUSTOM_FIDO_PASSCODE, NULL, keyboard, again);
      }
      break;
    case AUTHENTICATE:
    case FAIL:
      result = begin(request_for("Auth", now.user, NULL));
      if (result != CUSTOM_FIDO_AUTH_READY) break;
      while_checking = now_it_is_tried;
      result = CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, users[now.user], keyboard, 0);
      break;
    case DEREGISTER:
      result = begin("[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"Dereg\",\"appID\":\"\"},"
                     "\"authenticators\":[{\"aaid\":\"C0DE#0001\",\"keyID\":\"\"}]}]");
      break;
    case CHANGE:
      type_again(again, passcode_of(*version + 1));
      while_checking = now_it_is_tried;
      result = CustomFido_change(fido, CUSTOM_FIDO_PASSCODE, keyboard, again);
      if (result == CUSTOM_FIDO_CHANGE_SUCCESS) ++*version;
      break;
    case RESET:
      result = CustomFido_reset(fido, CUSTOM_FIDO_PASSCODE);
      break;
    case KINDS:
      break;
  }
  while_checking = NULL;
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(again));
  return result;
}

/* Makes operation `number`, then the next ones. Makes only that one if `at` says at which call it is killed. */
static void operate_until_killed(uint32_t number, uint32_t version, kind chosen, int at) {
  open_client();
  is_killed_at = at;
  for (;; number++) {
    static char text[65536];
    size_t length;
    now = (report){.kind = at > 0 ? chosen : kind_of(number), .number = number};
    now.user = user_of(number, now.kind);
    tell(BEGUN);
    now.result = operate(&version);
    if (now.result == 0 && now.kind != DEREGISTER && now.kind != REGISTER_ONLINE) {
      REQUIRE(CustomFido_response(fido, text, sizeof text, &length) == 0);
      read_answer(text);
    }
    tell_answer(DONE);
    if (at > 0) _exit(0);
  }
}

static pid_t start(uint32_t number, uint32_t version, kind chosen, int at, int ends[2]) {
  char numbers[5][16];
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    const uint32_t values[5] = {number, version, chosen, (uint32_t)at, (uint32_t)ends[1]};
    for (int i = 0; i < 5; i++) snprintf(numbers[i], 16, "%u", values[i]);
    execl(program_invocation_name, "fido_kill", "--operate", folder, numbers[0], numbers[1], numbers[2], numbers[3],
          numbers[4], (char *)NULL);
    _exit(1);
  }
  close(ends[1]);
  return child;
}

/* ---- Kills ------------------------------------------------------------------------------------------------------- */

static unsigned long done_count, killed_in[KINDS];

/* Takes the reports of a process that has ended, and checks. Returns whether it was killed in an operation. */
static int follow(int ends[2], uint32_t *number, int uses_keys) {
  report told, last = {.phase = DONE}, sent = {.phase = BEGUN};
  while (read(ends[0], &told, sizeof told) == sizeof told) {
    last = told;
    *number = told.number + 1;
    switch (told.phase) {
      case BEGUN: known.tried = 0; break;
      case TRYING: known.tried = 1; break;
      case SENT:
        see_answer(&told);
        sent = told;
        break;
      case DONE:
        see_done(&told);
        sent.phase = BEGUN;
        done_count++;
        break;
    }
  }
  close(ends[0]);
  int is_under_way = last.phase != DONE;
  if (is_under_way) killed_in[last.kind]++;
  check_after(is_under_way ? &last : NULL, sent.phase == SENT ? &sent : NULL, uses_keys);
  return is_under_way;
}

static void new_vault(void) {
  remove_folder(folder);
  REQUIRE(mkdir(folder, 0700) == 0);
  memset(&known, 0, sizeof known);
  known.version = 1;
  seen_count = 0;
}

static int run_one(uint32_t number, kind kind, int at, int uses_keys) {
  int ends[2], status;
  pid_t child = start(number, known.version, kind, at, ends);
  REQUIRE(waitpid(child, &status, 0) == child);
  int was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!CHECK(was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0))) fprintf(stderr, "  status %x\n", status);
  (void)follow(ends, &number, uses_keys);
  return was_killed;
}

/* Each kind is killed at its first call, its second, and so on, until it is through: with a passcode that is set and
 * keys of all users, and in an empty vault. */
static unsigned long kill_at_each_call(void) {
  unsigned long kills = 0;
  enum { NEVER = 1000000 };
  for (int is_empty = 0; is_empty < 2; is_empty++)
    for (kind kind = REGISTER; kind < KINDS; kind++) {
      if (is_empty && !is_registration(kind)) continue;
      int was_killed = 1, at = 1;
      for (uint32_t number = 1; was_killed; number++, at++) {
        int needs_keys = 0;
        if (is_empty || number == 1) new_vault();
        for (int user = 0; !is_empty && user < USERS; user++) needs_keys |= !known.users[user].has;
        for (uint32_t other = 0; !is_empty && needs_keys && other < 64; other++)
          for (int way = REGISTER; way <= REGISTER_ONLINE; way++)
            if (!known.users[user_of(other, way)].has) (void)run_one(other, way, NEVER, 1);
        was_killed = run_one(number, kind, at, 1);
        kills += (unsigned)was_killed;
        if (atomic_load(&check_failures) > 0) return kills;
      }
      CHECK(at > 3);
    }
  return kills;
}

int main(int count, char **arguments) {
  if (count == 8 && strcmp(arguments[1], "--operate") == 0) {
    snprintf(folder, sizeof folder, "%s", arguments[2]);
    snprintf(path, sizeof path, "%.250s/vault", folder);
    reports = atoi(arguments[7]);
    operate_until_killed((uint32_t)atoi(arguments[3]), (uint32_t)atoi(arguments[4]), (kind)atoi(arguments[5]),
                         atoi(arguments[6]));
  }
  int times = count > 1 ? atoi(arguments[1]) : 100;
  uint32_t next = 1;
  unsigned seed = getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
  srand(seed);
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%.250s/vault", folder);
  unsigned long at_calls = kill_at_each_call();
  new_vault();
  memset(killed_in, 0, sizeof killed_in);
  for (int i = 0; i < times && atomic_load(&check_failures) == 0; i++) {
    int ends[2], status;
    if (i % 64 == 63) new_vault();
    pid_t child = start(next, known.version, REGISTER, 0, ends);
    struct timespec moment = {0, 1000L * (5000 + rand() % 30000)};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    (void)follow(ends, &next, rand() % 2);
  }
  if (atomic_load(&check_failures) > 0) fprintf(stderr, "  seed %u\n", seed);
  remove_folder(folder);
  unsigned long under_way = 0;
  for (int kind = 0; kind < KINDS; kind++) under_way += killed_in[kind];
  printf("killed at each of %lu calls; at %d random moments: %lu in an operation, %lu were done\n", at_calls, times,
         under_way, done_count);
  return check_end("fido_kill", 1000ul + 10ul * (unsigned long)times);
}
