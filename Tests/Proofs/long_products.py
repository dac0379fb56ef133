"""Theorems about RSA's products in AVX-512 IFMA, for each count of digits: from the compiled code (long_lanes.py).

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import random
import struct

import z3

from facts import Facts
from lanes import LANES, LINE
from lane_values import FACTOR, Value, ZERO
from long_lanes import LongLanes
from long_numbers import follows
from long_rows import RowLanes
from machine import Address, NotRead, Word, WORD
from polynomial import Poly
from ranges import stated

MODULE = r"15KeyboardRSAIFMA"


def digits_of(number, count):
    return [number >> 52 * place & FACTOR - 1 for place in range(count)]


def number_of(digits):
    return sum((value.poly * (1 << 52 * place) for place, value in enumerate(digits)), Poly())


class Run:
    """What a theorem's readings have in common: the instructions that were run, and those that never changed
    anything."""

    def __init__(self):
        self.taken, self.active = set(), set()

    @property
    def idle(self):
        return self.taken - self.active


class LongProduct:
    """result·R = x·y + m·n for an m below R, if `factor` is -1/n modulo 2^52."""

    samples_each, samples_of_modulus, reader = 2 * LANES, LANES, LongLanes

    def __init__(self, title, symbol, file, declaration, counts, few):
        self.title, self.symbol, self.counts, self.few = title, symbol, counts, few
        self.below = self.stated = stated("KeyboardRSA/IFMA/" + file, declaration)
        self.answers = {}

    def wrong_ranges(self):
        return [("x", "4n"), ("4n", "2·R"), ("result", "n")]

    def prove(self, function):
        """Returns why it is not proved or None, and what was run. What is planted is tried with few counts."""
        run, is_planted = Run(), function.changed or self.below is not self.stated
        for count in self.few if is_planted else self.counts:
            facts = Facts()
            machine = self.reader(function, facts, self.lane_count, ("result", "multiples"))
            try:
                problem = self.prove_for(machine, count)
                if not problem and not facts.hold_in_samples():
                    problem = "a sample does not fit the facts"
            except (NotRead, KeyError, ValueError) as error:
                problem = str(error)
            run.taken |= machine.taken
            run.active |= machine.active
            if problem:
                return "of %d: %s" % (count, problem), run
        return None, run

    # ---- What is given

    def drawn(self, count, name=""):
        """For each sample: x, y, n and the factor."""
        draw, r = random.Random("%s %d %s" % (self.title, count, name)), 1 << 52 * count
        for sample in range(self.samples_each):
            if sample % self.samples_of_modulus == 0:
                n = r // 4 - 1 if sample == 0 else draw.randrange(r // 8, r // 4) | 1
                factor = -pow(n, -1, FACTOR) % FACTOR + (draw.randrange(WORD) >> 52 << 52)
            ends = {0: (0, 0), 1: (2 * n - 1, 2 * n - 1), 2: (1, n), 3: (n, 2 * n - 1)}
            x, y = ends.get(sample % LANES, (draw.randrange(2 * n), draw.randrange(2 * n)))
            yield {"x": x, "y": x if self.is_square else y, "n": n, "factor": factor}

    is_square = False

    def digits(self, facts, name, numbers, count):
        """A number's digits as variables."""
        found = []
        for place in range(count):
            variable = facts.input("%s%d" % (name, place), [number >> 52 * place & FACTOR - 1 for number in numbers])
            facts.bounds["%s%d" % (name, place)] = FACTOR - 1
            found.append(Value(variable, 0, FACTOR - 1))
        return found

    def factor_of(self, machine, lowest, drawn, side=""):
        """A word whose low 52 bits are -1/n. Returns its value."""
        facts = machine.facts
        low = facts.input("f" + side, [sample["factor"] % FACTOR for sample in drawn])
        above = facts.input("g" + side, [sample["factor"] >> 52 for sample in drawn])
        facts.bounds.update({"f" + side: FACTOR - 1, "g" + side: WORD // FACTOR - 1})
        factor, (name,) = low + above * FACTOR, next(iter(lowest.poly))
        facts.splits[52, tuple(sorted(factor.items()))] = Value(above, 0, WORD // FACTOR - 1), Value(low, 0, FACTOR - 1)
        multiple = facts.quotient("i", low * lowest.poly + Poly.constant(1), FACTOR, FACTOR)
        facts.add(low * lowest.poly + Poly.constant(1) - multiple * FACTOR, 0, 0)
        machine.montgomery(Value(low, 0, FACTOR - 1), lowest,
                           (("f" + side, name), multiple * FACTOR - Poly.constant(1)))
        return factor

    # ---- What is shown

    def check(self, machine, given, result, multiples, count):
        r, end = 1 << 52 * count, 1 << 52 * len(result)
        if any(value.low < 0 or value.high >= FACTOR for value in (*result, *multiples)):
            return "a digit may have more than 52 bits"
        product = number_of(given["x"]) * number_of(given["y"])
        rest = machine.whole(product + number_of(multiples) * number_of(given["n"]) - number_of(result) * r)
        # What is left is what the highest digit carries.
        if not rest.is_multiple(r * end) or (rest // (r * end)).range(machine.facts.bounds)[0] < 0:
            return "the digits are not those of x·y and of a multiple of n"
        return self.is_in_range(r, end)

    def is_in_range(self, r, end_of_digits):
        """From the equation: nothing is carried out of the highest digit, and the result is below its range."""
        x, y, n, m, result, carry = z3.Reals("x y n m result carry")
        ends = {"n": n, "2n": 2 * n, "4n": 4 * n, "R": r, "2·R": 2 * r}
        end = {name: ends[text] for name, text in self.below.items()}
        product, multiple = z3.Reals("product multiple")
        known = [result * r + carry * r * end_of_digits == product + multiple, 1 <= n, 4 * n <= end["4n"], 0 <= product,
                 product <= (end["x"] - 1) * (end["y"] - 1), 0 <= multiple, multiple <= (r - 1) * n, 0 <= result,
                 result <= end_of_digits - 1, 0 <= carry]
        if not follows(carry < 1, *known):
            return "it may carry out of the highest digit"
        return None if follows(result < end["result"], *known) else "the result may be too large"


class EightProducts(LongProduct):
    lane_count = 1

    def __init__(self, title, is_square):
        super().__init__(title, MODULE + "13EightProductsV8multiply__4into8isSquare", "EightProducts.swift",
                         "func multiply(", range(1, 21), (3, 1))
        self.is_square = is_square

    def prove_for(self, machine, groups):
        count, facts = 4 * groups, machine.facts
        drawn = list(self.drawn(count))
        given = {name: self.digits(facts, name, [sample[name] for sample in drawn], count)
                 for name in ("xn" if self.is_square else "xyn")}
        factor = self.factor_of(machine, given["n"][0], drawn)
        if self.is_square:
            given["y"] = given["x"]
        machine.overlaps = ("x", "y")
        for place in range(count):
            machine.words["n", 8 * place] = given["n"][place]
            for name in "xy"[:2 - self.is_square]:
                machine.places[name, LINE * place] = [given[name][place]]
        registers = {"rdi": Address("x", 0), "rsi": Address("x" if self.is_square else "y", 0),
                     "rdx": Address("result", 0), "rcx": machine.constant(int(self.is_square)), "r8": Address("n", 0),
                     "r9": Word(factor)}
        machine.registers.update(registers)
        machine.memory["stack", 0], machine.memory["stack", 8] = Address("multiples", 0), machine.constant(groups)
        machine.run(machine.function.first)
        result, multiples = ([machine.places[name, LINE * place][0] for place in range(count)]
                             for name in ("result", "multiples"))
        self.answers[groups] = [(given, sum(value.poly.value(sample) << 52 * place
                                            for place, value in enumerate(result)))
                                for given, sample in zip(drawn, facts.samples)]
        return self.check(machine, given, result, multiples, count)

    def compare(self, own, _):
        """Calls the function with eight samples at a time; z is x, y or another place."""
        compared = 0
        for groups, answers in self.answers.items():
            count = 4 * groups
            for start in range(0, len(answers), LANES):
                some = answers[start:start + LANES]
                places = {name: Memory(LINE * count) for name in ("x", "y", "z", "multiples")}
                n = Memory(8 * count)
                for name in "xy":
                    for lane, (given, _) in enumerate(some):
                        for place, digit in enumerate(digits_of(given[name], count)):
                            struct.pack_into("<Q", *places[name].at(LINE * place + 8 * lane), digit)
                for place, digit in enumerate(digits_of(some[0][0]["n"], count)):
                    struct.pack_into("<Q", *n.at(8 * place), digit)
                to = places["zxy"[(groups + start // LANES) % 3]]
                words = [places["x"].address, places["x" if self.is_square else "y"].address, to.address,
                         int(self.is_square), n.address, some[0][0]["factor"], places["multiples"].address, groups]
                own.function(*map(ctypes.c_uint64, words))
                for lane, (given, wanted) in enumerate(some):
                    found = sum(struct.unpack_from("<Q", *to.at(LINE * place + 8 * lane))[0] << 52 * place
                                for place in range(count))
                    assert found == wanted, "%s of %s: read as %x, computed as %x" % (
                        self.title, given, wanted, found)
                    assert found < 2 * given["n"] and (found << 52 * count) % given["n"] == (
                        given["x"] * given["y"] % given["n"])
                compared += len(some)
        return compared


class TwoProducts(LongProduct):
    """Two products side by side, each of its own modulus: the digits of a number are in the lanes of registers."""

    lane_count, samples_each, samples_of_modulus, reader = LANES, 6, 3, RowLanes

    def __init__(self, most, lanes, counts, few):
        super().__init__("RSA, two side by side, up to %d digits: x·y/R modulo n" % most,
                         MODULE + r"9TwoPowersV10multiply%d33_" % most, "TwoPowers.swift",
                         "private func multiply(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into", counts, few)
        self.digits_stored, self.size = lanes, -(-lanes // LANES) * LINE

    @staticmethod
    def also_changed(instruction):
        """Bugs where masks become carries."""
        name, operands = instruction.name, instruction.operands
        if name in ("add", "or", "xor") and operands[0][0] == "%" and (name == "add" or operands[0] != operands[1]):
            yield "left out", instruction._replace(name="nop", operands=[])
        if name in ("vpcmpgtq", "vpcmpeqq"):
            yield "another comparison", instruction._replace(name="vpcmpeqq" if name == "vpcmpgtq" else "vpcmpgtq")
        if name == "shr":
            yield "another constant", instruction._replace(operands=["$0x7", operands[1]])
        if name == "lea" and operands[0].endswith(",2)"):
            yield "another constant", instruction._replace(operands=[operands[0].replace(",2)", ",1)"), operands[1]])

    def prove_for(self, machine, count):
        facts, sides, size = machine.facts, [], self.size
        drawn = [list(self.drawn(count, side)) for side in "ab"]
        for side, samples, start in zip("ab", drawn, (0, size)):
            given = {name: self.digits(facts, name + side, [sample[name] for sample in samples], count)
                     for name in "xyn"}
            # Digits of x and n from `count` on are 0, because both are below R.
            for name, base, first in (("x", "x", start), ("n", "m", LINE + start)):
                values = given[name] + [ZERO] * (size // 8 - count)
                for place in range(0, size // 8, LANES):
                    machine.places[base, first + 8 * place] = values[place:place + LANES]
            for place, value in enumerate(given["y"]):
                machine.words["y", start + 8 * place] = value
                machine.memory["y", start + 8 * place] = Word(value.poly, FACTOR - 1)
            factor = self.factor_of(machine, given["n"][0], samples, side)
            machine.words["m", 8 * len(sides)] = Value(factor, 0, WORD - 1)
            sides.append(given)
        machine.overlaps = ("x", "y")
        for register, base in {"rdi": "x", "rsi": "y", "rdx": "result", "rcx": "m"}.items():
            machine.registers[register] = Address(base, 0)
        machine.registers["r8"] = machine.constant(count)
        machine.run(machine.function.first)
        if len(machine.multiples) != 2 * count:
            return "it has another count of steps"
        results = [[value for place in range(0, size, LINE) for value in machine.places["result", start + place]]
                   for start in (0, size)]
        self.answers[count] = [
            ([given[place] for given in drawn],
             [sum(value.poly.value(sample) << 52 * digit for digit, value in enumerate(result)) for result in results])
            for place, sample in enumerate(facts.samples)]
        for side, (given, result) in enumerate(zip(sides, results)):
            if any(value.low or value.high for value in result[self.digits_stored:]):
                return "a digit above the highest may not be 0"
            problem = self.check(machine, given, result[:self.digits_stored], machine.multiples[side::2], count)
            if problem:
                return problem
        return None

    def compare(self, own, _):
        """Calls the function with each sample; z is x, y or another place."""
        compared, size = 0, self.size
        for count, answers in self.answers.items():
            for place, (sides, wanted) in enumerate(answers):
                places = {name: Memory(2 * size) for name in "xyz"}
                places["m"] = Memory(LINE + 2 * size)
                for side, given in enumerate(sides):
                    for name, first in (("x", 0), ("y", 0), ("n", LINE)):
                        for digit, word in enumerate(digits_of(given[name], count)):
                            struct.pack_into("<Q", *places["m" if name == "n" else name].at(
                                first + side * size + 8 * digit), word)
                    struct.pack_into("<Q", *places["m"].at(8 * side), given["factor"])
                to = places["zxy"[place % 3]]
                words = [places["x"].address, places["y"].address, to.address, places["m"].address, count]
                own.function(*map(ctypes.c_uint64, words))
                found = [sum(struct.unpack_from("<Q", *to.at(side * size + 8 * digit))[0] << 52 * digit
                             for digit in range(size // 8)) for side in (0, 1)]
                assert found == wanted, "%s of %s: read as %s, computed as %s" % (self.title, sides, wanted, found)
                for given, value in zip(sides, found):
                    n = given["n"]
                    assert value < 2 * n and (value << 52 * count) % n == given["x"] * given["y"] % n
                compared += 1
        return compared


class Memory:
    """Bytes that begin at a multiple of 64."""

    def __init__(self, size):
        self.bytes = ctypes.create_string_buffer(size + LINE)
        self.first = -ctypes.addressof(self.bytes) % LINE
        self.address = ctypes.addressof(self.bytes) + self.first

    def at(self, offset):
        return self.bytes, self.first + offset


def long_product_theorems():
    yield EightProducts("RSA, eight side by side: x·y/R modulo n", False)
    yield EightProducts("RSA, eight side by side: x²/R modulo n", True)
    yield TwoProducts(20, 20, range(1, 21), (18,))
    yield TwoProducts(32, 32, range(21, 33), (26,))
    yield TwoProducts(40, 40, range(33, 41), (34,))
