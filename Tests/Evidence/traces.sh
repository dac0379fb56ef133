#!/bin/sh
# Constant time on the processor itself, with GFNI and AVX-512, which no emulator supports: every call of SM4 is
# followed instruction by instruction (follow.c), with eight sets of keys and texts at the same addresses. All program
# counters and all data addresses must be the same. The controls, a table look-up and a branch that depend on secrets,
# must differ.
#
#     sh Tests/Evidence/traces.sh BUILD_DIR          x86-64 only; needs python3 and objdump; half a minute
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

[ "$(uname -m)" = x86_64 ] || fail "this is no x86-64; see arm64.sh"

# The paths that valgrind cannot execute (timing.sh checks the others). Without them, the best path in smaller calls,
# because each step takes microseconds; larger calls only repeat the same code.
followed=$(for path in $paths; do echo "$path"; done | grep gfni)
most=40
[ -n "$followed" ] || { followed=${paths##* } most=10; }

"$CC" -O2 -Wall -Wextra -Werror -o "$work/follow" "$check/follow.c" || fail "follow.c does not compile"
# Not position-independent, so that addresses in the file are those in memory.
# shellcheck disable=SC2086
"$CC" -std=c11 -O2 -no-pie -I"$root/Include" -o "$work/traced" "$check/traced.c" $static -Wl,-z,now ||
  fail "traced.c does not compile"
objdump -d "$work/traced" >"$work/disassembly" || fail "objdump"
python3 "$check/operands.py" <"$work/disassembly" >"$work/operands" || fail "an address that is not followed"
address() { nm "$work/traced" | awk -v name="$1" '$3 == name {print $1}'; }

# A control must be noticed. A call must have taken the path (except one that only stores a key, which takes none).
judge() {
  awk '{ key = $1; lines[key]++; if (!((key, $2) in seen)) { seen[key, $2] = 1; different[key]++ }
         if ($4 == 0) idle[key] = 1; steps += $3; all++ }
    END {
      for (key in lines) {
        control = key ~ /^control/
        if (lines[key] != 8) { print key ": " lines[key] " traces" > "/dev/stderr"; bad = 1 }
        if (control && different[key] < 2) { print key ": not noticed" > "/dev/stderr"; bad = 1 }
        if (!control && different[key] != 1) { print key ": " different[key] " different traces" > "/dev/stderr"; bad = 1 }
        if (!control && idle[key] && key !~ /^setupCipher,encryption/) { print key ": another path was taken" > "/dev/stderr"; bad = 1 }
        kinds++; controls += control
      }
      if (controls != 2 || kinds < 30) { print "only " kinds " kinds of calls" > "/dev/stderr"; bad = 1 }
      print all + 0, steps + 0
      exit bad
    }'
}

traces=0 steps=0 of_paths=0
for path in $followed; do
  word=$(echo "$path" | tr 'a-z' 'A-Z')
  [ "$path" = portable ] && word=Portable
  nm -S "$work/traced" | awk -v word="$word" 'NF == 4 && $3 ~ /[tTwW]/ && index($4, word) {print $1, $2}' >"$work/interest"
  [ -s "$work/interest" ] || fail "$path: no function is named so"
  CUSTOM_KEYBOARD_SM4=$path taskset -c 0 "$work/follow" "$work/operands" "$work/interest" "$(address marker_begin)" \
    "$(address marker_end)" "$work/traced" "$most" >"$work/traces" || fail "$path: not followed to its end"
  result=$(judge <"$work/traces") || fail "$path: an address or a branch depends on a secret"
  echo "$path: ${result% *} traces of ${result#* } instructions"
  traces=$((traces + ${result% *})) steps=$((steps + ${result#* })) of_paths=$((of_paths + 1))
done

[ "$traces" -gt 0 ] || fail "nothing was followed"
claim "SM4 constant-time on this processor: all its addresses are equal in every trace" \
  "$(grouped "$traces") traces, $of_paths paths"
