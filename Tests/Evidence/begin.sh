# Start of every check written in sh: directories, a temporary directory that is removed at the end, functions for
# claims, and the paths of SM4 that this processor has.
#     . "$(dirname "$0")/begin.sh"          with BUILD_DIR as the script's first argument
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
set -u
name=$(basename "$0" .sh)
check=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$check/../.." && pwd)
clients=$root/Tests/C
vectors=$root/Tests/Vectors
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd) || exit 1
CC=${CC:-gcc} SWIFT=${SWIFT:-swift} JOBS=${JOBS:-2} CLAIMS=${CLAIMS:-/dev/null}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

flags="-std=c11 -O2 -g -Wall -Wextra -Wpedantic -Werror -I$root/Include -I$clients"
static="$build/libcustomkeyboard.a -lmbedcrypto"
shared="-L$build -lcustomkeyboard -Wl,-rpath,$build"

# Runs rows of the table of tests; see Tests/Table/run.py.
table() { python3 -B "$root/Tests/Table/run.py" "$@"; }
# The runs and checks that it tells in its last line, after "NAME, in all".
in_all() { sed -n "s/^$1, in all \([0-9]*\) runs, \([0-9]*\) checks\$/\\$2/p" "$work/out"; } # name, 1 or 2

fail() { # why [file whose end to show]
  echo "$name: $1" >&2
  [ $# -lt 2 ] || tail -n 60 "$2" >&2
  exit 1
}

# The tree's own make, with its own number of jobs; and what a target makes, which is the same when it is made again.
unset MAKEFLAGS MAKELEVEL MFLAGS
made() { # target variables…
  make -C "$root" "$@" CC="$CC" SWIFT="$SWIFT" JOBS="$JOBS" >"$work/log" 2>&1 || fail "make $*" "$work/log"
}
made_twice() { # target, files in build
  for time in first second; do
    made "$1"
    # shellcheck disable=SC2086
    (cd "$root/build" && sha256sum $2) >"$work/$time"
  done
  cmp "$work/first" "$work/second" || fail "make $1 gives other files the second time"
}

# Reads lines "FAULT REPORT". `is_found` must find each fault that planted.c names, but for one that no such tool sees.
find_planted() { # that one
  planted=$(sed -n 's/.*strcmp(fault, "\(.*\)").*/\1/p' "$clients/planted.c" | grep -cvx "none\|$1")
  found=0
  while read -r fault report; do
    if is_found "$fault" "$report"; then
      found=$((found + 1))
      echo "planted and found: $fault"
    else
      echo "planted and not found where it is: $fault" >&2
      tail -n 20 "$work/out" >&2
    fi
  done
  [ "$found" -eq "$planted" ] || fail "$found of $planted planted faults were found"
}

# Prints a line of the driver's table: the claim, its cases, and the files that prove it (this script if not given).
claim() { # claim cases [files]
  printf '%s\t%s\t%s\n' "$1" "$2" "${3:-Tests/Evidence/$name.sh}" >>"$CLAIMS"
  echo "proved: $1 ($2)"
}

# 1234567 as 1,234,567.
grouped() { printf '%s' "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/' -e 'tagain'; }

# The paths that the processor has. If told to use another, the library takes its best one.
has() { grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' | grep -qx "$1"; }
paths=portable
if has aes && has avx2; then paths="$paths aesni"; fi
if has gfni && has avx2; then paths="$paths gfni256"; fi
if has gfni && has avx512bw && has avx512vl; then paths="$paths gfni512"; fi
