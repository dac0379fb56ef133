#!/bin/sh
# Runs `make test` with all its repetitions, and turns its results into claims.
#
#     sh Tests/Evidence/suite.sh BUILD_DIR          fifteen minutes, a third of them building
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS # this make takes its own number of jobs

log=$work/log
{
  make -C "$root" test THOROUGH=1 JOBS="$JOBS" CC="$CC" SWIFT="$SWIFT" ${CLANG:+CLANG="$CLANG"} \
    ${CLANGXX:+CLANGXX="$CLANGXX"}
  echo $? >"$work/status"
} 2>&1 | tee "$log"
[ "$(cat "$work/status")" -eq 0 ] || fail "make test failed"
grep -qx 'All tests passed.' "$log" || fail "make test did not come to its end"

# `make test` prints one line for each suite. The logs are in build/test, whatever BUILD_DIR is.
logs=$root/build/test
cat "$logs"/*.log >"$log" || fail "make test left no logs"

# Sums the checks of all lines "NAME: n checks" (the tool's: "NAME: group n checks, …") whose name matches the pattern.
# A sum of 0 is a failure, because then nothing proved the claim.
count() { # pattern
  sed -n "s/^\($1\):[a-z ]* \([0-9]*\) checks.*/\2/p" "$log" | awk '{n += $1} END {if (n == 0) exit 1; print n}'
}
# Prints a claim, with the pattern of the names that count for it, and their files.
shown() { # claim pattern files
  checks=$(count "$2") || fail "nothing in make test counts for: $1"
  claim "$1" "$(grouped "$checks") checks" "$3"
}
tests=$(sed -n 's/.*Test run with \([0-9]*\) tests in .* passed.*/\1/p' "$logs/swift.log")

# The one Swift test that runs only here.
million=aMillionIterationsGiveTheRFCsValue
grep -q "$million() passed" "$logs/swift.log" || fail "RFC 7748's million iterations did not run"
claim "X25519 a million times gives RFC 7748's value" "1,000,000 multiplications" X25519Tests.swift

for points in eachUIsMultipliedAsAlone eachPointIsMultipliedAsAlone; do
  grep -q "$points(.*passed" "$logs/swift.log" || fail "$points did not run"
done
claim "each of up to eight points is multiplied as alone, on each path: X25519, P-256, SM2" \
  "1,000,000 points a curve and path" EachTests.swift

[ "${tests:-0}" -ge 138 ] || fail "fewer Swift tests than there were"
claim "Swift tests on the ordinary build" "$tests tests" Tests
shown "every function x state x wrong argument: a code, no trap, nothing written" \
  'contract\|arguments\|hostile' "contract.c arguments.c hostile.c"
shown "characters: UTF-8, deletion and counting as a person sees them" 'text' text.c
shown "a padding byte wrong anywhere: one code, an unchanged space" 'padding' padding.c
shown "masked secrets are gone after clear, close, another key and destroy" 'kept' kept.c
shown "sealed texts: every bit, length, way, key and context altered is refused; received like typed" \
  'sealed\|sealed_keys\|sealed_arguments\|received' \
  "sealed.c sealed_keys.c sealed_arguments.c received.c"
shown "no two sealed texts are alike: threads, forks, every way" 'alike' alike.c
shown "what mbedTLS takes from the heap is zero when it is freed" 'heap' heap.c
shown "sealed texts exchanged with other implementations, both directions" 'sealed_peers.py' sealed_peers.py
shown "every offset uniform, every filling random (chi-squared)" 'placement' placement.c
shown "signatures: every bit, length, key and code; OpenSSL verifies ours, and we OpenSSL's" \
  'signing\|signing_peers' "signing.c signing_peers.c"
shown "passcodes: rules, comparison and verifiers, every code in its order" \
  'passcode\|verifier\|passcode_example' "passcode.c verifier.c passcode_example.py"
shown "every length x algorithm in both directions, compared with OpenSSL" 'differential' differential.c
shown "batches of every size, mixed with every bad job, compared with one call each" 'batch' batch.c
shown "batches of sealed texts, mixed with every bad job, compared with one call each" 'unseal_batch' unseal_batch.c
shown "16 threads, any call on any keyboard: only codes that the contract allows" \
  'threads\|layout_threads' "threads.c layout_threads.c"
shown "a forked child has empty keyboards and its own fillings" 'fork' fork.c
shown "no memory, no randomness, no locking, no files: a code, and it works again" 'limits' limits.c
shown "memory for secrets is locked, guarded, never dumped, and emptied by a fork" 'pages' pages.c
shown "password, key, key schedule: no copy in memory, in lazily bound hosts too" \
  'residue, .*\|residue of touch, .*' "residue.c residue_touch.c"
shown "the next shuffle: not in registers, signal frames or the stack, bound lazily or not" 'predict, .*' predict.c
shown "registers after every function of the header: unchanged, or zero" 'registers, .*' registers.c
shown "a password's place that does not exist: no part of it in the frame of a signal handler" bad_place bad_place.c
shown "the stack below after every function: no byte depends on a secret, on each path" 'depth, .*' depth.c
shown "threads cancelled in every function, three kinds: no lock held, no secret kept" 'cancel' cancel.c
shown "each input of each call changed between any two reads: the answer is that of one value; nobody else waits" \
  'caller_memory\|vault_caller_memory\|fido_caller_memory' "caller_memory.c alternate.h"
