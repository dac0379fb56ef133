#!/bin/sh
# Logs in at the bank with FIDO: compiles Examples/c-fido as its first comment says, against the installation in
# BUILD_DIR/stage, and lets it and the tool do what fido_clients.py says.
#
#     sh Examples/Bank/Tests/fido.sh BANK BUILD_DIR KEYBOARD NGINX
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$(cd "$2" && pwd)
BANK_PROGRAM=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
PYTHONDONTWRITEBYTECODE=1
PKG_CONFIG_PATH=$build/stage/lib/pkgconfig
export BANK_PROGRAM PYTHONDONTWRITEBYTECODE PKG_CONFIG_PATH
# shellcheck disable=SC2046
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -o "$build/c-fido" "$here"/../../c-fido/*.c \
  $(pkg-config --cflags --libs customfido libcurl) -Wl,-rpath,"$build/stage/lib"
python3 "$here/fido_clients.py" "$4" "$build/c-fido" "$3"
