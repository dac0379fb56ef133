#!/usr/bin/env bash
# Fuzzing: libFuzzer and the address sanitizer on the libraries' own code, in eleven programs.
#
#     bash Tests/Evidence/fuzz.sh BUILD_DIR [SECONDS]     120 seconds each, unless told otherwise
#     make fuzz FUZZ_SECONDS=3600                      the same
#
# First it shows that each program finds faults. With a model that is wrong in one case (FUZZ_PLANT=answer), and with
# memory that is one byte shorter than the library is told (FUZZ_PLANT=overrun), it must die, in the second case in the
# library's code; `sealed` also of a model that takes one private key of SM2 too many (FUZZ_PLANT=key), and of one that
# takes private keys of RSA whose numbers do not belong together (FUZZ_PLANT=numbers). Then each program searches for
# real faults.
#
#     decrypt       any way, key, text, space; NULL, overlaps, impossible sizes; compared with the bare ciphers
#     decryptBatch  good and bad jobs, one to hundreds; each compared with its own `decrypt`
#     input         typing, deleting, counting; compared with Swift's own strings
#     touch         any layout, size, finger; compared with what `keys` showed
#     verifier      strings that are verifiers, or nearly; compared with a parser that works by fields
#     pattern       any pattern on any text; compared with a matcher of functions that call each other
#     sealed        sealed texts and signatures, real and altered, any keys and spaces; compared with a model
#     opaque        both ends of OPAQUE, messages real and altered, typing between; compared with whose login it is
#     vault         files that may be vaults, whole or changed anywhere, and their WALs; compared with what was put in
#     fido          requests, lists of facets and answers of a FIDO server, real and altered; compared with Foundation's
#                   parser, and with what is kept
#     state         all functions in any order, on live, dead and invented keyboards and on terminals' devices;
#                   compared with a model
#
# To reproduce a fault, run the command that is printed. FUZZ_TRACE=1 before it prints the calls that led to the fault.
# The library gets its random numbers from the system, so a fault that depends on where a key is shown may need
# repetitions (-runs=1000).
#
# To extend: Tests/Fuzz/Sources has one folder for each program, which decides what the bytes mean. Harness makes each
# call of the library together with its model, which decides what the call must return. A new program needs a folder, a
# line in Package.swift and one below.
#
# The stored inputs, Tests/Fuzz/Corpus, reach at once the code that earlier runs reached. FUZZ_KEEP=1 chooses them anew
# at the end: the fewest inputs that cover as much, from the stored ones and those in BUILD_DIR/fuzz.
#
# From the environment: FUZZ_JOBS programs at a time (2); FUZZ_TARGETS, to run only some; SWIFT, JOBS, CLAIMS.
# CUSTOM_KEYBOARD_SM4=portable|aesni|gfni256 fuzzes another path of SM4; all collected inputs run on these paths anyway.
#
# What this does not find: mbedTLS reading past an end, because it is compiled without the sanitizer
# (Tests/C/hostile.c has guard pages for that); and, within the locked memory, one keyboard's bytes in another's,
# unless a model notices it.
#
# make check: 600 seconds
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:?the directory for what is found}" || exit 1
build=$(cd "$1" && pwd) || exit 1
seconds=${2:-120}
claims=${CLAIMS:-/dev/null}
programs=$root/.build/fuzz/release
corpus=$root/Tests/Fuzz/Corpus
found=$build/fuzz
unset FUZZ_PLANT
# Swift's crash handler must not run before libFuzzer's.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS="quarantine_size_mb=16:${ASAN_OPTIONS:-}"

work=$(mktemp -d) || exit 1
# Where `vault` and `fido` have their files: in memory, if there is such a folder.
memory=/dev/shm
[ -w $memory ] || memory=$work
FUZZ_FOLDER=$(mktemp -d "$memory/fuzz.XXXXXX") || exit 1
export FUZZ_FOLDER
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work" "$FUZZ_FOLDER"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "fuzz: $*" >&2; exit 1; }
grouped() { sed -E ':a;s/([0-9])([0-9]{3})($|[^0-9])/\1,\2\3/;ta'; }

