#!/bin/sh
# Constant time on the processor itself, with GFNI and AVX-512, which no emulator supports: calls are followed
# instruction by instruction (follow.h), with different secrets at the same addresses. All program counters and all data
# addresses must be the same. The controls, a table look-up and a branch that depend on secrets, must differ.
#
# Every call of SM4 is followed with eight sets of keys and texts; unseal, generateKey and signText, which take a
# million instructions each (and publicKey), with two private keys, 1 and one of long runs, or with two texts; OPAQUE's
# with two passwords, or two setups.
# TRACED_KEYS=8 takes more.
#
#     sh Tests/Evidence/traces.sh BUILD_DIR          x86-64 only; needs python3 and objdump; a minute and a half
#
# make check: 300 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

[ "$(uname -m)" = x86_64 ] || fail "this is not x86-64; see arm64.sh"

# The paths that valgrind cannot execute (timing.sh checks the others). Without them, the best path in smaller calls,
# because each step takes microseconds; larger calls only repeat the same code.
followed=$(for path in $paths; do echo "$path"; done | grep gfni)
most=40
[ -n "$followed" ] || { followed=${paths##* } most=10; }

# Not position-independent, so that addresses in the file are those in memory.
for program in traced traced_sealed; do
  # shellcheck disable=SC2086
  "$CC" -std=c11 -O2 -no-pie -Wall -Wextra -Werror -I"$root/Include" -I"$clients" -o "$work/$program" \
    "$check/$program.c" $static -Wl,-z,now || fail "$program.c does not compile"
  objdump -d "$work/$program" >"$work/disassembly" || fail "objdump"
  python3 "$check/operands.py" <"$work/disassembly" >"$work/$program.operands" || fail "an address that is not followed"
done

# Runs a program and follows it. Functions whose names match count as the path.
follow() { # program pattern [argument]
  nm -S "$work/$1" | awk -v pattern="$2" 'NF == 4 && $3 ~ /[tTwW]/ && $4 ~ pattern {print $1, $2}' >"$work/interest"
  [ -s "$work/interest" ] || fail "no function is named $2"
  # shellcheck disable=SC2086
  TRACE_OPERANDS=$work/$1.operands TRACE_INTEREST=$work/interest taskset -c "$core" "$work/$1" $3
}
core=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')

# A control must be noticed. A call must have taken the path (except one that only stores a key, which takes none).
judge() { # traces of a call, fewest kinds of calls
  awk -v times="$1" -v least="$2" '
    { key = $1; lines[key]++; if (!((key, $2) in seen)) { seen[key, $2] = 1; different[key]++ }
         if ($4 == 0) idle[key] = 1; steps += $3; all++ }
    END {
      for (key in lines) {
        control = key ~ /^control/
        if (lines[key] != 8 && lines[key] != times) { print key ": " lines[key] " traces" > "/dev/stderr"; bad = 1 }
        if (control && different[key] < 2) { print key ": not noticed" > "/dev/stderr"; bad = 1 }
        if (!control && different[key] != 1) { print key ": " different[key] " different traces" > "/dev/stderr"; bad = 1 }
        if (!control && idle[key] && key !~ /^setupCipher,encryption/) { print key ": another path was taken" > "/dev/stderr"; bad = 1 }
        kinds++; controls += control
      }
      if (controls != 2 || kinds < least) { print "only " kinds " kinds of calls" > "/dev/stderr"; bad = 1 }
      print all + 0, steps + 0
      exit bad
    }'
}

traces=0 steps=0 of_paths=0
for path in $followed; do
  word=$(echo "$path" | tr 'a-z' 'A-Z')
  [ "$path" = portable ] && word=Portable
  export CUSTOM_KEYBOARD_SM4="$path"
  follow traced "$word" "$most" >"$work/traces" || fail "$path: not followed to its end"
  result=$(judge 8 30 <"$work/traces") || fail "$path: an address or a branch depends on a secret"
  echo "$path: ${result% *} traces of ${result#* } instructions"
  traces=$((traces + ${result% *})) steps=$((steps + ${result#* })) of_paths=$((of_paths + 1))
done

[ "$traces" -gt 0 ] || fail "nothing was followed"
claim "SM4 constant-time on this processor: all its addresses are equal in every trace" \
  "$(grouped "$traces") traces, $of_paths paths"

# Sealed texts, signatures and OPAQUE, on the best path of SM4.
unset CUSTOM_KEYBOARD_SM4
keys=${TRACED_KEYS:-2}
rooms='KeyboardCurves|KeyboardHashes|KeyboardGHASH|KeyboardLattice|KeyboardSHA2|KeyboardOPAQUE'
follow traced_sealed "$rooms" "$keys" >"$work/traces" ||
  fail "sealed texts: not followed to their end"
result=$(judge "$keys" 25 <"$work/traces") ||
  fail "sealed texts, signatures, OPAQUE: an address or a branch depends on a secret" "$work/traces"
echo "sealed texts, signatures, OPAQUE: ${result% *} traces of ${result#* } instructions"
calls="unseal, unsealBatch, generateKey, publicKey, signText, OPAQUE"
claim "X25519, P-256, SM2, ML-KEM, SM3, SHA-512, ristretto255, GHASH constant-time on this processor: $calls" \
  "${result% *} traces, $(grouped "${result#* }") instructions"
