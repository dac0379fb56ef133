# What the checks written in sh begin with: where things are, a directory that is gone afterwards, how a claim is made
# Start of every check written in sh: directories, a temporary directory that is removed at the end, functions for
# claims, and the paths of SM4 that this processor has.
#     . "$(dirname "$0")/begin.sh"          with BUILD_DIR as the script's first argument
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
set -u
name=$(basename "$0" .sh)
check=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$check/../.." && pwd)
clients=$root/Tests/C
vectors=$root/Tests/Vectors
build=$(cd "${1:?the directory of libcustomkeyboard.so}" && pwd) || exit 1
CC=${CC:-gcc} SWIFT=${SWIFT:-swift} JOBS=${JOBS:-2} CLAIMS=${CLAIMS:-/dev/null}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

flags="-std=c11 -O2 -g -Wall -Wextra -Wpedantic -Werror -I$root/Include -I$clients"
static="$build/libcustomkeyboard.a -lmbedcrypto"
shared="-L$build -lcustomkeyboard -Wl,-rpath,$build"

# The C programs that run under sanitizers and valgrind: those of `make test` that need nothing special, and two more.
programs="vectors monte_carlo contract arguments text padding kept sealed sealed_keys sealed_arguments alike received
  signing signing_peers key_peers passcode derive derive_peers typed causes pin dukpt verifier differential
  differential_million batch unseal_batch job_race placement threads two_copies fork fork_inside limits hostile layout
  order touch callbacks callback_end callback_inside layout_threads cancel cancel_alone"

# Those of the vault, which need both libraries as shared ones: they put functions of their own in place of some.
# vault_residue searches all memory; vault_kill kills processes before they have done anything there.
vault_programs="vault vault_damage vault_together vault_passcode vault_meanwhile vault_passcode_key vault_rekey
  vault_faults vault_tries vault_power vault_words vault_model vault_cancel vault_fork vault_beside vault_places
  vault_checkpoint vault_files vault_attacked vault_newest vault_refused"
vault_arguments() { # program, how much less than in `make test`
  case $1 in
    vault_damage) echo $((40 * $2)) ;;
    vault_meanwhile) echo 60 ;;
    vault_faults) echo $((60 * $2)) ;;
    vault_tries) echo $((60 * $2)) "$2" ;;
    vault_power) echo 12 1 ;;
    vault_words) echo "$vectors/bip39.txt" ;;
    vault_model) echo $((10000 / $2)) ;;
    vault_cancel | vault_fork) echo "$root/Include/custom_vault.h" $((20 / $2)) ;;
  esac
}

fail() { # why [file whose end to show]
  echo "$name: $1" >&2
  [ $# -lt 2 ] || tail -n 60 "$2" >&2
  exit 1
}

# Prints a line of the driver's table: the claim, its cases, and the files that prove it (this script if not given).
claim() { # claim cases [files]
  printf '%s\t%s\t%s\n' "$1" "$2" "${3:-Tests/Evidence/$name.sh}" >>"$CLAIMS"
  echo "proved: $1 ($2)"
}

# 1234567 as 1,234,567.
grouped() { printf '%s' "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/' -e 'tagain'; }

# The paths that the processor has. If told to use another, the library takes its best one.
has() { grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' | grep -qx "$1"; }
paths=portable
if has aes && has avx2; then paths="$paths aesni"; fi
if has gfni && has avx2; then paths="$paths gfni256"; fi
if has gfni && has avx512bw && has avx512vl; then paths="$paths gfni512"; fi

# A program that `make test` runs must be in the list above.
for program in $(sed -n 's/^run \([a-z_]*\).*/\1/p' "$clients/run.sh"); do
  case " $(echo "$programs" | tr '\n' ' ') " in
    *" $program "*) ;;
    *) fail "$program.c is not among the programs listed in begin.sh" ;;
  esac
done
for program in $(sed -n 's/^compile \(vault[a-z_]*\) .*/\1/p' "$clients/run.sh"); do
  case " $(echo "$vault_programs" | tr '\n' ' ') vault_residue vault_kill vault_example " in
    *" $program "*) ;;
    *) fail "$program.c is not among the vault's programs listed in begin.sh" ;;
  esac
done
