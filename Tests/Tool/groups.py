"""Runs the groups of checks of a program: those named on its command line, after the tool, or all.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys
import time


def part(cases, n):
    """One case in n, the first included; with THOROUGH=1, as in `make check`, all cases."""
    return list(cases)[:: 1 if os.environ.get("THOROUGH") else n]


def run(program, groups, checks, seed=None):
    """Prints a line for each group. `checks` tells how many checks there were so far."""
    named = sys.argv[2:]
    assert set(named) <= {group.__name__ for group in groups}, "no such group"
    for group in groups:
        if named and group.__name__ not in named:
            continue
        before, began = checks(), time.monotonic()
        try:
            group()
        except BaseException:
            repeat = "" if seed is None else " (SEED=%d)" % seed
            print("%s: %s failed%s" % (program, group.__name__, repeat), file=sys.stderr)
            raise
        name, seconds = group.__name__.replace("_", " "), time.monotonic() - began
        print("%s: %-20s %5d checks, %4.1f s" % (program, name, checks() - before, seconds))
