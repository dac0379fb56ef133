#!/bin/sh
# What the build prints if mbedTLS is missing or is a version without DES: one sentence, and what to install.
#
#     sh mbedtls.sh WORK_DIR          CLANG from the environment
#
# SPDX-License-Identifier: Apache-2.0
set -eu
shim=$(cd "$(dirname "$0")/../../Sources/CKeyboardMbedTLS" && pwd)/mbedtls.h
work=$1/mbedtls
checks=0

expect() { # words compiler-arguments…
  words=$1
  shift
  if said=$("$CLANG" -fsyntax-only "$@" -x c "$shim" 2>&1); then
    echo "mbedtls.sh: compiled, though it should say '$words'" >&2
    exit 1
  fi
  case $said in
    *"$words"*) checks=$((checks + 1)) ;;
    *) printf "mbedtls.sh: '%s' expected in:\n%s\n" "$words" "$said" >&2 && exit 1 ;;
  esac
}

mkdir -p "$work/nothing" "$work/four/mbedtls"
echo '#define MBEDTLS_VERSION_MAJOR 4' >"$work/four/mbedtls/version.h"
: >"$work/four/mbedtls/des.h"
expect 'apt-get install libmbedtls-dev' --sysroot="$work/nothing"
expect 'Install mbedTLS 2.28 or 3.6' -I"$work/four"

if make -s -C "$(dirname "$shim")/../.." setup CC="cc -I$work/four" >"$work/out" 2>&1; then
  echo "mbedtls.sh: make continued with mbedTLS 4" >&2 && exit 1
fi
grep -q 'mbedTLS 2.28 or 3.6 is needed' "$work/out" || { cat "$work/out" >&2 && exit 1; }
echo "mbedtls: $((checks + 1)) checks"
