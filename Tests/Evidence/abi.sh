#!/bin/sh
# Checks that the binary interface of the three libraries is the one in abi.txt: exported symbols with their versions,
# the sonames, every function's signature, every structure's size, alignment and offsets, every enumeration's values,
# the macros for sizes. To change the interface, run this with --update and commit the new abi.txt.
#
#     sh Tests/Evidence/abi.sh BUILD_DIR [--update]          CC, CLAIMS from the environment
#
# make check: 5 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
list=$check/abi.txt include=$root/Include
LC_ALL=C
export LC_ALL

for tool in "$CC" nm readelf python3; do
  command -v "$tool" >/dev/null || fail "$tool is needed but was not found"
done

headers='custom_keyboard custom_vault custom_fido'
names='Custom\(Keyboard\|Vault\|Fido\)_[A-Za-z0-9]*'

describe() { # directory of the headers, the keyboard's library
  for header in $headers; do echo "#include <$header.h>"; done >"$work/abi.c"
  "$CC" -E -P -I"$1" "$work/abi.c" | tr '\n' ' ' | grep -o "$names *(" | tr -d ' (' | sort -u >"$work/functions"
  sed 's/.*/__typeof__(&) *abi_&;/' "$work/functions" >>"$work/abi.c"
  "$CC" -std=gnu11 -g -O0 -fno-eliminate-unused-debug-types -I"$1" -c -o "$work/abi.o" "$work/abi.c" || return 1
  readelf --debug-dump=info "$work/abi.o" >"$work/abi.info" || return 1
  python3 "$check/abi.py" <"$work/abi.info" || return 1
  "$CC" -E -dM -I"$1" "$work/abi.c" |
    sed -n 's/^#define \(CUSTOM_\(KEYBOARD\|OPAQUE\|VAULT\|FIDO\)_[A-Z0-9]*\) \([0-9][0-9]*\)$/macro \1 = \3/p' | sort
  for library in "$2" "$build/libcustomvault.so" "$build/libcustomfido.so"; do
    readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/soname \1/p'
    nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print "symbol " $3 ", " $2 }' | sort
  done
}

describe "$include" "$build/libcustomkeyboard.so" >"$work/now" || fail "the header could not be described"

if [ "${2:-}" = --update ]; then
  cp "$work/now" "$list"
  echo "abi: abi.txt has $(wc -l <"$list") lines now"
  exit 0
fi
diff -u "$list" "$work/now" ||
  fail "the binary interface has changed (- as it was, + as it is); to accept it: sh Tests/Evidence/abi.sh $1 --update"

# The declared and the exported names are the same.
sed -n "s/^function .* \\**\($names\)(.*/\\1/p" "$list" | sort -u >"$work/declared"
sed -n "s/^symbol \($names\)@.*/\\1/p" "$list" | sort -u >"$work/exported"
diff "$work/declared" "$work/exported" || fail "declared and exported differ"
functions=$(grep -c '^function ' "$list")
[ "$functions" -ge 80 ] || fail "only $functions functions"
lines=$(wc -l <"$list")
echo "$lines lines, $functions of them functions, as in abi.txt"

# A change planted in a copy of the header is noticed, and so is a library that exports other names.
planted=0
expect_difference() { # what
  if describe "$work/header" "${2:-$build/libcustomkeyboard.so}" >"$work/changed" 2>"$work/errors"; then
    cmp -s "$work/changed" "$list" && fail "a planted change was not seen: $1"
    echo "seen: $1: $(diff "$list" "$work/changed" | grep -c '^[<>]') lines differ"
  else
    cat "$work/errors"
    fail "the header with a planted change does not compile: $1"
  fi
  planted=$((planted + 1))
}
plant() { # what, sed script, header
  changed=${3:-custom_keyboard}.h
  mkdir -p "$work/header" && cp "$include"/*.h "$work/header/"
  sed "$2" "$include/$changed" >"$work/header/$changed"
  cmp -s "$work/header/$changed" "$include/$changed" && fail "nothing was planted: $1"
  expect_difference "$1"
}
plant "an enumeration's value" 's/CUSTOM_KEYBOARD_RANDOM = 8/CUSTOM_KEYBOARD_RANDOM = 9/'
plant "one more value" 's/CUSTOM_ENCWAY_SM4 = 2/CUSTOM_ENCWAY_SM4 = 2, CUSTOM_ENCWAY_AES = 3/'
plant "a member's size" 's/char label\[16\]/char label[24]/'
plant "two members of one size that change places" 's/double x, y, width, height/double y, x, width, height/'
plant "a wider handle" 's/typedef uint64_t CUSTOM_KEYBOARD;/typedef __uint128_t CUSTOM_KEYBOARD;/'
plant "a signed handle" 's/typedef uint64_t CUSTOM_KEYBOARD;/typedef int64_t CUSTOM_KEYBOARD;/'
plant "a parameter's type" 's/size_t index)/unsigned index)/'
plant "a parameter that is no longer const" 's/CustomKeyboard_cryptECB(const CUSTOM/CustomKeyboard_cryptECB(CUSTOM/'
plant "what a function answers" 's/^CUSTOM_KEYBOARD_RV CustomKeyboard_close/void CustomKeyboard_close/'
plant "a callback's parameter" 's/^   *size_t characterCount),/int characterCount),/'
plant "a greater alignment" 's/uint64_t opaque\[64\]/_Alignas(64) uint64_t opaque[64]/'
plant "a macro" 's/MAXTEXTSIZE 144/MAXTEXTSIZE 160/'
plant "a function that is gone" '/^CUSTOM_KEYBOARD_RV CustomKeyboard_clear/d'
plant "one function more" 's/^CUSTOM_KEYBOARD_RV CustomKeyboard_clear/int CustomKeyboard_more(void);\n&/'
plant "a vault's handle" 's/typedef uint64_t CUSTOM_VAULT;/typedef uint32_t CUSTOM_VAULT;/' custom_vault
plant "a member of a vault's item" 's/^  int64_t modified;/  int32_t modified;/' custom_vault
plant "the size of a vault's key" 's/VAULT_KEYSIZE 32/VAULT_KEYSIZE 16/' custom_vault
plant "a vault's function that is gone" '/^CUSTOM_KEYBOARD_RV CustomVault_deleteItem/,/;$/d' custom_vault

cp "$include"/*.h "$work/header/"
sed -n 's/^CustomKeyboard_.*/void &(void) {}/p' "$work/functions" | sed '/more/d; 1d' >"$work/stub.c"
echo 'CUSTOM_KEYBOARD_0 { global: CustomKeyboard_*; };' >"$work/stub.map"
"$CC" -shared -fPIC -o "$work/stub.so" "$work/stub.c" -Wl,-soname,libcustomkeyboard.so.0 \
  -Wl,--version-script="$work/stub.map" || fail "the planted library does not link"
expect_difference "a library without one of the functions" "$work/stub.so"

claim "symbols, signatures, structures, enumerations and sizes are those of abi.txt" \
  "$lines facts, $planted planted changes seen"
