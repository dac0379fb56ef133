#!/bin/sh
# Makes something again in a copy of the tree, in a folder of another name and depth, and compares it byte by byte with
# what is in this one.
#
#     sh Tests/Tree/reproducible.sh TARGET PATH…          MAKE, JOBS and WEB_MBEDTLS from the environment
#
#     TARGET      of the Makefile, which was made here
#     PATH        what it makes, below the tree: a file or a folder
#
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL
other=$work/another/and-a-deeper/folder

mkdir -p "$other/Tests"
(cd "$root" && cp -a Makefile mk Package.swift LICENSE Include Sources "$other/" && cp -a Tests/Swift "$other/Tests/")
"${MAKE:-make}" -C "$other" "$target" JOBS="${JOBS:-2}" \
  WEB_MBEDTLS="${WEB_MBEDTLS:-$root/build/web/mbedtls}" >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && exit 1; }
cd "$root"
files=0
for path in "$@"; do
  diff -r "$path" "$other/$path" >&2
  files=$((files + $(find "$path" -type f | wc -l)))
  # The control: a file with a byte more is noticed.
  find "$other/$path" -type f | sort | tail -n 1 >"$work/last"
  printf x >>"$(cat "$work/last")"
  if diff -r "$path" "$other/$path" >/dev/null; then
    echo "reproducible: a file with a byte more is taken for the same" >&2
    exit 1
  fi
done
echo "reproducible: $files files of $target are the same in two folders"
