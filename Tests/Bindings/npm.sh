#!/bin/sh
# The npm package, unpacked into a node_modules of its own, without network: TypeScript programs are compiled with it,
# as Node's and as bundlers' rules find its types; Node loads it; what its module seals, the native library opens.
#
#     sh Tests/Bindings/npm.sh BUILD_DIR          after `make npm` and `make`
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
package=$(ls "$build"/npm/customkeyboard-*.tgz)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "npm: $1" >&2; exit 1; }
checks=0
check() { # what command…
  what=$1
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "$what"; }
  checks=$((checks + 1))
}

# As npm does it: the folder `package` of the archive becomes the package's own.
tar -tzf "$package" | grep -qv '^package/[^/]*[^/]$' && fail "a file is outside of package/"
mkdir -p "$work/node_modules/customkeyboard"
tar -C "$work/node_modules/customkeyboard" --strip-components=1 -xzf "$package"
unpacked=$work/node_modules/customkeyboard
for file in LICENSE NOTICE README.md package.json; do
  check "$file is there" test -s "$unpacked/$file"
done
for file in "$root"/Bindings/web/*.js "$root"/Bindings/web/*.html "$root"/Bindings/web/*.d.ts \
  "$build/web/custom-keyboard.wasm"; do
  check "$(basename "$file") is the tree's" cmp "$file" "$unpacked/$(basename "$file")"
done

# ---- Types: the module's own, and those of JSX, with as much of React's as a template needs
cp -R "$root/Tests/Web/Types/react" "$work/node_modules/react"
echo '{"name": "react", "version": "18.0.0", "exports": {".": {"types": "./index.d.ts"},
  "./jsx-runtime": {"types": "./jsx-runtime.d.ts"}}}' >"$work/node_modules/react/package.json"
echo '{"type": "module"}' >"$work/package.json"
cp "$here/Page/page.ts" "$work"
sed "s,'../../../Bindings/web/custom-keyboard-react','customkeyboard/react'," "$root/Tests/Web/Types/usage.tsx" \
  >"$work/page.tsx.in"
grep -q "^import 'customkeyboard/react';" "$work/page.tsx.in" || fail "usage.tsx imports other types"
mv "$work/page.tsx.in" "$work/template.tsx"
compile() { # resolution module
  (cd "$work" && tsc --strict --noEmit --target es2022 --module "$2" --moduleResolution "$1" --lib es2022,dom \
    --jsx react-jsx page.ts template.tsx)
}
check "types, as Node finds them" compile node16 node16
check "types, as bundlers find them" compile node es2022
sed 's/^keyboard.maximum = 6;/keyboard.maximum = "six";/' "$here/Page/page.ts" >"$work/page.ts"
if compile node16 node16 >"$work/out" 2>&1; then fail "tsc finds no error"; fi
grep -q "page.ts.*not assignable" "$work/out" || fail "tsc finds another error: $(cat "$work/out")"
checks=$((checks + 1))

# ---- Node
PYTHONPATH=$root/Bindings/python CUSTOM_KEYBOARD_LIBRARY=$build/libcustomkeyboard.so
export PYTHONPATH CUSTOM_KEYBOARD_LIBRARY
python3 -B -c 'import customkeyboard as ck, sys
private, public = ck.generate_key(ck.Way.X25519)
open(sys.argv[1], "wb").write(private.reveal())
print(public.hex())' "$work/private" >"$work/public"
chmod 600 "$work/private"
sealed() { (cd "$work" && node "$here/Page/package.mjs" "$(cat public)" "login 4711" "kgcx879@Grüße") >"$work/text"; }
check "Node loads it, and it seals" sealed
opened() {
  python3 -B -c 'import customkeyboard as ck, sys
key = ck.Secret.read(sys.argv[1])
text = bytes.fromhex(open(sys.argv[2]).read())
assert ck.unseal(ck.Way.X25519, key, b"login 4711", text) == "kgcx879@Grüße".encode()' "$work/private" "$work/text"
}
check "the native library opens what it sealed" opened
# The control: a changed file has another hash.
echo >>"$unpacked/frame.js"
if sealed 2>"$work/out"; then fail "a changed file has the same hash"; fi
grep -q 'frame.js' "$work/out" || fail "another error: $(cat "$work/out")"
checks=$((checks + 1))
echo "npm: $checks checks"
