#!/bin/sh
# Builds and runs every C test against the library in BUILD_DIR. It prints one line for each program that passes, and
# the whole output of one that fails. A test that cannot run has failed: nothing is skipped silently.
#
#     sh Tests/C/run.sh BUILD_DIR          CC, CXX, CLANG, CLANGXX, SEED, THOROUGH from the environment
#
# The searches of memory run with each way of linking, each binding and each path of SM4, if THOROUGH=1, as in
# `make check`. Otherwise the first way of linking and binding runs whole with the best path and in part with the other
# paths, and the other ways run in part with the best path.
#
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd) || exit 1
root=$here/../..
CC=${CC:-gcc} CXX=${CXX:-g++} CLANG=${CLANG:-clang} CLANGXX=${CLANGXX:-clang++}
export CC CXX CLANG CLANGXX
failed=
unset LD_BIND_NOW # some programs are bound lazily on purpose

for tool in "$CC" "$CXX" "$CLANG" "$CLANGXX" cmake python3 pkg-config nm readelf strings; do
  command -v "$tool" >/dev/null || { echo "run.sh: $tool is needed and was not found" >&2; exit 1; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Runs a command; prints its whole output if it fails, and its last line if not.
attempt() { # name command…
  name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    tail -n 1 "$work/out"
  else
    echo "$name: FAILED (status $?)" >&2
    cat "$work/out" >&2
    failed="$failed $name"
    return 1
  fi
}

flags="-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I$root/Include -I$here"
shared="-L$build -lcustomkeyboard -Wl,-rpath,$build"
static="$build/libcustomkeyboard.a -lmbedcrypto"

# Compiles with both compilers and keeps gcc's program. Prints nothing on success.
compile() { # program source libraries…
  program=$1 source=$2
  shift 2
  # shellcheck disable=SC2086
  "$CLANG" $flags -fsyntax-only ${more:-} "$here/$source" >"$work/out" 2>&1 &&
    "$CC" $flags ${more:-} -o "$work/$program" "$here/$source" "$@" >"$work/out" 2>&1 || {
    echo "$program: does not compile" >&2
    cat "$work/out" >&2
    failed="$failed $program"
    return 1
  }
}

# Of how many repetitions one is made, where all of them are for `make check`.
part() { # n
  if [ -n "${THOROUGH:-}" ]; then echo 1; else echo "$1"; fi
}

# shellcheck disable=SC2086
run() { # program arguments…
  program=$1
  shift
  libraries=$shared
  case $program in
    differential | signing_peers | key_peers) libraries="$shared -lcrypto" ;;
    derive_peers) libraries="$shared -largon2" ;;
  esac
  [ "$program" = layout ] && libraries="$shared -lm"
  compile "$program" "$program.c" -pthread $libraries && attempt "$program" "$work/$program" "$@"
}

# The same with fewer repetitions, but for `make check`.
run_part() {
  more=-DLESS=$(part 3)
  run "$@"
  more=
}

run vectors "$here/../Vectors"
run contract
run arguments
run text
run padding
run kept
run_part sealed
run sealed_keys
run sealed_arguments
run alike
run received
run signing
run signing_peers
run key_peers
run derive
run derive_peers
run typed
run causes "$root/Include/custom_keyboard.h"
# In a program of its own, the pointer of each thread has another place.
# shellcheck disable=SC2086
compile causes-static causes.c -pthread $static &&
  attempt causes-static "$work/causes-static" "$root/Include/custom_keyboard.h" causes-static
run pin
run dukpt
run passcode
run verifier
run differential
run batch
run_part unseal_batch
run_part job_race
# The code that reads a job word by word, where the best path reads a whole one.
CUSTOM_KEYBOARD_SM4=aesni attempt "job_race, aesni" "$work/job_race"
run placement
run threads
run two_copies "$build/libcustomkeyboard.so"
run fork
run_part fork_inside "$root/Include/custom_keyboard.h"
# These search all memory, let none be mapped, or stop at single instructions: not for sanitizers or valgrind.
# shellcheck disable=SC2086
compile caller_memory caller_memory.c -pthread $shared &&
  attempt caller_memory "$work/caller_memory" "$((60 / $(part 3)))"
