#!/bin/sh
# The C programs under gcc's address and undefined-behaviour sanitizers, leaks included. The libraries that need no
# Swift runtime are compiled for the address sanitizer too, so that their own reads and writes are checked.
#
#     sh Tests/Evidence/sanitizers-c.sh BUILD_DIR          needs libssl-dev and libgcrypt20-dev; two minutes
#
# Tests/Table/rows.py says which programs run here.
#
# make check: 400 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
# As in Tests/Table/run.py.
ASAN_OPTIONS=use_sigaltstack=0
export ASAN_OPTIONS

scratch=$root/.build/c-asan
target=$("${SWIFT}c" -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -1)
resources=$("${SWIFT}c" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')

# A library as one object.
build_object() { # product, object
  env -u CC -u CXX CUSTOM_KEYBOARD_C_LIBRARY=1 "$SWIFT" build --package-path "$root" -c release -j "$JOBS" \
    --scratch-path "$scratch" --product "$1C" -Xswiftc -sanitize=address -Xcc -DKEYBOARD_CHECKED_COPIES \
    -Xswiftc -Xfrontend -Xswiftc -function-sections >"$work/log" 2>&1 ||
    fail "$1 cannot be built for the address sanitizer" "$work/log"
  ld -r -u "$1_version" -o "$work/$2" --whole-archive "$scratch/release/lib$1C.a" \
    --no-whole-archive "$resources/embedded/$target/libswiftUnicodeDataTables.a" &&
    objcopy --wildcard --keep-global-symbol="$1_*" "$work/$2" || fail "$1 cannot be linked"
  nm "$work/$2" | grep -q __asan_report_store1 || fail "$1 was not compiled for the address sanitizer"
}
build_object CustomKeyboard library.o
build_object CustomVault vault.o
build_object CustomFido fido.o

sanitized="-std=c11 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all
  -fno-omit-frame-pointer -I$root/Include -I$clients"
compile() { # program
  # shellcheck disable=SC2086
  "$CC" $sanitized -o "$work/$1" "$clients/$1.c" "$work/library.o" -pthread -lmbedcrypto -lcrypto -largon2 -lgcrypt \
    -lm ||
    fail "$1.c does not compile"
}

# The faults that planted.c names are found, in the library where they happen there; except the one that these
# sanitizers cannot see.
compile planted
"$work/planted" none >"$work/out" 2>&1 || fail "the sanitizers report an error where there is none" "$work/out"
is_found() { # fault report
  ! "$work/planted" "$1" >"$work/out" 2>&1 && grep -q "$2" "$work/out" || return 1
  case $1 in
    read | write | freed) grep -q '#[0-9]* .*CustomKeyboard' "$work/out" ;; # in the library
  esac
}
find_planted uninitialised <<'END'
read heap-buffer-overflow
write heap-buffer-overflow
freed heap-use-after-free
overflow signed integer overflow
leak LeakSanitizer
END

# The vault's programs, with both libraries shared.
"$CC" -shared -o "$work/libcustomkeyboard.so" "$work/library.o" -lmbedcrypto &&
  "$CC" -shared -o "$work/libcustomvault.so" "$work/vault.o" -L"$work" -lcustomkeyboard -lmbedcrypto -lsqlite3 ||
  fail "the shared libraries cannot be linked"
table sanitizers "$build" "$work" >"$work/out" 2>&1 || fail "see below" "$work/out"
cat "$work/out"
ran=$(in_all sanitizers 1) checks=$(in_all sanitizers 2)
# Each call of each header. The FIDO client's need all three libraries.
"$CC" -shared -o "$work/libcustomfido.so" "$work/fido.o" -L"$work" -lcustomvault -lcustomkeyboard -lmbedcrypto ||
  fail "the FIDO client's library cannot be linked"
for product in keyboard vault fido; do
  program=calls-$product
  # shellcheck disable=SC2086
  "$CC" $sanitized "-D$(echo $product | tr a-z A-Z)_CALLS" -o "$work/$program" "$clients/calls.c" -L"$work" \
    -lcustomfido -lcustomvault -lcustomkeyboard -Wl,-rpath,"$work" || fail "calls.c does not compile for $product"
  "$work/$program" "$root/Include/custom_$product.h" $program >"$work/out" 2>&1 || fail "$program" "$work/out"
  tail -n 1 "$work/out"
  checks=$((checks + $(tail -n 1 "$work/out" | sed -n "s/^$program: \([0-9]*\) checks\$/\1/p")))
  ran=$((ran + 1))
done
# The FIDO client again, with a server in Python, which is not compiled for the sanitizer: its runtime is loaded first,
# and leaks are not looked for.
LD_PRELOAD=$("$CC" -print-file-name=libasan.so) ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 LD_LIBRARY_PATH=$work \
  python3 -B "$clients/fido_server.py" "$work" >"$work/out" 2>&1 || fail fido_server.py "$work/out"
tail -n 1 "$work/out"
claim "C programs and libraries: clean under address, undefined and leak sanitizers" \
  "$ran programs, $(grouped "$checks") checks"
claim "those sanitizers find the planted faults, in the library too" "$found of $planted faults"
