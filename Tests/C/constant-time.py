#!/usr/bin/env python3
"""Looks at the instructions of the libraries' comparisons (ConstantTime.swift): no jump depends on what they compare.
Then, that functions which compare secrets call them, and have no comparison of their own.

    constant-time.py DIRECTORY      of the build, x86-64; needs binutils and a C compiler

A module may have a copy of a comparison; each copy is looked at. What is read through the arguments is secret, and so
is what is computed from it; the fixed point over all instructions is taken. A jump after an instruction that sets flags
from a secret is a fault. As a control, a comparison that ends at the first difference is compiled, and must be one.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

# What compares secrets, tags and digests: a module, and parts of the names of its functions. Smaller functions, such as
# `openByRSA` and `openBySM2`, are inside them.
CALLERS = {
    "KeyboardMemory": ["11MaskedBytesV7isEqual"],
    "KeyboardGCM": ["6AESGCMV4open"],
    "KeyboardSealing": ["SM4GCMO4open", "9openBlock", "11SealedBatchV4open"],
    "KeyboardVerifiers": ["8VerifierV5check"],
    "KeyboardVault": ["9openState", "8checkSum", "11tryPasscode", "6HandleV7replace"],
}

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
    """Name and instructions of each function; a call's operand is what it calls, which the linker fills in."""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path], check=True, stdout=subprocess.PIPE).stdout
    name, found = None, {}
    for line in text.decode().splitlines():
        header, instruction = FUNCTION.match(line), INSTRUCTION.match(line)
        if header:
            name = header.group(1)
        elif instruction and name:
            operands = instruction.group(2).split("#")[0].split("<")[0].strip()
            found.setdefault(name, []).append((instruction.group(1), operands))
        elif name in found and "R_X86_64_P" in line and found[name][-1][0] in ("call", "jmp"):
            found[name][-1] = (found[name][-1][0], line.split()[-1])
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


def is_comparison(name):
    return "ConstantTime" in name and "isEqual" in name


def looked_at(paths):
    """The comparisons, by the file and the name."""
    found = {}
    for path in paths:
        for name, instructions in functions(path).items():
            if is_comparison(name):
                found[os.path.basename(os.path.dirname(path)), name] = instructions
    return found


def calls_comparison(instructions):
    return any(operation in ("call", "jmp") and is_comparison(operands) for operation, operands in instructions)


def check_callers(build):
    """Each of CALLERS calls a comparison."""
    count = 0
    for module, parts in CALLERS.items():
        found = {}
        for path in glob.glob(os.path.join(build, module + ".build", "*.o")):
            found.update(functions(path))
        for part in parts:
            callers = [name for name in found if part in name]
            if not any(calls_comparison(found[name]) for name in callers):
                sys.exit("constant-time: %s does not compare in constant time (%d functions)" % (part, len(callers)))
            count += 1
    return count


def main():
    build = sys.argv[1]
    compared = looked_at(glob.glob(os.path.join(build, "*.build", "*.o")))
    own = [name for module, name in compared if module == "KeyboardMemory.build"]
    if len(own) != 2:
        sys.exit("constant-time: %d comparisons found, not 2: %s" % (len(own), sorted(own)))
    with tempfile.TemporaryDirectory() as work:
        source, built = os.path.join(work, "control.c"), os.path.join(work, "control.o")
        with open(source, "w") as file:
            file.write(CONTROL)
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-c", "-o", built, source], check=True)
        control = [faults(instructions) for instructions in looked_at([built]).values()]
    if len(control) != 1 or not control[0]:
        sys.exit("constant-time: the control is not found")
    for (module, name), instructions in sorted(compared.items()):
        jumps = [operation for operation, _ in instructions if operation.startswith("j") and operation != "jmp"]
        if not jumps or any(operation == "call" for operation, _ in instructions):
            sys.exit("constant-time: %s in %s has no loop, or calls something" % (name, module))
        found = faults(instructions)
        if found:
            sys.exit("constant-time: %s in %s jumps by what it compares: %s" % (name, module, "; ".join(found)))
    callers = check_callers(build)
    print("constant-time: %d comparisons and a control, %d callers" % (len(compared), callers))


main()
