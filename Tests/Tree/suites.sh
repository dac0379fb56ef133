#!/bin/sh
# What `make test` prints: one line for each suite; no compiler progress; failing tests last, by name and with their
# log; and at the very end swift-testing's closing lines, which other tools read.
#
#     sh Tests/Tree/suites.sh
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
LOGS=$work/logs TOGETHER=
export LOGS TOGETHER
checks=0

fail() { echo "suites.sh: $1" >&2; exit 1; }
expect() { # what got wanted
  [ "$2" = "$3" ] || fail "$1: expected '$3', got '$2'"
  checks=$((checks + 1))
}
contains() { # what file words
  grep -qF -- "$3" "$2" || fail "$1: expected '$3' in: $(cat "$2")"
  checks=$((checks + 1))
}
suite() { # title name status, with what the suite says on standard input
  cat >"$work/says"
  status=0
  sh "$here/quietly.sh" "$1" "$2" sh -c "cat '$work/says'; exit $3" >"$work/out" 2>"$work/errors" || status=$?
  echo "$status" >"$work/status" # a pipe's last command cannot set a variable
}
summary() {
  status=0
  # shellcheck disable=SC2086
  sh "$here/quietly.sh" --summary $names >"$work/out" 2>"$work/errors" || status=$?
}
names='lint swift c instructions timing tool readme release suites'

# ---- All tests pass
rm -rf "$LOGS"
for name in $names; do echo "$name: 12 checks" | suite "$name" "$name" 0; done
{
  seq -f '[%g/700] Compiling Some.swift' 700
  echo '✔ Test run with 140 tests in 9 suites passed after 30.1 seconds.'
} | suite 'Swift tests' swift 0
expect "lines of a suite that passes" "$(wc -l <"$work/out")" 1
contains "a suite that passes" "$work/out" 'Swift tests ... 140 tests passed in '
expect "errors of a suite that passes" "$(cat "$work/errors")" ''
echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.' | suite Threads threads 0
contains "a suite of one test" "$work/out" 'Threads ... 1 tests passed in '
printf 'vectors: 149 checks\npad: screens 5 checks, 2 s\nresidue, shared, bound now: 10 checks\n' | suite C c 0
contains "a suite of C programs" "$work/out" 'C ... 164 checks passed in '
summary
expect "the status when all is well" "$status" 0
expect "the last line" "$(tail -n 1 "$work/out")" 'All tests passed.'
contains "the end" "$work/out" 'Test run with 140 tests in 9 suites passed'
expect "lines at the end" "$(wc -l <"$work/out")" 2
rm "$LOGS/tool.log"
summary
expect "the status when a suite did not run" "$status" 1

# ---- A test fails, in a suite that runs alone and in one among all
fails() {
  {
    seq -f '[%g/700] Compiling Some.swift' 700
    for path in portable aesni gfni256 gfni512; do
      echo "✘ Test rounds(path:) recorded an issue with 1 argument path → .$path at Rounds.swift:7:5: it failed"
      echo "↳ count 3, seed 17 of $path"
    done
    echo '✘ Test rounds(path:) with 4 test cases failed after 0.1 seconds with 4 issues.'
    echo '✘ Test run with 140 tests in 9 suites failed after 30.1 seconds with 4 issues.'
  } | suite 'Swift tests' swift 1
}
rm -rf "$LOGS"
fails
expect "the status of a suite that fails" "$(cat "$work/status")" 1
contains "a suite that fails" "$work/out" 'Swift tests ... FAILED in '
contains "its report" "$work/errors" '==== Swift tests: rounds(path:) (all of it: '
contains "its inputs" "$work/errors" 'count 3, seed 17 of portable'
expect "issues shown" "$(grep -c 'recorded an issue' "$work/errors")" 3
expect "progress shown" "$(grep -c Compiling "$work/errors" || true)" 0
printf 'Some.swift:3:4: error: cannot find x in scope\nerror: fatalError\n' | suite 'Swift tests' swift 1
contains "the report of what does not compile" "$work/errors" 'Some.swift:3:4: error: cannot find x in scope'
rm -rf "$LOGS"
TOGETHER=yes
for name in $names; do echo "$name: 12 checks" | suite "$name" "$name" 0; done
echo 'c: 12 checks' | suite 'C tests' c 0
contains "a suite that passes among all, in one line" "$work/out" 'C tests ... 12 checks passed in '
fails
contains "a suite that fails among all, in one line" "$work/out" 'Swift tests ... FAILED in '
expect "the report among all suites, which comes last" "$(cat "$work/errors")" ''
expect "its status, with which the others go on" "$(cat "$work/status")" 0
NEEDED=yes
export NEEDED
echo 'it cannot be linked' | suite 'The C library' library 1
unset NEEDED
expect "the status of what others need" "$(cat "$work/status")" 1
rm "$LOGS/library.failed"
printf 'padding: FAILED (status 1)\nC tests: failed: padding batch\n' | suite 'C tests' c 1
summary
expect "the status when suites failed" "$status" 1
expect "what failed, last" "$(tail -n 2 "$work/out" | sed 's/ (all of it.*//' | tr '\n' '|')" \
  '  C tests: padding batch|  Swift tests: rounds(path:)|'
contains "where all of it is" "$work/out" "(all of it: $LOGS/c.log)"

[ "$checks" -ge 25 ] || fail "only $checks checks"
echo "suites: $checks checks"
