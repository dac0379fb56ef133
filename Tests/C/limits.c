/*
 * A system that lacks something: no randomness, no memory, no locked memory, no file descriptors, a small stack. Every
 * call returns its code or works, keeps what was typed, and works again when the system does. Each test runs in a child
 * process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include "sealing.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t key[] = "890765432980765423451673";
static const char password[] = "kgcx879@";
static uint8_t space[1024];
static size_t offset, length;

static CUSTOM_KEYBOARD make(int i) {
  return typed(algorithms[i].way, key, algorithms[i].key_length, bytes(password), strlen(password));
}

static void check_works(CUSTOM_KEYBOARD k, int i) {
  const struct algorithm *a = &algorithms[i];
  uint8_t clear[64];
  size_t clear_offset, clear_length;
  if (!CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length))) return;
  CHECK_OK(CustomKeyboard_decrypt(a->way, key, a->key_length, space + offset, length, clear, sizeof clear,
                                  &clear_offset, &clear_length));
  CHECK(clear_length == strlen(password) && memcmp(clear + clear_offset, password, clear_length) == 0);
}

static void make_and_check_all(void) {
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    CUSTOM_KEYBOARD k = make(i);
    check_works(k, i);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
}

/* ---- No randomness ----------------------------------------------------------------------------------------------- */

/* From now on getrandom fails, as on a kernel without it or in a sandbox that forbids it. */
static void deny_getrandom(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  REQUIRE(getrandom(space, 1, 0) == -1 && errno == ENOSYS);
}

/* One seed is enough for a megabyte; this draws more, until the generator needs another seed. */
static CUSTOM_KEYBOARD_RV exhaust(CUSTOM_KEYBOARD up) {
  CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_OK;
  for (size_t drawn = 0; rv == CUSTOM_KEYBOARD_OK && drawn < 4u << 20; drawn += sizeof space)
    rv = CustomKeyboard_getText(up, space, sizeof space, &offset, &length);
  return rv;
}

static void without_randomness(void) {
  uint8_t before[16], text[16], untouched[sizeof space];
  size_t count;
  CUSTOM_KEYBOARD up = make(0), idle, fresh = 0;
  REQUIRE_OK(CustomKeyboard_getText(up, before, sizeof before, &offset, &length));
  REQUIRE_OK(CustomKeyboard_create(&idle));
  REQUIRE_OK(CustomKeyboard_setEncKey(idle, key, 8, CUSTOM_ENCWAY_DES));
  deny_getrandom();
  CHECK_EQUAL(exhaust(up), CUSTOM_KEYBOARD_RANDOM);
  memset(space, 0xa5, sizeof space);
  memcpy(untouched, space, sizeof untouched);
  offset = length = 4711;
  CHECK_EQUAL(CustomKeyboard_getText(up, space, sizeof space, &offset, &length), CUSTOM_KEYBOARD_RANDOM);
  CHECK_EQUAL(CustomKeyboard_decrypt(CUSTOM_ENCWAY_DES, key, 8, before, 16, space, 9, &offset, &length),
              CUSTOM_KEYBOARD_RANDOM);
  CHECK(offset == 4711 && length == 4711);
  CHECK_BYTES(space, untouched, sizeof space);
  CHECK_EQUAL(CustomKeyboard_setEncKey(idle, key, 16, CUSTOM_ENCWAY_SM4), CUSTOM_KEYBOARD_RANDOM);
  CHECK_EQUAL(CustomKeyboard_open(idle), CUSTOM_KEYBOARD_RANDOM);
  CHECK_EQUAL(CustomKeyboard_close(idle), CUSTOM_KEYBOARD_OP_DISABLE);
  /* Calls that need no randomness still work: typing, and a space that allows only one offset. */
  CHECK_OK(CustomKeyboard_count(up, &count));
  CHECK_EQUAL(count, 8);
  CHECK_OK(CustomKeyboard_getText(up, text, sizeof text, &offset, &length));
  CHECK_BYTES(text, before, sizeof before);
  CHECK_OK(CustomKeyboard_create(&fresh));
  CHECK_OK(CustomKeyboard_destroy(fresh));
  CHECK_OK(CustomKeyboard_close(up));
  CHECK_OK(CustomKeyboard_destroy(up));
}

/* ---- No memory --------------------------------------------------------------------------------------------------- */

static void set_limit(int resource, rlim_t value) {
  struct rlimit limit;
  REQUIRE(getrlimit(resource, &limit) == 0);
  limit.rlim_cur = value;
  REQUIRE(setrlimit(resource, &limit) == 0);
}

