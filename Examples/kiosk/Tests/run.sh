#!/bin/sh
# Tests the kiosk in a real window, on a screen of its own.
#
#     sh Examples/kiosk/Tests/run.sh BUILD_DIR [OPTION …] [GROUP …]     those of kiosk.py
#                                                                       CC, PYTHON from the environment
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
work=$build/kiosk-test
mkdir -p "$work"
cc=${CC:-cc}
"$cc" -shared -fPIC -O1 -Wall -Wextra -o "$work/planted.so" "$here/planted.c" -I"$build/stage/include"
# shellcheck disable=SC2046
"$cc" -O1 -o "$work/labels" "$here/labels.c" $(pkg-config --cflags --libs gtk4)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
exec "${PYTHON:-python3}" "$here/kiosk.py" "$build/kiosk" "$@"
