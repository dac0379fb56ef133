#!/bin/sh
# Runs `make test` with all its repetitions, and turns its results into claims.
#
#     sh Tests/Evidence/suite.sh BUILD_DIR          fifteen minutes, a third of them building
#
# make check: 1050 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

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
table claims "$logs"/*.log >"$work/claims" || fail "the table has claims that nothing shows"
while IFS="$(printf '\t')" read -r what cases files; do claim "$what" "$cases" "$files"; done <"$work/claims"
modules=$(sed -n 's/^\([0-9]*\) modules checked, 0 faults$/\1/p' "$log")
[ "${modules:-0}" -gt 0 ] || fail "no module's instructions were checked"
claim "no instruction beyond the path's own" "$modules modules" instruction-sets.sh
