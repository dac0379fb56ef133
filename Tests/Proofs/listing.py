"""The compiled code of a function, as objdump shows it, and the constants that it reads.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import hashlib
import re
import struct
import subprocess

# Operands are as in AT&T's syntax, the source first; `target` is the symbol that a relocation names, and `addend` what
# it adds.
Instruction = collections.namedtuple("Instruction", "name operands target text addend", defaults=(0,))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Library:
    """One object file with the symbols of its functions."""

    def __init__(self, path):
        self.path = path
        self.symbols = [line.split()[-1] for line in run("nm", "--defined-only", path).splitlines()]
        # All at once: objdump takes as long for one function.
        listing = run("objdump", "-dr", "--no-show-raw-insn", path)
        self.listings = dict(re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)*)", listing, re.M))
        self.functions = {}

    def pointers(self):
        """The places that data point to: by section, a list of (offset there, kind, symbol, addend)."""
        found, section = collections.defaultdict(list), None
        for line in run("readelf", "-r", "--wide", self.path).splitlines():
            heading = re.match(r"Relocation section '\.rela(\S+)'", line)
            section = heading[1] if heading else section
            fields = line.split()
            if len(fields) == 7 and not section.startswith((".text", ".eh_frame")):
                sign = -1 if fields[5] == "-" else 1
                found[section].append((int(fields[0], 16), fields[2], fields[4], sign * int(fields[6], 16)))
        return found

    def symbol(self, pattern):
        """The only symbol that a regular expression fits."""
        found = [name for name in self.symbols if re.search(pattern, name)]
        assert len(found) == 1, "%s fits %s" % (pattern, found or "no symbol")
        return found[0]

    def function(self, symbol):
        """The instructions of a function."""
        if symbol not in self.functions:
            self.functions[symbol] = list(self._instructions(self.listings[symbol]))
        return self.functions[symbol]

    @staticmethod
    def _instructions(listing):
        last = None
        for line in listing.splitlines():
            relocation = re.match(r"\s+[0-9a-f]+: (R_X86_64_\w+)\s+(\S+?)([-+]0x[0-9a-f]+)?$", line)
            if relocation:
                last = last._replace(target=relocation[2], addend=int(relocation[3] or "0", 16))
                continue
            match = re.match(r"\s+[0-9a-f]+:\s+(\w+)\s*([^#]*)", line)
            if not match:
                continue
            if last:
                yield last
            operands = [part for part in re.split(r",(?![^(]*\))", match[2].strip()) if part]
            last = Instruction(match[1], operands, None, line.strip())
        if last:
            yield last

    def words(self, symbol, count):
        """`count` constants of 64 bits that begin at a symbol."""
        entry = next(line.split() for line in run("objdump", "-t", self.path).splitlines()
                     if line.split() and line.split()[-1] == symbol)
        section, start = entry[3] if entry[1] in "lg" and entry[2] == "O" else entry[2], int(entry[0], 16)
        assert section.startswith(".rodata"), section
        listing = run("objdump", "-s", "-j", section, "--start-address=%d" % start,
                      "--stop-address=%d" % (start + 8 * count), self.path)
        digits = "".join("".join(line[1:].split("  ")[0].split()[1:]) for line in listing.splitlines()
                         if re.match(r" [0-9a-f]+ ", line))
        return struct.unpack("<%dQ" % count, bytes.fromhex(digits)[:8 * count])

    def hash(self, symbol):
        """A hash of the instructions of a function."""
        text = "\n".join("%s %s %s" % (i.name, ",".join(i.operands), i.target) for i in self.function(symbol))
        return hashlib.sha256(text.encode()).hexdigest()[:16]
