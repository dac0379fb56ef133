"""Proves functions of the fields in AVX-512 IFMA, for all inputs, from the compiled code (lanes.py): each lane's result
is what it should be modulo the prime, and as small as the function's comment says.

SPDX-License-Identifier: Apache-2.0
"""

import math
import random
from fractions import Fraction

from facts import Facts
from lanes import Lanes, LINE, Value
from machine import Address, NotRead, Word
from polynomial import Poly
from ranges import stated
from theorems import P25519, P256, SM2

LIMBS, SAMPLES = 5, 64
FULL = r"18KeyboardCurvesIFMA"
EDWARDS, FIELD = FULL + r"12Field25519x8V", FULL + r"10Field256x8V"
BOUNDS = {"2⁵¹ + 2¹⁸": (1 << 51) + (1 << 18), "2⁵¹ + 2¹³": (1 << 51) + (1 << 13), "2⁵¹": 1 << 51, "2⁵⁹": 1 << 59,
          "2⁶⁰": 1 << 60, "2⁶³ + 2⁶⁰": (1 << 63) + (1 << 60)}


class FieldTheorem:
    """- `arguments`: what the registers hold, from rdi on: x, y and result (addresses), a name of `numbers`, or "".
    - `inputs`: x, or x and y. `wanted`: of them and the prime, the number that the result is congruent to.
    """

    bits, file, scale = 51, "IFMA/X25519x8.swift", 1
    registers, writes, numbers, result_base = ("rdi", "rsi", "rdx", "rcx", "r8"), ("result",), {}, "result"
    arguments_result, doublings = "result", 0

    def __init__(self, title, symbol, declaration, arguments, inputs, wanted, of=""):
        self.title, self.symbol, self.arguments, self.inputs, self.wanted = title, symbol, arguments, inputs, wanted
        self.texts = stated("KeyboardCurves/" + self.file, declaration, of)
        self.below = self.read_ranges(self.texts)

    # ---- What is given

    def number(self, limbs):
        return sum((value.poly * (1 << self.bits * place) for place, value in enumerate(limbs)), Poly())

    def ends(self, _):
        """What each limb of a number is below."""
        return [self.below[_]] * LIMBS

    def limbs_of(self, name, sample, draw):
        ends = self.ends(name)
        special = {0: lambda end: 0, 1: lambda end: end - 1, 2: lambda end: min(1, end - 1)}
        return [special.get(sample, draw.randrange)(end) for end in ends]

    def place(self, machine, facts):
        """Puts the numbers into memory. Returns their limbs by name."""
        values = {}
        for name in self.inputs:
            draw = random.Random(self.title + name)
            samples = [self.limbs_of(name, sample, draw) for sample in range(SAMPLES)]
            base, limbs = {"x": self.first_base(), "y": "y"}[name], []
            for limb, end in enumerate(self.ends(name)):
                variable = facts.input("%s%d" % (name, limb), [sample[limb] for sample in samples])
                facts.bounds["%s%d" % (name, limb)] = end - 1
                limbs.append(Value(variable, 0, end - 1))
                machine.places[base, LINE * limb] = [limbs[-1]]
            values[name] = limbs
        for register, argument in zip(self.registers, self.arguments):
            if argument in self.numbers:
                number = self.numbers[argument]
                machine.registers[register] = Word(Poly.constant(number), number)
            elif argument:
                machine.registers[register] = Address(self.first_base() if argument == "x" else argument, 0)
        return values

    def first_base(self):
        return "x"

    def split(self, number):
        """A number's limbs."""
        return [number >> self.bits * limb & (1 << self.bits) - 1 for limb in range(LIMBS - 1)] + [
            number >> self.bits * (LIMBS - 1)]

    def join(self, limbs):
        return sum(word << self.bits * limb for limb, word in enumerate(limbs))

    # ---- The processor

    def run_on(self, own, samples):
        """Calls the function with eight samples. A loop goes round once."""
        for base in {self.first_base(), "y", self.result_base}:
            own.place(base, 1)
        for lane, sample in enumerate(samples):
            for name in self.inputs:
                for limb in range(LIMBS):
                    own.put(self.first_base() if name == "x" else name, 0, limb, lane, sample["%s%d" % (name, limb)])
        numbers = dict(self.numbers, count=1)
        own.call({register: numbers.get(argument, self.first_base() if argument == "x" else argument)
                  for register, argument in zip(self.registers, self.arguments)})

    def result_of(self, own, lane):
        return own.get(self.result_base, 0, lane)

    # ---- What is shown

    samples = ()

    def prove(self, function):
        """Returns why it is not proved or None, and the machine that read it. `samples`: what is given, what comes
        out."""
        facts = Facts()
        machine = Lanes(function, facts, 1, self.writes)
        values = self.place(machine, facts)
        given = [dict(sample) for sample in facts.samples]
        try:
            problem = self.run(machine, function, values)
            if problem:
                return problem, machine
            result = [machine.places[self.result_base, LINE * limb][0] for limb in range(LIMBS)]
        except (NotRead, KeyError, ValueError) as error:
            return str(error), machine
        self.samples = [(before, [value.poly.value(after) for value in result])
                        for before, after in zip(given, facts.samples)]
        numbers = {name: self.number(limbs) for name, limbs in values.items()}
        problem = self.check(machine, result, numbers)
        if not problem and not facts.hold_in_samples():
            problem = "a sample does not fit the facts"
        return problem, machine

    def run(self, machine, function, values):
        machine.run(function.first)

    def stand_in(self, x, y, times):
        """What a caller may think of a call: its result, and what that is below. `x`, `y`: such pairs."""
        for name, (_, below) in zip(self.inputs, (x, y)):
            if below > self.most(name):
                raise NotRead("%s may be too large for %s" % (name, self.title))
        if self.is_product:
            value = times(x[0], y[0]) if not self.doublings else times(x[0], y[0]) * (1 << self.doublings)
        else:
            value = self.wanted(x[0], y[0])
        return value, self.result_below(x[1], y[1])

    is_product = True

    # ---- Numbers with limbs of 51 bits, which may be a little more

    def most(self, name):
        return self.below[name]

    def result_below(self, *_):
        return self.below["result"]

    def read_ranges(self, texts):
        return {name: BOUNDS[bound] for name, bound in texts.items()}

    def wrong_ranges(self):
        """Ranges that must be refused, each by the name of its number."""
        return [(name, (1 << 52) + 1) for name in self.inputs] + [("result", 1 << 51)]

    def check(self, machine, result, numbers):
        rest = machine.whole(self.number(result) - self.wanted(**numbers))
        if not rest.is_multiple(P25519):
            return "it is another number"
        if any(value.low < 0 or value.high >= self.below["result"] for value in result):
            return "the result may be too large"
        return None


