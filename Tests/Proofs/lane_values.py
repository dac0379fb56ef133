"""What a lane of a register holds, as an equation over the integers, and what instructions make of two of them. For
lanes.py.

SPDX-License-Identifier: Apache-2.0
"""

from loops import Loops
from machine import NotRead
from polynomial import Poly

FACTOR = 1 << 52


class Value:
    """What a lane holds: from `low` to `high`."""

    __slots__ = "poly", "low", "high"

    def __init__(self, poly, low, high):
        self.poly, self.low, self.high = poly, low, high

    def is_constant(self):
        return self.low == self.high

    def is_mask(self):
        return self.low == self.high and self.low in (0, -1)


class Xor:
    """The exclusive or of some values, which is one of them again when the others come again."""

    def __init__(self, parts):
        self.parts = parts

    @staticmethod
    def is_mask():
        return False


def number(value):
    """A constant."""
    return Value(Poly.constant(value), value, value)


ZERO = number(0)


def parts(value):
    return value.parts if isinstance(value, Xor) else frozenset() if value.is_constant() and not value.low else (
        frozenset([value]))


class Shift:
    """The lowest lane alone."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        raise NotRead("one lane alone")

    def __getitem__(self, _):
        raise NotRead("one lane alone")


class Values(Loops):
    """`cuts`: what masks of low bits have left, in their order."""

    cuts = ()

    def cut(self, value, bit):
        """The value of the bits from `bit` on, with its sign, and of those below."""
        if value.is_constant():
            return number(value.low >> bit), number(value.low & (1 << bit) - 1)
        if 0 <= value.low and value.high < 1 << bit:
            return ZERO, value
        key = bit, tuple(sorted(value.poly.items()))
        if key not in self.facts.splits:
            least, most = value.low >> bit, value.high >> bit
            offset = Poly.constant(least)
            high = self.facts.quotient("q", value.poly - offset * (1 << bit), 1 << bit, most - least) + offset
            rest = value.poly - high * (1 << bit)
            low = self.define("m", rest, 1, (1 << bit) - 1)
            self.facts.add(rest - low, 0, 0)
            self.facts.splits[key] = Value(high, least, most), Value(low, 0, (1 << bit) - 1)
        return self.facts.splits[key]

    def halves(self, one, other):
        """Of a product: the low and the high 52 bits."""
        if min(one.low, other.low) < 0 or max(one.high, other.high) >= FACTOR:
            raise NotRead("a factor may reach 2^52, or be negative")
        product, top = one.poly * other.poly, one.high * other.high
        if one.is_constant() and other.is_constant():
            return number(top % FACTOR), number(top // FACTOR)
        if top < FACTOR:
            return Value(product, one.low * other.low, top), ZERO
        key = tuple(sorted(tuple(sorted(value.poly.items())) for value in (one, other)))
        if key not in self.facts.splits:
            high = self.facts.quotient("h", product, FACTOR, top // FACTOR)
            self.facts.splits[key] = (Value(product - high * FACTOR, 0, FACTOR - 1), Value(high, 0, top // FACTOR))
        return self.facts.splits[key]

    def both(self, one, other, operand=None):
        """`and`: a constant mask of low bits, or a mask that is all ones or 0."""
        if operand is not None:
            return super().both(one, other, operand)
        for mask, value in ((one, other), (other, one)):
            if isinstance(mask, Xor):
                continue
            if mask.is_constant() and mask.low in (0, -1):
                return value if mask.low else ZERO
            if isinstance(value, Xor):
                raise NotRead("`and` of an exclusive or")
            if mask.is_constant() and value.is_constant():
                return number(mask.low & value.low)
            if mask.is_constant() and mask.low & mask.low + 1 == 0 and mask.low > 0:
                self.cuts.append(self.cut(value, mask.low.bit_length())[1])
                return self.cuts[-1]
            if mask.low >= -1 and mask.high <= 0:
                return Value(Poly() - mask.poly * value.poly, min(value.low, 0), max(value.high, 0))
        raise NotRead("`and` without a mask")

    def either(self, one, other):
        if not parts(one) or not parts(other):
            return other if not parts(one) else one
        if isinstance(one, Value) and isinstance(other, Value) and one.is_constant() and other.is_constant():
            return number(one.low | other.low)
        raise NotRead("`or` of two numbers")

    def exclusive(self, one, other):
        if all(isinstance(value, Value) and value.is_constant() for value in (one, other)):
            return number(one.low ^ other.low)
        left = parts(one) ^ parts(other)
        return Xor(left) if len(left) > 1 else next(iter(left), ZERO)
