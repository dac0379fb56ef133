"""Reads code with loops as equations over the integers: what decides a jump is a number, and so is each address.

At each such jump what was computed is forgotten but for its range: a word becomes a variable, and `definitions` keeps
what it is. So what z3 shows of the code between two jumps holds for all words that come in, and code that comes again
is shown once. At the end the definitions are put in, one after another (Loops.whole).

SPDX-License-Identifier: Apache-2.0
"""

import bisect
import collections
import re

from facts import Facts
from machine import Address, Byte, Machine, NotRead, REGISTERS, Word, WORD
from polynomial import Poly
from registers import CONDITIONS

# A program that has not returned after so many instructions is not followed further.
MOST = 300_000
SKIPPED = ("nopl", "data16", "cs", "xchg")


class BlockFacts(Facts):
    """What is known of the code since the last jump. `last`: of the code before; `shown`: answers of z3 by question."""

    def __init__(self, shown, last=None):
        super().__init__()
        self.shown = shown
        if last:
            self.bounds, self.samples, self.zeros, self.numbers = last.bounds, last.samples, last.zeros, last.numbers

    def _never(self, poly, low, high):
        """The same question about variables of other names has the same answer."""
        names, form = {}, []
        for known, *ends in [*self.known, (poly, low, high)]:
            terms = []
            for product, coefficient in known.items():
                if not self.zeros.intersection(product):
                    numbers = sorted(names.setdefault(name, len(names)) for name in product)
                    terms.append((coefficient, *numbers))
            form.append((*ends, *terms))
        form = tuple(form), tuple(self.bounds[name] for name in names)
        if form not in self.shown:
            assert self.hold_in_samples(), "a sample does not fit the facts"
            self.shown[form] = super()._never(poly, low, high)
        return self.shown[form]

    def hold_in_samples(self):
        return all(low <= poly.value(sample) <= high for sample in self.samples for poly, low, high in self.known)


