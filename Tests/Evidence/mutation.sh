#!/bin/sh
# Bugs of eleven kinds, planted one after another in a copy of the tree (mutants.py), and whether the suite catches
# each: it fails if one survives, or if one can no longer be planted. Not a part of `make check`, whose tests it tests.
#
#     sh Tests/Evidence/mutation.sh BUILD_DIR [--only NUMBER …] [--list]          a quarter of an hour; needs valgrind
#
# The table is left as BUILD_DIR/check/mutation.md.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
shift
unset MAKEFLAGS MAKELEVEL MFLAGS # the copy's make takes its own number of jobs
export CC SWIFT JOBS
mkdir -p "$build/check" && python3 "$check/mutation.py" "$root" "$work" "$build/check/mutation.md" "$@"
