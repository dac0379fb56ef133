#!/usr/bin/env python3
"""Compares the table of tests with the tree: each file of Tests/C that can be run is in a row, each row has its file,
and no name occurs twice. A second in `make lint`.

    check.py

SPDX-License-Identifier: Apache-2.0
"""

import os
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


def main():
    files = os.listdir(os.path.join(TESTS, "C"))
    said = faults(TABLE, files)
    for text in said:
        print("table: " + text, file=sys.stderr)
    # The control: a file without a row, a row without its file, and a row twice.
    extra = {**TABLE, "again": next(iter(TABLE.values()))}
    if len(faults(TABLE, [*files, "nowhere.c"])) != len(said) + 1 or len(faults(TABLE, [])) < 50 or \
            len(faults(extra, files)) <= len(said):
        sys.exit("table: a fault is not noticed")
    print("table: %d checks" % sum(map(len, TABLE.values())))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
