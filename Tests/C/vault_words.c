/*
 * Recovery words: known answers, words as people write them, words that are not right, and words in a vault, typed or
 * given.
 *
 *     vault_words VECTORS          the file bip39.txt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"

static const uint8_t key[] = "the key of the vault, 32 bytes..";
static const char *const twelve = "legal winner thank year wave sausage worth useful legal winner thank yellow";
static char folder[256], path[300];
static CUSTOM_VAULT vault;

/* ---- Known answers ---------------------------------------------------------------------------------------------- */

/* Each line has words and, after a tab, the seed with the passphrase TREZOR. Returns how many there were. */
static int check_vectors(const char *file_path) {
  char line[512], text[CUSTOM_VAULT_MAXWORDSSIZE], hex[130];
  int count = 0;
  FILE *file = fopen(file_path, "r");
  REQUIRE(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    if (line[0] == '#' || line[0] == '\n') continue;
    char *tab = strchr(line, '\t');
    uint8_t seed[CUSTOM_VAULT_SEEDSIZE];
    size_t length = 0;
    REQUIRE(tab != NULL);
    *tab = 0;
    CHECK_RV(CustomVault_checkWords(line, text, sizeof text, &length), OK);
    CHECK(length == strlen(line) && strcmp(line, text) == 0);
    CHECK_RV(CustomVault_wordsSeed(line, "TREZOR", seed), OK);
    for (int i = 0; i < 64; i++) snprintf(hex + 2 * i, 3, "%02x", seed[i]);
    if (!CHECK(strncmp(hex, tab + 1, 128) == 0)) fprintf(stderr, "  %s: %s\n", line, hex);
    CHECK_RV(CustomVault_wordsSeed(line, "TREZOr", seed), OK);
    for (int i = 0; i < 64; i++) snprintf(hex + 2 * i, 3, "%02x", seed[i]);
    CHECK(strncmp(hex, tab + 1, 128) != 0); /* the comparison can fail */
    count++;
  }
  fclose(file);
  return count;
}

/* ---- As people write them --------------------------------------------------------------------------------------- */

static void words_are_read(void) {
  static const struct {
    const char *text;
    CUSTOM_KEYBOARD_RV rv;
  } cases[] = {
      {"legal winner thank year wave sausage worth useful legal winner thank yellow", CUSTOM_KEYBOARD_OK},
      {"LEGAL Winner tHANK year wave sausage worth useful legal winner thank YELLOW", CUSTOM_KEYBOARD_OK},
      {"\t legal\twinner\nthank\r\nyear\vwave\fsausage  worth useful legal winner thank yellow \n", CUSTOM_KEYBOARD_OK},
      {"legal\xc2\xa0winner\xe3\x80\x80thank\xe2\x80\xa8year\xe1\x9a\x80wave\xc2\x85sausage\xe2\x80\x83worth"
       "\xe2\x81\x9fuseful\xe2\x80\xaflegal\xe2\x80\xa9winner\xe2\x80\x80thank\xe2\x80\x8ayellow", CUSTOM_KEYBOARD_OK},
      {"legal winner thank year wave sausage worth useful legal winner thank year", CUSTOM_KEYBOARD_REFUSED},
      {"winner legal thank year wave sausage worth useful legal winner thank yellow", CUSTOM_KEYBOARD_REFUSED},
      {"legal winner thank year wave sausage worth useful legal winner thank yello", CUSTOM_KEYBOARD_REFUSED},
      {"legal winner thank year wave sausage worth useful legal winner thank yellows", CUSTOM_KEYBOARD_REFUSED},
      {"lega winner thank year wave sausage worth useful legal winner thank yellow", CUSTOM_KEYBOARD_REFUSED},
      {"legal winner thank year wave sausage worth useful legal winner thank", CUSTOM_KEYBOARD_REFUSED},
      {"legal winner thank year wave sausage worth useful legal winner thank yellow yellow", CUSTOM_KEYBOARD_REFUSED},
      {"legal, winner thank year wave sausage worth useful legal winner thank yellow", CUSTOM_KEYBOARD_REFUSED},
      {"letter advice cage absurd amount doctor acoustics avoid letter advice cage above", /* eight letters and one */
       CUSTOM_KEYBOARD_REFUSED},
      {"legalwinner thank year wave sausage worth useful legal winner thank yellow", CUSTOM_KEYBOARD_REFUSED},
      {"legal\xe2\x80\x8bwinner thank year wave sausage worth useful legal winner thank yellow", /* of no width */
       CUSTOM_KEYBOARD_REFUSED},
      {"l\xc3\xa9gal winner thank year wave sausage worth useful legal winner thank yellow", CUSTOM_KEYBOARD_REFUSED},
      {"", CUSTOM_KEYBOARD_REFUSED},
      {"zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo",
       CUSTOM_KEYBOARD_REFUSED},
      {"zoo zoo zoo", CUSTOM_KEYBOARD_REFUSED},
      {"abandonabandon", CUSTOM_KEYBOARD_REFUSED},
      {"legal winner thank year wave sausage worth useful legal winner thank yellow\xe3\x80", CUSTOM_KEYBOARD_ARGUMENT},
      {"\xff", CUSTOM_KEYBOARD_ARGUMENT},
      {"no word of the list \xc0\xaf", CUSTOM_KEYBOARD_ARGUMENT},
      {"\xed\xa0\x80", CUSTOM_KEYBOARD_ARGUMENT},
      {"\xe0\x80\xa0", CUSTOM_KEYBOARD_ARGUMENT},
  };
  char text[CUSTOM_VAULT_MAXWORDSSIZE];
  uint8_t seed[64], first[64];
  CHECK_RV(CustomVault_wordsSeed(twelve, NULL, first), OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length = 777;
    memset(text, '-', sizeof text);
    if (!CHECK_EQUAL(CustomVault_checkWords(cases[i].text, text, sizeof text, &length), cases[i].rv))
      fprintf(stderr, "  %s\n", cases[i].text);
    CHECK_EQUAL(CustomVault_checkWords(cases[i].text, NULL, 0, NULL), cases[i].rv);
    CHECK_EQUAL(CustomVault_wordsSeed(cases[i].text, "", seed), cases[i].rv);
    CHECK_EQUAL(CustomVault_keepWords(vault, "case", cases[i].text), cases[i].rv);
    if (cases[i].rv == CUSTOM_KEYBOARD_OK) {
      CHECK(length == strlen(twelve) && strcmp(text, twelve) == 0);
      CHECK_BYTES(seed, first, 64);
      CHECK_RV(CustomVault_keepWords(vault, "case", cases[i].text), EXISTS);
      CHECK_RV(CustomVault_deleteWords(vault, "case"), OK);
    } else {
      CHECK(length == 777 && text[0] == '-');
    }
  }
}

