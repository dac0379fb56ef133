/*
 * What was wrong: after each row of a header that fails, its cause is a sentence about that failure, and not about
 * another one or about all failures with this code. Calls that succeed leave it, each thread has its own, and a child
 * has its parent's. What people get wrong most often has the sentence that Swift's description has, word for word.
 *
 *     causes [header [name]]          the path of the header, to check that every function is called
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "tested_calls.h"
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(FIDO_CALLS)
#define CAUSE CustomFido_cause
#elif defined(VAULT_CALLS)
#define CAUSE CustomVault_cause
#else
#define CAUSE CustomKeyboard_cause
#endif

/* ---- Each row ---------------------------------------------------------------------------------------------------- */

/* Whether a code says all that is known, on purpose or because there is no more. */
static int says_all(int code) {
  switch (code < 0 ? -code : code) {
  case CUSTOM_KEYBOARD_ERR:
  case CUSTOM_KEYBOARD_OP_DISABLE:
  case CUSTOM_KEYBOARD_MAXLEN:
  case CUSTOM_KEYBOARD_ARGUMENT:
  case CUSTOM_KEYBOARD_REFUSED: return 0;
  default: return 1;
  }
}

static void check_row(const struct call *call, int variant) {
  if (call->expected == ANY_POINTER) return;
  call->prepare();
  const char *before = CAUSE();
  int answer = (int)(int32_t)call->run();
  const char *cause = CAUSE();
  if (call->undo) call->undo();
  int is_right;
  if (!CHECK_EQUAL(answer, call->expected)) is_right = 0;
  else if (is_success(call)) is_right = CHECK(cause == before);
  else {
    /* A code of FIDO's guide has a sentence of its own; below 0 are those of the libraries. */
    const char *of_code = NULL;
    if (answer <= CUSTOM_KEYBOARD_BUSY) of_code = CustomKeyboard_message((CUSTOM_KEYBOARD_RV)abs(answer));
    is_right = CHECK(cause[strlen(cause) - 1] == '.') && CHECK(strcmp(cause, CustomKeyboard_message(0)) != 0) &&
               CHECK(!of_code || (strcmp(cause, of_code) == 0) == says_all(answer));
  }
  if (!is_right) fprintf(stderr, "  (%s: %d, \"%s\")\n", call_name(call, variant), answer, cause);
}

/* ---- Threads and children ---------------------------------------------------------------------------------------- */

static void *of_another_thread(void *nothing) {
  const struct call *call = tested->calls;
  const char *before = CAUSE();
  (void)nothing;
  while (call->expected == ANY_POINTER || is_success(call)) call++;
  call->prepare();
  CHECK_EQUAL((int32_t)call->run(), call->expected);
  CHECK(CAUSE() != before);
  return (void *)(uintptr_t)before;
}

static void check_threads(void) {
  const char *own = CAUSE();
  pthread_t thread;
  void *first;
  REQUIRE(pthread_create(&thread, NULL, of_another_thread, NULL) == 0);
  REQUIRE(pthread_join(thread, &first) == 0);
  CHECK(strcmp(first, "Done.") == 0);
  CHECK(CAUSE() == own);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(CAUSE() != own);
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
}

/* ---- Word for word ----------------------------------------------------------------------------------------------- */

#define TELLS(code, call, sentence)                                                                    \
  do {                                                                                                 \
    CHECK_EQUAL(call, code);                                                                           \
    if (!CHECK(strcmp(CAUSE(), sentence) == 0)) fprintf(stderr, "  %s\n  %s\n", CAUSE(), sentence);    \
  } while (0)
#define SAYS(code, call, sentence) TELLS(CUSTOM_KEYBOARD_##code, call, sentence)

#if !defined(VAULT_CALLS) && !defined(FIDO_CALLS)
#define CARD                                                                                                         \
  "The card's number is missing or wrong: a PIN block takes it as its context, 10 to 19 digits without blanks or " \
  "other characters."
#define NO_CONTEXT \
  "No context is set: pass the server's challenge to `setContext` after each `close`, or no bytes on purpose."

