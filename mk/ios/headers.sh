#!/bin/sh
# Darwin's open headers, of PyPI's ziglang: programs of Tests/C are compiled with them, and our own declarations are
# compared with them. Nothing that is shipped contains or needs them.
#
#     sh headers.sh FOLDER          gets them, unless it has them
#
# SPDX-License-Identifier: Apache-2.0
set -eu
folder=$1 wheel=ziglang-0.17.0
[ ! -e "$folder/$wheel" ] || exit 0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
hash=sha256:97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b
echo "ziglang==${wheel#*-} --hash=$hash" >"$work/wanted"
{ python3 -m venv "$work/venv" &&
  "$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --only-binary :all: \
    --platform manylinux2010_x86_64 -d "$work" --require-hashes -r "$work/wanted" &&
  python3 -m zipfile -e "$work/$wheel"-*.whl "$work/wheel"; } >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  echo "headers.sh: no headers of Darwin's" >&2
  exit 1
}
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
cp -r "$work/wheel/ziglang/lib/libc/include/any-darwin-any" "$folder"
touch "$folder/$wheel"
