"""Pictures of a screen: comparing them, and finding the keys of a keyboard as a person does.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Python"))
import png  # noqa: E402


class Picture:
    """Rows of RGB, three bytes a pixel."""

    def __init__(self, width, height, data):
        assert len(data) == 3 * width * height
        self.width, self.height, self.data = width, height, bytes(data)

    def __eq__(self, other):
        return isinstance(other, Picture) and (self.width, self.data) == (other.width, other.data)

    def pixel(self, x, y):
        place = 3 * (y * self.width + x)
        return self.data[place : place + 3]

    def row(self, y, left=0, right=None):
        start = 3 * y * self.width
        return self.data[start + 3 * left : start + 3 * (self.width if right is None else right)]

    def crop(self, x, y, width, height):
        rows = (self.row(line, x, x + width) for line in range(y, y + height))
        return Picture(width, height, b"".join(rows))

    def colours(self):
        return {self.data[place : place + 3] for place in range(0, len(self.data), 3)}

    def save(self, path):
        with open(path, "wb") as file:
            file.write(png.write(self.width, self.height, [self.row(y) for y in range(self.height)]))

    @staticmethod
    def load(path):
        with open(path, "rb") as file:
            width, height, rows = png.read(file.read())
        return Picture(width, height, b"".join(rows))


def difference(one, other, tile=16):
    """The largest mean difference of a tile, 0 … 255: that of another label is large, that of smoothing is not."""
    assert (one.width, one.height) == (other.width, other.height), "another size"
    worst = 0
    for y in range(0, one.height, tile):
        bands = [one.row(line) for line in range(y, min(y + tile, one.height))]
        others = [other.row(line) for line in range(y, min(y + tile, one.height))]
        if bands == others:
            continue
        for x in range(0, 3 * one.width, 3 * tile):
            pairs = [(a[x : x + 3 * tile], b[x : x + 3 * tile]) for a, b in zip(bands, others)]
            total = sum(abs(p - q) for a, b in pairs if a != b for p, q in zip(a, b))
            worst = max(worst, total / sum(len(a) for a, _ in pairs))
    return worst


# ---- Keys ------------------------------------------------------------------------------------------------------------


class Key:
    """A key on a picture: its place, and the picture of what is written on it."""

    def __init__(self, picture, left, top, right, bottom):
        self.left, self.top, self.right, self.bottom = left, top, right, bottom
        self.x, self.y = (left + right) // 2, (top + bottom) // 2
        self.fill = picture.pixel(left + 6, top + 3)
        inner = picture.crop(left + 2, top + 4, right - left - 4, bottom - top - 8)
        self.label = trimmed(inner, self.fill)


def trimmed(picture, background):
    """What is not background, without the margins around it; None if nothing is."""
    blank = background * picture.width
    lines = [y for y in range(picture.height) if picture.row(y) != blank]
    if not lines:
        return None
    rows = [picture.row(y) for y in range(lines[0], lines[-1] + 1)]
    inked = [x for x in range(picture.width) if any(row[3 * x : 3 * x + 3] != background for row in rows)]
    left, right = inked[0], inked[-1] + 1
    return Picture(right - left, len(rows), b"".join(row[3 * left : 3 * right] for row in rows))


def ranges(places):
    """[1, 2, 3, 7, 8] → [(1, 4), (7, 9)]"""
    found = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    return [tuple(pair) for pair in found]


def top_of(picture, board):
    """Where a board of this colour begins. It is at the lower end, and as wide as the picture."""
    top = picture.height - 1
    while top > 0 and picture.pixel(0, top - 1) == board:
        top -= 1
    return top


def keys_of(picture, board):
    """The keys on the board, row by row."""
    blank = board * picture.width
    found = []
    for first, last in ranges(y for y in range(top_of(picture, board), picture.height) if picture.row(y) != blank):
        rows = [picture.row(y) for y in range(first, last)]
        columns = (x for x in range(picture.width) if any(row[3 * x : 3 * x + 3] != board for row in rows))
        found += [Key(picture, left, first, right, last) for left, right in ranges(columns)]
    return found


def dots_of(picture, board, colour):
    """How many dots of this colour are above the board, in a row."""
    most = 0
    for y in range(top_of(picture, board)):
        row = picture.row(y)
        if colour in row:
            inked = (x for x in range(picture.width) if row[3 * x : 3 * x + 3] == colour)
            most = max(most, len(ranges(inked)))
    return most
