"""Theorems about RSA's numbers, for each count of words up to 64: 4,096 bits.

R is 2 to the bits of so many words. What is shown of words alone (loops.py) is an equation between numbers; what
follows from it and from the ranges, z3 shows of real numbers.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import random

import z3

from loops import BlockFacts, Loops
from machine import Address, NotRead, Word, WORD
from polynomial import Poly
from ranges import stated

COUNTS = range(4, 65, 4)
RSA = "11KeyboardRSA"
ADD = r"%s7NumbersO3addy\w+FZ$" % RSA
MULTIPLY = r"%s7NumbersO8multiply__\w+FZTf4nnnnd_n$" % RSA
SQUARE = r"%s7NumbersO6square_\w+FZTf4nnnd_n$" % RSA
REDUCE = r"%s7ModulusV6reduce_" % RSA


def number(words):
    return sum((word.poly * WORD**place for place, word in enumerate(words)), Poly())


def drawn(draw, end):
    return [0, end - 1, draw.randrange(end)]


def follows(claim, *known):
    """Whether z3 finds no real numbers that fit what is known, and not the claim. It is asked in a context of its own:
    in one with terms of earlier proofs, the same question may take minutes."""
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.add(*(fact.translate(context) for fact in known))
    assert solver.check() == z3.sat, "what is known contradicts itself"
    solver.add(z3.Not(claim.translate(context)))
    return solver.check() == z3.unsat


class LongTheorem:
    """`arguments`: names of numbers in memory, or of what is passed itself. `sizes`: how many times `count` words."""

    arguments, sizes, writes, declaration, file = [], {}, "", "", "Numbers.swift"

    def __init__(self, shown):
        self.shown, self.wider, self.answers = shown, {}, []
        # The instructions that were read, by function.
        self.read = collections.defaultdict(set)

    def below(self, count):
        """The range of each number, from the comment in the source."""
        ends = {"R": WORD**count, "R²": WORD**(2 * count), "2": 2}
        texts = stated("KeyboardRSA/" + self.file, self.declaration)
        found = {name: ends.get(text, text) for name, text in texts.items()}
        found.update({name: ends.get(text, text) for name, text in self.wider.items()})
        return found

    def ranges_that_are_wrong(self):
        """Other ranges, which must be refused: by the number that has them."""
        return {}

    def prove(self, library, counts=COUNTS):
        """Returns None, or why it is not proved."""
        for count in counts:
            problem = self.prove_for(library, count)
            if problem:
                return "of %d words: %s" % (count, problem)
        return None

    def begin(self, library, count, stands_for=None, rules=None, values=None):
        """A machine in front of the function, and the words of each number by name."""
        facts = BlockFacts(self.shown)
        values = dict(values or {})
        draw, given = random.Random("%s %d" % (self.title, count)), {}
        below = self.below(count)
        for name, size in self.sizes.items():
            if name not in values:
                end = below.get(name)
                values[name] = drawn(draw, end if isinstance(end, int) else WORD**(count * size))
            given[name] = [Word(facts.input("%s%d" % (name, place), [v >> 64 * place & WORD - 1 for v in values[name]]))
                           for place in range(count * size)]
        machine = Loops(library, facts, self.writes, {
            library.symbol(name) if name != "memset" else name: function
            for name, function in {"memset": fill, **(stands_for or {})}.items()}, rules)
        for name, words in given.items():
            for place, word in enumerate(words):
                machine.memory[name, 8 * place] = word
        for register, name in zip(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), self.arguments):
            machine.registers[register] = Address(name, 0) if name in self.sizes else Word(
                Poly.constant(count), count)
        machine.read, self.values = self.read, values
        return machine, given

    def memory(self, machine, name, count):
        return number([machine.memory[name, 8 * place] for place in range(count)])

    def keep(self, machine, count, names, result=None):
        """What comes out for each sample, to be compared with the processor."""
        for place, sample in enumerate(machine.facts.samples):
            out = {name: self.memory(machine, name, count * self.sizes[name]).value(sample) for name in names}
            given = {name: values[place] for name, values in self.values.items()}
            self.answers.append((count, given, out, None if result is None else result.value(sample)))


def where(value):
    """What a register says: the name of a number that begins there, that of a word, or what the word is."""
    if isinstance(value, Address):
        return None if value.offset else value.base
    if not isinstance(value, Word) or len(value.poly) > 1:
        return None
    return value.poly.number() if value.poly.is_constant() else "*".join(*value.poly)


def fill(machine):
    """memset with 0."""
    to, byte, count = machine.registers.get("rdi"), machine.get_word("%rsi"), machine.get_word("%rdx")
    if byte.poly or not isinstance(to, Address) or to.base not in machine.writable or count.poly.number() % 8:
        raise NotRead("memset")
    for place in range(0, count.poly.number(), 8):
        machine.memory[to.base, to.offset + place] = Word(Poly(), 0)
    for name in ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"):
        machine.registers.pop(name, None)
    machine.set_flag(None)


class Product(LongTheorem):
    title, symbol = "RSA t = x·y", MULTIPLY
    arguments, sizes, writes = ["x", "y", "t", "count"], {"x": 1, "y": 1, "t": 2}, "t"
    file, declaration = "Numbers+Products.swift", "static func multiply("

    def wanted(self, given):
        return number(given["x"]) * number(given["y"])

    def prove_for(self, library, count):
        machine, given = self.begin(library, count)
        machine.call(library.symbol(self.symbol))
        machine.forget()
        result = self.memory(machine, "t", 2 * count)
        self.keep(machine, count, "t")
        # The result and the product are both below R², so they are equal if R² divides what is left.
        below = self.below(count)
        if not (below["x"] - 1) * (below.get("y", below["x"]) - 1) < WORD**(2 * count) <= below["result"]:
            return "the result may be too large"
        is_equal = machine.whole(result - self.wanted(given)).is_multiple(WORD**(2 * count))
        return None if is_equal else "the words are not those of the product"


class Square(Product):
    title, symbol = "RSA t = x²", SQUARE
    arguments, sizes, declaration = ["x", "t", "count"], {"x": 1, "t": 2}, "static func square("

    def wanted(self, given):
        return number(given["x"]) * number(given["x"])


class Sum(LongTheorem):
    """x = x + y where the mask is all ones, otherwise x; the carry is returned."""

    title, symbol, arguments = "RSA x + y, masked", ADD, ["x", "y", "mask", "count"]
    sizes, writes, declaration = {"x": 1, "y": 1}, "x", "static func add(_ x"

    def prove_for(self, library, count):
        for bit in (0, 1):
            machine, given = self.begin(library, count)
            machine.registers["rdx"] = machine.constant(-bit)
            machine.call(library.symbol(self.symbol))
            machine.forget()
            result, carry = self.memory(machine, "x", count), machine.get_word("%rax").poly
            self.keep(machine, count, "x", carry)
            for answer in self.answers[-len(machine.facts.samples):]:
                answer[1]["mask"] = -bit % WORD
            rest = number(given["x"]) + number(given["y"]) * bit - result - carry * WORD**count
            if machine.whole(rest):
                return "the words are not those of the sum"
            if carry.range(machine.facts.bounds)[1] >= self.below(count)["carry"]:
                return "the carry may be too large"
        return None


class Reduction(LongTheorem):
    """x·R is congruent to t modulo n, if `inverse` is -1/n modulo a word."""

    title, symbol, arguments = "RSA x = t/R modulo n", REDUCE, ["t", "x", "n", "count", "inverse"]
    sizes, writes = {"t": 2, "x": 1, "n": 1}, "tx"
    file, declaration = "Montgomery.swift", "func reduce("

    def ranges_that_are_wrong(self):
        return {"t": "R²", "result": "n - 1"}

    def prove_for(self, library, count):
        r, stopped = WORD**count, []
        draw = random.Random(count)
        n = [r - 1, draw.randrange(r // 2, r) | 1, draw.randrange(1, r) | 1]
        t = [n[0] * r - 1, draw.randrange(n[1] * r), 0]
        inverses = [-pow(value, -1, WORD) % WORD for value in n]
        rules = {}

        def last_sum(machine):
            stopped.append(machine)

        machine, given = self.begin(library, count, {ADD: last_sum}, rules, {"n": n, "t": t})
        inverse = machine.facts.input("inverse", inverses)
        multiple = machine.facts.input("k", [(i * (v % WORD) + 1) // WORD for i, v in zip(inverses, n)])
        rules["inverse", "n0"] = multiple * WORD - Poly.constant(1)
        machine.registers["r8"] = Word(inverse)
        machine.call(library.symbol(self.symbol))
        if not stopped:
            return "it does not end with the sum that was shown"
        to, other, size = (where(machine.registers.get(name)) for name in ("rdi", "rsi", "rcx"))
        mask = machine.registers.get("rdx")
        if (to, other, size) != ("x", "n", count) or not isinstance(mask, Word):
            return "other numbers are added at the end"
        # above·R + y - n = x + difference·R, and the difference is what the mask is made from.
        difference = mask.poly + (mask.lost or Poly()) * WORD
        low = self.memory(machine, "x", count)
        factors, modulus = self.memory(machine, "t", count), number(given["n"])
        rest = (low + difference * r + modulus) * r - number(given["t"]) - factors * modulus
        if machine.whole(rest):
            return "the words are not those of t and of a multiple of n"
        for place, sample in enumerate(machine.facts.samples):
            added = n[place] if mask.poly.value(sample) else 0
            self.answers.append((count, {"t": t[place], "n": n[place], "x": 0, "inverse": inverses[place]},
                                 {"x": (low.value(sample) + added) % r}, None))
        return self.is_in_range(r, self.below(count))

    @staticmethod
    def is_in_range(r, below):
        """From the equation: the mask is all ones or 0, and x plus the modulus under the mask is below its range."""
        t, n, multiple, x, d = z3.Reals("t n multiple x d")
        ends = {"n·R": n * r, "R": r, "n": n, "n - 1": n - 1}
        end = {name: ends.get(text, text) for name, text in below.items()}
        known = [(x + d * r + n) * r == t + multiple, 0 <= t, t <= r * r - 1, t < end["t"], 1 <= n, n <= r - 1,
                 0 <= multiple, multiple <= (r - 1) * n, 0 <= x, x <= r - 1]
        if not follows(d < 1, *known):
            return "the difference may be as large as R"
        for value, result in ((0, x), (-1, x + n - r)):
            if not follows(z3.And(0 <= result, result < end["result"], result < r), *known, d == value):
                return "the result may be too large"
        return None


class Steps(LongTheorem):
    """z = x·y/R modulo n: the product and the reduction that were shown, one after the other, of the right numbers."""

    title, symbol = "RSA z = x·y/R modulo n", r"%s7ModulusV8multiply_" % RSA
    arguments = ["x", "y", "z", "t", "n", "count"]
    sizes, writes = {"x": 1, "y": 1, "z": 1, "t": 2, "n": 1}, "zt"
    file, declaration = "Montgomery.swift", "func multiply("
    product, takes, factors = MULTIPLY, ["x", "y", "t", "count"], "xy"

    def ranges_that_are_wrong(self):
        return {self.factors[1]: "R"}

    def prove_for(self, library, count):
        done = []

        def stand_in(name, takes):
            def run(machine):
                found = [machine.registers.get(register) for register in ("rdi", "rsi", "rdx", "rcx", "r8")]
                done.append((name, [where(value) for value in found[:len(takes)]] == [
                    {"count": count}.get(text, text) for text in takes]))
                for register in ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"):
                    machine.registers.pop(register, None)
            return run

        machine, _ = self.begin(library, count, {
            self.product: stand_in("product", self.takes),
            REDUCE: stand_in("reduction", ["t", "z", "n", "count", "inverse"])})
        inverse = Word(machine.facts.input("inverse", [1, 1, 1]))
        machine.memory["stack", 8] = inverse
        if len(self.arguments) < 6:
            machine.registers["r9"] = inverse
        machine.call(library.symbol(self.symbol))
        if done != [("product", True), ("reduction", True)]:
            return "not the product, and then its reduction"
        # The reduction takes what is below n·R.
        n, r, product = z3.Reals("n r product")
        low, high = (self.below(count)[name] for name in self.factors)
        ends = {WORD**count: r, "n": n}
        return None if follows(product < n * r, 1 <= n, n < r, product <= (ends[low] - 1) * (ends[high] - 1)) else (
            "the product may be too large")


class SquareSteps(Steps):
    title, symbol, arguments = "RSA z = x²/R modulo n", r"%s7ModulusV6square_" % RSA, ["x", "z", "t", "n", "count"]
    declaration, product, takes, factors = "func square(", SQUARE, ["x", "t", "count"], "xx"
    sizes = {"x": 1, "z": 1, "t": 2, "n": 1}


def long_theorems():
    shown = {}
    return [theorem(shown) for theorem in (Sum, Product, Square, Reduction, Steps, SquareSteps)]
