"""Proves scalar formulas for points of P-256 and SM2, for all inputs: the coordinates that are left are the polynomials
of the formulas, where products, sums and differences are what their theorems say.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import random

from followed import Followed
from known import CHANGED, Known, Part
from machine import Address, NotRead
from polynomial import Poly
from processor import call_swift
from theorems import P25519, P256, R, SM2

CURVES = r"14KeyboardCurves"
WORDS = 4


class Formula(Followed):
    """- `numbers`: where coordinates are: a base in memory, and their names, each 32 bytes.
    - `registers`: what is where: the name of a base, or a number. `result`: a base.
    - `form`: R in Montgomery's form, or 1.
    - `wanted`: of the coordinates, in order, those of the result.
    """

    prime, form = P25519, 1

    def __init__(self, title, symbol, numbers, registers, result, wanted):
        self.title, self.symbol, self.numbers, self.registers = title, symbol, numbers, registers
        self.result, self.wanted = result, wanted

    # ---- What calls do

    def reduced(self, poly):
        return Poly({product: factor % self.prime for product, factor in poly.items() if factor % self.prime})

    def number(self, words):
        """The number whose four words these are."""
        if all(isinstance(word, int) for word in words):
            value = sum(word << 64 * place for place, word in enumerate(words))
            if value >= self.prime:
                raise NotRead("a constant that is not below the prime")
            return Poly.constant(value * pow(self.form, -1, self.prime) % self.prime)
        return Part.value_of(words)

    def give(self, machine, poly):
        machine.give(self.reduced(poly))

    def first(self, machine):
        return self.number(machine.first())

    def second(self, machine):
        return self.number(machine.second())

    def calls(self):
        """What is done instead of a function, by a pattern of its name."""
        field = CURVES + r"10Field25519V%s"
        two = field % "1%soiyA2C_ACtFZTf4nnd_n$"
        return {two % "m": lambda machine: self.first(machine) * self.second(machine),
                two % "p": lambda machine: self.first(machine) + self.second(machine),
                two % "s": lambda machine: self.first(machine) - self.second(machine),
                field % "7squaredACvg$": lambda machine: self.first(machine) * self.first(machine)}

    # ---- What is shown

    def machine(self, function):
        image, stands_for = function.image, {}
        for pattern, value in self.calls().items():
            stands_for[image.addresses[image.symbol(pattern)]] = (
                lambda machine, value=value: self.give(machine, value(machine)))
        machine = Known(function, (self.result,), stands_for)
        for name, value in self.registers.items():
            machine.registers[name] = Address(value, 0) if isinstance(value, str) else value
            machine.before[name] = machine.registers[name]
        machine.before = {name: value for name, value in machine.before.items() if name not in CHANGED}
        for base, names in self.numbers.items():
            for index, name in enumerate(names):
                for place in range(WORDS):
                    machine.memory[base, 32 * index + 8 * place] = Part(Poly.variable(name), place), 8
        return machine

    def values(self, of):
        return [value for names in self.numbers.values() for value in map(of, names)]

    def wrong(self, machine):
        for index, wanted in enumerate(self.wanted(*self.values(Poly.variable))):
            words = [machine.load(Address(self.result, 32 * index + 8 * place), 8) for place in range(WORDS)]
            if self.number(words) != self.reduced(wanted):
                return "coordinate %d is another polynomial" % index
        return None

    def compare(self, library, function):
        draw, tries = random.Random(self.title), 16
        for number in range(tries):
            values = {name: [0, 1, self.prime - 1][number] if number < 3 else draw.randrange(self.prime)
                      for names in self.numbers.values() for name in names}
            places = {base: ctypes.create_string_buffer(
                b"".join((values[name] * self.form % self.prime).to_bytes(32, "little") for name in names), 128)
                for base, names in self.numbers.items()}
            place = places.setdefault(self.result, ctypes.create_string_buffer(128))
            registers = {name: ctypes.addressof(places[value]) if isinstance(value, str) else value
                         for name, value in self.registers.items()}
            call_swift(library, function, registers, registers.get("r13"))
            for index, wanted in enumerate(self.wanted(*self.values(values.get))):
                found = int.from_bytes(place.raw[32 * index:32 * index + 32], "little")
                assert (found - wanted * self.form) % self.prime == 0, "%s of %s" % (self.title, values)
        return tries


FIELDS = ("0C4P256V", "9FieldP256V"), ("0C3SM2V", "8FieldSM2V")
KIND = CURVES + "5FieldPAAE%d%syAA5LimbsV%s"
PRODUCT, SQUARE = (7, "product", "AF_AFtFAA%s_Tg5Tf4nnd_n$"), (6, "square", "AFFAA%s_Tg5Tf4nd_n$")
ELEMENT = CURVES + r"7ElementV%s33_\w+LL%sAA%s_Tg5$"


def of_field(kind, curve):
    number, name, ending = kind
    return KIND % (number, name, ending % FIELDS[curve][0])


class Jacobian(Formula):
    """Sums whose code both curves share: they are given what computes in the field."""

    form = R

    def __init__(self, title, curve, symbol, names, wanted):
        self.prime = (P256, SM2)[curve]
        self.functions = {
            of_field(SQUARE, curve): lambda machine: self.first(machine) * self.first(machine),
            of_field(PRODUCT, curve): lambda machine: self.first(machine) * self.second(machine),
            # `self` comes last.
            ELEMENT % ("10difference", "yAA5LimbsVAGF", FIELDS[curve][1]):
            lambda machine: self.second(machine) - self.first(machine),
            ELEMENT % ("3sum", "yAA5LimbsVAGF", FIELDS[curve][1]):
            lambda machine: self.second(machine) + self.first(machine)}
        super().__init__(title, CURVES + r"13JacobianPointV3add_2iny" + symbol,
                         {"self": ("x", "y", "z"), "other": names}, {"r13": "self", "rdi": "other"}, "self", wanted)

    def calls(self):
        return self.functions

    def machine(self, function):
        machine = super().machine(function)
        for name, pattern in zip(("rsi", "rdx", "rcx", "r8"), self.functions):
            machine.registers[name] = function.image.addresses[function.image.symbol(pattern)]
        return machine

    def compare(self, library, function):
        self.registers = dict(self.registers, **{
            name: ctypes.cast(self.addresses[pattern], ctypes.c_void_p).value
            for name, pattern in zip(("rsi", "rdx", "rcx", "r8"), self.functions)})
        return super().compare(library, function)


class Projective(Formula):
    """The complete addition, in Montgomery's form: each number is below the prime. The curve is known."""

    form = R

    def __init__(self, title, prime, curve, wanted):
        self.prime, self.curve = prime, curve
        super().__init__(title, CURVES + r"15ProjectivePointV3add_2onyAC_AA5CurveOtF$",
                         {"self": ("x", "y", "z"), "other": ("x2", "y2", "z2")},
                         {"r13": "self", "rdi": "other", "rsi": curve}, "self", wanted)

    def of_self(self, machine):
        """The number in memory, where Swift has `self`, with which prime it is of."""
        place = machine.word("r13")
        if machine.load(place.moved(32), 1) != 2 * self.curve:
            raise NotRead("a number modulo another prime")
        return self.number([machine.load(place.moved(8 * word), 8) for word in range(WORDS)])

    def calls(self):
        two, of_any = "yAA5LimbsVAGF", "10AnyModulusO"
        return {of_field(PRODUCT, self.curve): lambda machine: self.first(machine) * self.second(machine),
                ELEMENT % ("3sum", two, of_any): lambda machine: self.of_self(machine) + self.first(machine),
                ELEMENT % ("10difference", two, of_any): lambda machine: self.of_self(machine) - self.first(machine),
                ELEMENT % ("10sumOfThree", "AA5LimbsVvg", of_any): lambda machine: self.of_self(machine) * 3}


