#!/bin/sh
# No two sealed texts are alike, in a million tries with SM4-GCM and with X25519: threads, keyboards that they share and
# their own, children of a fork. A generator that repeats itself is noticed.
#
#     sh Tests/Evidence/alike.sh BUILD_DIR          a minute; ALIKE_TRIES in the environment
#
# make check: 90 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

tries=${ALIKE_TRIES:-1000000}
# shellcheck disable=SC2086
"$CC" $flags -o "$work/alike" "$clients/alike.c" $static -pthread || fail "alike.c does not compile"
"$work/alike" "$tries" >"$work/out" 2>&1 || fail "texts are alike" "$work/out"
cat "$work/out"

of() { sed -n "s/^$1: \([0-9]*\) texts, none alike\$/\1/p" "$work/out"; }
[ "$(of SM4-GCM)" -eq "$tries" ] && [ "$(of X25519)" -eq "$tries" ] || fail "not all texts were made"
all=$(sed -n 's/^.*: \([0-9]*\) texts, none alike$/\1/p' "$work/out" | awk '{ n += $1 } END { print n }')
claim "no two sealed texts have a beginning, a middle or a tag alike: 16 threads, 4 processes" \
  "$(grouped "$all") texts" alike.c
noticed=$(grep -c 'texts, none alike$' "$work/out")
claim "a generator that repeats itself is noticed" "$noticed ways" alike.c
