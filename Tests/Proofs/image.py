"""The library as it would lie in memory: linked, with all its addresses filled in, and each instruction's text.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import os
import re
import struct
import subprocess
import tempfile

from listing import run


class Image:
    """A program that consists of one object file.

    - `segments`: (address, bytes) of what is loaded; bytes behind them are zero up to `end`.
    - `addresses`: of each symbol. `lines`: the instruction at each address, the next address, the function it is in.
    - `outside`: the names of libc's functions by the addresses where the library jumps to them.
    """

    def __init__(self, path, compiler):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            subprocess.run([compiler, "-x", "c", "-", "-x", "none", path, "-no-pie", "-Wl,-z,now", "-Wl,-z,norelro",
                            "-Wl,-z,noexecstack", "-l:libmbedcrypto.a", "-o", program],
                           input="int main(void) { return 0; }", text=True, check=True)
            self._read_segments(program)
            symbols = [line.split() for line in run("nm", "--defined-only", program).splitlines()]
            self.addresses = {name: int(address, 16) for address, _, name in symbols}
            self._read_code(run("objdump", "-d", "--no-show-raw-insn", program))

    def _read_segments(self, program):
        with open(program, "rb") as file:
            data = file.read()
        start, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
        self.segments, self.end = [], 0
        for place in range(start, start + 56 * count, 56):
            kind, _, offset, address, _, size, size_in_memory, _ = struct.unpack_from("<IIQQQQQQ", data, place)
            if kind == 1:
                self.segments.append((address, data[offset:offset + size]))
                self.end = max(self.end, address + size_in_memory)

    def _read_code(self, listing):
        self.lines, self.outside, function, last = {}, {}, None, None
        for line in listing.splitlines():
            heading = re.match(r"([0-9a-f]+) <(.*)>:$", line)
            if heading:
                function = heading[2]
                if function.endswith("@plt"):
                    self.outside[int(heading[1], 16)] = function[:-4]
                continue
            match = re.match(r" +([0-9a-f]+):\t(.*)", line)
            if match:
                address = int(match[1], 16)
                if last:
                    self.lines[last[0]] = (last[1], address, last[2])
                last = address, match[2].strip(), function
        self.lines[last[0]] = (last[1], last[0] + 16, last[2])

    def symbol(self, pattern):
        """The only symbol that a regular expression fits."""
        found = [name for name in self.addresses if re.search(pattern, name)]
        assert len(found) == 1, "%s fits %s" % (pattern, found or "no symbol")
        return found[0]

    def hash(self, functions):
        """A hash of the instructions of some functions, wherever they are."""
        texts = [(function, re.sub(r"\b[0-9a-f]+ (?=<)|-?0x[0-9a-f]+(?=\(%rip\))", "", text))
                 for text, _, function in self.lines.values() if function in functions]
        return hashlib.sha256(repr(sorted(texts, key=lambda pair: pair[0])).encode()).hexdigest()[:16]
