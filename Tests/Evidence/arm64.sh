#!/usr/bin/env bash
# The C library for arm64, built here and run under emulation: the C tests on three processors (cortex-a53 and
# neoverse-n1 have AES instructions, max also has SM4 instructions), on every path of SM4 that each has; the search for
# secrets in memory, in registers and on the stack; and whether SM4 executes the same instructions and accesses the same
# addresses for all keys and texts. Emulation shows whether results are right, not how fast they are: it can only count
# instructions.
#
#     bash Tests/Evidence/arm64.sh BUILD_DIR     CC (for the emulator's plugin), JOBS, CLAIMS, SEED from the environment
#
# Emulation cannot show what the kernel does (locked memory, memory left out of dumps or emptied by a fork; system.c
# does what qemu does not), so pages.c does not run. Nor can it show how a processor reorders memory accesses: threads.c
# runs with x86-64's order.
#
# make check: 560 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:?the directory to build in}" && build=$(cd "$1" && pwd)/aarch64-linux-gnu || exit 1
target=aarch64-linux-gnu
JOBS=${JOBS:-$(nproc)}
work=$(mktemp -d) || exit 1
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=()
fail() { failed+=("$1") && echo "$1: FAILED" >&2; }
claim() { printf '%s\t%s\t%s\n' "$1" "$2" "Tests/Evidence/arm64.sh" >>"${CLAIMS:-/dev/null}"; }
with_commas() { printf '%s' "$1" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta'; }

# ---- Building --------------------------------------------------------------------------------------------------------

env -u MAKEFLAGS -u MAKELEVEL make -C "$root" --no-print-directory TARGET=$target BUILD="$build" JOBS="$JOBS" \
  >"$work/make" 2>&1 || { cat "$work/make" >&2; exit 1; }
for tool in qemu-aarch64 $target-gcc $target-objdump "${CC:-cc}"; do
  command -v "$tool" >/dev/null || { echo "arm64: $tool is needed and was not found (Debian: qemu-user)" >&2; exit 1; }
done
sysroot=$build/sysroot
libraries=$sysroot/usr/lib/$target
static="$build/libcustomkeyboard.a $libraries/libmbedcrypto.a"
clients=$root/Tests/C foreign=$root/Tests/Evidence/arm64

compile() { # program source libraries and options…
  local program=$1 source=$2
  shift 2
  $target-gcc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I"$root/Include" -I"$clients" \
    -isystem "$sysroot/usr/include" -isystem "$sysroot/usr/include/$target" \
    -o "$work/$program" "$source" "$@" || fail "compiling $program"
}

# shellcheck disable=SC2086
compile traced "$root/Tests/Evidence/traced.c" $static
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/libtrace.so" "$foreign/trace.c" ||
  fail "compiling the plugin"
[ ${#failed[@]} -eq 0 ] || exit 1

# ---- Instructions ----------------------------------------------------------------------------------------------------

# Instructions that processors before ARMv8.1 lack, used directly or through a function of the compiler's library.
atomics='\b(ld(add|clr|eor|set|smax|smin|umax|umin)|st(add|clr|eor|set)|casp?|swp)(a|l|al)?[bh]?\b|__aarch64_'
printf '%s\n' '#include <stdatomic.h>' 'int add(atomic_int *a) { return atomic_fetch_add(a, 1); }' >"$work/atomic.c"
for option in -march=armv8.1-a -moutline-atomics; do
  $target-gcc -O2 $option -c -o "$work/atomic.o" "$work/atomic.c"
  $target-objdump -dr --no-show-raw-insn "$work/atomic.o" | grep -qE "$atomics" || fail "finding atomics of $option"
done
$target-objdump -dr --no-show-raw-insn "$build/libcustomkeyboard.a" >"$work/library"
looked_at=$(grep -cE '^ +[0-9a-f]+:' "$work/library")
grep -E "$atomics" "$work/library" >&2 && fail "atomics that older processors lack"

# The AES and SM4 instructions: each only in its own module.
modules=0
for directory in "$root/.build/$target/release/"*.build; do
  module=$(basename "$directory" .build)
  ls "$directory"/*.o >/dev/null 2>&1 || continue
  modules=$((modules + 1))
  for object in "$directory"/*.o; do
    $target-objdump -d --no-show-raw-insn "$object"
  done | awk '$2 ~ /^(aes|sm4|sha|sm3|pmull|bcax|eor3|rax1|xar)/ { print $2 }' | sort | uniq -c >"$work/found"
  case $module in
    KeyboardSM4NEON) allowed='aese' ;;
    KeyboardSM4ARMv8SM4) allowed='sm4e|sm4ekey' ;;
    KeyboardGHASHCarryless) allowed='pmull2?' ;;
    *) allowed='none' ;;
  esac
  if [ "$allowed" != none ] && ! grep -qwE "$allowed" "$work/found"; then
    fail "$module has no instruction of its own"
  fi
  awk '{print $2}' "$work/found" | grep -vxE "$allowed" >&2 && fail "$module has instructions that are not its own"
done
[ $modules -ge 10 ] || fail "looking at all modules ($modules)"
[ ${#failed[@]} -eq 0 ] &&
  claim "arm64: no newer atomics; AES's and SM4's instructions only in their modules" \
    "$(with_commas "$looked_at") instructions"
echo "arm64: $(with_commas "$looked_at") instructions of $modules modules looked at"

# ---- Running ---------------------------------------------------------------------------------------------------------

EMULATOR=$(command -v qemu-aarch64)
export EMULATOR QEMU_LD_PREFIX=/usr/$target QEMU_SET_ENV=LD_LIBRARY_PATH=$build:$libraries
unset LD_BIND_NOW
tasks=0

python3 -B "$root/Tests/Table/run.py" arm64 "$build" >"$work/programs" 2>&1 || fail "programs of the table"
cat "$work/programs"
# $1: whose; $2: 1 for the runs, 2 for the checks.
in_all() { sed -n "s/^$1, in all \([0-9]*\) runs, \([0-9]*\) checks\$/\\$2/p" "$work/programs"; }

# Starts a trace when a processor is free.
start() { # path, the plugin and its options
  while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do wait -n; done
  tasks=$((tasks + 1))
  echo "$1" >"$work/task.$tasks"
  (
    QEMU_CPU=max CUSTOM_KEYBOARD_SM4=$1 timeout 600 qemu-aarch64 -plugin "$2" "$work/traced" \
      >"$work/out.$tasks" 2>&1 &
    child=$!
    trap 'kill "$child"' TERM
    wait $!
    echo $? >"$work/status.$tasks"
  ) &
}
paths=(portable neon armv8sm4)
words=(KeyboardSM4 NEON ARMv8) # these words are in the names of the path's functions
for i in 0 1 2; do
  start "${paths[$i]}" "file=$work/libtrace.so,word=${words[$i]}"
done
wait

# ---- Results ---------------------------------------------------------------------------------------------------------

traces=0
compared=0

# Each kind of call has the same trace every time, except the controls; it uses the path's own instructions; and counts.
judge_trace() { # path output
  awk -v path="$1" '
    { if (!(($1, $2) in seen)) ways[$1]++; seen[$1, $2] = 1; lines[$1]++; own[$1] = $5 }
    END {
      for (kind in ways) {
        kinds++; all += lines[kind]
        if (lines[kind] != 8) bad = bad " " kind "(" lines[kind] " times)"
        if (kind ~ /^control/ ? ways[kind] < 2 : ways[kind] != 1) bad = bad " " kind "(" ways[kind] " ways)"
        if (kind !~ /^control/ && own[kind] == 0) bad = bad " " kind "(another path)"
      }
      if (kinds < 50) bad = bad " only " kinds " kinds of calls"
      if (bad) { print "bad:" bad; exit 1 }
      printf "%d traces; instructions of SM4 on the %s path: ", all, path
      printf "%.0f a block of many, %d for a key and a block, %.0f a password of 256\n",
        (own["cryptECB,8192,encryption"] - own["cryptECB,4096,encryption"]) / 4096,
        own["setup+block,encryption"], own["decryptBatch,256,one-block"] / 256
    }' "$2"
}

for ((i = 1; i <= tasks; i++)); do
  path=$(cat "$work/task.$i")
  if [ "$(cat "$work/status.$i" 2>/dev/null)" = 0 ] && result=$(judge_trace "$path" "$work/out.$i"); then
    traces=$((traces + 1)) compared=$((compared + ${result%% *}))
    echo "arm64: traced on the $path path: $result"
  else
    fail "traced on the $path path"
    tail -n 40 "$work/out.$i" >&2
  fi
done

if [ ${#failed[@]} -gt 0 ]; then
  printf 'arm64: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
claim "arm64, emulated: the C tests on three processors, each path of SM4; the vault's and the FIDO client's" \
  "$(with_commas "$(in_all arm64 2)") checks in $(in_all arm64 1) runs"
claim "arm64, emulated: no secret stays in memory, on the stack or in registers" \
  "$(with_commas "$(in_all "arm64, memory" 2)") checks in $(in_all "arm64, memory" 1) runs"
claim "arm64, emulated: SM4 constant-time, by all addresses on $traces paths" "$(with_commas "$compared") traces"
