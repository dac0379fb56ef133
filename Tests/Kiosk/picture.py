"""Pictures of a screen: reading and writing PNG, comparing, and finding the keys of a keyboard as a person does.

SPDX-License-Identifier: Apache-2.0
"""

import struct
import zlib


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

    # ---- PNG, of 8 bits a channel, with and without opacity

    def save(self, path):
        # The filter "up": what is under a pixel is mostly the same colour.
        above, lines = bytes(3 * self.width), []
        for y in range(self.height):
            row = self.row(y)
            lines.append(b"\2" + bytes((a - b) & 255 for a, b in zip(row, above)))
            above = row
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
            for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines), 9)), (b"IEND", b"")):
                file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))

    @staticmethod
    def load(path):
        with open(path, "rb") as file:
            png, place, packed = file.read(), 8, b""
        while place < len(png):
            size, name = struct.unpack_from(">I4s", png, place)
            if name == b"IHDR":
                width, height, depth, kind = struct.unpack_from(">IIBB", png, place + 8)
                assert depth == 8 and kind in (2, 6), "%s: depth %d, kind %d" % (path, depth, kind)
            elif name == b"IDAT":
                packed += png[place + 8 : place + 8 + size]
            place += size + 12
        step, raw, rows = (3 if kind == 2 else 4), zlib.decompress(packed), []
        above = bytearray(step * width)
        for y in range(height):
            start = y * (step * width + 1)
            above = unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + step * width]), above, step)
            rows.append(above)
        data = b"".join(rows)
        if step == 4:
            data = b"".join(data[place : place + 3] for place in range(0, len(data), 4))
        return Picture(width, height, data)


def unfiltered(kind, row, above, step):
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        elif kind == 4:
            near = left + above[i] - corner
            guess = min((left, above[i], corner), key=lambda value: abs(near - value))
        else:
            return row
        row[i] = (row[i] + guess) & 255
    return row


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