class OfSelf(FieldTheorem):
    """x is `self`, and becomes the result."""

    registers, writes, result_base = ("r13", "rdi"), ("self",), "self"
    numbers, arguments_result = {"count": 1}, "x"

    def first_base(self):
        return "self"


class Of256(FieldTheorem):
    """Numbers modulo p in five limbs: four of 52 bits, and the rest. R is 2^260."""

    bits, file, r = 52, "IFMA/Field256x8.swift", 1 << 260

    def __init__(self, title, symbol, declaration, arguments, inputs, wanted, *, of="", prime=P256, doublings=0):
        self.prime, self.doublings = prime, doublings
        # Two of everything that a function may do: rounds of a square.
        self.numbers = {"doublings": doublings, "prime": int(prime == SM2), "count": 2}
        super().__init__(title, symbol, declaration, arguments, inputs, wanted, of)

    def read_ranges(self, texts):
        return {name: text if name == "result" else int(text.removesuffix("p")) * self.prime
                for name, text in texts.items()}

    def ends(self, name):
        return [1 << 52] * 4 + [(self.below[name] - 1 >> 208) + 1]

    def limbs_of(self, name, sample, draw):
        end = self.below[name]
        number = {0: 0, 1: end - 1, 2: 1, 3: self.prime, 4: self.prime - 1}.get(sample)
        number = draw.randrange(end) if number is None else number
        return self.split(number)

    def place(self, machine, facts):
        values = super().place(machine, facts)
        for name, limbs in values.items():
            facts.add(self.number(limbs), 0, self.below[name] - 1)
        return values

    # Callers count in p.

    is_product = False

    def most(self, name):
        return self.below[name] // self.prime

    def result_below(self, x, y):
        return {"2p": 2, "x + 8p": x + 8, "3·x + 3·y": 3 * x + 3 * y}[self.below["result"]]

    def are_limbs(self, result):
        """Whether the four lower limbs have 52 bits. Then a number that is not negative has no negative limb."""
        return all(0 <= value.low and value.high < 1 << 52 for value in result[:4])

    def check(self, machine, result, numbers):
        """Of sums: the rest is a multiple of the prime, and z3 shows that the result is in its range."""
        if not self.are_limbs(result):
            return "a limb may have more than 52 bits"
        total = self.number(result)
        if not machine.whole(total - self.wanted(**numbers)).is_multiple(self.prime):
            return "it is another number"
        most = self.below["result"]
        most = {"2p": Poly.constant(2 * self.prime - 1), "x + 8p": numbers["x"] + Poly.constant(8 * self.prime),
                "3·x + 3·y": sum(numbers.values(), Poly()) * 3}.get(most, most)
        most = Poly.constant(most) if isinstance(most, int) else most
        facts = machine.facts
        if not facts.is_at_most(total - most, 0) or not facts.is_at_least(total, 0):
            return "the result may be too large, or negative"
        return None

    def wrong_ranges(self):
        """Twice as large: a limb may get too large, or negative. And a result that is one smaller than the largest."""
        small = {"2p": self.prime, "x + 8p": 8 * self.prime, "3·x + 3·y": 11 * self.prime}
        return [(name, 2 * self.below[name]) for name in self.inputs if self.is_narrow(name)] + [
            ("result", small[self.below["result"]])]

    def is_narrow(self, name):
        """Whether a number in twice its range would be refused."""
        return "p" in self.texts["result"] and name == "y"


