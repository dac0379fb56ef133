#!/bin/sh
# All Swift tests under the address sanitizer, and those of shared state under the thread sanitizer. Swift Testing runs
# tests on many threads at once, so all of them share the slots and the generators.
#
#     sh Tests/Evidence/sanitizers-swift.sh BUILD_DIR          ten minutes, most of them building
#
# Leaks are not checked here, because XCTest leaks; sanitizers-c.sh and memcheck.sh check the C programs for leaks.
#
# make check: 600 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
export SWIFT_BACKTRACE ASAN_OPTIONS

# Every planted-*.swift has a fault that one of the sanitizers must find.
planted=$(find "$check" -name 'planted-*.swift' | wc -l)
found=0
find_planted() { # sanitizer source report
  "${SWIFT}c" -sanitize="$1" -o "$work/planted" "$check/$2" >"$work/out" 2>&1 || fail "$2 does not compile" "$work/out"
  if ! "$work/planted" >"$work/out" 2>&1 && grep -q "$3" "$work/out"; then
    found=$((found + 1))
    echo "planted and found: $3"
  else
    echo "the $1 sanitizer did not find what is in $2" >&2
    tail -n 20 "$work/out" >&2
  fi
}
find_planted address planted-address.swift heap-buffer-overflow
find_planted thread planted-race.swift ' race'
[ "$found" -eq "$planted" ] || fail "$found of $planted planted faults were found"

# The number of tests that passed; the output is shown if any failed.
tests() { # sanitizer scratch options…
  sanitizer=$1 scratch=$root/.build/$2
  shift 2
  env -u CC -u CXX "$SWIFT" build --package-path "$root" -j "$JOBS" --build-tests --sanitize="$sanitizer" \
    --scratch-path "$scratch" -Xcc -DKEYBOARD_CHECKED_COPIES \
    >"$work/log" 2>&1 || fail "the tests cannot be built for the $sanitizer sanitizer" "$work/log"
  env -u CC -u CXX "$SWIFT" test --package-path "$root" --skip-build --sanitize="$sanitizer" \
    --scratch-path "$scratch" -Xcc -DKEYBOARD_CHECKED_COPIES "$@" \
    >"$work/log" 2>&1 || {
    grep '✘' "$work/log" >&2
    fail "under the $sanitizer sanitizer" "$work/log"
  }
  if grep -q 'WARNING: ThreadSanitizer\|ERROR: AddressSanitizer' "$work/log"; then fail "a report" "$work/log"; fi
  passed=$(sed -n 's/.*Test run with \([0-9]*\) tests in .* passed.*/\1/p' "$work/log")
  echo "under the $sanitizer sanitizer: ${passed:-no} tests passed"
  [ "${passed:-0}" -ge "$least" ] || fail "expected at least $least tests" "$work/log"
}
least=138
tests address asan
claim "Swift tests: clean under the address sanitizer" "$passed tests, all there are"
least=30
tests thread tsan \
  --filter 'CustomKeyboardC?Tests|KeyboardMemoryTests|KeyboardVaultTests|KeyboardFIDOTests'
claim "Swift tests of keyboards, vaults, FIDO, memory, 16 threads: clean under the thread sanitizer" "$passed tests"
claim "both sanitizers find the planted faults" "$found of $planted faults"
