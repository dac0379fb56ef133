"""Runs code of which all that decides a jump or an address is known, and follows the words that are not known: what
they are, the caller says (`combined`). Nothing else may be done with them than to move them.

SPDX-License-Identifier: Apache-2.0
"""

import re

from machine import Address, NotRead, REGISTERS, WORD

SIZES = {64: 8, 32: 4, 8: 1}
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
CHANGED = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
# Where Swift has the four words of a number: of the first argument, and of what comes back.
FIRST, RESULT = ("rdi", "rsi", "rdx", "rcx"), ("rax", "rdx", "rcx", "r8")
IDLE = ("endbr64", "nop", "nopw", "nopl", "data16", "cs", "vzeroupper")
NUMBERS = {"add": lambda a, b: b + a, "sub": lambda a, b: b - a, "and": lambda a, b: b & a, "or": lambda a, b: b | a,
           "xor": lambda a, b: b ^ a, "shl": lambda a, b: b << (a & 63), "shr": lambda a, b: b >> (a & 63),
           "imul": lambda a, b: a * b}
GUARD = object()  # what the compiler puts on the stack, and compares at the end
MOST = 300_000  # a program that has not returned after so many instructions is not followed further


class Part:
    """A word of a number that is not known: what is known of the number, and which of its words."""

    def __init__(self, value, place):
        self.value, self.place = value, place

    def __eq__(self, other):
        return isinstance(other, Part) and (self.value, self.place) == (other.value, other.place)

    @staticmethod
    def value_of(words):
        """What is known of the number whose words these are."""
        if not all(isinstance(word, Part) and word.place == place for place, word in enumerate(words)) or any(
                word.value != words[0].value for word in words):
            raise NotRead("not the words of one number")
        return words[0].value


