#!/usr/bin/env python3
"""Lists where each instruction of an x86-64 program accesses memory, for follow.h: `objdump -d PROGRAM | operands.py`.

One line for each: address, and base, index (numbers as in follow.h, or -1), scale, displacement. Accesses whose address
is in the instruction itself are left out. push, pop, call, ret and string instructions are listed with the registers
that they use.

SPDX-License-Identifier: Apache-2.0
"""

import re
import sys

NUMBERS = {name: i for i, name in enumerate("rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split())}
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )*\s*\t?(.*)$")
OPERAND = re.compile(r"(-?0x[0-9a-f]+)?\((%\w+)?(?:,(%\w+),([1248]))?\)")
STACK = re.compile(r"^(push|pop|call|ret|leave)")
STRING = re.compile(r"^(rep\w* )?(stos|movs[bwlq]? |lods|scas|cmps)")


def number(register):
    """A general register's number. A vector register is an error: no address may come from one."""
    if register is None or register == "%rip":
        return -1
    name = register.lstrip("%")
    if name not in NUMBERS:
        sys.exit("an address is made from %s" % register)
    return NUMBERS[name]


def main():
    count = 0
    for line in sys.stdin:
        found = INSTRUCTION.match(line.rstrip("\n"))
        if not found:
            continue
        address, text = found.groups()
        text = text.split("#")[0]
        count += 1
        if STACK.match(text):
            print(address, NUMBERS["rsp"], -1, 1, 0)
        if STRING.match(text):
            print(address, NUMBERS["rdi"], NUMBERS["rsi"], 1, 0)
        elif not re.match(r"^(lea|nop|data16|cs nop|xchg +%ax)", text):
            for displacement, base, index, scale in OPERAND.findall(text):
                if base != "%rip" and "(" in text:
                    print(address, number(base or None), number(index or None), scale or 1, int(displacement or "0", 16))
    if count < 1000:
        sys.exit("only %d instructions" % count)


main()
