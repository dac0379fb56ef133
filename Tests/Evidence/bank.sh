#!/bin/sh
# The example bank under attack and under load, and the kiosk in a real window, as `make test-bank BANK=--full` and
# `make test-kiosk` test them.
#
#     sh Tests/Evidence/bank.sh BUILD_DIR          twenty-five minutes
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/screens.sh"

suite test-bank bank BANK=--full
counted "the example bank: protocol, fuzzed bodies, slow clients, killed servers; no PIN anywhere" \
  bank 'bank, .*' "Tests/Bank"
suite test-kiosk kiosk
counted "the kiosk in a window: looks, mouse and touch, a login, faults; no passcode in its memory" \
  kiosk kiosk "Tests/Kiosk/kiosk.py"
