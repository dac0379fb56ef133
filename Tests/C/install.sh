#!/bin/sh
# What an installation adds and leaves: exactly the right files, also if run twice, and no files after uninstall. A
# program finds each library through pkg-config, through CMake, and as a static library without any shared one.
#
#     sh install.sh BUILD_DIR WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$1 work=$2 checks=0
root=$here/../..
row='0f413569eb66b50be0c1db9c518fb909 Done.'
MAKEFLAGS='' MFLAGS='' MAKELEVEL=''
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
expected="./include/custom_fido.h
./include/custom_keyboard.h
./include/custom_keyboard_messages.h
./include/custom_vault.h
./lib/cmake/CustomFido/CustomFidoConfig.cmake
./lib/cmake/CustomFido/CustomFidoConfigVersion.cmake
./lib/cmake/CustomKeyboard/CustomKeyboardConfig.cmake
./lib/cmake/CustomKeyboard/CustomKeyboardConfigVersion.cmake
./lib/cmake/CustomVault/CustomVaultConfig.cmake
./lib/cmake/CustomVault/CustomVaultConfigVersion.cmake
./lib/libcustomfido.a
./lib/libcustomfido.so
./lib/libcustomfido.so.$major
./lib/libcustomfido.so.$version
./lib/libcustomkeyboard.a
./lib/libcustomkeyboard.so
./lib/libcustomkeyboard.so.$major
./lib/libcustomkeyboard.so.$version
./lib/libcustomvault.a
./lib/libcustomvault.so
./lib/libcustomvault.so.$major
./lib/libcustomvault.so.$version
./lib/pkgconfig/customfido.pc
./lib/pkgconfig/customkeyboard.pc
./lib/pkgconfig/customvault.pc
./share/doc/customkeyboard/FIDO.md
./share/doc/customkeyboard/LICENSE
./share/doc/customkeyboard/PINBlocks.md
./share/doc/customkeyboard/Passcodes.md
./share/doc/customkeyboard/SealedTexts.md
./share/doc/customkeyboard/Vault.md
./share/man/man3/custom_fido.3
./share/man/man3/custom_keyboard.3
./share/man/man3/custom_vault.3"
# What a test of a package needs to know: its user, and what that prints.
use() { # package
  case $1 in
  CustomKeyboard) module=customkeyboard source=$here/user.c prints=$row ;;
  CustomVault) module=customvault source=$here/vault_user.c prints="$version $version" ;;
  CustomFido) module=customfido source=$here/fido_user.c prints="$version $version $version" ;;
  esac
}
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
rm "$dest/opt/keyboard/lib/other"
run_make install DESTDIR="$dest" PREFIX=/opt/keyboard PRODUCTS=customkeyboard
expect "installed without the vault" "$(list "$dest/opt/keyboard")" "$(echo "$expected" | grep -vi 'vault\|fido')"
run_make uninstall DESTDIR="$dest" PREFIX=/opt/keyboard PRODUCTS=customkeyboard
expect "uninstalled without the vault" "$(list "$dest/opt/keyboard")" ""
multi=$work/multi
run_make install DESTDIR="$multi" PREFIX=/usr LIBDIR=/usr/lib/triple INCLUDEDIR=/usr/include/keyboard
expect "another LIBDIR" "$(cd "$multi/usr" && ls lib include)" "include:
keyboard

lib:
triple"
# The package of the vault finds that of the keyboard, which is next to it.
for package in CustomKeyboard CustomVault CustomFido; do
  use $package
  quietly cmake -S "$here/cmake" -B "$work/cmake-multi-$package" -DPACKAGE=$package -DSOURCE="$source" \
    -DWANTED="$version" -D${package}_DIR="$multi/usr/lib/triple/cmake/$package"
  quietly cmake --build "$work/cmake-multi-$package"
  expect "$package through CMake, another LIBDIR" "$("$work/cmake-multi-$package/user-shared")" "$prints"
done
run_make uninstall DESTDIR="$multi" PREFIX=/usr LIBDIR=/usr/lib/triple INCLUDEDIR=/usr/include/keyboard
expect "another LIBDIR, uninstalled" "$(list "$multi")" ""

# ---- Programs that use it, from a directory with a space in its name
stage="$work/a stage"
run_make install PREFIX="$work/stage"
mv "$work/stage" "$stage"
ln -s "a stage" "$work/stage"
pkg() { PKG_CONFIG_PATH=$work/stage/lib/pkgconfig pkg-config "$@" "$module"; }
for package in CustomKeyboard CustomVault CustomFido; do
  use $package
  expect "pkg-config's version of $package" "$(pkg --modversion)" "$version"
  # shellcheck disable=SC2046
  "$CC" -o "$work/through-pkg-config" "$source" $(pkg --cflags --libs) || fail "pkg-config, shared"
  expect "$package through pkg-config" "$(LD_LIBRARY_PATH=$work/stage/lib "$work/through-pkg-config")" "$prints"
  # A run path in the program is enough, and none leads to where the library was built.
  # shellcheck disable=SC2046
  "$CC" -o "$work/with-run-path" "$source" $(pkg --cflags --libs) "-Wl,-rpath,$work/stage/lib" || fail "a run path"
  expect "$package through a run path" "$(LD_LIBRARY_PATH='' "$work/with-run-path")" "$prints"
  case $(readelf -d "$work/stage/lib/lib$module.so" | grep -c 'R.*PATH'):$module in
  0:customkeyboard | 1:customvault | 1:customfido) check ;;
  *) fail "lib$module.so has another run path: $(readelf -d "$work/stage/lib/lib$module.so" | grep 'R.*PATH')" ;;
  esac
  mkdir -p "$work/static"
  cp "$build"/lib*.a "$work/static"
  # shellcheck disable=SC2046
  "$CC" -o "$work/static-client" "$source" -L"$work/static" $(pkg --static --cflags --libs | sed 's/-L[^ ]*//g') ||
    fail "pkg-config, static"
  readelf -d "$work/static-client" | grep -q libcustom && fail "the static client of $package needs a shared library"
  expect "a static client of $package" "$("$work/static-client")" "$prints"
  # shellcheck disable=SC2046
  "$CC" -static -o "$work/all-static" "$source" $(pkg --static --cflags --libs) || fail "pkg-config, -static"
  expect "a client of $package with nothing shared at all" "$("$work/all-static")" "$prints"

  folder=$work/cmake-$package
  quietly cmake -S "$here/cmake" -B "$folder" -DPACKAGE=$package -DCMAKE_PREFIX_PATH="$stage" -DSOURCE="$source" \
    -DWANTED="$version"
  quietly cmake --build "$folder"
  for kind in default shared static all-static; do
    expect "$package through CMake, $kind" "$("$folder/user-$kind")" "$prints"
  done
  readelf -d "$folder/user-static" | grep -q libcustom && fail "CMake's static client of $package is not static"
  readelf -d "$folder/user-all-static" | grep -q NEEDED && fail "CMake's client of $package needs a shared library"
  check
  cmake -S "$here/cmake" -B "$folder-newer" -DPACKAGE=$package -DCMAKE_PREFIX_PATH="$stage" -DSOURCE="$source" \
    -DWANTED=999 >"$work/log" 2>&1 && fail "CMake takes this version of $package for 999"
  check
done

[ "$checks" -ge 35 ] || fail "only $checks checks"
echo "install: $checks checks"
