/*
 * One walk through every function of the header, on success and with each kind of error, with two looks at what each
 * call leaves: in the registers (look_registers.h), and on the stack below (look_stack.h): nothing that depends on a
 * secret. On the stacks for secrets it leaves nothing at all. All of this runs with the stack pointer at each possible
 * distance from a multiple of 64. (bad_place.c looks at the frame of a signal's handler in the middle of a call.)
 *
 * With -DVAULT_CALLS or -DFIDO_CALLS, the stacks below the calls of those headers are searched for the secrets
 * themselves.
 *
 *     walk header [name [n]]    the path of custom_keyboard.h; the name to print; one of n lengths and distances
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "look_registers.h"
#include "look_stack.h"

/* What a call needs is drawn too, so it is the same each time with one set. An error has one byte, and the library may
 * move it with the three bytes beside it, which are what the stack held before the call. So nothing of this program's
 * own may be there: it has just computed the generator's batch. */
static void make_call(const struct call *call, int variant) {
  size_t function = (size_t)(find_function(call->function, strlen(call->function)) - functions);
  int looks_at_registers = run == A1;
  prepare_call(2 * call_count, 0);
  call->prepare();
  prepare_call(2 * call_count + 1, w.places);
  if (looks_at_registers) {
    add_generator("generator's key before it");
    forget();
  }
  uint64_t answer = CAPTURED(&capture, call->run, 0);
  if (looks_at_registers) {
    add_generator("generator's key after it");
    judge(&verdicts[function], call_name(call, variant));
  }
  if (!CHECK_EQUAL(left_on_stacks(), 0))
    fprintf(stderr, "  (%s: on the stack for secrets)\n", call_name(call, variant));
  if (is_searched()) search(call_name(call, variant)), measure(&depths[function]);
  calls[call_count++] = (struct made){call, variant};
  check_call(call, variant, answer);
  if (looks_at_registers && draws_order(call)) check_foretold();
}

static void use_all(int with_slow_ones) {
  for (run = WARM; run < (is_searched() ? B1 : RUNS); run++) {
    call_count = 0;
    take_set(run == B1 || run == B2);
    if (run == A1) note_secrets();
    walk_calls(tested, with_slow_ones, make_call);
    if (run == WARM && !is_searched()) sealing_generator = generator_key_of(SEALED_WORKSPACE);
    find_locked(); /* the stacks for secrets, too */
    REQUIRE(stack_count > 0);
  }
  for (unsigned i = 0; i < call_count && !is_searched(); i++) {
    const struct made *made = &calls[i];
    const char *function = made->call->function;
    compare(i, &depths[find_function(function, strlen(function)) - functions], call_name(made->call, made->variant));
  }
}

int main(int argument_count, char **arguments) {
  static const size_t lengths[] = {9, 50, LONGEST - 1, LONGEST};
  REQUIRE(argument_count >= 2);
  check_complete(tested, arguments[1]);
  int every = argument_count > 3 ? atoi(arguments[3]) : 1;
  REQUIRE(every >= 1);
  uint64_t seed = take_seed();
  images = calloc(RUNS, sizeof *images);
  REQUIRE(images);
  check_generator();
  for (int i = 0; i < ALGORITHM_COUNT; i++)
    for (int j = 0; j < 16; j += every) {
      w.algorithm = &algorithms[i];
      w.layout = j % 2 ? CUSTOM_KEYBOARD_LAYOUT_MIXED : CUSTOM_KEYBOARD_LAYOUT_LETTERS;
      w.password_length = lengths[j % 4];
      w.is_exact = 1;
      capture.shift = 16 * (uint64_t)(j / 4);
      set_seeds[0] = draw(&seed);
      set_seeds[1] = draw(&seed);
      use_all(j == 0);
    }
  if (is_searched()) check_search();
  else check_stack();
  check_registers();
  report_registers();
  report_stack();
  free(images);
  return check_end(argument_count > 2 ? arguments[2] : "walk",
                   (is_searched() ? 4000 : 20000) / (unsigned long)every * LESS);
}
