#!/bin/sh
# Stored texts to verifiers, by the Spark job on a cluster of two executors: one of them is killed, and then the
# driver.
#
#     sh Tests/Evidence/spark.sh BUILD_DIR          ten minutes; pyspark comes from PyPI
#
# make check: 600 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made wheel
job() {
  sh "$root/Examples/spark-migrate/Tests/spark.sh" "$root/build" "$@" >"$work/log" 2>&1 || fail "the job $*" "$work/log"
}
job
checks=$(sed -n 's/^spark: \([0-9]*\) checks$/\1/p' "$work/log")
[ "${checks:-0}" -gt 900 ] || fail "only ${checks:-no} checks"
claim "the Spark job, an executor and then the driver killed: each row once, nothing that was committed changes" \
  "$(grouped "$checks") checks" Examples/spark-migrate/Tests/spark.py
job --rows 20000
ratio=$(sed -n 's/.*ratio //p' "$work/log")
# If one of the two executors was not looked at, half is missing. A verifier that is timed beside them finds the caches
# cold, and took up to 1.3 times as long as in the job.
awk -v ratio="$ratio" 'BEGIN {exit !(ratio > 0.6 && ratio <= 1.25)}' || fail "a row takes $ratio times one verifier"
claim "processors' time of the Spark job for a row of 20,000, in verifiers: at most 1.25" "$ratio" \
  Examples/spark-migrate/Tests/spark.py