/* Creates keyboards until memory runs out, then frees some and creates again. */
static void without_memory(void) {
  enum { MOST = 2000000 };
  static CUSTOM_KEYBOARD handles[MOST];
  struct rlimit limit;
  CUSTOM_KEYBOARD first = make(3), refused = 4711;
  int made = 0;
  REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  set_limit(RLIMIT_AS, 200u << 20);
  CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_OK;
  while (made < MOST && (rv = CustomKeyboard_create(&handles[made])) == CUSTOM_KEYBOARD_OK) made++;
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_MEMORY);
  CHECK_EQUAL(CustomKeyboard_create(&refused), CUSTOM_KEYBOARD_MEMORY);
  CHECK_EQUAL(refused, 4711);
  CHECK(made > 10000);
  rv = CustomKeyboard_getText(first, space, sizeof space, &offset, &length);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_MEMORY); /* the filling needs memory of its own */
  CHECK_OK(CustomKeyboard_destroy(handles[--made]));
  CHECK_OK(CustomKeyboard_create(&handles[made]));
  CHECK_OK(CustomKeyboard_open(handles[made]));
  set_limit(RLIMIT_AS, limit.rlim_cur);
  CHECK_OK(CustomKeyboard_create(&refused));
  check_works(first, 3);
  for (int i = 0; i <= made; i++) CHECK_OK(CustomKeyboard_destroy(handles[i]));
}

/* No memory from the very first call: a code, not a crash. */
static void without_any_memory(void) {
  CUSTOM_KEYBOARD k = 4711;
  CustomKeyboard_version();
  set_limit(RLIMIT_AS, 1 << 20);
  CHECK_EQUAL(CustomKeyboard_create(&k), CUSTOM_KEYBOARD_MEMORY);
  CHECK_EQUAL(k, 4711);
  CHECK_EQUAL(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, key, 16, space, sizeof space, &offset, &length),
              CUSTOM_KEYBOARD_MEMORY);
  CHECK_EQUAL(CustomKeyboard_destroy(k), CUSTOM_KEYBOARD_ARGUMENT);
  set_limit(RLIMIT_AS, RLIM_INFINITY);
  make_and_check_all();
}

/* Calls that find no memory for what they work on, and nothing mapped by earlier calls. What can be said without memory
 * comes first, in the order of the codes. */