static void spaces_and_arguments(void) {
  char text[CUSTOM_VAULT_MAXWORDSSIZE];
  uint8_t seed[64];
  size_t length = 0;
  CHECK_RV(CustomVault_checkWords(twelve, text, strlen(twelve), &length), SPACE);
  CHECK(length == strlen(twelve) + 1);
  CHECK_RV(CustomVault_checkWords(twelve, NULL, 0, &length), SPACE);
  CHECK_RV(CustomVault_checkWords(twelve, text, strlen(twelve) + 1, &length), OK);
  CHECK_RV(CustomVault_checkWords(NULL, text, sizeof text, &length), ARGUMENT);
  CHECK_RV(CustomVault_checkWords(twelve, NULL, 1, &length), ARGUMENT);
  CHECK_RV(CustomVault_checkWords(twelve, text, sizeof text, NULL), ARGUMENT);
  CHECK_RV(CustomVault_wordsSeed(NULL, "", seed), ARGUMENT);
  CHECK_RV(CustomVault_wordsSeed(twelve, "", NULL), ARGUMENT);
  CHECK_RV(CustomVault_wordsSeed("no words", "\x7f", seed), ARGUMENT); /* before REFUSED */
  CHECK_RV(CustomVault_wordsSeed(twelve, "\x1f", seed), ARGUMENT);
  CHECK_RV(CustomVault_wordsSeed(twelve, "\xc3\xa9", seed), ARGUMENT);
  CHECK_RV(CustomVault_wordsSeed(twelve, " ~", seed), OK);
  static const size_t wrong[] = {0, 1, 3, 9, 11, 13, 14, 23, 25, 27, SIZE_MAX, SIZE_MAX / 9 + 2};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_RV(CustomVault_generateWords(wrong[i], text, sizeof text, &length), ARGUMENT);
  for (size_t count = 12; count <= 24; count += 3) {
    char other[CUSTOM_VAULT_MAXWORDSSIZE];
    CHECK_RV(CustomVault_generateWords(count, text, 9 * count - 1, &length), SPACE);
    CHECK(length == 9 * count);
    CHECK_RV(CustomVault_generateWords(count, text, 9 * count, &length), OK);
    CHECK(length == strlen(text));
    CHECK_RV(CustomVault_checkWords(text, NULL, 0, NULL), OK);
    CHECK_RV(CustomVault_generateWords(count, other, sizeof other, &length), OK);
    CHECK(strcmp(text, other) != 0);
  }
  CHECK_RV(CustomVault_generateWords(12, NULL, 108, &length), ARGUMENT);
  CHECK_RV(CustomVault_generateWords(12, text, 108, NULL), ARGUMENT);
}

/* ---- In a vault ------------------------------------------------------------------------------------------------- */

static int write_name(void *context, const char *name) {
  strcat(strcat(context, name), " ");
  return strcmp(name, "typed") == 0;
}

