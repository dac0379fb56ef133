"""Proves the formulas for points of the Edwards curve, for all inputs. Their sums are compiled into them: words are
read as polynomials in the words of numbers and in carries, and a number is known again where it is passed on.

SPDX-License-Identifier: Apache-2.0
"""

import random

from facts import Facts
from known import CHANGED, FIRST, KEPT, RESULT
from loops import BlockFacts
from machine import Address, NotRead, Word, WORD
from points import CURVES, Formula, WORDS
from polynomial import Poly
from powers import Pairs
from theorems import P25519, R


class FactsOfOneSum(Facts):
    """Asks of a carry with what is known of it, and of the carries that it depends on, and with nothing else. The same
    sum of other numbers has the same answer."""

    shown = {}

    def _never(self, poly, low, high):
        def carries(of):
            return {name for product in of for name in product if name[0] != "n"}

        names, left, known = carries(poly), list(self.known), []
        while more := [fact for fact in left if carries(fact[0]) & names]:
            known += more
            left = [fact for fact in left if fact not in more]
            names.update(*(carries(fact[0]) for fact in more))
        block = BlockFacts(self.shown)
        block.bounds, block.samples, block.zeros = self.bounds, self.samples, self.zeros
        block.known, block.deciding = known, self.deciding & names
        return block._never(poly, low, high)


class Sums(Pairs):
    """Code in which sums of numbers are compiled between the calls. Words are polynomials in the words of those numbers
    that came in or that a call gave, and in carries. Of a number that is passed on or left, what its words add up to is
    a sum of such numbers, modulo the prime: what belongs to carries must be a multiple of it, or always 0."""

    def __init__(self, function, theorem, stands_for):
        super().__init__(None, FactsOfOneSum(), (theorem.result,), stands_for)
        self.function, self.prime, self.numbers, self.recent = function, theorem.prime, [], []
        self.taken, self.needed, self.at = set(), set(), None
        self.facts.decides = self.decides

    def run(self, address):
        """Runs until the function returns."""
        begin = self.registers["rsp"].offset
        while address is not None:
            instruction, following = self.function.instruction(address)
            self.taken.add(address)
            self.at = address
            try:
                if instruction.name == "call":
                    self.stands_for[int(instruction.operands[0], 16)](self)
                elif instruction.name[0] == "j":
                    following = self.jump(instruction, following)
                elif self.step(instruction):
                    following = None
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
            address = following
        if self.registers["rsp"].offset != begin:
            raise NotRead("the stack is another one")

    def jump(self, instruction, following):
        """Where it goes on."""
        raise NotRead("a jump")

    def put(self, operand, value):
        """An instruction is needed if it changes what is there. Not a 0: `sbb` of a register and itself forgets it."""
        if operand[0] == "%":
            old = self.registers.get(operand[1:])
        else:
            place = self.address(operand, None)
            old = self.memory.get((place.base, place.offset))
        if old is not value and not (isinstance(value, Word) and not value.poly):
            self.needed.add(self.at)
        return super().put(operand, value)

    def lea(self, operands):
        """A sum of two words, whose carry should be 0."""
        names = operands[0].strip("()").replace("%", "").split(",")
        words = [self.registers.get(name) for name in names[:2]]
        if names[2:] != ["1"] or not all(isinstance(word, Word) for word in words):
            return super().lea(operands)
        word, lost = self.word(words[0].poly + words[1].poly, 0, words[0].top + words[1].top, "c")
        self.facts.is_always_zero(lost)
        self.put(operands[1], word)
        return False

    def decides(self, poly):
        """A mask of the sum that is being read."""
        self.recent += [bit for bit in self.facts._bits(poly) if bit not in self.recent]
        self.facts.deciding = set(self.recent[-3:])

    def new(self, poly, values):
        """The words of a number, which is a polynomial of the coordinates: these values of it are samples."""
        words = [Word(self.facts.input("n%d.%d" % (len(self.numbers), part), [
            value >> 64 * part & WORD - 1 for value in values])) for part in range(WORDS)]
        self.numbers.append((poly, sum((word.poly * (1 << 64 * part) for part, word in enumerate(words)), Poly())))
        return words

    def polynomial(self, words):
        """Which polynomial of the coordinates a number is."""
        if not all(isinstance(word, Word) for word in words):
            raise NotRead("not the words of one number")
        total = sum((word.poly * (1 << 64 * part) for part, word in enumerate(words)), Poly())
        found, carries = Poly(), {}
        # A number takes the place of its lowest word. If the others are there in the same measure, none is left.
        for place, (poly, whole) in enumerate(self.numbers):
            factor = total.get(("n%d.0" % place,), 0)
            total, found = total - whole * factor, found + poly * factor
        for product, factor in total.items():
            factor %= self.prime
            if not factor:
                continue
            if len(product) > 1:
                raise NotRead("a product is left")
            if not product:
                found += Poly.constant(factor)
            elif product[0][0] == "n":
                raise NotRead("not the words of one number")
            else:
                carries[factor] = carries.get(factor, Poly()) + Poly.variable(product[0])
        deciding, self.facts.deciding = self.facts.deciding, {
            bit for word in words for bit in self.facts._bits(word.poly)}.intersection(self.recent)
        if not all(self.facts.is_zero(carry) for carry in carries.values()):
            raise NotRead("a carry is lost")
        self.facts.deciding = deciding
        return found


