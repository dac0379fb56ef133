"""Zeroes swiftc's hashes in a linked module: they change from build to build, and nobody reads them.

    strip.py LINKED STRIPPED

swiftc keeps 16 bytes for each file in a section .swift_modhash. llvm-objcopy cannot take it out of WebAssembly's data,
but wasm-opt leaves out data that is zero.

SPDX-License-Identifier: Apache-2.0
"""

import sys

CUSTOM, DATA = 0, 11
SEGMENT_NAMES = 9


class Reader:
    def __init__(self, data, place=0):
        self.data, self.place = data, place

    def number(self):
        """An integer in LEB128."""
        value = shift = 0
        while True:
            byte = self.data[self.place]
            self.place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def name(self):
        size = self.number()
        self.place += size
        return self.data[self.place - size : self.place].decode()


def sections(data):
    """Each section's number, and where its contents begin and end."""
    reader = Reader(data, 8)
    while reader.place < len(data):
        kind = data[reader.place]
        reader.place += 1
        size = reader.number()
        yield kind, reader.place, reader.place + size
        reader.place += size


def segments(data, begin):
    """Where the bytes of each active segment of data begin and end."""
    reader = Reader(data, begin)
    for _ in range(reader.number()):
        flags = reader.number()
        assert flags == 0 and data[reader.place] == 0x41, "an active segment, at a constant"
        reader.place += 1
        reader.number()
        reader.place += 1
        size = reader.number()
        yield reader.place, reader.place + size
        reader.place += size


def segment_names(data, begin, end):
    reader = Reader(data, begin)
    if reader.name() != "name":
        return {}
    while reader.place < end:
        kind = reader.number()
        size = reader.number()
        next_place = reader.place + size
        if kind == SEGMENT_NAMES:
            return {reader.number(): reader.name() for _ in range(reader.number())}
        reader.place = next_place
    return {}


def main():
    data = bytearray(open(sys.argv[1], "rb").read())
    places, names = [], {}
    for kind, begin, end in sections(data):
        if kind == DATA:
            places = list(segments(data, begin))
        elif kind == CUSTOM:
            names |= segment_names(data, begin, end)
    hashes = [places[number] for number, name in names.items() if name == ".swift_modhash"]
    assert hashes, "the module has no hashes"
    for begin, end in hashes:
        data[begin:end] = bytes(end - begin)
    open(sys.argv[2], "wb").write(data)


main()
