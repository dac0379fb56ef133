#!/bin/sh
# What an installation adds and leaves: exactly the right files, also if run twice, and no files after uninstall. A
# program finds the library through pkg-config, through CMake, and as a static library without any shared one.
#
#     sh install.sh BUILD_DIR WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$1 work=$2 checks=0
root=$here/../..
row='0f413569eb66b50be0c1db9c518fb909 Done.'
MAKEFLAGS= MFLAGS= MAKELEVEL=
export MAKEFLAGS MFLAGS MAKELEVEL

fail() { echo "install: $1" >&2; exit 1; }
check() { checks=$((checks + 1)); }
expect() { [ "$2" = "$3" ] || fail "$1: expected '$3', got '$2'"; check; }

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$*"; }; }
# The library is already built, so this only copies. LDCONFIG=: leaves the system's list of libraries alone.
run_make() { quietly make -s -C "$root" LDCONFIG=: "$@"; }

# ---- The list of files
version=$(sed -n 's/^#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' "$root/Include/custom_keyboard.h")
major=${version%%.*}
expected="./include/custom_keyboard.h
./lib/cmake/CustomKeyboard/CustomKeyboardConfig.cmake
./lib/cmake/CustomKeyboard/CustomKeyboardConfigVersion.cmake
./lib/libcustomkeyboard.a
./lib/libcustomkeyboard.so
./lib/libcustomkeyboard.so.$major
./lib/libcustomkeyboard.so.$version
./lib/pkgconfig/customkeyboard.pc
./share/man/man3/custom_keyboard.3"
list() { (cd "$1" && find . ! -type d | LC_ALL=C sort); }

dest=$work/dest
run_make install DESTDIR="$dest" PREFIX=/opt/keyboard
expect "installed" "$(list "$dest/opt/keyboard")" "$expected"
expect "elsewhere" "$(find "$dest" -mindepth 1 -maxdepth 2 | LC_ALL=C sort)" "$dest/opt
$dest/opt/keyboard"
run_make install DESTDIR="$dest" PREFIX=/opt/keyboard
expect "installed twice" "$(list "$dest/opt/keyboard")" "$expected"
expect "modes" "$(cd "$dest/opt/keyboard" && find . -type f -perm /022)" ""
(cd "$dest/opt/keyboard/lib" && grep -rq "$dest\|$root" pkgconfig cmake) && fail "DESTDIR is in what was installed"
check
echo kept >"$dest/opt/keyboard/lib/other"
run_make uninstall DESTDIR="$dest" PREFIX=/opt/keyboard
expect "uninstalled" "$(list "$dest/opt/keyboard")" "./lib/other"
run_make uninstall DESTDIR="$dest" PREFIX=/opt/keyboard
expect "uninstalled twice" "$(list "$dest/opt/keyboard")" "./lib/other"
multi=$work/multi
run_make install DESTDIR="$multi" PREFIX=/usr LIBDIR=/usr/lib/triple INCLUDEDIR=/usr/include/keyboard
expect "another LIBDIR" "$(cd "$multi/usr" && ls lib include)" "include:
keyboard

lib:
triple"
quietly cmake -S "$here/cmake" -B "$work/cmake-multi" -DSOURCE="$here/user.c" -DWANTED="$version" \
  -DCustomKeyboard_DIR="$multi/usr/lib/triple/cmake/CustomKeyboard"
quietly cmake --build "$work/cmake-multi"
expect "through CMake, another LIBDIR" "$("$work/cmake-multi/user-shared")" "$row"
run_make uninstall DESTDIR="$multi" PREFIX=/usr LIBDIR=/usr/lib/triple INCLUDEDIR=/usr/include/keyboard
expect "another LIBDIR, uninstalled" "$(list "$multi")" ""

# ---- Programs that use it, from a directory with a space in its name
stage="$work/a stage"
run_make install PREFIX="$work/stage"
mv "$work/stage" "$stage"
ln -s "a stage" "$work/stage"
pkg() { PKG_CONFIG_PATH=$work/stage/lib/pkgconfig pkg-config "$@" customkeyboard; }
expect "pkg-config's version" "$(pkg --modversion)" "$version"
# shellcheck disable=SC2046
"$CC" -o "$work/through-pkg-config" "$here/user.c" $(pkg --cflags --libs) || fail "pkg-config, shared"
expect "through pkg-config" "$(LD_LIBRARY_PATH=$work/stage/lib "$work/through-pkg-config")" "$row"
mkdir "$work/static"
cp "$build/libcustomkeyboard.a" "$work/static"
# shellcheck disable=SC2046
"$CC" -o "$work/static-client" "$here/user.c" -L"$work/static" $(pkg --static --cflags --libs | sed 's/-L[^ ]*//') ||
  fail "pkg-config, static"
readelf -d "$work/static-client" | grep -q libcustomkeyboard && fail "the static client needs the shared library"
expect "a static client" "$("$work/static-client")" "$row"
"$CC" -static -o "$work/all-static" "$here/user.c" -I"$work/stage/include" "$build/libcustomkeyboard.a" -lmbedcrypto ||
  fail "-static"
expect "a client with nothing shared at all" "$("$work/all-static")" "$row"

quietly cmake -S "$here/cmake" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$stage" -DSOURCE="$here/user.c" -DWANTED="$version"
quietly cmake --build "$work/cmake"
for kind in default shared static; do expect "through CMake, $kind" "$("$work/cmake/user-$kind")" "$row"; done
readelf -d "$work/cmake/user-static" | grep -q libcustomkeyboard && fail "CMake's static client is not static"
check
cmake -S "$here/cmake" -B "$work/cmake-newer" -DCMAKE_PREFIX_PATH="$stage" -DSOURCE="$here/user.c" -DWANTED=999 \
  >"$work/log" 2>&1 && fail "CMake takes this version for 999"
check

[ "$checks" -ge 19 ] || fail "only $checks checks"
echo "install: $checks checks"
