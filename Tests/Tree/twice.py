#!/usr/bin/env python3
"""Finds what two files of Sources have both: twelve lines and more, one after another, that are the same. Blank lines,
and white space at the beginning of a line, do not count.

    twice.py

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KINDS = (".swift", ".c", ".h", ".S")
LENGTH = 12
# The entry points of a path of SM4: each module needs its own, because an instruction set reaches only what is compiled
# in that module.
MEANT = {("Sources/KeyboardSM4/AESNI/AESNI.swift", "Sources/KeyboardSM4/GFNI256/GFNI256.swift")}


def pairs(files):
    """The first place of each two files that have LENGTH lines both: (file, line), (file, line)."""
    seen, found = {}, {}
    for name, text in files:
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        for start in range(len(lines) - LENGTH + 1):
            window = tuple(line for _, line in lines[start : start + LENGTH])
            first = seen.setdefault(window, (name, lines[start][0]))
            if first[0] != name:
                found.setdefault((first[0], name), (first, (name, lines[start][0])))
    return list(found.values())


def listed():
    try:
        names = subprocess.run(["git", "ls-files", "Sources"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
        return names.stdout.decode().splitlines()
    except (OSError, subprocess.CalledProcessError):  # a release's archive
        folders = os.walk(os.path.join(ROOT, "Sources"))
        return [os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in folders for name in names]


def main():
    piece = "".join("line %d\n" % number for number in range(LENGTH))
    if len(pairs([("a", "x\n" + piece), ("b", piece.replace("\n", "\n\n  "))])) != 1:
        sys.exit("twice: twelve equal lines are not found")
    if pairs([("a", piece + piece), ("b", piece[7:])]):
        sys.exit("twice: found in one file, or eleven lines")
    files = []
    for name in sorted(listed()):
        if name.endswith(KINDS) and os.path.exists(os.path.join(ROOT, name)):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                files.append((name, file.read()))
    if len(files) < 300:
        sys.exit("twice: only %d files" % len(files))
    found = pairs(files)
    if {(first[0], second[0]) for first, second in found} >= MEANT:
        found = [pair for pair in found if (pair[0][0], pair[1][0]) not in MEANT]
    else:
        sys.exit("twice: a pair of MEANT is not there any more: take it out")
    for first, second in found:
        print("twice: %s:%d and %s:%d have %d lines both" % (*first, *second, LENGTH), file=sys.stderr)
    if found:
        sys.exit("twice: %d pairs of files" % len(found))
    print("twice: %d files" % len(files))


main()
