#!/bin/sh
# The tool as `make install-tool` installs it: it runs without a Swift toolchain, prints its version and the paper's
# ciphertext, bash accepts its completions, and uninstall-tool leaves nothing.
#
#     sh Tests/Evidence/tool.sh BUILD_DIR          two minutes, nearly all of them building
#
# make check: 240 seconds, heavy
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made tool
make -s -C "$root" install-tool PREFIX="$work/a prefix" >"$work/log" 2>&1 || fail "make install-tool" "$work/log"
tool="$work/a prefix/bin/keyboard" cases=0
expect() { # what got wanted
  [ "$2" = "$3" ] || fail "$1: expected '$3', got '$2'"
  cases=$((cases + 1))
}
alone() { env -i PATH=/usr/bin:/bin "$tool" "$@"; }

expect "libraries of Swift's that it needs" "$(readelf -d "$tool" | grep NEEDED | grep -ci swift)" 0
version=$(sed -n 's/^#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' "$root/Include/custom_keyboard.h")
expect "its version" "$(alone --version)" "$version"
printf 8907654329807654 | od -An -tx1 | tr -d ' \n' >"$work/key" && chmod 600 "$work/key"
expect "the paper's ciphertext" "$(printf 'kgcx879@' | alone encrypt --way sm4 --key-file "$work/key")" \
  0f413569eb66b50be0c1db9c518fb909
expect "paths of the builder's" "$(strings -a "$tool" | grep -c "$root")" 0
completions="$work/a prefix/share/bash-completion/completions/keyboard"
expect "what bash completes" "$(bash -c '. "$1" && complete -p keyboard' bash "$completions" | sed 's/.* //')" keyboard
# shellcheck disable=SC2016
for command in pad encrypt decrypt layout; do
  for file in bash-completion/completions/keyboard zsh/site-functions/_keyboard fish/vendor_completions.d/keyboard.fish
  do
    grep -q "$command" "$work/a prefix/share/$file" || fail "$file does not know $command"
    cases=$((cases + 1))
  done
done
make -s -C "$root" uninstall-tool PREFIX="$work/a prefix" >"$work/log" 2>&1 || fail "make uninstall-tool" "$work/log"
expect "what uninstall-tool leaves" "$(find "$work/a prefix" ! -type d)" ''
claim "the installed tool runs without Swift; completions for bash, zsh, fish; nothing is left behind" "$cases cases"
