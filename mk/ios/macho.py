"""What of a Mach-O file is looked at: load commands, segments, symbols, exports. Apple's <mach-o/loader.h> and
<mach-o/nlist.h> have the numbers.

SPDX-License-Identifier: Apache-2.0
"""

import struct

MAGIC, DYLIB = 0xFEEDFACF, 6
SEGMENT, SYMTAB, UUID, BUILD_VERSION, ENCRYPTION_INFO = 0x19, 0x2, 0x1B, 0x32, 0x2C
EXPORTS_TRIE, DYLIBS = 0x80000033, (0xC, 0x80000018, 0x8000001F)
WEAK_DEFINES, BINDS_TO_WEAK = 0x8000, 0x10000  # flags of the file
WRITABLE_AND_EXECUTABLE = 2 | 4
PLATFORMS = {"ios": 2, "ios-simulator": 7}


def version(number):
    """0x000f0200 is 15.2, without zeros at the end but one."""
    major, minor, patch = number >> 16, number >> 8 & 255, number & 255
    return "%d.%d" % (major, minor) + (".%d" % patch if patch else "")


def number(text):
    parts = [int(part) for part in text.split(".")] + [0, 0]
    return parts[0] << 16 | parts[1] << 8 | parts[2]


class Commands:
    """The load commands of a file, or of an object at `start` in an archive: (place, command, size)."""

    def __init__(self, data, start=0):
        self.data, self.start = data, start
        magic, _, _, self.kind, self.count, self.size, self.flags, _ = struct.unpack_from("<8I", data, start)
        if magic != MAGIC:
            raise ValueError("not a 64-bit Mach-O file")

    def __iter__(self):
        place = self.start + 32
        for _ in range(self.count):
            command, size = struct.unpack_from("<2I", self.data, place)
            yield place, command, size
            place += size

    def of(self, wanted):
        return [place for place, command, _ in self if command == wanted]


class Image(Commands):
    """A dynamic library."""

    def text(self, place, size=None):
        end = self.data.index(b"\0", place) if size is None else place + size
        return self.data[place:end].split(b"\0")[0].decode()

    def segments(self):
        """(name, protection at first, at most, sections); a section is (name, offset in the file)."""
        for place in self.of(SEGMENT):
            most, first, count = struct.unpack_from("<3I", self.data, place + 56)
            sections = [(self.text(at, 16), struct.unpack_from("<I", self.data, at + 48)[0])
                        for at in range(place + 72, place + 72 + 80 * count, 80)]
            yield self.text(place + 8, 16), first, most, sections

    def platform(self):
        """(platform, oldest system), or None."""
        found = self.of(BUILD_VERSION)
        return struct.unpack_from("<2I", self.data, found[0] + 8) if len(found) == 1 else None

    def uuid(self):
        found = self.of(UUID)
        return self.data[found[0] + 8:found[0] + 24].hex() if len(found) == 1 else None

    def libraries(self):
        return [self.text(place + struct.unpack_from("<I", self.data, place + 8)[0])
                for place, command, _ in self if command in DYLIBS]

    def symbols(self):
        """(name, kind, description)."""
        for place in self.of(SYMTAB):
            at, count, strings, _ = struct.unpack_from("<4I", self.data, place + 8)
            for entry in range(at, at + 16 * count, 16):
                name, kind, _, description, _ = struct.unpack_from("<IBBHQ", self.data, entry)
                yield self.text(strings + name), kind, description

    def imports(self):
        """{name: the library's path}: undefined symbols."""
        paths = self.libraries()
        return {name: paths[(description >> 8) - 1] if 0 < description >> 8 <= len(paths) else "?"
                for name, kind, description in self.symbols() if kind & 0xEF == 1}

    def exports(self):
        """The names in the trie of exports."""
        for place in self.of(EXPORTS_TRIE):
            at, size = struct.unpack_from("<2I", self.data, place + 8)
            if size:
                yield from self.names(at, at, "")

    def leb(self, at):
        value = shift = 0
        while True:
            byte = self.data[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value, at

    def names(self, trie, at, prefix):
        size, at = self.leb(at)
        if size:
            yield prefix
        at += size
        count = self.data[at]
        at += 1
        for _ in range(count):
            label = self.text(at)
            child, at = self.leb(at + len(label) + 1)
            yield from self.names(trie, trie + child, prefix + label)

    def room(self):
        """Bytes between the load commands and the first section."""
        offsets = [offset for _, _, _, sections in self.segments() for _, offset in sections if offset]
        return min(offsets, default=len(self.data)) - 32 - self.size
