#!/bin/sh
# The library on emulated processors that lack some of this machine's instructions (Tests/C/emulated.sh).
#
#     sh Tests/Evidence/processors.sh BUILD_DIR          needs qemu-user and libssl-dev; a minute
#
# make check: 90 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

CC=$CC sh "$root/Tests/C/emulated.sh" "$build" >"$work/out" || fail "wrong, or an illegal instruction"
cat "$work/out"
runs=$(sed -n 's/^processors: \([0-9]*\) runs$/\1/p' "$work/out")
[ "${runs:-0}" -gt 0 ] || fail "nothing ran"
claim "right results on processors from qemu64 (no AVX, no AES) to Skylake, emulated" "$runs runs"