class Loops(Machine):
    """- `stands_for`: what a function does that is not read here, because it has a theorem of its own or is libc's.
    - `rules`: products of two variables and what they are.
    """

    def __init__(self, library, facts, writable, stands_for, rules=None):
        super().__init__(library, facts)
        self.writable, self.stands_for, self.rules = {"stack", *writable}, stands_for, {} if rules is None else rules
        # For the name of a variable: a polynomial, and the number by which it is divided.
        self.definitions, self.order = {}, []
        self.factors, self.written, self.compared = {}, set(), None
        # For each function that is read: the instructions.
        self.read = collections.defaultdict(set)

    # ---- Jumps

    def call(self, symbol):
        if symbol in self.stands_for:
            return self.stands_for[symbol](self)
        function = self.library.function(symbol)
        addresses = [int(instruction.text.split(":")[0], 16) for instruction in function]
        place = 0
        while place < len(function):
            instruction = function[place]
            self.read[symbol].add(place)
            self.count += 1
            if self.count > MOST:
                raise NotRead("%s does not return" % symbol)
            try:
                if instruction.name[0] == "j" and instruction.target:
                    return self.call(instruction.target)
                if instruction.name[0] == "j":
                    if self.jumps(instruction.name[1:]):
                        place = bisect.bisect_left(addresses, int(instruction.operands[0].split()[0], 16))
                    else:
                        place += 1
                    continue
                if self.step(instruction):
                    return None
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
            place += 1
        raise NotRead("%s does not return" % symbol)

    def jumps(self, condition):
        if condition == "mp":
            return True
        if self.compared is None or condition not in CONDITIONS:
            raise NotRead("it is not known whether it jumps")
        value, carry, overflow, is_narrow = self.compared
        if is_narrow and condition not in ("e", "ne", "b", "ae", "be", "a"):
            raise NotRead("a part of a register is compared")
        flags = {"z": value == 0, "c": carry, "s": value >> 63 == 1, "l": (value >> 63 == 1) != overflow}
        flags.update(a=flags["c"] or flags["z"], g=flags["l"] or flags["z"])
        kind = CONDITIONS[condition]
        if kind.lstrip("!") not in flags:
            raise NotRead("it is not known whether it jumps")
        self.forget()
        return flags[kind.lstrip("!")] != (kind[0] == "!")

    def forget(self):
        """Each word that was computed becomes a variable."""
        self.set_flag(None)
        found = {}

        def forgotten(value):
            if not isinstance(value, (Word, Byte)) or value.poly.is_constant():
                return value
            top = value.top if isinstance(value, Word) else 255
            key = tuple(value.poly.items())
            if len(key) == 1 and key[0][1] == 1 and len(key[0][0]) == 1:
                poly = value.poly
            elif key in found:
                poly = found[key]
            else:
                poly = found[key] = self.define("w", value.poly, 1, min(top, value.poly.range(self.facts.bounds)[1]))
            return Byte(poly) if isinstance(value, Byte) else Word(poly, top)

        self.registers = {name: forgotten(value) for name, value in self.registers.items()}
        for place in self.written:
            self.memory[place] = forgotten(self.memory[place])
        self.written, self.factors = set(), {}
        self.facts = BlockFacts(self.facts.shown, self.facts)

    def define(self, kind, poly, divisor, top):
        variable = self.facts.quotient(kind, poly, divisor, top)
        (name,), = variable
        self.definitions[name] = poly, divisor
        self.order.append(name)
        return variable

    def whole(self, poly):
        """The value in variables that have no definition, without those that are always 0."""
        poly = dict(poly)
        for name in reversed(self.order):
            coefficient = poly.pop((name,), 0)
            definition, divisor = self.definitions[name]
            if coefficient % divisor:
                raise NotRead("a part of %s is left" % name)
            for product, factor in definition.items() if coefficient else ():
                poly[product] = poly.get(product, 0) + factor * (coefficient // divisor)
        return Poly({product: c for product, c in poly.items() if c and not self.facts.zeros.intersection(product)})

    # ---- Values

    def word(self, poly, low, high, kind):
        if low >= 0 and high >= WORD and self.factors and not poly.is_multiple(WORD):
            if self.put_in(poly).is_multiple(WORD):
                carry = self.define(kind, poly, WORD, high // WORD)
                self.facts.add(poly - carry * WORD, 0, 0)
                return Word(Poly(), 0), carry
        return super().word(poly, low, high, kind)

    def put_in(self, poly):
        """The same number, with what the factors are, and what the rules say."""
        for name, value in self.factors.items():
            known = Poly({product: c for product, c in poly.items() if name in product})
            rest = Poly({tuple(part for part in product if part != name): c for product, c in known.items()})
            poly = poly - known + rest * value
        for pair, value in self.rules.items():
            known = Poly({product: c for product, c in poly.items() if set(pair) <= set(product)})
            rest = Poly({tuple(part for part in product if part not in pair): c for product, c in known.items()})
            poly = poly - known + rest * value
        return poly

    def address(self, operand, target):
        place = super().address(operand, target)
        if isinstance(place, Address):  # what is added may be negative
            place = Address(place.base, (place.offset + (WORD >> 1)) % WORD - (WORD >> 1))
        return place

    def get(self, operand, target=None):
        value = super().get(operand, target)
        if isinstance(value, Word) and operand[0] == "%" and REGISTERS[operand[1:]][1] == 8:
            return Word(value.poly, min(value.top, max(value.poly.range(self.facts.bounds)[1], 0)))
        return value

    def put(self, operand, value):
        if operand[0] == "%":
            return super().put(operand, value)
        place = self.address(operand, None)
        if not isinstance(place, Address) or place.base not in self.writable or place.offset % 8:
            raise NotRead("writes to %s" % operand)
        self.memory[place.base, place.offset] = value
        self.written.add((place.base, place.offset))
        return None

    # ---- Instructions

    def step(self, instruction):
        name, operands = instruction.name, instruction.operands
        if name in SKIPPED and (name != "xchg" or operands == ["%ax", "%ax"]):
            return False
        if name == "movq" or name in ("cmpq", "testq"):
            instruction = instruction._replace(name=name[:-1])
        if name == "lea":
            return self.lea(operands)
        return super().step(instruction)

    def lea(self, operands):
        """2·a + b, where a's highest bit is shifted out; otherwise an address or a number."""
        match = re.fullmatch(r"\((%\w+),(%\w+),2\)", operands[0])
        base, index = (self.registers.get(text[1:]) for text in match.groups()) if match else (None, None)
        if isinstance(index, Word) and isinstance(base, Word) and not index.poly.is_constant() and base.top <= 1:
            _, low = self.split(index, 63)
            self.put(operands[1], Word(low * 2 + base.poly))
            return False
        if operands[0].startswith("(,") or re.match(r"-?0x[0-9a-f]+\(,", operands[0]):
            offset, index, scale = re.fullmatch(r"(-?0x[0-9a-f]+)?\(,(%\w+),([1248])\)", operands[0]).groups()
            place = Poly.constant((int(offset or "0", 16) + self.get_word(index).poly.number() * int(scale)) % WORD)
        else:
            place = self.address(operands[0], None)
        self.put(operands[1], place if isinstance(place, Address) else Word(place, place.number()))
        return False

    def arithmetic(self, name, operands, target):
        register = REGISTERS.get(operands[-1][1:]) if operands[-1][0] == "%" else None
        value = self.registers.get(register[0]) if register else None
        self.compared = None
        if name in ("cmp", "test"):
            self.compare(name, operands)
        elif name in ("inc", "neg"):
            one = self.get_word(operands[0]).poly.number()
            self.put(operands[0], self.constant(one + 1 if name == "inc" else -one))
            self.set_flag(None)
        elif name == "add" and register and register[1] == 8 and operands[0] == "$0xff":
            bit = self.get_word(operands[1])
            if bit.top > 1:
                raise NotRead("more than a bit")
            self.put(operands[1], Byte(Poly.constant(255) - bit.poly * 255))
            self.set_flag(bit.poly)
        elif name == "add" and isinstance(value, Address):
            self.put(operands[1], value.moved(self.signed(operands[0])))
            self.set_flag(None)
        elif name == "add" and isinstance(self.registers.get(operands[0][1:]), Address):
            self.put(operands[1], self.registers[operands[0][1:]].moved(self.signed(operands[1])))
            self.set_flag(None)
        elif name in ("add", "sub") and all(self.is_constant(text) for text in operands):
            number = self.get_word(operands[0]).poly.number() * (1 if name == "add" else -1)
            self.put(operands[1], self.constant(self.get_word(operands[1]).poly.number() + number))
            self.set_flag(None)
        elif name == "imul" and len(operands) == 2:
            # Its low word becomes a variable, because it is multiplied again.
            product = self.get_word(operands[0]).poly * self.get_word(operands[1]).poly
            low, _ = super().word(product, 0, (WORD - 1) ** 2, "h")
            factor = self.define("m", low.poly, 1, WORD - 1)
            self.factors[next(iter(factor))[0]] = low.poly
            self.put(operands[1], Word(factor))
            self.set_flag(None)
        elif name == "shrd":
            count = self.get_word(operands[0]).poly.number()
            _, low = self.split(self.get_word(operands[1]), count)
            high, _ = self.split(self.get_word(operands[2]), count)
            self.put(operands[2], Word(low * (1 << (64 - count)) + high))
            self.set_flag(None)
        else:
            super().arithmetic(name, operands, target)

    @staticmethod
    def constant(number):
        return Word(Poly.constant(number % WORD), number % WORD)

    def is_constant(self, operand):
        if operand[0] not in "$%":
            return False
        value = self.get(operand) if operand[0] == "$" or REGISTERS[operand[1:]][1] == 64 else None
        return isinstance(value, Word) and value.poly.is_constant()

    def signed(self, operand):
        number = self.get_word(operand).poly.number()
        return number - WORD if number >> 63 else number

    def compare(self, name, operands):
        self.set_flag(None)
        one, other = (self.get_word(text).poly.number() for text in operands)
        is_narrow = any(text[0] == "%" and REGISTERS[text[1:]][1] < 64 for text in operands)
        if name == "test":
            self.compared = one & other, False, False, is_narrow
        else:
            value = (other - one) % WORD
            self.compared = value, other < one, ((other ^ one) & (other ^ value)) >> 63 == 1, is_narrow

    def both(self, one, other, operand):
        """All ones leave a word as it is, and so do numbers what numbers are."""
        if one.poly.is_constant() and other.poly.is_constant():
            self.put(operand, self.constant(one.poly.number() & other.poly.number()))
        elif Poly.constant(WORD - 1) in (one.poly, other.poly):
            self.put(operand, other if one.poly == Poly.constant(WORD - 1) else one)
        elif not one.poly or not other.poly:
            self.put(operand, self.constant(0))
        else:
            return super().both(one, other, operand)
        return self.set_flag(Poly())
