#!/bin/sh
# What the system can refuse: memory, locked memory, randomness, files. Each libc function that can fail is made to fail
# at its 1st, 2nd, ... last call: in a scenario of passwords, keys and touches, and in each call of the list that
# Tests/C/keyboard_calls.h is. Then the same scenario runs where the kernel itself refuses. Every call must return its
# code, leave everything unchanged, and work again.
#
#     sh Tests/Evidence/faults.sh BUILD_DIR          CC, CLAIMS from the environment
#
# make check: 115 seconds
#
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd) || exit 1
root=$here/../..
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "faults: $1" >&2; exit 1; }

flags="-O2 -Wall -Wextra -Werror -I$root/Include -I$root/Tests/C -I$here"
# shellcheck disable=SC2086
${CC:-gcc} -std=gnu11 $flags -fno-builtin -shared -fPIC -o "$work/interposer.so" "$here/interposer.c" ||
  fail "the interposed library does not compile"
# shellcheck disable=SC2086
${CC:-gcc} -std=c11 $flags -o "$work/faults" "$here/faults.c" -pthread -ldl -L"$build" -lcustomkeyboard \
  -Wl,-rpath,"$build" || fail "the program does not compile"
# shellcheck disable=SC2086
${CC:-gcc} -std=c11 $flags -o "$work/faults_calls" "$here/faults_calls.c" -pthread -ldl -L"$build" -lcustomkeyboard \
  -lmbedcrypto -lcrypto -Wl,-rpath,"$build" || fail "the program of each call does not compile"

# Every function that the library imports is either made to fail here or cannot fail. Add new names to one of the two.
cannot_fail='__errno_location __stack_chk_fail explicit_bzero free sysconf memcpy memmove memset pthread_self strcmp
  pthread_cond_broadcast pthread_cond_wait pthread_mutex_unlock pthread_setcancelstate pthread_setcanceltype
  secure_getenv syscall __libc_single_threaded mbedtls_'
nm -D --defined-only "$work/interposer.so" | awk '$2 == "T" { print $3 }' >"$work/known"
# shellcheck disable=SC2086
printf '%s\n' $cannot_fail >>"$work/known"
nm -D --undefined-only "$build/libcustomkeyboard.so" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' |
  sed 's/^mbedtls_.*/mbedtls_/' >"$work/imported"
[ "$(wc -l <"$work/imported")" -ge 15 ] || fail "the library imports too few functions"
unknown=$(grep -vxF -f "$work/known" "$work/imported")
[ -z "$unknown" ] || fail "the library imports functions that are not made to fail here: $unknown"

# A failed run is shown. The program must fail if its own expectation is wrong on purpose.
LD_PRELOAD=$work/interposer.so "$work/faults" misjudged >/dev/null 2>&1 && fail "a wrong answer was not noticed"
(cd "$work" && LD_PRELOAD=$work/interposer.so ./faults interposed) >"$work/interposed" || {
  cat "$work/interposed"
  fail "see above (interposed)"
}
header=$root/Include/custom_keyboard.h
LD_PRELOAD=$work/interposer.so "$work/faults_calls" "$header" misjudged >/dev/null 2>&1 &&
  fail "a wrong answer of a call was not noticed"
LD_PRELOAD=$work/interposer.so "$work/faults_calls" "$header" >"$work/calls" || {
  cat "$work/calls"
  fail "see above (calls)"
}
(cd "$work" && ./faults alone) >"$work/alone" || { cat "$work/alone"; fail "see above (alone)"; }
sed 's/\t/  /g' "$work/interposed" "$work/calls" "$work/alone"

sum() { # field-2-pattern field-4-pattern file: the third fields' sum
  awk -F '\t' -v kind="$1" -v how="$2" '$2 ~ kind && $4 ~ how { n += $3 } END { print n + 0 }' "$3"
}
claim() { # claim, number, of what
  [ "$2" -gt 0 ] || fail "nothing was counted for: $1"
  printf '%s\t%s %s\t%s\n' "$1" "$2" "$3" Tests/Evidence/faults.sh >>"${CLAIMS:-/dev/null}"
}
interposed=$work/interposed
claim "no memory at the nth call: MEMORY, nothing half done, works again" \
  "$(sum '^(mmap|mprotect)$' . "$interposed")" faults
claim "no randomness at the nth call: RANDOM, nothing half done, works again" \
  "$(sum '^getrandom$' 'ENOSYS|EPERM|answer of 0|workspaces' "$interposed")" faults
claim "randomness interrupted or in pieces is retried until complete, and every byte is used" \
  "$(sum '^getrandom$' 'EINTR|one byte' "$interposed")" answers
claim "mlock, madvise, munmap, malloc, mutexes refused: every call still works" \
  "$(sum '^(mlock|madvise|munmap|malloc|pthread_.*|getrandom of nothing)$' . "$interposed")" faults
claim "each function's call, while memory or randomness is refused once: its code, nothing written, and works again" \
  "$(sum . 'in each call' "$work/calls")" faults
claim "memory running out page by page (RLIMIT_AS): MEMORY, and works again" "$(sum RLIMIT_AS . "$work/alone")" refusals
claim "no locked memory (RLIMIT_MEMLOCK 0): every call works" "$(sum RLIMIT_MEMLOCK . "$work/alone")" calls
claim "no /dev, no file that can be opened: every call works" "$(sum '^(open|/dev)$' . "$work/alone")" calls
claim "seccomp without getrandom: RANDOM, no weaker source in its place" "$(sum getrandom . "$work/alone")" refusals