static void without_memory_for_the_work(void) {
  static uint8_t long_text[257], secret[32], made[65], sealed[225];
  CUSTOM_KEYBOARD up = make(3), idle;
  size_t made_length = 4711;
  REQUIRE_OK(CustomKeyboard_create(&idle));
  memset(long_text, 'a', sizeof long_text);
  set_limit(RLIMIT_AS, 1 << 20);
#define RULE(k, text, length, expected) \
  CHECK_EQUAL(CustomKeyboard_checkRule(k, CUSTOM_KEYBOARD_RULE_TEXT, 0, text, length), CUSTOM_KEYBOARD_##expected)
  RULE(idle, NULL, 0, ARGUMENT);
  RULE(idle, long_text, 257, OP_DISABLE);
  RULE(up, long_text, 257, MAXLEN);
  RULE(up, long_text, 5, MEMORY);
#define DERIVE(k, salt, pepper, expected)                                                                  \
  CHECK_EQUAL(CustomKeyboard_deriveKey(k, long_text, salt, long_text, pepper, 1 << 18, 1, made, 32), \
              CUSTOM_KEYBOARD_##expected)
  DERIVE(idle, 7, 65, ARGUMENT);
  DERIVE(idle, 8, 65, OP_DISABLE);
  DERIVE(up, 8, 65, MAXLEN);
  DERIVE(up, 8, 64, MEMORY);
#define PUBLIC(length, capacity, expected)                                                                  \
  CHECK_EQUAL(CustomKeyboard_publicKey(CUSTOM_ENCWAY_P256, secret, length, made, capacity, &made_length), \
              CUSTOM_KEYBOARD_##expected)
  PUBLIC(31, 0, ERR);
  PUBLIC(32, 0, ERR); /* zero */
  secret[31] = 1;
  CHECK_EQUAL(made_length, 4711);
  PUBLIC(32, 64, SPACE);
  PUBLIC(32, 65, MEMORY);
#define SEAL(k, length, context, size, expected)                                                                    \
  CHECK_EQUAL(CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_P256, long_text, length, long_text, context, sealed, size, \
                                       &offset, &made_length),                                                      \
              CUSTOM_KEYBOARD_##expected)
  SEAL(idle, 65, 257, 0, OP_DISABLE);
  SEAL(up, 65, 257, 0, MAXLEN);
  SEAL(up, 65, 0, 0, ERR); /* no point */
  CHECK_EQUAL(CustomKeyboard_sealTyped(up, CUSTOM_ENCWAY_SM4_GCM, key, 16, NULL, 0, sealed, 171, &offset, &made_length),
              CUSTOM_KEYBOARD_SPACE);
  CHECK_EQUAL(CustomKeyboard_sealTyped(up, CUSTOM_ENCWAY_SM4_GCM, key, 16, NULL, 0, sealed, 172, &offset, &made_length),
              CUSTOM_KEYBOARD_MEMORY);
  for (size_t i = 0; i < sizeof made; i++) CHECK(made[i] == 0);
  for (size_t i = 0; i < sizeof sealed; i++) CHECK(sealed[i] == 0);
  set_limit(RLIMIT_AS, RLIM_INFINITY);
  RULE(up, long_text, 5, OK);
  PUBLIC(32, 65, OK);
  check_works(up, 3);
}

/* A huge space, when there is not twice its size in memory: a code, and the space unchanged. */
static void with_a_huge_space(void) {
  size_t size = 600u << 20, touched = 0;
  uint8_t *huge = calloc(size, 1);
  REQUIRE(huge);
  CUSTOM_KEYBOARD k = make(3);
  set_limit(RLIMIT_AS, 800u << 20);
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(k, huge, size, &offset, &length);
  CHECK(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_MEMORY);
  if (rv != CUSTOM_KEYBOARD_OK)
    for (size_t i = 0; i < size; i += 4096) touched += huge[i] != 0;
  CHECK_EQUAL(touched, 0);
  check_works(k, 3);
  free(huge);
}

/* ---- Other limits ------------------------------------------------------------------------------------------------ */

static void without_locked_memory(void) {
  set_limit(RLIMIT_MEMLOCK, 0);
  if (geteuid() == 0) REQUIRE(setuid(65534) == 0); /* root has no limit on locked memory */
  make_and_check_all();
}

static void without_files(void) {
  for (int file = 3; file < 1024; file++) close(file);
  set_limit(RLIMIT_NOFILE, 3);
  make_and_check_all();
}

/* Curves need the most stack, and the most of it is wiped. */
static void sign_all(void) {
  struct sealing *s = &sealing;
  for (int i = 0; i < SIGNING_WAYS; i++) {
    s->signing = &signing_ways[i];
    s->way = &(const struct sealed_way){"to sign", s->signing->keys, 0, 0, 0, 1};
    s->text_length = sizeof s->text;
    s->signature_capacity = sizeof s->signature;
    make_keys();
    CHECK_OK((CUSTOM_KEYBOARD_RV)call_sign());
    CHECK_OK((CUSTOM_KEYBOARD_RV)call_verify());
  }
}

static void seal_all(void) {
  struct sealing *s = &sealing;
  for (int i = 0; i < SEALED_WAYS; i++) {
    CUSTOM_KEYBOARD k;
    s->way = &sealed_ways[i];
    s->space_size = sizeof s->space;
    make_keys();
    REQUIRE_OK(CustomKeyboard_create(&k));
    CHECK_OK(CustomKeyboard_setEncKey(k, keyboard_key(s), keyboard_key_length(s), s->way->way));
    CHECK_OK(CustomKeyboard_setContext(k, s->context, s->context_length));
    CHECK_OK(CustomKeyboard_open(k));
    CHECK_OK(CustomKeyboard_getText(k, s->text, sizeof s->text, &s->offset, &s->text_length));
    memmove(s->text, s->text + s->offset, s->text_length);
    CHECK_OK((CUSTOM_KEYBOARD_RV)call_unseal());
    CHECK_EQUAL(s->length, 0);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
}

static void *on_small_stack(void *none) {
  make_and_check_all();
  seal_all();
  sign_all();
  return none;
}

/* The minimum on x86-64; arm64 needs 128 KB. With the address sanitizer, frames are several times as large. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL_STACK = 65536 };
#else
enum { SMALL_STACK = 16384 };
#endif

static void with_a_small_stack(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  if (pthread_attr_setstacksize(&attributes, SMALL_STACK) != 0)
    REQUIRE(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
  REQUIRE(pthread_create(&thread, &attributes, on_small_stack, NULL) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
}

static void keeps_errno(void) {
  CUSTOM_KEYBOARD k;
  errno = 4711;
  REQUIRE_OK(CustomKeyboard_create(&k));
  CHECK_OK(CustomKeyboard_destroy(k));
  CHECK_EQUAL(errno, 4711);
}

static void in_child(void (*body)(void), const char *name) {
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(LONGEST_CHILD);
    atomic_store(&check_count, 0);
    atomic_store(&check_failures, 0);
    body();
    _exit(atomic_load(&check_failures) > 0 || atomic_load(&check_count) == 0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  (%s)\n", name);
}

#define IN_CHILD(body) in_child(body, #body)

/* The address sanitizer needs more address space than these limits allow, and valgrind (LESS > 1) needs more while they
 * hold, and dies. */
#if defined(__SANITIZE_ADDRESS__) || LESS > 1
enum { ADDRESS_SPACE_LIMITED = 0 };
#else
enum { ADDRESS_SPACE_LIMITED = 1 };
#endif

int main(void) {
  if (ADDRESS_SPACE_LIMITED) {
    IN_CHILD(without_any_memory); /* before any call here, because the child inherits mapped memory */
    IN_CHILD(without_memory);
    IN_CHILD(without_memory_for_the_work);
    IN_CHILD(with_a_huge_space);
  } else {
    puts("under this tool without the four that limit the address space");
  }
  IN_CHILD(with_a_small_stack);
  IN_CHILD(keeps_errno);
  IN_CHILD(without_randomness);
  IN_CHILD(without_locked_memory);
  IN_CHILD(without_files);
  return check_end("limits", ADDRESS_SPACE_LIMITED ? 9 : 5);
}
