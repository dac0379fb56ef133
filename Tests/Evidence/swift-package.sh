#!/bin/sh
# The Swift package for phones: the same sources above the C header as Linux has, on the other body. Its tests run here,
# on the C libraries of this machine, and are the same as those of the library's own package.
#
#     sh Tests/Evidence/swift-package.sh BUILD_DIR     CLAIMS from the environment
#
# make check: 240 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
cd "$root" || exit 1
# `make stage` installs there, whatever BUILD_DIR is: that of `make check` has copies of the libraries only.
lib=$root/build/stage/lib place=build/ios/tests

swift_on_stage() { # command options…
  CUSTOM_KEYBOARD_TEST=1 LD_LIBRARY_PATH=$lib "$SWIFT" "$@" -j "$JOBS" -Xlinker "-L$lib" -Xlinker -lcustomfido \
    -Xlinker -lcustomvault -Xlinker -lcustomkeyboard >"$work/log" 2>&1 || fail "swift $*" "$work/log"
}

python3 -B mk/ios/package.py $place --tests || fail "the package cannot be made"
swift_on_stage test --package-path $place/customkeyboard-apple --scratch-path .build/swift-package
tests=$(sed -n 's/^.*Test run with \([0-9]*\) tests.* passed.*$/\1/p' "$work/log")
[ "${tests:-0}" -gt 0 ] || fail "no tests ran" "$work/log"

# An app, as it is released.
mkdir -p $place/app && cp Tests/Darwin/App/*.swift $place/app
swift_on_stage build -c release --package-path $place/app --scratch-path .build/swift-package-app
mkdir -m 700 "$work/vault"
# A sealed text; UNDECRYPTABLE and MISMATCH; KE1; a passcode's key; no token.
printf '%s\n' 192 6 9 96 32 0 >"$work/wanted"
LD_LIBRARY_PATH=$lib .build/swift-package-app/release/app "$work/vault/file" >"$work/got" || fail "the app"
cmp "$work/wanted" "$work/got" || fail "the app says something else"

python3 -B Tests/Darwin/oldest.py $place/customkeyboard-apple >"$work/oldest" || fail "a name" "$work/oldest"
cat "$work/oldest"
names=$(sed -n 's/^oldest: \([0-9]*\) checks$/\1/p' "$work/oldest")
claim "the Swift package for phones, on the C headers: the tests of the Swift interface" "$tests tests"
claim "the Swift package for phones: no name is newer than iOS 18, and a planted one is found" "$names names"
echo "swift-package: $tests tests"
