"""Reads from a function's comment which numbers it takes and gives:

    /// - Range: x < 2²⁵⁶, y < prime; result < prime

SPDX-License-Identifier: Apache-2.0
"""

import os
import re

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "KeyboardCurves")


def ranges(file, declaration, prime):
    """The number that each of x, y and the result is below, from the comment in front of a declaration."""
    lines = open(os.path.join(SOURCES, file), encoding="utf-8").read().splitlines()
    found = [place for place, line in enumerate(lines) if declaration in line and not line.lstrip().startswith("//")]
    assert found, "%s has no %s" % (file, declaration)
    for line in reversed(lines[:found[0]]):
        match = re.match(r"\s*/// - Range: (.*)", line)
        if match:
            parts = [part.split(" < ") for part in re.split("[,;] ", match[1])]
            return {name: {"2²⁵⁶": 1 << 256, "prime": prime}[bound] for name, bound in parts}
        assert line.lstrip().startswith("///"), "%s states no range of %s" % (file, declaration)
