#!/usr/bin/env python3
"""A vault of 100,000 items beside plain SQLite and SQLCipher: how long one item takes to be added and to be read, and
how long the vault takes to be opened.

    compare.py PROGRAMS [--items N] [--rounds N] [--check]        PROGRAMS: where vault, sqlite and sqlcipher are

The three take turns, so that they share what else the machine does; a ratio is that of one round, and the median of all
rounds counts. The files are filled in memory and then copied beside the programs: on that disk the items are added.
Adding waits for the disk each time, so all three are measured twice: there, and in memory, where only the work counts.

With --check the exit status is 1 if a limit is missed.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

STORES = ("vault", "sqlite", "sqlcipher")
ADDS, READS = 100, 5000  # in each round

parser = argparse.ArgumentParser()
parser.add_argument("programs")
parser.add_argument("--items", type=int, default=100_000)
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--check", action="store_true")
options = parser.parse_args()


class Store:
    """A program that does what it is told, one line at a time."""

    def __init__(self, name, path):
        command = [os.path.join(options.programs, name), path]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, what, count=None):
        """What it answers: mostly nanoseconds."""
        self.process.stdin.write(what + (" %d" % count if count else "") + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("compare: a store ended")
        return int(answer)

    def end(self):
        self("close")
        self.process.stdin.close()
        self.process.wait()


def rounds(stores, what, count):
    """For each store, microseconds for one item in each round."""
    times = {name: [] for name in STORES}
    for number in range(options.rounds):
        for name in STORES[number % 3:] + STORES[:number % 3]:
            times[name].append(stores[name](what, count) / count / 1000)
    return times


def ratio(times, peer):
    """How many times as fast as the peer the vault is."""
    return statistics.median(other / own for own, other in zip(times["vault"], times[peer]))


def main():
    memory = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    disk = tempfile.mkdtemp(dir=options.programs)
    try:
        for name in STORES:
            store = Store(name, os.path.join(memory, name))
            store("open")
            store("add", options.items)
            store.end()
        for file in os.listdir(memory):
            shutil.copy2(os.path.join(memory, file), os.path.join(disk, file))
        figures = {}
        for place, folder in (("on the disk", disk), ("in memory", memory)):
            stores = {name: Store(name, os.path.join(folder, name)) for name in STORES}
            for name in STORES:
                stores[name]("open")
                if stores[name]("count") != options.items:
                    sys.exit("compare: %s has another number of items" % name)
                stores[name]("read", READS)
            figures["add, " + place] = rounds(stores, "add", ADDS)
            figures["read, " + place] = rounds(stores, "read", READS)
            if folder == disk:
                opening = []
                for _ in range(options.rounds):
                    stores["vault"]("close")
                    opening.append(stores["vault"]("open") / 1e9)
            for store in stores.values():
                store.end()
    finally:
        shutil.rmtree(memory)
        shutil.rmtree(disk)

    print("%d items, %d rounds; microseconds for one item, the median; times as fast as the peer" %
          (options.items, options.rounds))
    print("%-20s %9s %9s %9s %12s %12s" % ("", *STORES, "× sqlite", "× sqlcipher"))
    for what, times in figures.items():
        print("%-20s" % what, *("%9.1f" % statistics.median(times[name]) for name in STORES),
              "%12.2f %12.2f" % (ratio(times, "sqlite"), ratio(times, "sqlcipher")))
    print("open, all checked    %.3f s" % statistics.median(opening))
    limits = (
        ("add, on the disk, × sqlite", ratio(figures["add, on the disk"], "sqlite"), 0.8, 1),
        ("read, on the disk, × sqlcipher", ratio(figures["read, on the disk"], "sqlcipher"), 1.0, 1),
        ("open, seconds", statistics.median(opening), 0.3, -1),
    )
    missed = 0
    for what, figure, limit, sign in limits:
        if options.check:
            holds = sign * figure >= sign * limit
            missed += not holds
            bound = "at least" if sign > 0 else "at most"
            print("%-12s %s: %.2f, %s %.2f" % ("PASS" if holds else "FALLS SHORT", what, figure, bound, limit))
    sys.exit(1 if missed else 0)


main()
