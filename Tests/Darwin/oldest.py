#!/usr/bin/env python3
"""Computes the oldest iOS for the Swift package for phones. No compiler here checks it: Linux has no such versions. But
the compiler's dump names each declaration that a source uses, and the toolchain's symbol graphs say since when iOS has
it. Nothing may be newer than the package's manifest says; an `array.span`, planted, is.

    oldest.py [PACKAGE]         as `package.py --tests` puts it together, or one of its own; SWIFT from the environment

The view for UIKit is type-checked with our own headers, which name the first iOS themselves (view.py). The program does
not see what is not a name: below iOS 18, a closure that is stored and has typed throws.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "mk", "ios"))
import package  # noqa: E402
import view  # noqa: E402

TOOLS = os.path.dirname(os.path.realpath(shutil.which(os.environ.get("SWIFT", "swift"))))
PLANTED = "public func planted(_ array: [UInt8]) -> Int { array.span.count }\n"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        sys.exit("oldest.py: %s\n%s" % (" ".join(command), done.stderr[-3000:]))
    return done.stdout + done.stderr  # the dump of several files goes to the second


def introduced(work):
    """Since when iOS has a declaration, by the compiler's name for it, and its name for people."""
    first = {}
    for module in ("Swift", "Synchronization", "_Concurrency", "FoundationEssentials", "Dispatch"):
        run(os.path.join(TOOLS, "swift-symbolgraph-extract"), "-module-name", module, "-target",
            "%s-unknown-linux-gnu" % os.uname().machine, "-I", os.path.join(TOOLS, "../lib/swift/linux"),
            "-output-dir", work)
    for path in glob.glob(os.path.join(work, "*.symbols.json")):
        with open(path, encoding="utf-8") as file:
            symbols = json.load(file)["symbols"]
        for symbol in symbols:
            for each in symbol.get("availability", []):
                if each.get("domain") == "iOS" and "introduced" in each:
                    version = (each["introduced"].get("major", 0), each["introduced"].get("minor", 0))
                    first[symbol["identifier"]["precise"]] = version, ".".join(symbol["pathComponents"])
    return first


def used(place, module, sources, work, more=()):
    """How often each declaration is used by a module. Its module file is left for those above it, unless it is a view:
    there the compiler knows what is declared, but could compile nothing."""
    maps = [os.path.join(place, "Tests", name) for name in package.FRAMEWORKS]
    maps.append(os.path.join(place, "Sources/CKeyboardPlatform"))
    flags = ["-swift-version", "6", "-package-name", "phones", "-parse-as-library", "-module-name", module, "-I", work,
             "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-experimental-feature", "Lifetimes", *more]
    flags += [word for each in maps for word in ("-Xcc", "-fmodule-map-file=%s/module.modulemap" % each)]
    swiftc = os.path.join(TOOLS, "swiftc")
    if not more:
        run(swiftc, *flags, "-emit-module", "-emit-module-path", os.path.join(work, module + ".swiftmodule"), *sources)
    dump = run(swiftc, *flags, "-dump-ast", "-dump-ast-format", "json", *sources)
    return collections.Counter(re.findall(r'"decl_usr":"([^"]+)"', dump))


def main(place=None):
    if place is None:
        with tempfile.TemporaryDirectory() as folder:
            package.main(folder, "--tests")
            return main(os.path.join(folder, package.NAME))
    with open(os.path.join(place, "Package.swift"), encoding="utf-8") as file:
        oldest = (int(re.search(r"\.iOS\(\.v(\d+)\)", file.read()).group(1)), 0)
    names, newer, checks = {}, [], 0
    with tempfile.TemporaryDirectory() as work:
        first = introduced(work)
        for module in package.MODULES:
            sources = glob.glob(os.path.join(place, "Sources", module, "**", "*.swift"), recursive=True)
            if not sources:
                continue
            is_view = module == "CustomKeyboardUI"
            if is_view:
                above = os.path.join(work, "above")
                os.mkdir(above)
                view.prepare(run, os.path.join(TOOLS, "swiftc"), above)
                sources += view.examples(work)
            for usr, count in used(place, module, sources, work, view.flags(above) if is_view else ()).items():
                checks += 1
                version, name = first.get(usr, ((0, 0), ""))
                if version > oldest:
                    newer.append("%s: %s, iOS %d.%d, %d times" % (module, name, *version, count))
                elif version >= (15, 0):
                    names[name] = version
        planted = os.path.join(work, "planted.swift")
        with open(planted, "w", encoding="utf-8") as file:
            file.write(PLANTED)
        found = {first[usr] for usr in used(place, "Planted", [planted], work) if usr in first}
    if not any(version > oldest and name == "Array.span" for version, name in found):
        newer.append("a planted array.span is not found")
    faults, count = view.too_new(oldest)
    planted, _ = view.too_new(oldest, "\nIOS(26.0) extern int UIPlanted;\nextern int UIPlantedWithout;\n")
    if len(planted) != len(faults) + 2 * len(view.HEADERS):
        newer.append("a planted name of UIKit is not found")
    newer += faults
    checks += count
    for name, version in sorted(names.items(), key=lambda each: (each[1], each[0])):
        print("  iOS %d.%d: %s" % (*version, name))
    for line in newer:
        print("newer than iOS %d: %s" % (oldest[0], line))
    print("oldest: %d checks" % (checks + 1))
    return 1 if newer else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
