/*
 * The list of all calls of custom_vault.h: see calls.h. A new function needs rows in vault_rows.h, one that succeeds
 * and one that fails, and perhaps a `prepare` function in vault_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_CALLS_H
#define VAULT_CALLS_H

#include "vault_world.h"

#define K w.keyboard
#define V v.vault

#define CALL(function, label, code, options, ...) CALL_RUN(vault, CustomVault_, function, __VA_ARGS__)
#define WORDS(function, label, options, ...) CALL_RUN(vault, CustomVault_, function, __VA_ARGS__)
#include "vault_rows.h"
#undef CALL
#undef WORDS

#define CALL(function, label, code, options, ...) CALL_ROW(vault, function, label, CUSTOM_KEYBOARD_##code, options)
#define WORDS(function, label, options, ...) CALL_ROW(vault, function, label, ANY_POINTER, options)
static const struct call vault_rows[] = {
#include "vault_rows.h"
};
#undef CALL
#undef WORDS
#undef K
#undef V

static const struct call_list vault_calls = {"CustomVault_", vault_rows, sizeof vault_rows / sizeof *vault_rows,
                                             release_vaults};

#endif /* VAULT_CALLS_H */
