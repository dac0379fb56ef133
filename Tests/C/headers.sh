#!/bin/sh
# The header and the library files of a product as other tools see them. The header compiles alone under every language
# version and with two compilers, with all warnings as errors. The library exports exactly the declared functions, needs
# only the libraries named here, and is small and stripped.
#
#     sh headers.sh BUILD_DIR WORK_DIR PRODUCT          CC, CXX, CLANG, CLANGXX from the environment
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(dirname "$0") build=$1 work=$2 product=$3 checks=0
include=$here/../../Include
shared=$build/lib$product.so
case $product in
customkeyboard)
  header=custom_keyboard.h user=user.c prefix=CustomKeyboard needs='libc libmbedcrypto ' functions=56
  kilobytes=456 beside=
  ;;
customvault)
  header=custom_vault.h user=vault_user.c prefix=CustomVault needs='libc libcustomkeyboard libmbedcrypto libsqlite3 '
  functions=33 kilobytes=178 beside='[$ORIGIN]'
  ;;
customfido)
  header=custom_fido.h user=fido_user.c prefix=CustomFido needs='libc libcustomkeyboard libcustomvault libmbedcrypto '
  functions=30 kilobytes=196 beside='[$ORIGIN]'
  ;;
esac

fail() { echo "headers of $product: $1" >&2; exit 1; }
check() { checks=$((checks + 1)); }

# ---- Languages. With `-pedantic-errors` and -Werror, a compiler's extensions do not excuse what a standard forbids.
compile() { # compiler language standard
  "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror -pedantic-errors -Wshadow -Wconversion -I"$include" \
    -c -o "$work/user.o" "$here/$user" || fail "$1 -std=$3 does not take the header"
  printf '#include <%s>\n#include <%s>\nextern int one; int one = 1;\n' "$header" "$header" |
    "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror -pedantic-errors -I"$include" -c -o "$work/user.o" - ||
    fail "$1 -std=$3 does not take the header twice, or alone"
  check
}
for compiler in "$CC" "$CLANG"; do
  for standard in c99 c11 c17 c2x; do compile "$compiler" c "$standard"; done
done
for compiler in "$CXX" "$CLANGXX"; do
  for standard in c++11 c++14 c++17 c++20; do compile "$compiler" c++ "$standard"; done
done
"$CC" -std=c99 -Wstrict-prototypes -Wold-style-definition -Werror -fsyntax-only -I"$include" "$here/$user" ||
  fail "the header has a declaration without a prototype"
check

# ---- Answers that must be looked at: each call that ignores one is warned of, and the other three are not
if [ "$product" = customkeyboard ]; then
  lines=$(grep -n '^  CustomKeyboard_' "$here/ignored.c" | cut -d : -f 1 | sed -n '1,24p')
  for compiler in "$CC" "$CLANG"; do
    warned=$("$compiler" -std=c11 -I"$include" -Wall -c -o "$work/ignored.o" "$here/ignored.c" 2>&1 |
      sed -n 's/.*ignored\.c:\([0-9]*\):.*unused.*/\1/p')
    [ "$warned" = "$lines" ] || fail "$compiler warns of ignored answers in other lines: $warned"
    check
  done
fi

# ---- Names
declared=$("$CC" -E -P -I"$include" "$include/$header" | grep -o "${prefix}_[A-Za-z0-9]* *(" | tr -d ' (' | sort -u)
exported=$(nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
archived=$(nm -g --defined-only "$build/lib$product.a" | awk 'NF == 3 { print $3 }' | sort -u)
[ "$(echo "$declared" | wc -l)" -eq "$functions" ] || fail "the header declares: $declared"
[ "$declared" = "$exported" ] || fail "declared and exported differ: $(echo "$declared
$exported" | sort | uniq -u | tr '\n' ' ')"
[ "$declared" = "$archived" ] || fail "declared and global in the archive differ: $archived"
checks=$((checks + $(echo "$declared" | wc -l)))

# ---- The shared library
needed=$(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sed 's/\.so.*//' | sort | tr '\n' ' ')
[ "$needed" = "$needs" ] || fail "it needs $needed"
check
readelf -d "$shared" | grep -q 'BIND_NOW\|FLAGS_1.*NOW' || fail "it is not bound at start (-z now)"
check
readelf -d "$shared" | grep -q 'NODELETE' || fail "it can be unloaded, and would forget which handles it gave"
check
readelf -lW "$shared" | grep 'GNU_STACK' | grep -q 'RW ' || fail "its stack is executable"
check
readelf -lW "$shared" | grep -q 'GNU_RELRO' || fail "its relocations stay writable (-z relro)"
check
readelf -d "$shared" | grep -q 'TEXTREL' && fail "it has text relocations"
check
# A library with others below it finds them in its own folder. No other path may be in it.
paths=$(readelf -d "$shared" | sed -n 's/.*(R.*PATH).*\(\[.*\]\)/\1/p')
[ "$paths" = "$beside" ] || fail "its run path is '$paths', not '$beside'"
check
readelf -SW "$shared" | grep -q '\.symtab\|\.debug' && fail "it is not stripped"
check

# ---- Control-flow protection: marked, and every exported function begins with endbr64
if [ "$(uname -m)" = x86_64 ]; then
  readelf -n "$shared" | grep -q 'IBT, SHSTK' || fail "it is not marked for control-flow protection"
  check
  readelf -n "$build/$product.o" | grep -q 'IBT, SHSTK' || fail "the archive is not marked for it"
  check
  for name in $exported; do
    address=$(nm -D "$shared" | awk -v name="$name" '{sub(/@.*/, "", $3)} $3 == name {print $1}')
    objdump -d --start-address="0x$address" --stop-address="$(printf '%#x' $((0x$address + 4)))" "$shared" |
      grep -q endbr64 || fail "$name does not begin with endbr64"
    check
  done
fi

size=$(stat -L -c %s "$shared")
[ "$size" -le $((kilobytes * 1024)) ] || fail "it has $size bytes, more than $kilobytes KB"
check
# Docs/Vault.md says what two of them need and how large they are.
row=$(grep "^| .lib$product\.so. |" "$here/../../Docs/Vault.md") || row=
if [ -n "$row" ]; then
  told=$(echo "$row" | cut -d '|' -f 3 | grep -o 'lib[a-z0-9]*' | sort | tr '\n' ' ')
  found=$(ldd "$shared" | grep -o '\blib[a-z0-9]*\.so' | sed 's/\.so//' | sort -u | tr '\n' ' ')
  [ "$told" = "$found" ] || fail "Docs/Vault.md says that it needs $told, and ldd says $found"
  check
  told=$(echo "$row" | cut -d '|' -f 4 | tr -cd 0-9)
  if [ "$(uname -m)" = x86_64 ]; then
    [ $((100 * size)) -ge $((97 * told)) ] && [ $((100 * size)) -le $((103 * told)) ] ||
      fail "Docs/Vault.md says that it has $told bytes, and it has $size"
    check
  fi
elif [ "$product" != customfido ]; then
  fail "Docs/Vault.md has no row for it"
fi
readelf -d "$shared" | grep -q "SONAME.*\[lib$product\.so\.[0-9]*\]" || fail "it has no soname"
check
# Paths of the build machine do not belong in files that are published.
root=$(cd "$here/../.." && pwd)
strings -a "$shared" "$build/lib$product.a" | grep -q "$root" && fail "it names the path it was built in"
check

[ "$checks" -ge $((28 + functions)) ] || fail "only $checks checks"
echo "headers of $product: $checks checks"
