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
from machine import NotRead

QUAD = (1 << 64) - 1
NAMES = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"] + ["r%d" % n for n in range(8, 16)]
# For the name of a register: its number, its width, the bit where it begins.
REGISTERS = {}
for _n, _name in enumerate(NAMES):
    if _n < 8:
        _short = _name[1:]
        _byte = _short[0] + "l" if _short[1] == "x" else _short + "l"
        REGISTERS.update({"%" + _name: (_n, 64, 0), "%e" + _short: (_n, 32, 0), "%" + _short: (_n, 16, 0),
                          "%" + _byte: (_n, 8, 0)})
        if _short[1] == "x":
            REGISTERS["%" + _short[0] + "h"] = _n, 8, 8
    else:
        REGISTERS.update({"%" + _name + suffix: (_n, width, 0)
                          for suffix, width in (("", 64), ("d", 32), ("w", 16), ("b", 8))})
SUFFIXES = {"b": 8, "w": 16, "l": 32, "q": 64}
CONDITIONS = {"e": "z", "ne": "!z", "b": "c", "ae": "!c", "s": "s", "ns": "!s", "o": "o", "no": "!o", "p": "p",
              "np": "!p", "l": "l", "ge": "!l", "be": "a", "a": "!a", "le": "g", "g": "!g"}
# A way that meets the same verdict more often than this is not followed further.
MEETINGS = 3
RETURN = 0x10  # where the first function returns to
STACK, STACK_SIZE = 0x10000, 0x40000
THREAD = 0x8000  # what a thread has of its own: zero


class Refused(Exception):
    """Something that an observer sees depends on a secret."""


class Cut(Exception):
    """A way ends here."""


