#!/usr/bin/env bash
# The frameworks for iPhones: what is in their files, and their code, run here. A loader (Tests/Darwin) maps the library
# and programs of Tests/C as Mach-O, with pages of 16 KB, and takes the place of libSystem; qemu is the processor. Each
# part is also run with something broken, and must fail.
#
#     bash Tests/Evidence/ios.sh BUILD_DIR     CLAIMS from the environment
#
# SQLite is Linux's for arm64, of Debian's package: BUILD_DIR/aarch64-linux-gnu gets it.
#
# This shows what the code does. It cannot show what Apple's kernel, its dynamic linker, Xcode and a phone do.
#
# make check: 420 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
ios=$root/build/ios
target=aarch64-linux-gnu
mkdir -p "${1:?the directory to build in}/$target" && foreign=$(cd "$1/$target" && pwd) || exit 1
cd "$root" || exit 1
work=$(mktemp -d) || exit 1
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=() checks=0 runs=0
fail() { failed+=("$1") && echo "$1: FAILED" >&2; }
claim() { printf '%s\t%s\t%s\n' "$1" "$2" "Tests/Evidence/ios.sh" >>"${CLAIMS:-/dev/null}"; }
with_commas() { printf '%s' "$1" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta'; }

# ---- Building --------------------------------------------------------------------------------------------------------

env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory xcframework >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && exit 1; }
tail -n 3 "$work/log"
clang=$(dirname "$(realpath "$(command -v "${SWIFT:-swift}")")")/clang
all_libraries=()
for name in CCustomKeyboard CCustomVault CCustomFido; do
  all_libraries+=("$ios/$name.xcframework/ios-arm64/$name.framework/$name")
done
library=${all_libraries[0]}

# Darwin's open headers, of PyPI's ziglang: to compile the tests with, and to compare ours with.
wheel=ziglang-0.17.0 headers=$ios/darwin-headers
if [ ! -e "$headers/$wheel" ]; then
  echo "ziglang==0.17.0 --hash=sha256:97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b" >"$work/wanted"
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps \
      --only-binary :all: --platform manylinux2010_x86_64 -d "$work" --require-hashes -r "$work/wanted" &&
    (cd "$work" && python3 -m zipfile -e $wheel-*.whl wheel) && rm -rf "$headers" &&
    cp -r "$work/wheel/ziglang/lib/libc/include/any-darwin-any" "$headers" &&
    touch "$headers/$wheel"; } >"$work/log" 2>&1 ||
    { cat "$work/log" >&2 && echo "ios: no headers of Darwin's" >&2 && exit 1; }
fi

# ---- Files and declarations ------------------------------------------------------------------------------------------

count() { sed -n 's/^[^:]*: \([0-9]*\) checks$/\1/p' "$1" | tail -n 1; }
for name in refused declarations; do
  case $name in
    refused) set -- "$ios/CCustomVault.xcframework" ;;
    declarations) set -- "$clang" "$headers" ;;
  esac
  python3 -B Tests/Darwin/$name.py "$@" >"$work/$name" || fail $name
  cat "$work/$name"
done
frameworks=()
for name in CCustomKeyboard CCustomVault CCustomFido; do frameworks+=(-F "$ios/$name.xcframework/ios-arm64"); done
for language in c objective-c; do
  "$clang" -target arm64-apple-ios16.0 -x $language -fmodules -fmodules-cache-path="$work/modules" -nostdlibinc \
    -isystem Sources/Darwin/include "${frameworks[@]}" -Wall -Wextra -Werror -fsyntax-only Tests/Darwin/client.c ||
    fail "a client in $language"
done

# Where a crash was, a file and a line; and no path of this machine.
tools=$(dirname "$clang")
symbols=$ios/CCustomKeyboard.xcframework/ios-arm64/dSYMs/CCustomKeyboard.framework.dSYM/Contents/Resources/DWARF
address=$("$tools/llvm-nm" "$symbols/CCustomKeyboard" | sed -n 's/^\([0-9a-f]*\) t .*6X25519O6ladder.*/0x\1/p')
for file in "$symbols/CCustomKeyboard" "$library"; do
  "$tools/llvm-symbolizer" --obj="$file" "$address" | grep -q 'KeyboardCurves/X25519.swift:[1-9]' && echo "$file"
done >"$work/with-lines"
[ "$(cat "$work/with-lines")" = "$symbols/CCustomKeyboard" ] || fail "lines are in the .dSYM, and only there"
grep -aq 'swift/lib/swift/shims' "$symbols/CCustomKeyboard" || fail "finding a path in the .dSYM"
grep -aqF -e "$root/" -e "${tools%/bin}/" "$symbols/CCustomKeyboard" && fail "a path of this machine is in the .dSYM"

