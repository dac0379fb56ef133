/*
 * For searches of memory: a program that calls every function of the vault that gets or gives a secret, with secrets
 * that it draws itself, and that exist in its own memory only masked, but for the time of a call.
 *
 * It is run twice with the same seed, so that everything that the libraries draw is the same. The first run, in a
 * process of its own, writes down what the secrets were: keys, names, data, passcodes, words, all that was drawn, what
 * was derived of it. It hands over products only (scan.h). The second run is searched.
 *
 * With FIDO_SECRETS it calls the FIDO client on a vault instead (fido_secrets.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_SECRETS_H
#define VAULT_SECRETS_H

#define NEEDLE_BITS 15
#include "vault.h"
#include "faulty.h"
#include "vault_masked.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- What the first run writes down ------------------------------------------------------------------------------ */

enum { DRAWN = 512 };
static int is_first_run;
static uint64_t drawing_state;
static struct drawn {
  uint8_t bytes[64];
  size_t length;
} drawn[DRAWN];
static size_t drawn_count;

static long draw_for_library(void *to, size_t length) {
  uint8_t *bytes = to;
  for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(next_number(&drawing_state) >> 8);
  if (is_first_run && length <= sizeof drawn->bytes && length >= 16) {
    REQUIRE(drawn_count < DRAWN);
    memcpy(drawn[drawn_count].bytes, bytes, length);
    drawn[drawn_count++].length = length;
  }
  return (long)length;
}
ssize_t getrandom(void *to, size_t length, unsigned flags) {
  (void)flags;
  return (ssize_t)draw_for_library(to, length);
}
__attribute__((constructor)) static void draw_all(void) { faulty_draw = draw_for_library; }

/* Derives with little memory, so that there is less to search. A salt is not secret. */
CUSTOM_KEYBOARD_RV CustomKeyboard_deriveKey(CUSTOM_KEYBOARD keyboard, const uint8_t *salt, size_t saltLength,
                                            const uint8_t *pepper, size_t pepperLength, uint32_t memoryKiB,
                                            uint32_t passes, uint8_t *key, size_t keyLength) {
  static CUSTOM_KEYBOARD_RV (*real)(CUSTOM_KEYBOARD, const uint8_t *, size_t, const uint8_t *, size_t, uint32_t,
                                    uint32_t, uint8_t *, size_t);
  (void)memoryKiB, (void)passes;
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "CustomKeyboard_deriveKey");
  CUSTOM_KEYBOARD_RV rv = real(keyboard, salt, saltLength, pepper, pepperLength, 8, 1, key, keyLength);
  for (size_t i = 0; is_first_run && i < drawn_count; i++)
    if (drawn[i].length == saltLength && memcmp(drawn[i].bytes, salt, saltLength) == 0) drawn[i].length = 0;
  if (is_first_run && rv == CUSTOM_KEYBOARD_OK) {
    REQUIRE(drawn_count < DRAWN && keyLength == 32);
    memcpy(drawn[drawn_count].bytes, key, keyLength);
    drawn[drawn_count++].length = 33; /* a key whose own keys are needles, too */
  }
  return rv;
}

/* The bytes, and what SHA-256 makes of them: words of four, the other way round. */
static void add_bytes(const char *kind, const uint8_t *bytes, size_t length) {
  uint8_t turned[LONGEST_SECRET];
  add_needles(kind, bytes, length, 1);
  for (size_t first = 0; first < 4 && length > first + 4; first++) {
    size_t count = (length - first) / 4 * 4;
    for (size_t i = 0; i < count; i++) turned[i] = bytes[first + (i ^ 3)];
    add_needles(kind, turned, count, 4);
  }
}

