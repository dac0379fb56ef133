/*
 * What the library leaves behind in memory: nothing. After every call of the header, and while a password is typed, all
 * writable memory is searched for the password, the key and the key schedule. While it is typed, also for the
 * generator's key, its batch and the order of the keys, which may only be in locked memory. Controls plant each of them
 * and must be found.
 *
 * Between call and search the program calls libc functions for the first time. With lazy binding, the dynamic linker
 * then saves the vector registers to the stack, with anything that the library left in them. Each scenario runs in its
 * own process, so that the library's calls are first calls too. The parent makes needles and ciphertexts and passes
 * them on.
 *
 *     residue lazy|now name [n]    how this program is bound, for the controls; the name to print; one scenario in n
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "keyboard_calls.h"
#include "scan.h"
#include "disturb.h"
#include "foretell.h"
#include <sys/wait.h>

enum { LONGEST = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE, CIPHER_SIZE = sizeof(CUSTOM_KEYBOARD_CIPHER), ORDERS = 5 };

static const size_t lengths[] = {8, 16, 33, 100, 128};
enum { LENGTH_COUNT = sizeof lengths / sizeof *lengths };

/* Describes a scenario. The child gets no secret from the parent, only what is needed to draw it again. */
static struct scenario {
  uint64_t seed;
  int number, algorithm, length, order, is_lazy;
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t text_length;
} given;

#include "residue_secrets.h"

/* ---- The child's part: calls, each followed by a search ---------------------------------------------------------- */

static void search(const char *when) {
  keys_in_locked = orders_in_locked = 0;
  disturb();
  if (!CHECK_EQUAL(scan(when, 0), 0))
    fprintf(stderr, "  (%s, password of %zu bytes, order %d, bound %s)\n", algorithms[given.algorithm].name,
            password.length, given.order, given.is_lazy ? "lazily" : "at start");
}

