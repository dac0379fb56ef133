#!/bin/sh
# The example bank under its clients and its attackers: all of Examples/Bank/Tests.
#
#     sh Tests/Evidence/bank.sh BUILD_DIR          twenty minutes
#
# make check: 1500 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made bank-program
export KEYBOARD_LIBRARY="$build/libcustomkeyboard.so"
made bank-program STATIC=1
static=$root/.build/bank-static/release/bank
"$static" --help >/dev/null || fail "the bank with Swift's libraries inside does not start"
if ldd "$static" | grep swift; then fail "the bank with Swift's libraries inside needs others"; fi
sh "$root/Examples/Bank/Tests/run.sh" "$root/.build/bank/release/bank" --full >"$work/log" 2>&1 ||
  fail "the bank" "$work/log"
cat "$work/log"

count() { sed -n "s/^bank, $1: \([0-9]*\) checks$/\1/p" "$work/log"; }
proves() { # suite claim file
  [ -n "$(count "$1")" ] || fail "the suite '$1' counted nothing" "$work/log"
  claim "$2" "$(count "$1") checks" "$3"
}
proves protocol "the bank opens a text only for its own record of the challenge, once, and locks after five" \
  Examples/Bank/Tests/protocol.py
proves accounts "PINs are changed, locks grow, sessions end everywhere, and a key is replaced while people log in" \
  Examples/Bank/Tests/accounts.py
proves OPAQUE "by OPAQUE, eight processes get the tries that are allowed, a state is used once, sealed PINs move" \
  Examples/Bank/Tests/opaque.py
proves 'a recorded login' "in a recorded login by OPAQUE, no form of the PIN and no hash of it is found" \
  Examples/Bank/Tests/recorded.py
proves FIDO "a key logs in with a fresh challenge, its own app, text and counter, and with nothing else" \
  Examples/Bank/Tests/fido.py
proves operations "the bank refuses another master key, brings old tables up to date, and tells what it does" \
  Examples/Bank/Tests/operations.py
proves deploying "its unit, its container file, and its README's commands for backups and new keys, as written" \
  Examples/Bank/Tests/deploying.py
proves floods "strangers who want challenges, accounts or sessions delay no login, and addresses take turns" \
  Examples/Bank/Tests/floods.py
proves 'hostile requests' "the bank answers hostile requests and 100,000 fuzzed bodies with 4xx, each as it should" \
  Examples/Bank/Tests/hostile.py
proves 'slow clients' "the bank cuts slow clients off, and they stop nobody" Examples/Bank/Tests/slow.py
proves memory "no PIN in the bank's memory, log and database" Examples/Bank/Tests/memory.py
proves storm "10,000 logins on two servers that are killed: no challenge is used twice, no attempt is lost" \
  Examples/Bank/Tests/storm.py
proves cluster "three servers on one PostgreSQL, killed with it and without: others answer, and no attempt is lost" \
  Examples/Bank/Tests/cluster.py
proves table "the bank's figures are of logins that were right, with Argon2id and without" Examples/Bank/Tests/table.py