def jacobian_sum(x, y, z, x2, y2, z2=None):
    """Bernstein, Lange, add-1998-cmo-2; z2 is 1 where there is none."""
    zz, z_both = z * z, z if z2 is None else z * z2
    u, s = (x, y) if z2 is None else (x * z2 * z2, y * z2 * z2 * z2)
    h, r = x2 * zz - u, y2 * zz * z - s
    v = u * h * h
    newx = r * r - h * h * h - v * 2
    return newx, r * (v - newx) - s * h * h * h, z_both * h


def complete_sum(b):
    """Renes, Costello, Batina, algorithm 4, with a = -3: x, y and z of the sum."""
    def formula(x, y, z, x2, y2, z2):
        xx, yy, zz = x * x2, y * y2, z * z2
        xy, yz, xz = x * y2 + x2 * y, y * z2 + y2 * z, x * z2 + x2 * z
        m, n = (xz * b - xx - zz * 3) * 3, (xz - zz * b) * 3
        left, right = xx * 3 - zz * 3, yy
        return (xy * (right + n) - yz * m, (right + n) * (right - n) + left * m, yz * (right - n) + xy * left)
    return formula


B256 = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
B_SM2 = 0x28E9FA9E9D9F5E344D5A9E4BCF6509A7F39789F515AB8F92DDBCBD414D940E93


def point_formulas():
    for curve, name in enumerate(("P-256", "SM2")):
        yield Jacobian(name + ", Jacobian sum", curve, r"SPyACG_xtAA5FieldRzlFAA0G4P256V_Tg5Tm$", ("x2", "y2", "z2"),
                       jacobian_sum)
        yield Jacobian(name + ", Jacobian sum, Z = 1", curve, r"SPyAA06AffineD0VG_xtAA5FieldRzlFAA0H4P256V_Tg5Tm$",
                       ("x2", "y2"), jacobian_sum)
    yield Projective("P-256, complete sum", P256, 0, complete_sum(B256))
    yield Projective("SM2, complete sum", SM2, 1, complete_sum(B_SM2))
