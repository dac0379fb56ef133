#!/bin/sh
# Patterns, compared with Python's `re`: 500,000 generated pairs of a pattern and a text, other ones each day.
#
#     sh Tests/Evidence/patterns.sh BUILD_DIR          PATTERN_PAIRS, PATTERN_SEED from the environment
#
# make check: 120 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
PATTERN_PAIRS=${PATTERN_PAIRS:-500000} PATTERN_SEED=${PATTERN_SEED:-$(date +%Y%m%d)}
export PATTERN_PAIRS PATTERN_SEED

env -u CC -u CXX "$SWIFT" build --package-path "$root" -j "$JOBS" --build-tests >"$work/log" 2>&1 ||
  fail "the tests cannot be built" "$work/log"
env -u CC -u CXX "$SWIFT" test --package-path "$root" --skip-build --filter PatternDifferentialTests \
  >"$work/log" 2>&1 ||
  fail "seed $PATTERN_SEED" "$work/log"
said=$(sed -n 's/^patterns: //p' "$work/log")
echo "seed $PATTERN_SEED: ${said:-nothing}"
[ -n "$said" ] || fail "no pairs were compared" "$work/log"
claim "patterns agree with Python's re, malformed ones and where included" "$(grouped "$PATTERN_PAIRS") pairs"
