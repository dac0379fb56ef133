"""Reads straight-line code for x86-64 as equations over the integers.

A register holds a polynomial whose value is the register's, from 0 to 2^64 - 1. What an instruction cuts off (a carry,
a borrow, the high word of a product, the bits that a shift loses) is a new variable, and a fact says that the rest is a
word. Nothing is assumed about carries: that one is 0 is for z3 to show (facts.py).

What is not known here ends the reading: another instruction, a jump, an address that is not a constant.

SPDX-License-Identifier: Apache-2.0
"""

import re

from polynomial import Poly

WORD = 1 << 64
REGISTERS = {}
for _name in "ax bx cx dx".split():
    REGISTERS.update({"r" + _name: ("r" + _name, 64), "e" + _name: ("r" + _name, 32), _name[0] + "l": ("r" + _name, 8)})
for _name in "si di bp sp".split():
    REGISTERS.update({"r" + _name: ("r" + _name, 64), "e" + _name: ("r" + _name, 32), _name + "l": ("r" + _name, 8)})
for _name in ("r%d" % number for number in range(8, 16)):
    REGISTERS.update({_name: (_name, 64), _name + "d": (_name, 32), _name + "b": (_name, 8)})


class NotRead(Exception):
    """The code has something that this program cannot read."""


class Address:
    """A place in memory: bytes behind a base, which is a name."""

    def __init__(self, base, offset):
        self.base, self.offset = base, offset

    def moved(self, count):
        return Address(self.base, self.offset + count)


class Byte:
    """A register of which only the lowest byte was written."""

    def __init__(self, poly):
        self.poly = poly


class Word:
    """A word's value. `lost` is what was cut off, times 2^64, in the value that it was made from."""

    def __init__(self, poly, top=WORD - 1, lost=None):
        self.poly, self.top, self.lost = poly, top, lost


class Xor:
    """The exclusive or of some words, which is one of them again when the others come again."""

    def __init__(self, parts):
        self.parts = parts


class Masked:
    """What a mask leaves of an exclusive or of two words; `bit`: of the mask."""

    def __init__(self, parts, bit):
        self.parts, self.bit = parts, bit


def parts(value):
    if not isinstance(value, (Word, Xor)):
        raise NotRead("not a number")
    return value.parts if isinstance(value, Xor) else frozenset([value] if value.poly else [])


