"""What each instruction of the general registers does to bits that may be unknown. For execution.py.

SPDX-License-Identifier: Apache-2.0
"""

import re

from machine import NotRead
from products import Products
from registers import REGISTERS, SUFFIXES, Refused


class Instructions(Products):
    """The part of a processor that knows instructions. Each function answers one that does the instruction and gives
    the next address, or None if it is of another kind."""

    def _moves(self, name, operands, address, following):
        if name in ("endbr64", "nop", "nopw", "nopl", "pause", "mfence", "lfence", "vzeroupper", "prefetcht0",
                    "xchg") and (name != "xchg" or operands == ["%ax", "%ax"]):
            return lambda: following
        if name in ("mov", "movabs", "movb", "movw", "movl") or name == "movq" and not any(
                "mm" in text for text in operands):
            width = self.width(name, operands)
            if width == 64 and all(text in REGISTERS for text in operands):
                return self._move(*(REGISTERS[text][0] for text in operands), following)
            read, write = self.reader(operands[0], width, following), self.writer(operands[1], width, following)

            def move():
                write(*read())
                return following
            return move
        match = re.fullmatch(r"mov([sz])([bwl])([wlq])", name) or name == "movslq" and re.match("(s)(l)(q)", "slq")
        if match and len(operands) == 2:
            low, high = SUFFIXES[match[2]], SUFFIXES[match[3]]
            read, write = self.reader(operands[0], low, following), self.writer(operands[1], high, following)
            top = ((1 << high) - 1) ^ ((1 << low) - 1) if match[1] == "s" else 0

            def extend():
                value, mask = read()
                write(value | (top if value >> low - 1 & 1 else 0), mask | (top if mask >> low - 1 & 1 else 0))
                return following
            return extend
        if name == "lea":
            place, width = self.operand(operands[0], following), REGISTERS[operands[1]][1]
            write, ones = self.writer(operands[1], width, following), (1 << width) - 1

            def lea():
                value, mask = place()
                mask = ones & -(mask & -mask)  # what is above the lowest unknown bit
                write(value & ones, mask)
                return following
            return lea
        if name in ("push", "pop"):
            values, masks = self.values, self.masks
            if name == "push":
                read = self.reader(operands[0], 64, following)

                def push():
                    value, mask = read()
                    values[4] -= 8
                    self.store(values[4], 8, value, mask)
                    return following
                return push
            number = REGISTERS[operands[0]][0]

            def pop():
                values[number], masks[number] = self.load(values[4], 8)
                if number != 4:
                    values[4] += 8
                return following
            return pop
        if name == "leave":
            def leave():
                top = self.place((self.values[5], self.masks[5]))
                self.values[5], self.masks[5] = self.load(top, 8)
                self.values[4] = top + 8
                return following
            return leave
        if name.startswith("cmov"):
            width, condition = self.width(name, operands), name[4:]
            read, old = (self.reader(text, width, following) for text in operands)
            write = self.writer(operands[1], width, following)

            def choose():
                (value, mask), (other, hidden), holds = read(), old(), self.condition(condition)
                if holds is None:
                    mask |= hidden | (value ^ other)
                elif not holds:
                    value, mask = other, hidden
                write(value, mask)
                return following
            return choose
        if name.startswith("set"):
            write, condition = self.writer(operands[0], 8, following), name[3:]

            def set_byte():
                holds = self.condition(condition)
                write(int(bool(holds)), int(holds is None))
                return following
            return set_byte
        return None

    def _move(self, source, target, following):
        """Most instructions are moves between registers."""
        values, masks = self.values, self.masks

        def move():
            values[target], masks[target] = values[source], masks[source]
            return following
        return move

    def _arithmetic(self, name, operands, address, following):
        match = re.fullmatch(r"(add|adc|sub|sbb|cmp|and|or|xor|test|inc|dec|neg|not)([bwlq])?", name)
        if not match:
            return None
        kind, width = match[1], self.width(name, operands)
        ones, top, flags = (1 << width) - 1, width - 1, self.flags
        write = None if kind in ("cmp", "test") else self.writer(operands[-1], width, following)
        read = self.reader(operands[-1], width, following)
        if kind == "not":
            def invert():
                value, mask = read()
                write(value ^ ones, mask)
                return following
            return invert
        if kind in ("inc", "dec", "neg"):
            def source():
                return (0 if kind == "neg" else 1), 0
        else:
            source = self.reader(operands[0], width, following)
        if kind in ("xor", "sub", "sbb") and operands[0] == operands[1]:
            def same():
                carry = flags["c"] if kind == "sbb" else 0
                mask, value = (ones, 0) if carry is None else (0, ones if carry else 0)
                self.set_result(value, mask, width, carry, 0)
                write(value, mask)
                return following
            return same
        if kind in ("and", "test", "or", "xor"):
            def both():
                (a, x), (b, y) = source(), read()
                if kind == "xor":
                    value, mask = a ^ b, x | y
                elif kind == "or":
                    value, mask = a | b, (x | y) & ~a & ~b
                else:
                    value, mask = a & b, (x | y) & (a | x) & (b | y)
                value &= ~mask
                self.set_result(value, mask, width, 0, 0)
                if write:
                    write(value, mask)
                return following
            return both
        subtracts, carries = kind in ("sub", "sbb", "cmp", "dec", "neg"), kind in ("adc", "sbb")

        def add():
            (a, x), (b, y) = source(), read()
            if kind == "neg":
                a, x, b, y = b, y, 0, 0
            carry = flags["c"] if carries else 0
            if x == ones or y == ones:  # nothing is known of the result
                value, mask, lost, overflow = 0, ones, None, None
            elif not x and not y and carry is not None:
                total = b - a - carry if subtracts else b + a + carry
                value, mask, lost = total & ones, 0, int(total < 0 or total > ones)
                signs = (b ^ a) & (b ^ value) if subtracts else (b ^ value) & (a ^ value)
                overflow = signs >> top & 1
            else:
                low, high = (carry, carry) if carry is not None else (0, 1)
                if subtracts:
                    least, most = b - (a | x) - high, (b | y) - a - low
                    lost = 0 if least >= 0 else 1 if most < 0 else None
                else:
                    least, most = b + a + low, (b | y) + (a | x) + high
                    lost = 0 if most <= ones else 1 if least > ones else None
                hidden = x | y | (1 if carry is None else 0)
                mask = ones & -(hidden & -hidden)
                value = (b - a - low if subtracts else b + a + low) & ones & ~mask
                overflow = None
                if not a | x | high:  # nothing is added
                    value, mask = b, y
            if kind in ("inc", "dec"):
                lost = flags["c"]
            self.set_result(value, mask, width, lost, overflow)
            if write:
                write(value, mask)
            return following
        return add

    def _shifts(self, name, operands, address, following):
        match = re.fullmatch(r"(shl|shr|sar|rol|ror|shld|shrd)([bwlq])?", name)
        if not match:
            return None
        kind, width = match[1], self.width(name, operands[-1:] if operands[-1] in REGISTERS else operands)
        ones, flags = (1 << width) - 1, self.flags
        count = self.reader(operands[0], 8, following) if len(operands) > 1 else lambda: (1, 0)
        other = self.reader(operands[1], width, following) if len(operands) == 3 else None
        read, write = (f(operands[-1], width, following) for f in (self.reader, self.writer))

        def moved(value, by, more):
            if kind == "shl":
                return value << by & ones
            if kind == "shr":
                return value >> by
            if kind == "sar":
                return value >> by | (ones ^ ones >> by if value >> width - 1 else 0)
            if kind == "shld":
                return (value << by | more >> width - by) & ones
            if kind == "shrd":
                return (value >> by | more << width - by) & ones
            by %= width
            if kind == "ror":
                by = (width - by) % width
            return (value << by | value >> width - by) & ones

        def shift():
            by, hidden = count()
            by, hidden = by & (63 if width == 64 else 31), hidden & (63 if width == 64 else 31)
            value, mask = read()
            if hidden:
                # No bit is known, but that of zero it is zero.
                if value or mask:
                    value, mask = 0, ones
                flags.update(dict.fromkeys("czsop"))
            elif by:
                more, more_hidden = other() if other else (0, 0)
                if kind[0] == "r":
                    value, mask = moved(value, by, 0), moved(mask, by, 0)
                    flags["c"] = flags["o"] = None
                else:
                    place = width - by if kind in ("shl", "shld") else by - 1
                    lost = None if mask >> place & 1 else value >> place & 1
                    value, mask = moved(value, by, more), moved(mask, by, more_hidden)
                    self.set_result(value, mask, width, lost, None)
            write(value, mask)
            return following
        return shift

    def _others(self, name, operands, address, following):
        values, masks, flags = self.values, self.masks, self.flags
        if name == "bswap":
            number, width, _ = REGISTERS[operands[0]]

            def swap():
                values[number], masks[number] = (
                    int.from_bytes((x & ((1 << width) - 1)).to_bytes(width // 8, "little"), "big")
                    for x in (values[number], masks[number]))
                return following
            return swap
        if name in ("cltq", "cqto", "cltd", "cwtl"):
            low, high, into = {"cltq": (32, 64, 0), "cqto": (64, 64, 2), "cltd": (32, 32, 2), "cwtl": (16, 32, 0)}[name]

            def extend():
                part = (1 << low) - 1
                for registers in (values, masks):
                    sign = (1 << high) - 1 if registers[0] >> low - 1 & 1 else 0
                    registers[into] = sign if into else registers[0] & part | sign & ~part
                values[into] &= ~masks[into]
                return following
            return extend
        if name == "xchg":
            width = self.width(name, operands)
            reads = [self.reader(text, width, following) for text in operands]
            writes = [self.writer(text, width, following) for text in operands]

            def exchange():
                one, other = reads[0](), reads[1]()
                writes[0](*other)
                writes[1](*one)
                return following
            return exchange
        if name in ("bt", "bts", "btr", "btc") and operands[1] in REGISTERS:
            width = REGISTERS[operands[1]][1]
            place, read = self.reader(operands[0], width, following), self.reader(operands[1], width, following)
            write = self.writer(operands[1], width, following)

            def bit():
                (by, hidden), (value, mask) = place(), read()
                by &= width - 1
                flags["c"] = None if hidden or mask >> by & 1 else value >> by & 1
                if name != "bt":
                    one = 1 << by
                    if hidden:
                        value, mask = 0, (1 << width) - 1
                    elif name == "btc":
                        value ^= one & ~mask
                    else:
                        value, mask = value & ~one | (one if name == "bts" else 0), mask & ~one
                    write(value, mask)
                flags["z"] = flags["s"] = flags["o"] = flags["p"] = None
                return following
            return bit
        if name in ("bsr", "bsf", "tzcnt", "lzcnt", "popcnt", "pext", "pdep"):
            width = REGISTERS[operands[-1]][1]
            read, write = self.reader(operands[0], width, following), self.writer(operands[-1], width, following)

            def count():
                value, mask = read()
                if name == "bsr" and value > mask:  # the first bit that is set is known
                    mask = 0
                if mask:
                    raise Refused("%s takes a secret: its time may depend on it" % name)
                if name not in ("bsr", "bsf", "tzcnt") or not value:
                    raise NotRead(name)
                write(value.bit_length() - 1 if name == "bsr" else (value & -value).bit_length() - 1, 0)
                flags.update(dict.fromkeys("czsop"))
                flags["z"], flags["c"] = 0, 0
                return following
            return count
        if name == "cmpxchg" and operands[0] in REGISTERS:
            width = self.width(name, operands)
            ones = (1 << width) - 1
            new, read = (self.reader(text, width, following) for text in operands)
            write = self.writer(operands[1], width, following)

            def compare():
                value, mask = read()
                if mask or masks[0] & ones:
                    raise Refused("an exchange depends on a secret")
                flags["z"] = int(value == values[0] & ones)
                if flags["z"]:
                    write(*new())
                else:
                    values[0] = value
                return following
            return compare
        if name == "xadd":
            width = self.width(name, operands)
            ones = (1 << width) - 1
            reads = [self.reader(text, width, following) for text in operands]
            writes = [self.writer(text, width, following) for text in operands]

            def exchange_and_add():
                (a, x), (b, y) = reads[0](), reads[1]()
                if x | y:
                    raise Refused("an atomic sum is secret")
                writes[0](b, 0)
                writes[1](a + b & ones, 0)
                flags.update(dict.fromkeys("czsop"))
                return following
            return exchange_and_add
        if name == "cpuid":
            def identify():
                answer = self.features(values[0] & 0xffffffff, values[1] & 0xffffffff)
                for number, value in zip((0, 3, 1, 2), answer):
                    values[number], masks[number] = value, 0
                return following
            return identify
        if name == "xgetbv":
            def saved():
                values[0], values[2], masks[0], masks[2] = 0xff, 0, 0, 0
                return following
            return saved
        if name == "rep":
            match = re.match(r"(movs|stos)([bwlq])? %(al|ax|eax|rax)?", operands[0])
            size = {None: 8, "b": 1, "w": 2, "l": 4, "q": 8}[match[2]]
            size = {"al": 1, "ax": 2, "eax": 4, "rax": 8}.get(match[3], size)

            def repeat():
                count, to = (self.place((values[n], masks[n])) for n in (1, 7))
                source = self.place((values[6], masks[6])) if match[1] == "movs" else 0
                for n in range(count):
                    word = (values[0], masks[0]) if match[1] == "stos" else self.load(source + n * size, size)
                    self.store(to + n * size, size, *(x & (1 << 8 * size) - 1 for x in word))
                values[1], values[7] = 0, to + count * size
                values[6] += count * size if match[1] == "movs" else 0
                return following
            return repeat
        return None
