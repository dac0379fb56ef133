#!/bin/sh
# libcustomfido.so at a FIDO UAF server by others: eBay's, in Java, from their repository (github.com/eBay/UAF), which
# is not part of this one. Not among the checks of `make check`: it needs that repository.
#
#     sh Tests/Evidence/fido-peer.sh BUILD_DIR PATH [ROUNDS]   a minute; PATH: a checkout of theirs
#
# Their server needs gson, commons-codec and Bouncy Castle: in Debian libgoogle-gson-java, libcommons-codec-java and
# libbcprov-java; JARS names another folder of gson.jar, commons-codec.jar and bcprov.jar. Two calls in KeyCodec.java
# (getX, getY) are not in today's Bouncy Castle and are written as it has them (getAffineXCoord, getAffineYCoord).
# Its web service (JAX-RS) is left out: Peer.java calls what is behind it.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"
theirs=$(cd "${2:?a checkout of github.com/eBay/UAF}" && pwd) || exit 1
rounds=${3:-50}
jars=${JARS:-/usr/share/java}
core=$theirs/fido-uaf-core/src/main/java
server=$theirs/fidouaf/src/main/java/org/ebayopensource/fidouaf
[ -d "$core" ] && [ -d "$server" ] || fail "$theirs is not a checkout of it"
for jar in gson commons-codec bcprov; do
  [ -e "$jars/$jar.jar" ] || fail "there is no $jars/$jar.jar"
done
path=$work/classes:$jars/gson.jar:$jars/commons-codec.jar:$jars/bcprov.jar

mkdir "$work/classes" "$work/theirs"
cp -R "$core/org" "$work/theirs"
rm -r "$work/theirs/org/ebayopensource/fido/uaf/ri" # their client
codec=$work/theirs/org/ebayopensource/fido/uaf/crypto/KeyCodec.java
sed -i 's/getQ()\.getX()/getQ().getAffineXCoord()/; s/getQ()\.getY()/getQ().getAffineYCoord()/' "$codec"
find "$work/theirs" "$server/res/util" "$server/facets" -name '*.java' >"$work/sources"
echo "$server/stats/Dash.java" >>"$work/sources"
javac -nowarn -encoding UTF-8 -cp "$path" -d "$work/classes" "@$work/sources" >"$work/log" 2>&1 ||
  fail "their server does not compile" "$work/log"
javac -Xlint:all,-path -Werror -encoding UTF-8 -cp "$path" -d "$work/classes" "$check/Peers/FIDO/Peer.java" \
  >"$work/log" 2>&1 || fail "Peer.java does not compile" "$work/log"

commit=$(git -C "$theirs" rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
LD_LIBRARY_PATH="$build" python3 "$check/Peers/FIDO/peer.py" "$build" "$rounds" java -cp "$path" Peer >"$work/out" \
  2>"$work/errors" || { cat "$work/errors" >&2; fail "that server and this client differ" "$work/out"; }
cat "$work/out"
echo "their commit: $commit"
