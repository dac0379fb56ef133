/*
 * Two threads create, type, get the text, decrypt and destroy for a minute. There must be no error, every ciphertext
 * must be the one that OpenSSL made before, and memory must not grow after the first sixth of the time. Then the
 * process forks again and again while the two threads continue: each child makes whole rounds of its own, within a time
 * limit.
 *
 *     load seconds fork-seconds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include "page.h"
#include <openssl/des.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, LENGTHS = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE + 1, BATCH = 20 };
enum { ROUNDS_IN_CHILD = 40, CHILD_SECONDS = 20 };
enum { LEEWAY = 128 }; /* kilobytes: for stacks and memory that libc keeps */

static const uint8_t key[] = "890765432980765423451673";

/* The ciphertext of a password of each length, under each algorithm. */
static struct answer {
  uint8_t password[CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE], text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t text_length;
} answers[ALGORITHM_COUNT][LENGTHS];

static atomic_int working;
static atomic_ulong rounds;

/* ---- The answers ------------------------------------------------------------------------------------------------- */

static void encrypt_by_openssl(const struct algorithm *a, const uint8_t *in, uint8_t *out, size_t length) {
  if (a->way == CUSTOM_ENCWAY_SM4) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int written = 0;
    REQUIRE(context && EVP_CipherInit_ex(context, EVP_sm4_ecb(), NULL, key, NULL, 1));
    EVP_CIPHER_CTX_set_padding(context, 0);
    REQUIRE(EVP_CipherUpdate(context, out, &written, in, (int)length) && (size_t)written == length);
    EVP_CIPHER_CTX_free(context);
    return;
  }
  DES_key_schedule schedules[3];
  for (size_t i = 0; i < 3; i++) {
    DES_cblock one;
    memcpy(one, key + 8 * i % a->key_length, sizeof one);
    DES_set_key_unchecked(&one, &schedules[i]);
  }
  for (size_t at = 0; at < length; at += 8) {
    DES_cblock block, result; /* three times the same key is single DES */
    memcpy(block, in + at, sizeof block);
    DES_ecb3_encrypt(&block, &result, &schedules[0], &schedules[1], &schedules[2], DES_ENCRYPT);
    memcpy(out + at, result, sizeof result);
  }
}

