#!/bin/sh
# What `make` does on other machines: `install` without a compiler, as root and as an ordinary user; paths with a space;
# a relative PREFIX; DEPS=no; help; the tool's installation. No Swift is compiled: a copy of the tree takes what
# BUILD_DIR contains.
#
#     sh make.sh BUILD_DIR WORK_DIR [MAKEFILE]          CC from the environment; the Makefile to be tested
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$(cd "$1" && pwd) work=$2/make checks=0
root=$(cd "$here/../.." && pwd)
makefile=${3:-$root/Makefile}
CC=${CC:-cc}
row='0f413569eb66b50be0c1db9c518fb909 Done.'
MAKEFLAGS='' MFLAGS='' MAKELEVEL=''
export MAKEFLAGS MFLAGS MAKELEVEL
unset PREFIX DESTDIR LIBDIR INCLUDEDIR DEPS LDCONFIG 2>/dev/null || true
mkdir -p "$work"
wrong=

fail() { echo "make.sh: $1" >&2 && wrong=yes; }
check() { checks=$((checks + 1)); }
expect() { # what got wanted
  check
  [ "$2" = "$3" ] || fail "$1: expected '$3', got '$2'"
}
contains() { # what text words
  check
  case $2 in *"$3"*) ;; *) fail "$1: expected '$3' in: $2" ;; esac
}

# ---- A copy of the built tree, in a directory with a space in its name
tree="$work/a b"
rm -rf "$tree" && mkdir -p "$tree/build" "$tree/Examples"
cp -a "$makefile" "$tree/Makefile"
cp -a "$root/LICENSE" "$root/mk" "$root/Include" "$root/Messages" "$root/Sources" "$root/Package.swift" "$tree/"
cp -a "$root/Examples/c-demo" "$tree/Examples/"
cp -a "$root/Docs" "$tree/"
cp -a "$build"/lib*.* "$tree/build/"
touch "$tree/build/built"

# ---- Stubs that record their names, for a PATH that contains only these and what copying needs
stubs=$work/stubs tools=$work/tools called=$work/called
rm -rf "$stubs" "$tools" && mkdir -p "$stubs" "$tools" "$work/ids"
for name in swift swiftc cc gcc clang ld ar objcopy apt-get sudo pkg-config ldconfig; do
  printf '#!/bin/sh\necho "%s $*" >>"%s"\n' $name "$called" >"$stubs/$name"
done
for name in swift apt-get sudo; do echo 'exit 1' >>"$stubs/$name"; done
printf '#!/bin/sh\nexit 1\n' >"$stubs/dpkg-query" # no package is installed
for name in sh make install ln rm mkdir mv sed printf touch find realpath dirname cat head env; do
  ln -s "$(command -v $name)" "$tools/$name"
done
for user in 0 1000; do
  mkdir -p "$work/ids/$user"
  printf '#!/bin/sh\necho %s\n' $user >"$work/ids/$user/id"
done
chmod +x "$stubs"/* "$work"/ids/*/id

# make under sudo (0) or as an ordinary user (1000), without a compiler: its status, its output, and the stubs it
# called.
bare() { # user arguments…
  user=$1
  shift
  : >"$called"
  status=0
  sudo=
  [ "$user" -ne 0 ] || sudo=SUDO_UID=1000
  # shellcheck disable=SC2086
  said=$(cd "$tree" && env -i $sudo PATH="$work/ids/$user:$stubs:$tools" make "$@" 2>&1) || status=$?
  calls=$(sed 's/ .*//' "$called" | sort -u | tr '\n' ' ')
}
list() { (cd "$1" && find . ! -type d | LC_ALL=C sort | tr '\n' ' '); }
names() { find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort; }
in_tree() { names "$tree" | tr '\n' ' '; }
in_work() { names "$work" | grep -vx 'called\|dest\|log' | tr '\n' ' '; }
before=$(in_tree)
around=$(in_work)
version=$(sed -n 's/^#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' "$root/Include/custom_keyboard.h")

