#!/bin/sh
# Prints the path of nginx: of the one that is installed, or else of Debian's, unpacked into a folder. To install it
# would start a server on this machine.
#
#     sh Examples/Bank/Tests/nginx.sh FOLDER          DEPS=no from the environment: never calls apt-get
#
# SPDX-License-Identifier: Apache-2.0
set -eu
PATH=$PATH:/usr/sbin
command -v nginx && exit
if [ ! -e "$1/usr/sbin/nginx" ]; then
  fail() { echo "nginx is needed, installed or unpacked into $1" >&2; exit 1; }
  [ "${DEPS:-yes}" != no ] || fail "$1"
  # Two suites may do so at once.
  mkdir -p "$(dirname "$1")"
  new=$(mktemp -d "$1.XXXXXX")
  chmod 755 "$new"
  (cd "$new" && { apt-get download -qq nginx || { apt-get update -qq && apt-get download -qq nginx; }; } >&2 &&
    dpkg -x nginx_*.deb . && rm nginx_*.deb) && mv -T "$new" "$1" 2>/dev/null || rm -rf "$new"
  [ -e "$1/usr/sbin/nginx" ] || fail "$1"
fi
echo "$1/usr/sbin/nginx"
