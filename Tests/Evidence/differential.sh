#!/bin/sh
# A million random triples of an algorithm, a key and a text, against OpenSSL and libgcrypt, through the bare ciphers
# and through a keyboard and back; SEED in the environment repeats a run.
#
#     sh Tests/Evidence/differential.sh BUILD_DIR          needs libssl-dev and libgcrypt20-dev; half a minute
#
# make check: 25 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

# shellcheck disable=SC2086
"$CC" $flags -o "$work/million" "$clients/differential_million.c" $static -lcrypto -lgcrypt ||
  fail "differential_million.c does not compile"
"$work/million" 1000000 >"$work/out" 2>&1 || fail "the library and its peers disagree" "$work/out"
cat "$work/out"

said() { sed -n "s/$1/\\1/p" "$work/out"; }
triples=$(said '^\([0-9]*\) triples, .*')
[ "$triples" -eq 1000000 ] || fail "expected a million triples, and $triples ran"
claim "DES, 3DES and SM4 agree with OpenSSL and with libgcrypt on random keys and texts" \
  "$(grouped "$triples") triples, $(grouped "$(said '.*, \([0-9]*\) comparisons$')") comparisons"
claim "one bit of disagreement is noticed" "$(grouped "$(said '.*, \([0-9]*\) noticed$')") planted"
