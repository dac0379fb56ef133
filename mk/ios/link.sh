#!/bin/sh
# Links a product for iPhones, or for their simulator: a dynamic library and its debug symbols.
#
#     sh link.sh FRAMEWORK PLATFORM OLDEST ARCHIVE OBJECTS FOLDER [LOWER…]
#
#     FRAMEWORK   CCustomKeyboard, …; its functions begin with CustomKeyboard_
#     PLATFORM    ios or ios-simulator; OLDEST: its oldest system, 15.0
#     ARCHIVE     the Swift archive, for arm64-apple-ios
#     OBJECTS     the folder of further objects, those of mbedTLS
#     FOLDER      gets FRAMEWORK and FRAMEWORK.dSYM
#
# RESOURCES (of Swift's toolchain), VERSION and LINKER come from the environment. The linker of Swift's toolchain
# refuses Apple's platforms.
#
# SPDX-License-Identifier: Apache-2.0
set -eu
LC_ALL=C # the order of files
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
framework=$1 platform=$2 oldest=$3 archive=$4 more=$5 folder=$6
shift 6
tools=$RESOURCES/../../bin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
sqlite=
! grep -q sqlite3 "$archive" || sqlite=-lsqlite3

# What looks like an SDK: stubs with the names that may be imported, and no file of Apple's.
mkdir -p "$work/sdk/usr/lib" "$work/objects"
awk -v folder="$work/sdk" -v targets="[ arm64-ios, arm64-ios-simulator ]" '
  /^#/ || !NF { next }
  /^\// { if (file) print " ] } ]\n..." >file
          file = folder $1
          sub(/(\.B)?\.dylib$/, ".tbd", file)
          printf "--- !tapi-tbd\ntbd-version: 4\ntargets: %s\ninstall-name: %s\n", targets, $1 >file
          printf "exports: [ { targets: %s, symbols: [ ", targets >file
          next }
  { printf "%s\047_%s\047", (file in some ? ", " : ""), $1 >file; some[file] }
  END { print " ] } ]\n..." >file }' "$here/imports.txt"

# The tables that say what a character is have no index.
(cd "$work/objects" && "$tools/llvm-ar" x "$RESOURCES/embedded/arm64-apple-ios/libswiftUnicodeDataTables.a")
cp "$more"/*.o "$work/objects/"
for object in "$work"/objects/*.o; do
  python3 -B "$here/platform.py" "$object" "$object" "$platform" "$oldest"
done
python3 -B "$here/platform.py" "$archive" "$work/swift.a" "$platform" "$oldest"

# Only the functions of the header are exported. Where the debugger finds objects is left out: it is in the .dSYM.
# shellcheck disable=SC2086
"$LINKER" -dylib -arch arm64 -platform_version "$platform" "$oldest" "$oldest" -syslibroot "$work/sdk" \
  -o "$work/$framework" -install_name "@rpath/$framework.framework/$framework" -current_version "$VERSION" \
  -compatibility_version 0 -exported_symbol "_${framework#C}_*" -dead_strip -force_load "$work/swift.a" \
  "$work"/objects/*.o "$@" -lSystem $sqlite -fixup_chains \
  -application_extension -oso_prefix "$work/" -reproducible

# The debug symbols, and what is shipped: one UUID. No path of this machine is in either. dsymutil before 15 loses the
# names of files that Swift writes (DWARF 5).
rm -rf "$folder/$framework.dSYM"
(cd "$work" && "${DSYMUTIL:-dsymutil-19}" --oso-prepend-path "$work/" -o "$framework.dSYM" "$framework") \
  2>"$work/log" || { cat "$work/log" >&2 && exit 1; }
mv "$work/$framework.dSYM" "$folder/"
"$tools/llvm-objcopy" --strip-debug --discard-all "$work/$framework" "$folder/$framework"
