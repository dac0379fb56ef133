/*
 * A fork in the middle of a call: a signal handler interrupts the call and forks, and both parent and child continue
 * the call. The signal is an ordinary one, or one of a fault that somebody sends. Nothing changes for the parent. In
 * the child, a call on a keyboard returns OP_DISABLE, or OK if its work was already done; a call that needs no keyboard
 * returns the usual code. The child draws nothing from a generator that the fork emptied: what it writes to its space
 * differs from that of every other child and of the parent. After the call the child's keyboard is idle, empty and
 * without a key, and it works; what the child then draws is its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fork_reports.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  PASSWORD = 100,
  UNTOUCHED = 1111111,
  OPERATIONS = 300,
  USUAL_SPACE = CUSTOM_KEYBOARD_ENCDATASPACESIZE,
  USUAL_COUNT = (12 + LESS - 1) / LESS
};

/* ---- What is interrupted: every call that succeeds --------------------------------------------------------------- */

/* Calls that are interrupted more often than the others, with other algorithms, or with other spaces. */
static const struct more {
  const char *function, *label;
  int count, algorithm;
  size_t space_size;
} mores[] = {
    {"getText", "OK", 600 / LESS, 3, 1024},
    {"getText", "OK", 200 / LESS, 2, 4096},
    {"getText", "OK", 60 / LESS, 3, WORLD_SPACE},
    {"decrypt", "OK", 400 / LESS, 3, 1024},
    {"decrypt", "OK", 40 / LESS, 0, WORLD_SPACE},
    {"decryptBatch", "OK", 60 / LESS, 3, 1024},
    {"decryptBatch", "OK", 60 / LESS, 2, 1024},
    {"getText", "OK, sealed", 100 / LESS, 3, USUAL_SPACE},
    {"sealTyped", "OK", 60 / LESS, 3, USUAL_SPACE},
    {"unseal", "OK", 100 / LESS, 3, 1024},
    {"unsealBatch", "OK", 60 / LESS, 3, 1024},
    {"generateKey", "OK", 60 / LESS, 3, 1024},
    {"publicKey", "OK", 60 / LESS, 3, 1024},
    {"signText", "OK", 60 / LESS, 3, 1024},
    {"deriveKey", "OK", 60 / LESS, 3, 1024},
    {"checkRule", "a pattern", 200 / LESS, 3, 1024},
    {"compare", "OK", 200 / LESS, 3, 1024},
    {"check", "OK", 200 / LESS, 3, 1024},
    {"addRule", "PHONE", 200 / LESS, 3, 1024},
    {"open", "OK", 300 / LESS, 3, 1024},
    {"touch", "OK", 300 / LESS, 3, 1024},
    {"input", "OK", 200 / LESS, 3, 1024},
    {"setEncKey", "OK", 200 / LESS, 2, 1024},
};

static struct operation operations[OPERATIONS];
static int operation_count;

static void add_operation(const struct call *call, int variant, int count, int algorithm, size_t space_size) {
  REQUIRE(operation_count < OPERATIONS);
  int takes_keyboard = find_function(call->function, strlen(call->function))->takes_keyboard;
  operations[operation_count++] = (struct operation){call, variant, count, algorithm, space_size, takes_keyboard};
}

/* A function that answers words is over before a signal comes, and has nothing that a fork could empty. */
static void add_operations(const struct call *call, int variant) {
  int known = operation_count;
  if (call->expected != CUSTOM_KEYBOARD_OK) return;
  for (size_t i = 0; i < sizeof mores / sizeof *mores; i++)
    if (strcmp(call->function, mores[i].function) == 0 && strcmp(call->label, mores[i].label) == 0)
      add_operation(call, variant, mores[i].count, mores[i].algorithm, mores[i].space_size);
  if (operation_count == known) add_operation(call, variant, USUAL_COUNT, 3, USUAL_SPACE);
}

/* Makes what the call needs, and a keyboard also where it needs none. */
static void prepare(const struct operation *operation) {
  w.algorithm = &algorithms[operation->algorithm];
  w.space_size = operation->space_size;
  choose_variant(operation->call, operation->variant);
  operation->call->prepare();
  if (!w.keyboard) typed_in();
}