# Each program, its longest input in bytes (dozens of calls or jobs, but still hundreds of inputs per second), how many
# of the library's edges it reaches at least, on any processor, and what it shows. The edges are about two thirds of
# the usual number: a program that reaches fewer proves nothing.
rows='decrypt 384 250 decrypt survives hostile input, compared with the bare ciphers
decryptBatch 128 350 decryptBatch answers each job as decrypt does
input 192 500 typing counts and deletes as Swift'\''s strings do
touch 128 700 a touch types what the keys show
sealed 128 2050 sealed texts and signatures keep the contract, altered ones are refused
opaque 384 1500 OPAQUE: a login succeeds if nothing was altered, and then only
verifier 384 450 strings are verifiers or not as a second parser says
pattern 64 250 a pattern matches as a reference of functions does
vault 8192 1000 a file that is not a vault, or was changed, is refused or right
fido 512 3000 a FIDO server'\''s messages are taken or refused, and nothing is kept of these
state 384 3200 all functions in any order keep the contract'
field() { grep "^$1 " <<<"$rows" | cut -d ' ' -f "$2"; } # target, number
longest() { field "$1" 2; }
least() { field "$1" 3; }
claim() { echo "$(field "$1" 4-): libFuzzer, ASan"; }
targets=${FUZZ_TARGETS:-$(cut -d ' ' -f 1 <<<"$rows" | tr '\n' ' ')}
for target in $targets; do [ -n "$(least "$target")" ] || fail "there is no $target"; done

# ---- Building --------------------------------------------------------------------------------------------------------

# SwiftPM would pass each sanitizer as a flag of its own, and the compiler uses only the last flag; so one flag at the
# end names both. The checks of debug builds stay enabled.
env -u CC -u CXX "${SWIFT:-swift}" build -c release -j "${JOBS:-1}" --package-path "$root/Tests/Fuzz" \
  --scratch-path "$root/.build/fuzz" --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address \
  -Xcc -DKEYBOARD_CHECKED_COPIES -Xswiftc -assert-config -Xswiftc Debug >"$work/build" 2>&1 || {
  cat "$work/build" >&2
  fail "the fuzzers do not build"
}
command -v llvm-symbolizer >/dev/null || {
  symbolizer=$(dirname "$(realpath "$(command -v "${SWIFT:-swift}")")")/llvm-symbolizer
  [ -x "$symbolizer" ] && export ASAN_SYMBOLIZER_PATH=$symbolizer
}

# ---- Planted faults --------------------------------------------------------------------------------------------------

planted=0

# A program with a planted fault and no initial inputs must die of it.
must_find() { # target plant pattern
  local log=$work/planted-$1-$2 from=$SECONDS
  if FUZZ_PLANT=$2 "$programs/fuzz-$1" -seed=1 -max_total_time=60 -max_len="$(longest "$1")" -len_control=20 \
    -artifact_prefix="$work/planted-" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "$1 does not find the planted fault ($2) in a minute"
  fi
  grep -Eq "$3" "$log" || {
    tail -n 40 "$log" >&2
    fail "$1 dies, but not of the planted fault ($2)"
  }
  planted=$((planted + 1))
  printf '  %-12s  dies of a planted %-7s  after %2d s\n' "$1" "$2" $((SECONDS - from))
}

echo "Planted faults:"
for target in $targets; do
  must_find "$target" answer '^==> (Harness|fuzz_opaque|fuzz_verifier|fuzz_pattern|fuzz_vault|fuzz_fido)/'
  # Where it reads or writes: in one of the library's modules, or in a function that they call.
  # shellcheck disable=SC2016
  must_find "$target" overrun '^ +#[0-3] 0x[0-9a-f]+ in \$s[0-9]+(SM4|Keyboard|CustomKeyboard)'
done
case " $targets " in
  *" sealed "*)
    for plant in key numbers; do
      must_find sealed $plant '^==> Harness/.* answers 1, expected'
    done
    ;;
esac
printf 'fuzzers die of planted faults: a wrong model, an overrun, a wrong key\t%s faults\t%s\n' \
  $planted Tests/Evidence/fuzz.sh >>"$claims"

# ---- Fuzzing ---------------------------------------------------------------------------------------------------------

status() { grep -aE '^#[0-9]+.*cov: ' "$1" | tail -n 1; }

