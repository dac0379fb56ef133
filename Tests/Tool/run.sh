#!/bin/sh
# Tests the tool `keyboard` as a person and a shell use it: its pad in its own terminal, its commands in pipes.
#
#     sh Tests/Tool/run.sh KEYBOARD       SEED=n repeats a failed run, whose seed was printed
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
keyboard=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Two at a time, the longest first: they wait for processes and terminals. What failed is shown last.
status=0
for program in migrate sealing passcodes pad commands vault_passcodes payments fido vault keys completions opaque \
  manual; do
  printf '%s\n' "$program"
done | xargs -P 2 -I '{}' sh -c '
  python3 "$1/$2.py" "$3" >"$4/$2" 2>&1 || { mv "$4/$2" "$4/$2.failed"; exit 1; }
  cat "$4/$2"' sh "$here" '{}' "$keyboard" "$work" || status=1
[ "$status" -eq 0 ] || cat "$work"/*.failed
exit "$status"
