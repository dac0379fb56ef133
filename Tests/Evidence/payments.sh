#!/bin/sh
# PIN blocks and DUKPT beside an implementation in Python, and with the published examples of X9.24: random blocks in
# both directions, faults, every transaction that X9.24-1 has, and the first hundred thousand of X9.24-3.
#
#     sh Tests/Evidence/payments.sh BUILD_DIR          needs python3-cryptography; a minute
#
# make check: 80 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

python3 "$clients/pin_peers.py" "$build/libcustomkeyboard.so" "$vectors" 3000 walk >"$work/out" 2>&1 ||
  fail "Python and we differ" "$work/out"
cat "$work/out"
checks=$(sed -n 's/^pin_peers.py: \([0-9]*\) checks$/\1/p' "$work/out")
[ "${checks:-0}" -gt 15000000 ] || fail "only ${checks:-no} checks" "$work/out"
claim "PIN blocks: random ones both ways, every wrong nibble; X9.24's examples" "3,000 blocks, 88 examples" \
  "\`pin_peers.py\`"
claim "DUKPT: a terminal's keys are the host's, to the end of X9.24-1 and in the first part of X9.24-3" \
  "1,048,575 and 100,000 transactions" "\`pin_peers.py\`"
