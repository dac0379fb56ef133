"""Screenshots: reading and writing PNG, and comparing.

SPDX-License-Identifier: Apache-2.0
"""

import struct
import zlib


class Picture:
    """Rows of pixels of three bytes."""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    @classmethod
    def read(cls, data):
        """A PNG of eight bits a channel, with or without alpha, as Chromium makes it."""
        assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
        at, packed = 8, []
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            if kind == b"IHDR":
                width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
                assert depth == 8 and color in (2, 6) and not interlaced, "another kind of PNG"
            elif kind == b"IDAT":
                packed.append(body)
            at += 12 + length
        channels = 3 if color == 2 else 4
        rows = unfiltered(zlib.decompress(b"".join(packed)), width * channels, height, channels)
        if channels == 4:
            rows = [without_alpha(row) for row in rows]
        return cls(width, height, rows)

    def png(self):
        packed = zlib.compress(b"".join(b"\0" + row for row in self.rows), 9)
        parts = [(b"IHDR", struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)), (b"IDAT", packed),
                 (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
            for kind, body in parts)

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
        return len({row[i:i + 3] for row in self.rows for i in range(0, len(row), 3)})


def without_alpha(row):
    kept = bytearray(len(row) // 4 * 3)
    for channel in range(3):
        kept[channel::3] = row[channel::4]
    return bytes(kept)


def unfiltered(data, width, height, channels):
    rows, before = [], bytes(width)
    for y in range(height):
        kind, row = data[y * (width + 1)], bytearray(data[y * (width + 1) + 1:(y + 1) * (width + 1)])
        if kind == 1:
            for i in range(channels, width):
                row[i] = row[i] + row[i - channels] & 255
        elif kind == 2:
            row = bytearray(a + b & 255 for a, b in zip(row, before))
        elif kind == 3:
            for i in range(width):
                row[i] = row[i] + ((row[i - channels] if i >= channels else 0) + before[i] >> 1) & 255
        elif kind == 4:
            for i in range(width):
                a, c = (row[i - channels], before[i - channels]) if i >= channels else (0, 0)
                b = before[i]
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                row[i] = row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c) & 255
        before = bytes(row)
        rows.append(before)
    return rows
