#!/bin/sh
# Two threads create, type, getText, decrypt and destroy for a minute: no error, every ciphertext as OpenSSL makes it,
# and resident memory does not grow. Then the process forks while they continue; each child makes rounds of its own.
#
#     sh Tests/Evidence/load.sh BUILD_DIR [SECONDS [SECONDS_OF_FORKS]]          CC, CLAIMS, SEED from the environment
#
# make check: 80 seconds
#
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd) || exit 1
root=$here/../..
load=${2:-60} forks=${3:-15}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

${CC:-gcc} -std=c11 -O2 -Wall -Wextra -Werror -I"$root/Include" -I"$root/Tests/C" -o "$work/load" "$here/load.c" \
  -pthread -L"$build" -lcustomkeyboard -lcrypto -Wl,-rpath,"$build" ||
  { echo "load: it does not compile" >&2; exit 1; }
"$work/load" "$load" "$forks" >"$work/out" || { cat "$work/out"; echo "load: see above" >&2; exit 1; }
cat "$work/out"

number() { sed -n "s/^$1 \([0-9]*\)$/\1/p" "$work/out"; }
resident() { sed -n "s/^$1: \([0-9]*\) KB resident.*/\1/p" "$work/out"; }
claim() { # claim, cases
  printf '%s\t%s\t%s\n' "$1" "$2" Tests/Evidence/load.sh >>"${CLAIMS:-/dev/null}"
}
claim "two threads for $load s: no error, every ciphertext is OpenSSL's" "$(number rounds) keyboards"
claim "and resident memory does not grow" "$(resident early) KB early, $(resident late) KB late"
claim "forks while two threads work: the child does whole rounds, nothing hangs" \
  "$(number forks) forks, $(number 'child rounds') rounds"
