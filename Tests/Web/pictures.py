"""Screenshots, and comparing them.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Python"))
import png  # noqa: E402


class Picture:
    """Rows of pixels of three bytes."""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    @classmethod
    def read(cls, data):
        """A PNG of eight bits a channel, with or without alpha, as Chromium makes it."""
        return cls(*png.read(data))

    def png(self):
        return png.write(self.width, self.height, self.rows)

    def pixel(self, x, y):
        return tuple(self.rows[y][3 * x:3 * x + 3])

    def cut(self, x, y, width, height):
        return Picture(width, height, [row[3 * x:3 * (x + width)] for row in self.rows[y:y + height]])

    def difference(self, other):
        """The share of bytes that differ by more than 24 of 255; 1 for pictures of different sizes."""
        if (self.width, self.height) != (other.width, other.height):
            return 1.0
        count = 0
        for ours, theirs in zip(self.rows, other.rows):
            if ours != theirs:
                count += sum(1 for a, b in zip(ours, theirs) if abs(a - b) > 24)
        return count / (3 * self.width * self.height)

    def worst(self, other, side=40):
        """The largest difference in any square of `side` pixels: one wrong character is small in a whole picture."""
        if (self.width, self.height) != (other.width, other.height):
            return 1.0
        if self.rows == other.rows:
            return 0.0
        places = [(x, y) for x in range(0, self.width - side + 1, side // 2)
                  for y in range(0, self.height - side + 1, side // 2)]
        return max(self.cut(*place, side, side).difference(other.cut(*place, side, side)) for place in places)

    def colors(self):
        """How many different pixels there are: one for an empty board."""
        return len({row[i:i + 3] for row in set(self.rows) for i in range(0, len(row), 3)})
