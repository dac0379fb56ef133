/*
 * Each call of a header, as its row in the list says: the code, and the answer. Nothing else is looked at, so it runs
 * where the programs that search memory and stacks do not: under sanitizers, under valgrind, on emulated processors.
 *
 *     calls header [name]    the path of the header; the name to print
 *
 * With -DVAULT_CALLS or -DFIDO_CALLS the calls are those of custom_vault.h or custom_fido.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "tested_calls.h"

static void make_call(const struct call *call, int variant) {
  call->prepare();
  check_call(call, variant, call->run());
}

int main(int argument_count, char **arguments) {
  REQUIRE(argument_count >= 2);
  check_complete(tested, arguments[1]);
  uint64_t seed = take_seed();
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    w.algorithm = &algorithms[i];
    w.password_length = 9;
    draw_password(&seed, w.password, sizeof w.password);
    draw_bytes(&seed, w.key, sizeof w.key);
    walk_calls(tested, 1, make_call);
  }
  return check_end(argument_count > 2 ? arguments[2] : "calls", (int)tested->count);
}
