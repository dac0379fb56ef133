#!/bin/sh
# The package for Python, in a virtual environment of each Python that is found; two wheels of two builds are the same.
#
#     sh Tests/Evidence/wheel.sh BUILD_DIR          two minutes
#
# make check: 120 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made_twice wheel "wheel/*.whl"
sh "$root/Tests/Bindings/wheel.sh" "$root/build" --all >"$work/log" 2>&1 || fail "the wheel" "$work/log"
tests=$(sed -n 's/^wheel: \([0-9]*\) tests in Python.*/\1/p' "$work/log")
pythons=$(sed -n 's/^wheel: .* in Python *//p' "$work/log")
[ "$(echo "$pythons" | wc -w)" -ge 3 ] || fail "only Python $pythons is here: three are wanted"
claim "the wheel installs with nothing else in Python $pythons: keyboards, texts, batches, secrets, forks, threads" \
  "$tests tests each" Tests/Bindings/package.py

# Its types, as a user's mypy sees them. That a number for a key is found shows that they are read.
venv=$work/mypy
/usr/bin/python3 -m venv "$venv" && "$venv/bin/pip" --quiet --disable-pip-version-check install mypy \
  "$root"/build/wheel/*.whl >"$work/log" 2>&1 || fail "mypy cannot be had" "$work/log"
(cd "$work" && "$venv/bin/mypy" --strict -p customkeyboard) >"$work/log" 2>&1 || fail "mypy --strict" "$work/log"
files=$(sed -n 's/^Success: no issues found in \([0-9]*\) source files$/\1/p' "$work/log")
[ "${files:-0}" -ge 7 ] || fail "mypy saw ${files:-no} files" "$work/log"
printf '%s\n' 'import customkeyboard as ck' 'ck.decrypt(ck.Way.SM4, 7, b"")' >"$work/wrong.py"
! (cd "$work" && "$venv/bin/mypy" --strict wrong.py) >"$work/log" 2>&1 || fail "a number is a key for mypy" "$work/log"
grep -q 'wrong.py:2: error: Argument 2' "$work/log" || fail "not the error that was planted" "$work/log"
claim "mypy --strict finds nothing in the package for Python, and a wrong type in what uses it" "$files files" \
  Bindings/python
