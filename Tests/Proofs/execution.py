"""Runs compiled code for x86-64 with secrets that nobody knows.

Each bit of a register and of memory is 0, 1 or unknown. A bit that an instruction makes of unknown ones is unknown
unless it is the same for all of them; what is not known here is unknown, never guessed. So one run is the run with each
value of the secrets: as long as no branch, no address and no instruction whose time depends on its operands needs an
unknown bit, all of them take the same way to the same addresses.

What needs one ends the run, and so does an instruction that is not known here.

SPDX-License-Identifier: Apache-2.0
"""

import re

import vectors
from instructions import Instructions
from machine import NotRead
from registers import CONDITIONS, QUAD, REGISTERS, SUFFIXES, Refused
# A way that meets the same verdict more often than this is not followed further.
MEETINGS = 3
RETURN = 0x10  # where the first function returns to
STACK, STACK_SIZE = 0x10000, 0x40000
THREAD = 0x8000  # what a thread has of its own: zero


class Cut(Exception):
    """A way ends here."""


class Processor(Instructions):
    """The processor and its memory: one range of addresses, from 0 on.

    `known` and `unknown` are the memory: a bit that is set in `unknown` is unknown, and 0 in `known`.
    """

    def __init__(self, image, size, calls):
        """`size`: bytes of memory behind the image. `calls`: what functions of libc do, by name."""
        self.image, self.calls, self.code = image, calls, {}
        first = (image.end + 63) & -64
        self.free, self.size = first, first + size
        self.known, self.unknown = bytearray(self.size), bytearray(self.size)
        for address, data in image.segments:
            self.known[address:address + len(data)] = data
        # The stack holds what others have left there.
        self.unknown[STACK:STACK + STACK_SIZE] = b"\xff" * STACK_SIZE
        self.unknown[first:] = b"\xff" * size
        self.reset()
        self.features = None
        self.allowed, self.todo, self.seen, self.verdicts = {}, [], set(), set()
        self.met, self.cut = {}, 0
        self.on_function = None

    def reset(self):
        self.values, self.masks = [0] * 16, [QUAD] * 16
        self.vectors, self.vector_masks = [0] * 32, [(1 << 512) - 1] * 32
        self.flags = dict.fromkeys("czsop")
        self.count = 0

    def allocate(self, size, contents=None, unknown=True):
        """Memory of its own: unknown, or with these contents."""
        address = self.free
        self.free += (size + 127) & -64
        assert self.free <= self.size, "no room"
        if contents is not None:
            self.known[address:address + len(contents)] = contents
        self.unknown[address:address + size] = (b"\xff" if unknown else b"\0") * size
        return address

    # ---- Memory

    def place(self, pair, what="an address"):
        value, mask = pair
        if mask:
            raise Refused("%s is secret" % what)
        return value

    def load(self, address, size):
        if not 0x1000 <= address <= self.size - size:
            raise NotRead("nothing is at %#x" % address)
        end = address + size
        return (int.from_bytes(self.known[address:end], "little"), int.from_bytes(self.unknown[address:end], "little"))

    def store(self, address, size, value, mask):
        if not 0x1000 <= address <= self.size - size:
            raise NotRead("nothing is at %#x" % address)
        end = address + size
        self.known[address:end] = (value & ~mask).to_bytes(size, "little")
        self.unknown[address:end] = mask.to_bytes(size, "little")

    # ---- A run

    def call(self, address, arguments, context=None):
        """Calls a function as Swift does."""
        # What is thrown is told in %r12, and %r13 is `self`.
        known = {"r12": 0} if context is None else {"r12": 0, "r13": context}
        known.update(zip(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), arguments))
        for name, value in known.items():
            number = REGISTERS["%" + name][0]
            self.values[number], self.masks[number] = value, 0
        top = STACK + STACK_SIZE - 0x1000 - 8 * (len(arguments[6:]) + 1)
        for place, value in enumerate([RETURN] + list(arguments[6:])):
            self.store(top + 8 * place, 8, value, 0)
        self.values[4], self.masks[4] = top, 0
        self.run(address)
        while self.todo:
            self._take_up(self.todo.pop())

    def run(self, address):
        code, count = self.code, 0
        try:
            while address != RETURN:
                step = code.get(address)
                if step is None:
                    step = code[address] = self.decode(address)
                count += 1
                address = step()
        except Cut:
            self.cut += 1
        except (Refused, NotRead) as problem:
            text, _, function = self.image.lines.get(address, ("?", 0, "?"))
            raise type(problem)("%s in %s: %s" % (text, function, problem)) from None
        finally:
            self.count += count

    def decide(self, condition, address):
        """Whether a condition holds. A verdict that may be known is tried both ways."""
        holds = self.condition(condition)
        if holds is not None:
            return holds
        function = self.image.lines[address][2]
        others = sum(self.image.lines[place][2] == function for place in self.verdicts - {address})
        if not any(re.search(pattern, function) and others < count for pattern, count in self.allowed.items()):
            raise Refused("a branch depends on a secret")
        self.verdicts.add(address)
        self.met[address] = self.met.get(address, 0) + 1
        if self.met[address] > MEETINGS:
            raise Cut
        state = hash((address, tuple(self.values), tuple(self.masks), tuple(self.vector_masks), bytes(self.known),
                      bytes(self.unknown)))
        if state not in self.seen:
            self.seen.add(state)
            registers = self.values, self.masks, self.vectors, self.vector_masks
            self.todo.append((address, [[list(part) for part in registers], dict(self.flags), bytes(self.known),
                                        bytes(self.unknown), dict(self.met)]))
        return True

    def _take_up(self, todo):
        """Goes the other way from a verdict on."""
        address, state = todo
        registers, flags, self.known[:], self.unknown[:], self.met = state
        self.values[:], self.masks[:], self.vectors[:], self.vector_masks[:] = registers
        self.flags.update(flags)
        self.run(self.image.lines[address][1])

    # ---- Operands

    def operand(self, text, following):
        """How an address is computed: a function."""
        match = re.fullmatch(r"(%fs:)?(-?0x[0-9a-f]+)?(?:\((%\w+)?(?:,(%\w+),([1248]))?\))?", text)
        if not match:
            raise NotRead("operand " + text)
        if match[1]:
            return lambda: (THREAD, 0)
        offset, base, index, scale = int(match[2] or "0", 16), match[3], match[4], int(match[5] or 1)
        if base == "%rip":
            constant = following + offset
            return lambda: (constant, 0)
        values, masks = self.values, self.masks
        if base and not index:
            b = REGISTERS[base][0]
            return lambda: ((values[b] + offset) & QUAD, masks[b])
        b, i = REGISTERS[base][0] if base else None, REGISTERS[index][0] if index else None
        if b is None and i is None:
            return lambda: (offset & QUAD, 0)
        if b is None:
            return lambda: ((values[i] * scale + offset) & QUAD, masks[i])
        return lambda: ((values[b] + values[i] * scale + offset) & QUAD, masks[b] | masks[i])

    def reader(self, text, width, following):
        """A function that reads an operand: what is known, and what is not."""
        values, masks = self.values, self.masks
        if text[0] == "$":
            constant = int(text[1:], 16) & ((1 << width) - 1)
            return lambda: (constant, 0)
        if text in REGISTERS:
            number, own, shift = REGISTERS[text]
            if own == 64:
                return lambda: (values[number], masks[number])
            part = (1 << own) - 1
            return lambda: (values[number] >> shift & part, masks[number] >> shift & part)
        if re.match("%(?!fs:)", text):
            raise NotRead("register " + text)
        address, load, size = self.operand(text, following), self.load, width // 8

        def read():
            place, mask = address()
            if mask:
                raise Refused("an address is secret")
            return load(place, size)
        return read

    def writer(self, text, width, following):
        values, masks = self.values, self.masks
        if text in REGISTERS:
            number, own, shift = REGISTERS[text]
            if own >= 32:
                def write(value, mask):
                    values[number], masks[number] = value & ~mask, mask
            else:
                keep = QUAD ^ (((1 << own) - 1) << shift)

                def write(value, mask):
                    values[number] = values[number] & keep | (value & ~mask) << shift
                    masks[number] = masks[number] & keep | mask << shift
            return write
        if re.match("%(?!fs:)", text):
            raise NotRead("register " + text)
        address, store, size = self.operand(text, following), self.store, width // 8

        def write_memory(value, mask):
            place, hidden = address()
            if hidden:
                raise Refused("an address is secret")
            store(place, size, value, mask)
        return write_memory

    @staticmethod
    def width(name, operands):
        for text in reversed(operands):
            if text in REGISTERS:
                return REGISTERS[text][1]
        if name[-1] in SUFFIXES:
            return SUFFIXES[name[-1]]
        raise NotRead("of which width?")

    # ---- Flags

    def condition(self, name):
        """Whether a condition holds: True, False, or None if nobody knows."""
        flags, kind = self.flags, CONDITIONS[name]
        negative = kind[0] == "!"
        kind = kind.lstrip("!")
        if kind == "l":
            one, other = flags["s"], flags["o"]
            holds = None if one is None or other is None else one != other
        elif kind == "a":
            holds = self._either(flags["c"], flags["z"])
        elif kind == "g":
            one, other = flags["s"], flags["o"]
            holds = self._either(None if one is None or other is None else one != other, flags["z"])
        else:
            holds = flags[kind]
        return holds if holds is None else bool(holds) != negative

    @staticmethod
    def _either(one, other):
        if one or other:
            return True
        return None if one is None or other is None else False

    def set_result(self, value, mask, width, carry, overflow):
        flags, top = self.flags, width - 1
        if mask == (1 << width) - 1:
            flags["c"], flags["o"] = carry, overflow
            flags["z"] = flags["s"] = flags["p"] = None
            return
        flags["z"] = (0 if value else None) if mask else int(value == 0)
        flags["s"] = None if mask >> top & 1 else value >> top & 1
        flags["p"] = None if mask & 255 else 1 - bin(value & 255).count("1") % 2
        flags["c"], flags["o"] = carry, overflow

    # ---- Instructions

    def decode(self, address):
        """A function that does what is at an address, and gives the next address."""
        if address in self.image.outside:
            return self._outside(self.image.outside[address])
        if address not in self.image.lines:
            raise NotRead("no code is at %#x" % address)
        text, following, _ = self.image.lines[address]
        return self.instruction(text, address, following)

    def instruction(self, text, address, following):
        text = re.sub(r"\s+#.*| <[^>]*>", "", text)
        parts = text.split(None, 1)
        while parts[0] in ("notrack", "lock", "data16", "cs", "bnd", "rex.W"):
            parts = parts[1].split(None, 1)
        name = parts[0]
        operands = [part for part in re.split(r",(?![^(]*\))", parts[1])] if len(parts) > 1 else []
        for kind in (self._jumps, self._moves, self._arithmetic, self._shifts, self._products, self._others):
            step = kind(name, operands, address, following)
            if step:
                return step
        step = vectors.decode(self, name, operands, following)
        if step:
            return step
        raise NotRead("this instruction is not known")

    def _outside(self, name):
        if name not in self.calls:
            raise NotRead("%s is not known" % name)
        function = self.calls[name]

        def step():
            arguments = [(self.values[REGISTERS["%" + r][0]], self.masks[REGISTERS["%" + r][0]])
                         for r in ("rdi", "rsi", "rdx", "rcx", "r8", "r9")]
            result = function(self, *arguments[:function.__code__.co_argcount - 1])
            # What libc leaves in registers is not known.
            for number in (1, 2, 6, 7, 8, 9, 10, 11):
                self.values[number], self.masks[number] = 0, QUAD
            self.values[0], self.masks[0] = (result, 0) if result is not None else (0, QUAD)
            for number in range(32):
                self.vectors[number], self.vector_masks[number] = 0, (1 << 512) - 1
            return self._return()
        return step

    def _return(self):
        top = self.place((self.values[4], self.masks[4]))
        address = self.place(self.load(top, 8), "where a function returns to")
        self.values[4] = top + 8
        return address

    def _jumps(self, name, operands, address, following):
        if name in ("ret", "repz") and operands in ([], ["ret"]):
            return self._return
        if name in ("call", "jmp"):
            if operands[0][0] == "*":
                target = self.reader(operands[0][1:], 64, following)
            else:
                constant = int(operands[0], 16)
                if name == "jmp":
                    return lambda: constant

                def target():
                    return constant, 0

            def jump():
                place = self.place(target(), "the address that is called")
                if name == "call":
                    self.values[4] -= 8
                    self.store(self.values[4], 8, following, 0)
                return place
            return jump
        if name[0] == "j" and name[1:] in CONDITIONS:
            constant, condition = int(operands[0], 16), name[1:]
            return lambda: constant if self.decide(condition, address) else following
        if name in ("ud2", "hlt", "int3"):
            def trap():
                raise NotRead("this should not be reached")
            return trap
        return None
