"""Proves the powers of the scalar field of X25519, for all inputs: a loop of squares, from one round to the next, and
the chains of squares and products that end with the inverse. A call in a chain is what its theorem says.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import random

from facts import Facts
from known import CHANGED, FIRST, Part, RESULT
from loops import Loops
from machine import Address, NotRead, Word
from theorems import number, P25519, R, Theorem, WORD

FIELD = r"10Field25519V"
SQUARES, SQUARE, PRODUCT = FIELD + r"7squaredyACSiF$", FIELD + r"7squaredACvg$", FIELD + r"1moiyA2C_ACtFZTf4nnd_n$"
POWER250, INVERTED = FIELD + r"8power250", FIELD + r"8invertedACyF$"


class Round(Loops):
    """A loop whose count is known. `arrive` is called where it begins."""

    def __init__(self, library, facts, arrive=None):
        super().__init__(library, facts, (), {})
        self.arrive, self.visited, self.head = arrive, set(), None

    def forget(self):
        """Nothing is forgotten at a jump."""

    def run(self, symbol, head=None):
        """Runs until the function returns, or to where the loop begins for the second time; `head` is then that."""
        function = self.library.function(symbol)
        addresses = [int(instruction.text.split(":")[0], 16) for instruction in function]
        place = 0
        while place < len(function):
            instruction = function[place]
            if place in self.visited:
                self.head = place
                return
            self.visited.add(place)
            if place == head:
                self.arrive(self)
            try:
                if instruction.name[0] == "j":
                    jumps = self.jumps(instruction.name[1:])
                    place = addresses.index(int(instruction.operands[0].split()[0], 16)) if jumps else place + 1
                    continue
                if self.step(instruction):
                    return
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
            place += 1

    def arithmetic(self, name, operands, target):
        if name == "dec":
            count = self.get_word(operands[0]).poly.number() - 1
            self.put(operands[0], self.constant(count))
            self.set_flag(None)
            self.compared = count % (1 << 64), False, False, False
        else:
            super().arithmetic(name, operands, target)

    def lea(self, operands):
        """A sum of two words changes no flag."""
        names = operands[0].strip("()").replace("%", "").split(",")
        words = [self.registers.get(name) for name in names[:2]]
        if names[2:] == ["1"] and all(isinstance(word, Word) and not word.poly.is_constant() for word in words):
            word, _ = self.word(words[0].poly + words[1].poly, 0, words[0].top + words[1].top, "c")
            self.put(operands[1], word)
            return False
        return super().lea(operands)


class Squares(Theorem):
    """x^(2^count): one round of the loop, from its beginning to its beginning, and to the end of the function."""

    def __init__(self):
        super().__init__("Field25519 x^(2^n), a round", SQUARES, ("Field25519.swift", "func squared(_ count"), P25519,
                         "mx", lambda x: x * x, mask=1)

    def prove(self, library):
        symbol = library.symbol(self.symbol)
        problem = self._square(library, lambda machine: machine.run(symbol), lambda machine: [
            machine.registers[name] for name in RESULT])
        if problem:
            return problem
        scout, _ = self._begin(library, 2, None)
        held = []
        scout.run(symbol)
        head = scout.head
        if head is None:
            return "there is no loop"
        finder, _ = self._begin(library, 2, lambda machine: held.append(dict(machine.registers)))
        finder.run(symbol, head)
        places = [[name for name, value in held[0].items() if isinstance(value, Word) and value.poly == word.poly]
                  for word in finder.registers_of_x]
        problem = "the numbers are in no registers"
        for chosen in itertools.product(*places):
            try:
                problem = self._round(library, symbol, head, chosen)
            except (NotRead, KeyError) as wrong:
                problem = str(wrong)
            if not problem:
                return None
        return problem

    def _begin(self, library, count, arrive):
        facts = Facts()
        machine = Round(library, facts, arrive)
        self.mask = count
        values = self._place(library, machine, facts)
        self.mask = 1
        machine.registers_of_x = [machine.registers[name] for name in ("rsi", "rdx", "rcx", "r8")]
        return machine, values

    def _square(self, library, run, result, count=1, arrive=None):
        machine, values = self._begin(library, count, arrive)
        run(machine)
        machine.facts.decides(machine.last_flag)
        words = result(machine)
        if not all(isinstance(word, Word) for word in words):
            return "the result is not a number"
        if count == 1:
            self._keep_samples(machine.facts, words)
        problem = self._congruent(machine.facts, number(words) - self.wanted(**values))
        if not problem and self.below["result"] < R and not machine.facts.is_at_most(
                number(words), self.below["result"] - 1):
            problem = "the result may be too large"
        return problem or (None if machine.facts.hold_in_samples() else "a sample does not fit the facts")

    def _round(self, library, symbol, head, chosen):
        """From one beginning of the loop to the next: only x, the count and the stack's address are there."""
        def arrive(machine):
            kept = {*chosen, "rdi", "rsp", "rbp"}
            machine.registers = {name: value for name, value in machine.registers.items() if name in kept}
            machine.memory = {place: value for place, value in machine.memory.items()
                              if not isinstance(value, Word) or value.poly.is_constant()}

        return self._square(library, lambda machine: machine.run(symbol, head), lambda machine: [
            machine.registers[name] for name in chosen], 2, arrive)


