#!/bin/sh
# The core as WebAssembly in Node, and the web element in Chromium: what `make test-web` and `make test-browser` run.
#
#     sh Tests/Evidence/web.sh BUILD_DIR          ten minutes
#
# make check: 600 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/screens.sh"

suite test-web web
counted "the module agrees with the native library, and leaves nothing in its memory" web 'web.*' "Tests/Web"
suite test-browser browser THOROUGH=1
counted "the element in Chromium: typing, looks, errors, screen readers, hostile scripts; nothing leaks" \
  browser browser "Tests/Web/browser.py"
