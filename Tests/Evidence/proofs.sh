#!/bin/sh
# What the compiled functions of the curves' fields and of RSA compute, proved for all inputs; how deep the stacks are
# that are wiped; what has few inputs, tried in full; and that no secret decides how long something takes: `make prove`.
#
#     sh Tests/Evidence/proofs.sh BUILD_DIR          x86-64 only
#
# make check: 720 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

CC="$CC" SWIFT="$SWIFT" /usr/bin/python3 -B "$root/Tests/Proofs/prove.py" "$build/customkeyboard.o" >"$work/out" 2>&1 ||
  fail "not everything is proved" "$work/out"
/usr/bin/python3 -B "$root/Tests/Proofs/depths.py" "$build/customkeyboard.o" \
  "$("$CC" -print-file-name=libmbedcrypto.a)" "$root/Sources/CKeyboardPlatform/residue.h" >>"$work/out" 2>&1 ||
  fail "a stack is deeper than what is wiped" "$work/out"
CC="$CC" /usr/bin/python3 -B "$root/Tests/Proofs/in_full.py" "$build/customkeyboard.o" >>"$work/out" 2>&1 ||
  fail "not everything that was tried is right" "$work/out"
CC="$CC" /usr/bin/python3 -B "$root/Tests/Proofs/constant_time.py" "$build/customkeyboard.o" >>"$work/out" 2>&1 ||
  fail "a secret may decide how long something takes" "$work/out"
cat "$work/out"
said() { sed -n "s/$1/\\1/p" "$work/out"; }
claim "products, squares and sums of Field25519, P-256, SM2 and RSA, proved for all inputs from compiled code" \
  "$(said '^proofs: \(.*\), .* refused$')" Tests/Proofs/theorems.py
claim "the proofs refuse bugs in that code, and ranges that are too wide" \
  "$(said '^proofs: .*, \(.*\) planted bugs refused$') planted bugs" Tests/Proofs/planted.py
claim "the code was read as the processor runs it" "$(said '^\(.*\) results are the processor.s$') results" processor.py
claim "what wipes the stack reaches as deep as the compiled code goes under it, on each path of SM4" \
  "$(said '^depths: \(.* stacks\), .* refused$')" Tests/Proofs/depths.py
claim "padding, Base64, hexadecimal, UTF-8, ML-KEM, GHASH and SM4 tried in full or on a basis; other code is noticed" \
  "$(said '^in full: \(.*\) other instructions noticed$') planted" Tests/Proofs/in_full.py
claim "no branch, address or division needs a bit of a secret, on each path" \
  "$(said '^constant time: \(.* computations\), .*$')" Tests/Proofs/constant_time.py
