#!/usr/bin/env python3
"""Writes a platform and its oldest system into the objects of an archive, or into an object. Swift without a runtime
comes for iPhones only, and from iOS 18 on; its code runs on older systems and in the simulator. `make check-ios` shows
that nothing newer than the oldest system is imported.

    platform.py FROM TO PLATFORM OLDEST          PLATFORM: ios, ios-simulator; OLDEST: 15.0

SPDX-License-Identifier: Apache-2.0
"""

import struct
import sys

from macho import BUILD_VERSION, PLATFORMS, Commands, number


def objects(data):
    """Where each object begins."""
    if data[:8] != b"!<arch>\n":
        yield 0
        return
    at = 8
    while at + 60 <= len(data):
        name, size = data[at:at + 16].decode(), int(data[at + 48:at + 58])
        start = at + 60 + (int(name[3:]) if name.startswith("#1/") else 0)
        if data[start:start + 4] == b"\xcf\xfa\xed\xfe":
            yield start
        at += 60 + size + size % 2


def main(source, target, platform, oldest):
    with open(source, "rb") as file:
        data = bytearray(file.read())
    for start in objects(data):
        places = Commands(data, start).of(BUILD_VERSION)
        if len(places) != 1:
            sys.exit("platform.py: %s: an object for no platform" % source)
        struct.pack_into("<2I", data, places[0] + 8, PLATFORMS[platform], number(oldest))
    with open(target, "wb") as file:
        file.write(data)


main(*sys.argv[1:])
