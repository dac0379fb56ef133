"""Reads code for AVX-512 IFMA as equations over the integers: each lane of a register holds a polynomial, whose value
is the lane's, as a number that may have a sign.

Where each of the eight lanes does the same with its own numbers, one lane is read: no instruction that moves words
between lanes is known then, and a constant must be the same in all. Otherwise all eight are read.

A product of 104 bits is cut at bit 52: the high half is a new variable, as in machine.py. What a mask leaves is a new
variable too, and `definitions` keeps what it is. What is below which number follows from the instructions one after
another: a sum that may reach 2^64, or a factor that may reach 2^52 or be negative, ends the reading.

SPDX-License-Identifier: Apache-2.0
"""

import re
import struct

from lane_values import number, parts, Shift, Value, Values, Xor, ZERO
from listing import Instruction
from machine import Address, NotRead, REGISTERS, Word, WORD
from polynomial import Poly

MOVES = ("vmovdqu64", "vmovdqa64", "vmovups", "vmovaps")
IDLE = ("endbr64", "vzeroupper", "nop", "nopw", "nopl", "data16", "cs")
LANES = 8
MOST = 300_000  # a program that has not returned after so many instructions is not followed further
LINE = 64  # bytes of a register


class Function:
    """The instructions of a linked program by their addresses: those of one function can be changed."""

    def __init__(self, image, symbol):
        self.image, self.symbol, self.first = image, symbol, image.addresses[symbol]
        self.changed = {}

    def instruction(self, address):
        """The instruction, and where the next one is."""
        if address in self.changed:
            return self.changed[address]
        if address not in self.image.lines:
            raise NotRead("no code is at %#x" % address)
        text, following, _ = self.image.lines[address]
        code, _, comment = text.partition("#")
        name, _, rest = code.strip().partition(" ")
        operands = [part for part in re.split(r",(?![^(]*\))", re.sub(r" <.*>", "", rest.strip())) if part]
        target = int(comment.split()[0], 16) if "%rip" in rest else None
        return Instruction(name, operands, target, code.strip()), following

    def own(self):
        """The addresses of its instructions."""
        return [address for address, (_, _, function) in self.image.lines.items() if function == self.symbol]

    def words(self, address, count):
        """Constants of the program."""
        for start, data in self.image.segments:
            if start <= address and address + 8 * count <= start + len(data):
                return struct.unpack_from("<%dq" % count, data, address - start)
        raise NotRead("nothing is at %#x" % address)


