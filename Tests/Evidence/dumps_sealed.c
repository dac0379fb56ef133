/*
 * Core dumps of a process that seals, receives, unseals and signs must not contain its private key, the password, the
 * shared point of a text or the key that its block is encrypted with, at whatever point it dies: between calls, or in
 * the middle of getText, unseal and unsealBatch. For comparison, secrets in ordinary memory are found in each dump.
 *
 *     dumps_sealed kernel|gdb|gdb-all    who writes the dump
 *     dumps_sealed victim …              the process that dies
 *
 * Run it in an empty directory: dumps are written, searched and removed there. gdb is slow, so without gdb-all each
 * point is dumped for only one of the ways.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only the victim of dumps.c calls */
#include "dump_file.h"
#include "sealed_secrets.h"
#include "victim.h"
#include "signing_ways.h"
#include <link.h>

#define SEALED_POINTS(POINT)                                                                                     \
  POINT(KEY_SET_TO_SEAL, "with a recipient") POINT(SEALED, "after getText, while up")                               \
  POINT(SEALED_CLOSED, "after close") POINT(RECEIVED, "received")                                               \
  POINT(SENT_ON, "received, and sealed again") POINT(RECEIVED_CLOSED, "received, and closed")                   \
  POINT(UNSEALED, "after unseal") POINT(NOT_UNSEALED, "after unseal of an altered text")                        \
  POINT(NO_SPACE, "after unseal without space") POINT(MANY, "after unsealBatch")                                \
  POINT(GENERATED, "after generateKey") POINT(SIGNED, "after signText")                                         \
  POINT(IN_SEALING, "in the middle of getText") POINT(IN_UNSEALING, "in the middle of unseal")                  \
  POINT(IN_PLACING, "while unseal places the password") POINT(IN_MANY, "while unsealBatch places a password")   \
  POINT(CONTROL_ORDINARY, "control: in ordinary memory")                                                        \
  POINT(CONTROL_MASKED, "control: received; locked memory is dumped")                                           \
  POINT(CONTROL_UNSEALING, "control: in the middle of unseal, dumped all the same")                             \
  POINT(CONTROL_MANY, "control: while unsealBatch places a password, dumped all the same")

#define SEALED_NAME(name, text) AT_##name,
enum sealed_point { SEALED_POINTS(SEALED_NAME) SEALED_POINT_COUNT };
static const char *const sealed_texts[] = {SEALED_POINTS(POINT_TEXT)};

enum { ORDINARY = 400 + LONGEST_IN_CLEAR, MANY = 9 };
static const uint8_t context[] = "a challenge, and what the text is for";
static struct sealed_secrets derived; /* only the parent has them, and the control in ordinary memory */

static struct {
  const struct sealed_way *sealing;
  enum sealed_point point;
  uint8_t public[LONGEST_PUBLIC], text[CUSTOM_KEYBOARD_MAXSEALEDSIZE];
} sealed;

static int is_rsa(void) { return sealed.sealing->way == CUSTOM_ENCWAY_RSA; }

/* Where in a private key its secrets begin. One of RSA begins with its public key. */
static size_t first_secret(void) { return is_rsa() ? RSA_FIRST_SECRET : 0; }

static size_t key_windows(void) { return sealed.sealing->secret_length - first_secret() - WINDOW + 1; }

/* The private key is a number below every order; of RSA, one of two. */
static void draw_sealed_secrets(uint64_t seed) {
  draw_secret(&password, seed ^ 1, PASSWORD, '!', 94);
  draw_secret(&key, seed ^ 2, sealed.sealing->secret_length, 0, 256);
  if (is_rsa()) {
    const volatile char *secret = rsa_keys[seed % RSA_KEYS].secret; /* read byte by byte */
    for (size_t i = 0; i < key.length; i++) key.masked[i] = (uint8_t)secret[i] ^ key.mask[i];
  } else {
    key.masked[0] = (key.masked[0] ^ key.mask[0]) & 0x7f;
    key.masked[0] ^= key.mask[0];
  }
  draw_secret(&planted, seed ^ 3, PLANTED, 0, 256);
}

/* ---- The process that dies --------------------------------------------------------------------------------------- */

