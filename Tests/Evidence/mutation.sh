#!/bin/sh
# Plants bugs of many kinds, one after another, in a copy of the tree (mutants.py), and checks that the suite catches
# each. It fails if a bug survives or can no longer be planted. It is not part of `make check`, because it tests the
# tests.
#
#     sh Tests/Evidence/mutation.sh BUILD_DIR [OPTION …]          those of mutation.py; all bugs take hours
#
# The table is left as BUILD_DIR/check/mutation.md. What was caught is kept in mutation.json beside it, for --continue.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
shift
export CC SWIFT JOBS
mkdir -p "$build/check" && python3 "$check/mutation.py" "$root" "$work" "$build/check/mutation.md" "$@"
