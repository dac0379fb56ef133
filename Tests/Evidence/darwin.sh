#!/usr/bin/env bash
# The frameworks for iPhones: their code, run here, with more repetitions than `make test-darwin` makes. A loader
# (Tests/Darwin) maps the libraries and programs of Tests/C as Mach-O, with pages of 16 KB, and takes the place of
# libSystem; qemu is the processor. Some also run with something broken, and must fail. (ios.sh looks at the files.)
#
#     bash Tests/Evidence/darwin.sh BUILD_DIR     CLAIMS from the environment
#
# The library for arm64 Linux is built too, and instructions are compared with it (counted.py).
#
# This shows what the code does. It cannot show what Apple's kernel, its dynamic linker, Xcode and a phone do.
#
# make check: 700 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
env -u MAKEFLAGS -u MAKELEVEL THOROUGH=1 make --no-print-directory LOGS="$work" test-darwin
tail -n 2 "$work/darwin.log" | sed -n 's/^phones, in all \([0-9]*\) runs, \([0-9]*\) checks$/\2 checks in \1 runs/p' \
  >"$work/counted"
broken=$(sed -n 's/^\([0-9]*\) things broken, and noticed$/\1/p' "$work/darwin.log")
printf '%s\t%s\t%s\n' \
  "iPhones' code, emulated: C tests of all products with pages of 16 KB; residue, registers, stacks; DIT" \
  "$(sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta' "$work/counted"); $broken things broken, and noticed" \
  Tests/Evidence/darwin.sh >>"${CLAIMS:-/dev/null}"
cat "$work/counted"

# Not slower than on arm64 Linux, in instructions.
env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory TARGET=aarch64-linux-gnu BUILD="$1/aarch64-linux-gnu"
python3 -B Tests/Darwin/counted.py "$1"
printf '%s\t%s\t%s\n' "iPhones' code takes as many instructions a call as that for arm64 Linux" \
  "5 calls, within 1 percent" Tests/Darwin/counted.py >>"${CLAIMS:-/dev/null}"