static const char *const salt_and_hash = "c2FsdHNhbHRzYWx0c2FsdA$rBWULD5jOGpQy32rLvGcmvQMVqIVNAmrCtekWvUA8bw";

/* A verifier of Argon2 with these parameters, for `password`. */
static CUSTOM_KEYBOARD_RV verify(CUSTOM_KEYBOARD k, const char *parameters) {
  char text[400];
  snprintf(text, sizeof text, "%s$%s", parameters, salt_and_hash);
  return CustomKeyboard_checkVerifier(k, NULL, 0, text);
}

static void check_verifiers(CUSTOM_KEYBOARD k) {
  /* In any order, and each once. */
  const char *right[] = {"m=65536,t=3,p=4", "m=65536,p=4,t=3", "t=3,m=65536,p=4", "t=3,p=4,m=65536", "p=4,m=65536,t=3",
                         "p=4,t=3,m=65536"};
  char text[200];
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    snprintf(text, sizeof text, "$argon2id$v=19$%s", right[i]);
    CHECK_OK(verify(k, text));
  }
  const char *costs =
      "The verifier's costs are out of bounds: m, t and p once each, m from 8 a lane to 1048576 KiB, 1 to 16 lanes, m "
      "times t at most 2097152.";
  const char *wrong[] = {"m=65536,t=3", "m=65536,t=3,p=4,p=4", "m=65536,m=65536,t=3,p=4", "m=1048577,t=1,p=1",
                         "m=8,t=1,p=17", "m=15,t=1,p=2", "m=1048576,t=3,p=1", "m=065536,t=3,p=4", "m=65536,t=0,p=4",
                         "m=65536,t=3,p=", "m=65536,t=3,p=4,", "m=65536 t=3 p=4", "", "x=1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    snprintf(text, sizeof text, "$argon2id$v=19$%s", wrong[i]);
    SAYS(ARGUMENT, verify(k, text), costs);
  }
  SAYS(ARGUMENT, verify(k, "$argon2id$v=19$m=65536,t=3,p=4,keyid=Zm9v"),
       "This verifier names a key (keyid): pass that key as the pepper, and the verifier without it.");
  SAYS(ARGUMENT, verify(k, "$argon2id$v=19$m=65536,t=3,p=4,data=Zm9v"),
       "This verifier has associated data (data), which is not checked here: make a new one.");
  const char *version =
      "This verifier is of another version of Argon2: only version 19, written v=19, is checked here.";
  SAYS(ARGUMENT, verify(k, "$argon2id$v=16$m=65536,t=3,p=4"), version);
  SAYS(ARGUMENT, verify(k, "$argon2id$m=65536,t=3,p=4"), version);
  const char *variant = "This verifier is of Argon2i or Argon2d: only Argon2id is checked here.";
  SAYS(ARGUMENT, verify(k, "$argon2i$v=19$m=65536,t=3,p=4"), variant);
  SAYS(ARGUMENT, verify(k, "$argon2d$v=19$m=65536,t=3,p=4"), variant);
#define VERIFIER(text, sentence) SAYS(ARGUMENT, CustomKeyboard_checkVerifier(k, NULL, 0, text), sentence)
  VERIFIER("$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
           "This verifier is one of bcrypt, which is not checked here: make a new one when its user logs in.");
  VERIFIER("$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
           "This verifier is of an algorithm that is not checked here: make a new one, of Argon2id, when its user logs "
           "in.");
  const char *none = "This is not a verifier: it begins with $argon2id$, or for import with $sha256d$ or $sha256x2$.";
  VERIFIER("", none);
  VERIFIER("$", none);
  VERIFIER("password", none);
  const char *cut = "The verifier is cut off or altered: its salt has 8 to 64 bytes, its hash 16 to 64, in Base64.";
  VERIFIER("$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$rBWULD5jOGpQy32", cut);
  snprintf(text, sizeof text, "$argon2id$v=19$m=65536,t=3,p=4$%0150d", 0);
  SAYS(ARGUMENT, verify(k, text), cut);
  VERIFIER("$sha256d$5e884898", "The verifier is cut off or altered: one for import has 64 hexadecimal digits.");
  SAYS(ARGUMENT, CustomKeyboard_checkVerifier(k, bytes("x"), 1, import_form),
       "A verifier for import takes no pepper: pass none, and make a new one after the login.");
}

