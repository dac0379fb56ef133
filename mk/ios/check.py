#!/usr/bin/env python3
"""Looks at what is in XCFrameworks, and refuses what a device, the simulator or an upload would, or what nobody should
ship: names that are not on the list of imports, code of a Swift runtime, names without a prefix of ours.

    check.py XCFRAMEWORK…          the exit status is 1 if anything is refused

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import plistlib
import re
import sys

from macho import (BINDS_TO_WEAK, DYLIB, ENCRYPTION_INFO, PLATFORMS, WEAK_DEFINES, WRITABLE_AND_EXECUTABLE, Image,
                   version)

HERE = os.path.dirname(os.path.abspath(__file__))
PLACES = {"ios-arm64": "ios", "ios-arm64-simulator": "ios-simulator"}
COMMAND_OF_SIGNATURE, WEAK_DEFINITION, DEFINED = 16, 0x80, 0xE


def allowed_imports():
    """{a library's path: its names}"""
    lists, names = {}, None
    with open(os.path.join(HERE, "imports.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("/"):
                names = lists.setdefault(line.strip(), set())
            elif line.strip() and not line.startswith("#"):
                names.add("_" + line.split()[0])
    return lists


def refuse_imports(image, name):
    """Of the system's libraries what is on the list; of lower frameworks what is theirs."""
    lists = allowed_imports()
    for symbol, library in image.imports().items():
        lower = re.fullmatch(r"@rpath/C(\w+)\.framework/C\1", library)
        if not (symbol in lists.get(library, ()) or lower and symbol.startswith("_%s_" % lower.group(1))):
            yield "imports %s from %s" % (symbol, library)
    for library in image.libraries():
        if library not in lists and not re.fullmatch(r"@rpath/C(\w+)\.framework/C\1", library):
            yield "needs %s" % library
    exports = list(image.exports())
    yield from ("exports " + symbol for symbol in exports if not symbol.startswith("_%s_" % name[1:]))
    if not exports:
        yield "exports nothing"


def refuse_code(image, platform):
    for segment, first, most, sections in image.segments():
        if WRITABLE_AND_EXECUTABLE in (first & 6, most & 6):
            yield "%s is writable and executable" % segment
        yield from ("has %s" % section for section, _ in sections if section.startswith(("__swift5_", "__objc_")))
    if image.flags & (WEAK_DEFINES | BINDS_TO_WEAK) or any(
            kind & DEFINED == DEFINED and kind & 1 and description & WEAK_DEFINITION
            for _, kind, description in image.symbols()):
        yield "has weak definitions, which another library's may replace"
    if platform == "ios":
        if not image.of(ENCRYPTION_INFO):
            yield "has no LC_ENCRYPTION_INFO_64"
        if image.room() < COMMAND_OF_SIGNATURE:
            yield "has no room for a signature's command"


def refuse_framework(folder, name, platform):
    """What is wrong with a framework, one sentence each."""
    with open(os.path.join(folder, "Info.plist"), "rb") as file:
        info = plistlib.load(file)
    for key in ("CFBundleShortVersionString", "CFBundleVersion"):
        if not re.fullmatch(r"\d+(\.\d+){0,2}", info.get(key, "")):
            yield "%s is %r, and not one to three numbers" % (key, info.get(key))
    with open(os.path.join(folder, name), "rb") as file:
        image = Image(file.read())
    if image.kind != DYLIB:
        yield "is no dynamic library"
    if image.platform() is None or image.platform()[0] != PLATFORMS[platform]:
        yield "is for another platform than its folder"
    elif version(image.platform()[1]) != info.get("MinimumOSVersion"):
        yield "is for %s, and its MinimumOSVersion is %s" % (version(image.platform()[1]), info.get("MinimumOSVersion"))
    if image.uuid() is None:
        yield "has no UUID"
    symbols = os.path.join(os.path.dirname(folder), "dSYMs", name + ".framework.dSYM", "Contents", "Resources", "DWARF")
    try:
        with open(os.path.join(symbols, name), "rb") as file:
            if Image(file.read()).uuid() != image.uuid():
                yield "has another UUID than its debug symbols"
    except FileNotFoundError:
        yield "has no debug symbols"
    yield from refuse_imports(image, name)
    yield from refuse_code(image, platform)
    try:
        with open(os.path.join(folder, "sbom.cdx.json"), encoding="utf-8") as file:
            parts = {part["name"]: part["version"] for part in json.load(file)["components"]}
        if not re.fullmatch(r"2\.28\.\d+-\S+", parts.get("mbedtls", "")):
            yield "has a bill of materials without mbedTLS's exact version"
    except FileNotFoundError:
        yield "has no bill of materials"
    for needed in ("PrivacyInfo.xcprivacy", "LICENSE", "LICENSE.mbedtls", "Modules/module.modulemap", "Headers"):
        if not os.path.exists(os.path.join(folder, needed)):
            yield "has no " + needed


def refuse(target):
    name = os.path.basename(target).removesuffix(".xcframework")
    with open(os.path.join(target, "Info.plist"), "rb") as file:
        libraries = {each["LibraryIdentifier"]: each for each in plistlib.load(file)["AvailableLibraries"]}
    if set(libraries) != set(PLACES):
        yield "%s: is not for %s" % (name, " and ".join(PLACES))
    for place in sorted(set(libraries) & set(PLACES)):
        if libraries[place].get("DebugSymbolsPath") != "dSYMs":
            yield "%s, %s: names no debug symbols" % (name, place)
        folder = os.path.join(target, place, libraries[place]["LibraryPath"])
        for fault in refuse_framework(folder, name, PLACES[place]):
            yield "%s, %s: %s" % (name, place, fault)


def main(targets):
    faults = [fault for target in targets for fault in refuse(target.rstrip("/"))]
    for fault in faults:
        print("check.py: " + fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