/* A key, the four that follow from it, and what AES-GCM keeps of one of them. */
static void add_keys(const char *kind, const uint8_t *root) {
  static const char *const uses[] = {"seal", "nonce", "name", "sum"};
  add_bytes(kind, root, 32);
  for (int i = 0; i < 4; i++) {
    uint8_t key[32], text[64], zeros[16] = {0}, hash_key[32];
    unsigned length = 0;
    int written = snprintf((char *)text, sizeof text, "CustomVault 1 %s", uses[i]), count = 0;
    REQUIRE(HMAC(EVP_sha256(), root, 32, text, (size_t)written, key, &length) != NULL && length == 32);
    add_bytes(kind, key, sizeof key);
    if (i > 0) continue;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    REQUIRE(cipher != NULL && EVP_EncryptInit_ex(cipher, EVP_aes_256_ecb(), NULL, key, NULL) == 1 &&
            EVP_EncryptUpdate(cipher, hash_key, &count, zeros, sizeof zeros) == 1);
    EVP_CIPHER_CTX_free(cipher);
    add_bytes("hash key", hash_key, 16);
  }
}

#ifdef FIDO_SECRETS
enum { LEAST_ROOTS = 2 }; /* of the file, of a passcode */
static void add_more_needles(void); /* fido_secrets.h */
#else
enum { LEAST_ROOTS = 3 }; /* and of changeKey */
static inline void add_more_needles(void) {}
#endif

