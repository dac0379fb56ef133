#!/bin/sh
# Guard pages: a process that reads or writes one byte before or after the memory for secrets dies; one that touches the
# first or last byte inside lives.
#
#     sh Tests/Evidence/guards.sh BUILD_DIR          CC, CLAIMS from the environment
#
# make check: 1 seconds
#
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd) || exit 1
root=$here/../..
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

${CC:-gcc} -std=c11 -O2 -Wall -Wextra -Werror -I"$root/Include" -I"$root/Tests/C" -o "$work/guards" \
  "$here/guards.c" -pthread -L"$build" -lcustomkeyboard -Wl,-rpath,"$build" ||
  { echo "guards: it does not compile" >&2; exit 1; }
"$work/guards" >"$work/out" || { cat "$work/out"; echo "guards: see above" >&2; exit 1; }
cat "$work/out"
# Without guards the program must fail, because the same touches kill no process.
${CC:-gcc} -std=gnu11 -O2 -Wall -Wextra -Werror -DNO_GUARDS -shared -fPIC -o "$work/sabotage.so" "$here/sabotage.c" ||
  exit 1
LD_PRELOAD=$work/sabotage.so "$work/guards" >"$work/planted" 2>&1 &&
  { echo "guards: that there were none was not noticed" >&2; exit 1; }
grep 'checks failed' "$work/planted" || { cat "$work/planted"; exit 1; }
echo "as they must where the guards are taken away"

count() { sed -n "s/^$1 //p" "$work/out"; }
printf '%s\t%s\t%s\n' "a byte before or past secret memory, read or written, kills; inside it does not" \
  "$(count deaths) deaths, $(count lives) lives" Tests/Evidence/guards.sh >>"${CLAIMS:-/dev/null}"
