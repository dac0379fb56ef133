"""Proves products of the field of X25519 in AVX-512 IFMA, for all inputs, from the compiled code.

In these functions each of the eight lanes does the same with its own numbers: no instruction that moves words between
lanes is known here, and a constant must be the same in all. So a register holds a polynomial, the value of any one of
its lanes. A product of 104 bits is cut at bit 52: the high half is a new variable, as in machine.py.

No z3 is needed. What is below which number follows from the instructions one after another: a sum that may reach 2^64,
or a factor that may reach 2^52, ends the reading. And when all is added up, nothing is left modulo the prime.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import ctypes
import random
import re
import struct
import tempfile
import time

from facts import Facts
from image import Image
from listing import Instruction
from machine import Machine, NotRead, Word, WORD
from polynomial import Poly
from processor import own_functions
from ranges import stated
from theorems import P25519

FACTOR = 1 << 52
MOVES = ("vmovdqu64", "vmovdqa64")
SOURCE = "IFMA/X25519x8.swift"
BOUNDS = {"2⁵¹ + 2¹⁸": (1 << 51) + (1 << 18), "2⁵¹ + 2¹³": (1 << 51) + (1 << 13)}
LIMBS, LANES = 5, 8


class Lane(Machine):
    """One lane. Memory has the limbs of `self` (r13) and of another number (rdi), 64 bytes apart."""

    def __init__(self, facts, constants):
        super().__init__(None, facts)
        self.constants, self.lanes, self.count, self.taken = constants, {}, None, set()

    def read(self, operand, target):
        match = re.fullmatch(r"%[xyz]mm(\d+)", operand)
        if match:
            if int(match[1]) not in self.lanes:
                raise NotRead("nothing is known of " + operand)
            return self.lanes[int(match[1])]
        if "%rip" in operand:
            number = self.constants(target, 1 if "{1to8}" in operand else LANES)
            return Word(Poly.constant(number), number)
        return self.memory[self.place(operand)]

    @staticmethod
    def place(operand):
        match = re.fullmatch(r"(0x[0-9a-f]+|)\(%(r13|rdi)\)", operand)
        if not match or int(match[1] or "0", 16) % 64 or int(match[1] or "0", 16) >= 64 * LIMBS:
            raise NotRead("address " + operand)
        return match[2], int(match[1] or "0", 16) // 64

    def write(self, operand, word):
        if word.top >= WORD:
            raise NotRead("a lane may overflow")
        match = re.fullmatch(r"%zmm(\d+)", operand)
        if match:
            self.lanes[int(match[1])] = word
        elif "%r13" in operand:
            self.memory[self.place(operand)] = word
        else:
            raise NotRead("writes to " + operand)

    def halves(self, one, other):
        """Of a product: the low and the high 52 bits."""
        if one.top >= FACTOR or other.top >= FACTOR:
            raise NotRead("a factor may reach 2^52")
        product, top = one.poly * other.poly, one.top * other.top
        if top < FACTOR:
            return Word(product, top), Word(Poly(), 0)
        key = tuple(sorted(tuple(sorted(word.poly.items())) for word in (one, other)))
        if key not in self.facts.splits:
            high = self.facts.quotient("h", product, FACTOR, top // FACTOR)
            self.facts.splits[key] = Word(product - high * FACTOR, FACTOR - 1), Word(high, top // FACTOR)
        return self.facts.splits[key]

    def vector(self, name, operands, target):
        if name in MOVES or name == "vpbroadcastq":
            text = operands[0] + ("{1to8}" if name == "vpbroadcastq" else "")
            self.write(operands[1], self.read(text, target))
        elif name in ("vpxor", "vpxord", "vpxorq") and len(set(operands)) == 1:
            self.lanes[int(re.search(r"\d+", operands[2])[0])] = Word(Poly(), 0)
        elif name == "vpaddq":
            one, other = self.read(operands[0], target), self.read(operands[1], None)
            self.write(operands[2], Word(one.poly + other.poly, one.top + other.top))
        elif name in ("vpmadd52luq", "vpmadd52huq"):
            half = self.halves(self.read(operands[0], target), self.read(operands[1], None))[name == "vpmadd52huq"]
            old = self.read(operands[2], None)
            self.write(operands[2], Word(old.poly + half.poly, old.top + half.top))
        elif name == "vpandq":
            mask, word = self.read(operands[0], target), self.read(operands[1], None)
            mask, word = (mask, word) if mask.poly.is_constant() else (word, mask)
            bit = mask.poly.number().bit_length()
            if mask.poly.number() != (1 << bit) - 1:
                raise NotRead("not a mask of low bits")
            self.write(operands[2], Word(self.split(word, bit)[1], min(word.top, (1 << bit) - 1)))
        elif name == "vpsrlq":
            bit, word = int(operands[0][1:], 16), self.read(operands[1], None)
            self.write(operands[2], Word(self.split(word, bit)[0], word.top >> bit))
        elif name in ("vpsllq", "vprolq"):
            bit, word = int(operands[0][1:], 16), self.read(operands[1], None)
            self.write(operands[2], Word(word.poly * (1 << bit), word.top << bit))
        else:
            raise NotRead("this instruction is not known")

    def run(self, function, first, count):
        """Runs a function until it returns. `count`: what rdi holds if it is a number; a loop goes round so often."""
        self.count, address, zero, negative = count, first, None, None
        while True:
            instruction, following = function[address]
            self.taken.add(address)
            name, operands = instruction.name, instruction.operands
            try:
                if name == "ret":
                    return
                if name in ("test", "dec") and operands[-1] == "%rdi" and self.count is not None:
                    self.count -= name == "dec"
                    zero, negative = self.count == 0, self.count < 0
                elif name in ("je", "jne", "js"):
                    if {"je": zero, "jne": not zero, "js": negative}[name]:
                        following = int(operands[0].split()[0], 16)
                elif name.startswith("v") and name != "vzeroupper":
                    self.vector(name, operands, instruction.target)
                elif name not in ("endbr64", "push", "pop", "vzeroupper", "xchg", "nop", "nopw", "nopl") and (
                        name, operands) != ("mov", ["%rsp", "%rbp"]):
                    raise NotRead("this instruction is not known")
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
            address = following


Theorem = collections.namedtuple("Theorem", "title symbol declaration arguments count")
THEOREMS = [
    Theorem("Field25519x8 x·y", r"18KeyboardCurvesIFMA12Field25519x8V8multiply2byyAC_tF$",
            "mutating func multiply(by other: Self)", "xy", None),
    Theorem("Field25519x8 x², one round", r"18KeyboardCurvesIFMA12Field25519x8V6squareyySiF$",
            "mutating func square(_ count: Int)", "x", 1),
]


class Function:
    """The instructions of a function by their addresses, and the constants that they read."""

    def __init__(self, image, symbol):
        self.symbol, self.first, self.instructions = symbol, image.addresses[symbol], {}
        for address, (text, following, function) in image.lines.items():
            if function == symbol:
                code, _, comment = text.partition("#")
                name, _, rest = code.strip().partition(" ")
                operands = [part for part in re.split(r",(?![^(]*\))", rest.strip()) if part]
                target = int(comment.split()[0], 16) if "%rip" in rest else None
                self.instructions[address] = Instruction(name, operands, target, code.strip()), following
        self.image = image

    def constant(self, address, count):
        for start, data in self.image.segments:
            if start <= address < start + len(data):
                words = set(struct.unpack_from("<%dQ" % count, data, address - start))
                if len(words) == 1:
                    return words.pop()
        raise NotRead("not a constant that is the same in all lanes")


def prove(theorem, function, below):
    """Returns why it is not proved or None, the machine that read it, and samples: what is given, what comes out."""
    facts = Facts()
    lane = Lane(facts, function.constant)
    values = {}
    for name, register in zip("xy", ("r13", "rdi")):
        if name in theorem.arguments:
            draw, end = random.Random(theorem.title + name), below[name]
            words = []
            for limb in range(LIMBS):
                numbers = [0, end - 1, 1, (1 << 51) - 1] + [draw.randrange(end) for _ in range(60)]
                words.append(Word(facts.input("%s%d" % (name, limb), numbers), end - 1))
                facts.bounds["%s%d" % (name, limb)] = end - 1
                lane.memory[register, limb] = words[-1]
            values[name] = sum((word.poly * (1 << 51 * limb) for limb, word in enumerate(words)), Poly())
    given = [dict(sample) for sample in facts.samples]
    try:
        lane.run(function.instructions, function.first, theorem.count)
    except (NotRead, KeyError) as problem:
        return str(problem), lane, []
    result = [lane.memory["r13", limb] for limb in range(LIMBS)]
    samples = [(before, [word.poly.value(after) for word in result]) for before, after in zip(given, facts.samples)]
    rest = sum((word.poly * (1 << 51 * limb) for limb, word in enumerate(result)), Poly())
    rest = rest - values["x"] * values[theorem.arguments[-1]]
    if not rest.is_multiple(P25519):
        return "it is another number", lane, samples
    if any(word.top >= below["result"] for word in result):
        return "the result may be too large", lane, samples
    return None if facts.hold_in_samples() else "a sample does not fit the facts", lane, samples


def changed(instruction):
    """The bugs of one instruction: what is wrong, and the instruction, or None where it is left out."""
    name, operands = instruction.name, list(instruction.operands)
    if name in ("vpmadd52luq", "vpmadd52huq"):
        other = "vpmadd52huq" if name == "vpmadd52luq" else "vpmadd52luq"
        yield "the other half of a product", instruction._replace(name=other)
    if name in ("vpmadd52luq", "vpmadd52huq", "vpaddq"):
        yield "left out", None
        match = re.fullmatch(r"%zmm(\d+)", operands[1])
        yield "another register", instruction._replace(
            operands=[operands[0], "%%zmm%d" % (int(match[1]) ^ 1), operands[2]])
    if name in ("vpsrlq", "vpsllq", "vprolq"):
        yield "another constant", instruction._replace(
            operands=["$0x%x" % (int(operands[0][1:], 16) ^ 1)] + operands[1:])
    if name == "vpandq":
        yield "not cut", instruction._replace(name="vmovdqa64", operands=[
            next(operand for operand in reversed(operands[:2]) if operand.startswith("%")), operands[2]])
    if name in MOVES and operands[0].startswith("%"):
        yield "not stored", None


def plant(theorem, function, below, taken, count):
    """Bugs in what was run, and ranges that are wrong: each must be refused."""
    kept, refused = dict(function.instructions), 0
    every = [(address, what, instruction) for address in sorted(taken)
             for what, instruction in changed(kept[address][0])]
    random.Random(function.symbol).shuffle(every)
    for address, what, instruction in every[:count]:
        nothing = Instruction("nop", [], None, "nop")
        function.instructions[address] = instruction or nothing, kept[address][1]
        problem, _, _ = prove(theorem, function, below)
        assert problem, "%s is proved although %s: %s" % (theorem.title, kept[address][0].text, what)
        refused += 1
    function.instructions = kept
    wrong = {name: FACTOR + 1 for name in theorem.arguments}
    for name, bound in dict(wrong, result=1 << 51).items():
        problem, _, _ = prove(theorem, function, dict(below, **{name: bound}))
        assert problem, "%s is proved for a wrong range of %s" % (theorem.title, name)
        refused += 1
    return refused


# Calls with `self` in r13, as Swift does.
CALL = r"""
void call_with_self(void (*function)(void), void *self, uint64_t other);
__asm__(".text\ncall_with_self:\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rdi,%rax\n mov %rsi,%r13\n mov %rdx,%rdi\n call *%rax\n"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n ret\n .globl call_with_self\n");
"""


def has_instructions():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = re.search(r"^flags\s*:(.*)$", file.read(), re.M)
    return bool(flags) and {"avx512f", "avx512ifma"} <= set(flags[1].split())


def compare(path, theorem, symbol, samples, compiler):
    """Runs the function on the samples, eight at a time. Returns how many results are the processor's: all must be."""
    with tempfile.TemporaryDirectory() as folder:
        functions, library = own_functions(path, [symbol], compiler, folder, "#include <stdint.h>\n" + CALL)
        for start in range(0, len(samples), LANES):
            some = samples[start:start + LANES]
            memory = {}
            for name in "xy":
                words = [given.get("%s%d" % (name, limb), 0) for limb in range(LIMBS) for given, _ in some]
                memory[name] = ctypes.create_string_buffer(struct.pack("<%dQ" % len(words), *words))
            other = ctypes.addressof(memory["y"]) if theorem.count is None else theorem.count
            library.call_with_self(functions[symbol], ctypes.byref(memory["x"]), ctypes.c_uint64(other))
            found = struct.unpack_from("<%dQ" % (LIMBS * LANES), memory["x"])
            wanted = tuple(result[limb] for limb in range(LIMBS) for _, result in some)
            assert found == wanted, "%s: read as %s, computed as %s" % (theorem.title, wanted, found)
    return len(samples)


def prove_lanes(library, only, count, compiler):
    """Returns how many theorems, bugs that were refused, and results that are the processor's."""
    theorems = [theorem for theorem in THEOREMS if only in theorem.title]
    if not theorems:
        return 0, 0, 0
    image, all_refused, compared = Image(library.path, compiler), 0, 0
    for theorem in theorems:
        symbol = library.symbol(theorem.symbol)
        function = Function(image, symbol)
        below = {name: BOUNDS[bound] for name, bound in stated("KeyboardCurves/" + SOURCE, theorem.declaration).items()}
        begin = time.monotonic()
        problem, lane, samples = prove(theorem, function, below)
        if problem:
            raise SystemExit("%s is not proved: %s" % (theorem.title, problem))
        seconds = time.monotonic() - begin
        if has_instructions():
            compared += compare(library.path, theorem, symbol, samples, compiler)
        else:
            print("%s: not compared with this processor, which has no IFMA" % theorem.title)
        refused = plant(theorem, function, below, lane.taken, count)
        all_refused += refused
        print("%-32s %3d instructions, hash %s, proved in %.1f s\n%32s %d planted bugs refused" % (
            theorem.title, len(function.instructions), library.hash(symbol), seconds, "", refused), flush=True)
    return len(theorems), all_refused, compared
