#!/bin/sh
# Tests the library in WebAssembly, in Node, beside the native library. It prints one line for each test that passes,
# and the whole output of one that fails.
#
#     sh Tests/Web/run.sh BUILD_DIR ARCHIVE MBEDTLS
#
# BUILD_DIR has libcustomkeyboard.so and web/custom-keyboard.wasm. ARCHIVE and MBEDTLS are link.sh's: a module with all
# functions and one without wiping are linked here. From the environment: CC, CLANG and RESOURCES (of Swift's
# toolchain), SEED, and OPERATIONS, a million by default.
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$(cd "$1" && pwd) archive=$2 mbedtls=$3
CC=${CC:-cc} SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')} OPERATIONS=${OPERATIONS:-1000000}

for tool in node tsc "$CC" "$CLANG" wasm-opt python3; do
  command -v "$tool" >/dev/null || { echo "run.sh: $tool is needed and was not found" >&2; exit 1; }
done
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || {
  echo "run.sh: Node 18 or later is needed" >&2
  exit 1
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

page=$build/web/custom-keyboard.wasm
for variant in all unwiped; do
  sh "$root/mk/web/link.sh" "$work/$variant.wasm" "$archive" "$mbedtls" $variant
done
"$CC" -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Werror -I"$root/Include" -o "$work/native" "$here/native.c" -rdynamic \
  -L"$build" -lcustomkeyboard -Wl,-rpath,"$build"
"$CLANG" --target=wasm32-unknown-none-wasm -O2 -msimd128 -ffreestanding -nostdlib -Wl,--no-entry,--import-memory \
  -Wl,--initial-memory=65536,-z,stack-size=0,--strip-all -o "$work/find.wasm" "$here/find.c"

total=0
run() { # test arguments…
  name=$1
  shift
  node "$here/$name.mjs" "$@" >"$work/out" 2>&1 || {
    echo "$name: FAILED (status $?)" >&2
    cat "$work/out" >&2
    exit 1
  }
  count=$(sed -n '$s/^[^:]*: \([0-9]*\) checks$/\1/p' "$work/out")
  echo "$name, $count checks"
  total=$((total + count))
}

run messages
run bare
tsc -p "$here/Types" >"$work/out" 2>&1 || {
  echo "types: FAILED" >&2
  cat "$work/out" >&2
  exit 1
}
echo "types, 1 check"
total=$((total + 1))
run shape "$page" "$work/all.wasm"
run opaque "$page" "$work/all.wasm" "$work/unwiped.wasm" "$work/find.wasm"
run vectors "$work/all.wasm" "$work/native"
run limits "$page" "$work/all.wasm"
run depth "$work/unwiped.wasm"
run hostile "$page" 100000 "$SEED"
run hostile "$work/all.wasm" 100000 "$SEED"
run sealing "$work/all.wasm" "$work/unwiped.wasm" "$work/find.wasm"
run planted "$work/unwiped.wasm" "$work/find.wasm" "$SEED"
run alike "$work/all.wasm" "$work/native" "$work/find.wasm" "$OPERATIONS" "$SEED"
echo "web: $total checks, seed $SEED"
