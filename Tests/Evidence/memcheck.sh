#!/bin/sh
# The C programs under valgrind's memcheck, on the two paths of SM4 that valgrind can execute: no error, no byte lost,
# no decision that depends on uninitialised memory. Loops with many rounds run twenty times fewer (LESS in check.h).
#
#     sh Tests/Evidence/memcheck.sh BUILD_DIR          needs valgrind, libssl-dev, libgcrypt20-dev; 25 minutes
#
# Some programs do not run here: residue.c, residue_touch.c and vault_residue.c search all memory for copies, and
# valgrind keeps its own; draws.c reads the stack below itself.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

programs="$programs pages"
of_paths="vectors padding differential differential_million batch hostile" # those whose result can depend on SM4's path

compile() { # program
  # shellcheck disable=SC2086
  "$CC" $flags -O1 -DLESS=20 -o "$work/$1" "$clients/$1.c" $static -lcrypto -largon2 -lgcrypt -lm -ldl -pthread ||
    fail "$1.c does not compile"
}
leaks=definite,indirect,possible
memcheck() { # path program arguments…
  path=$1
  shift
  # A secret stack may be less than 2 MB away from a thread's, which valgrind takes for one long frame, and all
  # in it for uninitialised. One program has a frame of 160 KB itself, and no thread.
  case ${1##*/} in
    sealed_arguments) frames= ;;
    *) frames=--max-stackframe=70000 ;;
  esac
  # shellcheck disable=SC2086
  CUSTOM_KEYBOARD_SM4=$path valgrind -q --fair-sched=yes $frames --leak-check=full --error-exitcode=99 \
    --errors-for-leak-kinds=$leaks "$@" >"$work/out" 2>&1
}

# The faults that planted.c names, except the one that valgrind cannot see.
planted=$(sed -n 's/.*strcmp(fault, "\(.*\)").*/\1/p' "$clients/planted.c" | grep -cvx 'none\|overflow')
found=0
compile planted
memcheck portable "$work/planted" none || fail "valgrind reports an error where there is none" "$work/out"
is_found() { # fault report
  memcheck portable "$work/planted" "$1"
  [ $? -eq 99 ] && grep -q "$2" "$work/out" || return 1
  [ "$1" = leak ] || grep -q 'by 0x.*CustomKeyboard' "$work/out" # in the library
}
while read -r fault report; do
  if is_found "$fault" "$report"; then
    found=$((found + 1))
    echo "planted and found: $fault"
  else
    echo "planted and not found where it is: $fault" >&2
    tail -n 20 "$work/out" >&2
  fi
done <<'END'
read Invalid read
write Invalid write
freed Invalid read
uninitialised Conditional jump or move depends on uninitialised
leak definitely lost
END
[ "$found" -eq "$planted" ] || fail "$found of $planted planted faults were found"

runs=0 checks=0
run() { # path program
  case $2 in
    vectors) arguments=$vectors ;;
    fork_inside) arguments=$root/Include/custom_keyboard.h ;;
    cancel) arguments="$root/Include/custom_keyboard.h 5" ;;
    monte_carlo) arguments="$vectors 1 0" ;;
    differential_million) arguments=1000 ;;
    pages | two_copies) arguments=$build/libcustomkeyboard.so ;;
    *) arguments='' ;;
  esac
  # shellcheck disable=SC2086
  memcheck "$1" "$work/$2" $arguments || fail "$2 on the $1 path" "$work/out"
  echo "$1 path: $(tail -n 1 "$work/out")"
  checks=$((checks + $(tail -n 1 "$work/out" | sed -n "s/^$2: \([0-9]*\) checks\$/\1/p")))
  runs=$((runs + 1))
}
for program in $programs; do
  compile "$program"
  run portable "$program"
done
case $paths in
  *aesni*) for program in $of_paths; do run aesni "$program"; done ;;
  *) fail "this processor has no AES-NI, and that path must be checked" ;;
esac
# The vault's, with both libraries shared. The programs that they start run without valgrind. A forked child has lost
# SQLite's memory, because a fork empties the vault's own; sanitizers-c.sh finds leaks elsewhere.
leaks=none
for program in $vault_programs; do
  # shellcheck disable=SC2086
  "$CC" $flags -O1 -DLESS=20 -o "$work/$program" "$clients/$program.c" -pthread -L"$build" -lcustomvault \
    -lcustomkeyboard -lsqlite3 -ldl -Wl,-rpath,"$build" || fail "$program.c does not compile"
  # shellcheck disable=SC2046
  memcheck portable "$work/$program" $(vault_arguments "$program" 10) || fail "$program" "$work/out"
  tail -n 1 "$work/out"
  checks=$((checks + $(tail -n 1 "$work/out" | sed -n "s/^$program: \([0-9]*\) checks\$/\1/p")))
  runs=$((runs + 1))
done
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
  "$runs runs, $(grouped $checks) checks"
claim "valgrind finds the planted faults" "$found of $planted faults"
