"""Proves what lane_fields.py and lane_points.py say, compares it with the processor, and plants bugs. For prove.py.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import random
import re
import time

from image import Image
from lane_fields import field_theorems
from lane_ladders import ladder_theorems
from lane_points import point_theorems
from lanes import Function, MOVES
from listing import Instruction
from long_products import long_product_theorems
from processor import compare_lanes, has_ifma

SUMS = ("vpmadd52luq", "vpmadd52huq", "vpaddq", "vpsubq")
NOTHING = Instruction("nop", [], None, "nop")


def changed(instruction):
    """The bugs of one instruction: what is wrong, and the instruction, or None where it is left out."""
    name, operands = instruction.name, list(instruction.operands)
    if name in ("vpmadd52luq", "vpmadd52huq"):
        other = "vpmadd52huq" if name == "vpmadd52luq" else "vpmadd52luq"
        yield "the other half of a product", instruction._replace(name=other)
    if name in SUMS:
        yield "left out", None
        match = re.fullmatch(r"%([xyz])mm(\d+)", operands[1])
        yield "another register", instruction._replace(
            operands=[operands[0], "%%%smm%d" % (match[1], int(match[2]) ^ 1), operands[2]])
    if name in ("vpaddq", "vpsubq"):
        yield "a sum is a difference", instruction._replace(name="vpsubq" if name == "vpaddq" else "vpaddq")
    if name in ("vpsrlq", "vpsllq", "vprolq", "vpsraq") and operands[0][0] == "$":
        yield "another constant", instruction._replace(
            operands=["$0x%x" % (int(operands[0][1:], 16) ^ 4)] + operands[1:])
    if name in ("vpsllq", "vpsllvq") and operands[0][0] == "%":
        yield "left out", instruction._replace(name="vmovdqa64", operands=operands[1:])
    if name in ("vpermq", "vpshufd") and operands[0][0] == "$":
        yield "another order", instruction._replace(
            operands=["$0x%x" % {0x4e: 0x44, 0x44: 0xee, 0xa5: 0xa0}[int(operands[0][1:], 16)]] + operands[1:])
    if name == "valignq":
        yield "another order", instruction._replace(operands=["$0x%x" % (int(operands[0][1:], 16) ^ 3)] + operands[1:])
    if re.search(r"\{%k\d\}", operands[-1] if operands else ""):
        yield "other lanes", instruction._replace(
            operands=operands[:-1] + [re.sub(r"%k(\d)", lambda match: "%%k%d" % (int(match[1]) % 3 + 1), operands[-1])])
    if name == "vpternlogq" and operands[0] == "$0x60":
        yield "not exchanged", instruction._replace(name="vpxorq", operands=[operands[3]] * 3)
    if name == "vpandq" and operands[-1].startswith("%"):
        yield "not cut", instruction._replace(name="vmovdqa64", operands=[
            next(operand for operand in reversed(operands[:2]) if operand.startswith("%")), operands[2]])
    if name in MOVES and operands[0].startswith("%"):
        yield "not stored", None
    if name == "vpbroadcastq" and operands[0].endswith(",1)"):
        yield "another constant", instruction._replace(operands=[moved(operands[0], 8), operands[1]])
    # What calls others.
    if name == "call" and not re.search(r"fA\d?_>", instruction.text):  # those tell what is passed otherwise
        yield "left out", None
    if name == "mov" and re.fullmatch("%r([a-d]x|[sd]i|[89]|1.)", operands[0]) and operands[1] in ("%rdi", "%rcx"):
        yield "another number", instruction._replace(name="lea", operands=["0x140(%s)" % operands[0], operands[1]])
    if name in ("push", "mov") and operands[0][0] == "$":
        yield "another constant", instruction._replace(
            operands=["$0x%x" % (int(operands[0][1:], 16) ^ 1)] + operands[1:])


def bugs_of(theorem, instruction):
    yield from changed(instruction)
    yield from theorem.also_changed(instruction) if hasattr(theorem, "also_changed") else ()


def moved(operand, count):
    match = re.match(r"(-?0x[0-9a-f]+)?\(", operand)
    place = int(match[1] or "0", 16) + count
    return "%s0x%x(%s" % ("-" * (place < 0), abs(place), operand[match.end():])


def problem_with(theorem, function):
    return theorem.prove(function)[0]


def plant(theorems, function, taken, idle, count):
    """Bugs in what was run, of which at least one theorem must refuse each; and ranges that are wrong. `idle`: where
    0 is added, or nothing is left of a word: there a bug may change nothing."""
    refused = 0
    every = [(address, what, instruction) for address in sorted(taken)
             for what, instruction in bugs_of(theorems[0], function.instruction(address)[0]) if address not in idle]
    random.Random(function.symbol).shuffle(every)
    for address, what, instruction in every[:count]:
        old, following = function.instruction(address)
        function.changed = {address: (instruction or NOTHING, following)}
        if not any(problem_with(theorem, function) for theorem in theorems):
            raise SystemExit("%s is proved although %s: %s" % (theorems[0].title, old.text, what))
        refused += 1
    function.changed = {}
    for theorem in theorems:
        right = theorem.below
        for name, bound in theorem.wrong_ranges():
            theorem.below = dict(right, **{name: bound})
            if not problem_with(theorem, function):
                raise SystemExit("%s is proved for a wrong range of %s" % (theorem.title, name))
            refused += 1
        theorem.below = right
    return refused


def by_function(library, theorems, only):
    """The theorems with `only` in their title, by the symbol of the function that they are about."""
    those = collections.defaultdict(list)
    for theorem in theorems:
        if only in theorem.title:
            those[library.symbol(theorem.symbol)].append(theorem)
    return those


def prove_lanes(library, only, count, compiler):
    """Returns how many theorems, functions, bugs that were refused, and results that are the processor's."""
    those = by_function(
        library, [*field_theorems(), *point_theorems(), *ladder_theorems(), *long_product_theorems()], only)
    if not those:
        return 0, 0, 0, 0
    image, all_refused, compared = Image(library.path, compiler), 0, 0
    for symbol, theorems in those.items():
        function, taken, idle, times = Function(image, symbol), set(), set(), []
        own = set(function.own())
        for theorem in theorems:
            begin = time.monotonic()
            problem, machine = theorem.prove(function)
            if problem:
                raise SystemExit("%s is not proved: %s" % (theorem.title, problem))
            times.append(time.monotonic() - begin)
            idle = idle & machine.idle | machine.idle - taken
            taken |= machine.taken & own
        if has_ifma():
            compared += compare_lanes(library.path, theorems, function, symbol, compiler)
        else:
            print("%s: not compared with this processor, which has no IFMA" % theorems[0].title)
        refused = plant(theorems, function, taken, idle, count)
        all_refused += refused
        for theorem, seconds in zip(theorems, times):
            print("%-40s %3d instructions, hash %s, proved in %.1f s" % (
                theorem.title, len(own), library.hash(symbol), seconds))
        print("%40s %d planted bugs refused" % ("", refused), flush=True)
    return sum(map(len, those.values())), len(those), all_refused, compared
