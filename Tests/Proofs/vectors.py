"""Vector instructions for execution.py. Those that move bits and a few others are exact; what the rest give is unknown.

The rest are named too (TAKEN): only instructions whose time does not depend on their operands are taken.

SPDX-License-Identifier: Apache-2.0
"""

import re

from machine import NotRead
from registers import REGISTERS
from vector_orders import move_bytes, order

MOVES = r"mov(u|a)p[sd]|movdq[au](8|16|32|64)?|movntdq"
BITS = r"p?(xor|or|and|andn)(ps|pd|d|q)?"
# Sums, differences, products and comparisons of integers, rounds of AES and SHA-256, GFNI, carryless products.
TAKEN = (r"p(add|sub|mul|madd|cmp|abs|max|min|avg|sign|hadd|unpck|ack|movmsk|movzx|movsx|shuf|blend|test|erm)\w*"
         r"|ps(ll|rl|ra)[vwdq]\w*|pro[lr]\w*|pternlog[dq]|aes\w+|sha256\w+|gf2p8\w+|pclmul\w+|perm\w+|p?broadcast\w+"
         r"|align[dq]|insert\w+|extract\w+|shuf\w+|unpck\w+|movddup|blend\w+|movmskp[sd]|movdqu8")


def register(text):
    """The number and the width of a vector register."""
    match = re.match(r"%([xyz])mm(\d+)", text)
    return (int(match[2]), {"x": 128, "y": 256, "z": 512}[match[1]]) if match else None


class Operand:
    """A vector register, or memory, that is read and written as one integer of so many bits."""

    def __init__(self, processor, text, width, following):
        self.processor, self.register, self.width = processor, register(text), width
        if not self.register:
            if text in REGISTERS or text[0] == "$":
                self.read = processor.reader(text, min(width, 64), following)
                self.write = processor.writer(text, min(width, 64), following) if text[0] == "%" else None
                return
            self.read = processor.reader(text, width, following)
            self.write = processor.writer(text, width, following)

    def read(self):
        number, ones = self.register[0], (1 << self.width) - 1
        return self.processor.vectors[number] & ones, self.processor.vector_masks[number] & ones

    def write(self, value, mask, keep=False):
        """`keep`: the bits above stay."""
        number, vectors, masks = self.register[0], self.processor.vectors, self.processor.vector_masks
        above = ~((1 << self.width) - 1) if keep else 0
        vectors[number] = vectors[number] & above | value & ~mask
        masks[number] = masks[number] & above | mask


def lanes(value, mask, bits, count):
    part = (1 << bits) - 1
    return [(value >> bits * n & part, mask >> bits * n & part) for n in range(count)]


def joined(pairs, bits):
    value = mask = 0
    for n, (v, m) in enumerate(pairs):
        value, mask = value | v << bits * n, mask | m << bits * n
    return value, mask


def decode(processor, name, operands, following):
    """A function that does a vector instruction; None if it is none."""
    if re.fullmatch(r"k\w+[bwdq]", name):
        return _mask(processor, name, operands, following)
    wide = [register(text) for text in operands if register(text)]
    if not wide and name not in ("vzeroupper",):
        return None
    base = name.removeprefix("v")
    legacy = base == name
    masked = any(text.endswith("}") for text in operands)  # or one number for all lanes
    operands = [re.sub(r"\{.*\}", "", text) for text in operands]
    make = Moves(processor, base, legacy, operands, following)
    if operands[-1].startswith("%k"):  # what is in %k is never known
        sources = [make.operand(text, wide[0][1]) for text in operands[:-1]]

        def compare():
            for source in sources:
                source.read()
            return following
        return compare
    if masked:
        return make.unknown()
    for kind in (make.moves, make.parts, make.bits, make.permuted, make.arithmetic):
        step = kind()
        if step:
            return step
    if re.fullmatch(TAKEN, base):
        return make.unknown()
    raise NotRead("this vector instruction is not known")


def _mask(processor, name, operands, following):
    """%k registers: unknown, always."""
    def step():
        if name.startswith(("kortest", "ktest")):
            processor.flags.update(dict.fromkeys("czsop"))
        elif operands[-1] in REGISTERS:
            processor.writer(operands[-1], 64, following)(0, (1 << REGISTERS[operands[-1]][1]) - 1)
        elif operands[-1][:2] != "%k":
            raise NotRead("a mask goes to memory")
        return following
    return step


