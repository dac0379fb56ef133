"""Reads from a function's comment which numbers it takes and gives:

    /// - Range: x < 2²⁵⁶, y < prime; result < prime

SPDX-License-Identifier: Apache-2.0
"""

import os
import re

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources")


def stated(file, declaration, of=""):
    """What each number is below, as it is written, from the comment in front of a declaration. `of`: there may be
    several, `- Range of 2·x·y: …`."""
    with open(os.path.join(SOURCES, file), encoding="utf-8") as source:
        lines = source.read().splitlines()
    found = [place for place, line in enumerate(lines) if declaration in line and not line.lstrip().startswith("//")]
    assert found, "%s has no %s" % (file, declaration)
    for line in reversed(lines[:found[0]]):
        match = re.match(r"\s*/// - Range%s: (.*)" % re.escape(of and " of " + of), line)
        if match:
            return dict(re.split(" [<≤] ", part) for part in re.split("[,;] ", match[1]))
        assert line.lstrip().startswith(("///", "@")), "%s states no range of %s" % (file, declaration)
    raise AssertionError("%s states no range of %s" % (file, declaration))


def ranges(file, declaration, prime):
    """The number that each of x, y and the result is below."""
    bounds = {"2²⁵⁶": 1 << 256, "prime": prime}
    return {name: bounds[bound] for name, bound in stated("KeyboardCurves/" + file, declaration).items()}
