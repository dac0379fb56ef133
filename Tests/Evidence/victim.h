/*
 * The process that dies, or searches itself, at a given point of a keyboard's life: with something typed, in a
 * callback, after each kind of error, in the child of a fork, in the middle of getText. It draws its own secrets (one
 * is the generator's key, which it gives to the generator). They exist only masked, byte by byte. One more secret is in
 * ordinary memory, as a control.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VICTIM_H
#define VICTIM_H

#include "fixture.h"
#include "disturb.h"
#include "foretell.h"
#include "scan.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { PASSWORD = 40, LONGEST_IN_CLEAR = 1300, BEFORE_DEATH = 512 };

#define POINTS(POINT)                                                                                               \
  POINT(WITHOUT_MEMORY, "after decrypt without memory") POINT(KEY_SET, "with a key set")                            \
  POINT(KEY_REFUSED, "after a key that was refused") POINT(OPENED, "after open") POINT(HALF_TYPED, "half typed") POINT(TYPED, "typed")          \
  POINT(IN_TEXT_FIELD, "in the text field's callback") POINT(IN_OK_ACTION, "in the OK action, after getText")       \
  POINT(AFTER_TEXT, "after getText") POINT(AFTER_SPACE, "after getText without space")                              \
  POINT(AFTER_TOO_LONG, "after input too long") POINT(AFTER_NO_UTF8, "after input that is not UTF-8")               \
  POINT(FORKED, "in the child of a fork") POINT(FORKED_REFUSED, "in that child, after decrypt without randomness") \
  POINT(AFTER_CLOSE, "after close") POINT(AFTER_DESTROY, "after destroy") POINT(AFTER_DECRYPT, "after decrypt")     \
  POINT(AFTER_UNDECRYPTABLE, "after decrypt of what does not decrypt") POINT(AFTER_BATCH, "after decryptBatch")     \
  POINT(IN_TEXT, "in the middle of getText") POINT(IN_DECRYPT, "in the middle of decrypt")                          \
  POINT(IN_PLACING, "while decrypt places the password")                                                            \
  POINT(CONTROL_CIPHER, "control: a cipher in ordinary memory")                                                     \
  POINT(CONTROL_TYPED, "control: typed, dumped all the same")                                                       \
  POINT(CONTROL_IN_TEXT, "control: in the middle of getText, dumped all the same")                                  \
  POINT(CONTROL_IN_DECRYPT, "control: in the middle of decrypt, dumped all the same")

#define POINT_NAME(name, text) POINT_##name,
#define POINT_TEXT(name, text) text,
enum point { POINTS(POINT_NAME) POINT_COUNT, POINT_ALL = POINT_COUNT };
static const char *const point_texts[] = {POINTS(POINT_TEXT)};

static struct {
  const struct algorithm *algorithm;
  enum point point;
  uint8_t text[48], faulty_text[48];
  size_t text_length;
} victim;

static struct secret {
  uint8_t masked[LONGEST_IN_CLEAR], mask[LONGEST_IN_CLEAR];
  size_t length;
} password, key, generator, planted;
static volatile uint8_t in_clear[LONGEST_IN_CLEAR]; /* input reads as many bytes as it is told */
static volatile uint8_t *ordinary;
static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];

static void draw_secret(struct secret *secret, uint64_t seed, size_t length, unsigned least, unsigned values) {
  secret->length = length;
  for (size_t i = 0; i < length; i++) {
    secret->mask[i] = (uint8_t)draw(&seed);
    secret->masked[i] = (uint8_t)(least + draw(&seed) % values) ^ secret->mask[i];
  }
}

static void draw_secrets(const struct algorithm *a, uint64_t seed) {
  draw_secret(&password, seed ^ 1, PASSWORD, '!', 94);
  draw_secret(&key, seed ^ 2, a->key_length, 0, 256);
  draw_secret(&planted, seed ^ 3, PLANTED, 0, 256);
  draw_secret(&generator, seed ^ 4, RANDOM_KEY, 0, 256);
}

__attribute__((noinline)) static const uint8_t *show(const struct secret *secret, size_t from, size_t length) {
  for (size_t i = 0; i < length; i++) in_clear[i] = secret->masked[from + i] ^ secret->mask[from + i];
  return (const uint8_t *)in_clear;
}