static void come_to(enum sealed_point point) {
  hide();
  if (sealed.point != point) return;
  insist_on_checks();
  raise(SIGABRT);
}

static CUSTOM_KEYBOARD_RV unseal_text(uint8_t *into, size_t size) {
  size_t offset, length;
  return CustomKeyboard_unseal(sealed.sealing->way, show(&key, 0, key.length), key.length, context, sizeof context,
                               sealed.text, sealed.sealing->text_length, into, size, &offset, &length);
}

static CUSTOM_KEYBOARD_RV receive_text(CUSTOM_KEYBOARD k) {
  return CustomKeyboard_receive(k, sealed.sealing->way, show(&key, 0, key.length), key.length, context, sizeof context,
                                sealed.text, sealed.sealing->text_length);
}

static void set_recipient(CUSTOM_KEYBOARD k) {
  int is_shared = sealed.sealing->way == CUSTOM_ENCWAY_SM4_GCM;
  const uint8_t *recipient = is_shared ? show(&key, 0, key.length) : sealed.public;
  CHECK_OK(CustomKeyboard_setEncKey(k, recipient, sealed.sealing->public_length, sealed.sealing->way));
}

static void seal_password(void) {
  CUSTOM_KEYBOARD k;
  size_t offset, length;
  CHECK_OK(CustomKeyboard_create(&k));
  set_recipient(k);
  CHECK_OK(CustomKeyboard_setContext(k, context, sizeof context));
  come_to(AT_KEY_SET_TO_SEAL);
  CHECK_OK(CustomKeyboard_open(k));
  CHECK_OK(CustomKeyboard_input(k, show(&password, 0, PASSWORD), PASSWORD));
  hide();
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  come_to(AT_SEALED);
  if (sealed.point == AT_IN_SEALING) {
    CHECK_OK(CustomKeyboard_getText(k, deadly_space(), CUSTOM_KEYBOARD_ENCDATASPACESIZE, &offset, &length));
    REQUIRE(!"it lives");
  }
  CHECK_OK(CustomKeyboard_close(k));
  come_to(AT_SEALED_CLOSED);
  CHECK_OK(CustomKeyboard_destroy(k));
}

static void receive_password(void) {
  CUSTOM_KEYBOARD k;
  size_t offset, length;
  CHECK_OK(CustomKeyboard_create(&k));
  set_recipient(k);
  CHECK_OK(CustomKeyboard_setContext(k, context, sizeof context));
  CHECK_OK(receive_text(k));
  if (sealed.point == AT_CONTROL_MASKED) dump_everything();
  come_to(sealed.point == AT_CONTROL_MASKED ? AT_CONTROL_MASKED : AT_RECEIVED);
  CHECK_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  come_to(AT_SENT_ON);
  CHECK_OK(CustomKeyboard_close(k));
  come_to(AT_RECEIVED_CLOSED);
  CHECK_OK(CustomKeyboard_destroy(k));
}

static void unseal_password(void) {
  CHECK_OK(unseal_text(space, sizeof space));
  wipe(space, sizeof space);
  come_to(AT_UNSEALED);
  if (sealed.point == AT_IN_UNSEALING || sealed.point == AT_CONTROL_UNSEALING) {
    if (sealed.point == AT_CONTROL_UNSEALING) dump_everything();
    signal(SIGSEGV, hide_and_die);
    unseal_text(deadly_space(), 1024);
    REQUIRE(!"it lives");
  }
  if (sealed.point == AT_IN_PLACING) { /* there is no other byte to fill */
    signal(SIGSEGV, hide_and_die);
    unseal_text(deadly_space() + BEFORE_DEATH + 1 - PASSWORD, PASSWORD);
    REQUIRE(!"it lives");
  }
  CHECK_EQUAL(unseal_text(space, PASSWORD - 1), CUSTOM_KEYBOARD_SPACE);
  come_to(AT_NO_SPACE);
  sealed.text[sealed.sealing->text_length - 1] ^= 1;
  CHECK_EQUAL(unseal_text(space, sizeof space), CUSTOM_KEYBOARD_UNDECRYPTABLE);
  sealed.text[sealed.sealing->text_length - 1] ^= 1;
  come_to(AT_NOT_UNSEALED);
}

