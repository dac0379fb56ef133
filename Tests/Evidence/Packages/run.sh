#!/bin/sh
# The package as other packages see it: together with the packages that most servers use, with enumerations that may
# grow, and with documentation that the tools can read.
#
#     sh Tests/Evidence/Packages/run.sh BUILD_DIR        builds in BUILD_DIR/packages, which later runs use again
#
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$1/packages"
work=$(cd "$1/packages" && pwd)
jobs=${JOBS:-2}
passed=0
unset CC CXX # SwiftPM would compile C with them, and its flags are clang's

failed() { echo "packages: $1" >&2; exit 1; }

# quietly NAME command...: its output is shown when it fails, and kept in NAME.log.
quietly() {
  log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || { grep -v '^\[' "$log" >&2; failed "'$*' failed"; }
  passed=$((passed + 1))
}

# ---- Together with swift-system, swift-nio and swift-crypto ----

here=$root/Tests/Evidence/Packages
quietly neighbours swift build -j "$jobs" --package-path "$here/Neighbours" --scratch-path "$work/neighbours"
printed=$("$work/neighbours/debug/neighbours")
[ "$printed" = 0f413569eb66b50be0c1db9c518fb909 ] || failed "neighbours printed '$printed'"

# ---- Enumerations that may grow: a switch in another package must handle cases that it does not know ----

compile() {
  swiftc -typecheck -swift-version 6 -warnings-as-errors -package-name other -I "$work/neighbours/debug/Modules" \
    -I "$root/Include" -I "$root/Sources/CCustomKeyboard" -I "$root/Sources/CKeyboardPlatform" \
    -I "$root/Sources/CKeyboardMbedTLS" -I "$root/Sources/CKeyboardStack/include" "$1" >"$work/growth.log" 2>&1
}

refused=0
for file in "$here"/Growth/*.swift; do
  name=$(basename "$file")
  case $name in
  accepted*)
    compile "$file" || { cat "$work/growth.log" >&2; failed "$name does not compile"; }
    ;;
  refused*)
    if compile "$file"; then failed "$name compiles: a new case would break it"; fi
    grep -q "handle unknown values using \"@unknown default\"" "$work/growth.log" || {
      cat "$work/growth.log" >&2
      failed "$name was refused for another reason"
    }
    refused=$((refused + 1))
    ;;
  esac
  passed=$((passed + 1))
done
[ "$refused" -ge 6 ] || failed "only $refused enumerations were tried"

# ---- Documentation ----

# In a new scratch folder, SwiftPM 6.3 does not find the modules of the test runners that it generates, for any package
# with tests.
swift package --package-path "$root" --scratch-path "$work/symbols" dump-symbol-graph \
  --minimum-access-level public --skip-synthesized-members >"$work/symbols.log" 2>&1 || true
if grep '^error:' "$work/symbols.log" | grep -v "for 'CustomKeyboardPackage\(Discovered\)\{0,1\}Tests'" >&2; then
  failed "swift package dump-symbol-graph failed"
fi
passed=$((passed + 1))

graphs=$(find "$work/symbols" -type d -name symbolgraph | head -1)
[ -n "$graphs" ] || failed "no symbol graph was written"
python3 "$here/undocumented.py" "$graphs" >"$work/undocumented.txt" || { cat "$work/undocumented.txt" >&2; exit 1; }
passed=$((passed + 1))
tail -1 "$work/undocumented.txt"

echo "packages: $passed checks"
