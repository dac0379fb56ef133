"""Which byte of its sources each byte of a vector is, for instructions that only move bytes. For vectors.py.

SPDX-License-Identifier: Apache-2.0
"""

import re


def order(name, number, width):
    """Which byte of two sources, the second operand's first, each byte of the result is; None for those that do more
    than that. `number`: the constant of the instruction."""
    size, lane = width // 8, 16

    def units(count, pick):
        """Units of `count` bytes in each lane of 16; `pick` gives the unit, and from which source."""
        found = []
        for start in range(0, size, lane):
            for unit in range(lane // count):
                source, place = pick(unit)
                found += [None if source is None else source * size + start + place * count + byte
                          for byte in range(count)]
        return found

    match = re.fullmatch(r"p?unpck([lh])(bw|wd|dq|qdq|ps|pd)", name)
    if match:
        count = {"bw": 1, "wd": 2, "dq": 4, "ps": 4, "qdq": 8, "pd": 8}[match[2]]
        half = lane // count // 2 if match[1] == "h" else 0
        return units(count, lambda unit: (unit % 2, half + unit // 2))
    if name == "pshufd":
        return units(4, lambda unit: (1, number >> 2 * unit & 3))
    if name in ("pshuflw", "pshufhw"):
        first = 4 if name == "pshufhw" else 0
        return units(2, lambda unit: (1, first + (number >> 2 * (unit - first) & 3) if 0 <= unit - first < 4 else unit))
    if name == "shufps":
        return units(4, lambda unit: (unit // 2, number >> 2 * unit & 3))
    if name == "shufpd" and width == 128:
        return units(8, lambda unit: (unit, number >> unit & 1))
    if name == "movlhps":
        return units(8, lambda unit: (unit, 0))
    if name == "movhlps":
        return units(8, lambda unit: (1 - unit, 1))
    if name in ("psrldq", "pslldq"):
        shift = number if name == "psrldq" else -number
        return units(1, lambda unit: (1, unit + shift) if 0 <= unit + shift < lane else (None, 0))
    if name == "palignr":
        return units(1, lambda unit: ((1, unit + number) if unit + number < lane else (0, unit + number - lane)))
    if name in ("permq", "permpd"):
        return [size + 32 * (place // 32) + 8 * (number >> 2 * (place // 8 % 4) & 3) + place % 8
                for place in range(size)]
    if name in ("perm2i128", "perm2f128"):
        picks = [number >> 4 * half for half in (0, 1)]
        return [None if picks[half] & 8 else (picks[half] & 2) // 2 * size + (picks[half] & 1) * 16 + byte
                for half in (0, 1) for byte in range(16)]
    match = re.fullmatch(r"p?blend(w|d|ps|pd)", name)
    if match:
        count = {"w": 2, "d": 4, "ps": 4, "pd": 8}[match[1]]
        return [(size if number >> (place // count % 8) & 1 else 0) + place for place in range(size)]
    return None


def move_bytes(places, one, other, size):
    together = one.to_bytes(size, "little") + other.to_bytes(size, "little") + b"\0"
    return int.from_bytes(bytes(together[-1 if place is None else place] for place in places), "little")
