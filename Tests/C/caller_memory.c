/*
 * An input of a call is in memory of the caller's: another thread may change it meanwhile, and it may take long to come
 * (from a disk, from a debugger). Each call of the list, with each of its inputs:
 *
 * What is checked is what is used. The input has a good value until it is read for the nth time and a bad one from then
 * on, or the other way round, for each n: every answer is that of one of the two. For that, each instruction that reads
 * the input is stopped at (on x86-64). Then another thread alternates the two values, as fast as it can.
 *
 * No call waits for another one's memory. While a call is held where it reads its input first, another thread makes
 * calls of its own and forks, and of a vault, another process changes the file.
 *
 *     caller_memory ROUNDS        how often each call is made while another thread changes its input
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "tested_calls.h"
#include "alternate.h"
#if !defined(VAULT_CALLS) && !defined(FIDO_CALLS)
#define tested_name(what) what
#endif
#if defined(VAULT_CALLS) && !defined(FIDO_CALLS)
#define IN_VAULT
#endif

/* ---- Inputs ------------------------------------------------------------------------------------------------------ */

#define INPUT(array, size) {#array, (uint8_t *)(uintptr_t)(array), size}
#define TEXT(array) {#array, (uint8_t *)(uintptr_t)(array), strlen(array)}

/* Those of the row that was prepared. */
static size_t inputs_now(const struct call *call, struct input *now) {
  (void)call;
  const struct input all[] = {
      INPUT(w.password, w.password_length),
      INPUT(w.not_utf8, w.password_length),
      INPUT(w.key, w.algorithm->key_length),
      INPUT(w.text, w.text_length),
      INPUT(&w.cipher, sizeof w.cipher),
      TEXT(w.verifier),
#if defined(FIDO_CALLS)
      TEXT(fido_facet), TEXT(fido_aaid), TEXT(fido_user), TEXT(fido_url), TEXT(fido_origin),
      TEXT(fido_context), TEXT(fido_binding),
      TEXT(fido_registration), TEXT(fido_authentication), TEXT(fido_deregistration),
#elif defined(IN_VAULT)
      INPUT(v.key, sizeof v.key), INPUT(v.next_key, sizeof v.next_key), TEXT(v.path), TEXT(v.other), TEXT(v.copy),
      INPUT(&v.state, sizeof v.state), TEXT(vault_service), TEXT(v.words),
#else
      INPUT(sealing.secret, sealing.secret_length), INPUT(sealing.public, sealing.public_length),
      INPUT(sealing.context, sealing.context_length), INPUT(sealing.text, sealing.text_length),
      INPUT(sealing.signature, sealing.signature_length),
      INPUT(pin.keys, 32), INPUT(pin.keys + 16, 32), INPUT(pin_account, 13),
      INPUT(pin.block, pin.way && pin.way->account_length ? 8 : 0), /* of format 1, an altered one may be a block */
      INPUT(pin_ksn, 12), INPUT(pin.ksn, sizeof pin.ksn), INPUT(&pin.device, sizeof pin.device),
      TEXT(cheap_verifier), TEXT(import_form), TEXT(pattern), TEXT(hard_pattern), TEXT(no_pattern), TEXT(phone),
      /* A step of OPAQUE's client ends, and is begun again with these: of its calls they are no inputs. */
      INPUT(opaque.setup, call->undo ? 0 : sizeof opaque.setup),
      INPUT(opaque.request, call->undo ? 0 : sizeof opaque.request),
      INPUT(opaque.record, call->undo ? 0 : sizeof opaque.record),
      INPUT(opaque.ke1, call->undo ? 0 : sizeof opaque.ke1), INPUT(opaque.ke3, call->undo ? 0 : sizeof opaque.ke3),
      INPUT(opaque.state, call->undo ? 0 : sizeof opaque.state),
      INPUT(opaque_account, call->undo ? 0 : OPAQUE_ACCOUNT),
      INPUT(&opaque_terms, call->undo ? 0 : sizeof opaque_terms),
#endif
  };
  size_t count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].size > 0) now[count++] = all[i];
  REQUIRE(count <= MOST_INPUTS);
  return count;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static int rounds;
static const char *held; /* the call that others must not wait for */
static unsigned long changed, stopped, tried; /* inputs that were changed, that were stopped at; calls */

static int is_success_code(const struct call *call, int code) {
  return code == 0 || (call->succeeds && code == call->expected);
}

/* Makes the call, which may be made again; its code. `right`: whether its answers are, if it has succeeded. */
static int make(const struct call *call, int *right) {
  tried++;
  int code = (int32_t)call->run();
  let_be();
  if (right) *right = !is_success_code(call, code) || !call->is_right || call->is_right();
  if (is_success_code(call, code) && call->undo) call->undo();
  return code;
}

static void prepare_again(const struct call *call, int variant) {
  tested->release();
  choose_variant(call, variant);
  call->prepare();
}

static void check_answer(const struct call *call, int variant, const struct change *change, int code, int other,
                         int right, const char *how) {
  if (CHECK(code == call->expected || code == other) & CHECK(right)) return;
  fprintf(stderr, "  (%s; %s, bytes from %zu on, %s: %d, and not %d or %d%s)\n", call_name(call, variant),
          change->input->name, change->offset, how, code, call->expected, other, right ? "" : ", with wrong answers");
}