static void check_sentences(void) {
  CUSTOM_KEYBOARD k;
  CUSTOM_DUKPT_DEVICE device;
  static const uint8_t zeros[400], key[] = "0123456789abcdef";
  uint8_t space[300];
  size_t at, length;
  memset(&device, 0, sizeof device);
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, key, 16, CUSTOM_ENCWAY_PIN4));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, bytes("1234"), 4));
  SAYS(ERR, CustomKeyboard_getText(k, space, sizeof space, &at, &length), CARD);
  REQUIRE_OK(CustomKeyboard_setContext(k, bytes("4111 1111 1111 1111"), 19));
  SAYS(ERR, CustomKeyboard_getText(k, space, sizeof space, &at, &length), CARD);
  REQUIRE_OK(CustomKeyboard_close(k));
  SAYS(ERR, CustomKeyboard_receive(k, CUSTOM_ENCWAY_PIN4, key, 16, bytes("4111 1111 1111 1111"), 19, zeros, 16), CARD);
  SAYS(ERR, CustomKeyboard_receive(k, CUSTOM_ENCWAY_PIN1, key, 16, bytes("4111111111111111"), 16, zeros, 8),
       "A PIN block of format 1 is bound to no card: pass no context.");
  SAYS(ERR, CustomKeyboard_receive(k, CUSTOM_ENCWAY_PIN0, zeros, 16, bytes("4111111111111111"), 16, zeros, 8),
       "The key is one of single DES: K1 and K2, or K2 and K3, are equal. Make another key.");
  SAYS(ERR, CustomKeyboard_setEncKey(k, key, 8, CUSTOM_ENCWAY_PIN0),
       "The key has a wrong length: a PIN block takes 16 or 24 bytes of 3DES, of format 4 16, 24 or 32 of AES.");
  SAYS(ERR, CustomKeyboard_dukptInitialKey(CUSTOM_DUKPT_TDES, key, 16, zeros, 12, space, sizeof space, &length),
       "The key serial number has a wrong length: it has 10 bytes with 3DES, 12 with AES.");
  SAYS(ERR, CustomKeyboard_dukptKey(CUSTOM_DUKPT_TDES, key, 16, zeros, 10, space, sizeof space, &length),
       "The key serial number's counter is wrong: it is 0 when a device is loaded, and of a transaction it has 1 to 10 "
       "bits set with 3DES, 1 to 16 with AES.");
  SAYS(ERR, CustomKeyboard_dukptLoad(&device, CUSTOM_DUKPT_AES256, key, 16, zeros, 12),
       "The base key or initial key has a wrong length: it has 16 bytes with 3DES; with AES 16, 24 or 32, and no less "
       "than the keys that are made of it.");
  SAYS(ARGUMENT, CustomKeyboard_dukptNext(&device, k, CUSTOM_ENCWAY_PIN4, space, sizeof space, &length),
       "The device is empty: load it with an initial key first.");
  REQUIRE_OK(CustomKeyboard_setEncKey(k, key, 16, CUSTOM_ENCWAY_SM4_GCM));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, bytes("password"), 8));
  SAYS(ERR, CustomKeyboard_getText(k, space, sizeof space, &at, &length), NO_CONTEXT);
  const char *pepper = "The pepper is too long: it may have 64 bytes.";
  SAYS(MAXLEN, CustomKeyboard_makeVerifier(k, zeros, 65, (char *)space, sizeof space, &length), pepper);
  SAYS(MAXLEN, CustomKeyboard_deriveKey(k, zeros, 16, zeros, 65, 8, 1, space, 32), pepper);
  SAYS(MAXLEN, CustomKeyboard_setContext(k, zeros, 257), "The context is too long: it may have 256 bytes.");
  SAYS(ARGUMENT, CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4, key, 16, NULL, 0, space, sizeof space, &at, &length),
       "This is not a way that seals: pass SM4_GCM, X25519, P256, SM2, RSA or XWING; ECB has `decrypt`.");
  SAYS(ARGUMENT, CustomKeyboard_input(k, NULL, 1),
       "A pointer is NULL: pass one, or a length of 0 where there may be no bytes.");
  check_verifiers(k);
  REQUIRE_OK(CustomKeyboard_destroy(k));
  SAYS(ARGUMENT, CustomKeyboard_open(k), "The keyboard does not exist any more: create a new one.");
}
#elif defined(VAULT_CALLS)
static CUSTOM_KEYBOARD_RV close_inside(void *vault) { return CustomVault_close(*(CUSTOM_VAULT *)vault); }
/* A code of the body's own: not that of its last call. */
static CUSTOM_KEYBOARD_RV answer_another(void *vault) {
  return CustomVault_close(*(CUSTOM_VAULT *)vault) == CUSTOM_KEYBOARD_OP_DISABLE ? CUSTOM_KEYBOARD_ERR
                                                                                   : CUSTOM_KEYBOARD_OK;
}
#define ELEVEN "legal winner thank year wave sausage worth useful legal winner thank "
static void check_sentences(void) {
  CUSTOM_VAULT vault;
  char long_name[257];
  memset(long_name, 'x', 256);
  long_name[256] = 0;
  const char *empty = "The path is empty: pass the vault's file.";
  SAYS(ARGUMENT, CustomVault_open(&vault, "", v.key, sizeof v.key), empty);
  SAYS(ARGUMENT, CustomVault_passcodeKeyState("", &(CUSTOM_VAULT_STATE){.size = sizeof(CUSTOM_VAULT_STATE)}), empty);
  no_vault();
  SAYS(ERR, CustomVault_open(&vault, v.path, v.key, 16), "The vault's key has a wrong length: it has 32 bytes.");
  char path[300];
  SAYS(ARGUMENT, (snprintf(path, sizeof path, "%s-wal", v.path), CustomVault_open(&vault, path, v.key, sizeof v.key)),
       "The path ends in -wal, -shm or -journal, and SQLite would delete the file: pass another name.");
  SAYS(STORAGE, (snprintf(path, sizeof path, "%s/", v.folder), CustomVault_open(&vault, path, v.key, sizeof v.key)),
       "The path ends in a slash: pass the name of a file.");
  SAYS(STORAGE, (snprintf(path, sizeof path, "%s/a/b", v.folder), CustomVault_open(&vault, path, v.key, sizeof v.key)),
       "The file's folder is not there or not this user's, or others may write into it: see to it with `ls -ld`.");
  REQUIRE_OK(CustomVault_open(&vault, v.path, v.key, sizeof v.key));
  REQUIRE(chmod(v.folder, 0777) == 0);
  SAYS(STORAGE, CustomVault_backup(vault, v.copy),
       "The file's folder is not there or not this user's, or others may write into it: see to it with `ls -ld`.");
  REQUIRE(chmod(v.folder, 0700) == 0 && chmod(v.path, 0644) == 0);
  CHECK_EQUAL(CustomVault_close(vault), CUSTOM_KEYBOARD_OK);
  SAYS(STORAGE, CustomVault_open(&vault, v.path, v.key, sizeof v.key),
       "The file must be a regular file with one name that only this user may read and write (`chmod 600`).");
  REQUIRE(chmod(v.path, 0600) == 0);
  REQUIRE_OK(CustomVault_open(&vault, v.path, v.key, sizeof v.key));
  SAYS(ARGUMENT, CustomVault_backup(vault, ""), empty);
  SAYS(ARGUMENT, CustomVault_deleteItem(vault, "", "a"), "A name is empty: pass 1 to 255 bytes.");
  SAYS(ARGUMENT, CustomVault_deleteItem(vault, "s", long_name), "A name is too long: it may have 255 bytes.");
  SAYS(ARGUMENT, CustomVault_deleteItem(vault, "s", "\xff"), "The characters are not UTF-8: pass whole characters.");
  static const uint8_t data[65537];
  SAYS(MAXLEN, CustomVault_addItem(vault, "s", "a", NULL, NULL, data, sizeof data),
       "The data is too long: an item of a vault may have 65536 bytes.");
  SAYS(REFUSED, CustomVault_checkWords("legal winner", NULL, 0, NULL),
       "There are too few or too many words: recovery words are 12, 15, 18, 21 or 24.");
  SAYS(REFUSED, CustomVault_checkWords(ELEVEN "yelow", NULL, 0, NULL),
       "A word is not on the list: check the spelling of each.");
  SAYS(REFUSED, CustomVault_checkWords(ELEVEN "thank", NULL, 0, NULL),
       "The words do not belong together: check that each is right, and in its place.");
  SAYS(ARGUMENT, CustomVault_setPolicy(vault, "pin", &(CUSTOM_VAULT_POLICY){.size = sizeof(CUSTOM_VAULT_POLICY)}),
       "The policy is out of range: 1 to 1000 tries, and 1 to 2147483647 seconds.");
  SAYS(ARGUMENT, CustomVault_setPolicy(vault, "pin", &(CUSTOM_VAULT_POLICY){.size = 1}),
       "The structure's size is wrong: set it to sizeof of the structure.");
  SAYS(OP_DISABLE, CustomVault_change(vault, close_inside, &vault),
       "This cannot be a part of a vault's change: do it before the change, or after it.");
  SAYS(ERR, CustomVault_change(vault, answer_another, &vault), CustomKeyboard_message(CUSTOM_KEYBOARD_ERR));
  REQUIRE_OK(CustomVault_close(vault));
  SAYS(ARGUMENT, CustomVault_close(vault), "The handle names nothing: what it named was closed, or never existed.");
}
#else
static void check_sentences(void) {
  CUSTOM_FIDO fido;
  vault_opened();
  TELLS(1001, CustomFido_create(&fido, v.vault, "https://bank.example"),
        "Name the app after ios:bundle-id: or android:apk-key-hash:, in 512 bytes.");
  TELLS(-5, CustomFido_create(&fido, 0, "ios:bundle-id:com.example.bank"),
        "The handle names nothing: what it named was closed, or never existed.");
  CHECK_EQUAL(CustomFido_create(&fido, v.vault, "ios:bundle-id:com.example.bank"), 0);
  TELLS(1001, CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "4E4E4005"),
        "Give an AAID of four hexadecimal digits, a # and four more: 4E4E#4005.");
  TELLS(1001, CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, NULL),
        "A pointer is NULL: pass one, or a length of 0 where there may be no bytes.");
  TELLS(1001, CustomFido_startRegistration(fido, "kim", NULL), "Set the server first: nobody can be asked.");
  TELLS(-5, CustomFido_applyLayout(fido, CUSTOM_FIDO_PASSCODE, 0),
        "The keyboard does not exist any more: create a new one.");
  CHECK_EQUAL(CustomVault_close(v.vault), CUSTOM_KEYBOARD_OK);
  TELLS(-5, CustomFido_attempts(fido, CUSTOM_FIDO_PASSCODE, &(CUSTOM_VAULT_STATE){.size = sizeof(CUSTOM_VAULT_STATE)}),
        "The handle names nothing: what it named was closed, or never existed.");
  CHECK_EQUAL(CustomFido_destroy(fido), 0);
}
#endif

int main(int count, char **arguments) {
  if (count > 1) check_complete(tested, arguments[1]);
  CHECK(strcmp(CAUSE(), "Done.") == 0);
  uint64_t seed = take_seed();
  w.algorithm = &algorithms[ALGORITHM_COUNT - 1];
  w.layout = CUSTOM_KEYBOARD_LAYOUT_LETTERS;
  w.password_length = 40;
  draw_password(&seed, w.password, sizeof w.password);
  draw_bytes(&seed, w.key, sizeof w.key);
#if defined(VAULT_CALLS) || defined(FIDO_CALLS)
  vault_secrets();
#endif
  walk_calls(tested, 0, check_row);
  check_threads();
  tested->release();
  check_sentences();
  tested->release();
  return check_end(count > 2 ? arguments[2] : "causes", tested->count);
}
