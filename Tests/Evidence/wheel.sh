#!/bin/sh
# The package for Python, in a virtual environment of each Python that is found; two wheels of two builds are the same.
#
#     sh Tests/Evidence/wheel.sh BUILD_DIR          two minutes
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS

make -C "$root" wheel CC="$CC" SWIFT="$SWIFT" JOBS="$JOBS" >"$work/log" 2>&1 || fail "make wheel" "$work/log"
cp "$root"/build/wheel/*.whl "$work"
make -C "$root" wheel CC="$CC" SWIFT="$SWIFT" JOBS="$JOBS" >"$work/log" 2>&1 || fail "make wheel" "$work/log"
cmp "$work"/*.whl "$root"/build/wheel/*.whl || fail "two wheels of one tree differ"
sh "$root/Tests/Bindings/wheel.sh" "$root/build" --all >"$work/log" 2>&1 || fail "the wheel" "$work/log"
tests=$(sed -n 's/^wheel: \([0-9]*\) tests in Python.*/\1/p' "$work/log")
pythons=$(sed -n 's/^wheel: .* in Python *//p' "$work/log")
[ "$(echo $pythons | wc -w)" -ge 3 ] || fail "only Python $pythons is here: three are wanted"
claim "the wheel installs with nothing else in Python $pythons: keyboards, texts, batches, secrets, forks, threads" \
  "$tests tests each" Tests/Bindings/package.py
