#!/bin/sh
# Without CHECK=1, `make bench` only shows figures: even if they miss every limit of the design, it prints the table and
# exits with 0. With CHECK=1 it names each missed limit and exits with 1.
#
#     sh Tests/Evidence/bench.sh BUILD_DIR          two minutes, most of them building; needs the peers' packages
#
# make check: 120 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
unset CHECK

# Without CC: SwiftPM would compile C with it, and its flags are clang's.
env -u CC "$SWIFT" build -c release -j "$JOBS" --package-path "$root/Benchmarks" \
  --scratch-path "$root/.build/benchmarks" \
  >"$work/log" 2>&1 || fail "the benchmark cannot be built" "$work/log"
bench() { # arguments…
  status=0
  "$root/.build/benchmarks/release/benchmarks" --build "$root/build" "$@" >"$work/out" 2>"$work/errors" || status=$?
}
bench --quick --only bulk,encrypt,decrypt,batch,filling,unseal,unsealBatch,seal,passcodes --json "$work/bench.json"
[ "$status" -eq 0 ] || fail "a quick run ends with $status" "$work/errors"

# The same figures, with the library's times made very small or very large. One limit is a time, and no ratio.
scaled() { # ratio
  python3 - "$work/bench.json" "$1" >"$work/$1.json" <<'END'
import json, sys
results = json.load(open(sys.argv[1]))
for measurement in results["figures"]["measurements"]:
    if measurement["contender"] == "CustomKeyboard":
        measurement["timeRatio"]["median"] = float(sys.argv[2])
        measurement["nanoseconds"]["median"] *= float(sys.argv[2])
json.dump(results, sys.stdout)
END
}
scaled 0.001 && scaled 1000
cases=0
judged() { # ratio options status verdicts
  # shellcheck disable=SC2086
  bench --from "$work/$1.json" $2
  [ "$status" -eq "$3" ] || fail "ratio $1, options '$2': exit status $status, not $3" "$work/out"
  verdicts=$(grep -oE '(PASS|FALLS SHORT)' "$work/out" | sort -u | tr '\n' ' ')
  [ "$verdicts" = "$4" ] || fail "ratio $1, options '$2': '$verdicts', not '$4'" "$work/out"
  grep -q 'SM4-ECB in bulk' "$work/out" || fail "there is no table" "$work/out"
  cases=$((cases + 1))
}
judged 0.001 '' 0 ''
judged 1000 '' 0 ''
judged 0.001 --check 0 'PASS '
judged 1000 --check 1 'FALLS SHORT '
grep -qi 'key setup' "$work/out" && grep -i 'FALLS SHORT.*key setup' "$work/out" && fail "key setup is judged"
for line in 'getText, one password' 'decrypt, one password' 'decryptBatch of 16' 'decryptBatch of 256' getrandom \
  'unseal, X25519' 'unseal, P256' 'unseal, SM2' 'unseal, SM4_GCM' 'unsealBatch of 64, each, X25519' \
  'unsealBatch of 64, each, P256' 'unsealBatch of 64, each, SM2' 'sealing, X25519' 'sealing, P256' 'sealing, SM2' \
  'sealing, SM4_GCM' checkVerifier 'check with twelve rules'; do
  grep -q "FALLS SHORT.*$line" "$work/out" || fail "'$line' is not judged" "$work/out"
  cases=$((cases + 1))
done

# make passes CHECK on to the benchmark.
make -C "$root" -n bench DEPS=no 2>/dev/null | grep -q 'benchmarks --build .* --check' && fail "make bench checks"
make -C "$root" -n bench DEPS=no CHECK=1 2>/dev/null | grep -q 'benchmarks --build .* --check' ||
  fail "make bench CHECK=1 does not check"
claim "make bench only measures; make bench CHECK=1 fails if a limit is missed" "$((cases + 2)) cases"
