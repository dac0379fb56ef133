#!/usr/bin/env python3
"""Writes the diagram of targets in Architecture.md, between its two markers, from what SwiftPM says of Package.swift.

    Docs/diagram.py            prints the diagram
    Docs/diagram.py --update   writes it into Architecture.md
    Docs/diagram.py --check    fails if Architecture.md shows another one, or if a target is not in its table

A target is above all targets that it imports. SWIFT in the environment names the compiler.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "Architecture.md")
BEGIN, END = "<!-- targets -->\n", "<!-- /targets -->\n"
WIDTH = 118


def imports():
    """The targets of the library and the tool: name, and the targets that it imports."""
    with tempfile.TemporaryDirectory() as scratch:  # one of its own, or it waits for builds
        command = [os.environ.get("SWIFT", "swift"), "package", "--package-path", os.path.dirname(HERE)]
        command += ["--scratch-path", scratch, "dump-package"]
        package = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    targets = {}
    for target in package["targets"]:
        # Under Tests there are the tests, and a library that they compare ours with.
        if target["type"] != "test" and not (target.get("path") or "").startswith("Tests/"):
            names = [(d.get("byName") or d.get("product") or d.get("target"))[0] for d in target["dependencies"]]
            targets[target["name"]] = names
    return targets


def level(name, targets):
    """0 for a target that imports none of ours, else one more than the highest that it imports."""
    return 1 + max([level(other, targets) for other in targets[name] if other in targets], default=-1)


def diagram(targets):
    """One line a target, the highest first; what it imports follows the arrow."""
    lines, last = [], None
    width = max(len(name) for name in targets)
    levels = {name: level(name, targets) for name in targets}
    for name in sorted(targets, key=lambda name: (-levels[name], name)):
        if last not in (None, levels[name]):
            lines.append("")
        last = levels[name]
        line = "%d  %-*s" % (last, width, name)
        for number, other in enumerate(sorted(targets[name], key=lambda o: (-levels.get(o, -1), o))):
            if len(line) + len(other) + 2 > WIDTH:
                lines.append(line.rstrip())
                line = " " * (width + 6)
            line += ("  → " if number == 0 else "") + other + " "
        lines.append(line.rstrip())
    return "```\n" + "\n".join(lines) + "\n```\n"


def split(page):
    """The page before, between and after the markers."""
    before, rest = page.split(BEGIN)
    between, after = rest.split(END)
    return before, between, after


def main():
    targets = imports()
    wanted = diagram(targets)
    if sys.argv[1:] == []:
        sys.stdout.write(wanted)
        return 0
    page = open(PAGE, encoding="utf-8").read()
    before, between, after = split(page)
    if sys.argv[1:] == ["--update"]:
        open(PAGE, "w", encoding="utf-8").write(before + BEGIN + wanted + END + after)
        return 0
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    if between != wanted:
        sys.exit("Docs/Architecture.md shows other targets than Package.swift has: run Docs/diagram.py --update")
    missing = [name for name in targets if "| `%s` |" % name not in before + after]
    if missing:
        sys.exit("Docs/Architecture.md does not say what these targets are for: " + ", ".join(missing))
    print("diagram: %d targets" % len(targets))
    return 0


if __name__ == "__main__":
    sys.exit(main())