# shellcheck disable=SC2086
compile fork_between fork_between.c -pthread $shared -lmbedcrypto &&
  attempt fork_between "$work/fork_between" "$([ -n "${THOROUGH:-}" ] && echo 1000 || echo 150)"
# shellcheck disable=SC2086
compile ended ended.c -pthread $shared && attempt ended "$work/ended"
# shellcheck disable=SC2086
compile without_memory without_memory.c $shared && attempt without_memory "$work/without_memory"
run limits
run hostile
run layout
run order
run touch
run callbacks
run callback_end
run callback_inside
run layout_threads
run cancel_alone "$root/Include/custom_keyboard.h"
# The vault's library finds the keyboard's beside it.
vault="-L$build -lcustomvault -Wl,-rpath,$build"
# shellcheck disable=SC2086
compile vault vault.c $vault -lcustomkeyboard && attempt vault "$work/vault"
# shellcheck disable=SC2086
compile vault_damage vault_damage.c $vault -lcustomkeyboard -lsqlite3 &&
  attempt vault_damage "$work/vault_damage" "$(part 15)"
# shellcheck disable=SC2086
compile vault_together vault_together.c -pthread $vault && attempt vault_together "$work/vault_together"
# It has functions of its own in place of some that the library calls.
# shellcheck disable=SC2086
compile vault_passcode vault_passcode.c -pthread $vault -lcustomkeyboard -ldl &&
  attempt vault_passcode "$work/vault_passcode"
# shellcheck disable=SC2086
compile vault_meanwhile vault_meanwhile.c $vault -lcustomkeyboard -ldl &&
  attempt vault_meanwhile "$work/vault_meanwhile" "$(if [ -n "${THOROUGH:-}" ]; then echo 500; else echo 60; fi)"
# shellcheck disable=SC2086
compile vault_passcode_key vault_passcode_key.c $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_passcode_key "$work/vault_passcode_key"
# shellcheck disable=SC2086
compile vault_rekey vault_rekey.c -pthread $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_rekey "$work/vault_rekey"
# A disk that fails is made up, so the folder may be in memory.
memory=$work
[ -d /dev/shm ] && [ -w /dev/shm ] && memory=/dev/shm
# shellcheck disable=SC2086
compile vault_faults vault_faults.c $vault -lsqlite3 &&
  attempt vault_faults env TMPDIR="$memory" "$work/vault_faults" "$(part 60)"
# shellcheck disable=SC2086
compile vault_tries vault_tries.c $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_tries env TMPDIR="$memory" "$work/vault_tries" "$(part 60)"
# shellcheck disable=SC2086
compile vault_power vault_power.c $vault -lcustomkeyboard -lsqlite3 -ldl &&
  if [ -n "${THOROUGH:-}" ]; then
    attempt vault_power env TMPDIR="$memory" "$work/vault_power" 400 8
  else
    attempt vault_power env TMPDIR="$memory" "$work/vault_power" 24 1
  fi
# shellcheck disable=SC2086
compile vault_words vault_words.c $vault -lcustomkeyboard -ldl &&
  attempt vault_words "$work/vault_words" "$here/../Vectors/bip39.txt"