static void hide(void) { wipe(in_clear, sizeof in_clear); }

/* ---- Points ------------------------------------------------------------------------------------------------------ */

/* What was drawn may be in locked memory. */
static int is_drawn_and_locked(const char *kind, uintptr_t at) {
  if (strcmp(kind, "drawn") != 0 && strcmp(kind, "shuffle") != 0) return 0;
  if (!is_locked(at)) find_locked();
  return is_locked(at);
}

/* Gives the generator its key, so that the parent process, which has the same seed, knows everything that is drawn. */
static void seed_generator(void) {
  volatile uint8_t *at = generator_key();
  for (size_t i = 0; i < RANDOM_KEY; i++) at[i] = generator.masked[i] ^ generator.mask[i];
}

/* First calls, with frames that are deeper than those of the search. All is used, or clang's array is shorter. */
__attribute__((noinline)) static void disturb_deeper(void) {
  static unsigned turn;
  volatile uint8_t frame[4096];
  for (size_t i = 0; i < sizeof frame; i++) frame[i] = 0;
  for (int i = 0; i < 3; i++) call_function(turn++);
  (void)frame[0];
}

/* Searches; then plants a part of the password and of the generator's key in the heap and finds them, to show that the
 * search works here. */
static void search(enum point point) {
  may_be = is_drawn_and_locked;
  disturb_deeper(); /* with lazy binding, registers are saved to the stack */
  CHECK_EQUAL(scan(point_texts[point], 0), 0);
  for (size_t i = 0; i < 12; i++) ordinary[100 + i] = password.masked[i] ^ password.mask[i];
  CHECK(scan("control", 1) > 0);
  wipe(ordinary + 100, 12);
  for (size_t i = 0; i < 12; i++) ordinary[100 + i] = generator.masked[i] ^ generator.mask[i];
  CHECK(scan("control", 1) > 0);
  wipe(ordinary + 100, 12);
}

/* A victim of which a check has failed so far leaves no dump, and the parent misses it. */
static void insist_on_checks(void) {
  if (atomic_load(&check_failures) > 0) _exit(1);
}

static void reach(enum point point) {
  hide();
  if (victim.point == POINT_ALL) search(point);
  if (victim.point != point) return;
  insist_on_checks();
  raise(SIGABRT);
}

static void tell_field(void *context, CUSTOM_KEYBOARD k, size_t count) {
  (void)context, (void)k, (void)count;
  reach(POINT_IN_TEXT_FIELD);
}

static void tell_ok(void *context, CUSTOM_KEYBOARD k) {
  size_t offset, length;
  (void)context;
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  reach(POINT_IN_OK_ACTION);
}

/* A space of which only the first BEFORE_DEATH bytes can be written: a call that fills it dies in the middle. */
static uint8_t *deadly_space(void) {
  insist_on_checks();
  uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_NONE) == 0);
  return pages + 4096 - BEFORE_DEATH;
}