/* At the end of the first run. The key of a vault is its root, drawn before the 16 bytes of an epoch. */
static void make_needles(void) {
  for (int i = 0; i < SECRETS; i++) {
    const uint8_t *clear = show(0, (enum secret_number)i);
    if (i == THE_KEY || i == NEXT_KEY)
      add_keys(secret_kinds[i].kind, clear);
    else
      add_bytes(secret_kinds[i].kind, clear, masked[i].length);
  }
  size_t roots = 0;
  for (size_t i = 0; i < drawn_count; i++) {
    int is_root = drawn[i].length == 33 || (drawn[i].length == 32 && i + 1 < drawn_count && drawn[i + 1].length == 16);
    roots += is_root;
    if (is_root)
      add_keys("root", drawn[i].bytes);
    else if (drawn[i].length >= 32)
      add_bytes("drawn", drawn[i].bytes, drawn[i].length);
  }
  add_more_needles();
  REQUIRE(roots >= LEAST_ROOTS);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static char secret_folder[256], secret_path[300], secret_copy[300];
static const char *moment_name = "before the first call";
static int is_inside; /* a call                                                                                      */
static unsigned long moment_count;

/* Called after each call, and, inside of calls, whenever SQLite calls its disk or asks for memory. */
static void (*at_moment)(void);

static void come_to_moment(void) {
  moment_count++;
  if (!is_first_run && at_moment != NULL) at_moment();
}

static void look_inside(enum faulty_call kind) {
  static __thread int is_looking;
  (void)kind;
  if (!is_inside || is_looking) return;
  is_looking = 1;
  come_to_moment();
  is_looking = 0;
}

#define CALL(name, expected, call)                       \
  do {                                                   \
    moment_name = name;                                  \
    is_inside = 1;                                       \
    CUSTOM_KEYBOARD_RV call_rv = (call);                 \
    is_inside = 0;                                       \
    hide_all();                                          \
    come_to_moment();                                    \
    CHECK_EQUAL(call_rv, CUSTOM_KEYBOARD_##expected);    \
  } while (0)

static void type_secret(CUSTOM_KEYBOARD keyboard, enum secret_number number) {
  REQUIRE_OK(CustomKeyboard_clear(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, show(0, number), masked[number].length));
  hide_all();
}

#ifdef FIDO_SECRETS
#include "fido_secrets.h"
#else
static int leave_name(void *context, const CUSTOM_VAULT_ITEM *item) {
  (void)context;
  CHECK(item->dataLength == DATA);
  return 0;
}
static int leave_text(void *context, const char *name) {
  (void)context;
  CHECK(strlen(name) == NAME);
  return 0;
}

static void use_items(CUSTOM_VAULT vault) {
  size_t length;
#define NAMES show_text(0, SERVICE), show_text(1, ACCOUNT)
  CALL("addItem", OK, CustomVault_addItem(vault, NAMES, show_text(2, LABEL), show_text(3, KIND), show(4, THE_DATA),
                                          DATA));
  CALL("addItem of one that exists", EXISTS, CustomVault_addItem(vault, NAMES, NULL, NULL, show(4, NEXT_DATA), DATA));
  CALL("readItem", OK, CustomVault_readItem(vault, NAMES, secret_space, sizeof secret_space, &length));
  CALL("readItem without space", SPACE, CustomVault_readItem(vault, NAMES, secret_space, DATA - 1, &length));
  CALL("readItem of none", NOT_FOUND,
       CustomVault_readItem(vault, show_text(0, ACCOUNT), show_text(1, SERVICE), secret_space, 9, &length));
  CALL("updateItem", OK, CustomVault_updateItem(vault, NAMES, NULL, NULL, show(4, NEXT_DATA), DATA));
  CALL("replaceItem of another", MISMATCH,
       CustomVault_replaceItem(vault, NAMES, show(2, THE_DATA), DATA, show(3, THE_DATA), DATA));
  CALL("replaceItem", OK, CustomVault_replaceItem(vault, NAMES, show(2, NEXT_DATA), DATA, show(3, THE_DATA), DATA));
  CALL("listItems", OK, CustomVault_listItems(vault, NULL, leave_name, NULL));
  CALL("listItems of a service", OK, CustomVault_listItems(vault, show_text(0, SERVICE), leave_name, NULL));
  CALL("addItem of too much", MAXLEN,
       CustomVault_addItem(vault, NAMES, NULL, NULL, show(2, THE_DATA), CUSTOM_VAULT_MAXDATASIZE + 1));
}

static void use_passcodes(CUSTOM_VAULT vault, CUSTOM_KEYBOARD keyboard, CUSTOM_KEYBOARD next) {
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  type_secret(keyboard, THE_PASSCODE);
  type_secret(next, NEXT_PASSCODE);
  CALL("setPasscode", OK, CustomVault_setPasscode(vault, show_text(0, THE_NAME), keyboard, NULL));
  CALL("checkPasscode", OK, CustomVault_checkPasscode(vault, show_text(0, THE_NAME), keyboard, secret_space, &state));
  CALL("checkPasscode of another", MISMATCH,
       CustomVault_checkPasscode(vault, show_text(0, THE_NAME), next, secret_space, &state));
  CALL("changePasscode", OK, CustomVault_changePasscode(vault, show_text(0, THE_NAME), keyboard, next, &state));
  CALL("passcodeState", OK, CustomVault_passcodeState(vault, show_text(0, THE_NAME), &state));
  CALL("listPasscodes", OK, CustomVault_listPasscodes(vault, leave_text, NULL));
}

static void use_words(CUSTOM_VAULT vault, CUSTOM_KEYBOARD keyboard) {
  size_t length;
  CALL("keepWords", OK, CustomVault_keepWords(vault, show_text(0, ACCOUNT), show_text(1, WORDS)));
  type_secret(keyboard, WORDS);
  CALL("keepTypedWords", OK, CustomVault_keepTypedWords(vault, show_text(0, THE_NAME), keyboard));
  CALL("readWords", OK, CustomVault_readWords(vault, show_text(0, THE_NAME), (char *)secret_space, sizeof secret_space,
                                              &length));
  CALL("checkWords", OK, CustomVault_checkWords(show_text(0, WORDS), (char *)secret_space, sizeof secret_space,
                                                &length));
  CALL("wordsSeed", OK, CustomVault_wordsSeed(show_text(0, WORDS), show_text(1, LABEL), secret_space));
  CALL("generateWords", OK, CustomVault_generateWords(24, (char *)secret_space, sizeof secret_space, &length));
  CALL("listWords", OK, CustomVault_listWords(vault, leave_text, NULL));
  CALL("deleteWords", OK, CustomVault_deleteWords(vault, show_text(0, ACCOUNT)));
}

/* All calls, from a file that is made to one that is removed. */
static void use_secrets(uint64_t seed) {
  CUSTOM_VAULT vault = 0;
  CUSTOM_KEYBOARD keyboard, next;
  CUSTOM_VAULT_STATE state = {.size = sizeof state};
  drawing_state = seed ^ UINT64_C(0x1234567887654321);
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_create(&next));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_open(next));
  CALL("open of a new file", OK, CustomVault_open(&vault, secret_path, show(0, THE_KEY), KEY));
  use_items(vault);
  use_passcodes(vault, keyboard, next);
  use_words(vault, keyboard);
  CALL("close", OK, CustomVault_close(vault));
  CALL("open with another key", MISMATCH, CustomVault_open(&vault, secret_path, show(0, NEXT_KEY), KEY));
  CALL("open", OK, CustomVault_open(&vault, secret_path, show(0, THE_KEY), KEY));
  CALL("backup", OK, CustomVault_backup(vault, secret_copy));
  CALL("changeKey", OK, CustomVault_changeKey(vault, show(0, NEXT_KEY), KEY));
  type_secret(keyboard, NEXT_PASSCODE);
  CALL("setPasscodeKey", OK, CustomVault_setPasscodeKey(vault, keyboard, show(0, PEPPER), KEY, NULL));
  CALL("close again", OK, CustomVault_close(vault));
  CALL("openWithPasscode without the pepper", MISMATCH,
       CustomVault_openWithPasscode(&vault, secret_path, keyboard, NULL, 0, &state));
  CALL("openWithPasscode", OK,
       CustomVault_openWithPasscode(&vault, secret_path, keyboard, show(0, PEPPER), KEY, &state));
  size_t length;
  CALL("readItem under the new key", OK,
       CustomVault_readItem(vault, NAMES, secret_space, sizeof secret_space, &length));
  CALL("deleteItem", OK, CustomVault_deleteItem(vault, NAMES));
  CALL("close at last", OK, CustomVault_close(vault));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(next));
}
#endif /* FIDO_SECRETS */

