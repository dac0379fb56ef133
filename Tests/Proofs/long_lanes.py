"""Reads products of long numbers in AVX-512 IFMA, in digits of 52 bits: what lanes.py does not know.

Of a factor with more than 52 bits the processor takes the low 52: they become a variable, and what is above another.

Montgomery's step multiplies a column by -1/n modulo 2^52: the low half is the multiple of n to be added. The sum of
the column and of multiple·n0 then is divisible by 2^52, which is checked with nothing but `factor`·n0 = k·2^52 - 1.
What the column carries is computed without that sum: (column + 2^52 - 1) >> 52 is the only whole number c for which
c·2^52 - column is in 0 … 2^52 - 1. The low half of multiple·n0 is in that range, and column + low half is divisible
by 2^52, so c is (column + low half) / 2^52.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

from lanes import Lanes
from lane_values import FACTOR, Value, Values
from machine import Address, NotRead, Word, WORD
from polynomial import Poly


def key_of(poly):
    return tuple(sorted(poly.items()))


def without_pair(poly, pair, value):
    """A polynomial with a product of two variables replaced, once in each term."""
    result = Poly()
    for product, coefficient in poly.items():
        rest, term = list(product), Poly({product: coefficient})
        if all(name in rest for name in pair):
            for name in pair:
                rest.remove(name)
            term = Poly({tuple(rest): coefficient}) * value
        result = result + term
    return result


class LongLanes(Lanes):
    """- `overlaps`: which numbers may be in one place with `result`: none of their words is read after that word of the
      result was written.
    """

    overlaps = ()

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.steps, self.words, self.active, self.written_places = {}, {}, set(), set()
        self.moduli, self.multiples = [], []

    def montgomery(self, factor, lowest, product):
        """Of a modulus n. `factor`: the low 52 bits of -1/n. `lowest`: the lowest digit of n. `product`: what both
        multiplied are. `multiples` are found one after another, of all moduli."""
        self.moduli.append((factor, lowest, product))

    # ---- Montgomery's step

    def halves(self, one, other):
        """Only 52 bits of a factor count."""
        if min(one.low, other.low) < 0:
            raise NotRead("a factor may be negative")
        above, parts = zip(*(self.cut(value, 52) for value in (one, other)))
        # A digit is a variable. Only the lowest column of all may be a product's low half.
        if any(len(part.poly) > 2 for part in parts):
            raise NotRead("a factor is not a digit")
        low, high = super().halves(*parts)
        for place, (factor, lowest, product) in itertools.product((0, 1), self.moduli):
            if parts[place].poly == factor.poly and low.poly:
                column = (one, other)[1 - place]
                key = key_of(column.poly)
                if key not in self.steps:
                    variable = self.define("k", low.poly, 1, FACTOR - 1)
                    self.facts.add(variable - low.poly, 0, 0)
                    self.steps[key] = (Value(variable, 0, FACTOR - 1), low.poly,
                                       parts[1 - place].poly + above[1 - place].poly * FACTOR, column, lowest, product)
                return self.steps[key][0], high
        return low, high

    def cut(self, value, bit):
        key = key_of(value.poly - Poly.constant(FACTOR - 1))
        if bit != 52 or value.is_constant() or key not in self.steps:
            return super().cut(value, bit)
        multiple, made_from, column, known, lowest, product = self.steps[key]
        if (value.low, value.high) != (known.low + FACTOR - 1, known.high + FACTOR - 1):
            raise NotRead("it is not known what the column is")
        low, high = Values.halves(self, lowest, multiple)
        total = column + made_from * lowest.poly - high.poly * FACTOR
        if not without_pair(total, *product).is_multiple(FACTOR):
            raise NotRead("the multiple does not make the column 0")
        total, top = known.poly + low.poly, value.high >> 52
        self.multiples.append(multiple)
        carry = self.define("c", total, FACTOR, top)
        self.facts.add(total - carry * FACTOR, 0, 0)
        for sample in self.facts.samples:
            if carry.value(sample) != value.poly.value(sample) >> 52:
                raise NotRead("a sample has another carry")
        return Value(carry, 0, top), Value(Poly.constant(FACTOR - 1) - low.poly, 0, FACTOR - 1)

    # ---- What is in memory

    def fetch(self, operand, target, words=8):
        if operand[0] == "%" and operand[1] == "r":
            word = self.get_word(operand)
            return [Value(word.poly, word.poly.number() if word.poly.is_constant() else 0, word.top)] * self.lane_count
        if operand[0] == "%" or "%rip" in operand:
            return super().fetch(operand, target, words)
        place = self.address(operand.partition("{")[0], target)
        if not isinstance(place, Address):
            return super().fetch(operand, target, words)
        if words == 1 or "{1to8}" in operand:
            if (place.base, place.offset) not in self.words:
                raise NotRead("%d bytes behind %s nothing is known" % (place.offset, place.base))
            return [self.words[place.base, place.offset]] * self.lane_count
        if place.base in self.overlaps and place.offset in self.written_places:
            raise NotRead("it reads what it has overwritten, if both are in one place")
        if (place.base, place.offset) not in self.places:
            raise NotRead("%d bytes behind %s nothing is known" % (place.offset, place.base))
        return self.places[place.base, place.offset]

    def store(self, operand, values):
        super().store(operand, values)
        if operand[0] != "%":
            place = self.address(operand, None)
            if place.base == "result":
                self.written_places.add(place.offset)

    # ---- Instructions

    def do(self, instruction, following):
        """Instructions that change nothing whenever they come are told from those that do so at times."""
        before, self.idle = self.idle, set()
        following = super().do(instruction, following)
        if self.at not in self.idle:
            self.active.add(self.at)
        self.idle = before | self.idle
        return following

    def arithmetic(self, name, operands, target):
        """Addresses to which a number is added, or from which one is subtracted; and moves under a condition."""
        if name == "shr" and len(operands) == 1:
            operands = ["$0x1", *operands]
        if name.startswith("cmov"):
            if self.jumps(name[4:]):
                self.put(operands[1], self.get(operands[0], target))
            return None
        if name in ("add", "sub") and operands[1][0] == "%" and operands[1] != "%rsp":
            one, other = self.get(operands[0], target), self.get(operands[1])
            for place, count in ((other, one), (one, other) if name == "add" else (None, None)):
                if isinstance(place, Address) and isinstance(count, Word) and count.poly.is_constant():
                    count = (count.poly.number() + (WORD >> 1)) % WORD - (WORD >> 1)
                    self.put(operands[1], place.moved(count if name == "add" else -count))
                    self.compared = None
                    return self.set_flag(None)
        return super().arithmetic(name, operands, target)
