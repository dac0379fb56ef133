#!/bin/sh
# The example kiosk in a real window, as `make test-kiosk` tests it; and people at the example bank, `make test-login`
# and `make test-fido`.
#
#     sh Tests/Evidence/kiosk.sh BUILD_DIR          five minutes
#
# make check: 360 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/screens.sh"

suite test-kiosk kiosk
counted "the kiosk in a window: looks, mouse and touch, a login, faults; no passcode in its memory" \
  kiosk kiosk "Examples/kiosk/Tests/kiosk.py"
suite test-fido fido
counted "C and the tool log in at the bank with FIDO: passcode, pattern, terminal, TLS; servers that lie get nothing" \
  fido 'FIDO, at the bank' "Examples/Bank/Tests/fido_clients.py"
suite test-login login
counted "people register, log in and are locked out at the example bank, at its page and at the kiosk" \
  login 'browser\|kiosk' "Examples/Bank/Tests/login.sh"
counted "the bank behind nginx, with TLS: names, versions, limits, slow bodies, a bank that is killed" \
  login 'bank, behind a proxy' "Examples/Bank/Tests/proxy.py"
counted "the bank's page, recorded: no form of a PIN, right or wrong, no hash of it; only the record that registers" \
  login 'bank, a recorded page' "Examples/Bank/Tests/recorded_page.py"