/* The first of nine texts ends the process when its password is placed; the others of its group are open then, too. */
static void unseal_many(void) {
  static uint8_t clear[MANY][PASSWORD];
  CUSTOM_KEYBOARD_SEALED_JOB jobs[MANY];
  for (int i = 0; i < MANY; i++)
    jobs[i] = (CUSTOM_KEYBOARD_SEALED_JOB){context,  sizeof context,           sealed.text, sealed.sealing->text_length,
                                           clear[i], PASSWORD - (i == 5), 0,           CUSTOM_KEYBOARD_RANDOM};
  jobs[3].textLength -= 1;
  CHECK_OK(CustomKeyboard_unsealBatch(sealed.sealing->way, show(&key, 0, key.length), key.length, jobs, MANY));
  for (int i = 0; i < MANY; i++)
    CHECK_EQUAL(jobs[i].rv, i == 3   ? CUSTOM_KEYBOARD_UNDECRYPTABLE
                            : i == 5 ? CUSTOM_KEYBOARD_SPACE
                                     : CUSTOM_KEYBOARD_OK);
  wipe(clear, sizeof clear);
  come_to(AT_MANY);
  if (sealed.point != AT_IN_MANY && sealed.point != AT_CONTROL_MANY) return;
  if (sealed.point == AT_CONTROL_MANY) dump_everything();
  jobs[0].clear = deadly_space() + BEFORE_DEATH;
  signal(SIGSEGV, hide_and_die);
  CustomKeyboard_unsealBatch(sealed.sealing->way, show(&key, 0, key.length), key.length, jobs, MANY);
  REQUIRE(!"it lives");
}

static void make_keys_and_sign(void) {
  static uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], signature[LONGEST_SIGNATURE];
  size_t secret_length, public_length;
  if (!is_rsa())
    CHECK_OK(CustomKeyboard_generateKey(sealed.sealing->way, secret, sizeof secret, &secret_length, public,
                                        sizeof public, &public_length));
  wipe(secret, sizeof secret);
  come_to(AT_GENERATED);
  for (int i = 0; i < SIGNING_WAYS; i++) {
    if (signing_ways[i].secret_length != key.length) continue;
    CHECK_OK(CustomKeyboard_signText(signing_ways[i].way, show(&key, 0, key.length), key.length, context,
                                     sizeof context, sealed.text, sealed.sealing->text_length, signature,
                                     sizeof signature, &secret_length));
  }
  come_to(AT_SIGNED);
}

/* Dumps have the pages of files too, but this program's own table of keys is not what is looked for. The last page of
 * its constants is mapped once more, before the first variables, which are _DYNAMIC. */
static void leave_out_rsa_keys(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)rsa_keys & -page;
  REQUIRE(madvise((void *)start, (uintptr_t)_DYNAMIC - start, MADV_DONTDUMP) == 0);
}

static int be_sealed_victim(char **words) {
  sealed.sealing = &sealed_ways[atoi(words[0])];
  sealed.point = (enum sealed_point)atoi(words[1]);
  REQUIRE(from_hex(words[3], sealed.public, sizeof sealed.public) == sealed.sealing->public_length ||
          sealed.sealing->way == CUSTOM_ENCWAY_SM4_GCM);
  REQUIRE(from_hex(words[4], sealed.text, sizeof sealed.text) == sealed.sealing->text_length);
  draw_sealed_secrets(strtoull(words[2], NULL, 10));
  leave_out_rsa_keys();
  ordinary = malloc(ORDINARY);
  REQUIRE(ordinary);
  wipe(ordinary, ORDINARY);
  for (size_t i = 0; i < PLANTED; i++) ordinary[i] = planted.masked[i] ^ planted.mask[i];
  if (sealed.point == AT_CONTROL_ORDINARY) { /* where a careless program would have them */
    for (size_t i = 0; i < PASSWORD; i++) ordinary[200 + i] = password.masked[i] ^ password.mask[i];
    for (size_t i = 0; i < key.length; i++) ordinary[400 + i] = key.masked[i] ^ key.mask[i];
    uint8_t *session = (uint8_t *)(uintptr_t)(ordinary + 300), *secret = (uint8_t *)(uintptr_t)(ordinary + 400);
    struct part whole = {context, sizeof context};
    derive(sealed.sealing, secret, sealed.public, whole, sealed.text, &derived);
    memcpy(session, derived.session, derived.session_length);
    raise(SIGABRT);
  }
  wipe_stack();
  seal_password();
  receive_password();
  unseal_password();
  unseal_many();
  make_keys_and_sign();
  REQUIRE(!"it lives");
  return 1;
}

