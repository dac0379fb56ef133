"""What is proved: for each function of a field, what its result is, for all inputs in the ranges that its comment
states.

SPDX-License-Identifier: Apache-2.0
"""

import copy
import random

from facts import Facts
from machine import Address, Machine, Word, WORD
from planted import changed
from polynomial import Poly
from ranges import ranges

R = 1 << 256
P25519 = 2**255 - 19
P256, P256_ORDER = (0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff,
                    0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551)
SM2, SM2_ORDER = (0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff,
                  0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123)
ORDER25519 = 2**252 + 27742317777372353535851937790883648493
WORDS = r"^\$e14KeyboardCurves10AnyModulusO5words.*vpZ$"


def number(words):
    """The value of four words."""
    return sum((word.poly * WORD**place for place, word in enumerate(words)), Poly())


class Theorem:
    """`scale`·result ≡ `wanted`(x, y) modulo the prime.

    - `symbol`: a pattern that fits the function's name in the object file.
    - `source`: the file and the declaration whose comment states the ranges of x, y and the result.
    - `arguments`: in the order that the function takes them: x or y (numbers), i (which of the five primes), m (a mask,
      or a count).
    - `index`: of the prime, if the function learns it when it runs. `mask`: all ones or 0, or the count.
    - `in_context`: the first number and its prime are in memory, where Swift has `self`.
    """

    def __init__(self, title, symbol, source, prime, arguments, wanted, scale=1, index=None, mask=None,
                 in_context=False):
        self.title, self.symbol, self.prime, self.arguments = title, symbol, prime, arguments
        self.wanted, self.scale, self.index, self.in_context = wanted, scale, index, in_context
        self.mask = mask
        self.below = ranges(*source, prime)
        self.given, self.samples = {}, []

    changed, agrees = staticmethod(changed), staticmethod(list.__eq__)

    def with_other_range(self, name):
        """The same with a range that is too wide, or for the result too narrow: it must not be proved."""
        other = copy.copy(self)
        bound = self.prime - (1 << 192) if name == "result" else R
        other.below = dict(self.below, **{name: bound})
        return other

    def prove(self, library):
        """Returns None, or why it is not proved."""
        facts = Facts()
        machine = Machine(library, facts)
        values = self._place(library, machine, facts)
        machine.call(library.symbol(self.symbol))
        facts.decides(machine.last_flag)
        words = [machine.registers[name] for name in ("rax", "rdx", "rcx", "r8")]
        self._keep_samples(facts, words)
        result = number(words)
        rest = result * self.scale - self.wanted(**values)
        problem = self._congruent(facts, rest)
        if problem:
            return problem
        if self.below["result"] < R and not facts.is_at_most(result, self.below["result"] - 1):
            return "the result may be too large"
        return None if facts.hold_in_samples() else "a sample does not fit the facts"

    def _numbers(self, name):
        """Numbers for x or y: small and large ones, and those that a seed gives."""
        draw, end = random.Random(self.title + name), self.below[name]
        return [0, 1, end - 1, end - 2, end >> 1] + [draw.randrange(end) for _ in range(59)]

    # Where arguments are: in registers, on the stack behind the place to return to, and in `self`.
    PLACES = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"] + [("stack", 8 * place) for place in range(1, 9)]
    PLACES_IN_SELF = [("self", 8 * place) for place in range(5)]

    def _keep_samples(self, facts, result):
        """What is given and what comes out in each sample, for processor.py."""
        self.samples = []
        for sample in facts.samples:
            given = [self.given[place].poly.value(sample) if place in self.given else 0
                     for place in self.PLACES + self.PLACES_IN_SELF]
            self.samples.append((given, [word.poly.value(sample) for word in result]))

    def _place(self, library, machine, facts):
        """Puts the arguments where the function takes them from."""
        places = list(self.PLACES)
        values = {}

        def put(words):
            for word in words:
                self.given[places[0]] = word
                place = places.pop(0)
                if isinstance(place, str):
                    machine.registers[place] = word
                else:
                    machine.memory[place] = word

        if self.in_context:
            # `self`, a number and which prime it belongs to, is in memory.
            machine.registers["r13"] = Address("self", 0)
        for name in self.arguments:
            if name in "im":
                known = self.index if name == "i" else self.mask
                words = [Word(Poly.constant(known), known)]
            else:
                numbers = self._numbers(name)
                words = [Word(facts.input("%s%d" % (name, place), [s >> 64 * place & WORD - 1 for s in numbers]))
                         for place in range(4)]
                values[name] = number(words)
                facts.add(values[name], 0, self.below[name] - 1)
            if self.in_context and name == self.arguments[0]:
                for place, word in enumerate(words + [Word(Poly.constant(self.index), self.index)]):
                    machine.memory["self", 8 * place] = self.given["self", 8 * place] = word
            else:
                put(words)
        if self.index is not None:
            name = library.symbol(WORDS)
            for place, constant in enumerate(library.words(name, 45)):
                machine.memory[name, 8 * place] = Word(Poly.constant(constant), constant)
        if len(values) == 2:
            product = values["x"] * values["y"]
            facts.add(product, 0, (self.below["x"] - 1) * (self.below["y"] - 1))
        elif values:
            facts.add(values["x"] * values["x"], 0, (self.below["x"] - 1) ** 2)
        return values

    def _congruent(self, facts, rest):
        """What is left of a number that should be divisible by the prime, grouped by equal coefficients, must be 0."""
        groups = {}
        for product, coefficient in rest.items():
            coefficient %= self.prime
            if not coefficient:
                continue
            if len(product) > 1:
                return "a product is left"
            sign = 1
            if self.prime - coefficient in groups:
                coefficient, sign = self.prime - coefficient, -1
            groups[coefficient] = groups.get(coefficient, Poly()) + Poly({product: sign})
        for group in groups.values():
            if not facts.is_zero(group):
                return "not always 0: %s" % " ".join("%+d·%s" % (c, "*".join(p)) for p, c in group.items())
        return None


