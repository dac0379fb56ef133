#!/usr/bin/env python3
"""Plants the bugs of mutants.py in a copy of the tree, one after another, and has the suite catch each.

    mutation.py TREE EMPTY_DIRECTORY TABLE [--only NUMBER …] [--changed BASE] [--tests NAME …] [--every] [--continue]
                                           [--list]          CC, SWIFT, JOBS from the environment

First it checks that every bug can be planted exactly once. Then it takes some bugs at a time. The tests named for them
must pass before any is planted. A planted bug must compile and change what is built: the library, the web element, the
bank or the kiosk. Then its tests run; if none of them fails, all tests of that product run. At the end the tests that
have caught one must pass again without a bug; otherwise the failures had another cause. What was caught is then kept
beside the table: with --continue, a later run leaves it out while the sources are the same.

With --changed, only the bugs of files that differ from the commit BASE, and bugs whose tests differ. Run this after a
change. With --tests, only the bugs that name one of these tests. Run this before you delete a test. With --every, all
tests of a bug run, and do not stop at the first that fails. A test that misses the bug is printed: remove its name.

The exit status is 1 if a bug survived, or with --every a test did not notice it; 2 if one could not be tried.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple

from catchers import COPY, PROGRAMS, ROOT, TREE, product_of, test as test_named
from kinds import Program, Trouble
from mutants import MUTANTS
from plantable import fault
from run import this_commit, this_version

TOGETHER = 16  # bugs between two runs of the tests without one

# `test` is what has caught it, `trouble` why it could not be tried; neither if it survived. `blind`: named tests that
# did not notice it.
Row = namedtuple("Row", "mutant test seconds trouble blind", defaults=("", ()))


def tell(text):
    print(text, flush=True)


def complaint(said):
    """The first line that names the error, if there is one."""
    lines = said.splitlines()
    for pattern in (r"\.c:\d+: ", r"recorded an issue", r"timing, .*path: branches", r"^AssertionError",
                    r"hangs|rror|FAIL|failed"):
        for line in lines:
            if re.search(pattern, line):
                return re.sub(r"\S*/", "", line.strip())[:150]
    return lines[0][:150] if lines else "it died"


def has(needs):
    with open("/proc/cpuinfo") as file:
        flags = re.search(r"^flags.*$", file.read(), re.M)
    return not flags or set(needs.split()) <= set(flags.group().split())


# ---- Bugs ------------------------------------------------------------------------------------------------------------


def read(mutant):
    with open(os.path.join(COPY, mutant.file)) as file:
        return file.read()


def write(mutant, text):
    with open(os.path.join(COPY, mutant.file), "w") as file:
        file.write(text)


def insist_plantable(mutant):
    reason = fault(mutant, COPY)
    if reason:
        raise Trouble(reason)


def catch(mutant, sound, every):
    """Which test noticed the bug first, what it printed, after how many seconds of testing; or no test. With `every`,
    also the named tests that did not notice it."""
    original, product, caught, blind = read(mutant), product_of(mutant), None, []
    insist_plantable(mutant)
    write(mutant, original.replace(mutant.old, mutant.new))
    try:
        if product.build() == sound[product]:
            raise Trouble("%s: it changes nothing" % mutant.file)
        started = time.monotonic()
        named = [test_named(name) for name in mutant.tests]
        for test in named + product.wider:
            if caught and not (every and test in named):
                break
            said = test.fails(TREE)
            if said is None:
                blind.append(test.name)
            else:
                caught = caught or (test, complaint(said), time.monotonic() - started)
    finally:
        write(mutant, original)
    return *(caught or (None, "", time.monotonic() - started)), blind if every else []


class Planting:
    """The copy of the tree, and what is known of it without a bug."""

    def __init__(self, every):
        self.every = every
        shutil.copytree(ROOT, COPY, symlinks=True, ignore=shutil.ignore_patterns(".git", ".build", "build"))
        os.mkdir(PROGRAMS)
        self.sound = {}  # by product, what is built
        self.verdicts = {}  # by a test's name, why it cannot be used; empty if it passes
        self.prepared = []  # the programs that run if the tests named for a bug do not notice it
        self.started = time.monotonic()

    def build_soundly(self, products):
        for product in products:
            self.sound[product] = product.build()

    def try_test(self, name):
        """Runs a test without a bug, once."""
        if name in self.verdicts:
            return
        test = test_named(name)
        test.prepare(TREE)
        began = time.monotonic()
        said = test.fails(TREE)
        self.verdicts[name] = "without a bug, %s fails:\n%s" % (name, said[-4000:]) if said is not None else ""
        tell("  %-22s %s in %3.0f s" % (name, "FAILS" if said is not None else "passes", time.monotonic() - began))

    def plant(self, mutants):
        """A row for each of some bugs, when the tests have passed again without any."""
        products = sorted(set(map(product_of, mutants)), key=lambda product: product.folder)
        self.build_soundly(products)
        for name in dict.fromkeys(name for mutant in mutants for name in mutant.tests):
            self.try_test(name)
        for test in [test for product in products for test in product.wider if isinstance(test, Program)]:
            if test not in self.prepared:
                test.prepare(TREE)
                self.prepared.append(test)
        caught = [self.plant_one(mutant) for mutant in mutants]
        self.build_soundly(products)
        return self.confirmed(caught)

    def plant_one(self, mutant):
        tell("  %s: %s" % (mutant.kind, mutant.what))
        try:
            for name in mutant.tests:
                if self.verdicts[name]:
                    raise Trouble(self.verdicts[name])
            test, said, seconds, blind = catch(mutant, self.sound, self.every)
        except Trouble as trouble:
            tell("    could not be tried: %s" % trouble)
            return Row(mutant, None, 0, str(trouble))
        tell("    caught by %s in %.1f s: %s" % (test.says, seconds, said) if test else "    SURVIVED")
        for name in blind:
            tell("    not noticed by %s" % name)
        return Row(mutant, test, seconds, blind=tuple(blind))

    def confirmed(self, rows):
        """The rows again, with the names of tests; those whose test fails without a bug prove nothing."""
        failing = {}
        for test in {row.test for row in rows if row.test}:
            said = test.fails(TREE)
            failing[test] = "without a bug, %s fails, too:\n%s" % (test.says, said[-4000:]) if said is not None else ""
            if said is not None:
                tell("  " + failing[test])
        return [row._replace(test=None, trouble=failing[row.test]) if row.test and failing[row.test]
                else row._replace(test=row.test.says if row.test else None) for row in rows]


# ---- What is kept ----------------------------------------------------------------------------------------------------


def key(mutant):
    """What a bug is found by again: all that is said of it."""
    return hashlib.sha256(repr(tuple(mutant)).encode()).hexdigest()


class Kept:
    """The bugs that were caught, in a file: by the bug, the version and commit, the test and its seconds."""

    def __init__(self, path):
        self.path, self.commit, self.version, self.known = path, this_commit(), this_version(), {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known = json.load(file)

    def row(self, mutant):
        """What was proved of these sources; nothing if there is no such proof."""
        known = self.known.get(key(mutant))
        if not known or not self.version or known["version"] != self.version:
            return None
        return Row(mutant, known["test"], known["seconds"])

    def add(self, rows):
        for row in rows:
            if row.test:
                self.known[key(row.mutant)] = {
                    "version": self.version, "commit": self.commit, "test": row.test, "seconds": row.seconds}
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.known, file, indent=1)
        os.replace(self.path + ".new", self.path)


# ---- The table -------------------------------------------------------------------------------------------------------


def place(mutant):
    """The file, and the line of the replaced text."""
    with open(os.path.join(ROOT, mutant.file)) as file:
        before, found, _ = file.read().partition(mutant.old)
    line = "%d" % (before.count("\n") + 1) if found else "NOWHERE"
    return "%s:%s" % (mutant.file.removeprefix("Sources/"), line)


def verdict(row):
    return row.test or ("NOT TRIED" if row.trouble else "NOTHING")


def write_table(rows, path):
    with open(path, "w") as file:
        file.write("| bug | where planted | caught by | seconds |\n|---|---|---|---|\n")
        for row in rows:
            caught = "`%s`" % row.test if row.test else "**%s**" % verdict(row).lower()
            file.write("| %s: %s | `%s` | %s | %.1f |\n" % (
                row.mutant.kind, row.mutant.what, place(row.mutant), caught, row.seconds))


def show(rows):
    cells = [(row.mutant.kind + ": " + row.mutant.what, place(row.mutant), verdict(row), "%.1f" % row.seconds)
             for row in rows]
    cells.insert(0, ("bug", "where planted", "caught by", "seconds"))
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    tell("")
    for row in cells:
        tell("%-*s  %-*s  %-*s  %7s" % (widths[0], row[0], widths[1], row[1], widths[2], row[2], row[3]))


def changed_files(base):
    """What differs from a commit, in the work tree."""
    command = ["git", "-C", ROOT, "diff", "--name-only", base, "--"]
    return set(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n"))


def touches(mutant, files):
    """Whether a bug, or a test that is named for it, is in one of these files."""
    sources = {"Tests/C/" + test_named(name).says for name in mutant.tests}
    return mutant.file in files or bool(sources & files)


def plant_all(chosen, table, continues, every):
    kept = Kept(os.path.splitext(table)[0] + ".json")
    rows = {key(mutant): kept.row(mutant) if continues else None for mutant in chosen}
    # Those in one file after each other: then the next build need not undo a change of what everything is built on.
    left = sorted((mutant for mutant in chosen if not rows[key(mutant)]),
                  key=lambda mutant: (product_of(mutant).folder, os.path.dirname(mutant.file), mutant.file))
    if continues:
        tell("%d of %d bugs were caught before, in the same sources" % (len(chosen) - len(left), len(chosen)))
    planting = Planting(every)
    for mutant in left:
        insist_plantable(mutant)
    for first in range(0, len(left), TOGETHER):
        some = left[first : first + TOGETHER]
        tell("%d to %d of %d, after %.0f s:" % (
            first + 1, first + len(some), len(left), time.monotonic() - planting.started))
        proved = planting.plant(some)
        kept.add(proved)
        rows.update({key(row.mutant): row for row in proved})

    rows = list(rows.values())
    show(rows)
    write_table(rows, table)
    caught = sum(row.test is not None for row in rows)
    tell("\n%d of %d bugs caught, of %d kinds, in %.0f s" % (
        caught, len(rows), len({row.mutant.kind for row in rows}), time.monotonic() - planting.started))
    blind = any(row.blind for row in rows)
    return 2 if any(row.trouble for row in rows) else int(caught < len(rows) or blind)


def main():
    parser = argparse.ArgumentParser(prog="mutation.sh", description="Plants bugs and has the suite catch them.")
    parser.add_argument("--only", nargs="+", type=int, metavar="NUMBER", help="these bugs, and no others")
    parser.add_argument("--changed", metavar="BASE", help="those of files, or of tests, that differ from this commit")
    parser.add_argument("--tests", nargs="+", metavar="NAME", help="those that name one of these tests")
    parser.add_argument("--every", action="store_true", help="all tests that are named for a bug must notice it")
    parser.add_argument("--continue", dest="continues", action="store_true",
                        help="not those that were caught already, if the sources have not changed since")
    parser.add_argument("--list", action="store_true", help="the bugs, and their numbers")
    arguments = parser.parse_args(sys.argv[4:])
    chosen = [mutant for number, mutant in enumerate(MUTANTS, 1) if not arguments.only or number in arguments.only]
    if arguments.changed:
        files = changed_files(arguments.changed)
        chosen = [mutant for mutant in chosen if touches(mutant, files)]
    if arguments.tests:
        chosen = [mutant for mutant in chosen if set(mutant.tests) & set(arguments.tests)]
    if arguments.list:
        for number, mutant in enumerate(MUTANTS, 1):
            if mutant in chosen:
                tell("%2d  %-26s %s (%s)" % (number, mutant.kind, mutant.what, place(mutant)))
        return 0
    for mutant in [mutant for mutant in chosen if not has(mutant.needs)]:
        tell("NOT PLANTED, since this processor has no %s: %s: %s" % (mutant.needs, mutant.kind, mutant.what))
        chosen.remove(mutant)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return plant_all(chosen, sys.argv[3], arguments.continues, arguments.every)
    except Trouble as trouble:
        tell("mutation: %s" % trouble)
        return 2


if __name__ == "__main__":
    sys.exit(main())