/* One call; its secret arguments are wiped before the search. */
#define AFTER(when, expected, call)                   \
  do {                                                \
    CUSTOM_KEYBOARD_RV answer = (call);               \
    hide();                                           \
    search(when);                                     \
    CHECK_EQUAL(answer, CUSTOM_KEYBOARD_##expected);  \
  } while (0)

#define TYPE(from, count) CustomKeyboard_input(k, show(&password, (from), (count)), (count))

/* Checks that the last search found the next key and the order in locked memory, so what was computed is right. */
static void check_kept(void) {
  CHECK(keys_in_locked > 0);
  CHECK(orders_in_locked > 0);
}

static void use_keyboard(void) {
  const struct algorithm *a = &algorithms[given.algorithm];
  CUSTOM_KEYBOARD k;
  size_t offset, length, n = password.length, half = n / 2;
  AFTER("create", OK, CustomKeyboard_create(&k));
  foretell(DRAWS_PAD, 0);
  AFTER("setEncKey", OK, CustomKeyboard_setEncKey(k, show(&key, 0, key.length), key.length, a->way));
  foretell(DRAWS_PAD, 0);
  AFTER("setEncKey again", OK, CustomKeyboard_setEncKey(k, show(&key, 0, key.length), key.length, a->way));
  AFTER("setEncKey refused", ERR, CustomKeyboard_setEncKey(k, show(&key, 0, key.length), key.length - 1, a->way));
  foretell(DRAWS_OPENING, CUSTOM_KEYBOARD_LAYOUT_LETTERS);
  is_order_kept = 1;
  AFTER("open", OK, CustomKeyboard_open(k));
  check_kept();
  AFTER("setEncKey while up", OP_DISABLE, CustomKeyboard_setEncKey(k, show(&key, 0, key.length), key.length, a->way));
  AFTER("first half typed", OK, TYPE(0, half));
  for (size_t i = half; i < n; i++) {
    CUSTOM_KEYBOARD_RV rv = TYPE(i, 1);
    hide();
    CHECK_OK(rv);
  }
  search("typed key by key");
  foretell(DRAWS_PLACE, 0);
  AFTER("getText", OK, CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  AFTER("deleteBackward", OK, CustomKeyboard_deleteBackward(k));
  AFTER("last character again", OK, TYPE(n - 1, 1));
  AFTER("getText exact", OK, CustomKeyboard_getText(k, space, given.text_length, &offset, &length));
  CHECK_BYTES(space, given.text, given.text_length);
  AFTER("getText refused", SPACE, CustomKeyboard_getText(k, space, 7, &offset, &length));
  AFTER("clear", OK, CustomKeyboard_clear(k));
  AFTER("typed at once", OK, TYPE(0, n));
  AFTER("typed too much", MAXLEN, CustomKeyboard_input(k, show(&password, 0, n), LONGEST + 1));
  show(&password, 0, n);
  in_clear[n - 1] = 0xff;
  AFTER("typed no UTF-8", ARGUMENT, CustomKeyboard_input(k, (const uint8_t *)in_clear, n));
  is_order_kept = 0;
  AFTER("close", OK, CustomKeyboard_close(k));
  AFTER("typed while idle", OP_DISABLE, TYPE(0, n));
  foretell(DRAWS_OPENING, CUSTOM_KEYBOARD_LAYOUT_LETTERS);
  is_order_kept = 1;
  AFTER("open again", OK, CustomKeyboard_open(k));
  check_kept();
  AFTER("typed again", OK, TYPE(0, n));
  foretell(DRAWS_PLACE, 0);
  AFTER("getText again", OK, CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  is_order_kept = 0;
  AFTER("destroy while up", OK, CustomKeyboard_destroy(k));
  AFTER("typed on a dead keyboard", ARGUMENT, TYPE(0, n));
}

/* ---- Every call of the header ------------------------------------------------------------------------------------ */

static void show_world(void) {
  w.password_length = password.length;
  for (size_t i = 0; i < password.length; i++)
    ((volatile uint8_t *)w.password)[i] = password.masked[i] ^ password.mask[i];
  for (size_t i = 0; i < sizeof w.key; i++) ((volatile uint8_t *)w.key)[i] = key.masked[i] ^ key.mask[i];
}

/* Some of the calls in each scenario: all of them in every so many. */
enum { CALL_PARTS = 10 };
static unsigned call_number;

static void make_call(const struct call *call, int variant) {
  if (call_number++ % CALL_PARTS != (unsigned)given.number % CALL_PARTS) return;
  show_world();
  call->prepare();
  uint64_t answer = call->run();
  hide_world();
  search(call_name(call, variant));
  if (!check_code(call, answer)) fprintf(stderr, "  (%s)\n", call_name(call, variant));
}

static void use_calls(void) {
  w.algorithm = &algorithms[given.algorithm];
  w.layout = CUSTOM_KEYBOARD_LAYOUT_LETTERS;
  /* The keyboards here have orders of their own, in locked memory. Of the ten digits, eight may come in a row as they
   * did in the order that is searched for. */
  is_order_kept = 1;
  walk_calls(&keyboard_calls, 1, make_call);
  is_order_kept = 0;
}

/* What the search must find: planted in the heap, left on the stack, left in a vector register. */
__attribute__((noinline)) static void leave_on_stack(void) {
  volatile uint8_t copy[4096]; /* its start is deeper than the frames of the search */
  for (size_t i = 0; i < sizeof copy; i++) copy[i] = i < 8 ? password.masked[i] ^ password.mask[i] : 0; /* as below */
  (void)copy;
}

/* The registers saved here are deeper than the frames of the search. All is used, or clang's array is shorter. */
__attribute__((noinline)) static void disturb_deeper(void) {
  volatile uint8_t frame[4096];
  for (size_t i = 0; i < sizeof frame; i++) frame[i] = 0;
  disturb();
  (void)frame[0];
}

static void run_controls(void) {
  volatile uint8_t *heap = malloc(4096);
  REQUIRE(heap);
  CHECK_EQUAL(scan("before the controls", 0), 0);
  for (size_t i = 0; i < key.length; i++) heap[1001 + i] = key.masked[i] ^ key.mask[i];
  CHECK_EQUAL(scan("control", 1), key.length - WINDOW + 1);
  wipe(heap, 4096);
  free((void *)heap);
  CHECK_EQUAL(scan("between the controls", 0), 0);
  leave_on_stack();
  CHECK(scan("control", 1) > 0);
  wipe_stack();
  /* In a vector register. On arm64 the dynamic linker saves the first eight, which carry arguments. */
#if defined(__x86_64__)
  __asm__ volatile("movdqu %0, %%xmm9" ::"m"(*(const uint8_t(*)[16])show(&password, 0, 8)) : "xmm9");
#elif defined(__aarch64__)
  __asm__ volatile("ldr q5, %0" ::"m"(*(const uint8_t(*)[16])show(&password, 0, 8)) : "v5");
#endif
  hide();
  disturb_deeper();
  size_t hits = scan("control", 1);
  if (given.is_lazy) CHECK(hits > 0);
#if defined(__x86_64__)
  __asm__ volatile("pxor %%xmm9, %%xmm9" ::: "xmm9");
#elif defined(__aarch64__)
  __asm__ volatile("movi v5.2d, #0" ::: "v5");
#endif
  wipe_stack();
  CHECK_EQUAL(scan("after the controls", 0), 0);
}

/* The same for the generator's key and the order of the keys, outside locked memory: in the heap, and in a register. */
static void run_drawn_controls(void) {
  volatile uint8_t *heap = malloc(4096);
  CUSTOM_KEYBOARD k;
  REQUIRE(heap);
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_open(k)); /* the first draw, which cannot be computed before it */
  REQUIRE_OK(CustomKeyboard_close(k));
  foretell(DRAWS_OPENING, CUSTOM_KEYBOARD_LAYOUT_LETTERS);
  is_order_kept = 1;
  REQUIRE_OK(CustomKeyboard_open(k));
  wipe_stack();
  zero_registers();
  keys_in_locked = orders_in_locked = 0;
  CHECK_EQUAL(scan("before the controls of what is drawn", 0), 0);
  check_kept();
  REQUIRE(generator_at && order_at);
  for (int is_order = 0; is_order <= 1; is_order++) {
    const volatile uint8_t *from = is_order ? (const volatile uint8_t *)order_at : generator_at;
    for (size_t i = 0; i < WINDOW; i++) heap[77 + i] = from[i];
    CHECK(scan("control", 1) > 0);
    wipe(heap, 4096);
#if defined(__x86_64__)
    uint64_t window;
    __builtin_memcpy(&window, (const void *)(uintptr_t)from, sizeof window);
    __asm__ volatile("movq %0, %%xmm9" ::"r"(window) : "xmm9");
    disturb_deeper();
    size_t hits = scan("control", 1);
    if (given.is_lazy) CHECK(hits > 0);
    __asm__ volatile("pxor %%xmm9, %%xmm9" ::: "xmm9");
    window = 0;
    __asm__ volatile("" ::"r"(window));
#endif
    wipe_stack();
    zero_registers();
    CHECK_EQUAL(scan("after a control of what is drawn", 0), 0);
  }
  is_order_kept = 0;
  CHECK(scan("an order that is not to be there any more", 1) > 0);
  REQUIRE_OK(CustomKeyboard_close(k));
  wipe_stack();
  zero_registers();
  CHECK_EQUAL(scan("closed", 0), 0);
  REQUIRE_OK(CustomKeyboard_destroy(k));
  free((void *)heap);
}

static int run_child(void) {
  void (*const uses[])(void) = {use_keyboard, use_calls};
  REQUIRE(read(STDIN_FILENO, &given, sizeof given) == (ssize_t)sizeof given);
  for (size_t filled = 0; filled < sizeof needles;) {
    ssize_t got = read(STDIN_FILENO, (uint8_t *)&needles + filled, sizeof needles - filled);
    REQUIRE(got > 0);
    filled += (size_t)got;
  }
  draw_secrets();
  wipe_stack();
  if (given.order == ORDERS - 1) {
    run_controls();
    run_drawn_controls();
  } else
    for (int i = 0; i < 2; i++) uses[(given.order + i) % 2]();
  REQUIRE(write(STDOUT_FILENO, &check_count, sizeof check_count) == (ssize_t)sizeof check_count);
  return atomic_load(&check_failures) > 0;
}

/* ---- The parent -------------------------------------------------------------------------------------------------- */

static void run_scenario(void) {
  int in[2], out[2], status;
  unsigned long checks = 0;
  prepare();
  REQUIRE(pipe(in) == 0 && pipe(out) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    execl("/proc/self/exe", "residue", (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  REQUIRE(write(in[1], &given, sizeof given) == (ssize_t)sizeof given);
  REQUIRE(write(in[1], &needles, sizeof needles) == (ssize_t)sizeof needles);
  close(in[1]);
  CHECK(read(out[0], &checks, sizeof checks) == (ssize_t)sizeof checks);
  close(out[0]);
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
  CHECK(checks >= 5);
  atomic_fetch_add(&check_count, checks);
}

int main(int count, char **arguments) {
  if (count < 3) return run_child();
  uint64_t seed = take_seed();
  int every = count > 3 ? atoi(arguments[3]) : 1, turn = 0, taken = 0;
  REQUIRE(every >= 1);
  given.is_lazy = strcmp(arguments[1], "lazy") == 0;
  for (given.algorithm = 0; given.algorithm < ALGORITHM_COUNT; given.algorithm++)
    for (given.length = 0; given.length < LENGTH_COUNT; given.length++)
      for (given.order = 0; given.order < ORDERS; given.order++) {
        if (turn++ % every != 0) continue;
        given.seed = draw(&seed);
        given.number = turn - 1;
        run_scenario();
        taken++;
      }
  return check_end(arguments[2], every == 1 ? 12000 : (unsigned long)taken * 5);
}
