#!/bin/sh
# The driver itself: a check that fails, hangs, proves nothing, or is stopped must not pass, and no
# process that a check has started may outlive it.
#
#     sh Tests/Evidence/driver.sh BUILD_DIR          ten seconds
#
# make check: 10 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

checks=$work/tree/Tests/Evidence
mkdir -p "$checks" "$work/build"
cp "$check/run.py" "$checks"
: >"$work/build/libcustomkeyboard.so"
make_check() { # name seconds commands
  printf '# make check: %s seconds\n%s\n' "$2" "$3" >"$checks/$1.sh"
}
# shellcheck disable=SC2016
make_check good 1 'printf "a claim\t3 cases\there\n" >>"$CLAIMS"'
# shellcheck disable=SC2016
make_check lying 1 'printf "a false claim\t3 cases\there\n" >>"$CLAIMS"; echo the reason; exit 3'
make_check silent 1 'exit 0'
make_check hanging 1 "sleep 31415 & sleep 31415"
# shellcheck disable=SC2016
make_check leaving 1 'sleep 27182 & printf "another claim\t1 case\tthere\n" >>"$CLAIMS"'

drive() { python3 "$checks/run.py" --lanes 3 "$work/build" "$@" >"$work/out" 2>&1; }
cases=0
expect() { # what status
  [ "$status" -eq "$2" ] || fail "$1: status $status and not $2" "$work/out"
  cases=$((cases + 1))
}
has() { grep -q "$1" "$work/out" || fail "the driver does not say: $1" "$work/out"; }
gone() { # seconds of a sleep that no other process uses
  for process in /proc/[0-9]*/cmdline; do
    tr '\0' ' ' 2>/dev/null <"$process" | grep -q "^sleep $1 " && fail "a process was left: sleep $1"
  done
  cases=$((cases + 1))
}

drive --only good leaving
status=$?
expect "two that pass" 0
has 'a claim .*3 cases .*here .*PASS' && has '2 claims proved by 2 of 2 checks'
gone 27182
for bad in lying silent hanging; do
  drive --only good "$bad"
  status=$?
  expect "$bad" 1
  has "FAILED: $bad" && has '1 claims proved by 1 of 2 checks'
  grep -q 'a false claim' "$work/out" && fail "a failed check's claim is shown" "$work/out"
  grep -q '\*\*FAILED\*\*' "$work/build/check/claims.md" || fail "claims.md says nothing of $bad"
  case $bad in lying) has '| the reason' ;; esac
done
gone 31415
drive --only unknown
status=$?
expect "one that is not known" 2

# Interrupted, as by Ctrl-C.
python3 "$checks/run.py" "$work/build" --only hanging >"$work/out" 2>&1 &
driver=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q started "$work/out" && break || sleep 0.2; done
sleep 0.5
kill -TERM $driver
wait $driver
status=$?
expect "stopped" 130
gone 31415

# The table in Evidence.md changes only if all checks ran and passed.
page() { sed -n '/^<!-- claims -->$/,/^<!-- .claims -->$/p' "$work/Evidence.md"; }
printf 'Before.\n<!-- claims -->\nold\n<!-- /claims -->\nAfter.\n' >"$work/Evidence.md"
cp "$work/Evidence.md" "$work/unchanged"
drive --page "$work/Evidence.md" --only good leaving
status=$?
expect "a part of the checks" 0
cmp -s "$work/Evidence.md" "$work/unchanged" || fail "a part of the checks changed the page of evidence"
rm "$checks/silent.sh" "$checks/hanging.sh"
drive --page "$work/Evidence.md"
status=$?
expect "all checks, and one fails" 1
cmp -s "$work/Evidence.md" "$work/unchanged" || fail "a run that failed changed the page of evidence"
rm "$checks/lying.sh"
drive --page "$work/Evidence.md"
status=$?
expect "all checks pass" 0
page | grep -q '^| a claim | 3 cases | `here` |$' ||
  fail "the page of evidence does not have the claim" "$work/Evidence.md"
page | grep -Eq '^Run of [0-9]{4}-[0-9]{2}-[0-9]{2}, commit .*, on [0-9]+ × .*Swift' ||
  fail "the page of evidence does not say when, what and where" "$work/Evidence.md"
page | grep -q old && fail "the page of evidence has the old table, too" "$work/Evidence.md"
[ "$(sed -n '1p;$p' "$work/Evidence.md" | tr '\n' ' ')" = 'Before. After. ' ] || fail "the rest of the page changed"
gone 27182

# With --continue, what has passed is repeated only if what is tested has changed.
cd "$work/tree" && mkdir Bindings Examples Include Sources mk && touch Makefile Package.swift
for folder in Bindings Examples Include Sources mk; do touch "$folder/file"; done
git() { command git -c user.name=test -c user.email=test@localhost "$@" >/dev/null; }
git init -q && git add -A && git commit -qm first
continues() { # what how many are repeated
  drive --continue --page "$work/Evidence.md"
  status=$?
  expect "$1" 0
  [ "$(grep -c started "$work/out")" -eq "$2" ] || fail "$1: not $2 checks repeated" "$work/out"
  has '2 claims proved by 2 of 2 checks'
}
continues "of another version" 2
continues "of the same version" 0
rm "$work/build/check/good.passed"
continues "one has not passed" 1
echo >>"$checks/good.sh" && git commit -qam second
rm "$work/build/check/leaving.passed"
continues "after another commit that changes a test" 1
commits=$(command git log -2 --abbrev=12 --format=%h | sort | tr '\n' ' ')
page | sed 's/ and / /' | grep -q "commits ${commits% }," ||
  fail "the page does not name both commits" "$work/Evidence.md"
echo >>Sources/file
continues "after a change of what is tested" 2
git commit -qam third
continues "after its commit" 2
drive --only good
status=$?
expect "without --continue" 0
has started

claim "make check fails when a check fails, hangs or proves nothing" "$cases cases"
