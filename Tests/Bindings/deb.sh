#!/bin/sh
# The Debian packages in a clean Debian without network: they install, the tool and a C program run, and they go again.
# Then the wheel, which needs none of them.
#
#     sh Tests/Bindings/deb.sh BUILD_DIR          as root, after `make deb wheel`; needs debootstrap, and a mirror
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
packages=$(cd "$1" && pwd)/deb
work=$(mktemp -d) || exit 1
debian=$work/debian
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "deb: $1" >&2; exit 1; }
checks=0
check() { # what command…
  what=$1
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "$what"; }
  checks=$((checks + 1))
}
# With /proc, from which Swift programs take their arguments, and no network.
inside() {
  unshare --net --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$debian" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# The host's release, from its own mirror. What the packages need comes with it.
mirror=$(sed -n 's/^\(deb .*\|URIs: \)\(https\{0,1\}:[^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
  2>/dev/null | grep -v security | head -1)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
needs=libmbedcrypto7,libsqlite3-0,libmbedtls-dev,libsqlite3-dev,gcc,libc6-dev,pkg-config,libcurl4,python3-venv
check "a clean Debian" debootstrap --variant=minbase --include="$needs" "$release" "$debian" "$mirror"
cp "$packages"/*.deb "$root/Examples/c-demo/demo.c" "$root/Examples/c-vault/vault.c" "$debian/root"

check "they install" inside sh -c 'dpkg -i /root/*.deb'
check "the tool runs" inside sh -c 'keyboard --version | grep -qx "[0-9.]*"'
check "the tool makes a key and a text, and opens it" inside sh -c '
  cd /root && keyboard generate-key --way x25519 --out private.hex --public-out public.hex &&
  printf "kgcx879@" | keyboard encrypt --key-file public.hex --context c >text &&
  [ "$(keyboard decrypt --key-file private.hex --context c <text)" = "kgcx879@" ]'
check "the demo is compiled by pkg-config's flags, and runs" inside sh -c '
  cd /root && gcc demo.c -o demo $(pkg-config --cflags --libs customkeyboard) && ./demo'
check "the vault's example is compiled" inside sh -c '
  cd /root && gcc vault.c -o vault $(pkg-config --cflags --libs customvault)'
check "FIDO's library is found" inside pkg-config --exists customfido
check "the manual pages are there" inside sh -c '
  for page in man1/keyboard.1 man3/custom_keyboard.3 man3/custom_vault.3 man3/custom_fido.3; do
    [ -s /usr/share/man/$page.gz ] || exit 1
  done'
check "they go, and leave nothing" inside sh -c '
  dpkg --purge $(for file in /root/*.deb; do dpkg-deb -f $file Package; done) &&
  [ -z "$(find /usr /etc -iname "*custom*keyboard*" -o -iname "*customvault*" -o -iname "*customfido*")" ]'

cp "$packages"/../wheel/*.whl "$here/package.py" "$debian/root"
(cd "$root" && cp --parents Include/custom_keyboard.h Bindings/python/README.md "$debian/root")
check "the wheel installs" inside sh -c '
  python3 -m venv /root/venv && /root/venv/bin/pip --quiet install --no-index /root/*.whl'
check "the wheel's tests pass" inside sh -c '
  cd /root && venv/bin/python -W error -B package.py Include/custom_keyboard.h'
tests=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$work/out")
[ "${tests:-0}" -gt 25 ] || fail "only ${tests:-no} tests of the wheel ran"
echo "deb: $checks checks, and $tests tests of the wheel"