# shellcheck disable=SC2086
compile vault_beside vault_beside.c $vault -lcustomkeyboard -lsqlite3 -ldl && attempt vault_beside "$work/vault_beside"
# shellcheck disable=SC2086
compile vault_checkpoint vault_checkpoint.c $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_checkpoint "$work/vault_checkpoint"
# shellcheck disable=SC2086
compile vault_places vault_places.c $vault -lcustomkeyboard -ldl && attempt vault_places "$work/vault_places"
# shellcheck disable=SC2086
compile vault_files vault_files.c -pthread $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_files "$work/vault_files"
# shellcheck disable=SC2086
compile vault_attacked vault_attacked.c -pthread $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_attacked env TMPDIR="$memory" "$work/vault_attacked"
# shellcheck disable=SC2086
compile vault_newest vault_newest.c $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_newest env TMPDIR="$memory" "$work/vault_newest"
# Searches all memory.
more=-fno-builtin
# shellcheck disable=SC2086
compile vault_residue vault_residue.c $vault -lcustomkeyboard -lsqlite3 -lcrypto -ldl && {
  attempt "vault_residue inside" env TMPDIR="$memory" "$work/vault_residue" inside "$(part 40)"
  attempt "vault_residue debugger" env TMPDIR="$memory" "$work/vault_residue" debugger "$((3000 / $(part 20)))"
}
more='-fno-builtin -DFIDO_SECRETS'
# shellcheck disable=SC2086
compile fido_residue vault_residue.c -L"$build" -lcustomfido $vault -lcustomkeyboard -lsqlite3 -lcrypto -ldl && {
  attempt "fido_residue inside" env TMPDIR="$memory" "$work/fido_residue" inside "$((4 * $(part 10)))"
  attempt "fido_residue debugger" env TMPDIR="$memory" "$work/fido_residue" debugger "$((1000 / $(part 10)))"
}
more=
# shellcheck disable=SC2086
compile vault_model vault_model.c $vault &&
  attempt vault_model env TMPDIR="$memory" "$work/vault_model" "$((1000000 / $(part 100)))"
# Each call of the vault and of the FIDO client: cancelled, and with a fork in the middle of it; registers and stacks
# after it, by the programs that look at the keyboard's.
for product in vault fido; do
  header=$root/Include/custom_$product.h
  more=-D$(echo $product | tr a-z A-Z)_CALLS
  # shellcheck disable=SC2086
  compile "${product}_cancel" vault_cancel.c -pthread -L"$build" -lcustomfido $vault -lcustomkeyboard -ldl &&
    attempt "${product}_cancel" env TMPDIR="$memory" "$work/${product}_cancel" "$header" \
      "$(($(part 13) == 1 ? 200 : 12))"
  # shellcheck disable=SC2086
  compile "${product}_caller_memory" caller_memory.c -pthread -L"$build" -lcustomfido $vault -lcustomkeyboard &&
    attempt "${product}_caller_memory" env TMPDIR="$memory" "$work/${product}_caller_memory" "$((12 / $(part 3)))"
  # shellcheck disable=SC2086
  compile "${product}_fork" vault_fork.c -pthread -L"$build" -lcustomfido $vault -lcustomkeyboard -ldl &&
    attempt "${product}_fork" env TMPDIR="$memory" "$work/${product}_fork" "$header" "$((300 / $(part 30)))"
  # shellcheck disable=SC2086
  compile "${product}_causes" causes.c -pthread -L"$build" -lcustomfido $vault -lcustomkeyboard &&
    attempt "${product}_causes" env TMPDIR="$memory" "$work/${product}_causes" "$header" "${product}_causes"
  more="-fno-builtin $more"
  for searcher in registers depth; do
    # shellcheck disable=SC2086
    compile "$searcher-$product" "$searcher.c" -L"$build" -lcustomfido $vault -lcustomkeyboard &&
      attempt "$searcher-$product" env TMPDIR="$memory" "$work/$searcher-$product" "$header" \
        "$searcher of custom_$product.h" "$(part 16)"
  done
done
more=
# shellcheck disable=SC2086
compile vault_refused vault_refused.c $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt vault_refused env TMPDIR="$memory" "$work/vault_refused" "$root/Include/custom_vault.h"
# shellcheck disable=SC2086
compile vault_kill vault_kill.c $vault &&
  attempt vault_kill "$work/vault_kill" "$(if [ -n "${THOROUGH:-}" ]; then echo 2000; else echo 100; fi)"
# It has functions of its own in place of some that the libraries call.
# shellcheck disable=SC2086
compile fido_kill fido_kill.c -L"$build" -lcustomfido $vault -lcustomkeyboard -ldl &&
  attempt fido_kill env TMPDIR="$memory" "$work/fido_kill" "$((3000 / $(part 30)))"
# shellcheck disable=SC2086
compile fido_together fido_together.c -pthread -L"$build" -lcustomfido $vault -lcustomkeyboard -ldl &&
  attempt fido_together env TMPDIR="$memory" "$work/fido_together" "$((1000 / $(part 40)))"
