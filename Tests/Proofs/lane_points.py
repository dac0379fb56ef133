"""Proves functions that call those of lane_fields.py and do nothing else with numbers: the formulas for points, and
inversions. A call is what its theorem says, if the numbers that it gets are in their ranges.

SPDX-License-Identifier: Apache-2.0
"""

import random
from fractions import Fraction

from facts import Facts
from known import CHANGED
from lane_fields import BOUNDS, EDWARDS, FIELD, field_theorems, FULL
from lanes import Lanes
from machine import Address, NotRead, Word
from polynomial import Poly
from ranges import stated
from theorems import P25519, P256, SM2

SIZE = 320  # bytes of a number


class Sequence(Lanes):
    """`numbers`: what is in memory, by base and offset: a value, and what it is below. `sizes`: of each base, how many
    numbers it has."""

    def __init__(self, function, sizes, stands_for):
        super().__init__(function, Facts(), 1, sizes, stands_for)
        self.numbers, self.sizes = {}, sizes

    def get_number(self, register):
        place = self.registers.get(register)
        if not isinstance(place, Address) or (place.base, place.offset) not in self.numbers:
            raise NotRead("%s is not a number's address" % register)
        return self.numbers[place.base, place.offset]

    def set_number(self, register, value, below):
        self.set_at(self.registers.get(register), value, below)

    def set_at(self, place, value, below):
        size = SIZE * self.sizes.get(place.base, 0) if isinstance(place, Address) else 0
        if not size and (not isinstance(place, Address) or place.base != "stack") or (
                size and not 0 <= place.offset <= size - SIZE):
            raise NotRead("the result goes to another place")
        for base, offset in list(self.numbers):
            if base == place.base and abs(offset - place.offset) < SIZE:
                del self.numbers[base, offset]
        for base, offset in list(self.memory):
            if base == place.base and -8 < offset - place.offset < SIZE:
                del self.memory[base, offset]
        self.numbers[place.base, place.offset] = value, below

    def step(self, instruction):
        if instruction.name == "rep" and instruction.operands[0].startswith("movsb"):
            if self.known("%rcx") != SIZE:
                raise NotRead("it copies another number of bytes")
            self.set_number("rdi", *self.get_number("rsi"))
            for register in ("rdi", "rsi"):
                self.registers[register] = self.registers[register].moved(SIZE)
            self.registers["rcx"] = self.constant(0)
            return False
        return super().step(instruction)

    def arithmetic(self, name, operands, target):
        place = self.registers.get(operands[-1][1:])
        if name == "add" and isinstance(place, Address) and operands[0][0] == "$":
            self.registers[operands[-1][1:]] = place.moved(self.signed(operands[0]))
            return self.set_flag(None)
        return super().arithmetic(name, operands, target)


def stand_ins(theorems, times):
    """What each function of a field does to numbers, by its name. `times`: how two values are multiplied."""
    found = {}
    for theorem in theorems:
        found.setdefault(theorem.symbol, []).append(theorem)

    def of(those):
        def run(machine):
            theorem = those[0]
            words = dict(zip(theorem.arguments, theorem.registers))

            def known(name, otherwise=None):
                value = machine.known("%" + words[name]) if name in words else otherwise
                return value

            doublings, rounds = known("doublings", 0), known("count", 1)
            fitting = [t for t in those if t.doublings == doublings]
            if not fitting or rounds is None or rounds < 1 or doublings and rounds > 1:
                raise NotRead("no theorem is of this call")
            theorem = fitting[0]
            if "prime" in words and known("prime") & 255 != theorem.numbers["prime"]:
                raise NotRead("another prime")
            x = machine.get_number(words["x"])
            y = machine.get_number(words["y"]) if "y" in words else None
            for _ in range(rounds):
                x = theorem.stand_in(x, y or x, times)
            machine.set_number(words[theorem.arguments_result], *x)
            for register in CHANGED:
                machine.registers.pop(register, None)
            machine.lanes.clear()
            machine.set_flag(None)
        return run
    return {symbol: of(those) for symbol, those in found.items()}


class Power:
    """A number to this power."""

    def __init__(self, exponent):
        self.exponent = exponent

    def __mul__(self, other):
        if not isinstance(other, Power):
            raise NotRead("a multiple of a power")
        return Power(self.exponent + other.exponent)


# ---- What the functions of points compute

def doubled(x, y, z):
    m, s = (x - z * z) * (x + z * z) * 3, x * y * y * 4
    three = m * m - s * 2
    return three, m * (s - three) - y * y * y * y * 8, y * z * 2


def added(x, y, z, other_x, other_y, other_z):
    u, s = x * other_z * other_z, y * other_z * other_z * other_z
    h, r = other_x * z * z - u, other_y * z * z * z - s
    three = r * r - h * h * h - u * h * h * 2
    return three, r * (u * h * h - three) - s * h * h * h, h * z * other_z


