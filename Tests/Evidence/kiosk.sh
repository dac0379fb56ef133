#!/bin/sh
# The example kiosk in a real window, as `make test-kiosk` tests it.
#
#     sh Tests/Evidence/kiosk.sh BUILD_DIR          three minutes
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/screens.sh"

suite test-kiosk kiosk
counted "the kiosk in a window: looks, mouse and touch, a login, faults; no passcode in its memory" \
  kiosk kiosk "Tests/Kiosk/kiosk.py"
