/*
 * A window that logs in to the example bank with a keyboard of the library. This file reads the options, and begins and
 * ends the program; login.c is what it does, and keyboard_view.c the part to look at for another toolkit.
 *
 *     make kiosk && build/kiosk --help
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib-unix.h>
#include <sys/prctl.h>
#include <sysexits.h>

#include "fido.h"
#include "login.h"

static const struct Kind {
  CUSTOM_KEYBOARD_LAYOUT layout;
  size_t maximum;
  const char *what;
  int width, height;
  double widest;
} kinds[] = {{CUSTOM_KEYBOARD_LAYOUT_PIN, 6, "PIN", 360, 600, 1.4},
             {CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS, 6, "PIN", 360, 600, 1.4},
             {CUSTOM_KEYBOARD_LAYOUT_LETTERS, 0, "password", 480, 520, 3},
             {CUSTOM_KEYBOARD_LAYOUT_PATTERN, 0, "pattern", 360, 600, 1}};
static const char *const layouts[] = {"pin", "pin-decoys", "letters", "pattern", NULL}; /* names of `kinds` */
static const char *const ways[] = {"x25519", "xwing", NULL};
static const CUSTOM_ENCWAY codes[] = {CUSTOM_ENCWAY_X25519, CUSTOM_ENCWAY_XWING}; /* of `ways` */
static const char *const shuffles[] = {"none", "opening", "key", NULL}; /* names of CUSTOM_KEYBOARD_SHUFFLE */

