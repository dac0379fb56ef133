"""Proves inversions, for all inputs: x^(p - 2) modulo the primes and orders of P-256, SM2 and ristretto255, where a
product is what its theorem says; and RSA's -1/n modulo a word, as polynomials.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import random
import re

from followed import Followed
from known import Known, Part
from machine import Address, NotRead, WORD
from processor import call_swift
from ranges import ranges
from theorems import ORDER25519, P256, P256_ORDER, R, SM2, SM2_ORDER

CURVES = r"14KeyboardCurves"
SCALARS = CURVES + r"10AnyModulusO16productOfScalars33_\w+LLyAA5LimbsVAG_AGtF$"
INVERTED = CURVES + r"7ElementV\w+8invertedACyAEGyF$"


class Inverse(Followed):
    """R·x becomes R·x^(p - 2), for one of the five primes."""

    symbol = INVERTED

    def __init__(self, index, prime, name):
        self.index, self.prime, self.title = index, prime, "%s: x^(p - 2)" % name
        assert ranges("Element.swift", "func inverted() -> Self", prime) == {"x": prime, "result": prime}

    def power(self, words):
        """The power whose four words these are. R²·1/R is the power 0."""
        if all(isinstance(word, int) for word in words):
            return sum(word << 64 * place for place, word in enumerate(words))
        return Part(Part.value_of(words), 0)

    def give(self, machine, one, other):
        if isinstance(one, int) and isinstance(other, int):
            if other >= self.prime or one * other * pow(R, -1, self.prime) % self.prime != R % self.prime:
                raise NotRead("another constant than R² is multiplied by 1")
            exponent = 0
        elif isinstance(one, int) or isinstance(other, int):
            raise NotRead("a power is multiplied by a constant")
        else:
            exponent = one.value + other.value
        machine.give(exponent)

    def product(self, is_square, indices):
        def run(machine):
            top, one = machine.registers["rsp"], self.power(machine.first())
            other = one if is_square else self.power(machine.second())
            if self.index not in indices or len(indices) > 1 and machine.load(top.moved(16), 1) != self.index:
                raise NotRead("a product modulo another number")
            self.give(machine, one, other)
        return run

    def machine(self, function):
        image = function.image
        stands_for = {image.addresses[image.symbol(SCALARS)]: self.product(False, (1, 3, 4))}
        for index, curve in ((0, "0C4P256V"), (2, "0C3SM2V")):
            for kind, ending in (("product", "AF_AFtFAA%s_Tg5Tf4nnd_n$"), ("square", "AFFAA%s_Tg5Tf4nd_n$")):
                symbol = image.symbol(CURVES + "5FieldPAAE%d%syAA5LimbsV" % (len(kind), kind) + ending % curve)
                stands_for[image.addresses[symbol]] = self.product(kind == "square", (index,))
        machine = Known(function, ("result",), stands_for)
        machine.registers.update(rax=Address("result", 0), r13=Address("self", 0))
        machine.before["r13"] = machine.registers["r13"]
        for place in range(4):
            machine.memory["self", 8 * place] = Part(1, place), 8
        machine.memory["self", 32] = self.index, 1
        return machine

    def wrong(self, machine):
        power = self.power([machine.load(Address("result", 8 * place), 8) for place in range(4)])
        if not isinstance(power, Part) or power.value != self.prime - 2:
            return "it is another power"
        return None if machine.load(Address("result", 32), 1) == self.index else "it is of another prime"

    def compare(self, library, function):
        draw = random.Random(self.title)
        numbers = [0, 1, self.prime - 1] + [draw.randrange(self.prime) for _ in range(13)]
        for x in numbers:
            given = ctypes.create_string_buffer((x * R % self.prime).to_bytes(32, "little") + bytes([self.index]), 40)
            result = ctypes.create_string_buffer(40)
            call_swift(library, function, {"rax": ctypes.addressof(result)}, ctypes.addressof(given))
            found = int.from_bytes(result.raw[:32], "little")
            assert found == pow(x, self.prime - 2, self.prime) * R % self.prime, "%s of %d" % (self.title, x)
        return len(numbers)


# ---- -1/n modulo 2^64

class OfOdd:
    """A word as a polynomial in k, where n is 2·k + 1, modulo 2^64. Of a k, whichever, the word is the polynomial's
    value; so where no coefficient is left, it is 0 for each odd n."""

    def __init__(self, coefficients):
        self.coefficients = [coefficient % WORD for coefficient in coefficients]
        while self.coefficients and not self.coefficients[-1]:
            self.coefficients.pop()

    def plus(self, other, times=1):
        size = max(len(self.coefficients), len(other.coefficients))
        one, two = (value.coefficients + [0] * (size - len(value.coefficients)) for value in (self, other))
        return OfOdd([a + times * b for a, b in zip(one, two)])

    def times(self, other):
        result = [0] * (len(self.coefficients) + len(other.coefficients))
        for place, a in enumerate(self.coefficients):
            for step, b in enumerate(other.coefficients):
                result[place + step] += a * b
        return OfOdd(result)


class OddWords(Known):
    """The lowest word of n is n's."""

    def place(self, operand, target):
        match = re.fullmatch(r"(-?0x[0-9a-f]+)\((%\w+)\)", operand)
        word = self.registers.get(match[2][1:]) if match else None
        return word.plus(OfOdd([int(match[1], 16)])) if isinstance(word, OfOdd) else super().place(operand, target)

    def combined(self, name, source, other):
        one, two = (OfOdd([value]) if isinstance(value, int) else value for value in (source, other))
        if not isinstance(one, OfOdd) or not isinstance(two, OfOdd):
            raise NotRead("another word than of n")
        if name == "imul":
            return one.times(two)
        if name in ("add", "sub"):
            return two.plus(one, 1 if name == "add" else -1)
        raise NotRead("this instruction is not known")


