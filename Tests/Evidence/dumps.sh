#!/bin/sh
# Core dumps hold no password, no key and no key schedule, at whatever point of a keyboard's life the process dies. A
# living process finds none in its own memory at these points, nor does the child of a fork. Some processes die in the
# middle of getText and decrypt, because their space is not writable. (Tests/C/fork_between.c searches what a fork in
# the middle copies, which is what a dump has, for the secrets of sealed texts and signatures.) The kernel writes the
# dumps if it writes them into the current directory
# (/proc/sys/kernel/core_pattern); otherwise gdb does, which obeys the same marks. The generator's key and the order of
# the keys are secrets too. The process runs twice: bound at start, and bound lazily.
#
#     sh Tests/Evidence/dumps.sh BUILD_DIR          CC, CLAIMS, SEED from the environment; needs gdb
#
# make check: 140 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

command -v gdb >/dev/null || fail "gdb is needed but was not found"
compile() { # program source options…
  program=$1 source=$2
  shift 2
  for binding in now lazy; do
    # shellcheck disable=SC2086
    "$CC" $flags -fno-builtin -I"$check" -o "$work/$program-$binding" "$check/$source.c" "-L$build" "$@" $shared \
      -ldl "-Wl,-z,$binding" || fail "$source.c does not compile for $program"
  done
}
compile dumps dumps -lmbedcrypto
# The vault's, and those of a FIDO client on it, at random moments.
compile dumps_vault dumps_vault -lcustomvault -lsqlite3 -lcrypto
compile dumps_fido dumps_vault -DFIDO_SECRETS -lcustomfido -lcustomvault -lsqlite3 -lcrypto
program=dumps
unset LD_BIND_NOW

# Each run has an empty directory.
run() { # binding what [environment]
  binding=$1
  shift
  rm -rf "$work/empty"
  mkdir "$work/empty" && cd "$work/empty" || exit 1
  # shellcheck disable=SC2086
  env ${2:-} "$work/$program-$binding" $1 >"$work/out" || { cat "$work/out"; fail "see above ($program $1, bound $binding ${2:-})"; }
  sed "s/^/$program, $1, bound $binding ${2:+$2 }/" "$work/out"
  cat "$work/out" >>"$work/all"
}

by=kernel
case $(cat /proc/sys/kernel/core_pattern) in
'|'* | */* | '')
  echo "The kernel's dumps go elsewhere here ($(cat /proc/sys/kernel/core_pattern)): gdb writes all dumps."
  by=gdb-all
  ;;
esac
run now $by
run lazy ${by%-all}
run now ${by%-all} CUSTOM_KEYBOARD_SM4=portable
[ $by = gdb-all ] || run now gdb
sum() { awk -v name="$1" '$1 == name { n += $2 } END { print n }' "$work/all"; }
dumps=$(sum dumps) torn=$(sum torn) megabytes=$(sum megabytes)
: >"$work/all"
program=dumps_vault
run now "${by%-all} $([ $by = kernel ] && echo 200 || echo 40)"
run lazy "${by%-all} $([ $by = kernel ] && echo 200 || echo 40)"
[ $by = gdb-all ] || run now 'gdb 10'
vault_dumps=$(sum dumps) vault_megabytes=$(sum megabytes)
: >"$work/all"
program=dumps_fido
run now "${by%-all} $([ $by = kernel ] && echo 100 || echo 20)"
run lazy "${by%-all} $([ $by = kernel ] && echo 100 || echo 20)"
fido_dumps=$(sum dumps) fido_megabytes=$(sum megabytes)
: >"$work/all"
program=dumps
run now search
run lazy search
run now search CUSTOM_KEYBOARD_SM4=portable
run lazy search CUSTOM_KEYBOARD_SM4=portable
searched=$(awk '$1 == "searched:" { n += $2 } END { print n }' "$work/all")

# If nothing is wiped, or if secrets are dumped like other memory, the search must fail.
planted=0
sabotage() { # what is taken away, what must notice it
  "$CC" -std=gnu11 -O2 -Wall -Wextra -Werror -D"$1" -shared -fPIC -o "$work/sabotage.so" "$check/sabotage.c" ||
    fail "the sabotage does not compile"
  rm -rf "$work/empty"
  mkdir "$work/empty" && cd "$work/empty" || exit 1
  LD_PRELOAD=$work/sabotage.so "$work/dumps-now" "$2" >"$work/planted" 2>&1 && fail "$1 was not noticed by dumps $2"
  grep -q 'checks failed' "$work/planted" || { cat "$work/planted"; fail "$1 was noticed for another reason"; }
  echo "$1 noticed: $(grep 'checks failed' "$work/planted")"
  planted=$((planted + 1))
}
sabotage NO_WIPE search
sabotage NO_ADVICE ${by%-all}

claim "core dumps between calls hold no password, key, round key, DES subkey, generator's key or shuffle" \
  "$((dumps - torn)) dumps, $megabytes MB"
claim "nor do core dumps in the middle of getText or decrypt, with a bad space" "$torn dumps"
claim "core dumps in the middle of a vault's calls, and after them, hold no key, name, data, passcode or words" \
  "$vault_dumps dumps, $vault_megabytes MB"
claim "core dumps in the middle of a FIDO client's calls, and after them, hold no private key, passcode or its key" \
  "$fido_dumps dumps, $fido_megabytes MB"
claim "memory holds none of these after each kind of error, in callbacks, in the child of a fork" "$searched checks"
claim "without wiping, or with locked pages dumped, these searches find secrets" "$planted sabotages noticed"