# shellcheck disable=SC2086
compile fido_beside fido_beside.c -pthread -L"$build" -lcustomfido $vault -lcustomkeyboard -lsqlite3 -ldl &&
  attempt fido_beside env TMPDIR="$memory" "$work/fido_beside"
# shellcheck disable=SC2086
compile fido_later fido_later.c -L"$build" -lcustomfido $vault -lcustomkeyboard -ldl &&
  attempt fido_later env TMPDIR="$memory" "$work/fido_later"
run cancel "$root/Include/custom_keyboard.h" "$(part 3)"
# What a shuffle was drawn from. It searches the stack below itself, which sanitizers do not allow.
# shellcheck disable=SC2086
compile draws draws.c $shared && attempt draws "$work/draws"
# Only compiled; it is run by hand, because it takes minutes: a space of more than 256 GiB.
# shellcheck disable=SC2086
compile huge huge.c $shared
# shellcheck disable=SC2086
compile pages pages.c $static -ldl && attempt pages "$work/pages" "$build/libcustomkeyboard.so"

# The example for C programs: twelve keys each time they are shown, dots that appear and disappear, and one ciphertext
# at the end.
check_toolkit() {
  "$work/toolkit" >"$work/shown" && [ "$(grep -o '\[' "$work/shown" | wc -l)" -eq 72 ] &&
    [ "$(grep -o '^PIN: .*' "$work/shown" | tr '\n' ' ')" = 'PIN: * PIN: ** PIN: * PIN: ** PIN: *** PIN: **** ' ] &&
    grep -Eqx 'to the server: [0-9a-f]{32}' "$work/shown" && echo "toolkit: 4 checks"
}
# shellcheck disable=SC2086
compile toolkit ../../Examples/c-toolkit/toolkit.c $shared && attempt toolkit check_toolkit
# The example in which a person chooses a PIN.
# shellcheck disable=SC2086
compile passcode_example ../../Examples/c-passcode/passcode.c $shared &&
  attempt passcode_example python3 "$here/passcode_example.py" "$work/passcode_example"
# The example that keeps a token behind a PIN, and is killed.
# shellcheck disable=SC2086
compile vault_example ../../Examples/c-vault/vault.c $vault -lcustomkeyboard &&
  attempt vault_example python3 "$here/vault_example.py" "$work/vault_example" \
    "$(if [ -n "${THOROUGH:-}" ]; then echo 400; else echo 25; fi)"
# The terminal and its host.
# shellcheck disable=SC2086
compile terminal_example ../../Examples/c-terminal/terminal.c -pthread $shared &&
  attempt terminal_example python3 "$here/terminal_example.py" "$work/terminal_example"
# shellcheck disable=SC2086
compile heap heap.c $shared && attempt heap "$work/heap"

# Under the address sanitizer, whose leak checker must not report memory that the library keeps.
# shellcheck disable=SC2086
more=-fsanitize=address compile callbacks-sanitized callbacks.c -pthread $shared &&
  attempt "callbacks under the address sanitizer" "$work/callbacks-sanitized"
more=