class MinusInverse(Followed):
    """-1/n modulo 2^64 in rcx, for each odd n; the words' place and the count beside it."""

    title, symbol = "RSA: -1/n modulo a word", r"11KeyboardRSA7ModulusVyACSpys6UInt64VG_SitcfC$"
    count = object()

    def machine(self, function):
        machine = OddWords(function)
        machine.memory["words", 0] = OfOdd([1, 2]), 8
        machine.registers.update(rdi=Address("words", 0), rsi=self.count)
        return machine

    def wrong(self, machine):
        place = machine.word("rax")
        is_beside = (place.base, place.offset) == ("words", 0) and machine.word("rdx") is self.count
        return self.wrong_number(machine.word("rcx")) or (
            None if is_beside else "other words or another count is beside it")

    @staticmethod
    def wrong_number(inverse):
        if not isinstance(inverse, OfOdd) or inverse.times(OfOdd([1, 2])).plus(OfOdd([1])).coefficients:
            return "it is another number"
        return None

    def compare(self, library, function):
        words = ctypes.c_uint64()

        def found(n):
            words.value = n
            return call_swift(library, function, {"rdi": ctypes.addressof(words), "rsi": 4})
        return self.compare_numbers(found)

    def compare_numbers(self, found):
        draw = random.Random(self.title)
        numbers = [1, 3, WORD - 1, WORD // 2 + 1] + [draw.randrange(WORD) | 1 for _ in range(60)]
        for n in numbers:
            assert found(n) == -pow(n, -1, WORD) % WORD, "%s of %d" % (self.title, n)
        return len(numbers)


class MinusInverseOfDigits(MinusInverse):
    """The same where AVX-512 IFMA multiplies: n is in a register, and what is left is in another."""

    title, symbol = "RSA, IFMA: -1/n modulo a word", r"15KeyboardRSAIFMA12minusInverseys6UInt64VADF$"

    def machine(self, function):
        machine = OddWords(function)
        machine.registers["rdi"] = OfOdd([1, 2])
        return machine

    def wrong(self, machine):
        return self.wrong_number(machine.word("rax"))

    def compare(self, library, function):
        return self.compare_numbers(lambda n: call_swift(library, function, {"rdi": n}, result="rax"))


def inverse_theorems():
    for index, prime, name in ((0, P256, "P-256"), (1, P256_ORDER, "P-256's order"), (2, SM2, "SM2"),
                               (3, SM2_ORDER, "SM2's order"), (4, ORDER25519, "ristretto255's order")):
        yield Inverse(index, prime, name)
    yield MinusInverse()
    yield MinusInverseOfDigits()
