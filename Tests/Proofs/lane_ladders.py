"""Proves the steps of X25519's ladders in AVX-512 IFMA, for all inputs, from the compiled loops.

Where the loop begins, what it has computed is forgotten but for its range: each limb becomes a variable. The ranges are
those that come back after a round, so a round shows all others. The products are compiled into the loop: carried limbs
become variables on the way, five of them are a number, and what is left at the end is a polynomial of numbers.

SPDX-License-Identifier: Apache-2.0
"""

import random

from facts import Facts
from known import CHANGED
from lane_fields import BOUNDS, EDWARDS, FULL, LIMBS
from lane_limbs import BITS, Carried, modulo, number
from lane_values import Value
from lanes import LANES, LINE
from machine import Address, NotRead
from polynomial import Poly
from ranges import stated
from theorems import P25519

CURVE = 121665  # (A - 2)/4


# ---- What a step of RFC 7748 is

def step(x1, x2, z2, x3, z3):
    a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
    aa, bb, da, cb = a * a, b * b, d * a, c * b
    e = aa - bb
    return aa * bb, e * (aa + e * CURVE), (da + cb) * (da + cb), x1 * (da - cb) * (da - cb)


def multiplied(scalar, u):
    """X25519 without the clamping of its scalar, by RFC 7748."""
    x2, z2, x3, z3, last = 1, 0, u, 1, 0
    for position in range(254, -1, -1):
        bit = scalar >> position & 1
        if bit != last:
            x2, z2, x3, z3 = x3, z3, x2, z2
        last = bit
        x2, z2, x3, z3 = (value % P25519 for value in step(u, x2, z2, x3, z3))
    return x2 * pow(z2, -1, P25519) % P25519


class Taken(Exception):
    """All that was wanted was read."""


def content(machine):
    """What is in each register and on the stack."""
    found = {place: lanes for place, lanes in machine.lanes.items() if isinstance(lanes, list)}
    found.update((place, lanes) for place, lanes in machine.places.items() if place[0] == "stack")
    return {place: lanes for place, lanes in found.items() if all(isinstance(value, Value) for value in lanes)}


def differ(some, others):
    return any(one.poly != other.poly for one, other in zip(some, others))


