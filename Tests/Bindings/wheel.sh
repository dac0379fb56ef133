#!/bin/sh
# The wheel in clean virtual environments, without network: each Python from 3.9 on that is found (--all), or Debian's.
# Also: it is built twice, in two folders, and is the same; and it needs nothing but the C library (glibc).
#
#     sh Tests/Bindings/wheel.sh BUILD_DIR [--all]          after `make wheel`
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
header=$here/../../Include/custom_keyboard.h
wheel=$(ls "$(cd "$1" && pwd)"/wheel/*.whl)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "wheel: $1" >&2; exit 1; }

# Each interpreter once: of Debian, and those that pyenv has.
pythons() {
  if [ "${2:-}" = --all ]; then
    # shellcheck disable=SC2010
    ls /usr/bin/python3.[0-9]* "$HOME"/.pyenv/versions/3.*/bin/python3.[0-9]* 2>/dev/null | grep -E '/python3\.[0-9]+$'
  else
    command -v /usr/bin/python3 || command -v python3
  fi
}

unpacked=$work/unpacked
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' "$wheel" "$unpacked"
needed=$(objdump -p "$unpacked/customkeyboard/libcustomkeyboard.so" | sed -n 's/ *NEEDED *//p' | tr '\n' ' ')
case $needed in
  "libc.so.6 ") ;;
  *) fail "the library in the wheel needs $needed" ;;
esac

tested=
for python in $(pythons "$@"); do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 9) else "")')
  [ -n "$version" ] || continue
  case " $tested " in *" $version "*) continue ;; esac
  "$python" -m venv "$work/$version" || fail "no virtual environment: python3-venv is missing"
  "$work/$version/bin/pip" --quiet --disable-pip-version-check install --no-index "$wheel"
  (cd "$work" && env -i PATH=/usr/bin:/bin "$work/$version/bin/python" -W error -B "$here/package.py" "$header") \
    >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the tests failed in Python $version"; }
  count=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$work/log")
  [ "${count:-0}" -gt 25 ] || fail "only ${count:-no} tests ran"
  "$work/$version/bin/pip" --quiet --disable-pip-version-check uninstall -y customkeyboard
  tested="$tested $version"
done
[ -n "$tested" ] || fail "no Python was found"
echo "wheel: $count tests in Python$tested"