# ---- install only copies
dest=$work/dest
bare 0 install DESTDIR="$dest" PREFIX=/opt/keyboard
expect "install as root, without a compiler" "$status" 0
expect "what install called, with DESTDIR" "$calls" ""
contains "installed" "$(list "$dest/opt/keyboard" 2>/dev/null || true)" "./lib/libcustomkeyboard.so.$version"
rm -rf "$dest"
bare 1000 install PREFIX="$dest"
expect "install as an ordinary user, without a compiler" "$status" 0
expect "what install called, as an ordinary user" "$calls" ""
contains "installed" "$(list "$dest" 2>/dev/null || true)" "./lib/libcustomkeyboard.so.$version"
rm -rf "$dest"
bare 0 install PREFIX="$dest"
expect "install as root, for this system" "$status" 0
expect "what install called, as root" "$calls" "ldconfig "
expect "install leaves build/ as it was" "$(cd "$tree/build" && find . -newer built)" ""
bare 0 uninstall PREFIX="$dest"
expect "what uninstall called, as root" "$calls" "ldconfig "
bare 0 install PREFIX="$dest" LDCONFIG="touch '$work/links'"
expect "another LDCONFIG" "$status$calls$(ls "$work/links" 2>&1)" "0$work/links"
rm -rf "$dest" "$work/links"

# ---- Root never builds what is missing or outdated
for case in outdated missing; do
  [ $case = outdated ] && touch "$tree/Sources/CustomKeyboard/Keyboard.swift"
  [ $case = missing ] && mv "$tree/build" "$work/kept"
  bare 0 install PREFIX="$dest"
  check
  [ "$status" -ne 0 ] || fail "install as root succeeds though build/ is $case"
  contains "what install says when build/ is $case" "$said" 'run `make` first'
  expect "what install called as root when build/ is $case" "$calls" ""
  check
  [ ! -e "$dest" ] || fail "install as root began though build/ is $case"
  bare 1000 install PREFIX="$dest" DEPS=no
  contains "what install called as an ordinary user when build/ is $case" "$said$calls" 'swift'
  rm -rf "$dest"
done
rm -rf "$tree/build" && mv "$work/kept" "$tree/build" && touch "$tree/build/built"
touch "$tree/Sources/KeyboardTool/KeyboardTool.swift"
bare 0 install PREFIX="$dest"
expect "install as root after an edit of the tool, which the library does not contain" "$status" 0
rm -rf "$dest"

# ---- Spaces in the tree's path and in PREFIX; a relative PREFIX
real() {
  (cd "$tree" && make -s -o all -o setup CC="$CC" "$@") >"$work/log" 2>&1 || fail "make $*: $(cat "$work/log")"
}
real demo
contains "the demonstration, in a tree with a space" "$(cat "$work/log")" 0f413569eb66b50be0c1db9c518fb909
spaced="$work/x y/inst"
real install PREFIX="$spaced" LDCONFIG=:
contains "installed below a space" "$(list "$spaced" 2>/dev/null || true)" "./lib/libcustomkeyboard.so.$version"
check
if (
  PKG_CONFIG_PATH=$spaced/lib/pkgconfig && export PKG_CONFIG_PATH
  eval "'$CC' -o '$work/spaced' '$here/user.c' $(pkg-config --cflags --libs customkeyboard)"
); then
  expect "a program compiled through pkg-config below a space" \
    "$(LD_LIBRARY_PATH="$spaced/lib" "$work/spaced")" "$row"
else
  fail "pkg-config below a space"
fi
real uninstall PREFIX="$spaced" LDCONFIG=:
expect "uninstalled below a space" "$(list "$work/x y" 2>/dev/null)" ""
real install DESTDIR="$work/x y/dest dir" PREFIX=/usr LDCONFIG=:
contains "installed in a DESTDIR with a space" "$(list "$work/x y" 2>/dev/null || true)" \
  "./dest dir/usr/lib/pkgconfig/customkeyboard.pc"
