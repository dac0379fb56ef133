#!/bin/sh
# The package for npm, in a node_modules of its own; two archives of one tree are the same.
#
#     sh Tests/Evidence/npm.sh BUILD_DIR          two minutes, if the module is built
#
# make check: 120 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS

make -C "$root" npm CC="$CC" SWIFT="$SWIFT" JOBS="$JOBS" >"$work/log" 2>&1 || fail "make npm" "$work/log"
cp "$root"/build/npm/*.tgz "$work"
make -C "$root" npm CC="$CC" SWIFT="$SWIFT" JOBS="$JOBS" >"$work/log" 2>&1 || fail "make npm" "$work/log"
cmp "$work"/*.tgz "$root"/build/npm/*.tgz || fail "two archives of one tree differ"
sh "$root/Tests/Bindings/npm.sh" "$root/build" >"$work/log" 2>&1 || fail "the package" "$work/log"
claim "the npm package has types for TypeScript and JSX, true hashes and no scripts, and what it seals is opened" \
  "$(sed -n 's/^npm: //p' "$work/log")" Tests/Bindings/npm.sh