class Processor:
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

    def call(self, address, arguments):
        """Calls a function as Swift does."""
        # What is thrown is told in %r12.
        for name, value in zip(("r12", "rdi", "rsi", "rdx", "rcx", "r8", "r9"), [0] + arguments):
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

    def _moves(self, name, operands, address, following):
        if name in ("endbr64", "nop", "nopw", "nopl", "pause", "mfence", "lfence", "vzeroupper", "prefetcht0",
                    "xchg") and (name != "xchg" or operands == ["%ax", "%ax"]):
            return lambda: following
        if name in ("mov", "movabs", "movb", "movw", "movl") or name == "movq" and not any(
                "mm" in text for text in operands):
            width = self.width(name, operands)
            if width == 64 and all(text in REGISTERS for text in operands):
                return self._move(*(REGISTERS[text][0] for text in operands), following)
            read, write = self.reader(operands[0], width, following), self.writer(operands[1], width, following)

            def move():
                write(*read())
                return following
            return move
        match = re.fullmatch(r"mov([sz])([bwl])([wlq])", name) or name == "movslq" and re.match("(s)(l)(q)", "slq")
        if match and len(operands) == 2:
            low, high = SUFFIXES[match[2]], SUFFIXES[match[3]]
            read, write = self.reader(operands[0], low, following), self.writer(operands[1], high, following)
            top = ((1 << high) - 1) ^ ((1 << low) - 1) if match[1] == "s" else 0

            def extend():
                value, mask = read()
                write(value | (top if value >> low - 1 & 1 else 0), mask | (top if mask >> low - 1 & 1 else 0))
                return following
            return extend
        if name == "lea":
            place, width = self.operand(operands[0], following), REGISTERS[operands[1]][1]
            write, ones = self.writer(operands[1], width, following), (1 << width) - 1

            def lea():
                value, mask = place()
                mask = ones & -(mask & -mask)  # what is above the lowest unknown bit
                write(value & ones, mask)
                return following
            return lea
        if name in ("push", "pop"):
            values, masks = self.values, self.masks
            if name == "push":
                read = self.reader(operands[0], 64, following)

                def push():
                    value, mask = read()
                    values[4] -= 8
                    self.store(values[4], 8, value, mask)
                    return following
                return push
            number = REGISTERS[operands[0]][0]

            def pop():
                values[number], masks[number] = self.load(values[4], 8)
                if number != 4:
                    values[4] += 8
                return following
            return pop
        if name == "leave":
            def leave():
                top = self.place((self.values[5], self.masks[5]))
                self.values[5], self.masks[5] = self.load(top, 8)
                self.values[4] = top + 8
                return following
            return leave
        if name.startswith("cmov"):
            width, condition = self.width(name, operands), name[4:]
            read, old = (self.reader(text, width, following) for text in operands)
            write = self.writer(operands[1], width, following)

            def choose():
                (value, mask), (other, hidden), holds = read(), old(), self.condition(condition)
                if holds is None:
                    mask |= hidden | (value ^ other)
                elif not holds:
                    value, mask = other, hidden
                write(value, mask)
                return following
            return choose
        if name.startswith("set"):
            write, condition = self.writer(operands[0], 8, following), name[3:]

            def set_byte():
                holds = self.condition(condition)
                write(int(bool(holds)), int(holds is None))
                return following
            return set_byte
        return None

    def _move(self, source, target, following):
        """Most instructions are moves between registers."""
        values, masks = self.values, self.masks

        def move():
            values[target], masks[target] = values[source], masks[source]
            return following
        return move

    def _arithmetic(self, name, operands, address, following):
        match = re.fullmatch(r"(add|adc|sub|sbb|cmp|and|or|xor|test|inc|dec|neg|not)([bwlq])?", name)
        if not match:
            return None
        kind, width = match[1], self.width(name, operands)
        ones, top, flags = (1 << width) - 1, width - 1, self.flags
        write = None if kind in ("cmp", "test") else self.writer(operands[-1], width, following)
        read = self.reader(operands[-1], width, following)
        if kind == "not":
            def invert():
                value, mask = read()
                write(value ^ ones, mask)
                return following
            return invert
        if kind in ("inc", "dec", "neg"):
            def source():
                return (0 if kind == "neg" else 1), 0
        else:
            source = self.reader(operands[0], width, following)
        if kind in ("xor", "sub", "sbb") and operands[0] == operands[1]:
            def same():
                carry = flags["c"] if kind == "sbb" else 0
                mask, value = (ones, 0) if carry is None else (0, ones if carry else 0)
                self.set_result(value, mask, width, carry, 0)
                write(value, mask)
                return following
            return same
        if kind in ("and", "test", "or", "xor"):
            def both():
                (a, x), (b, y) = source(), read()
                if kind == "xor":
                    value, mask = a ^ b, x | y
                elif kind == "or":
                    value, mask = a | b, (x | y) & ~a & ~b
                else:
                    value, mask = a & b, (x | y) & (a | x) & (b | y)
                value &= ~mask
                self.set_result(value, mask, width, 0, 0)
                if write:
                    write(value, mask)
                return following
            return both
        subtracts, carries = kind in ("sub", "sbb", "cmp", "dec", "neg"), kind in ("adc", "sbb")

        def add():
            (a, x), (b, y) = source(), read()
            if kind == "neg":
                a, x, b, y = b, y, 0, 0
            carry = flags["c"] if carries else 0
            if x == ones or y == ones:  # nothing is known of the result
                value, mask, lost, overflow = 0, ones, None, None
            elif not x and not y and carry is not None:
                total = b - a - carry if subtracts else b + a + carry
                value, mask, lost = total & ones, 0, int(total < 0 or total > ones)
                signs = (b ^ a) & (b ^ value) if subtracts else (b ^ value) & (a ^ value)
                overflow = signs >> top & 1
            else:
                low, high = (carry, carry) if carry is not None else (0, 1)
                if subtracts:
                    least, most = b - (a | x) - high, (b | y) - a - low
                    lost = 0 if least >= 0 else 1 if most < 0 else None
                else:
                    least, most = b + a + low, (b | y) + (a | x) + high
                    lost = 0 if most <= ones else 1 if least > ones else None
                hidden = x | y | (1 if carry is None else 0)
                mask = ones & -(hidden & -hidden)
                value = (b - a - low if subtracts else b + a + low) & ones & ~mask
                overflow = None
                if not a | x | high:  # nothing is added
                    value, mask = b, y
            if kind in ("inc", "dec"):
                lost = flags["c"]
            self.set_result(value, mask, width, lost, overflow)
            if write:
                write(value, mask)
            return following
        return add

    def _shifts(self, name, operands, address, following):
        match = re.fullmatch(r"(shl|shr|sar|rol|ror|shld|shrd)([bwlq])?", name)
        if not match:
            return None
        kind, width = match[1], self.width(name, operands[-1:] if operands[-1] in REGISTERS else operands)
        ones, flags = (1 << width) - 1, self.flags
        count = self.reader(operands[0], 8, following) if len(operands) > 1 else lambda: (1, 0)
        other = self.reader(operands[1], width, following) if len(operands) == 3 else None
        read, write = (f(operands[-1], width, following) for f in (self.reader, self.writer))

        def moved(value, by, more):
            if kind == "shl":
                return value << by & ones
            if kind == "shr":
                return value >> by
            if kind == "sar":
                return value >> by | (ones ^ ones >> by if value >> width - 1 else 0)
            if kind == "shld":
                return (value << by | more >> width - by) & ones
            if kind == "shrd":
                return (value >> by | more << width - by) & ones
            by %= width
            if kind == "ror":
                by = (width - by) % width
            return (value << by | value >> width - by) & ones

        def shift():
            by, hidden = count()
            by, hidden = by & (63 if width == 64 else 31), hidden & (63 if width == 64 else 31)
            value, mask = read()
            if hidden:
                # No bit is known, but that of zero it is zero.
                if value or mask:
                    value, mask = 0, ones
                flags.update(dict.fromkeys("czsop"))
            elif by:
                more, more_hidden = other() if other else (0, 0)
                if kind[0] == "r":
                    value, mask = moved(value, by, 0), moved(mask, by, 0)
                    flags["c"] = flags["o"] = None
                else:
                    place = width - by if kind in ("shl", "shld") else by - 1
                    lost = None if mask >> place & 1 else value >> place & 1
                    value, mask = moved(value, by, more), moved(mask, by, more_hidden)
                    self.set_result(value, mask, width, lost, None)
            write(value, mask)
            return following
        return shift

    def _products(self, name, operands, address, following):
        values, masks = self.values, self.masks
        match = re.fullmatch(r"(mul|imul|div|idiv)([bwlq])?", name)
        if not match:
            return None
        kind, width = match[1], self.width(name, operands)
        ones, flags = (1 << width) - 1, self.flags
        read = self.reader(operands[0], width, following)

        def signed(value):
            return value - (1 << width) if value >> width - 1 else value

        if len(operands) > 1:
            other = self.reader(operands[1], width, following)
            write = self.writer(operands[-1], width, following)

            def multiply():
                (a, x), (b, y) = read(), other()
                mask = ones & -((x | y) & -(x | y))
                if (x | y) and not (a | x) or not (b | y):
                    mask = 0
                # The low bits that are known of both give those of the product.
                product = signed(a) * signed(b)
                flags.update(dict.fromkeys("czsop"))
                if not x and not y:
                    flags["c"] = flags["o"] = int(product != signed(product & ones))
                write(product & ones, mask)
                return following
            return multiply
        if width < 32:
            raise NotRead("so narrow a product")
        if kind in ("mul", "imul"):
            def multiply_wide():
                (a, x), (b, y) = read(), (values[0] & ones, masks[0] & ones)
                hidden = x | y
                mask = ((1 << 2 * width) - 1) & -(hidden & -hidden)
                product = (signed(a) * signed(b) if kind == "imul" else a * b) & ((1 << 2 * width) - 1)
                if kind == "mul":  # no bit above those of the largest product
                    mask &= (1 << ((a | x) * (b | y)).bit_length()) - 1
                product &= ~mask
                flags.update(dict.fromkeys("czsop"))
                if not mask >> width:
                    flags["c"] = flags["o"] = int(product >> width != 0) if kind == "mul" else None
                values[0], masks[0] = product & ones, mask & ones
                values[2], masks[2] = product >> width, mask >> width
                return following
            return multiply_wide

        def divide():
            divisor, hidden = read()
            if hidden or (masks[0] | masks[2]) & ones:
                raise Refused("a division depends on a secret")
            number = (values[2] & ones) << width | values[0] & ones
            if kind == "idiv":
                divisor = signed(divisor)
                number = number - (1 << 2 * width) if number >> 2 * width - 1 else number
            quotient = abs(number) // abs(divisor)
            quotient = -quotient if (number < 0) != (divisor < 0) else quotient
            values[0], values[2] = quotient & ones, number - quotient * divisor & ones
            flags.update(dict.fromkeys("czsop"))
            return following
        return divide

    def _others(self, name, operands, address, following):
        values, masks, flags = self.values, self.masks, self.flags
        if name == "bswap":
            number, width, _ = REGISTERS[operands[0]]

            def swap():
                values[number], masks[number] = (
                    int.from_bytes((x & ((1 << width) - 1)).to_bytes(width // 8, "little"), "big")
                    for x in (values[number], masks[number]))
                return following
            return swap
        if name in ("cltq", "cqto", "cltd", "cwtl"):
            low, high, into = {"cltq": (32, 64, 0), "cqto": (64, 64, 2), "cltd": (32, 32, 2), "cwtl": (16, 32, 0)}[name]

            def extend():
                part = (1 << low) - 1
                for registers in (values, masks):
                    sign = (1 << high) - 1 if registers[0] >> low - 1 & 1 else 0
                    registers[into] = sign if into else registers[0] & part | sign & ~part
                values[into] &= ~masks[into]
                return following
            return extend
        if name == "xchg":
            width = self.width(name, operands)
            reads = [self.reader(text, width, following) for text in operands]
            writes = [self.writer(text, width, following) for text in operands]

            def exchange():
                one, other = reads[0](), reads[1]()
                writes[0](*other)
                writes[1](*one)
                return following
            return exchange
        if name in ("bt", "bts", "btr", "btc") and operands[1] in REGISTERS:
            width = REGISTERS[operands[1]][1]
            place, read = self.reader(operands[0], width, following), self.reader(operands[1], width, following)
            write = self.writer(operands[1], width, following)

            def bit():
                (by, hidden), (value, mask) = place(), read()
                by &= width - 1
                flags["c"] = None if hidden or mask >> by & 1 else value >> by & 1
                if name != "bt":
                    one = 1 << by
                    if hidden:
                        value, mask = 0, (1 << width) - 1
                    elif name == "btc":
                        value ^= one & ~mask
                    else:
                        value, mask = value & ~one | (one if name == "bts" else 0), mask & ~one
                    write(value, mask)
                flags["z"] = flags["s"] = flags["o"] = flags["p"] = None
                return following
            return bit
        if name in ("bsr", "bsf", "tzcnt", "lzcnt", "popcnt", "pext", "pdep"):
            width = REGISTERS[operands[-1]][1]
            read, write = self.reader(operands[0], width, following), self.writer(operands[-1], width, following)

            def count():
                value, mask = read()
                if name == "bsr" and value > mask:  # the first bit that is set is known
                    mask = 0
                if mask:
                    raise Refused("%s takes a secret: its time may depend on it" % name)
                if name not in ("bsr", "bsf", "tzcnt") or not value:
                    raise NotRead(name)
                write(value.bit_length() - 1 if name == "bsr" else (value & -value).bit_length() - 1, 0)
                flags.update(dict.fromkeys("czsop"))
                flags["z"], flags["c"] = 0, 0
                return following
            return count
        if name == "cmpxchg" and operands[0] in REGISTERS:
            width = self.width(name, operands)
            ones = (1 << width) - 1
            new, read = (self.reader(text, width, following) for text in operands)
            write = self.writer(operands[1], width, following)

            def compare():
                value, mask = read()
                if mask or masks[0] & ones:
                    raise Refused("an exchange depends on a secret")
                flags["z"] = int(value == values[0] & ones)
                if flags["z"]:
                    write(*new())
                else:
                    values[0] = value
                return following
            return compare
        if name == "xadd":
            width = self.width(name, operands)
            ones = (1 << width) - 1
            reads = [self.reader(text, width, following) for text in operands]
            writes = [self.writer(text, width, following) for text in operands]

            def exchange_and_add():
                (a, x), (b, y) = reads[0](), reads[1]()
                if x | y:
                    raise Refused("an atomic sum is secret")
                writes[0](b, 0)
                writes[1](a + b & ones, 0)
                flags.update(dict.fromkeys("czsop"))
                return following
            return exchange_and_add
        if name == "cpuid":
            def identify():
                answer = self.features(values[0] & 0xffffffff, values[1] & 0xffffffff)
                for number, value in zip((0, 3, 1, 2), answer):
                    values[number], masks[number] = value, 0
                return following
            return identify
        if name == "xgetbv":
            def saved():
                values[0], values[2], masks[0], masks[2] = 0xff, 0, 0, 0
                return following
            return saved
        if name == "rep":
            match = re.match(r"(movs|stos)([bwlq])? %(al|ax|eax|rax)?", operands[0])
            size = {None: 8, "b": 1, "w": 2, "l": 4, "q": 8}[match[2]]
            size = {"al": 1, "ax": 2, "eax": 4, "rax": 8}.get(match[3], size)

            def repeat():
                count, to = (self.place((values[n], masks[n])) for n in (1, 7))
                source = self.place((values[6], masks[6])) if match[1] == "movs" else 0
                for n in range(count):
                    word = (values[0], masks[0]) if match[1] == "stos" else self.load(source + n * size, size)
                    self.store(to + n * size, size, *(x & (1 << 8 * size) - 1 for x in word))
                values[1], values[7] = 0, to + count * size
                values[6] += count * size if match[1] == "movs" else 0
                return following
            return repeat
        return None
