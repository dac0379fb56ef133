#!/usr/bin/env python3
"""Compares the table of tests with the tree: each file of Tests/C that can be run is in a row, each row has its file,
no name occurs twice, and what is for a Mac's simulator of phones needs nothing of Linux. A second in `make lint`.

    check.py

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sys

from kinds import Command, Program
from rows import TABLE

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Programs that other checks compile or start, and what the programs in Python import.
OTHERS = {
    "calls.c", "planted.c",  # every call, and planted faults: under the sanitizers and valgrind
    "user.c", "vault_user.c", "fido_user.c",  # a user's program, for headers.sh and install.sh
    "ignored.c",  # for headers.sh
    "secrets.c", "constant-time.py", "emulated.sh",
    "fido_client.py", "fido_online.py", "fido_party.py",
}


def faults(table, files):
    """What does not fit."""
    rows = [row for group in table.values() for row in group]
    names = [row.name for row in rows]
    said = ["the table has two rows %s" % name for name in sorted(set(names)) if names.count(name) > 1]
    used = {row.source for row in rows if isinstance(row, Program)}
    used |= {word.rpartition("/")[2] for row in rows if isinstance(row, Command) for word in row.quick.split()}
    said += ["Tests/C has no %s, of the row %s" % (row.source, row.name)
             for row in rows if isinstance(row, Program) and row.folder == "C" and row.source not in files]
    runnable = {file for file in files if file.endswith((".c", ".cpp", ".py", ".sh"))}
    return said + ["no row of Tests/Table/rows.py runs Tests/C/%s" % file
                   for file in sorted(runnable - used - OTHERS)]


def text_for_phones(file, seen):
    """A program of Tests/C with what it includes, without what is not compiled for phones."""
    if file in seen:
        return ""
    seen.add(file)
    with open(os.path.join(TESTS, "C", file), encoding="utf-8") as source:
        text = re.sub(r"#if !defined\(__APPLE__\).*?#endif", "", source.read(), flags=re.S)
    return text + "".join(text_for_phones(name, seen) for name in re.findall(r'^#include "(\w+\.h)"', text, re.M)
                          if os.path.exists(os.path.join(TESTS, "C", name)))


def is_of_linux(row):
    """Whether a program reads /proc or forks, which a Mac's simulator of phones cannot."""
    return bool(re.search(r'"/proc/|\bfork\(\)', text_for_phones(row.source, set())))


def main():
    files = os.listdir(os.path.join(TESTS, "C"))
    said = faults(TABLE, files)
    # The control: a file without a row, a row without its file, and a row twice.
    extra = {**TABLE, "again": next(iter(TABLE.values()))}
    if len(faults(TABLE, [*files, "nowhere.c"])) != len(said) + 1 or len(faults(TABLE, [])) < 50 or \
            len(faults(extra, files)) <= len(said):
        sys.exit("table: a fault is not noticed")
    of_phones = [row for group in TABLE.values() for row in group
                 if isinstance(row, Program) and row.folder == "C" and not row.not_on_phones]
    said += ["%s cannot run in a simulator, and its row does not say so" % row.name
             for row in of_phones if row.simulated and is_of_linux(row)]
    if not any(is_of_linux(row) for row in of_phones if not row.simulated):
        sys.exit("table: no program that reads /proc is noticed")
    for text in said:
        print("table: " + text, file=sys.stderr)
    print("table: %d checks" % (sum(map(len, TABLE.values())) + len(of_phones)))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
