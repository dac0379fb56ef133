"""What guards a product, a room of Sources, or a program: for `make test ROOM=…`.

A room's tests are its Swift suite and those that its planted bugs name (mutants.py): there is no list to keep.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys

from kinds import OnPath, Program
from phones import OnPhone

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "Evidence"))
from mutants import MUTANTS  # noqa: E402

PRODUCTS = ("keyboard", "vault", "fido")


def short(name):
    """A room's name in any of its forms: KeyboardVault, keyboardvault, vault."""
    name = name.lower()
    return name.removeprefix("keyboard") or name


def room_of(file):
    """The folder of Sources, Bindings or Examples that a file is in."""
    parts = file.split("/")
    return parts[1] if len(parts) > 2 else ""


def named(name, rows):
    """A test by its name. "walk, portable": the program `walk` on that path of SM4; "walk, phone": as iPhones' code."""
    for row in rows:
        if row.name == name:
            return OnPhone(row) if isinstance(row, Program) and row.folder == "Darwin" else row
    first, _, path = name.rpartition(", ")
    for row in rows:
        if row.name == first and isinstance(row, Program):
            return OnPhone(row) if path == "phone" else OnPath(row, path)
    return None


def guards(name, rows):
    """The tests that guard something."""
    test = named(name, rows)
    if test and name not in PRODUCTS:
        return [test]
    wanted, chosen = short(name), {}
    for row in rows:
        if name in PRODUCTS and row.product == name and row.suite == "c" and getattr(row, "quick", "") is not None:
            chosen[row.name] = row
        if row.suite == "swift" and short(row.name) in (wanted + "tests", name.lower() + "tests"):
            chosen[row.name] = row
    for mutant in MUTANTS:
        if short(room_of(mutant.file)) == wanted:
            for test in mutant.tests:
                chosen[test] = named(test, rows)
    return list(chosen.values())
