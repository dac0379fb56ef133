"""PNG files of eight bits a channel, as rows of three bytes a pixel: all that screenshots need.

SPDX-License-Identifier: Apache-2.0
"""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def read(data):
    """Width, height and rows. Opacity is left out."""
    assert data[:8] == SIGNATURE, "no PNG"
    at, packed = 8, []
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and color in (2, 6) and not interlaced, "another kind of PNG"
        elif kind == b"IDAT":
            packed.append(body)
        at += 12 + length
    channels = 3 if color == 2 else 4
    rows = unfiltered(zlib.decompress(b"".join(packed)), width * channels, height, channels)
    return width, height, rows if channels == 3 else [without_alpha(row) for row in rows]


def write(width, height, rows):
    # The filter "up": what is under a pixel is mostly the same color.
    above, lines = bytes(3 * width), []
    for row in rows:
        lines.append(b"\2" + bytes(a - b & 255 for a, b in zip(row, above)))
        above = row
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines), 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
                                for kind, body in parts)


def without_alpha(row):
    kept = bytearray(len(row) // 4 * 3)
    for channel in range(3):
        kept[channel::3] = row[channel::4]
    return bytes(kept)


def unfiltered(data, width, height, channels):
    """W3C's PNG, §9.2. Most rows have the filters 1 and 2: a row is one number then, whose bytes are added at once."""
    low, high = (int.from_bytes(bytes([byte]) * width, "little") for byte in (0x7f, 0x80))

    def added(a, b):
        return (a & low) + (b & low) ^ (a ^ b) & high

    rows, before = [], bytes(width)
    for y in range(height):
        kind, row = data[y * (width + 1)], bytearray(data[y * (width + 1) + 1:(y + 1) * (width + 1)])
        if kind == 1:  # each pixel is the sum of those to its left
            number, shift = int.from_bytes(row, "little"), channels
            while shift < width:
                number = added(number, number << 8 * shift & low + high)
                shift *= 2
            row = number.to_bytes(width, "little")
        elif kind == 2:
            row = added(int.from_bytes(row, "little"), int.from_bytes(before, "little")).to_bytes(width, "little")
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
