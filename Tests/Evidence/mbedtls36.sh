#!/bin/sh
# The library with mbedTLS 3.6, which Debian has since release 13: built against its headers, run with its shared
# library and with its static one. Both come from packages of Debian 13, unpacked into a folder. Nothing is installed:
# apt gets its own configuration, lists and cache. The packages run with Debian 12's C library.
#
#     sh Tests/Evidence/mbedtls36.sh BUILD_DIR          two minutes, most of them building
#
# make check: 150 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset LD_BIND_NOW

# ---- The packages
release=trixie
packages="libmbedtls-dev libmbedcrypto16"
architecture=$(dpkg --print-architecture)
triple=$(gcc -dumpmachine | sed 's/-pc-/-/')
folder=$root/.build/mbedtls36
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/apt/none"
if [ ! -e "$folder/complete" ]; then
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' | sed -n 's/^Debian //p' | head -n 1)
  [ -n "$mirror" ] || fail "apt knows no mirror of Debian here"
  echo "deb [signed-by=$keys] $mirror $release main" >"$folder/apt/sources.list"
  cat >"$folder/apt/configuration" <<END
APT { Architecture "$architecture"; Architectures { "$architecture"; }; Sandbox::User "root"; };
Dir::State "$folder/apt";
Dir::State::status "/dev/null";
Dir::Cache "$folder/apt";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "$folder/apt/none";
END
  # shellcheck disable=SC2086
  (
    cd "$folder/apt" && export APT_CONFIG="$folder/apt/configuration" &&
      apt-get update -qq && apt-get download -qq $packages &&
      for package in *.deb; do dpkg -x "$package" "$folder/root" || exit 1; done
  ) >"$work/log" 2>&1 || fail "Debian $release's $packages cannot be had; without a network, unpack them into
$folder/root and touch $folder/complete" "$work/log"
  mkdir -p "$folder/mbedtls"
  ln -sfn ../root/usr/include "$folder/mbedtls/include"
  ln -sfn "../root/usr/lib/$triple" "$folder/mbedtls/lib"
  rm -rf "$folder/apt" && touch "$folder/complete"
fi
mbedtls=$folder/mbedtls
version=$(sed -n 's/^#define MBEDTLS_VERSION_STRING *"\(.*\)"/\1/p' "$mbedtls/include/mbedtls/build_info.h")
case $version in
  3.6.*) ;;
  *) fail "Debian $release has mbedTLS '$version', not 3.6" ;;
esac

# ---- The library
make -C "$root" --no-print-directory all BUILD="$work/build" SCRATCH="$root/.build/mbedtls36/swift" \
  MBEDTLS="$mbedtls" JOBS="$JOBS" CC="$CC" SWIFT="$SWIFT" >"$work/log" 2>&1 ||
  fail "the library cannot be built on mbedTLS $version" "$work/log"
needed=$(readelf -d "$work/build/libcustomkeyboard.so" | sed -n 's/.*(NEEDED).*\[libmbedcrypto\.so\.\(.*\)\]/\1/p')
[ "$needed" = 16 ] || fail "the library needs libmbedcrypto.so.${needed:-none}, not 16"

# ---- The programs; each checks which mbedTLS it runs with
cat >"$work/version.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void mbedtls_version_get_string(char *string);
__attribute__((constructor)) static void check_version(void) {
  char version[16] = "";
  mbedtls_version_get_string(version);
  if (strcmp(version, WANTED) != 0) { fprintf(stderr, "this runs on mbedTLS %s\n", version); exit(99); }
}
END
include="-std=c11 -O2 -g -Wall -Wextra -Werror -I$root/Include -I$clients"
shared="-L$work/build -lcustomkeyboard -L$mbedtls/lib -lmbedcrypto"
shared="$shared -Wl,-rpath,$work/build -Wl,-rpath,$mbedtls/lib -Wl,-rpath-link,$mbedtls/lib"
LD_LIBRARY_PATH=$mbedtls/lib
export LD_LIBRARY_PATH # the library needs libmbedcrypto, and its file does not say where to find it

compile() { # program source options…
  output=$work/$1 input=$clients/$2.c
  shift 2
  # shellcheck disable=SC2086
  "$CC" $include -DWANTED="\"$version\"" -o "$output" "$input" "$work/version.c" "$@" >"$work/log" 2>&1 ||
    fail "$input does not compile" "$work/log"
}
# Another version is noticed.
wanted=$version version=0.0.0
# shellcheck disable=SC2086
compile planted vectors $shared
"$work/planted" "$vectors" >"$work/out" 2>&1 && fail "another version of mbedTLS is not noticed"
grep -q "this runs on mbedTLS $wanted" "$work/out" || fail "the planted version fails for another reason" "$work/out"
version=$wanted

table mbedtls "$work/build" "$mbedtls" "$version" >"$work/out" 2>&1 || fail "on mbedTLS $version" "$work/out"
cat "$work/out"
runs=$(in_all mbedtls 1) checks=$(in_all mbedtls 2)
claim "on mbedTLS 3.6: vectors, contract, padding, sealed texts, OpenSSL's answers, no residue" \
  "$(grouped "$checks") checks in $runs runs on $version"
