#!/bin/sh
# The jar, used by a program that has nothing else but JNA, without network, and with Java's checks of native calls,
# which end it at a wrong one (their warnings are of JNA's own code). Its library needs nothing but the C library, and
# leaves no file behind.
#
#     sh Tests/Bindings/jar.sh BUILD_DIR          after `make jar`; JNA from the environment, a jar
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
header=$(cd "$here/../../Include" && pwd)/custom_keyboard.h
jna=${JNA:-/usr/share/java/jna.jar}
jar=$(ls "$(cd "$1" && pwd)"/jar/customkeyboard-*.jar)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "jar: $1" >&2; exit 1; }

mkdir "$work/unpacked" "$work/classes" "$work/tmp"
(cd "$work/unpacked" && jar --extract --file="$jar")
library=$(ls "$work"/unpacked/linux-*/libcustomkeyboard.so) || fail "no library in the jar"
needed=$(objdump -p "$library" | sed -n 's/ *NEEDED *//p' | tr '\n' ' ')
case $needed in
  "libc.so.6 ") ;;
  *) fail "the library in the jar needs $needed" ;;
esac
for file in META-INF/LICENSE META-INF/NOTICE META-INF/maven/customkeyboard/customkeyboard/pom.xml; do
  [ -s "$work/unpacked/$file" ] || fail "no $file"
done
[ ! -e "$work/unpacked/com" ] || fail "JNA is in the jar"

javac --release 17 -Xlint:all -Werror -cp "$jar:$jna" -d "$work/classes" "$here"/Java/*.java

# The examples of its README, each as a method of one class.
awk '
  BEGIN {
    print "import customkeyboard.*; import java.io.IOException; import java.nio.ByteBuffer; import java.nio.file.*;"
    print "import java.nio.charset.StandardCharsets; import java.nio.file.attribute.PosixFilePermissions;"
    print "import java.util.*; import java.util.concurrent.ConcurrentHashMap;"
    print "abstract class Readme { byte[] challenge, text; List<byte[]> challenges, texts; Readme() throws Exception {}"
    print "abstract void use(ByteBuffer password); abstract byte[] record(byte[] account);"
    print "abstract void countAttempt(byte[] account); abstract void forgetAttempt(byte[] account);"
  }
  /^```java$/ {on = 1; blocks++; if (blocks > 1) print "void example" blocks "() {"; next}
  /^```$/ {if (on && blocks > 1) print "}"; on = 0}
  on
  END {print "}"; exit blocks != 4}' "$here/../../Bindings/java/README.md" >"$work/Readme.java" ||
  fail "the README has not four examples"
javac --release 17 -Xlint:all -Werror -cp "$jar" -d "$work" "$work/Readme.java" || fail "the examples of the README"

offline=
if unshare --net true 2>/dev/null; then offline="unshare --net"; fi
# shellcheck disable=SC2086
(cd "$work" && $offline env -i PATH=/usr/bin:/bin HOME="$work/tmp" java -ea -Xcheck:jni -Djava.io.tmpdir="$work/tmp" \
  -cp "$jar:$jna:$work/classes" Package "$header" "$library") >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; fail "the tests failed"; }
checks=$(sed -n 's/^java: \([0-9]*\) checks$/\1/p' "$work/log")
[ "${checks:-0}" -gt 900 ] || { cat "$work/log" >&2; fail "only ${checks:-no} checks ran"; }
# Without JNA, with one that cannot load its own library, and where nothing may be run, a sentence says what to do.
mkdir "$work/noexec" "$work/broken"
echo 'package com.sun.jna; public class Native { static { if (true) throw new UnsatisfiedLinkError("noexec"); } }' \
  >"$work/Native.java"
javac -d "$work/broken" "$work/Native.java"
for first in keyboard library secret file; do
  java -cp "$jar:$work/classes" Package probe $first >"$work/said" 2>&1
  grep -q '^CustomKeyboard needs JNA 5.13' "$work/said" || { cat "$work/said" >&2; fail "without JNA, $first"; }
  java -cp "$work/broken:$jar:$jna:$work/classes" Package probe $first >"$work/said" 2>&1
  grep -q '^JNA cannot load.*-Djna.tmpdir=' "$work/said" || { cat "$work/said" >&2; fail "JNA on noexec, $first"; }
done
mounted="unshare --user --map-root-user --mount sh -c"
# shellcheck disable=SC2016
$mounted 'mount -t tmpfs -o noexec none "$1" && exec java -Djava.io.tmpdir="$1" -cp "$2" Package probe keyboard' \
  sh "$work/noexec" "$jar:$jna:$work/classes" >"$work/said" 2>&1 || :
grep -q '^the library cannot be loaded.*-Djava.io.tmpdir=' "$work/said" || { cat "$work/said" >&2; fail "on noexec"; }

[ -z "$(find "$work/tmp" -name 'libcustomkeyboard*' -o -name 'customkeyboard*')" ] || fail "a library is left behind"
echo "jar: $checks checks"
