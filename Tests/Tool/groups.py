"""Checks, and the groups of them that a program runs: those named on its command line, after the tool, or all.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import sys
import time

checks = 0
seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
chance = random.Random(seed)


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def part(cases, n):
    """One case in n, the first included; with THOROUGH=1, as in `make check`, all cases."""
    return list(cases)[:: 1 if os.environ.get("THOROUGH") else n]


def run(program, groups, draws=False):
    """Prints a line for each group. `draws`: by chance, so that a failed run tells its seed."""
    named = sys.argv[2:]
    assert set(named) <= {group.__name__ for group in groups}, "no such group"
    for group in groups:
        if named and group.__name__ not in named:
            continue
        before, began = checks, time.monotonic()
        try:
            group()
        except BaseException:
            repeat = " (SEED=%d)" % seed if draws else ""
            print("%s: %s failed%s" % (program, group.__name__, repeat), file=sys.stderr)
            raise
        name, seconds = group.__name__.replace("_", " "), time.monotonic() - began
        print("%s: %-20s %5d checks, %4.1f s" % (program, name, checks - before, seconds))
