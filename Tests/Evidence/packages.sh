#!/bin/sh
# The package as other packages see it: together with swift-system, swift-nio and swift-crypto, and its symbol graph.
#
#     sh Tests/Evidence/packages.sh BUILD_DIR          five minutes, most of them building swift-nio and swift-crypto
#
# make check: 330 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
sh "$root/Tests/Evidence/Packages/run.sh" "$root/build" >"$work/out" 2>&1 || fail "see below" "$work/out"
checks=$(sed -n 's/^packages: \([0-9]*\) checks$/\1/p' "$work/out")
[ "${checks:-0}" -ge 8 ] || fail "only ${checks:-no} checks" "$work/out"
claim "usable together with swift-system, swift-nio and swift-crypto; the symbol graph is made" "$checks checks"
