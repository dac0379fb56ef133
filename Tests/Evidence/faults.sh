#!/bin/sh
# What the system can refuse: memory, locked memory, randomness, files. Each libc function that can fail is made to fail
# at its 1st, 2nd, ... last call, in each call of the list that Tests/C/keyboard_calls.h is. Every call must return its
# code, leave everything unchanged, and work again. (Tests/C/limits.c runs where the kernel itself refuses.)
#
#     sh Tests/Evidence/faults.sh BUILD_DIR          CC, CLAIMS from the environment
#
# make check: 60 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

flags="-O2 -Wall -Wextra -Werror -I$root/Include -I$clients -I$check"
# shellcheck disable=SC2086
"$CC" -std=gnu11 $flags -fno-builtin -shared -fPIC -o "$work/interposer.so" "$check/interposer.c" ||
  fail "the interposed library does not compile"
# shellcheck disable=SC2086
"$CC" -std=c11 $flags -o "$work/faults_calls" "$check/faults_calls.c" -pthread -ldl $shared -lmbedcrypto \
  -lcrypto || fail "the program of each call does not compile"

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
header=$root/Include/custom_keyboard.h
LD_PRELOAD=$work/interposer.so "$work/faults_calls" "$header" misjudged >/dev/null 2>&1 &&
  fail "a wrong answer of a call was not noticed"
LD_PRELOAD=$work/interposer.so "$work/faults_calls" "$header" >"$work/calls" || {
  cat "$work/calls"
  fail "see above (calls)"
}
sed 's/\t/  /g' "$work/calls"

sum() { # field-2-pattern: the third fields' sum
  awk -F '\t' -v kind="$1" '$2 ~ kind { n += $3 } END { print n + 0 }' "$work/calls"
}
faults() { # claim, number
  [ "$2" -gt 0 ] || fail "nothing was counted for: $1"
  claim "$1" "$2 faults"
}
faults "each function's call, while memory is refused once: MEMORY, nothing written, and works again" \
  "$(sum '^(mmap|mprotect)$')"
faults "each function's call, while randomness is refused once: RANDOM, nothing written, and works again" \
  "$(sum '^getrandom(, which answers with nothing)?$')"
faults "randomness interrupted or in pieces is asked for again until it is complete" \
  "$(sum '^getrandom, in(terrupted| pieces)$')"
faults "mlock, madvise, munmap, mutexes refused: every call works" \
  "$(sum '^(mlock|madvise|munmap|pthread_mutex_lock|getrandom of nothing)$')"