static void make_answers(uint64_t seed) {
  uint8_t clear[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  for (int i = 0; i < ALGORITHM_COUNT; i++)
    for (size_t length = 0; length < LENGTHS; length++) {
      struct answer *answer = &answers[i][length];
      draw_password(&seed, answer->password, length);
      answer->text_length = padded(length, algorithms[i].block_size);
      memset(clear, (int)(answer->text_length - length), sizeof clear);
      memcpy(clear, answer->password, length);
      encrypt_by_openssl(&algorithms[i], clear, answer->text, answer->text_length);
    }
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* The same password in many jobs, in some of the rounds. */
static void decrypt_many(const struct algorithm *a, const struct answer *answer, size_t length) {
  CUSTOM_KEYBOARD_JOB jobs[BATCH];
  uint8_t clear[BATCH][CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE];
  for (int i = 0; i < BATCH; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){key, a->key_length, answer->text, answer->text_length, clear[i], sizeof *clear, 0,
                                    CUSTOM_KEYBOARD_RANDOM};
  CHECK_OK(CustomKeyboard_decryptBatch(a->way, jobs, BATCH));
  for (int i = 0; i < BATCH; i++) {
    CHECK(jobs[i].rv == CUSTOM_KEYBOARD_OK && jobs[i].clearLength == length);
    CHECK_BYTES(clear[i], answer->password, length);
  }
}

/* Taps on a PIN pad, after the typed text has been read. */
static void tap(CUSTOM_KEYBOARD k, uint64_t *seed) {
  struct page page;
  size_t count;
  look(k, &page);
  CHECK_OK(CustomKeyboard_clear(k));
  for (int i = 0; i < 4; i++) CHECK_OK(CustomKeyboard_pressKey(k, draw(seed) % 9));
  CHECK_OK(CustomKeyboard_count(k, &count));
  CHECK_EQUAL(count, 4);
}

static void go_round(uint64_t *seed) {
  int i = (int)(draw(seed) % ALGORITHM_COUNT);
  size_t length = draw(seed) % LENGTHS, size, offset, text_length, clear_offset, clear_length;
  const struct algorithm *a = &algorithms[i];
  const struct answer *answer = &answers[i][length];
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], clear[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  CUSTOM_KEYBOARD k;
  if (!CHECK_OK(CustomKeyboard_create(&k))) return;
  CHECK_OK(CustomKeyboard_setEncKey(k, key, a->key_length, a->way));
  CHECK_OK(CustomKeyboard_setLayout(k, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0));
  CHECK_OK(CustomKeyboard_open(k));
  CHECK_OK(CustomKeyboard_input(k, answer->password, length / 2));
  CHECK_OK(CustomKeyboard_input(k, answer->password + length / 2, length - length / 2));
  size = draw(seed) % 2 ? sizeof space : answer->text_length + draw(seed) % 100;
  if (CHECK_OK(CustomKeyboard_getText(k, space, size, &offset, &text_length)) &&
      CHECK(text_length == answer->text_length && offset + text_length <= size))
    CHECK_BYTES(space + offset, answer->text, text_length);
  CHECK_OK(CustomKeyboard_decrypt(a->way, key, a->key_length, answer->text, answer->text_length, clear, sizeof clear,
                                  &clear_offset, &clear_length));
  if (CHECK_EQUAL(clear_length, length)) CHECK_BYTES(clear + clear_offset, answer->password, length);
  if (draw(seed) % 8 == 0) decrypt_many(a, answer, length);
  if (draw(seed) % 8 == 0) tap(k, seed);
  if (draw(seed) % 2) CHECK_OK(CustomKeyboard_close(k));
  CHECK_OK(CustomKeyboard_destroy(k));
  atomic_fetch_add(&rounds, 1);
}

static void *work(void *number) {
  uint64_t seed = first_seed ^ (uint64_t)(uintptr_t)number << 32;
  while (atomic_load(&working) && atomic_load(&check_failures) < CHECK_SHOWN) go_round(&seed);
  return NULL;
}

static void start(pthread_t *ids) {
  atomic_store(&working, 1);
  for (uintptr_t i = 0; i < THREADS; i++) REQUIRE(pthread_create(&ids[i], NULL, work, (void *)(i + 1)) == 0);
}

static void stop(pthread_t *ids) {
  atomic_store(&working, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

struct use {
  long resident, size, locked, mappings;
};

static struct use measure(void) {
  char line[512];
  struct use use = {0, 0, 0, 0};
  FILE *file = fopen("/proc/self/status", "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file)) {
    sscanf(line, "VmRSS: %ld", &use.resident);
    sscanf(line, "VmSize: %ld", &use.size);
    sscanf(line, "VmLck: %ld", &use.locked);
  }
  fclose(file);
  REQUIRE((file = fopen("/proc/self/maps", "r")));
  while (fgets(line, sizeof line, file)) use.mappings++;
  fclose(file);
  return use;
}

static void print_use(const char *when, struct use use) {
  printf("%s: %ld KB resident, %ld KB of addresses, %ld KB locked, %ld mappings\n", when, use.resident, use.size,
         use.locked, use.mappings);
  fflush(stdout);
}

static void check_flat(struct use early, struct use late) {
  CHECK(late.resident <= early.resident + LEEWAY);
  CHECK(late.size <= early.size + LEEWAY);
  CHECK_EQUAL(late.locked, early.locked);
  CHECK(late.mappings <= early.mappings + 2);
}

/* Control: a leak of a few bytes per hundred rounds would be noticed. */
static void check_measure(struct use late) {
  size_t leak = 2 * LEEWAY * 1024;
  volatile uint8_t *leaked = malloc(leak);
  REQUIRE(leaked);
  for (size_t i = 0; i < leak; i += 512) leaked[i] = 1;
  CHECK(measure().resident > late.resident + LEEWAY);
  free((void *)leaked);
}

static void load(unsigned seconds) {
  pthread_t ids[THREADS];
  struct use early = {0, 0, 0, 0};
  start(ids);
  for (unsigned second = 1; second <= seconds; second++) {
    sleep(1);
    if (second == (seconds + 5) / 6) print_use("early", early = measure());
  }
  struct use late = measure();
  print_use("late", late);
  check_flat(early, late);
  check_measure(measure());
  stop(ids);
  printf("rounds %lu\n", atomic_load(&rounds));
}

/* ---- Forks ------------------------------------------------------------------------------------------------------- */

/* The child has a time limit: one that waits for a lock which no thread holds any more is killed. */
static int run_in_child(uint64_t seed) {
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(CHILD_SECONDS);
    atomic_store(&check_failures, 0);
    for (int i = 0; i < ROUNDS_IN_CHILD; i++) go_round(&seed);
    _exit(atomic_load(&check_failures) > 0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  return CHECK_EQUAL(status, 0);
}

static void fork_amid_load(unsigned seconds, uint64_t *seed) {
  pthread_t ids[THREADS];
  unsigned long forks = 0, before = atomic_load(&rounds);
  start(ids);
  fflush(NULL);
  time_t end = time(NULL) + (time_t)seconds;
  struct use early = measure();
  while (time(NULL) < end && run_in_child(draw(seed))) forks++;
  check_flat(early, measure());
  stop(ids);
  CHECK(forks >= 2 * seconds); /* usually ten times as many, if the machine is not busy */
  CHECK(atomic_load(&rounds) > before + 100 * seconds); /* otherwise the threads did not work meanwhile */
  printf("forks %lu\nchild rounds %lu\nrounds meanwhile %lu\n", forks, forks * ROUNDS_IN_CHILD,
         atomic_load(&rounds) - before);
}

int main(int count, char **arguments) {
  REQUIRE(count == 3);
  unsigned seconds = (unsigned)atoi(arguments[1]), fork_seconds = (unsigned)atoi(arguments[2]);
  uint64_t seed = take_seed();
  printf("seed %llu\n", (unsigned long long)first_seed);
  REQUIRE(seconds >= 2 && fork_seconds >= 1);
  alarm(2 * (seconds + fork_seconds) + 60); /* a test that hangs is killed, and so fails */
  make_answers(draw(&seed));
  measure(); /* the first measurement allocates memory itself */
  load(seconds);
  fork_amid_load(fork_seconds, &seed);
  return check_end("load", 10000 * (seconds + fork_seconds));
}
