/*
 * Which header's calls a program makes: custom_keyboard.h's, those of custom_vault.h where it is compiled with
 * -DVAULT_CALLS, or those of custom_fido.h with -DFIDO_CALLS. `tested` is their list, and `for_each_secret` names what
 * they must leave nowhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTED_CALLS_H
#define TESTED_CALLS_H

#include "keyboard_calls.h"
#ifdef VAULT_CALLS
#include "vault_calls.h"
#endif
#ifdef FIDO_CALLS
#include "fido_calls.h"
#endif

typedef void (*secret_user)(const char *kind, const uint8_t *bytes, size_t length);

__attribute__((unused)) static void for_each_secret(secret_user use) {
  use("password", w.password, w.password_length);
  use("key", w.key, w.algorithm->key_length);
#if defined(VAULT_CALLS) || defined(FIDO_CALLS)
  vault_secrets();
  use("vault's key", v.key, sizeof v.key);
  use("vault's next key", v.next_key, sizeof v.next_key);
  use("words", (const uint8_t *)v.words, strlen(v.words));
#endif
}

#if defined(FIDO_CALLS)
static const struct call_list *const tested = &fido_calls;
#define tested_name(what) "fido_" what
#elif defined(VAULT_CALLS)
static const struct call_list *const tested = &vault_calls;
#define tested_name(what) "vault_" what
#else
static const struct call_list *const tested = &keyboard_calls;
#endif

#endif /* TESTED_CALLS_H */
