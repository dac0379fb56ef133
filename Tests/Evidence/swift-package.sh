#!/bin/sh
# The Swift package for phones: the same sources above the C header as Linux has, on the other body. Its tests run here,
# on the C libraries of this machine, and are the same as those of the library's own package.
#
#     sh Tests/Evidence/swift-package.sh BUILD_DIR     CLAIMS from the environment
#
# make check: 240 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
stage=$(cd "$1/stage" && pwd)
place=$1/ios/tests/customkeyboard-apple
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
claim() { printf '%s\t%s\t%s\n' "$1" "$2" "Tests/Evidence/swift-package.sh" >>"${CLAIMS:-/dev/null}"; }

python3 -B mk/ios/package.py "$1/ios/tests" --tests
CUSTOM_KEYBOARD_TEST=1 LD_LIBRARY_PATH=$stage/lib "${SWIFT:-swift}" test -j "${JOBS:-2}" --package-path "$place" \
  --scratch-path .build/swift-package -Xlinker "-L$stage/lib" \
  -Xlinker -lcustomfido -Xlinker -lcustomvault -Xlinker -lcustomkeyboard >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && exit 1; }
tests=$(sed -n 's/^.*Test run with \([0-9]*\) tests.* passed.*$/\1/p' "$work/log")
[ "${tests:-0}" -gt 0 ]

# An app, as it is released.
app=$1/ios/tests/app
mkdir -p "$app" && cp Tests/Darwin/App/*.swift "$app"
CUSTOM_KEYBOARD_TEST=1 "${SWIFT:-swift}" build -c release -j "${JOBS:-2}" --package-path "$app" \
  --scratch-path .build/swift-package-app -Xlinker "-L$stage/lib" -Xlinker -lcustomfido -Xlinker -lcustomvault \
  -Xlinker -lcustomkeyboard >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
mkdir -m 700 "$work/vault"
# A sealed text; UNDECRYPTABLE and MISMATCH; KE1; a passcode's key; no token.
printf '%s\n' 192 6 9 96 32 0 >"$work/wanted"
LD_LIBRARY_PATH=$stage/lib .build/swift-package-app/release/app "$work/vault/file" >"$work/got"
cmp "$work/wanted" "$work/got"

python3 -B Tests/Darwin/oldest.py "$place" >"$work/oldest" || { cat "$work/oldest" >&2 && exit 1; }
cat "$work/oldest"
names=$(sed -n 's/^oldest: \([0-9]*\) checks$/\1/p' "$work/oldest")
claim "the Swift package for phones, on the C headers: the tests of the Swift interface" "$tests tests"
claim "the Swift package for phones: no name is newer than iOS 18, and a planted one is found" "$names names"
echo "swift-package: $tests tests"
