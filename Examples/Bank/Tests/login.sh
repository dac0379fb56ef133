#!/bin/sh
# People at the example bank: at its page in Chromium, where they read shuffled keys from the screen, and at the kiosk.
# First by OPAQUE and with FIDO, then, at the kiosk, with texts for X-Wing, then through a proxy with TLS, and at a page
# that somebody records.
#
#     sh Examples/Bank/Tests/login.sh BANK BUILD_DIR NGINX          BUILD_DIR has web/ and kiosk
#
# SPDX-License-Identifier: Apache-2.0
set -eu
bank=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") build=$(cd "$2" && pwd) nginx=${3:?the path of nginx}
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d) server=
end() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# At a bank of their own, whose key is for one way.
people_log_in() { # way, options of kiosk.py
  : >"$work/addresses"
  env -u DATABASE_URL "$bank" --way "$1" --port 0 --frame-port 0 --data "$work/data-$1" \
    --page "$root/Examples/Bank/Page" --keyboard "$root/Bindings/web" --keyboard "$build/web" \
    --fido-facet ios:bundle-id:com.example.bank \
    >"$work/addresses" 2>"$work/log" &
  server=$!
  until grep -q '^Frame:' "$work/addresses"; do
    kill -0 "$server" 2>/dev/null || { echo "login.sh: the bank did not start:" >&2; cat "$work/log" >&2; exit 1; }
    sleep 0.1
  done
  url=$(sed -n 's/^Page: *//p' "$work/addresses")
  echo "a bank with a key for $1:"
  python3 "$root/Tests/Web/browser.py" "$build/web" --bank "$url"
  shift
  sh "$root/Examples/kiosk/Tests/run.sh" "$build" --bank "http://127.0.0.1:${url##*:}" "$@"
  kill "$server"
  wait "$server" || { echo "login.sh: the bank ended with an error:" >&2; cat "$work/log" >&2; exit 1; }
  server=
}
people_log_in x25519 --fido
people_log_in xwing --way xwing

BANK_PROGRAM=$bank python3 "$root/Examples/Bank/Tests/proxy.py" "$nginx" "$build"
BANK_PROGRAM=$bank KEYBOARD_LIBRARY=$build/libcustomkeyboard.so \
  python3 "$root/Examples/Bank/Tests/recorded_page.py" "$build"
