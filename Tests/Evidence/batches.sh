#!/bin/sh
# decryptBatch answers each of a million jobs as decrypt does, and unsealBatch each of a million texts as unseal does:
# of each algorithm and way, on each path of SM4. One job in four is bad; of texts most of these at an edge of a field
# or a curve. To open a text of RSA takes milliseconds, on each path the same: there are fewer of these.
#
#     sh Tests/Evidence/batches.sh BUILD_DIR          twenty minutes on two cores; BATCH_TEXTS, BATCH_RSA_TEXTS (for all
#                                                     paths together) from the environment
#
# make check: 1200 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

texts=${BATCH_TEXTS:-1000000}
all_of_rsa=${BATCH_RSA_TEXTS:-$((texts / 25))}
# shellcheck disable=SC2086
for program in batch unseal_batch; do
  "$CC" $flags -o "$work/$program" "$clients/$program.c" $static -pthread || fail "$program.c does not compile"
done
paths_count=$(echo "$paths" | wc -w)
of_rsa=$((all_of_rsa / paths_count / 2))

# Runs a program twice at a time, each for half of the jobs, and adds its checks to `count`.
halves() { # path program arguments…
  path=$1 program=$2
  shift 2
  CUSTOM_KEYBOARD_SM4=$path "$work/$program" "$@" >"$work/out-1" 2>&1 &
  first=$!
  CUSTOM_KEYBOARD_SM4=$path "$work/$program" "$@" >"$work/out-2" 2>&1 || fail "$path: $program" "$work/out-2"
  wait "$first" || fail "$path: $program" "$work/out-1"
  for half in 1 2; do
    checks=$(sed -n "s/^$program: \([0-9]*\) checks.*/\1/p" "$work/out-$half")
    count=$((count + ${checks:?no checks on $path}))
  done
}

count=0
for path in $paths; do halves "$path" batch "$((texts / 2))"; done
claim "decryptBatch answers each job as decrypt does, on each path, edges first" \
  "$(grouped "$texts") jobs an algorithm and path, $(grouped "$count") checks" "batches.sh batch.c"
count=0
for path in $paths; do halves "$path" unseal_batch "$((texts / 2))" "$of_rsa"; done
all_of_rsa=$((of_rsa * paths_count * 2))
claim "unsealBatch answers each text as unseal does, on each path, edges first" \
  "$(grouped "$texts") texts a way and path, of RSA $(grouped "$all_of_rsa") in all, $(grouped "$count") checks" \
  "batches.sh unseal_batch.c"
