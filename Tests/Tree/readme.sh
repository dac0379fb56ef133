#!/bin/sh
# Compiles and runs the examples of README.md and of DocC's first article exactly as printed there, and
# Examples/swift-pin. The README's examples must seal and open a password, and the one for old peers must print the
# paper's ciphertext. (Its commands are run by Tests/Tool.) The Swift ones use the package as its users do, with
# README.md's own lines for a manifest: by the tag of a release from a bare repository, by branch, and as a folder
# beside them. Runs the Python recipe of Docs/SealedTexts.md. Also checks that the tests named in SECURITY.md exist.
#
#     sh Tests/Tree/readme.sh BUILD_DIR        a directory with an installation in stage/
#
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$build/readme
expected=0f413569eb66b50be0c1db9c518fb909
rm -rf "$work/Sources" "$work/readme.c" && mkdir -p "$work/Sources/readme"

# Block number $2 in the language $1, of README.md or the file $3.
example() {
  awk -v fence="\`\`\`$1" -v number="$2" \
    '$0 == fence {on = ++blocks == number; next} /^```/ {on = 0} on' "$root/${3:-README.md}"
}

check() { # name printed expected
  [ "$2" = "$3" ] || { echo "readme: the $1 example printed '$2', not '$3'" >&2; exit 1; }
}

example c 1 >"$work/readme.c"
PKG_CONFIG_PATH=$build/stage/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/readme-c" "$work/readme.c" \
  $(pkg-config --cflags --libs customkeyboard) -Wl,-rpath,"$build/stage/lib"
check C "$("$work/readme-c")" '192 bytes, sealed; the server has 8 characters'
# It stops at a code: with a key of 31 bytes it must not print that all is well.
sed 's/publicKey, 32, CUSTOM_ENCWAY/publicKey, 31, CUSTOM_ENCWAY/' "$work/readme.c" >"$work/wrong.c"
# shellcheck disable=SC2046
"${CC:-cc}" -std=c11 -o "$work/wrong-c" "$work/wrong.c" \
  $(pkg-config --cflags --libs customkeyboard) -Wl,-rpath,"$build/stage/lib"
if "$work/wrong-c" >"$work/wrong.txt" 2>&1; then echo "readme: the C example ignores a code" >&2; exit 1; fi

python3 "$root/Tests/Tree/recipe.py" "$build/stage/lib/libcustomkeyboard.so"

version=$(sed -n 's/^#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' "$root/Include/custom_keyboard.h")
copy=$work/CustomKeyboard
rm -rf "$copy" "$work/.build" "$work/Package.resolved" && mkdir "$copy"
tar -C "$root" --exclude=./.git --exclude=./.build --exclude=./build -cf - . | tar -C "$copy" -xf -
git() { command git -C "$copy" -c user.name=test -c user.email=test@localhost "$@" >/dev/null; }
git init -q -b main && git add -A && git commit -m copy && git tag "$version"
rm -rf "$work/server" && git clone -q --bare "$copy" "$work/server/CustomKeyboard.git"
rm -rf "$work/beside" && mkdir "$work/beside" && mv "$copy" "$work/beside/any name"

# $1: a line of README.md's, with the addresses of the copies.
line() {
  grep -o "^    \.package($1.*traits: \[\])" "$root/README.md" | sed "s,^ *,,
    s,path: \"../CustomKeyboard\",path: \"../beside/any name\",; s,https://…,file://$work/server,"
}
beside=$(line 'name: ')
branch=$(line 'url: ')
release=$(echo "$branch" | sed "s/branch: \"main\"/from: \"$version\"/")
grep -q "a release: from: \"$version\"" "$root/README.md"

