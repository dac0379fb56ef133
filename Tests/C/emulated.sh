#!/bin/sh
# Runs the library on processors other than this machine's: with no AVX, with AES but no AVX, with AVX2. On each it must
# choose a path that the processor has (no illegal instruction), and its results must be right. qemu has no GFNI or
# AVX-512.
#
#     sh Tests/C/emulated.sh BUILD_DIR          needs qemu-x86_64 (Debian: qemu-user) and OpenSSL's headers
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$(uname -m)" = x86_64 ] || { echo "processors: nothing to run on $(uname -m)"; exit 0; }

for program in differential padding; do
  "${CC:-cc}" -std=c11 -O2 -DLESS=20 -I"$here/../../Include" -I"$here" -o "$work/$program" \
    "$here/$program.c" -L"$build" -lcustomkeyboard -lcrypto -pthread -Wl,-rpath,"$build"
done

checks=0
for processor in qemu64 Nehalem Westmere SandyBridge Haswell Skylake-Client; do
  for program in differential padding; do
    qemu-x86_64 -cpu "$processor" "$work/$program" >"$work/out" 2>&1 || {
      echo "processors: $program fails on $processor" >&2
      cat "$work/out" >&2
      exit 1
    }
    checks=$((checks + 1))
  done
done
echo "processors: $checks runs"