class PointTheorem:
    """`places`: for the registers, what they hold. `given`: numbers in memory, by where they are."""

    def __init__(self, title, symbol, source, places, sizes, given, wanted, theorems, is_power=False):
        self.title, self.symbol, self.places, self.sizes = title, symbol, places, sizes
        self.given, self.wanted, self.theorems, self.is_power = given, wanted, theorems, is_power
        self.field, self.prime = theorems[0], getattr(theorems[0], "prime", P25519)
        self.scale = getattr(self.field, "r", 1)
        self.below = {name: BOUNDS[text] if text in BOUNDS else Fraction(text.removesuffix("p"))
                      for name, text in stated("KeyboardCurves/IFMA/" + source[0], source[1]).items()}

    # ---- The processor

    def run_on(self, own, samples):
        for base, size in (*self.sizes.items(), ("other", 3)):
            own.place(base, size)
        for lane, sample in enumerate(samples):
            for name, (base, index) in self.given.items():
                for limb, word in enumerate(self.field.split(sample[name])):
                    own.put(base, index, limb, lane, word)
        own.call(self.places)

    def result_of(self, own, lane):
        """Numbers that belong to one of the prime's classes are the same here."""
        return [self.field.join(own.get(base, index, lane)) * pow(self.scale, -1, self.prime) % self.prime
                for base, index, _ in self.wanted]

    def draw(self):
        """Numbers, and what should come of them."""
        draw = random.Random(self.title)
        for _ in range(16):
            unit = self.prime if self.scale > 1 else 1
            given = {name: draw.randrange(int(self.below[name.removeprefix("other ")] * unit)) for name in self.given}
            values = {name: number * pow(self.scale, -1, self.prime) % self.prime for name, number in given.items()}
            yield given, [pow(values["x"], wanted, self.prime) if self.is_power else wanted.value(values) % self.prime
                          for wanted in self.wanted.values()]

    def wrong_ranges(self):
        """Results that are smaller than they may be, and an x that may be too large."""
        return [(name, below / 4) for name, below in self.below.items() if name.endswith("'") or name == "result"] + [
            ("x", 16 * self.below["x"])]

    def prove(self, function):
        """Returns why it is not proved or None, and the machine that read it."""
        image = function.image
        times = Power.__mul__ if self.is_power else Poly.__mul__
        stands_for = {image.addresses[image.symbol(symbol)]: run
                      for symbol, run in stand_ins(self.theorems, times).items()}
        machine = Sequence(function, self.sizes, stands_for)
        for register, place in self.places.items():
            machine.registers[register] = Word(Poly.constant(place), place) if isinstance(place, int) else (
                Address(place, 0))
        for name, (base, index) in self.given.items():
            value = Power(1) if self.is_power else Poly.variable(name)
            machine.numbers[base, SIZE * index] = value, self.below[name.removeprefix("other ")]
        try:
            machine.run(function.first)
        except (NotRead, KeyError, ValueError) as problem:
            return str(problem), machine
        for (base, index, name), wanted in self.wanted.items():
            if (base, SIZE * index) not in machine.numbers:
                return "%s is not written" % name, machine
            value, below = machine.numbers[base, SIZE * index]
            if (value.exponent if self.is_power else value) != wanted:
                return "%s is another number" % name, machine
            if below > self.below[name]:
                return "%s may be too large" % name, machine
        self.samples = list(self.draw())
        return None, machine


def point_theorems():
    x, y, z, other_x, other_y, other_z = names = ("x", "y", "z", "other x", "other y", "other z")
    variables = [Poly.variable(name) for name in names]
    fields = list(field_theorems())
    own = {x: ("self", 0), y: ("self", 1), z: ("self", 2)}
    other = {other_x: ("other", 0), other_y: ("other", 1), other_z: ("other", 2)}

    def result(values):
        return {("self", place, "xyz"[place] + "'"): value for place, value in enumerate(values)}

    for prime, name in ((P256, "P-256"), (SM2, "SM2")):
        those = [theorem for theorem in fields if getattr(theorem, "prime", None) == prime]
        index = int(prime == SM2)
        yield PointTheorem("%s in IFMA: 2·(x, y, z)" % name, FULL + "14JacobianPoint8V6double_4work",
                           ("Weierstrass8.swift", "func double("), {"rdi": index, "rsi": "work", "rdx": "self"},
                           {"work": 4, "self": 3}, own, result(doubled(*variables[:3])), those)
        yield PointTheorem("%s in IFMA: (x, y, z) + other" % name, FULL + "14JacobianPoint8V3add__4work",
                           ("Weierstrass8.swift", "func add("),
                           {"rdi": "other", "rsi": index, "rdx": "work", "rcx": "self"}, {"work": 5, "self": 3},
                           {**own, **other}, result(added(*variables)), those)
        yield PointTheorem("%s in IFMA: x^(p - 2)" % name, FIELD + "6invert_4work",
                           ("Field256x8.swift", "func invert("), {"rdi": "self", "rsi": "work", "rdx": index},
                           {"work": 8, "self": 1}, {x: ("self", 0)}, {("self", 0, "result"): prime - 2}, those,
                           is_power=True)
    yield PointTheorem("Field25519x8 x^(p - 2)", EDWARDS + "6invertyyF$", ("X25519x8.swift", "mutating func invert("),
                       {"r13": "self"}, {"self": 1}, {x: ("self", 0)}, {("self", 0, "result"): P25519 - 2},
                       [theorem for theorem in fields if not hasattr(theorem, "prime")], is_power=True)