/* ---- Forks ------------------------------------------------------------------------------------------------------- */

/* Handlers of faults may fork, too, where others send these signals; 0 is SIGRTMIN. */
static const int signals[] = {0, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct report *current;
static timer_t timers[SIGNALS], timer;
static volatile sig_atomic_t is_inside, is_late, has_forked, is_child;
static volatile pid_t child;
static uint64_t seed;

static void set_timer(long microseconds) {
  struct itimerspec when = {{0, 0}, {0, 1000 * microseconds}};
  timer_settime(timer, 0, &when, NULL);
}

/* Forks if a call was interrupted; otherwise the next call is tried. */
static void fork_now(int number, siginfo_t *info, void *context) {
  int error = errno;
  (void)context;
  if (info->si_code != SI_TIMER) {
    signal(number, SIG_DFL); /* a fault */
  } else if (!is_inside) {
    is_late = 1;
  } else if (!has_forked) {
    has_forked = 1;
    sigset_t alarms; /* for a fork that hangs */
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    child = report_count / SIGNALS % 2 == 0 ? fork() : _Fork();
    if (child == 0) {
      is_child = 1;
      if (w.room > 0) memcpy(current->at_fork, w.space, w.room);
    }
  }
  errno = error;
}

static void *shared(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return memory;
}

/* The digits in the order shown, as one number. */
static uint32_t order_of(const struct page *page) {
  uint32_t order = 0;
  for (size_t i = 0; i < page->count; i++)
    if (page->keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER)
      order = order * 10 + (uint32_t)(page->keys[i].label[0] - '0');
  return order;
}

/* If the fork comes just before the call does anything, the child makes the call as a new one, and it may succeed:
 * these are allowed on idle keyboards. From outside that looks like a call that continued after the fork, but it must
 * be rare, because it is only possible for a few instructions. */
static int is_call_of(const struct call *call, const char *function) { return strcmp(call->function, function) == 0; }
static int may_open(const struct call *call) { return is_call_of(call, "open") || is_call_of(call, "receive"); }
static int may_set_key(const struct call *call) {
  return is_call_of(call, "setEncKey") || is_call_of(call, "dukptNext");
}

/* What the header says about the child's keyboard; whether it has a key is reported separately. */
static int is_idle(int *has_key) {
  size_t count = 99, at;
  uint8_t some[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  struct page page;
  int is_empty = CustomKeyboard_count(w.keyboard, &count) == CUSTOM_KEYBOARD_OK && count == 0;
  int is_down = CustomKeyboard_getText(w.keyboard, some, sizeof some, &at, &count) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomKeyboard_keys(w.keyboard, page.keys, MOST_KEYS, &page.count) == CUSTOM_KEYBOARD_OP_DISABLE &&
                CustomKeyboard_close(w.keyboard) == CUSTOM_KEYBOARD_OP_DISABLE;
  int opens = CustomKeyboard_open(w.keyboard) == CUSTOM_KEYBOARD_OK;
  is_empty &= CustomKeyboard_count(w.keyboard, &count) == CUSTOM_KEYBOARD_OK && count == 0;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(w.keyboard, some, sizeof some, &at, &count);
  /* Nothing is typed, so a key for PIN1 blocks refuses. */
  *has_key = rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_REFUSED;
  return is_empty && is_down && opens && (*has_key || rv == CUSTOM_KEYBOARD_ERR);
}

/* Uses a keyboard completely, from setting the key to getting the text. */
static int is_usable(struct report *report) {
  struct page page;
  uint8_t clear[64];
  size_t at, count;
  CustomKeyboard_close(w.keyboard);
  if (CustomKeyboard_setEncKey(w.keyboard, page_key, 16, CUSTOM_ENCWAY_SM4) != CUSTOM_KEYBOARD_OK ||
      CustomKeyboard_setLayout(w.keyboard, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 0) !=
          CUSTOM_KEYBOARD_OK ||
      CustomKeyboard_open(w.keyboard) != CUSTOM_KEYBOARD_OK ||
      CustomKeyboard_keys(w.keyboard, page.keys, MOST_KEYS, &page.count) != CUSTOM_KEYBOARD_OK)
    return 0;
  report->order = order_of(&page);
  return CustomKeyboard_pressKey(w.keyboard, 0) == CUSTOM_KEYBOARD_OK &&
         CustomKeyboard_getText(w.keyboard, report->fresh, FRESH, &report->fresh_offset, &report->fresh_length) ==
             CUSTOM_KEYBOARD_OK &&
         CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, page_key, 16, report->fresh + report->fresh_offset,
                                report->fresh_length, clear, sizeof clear, &at, &count) == CUSTOM_KEYBOARD_OK &&
         count == 1 && clear[at] == (uint8_t)page.keys[0].label[0] &&
         CustomKeyboard_destroy(w.keyboard) == CUSTOM_KEYBOARD_OK;
}

/* Ends the child, after the interrupted call has returned. */
static void tell(uint64_t answer) {
  struct report *report = current;
  const struct operation *operation = report->operation;
  const struct call *call = operation->call;
  struct page page;
  alarm(LONGEST_CHILD);
  if (w.room > 0) memcpy(report->after, w.space, w.room);
  report->rv = (CUSTOM_KEYBOARD_RV)answer;
  if (report->rv == CUSTOM_KEYBOARD_OK) {
    if (w.room > 0 && !w.is_drawn) report->offset = w.offset, report->length = w.length;
    report->is_wrong_answer = call->is_right && !call->is_right();
  } else {
    report->is_wrong_code = !operation->takes_keyboard || report->rv != CUSTOM_KEYBOARD_OP_DISABLE;
    report->is_wrong_answer = w.offset != UNTOUCHED || w.length != UNTOUCHED;
  }
  if (CustomKeyboard_keys(w.keyboard, page.keys, MOST_KEYS, &page.count) == CUSTOM_KEYBOARD_OK) {
    report->shows_keys = 1;
    report->shown_order = order_of(&page);
  }
  int has_key = 0, is_done = report->rv == CUSTOM_KEYBOARD_OK;
  if (is_done && may_open(call) && CustomKeyboard_close(w.keyboard) == CUSTOM_KEYBOARD_OK) {
    report->is_anew = 1;
    report->is_not_idle = !is_idle(&has_key) || has_key;
  } else {
    report->is_not_idle = !is_idle(&has_key);
    report->is_anew = has_key && is_done && may_set_key(call);
    report->is_not_idle |= has_key && !report->is_anew;
  }
  report->is_not_usable = !is_usable(report);
  report->has_ended = 1;
  _exit(0);
}

/* Repeats calls until a fork has interrupted one. */
static void interrupt(const struct operation *operation) {
  const struct call *call = operation->call;
  current = &reports[report_count++];
  current->operation = operation;
  current->room = w.room;
  current->drawn_at = w.drawn_at;
  current->drawn_end = w.drawn_size > 0 ? w.drawn_at + w.drawn_size : w.room;
  if (w.room > 0) {
    current->at_fork = shared(3 * w.room);
    current->after = current->at_fork + w.room;
    current->of_parent = current->after + w.room;
  }
  has_forked = is_child = is_late = 0;
  timer = timers[report_count % SIGNALS];
  uint64_t answer;
  set_timer(20 + (long)(draw(&seed) % 200));
  for (;;) {
    if (is_late) {
      is_late = 0;
      set_timer(1 + (long)(draw(&seed) % (1U << draw(&seed) % 9))); /* for calls of a microsecond, and of hundreds */
    }
    w.offset = w.length = UNTOUCHED;
    is_inside = 1;
    answer = call->run();
    is_inside = 0;
    if (has_forked) break;
    if (!check_code(call, answer)) fprintf(stderr, "  (%s)\n", call_name(call, operation->variant));
    if (call->undo) call->undo();
  }
  if (is_child) tell(answer);
  REQUIRE(child > 0);
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  check_call(call, operation->variant, answer);
  current->is_exact = w.room > 0 && !w.is_drawn && w.length == w.room;
  if (w.room > 0) memcpy(current->of_parent, w.space, w.room);
  if (call->undo) call->undo();
}

/* ---- What the children tell -------------------------------------------------------------------------------------- */

static void summarize(const struct operation *operation) {
  int count = 0, crashed = 0, codes = 0, answers = 0, busy = 0, anew = 0, unusable = 0, done = 0, like_parent = 0;
  for (int i = 0; i < report_count; i++) {
    const struct report *report = &reports[i];
    if (report->operation != operation) continue;
    count++;
    if (!report->has_ended) {
      crashed++;
      continue;
    }
    codes += report->is_wrong_code;
    answers += report->is_wrong_answer;
    busy += report->is_not_idle;
    anew += report->is_anew;
    unusable += report->is_not_usable;
    done += report->rv == CUSTOM_KEYBOARD_OK;
    like_parent += shares_with_parent(report);
  }
  printf("%s: %d children, %d answer OK; %d crash, %d wrong codes, %d wrong answers, %d not idle, "
         "%d as called anew, %d unusable, %d share with the parent\n",
         call_name(operation->call, operation->variant), count, done, crashed, codes, answers, busy, anew, unusable,
         like_parent);
  CHECK_EQUAL(crashed, 0);
  CHECK_EQUAL(codes, 0);
  CHECK_EQUAL(answers, 0);
  CHECK_EQUAL(busy, 0);
  CHECK(anew == 0 || may_open(operation->call) || may_set_key(operation->call));
  CHECK_EQUAL(unusable, 0);
  CHECK_EQUAL(like_parent, 0);
  CHECK_EQUAL(count, operation->count);
}

int main(int argument_count, char **arguments) {
  struct sigaction action = {.sa_sigaction = fork_now, .sa_flags = SA_RESTART | SA_SIGINFO};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL};
  int all = 0;
  seed = take_seed();
  alarm(LONGEST_WAIT);
  REQUIRE(argument_count >= 2);
  check_complete(&keyboard_calls, arguments[1]);
  draw_password(&(uint64_t){seed}, w.password, sizeof w.password);
  memcpy(w.key, page_key, sizeof w.key);
  w.password_length = PASSWORD;
  w.layout = CUSTOM_KEYBOARD_LAYOUT_PIN;
  w.may_be_idle = 1;
  walk_calls(&keyboard_calls, 1, add_operations);
  for (int i = 0; i < SIGNALS; i++) {
    event.sigev_signo = signals[i] ? signals[i] : SIGRTMIN;
    REQUIRE(sigaction(event.sigev_signo, &action, NULL) == 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timers[i]) == 0);
  }
  for (int i = 0; i < operation_count; i++) all += operations[i].count;
  reports = shared((size_t)all * sizeof *reports);
  for (int i = 0; i < operation_count; i++) {
    prepare(&operations[i]);
    for (int n = 0; n < operations[i].count; n++) interrupt(&operations[i]);
    release_world();
  }

  uint32_t *orders = malloc((size_t)all * sizeof *orders), *shown_orders = malloc((size_t)all * sizeof *orders);
  int order_count = 0, shown_count = 0;
  REQUIRE(orders && shown_orders);
  for (int i = 0; i < operation_count; i++) summarize(&operations[i]);
  for (int i = 0; i < report_count; i++) {
    if (reports[i].has_ended && !reports[i].is_not_usable) orders[order_count++] = reports[i].order;
    if (reports[i].shows_keys) shown_orders[shown_count++] = reports[i].shown_order;
  }
  int repeated = count_repeated(orders, order_count), shown = count_repeated(shown_orders, shown_count);
  int sharing = count_sharing();
  printf("%d of %d children wrote what another one wrote\n", sharing, report_count);
  printf("%d PIN orders drawn afterwards, %d repeated; %d were still shown, %d repeated\n", order_count, repeated,
         shown_count, shown);
  CHECK_EQUAL(sharing, 0);
  CHECK(repeated < 26); /* 5 are expected among 6000; 26 happen by chance once in 10^10 runs */
  CHECK_EQUAL(shown, 0);
  free(orders);
  free(shown_orders);
  return check_end("fork_inside", 5000);
}