# The same bytes from another folder: another build.
sh Tests/Tree/reproducible.sh xcframework build/ios/CCustom{Keyboard,Vault,Fido}.xcframework \
  >"$work/reproducible" 2>&1 || { fail "the same files from two folders" && cat "$work/reproducible" >&2; }
tail -n 1 "$work/reproducible"

# ---- Running ---------------------------------------------------------------------------------------------------------

env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory TARGET=$target BUILD="$foreign" "$foreign/sysroot/complete" \
  >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
sqlite=$foreign/sysroot/usr/lib/$target
$target-gcc -std=gnu11 -O2 -Wall -Wextra -Werror -isystem "$foreign/sysroot/usr/include" -o "$work/darwin-run" \
  Tests/Darwin/image.c Tests/Darwin/system.c Tests/Darwin/files.c Tests/Darwin/calls.S -L"$sqlite" -lsqlite3 -lm \
  -Wl,-z,now -Wl,-rpath,"$sqlite" || exit 1

# A program is linked with the libraries in `libraries`.
compile() { # program source options…
  "$clang" -target arm64-apple-ios$oldest -nostdlibinc -isystem "$headers" -std=c11 -O2 -D_FORTIFY_SOURCE=0 \
    -D_DONT_USE_CTYPE_INLINE_ -IInclude -ITests/C "${@:3}" -c "$2" -o "$work/$1.o" &&
    "${IOS_LINKER:-ld64.lld-19}" -execute -arch arm64 -platform_version ios $oldest $oldest -e _main -o "$work/$1" \
      "$work/$1.o" "${libraries[@]}" -undefined dynamic_lookup -fixup_chains || fail "compiling $1"
}
start() { # program arguments…
  local needed=$library
  [[ " ${upper[*]} " != *" $1 "* ]] || needed=$(IFS=: && echo "${all_libraries[*]}")
  QEMU_CPU=max timeout 600 qemu-aarch64 -L /usr/$target "$work/darwin-run" "$needed" "$work/$1" "${@:2}"
}
attempt() { # program arguments…
  start "$@" >"$work/$1.out" 2>&1 || { fail "$1" && tail -n 20 "$work/$1.out" >&2; }
  tail -n 1 "$work/$1.out"
}
# Not here, and why: forks, signals and cancellation (Linux's own tests), OpenSSL as a peer, what searches the library's
# memory by sizes of Linux's tables, and what takes the place of Linux's clocks, disk or SQLite.
programs=$(cat Tests/Darwin/programs.txt)
oldest=15.0 libraries=("$library")
compile state Tests/Darwin/state.c
for name in $programs; do
  less=4
  [ "$name" != placement ] || less=1 # its number of repetitions is that of its statistics
  compile "$name" "Tests/C/$name.c" -w -DLESS=$less
done
# Of the vault and the FIDO client: each row of their headers, files and rights, and locks by a phone's clocks.
upper=(locks vault vault_rows fido_rows)
oldest=16.0 libraries=("${all_libraries[@]}")
compile locks Tests/Darwin/locks.c
compile vault Tests/C/vault.c -w
compile vault_rows Tests/C/causes.c -w -DVAULT_CALLS
compile fido_rows Tests/C/causes.c -w -DFIDO_CALLS
[ ${#failed[@]} -eq 0 ] || exit 1
for name in state $programs "${upper[@]}"; do
  arguments=()
  [ "$name" != vectors ] || arguments=(Tests/Vectors)
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
  attempt "$name" "${arguments[@]}" &
done
wait
for name in state $programs "${upper[@]}"; do
  one=$(count "$work/$name.out")
  [ "${one:-0}" -gt 0 ] && ! grep -q 'checks failed\|must hold\|darwin-run:\|at least' "$work/$name.out" || fail "$name"
  checks=$((checks + ${one:-0})) runs=$((runs + 1))
done

# Something is broken, and a program must fail.
breaks() { # what program
  if DARWIN_RUN=$1 start "$2" >"$work/broken" 2>&1; then fail "$2 does not notice: $1"; fi
  broken=$((broken + 1))
}
broken=0
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
  printf 'ios: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
claim "iPhones' code, emulated: C tests of all products with pages of 16 KB; DIT, locked memory, threads as they were" \
  "$(with_commas $checks) checks in $runs runs; $broken things broken, and noticed"
claim "iPhones' frameworks: the same bytes from two folders, debug symbols too" \
  "$(sed -n 's/^reproducible: \([0-9]*\) files.*/\1/p' "$work/reproducible") files"
claim "iPhones' frameworks: what an upload would refuse is refused, one fault planted after another" \
  "$(count "$work/refused") checks"
claim "iPhones: own declarations compared with Darwin's open headers; nothing newer than iOS 15" \
  "$(count "$work/declarations") checks"
echo "ios: $(with_commas $checks) checks in $runs runs, $broken things broken and noticed"
