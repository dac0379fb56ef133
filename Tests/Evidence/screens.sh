# Included by the checks that run suites with a screen or a server: runs one, and counts what it checked.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154

# `make` ends with the suite's log in build/test, whatever BUILD_DIR is.
suite() { # target name variables…
  target=$1 log=$root/build/test/$2.log
  shift 2
  rm -f "$log"
  made "$target" "$@"
}

# Sums the lines "NAME: n checks" whose name matches; more may follow after a comma.
counted() { # claim log pattern files
  checks=$(sed -n "s/^\($3\): \([0-9]*\) checks\(,.*\)\{0,1\}$/\2/p" "$root/build/test/$2.log" |
    awk '{n += $1} END {print n + 0}')
  [ "$checks" -gt 0 ] || fail "nothing counts for: $1" "$root/build/test/$2.log"
  claim "$1" "$(grouped "$checks") checks" "$4"
}