shown "jobs that another thread changes: a code, and nothing written outside" 'job_race' job_race.c
shown "removed callbacks have ended when the call returns" 'callback_end' callback_end.c
shown "forks in the middle of calls: nothing shared, the child's keyboards idle" 'fork_inside' fork_inside.c
shown "two copies of the library do not know each other's handles" 'two_copies' two_copies.c
shown "the numbers that a shuffle was drawn from are wiped" 'draws' draws.c
shown "layouts, shuffles and touches compared with a model" 'layout\|order\|touch' "layout.c order.c touch.c"
shown "callbacks may call anything, destroy included" 'callbacks\|callback_inside' "callbacks.c callback_inside.c"
shown "header in C99-C23 and C++11-C++20, exports, size, install, CMake, ctypes, C++" \
  'headers\|install\|client.*\|mbedtls' "headers.sh install.sh mbedtls.sh client.py client.cpp"
shown "install copies without a compiler, as root too; spaces in paths; no apt-get when told so" 'make' make.sh
shown "a release is refused unless version, changes, tree and tests are in order" 'release' release.sh
shown "a vault's items, handles, rights and forked children; its file read by another program" 'vault\|vault_reader' \
  "vault.c vault_reader.py"
shown "a vault's passcodes: tries counted before they are checked, locks by any clock, 8 processes, kills, threads" \
  'vault_passcode\|vault_meanwhile\|vault_passcode_key' "vault_passcode.c vault_meanwhile.c vault_passcode_key.c"
shown "a vault whose disk, memory or power fails, or whose process is killed: changes whole or absent, no free try" \
  'vault_faults\|vault_tries\|vault_power\|vault_kill\|vault_together' \
  "vault_faults.c vault_tries.c vault_power.c vault_kill.c vault_together.c"
shown "a FIDO client killed at each step: no key without a user, no counter that goes back, no free try" \
  'fido_kill' fido_kill.c
shown "a FIDO client in several processes and threads: no counter twice, no registration lost" 'fido_together' \
  fido_together.c
shown "a FIDO client beside another one, and in a vault that fails, at each call: no key lost, no weaker lock" \
  'fido_beside' fido_beside.c
shown "what came in the middle of a FIDO client's call: a reset, a verdict, another key: no key lost or left" \
  'fido_later' fido_later.c
shown "a vault's file and WAL altered: refused, or as it was; never a wrong value" 'vault_damage' vault_damage.c
shown "a vault whose file others hold, close or keep busy; odd paths, missing rights, a full disk: a code, no loss" \
  'vault_beside\|vault_checkpoint\|vault_places\|vault_files\|vault_attacked\|vault_newest' \
    "vault_beside.c vault_checkpoint.c vault_places.c vault_files.c vault_attacked.c vault_newest.c"
shown "a vault's keys, names and data in the middle of calls: in locked memory only, and in no file" \
  'vault_residue' vault_residue.c
shown "a FIDO client's private key and what opens it, in the middle of calls: in locked memory only, and in no file" \
  'fido_residue' "vault_residue.c fido_secrets.h"
shown "a million random operations on a vault from two processes, compared with a model" 'vault_model' vault_model.c
shown "threads cancelled and forks in the middle of the calls of the vault and of the FIDO client" \
  'vault_cancel\|vault_fork\|fido_cancel\|fido_fork' "vault_cancel.c vault_fork.c"
shown "recovery words: the reference vectors, and 100,000 random phrases beside Python's mnemonic" \
  'vault_words' "vault_words.c vault_words.py"
[ "$checks" -ge 300000 ] || fail "only $checks checks of recovery words"
shown "a token behind a PIN (Examples/c-vault): locked after five wrong PINs, kept through kill -9" 'vault_example' \
  vault_example.py
shown "the tool in a terminal and in pipes: nothing leaks, the terminal is restored" \
  'pad\|commands' "pad.py commands.py"
shown "the tool's sealed texts, with keys of OpenSSL's in every form" 'sealing' sealing.py
shown "the tool's rules for passcodes and verifiers: options, files, standard input, the pad" 'passcodes' passcodes.py
shown "stored texts to verifiers: bad rows, other writers' tables, kills; no password in any file" 'migrate' migrate.py
shown "the tool's vaults: items, passcodes, words; opened by a key or on the pad; no secret where nobody asked" \
  'vault_items\|vault_passcodes' "vault.py vault_passcodes.py"
shown "the recipe of Docs/SealedTexts.md opens what the C library seals" 'recipe' recipe.py
shown "links, functions, tests, targets and options named in the documentation exist" \
  'docs\|manual' "docs.sh manual.py"
shown "every Swift snippet of the pages, of DocC and of comments compiles, from the main actor too" \
  'snippets' snippets.py
shown "the README's examples and swift-pin compile, and print what they should" 'readme' readme.sh
modules=$(sed -n 's/^\([0-9]*\) modules checked, 0 faults$/\1/p' "$log")
[ "${modules:-0}" -gt 0 ] || fail "no module's instructions were checked"
claim "no instruction beyond the path's own" "$modules modules" instruction-sets.sh
