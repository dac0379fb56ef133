"""Reads code for AVX-512 IFMA that computes with numbers of five limbs again and again, as the ladders of X25519 do:
each carried limb becomes a variable, and each five of them a number. For lane_ladders.py.

SPDX-License-Identifier: Apache-2.0
"""

import re

from lane_fields import LIMBS
from lane_values import Value
from lanes import Lanes, LANES
from machine import Address, NotRead, REGISTERS, WORD
from polynomial import Poly
from theorems import P25519

BITS = 51


class Carried(Lanes):
    """Knows what carries: `above` is what the low bits of a limb (a variable's name) had too many, and `whole_of` the
    limb; `limbs` are the sums of low bits and of what came from another limb, each of which is a variable.
    """

    def __init__(self, function, facts, count, writable, stands_for=None):
        super().__init__(function, facts, count, writable, stands_for)
        self.forget_limbs()
        self.head, self.exit, self.visited, self.last_jump = None, None, None, None
        self.read_first, self.written_first = [], set()
        # Of two variables whose exclusive or was made: the other one.
        self.neighbours, self.is_lenient = {}, False

    def forget_limbs(self):
        self.limbs, self.above, self.whole_of = {}, {}, {}
        self.facts.splits.clear()

    # ---- Loops

    def find_head(self, first):
        """Runs until an instruction comes again: there the loop begins. The last jump could have left it."""
        self.visited = set()
        self.run(first)
        if self.head is None or self.head not in self.last_jump:
            raise NotRead("there is no loop")
        self.exit = self.last_jump[self.last_jump[0] == self.head]

    def do(self, instruction, following):
        if self.visited is not None:
            if self.at in self.visited:
                self.head = self.at
                return None
            self.visited.add(self.at)
        try:
            result = super().do(instruction, following)
        except NotRead:
            # All of these write their last operand, and nothing else.
            if not self.is_lenient or not re.fullmatch("v.*|cmov.*|lea|mov|add|sub|and|or|shl", instruction.name):
                raise
            self.lose(instruction.operands[-1])
            return following
        if instruction.name[0] == "j" and instruction.name != "jmp":
            self.last_jump = int(instruction.operands[0], 16), following
        return result

    def lose(self, operand):
        """What an instruction writes that is not known: any words. `is_lenient`: that is allowed."""
        self.set_flag(None)
        self.compared = None
        match = re.fullmatch(r"%[xyz]mm(\d+)", operand)
        if match:
            self.lanes[int(match[1])] = [self.any_word() for _ in range(self.lane_count)]
        elif operand[0] == "%" and operand[1:] in REGISTERS and "sp" not in operand:
            self.registers.pop(REGISTERS[operand[1:]][0], None)
        else:
            raise NotRead("it is not known what is written")

    def any_word(self):
        return Value(self.facts.quotient("v", Poly(), 1, WORD - 1), 0, WORD - 1)

    def either(self, one, other):
        try:
            return super().either(one, other)
        except NotRead:
            if not self.is_lenient:
                raise
            return self.any_word()

    def exclusive(self, one, other):
        names = [next(iter(value.poly)) for value in (one, other) if isinstance(value, Value) and len(value.poly) == 1]
        if len(names) == 2:
            for name, neighbour in (names, names[::-1]):
                self.neighbours[name[0] if name else ""] = neighbour[0] if neighbour else ""
        return super().exclusive(one, other)

    def watch(self):
        """From now on, what is read before it is written is kept in `read_first`."""
        self.read_first, self.written_first = [], set()

    def place_of(self, operand):
        match = re.fullmatch(r"%zmm(\d+)", operand)
        if match:
            return int(match[1])
        place = self.address(operand, None) if "(" in operand and "%rip" not in operand else None
        return (place.base, place.offset) if isinstance(place, Address) else None

    def fetch(self, operand, target, words=LANES):
        place = self.place_of(operand.partition("{")[0])
        if place is not None and place not in self.written_first and place not in self.read_first:
            self.read_first.append(place)
        return super().fetch(operand, target, words)

    # ---- Limbs and numbers

    def cut(self, value, bit):
        high, low = super().cut(value, bit)
        if bit == BITS and high.poly and low.poly and not value.is_constant():
            (name,), = low.poly
            self.above[name], self.whole_of[name] = high, value
        return high, low

    def store(self, operand, values):
        super().store(operand, [self.limb(value) for value in values])
        if "{" not in operand:
            self.written_first.add(self.place_of(operand))

    def limb(self, value):
        """A variable for a carried limb."""
        poly = getattr(value, "poly", {})
        names = [product for product in poly if product]
        low = [product[0] for product in names if len(product) == 1 and product[0][0] == "m"]
        if len(names) != 2 or len(low) != 1 or poly[(low[0],)] != 1 or value.low < 0:
            return value
        key = tuple(sorted(poly.items()))
        if key not in self.limbs:
            rest = value.poly - Poly.variable(low[0])
            self.limbs[key] = Value(self.define("a", value.poly, 1, value.high), value.low, value.high), low[0], rest
        return self.limbs[key][0]

    def groups(self):
        """Five limbs each, of which each one has what the one below had too many; and the limbs they were made from."""
        by_low = {low: (value, rest) for value, low, rest in self.limbs.values()}
        found = []
        for first, (value, rest) in by_low.items():
            chain, low = [first], first
            while len(chain) < LIMBS:
                following = [name for name, (_, carry) in by_low.items() if carry == self.above[low].poly]
                if len(following) != 1:
                    break
                low = following[0]
                chain.append(low)
            if len(chain) == LIMBS and rest == self.above[low].poly * 19:
                found.append(([by_low[name][0] for name in chain], [self.whole_of[name] for name in chain]))
        return found

    def resolver(self, inputs):
        """A function that gives a polynomial of limbs in numbers. `inputs`: limbs, and a polynomial for each five."""
        known = list(inputs)

        def resolve(poly):
            poly = modulo(poly)
            for limbs, value in reversed(known):
                (first,), = limbs[0].poly
                poly = replaced(poly, first, value - number(limbs) + limbs[0].poly)
            return poly

        for limbs, wholes in self.groups():  # in the order in which they were made
            known.append((limbs, resolve(number(wholes))))
        return resolve


def modulo(poly):
    return Poly({product: c % P25519 for product, c in poly.items() if c % P25519})


def replaced(poly, name, value):
    """The polynomial with another one instead of a variable, modulo the prime."""
    result, powers = Poly(), [Poly.constant(1)]
    sums = {}
    for product, coefficient in poly.items():
        rest = tuple(part for part in product if part != name)
        sums.setdefault(len(product) - len(rest), {})[rest] = coefficient
    for count in range(max(sums, default=0) + 1):
        if count:
            powers.append(modulo(powers[-1] * value))
        if count in sums:
            result = result + Poly(sums[count]) * powers[count]
    return modulo(result)


def number(limbs):
    return sum((limb.poly * (1 << BITS * place) for place, limb in enumerate(limbs)), Poly())