fuzz() { # target
  local target=$1 log=$found/$1.log fuzzer result count edges features shown=0
  mkdir -p "$found/corpus/$target" "$corpus/$target"
  "$programs/fuzz-$target" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=60 -len_control=20 \
    -max_len="$(longest "$target")" -print_final_stats=1 -artifact_prefix="$found/$target-" \
    "$found/corpus/$target" "$corpus/$target" >"$log" 2>&1 &
  fuzzer=$!
  trap 'kill $fuzzer 2>/dev/null' EXIT
  trap 'exit 1' HUP INT TERM
  while kill -0 $fuzzer 2>/dev/null; do
    sleep 1
    shown=$((shown + 1))
    [ $((shown % 30)) -ne 0 ] ||
      printf '  %-12s  %3d s: %s\n' "$target" $shown "$(status "$log" | tr '\t' ' ' | cut -c 1-90)"
  done
  wait $fuzzer
  result=$?
  trap - EXIT
  if [ $result -ne 0 ]; then
    echo "fuzz: $target FAILED (status $result); all of it in $log" >&2
    grep -aE -A 12 '^==>|ERROR: |^SUMMARY' "$log" | head -n 40 >&2
    artefact=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    [ -z "$artefact" ] || echo "reproduce: SWIFT_BACKTRACE=enable=no '$programs/fuzz-$target' '$artefact'" >&2
    return 1
  fi
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(status "$log" | sed -E 's/.*cov: ([0-9]+).*/\1/')
  features=$(status "$log" | sed -E 's/.*ft: ([0-9]+).*/\1/')
  printf '  %-12s  %s inputs in %s s, no fault; reached %s edges, %s features\n' "$target" \
    "$(echo "$count" | grouped)" "$seconds" "$edges" "$features"
  if [ "${count:-0}" -lt 100 ] || [ "${edges:-0}" -lt "$(least "$target")" ]; then
    echo "fuzz: $target: $count inputs that reach $edges edges are too few ($(least "$target")); see $log" >&2
    return 1
  fi
  printf '%s\t%s inputs\tTests/Evidence/fuzz.sh\n' "$(claim "$target")" "$(echo "$count" | grouped)" >>"$claims"
}

# Runs all inputs again on SM4's other paths: those of the four that this processor has and does not choose by itself.
replay() { # path
  local target
  for target in $targets; do
    CUSTOM_KEYBOARD_SM4=$1 "$programs/fuzz-$target" -runs=0 -timeout=60 -artifact_prefix="$found/$target-$1-" \
      "$found/corpus/$target" "$corpus/$target" >"$work/replay" 2>&1 || {
      tail -n 40 "$work/replay" >&2
      fail "$target fails on SM4's path $1"
    }
    sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$work/replay" >>"$work/replayed"
  done
}

# The fewest inputs that cover as much as all of them: every edge, but not how often.
keep() { # target
  mkdir -p "$work/kept/$1"
  "$programs/fuzz-$1" -set_cover_merge=1 -use_counters=0 -max_len="$(longest "$1")" \
    "$work/kept/$1" "$corpus/$1" "$found/corpus/$1" >"$work/keep" 2>&1 || {
    cat "$work/keep" >&2
    return 1
  }
  rm -rf "${corpus:?}/$1" && mv "$work/kept/$1" "$corpus/$1"
  echo "  $1: $(find "$corpus/$1" -type f | wc -l) inputs, $(cat "$corpus/$1"/* | wc -c) bytes"
}

echo "Fuzzing, ${FUZZ_JOBS:-2} at a time, $seconds s each:"
failed=0
running=0
for target in $targets; do
  [ $running -lt "${FUZZ_JOBS:-2}" ] || { wait -n || failed=1; running=$((running - 1)); }
  fuzz "$target" &
  running=$((running + 1))
done
while [ $running -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
[ $failed -eq 0 ] || exit 1

paths=portable
has() { grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' | grep -qx "$1"; }
has aes && has avx2 && has gfni && paths="$paths aesni"
has avx512bw && has gfni && paths="$paths gfni256"
for path in $paths; do replay "$path"; done
replayed=$(awk '{ sum += $1 } END { print sum }' "$work/replayed" | grouped)
echo "  all that was gathered, on SM4's paths $paths: $replayed inputs, no fault"
printf 'what the fuzzers gathered holds on SM4 paths: %s\t%s inputs\tTests/Evidence/fuzz.sh\n' \
  "$paths" "$replayed" >>"$claims"

[ -z "${FUZZ_KEEP:-}" ] || for target in $targets; do keep "$target" || exit 1; done
echo "fuzz: no fault in $(echo "$targets" | wc -w) fuzzers; $planted planted ones found"
