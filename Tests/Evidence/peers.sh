#!/bin/sh
# Sealed texts and signatures between this library and seven others, in both directions, with random keys, contexts and
# passwords; the recipes of Docs/SealedTexts.md for Java, Swift, Node and OpenSSL, as the page has them.
#
#     sh Tests/Evidence/peers.sh BUILD_DIR          five minutes, most of them building swift-crypto
#
# make check: 660 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset CC CXX # SwiftPM would compile C with them, and its flags are clang's
place=$build/peers # later runs use what was built there
peers=$check/Peers
mkdir -p "$place/java" "$place/swift/Sources/peer"

run() { # what command...
  what=$1
  shift
  "$@" >"$work/log" 2>&1 || fail "$what" "$work/log"
}

# Python's, in an environment of its own.
if [ ! -x "$place/venv/bin/python" ] || ! cmp -s "$peers/requirements.txt" "$place/requirements.txt"; then
  rm -rf "$place/venv"
  run "no virtual environment (python3-venv)" python3 -m venv "$place/venv"
  run "PyPI gave not all packages" \
    "$place/venv/bin/pip" install --disable-pip-version-check -r "$peers/requirements.txt"
  cp "$peers/requirements.txt" "$place"
fi

run "the recipes are not as they were" python3 "$peers/recipes.py" "$place"

cp "$place/Recipes.java" "$peers/Java/Peer.java" "$place/java"
run "the recipe for Java does not compile" \
  javac -cp /usr/share/java/bcprov.jar -d "$place/java" "$place/java/Recipes.java" "$place/java/Peer.java"

cat "$place/recipes.mjs" "$peers/peer.mjs" >"$place/peer.mjs"

{
  printf '#include <stddef.h>\n#include <string.h>\n'
  cat "$place/sm2_der.h"
  printf 'int der_of(unsigned char *der, const unsigned char *text) { return (int)sm2_der(der, text); }\n'
} >"$place/sm2_der.c"
run "the recipe for OpenSSL does not compile" \
  gcc -shared -fPIC -Wall -Wextra -Werror -o "$place/sm2_der.so" "$place/sm2_der.c"

cp "$peers/Swift/Package.swift" "$place/swift"
cp "$peers/Swift/Sources/peer/main.swift" "$place/Recipes.swift" "$place/swift/Sources/peer"
run "the recipe for Swift does not compile" "$SWIFT" build -j "$JOBS" --package-path "$place/swift"

"$place/venv/bin/python" "$peers/peers.py" "$build/libcustomkeyboard.so" "$place" >"$work/out" 2>"$work/errors" ||
  { cat "$work/errors" >&2; fail "a peer and we differ" "$work/out"; }
counts=$(sed -n 's/^peers.py: //p' "$work/out")
[ -n "$counts" ] || fail "no result" "$work/out"

# PIN blocks. psec warns that 3DES is old.
"$place/venv/bin/python" -W ignore "$peers/payments.py" "$build/libcustomkeyboard.so" 30000 >"$work/out" 2>&1 ||
  fail "psec and we differ" "$work/out"
claim "PIN blocks of formats 0, 3 and 4 are those of psec, both directions" "30,000 keys"

"$place/venv/bin/python" "$peers/opaque.py" "$build/libcustomkeyboard.so" 1000 >"$work/out" 2>&1 ||
  fail "opaque-ke and we differ" "$work/out"
claim "OPAQUE with opaque-ke 4: a registration and a login each, four fifths with the right password" \
  "$(sed -n 's/^opaque.py: //p' "$work/out")"

# X-Wing without a keyboard, on each of its paths.
run "the program for X-Wing does not compile" \
  "$SWIFT" build -j "$JOBS" --package-path "$root" --product KeyboardLatticePeer
program=$("$SWIFT" build --package-path "$root" --show-bin-path)/KeyboardLatticePeer
for path in portable $(echo "$paths" | awk '{print $NF}'); do
  CUSTOM_KEYBOARD_SM4=$path "$place/venv/bin/python" "$peers/lattice.py" "$program" 50000 >"$work/out" 2>&1 ||
    fail "X-Wing: a peer and we differ" "$work/out"
done
claim "X-Wing and ML-KEM-768 of Python's cryptography, both directions, altered texts too" "2 × 50,000 keys"
claim "sealed texts and signatures of seven other libraries, both directions; the recipes of SealedTexts.md" "$counts"