class Summed(Formula):
    """A formula whose sums are compiled into it."""

    def prove(self, function):
        machine = Sums(function, self, self.stands_for(function.image))
        draw = random.Random(self.title)
        self.samples = {name: [0, self.prime - 1, self.prime, R - 1] + [draw.randrange(R) for _ in range(12)]
                        for name in self.values(str)}
        for base, names in self.numbers.items():
            for index, name in enumerate(names):
                for place, word in enumerate(machine.new(Poly.variable(name), self.samples[name])):
                    machine.memory[base, 32 * index + 8 * place] = word
        return self.follow(machine)

    def stands_for(self, image):
        """What is done instead of the functions that are called, by their addresses."""
        return {image.addresses[image.symbol(pattern)]: lambda machine, value=value: self.give(machine, value(machine))
                for pattern, value in self.calls().items()}

    def follow(self, machine):
        """Runs the function. Returns why it is not proved or None, and the machine."""
        kept = {name: Address("kept " + name, 0) for name in KEPT}
        machine.registers.update(kept)
        machine.registers.update((name, Address(base, 0)) for name, base in self.registers.items())
        kept.update((name, machine.registers[name]) for name in self.registers if name in kept)
        try:
            machine.run(machine.function.first)
            if any(machine.registers.get(name) is not value for name, value in kept.items()):
                return "it leaves other registers", machine
            problem = self.wrong(machine)
        except (NotRead, KeyError, ValueError, AttributeError, TypeError, AssertionError) as error:
            return str(error) or "it cannot be read", machine
        return problem or (None if machine.facts.hold_in_samples() else "a sample does not fit the facts"), machine

    def wrong(self, machine):
        for index, wanted in enumerate(self.wanted(*self.values(Poly.variable))):
            words = [machine.memory[self.result, 32 * index + 8 * place] for place in range(WORDS)]
            if self.reduced(machine.polynomial(words)) != self.reduced(wanted):
                return "coordinate %d is another polynomial" % index
        return None

    def first(self, machine):
        return machine.polynomial([machine.registers.get(name) for name in FIRST])

    def second(self, machine):
        top = machine.registers["rsp"]
        return machine.polynomial([machine.registers.get("r8"), machine.registers.get("r9")] + [
            machine.memory.get((top.base, top.offset + 8 * place)) for place in (0, 1)])

    def give(self, machine, poly):
        for name in CHANGED:
            machine.registers.pop(name, None)
        machine.set_flag(None)
        poly = self.reduced(poly)
        values = [poly.value({name: values[place] for name, values in self.samples.items()}) % self.prime
                  for place in range(len(machine.facts.samples))]
        machine.registers.update(zip(RESULT, machine.new(poly, values)))


def edwards_double(x, y, z, _):
    a, b = x * x, y * y
    e, g = (x + y) * (x + y) - a - b, b - a
    f, h = z * z * 2 - g, a + b
    return e * f, g * h, f * g, e * h


def edwards_sum(a, b, c, d):
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f, g * h, f * g, e * h


TWICE_D = -2 * 121665 * pow(121666, -1, P25519) % P25519


def edwards_formulas():
    point, name = ("x", "y", "z", "t"), CURVES + r"12EdwardsPointV%s$"
    yield Summed("Edwards25519, doubling", name % "6doubleyyF", {"self": point}, {"r13": "self"}, "self",
                 edwards_double)
    yield Summed("Edwards25519, sum with an entry", name % "3addyyAA0C5EntryVF",
                 {"self": point, "other": ("sum", "difference", "product")}, {"r13": "self", "rdi": "other"}, "self",
                 lambda x, y, z, t, plus, minus, product: edwards_sum(
                     (y - x) * minus, (y + x) * plus, t * product, z * 2))
    yield Summed("Edwards25519, sum of two", name % "3addyyAA0C6AddendVF",
                 {"self": point, "other": ("sum", "difference", "product", "z2")}, {"r13": "self", "rdi": "other"},
                 "self", lambda x, y, z, t, plus, minus, product, z2: edwards_sum(
                     (y - x) * minus, (y + x) * plus, t * product, z * z2))
    yield Formula("Edwards25519, what is added", CURVES + r"13EdwardsAddendVyAcA0C5PointVcfCTf4nd_n$",
                  {"self": ("x", "y", "z", "t")}, {"rdi": "self", "rax": "result"}, "result",
                  lambda x, y, z, t: (y + x, y - x, t * TWICE_D, z * 2))
