"""Proves the scalar ladder of X25519, for all u-coordinates, from the compiled function: all 255 rounds, under scalars
that are known, some with the exchange and some without it.

Where a round ends, each number that a call has left is one of the next two points if it is the polynomial that RFC 7748
has for it, and becomes a variable; what belongs to none of them is forgotten. So a round shows all others of its kind.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import random

from edwards import FactsOfOneSum, Summed, Sums
from known import RESULT
from lane_ladders import multiplied, step
from machine import Address, NotRead, Word, WORD
from points import CURVES, WORDS
from polynomial import Poly
from processor import call_swift
from theorems import P25519, R

ROUNDS, CALLS, SIZE = 255, 10, 32
POINTS = ("x2", "z2", "x3", "z3")


def clamped(scalar):
    return scalar & (1 << 254) - 8 | 1 << 254


class Rounds(Sums):
    """The function with a scalar that is known. Numbers are told apart from what is known by their words."""

    def __init__(self, function, theorem, stands_for, scalar):
        super().__init__(function, theorem, stands_for)
        self.theorem, self.round, self.previous = theorem, 0, 0
        self.bits = [clamped(scalar) >> position & 1 for position in reversed(range(ROUNDS))]
        self.points = [Poly.constant(1), Poly(), Poly.variable("u"), Poly.constant(1)]
        # What the calls of this round have left: polynomials, and their words.
        self.left = []

    def run(self, address):
        super().run(address)
        if self.round != ROUNDS:
            raise NotRead("another number of rounds")

    def jump(self, instruction, following):
        if len(self.left) == CALLS:
            self.arrive()
        return int(instruction.operands[0], 16) if self.jumps(instruction.name[1:]) else following

    def forget(self):
        """Nothing is forgotten at a jump."""

    # ---- Where a round ends

    def arrive(self):
        """Both points must be there. They become variables."""
        bit = self.bits[self.round]
        x2, z2, x3, z3 = self.points
        if bit != self.previous:
            x2, z2, x3, z3 = x3, z3, x2, z2
        wanted = [self.theorem.reduced(poly) for poly in step(Poly.variable("u"), x2, z2, x3, z3)]
        self.previous, self.round = bit, self.round + 1
        words, names = {}, {}
        for poly, parts in self.left:
            for name, value in zip(POINTS, wanted):
                if poly == value:
                    names[name] = True
                    words.update((self.key(word), (name, place)) for place, word in enumerate(parts))
        if len(names) != len(POINTS):
            raise NotRead("after round %d a point is missing" % self.round)
        if not self.facts.hold_in_samples():
            raise NotRead("a sample does not fit the facts")
        u = {self.key(word): place for place, word in enumerate(self.u)}
        self.facts, self.numbers, self.recent, self.left = FactsOfOneSum(), [], [], []
        self.facts.decides = self.decides
        fresh = self.theorem.begin(self)

        def renamed(value):
            if not isinstance(value, Word) or value.poly.is_constant():
                return value if isinstance(value, (Address, Word)) else None
            if self.key(value) in u:
                return self.u[u[self.key(value)]]
            name, place = words.get(self.key(value), (None, None))
            return fresh[name][place] if name else None

        for places in (self.registers, self.memory):
            for place, value in list(places.items()):
                places[place] = renamed(value)
                if places[place] is None:
                    del places[place]
        self.points = [Poly.variable(name) for name in POINTS]
        self.set_flag(None)

    @staticmethod
    def key(word):
        return tuple(sorted(word.poly.items()))

    # ---- Numbers that are known

    def is_constant(self, operand):
        value = self.get(operand)
        return isinstance(value, Word) and value.poly.is_constant()

    def exclusive(self, name, operands, target):
        one, other = self.get(operands[0], target), self.get(operands[1])
        if all(isinstance(value, Word) and value.poly.is_constant() for value in (one, other)):
            numbers = one.poly.number(), other.poly.number()
            value = numbers[0] ^ numbers[1] if name == "xor" else numbers[0] & numbers[1]
            # What a mask leaves as it is stays the word that it was.
            self.put(operands[1], next((word for word in (other, one) if word.poly.number() == value),
                                       self.constant(value)))
            self.set_flag(Poly())
            return True
        return super().exclusive(name, operands, target)

    def arithmetic(self, name, operands, target):
        if name == "shr" and operands[0] == "%cl":
            count = self.get_word("%rcx").poly.number() & 63
            self.put(operands[1], self.constant(self.get_word(operands[1]).poly.number() >> count))
            self.set_flag(None)
        elif name in ("add", "sub") and operands[1] != "%rsp" and all(map(self.is_constant, operands)):
            one, other = (self.get_word(text).poly.number() for text in operands)
            value = other + (one if name == "add" else -one)
            self.put(operands[1], self.constant(value))
            is_carried = not 0 <= value < WORD
            self.set_flag(Poly.constant(int(is_carried)))
            self.compared = value % WORD, is_carried, False, False
        else:
            super().arithmetic(name, operands, target)


class ScalarLadder(Summed):
    """x and z of the product, in 64 bytes."""

    # Bits that clamping changes, both ways.
    scalars = (int.from_bytes(b"\xa7\x5c\x93\x0e" * 7 + b"\x3d\xe2\x68\xb1", "little"), 0x4d << 248 | 0x1b9)

    def __init__(self):
        super().__init__("X25519, scalar ladder", CURVES + r"6X25519O6ladder33_\w+FZTf4nnd_n$",
                         {"u": ("u",)}, {"rdi": "scalar", "rsi": "u", "rax": "result"}, "result", None)

    def calls(self):
        field = CURVES + r"10Field25519V%s"
        return {**super().calls(), field % "11times1216654plusA2C_tF$":
                lambda machine: self.first(machine) + self.second(machine) * 121665}

    def begin(self, machine):
        """The words of u and of both points, which are not known."""
        draw, found = random.Random(self.title), {}
        self.samples = {}
        for name in ("u", *POINTS):
            top = R >> 1 if name == "u" else R
            self.samples[name] = [value % top for value in [0, P25519 - 1, P25519, top - 1] + [
                draw.randrange(top) for _ in range(12)]]
            found[name] = machine.new(Poly.variable(name), self.samples[name])
        machine.facts.bounds["n0.3"] = WORD // 2 - 1
        found["u"][3].top = WORD // 2 - 1
        machine.u = found["u"]
        return found

    def give(self, machine, poly):
        super().give(machine, poly)
        machine.left.append((self.reduced(poly), [machine.registers[name] for name in RESULT]))

    def prove(self, function):
        for scalar in self.scalars:
            problem, machine = self.prove_with(function, scalar)
            if problem:
                break
        return problem, machine

    def prove_with(self, function, scalar):
        machine = Rounds(function, self, self.stands_for(function.image), scalar)
        for place, word in enumerate(self.begin(machine)["u"]):
            machine.memory["u", 8 * place] = word
            machine.memory["scalar", 8 * place] = machine.constant(scalar >> 64 * place & WORD - 1)
        return self.follow(machine)

    def wrong(self, machine):
        for index, poly in enumerate(machine.points[:2]):
            words = [machine.memory[self.result, SIZE * index + 8 * place] for place in range(WORDS)]
            if machine.polynomial(words) != poly:
                return "coordinate %d is another number" % index
        return None

    def compare(self, library, function):
        draw, tries = random.Random(self.title), 16
        for number in range(tries):
            scalar, u = draw.getrandbits(256), R - 2 if number == 0 else draw.randrange(R)
            places = [ctypes.create_string_buffer(value.to_bytes(SIZE, "little"), 2 * SIZE) for value in (scalar, u, 0)]
            call_swift(library, function, dict(zip(self.registers, map(ctypes.addressof, places))))
            x, z = (int.from_bytes(places[2].raw[start:start + SIZE], "little") for start in (0, SIZE))
            wanted = multiplied(clamped(scalar), u % (R >> 1))
            assert (x - wanted * z) % P25519 == 0 != z % P25519, "%s of %x and %x" % (self.title, scalar, u)
        return tries


def scalar_ladder():
    yield ScalarLadder()
