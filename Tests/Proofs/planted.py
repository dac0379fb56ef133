"""Bugs in compiled code, which the proofs must refuse: what a compiler, or a hand, may get wrong.

SPDX-License-Identifier: Apache-2.0
"""

import random

ARITHMETIC = ("add", "adc", "sub", "sbb", "mul", "mulq", "imul", "and", "shl", "shr", "shld", "setb")


def changed(instruction):
    """The bugs of one instruction: what is wrong, and the instruction, or None where it is left out."""
    name, operands = instruction.name, instruction.operands
    if name in ("adc", "sbb"):
        yield "a carry is dropped", instruction._replace(name={"adc": "add", "sbb": "sub"}[name])
    if name in ("add", "sub") and operands[1] != "%rsp":
        yield "a sum is a difference", instruction._replace(name={"add": "sub", "sub": "add"}[name])
    if name in ARITHMETIC and operands[-1] != "%rsp":
        yield "left out", None
    takes_constant = name in ("add", "adc", "sub", "sbb", "mov", "and", "shl", "shr", "movabs")
    if takes_constant and operands[0][0] == "$" and operands[1] != "%rsp":
        number = int(operands[0][1:], 16)
        yield "another constant", instruction._replace(operands=["$0x%x" % (number ^ 1)] + operands[1:])
    if name in ("add", "adc", "mul", "mulq", "mov") and operands[0].endswith("(%rbp)") and operands[0][0] != "%":
        place = int(operands[0].split("(")[0], 16)
        yield "another word", instruction._replace(operands=["%s0x%x(%%rbp)" % ("-" * (place + 8 < 0), abs(place + 8))]
                                                   + operands[1:])


# How far a loop goes that does several words at a time: another constant may say the same.
HOW_FAR = ("and", "movabs")


def is_idle(function, place):
    """Whether what a register gets is gone with the next instruction, which takes the carry alone."""
    following = function[place + 1:place + 2]
    return any(other.name == "sbb" and set(other.operands) == {function[place].operands[-1]} for other in following)


def bugs(function, count, seed, places=None, changed=changed):
    """Draws `count` of a function's bugs: what is wrong, where, and the changed function. `places`: of a function with
    loops, the instructions that are run."""
    every = [(place, what, instruction) for place, old in enumerate(function) for what, instruction in changed(old)
             if not (old.name == "mov" and is_idle(function, place))
             and (places is None or place in places and (what != "another constant" or old.name not in HOW_FAR))]
    random.Random(seed).shuffle(every)
    for place, what, instruction in every[:count]:
        planted = [] if instruction is None else [instruction]
        yield what, function[place].text, function[:place] + planted + function[place + 1:]
