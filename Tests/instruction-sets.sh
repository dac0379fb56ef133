#!/usr/bin/env bash
# Holds the modules to their instruction sets: a processor without AVX must find none of it outside the modules that are
# entered only where it is there. Needs binutils and an x86-64 build; answers 0 if all is well, else names what is not.
#
#   Tests/instruction-sets.sh [directory of the build, default .build/release]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-.build/release}
[ "$(uname -m)" = x86_64 ] || { echo "nothing to check on $(uname -m)"; exit 0; }
[ -d "$build/KeyboardSM4.build" ] || { echo "no build in $build" >&2; exit 2; }

wide='KeyboardSM4AESNI KeyboardSM4GFNI256 KeyboardSM4GFNI512 KeyboardGHASHCarryless'
failures=0
modules=0
fail() { echo "$*" >&2; failures=$((failures + 1)); }

# Functions that hold an instruction coded with VEX or EVEX. All and only those are written with a leading v, but for
# `verr`, `verw` and virtualisation's, which no compiler emits.
vectorised() {
  objdump --disassemble --no-show-raw-insn "$1" |
    awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } $2 ~ /^v[a-z]/ || $2 ~ /^k(mov|or|and|xor|shift)/ { print name }' | sort -u
}

for directory in "$build"/*.build; do
  module=$(basename "$directory" .build)
  objects=("$directory"/*.o)
  [ -e "${objects[0]}" ] || continue
  modules=$((modules + 1))
  for object in "${objects[@]}"; do
    name=$module/$(basename "$object")
    case " $wide " in
      *" $module "*)
        # What several modules define, the linker takes from any of them. Such code must be baseline even here, unless
        # it is about this module's own types, which no other can define.
        weak=$(nm "$object" | awk '$2 ~ /^[WwVvu]$/ { print $3 }')
        for symbol in $(vectorised "$object" | tr -d '<>:'); do
          if grep -qxF -- "$symbol" <<<"$weak" && ! swift demangle "$symbol" | grep -q "$module\."; then
            fail "$name: $symbol is weak and not baseline"
          fi
        done
        ;;
      *)
        # The wiping of wide registers is assembly behind a check of its own (Sources/CKeyboardPlatform/residue.h).
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

echo "$modules modules checked, $failures faults"
[ "$failures" -eq 0 ]
