#!/bin/sh
# Builds the module in two copies of the tree, in folders of different names and depths, and compares them byte by byte.
#
#     sh Tests/Web/twice.sh          MAKE, JOBS and WEB_MBEDTLS from the environment
#
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL

for folder in one another/and-a-deeper/folder; do
  mkdir -p "$work/$folder/Tests"
  (cd "$root" && cp -a Makefile mk Package.swift Include Sources "$work/$folder/" &&
    cp -a Tests/Swift "$work/$folder/Tests/")
  "${MAKE:-make}" -C "$work/$folder" web JOBS="${JOBS:-2}" WEB_MBEDTLS="$WEB_MBEDTLS"
done
cmp "$work/one/build/web/custom-keyboard.wasm" "$work/another/and-a-deeper/folder/build/web/custom-keyboard.wasm"
# The control: a build that differs is noticed.
printf x | cat "$work/one/build/web/custom-keyboard.wasm" - >"$work/longer"
if cmp -s "$work/one/build/web/custom-keyboard.wasm" "$work/longer"; then
  echo "twice: a module with a byte more is taken for the same" >&2
  exit 1
fi
sha384sum "$work/one/build/web/custom-keyboard.wasm"
echo "twice: 2 checks"
