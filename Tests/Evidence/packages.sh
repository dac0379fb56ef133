#!/bin/sh
# The package as other packages see it: together with swift-system, swift-nio and swift-crypto, which most servers use;
# with enumerations that may grow; and with documentation that the tools can read.
#
#     sh Tests/Evidence/packages.sh BUILD_DIR          five minutes, most of them building swift-nio and swift-crypto
#
# make check: 330 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset CC CXX # SwiftPM would compile C with them, and its flags are clang's
here=$check/Packages place=$root/build/packages # later runs use again what was built there
mkdir -p "$place"

# ---- Together with swift-system, swift-nio and swift-crypto ----

"$SWIFT" build -j "$JOBS" --package-path "$here/Neighbours" --scratch-path "$place/neighbours" >"$work/log" 2>&1 || {
  grep -v '^\[' "$work/log" >&2
  fail "the neighbours cannot be built"
}
printed=$("$place/neighbours/debug/neighbours")
[ "$printed" = 0f413569eb66b50be0c1db9c518fb909 ] || fail "neighbours printed '$printed'"

# ---- Enumerations that may grow: a switch in another package must handle cases that it does not know ----

compile() {
  "${SWIFT}c" -typecheck -swift-version 6 -warnings-as-errors -package-name other -I "$place/neighbours/debug/Modules" \
    -I "$root/Include" -I "$root/Sources/CCustomKeyboard" -I "$root/Sources/CKeyboardPlatform" \
    -I "$root/Sources/CKeyboardMbedTLS" -I "$root/Sources/CKeyboardStack/include" "$1" >"$work/log" 2>&1
}

compile "$here/Growth/accepted.swift" || fail "accepted.swift does not compile" "$work/log"
refused=0
for file in "$here"/Growth/refused*.swift; do
  if compile "$file"; then fail "$file compiles: a new case would break it"; fi
  grep -q "handle unknown values using \"@unknown default\"" "$work/log" ||
    fail "$file was refused for another reason" "$work/log"
  refused=$((refused + 1))
done
[ "$refused" -ge 6 ] || fail "only $refused enumerations were tried"

# ---- Documentation ----

# In a new scratch folder, SwiftPM 6.3 does not find the modules of the test runners that it generates, for any package
# with tests.
"$SWIFT" package --package-path "$root" --scratch-path "$place/symbols" dump-symbol-graph \
  --minimum-access-level public --skip-synthesized-members >"$work/log" 2>&1 || true
if grep '^error:' "$work/log" | grep -v "for 'CustomKeyboardPackage\(Discovered\)\{0,1\}Tests'" >&2; then
  fail "swift package dump-symbol-graph failed"
fi
graphs=$(find "$place/symbols" -type d -name symbolgraph | head -1)
[ -n "$graphs" ] || fail "no symbol graph was written"
python3 "$here/undocumented.py" "$graphs" >"$work/out" || fail "symbols are not documented" "$work/out"
tail -1 "$work/out"
claim "usable together with swift-system, swift-nio and swift-crypto; the symbol graph is made" \
  "$((refused + 4)) checks"