# SM4's other paths: those below the one that the library chooses on this processor.
has() { grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' | grep -qx "$1"; }
paths=portable
has aes && has avx2 && has gfni && paths="$paths aesni"
has avx512bw && has gfni && paths="$paths gfni256"
for path in $paths; do
  for program in vectors padding differential batch; do
    arguments=
    [ $program = vectors ] && arguments=$here/../Vectors
    # shellcheck disable=SC2086
    attempt "$program on $path" env CUSTOM_KEYBOARD_SM4="$path" "$work/$program" $arguments
  done
done

# With lazy binding, the first calls of functions are interrupted too.
# shellcheck disable=SC2086
compile cancel-static-lazy cancel.c -pthread $static -Wl,-z,lazy &&
  attempt cancel-static-lazy "$work/cancel-static-lazy" "$root/Include/custom_keyboard.h" "$(part 10)"

# Memory, with the library shared and static, and the program bound lazily and at start.
more=-fno-builtin
residue_part=1 depth_part=1
for kind in shared static; do
  for binding in lazy now; do
    eval "libraries=\$$kind"
    # shellcheck disable=SC2086
    compile "residue-$kind-$binding" residue.c $libraries "-Wl,-z,$binding" &&
      for path in best $paths; do # "best" is not a path, so it changes nothing
        attempt "residue-$kind-$binding on $path" env CUSTOM_KEYBOARD_SM4="$path" \
          "$work/residue-$kind-$binding" "$binding" "residue, $kind, bound $binding, $path path" "$residue_part"
        residue_part=$(part 7)
      done
    # shellcheck disable=SC2086
    compile "residue_touch-$kind-$binding" residue_touch.c $libraries "-Wl,-z,$binding" &&
      attempt "residue_touch-$kind-$binding" "$work/residue_touch-$kind-$binding" \
        "residue of touch, $kind, bound $binding"
    # Registers are clean after every function.
    # shellcheck disable=SC2086
    compile "registers-$kind-$binding" registers.c $libraries "-Wl,-z,$binding" &&
      for path in best $paths; do
        attempt "registers-$kind-$binding on $path" env CUSTOM_KEYBOARD_SM4="$path" "$work/registers-$kind-$binding" \
          "$root/Include/custom_keyboard.h" "registers, $kind, bound $binding, $path path"
      done
    # So are they, and the frame of a signal handler, where a password's place does not exist.
    # shellcheck disable=SC2086
    compile "bad_place-$kind-$binding" bad_place.c $libraries "-Wl,-z,$binding" &&
      attempt "bad_place-$kind-$binding" "$work/bad_place-$kind-$binding"
    # The stack below holds no part of a secret either.
    # shellcheck disable=SC2086
    compile "depth-$kind-$binding" depth.c $libraries "-Wl,-z,$binding" &&
      for path in best $paths; do
        attempt "depth-$kind-$binding on $path" env CUSTOM_KEYBOARD_SM4="$path" "$work/depth-$kind-$binding" \
          "$root/Include/custom_keyboard.h" "depth, $kind, bound $binding, $path path" "$depth_part"
        depth_part=$(part 5)
      done
    # What a call leaves does not predict the next shuffle.
    # shellcheck disable=SC2086
    compile "predict-$kind-$binding" predict.c $libraries "-Wl,-z,$binding" &&
      attempt "predict-$kind-$binding" "$work/predict-$kind-$binding" "$binding" "predict, $kind, bound $binding"
    [ -n "${THOROUGH:-}" ] || paths= # only the best one with the other ways of linking and binding
  done
done
more=

attempt mbedtls sh "$here/mbedtls.sh" "$work"
for product in customkeyboard customvault customfido; do
  attempt "headers of $product" sh "$here/headers.sh" "$build" "$work" $product
done
attempt install sh "$here/install.sh" "$build" "$work"
attempt make sh "$here/make.sh" "$build" "$work"
attempt vault_reader.py env LD_LIBRARY_PATH="$build" python3 "$here/vault_reader.py" "$build/libcustomvault.so"
attempt vault_words.py env LD_LIBRARY_PATH="$build" python3 "$here/vault_words.py" "$build/libcustomvault.so" \
  "$(if [ -n "${THOROUGH:-}" ]; then echo 100000; else echo 1000; fi)"
attempt "the table of words" python3 "$here/vault_words.py" --check
attempt fido_server.py env LD_LIBRARY_PATH="$build" python3 "$here/fido_server.py" "$build"
attempt client.py python3 "$here/client.py" "$build/libcustomkeyboard.so"
attempt pin_peers.py python3 "$here/pin_peers.py" "$build/libcustomkeyboard.so" "$here/../Vectors"
attempt sealed_peers.py python3 "$here/sealed_peers.py" "$build/libcustomkeyboard.so" "$here/../Vectors/hpke.txt"
# shellcheck disable=SC2086
"$CXX" -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$root/Include" -o "$work/client-cpp" "$here/client.cpp" $shared &&
  attempt client.cpp "$work/client-cpp" || failed="$failed client.cpp"

if [ -n "$failed" ]; then
  echo "C tests: failed:$failed" >&2
  exit 1
fi
