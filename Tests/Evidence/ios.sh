#!/usr/bin/env bash
# The frameworks for iPhones: what is in their files. (darwin.sh runs their code.)
#
#     bash Tests/Evidence/ios.sh BUILD_DIR     CLAIMS from the environment
#
# make check: 200 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
ios=$root/build/ios headers=$root/build/ios/darwin-headers
cd "$root" || exit 1

made xcframework
tail -n 3 "$work/log"
sh mk/ios/headers.sh "$headers" || exit 1
tools=$(dirname "$(realpath "$(command -v "$SWIFT")")")
clang=$tools/clang library=$ios/CCustomKeyboard.xcframework/ios-arm64/CCustomKeyboard.framework/CCustomKeyboard

count() { sed -n 's/^[^:]*: \([0-9]*\) checks$/\1/p' "$work/$1" | tail -n 1; }
look() { # program arguments…
  program=$1
  shift
  python3 -B "Tests/Darwin/$program.py" "$@" >"$work/$program" || fail "$program" "$work/$program"
  cat "$work/$program"
}
look refused "$ios/CCustomVault.xcframework"
look declarations "$clang" "$headers"
frameworks=()
for name in CCustomKeyboard CCustomVault CCustomFido; do frameworks+=(-F "$ios/$name.xcframework/ios-arm64"); done
for language in c objective-c; do
  "$clang" -target arm64-apple-ios16.0 -x $language -fmodules -fmodules-cache-path="$work/modules" -nostdlibinc \
    -isystem Sources/Darwin/include "${frameworks[@]}" -Wall -Wextra -Werror -fsyntax-only Tests/Darwin/client.c ||
    fail "a client in $language"
done

# Where a crash was, a file and a line; and no path of this machine.
symbols=$ios/CCustomKeyboard.xcframework/ios-arm64/dSYMs/CCustomKeyboard.framework.dSYM/Contents/Resources/DWARF
address=$("$tools/llvm-nm" "$symbols/CCustomKeyboard" | sed -n 's/^\([0-9a-f]*\) t .*6X25519O6ladder.*/0x\1/p')
for file in "$symbols/CCustomKeyboard" "$library"; do
  "$tools/llvm-symbolizer" --obj="$file" "$address" | grep -q 'KeyboardCurves/X25519.swift:[1-9]' && echo "$file"
done >"$work/with-lines"
[ "$(cat "$work/with-lines")" = "$symbols/CCustomKeyboard" ] || fail "lines are in the .dSYM, and only there"
grep -aq 'swift/lib/swift/shims' "$symbols/CCustomKeyboard" || fail "finding a path in the .dSYM"
grep -aqF -e "$root/" -e "${tools%/bin}/" "$symbols/CCustomKeyboard" && fail "a path of this machine is in the .dSYM"

# The same bytes from another folder: another build.
sh Tests/Tree/reproducible.sh xcframework build/ios/CCustom{Keyboard,Vault,Fido}.xcframework \
  >"$work/reproducible" 2>&1 || fail "not the same files from two folders" "$work/reproducible"
tail -n 1 "$work/reproducible"

claim "iPhones' frameworks: the same bytes from two folders, debug symbols too" \
  "$(sed -n 's/^reproducible: \([0-9]*\) files.*/\1/p' "$work/reproducible") files"
claim "iPhones' frameworks: what an upload would refuse is refused, one fault planted after another" \
  "$(count refused) checks"
claim "iPhones: own declarations compared with Darwin's open headers; nothing newer than iOS 15" \
  "$(count declarations) checks"
