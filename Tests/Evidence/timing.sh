#!/bin/sh
# Constant time, under valgrind: what Tests/C/secrets.sh proves, and the documented exceptions, which are measured.
#
#     sh Tests/Evidence/timing.sh BUILD_DIR          needs valgrind; a minute
#
# make check: 10 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

CC=$CC sh "$root/Tests/C/secrets.sh" "$build" >"$work/out" || fail "a branch or an address depends on a secret"
cat "$work/out"
of_paths=$(wc -l <"$work/out")
checks=$(sed -n 's/^timing, .*: secrets: \([0-9]*\) checks$/\1/p' "$work/out" | awk '{n += $1} END {print n + 0}')

# Each exception must be visible; otherwise it is not an exception.
# shellcheck disable=SC2086
"$CC" -std=c11 -O2 -I"$root/Include" -o "$work/secrets" "$clients/secrets.c" $static ||
  fail "secrets.c does not compile"
exceptions=0
exception() { # argument function why
  CUSTOM_KEYBOARD_SM4=portable valgrind --error-limit=no "$work/secrets" "$1" >"$work/said" 2>"$work/report" ||
    fail "$1: valgrind does not report the exception" "$work/report"
  awk '/(Conditional jump|Use of uninitialised)/ {getline; print $3, $4}' "$work/report" | sort -u >"$work/places"
  grep -q "$2" "$work/places" || fail "$1: not where it is documented" "$work/report"
  if grep -v "$2" "$work/places"; then fail "$1: elsewhere too" "$work/report"; fi
  echo "exception: $3 (places: $(wc -l <"$work/places"))"
  exceptions=$((exceptions + 1))
}
exception des mbedtls_des "DES and 3DES are mbedTLS's, which looks up tables by key and text"
exception padding '7decrypt_\|14decryptChecked' \
  "decrypt and decryptBatch branch, once each, on whether a padding is right, which their codes tell"
exception input 'Characters\|Grapheme' \
  "input, as deleteBackward, reads UTF-8, in a time that depends on the kinds of characters; getText does not"

claim "SM4, getText, decrypt: no branch or address depends on key, text or password" "$checks checks, $of_paths paths"
claim "except DES tables, whether a padding is right, and reading typed UTF-8" "$exceptions exceptions, measured"
