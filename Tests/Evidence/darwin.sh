#!/usr/bin/env bash
# The frameworks for iPhones: their code, run here. A loader (Tests/Darwin) maps the libraries and programs of Tests/C
# as Mach-O, with pages of 16 KB, and takes the place of libSystem; qemu is the processor. Each part is also run with
# something broken, and must fail. (ios.sh looks at the files.)
#
#     bash Tests/Evidence/darwin.sh BUILD_DIR [PROGRAM…]     CLAIMS, JOBS from the environment; all programs, or these
#
# SQLite is Linux's for arm64, of Debian's package: BUILD_DIR/aarch64-linux-gnu gets it.
#
# This shows what the code does. It cannot show what Apple's kernel, its dynamic linker, Xcode and a phone do.
#
# make check: 300 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
ios=$root/build/ios headers=$root/build/ios/darwin-headers target=aarch64-linux-gnu
mkdir -p "${1:?the directory to build in}/$target" && foreign=$(cd "$1/$target" && pwd) || exit 1
shift
cd "$root" || exit 1
work=$(mktemp -d) || exit 1
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=() checks=0 runs=0
fail() { failed+=("$1") && echo "$1: FAILED" >&2; }
with_commas() { printf '%s' "$1" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta'; }

# ---- Building --------------------------------------------------------------------------------------------------------

for made in "xcframework" "TARGET=$target BUILD=$foreign $foreign/sysroot/complete"; do
  # shellcheck disable=SC2086
  env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory $made >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
done
sh mk/ios/headers.sh "$headers" || exit 1
clang=$(dirname "$(realpath "$(command -v "${SWIFT:-swift}")")")/clang
all_libraries=()
for name in CCustomKeyboard CCustomVault CCustomFido; do
  all_libraries+=("$ios/$name.xcframework/ios-arm64/$name.framework/$name")
done
sqlite=$foreign/sysroot/usr/lib/$target
$target-gcc -std=gnu11 -O2 -Wall -Wextra -Werror -isystem "$foreign/sysroot/usr/include" -o "$work/darwin-run" \
  Tests/Darwin/image.c Tests/Darwin/system.c Tests/Darwin/files.c Tests/Darwin/calls.S -L"$sqlite" -lsqlite3 -lm \
  -Wl,-z,now -Wl,-rpath,"$sqlite" || exit 1


# ---- Programs --------------------------------------------------------------------------------------------------------

# Not here, and why: forks, signals and cancellation (Linux's own tests), OpenSSL as a peer, what searches the library's
# memory by sizes of Linux's tables, and what takes the place of Linux's clocks, disk or SQLite.
read -ra of_keyboard < <(tr '\n' ' ' <Tests/Darwin/programs.txt)
# Of the vault and the FIDO client: each row of their headers, files and rights, and locks by a phone's clocks.
above=(locks vault vault_rows fido_rows)
all=(state "${of_keyboard[@]}" "${above[@]}")
programs=("$@")
[ ${#programs[@]} -gt 0 ] || programs=("${all[@]}")

is_above() { [[ " ${above[*]} " == *" $1 "* ]]; }
compile() { # program source options…
  local oldest=15.0 libraries=("${all_libraries[0]}")
  is_above "$1" && oldest=16.0 && libraries=("${all_libraries[@]}")
  "$clang" -target arm64-apple-ios$oldest -nostdlibinc -isystem "$headers" -std=c11 -O2 -D_FORTIFY_SOURCE=0 \
    -D_DONT_USE_CTYPE_INLINE_ -IInclude -ITests/C "${@:3}" -c "$2" -o "$work/$1.o" &&
    "${IOS_LINKER:-ld64.lld-19}" -execute -arch arm64 -platform_version ios $oldest $oldest -e _main -o "$work/$1" \
      "$work/$1.o" "${libraries[@]}" -undefined dynamic_lookup -fixup_chains || fail "compiling $1"
}
for name in "${programs[@]}"; do
  less=4
  [ "$name" != placement ] || less=1 # its number of repetitions is that of its statistics
  case $name in
    state | locks) compile "$name" Tests/Darwin/"$name".c ;;
    vault_rows) compile "$name" Tests/C/causes.c -w -DVAULT_CALLS ;;
    fido_rows) compile "$name" Tests/C/causes.c -w -DFIDO_CALLS ;;
    *) compile "$name" "Tests/C/$name.c" -w -DLESS=$less ;;
  esac
done
[ ${#failed[@]} -eq 0 ] || exit 1

start() { # program arguments…
  local loaded=${all_libraries[0]}
  is_above "$1" && loaded=$(IFS=: && echo "${all_libraries[*]}")
  QEMU_CPU=max timeout 600 qemu-aarch64 -L /usr/$target "$work/darwin-run" "$loaded" "$work/$1" "${@:2}"
}
attempt() { # program arguments…
  start "$@" >"$work/$1.out" 2>&1 || echo "$1: ended with $?" >>"$work/$1.out"
  sed "s/^causes: /$1: /" "$work/$1.out" | tail -n 1
}
for name in "${programs[@]}"; do
  arguments=()
  [ "$name" != vectors ] || arguments=(Tests/Vectors)
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
  attempt "$name" "${arguments[@]}" &
done
wait
for name in "${programs[@]}"; do
  one=$(sed -n 's/^[^:]*: \([0-9]*\) checks$/\1/p' "$work/$name.out" | tail -n 1)
  if grep -q 'checks failed\|must hold\|darwin-run:\|at least\|ended with' "$work/$name.out" || [ "${one:-0}" -eq 0 ]
  then
    fail "$name" && tail -n 20 "$work/$name.out" >&2
  fi
  checks=$((checks + ${one:-0})) runs=$((runs + 1))
done

# ---- Something is broken, and a program must fail --------------------------------------------------------------------

broken=0
breaks() { # what program
  [[ " ${programs[*]} " == *" $2 "* ]] || return 0
  if DARWIN_RUN=$1 start "$2" >"$work/broken" 2>&1; then fail "$2 does not notice: $1"; fi
  broken=$((broken + 1))
}
breaks wiping kept
breaks pages contract
breaks random placement
breaks dit state
breaks locking state
breaks inheritance state
breaks clocks locks
breaks rights vault
breaks links vault_rows

if [ ${#failed[@]} -gt 0 ]; then
  printf 'darwin: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
[ ${#programs[@]} -ne ${#all[@]} ] || printf '%s\t%s\t%s\n' \
  "iPhones' code, emulated: C tests of all products with pages of 16 KB; DIT, locked memory, threads as they were" \
  "$(with_commas $checks) checks in $runs runs; $broken things broken, and noticed" Tests/Evidence/darwin.sh \
  >>"${CLAIMS:-/dev/null}"
echo "darwin: $(with_commas $checks) checks in $runs runs, $broken things broken and noticed"
