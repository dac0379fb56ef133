#!/bin/sh
# The C programs under valgrind's memcheck, on the two paths of SM4 that valgrind can execute: no error, no byte lost,
# no decision that depends on uninitialised memory. Loops with many rounds run twenty times fewer (LESS in check.h).
#
#     sh Tests/Evidence/memcheck.sh BUILD_DIR          needs valgrind, libssl-dev, libgcrypt20-dev; 25 minutes
#
# Tests/Table/rows.py says which programs run here.
#
# make check: 1500 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

compile() { # program
  # shellcheck disable=SC2086
  "$CC" $flags -O1 -DLESS=20 -o "$work/$1" "$clients/$1.c" $static -lcrypto -largon2 -lgcrypt -lm -ldl -pthread ||
    fail "$1.c does not compile"
}
leaks=definite,indirect,possible
memcheck() { # path program arguments…
  path=$1
  shift
  CUSTOM_KEYBOARD_SM4=$path valgrind -q --fair-sched=yes --max-stackframe=70000 --leak-check=full --error-exitcode=99 \
    --errors-for-leak-kinds=$leaks "$@" >"$work/out" 2>&1
}

# The faults that planted.c names, except the one that valgrind cannot see.
compile planted
memcheck portable "$work/planted" none || fail "valgrind reports an error where there is none" "$work/out"
is_found() { # fault report
  memcheck portable "$work/planted" "$1"
  [ $? -eq 99 ] && grep -q "$2" "$work/out" || return 1
  [ "$1" = leak ] || grep -q 'by 0x.*CustomKeyboard' "$work/out" # in the library
}
find_planted overflow <<'END'
read Invalid read
write Invalid write
freed Invalid read
uninitialised Conditional jump or move depends on uninitialised
leak definitely lost
END

case $paths in
  *aesni*) ;;
  *) fail "this processor has no AES-NI, and that path must be checked" ;;
esac
table valgrind "$build" >"$work/out" 2>&1 || fail "see below" "$work/out"
cat "$work/out"
runs=$(in_all valgrind 1) checks=$(in_all valgrind 2)
leaks=none # a forked child has lost SQLite's memory
# Each call of the vault's header and of the FIDO client's.
for product in vault fido; do
  program=calls-$product
  # shellcheck disable=SC2086
  "$CC" $flags -O1 "-D$(echo $product | tr a-z A-Z)_CALLS" -o "$work/$program" "$clients/calls.c" -L"$build" \
    -lcustomfido -lcustomvault -lcustomkeyboard -Wl,-rpath,"$build" || fail "calls.c does not compile for $product"
  memcheck portable "$work/$program" "$root/Include/custom_$product.h" $program || fail "$program" "$work/out"
  tail -n 1 "$work/out"
  checks=$((checks + $(tail -n 1 "$work/out" | sed -n "s/^$program: \([0-9]*\) checks\$/\1/p")))
  runs=$((runs + 1))
done
claim "C programs under valgrind: no error, no leak, on the portable and AES-NI paths" \
  "$runs runs, $(grouped "$checks") checks"
claim "valgrind finds the planted faults" "$found of $planted faults"
