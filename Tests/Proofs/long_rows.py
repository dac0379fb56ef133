"""Reads products whose digits of 52 bits are in the lanes of registers, one number's side by side: all eight lanes, and
the last carries.

These go through bits of a mask. A lane is below 2^52 - 1, full (2^52 - 1), or over, but below 2^53 - 1. What is
computed of the masks is computed for each of the 3^8 kinds of eight lanes and both carries that may come in: then it
is seen whether the bits that come out are the carries into the lanes, and the bit that is kept, the one out of the
highest.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import re

from lanes import LANES
from lane_values import FACTOR, Value, ZERO
from long_lanes import key_of, LongLanes
from machine import NotRead, REGISTERS, WORD

WIDTHS = {"x": 2, "y": 4, "z": 8}
OVER, FULL, BIT, INTO, OUT = [], [], [], [], []
for _bit in (0, 1):
    for _kinds in itertools.product((0, 1, 2), repeat=LANES):
        OVER.append(sum((kind == 2) << lane for lane, kind in enumerate(_kinds)))
        FULL.append(sum((kind == 1) << lane for lane, kind in enumerate(_kinds)))
        _carry, _into = _bit, 0
        for _lane, _kind in enumerate(_kinds):
            _into |= _carry << _lane
            _carry = int(_kind == 2 or _kind == 1 and _carry)
        BIT.append(_bit)
        INTO.append(_into)
        OUT.append(_carry)
WITHOUT = len(BIT) // 2  # so many cases have no carry that comes in


class Lines:
    """Eight lanes that were compared, those before, and the carries into each and out of the highest: none yet."""

    def __init__(self, values, last):
        self.values, self.last, self.carries, self.takes_carry = values, last, None, None
        self.key = [key_of(value.poly) for value in values]


class Cases:
    """A word in each case of what eight lanes are. `takes_carry`: whether that of the lanes before is in it."""

    def __init__(self, lines, values, takes_carry=False):
        self.lines, self.values, self.takes_carry = lines, values, takes_carry

    def is_equal(self, wanted, mask):
        count = len(BIT) if self.takes_carry else WITHOUT
        return [value & mask for value in self.values[:count]] == wanted[:count]


class NotKept:
    """A lane that nobody should read."""

    def __getattr__(self, name):
        raise NotRead("a lane that was not computed")


class RowLanes(LongLanes):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.lines, self.masks = None, {}

    # ---- Registers of which a part is used: the rest is 0

    def fetch(self, operand, target, words=LANES):
        match = re.fullmatch(r"%([xy])mm(\d+)", operand)
        if not match:
            return super().fetch(operand, target, words)
        width = WIDTHS[match[1]]
        if int(match[2]) not in self.lanes:
            raise NotRead("nothing is known of " + operand)
        return self.lanes[int(match[2])][:width] + [ZERO] * (LANES - width)

    def store(self, operand, values):
        if "{" in operand:
            raise NotRead("a part of a register: " + operand)
        match = re.fullmatch(r"%([xy])mm(\d+)", operand)
        if match:
            width = WIDTHS[match[1]]
            operand, values = "%zmm" + match[2], values[:width] + [ZERO] * (LANES - width)
        super().store(operand, values)

    def vector(self, name, operands, target):
        masked = re.search(r"\{%k(\d)\}", operands[-1])
        if name == "vmovdqu" and operands[1].startswith("%"):
            self.store(operands[1], self.fetch(operands[0], target))
        elif name in ("vpbroadcastq", "vbroadcastsd"):
            self.store(operands[1], [self.fetch(operands[0], target, 1)[0]] * LANES)
        elif name == "vmovq" and all(operand.startswith("%x") for operand in operands):
            self.store(operands[1], self.fetch(operands[0], None)[:1] + [ZERO] * (LANES - 1))
        elif name == "vpmadd52luq" and self.is_factor(operands[0], target):
            # Of the multiples the lowest lane alone is taken.
            factor, columns, old = self.fetch(operands[0], target), self.fetch(operands[1], None), (
                self.fetch(operands[2], None))
            self.store(operands[2], [self.low_sum(factor[0], columns[0], old[0])] + [NotKept()] * (LANES - 1))
        elif name == "valignq":
            width, count = WIDTHS[operands[3][1]], int(operands[0][1:], 16)
            low, high = (self.fetch(operand, None)[:width] for operand in operands[1:3])
            self.store(operands[3], ((low + high)[count:count + width] + [ZERO] * LANES)[:LANES])
        elif name in ("vpcmpgtq", "vpcmpeqq"):
            self.compare_lanes(name, operands, target)
        elif name == "vpsubq" and masked:
            ones, values = self.fetch(operands[0], target), self.fetch(operands[1], None)
            if any(not value.is_constant() or value.low != -1 for value in ones):
                raise NotRead("another number than 1 is added")
            self.store(operands[2].partition("{")[0], [
                Value(value.poly + bit.poly, value.low + bit.low, value.high + bit.high)
                for value, bit in zip(values, self.selections[int(masked[1])])])
        elif name == "vpternlogq" and masked and operands[0] == "$0xff" and operands[-1].endswith("{z}"):
            self.store(operands[-1].partition("{")[0], [
                Value(bit.poly * -1, -bit.high, -bit.low) for bit in self.selections[int(masked[1])]])
        elif name == "vpsrlq" and operands[0] == "$0x3f":
            values = self.fetch(operands[1], None)
            if any(not -1 <= value.low <= value.high <= 0 for value in values):
                raise NotRead("not a mask")
            self.store(operands[2], [Value(value.poly * -1, -value.high, -value.low) for value in values])
        else:
            super().vector("vpandq" if name == "vpand" else name, operands, target)

    def is_factor(self, operand, target):
        return all((value.low, value.high) == (0, WORD - 1) for value in self.fetch(operand, target)[:1])

    # ---- The last carries

    def compare_lanes(self, name, operands, target):
        values = self.fetch(operands[1], None)
        if any(not value.is_constant() or value.low != FACTOR - 1 for value in self.fetch(operands[0], target)):
            raise NotRead("it is compared with another number")
        if any(value.low < 0 or value.high >= 2 * FACTOR - 1 for value in values):
            raise NotRead("a lane may be negative, or have more than one bit too many")
        if name == "vpcmpgtq":
            self.lines = Lines(values, self.lines)
        elif self.lines is None or self.lines.key != [key_of(value.poly) for value in values]:
            raise NotRead("other lanes are compared")
        self.masks[operands[2]] = Cases(self.lines, OVER if name == "vpcmpgtq" else FULL)

    def select(self, name, operands):
        if name != "kmovw":
            raise NotRead("this instruction is not known")
        source, target = operands
        if source.startswith("%k"):
            self.registers[REGISTERS[target[1:]][0]] = self.masks[source]
            return
        cases = self.registers.get(REGISTERS[source[1:]][0])
        if not isinstance(cases, Cases) or cases.lines is not self.lines:
            raise NotRead("not bits of the lanes that were compared")
        if not cases.is_equal(INTO, 255):
            raise NotRead("these are not the carries into the lanes")
        lines = self.lines
        carries = [lines.last.carries[LANES] if cases.takes_carry else ZERO]
        for value in lines.values:
            total = Value(value.poly + carries[-1].poly, value.low + carries[-1].low, value.high + carries[-1].high)
            carries.append(self.cut(total, 52)[0])
        lines.carries, lines.takes_carry = carries, cases.takes_carry
        self.selections[int(target[2])] = carries[:LANES]

    def of_lines(self, cases, lines):
        """A word of these lanes: if it is of those before, it must be the carry out of them."""
        if cases.lines is lines:
            return cases
        before = cases.lines
        if lines.last is not before or before.carries is None or cases.takes_carry != before.takes_carry or (
                not cases.is_equal(OUT, WORD - 1)):
            raise NotRead("this is not the carry out of the lanes before")
        return Cases(lines, BIT, True)

    def do(self, instruction, following):
        name, operands = instruction.name, instruction.operands
        registers = [REGISTERS[text][0] for operand in operands if name[0] not in "vk"
                     for text in re.findall(r"%(\w+)", operand) if text in REGISTERS]
        if not any(isinstance(self.registers.get(register), Cases) for register in registers) or name in (
                "mov", "push", "pop"):
            return super().do(instruction, following)
        self.active.add(self.at)
        self.set_flag(None)
        self.compared = None
        self.registers[registers[-1]] = self.combined(name, operands)
        return following

    def combined(self, name, operands):
        """What an instruction makes of such words."""
        match = re.fullmatch(r"\((%r\w+),(%r\w+),2\)", operands[0])
        if name == "lea" and match:
            return self.pairs(match[1], match[2], lambda one, other: one + 2 * other)
        if name == "movzbl":
            cases = self.registers[REGISTERS[operands[0][1:]][0]]
            return Cases(cases.lines, [value & 255 for value in cases.values], cases.takes_carry)
        register, bits = REGISTERS[operands[-1][1:]]
        if name == "shr" and operands[0][0] == "$" and bits == 32:
            cases, count = self.registers[register], int(operands[0][1:], 16)
            return Cases(cases.lines, [(value & (1 << 32) - 1) >> count for value in cases.values], cases.takes_carry)
        functions = {"add": int.__add__, "or": int.__or__, "xor": int.__xor__}
        if name not in functions:
            raise NotRead("this instruction is not known")
        function, part = functions[name], (1 << bits) - 1
        kept = WORD - 256 if bits == 8 else 0
        return self.pairs(operands[1], operands[0],
                          lambda one, other: one & kept | function(one & part, other & part) & part)

    def pairs(self, one, other, function):
        words = [self.registers.get(REGISTERS[operand[1:]][0]) for operand in (one, other)]
        if not all(isinstance(word, Cases) for word in words):
            raise NotRead("another word than bits of the lanes")
        lines = next((word.lines for word in words if word.lines is self.lines), words[0].lines)
        words = [self.of_lines(word, lines) for word in words]
        return Cases(lines, [function(a, b) % WORD for a, b in zip(words[0].values, words[1].values)],
                     any(word.takes_carry for word in words))