class Lanes(Values):
    """- `count`: how many lanes are read: one for all, or eight.
    - `places`: what is in memory, a register's size each, by base and offset.
    - `writable`: bases that are written. `stands_for`: what is done instead of a function, by its address.
    """

    def __init__(self, function, facts, count=1, writable=(), stands_for=None):
        super().__init__(None, facts, writable, stands_for or {})
        self.function, self.lane_count = function, count
        self.lanes, self.places, self.selections = {}, {}, {}
        self.cuts, self.taken, self.has_written = [], set(), False
        # Where nothing but 0 is added or made.
        self.idle, self.at = set(), None
        self.on_arrival = {}
        self.registers["rsp"] = Address("stack", -8)

    # ---- A run

    def run(self, address):
        """Runs until the function returns."""
        while True:
            instruction, following = self.function.instruction(address)
            self.taken.add(address)
            self.at = address
            self.count += 1
            if self.count > MOST:
                raise NotRead("it does not return")
            if address in self.on_arrival and self.on_arrival[address](self):
                return
            try:
                address = self.do(instruction, following)
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
            if address is None:
                return

    def do(self, instruction, following):
        """Where the next instruction is; None where the function returns."""
        name, operands = instruction.name, instruction.operands
        if name == "ret":
            return None
        if name in ("call", "jmp") and re.fullmatch("[0-9a-f]+", operands[0]):
            target = int(operands[0], 16)
            if name == "jmp" and target not in self.stands_for:
                return target
            if target in self.stands_for:
                self.stands_for[target](self)
            else:
                self.run(target)
            return following if name == "call" else None
        if name[0] == "j":
            return int(operands[0], 16) if self.jumps(name[1:]) else following
        if name in IDLE or (name, operands) == ("xchg", ["%ax", "%ax"]):
            pass
        elif name[0] == "k":
            self.select(name, operands)
        elif name[0] == "v":
            self.vector(name, operands, instruction.target)
        else:
            self.step(instruction)
        return following

    def forget(self):
        """Nothing is forgotten at a jump."""

    def step(self, instruction):
        name, operands = instruction.name, instruction.operands
        if name == "lea" and "%rip" in operands[0]:
            self.put(operands[1], self.constant(instruction.target))
            return False
        if name in ("add", "sub") and operands[1] == "%rsp":
            count = self.signed(operands[0]) * (1 if name == "add" else -1)
            self.registers["rsp"] = self.registers["rsp"].moved(count)
            self.set_flag(None)
            return False
        return super().step(instruction)

    def arithmetic(self, name, operands, target):
        """What follows from known numbers is known, and so are its flags."""
        if operands[-1] == "%rsp" and name == "and" and isinstance(self.registers["rsp"], Address):
            place = self.registers["rsp"]
            self.registers["rsp"] = Address(place.base, place.offset & self.signed(operands[0]))
            return self.set_flag(None)
        known = {"add": int.__add__, "sub": lambda a, b: b - a, "and": int.__and__, "or": int.__or__,
                 "xor": int.__xor__, "inc": lambda a: a + 1, "dec": lambda a: a - 1, "neg": int.__neg__,
                 "shr": lambda a, b: b >> a}
        values = [self.known(text) for text in operands]
        if name not in known or None in values or operands[-1][0] != "%":
            if name == "shr" and operands[0] == "%cl":
                raise NotRead("another shift than of a known number")
            return super().arithmetic(name, operands, target)
        bits = REGISTERS[operands[-1][1:]][1]
        if bits < 32:
            raise NotRead("a part of a register is changed")
        values[0] = values[0] & 63 if name == "shr" else values[0]
        result = known[name](*values)
        self.put(operands[-1], self.constant(result % (1 << bits)))
        self.set_flag(None)
        self.compared = result % (1 << bits), not 0 <= result < 1 << bits, False, bits < 64
        return None

    def known(self, operand):
        """The number that is in a register, or a constant."""
        if operand[0] not in "$%":
            return None
        bits = 64 if operand[0] == "$" or operand == "%cl" else REGISTERS[operand[1:]][1]
        value = self.registers.get("rcx") if operand == "%cl" else (
            self.registers.get(REGISTERS[operand[1:]][0]) if operand[0] == "%" else self.get(operand))
        if not isinstance(value, Word) or not value.poly.is_constant():
            return None
        return value.poly.number() % (1 << bits)

    # ---- Operands

    def constants(self, address, stride, count=LANES):
        """Words of the program in all lanes: `stride` 1 reads eight words, 0 the same one eight times."""
        words = self.function.words(address, count if stride else 1)
        words = [words[lane % len(words)] for lane in range(LANES)]
        if self.lane_count == 1 and len(set(words)) > 1:
            raise NotRead("a constant is not the same in all lanes")
        return [number(word) for word in words[:self.lane_count]]

    def fetch(self, operand, target, words=LANES):
        """The lanes of an operand. `words`: how many are in memory, which come again."""
        match = re.fullmatch(r"%zmm(\d+)", operand)
        if match:
            if int(match[1]) not in self.lanes:
                raise NotRead("nothing is known of " + operand)
            return self.lanes[int(match[1])]
        if operand[0] == "%":
            word = self.get_word(operand)
            if not word.poly.is_constant():
                raise NotRead("not a known number: " + operand)
            value = word.poly.number()
            return [number(value - WORD if value >> 63 else value)] * self.lane_count
        if "{1to8}" in operand:
            words = 1
        place = self.address(operand.partition("{")[0], target)
        if isinstance(place, Poly) or not isinstance(place.base, str):
            address = place.number() if isinstance(place, Poly) else place.base + place.offset
            return self.constants(address, int(words > 1), words)
        if words != LANES or (place.base, place.offset) not in self.places:
            raise NotRead("%d bytes behind %s nothing is known" % (place.offset, place.base))
        if self.has_written and place.base not in self.writable:
            raise NotRead("it reads after it has written, and both may be in one place")
        return self.places[place.base, place.offset]

    def store(self, operand, values):
        selection = re.search(r"\{%k(\d)\}", operand)
        if "{z}" in operand:
            raise NotRead("lanes become zero")
        operand = operand.partition("{")[0]
        if selection:
            old, mask = self.fetch(operand, None), self.selections[int(selection[1])]
            values = [values[lane] if mask >> lane & 1 else old[lane] for lane in range(self.lane_count)]
        for value in values:
            if isinstance(value, Value) and not -WORD >> 1 <= value.low <= value.high < WORD:
                raise NotRead("a lane may overflow")
        match = re.fullmatch(r"%([xyz])mm(\d+)", operand)
        if match:
            if match[1] != "z" and any(parts(value) for value in values):
                raise NotRead("a part of a register: " + operand)
            self.lanes[int(match[2])] = values
            return
        place = self.address(operand, None)
        if not isinstance(place, Address) or place.base not in self.writable or place.offset % 8 or (
                place.offset % LINE and place.base != "stack"):
            raise NotRead("writes to " + operand)
        self.overwrite(self.memory, place, LINE, 8)
        self.overwrite(self.places, place, LINE, LINE)
        self.places[place.base, place.offset] = values
        self.has_written |= place.base != "stack"

    def put(self, operand, value):
        if operand[0] != "%":
            place = self.address(operand, None)
            if isinstance(place, Address):
                self.overwrite(self.places, place, 8, LINE)
        return super().put(operand, value)

    @staticmethod
    def overwrite(memory, place, size, length):
        """Forgets what of a memory, in which all is so long, is at a place of this size."""
        for base, offset in list(memory):
            if base == place.base and -length < offset - place.offset < size:
                del memory[base, offset]

    # ---- Instructions

    def select(self, name, operands):
        if name not in ("kmovw", "kmovb") or not re.fullmatch(r"%k\d", operands[1]) or self.lane_count == 1:
            raise NotRead("this instruction is not known")
        word = self.registers.get(REGISTERS[operands[0][1:]][0])
        poly = getattr(word, "poly", None)
        if poly is None:
            raise NotRead("not a known number: " + operands[0])
        self.selections[int(operands[1][2])] = poly.number() & 255

    def vector(self, name, operands, target):
        lanes = range(self.lane_count)
        plain = [operand.partition("{%k")[0] for operand in operands]
        if name in MOVES:
            self.store(operands[1], self.fetch(operands[0], target))
        elif name in ("vpbroadcastq", "vbroadcasti32x4", "vbroadcasti64x4", "vpbroadcastd"):
            words = {"vbroadcasti32x4": 2, "vbroadcasti64x4": 4}.get(name, 1)
            if name == "vpbroadcastd" and self.known(operands[0]) not in (0, (1 << 32) - 1):
                raise NotRead("not a mask")
            values = self.fetch(operands[0], target, words) if name != "vpbroadcastd" else (
                [number(-(self.known(operands[0]) & 1))] * self.lane_count)
            if operands[0].startswith(("%x", "%y", "%z")):
                raise NotRead("a part of a register: " + operands[0])
            self.store(operands[1], values)
        elif name == "vmovq" and re.fullmatch(r"%xmm\d+", operands[1]):
            # The other lanes are 0: only shifts, which read this lane alone, may read it.
            self.lanes[int(operands[1][4:])] = Shift(self.known(operands[0]))
        elif name in ("vpxor", "vpxord", "vpxorq") and len(set(operands)) == 1:
            self.lanes[int(re.search(r"\d+", operands[2])[0])] = [ZERO] * self.lane_count
        elif name in ("vpsrlq", "vpsraq", "vpsllq", "vprolq", "vpsllvq"):
            self.shift(name, operands)
        elif name in ("vpternlogd", "vpternlogq"):
            self.ternary(int(operands[0][1:], 16), operands[1:], target)
        elif re.fullmatch("vperm.*|vpshufd|vpblendmq", name):
            self.move(name, operands, target)
        else:
            if name not in self.PAIRS:
                raise NotRead("this instruction is not known")
            one, other = self.fetch(plain[0], target), self.fetch(plain[1], None)
            old = self.fetch(plain[2], None) if name.startswith("vpmadd") else [None] * self.lane_count
            function = self.PAIRS[name]
            if name != "vpxorq" and any(isinstance(value, Xor) for value in (*one, *other, *old)):
                raise NotRead("an exclusive or is not a number")
            found = [function(self, one[lane], other[lane], old[lane]) for lane in lanes]
            kept = {"vpmadd": old, "vpaddq": one, "vpsubq": other}.get(name[:6], [])
            if any(all(value is not None and new.poly == value.poly for new, value in zip(found, before))
                   for before in (kept, other if name == "vpaddq" else kept) if before):
                self.idle.add(self.at)
            self.store(operands[2], found)

    def low_sum(self, one, other, old):
        half = self.halves(one, other)[0]
        return Value(old.poly + half.poly, old.low + half.low, old.high + half.high)

    def high_sum(self, one, other, old):
        half = self.halves(one, other)[1]
        return Value(old.poly + half.poly, old.low + half.low, old.high + half.high)

    PAIRS = {
        "vpmadd52luq": low_sum, "vpmadd52huq": high_sum,
        "vpaddq": lambda self, a, b, _: Value(a.poly + b.poly, a.low + b.low, a.high + b.high),
        "vpsubq": lambda self, a, b, _: Value(b.poly - a.poly, b.low - a.high, b.high - a.low),
        "vpandq": lambda self, a, b, _: self.both(a, b), "vporq": lambda self, a, b, _: self.either(a, b),
        "vpxorq": lambda self, a, b, _: self.exclusive(a, b),
    }

    def shift(self, name, operands):
        if operands[0][0] == "$":
            bit = int(operands[0][1:], 16)
        else:
            counts = self.lanes.get(int(re.search(r"\d+", operands[0])[0]))
            if isinstance(counts, Shift) != (operands[0][1] == "x") or counts is None:
                raise NotRead("it is not known by how many bits")
            if not isinstance(counts, Shift) and (not counts[0].is_constant() or len({v.low for v in counts}) > 1):
                raise NotRead("it is not known by how many bits")
            bit = counts.count if isinstance(counts, Shift) else counts[0].low
        if bit is None or not 0 <= bit < 64:
            raise NotRead("it is not known by how many bits")
        found = []
        for value in self.fetch(operands[1], None):
            if isinstance(value, Xor):
                raise NotRead("an exclusive or is not a number")
            if value.low < 0 if name != "vpsraq" else value.high >= WORD >> 1:
                raise NotRead("a lane may be negative, or not fit with its sign")
            if name in ("vpsrlq", "vpsraq"):
                found.append(self.cut(value, bit)[0])
            else:
                found.append(Value(value.poly * (1 << bit), value.low << bit, value.high << bit))
        if all(value.is_constant() and not value.low for value in found):
            self.idle.add(self.at)
        self.store(operands[2], found)

    def ternary(self, table, operands, target):
        if table == 255:
            return self.store(operands[2], [number(-1)] * self.lane_count)
        c, b, a = self.fetch(operands[0], target), self.fetch(operands[1], None), self.fetch(operands[2], None)
        known = {0x60: lambda a, b, c: self.both(a, self.exclusive(b, c)),
                 0xf8: lambda a, b, c: self.either(a, self.both(b, c)),
                 0xc8: lambda a, b, c: self.both(b, self.either(a, c)),
                 0xf6: lambda a, b, c: self.either(a, self.exclusive(b, c))}
        function = known.get(table, lambda *values: self.masked(table, *values))
        return self.store(operands[2], [function(a[n], b[n], c[n]) for n in range(self.lane_count)])

    def masked(self, table, a, b, c):
        """One lane, of three of which some are all zeros or all ones: what the table says of the others."""
        ways = [way for way in range(8) if all(
            not value.is_mask() or (way >> place & 1) == (value.low & 1) for place, value in ((2, a), (1, b), (0, c)))]
        said = [table >> way & 1 for way in ways]
        if len(set(said)) == 1:
            return number(-said[0])
        for place, value in ((2, a), (1, b), (0, c)):
            if said == [way >> place & 1 for way in ways]:
                return value
        left = [(place, value) for place, value in ((2, a), (1, b), (0, c)) if not value.is_mask()]
        if len(left) == 2 and said == [way >> left[0][0] & way >> left[1][0] & 1 for way in ways]:
            return self.both(left[0][1], left[1][1])
        raise NotRead("this instruction is not known")

    def move(self, name, operands, target):
        """Words change their lanes."""
        if self.lane_count == 1:
            raise NotRead("it moves words between lanes")
        if name == "vpblendmq":
            selection = self.selections[int(re.search(r"\{%k(\d)\}", operands[2])[1])]
            ones, zeros = self.fetch(operands[0], target), self.fetch(operands[1], None)
            return self.store(operands[2].partition("{")[0],
                              [(ones if selection >> lane & 1 else zeros)[lane] for lane in range(LANES)])
        if operands[0][0] == "$" and name in ("vpermq", "vpshufd"):
            constant, source = int(operands[0][1:], 16), self.fetch(operands[1], target)
            if name == "vpermq":
                order = [lane & 4 | constant >> 2 * (lane & 3) & 3 for lane in range(LANES)]
            elif constant in (0x4e, 0x44, 0xee):
                order = [lane & 6 | {0x4e: (1, 0), 0x44: (0, 0), 0xee: (1, 1)}[constant][lane & 1]
                         for lane in range(LANES)]
            else:
                raise NotRead("it moves halves of words")
            return self.store(operands[2], [source[place] for place in order])
        if name not in ("vpermq", "vpermt2q", "vpermi2q"):
            raise NotRead("this instruction is not known")
        high, middle = self.fetch(operands[0], target), self.fetch(operands[1], None)
        old = self.fetch(operands[2], None) if name != "vpermq" else None
        order, sources = {"vpermq": (middle, (high, high)), "vpermt2q": (middle, (old, high)),
                          "vpermi2q": (old, (middle, high))}[name]
        if not all(place.is_constant() for place in order):
            raise NotRead("it is not known where words go")
        return self.store(operands[2], [sources[place.low >> 3 & 1][place.low & 7] for place in order])
