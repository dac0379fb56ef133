"""How much stack a compiled function has in use where it calls others: its frame, read from its machine code.

SPDX-License-Identifier: Apache-2.0
"""

import re

from machine import NotRead


def number(text):
    """A constant, as objdump prints it."""
    value = int(text, 16)
    return value - (1 << 64) if value >= 1 << 63 else value


class Frame:
    """The frame of one function.

    - `deepest`: bytes of stack below its caller's frame, the return address among them.
    - `calls`: (bytes in use at the call, the symbol that is called, or None if an address in a register is called, the
      functions whose addresses may have been taken before).
    """

    def __init__(self, symbol, instructions, pointers, taken):
        """`taken`: the functions whose addresses an instruction takes."""
        self.symbol, self.instructions, self.pointers = symbol, instructions, pointers
        self.places = {int(re.match(r"\s*([0-9a-f]+):", i.text)[1], 16): n for n, i in enumerate(instructions)}
        # For each instruction that is reached: the bytes in use, and those that %rbp points behind.
        self.states = {0: (8, None)}
        self._called, self._order, self.deepest, todo = {}, {}, 8, [0]
        while todo:
            place = todo.pop()
            steps = self._step(place, *self.states[place])
            self._order[place] = [following for following, _ in steps]
            for following, state in steps:
                if following not in self.states:
                    self.states[following] = state
                    todo.append(following)
                elif self.states[following][0] != state[0]:
                    raise NotRead("two depths in %s: %s" % (symbol, instructions[following].text))
        before = self._before([taken(instruction) for instruction in instructions])
        self.calls = {(depth, target, before[place]) for place, (depth, target) in self._called.items()}

    def _before(self, taken):
        """For each instruction, what may have been taken before it, on any way to it."""
        before, todo = {0: frozenset()}, [0]
        while todo:
            place = todo.pop()
            after = before[place] | taken[place]
            for following in self._order[place]:
                if following not in before or not after <= before[following]:
                    before[following] = before.get(following, frozenset()) | after
                    todo.append(following)
        return before

    def _table(self, place):
        """The instructions that a jump through a table leads to: the last table whose address was taken before."""
        tables = [(n, i.target, i.addend + 4) for n, i in enumerate(self.instructions)
                  if i.name == "lea" and i.target in self.pointers]
        _, section, start = max(table for table in tables if table[0] < place)
        ends = [begin for _, other, begin in tables if other == section and begin > start]
        found = [addend - offset + start for offset, _, _, addend in self.pointers[section]
                 if start <= offset < min(ends, default=1 << 63)]
        # What cannot happen leads behind the function.
        found = [self.places[target] for target in found if target <= max(self.places)]
        if not found:
            raise NotRead("an empty table in " + self.symbol)
        return found

    def _step(self, place, depth, base):
        """What follows an instruction, and the state there."""
        instruction = self.instructions[place]
        name, operands, target = instruction.name, instruction.operands, instruction.target
        following = [place + 1] if place + 1 < len(self.instructions) else []
        if name == "push":
            depth += 8
        elif name == "pop":
            depth -= 8
        elif name == "leave":
            depth, base = base - 8, None
        elif name == "mov" and operands == ["%rsp", "%rbp"]:
            base = depth
        elif operands and operands[-1] == "%rsp" and name not in ("cmp", "test"):
            depth = self._moved(instruction, depth, base)
        elif name.startswith("call"):
            inside = re.match(r"([0-9a-f]+) <[^>]*\+0x", operands[0]) if not target else None
            if inside:  # a part of it, which returns
                return [(self.places[int(inside[1], 16)], (depth + 8, base))] + [(n, (depth, base)) for n in following]
            self._called[place] = depth, self.callee(operands, target)
        elif name == "notrack":  # a jump through a table
            following = self._table(place)
        elif name in ("ret", "ud2", "hlt"):
            following = []
        elif name.startswith("j"):
            following = self._jump(place, depth, following)
        self.deepest = max(self.deepest, depth)
        return [(n, (depth, base)) for n in following]

    @staticmethod
    def _moved(instruction, depth, base):
        name, source = instruction.name, instruction.operands[0]
        if name == "sub" and source[0] == "$":
            return depth + number(source[1:])
        if name == "add" and source[0] == "$":
            return depth - number(source[1:])
        if name == "and" and source[0] == "$":  # to a multiple: as many bytes as that can take
            return depth - number(source[1:]) - 8
        if name == "mov" and source == "%rbp":
            return base
        match = re.fullmatch(r"(-?)(0x[0-9a-f]+)\((%rbp|%rsp)\)", source)
        if name == "lea" and match:
            count = int(match[2], 16) * (-1 if match[1] else 1)
            return (base if match[3] == "%rbp" else depth) - count
        raise NotRead("a frame of unknown size: " + instruction.text)

    @staticmethod
    def callee(operands, target):
        if operands[0].startswith("*"):
            return None
        if target:
            return target.removeprefix(".text.")
        return re.search(r"<([^+>]*)>", operands[0])[1]

    def _jump(self, place, depth, following):
        instruction = self.instructions[place]
        operands, target = instruction.operands, instruction.target
        following = [] if instruction.name == "jmp" else following
        match = re.match(r"([0-9a-f]+) <([^+>]*)(\+0x[0-9a-f]+)?>", operands[0])
        inside = match and self.places.get(int(match[1], 16))
        # To another function, at its end: that has this one's place on the stack.
        if operands[0].startswith("*"):
            self._called[place] = depth - 8, None
        elif target:
            self._called[place] = depth - 8, target.removeprefix(".text.")
        elif match and not match[3] and inside != 0:
            self._called[place] = depth - 8, match[2]
        elif inside is not None:
            return following + [inside]
        else:
            raise NotRead("a jump to nowhere: " + instruction.text)
        return following
