#!/usr/bin/env python3
"""Looks at the instructions of the library's comparisons (ConstantTime.swift): no jump depends on what they compare.

    constant-time.py DIRECTORY      of KeyboardMemory's objects, x86-64; needs binutils and a C compiler

What is read through the arguments is secret, and so is what is computed from it; the fixed point over all instructions
is taken. A jump after an instruction that sets flags from a secret is a fault. As a control, a comparison that ends at
the first difference is compiled, and must be one.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

CONTROL = """
int isEqual_ConstantTime(const unsigned char *one, const unsigned char *other, long count) {
  for (long i = 0; i < count; i++)
    if (one[i] != other[i]) return 0;
  return 1;
}
"""
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t([a-z0-9]+)\s*(.*)$")
# All names of a general register, and of a vector register.
FAMILIES = [{"r" + n, "e" + n, n, n.replace("x", "l"), n.replace("x", "h")} for n in ("ax", "bx", "cx", "dx")]
FAMILIES += [{"r" + n, "e" + n, n, n + "l"} for n in ("si", "di", "bp", "sp")]
FAMILIES += [{"r%d" % n, "r%dd" % n, "r%dw" % n, "r%db" % n} for n in range(8, 16)]
FAMILY = {name: min(family) for family in FAMILIES for name in family}
WRITES_NOTHING = ("cmp", "test", "ucomis", "ptest", "bt", "j", "nop", "ret", "endbr", "push", "pop", "call", "ud2")
LEAVES_FLAGS = ("mov", "lea", "p", "v", "set", "cmov", "nop", "j", "ret", "endbr", "call", "not")


def registers(text):
    return {FAMILY.get(name, re.sub("^[xyz]mm", "mm", name)) for name in re.findall(r"%(\w+)", text)}


def functions(path):
    """Name and instructions of each function."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, stdout=subprocess.PIPE).stdout
    name, found = None, {}
    for line in text.decode().splitlines():
        header, instruction = FUNCTION.match(line), INSTRUCTION.match(line)
        if header:
            name = header.group(1)
        elif instruction and name:
            operands = instruction.group(2).split("#")[0].split("<")[0].strip()
            found.setdefault(name, []).append((instruction.group(1), operands))
    return found


def step(operation, operands, secret):
    """Whether what this instruction computes is secret."""
    memory = re.findall(r"-?(?:0x[0-9a-f]+)?\([^)]*\)", operands)
    reads = any("%rsp" not in place and "%rbp" not in place and "%rip" not in place for place in memory)
    if operation.startswith("lea"):
        return bool(registers(operands.rsplit(",%", 1)[0]) & secret)
    sources = operands
    is_move = operation.startswith(("mov", "set")) or operation.startswith("v") and operands.count(",") > 1
    parts = re.findall(r"[^,(]*\([^)]*\)|[^,]+", operands)
    if is_move and len(parts) > 1:
        sources = ",".join(parts[:-1])
    if operation.startswith(("pxor", "xor")) and len(parts) == 2 and parts[0] == parts[1]:
        return False
    return reads or bool(registers(sources) & secret)


def faults(instructions):
    """Jumps that depend on a secret."""
    secret, found = set(), set()
    for _ in range(len(instructions) + 1):
        before, flags = set(secret), False
        for place, (operation, operands) in enumerate(instructions):
            is_secret = step(operation, operands, secret)
            if operation.startswith("j") and operation != "jmp" and flags:
                found.add("%d: %s %s" % (place, operation, operands))
            if not operation.startswith(LEAVES_FLAGS) or operation.startswith("ptest"):
                flags = is_secret
            if operation.startswith(("set", "cmov")) and flags:
                is_secret = True
            if not operation.startswith(WRITES_NOTHING) and is_secret:
                secret |= registers(operands.rsplit(",", 1)[-1] if "," in operands else operands)
        if secret == before:
            return sorted(found)
    return sorted(found)


def looked_at(paths):
    found = {}
    for path in paths:
        for name, instructions in functions(path).items():
            if "ConstantTime" in name and "isEqual" in name:
                found[name] = instructions
    return found


def main():
    compared = looked_at(glob.glob(os.path.join(sys.argv[1], "*.o")))
    if len(compared) != 2:
        sys.exit("constant-time: %d comparisons found, not 2: %s" % (len(compared), sorted(compared)))
    with tempfile.TemporaryDirectory() as work:
        source, built = os.path.join(work, "control.c"), os.path.join(work, "control.o")
        with open(source, "w") as file:
            file.write(CONTROL)
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-c", "-o", built, source], check=True)
        control = [faults(instructions) for instructions in looked_at([built]).values()]
    if len(control) != 1 or not control[0]:
        sys.exit("constant-time: the control is not found")
    for name, instructions in sorted(compared.items()):
        jumps = [operation for operation, _ in instructions if operation.startswith("j") and operation != "jmp"]
        if not jumps or any(operation == "call" for operation, _ in instructions):
            sys.exit("constant-time: %s has no loop, or calls something" % name)
        found = faults(instructions)
        if found:
            sys.exit("constant-time: %s jumps by what it compares: %s" % (name, "; ".join(found)))
    print("constant-time: %d comparisons and a control" % len(compared))


main()