class Known:
    """- `function`: of lanes.py. `writable`: bases in memory that may be written.
    - `stands_for`: what is done instead of a function, by its address.
    """

    def __init__(self, function, writable=(), stands_for=None):
        self.function, self.writable, self.stands_for = function, {"stack", *writable}, stands_for or {}
        self.registers, self.memory, self.pairs, self.flags, self.count = {}, {}, {}, None, 0
        self.taken, self.at, self.writers, self.needed = set(), None, {}, set()
        self.registers["rsp"] = Address("stack", 0)
        self.before = {name: object() for name in KEPT}
        self.registers.update(self.before)

    def run(self, address):
        """Runs until the function returns."""
        begin = self.registers["rsp"].offset
        while address is not None:
            instruction, following = self.function.instruction(address)
            self.taken.add(address)
            self.at = address
            self.count += 1
            if self.count > MOST:
                raise NotRead("it does not return")
            try:
                address = self.step(instruction, following)
            except NotRead as problem:
                raise NotRead("%s: %s" % (instruction.text, problem)) from None
        if self.registers["rsp"].offset != begin:
            raise NotRead("the stack is another one")

    # ---- Which instructions are needed: they write another word than what was there, and it is read

    def word(self, name):
        """What a register of 64 bits holds, or None; it is read."""
        self.needed.add(self.writers.get(name))
        return self.registers.get(name)

    def written(self, place, old, value):
        """Not an address: at another place on the stack a table may be as well."""
        if isinstance(value, Address):
            self.writers.pop(place, None)
        elif old is None or old != value:
            self.writers[place] = self.at

    # ---- Numbers of four words, in calls

    def first(self):
        return [self.word(name) for name in FIRST]

    def second(self):
        top = self.registers["rsp"]
        return [self.word("r8"), self.word("r9"), *(self.load(top.moved(8 * place), 8) for place in (0, 1))]

    def give(self, value):
        """A function returns a number."""
        for name in CHANGED:
            self.registers.pop(name, None)
            self.writers.pop(name, None)
        self.pairs.clear()
        self.registers.update((name, Part(value, place)) for place, name in enumerate(RESULT))

    def leaves_registers(self):
        return all(self.registers.get(name) is value for name, value in self.before.items())

    # ---- Operands

    def place(self, operand, target):
        match = re.fullmatch(r"(-?0x[0-9a-f]+|)\((%\w+)?(?:,(%\w+),([1248]))?\)", operand)
        if not match:
            raise NotRead("address " + operand)
        if match[2] == "%rip":
            return target
        base = self.word(match[2][1:]) if match[2] else 0
        index = self.word(match[3][1:]) if match[3] else 0
        if not isinstance(index, int) or not isinstance(base, (int, Address)):
            raise NotRead("address " + operand)
        offset = int(match[1] or "0", 16) + index * int(match[4] or 1)
        if isinstance(base, Address):
            return base.moved((offset + (WORD >> 1)) % WORD - (WORD >> 1))
        return (base + offset) % WORD

    def load(self, place, size, signed=False):
        if isinstance(place, Address):
            value, length = self.memory.get((place.base, place.offset), (None, 0))
            if length < size:
                raise NotRead("%d bytes behind %s nothing is known" % (place.offset, place.base))
            self.needed.add(self.writers.get((place.base, place.offset)))
            return self.part(value, 8 * size)
        for start, data in self.function.image.segments:
            if start <= place and place + size <= start + len(data):
                return int.from_bytes(data[place - start:place - start + size], "little", signed=signed) % WORD
        raise NotRead("nothing is at %#x" % place)

    def save(self, place, size, value):
        if not isinstance(place, Address) or place.base not in self.writable:
            raise NotRead("it writes to another place")
        old, length = self.memory.get((place.base, place.offset), (None, 0))
        if isinstance(old, int) and length > size:
            old = self.part(old, 8 * size)
        self.written((place.base, place.offset), old if length >= size else None, value)
        for base, offset in [(place.base, place.offset + step) for step in range(-7, size)]:
            if (base, offset) in self.memory and self.memory[base, offset][1] > place.offset - offset:
                del self.memory[base, offset]
        self.memory[place.base, place.offset] = value, size

    @staticmethod
    def part(value, bits):
        if bits == 64:
            return value
        if not isinstance(value, int):
            raise NotRead("a part of a word")
        return value % (1 << bits)

    @staticmethod
    def width(name, operands):
        for operand in reversed(operands):
            if operand[0] == "%" and operand[1:] in REGISTERS:
                return REGISTERS[operand[1:]][1]
        return 64

    def get(self, operand, target, bits):
        if operand[0] == "$":
            return int(operand[1:], 16) % (1 << bits)
        if operand[0] != "%":
            return self.load(self.place(operand, target), SIZES[bits])
        if operand.startswith("%fs"):
            return GUARD
        value = self.word(REGISTERS[operand[1:]][0])
        if value is None:
            raise NotRead("nothing is known of " + operand)
        return self.part(value, bits)

    def put(self, operand, value, bits, target=None):
        if operand[0] != "%":
            return self.save(self.place(operand, target), SIZES[bits], value)
        name, bits = REGISTERS[operand[1:]]
        if bits == 8:
            old = self.word(name)
            value = (old & ~255 | value) if isinstance(old, int) else value
        self.written(name, self.registers.get(name), value)
        self.registers[name] = value
        return None

    # ---- Instructions

    def combined(self, name, source, other):
        """What an instruction makes of words that are not known."""
        raise NotRead("it computes with a word that is not known")

    def jumps(self, condition):
        if self.flags is None:
            raise NotRead("it is not known whether it jumps")
        zero, carry, sign = self.flags
        known = {"e": zero, "ne": not zero, "b": carry, "ae": not carry, "s": sign, "ns": not sign}
        if condition not in known or known[condition] is None:
            raise NotRead("it is not known whether it jumps")
        return known[condition]

    def called(self, address, following):
        if address in self.stands_for:
            self.stands_for[address](self)
        else:
            top = self.registers["rsp"] = self.registers["rsp"].moved(-8)
            self.memory[top.base, top.offset] = following, 8
            self.run(address)
            self.registers["rsp"] = self.registers["rsp"].moved(8)
        self.flags = None

    def step(self, instruction, following):
        name, operands, target = instruction.name, instruction.operands, instruction.target
        if name in IDLE or (name, operands) == ("xchg", ["%ax", "%ax"]):
            return following
        if name == "notrack":
            name, operands = "jmp", [operands[0].split()[-1]]
        if name == "ret":
            return None
        if name in ("call", "jmp"):
            to = self.get(operands[0][1:], target, 64) if operands[0][0] == "*" else int(operands[0], 16)
            if not isinstance(to, int):
                raise NotRead("it is not known where it goes")
            if name == "jmp" and to not in self.stands_for:
                return to
            self.called(to, following)
            return following if name == "call" else None
        if name[0] == "j":
            return int(operands[0], 16) if self.jumps(name[1:]) else following
        self.change(name, operands, target)
        return following

    def change(self, name, operands, target):
        bits = self.width(name, operands)
        if name in ("mov", "movabs", "movq"):
            self.put(operands[1], self.get(operands[0], target, bits), bits, target)
        elif name in ("movzbl", "movslq"):
            narrow = 8 if name == "movzbl" else 32
            value = self.get(operands[0], target, narrow)
            value = (value ^ 1 << 31) - (1 << 31) if narrow == 32 else value
            self.put(operands[1], value % WORD, 64)
        elif name == "push":
            value = self.get(operands[0], target, 64)
            self.registers["rsp"] = self.registers["rsp"].moved(-8)
            self.save(self.registers["rsp"], 8, value)
        elif name == "pop":
            self.put(operands[0], self.load(self.registers["rsp"], 8), 64)
            self.registers["rsp"] = self.registers["rsp"].moved(8)
        elif name == "lea":
            self.put(operands[1], self.place(operands[0], target), 64)
        elif name in ("xorps", "movups", "movaps"):
            self.move_pair(name, operands, target)
        else:
            self.compute(name, operands, target, bits)

    def move_pair(self, name, operands, target):
        if name == "xorps" and operands[0] == operands[1]:
            self.pairs[operands[0]] = [0, 0]
        elif operands[0][0] == "%" and operands[0].startswith("%xmm"):
            place = self.place(operands[1], target)
            for half, value in enumerate(self.pairs[operands[0]]):
                self.save(place.moved(8 * half), 8, value)
        elif operands[1].startswith("%xmm"):
            place = self.place(operands[0], target)
            self.pairs[operands[1]] = [self.load(place.moved(8 * half), 8) for half in (0, 1)]
        else:
            raise NotRead("this instruction is not known")

    def compute(self, name, operands, target, bits):
        if name.startswith("set"):
            self.put(operands[0], int(self.jumps(name[3:])), 8)
            return
        if name in ("dec", "inc"):
            carry = self.flags[1] if self.flags else None
            value = (self.get(operands[0], target, bits) + (1 if name == "inc" else -1)) % (1 << bits)
            self.put(operands[0], value, bits)
            self.flags = value == 0, carry, value >> bits - 1 == 1
            return
        if name == "neg":
            value = self.get(operands[0], target, bits)
            self.put(operands[0], -value % (1 << bits) if isinstance(value, int) else self.combined("sub", value, 0),
                     bits)
            self.flags = None
            return
        kind = {"cmp": "sub", "test": "and"}.get(name, name)
        if kind not in NUMBERS:
            raise NotRead("this instruction is not known")
        if name == "xor" and operands[0] == operands[1]:
            self.put(operands[1], 0, bits)
            self.flags = True, False, False
            return
        source, other = self.get(operands[0], target, bits), self.get(operands[1], target, bits)
        self.flags = None
        if isinstance(other, Address) and isinstance(source, int) and name in ("add", "sub"):
            source = (source + (WORD >> 1)) % WORD - (WORD >> 1)
            self.put(operands[1], other.moved(source if name == "add" else -source), bits)
        elif name == "cmp" and source is other and not isinstance(other, int):
            self.flags = True, False, False
        elif isinstance(source, int) and isinstance(other, int):
            value = NUMBERS[kind](source, other)
            low = value % (1 << bits)
            self.flags = low == 0, kind in ("add", "sub") and value != low, low >> bits - 1 == 1
            if kind in ("shl", "shr", "imul"):
                self.flags = None
            if name == kind:
                self.put(operands[-1], low, bits)
        elif name == kind:
            self.put(operands[-1], self.combined(name, source, other), bits)
        else:
            raise NotRead("a word that is not known is compared")
