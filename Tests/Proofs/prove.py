#!/usr/bin/python3
"""Proves functions of the library's fields, for all inputs, from their compiled code (theorems.py), and shows that the
proofs refuse planted bugs (planted.py).

    prove.py OBJECT                build/customkeyboard.o, of this processor; z3 for Python is Debian's python3-z3
    prove.py OBJECT --plant 20     so many bugs in each function
    prove.py OBJECT --only SM2     theorems with this in their title
    prove.py OBJECT --manifest F   what SwiftPM was told when it made it: .build/c-abi/release.yaml, beside build/

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import sys
import time

import made_by
from edwards import edwards_formulas
from followed import prove_followed
from inverses import inverse_theorems
from lane_proofs import prove_lanes
from listing import Library
from long_numbers import long_theorems
from machine import NotRead
from planted import bugs
from points import point_formulas
from powers import power_theorems
from processor import compare, compare_long
from scalar_ladder import scalar_ladder
from theorems import R, theorems


def refusal(theorem, library, *counts):
    """Why a theorem is not proved; None if it is."""
    try:
        return theorem.prove(library, *counts)
    except (NotRead, ValueError) as problem:
        return str(problem)


def plant(library, symbol, those, count):
    """Bugs in a function, and ranges that are too wide. At least one of the theorems about it must refuse each."""
    function, refused = library.function(symbol), 0
    for what, where, planted in bugs(function, count, symbol, changed=those[0].changed):
        library.functions[symbol] = planted
        if not any(refusal(theorem, library) for theorem in those):
            sys.exit("%s is proved although %s: %s" % (those[0].title, where, what))
        refused += 1
    library.functions[symbol] = function
    for theorem in those[:1]:
        for name, bound in theorem.below.items():
            # x + y and x·y are the same for y and x.
            if bound < R or name == "result":
                if not refusal(theorem.with_other_range(name), library):
                    sys.exit("%s is proved for a wrong range of %s" % (theorem.title, name))
                refused += 1
    return refused


def plant_long(library, theorem, count):
    """Bugs in what a theorem about long numbers has read, and ranges that are wrong. Each must be refused for numbers
    of 8, 4 or 12 words."""
    read, refused, few = dict(theorem.read), 0, (8, 4, 12)
    for symbol, places in read.items():
        function = library.function(symbol)
        for what, where, planted in bugs(function, count, symbol, places):
            library.functions[symbol] = planted
            if not refusal(theorem, library, few):
                sys.exit("%s is proved although %s: %s" % (theorem.title, where, what))
            refused += 1
        library.functions[symbol] = function
    for name, bound in theorem.ranges_that_are_wrong().items():
        theorem.wider = {name: bound}
        if not refusal(theorem, library, few):
            sys.exit("%s is proved for a wrong range of %s" % (theorem.title, name))
        refused += 1
    return refused


def prove_long(library, options):
    """Returns how many theorems, functions, bugs that were refused, and results that are the processor's."""
    those, functions, all_refused, compared = [t for t in long_theorems() if options.only in t.title], set(), 0, 0
    for theorem in those:
        begin = time.monotonic()
        problem = refusal(theorem, library)
        if problem:
            sys.exit("%s is not proved: %s" % (theorem.title, problem))
        seconds, symbol = time.monotonic() - begin, library.symbol(theorem.symbol)
        compared += compare_long(library.path, symbol, theorem, os.environ.get("CC", "cc"))
        functions.update(theorem.read)
        refused = plant_long(library, theorem, options.plant)
        all_refused += refused
        print("%-32s %3d instructions, hash %s, proved in %.1f s\n%32s %d planted bugs refused" % (
            theorem.title, len(library.function(symbol)), library.hash(symbol), seconds, "", refused), flush=True)
    return len(those), len(functions), all_refused, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object")
    parser.add_argument("--plant", type=int, default=20, metavar="N")
    parser.add_argument("--only", default="", metavar="TITLE")
    parser.add_argument("--manifest", metavar="F")
    options = parser.parse_args()
    made_by.report(os.environ.get("SWIFT", "swift"), options.manifest or os.path.join(
        os.path.dirname(options.object), "..", ".build", "c-abi", "release.yaml"))
    library, functions, all_refused = Library(options.object), {}, 0
    for theorem in [*theorems(), *power_theorems()]:
        if options.only in theorem.title:
            begin = time.monotonic()
            problem = refusal(theorem, library)
            if problem:
                sys.exit("%s is not proved: %s" % (theorem.title, problem))
            functions.setdefault(library.symbol(theorem.symbol), []).append((theorem, time.monotonic() - begin))
    proved = [theorem for those in functions.values() for theorem, _ in those]
    short = compare(library, proved, os.environ.get("CC", "cc"))
    for symbol, those in functions.items():
        refused = plant(library, symbol, [theorem for theorem, _ in those], options.plant)
        all_refused += refused
        for theorem, seconds in those:
            print("%-32s %3d instructions, hash %s, proved in %.1f s" % (
                theorem.title, len(library.function(symbol)), library.hash(symbol), seconds))
        print("%32s %d planted bugs refused" % ("", refused), flush=True)
    long, more, refused, compared = prove_long(library, options)
    of_lanes, of_functions, also_refused, also_compared = prove_lanes(library, options.only, options.plant,
                                                                     os.environ.get("CC", "cc"))
    found = [(len(proved), len(functions), all_refused, short), (long, more, refused, compared),
             (of_lanes, of_functions, also_refused, also_compared),
             prove_followed(library, [*inverse_theorems(), *point_formulas(), *edwards_formulas(), *scalar_ladder()],
                            options.only, options.plant, os.environ.get("CC", "cc"))]
    of_theorems, of_functions, refused, compared = map(sum, zip(*found))
    print("%d results are the processor's" % compared)
    print("proofs: %d theorems about %d functions, %d planted bugs refused" % (of_theorems, of_functions, refused))


main()
