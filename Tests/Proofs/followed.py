"""Theorems about what a function does with numbers whose words it only moves and passes on (known.py): what is proved
of each, compared with the processor, and planted bugs.

SPDX-License-Identifier: Apache-2.0
"""

import random
import re
import tempfile
import time

from image import Image
from lane_proofs import by_function
from lanes import Function
from listing import Instruction
from machine import NotRead
from processor import CALL, own_functions

NOTHING = Instruction("nop", [], None, "nop")


def changed(instruction, is_needed):
    """The bugs of one instruction: a call, a move or a sum that is left out, another number. Not one that changes
    nothing: where what a move writes is there already or is not read, and of the bits of %cl that no shift takes."""
    name, operands = instruction.name, instruction.operands
    if name in ("mov", "movzbl") and not is_needed or name == "and" and operands[-1] == "%cl":
        return
    of_stack = "%rsp" in operands or "%rbp" in operands[-1:]
    if name in ("call", "movups", "push", "pop", "imul", "and", "movzbl", "add", "adc", "sub", "sbb", "neg", "shl",
                "shr", "xorps") and (
            not of_stack) or name == "mov" and not of_stack and not operands[0].startswith("%fs"):
        yield "left out", NOTHING
    if name == "mov" and re.fullmatch(r"-?0x[0-9a-f]+\(%r(13|bx)\)", operands[0]):
        place, register = operands[0].split("(")
        yield "another word", instruction._replace(operands=["0x%x(%s" % (int(place, 16) ^ 8, register), operands[1]])
    if name in ("push", "mov", "and", "add", "imul", "shl", "cmp") and operands[0][0] == "$" and not of_stack:
        yield "another number", instruction._replace(
            operands=["$0x%x" % (int(operands[0][1:], 16) ^ 4)] + operands[1:])


class Followed:
    """A theorem about what a function leaves, whichever words it gets: `machine(function)` has what comes in, and
    `wrong(machine)` says what is wrong with what is left."""

    functions = ()  # patterns of those whose addresses it is given
    addresses = {}  # of these, in the library that is called

    def prove(self, function):
        """Returns why it is not proved or None, and the machine that read it."""
        machine = self.machine(function)
        try:
            machine.run(function.first)
            return self.wrong(machine) or (None if machine.leaves_registers() else "it leaves other registers"), machine
        except (NotRead, KeyError, ValueError, AttributeError, TypeError) as problem:
            return str(problem) or "it cannot be read", machine


def plant(theorems, function, taken, needed, count):
    """Bugs in what was run, of which at least one theorem must refuse each."""
    every = [(address, what, instruction) for address in sorted(taken)
             for what, instruction in changed(function.instruction(address)[0], address in needed)]
    random.Random(function.symbol).shuffle(every)
    for address, what, instruction in every[:count]:
        old, following = function.instruction(address)
        function.changed = {address: (instruction, following)}
        if not any(theorem.prove(function)[0] for theorem in theorems):
            raise SystemExit("%s is proved although %s: %s" % (theorems[0].title, old.text, what))
    function.changed = {}
    return len(every[:count])


def prove_followed(library, theorems, only, count, compiler):
    """Returns how many theorems, functions, bugs that were refused, and results that are the processor's."""
    those = by_function(library, theorems, only)
    if not those:
        return 0, 0, 0, 0
    image, all_refused, compared = Image(library.path, compiler), 0, 0
    for symbol, theorems in those.items():
        function, taken, needed = Function(image, symbol), set(), set()
        with tempfile.TemporaryDirectory() as folder:
            passed = {image.symbol(pattern) for theorem in theorems for pattern in theorem.functions}
            functions, own = own_functions(library.path, [symbol, *passed], compiler, folder, CALL)
            for theorem in theorems:
                theorem.addresses = {pattern: functions[image.symbol(pattern)] for pattern in theorem.functions}
                begin = time.monotonic()
                problem, machine = theorem.prove(function)
                if problem:
                    raise SystemExit("%s is not proved: %s" % (theorem.title, problem))
                print("%-40s %3d instructions, hash %s, proved in %.1f s" % (
                    theorem.title, len(machine.taken), library.hash(symbol), time.monotonic() - begin))
                compared += theorem.compare(own, functions[symbol])
                taken |= machine.taken
                needed |= machine.needed
        refused = plant(theorems, function, taken, needed, count)
        all_refused += refused
        print("%40s %d planted bugs refused" % ("", refused), flush=True)
    return sum(map(len, those.values())), len(those), all_refused, compared