class Machine:
    """A processor that computes with polynomials.

    `facts` has the bounds of the variables and decides what is always 0. `library` has the functions that are called.
    """

    def __init__(self, library, facts):
        self.library, self.facts = library, facts
        self.registers, self.memory = {}, {}
        # The carry flag; None if what an instruction leaves in it is not known here.
        self._carry, self._carry_was_read = None, True
        # The last carry that was known.
        self.last_flag = Poly()
        self.registers["rsp"] = Address("stack", 0)
        self.count = 0

    # ---- Values

    def word(self, poly, low, high, kind):
        """A word of a value from `low` to `high`, and what is cut off."""
        if low >= 0 and high < WORD:
            return Word(poly, high), Poly()
        if poly.is_constant():
            number = poly.number()
            return Word(Poly.constant(number % WORD), number % WORD), Poly.constant(number // WORD)
        if poly.is_multiple(WORD):
            return Word(Poly(), 0), poly // WORD
        assert low >= 0 or high < WORD
        if low < 0:
            # A borrow is ⌈-value / 2^64⌉.
            lost = Poly() - self.facts.quotient(kind, Poly.constant(WORD - 1) - poly, WORD, -(low // WORD))
        else:
            lost = self.facts.quotient(kind, poly, WORD, high // WORD)
        rest = poly - lost * WORD
        self.facts.add(rest, 0, WORD - 1)
        return Word(rest, WORD - 1, lost), lost

    def split(self, word, bit):
        """The value of the bits from `bit` on, and of those below."""
        if word.top < 1 << bit:
            return Poly(), word.poly
        if word.poly.is_constant():
            number = word.poly.number()
            return Poly.constant(number >> bit), Poly.constant(number & ((1 << bit) - 1))
        key = (bit, tuple(sorted(word.poly.items())))
        if key not in self.facts.splits:
            high = self.facts.quotient("b", word.poly, 1 << bit, word.top >> bit)
            low = word.poly - high * (1 << bit)
            self.facts.add(low, 0, (1 << bit) - 1)
            self.facts.splits[key] = high, low
        return self.facts.splits[key]

    def bit_of_mask(self, word):
        """A polynomial that is 0 or 1, for a word that is all zeros or all ones (64, 32 or 8)."""
        for ones in (WORD - 1, (1 << 32) - 1, 255):
            if word.poly.is_multiple(ones):
                bit = word.poly // ones
                if bit.range(self.facts.bounds) in ((0, 0), (0, 1)):
                    self.facts.decides(bit)
                    return bit
        # value = poly - lost * 2^64 is all ones times -lost if poly is equal to lost.
        if word.lost is not None:
            whole = word.poly + word.lost * WORD
            if self.facts.is_zero(whole - word.lost):
                self.facts.add(whole - word.lost, 0, 0)
                self.facts.decides(whole - word.lost)
                word.poly = word.lost * (1 - WORD)
                return Poly() - word.lost
        raise NotRead("not a mask")

    # ---- Operands

    def address(self, operand, target):
        match = re.fullmatch(r"(-?0x[0-9a-f]+|)\((%\w+)?(?:,(%\w+),([1248]))?\)", operand)
        if not match:
            raise NotRead("address " + operand)
        offset, base, index, scale = int(match[1] or "0", 16), match[2], match[3], int(match[4] or 1)
        if base == "%rip":
            return Address(target, 0)
        if index:
            offset += self.get_word(index).poly.number() * scale
        value = self.registers.get(base[1:])
        if isinstance(value, Address):
            return value.moved(offset)
        if not isinstance(value, Word):
            raise NotRead("address " + operand)
        return Poly.constant((value.poly.number() + offset) % WORD)

    def get(self, operand, target=None):
        if operand[0] == "$":
            number = int(operand[1:], 16) % WORD
            return Word(Poly.constant(number), number)
        if operand[0] == "%":
            name, size = REGISTERS[operand[1:]]
            value = self.registers.get(name)
            if size == 64:
                return value
            if size == 8:
                if isinstance(value, Byte):
                    return Word(value.poly, 255)
                if isinstance(value, Word):
                    return value if value.top < 256 else Word(self.bit_of_mask(value) * 255, 255)
            if size == 32 and isinstance(value, Word):
                if value.top < 1 << 32:
                    return value
                if value.poly.is_constant():
                    number = value.poly.number() % (1 << 32)
                    return Word(Poly.constant(number), number)
                return Word(self.bit_of_mask(value) * ((1 << 32) - 1), (1 << 32) - 1)
            raise NotRead("a part of a register: " + operand)
        place = self.address(operand, target)
        if (place.base, place.offset) not in self.memory:
            raise NotRead("%d bytes behind %s nothing is known" % (place.offset, place.base))
        return self.memory[place.base, place.offset]

    def get_word(self, operand, target=None):
        value = self.get(operand, target)
        if not isinstance(value, Word):
            raise NotRead("not a number: " + operand)
        return value

    def put(self, operand, value):
        if operand[0] == "%":
            name, size = REGISTERS[operand[1:]]
            if size == 32 and not (isinstance(value, Word) and value.top < 1 << 32):
                raise NotRead("more than a part of a register: " + operand)
            self.registers[name] = Byte(value.poly) if size == 8 else value
        else:
            place = self.address(operand, None)
            if place.base not in ("stack",):
                raise NotRead("writes to " + place.base)
            self.memory[place.base, place.offset] = value

    def flag(self):
        if self._carry is None:
            raise NotRead("the carry is not known here")
        self._carry_was_read = True
        return self._carry

    def set_flag(self, carry):
        """A carry that nobody reads should be 0 always. That is tried at once, because later proofs need it."""
        if self._carry and not self._carry_was_read:
            self.facts.is_always_zero(self._carry)
        self._carry, self._carry_was_read = carry, False
        self.last_flag = self.last_flag if carry is None else carry

    # ---- Instructions

    def call(self, symbol):
        """Runs a function until it returns."""
        for instruction in self.library.function(symbol):
            self.count += 1
            try:
                if self.step(instruction):
                    return
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
        raise NotRead("%s does not return" % symbol)

    def step(self, instruction):
        """Returns True for `ret`."""
        name, operands, target = instruction.name, instruction.operands, instruction.target
        if name == "ret":
            return True
        if name in ("endbr64", "nopw", "nop"):
            return False
        if name in ("mov", "movabs", "movzbl", "movq"):
            self.put(operands[1], self.get(operands[0], target))
        elif name == "push":
            place = self.registers["rsp"] = self.registers["rsp"].moved(-8)
            self.memory[place.base, place.offset] = self.get(operands[0])
        elif name == "pop":
            place = self.registers["rsp"]
            if (place.base, place.offset) not in self.memory:
                raise NotRead("nothing was pushed there")
            self.registers[operands[0][1:]] = self.memory[place.base, place.offset]
            self.registers["rsp"] = place.moved(8)
        elif name == "call":
            self.call(target)
        elif name == "lea":
            place = self.address(operands[0], target)
            self.put(operands[1], place if isinstance(place, Address) else Word(place, place.number()))
        elif name in ("add", "sub") and operands[1] == "%rsp":
            count = int(operands[0][1:], 16) * (1 if name == "add" else -1)
            self.registers["rsp"] = self.registers["rsp"].moved(count)
            self.set_flag(None)
        else:
            self.arithmetic(name, operands, target)
        return False

    def arithmetic(self, name, operands, target):
        same = operands[0] == operands[-1] and name in ("xor", "sbb")
        if name in ("xor", "and") and not same and self.exclusive(name, operands, target):
            return
        source = None if same or name.startswith("set") else self.get_word(operands[0], target)
        if name == "xor" and same:
            self.put(operands[1], Word(Poly(), 0))
            self.set_flag(Poly())
        elif name == "sbb" and same:
            size = REGISTERS[operands[1][1:]][1]
            self.put(operands[1], Word(self.flag() * ((1 << size) - 1), (1 << size) - 1))
        elif name.startswith("set"):
            if name != "setb":
                raise NotRead("another flag than the carry")
            self.put(operands[0], Word(self.flag(), 1))
        elif name in ("add", "adc"):
            other, carry = self.get_word(operands[1]), self.flag() if name == "adc" else Poly()
            total = source.poly + other.poly + carry
            word, lost = self.word(total, 0, source.top + other.top + (1 if carry else 0), "c")
            self.set_flag(lost)
            self.put(operands[1], word)
        elif name in ("sub", "sbb"):
            other, borrow = self.get_word(operands[1]), self.flag() if name == "sbb" else Poly()
            rest = other.poly - source.poly - borrow
            word, lost = self.word(rest, -source.top - (1 if borrow else 0), other.top, "c")
            self.set_flag(Poly() - lost)
            self.put(operands[1], word)
        elif name == "neg":
            word, lost = self.word(Poly() - source.poly, -source.top, 0, "c")
            self.set_flag(Poly() - lost)
            self.put(operands[0], word)
        elif name in ("mul", "mulq"):
            other = self.get_word("%rax")
            top = source.top * other.top
            low, high = self.word(source.poly * other.poly, 0, top, "h")
            self.registers["rax"], self.registers["rdx"] = low, Word(high, top // WORD)
            self.set_flag(None)
        elif name == "imul" and len(operands) in (2, 3):
            other = self.get_word(operands[1])
            low, _ = self.word(source.poly * other.poly, 0, source.top * other.top, "h")
            self.put(operands[-1], low)
            self.set_flag(None)
        elif name == "and":
            self.both(source, self.get_word(operands[1]), operands[1])
        elif name == "shl":
            self.shift_left(source, operands[1], Poly())
        elif name == "shld":
            bit = 64 - source.poly.number()
            high, _ = self.split(self.get_word(operands[1]), bit)
            self.shift_left(source, operands[2], high)
        elif name == "sar" and source.poly.number() == 63:
            sign, _ = self.split(self.get_word(operands[1]), 63)
            self.put(operands[1], Word(sign * (WORD - 1)))
            self.set_flag(None)
        elif name == "shr":
            high, _ = self.split(self.get_word(operands[1]), source.poly.number())
            self.put(operands[1], Word(high, (WORD - 1) >> source.poly.number()))
            self.set_flag(None)
        else:
            raise NotRead("this instruction is not known")

    def masked(self, value, mask):
        if len(value.parts) != 2 or not isinstance(mask, Word):
            raise NotRead("`and` without a mask")
        return Masked(value.parts, self.bit_of_mask(mask))

    @staticmethod
    def chosen(masked, word):
        """One of the two words, as the mask's bit says."""
        if word not in masked.parts:
            raise NotRead("an exclusive or with another word")
        other, = masked.parts - {word}
        return Word(word.poly + (other.poly - word.poly) * masked.bit, max(word.top, other.top))

    def exclusive(self, name, operands, target):
        """An exclusive or of words, or what a known mask leaves of it. Returns whether it was that."""
        one, other = self.get(operands[0], target), self.get(operands[1])
        masked = [value for value in (one, other) if isinstance(value, Masked)]
        if name == "xor" and masked:
            self.put(operands[1], self.chosen(masked[0], one if masked[0] is other else other))
        elif name == "xor":
            left = parts(one) ^ parts(other)
            self.put(operands[1], Xor(left) if len(left) > 1 else next(iter(left), Word(Poly(), 0)))
        else:
            masks = [value for value in (one, other) if isinstance(value, Word) and value.poly.is_constant()]
            if not any(isinstance(value, Xor) for value in (one, other)):
                return False
            if not masks:
                self.put(operands[1], self.masked(*((one, other) if isinstance(one, Xor) else (other, one))))
            elif masks[0].poly.number() not in (0, WORD - 1):
                raise NotRead("`and` without a mask")
            elif not masks[0].poly:
                self.put(operands[1], Word(Poly(), 0))
            else:
                self.put(operands[1], one if isinstance(one, Xor) else other)
        self.set_flag(Poly())
        return True

    def shift_left(self, count, operand, low):
        count = count.poly.number()
        _, rest = self.split(self.get_word(operand), 64 - count)
        self.put(operand, Word(rest * (1 << count) + low))
        self.set_flag(None)

    def both(self, one, other, operand):
        """`and` with a mask: of all bits or none, or of the lowest."""
        for mask, word in ((one, other), (other, one)):
            if not mask.poly.is_constant():
                try:
                    bit = self.bit_of_mask(mask)
                except NotRead:
                    continue
                self.put(operand, Word(bit * word.poly, word.top))
                self.set_flag(Poly())
                return
        for mask, word in ((one, other), (other, one)):
            number = mask.poly.number() if mask.poly.is_constant() else 0
            if number and number & number + 1 == 0:
                _, low = self.split(word, number.bit_length())
                self.put(operand, Word(low, number))
                self.set_flag(Poly())
                return
        raise NotRead("`and` without a mask")
