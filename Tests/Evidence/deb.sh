#!/bin/sh
# The Debian packages, and the wheel, in a clean Debian without network; and the archive of the sources. It needs root,
# and a mirror for debootstrap.
#
#     sh Tests/Evidence/deb.sh BUILD_DIR          five minutes
#
# make check: 300 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made_twice deb "deb/*.deb"
made wheel
sh "$root/Tests/Bindings/deb.sh" "$root/build" >"$work/log" 2>&1 || fail "the packages" "$work/log"
cat "$work/log"
claim "the Debian packages satisfy lintian and are the same each time; they and the wheel work in a clean Debian" \
  "$(sed -n 's/^deb: //p' "$work/log")" Tests/Bindings/deb.sh

made_twice dist "customkeyboard-*.tar.gz"
mkdir "$work/sources"
tar -xzf "$root"/build/customkeyboard-*.tar.gz -C "$work/sources" --strip-components=1
make -C "$work/sources" CC="$CC" SWIFT="$SWIFT" JOBS="$JOBS" >"$work/log" 2>&1 ||
  fail "make, in the archive" "$work/log"
libraries=$(find "$work/sources/build" -name 'libcustom*.so' | wc -l)
[ "$libraries" = 3 ] || fail "the archive makes $libraries libraries"
claim "the archive of the sources is the same each time, and makes the libraries without Git" "$libraries libraries"