class Moves:
    def __init__(self, processor, name, legacy, operands, following):
        self.processor, self.name, self.legacy = processor, name, legacy
        self.operands, self.following = operands, following
        found = [register(text) for text in operands]
        self.to = found[-1]
        self.width = self.to[1] if self.to else max(f[1] for f in found if f)

    def operand(self, text, width):
        return Operand(self.processor, text, width, self.following)

    def writes(self, width=None):
        target = self.operand(self.operands[-1], width or self.width)
        legacy = self.legacy

        def write(value, mask):
            if target.register:
                target.write(value, mask, legacy)
            else:
                target.write(value, mask)
        return write

    def moves(self):
        if not re.fullmatch(MOVES, self.name) or len(self.operands) != 2:
            return None
        source, write, following = self.operand(self.operands[0], self.width), self.writes(), self.following

        def move():
            write(*source.read())
            return following
        return move

    def parts(self):
        """Moves of a part: what is above becomes zero, or stays."""
        name, operands, following = self.name, self.operands, self.following
        size = {"movq": 64, "movd": 32, "movsd": 64, "movss": 32}.get(name)
        if size and len(operands) == 2:
            target, source = operands[-1], self.operand(operands[0], size)
            keeps = name in ("movsd", "movss") and all(register(text) for text in operands)
            if not register(target):
                write = self.processor.writer(target, size, following)
            elif keeps:
                part = self.operand(target, size)
                def write(value, mask): part.write(value, mask, True)
            else:
                whole = self.operand(target, 128)
                def write(value, mask): whole.write(value, mask, self.legacy)

            def move():
                write(*source.read())
                return following
            return move
        if name in ("movlps", "movhps", "movlpd", "movhpd") and len(operands) == 2:
            shift = 64 if name[3] == "h" else 0
            whole = self.operand(operands[-1] if self.to else operands[0], 128)
            memory = self.operand(operands[0] if self.to else operands[-1], 64)

            def half():
                (value, mask) = whole.read()
                if self.to:
                    v, m = memory.read()
                    keep = ~(((1 << 64) - 1) << shift)
                    whole.write(value & keep | v << shift, mask & keep | m << shift, True)
                else:
                    memory.write(value >> shift & (1 << 64) - 1, mask >> shift & (1 << 64) - 1)
                return following
            return half
        match = re.fullmatch(r"p(insr|extr)([bwdq])|(insert|extract)[if](128|32x4|64x4|64x2)", name)
        if not match:
            return None
        number = int(operands[0][1:], 16)
        size = {"b": 8, "w": 16, "d": 32, "q": 64}.get(match[2]) or {"64x4": 256}.get(match[4], 128)
        part_of = (128 if match[2] else register(operands[1])[1]) if "ext" in name else self.width
        shift = number % (part_of // size) * size
        ones = (1 << size) - 1
        if "ext" in name:
            source, target = self.operand(operands[1], part_of), self.operand(operands[2], size)

            def extract():
                value, mask = source.read()
                target.write(value >> shift & ones, mask >> shift & ones)
                return following
            return extract
        part, write = self.operand(operands[1], size), self.writes()
        old = self.operand(operands[-2] if len(operands) == 4 else operands[-1], self.width)

        def insert():
            (v, m), (value, mask) = part.read(), old.read()
            write(value & ~(ones << shift) | (v & ones) << shift, mask & ~(ones << shift) | (m & ones) << shift)
            return following
        return insert

    def bits(self):
        name, following = self.name, self.following
        sources, write = self.sources(), None
        if name in ("pternlogd", "pternlogq"):
            table = int(self.operands[0][1:], 16)
            third, write, ones = self.operand(self.operands[-1], self.width), self.writes(), (1 << self.width) - 1

            def choose():
                if table in (0, 255):
                    write(ones if table else 0, 0)
                    return following
                (b, y), (c, z) = (source.read() for source in sources)
                a, x = third.read()
                value, mask = 0, x | y | z
                for n in range(8):
                    if table >> n & 1:
                        value |= (a if n & 4 else ~a) & (b if n & 2 else ~b) & (c if n & 1 else ~c)
                write(value & ones & ~mask, mask)
                return following
            return choose
        match = re.fullmatch(BITS, name)
        if not match:
            return None
        kind, write, ones = match[1], self.writes(), (1 << self.width) - 1
        same = kind in ("xor", "andn") and len(set(self.operands[:2])) == 1

        def both():
            if same:
                write(0, 0)
                return following
            (b, y), (c, z) = (source.read() for source in sources)
            if kind == "andn":
                b = ~b & ones & ~y
            if kind == "xor":
                value, mask = b ^ c, y | z
            elif kind == "or":
                value, mask = b | c, (y | z) & ~b & ~c
            else:
                value, mask = b & c, (y | z) & (b | y) & (c | z)
            write(value & ~mask, mask)
            return following
        return both

    def sources(self):
        """The two sources: the second operand's, which the result may replace, first."""
        texts = [text for text in self.operands if text[0] != "$"]
        first = texts[-2] if len(texts) > 2 else texts[-1]
        return self.operand(first, self.width), self.operand(texts[0], self.width)

    def permuted(self):
        number = int(self.operands[0][1:], 16) if self.operands[0][0] == "$" else 0
        following, write, size = self.following, None, self.width // 8
        if re.fullmatch(r"p?broadcast([bwdq]|ss|sd|i128|i32x4)|movddup", self.name):
            count = {"b": 1, "w": 2, "d": 4, "ss": 4, "i128": 16, "i32x4": 16}.get(self.name.split("cast")[-1], 8)
            source, write = self.operand(self.operands[0], 8 * count), self.writes()

            def broadcast():
                value, mask = (int.from_bytes((x & (1 << 8 * count) - 1).to_bytes(count, "little") * (size // count),
                                              "little") for x in source.read())
                write(value, mask)
                return following
            return broadcast
        sources = self.sources()
        if self.name == "pshufb":
            write = self.writes()

            def shuffle():
                (value, mask), (control, hidden) = (source.read() for source in sources)
                if hidden:
                    write(0, (1 << self.width) - 1)
                    return following
                places = [None if c & 128 else n // 16 * 16 + c % 16
                          for n, c in enumerate(control.to_bytes(size, "little"))]
                write(move_bytes(places, value, 0, size), move_bytes(places, mask, 0, size))
                return following
            return shuffle
        places = order(self.name, number, self.width)
        if places is None:
            return None
        write = self.writes()

        def permute():
            (value, mask), (other, hidden) = (source.read() for source in sources)
            write(move_bytes(places, value, other, size), move_bytes(places, mask, hidden, size))
            return following
        return permute

    def arithmetic(self):
        """Sums, differences and shifts of lanes."""
        match = re.fullmatch(r"p(add|sub|cmpeq|cmpgt|mulu|muld|srl|sll|sra|rol)([bwdq])q?", self.name)
        if not match:
            return None
        kind, bits = match[1], {"b": 8, "w": 16, "d": 32, "q": 64}[match[2]]
        if kind in ("mulu", "muld"):
            return None
        shifts, following = kind in ("srl", "sll", "sra", "rol"), self.following
        if shifts and self.operands[0][0] != "$":
            return None
        by = int(self.operands[0][1:], 16) if shifts else 0
        sources, write, part = self.sources(), self.writes(), (1 << bits) - 1
        sources, count = sources[1:] if shifts else sources, self.width // bits
        same = kind == "cmpeq" and len(set(self.operands[:2])) == 1

        def moved(value):
            if kind == "rol":
                return (value << by % bits | value >> (bits - by % bits)) & part
            if by >= bits:
                return part if kind == "sra" and value >> bits - 1 else 0
            if kind == "sll":
                return value << by & part
            return value >> by | (part ^ part >> by if kind == "sra" and value >> bits - 1 else 0)

        def signed(value):
            return value - (1 << bits) if value >> bits - 1 else value

        def compute():
            found = [lanes(*source.read(), bits, count) for source in sources]
            if same:
                result = [(part, 0)] * count
            elif shifts:
                result = [(moved(value), moved(mask)) for value, mask in found[0]]
            else:
                result = []
                for (a, x), (b, y) in zip(*found):
                    if x | y:
                        result.append((0, part))
                    else:
                        result.append(({"add": a + b & part, "sub": a - b & part, "cmpeq": part * (a == b),
                                        "cmpgt": part * (signed(a) > signed(b))}[kind], 0))
            write(*joined(result, bits))
            return following
        return compute

    def unknown(self):
        """What this gives is not known; the addresses that it reads must be."""
        following, name, operands = self.following, self.name, self.operands
        if re.search("gather|scatter|maskmov|compress|expand", name):
            raise NotRead("an address may be secret")
        narrow = name.startswith(("pmovzx", "pmovsx", "broadcast", "pbroadcast"))
        sources = [self.operand(text, 64 if narrow else self.width) for text in operands[:-1]
                   if text[0] != "$" and not text.startswith("%k")]
        if self.to:
            write, ones = self.writes(), (1 << self.width) - 1
        elif operands[-1] in REGISTERS:
            write = self.processor.writer(operands[-1], 64, following)
            ones = (1 << REGISTERS[operands[-1]][1]) - 1
        else:
            raise NotRead("so many bytes go to memory?")
        tests = "test" in name

        def step():
            for source in sources:
                if not source.register:
                    source.read()
            if tests:
                self.processor.flags.update(dict.fromkeys("czsop"))
            else:
                write(0, ones)
            return following
        return step