class Canonical(Theorem):
    """The carry into the sum with 19 is 0 always, so that no bug is to leave it out."""

    @staticmethod
    def changed(instruction):
        return (bug for bug in changed(instruction)
                if (bug[0], instruction.operands[0]) != ("a carry is dropped", "$0x13"))


FIELD25519 = "Field25519.swift"
PRODUCT = "Modulus.swift", "func product(_ x: Limbs, _ y: Limbs)"
SQUARE = "Modulus.swift", "func square(_ x: Limbs)"
SUM, DIFFERENCE, TRIPLE = (("Element.swift", name) for name in ("func sum(", "func difference(", "var sumOfThree:"))
ELEMENT, MODULUS = r"7ElementV%s33_\w+LL%sAA5LimbsV%sAA%s_Tg5$", "10AnyModulusO"
OPPOSITE = r"7ElementV\w+8opposite33_\w+LL5where"
PRODUCT_OF_SCALARS = r"10AnyModulusO16productOfScalars33_\w+LLyAA5LimbsVAG_AGtF$"


def theorems():
    yield Theorem("Field25519 x·y", r"10Field25519V1moiyA2C_ACtFZTf4nnd_n$", (FIELD25519, "static func * "), P25519,
                  "xy", lambda x, y: x * y)
    yield Theorem("Field25519 x²", r"10Field25519V7squaredACvg$", (FIELD25519, "var squared:"), P25519, "x",
                  lambda x: x * x)
    yield Theorem("Field25519 x + y", r"10Field25519V1poiyA2C_ACtFZTf4nnd_n$", (FIELD25519, "static func + "), P25519,
                  "xy", lambda x, y: x + y)
    yield Theorem("Field25519 x - y", r"10Field25519V1soiyA2C_ACtFZTf4nnd_n$", (FIELD25519, "static func - "), P25519,
                  "xy", lambda x, y: x - y)
    yield Canonical("Field25519 x, below the prime", r"10Field25519V9canonicalAA5LimbsVvg$",
                    (FIELD25519, "var canonical:"), P25519, "x", lambda x: x)
    for mask, times in ((0, 1), (WORD - 1, -1)):
        yield Theorem("Field25519 -x, where the mask is %s" % ("0" if times > 0 else "all ones"),
                      r"10Field25519V7negated5whereACs6UInt64V", ("Field25519+Root.swift", "func negated(where"),
                      P25519, "mx", lambda x, times=times: x * times, mask=mask)
    yield Theorem("Field25519 121665·x + y", r"10Field25519V11times121665", (FIELD25519, "func times121665("), P25519,
                  "yx", lambda x, y: x * 121665 + y)
    for prime, name, short, field in ((P256, "P-256", "0C4P256V", "9FieldP256V"),
                                      (SM2, "SM2", "0C3SM2V", "8FieldSM2V")):
        yield Theorem(name + " x·y/R", r"5FieldPAAE7productyAA5LimbsVAF_AFtFAA%s_Tg5Tf4nnd_n$" % short, PRODUCT, prime,
                      "xy", lambda x, y: x * y, scale=R)
        yield Theorem(name + " x²/R", r"5FieldPAAE6squareyAA5LimbsVAFFAA%s_Tg5Tf4nd_n$" % short, SQUARE, prime,
                      "x", lambda x: x * x, scale=R)
        # `self` comes last.
        yield Theorem(name + " x + y", ELEMENT % ("3sum", "y", "AGF", field), SUM, prime, "yx", lambda x, y: x + y)
        yield Theorem(name + " x - y", ELEMENT % ("10difference", "y", "AGF", field), DIFFERENCE, prime, "yx",
                      lambda x, y: x - y)
    for index, prime, name in ((0, P256, "P-256"), (1, P256_ORDER, "P-256's order"), (2, SM2, "SM2"),
                               (3, SM2_ORDER, "SM2's order"), (4, ORDER25519, "ristretto255's order")):
        if prime in (P256_ORDER, SM2_ORDER, ORDER25519):
            yield Theorem(name + " x·y/R", PRODUCT_OF_SCALARS, PRODUCT, prime, "xyi", lambda x, y: x * y, scale=R,
                          index=index)
        name += ", any modulus:"
        yield Theorem(name + " x + y", ELEMENT % ("3sum", "y", "AGF", MODULUS), SUM, prime, "xy", lambda x, y: x + y,
                      index=index, in_context=True)
        yield Theorem(name + " x - y", ELEMENT % ("10difference", "y", "AGF", MODULUS), DIFFERENCE, prime, "xy",
                      lambda x, y: x - y, index=index, in_context=True)
        for mask, times in ((0, 1), (WORD - 1, -1)):
            yield Theorem("%s -x, where the mask is %s" % (name, "0" if times > 0 else "all ones"), OPPOSITE,
                          ("Element.swift", "func opposite(where"), prime, "xm", lambda x, times=times: x * times,
                          index=index, mask=mask, in_context=True)
        if prime in (P256, SM2):  # the formulas for points of these two curves alone use it
            yield Theorem(name + " 3·x", ELEMENT % ("10sumOfThree", "", "vg", MODULUS), TRIPLE, prime, "x",
                          lambda x: x * 3, index=index, in_context=True)