class Product256(Of256):
    """N·R = 2^doublings·(x·y + m·p) with an m below R, so N is below x·y/R + p, or twice that."""

    def check(self, machine, result, numbers):
        if not self.are_limbs(result):
            return "a limb may have more than 52 bits"
        steps = machine.cuts[self.first_cut:self.first_cut + LIMBS]
        if len(steps) < LIMBS or any(step.low < 0 or step.high >= 1 << 52 for step in steps):
            return "its steps are not of 52 bits"
        multiple = self.number(steps)
        twice = 1 << self.doublings
        rest = self.number(result) * self.r - (self.wanted(**numbers) + multiple * self.prime) * twice
        if machine.whole(rest):
            return "it is another number"
        factor, constant = self.end()
        if Fraction(twice, self.r) > factor or Fraction((self.r - 1) * self.prime * twice, self.r) >= constant:
            return "the result may be too large"
        return None

    first_cut, is_product = 0, True

    def result_below(self, x, y):
        factor, constant = self.end()
        below = factor * self.prime * x * y + Fraction(constant, self.prime)
        return Fraction(math.ceil(below * 1024), 1024)  # rounded up, so that the fraction stays short

    def end(self):
        """What is stated of the result: it is below so many times the product, plus a number."""
        ends = {"x·y/16p + p": (Fraction(1, 16 * self.prime), self.prime),
                "x·y/8p + 2p": (Fraction(1, 8 * self.prime), 2 * self.prime)}
        text = self.below["result"]
        return ends[text.replace("x²", "x·y")] if isinstance(text, str) else text

    def wrong_ranges(self):
        factor, constant = self.end()
        return [(name, 2 * self.below[name]) for name in self.inputs] + [
            ("result", (factor * 15 / 16, constant)), ("result", (factor, constant - self.prime // 8))]


class Choice256(Of256):
    """x is where the result will be."""

    writes, result_base = ("x",), "x"

    def __init__(self, *arguments, mask, **options):
        super().__init__(*arguments, **options)
        self.numbers["mask"] = mask


class Rounds:
    """Where the function goes round again, the registers that held limbs of x hold those of the square, in the range
    that x has; what else it reads are constants that were there before. So each round is like the first one."""

    def run(self, machine, function, values):
        arrivals, self.problem = [], None
        polys = [tuple(value.poly.items()) for value in values["x"]]
        machine.on_arrival = {}

        def arrive(machine):
            if not arrivals:
                arrivals.append({number: lane[0] for number, lane in machine.lanes.items()})
                return False
            first = arrivals[0]
            where = {tuple(value.poly.items()): number for number, value in first.items()}
            result = [machine.lanes[where[key]][0] for key in polys]
            self.problem = self.problem or self.check(machine, result, self.given(values))
            # Constants alone are left, and what comes back: a copy of x would be taken for it.
            machine.lanes = {number: lane for number, lane in machine.lanes.items()
                             if number in first and lane[0].is_constant() and first[number].poly == lane[0].poly}
            machine.places.clear()
            for key, value in zip(polys, values["x"]):
                machine.lanes[where[key]] = [value]
            machine.facts.splits.clear()
            self.first_cut = len(machine.cuts)
            arrivals.append(None)
            return False

        self.first_cut = 0
        head = self.loop_head(function)
        if head is not None:
            machine.on_arrival[head] = arrive
        machine.run(function.first)
        if len(arrivals) != (self.numbers["count"] if head is not None else 0):
            return "it does not go round so often"
        if self.numbers["count"] > 1 and self.largest() > self.below["x"]:
            return "the square may be too large for the next round"
        return self.problem

    def given(self, values):
        return {name: self.number(limbs) for name, limbs in values.items()}

    @staticmethod
    def loop_head(function):
        """Where its only jump backwards goes."""
        heads = set()
        for address in function.own():
            instruction, _ = function.instruction(address)
            if instruction.name[0] == "j" and instruction.name != "jmp":
                target = int(instruction.operands[0], 16)
                if target < address:
                    heads.add(target)
        if len(heads) > 1:
            raise NotRead("it has several loops")
        return heads.pop() if heads else None


class Square256(Rounds, Product256):
    def largest(self):
        factor, constant = self.end()
        return factor * self.below["x"]**2 + constant


class SquareOfSelf(Rounds, OfSelf):
    numbers = {"count": 2}

    def largest(self):
        return self.below["result"]


def field_theorems():
    yield OfSelf("Field25519x8 x·y", EDWARDS + r"8multiply2byyAC_tF$", "mutating func multiply(by other: Self)",
                 ["x", "y"], "xy", lambda x, y: x * y)
    yield SquareOfSelf("Field25519x8 x², and again", EDWARDS + r"6squareyySiF$", "mutating func square(_ count: Int)",
                       ["x", "count"], "x", lambda x: x * x)
    place = ["x", "y", "doublings", "result", "prime"]
    for prime, name in ((P256, "P-256"), (SM2, "SM2")):
        name = "Field256x8, %s:" % name
        for doublings, product, square, difference in ((0, "x·y/R", "x²/R, and again", "x - y"),
                                                       (1, "2·x·y/R", "2·x²/R", "x - 2·y")):
            of = {"of": ("2·x·y", "2·x²", "x - 2·y"), "": ("", "", "")}["of" if doublings else ""]
            options = {"prime": prime, "doublings": doublings}
            yield Product256("%s %s" % (name, product), FIELD + r"8multiply__9doublings4into\w+tF$",
                             "func multiply(_ x: Place8", place, "xy", lambda x, y: x * y, of=of[0], **options)
            theorem = Square256("%s %s" % (name, square), FIELD + r"6square_5times9doublings4into\w+tF$",
                                "func square(_ x: Place8", ["x", "count", "doublings", "result", "prime"], "x",
                                lambda x: x * x, of=of[1], **options)
            theorem.numbers["count"] = 1 if doublings else 2
            yield theorem
            yield Of256("%s %s" % (name, difference), FIELD + r"8subtract__9doublings4into\w+tF$",
                        "func subtract(_ x: Place8", place, "xy",
                        lambda x, y, times=1 << doublings: x - y * times, of=of[2], **options)
        yield Of256(name + " x - y + 8p", FIELD + r"15subtractLoosely__4into", "func subtractLoosely(",
                    ["x", "y", "result", "prime"], "xy", lambda x, y: x - y, prime=prime)
        for mask, times in ((0, 1), ((1 << 64) - 1, -1)):
            yield Choice256("%s -x, where the mask is %s" % (name, "0" if times > 0 else "all ones"),
                            FIELD + r"6negate_5where", "func negate(", ["x", "mask", "prime"], "x",
                            lambda x, times=times: x * times, prime=prime, mask=mask)
        yield Of256(name + " 3·(x + y)", FIELD + r"10addTripled__4into\w+Tf4nnnd_n$", "func addTripled(",
                    ["x", "y", "result"], "xy", lambda x, y: (x + y) * 3, prime=prime)
