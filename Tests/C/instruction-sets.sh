#!/usr/bin/env bash
# Checks which instructions the modules use: a processor without AVX must find AVX only in modules that are entered
# after a check for it. Then, that no function takes vectors apart in a loop, and that comparisons of secrets are
# constant-time (constant-time.py). Needs binutils, python3, a C compiler and an x86-64 build; exits with 0 if all is
# well, otherwise names what is wrong.
#
#   Tests/C/instruction-sets.sh [directory of the build, default .build/release]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-.build/release}
[ "$(uname -m)" = x86_64 ] || { echo "nothing to check on $(uname -m)"; exit 0; }
[ -d "$build/KeyboardSM4.build" ] || { echo "no build in $build" >&2; exit 2; }

wide='KeyboardSM4AESNI KeyboardSM4GFNI256 KeyboardSM4GFNI512 KeyboardSM4Jobs KeyboardGHASHCarryless'
wide="$wide KeyboardArgon2AVX2 KeyboardKeccakAVX2 KeyboardLatticeAVX2 KeyboardSHA256Instructions KeyboardCurvesIFMA"
wide="$wide KeyboardChaCha20AVX512 KeyboardRSAIFMA"
failures=0
modules=0
fail() { echo "$*" >&2; failures=$((failures + 1)); }

# Functions with an instruction that is coded with VEX or EVEX. The names of exactly these instructions begin with v,
# except `verr`, `verw` and those for virtualisation, which no compiler emits. SHA-256's instructions are older, and so
# are those of SSSE3 and SSE4.1 that come with them.
vectorised() {
  objdump --disassemble --no-show-raw-insn "$1" |
    awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } $2 ~ /^v[a-z]/ || $2 ~ /^k(mov|or|and|xor|shift)/ ||
      $2 ~ /^(sha256|pshufb|palignr|pblend|pinsr[bdq]|pextr[bdq])/ { print name }' | sort -u
}

# Functions that store a vector to the stack, and read its words there in a loop. An operator of the standard library's
# vectors is such a loop, if the compiler does not write it out, and code with it is three times as slow. Functions that
# index a small table on their stack have up to three such places.
taken_apart() {
  objdump --disassemble --no-show-raw-insn "$1" | awk '
    /^[0-9a-f]+ <.*>:$/ { name = $2; split("", stored) }
    $2 ~ /^v?mov[aud]/ && $3 ~ /^%[xyz]mm[0-9]+,-?(0x[0-9a-f]+)?\(%r[sb]p\)$/ { split($3, to, ","); stored[to[2]] = 1 }
    match($3, /-?(0x[0-9a-f]+)?\(%r[sb]p,%r[0-9a-z]+,[18]\)/) {
      place = substr($3, RSTART, RLENGTH)
      sub(/,%r[0-9a-z]+,[18]\)/, ")", place)
      if (place in stored && ++found[name] == 4) print name
    }'
}

for directory in "$build"/*.build; do
  module=$(basename "$directory" .build)
  objects=("$directory"/*.o)
  [ -e "${objects[0]}" ] || continue
  modules=$((modules + 1))
  for object in "${objects[@]}"; do
    name=$module/$(basename "$object")
    # Field256x8.store writes out eight lanes, once.
    for symbol in $(taken_apart "$object" | grep -v '10Field256x8V5store_'); do
      fail "$name: $symbol takes vectors apart"
    done
    case " $wide " in
      *" $module "*)
        # If several modules define a symbol, the linker takes any of them. Such code must be baseline even here, unless
        # it belongs to this module's own types, which no other module can define.
        weak=$(nm "$object" | awk '$2 ~ /^[WwVvu]$/ { print $3 }')
        for symbol in $(vectorised "$object" | tr -d '<>:'); do
          if grep -qxF -- "$symbol" <<<"$weak" && ! swift demangle "$symbol" | grep -q "$module\."; then
            fail "$name: $symbol is weak and not baseline"
          fi
        done
        ;;
      *)
        # The code that wipes wide registers is assembly with its own check (Sources/CKeyboardPlatform/residue.h).
        for symbol in $(vectorised "$object" | grep -v '^<keyboard_wipe_[yz]mm>:$'); do
          fail "$name: $symbol is not baseline"
        done
        ;;
    esac
  done
done

for module in $wide; do
  found=$(for object in "$build/$module.build/"*.o; do vectorised "$object"; done | wc -l)
  [ "$found" -gt 0 ] || fail "$module: no vector instruction found; is this check looking at all?"
done

# Comparisons of secrets have no jump that depends on them.
python3 Tests/C/constant-time.py "$build" || fail "a comparison is not constant-time"

echo "$modules modules checked, $failures faults"
[ "$failures" -eq 0 ]
