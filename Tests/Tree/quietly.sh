#!/bin/sh
# Runs a suite of tests and prints one line about it. The suite's whole output goes to LOGS/NAME.log. If it fails, the
# failing tests and the end of the log are shown: at once, or by --summary if TOGETHER says that suites run at the same
# time. Then the whole line is printed at the suite's end, and a failure is told by --summary alone, so that the others
# go on; unless it is NEEDED by others.
#
#     LOGS=DIRECTORY [TOGETHER=yes] [NEEDED=yes] sh Tests/Tree/quietly.sh TITLE NAME COMMAND [ARGUMENT …]
#     LOGS=DIRECTORY sh Tests/Tree/quietly.sh --summary NAME …   what failed, or swift-testing's closing lines
#
# SPDX-License-Identifier: Apache-2.0
set -u
LOGS=${LOGS:?the directory of the logs} TOGETHER=${TOGETHER:-}
mkdir -p "$LOGS" || exit 1

closing_lines() { grep -h 'Test run with [0-9]* tests\{0,1\} in [0-9]* suites\{0,1\} passed' "$@" 2>/dev/null; }

if [ "$1" = --summary ]; then
  shift
  suites=$*
  set -- "$LOGS"/*.failed
  if [ -e "$1" ]; then
    cat "$@"
    echo
    echo "Failed:"
    for report in "$@"; do sed -n '1s/^==== /  /p' "$report"; done
    exit 1
  fi
  for name in $suites; do
    [ -e "$LOGS/$name.log" ] || { echo "quietly: the suite $name did not run" >&2; exit 1; }
    [ "$name" != swift ] || closing_lines "$LOGS/$name.log"
  done
  echo "All tests passed."
  exit 0
fi

title=$1 name=$2 log=$LOGS/$2.log failed=$LOGS/$2.failed
shift 2
rm -f "$failed"
[ -n "$TOGETHER" ] || printf '%s ... ' "$title"
begun=$(date +%s)
"$@" </dev/null >"$log" 2>&1
status=$?
seconds=$(($(date +%s) - begun))

sum() { awk '{n += $1} END {print n + 0}'; }

# "140 tests passed", or the sum of all lines "name: 12 checks".
counted() {
  tests=$(closing_lines "$log" | sed -n 's/.*Test run with \([0-9]*\) tests\{0,1\} .*/\1/p' | sum)
  checks=$(sed -n 's/^[^:]*:[a-z ]* \([0-9]*\) checks.*/\1/p' "$log" | sum)
  if [ "$tests" -gt 0 ]; then
    printf '%s tests passed' "$tests"
  elif [ "$checks" -gt 0 ]; then
    printf '%s checks passed' "$checks"
  else
    printf 'done'
  fi
}

# For each issue, Swift tests print a line and then the inputs, far above the end of the log. The first three issues of
# each test are shown, cut to a readable width.
issues() {
  awk '
    /^✘ Test .* recorded an issue/ {test = $0; sub(/ recorded an issue.*/, "", test); on = ++n[test] <= 3}
    /^✘ Test .* recorded an issue/ || /^↳/ {if (on) print; next}
    {on = 0}' "$log" | cut -c 1-400
}

# The names of the failed tests, as swift-testing and the C tests print them.
names() {
  sed -n -e 's/^✘ Test \(.*\) failed after .*/\1/p' -e 's/^.*: failed: *\(.*\)$/\1/p' "$log" | grep -v '^run with' |
    sed 's/ with [0-9]* test cases$//' | sort -u
}

outcome() {
  line="$1 in $seconds s"
  [ -n "$TOGETHER" ] && line="$title ... $line"
  echo "$line"
}

if [ "$status" -eq 0 ]; then
  outcome "$(counted)"
  exit 0
fi
outcome FAILED
{
  echo "==== $title: $(names | tr '\n' ' ')(all of it: $log)"
  if grep -q '^✘ Test .* recorded an issue' "$log"; then
    issues
  else
    grep -E '(^|[^a-zA-Z])error: ' "$log" | sort -u | head -n 20
    grep -A 15 ': FAILED' "$log" | head -n 60 | cut -c 1-400
    echo "---- the end of $log"
    tail -n 40 "$log" | cut -c 1-400
  fi
} >"$failed"
[ -n "$TOGETHER" ] || cat "$failed" >&2
[ -n "$TOGETHER" ] && [ -z "${NEEDED:-}" ] && exit 0
exit 1
