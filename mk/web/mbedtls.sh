#!/bin/sh
# Unpacks the source of mbedTLS, as Debian has it, into a folder. apt gets lists and a configuration of its own, so that
# a machine needs no `deb-src` lines and stays as it was.
#
#     sh mbedtls.sh FOLDER          DEPS from the environment: with `no`, it only says what is missing
#
# SPDX-License-Identifier: Apache-2.0
set -eu
folder=$1
[ "${DEPS:-yes}" != no ] || {
  echo "DEPS=no: unpack Debian's source of mbedtls 2.28, and set WEB_MBEDTLS=DIR." >&2
  exit 1
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/sources"

# The machine's own sources, of source packages.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >"$work/sources/$(basename "$list" .list).list"
done
for list in /etc/apt/sources.list.d/*.sources; do
  [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$work/sources/$(basename "$list")"
done
cat >"$work/configuration" <<CONFIGURATION
APT::Sandbox::User "root";
Dir::State "$work";
Dir::Cache "$work";
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/sources";
CONFIGURATION

echo "Unpacking the source of mbedTLS into $folder"
# Archives of others may have no source packages: whether there is this one decides.
(cd "$work" && export APT_CONFIG="$work/configuration" && apt-get update -qq >"$work/log" 2>&1 || true
  cd "$work" && APT_CONFIG="$work/configuration" apt-get source -qq --download-only mbedtls >>"$work/log" 2>&1 &&
    dpkg-source --no-check -x mbedtls_*.dsc unpacked >>"$work/log" 2>&1) || {
  cat "$work/log" >&2
  echo "That failed. WEB_MBEDTLS=DIR: unpack Debian's source package mbedtls, 2.28, by hand." >&2
  exit 1
}
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
mv "$work/unpacked" "$folder"
