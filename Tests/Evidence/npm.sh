#!/bin/sh
# The package for npm, in a node_modules of its own; two archives of one tree are the same.
#
#     sh Tests/Evidence/npm.sh BUILD_DIR          two minutes, if the module is built
#
# make check: 120 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made_twice npm "npm/*.tgz"
sh "$root/Tests/Bindings/npm.sh" "$root/build" >"$work/log" 2>&1 || fail "the package" "$work/log"
claim "the npm package has types for TypeScript and JSX, true hashes and no scripts, and what it seals is opened" \
  "$(sed -n 's/^npm: //p' "$work/log")" Tests/Bindings/npm.sh
