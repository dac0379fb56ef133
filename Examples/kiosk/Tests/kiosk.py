"""Tests the kiosk as a person uses it, in a real window.

    kiosk.py KIOSK [--bank URL] [--fido] [--way WAY] [--authority FILE] [--pictures DIR] [GROUP …]

With --bank, the groups that need no bank of the test's own run against that one, with new accounts; with --fido, those
that log in with FIDO, too. --way and --authority are the kiosk's. With --pictures, pictures for the documentation are
made, and nothing is tested.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import signal
import sys
import tempfile
import time

import banking
import faults
import fido
import looks
import secrecy
import touching
from bank import Bank
from display import Display
from session import Kiosk, checks


class Context:
    """What a group gets: a screen, a program, and what it can start."""

    def __init__(self, display, program, address, own_options):
        self.display, self.program, self.address = display, program, address
        self.own_options = own_options
        self.work = os.path.join(os.path.dirname(program), "kiosk-test")
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.banks = []

    def bank(self, way="x25519", **passcodes):
        """A new bank with these accounts."""
        self.banks.append(Bank(way=way))
        self.banks[-1].passcodes.update(passcodes)
        return self.banks[-1]

    def kiosk(self, bank, *options, **more):
        """`bank` is a bank or an address. For a bank of the test's own passcodes are sealed, unless `by_opaque`."""
        if bank == self.address:
            options += self.own_options
        elif not more.pop("by_opaque", False) and not {"--way", "--fido"} & set(options):
            options += ("--way", getattr(bank, "way", "x25519"))
        return Kiosk(self.display, self.program, getattr(bank, "address", bank), *options, **more)

    def end(self):
        for bank in self.banks:
            bank.stop()
            assert not bank.complaints, "the bank complains: %s" % bank.complaints
        self.banks = []


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--bank")
    options.add_argument("--fido", action="store_true")
    options.add_argument("--way")
    options.add_argument("--authority")
    options.add_argument("--pictures")
    options.add_argument("groups", nargs="*")
    options = options.parse_intermixed_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(1))
    groups = banking.ANY_BANK + ([banking.an_unknown_authority] if options.authority else [])
    groups += fido.WITH_BANK if options.fido else []
    if options.pictures:
        groups = [looks.pictures_for]
    elif not options.bank:
        groups = looks.GROUPS + touching.GROUPS + banking.ANY_BANK + banking.GROUPS + faults.GROUPS + secrecy.GROUPS
        groups += fido.GROUPS
    own_options = sum([("--" + name, value) for name, value in (("way", options.way), ("authority", options.authority))
                       if value], ())
    names = [group.__name__ for group in groups]
    unknown = set(options.groups) - set(names)
    if unknown:
        sys.exit("kiosk: no group %s among %s" % (", ".join(unknown), ", ".join(names)))
    with tempfile.TemporaryDirectory(prefix="kiosk-") as folder:
        display = Display(folder)
        try:
            for group in groups:
                if options.groups and group.__name__ not in options.groups:
                    continue
                began, before = time.monotonic(), checks()
                context = Context(display, os.path.abspath(options.program), options.bank, own_options)
                context.folder = options.pictures
                try:
                    group(context)
                    context.end()
                except BaseException:
                    print("kiosk: %s failed" % group.__name__, file=sys.stderr)
                    raise
                took = time.monotonic() - began
                print("  %-24s %3d, %5.1f s" % (group.__name__.replace("_", " "), checks() - before, took))
        finally:
            display.end()
    print("kiosk: %d checks" % checks())


main()