/* ---- What to look for -------------------------------------------------------------------------------------------- */

static void add_both_ways(const char *kind, const uint8_t *secret, size_t length) {
  uint8_t turned[LONGEST_SECRET];
  for (size_t i = 0; i < length; i++) turned[i] = secret[length - 1 - i];
  add_needles(kind, secret, length, 1);
  add_needles(kind, turned, length, 1); /* limbs are little-endian */
}

static void add_words_both_ways(const uint32_t *words, size_t count) {
  for (int swapped = 0; swapped < 2; swapped++)
    for (size_t i = 0; i + 2 <= count; i++) {
      uint32_t pair[2] = {words[i], words[i + 1]};
      if (swapped) pair[0] = __builtin_bswap32(pair[0]), pair[1] = __builtin_bswap32(pair[1]);
      uint64_t window;
      memcpy(&window, pair, sizeof window);
      add_needle("schedule", window);
    }
}

/* Round keys of SM4's or AES's key. */
static void add_schedule(const uint8_t *session, size_t length) {
  uint32_t words[SCHEDULE_WORDS];
  if (length == 16) {
    add_words_both_ways(words, sm4_schedule(session, words));
    return;
  }
  mbedtls_aes_context aes;
  mbedtls_aes_init(&aes);
  REQUIRE(mbedtls_aes_setkey_enc(&aes, session, 256) == 0);
  add_words_both_ways(aes.rk, 60);
  mbedtls_aes_free(&aes);
}

/* A text of the password, for a key of this seed; and needles for all that is secret about it. */
static void prepare(uint64_t seed) {
  const struct sealed_way *sealing = sealed.sealing;
  struct part whole = {context, sizeof context};
  CUSTOM_KEYBOARD k;
  size_t offset, length;
  memset(&needles, 0, sizeof needles);
  needles.factor = seed | 1;
  draw_sealed_secrets(seed);
  if (sealing->way == CUSTOM_ENCWAY_SM4_GCM)
    memcpy(sealed.public, show(&key, 0, key.length), key.length);
  else if (is_rsa())
    memcpy(sealed.public, rsa_keys[seed % RSA_KEYS].public, RSA_PUBLIC);
  else if (sealing->way == CUSTOM_ENCWAY_XWING) /* if it is wrong, derive cannot open the text */
    REQUIRE_OK(CustomKeyboard_publicKey(sealing->way, show(&key, 0, key.length), key.length, sealed.public,
                                        sizeof sealed.public, &length));
  else
    multiply(sealing->way, show(&key, 0, key.length), NULL, sealed.public);
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, sealed.public, sealing->public_length, sealing->way));
  REQUIRE_OK(CustomKeyboard_setContext(k, context, sizeof context));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, show(&password, 0, PASSWORD), PASSWORD));
  REQUIRE_OK(CustomKeyboard_getText(k, sealed.text, sealing->text_length, &offset, &length));
  REQUIRE_OK(CustomKeyboard_destroy(k));
  add_needles("password", show(&password, 0, PASSWORD), PASSWORD, 1);
  add_needles("planted", show(&planted, 0, PLANTED), PLANTED, 1);
  const uint8_t *secret = show(&key, 0, key.length);
  add_both_ways("key", secret + first_secret(), key.length - first_secret());
  if (sealing->way == CUSTOM_ENCWAY_SM4_GCM) add_schedule(secret, key.length);
  derive(sealing, secret, sealed.public, whole, sealed.text, &derived);
  add_both_ways("derived", derived.x, COORDINATE);
  add_both_ways("derived", derived.y, COORDINATE);
  add_both_ways("derived", derived.session, derived.session_length);
  if (sealing->way == CUSTOM_ENCWAY_XWING) {
    add_both_ways("derived", derived.xwing.expanded, sizeof derived.xwing.expanded);
    add_both_ways("derived", derived.xwing.seeds + 32, 32);
    add_both_ways("derived", derived.xwing.message, 32);
    add_both_ways("derived", derived.xwing.lattice_shared, 32);
    add_both_ways("derived", derived.xwing.shared, 32);
  }
  if (sealing->way == CUSTOM_ENCWAY_SM2 || sealing->way == CUSTOM_ENCWAY_P256 || sealing->way == CUSTOM_ENCWAY_XWING)
    add_schedule(derived.session, derived.session_length);
  if (sealing->way == CUSTOM_ENCWAY_SM4_GCM) memset(sealed.public, 0, sizeof sealed.public); /* it is not an argument */
}