class Pairs(Loops):
    """Code that moves two words at a time, too."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pairs = {}

    def step(self, instruction):
        name, operands = instruction.name, instruction.operands
        if name not in ("movups", "movaps"):
            return super().step(instruction)
        for text in operands:
            if text[0] != "%":
                place = self.address(text, None)
                places = [(place.base, place.offset + 8 * half) for half in (0, 1)]
        if operands[0][0] == "%" and operands[1][0] != "%":
            if places[0][0] not in self.writable or operands[0] not in self.pairs:
                raise NotRead("writes to " + operands[1])
            self.memory.update(zip(places, self.pairs[operands[0]]))
        elif operands[1][0] == "%" and operands[0][0] != "%":
            self.pairs[operands[1]] = [self.memory.get(place) for place in places]
        else:
            raise NotRead("this instruction is not known")
        return False


class Chain(Pairs):
    """Code that calls squares and products, and moves the words of what they give."""

    def __init__(self, library):
        super().__init__(library, Facts(), ("powers",), {
            library.symbol(SQUARE): self.square, library.symbol(SQUARES): self.squares,
            library.symbol(PRODUCT): self.product, library.symbol(POWER250): self.power250})

    def take(self, *names):
        """The power of which these are the four words."""
        return Part.value_of([self.registers.get(name) for name in names])

    def give(self, exponent):
        for name in CHANGED:
            self.registers.pop(name, None)
        self.pairs.clear()
        self.set_flag(None)
        if exponent is not None:
            self.registers.update((name, Part(exponent, place)) for place, name in enumerate(RESULT))

    def square(self, _):
        self.give(2 * self.take(*FIRST))

    def squares(self, _):
        count = self.get_word("%rdi").poly.number()
        if not 1 <= count < 1 << 63:
            raise NotRead("it squares another number of times")
        self.give(self.take("rsi", "rdx", "rcx", "r8") << count)

    def product(self, _):
        top = self.registers["rsp"]
        last = [self.memory.get((top.base, top.offset + 8 * place)) for place in (0, 1)]
        other = Part.value_of([self.registers.get("r8"), self.registers.get("r9"), *last])
        self.give(self.take(*FIRST) + other)

    def power250(self, _):
        x, place = self.take(*FIRST), self.registers.get("rax")
        if not isinstance(place, Address) or place.base not in self.writable:
            raise NotRead("the result goes to another place")
        for start, exponent in ((0, x * ((1 << 250) - 1)), (4, x * 11)):
            for part in range(4):
                self.memory[place.base, place.offset + 8 * (start + part)] = Part(exponent, part)
        self.give(None)


class Power:
    """x to these powers: what is returned, or what is in memory where rax says. What is returned is compared with the
    processor modulo the prime."""

    below = {}

    def __init__(self, title, symbol, wanted):
        self.title, self.symbol, self.wanted, self.samples = title, symbol, wanted, []
        draw = random.Random(title)
        for x in [0, 1, P25519, R - 1] + [draw.randrange(R) for _ in range(12)] if len(wanted) == 1 else ():
            self.samples.append((split(x) + [0] * 15, split(pow(x, wanted[0], P25519))))

    @staticmethod
    def agrees(found, wanted):
        return joined(found) % P25519 == joined(wanted) % P25519

    @staticmethod
    def changed(instruction):
        """The bugs of one instruction: a call or a word that is left out, another count of squares."""
        name, operands = instruction.name, instruction.operands
        if name in ("call", "movups", "movaps") or name == "mov" and "%rsp" not in operands:
            yield "left out", None
        if name == "push" and operands[0][0] == "$":
            yield "another constant", instruction._replace(operands=["$0x%x" % (int(operands[0][1:], 16) ^ 1)])

    def prove(self, library):
        chain = Chain(library)
        chain.registers.update((name, Part(1, place)) for place, name in enumerate(FIRST))
        chain.registers["rax"] = Address("powers", 0)
        symbol = library.symbol(self.symbol)
        chain.stands_for.pop(symbol, None)
        chain.call(symbol)
        if len(self.wanted) == 1:
            found = [chain.take(*RESULT)]
        else:
            found = [Part.value_of([chain.memory.get(("powers", 8 * (4 * start + part))) for part in range(4)])
                     for start in range(len(self.wanted))]
        return None if found == self.wanted else "it is another power"


def split(value):
    return [value >> 64 * place & WORD - 1 for place in range(4)]


def joined(words):
    return sum(word << 64 * place for place, word in enumerate(words))


def power_theorems():
    yield Squares()
    yield Power("Field25519 x^(2^250 - 1) and x^11", POWER250, [(1 << 250) - 1, 11])
    yield Power("Field25519 x^(p - 2)", INVERTED, [P25519 - 2])
