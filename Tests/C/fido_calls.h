/*
 * The list of all calls of custom_fido.h: see calls.h. A new function needs rows in fido_rows.h, one that succeeds and
 * one that fails, and perhaps a `prepare` function in fido_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIDO_CALLS_H
#define FIDO_CALLS_H

#include "fido_world.h"

#define K w.keyboard
#define F f.fido
#define P CUSTOM_FIDO_PASSCODE
#define NONE (CUSTOM_FIDO_AUTHENTICATOR)7

#define CALL(function, label, code, options, ...) CALL_RUN(fido, CustomFido_, function, __VA_ARGS__)
#define CODE(function, label, code, options, ...) CALL_RUN(fido, CustomFido_, function, __VA_ARGS__)
#define WORDS(function, label, options, ...) CALL_RUN(fido, CustomFido_, function, __VA_ARGS__)
#include "fido_rows.h"
#undef CALL
#undef CODE
#undef WORDS

#define CALL(function, label, code, options, ...) CALL_ROW(fido, function, label, CUSTOM_FIDO_##code, options)
#define CODE(function, label, code, options, ...) CALL_ROW(fido, function, label, code, options)
#define WORDS(function, label, options, ...) CALL_ROW(fido, function, label, ANY_POINTER, options)
static const struct call fido_rows[] = {
#include "fido_rows.h"
};
#undef CALL
#undef CODE
#undef WORDS
#undef K
#undef F
#undef P
#undef NONE

static const struct call_list fido_calls = {"CustomFido_", fido_rows, sizeof fido_rows / sizeof *fido_rows,
                                            release_clients};

#endif /* FIDO_CALLS_H */