/* ---- Dumps ------------------------------------------------------------------------------------------------------- */

static size_t dumped_bytes, torn;

static void check_dump(int way, enum sealed_point point, uint64_t seed, int by_gdb) {
  static char numbers[3][32], texts[2][2 * CUSTOM_KEYBOARD_MAXSEALEDSIZE + 1];
  char *words[] = {"victim", numbers[0], numbers[1], numbers[2], texts[0], texts[1]};
  struct findings found = {0};
  int status;
  sealed.sealing = &sealed_ways[way];
  prepare(seed);
  snprintf(numbers[0], 32, "%d", way);
  snprintf(numbers[1], 32, "%d", point);
  snprintf(numbers[2], 32, "%llu", (unsigned long long)seed);
  to_hex(sealed.public, sealed.sealing->public_length, texts[0]);
  to_hex(sealed.text, sealed.sealing->text_length, texts[1]);
  int passed = dump_victim(by_gdb, words, &found, &status);
  int dies_opening = point == AT_IN_UNSEALING || point == AT_IN_PLACING || point == AT_IN_MANY;
  torn += point == AT_IN_SEALING || dies_opening;
  if (point < AT_CONTROL_ORDINARY) {
    /* gdb stops the process before its handler can wipe the caller's own key. */
    size_t callers = by_gdb && dies_opening ? key_windows() : 0;
    passed &= CHECK_EQUAL(found.password, 0) & CHECK_EQUAL(found.key, callers) & CHECK_EQUAL(found.schedule, 0);
  } else if (point == AT_CONTROL_ORDINARY) {
    passed &= CHECK(found.password >= 8);
    passed &= CHECK(found.key >= key_windows() - 1 + derived.session_length / 2);
  } else if (point == AT_CONTROL_UNSEALING || point == AT_CONTROL_MANY) {
    passed &= CHECK(found.password >= 8); /* it was opened, and is about to be placed */
  } else {
    passed &= CHECK_EQUAL(found.password, 0); /* masked */
  }
  dumped_bytes += found.bytes;
  if (!passed)
    fprintf(stderr, "  (%s, %s, by %s: password %zu, keys %zu, schedule %zu, planted %zu of %zu bytes, status %#x)\n",
            sealed.sealing->name, sealed_texts[point], by_gdb ? "gdb" : "the kernel", found.password, found.key,
            found.schedule, found.planted, found.bytes, status);
}

int main(int count, char **words) {
  if (count == 7 && strcmp(words[1], "victim") == 0) return be_sealed_victim(words + 2);
  REQUIRE(count == 2);
  uint64_t seed = take_seed();
  int by_gdb = strncmp(words[1], "gdb", 3) == 0, is_short = strcmp(words[1], "gdb") == 0, dumps = 0, controls = 0;
  printf("seed %llu\n", (unsigned long long)first_seed);
  for (int point = 0; point < SEALED_POINT_COUNT; point++)
    for (int way = 0; way < SEALED_WAYS; way++) {
      if (is_short && point < AT_CONTROL_ORDINARY && way != point % SEALED_WAYS) continue;
      check_dump(way, (enum sealed_point)point, draw(&seed), by_gdb);
      *(point < AT_CONTROL_ORDINARY ? &dumps : &controls) += 1;
    }
  printf("dumps %d, and %d of controls\nmegabytes %zu\n", dumps, controls, dumped_bytes >> 20);
  printf("torn %zu in the middle of a call\n", torn);
  return check_end(words[1], 4 * SEALED_POINT_COUNT);
}