static struct Options {
  char *bank, *authority, *account, *fido, *transaction, *layout, *shuffle, *way, *size;
  gboolean is_registering, is_dark;
} options;
static const GOptionEntry entries[] = {
    {"bank", 0, 0, G_OPTION_ARG_STRING, &options.bank, "The bank's address (http://127.0.0.1:8080)", "URL"},
    {"authority", 0, 0, G_OPTION_ARG_FILENAME, &options.authority,
     "Trust only certificates that are signed by an authority in this file (PEM)", "FILE"},
    {"account", 0, 0, G_OPTION_ARG_STRING, &options.account, "Whose account it is (alice)", "NAME"},
    {"fido", 0, 0, G_OPTION_ARG_FILENAME, &options.fido,
     "With FIDO: the passcode stays here, and keys and a vault are in this folder", "FOLDER"},
    /* As it was typed: GLib would refuse what the locale has no letters for. */
    {"confirm", 0, 0, G_OPTION_ARG_FILENAME, &options.transaction, "With FIDO: what a login agrees to", "TEXT"},
    {"layout", 0, 0, G_OPTION_ARG_STRING, &options.layout, "A pad, or a keyboard for passwords (pin)",
     "pin|pin-decoys|letters|pattern"},
    {"shuffle", 0, 0, G_OPTION_ARG_STRING, &options.shuffle, "When keys change places (opening)", "none|opening|key"},
    {"way", 0, 0, G_OPTION_ARG_STRING, &options.way,
     "For a passcode from before OPAQUE: send it sealed once more, as the bank's key is; then it moves",
     "x25519|xwing"},
    {"register", 0, 0, G_OPTION_ARG_NONE, &options.is_registering, "Choose a passcode first", NULL},
    {"dark", 0, 0, G_OPTION_ARG_NONE, &options.is_dark, "Dark colours", NULL},
    {"size", 0, 0, G_OPTION_ARG_STRING, &options.size, "The window's size in points", "WxH"},
    {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};

G_GNUC_NORETURN static void fail(int status, const char *what, const char *value) {
  fprintf(stderr, "kiosk: %s: %s\n", what, value);
  exit(status);
}

/* The place of an option's value among those that it may have. */
static int choice(const char *value, const char *const *values, const char *option) {
  for (int i = 0; values[i]; i++)
    if (g_str_equal(value, values[i])) return i;
  fail(EX_USAGE, option, "--help lists what it may be");
}

/* A second signal may come when the window is gone, and what it was waiting for is not. */
static gboolean close_window(gpointer data) {
  GtkWindow **window = data;
  if (*window) gtk_window_close(*window);
  return G_SOURCE_CONTINUE;
}

/* The library's FIDO client gives the keyboard its layout, and has no decoys; it shuffles at each opening or never. */
static void check_options_of_fido(const struct Kind *kind, int shuffle) {
  const gboolean has_decoys = kind->layout == CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS;
  if (has_decoys) fail(EX_USAGE, "--layout", "with --fido: pin, letters, pattern");
  if (shuffle == CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY) fail(EX_USAGE, "--shuffle", "with --fido: none or opening");
  if (options.way) fail(EX_USAGE, "--way", "with --fido nothing is sealed");
}

int main(int count, char **arguments) {
  prctl(PR_SET_DUMPABLE, 0); /* no core dumps, and no debugger of the same user */
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_autoptr(GError) error = NULL;
  g_option_context_set_summary(context, "Logs in to the example bank with a passcode that nobody else can read.");
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &count, &arguments, &error)) fail(EX_USAGE, "options", error->message);
  if (count > 1) fail(EX_USAGE, arguments[1], "no such argument");
  const struct Kind *kind = &kinds[choice(options.layout ? options.layout : "pin", layouts, "--layout")];
  /* The dots of a pattern never change places. */
  const char *usual = kind->layout == CUSTOM_KEYBOARD_LAYOUT_PATTERN ? "none" : "opening";
  const int shuffle = choice(options.shuffle ? options.shuffle : usual, shuffles, "--shuffle");
  const int way = choice(options.way ? options.way : "x25519", ways, "--way");
  int width = kind->width, height = kind->height;
  if (options.size && (sscanf(options.size, "%dx%d", &width, &height) != 2 || width < 1 || height < 1))
    fail(EX_USAGE, "--size", "as in 360x600");
  if (options.account && !g_regex_match_simple("^[a-z0-9._-]{1,32}\\z", options.account, 0, 0))
    fail(EX_USAGE, "--account", "1 to 32 of a-z, 0-9, '.', '_' and '-'");

  const char *bank = options.bank ? options.bank : "http://127.0.0.1:8080";
  g_autoptr(GTlsDatabase) authorities = NULL;
  if (options.authority && !g_str_has_prefix(bank, "https://")) fail(EX_USAGE, "--authority", "needs https://");
  if (options.authority && !(authorities = g_tls_file_database_new(options.authority, &error)))
    fail(EX_NOINPUT, "--authority", error->message);

  Bank *client = bank_new(bank, authorities);
  if (!client) fail(EX_USAGE, "--bank", "as in https://bank.example; http:// only to this machine");
  const Typing typing = {.what = kind->what, .maximum = kind->maximum, .is_new = options.is_registering};
  const char *account = options.account ? options.account : "alice";
  Window window;
  Login login = {.window = &window, .bank = client, .account = account, .is_sealed = options.way != NULL,
                 .way = codes[way], .typing = typing};
  const FIDORules rules = {.digits = (int64_t)kind->maximum, .is_shuffled = shuffle != CUSTOM_KEYBOARD_SHUFFLE_NONE};
  FIDO fido = {.window = &window, .bank = client, .account = account, .transaction = options.transaction,
               .authenticator = kind->layout == CUSTOM_KEYBOARD_LAYOUT_PATTERN ? CUSTOM_FIDO_PATTERN
                                                                               : CUSTOM_FIDO_PASSCODE,
               .typing = typing, .is_registering = options.is_registering, .channel.authorities = authorities};
  if (options.fido) check_options_of_fido(kind, shuffle);
  if (options.transaction && !options.fido) fail(EX_USAGE, "--confirm", "needs --fido");
  if (options.transaction && !g_utf8_validate(options.transaction, -1, NULL)) fail(EX_USAGE, "--confirm", "not UTF-8");
  if (!gtk_init_check()) fail(EX_UNAVAILABLE, "display", "there is none, or it refuses");
  if (options.is_dark) g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", TRUE, NULL);
  if (options.fido) {
    g_autofree char *wrong = fido_open(&fido, options.fido, bank, rules);
    if (wrong) fail(EX_CANTCREAT, "--fido", wrong);
  } else {
    CUSTOM_KEYBOARD_RV rv = login_open(&login, kind->layout, (CUSTOM_KEYBOARD_SHUFFLE)shuffle);
    if (rv) fail(EX_SOFTWARE, "keyboard", CustomKeyboard_cause());
  }
  window_build(&window, width, height, kind->widest);
  /* An answer must not come when the widgets are gone. */
  g_signal_connect_swapped(window.window, "destroy", G_CALLBACK(bank_cancel), client);
  if (options.fido) g_signal_connect_swapped(window.window, "destroy", G_CALLBACK(fido_cancel), &fido);
  gpointer shown = window.window;
  g_object_add_weak_pointer(shown, &shown);
  g_unix_signal_add(SIGTERM, close_window, &shown);
  g_unix_signal_add(SIGINT, close_window, &shown);
  if (options.fido)
    fido_begin(&fido);
  else
    login_begin(&login);
  gtk_window_present(GTK_WINDOW(window.window));
  while (g_list_model_get_n_items(gtk_window_get_toplevels()) > 0) g_main_context_iteration(NULL, TRUE);

  if (options.fido)
    fido_close(&fido);
  else
    login_close(&login);
  bank_free(client);
  return EXIT_SUCCESS;
}