class Ladder:
    """- `count`: lanes that are read.
    - `scales`: how often the coordinates of both points are those of RFC 7748.

    Of each class: `pairs` are the lanes that hold the same limbs, and `halves` the points, by how their names end.
    """

    # Bits of the scalar from 254 on: rounds that exchange, and rounds that do not.
    words = (0, 0, 0, 0b110011001 << 54)

    def __init__(self, title, symbol, source, count, scales):
        self.title, self.symbol, self.count, self.scales = title, FULL + symbol, count, scales
        texts = stated("KeyboardCurves/IFMA/" + source[0], source[1])
        self.below = {name: BOUNDS[text] for name, text in texts.items()}

    # ---- The processor

    ROUNDS = 16

    def compare(self, own, function):
        """Multiplies drawn points by drawn scalars. Returns how many results are right: all must be."""
        draw, compared = random.Random(self.title), 0
        for _ in range(self.ROUNDS):
            scalar, us = draw.getrandbits(256), [draw.getrandbits(255) % P25519 for _ in range(LANES)]
            clamped = scalar & (1 << 255) - 8 | 1 << 254
            for base in ("scalar", "numbers", "u", "output"):
                own.place(base, 1)
            own.places["scalar"].raw = scalar.to_bytes(32, "little") + own.places["scalar"].raw[32:]
            found = self.call(own, us)
            assert found == [multiplied(clamped, u) for u in us[:len(found)]], "%s: another point" % self.title
            compared += len(found)
        return compared

    def wrong_ranges(self):
        return [(name, 1 << 53 if name == "u" else below // 2) for name, below in self.below.items()]

    def prove(self, function):
        """Returns why it is not proved or None, and the machine that read it."""
        self.arrivals, self.ranges, self.stable, self.previous = 0, {}, set(), 0
        scout = self.begin(function)
        try:
            scout.find_head(function.first)
            self.head, self.exit = scout.head, scout.exit
            machine = self.begin(function)
            machine.on_arrival[self.head] = self.arrive
            machine.run(function.first)
        except (NotRead, KeyError, ValueError) as problem:
            return str(problem), scout
        return None if self.stable == {0, 1} else "the loop ends", machine

    def next_exchange(self):
        position = 254 - self.rounds
        bit = self.words[position // 64] >> position % 64 & 1
        self.rounds, self.previous, self.exchange = self.rounds + 1, bit, bit ^ self.previous

    def arrive(self, machine):
        """At the loop's head."""
        now, self.arrivals = content(machine), self.arrivals + 1
        if self.arrivals == 1:
            self.first, self.rounds = now, 0
            machine.watch()
            if machine.is_lenient:
                machine.taken.clear()
        elif self.arrivals == 2:
            self.constants = {place: lanes for place, lanes in now.items()
                              if place in self.first and not differ(lanes, self.first[place])}
            self.state = [place for place in machine.read_first if place in self.first and place in now
                          and place not in self.constants]
            self.forget(machine, now, self.first)
            self.name_places(machine)
            machine.neighbours, machine.is_lenient = {}, False
        else:
            if self.arrivals == 3:
                self.name_others(machine)
                self.check_start(self.first)
            self.check_round(machine, now)
            # What was shown with narrower ranges is shown again.
            self.stable = set() if self.forget(machine, now) else self.stable | {self.exchange}
            if self.stable == {0, 1}:
                self.check_ranges()
                return True
        self.next_exchange()
        return False

    def forget(self, machine, *contents):
        """Only variables and constants are left. Returns whether a range has become wider."""
        wider = False
        kept = {place: lanes for place, lanes in self.constants.items()
                if place in contents[0] and not differ(lanes, contents[0][place])}
        if len(kept) < len(self.constants):
            raise NotRead("a constant has changed")
        for place in self.state:
            lanes = [None] * self.count
            for pair in self.pairs():
                for some in contents:
                    if any(some[place][lane].poly != some[place][pair[0]].poly for lane in pair):
                        raise NotRead("two lanes should be the same")
                    low, high = self.ranges.get((place, pair), (some[place][pair[0]].low, some[place][pair[0]].high))
                    new = min(low, some[place][pair[0]].low), max(high, some[place][pair[0]].high)
                    wider |= (place, pair) in self.ranges and new != (low, high)
                    self.ranges[place, pair] = new
                for lane in pair:
                    lanes[lane] = Value(Poly.variable("s%s %d" % (place, pair[0])), *self.ranges[place, pair])
            kept[place] = lanes
        own = {place: lanes for place, lanes in machine.places.items() if place[0] != "stack"}
        machine.lanes = {place: lanes for place, lanes in kept.items() if not isinstance(place, tuple)}
        machine.places = {**own, **{place: lanes for place, lanes in kept.items() if isinstance(place, tuple)}}
        machine.forget_limbs()
        return wider

    def leave(self, machine):
        """A machine that leaves the loop with the variables that `machine` has."""
        last = self.begin(machine.function)
        last.registers, last.memory = dict(machine.registers), dict(machine.memory)
        last.lanes, last.places = dict(machine.lanes), dict(machine.places)
        self.variables = {place: content(machine)[place] for place in self.state}
        return last

    def made_from(self, last, limbs):
        """The places of the limbs that five carried ones were made from, and the lanes."""
        if any(limb.low < 0 or limb.high >= self.below["result"] for limb in limbs):
            raise NotRead("the result may be too large")
        where = {name: (place, pair[0]) for place, lanes in self.variables.items() for pair in self.pairs()
                 for (name,) in lanes[pair[0]].poly}
        for carried, wholes in last.groups():
            if [limb.poly for limb in carried] == [limb.poly for limb in limbs]:
                return [where[name] for whole in wholes for (name,) in whole.poly]
        raise NotRead("the result is not carried")

    def name_others(self, machine):
        """Finds out where other coordinates are, after a round."""

    # ---- Numbers

    def limbs(self, some, name):
        return [some[place][lane] for place, lane in self.named[name]]

    def check_start(self, first):
        """Before the first round: infinity, and u."""
        for which in self.halves():
            wanted = {"x2": 1, "z2": 0, "z3": 1}
            for name, value in wanted.items():
                if modulo(number(self.limbs(first, name + which)) - Poly.constant(value)):
                    raise NotRead("%s begins with another number" % name)
            if modulo(number(self.limbs(first, "x3" + which)) - number(self.u(which))):
                raise NotRead("x3 begins with another number")

    def check_round(self, machine, now):
        names = ("x2", "z2", "x3", "z3")
        given = [Poly.variable(name.upper()) for name in names]
        x1 = Poly.variable("X1")
        wanted = step(x1, *(given[2:] + given[:2] if self.exchange else given))
        for which in self.halves():
            inputs = [(self.limbs(self.variables, name + which), value) for name, value in zip(names, given)]
            resolve = machine.resolver(inputs + [(self.u(which), x1)])
            for place, name in enumerate(names):
                scale = self.scales[place // 2]
                if resolve(number(self.limbs(now, name + which))) != modulo(wanted[place] * scale):
                    raise NotRead("%s is another number" % name)

    def check_ranges(self):
        """The ranges with which all was shown are those that are stated."""
        for name, limbs in self.named.items():
            for place, lane in limbs:
                low, high = next(self.ranges[place, pair] for pair in self.pairs() if lane in pair)
                if low < 0 or high >= self.below[name[0]]:
                    raise NotRead("%s may be too large" % name)


class TwoLadders(Ladder):
    """Both ladders of `ladders`: x2, x2, x3, x3 are in one register, for each of two points."""

    def pairs(self):
        return [(lane, lane + 1) for lane in range(0, LANES, 2)]

    @staticmethod
    def halves():
        return ("", " of the other")

    def call(self, own, us):
        words = [[0] * LANES for _ in range(LIMBS)]
        words[0][1] = words[0][5] = 2 * CURVE + 1
        for limb in range(LIMBS):
            words[limb][3], words[limb][7] = (u >> BITS * limb & (1 << BITS) - 1 for u in us[:2])
            for lane in range(LANES):
                own.put("numbers", 0, limb, lane, words[limb][lane])
        own.call({"rdi": "scalar", "rsi": "numbers", "rdx": 1})
        values = [sum(word << BITS * limb for limb, word in enumerate(own.get("numbers", 0, lane)))
                  for lane in range(LANES)]
        return [values[start] * pow(values[start + 1], -1, P25519) % P25519 for start in (0, 4)]

    def compare(self, own, function):
        """Reads the whole function with known numbers, too: each word that it leaves is the processor's."""
        compared = super().compare(own, function)
        self.call(own, [9, P25519 - 2])
        machine = self.begin(function)
        for place in range(4):
            word = int.from_bytes(own.places["scalar"].raw[8 * place:8 * place + 8], "little")
            machine.memory["scalar", 8 * place] = machine.constant(word)
        for limb in range(LIMBS):
            lanes = machine.places["numbers", LINE * limb]
            for lane, u in ((3, 9), (7, P25519 - 2)):
                word = u >> BITS * limb & (1 << BITS) - 1
                lanes[lane] = Value(Poly.constant(word), word, word)
        machine.run(function.first)
        for limb in range(LIMBS):
            for lane in range(LANES):
                assert machine.places["numbers", LINE * limb][lane].low == own.get("numbers", 0, lane)[limb], (
                    "%s: a word is read in another way" % self.title)
        return compared + LIMBS * LANES

    def begin(self, function):
        machine = Carried(function, Facts(), LANES, ("numbers",))
        for register, base in (("rdi", "scalar"), ("rsi", "numbers")):
            machine.registers[register] = Address(base, 0)
        machine.registers["rdx"] = machine.constant(1)
        for place, word in enumerate(self.words):
            machine.memory["scalar", 8 * place] = machine.constant(word)
        for limb in range(LIMBS):
            lanes = [Value(Poly(), 0, 0)] * LANES
            if not limb:
                lanes[1] = lanes[5] = Value(Poly.constant(2 * CURVE + 1), 2 * CURVE + 1, 2 * CURVE + 1)
            for lane in (3, 7):
                lanes[lane] = Value(Poly.variable("u%d %d" % (limb, lane)), 0, self.below["u"] - 1)
            machine.places["numbers", LINE * limb] = lanes
        return machine

    def u(self, which):
        return [Value(Poly.variable("u%d %d" % (limb, 7 if which else 3)), 0, self.below["u"] - 1)
                for limb in range(LIMBS)]

    def name_places(self, machine):
        """Finds out where the coordinates are, from what the function leaves when the loop ends: in words 0 and 1."""
        last, self.named = self.leave(machine), {}
        last.run(self.exit)
        machine.taken |= last.taken
        for start, which in zip((0, 4), self.halves()):
            for lane, name in ((start, "x"), (start + 1, "z")):
                places = self.made_from(last, [last.places["numbers", LINE * limb][lane] for limb in range(LIMBS)])
                if any(of != start for _, of in places):
                    raise NotRead("%s is of another point" % name)
                self.named[name + "2" + which] = places
                self.named[name + "3" + which] = [(place, start + 2) for place, _ in places]


class EightLadders(Ladder):
    """`x25519`: the same in all lanes. What reads u is not known here: only that a mask leaves 51 bits of each limb."""

    def pairs(self):
        return [(0,)]

    @staticmethod
    def halves():
        return ("",)

    def call(self, own, us):
        own.places["u"].raw = b"".join(u.to_bytes(32, "little") for u in us) + own.places["u"].raw[256:]
        own.call({"rdi": "scalar", "rsi": "u", "rdx": "output", "rcx": 32, "r8": LANES, "r9": 1})
        output = own.places["output"].raw
        return [int.from_bytes(output[32 * lane:32 * lane + 32], "little") for lane in range(LANES)]

    def begin(self, function):
        machine = Carried(function, Facts(), 1, ("output",))
        machine.is_lenient = True
        for register, base in (("rdi", "scalar"), ("rsi", "u"), ("rdx", "output")):
            machine.registers[register] = Address(base, 0)
        for register, value in (("rcx", 32), ("r8", LANES), ("r9", 1)):
            machine.registers[register] = machine.constant(value)
        for place, word in enumerate(self.words):
            machine.memory["scalar", 8 * place] = machine.constant(word)
        return machine

    def u(self, which):
        return self.limbs(self.first, "x3" + which)

    def name_places(self, machine):
        """What the loop leaves is carried: z2 is inverted, and multiplied by x2."""
        last, found, image = self.leave(machine), [], machine.function.image

        def take(register, is_last):
            """What a function of the field takes: its `self`, which becomes anything, or another number."""
            def run(last):
                inverse, place = last.registers.get("r13"), last.registers.get(register)
                if not isinstance(place, Address) or not isinstance(inverse, Address) or (
                        found and (inverse.base, inverse.offset) != found[0][0]):
                    raise NotRead("not a number's address")
                limbs = [last.places[place.base, place.offset + LINE * limb][0] for limb in range(LIMBS)]
                found.append(((inverse.base, inverse.offset), self.made_from(last, limbs)))
                for limb in range(LIMBS):
                    last.places.pop((inverse.base, inverse.offset + LINE * limb), None)
                last.lanes.clear()
                for name in CHANGED:
                    last.registers.pop(name, None)
                if is_last:
                    raise Taken
            return run

        last.stands_for = {image.addresses[image.symbol(EDWARDS + "6invertyyF$")]: take("r13", False),
                           image.addresses[image.symbol(EDWARDS + "8multiply2byyAC_tF$")]: take("rdi", True)}
        try:
            last.run(self.exit)
        except Taken:
            pass
        machine.taken |= last.taken
        self.named = {name: places for name, (_, places) in zip(("z2", "x2"), found)}

    def name_others(self, machine):
        """x3 and z3 are what x2 and z2 are exchanged with."""
        variables = {name: place for place, (lane,) in self.variables.items() for (name,) in lane.poly}
        for name in "xz":
            limbs = self.limbs(self.variables, name + "2")
            self.named[name + "3"] = [(variables[machine.neighbours[part]], 0) for limb in limbs
                                      for (part,) in limb.poly]


def ladder_theorems():
    yield TwoLadders("X25519, two ladders in IFMA: a step", r"0bC0O7ladders__3one",
                     ("X25519Ladders.swift", "static func ladders("), LANES, (4, 2))
    yield EightLadders("X25519, eight ladders in IFMA: a step", r"0bC0O6x25519__4into",
                       ("X25519x8.swift", "public static func x25519("), 1, (1, 1))