/* ---- The first run ----------------------------------------------------------------------------------------------- */

static void clear_secret_folder(void) {
  remove_folder(secret_folder);
  REQUIRE(mkdir(secret_folder, 0700) == 0);
}

static void pass_all(int file, void *bytes, size_t count, int is_writing) {
  for (size_t done = 0; done < count;) {
    ssize_t moved = is_writing ? write(file, (char *)bytes + done, count - done)
                               : read(file, (char *)bytes + done, count - done);
    REQUIRE(moved > 0);
    done += (size_t)moved;
  }
}

static unsigned long moments_in_all;

/* Leaves the needles of a seed in this process, which has never had a secret. */
static void learn_secrets(uint64_t seed) {
  int ends[2], status = -1;
  uint64_t state = seed * 3 + 1;
  memset(&needles, 0, sizeof needles);
  needles.factor = next_number(&state) | 1;
  clear_secret_folder();
  fflush(NULL);
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    is_first_run = 1;
    draw_masked(seed);
    use_secrets(seed);
    make_needles();
    pass_all(ends[1], &needles, sizeof needles, 1);
    pass_all(ends[1], &moment_count, sizeof moment_count, 1);
    _exit(atomic_load(&check_failures) > 0);
  }
  close(ends[1]);
  pass_all(ends[0], &needles, sizeof needles, 0);
  pass_all(ends[0], &moments_in_all, sizeof moments_in_all, 0);
  close(ends[0]);
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  REQUIRE(needles.count > 2000);
  clear_secret_folder();
}

static inline void prepare_secrets(void) {
  make_folder(secret_folder, sizeof secret_folder);
  snprintf(secret_path, sizeof secret_path, "%.250s/vault", secret_folder);
  snprintf(secret_copy, sizeof secret_copy, "%.250s/copy", secret_folder);
  register_faulty();
  faulty_hook = look_inside;
}

/* How many needles the files of the folder have, which no vault of this process has open. */
static inline size_t search_files(int quiet) {
  static uint8_t contents[1 << 20];
  char name[1024];
  size_t hits = 0, files = 0;
  DIR *all = opendir(secret_folder);
  REQUIRE(all != NULL);
  for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
    snprintf(name, sizeof name, "%s/%s", secret_folder, entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(name, "rb");
    if (file == NULL) continue;
    size_t count = fread(contents, 1, sizeof contents, file);
    REQUIRE(count < sizeof contents && fclose(file) == 0);
    uintptr_t start = (uintptr_t)contents;
    hits += scan_range(entry->d_name, start, start + count, "in a file", quiet);
    files++;
  }
  closedir(all);
  REQUIRE(files >= 2);
  return hits;
}

#endif