/* Changes the input at each read in turn. */
static void change_between_reads(const struct call *call, int variant, const struct change *change, int other) {
  int right;
  stop_at(change, 0, 0, 1 << 30);
  make(call, NULL);
  int reads = stops();
  changed += reads > 0;
  for (int from_bad = 0; from_bad < 2; from_bad++)
    for (int after = 1; after < reads && after <= 40; after++) {
      char how[60];
      stop_at(change, from_bad, !from_bad, after);
      int code = make(call, &right);
      put(change, 0);
      snprintf(how, sizeof how, "%s after read %d of %d", from_bad ? "good" : "bad", after, reads);
      check_answer(call, variant, change, code, other, right, how);
    }
}

static void change_meanwhile(const struct call *call, int variant, const struct change *change, int other) {
  begin_alternating(change);
  for (int i = 0; i < rounds; i++) {
    int code = make(call, NULL);
    check_answer(call, variant, change, code, other, 1, "by another thread");
  }
  end_alternating();
  put(change, 0);
}

static void check_input(const struct call *call, int variant, const struct input *input) {
  struct change change;
  if (!make_change(input, 0, &change)) return;
  /* Only calls that need this memory wait. */
  held = call_name(call, variant);
  hold_at(&change);
  int code = make(call, NULL);
  if (stops() == 0) return;
  stopped++;
  CHECK_EQUAL(code, call->expected);
  if (!CHECK(!has_waited()))
    fprintf(stderr, "  (%s; %s: another call waits for it)\n", call_name(call, variant), input->name);
  for (int kind = 0; kind < CHANGES; kind++) {
    if (!make_change(input, kind, &change)) continue;
    put(&change, 1);
    int other = make(call, NULL);
    put(&change, 0);
    prepare_again(call, variant); /* what the row needs may be drawn, and other than before */
    /* Two codes must be there to tell them apart, and none of them may change what the row needs. */
    if (!make_change(input, kind, &change) || other == call->expected ||
        (is_success_code(call, other) && !is_success(call)))
      continue;
    change_between_reads(call, variant, &change, other);
    change_meanwhile(call, variant, &change, other);
  }
}

static void check_inputs(const struct call *call, int variant) {
  struct input inputs[MOST_INPUTS];
  if (call->expected == ANY_POINTER) return;
#if defined(IN_VAULT)
  /* Its function reads them, with the file locked: the page says to wait for nobody there. */
  if (strcmp(call->function, "change") == 0) return;
#endif
  call->prepare();
  for (size_t i = 0; i < inputs_now(call, inputs); i++) {
    check_input(call, variant, &inputs[i]);
    prepare_again(call, variant);
  }
}

/* ---- Others ------------------------------------------------------------------------------------------------------ */

#if defined(IN_VAULT)
/* Another process changes the file of the vault that is open. */
static int beside(const char *path) {
  CUSTOM_VAULT vault;
  vault_secrets();
  if (CustomVault_open(&vault, path, v.key, sizeof v.key) != CUSTOM_KEYBOARD_OK) return 0; /* it has another key */
  CUSTOM_KEYBOARD_RV rv = CustomVault_addItem(vault, "beside", "beside", NULL, NULL, v.key, 3);
  (void)CustomVault_deleteItem(vault, "beside", "beside");
  (void)CustomVault_close(vault);
  return (int)rv;
}
#endif

/* What another thread does while a call is held in the caller's memory. */
static void do_other_things(void) {
  static const uint8_t key[25] = "another key for others..", number[10] = {0x77};
  static CUSTOM_DUKPT_DEVICE device;
  CUSTOM_KEYBOARD k;
  uint8_t space[64], ksn[12];
  size_t at, size;
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_dukptLoad(&device, CUSTOM_DUKPT_TDES, key, 16, number, sizeof number));
  REQUIRE_OK(CustomKeyboard_dukptNext(&device, k, CUSTOM_ENCWAY_PIN1, ksn, sizeof ksn, &size));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_setTextField(k, world_changed, NULL));
  REQUIRE_OK(CustomKeyboard_input(k, bytes("1234"), 4));
  REQUIRE_OK(CustomKeyboard_getText(k, space, sizeof space, &at, &size));
  REQUIRE_OK(CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4_GCM, key, 16, NULL, 0, w.check, sizeof w.check, &at, &size));
  REQUIRE_OK(CustomKeyboard_destroy(k));
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    CUSTOM_KEYBOARD own;
#if defined(IN_VAULT)
    if (v.vault) execl("/proc/self/exe", "caller_memory", "beside", v.path, (char *)NULL);
#endif
    _exit(CustomKeyboard_create(&own) != CUSTOM_KEYBOARD_OK);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  (%s: another process is kept waiting)\n", held);
}

int main(int count, char **words) {
  fixed_secrets();
#if defined(IN_VAULT)
  if (count == 3) return beside(words[2]);
#endif
  REQUIRE(count == 2 && (rounds = atoi(words[1])) > 0);
  begin_alternate(do_other_things);
  walk_calls(tested, 0, check_inputs);
  fprintf(stderr, "%lu calls, %lu inputs, %lu changes\n", tried, stopped, changed);
  REQUIRE(stopped > 20 && changed > 10);
  return check_end(tested_name("caller_memory"), 1000);
}