static void words_are_kept(void) {
  static const char *const twenty_four =
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon art";
  char text[CUSTOM_VAULT_MAXWORDSSIZE], names[64] = "";
  size_t length = 0;
  CUSTOM_KEYBOARD keyboard = typed("Legal winner thank year wave sausage "), idle, dead = typed("");
  REQUIRE_OK(CustomKeyboard_create(&idle));
  REQUIRE_OK(CustomKeyboard_destroy(dead));
  CHECK_RV(CustomVault_keepWords(vault, "wallet", twenty_four), OK);
  CHECK_RV(CustomVault_keepWords(vault, "wallet", twelve), EXISTS);
  CHECK_RV(CustomVault_readWords(vault, "wallet", text, sizeof text, &length), OK);
  CHECK(strcmp(text, twenty_four) == 0 && length == strlen(text));
  CHECK_RV(CustomVault_readWords(vault, "wallet", text, length, &length), SPACE);
  CHECK(length == strlen(twenty_four) + 1);
  CHECK_RV(CustomVault_readWords(vault, "none", text, sizeof text, &length), NOT_FOUND);

  CHECK_RV(CustomVault_keepTypedWords(vault, "typed", dead), ARGUMENT);
  CHECK_RV(CustomVault_keepTypedWords(vault, "typed", idle), OP_DISABLE);
  CHECK_RV(CustomVault_keepTypedWords(vault, "typed", keyboard), REFUSED);
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES("\xc2\xa0worth useful legal winner thank yellow ")));
  CHECK_RV(CustomVault_keepTypedWords(vault, "wallet", keyboard), EXISTS);
  CHECK_RV(CustomVault_keepTypedWords(vault, "typed", keyboard), OK);
  CHECK_RV(CustomVault_readWords(vault, "typed", text, sizeof text, &length), OK);
  CHECK(strcmp(text, twelve) == 0);
  /* The longest twelve words fit a keyboard. */
  type_again(keyboard, "abstract accident acoustic announce artefact attitude bachelor broccoli business category "
                       "champion ");
  REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES("chemical"))); /* the checksum is not right, but they are read */
  CHECK_RV(CustomVault_keepTypedWords(vault, "long", keyboard), REFUSED);
  type_again(keyboard, "");
  CHECK_RV(CustomVault_keepTypedWords(vault, "empty", keyboard), REFUSED);

  static const char *const wrong[] = {NULL, "", "\xff"};
  for (int i = 0; i < 3; i++) {
    CHECK_RV(CustomVault_keepWords(vault, wrong[i], "no words"), ARGUMENT);
    CHECK_RV(CustomVault_keepTypedWords(vault, wrong[i], idle), ARGUMENT);
    CHECK_RV(CustomVault_readWords(vault, wrong[i], text, sizeof text, &length), ARGUMENT);
    CHECK_RV(CustomVault_deleteWords(vault, wrong[i]), ARGUMENT);
  }
  CHECK_RV(CustomVault_keepWords(vault, "n", NULL), ARGUMENT);
  CHECK_RV(CustomVault_keepWords(0, "n", twelve), ARGUMENT);
  CHECK_RV(CustomVault_listWords(vault, NULL, NULL), ARGUMENT);
  CHECK_RV(CustomVault_keepWords(vault, "zz", twelve), OK);
  CHECK_RV(CustomVault_listWords(vault, write_name, names), OK);
  CHECK(strcmp(names, "typed ") == 0);
  CHECK_RV(CustomVault_deleteWords(vault, "zz"), OK);
  CHECK_RV(CustomVault_deleteWords(vault, "zz"), NOT_FOUND);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CHECK_RV(CustomVault_readWords(vault, "wallet", text, sizeof text, &length), OK);
  CHECK(strcmp(text, twenty_four) == 0);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
  CHECK_OK(CustomKeyboard_destroy(idle));
}

static void forked_children_have_none(void) {
  char text[CUSTOM_VAULT_MAXWORDSSIZE];
  size_t length;
  pid_t child = fork();
  if (child == 0)
    _exit(CustomVault_checkWords(twelve, NULL, 0, NULL) == CUSTOM_KEYBOARD_OP_DISABLE &&
                  CustomVault_generateWords(12, text, sizeof text, &length) == CUSTOM_KEYBOARD_OP_DISABLE &&
                  CustomVault_readWords(vault, "wallet", text, sizeof text, &length) == CUSTOM_KEYBOARD_OP_DISABLE &&
                  CustomVault_keepWords(vault, "new", twelve) == CUSTOM_KEYBOARD_OP_DISABLE
              ? 0
              : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int count, char **arguments) {
  REQUIRE(count == 2);
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
  CHECK_EQUAL(check_vectors(arguments[1]), 24);
  words_are_read();
  spaces_and_arguments();
  words_are_kept();
  forked_children_have_none();
  CHECK_RV(CustomVault_close(vault), OK);
  static const char *const secrets[] = {"legal", "winner", "abandon", "wallet", "typed"};
  CHECK(files_hold_now(folder, "SQLite format 3")); /* the search finds what is there */
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) CHECK(!files_hold_now(folder, secrets[i]));
  /* The entropy of the words, which is what is kept. */
  static const uint8_t entropy[16] = {127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127};
  CHECK(!files_hold_bytes_now(folder, entropy, 16));
  remove_folder(folder);
  return check_end("vault_words", 300);
}
