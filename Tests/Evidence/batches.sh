#!/bin/sh
# unsealBatch answers each of a million texts of a way as unseal does: fresh texts in batches of 1 to 33, one in four
# altered, most of those at an edge of a field or a curve. Of X-Wing there are fewer, and of RSA the fewest. Lower paths
# of SM4, where texts are opened one after another, take a tenth.
#
#     sh Tests/Evidence/batches.sh BUILD_DIR          five minutes on two cores; BATCH_TEXTS in the environment
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

texts=${BATCH_TEXTS:-1000000}
# shellcheck disable=SC2086
"$CC" $flags -o "$work/unseal_batch" "$clients/unseal_batch.c" $static -pthread ||
  fail "unseal_batch.c does not compile"
count=0
run() { # path texts half
  CUSTOM_KEYBOARD_SM4=$1 "$work/unseal_batch" "$2" >"$work/out-$1-$3" 2>&1
}
for path in $paths; do
  part=$((texts / 20))
  [ "$path" != "${paths##* }" ] || part=$((texts / 2))
  run "$path" "$part" 1 &
  first=$!
  run "$path" "$part" 2 || fail "$path: a batch answers as unseal does not" "$work/out-$path-2"
  wait "$first" || fail "$path: a batch answers as unseal does not" "$work/out-$path-1"
  for half in 1 2; do
    checks=$(sed -n 's/^unseal_batch: \([0-9]*\) checks.*/\1/p' "$work/out-$path-$half")
    count=$((count + ${checks:?no checks on $path}))
  done
done
claim "unsealBatch answers each text as unseal does, on each path, edges first" \
  "$(grouped "$texts") texts a way, $(grouped "$count") checks" "batches.sh unseal_batch.c"
