#!/bin/sh
# The package for Java, used by a program with nothing else but JNA; two jars of two builds are the same.
#
#     sh Tests/Evidence/jar.sh BUILD_DIR          a minute
#
# make check: 75 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

made_twice jar "jar/*.jar"
sh "$root/Tests/Bindings/jar.sh" "$root/build" >"$work/log" 2>&1 || fail "the jar" "$work/log"
version=$(java -version 2>&1 | sed -n '1s/.*"\([0-9]*\)[^"]*".*/\1/p')
claim "the jar works with nothing but JNA in Java $version, and its passwords are in no heap dump and no other memory" \
  "$(sed -n 's/^jar: //p' "$work/log")" Tests/Bindings/Java/Package.java