static void deny_getrandom(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

#define DECRYPT_INTO(what, space, size)                                                                         \
  CustomKeyboard_decrypt(victim.algorithm->way, show(&key, 0, key.length), key.length, (what), victim.text_length, \
                         (space), (size), &offset, &length)
#define DECRYPT(what, size) DECRYPT_INTO(what, space, size)

/* Dies while the space is filled. At that time the workspace holds all secrets: in getText the key, in decrypt the
 * password. */
static void die_in_text(CUSTOM_KEYBOARD k) {
  size_t offset, length;
  if (victim.point == POINT_CONTROL_IN_TEXT) dump_everything();
  CHECK_OK(CustomKeyboard_getText(k, deadly_space(), 1024, &offset, &length));
  REQUIRE(!"it lives");
}

/* The caller's key cannot be masked during the call, so the signal handler wipes it before the process dies. */
static void hide_and_die(int number) {
  hide();
  signal(number, SIG_DFL);
}

static void die_in_decrypt(void) {
  size_t offset, length;
  if (victim.point == POINT_CONTROL_IN_DECRYPT) dump_everything();
  signal(SIGSEGV, hide_and_die);
  if (victim.point == POINT_IN_PLACING) /* the last byte that is placed has no memory, and there is none to fill */
    CHECK_OK(DECRYPT_INTO(victim.text, deadly_space() + BEFORE_DEATH + 1 - PASSWORD, PASSWORD));
  CHECK_OK(DECRYPT_INTO(victim.text, deadly_space(), 1024));
  REQUIRE(!"it lives");
}

/* The number of nonzero bytes in memory that a fork wipes, and the size of that memory. */
static size_t count_secret_bytes(size_t *size) {
  static char line[512];
  unsigned long start = 0, end = 0, from, to;
  size_t set = 0;
  *size = 0;
  FILE *file = fopen("/proc/self/smaps", "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2) start = from, end = to;
    if (strncmp(line, "VmFlags:", 8) != 0 || !strstr(line, " wf")) continue;
    *size += end - start;
    for (const uint8_t *at = (const uint8_t *)start; at < (const uint8_t *)end; at++) set += *at != 0;
  }
  fclose(file);
  return set;
}

/* The child has no secret, masked or not, and leaves none when it refuses a call because there is no randomness. */
static void fork_here(void) {
  size_t offset, length, size, before = count_secret_bytes(&size);
  CHECK(size > 0 && before > 64); /* control: pads and masked bytes */
  int status, outcome[2];
  unsigned long checks;
  REQUIRE(pipe(outcome) == 0);
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    atomic_store(&check_count, 0);
    CHECK_EQUAL(count_secret_bytes(&size), 0);
    CHECK(size > 0);
    reach(POINT_FORKED);
    deny_getrandom();
    CHECK_EQUAL(DECRYPT(victim.text, sizeof space), CUSTOM_KEYBOARD_RANDOM);
    reach(POINT_FORKED_REFUSED);
    checks = atomic_load(&check_count);
    REQUIRE(write(outcome[1], &checks, sizeof checks) == (ssize_t)sizeof checks);
    _exit(atomic_load(&check_failures) > 0);
  }
  close(outcome[1]);
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) _exit(0); /* died as it should, and was dumped */
  CHECK_EQUAL(status, 0);
  CHECK(read(outcome[0], &checks, sizeof checks) == (ssize_t)sizeof checks);
  atomic_fetch_add(&check_count, checks);
  close(outcome[0]);
}

/* ---- The life of a keyboard -------------------------------------------------------------------------------------- */

static void try_without_memory(void) {
  size_t offset, length;
  struct rlimit limit, none = {1 << 20, 0};
  REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  none.rlim_max = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
  CUSTOM_KEYBOARD_RV rv = DECRYPT(victim.text, sizeof space);
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_MEMORY);
  reach(POINT_WITHOUT_MEMORY);
}

static void use_keyboard(void) {
  CUSTOM_KEYBOARD k;
  CUSTOM_KEYBOARD_KEY keys[40];
  size_t offset, length, count;
  CUSTOM_ENCWAY way = victim.algorithm->way;
  CHECK_OK(CustomKeyboard_create(&k));
  CHECK_OK(CustomKeyboard_setEncKey(k, show(&key, 0, key.length), key.length, way));
  reach(POINT_KEY_SET);
  seed_generator();
  CHECK_EQUAL(CustomKeyboard_setEncKey(k, show(&key, 0, key.length), key.length - 1, way), CUSTOM_KEYBOARD_ERR);
  reach(POINT_KEY_REFUSED);
  CHECK_OK(CustomKeyboard_open(k));
  reach(POINT_OPENED);
  CHECK_OK(CustomKeyboard_input(k, show(&password, 0, PASSWORD / 2), PASSWORD / 2));
  reach(POINT_HALF_TYPED);
  CHECK_OK(CustomKeyboard_input(k, show(&password, PASSWORD / 2, PASSWORD / 2), PASSWORD / 2));
  if (victim.point == POINT_CONTROL_TYPED) dump_everything();
  reach(victim.point == POINT_CONTROL_TYPED ? POINT_CONTROL_TYPED : POINT_TYPED);
  CHECK_OK(CustomKeyboard_setTextField(k, tell_field, NULL));
  CHECK_OK(CustomKeyboard_pressKey(k, 3));
  CHECK_OK(CustomKeyboard_setTextField(k, NULL, NULL));
  CHECK_OK(CustomKeyboard_setOKAction(k, tell_ok, NULL));
  CHECK_OK(CustomKeyboard_keys(k, keys, 40, &count));
  for (size_t i = 0; i < count; i++)
    if (keys[i].role == CUSTOM_KEYBOARD_ROLE_RETURN) CHECK_OK(CustomKeyboard_pressKey(k, i));
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  reach(POINT_AFTER_TEXT);
  if (victim.point == POINT_IN_TEXT || victim.point == POINT_CONTROL_IN_TEXT) die_in_text(k);
  CHECK_EQUAL(CustomKeyboard_getText(k, space, 16, &offset, &length), CUSTOM_KEYBOARD_SPACE);
  reach(POINT_AFTER_SPACE);
  CHECK_EQUAL(CustomKeyboard_input(k, show(&password, 0, PASSWORD), 129), CUSTOM_KEYBOARD_MAXLEN);
  reach(POINT_AFTER_TOO_LONG);
  show(&password, 0, PASSWORD);
  in_clear[PASSWORD] = 0xff;
  CHECK_EQUAL(CustomKeyboard_input(k, (const uint8_t *)in_clear, PASSWORD + 1), CUSTOM_KEYBOARD_ARGUMENT);
  reach(POINT_AFTER_NO_UTF8);
  fork_here();
  CHECK_OK(CustomKeyboard_close(k));
  reach(POINT_AFTER_CLOSE);
  CHECK_OK(CustomKeyboard_destroy(k));
  reach(POINT_AFTER_DESTROY);
}