rm -rf "$work/x y" "$work/spaced" "$work/log"
expect "what is left in the tree" "$(in_tree)" "$before"
expect "what is left next to the tree" "$(in_work)" "$around"

real install PREFIX=rel/inst LDCONFIG=:
expect "the prefix of a relative PREFIX" "$(sed -n 's/^prefix=//p' "$tree/rel/inst/lib/pkgconfig/customkeyboard.pc")" \
  "$tree/rel/inst"
expect "the library's directory of a relative PREFIX" \
  "$(PKG_CONFIG_PATH="$tree/rel/inst/lib/pkgconfig" pkg-config --variable=libdir customkeyboard)" "$tree/rel/inst/lib"

# ---- Packages
bare 1000 setup
contains "what setup called where packages are missing" "$calls" sudo
bare 0 setup
contains "what setup called where packages are missing, as root" "$calls" apt-get
bare 0 setup DEPS=no
expect "apt-get with DEPS=no" "$(echo "$calls" | tr ' ' '\n' | grep -c 'apt-get\|sudo')" 0
bare 0 all DEPS=no
expect "apt-get in a build with DEPS=no" "$(echo "$calls" | tr ' ' '\n' | grep -c 'apt-get\|sudo')" 0

# ---- help names every target and every variable that a user may want
bare 1000 help
expect "make help" "$status$calls" 0
for word in demo test lint check mutation fuzz bench 'bench CHECK=1' install uninstall tool install-tool \
  uninstall-tool release clean; do
  contains "make help" "$said" "make $word "
done
for word in PREFIX= DESTDIR= DEPS=no LIBDIR INCLUDEDIR CC SWIFT JOBS MBEDTLS= LDCONFIG; do
  contains "make help" "$said" "$word"
done
for target in $(echo "$said" | sed -n 's/^ *make \([a-z-]*\) .*/\1/p' | sort -u); do
  check
  grep -q "^\([a-z -]* \)\{0,1\}$target\( [a-z -]*\)\{0,1\}:" "$tree/Makefile" "$tree"/mk/*.mk ||
    fail "make help names $target, which is not a target"
done

# ---- The tool's installation, with a stand-in for the tool
mkdir -p "$tree/build/completions"
printf '#!/bin/sh\necho the tool\n' >"$tree/build/keyboard"
for file in keyboard _keyboard keyboard.fish; do echo "completions: $file" >"$tree/build/completions/$file"; done
chmod +x "$tree/build/keyboard" && touch "$tree/build/tool-built"
bare 0 install-tool PREFIX="$work/x y/inst"
expect "install-tool as root, without a compiler" "$status$calls" 0
expect "what install-tool installs" "$(list "$work/x y/inst" 2>/dev/null)" \
  "./bin/keyboard ./share/bash-completion/completions/keyboard ./share/fish/vendor_completions.d/keyboard.fish \
./share/man/man1/keyboard.1 ./share/zsh/site-functions/_keyboard "
expect "the installed tool" "$("$work/x y/inst/bin/keyboard" 2>/dev/null)" "the tool"
bare 0 uninstall-tool PREFIX="$work/x y/inst"
expect "what uninstall-tool leaves" "$(list "$work/x y/inst" 2>/dev/null)" ""
touch "$tree/Sources/KeyboardTool/KeyboardTool.swift"
bare 0 install-tool PREFIX="$work/x y/inst"
contains "what install-tool says when the tool is outdated" "$status $said" 'run `make tool` first'
expect "what install-tool called when the tool is outdated" "$calls" ""

[ -z "$wrong" ] || exit 1
[ "$checks" -ge 75 ] || { echo "make.sh: only $checks checks" >&2 && exit 1; }
echo "make: $checks checks"
