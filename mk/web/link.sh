#!/bin/sh
# Links the keyboard as WebAssembly: Swift's archive, the few files of mbedTLS's that it needs, and the C files of
# Sources/Web.
#
#     sh link.sh MODULE ARCHIVE MBEDTLS [VARIANT]
#
#     MODULE    the file to write
#     ARCHIVE   libCustomKeyboardC.a for wasm32-unknown-none-wasm
#     MBEDTLS   the source of mbedTLS 2.28
#     VARIANT   page: what a page needs (as if none is given); all: all functions, for tests; unwiped: all, and nothing
#               is wiped, so that a test's searches find something
#
# CLANG and RESOURCES, of Swift's toolchain, come from the environment.
#
# Nothing of where, when or on which machine it is built gets into the module.
#
# SPDX-License-Identifier: Apache-2.0
set -eu
LC_ALL=C # the order of files
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
sources=$root/Sources/Web
module=$1 archive=$2 mbedtls=$3 variant=${4:-page}
triple=wasm32-unknown-none-wasm
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The functions of the header, in its order.
functions=$(grep -oE 'CustomKeyboard_[a-zA-Z]+\(' "$root/Include/custom_keyboard.h" | tr -d '(')
# A page's callbacks are functions of JavaScript's: keyboard_listen. Verifiers are a server's work. PIN blocks and their
# keys are for terminals and hosts.
omitted='setTextField setOKAction makeVerifier checkVerifier deriveKey
  dukptInitialKey dukptKey dukptLoad dukptNext'
# The work of servers, and what an element has other calls for: rules that are added, one recipient.
[ "$variant" != page ] || omitted="$omitted checkRule sealTyped decrypt decryptBatch unseal unsealBatch receive
  generateKey publicKey signText verifyText setupCipher cryptECB wipeCipher opaqueSetup opaqueRespond opaqueAnswer
  opaqueCheck"
for name in $omitted; do
  functions=$(printf '%s\n' "$functions" | grep -vx "CustomKeyboard_$name")
done

compile() { # name source flags…
  name=$1 source=$2
  shift 2
  "$CLANG" --target=$triple -std=c11 -Oz -msimd128 -ffreestanding -isystem "$sources/include" "$@" -c "$source" \
    -o "$work/$name.o"
}
unwiped=
[ "$variant" != unwiped ] || unwiped=-DCUSTOM_KEYBOARD_WITHOUT_WIPING
for name in memory support callbacks; do
  compile $name "$sources/$name.c" -Wall -Wextra -Werror -I "$root/Sources/CKeyboardPlatform" -I "$root/Include" \
    $unwiped
done
for name in des chacha20 poly1305 chachapoly aes; do
  compile $name "$mbedtls/library/$name.c" -fno-builtin -I "$mbedtls/include" \
    '-DMBEDTLS_CONFIG_FILE=<mbedtls_config.h>'
done

# --stack-first: a stack that overflows ends below address 0, and traps. --table-base: Swift takes pointers below 4096,
# to functions too, for values that no pointer has, such as nil. The memory is imported: JavaScript says how large it
# is, for good. One that grows could be moved by the engine, which would leave a copy behind.
# shellcheck disable=SC2046,SC2086
"$(dirname "$CLANG")/wasm-ld" --no-entry --gc-sections --strip-debug -O2 --stack-first -z stack-size=16384 \
  --table-base=4096 --initial-memory=262144 --import-memory=keyboard,memory --export-memory=memory \
  $(printf -- '--export=%s ' $functions) \
  -Map="$work/map" -o "$work/linked.wasm" "$work"/*.o "$archive" \
  "$RESOURCES/embedded/$triple/libswiftUnicodeDataTables.a"
# Swift's names of functions, mangled: the types of PIN blocks and DUKPT, and what opens texts of ML-KEM. Sentences may
# have these words.
foreign='11KeyboardPIN|PINBlock|PINField|DUKPT'
[ "$variant" != page ] || foreign="$foreign|MLKEM768V[0-9]+(decapsulate|decrypt)"
if grep -v '\.L\.str\.' "$work/map" | grep -E "$foreign" >&2; then
  echo "link.sh: these functions have no place in the module" >&2
  exit 1
fi
python3 "$here/strip.py" "$work/linked.wasm" "$work/stripped.wasm"

# The features are those that clang uses by default, and SIMD.
wasm-opt -Oz --converge --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
  --enable-nontrapping-float-to-int --enable-multivalue --enable-reference-types --enable-simd --strip-producers \
  --strip-target-features "$work/stripped.wasm" -o "$work/module.wasm"
mv "$work/module.wasm" "$module"
chmod 644 "$module"
