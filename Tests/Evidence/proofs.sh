#!/bin/sh
# What the compiled functions of the curves' fields compute, proved for all inputs, and how deep the stacks are that are
# wiped: `make prove`.
#
#     sh Tests/Evidence/proofs.sh BUILD_DIR          x86-64 only
#
# make check: 240 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

CC="$CC" /usr/bin/python3 -B "$root/Tests/Proofs/prove.py" "$build/customkeyboard.o" >"$work/out" 2>&1 ||
  fail "not everything is proved" "$work/out"
/usr/bin/python3 -B "$root/Tests/Proofs/depths.py" "$build/customkeyboard.o" \
  "$("$CC" -print-file-name=libmbedcrypto.a)" "$root/Sources/CKeyboardPlatform/residue.h" >>"$work/out" 2>&1 ||
  fail "a stack is deeper than what is wiped" "$work/out"
cat "$work/out"
said() { sed -n "s/$1/\\1/p" "$work/out"; }
claim "products, squares, sums and differences of Field25519, P-256 and SM2, proved for all inputs from compiled code" \
  "$(said '^proofs: \(.*\), .* refused$')" Tests/Proofs/theorems.py
claim "the proofs refuse bugs in that code, and ranges that are too wide" \
  "$(said '^proofs: .*, \(.*\) planted bugs refused$') planted bugs" Tests/Proofs/planted.py
claim "the code was read as the processor runs it" "$(said '^\(.*\) results are the processor.s$') results" processor.py
claim "what wipes the stack reaches as deep as the compiled code goes under it, on each path of SM4" \
  "$(said '^depths: \(.* stacks\), .* refused$')" Tests/Proofs/depths.py