static void use_decryption(void) {
  size_t offset, length;
  CUSTOM_KEYBOARD_JOB jobs[20];
  static uint8_t clear[20][PASSWORD + 8];
  CHECK_OK(DECRYPT(victim.text, sizeof space));
  CHECK_EQUAL(length, PASSWORD);
  wipe(space, sizeof space);
  reach(POINT_AFTER_DECRYPT);
  if (victim.point == POINT_IN_DECRYPT || victim.point == POINT_IN_PLACING || victim.point == POINT_CONTROL_IN_DECRYPT)
    die_in_decrypt();
  CHECK_EQUAL(DECRYPT(victim.faulty_text, sizeof space), CUSTOM_KEYBOARD_UNDECRYPTABLE);
  reach(POINT_AFTER_UNDECRYPTABLE);
  show(&key, 0, key.length);
  for (int i = 0; i < 20; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){(const uint8_t *)in_clear, key.length, i == 7 ? victim.faulty_text : victim.text,
                                    victim.text_length, clear[i], i == 3 ? 5 : PASSWORD, 0, CUSTOM_KEYBOARD_OK};
  CHECK_OK(CustomKeyboard_decryptBatch(victim.algorithm->way, jobs, 20));
  CHECK_EQUAL(jobs[3].rv, CUSTOM_KEYBOARD_SPACE);
  CHECK_EQUAL(jobs[7].rv, CUSTOM_KEYBOARD_UNDECRYPTABLE);
  wipe(clear, sizeof clear);
  reach(POINT_AFTER_BATCH);
}

/* What a search must find: a schedule, a key and a password where a careless program would have them. */
static void use_ordinary_memory(void) {
  static CUSTOM_KEYBOARD_CIPHER ciphers[2];
  for (int decrypting = 0; decrypting < 2; decrypting++)
    CHECK_OK(CustomKeyboard_setupCipher(&ciphers[decrypting], victim.algorithm->way, show(&key, 0, key.length),
                                        key.length, decrypting));
  for (size_t i = 0; i < key.length; i++) ordinary[200 + i] = in_clear[i];
  for (size_t i = 0; i < PASSWORD; i++) ordinary[300 + i] = password.masked[i] ^ password.mask[i];
  raise(SIGABRT);
}

static void live(void) {
  ordinary = malloc(1000);
  REQUIRE(ordinary);
  wipe(ordinary, 1000);
  if (victim.point != POINT_ALL)
    for (size_t i = 0; i < PLANTED; i++) ordinary[i] = planted.masked[i] ^ planted.mask[i];
  wipe_stack();
  if (victim.point == POINT_CONTROL_CIPHER) use_ordinary_memory();
  try_without_memory();
  use_keyboard();
  use_decryption();
}

#endif /* VICTIM_H */