# The class of a user interface in DocC's first article goes, unchanged, into an app in Swift 6 mode with the main
# actor as default isolation, and with warnings as errors.
mkdir -p "$work/Sources/app" "$work/Sources/peer"
example swift 1 >"$work/Sources/readme/main.swift"
example swift 1 Docs/Paper.md >"$work/Sources/peer/main.swift"
example swift 2 Sources/CustomKeyboard/CustomKeyboard.docc/GettingStarted.md >"$work/Sources/app/PINEntry.swift"
grep -q '^@MainActor @Observable$' "$work/Sources/app/PINEntry.swift"
cp "$root/Tests/Evidence/Packages/App/main.swift" "$work/Sources/app"
cp -R "$root/Examples/swift-pin/Sources/pin" "$work/Sources"
cat >"$work/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription
let keyboard: Target.Dependency = .product(name: "CustomKeyboard", package: "CustomKeyboard")
let package = Package(
  name: "readme", dependencies: [$release],
  targets: [
    .executableTarget(name: "readme", dependencies: [keyboard], swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(name: "peer", dependencies: [keyboard], swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(name: "pin", dependencies: [keyboard], swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "app", dependencies: [keyboard],
      swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6])
END

# Each line of README.md leads to the package and to its product, and fetches nothing else. A product that is not
# there is noticed.
resolves() { # dependency product
  rm -rf "$work/other" && mkdir -p "$work/other/Sources/other" && : >"$work/other/Sources/other/main.swift"
  cat >"$work/other/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription
let keyboard: Target.Dependency = .product(name: "$2", package: "CustomKeyboard")
let package = Package(
  name: "other", dependencies: [$1], targets: [.executableTarget(name: "other", dependencies: [keyboard])])
END
  swift package --package-path "$work/other" show-dependencies --format json >"$work/other/json" 2>"$work/other/log"
}
fetched() { # the names and versions of all packages
  python3 -c 'import json, sys
for package in json.load(sys.stdin)["dependencies"]:
    print(package["name"], package["version"], *[inner["name"] for inner in package["dependencies"]])' \
    <"$work/other/json"
}
for way in "$beside=unspecified" "$branch=unspecified" "$release=$version"; do
  resolves "${way%%=*}" CustomKeyboard || { cat "$work/other/log" >&2; exit 1; }
  [ "$(fetched)" = "CustomKeyboard ${way#*=}" ] || { echo "readme: '${way%%=*}' fetched $(fetched)" >&2; exit 1; }
done
if resolves "$beside" CustomKeybord; then echo "readme: a product that is not there was found" >&2; exit 1; fi

env -u CC -u CXX swift build --package-path "$work" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
check Swift "$("$work/.build/debug/readme")" '192 bytes, sealed; the server has 8 characters'
check 'old peers' "$("$work/.build/debug/peer")" "$expected 8"
"$work/.build/debug/app" >"$work/app.txt" || { echo "readme: the app failed" >&2; exit 1; }
[ "$(cat "$work/app.txt")" = "the app's PIN was read back" ]

# Presses four digits on a pad that is shuffled each time; the tenth and the twelfth place are blank and delete.
"$work/.build/debug/pin" 1 5 10 9 12 2 3 >"$work/pin.txt" || { echo "readme: swift-pin failed" >&2; exit 1; }
[ "$(grep '^PIN' "$work/pin.txt" | tr '\n' ' ')" = 'PIN: • PIN: •• PIN: ••• PIN: •• PIN: ••• PIN: •••• ' ]
[ "$(grep -c '^\[.\] \[.\] \[.\]$' "$work/pin.txt")" -ge 18 ]
grep -Eqx 'to the server: [0-9a-f]{384}' "$work/pin.txt"
grep -qx 'the server has a PIN of 4 digits' "$work/pin.txt"
# Its own manifest is valid too.
swift package --package-path "$root/Examples/swift-pin" --scratch-path "$work/pin" describe >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}

named=0
for test in $(grep -o '`[a-z_-]*\.\(c\|sh\)`\|`[A-Z][A-Za-z]*Tests`' "$root/SECURITY.md" | tr -d '`' | sort -u); do
  [ -n "$(find "$root/Tests" -name "$test" -o -name "$test.swift")" ] || {
    echo "readme: SECURITY.md names $test, and there is no such test" >&2
    exit 1
  }
  named=$((named + 1))
done
[ "$named" -ge 25 ] || { echo "readme: SECURITY.md names only $named tests" >&2; exit 1; }

echo "readme: 19 checks"
