#!/usr/bin/env python3
"""Looks for the bugs of mutants.py that can no longer be planted: the text that a bug replaces must occur exactly once
in its file, the replacement must differ, and the table of tests must have the bug's. A second in `make lint`, before
`make mutation` takes hours.

    plantable.py

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "Table"))
import rooms  # noqa: E402
from mutants import MUTANTS, Mutant  # noqa: E402
from rows import TABLE  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def fault(mutant, root):
    """Why a bug cannot be planted in the tree `root`; nothing if it can."""
    try:
        with open(os.path.join(root, mutant.file), encoding="utf-8") as file:
            count = file.read().count(mutant.old)
    except FileNotFoundError:
        return "%s: there is no such file, for the bug: %s" % (mutant.file, mutant.what)
    if count != 1:
        return "%s: this text occurs %d times, not once, for the bug: %s\n%s" % (
            mutant.file, count, mutant.what, mutant.old)
    if mutant.old == mutant.new:
        return "%s: the replacement is the same, for the bug: %s" % (mutant.file, mutant.what)
    return None


def unknown(mutant, rows):
    """Which of a bug's tests do not exist; nothing if all do."""
    missing = [name for name in mutant.tests if not rooms.named(name, rows)]
    return "the table has no test %s, for the bug: %s" % (", ".join(missing), mutant.what) if missing else None


def main():
    known = [row for group in TABLE.values() for row in group]
    faults = [text for mutant in MUTANTS for text in (fault(mutant, ROOT), unknown(mutant, known)) if text]
    for text in faults:
        print("plantable: " + text, file=sys.stderr)
    # The control: a text that does not occur, one that occurs often, one that stays, and a file that does not exist.
    first = MUTANTS[0]
    bad = [first._replace(old="no such text"), first._replace(old="\n"), first._replace(new=first.old),
           Mutant("", "no/such/file", "a", "b", [])]
    for mutant in bad:
        if not fault(mutant, ROOT):
            sys.exit("plantable: this is not noticed: %r" % (mutant,))
    if not unknown(first._replace(tests=["no such test"]), known):
        sys.exit("plantable: a test that is not known is not noticed")
    print("plantable: %d checks" % (len(MUTANTS) + len(bad)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
