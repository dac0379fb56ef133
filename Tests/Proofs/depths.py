#!/usr/bin/python3
"""Computes from the compiled code how deep the stack is under each function that wipes it, and under all that runs on a
stack of its own, and shows that what is wiped reaches as far (residue.h), on each path of SM4.

    depths.py OBJECT MBEDTLS RESIDUE           build/customkeyboard.o, libmbedcrypto.a, residue.h; x86-64
    depths.py OBJECT MBEDTLS RESIDUE --all     each stack, and what is deepest in it

Then in every fourth of them a frame is made larger, and each must be refused.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import copy
import re
import sys

from calls import CLEANER, Calls, Unnamed

OWN = 16  # What wipes begins below its own frames: two addresses to return to.
WIPES = r"ResidueO4wipe(33_\w+LLyys6UInt64V|yyAC5Reach)"
# `wiped` for a reach that is known when it runs: on a stack of its own, or as deep as block ciphers go. What needs more
# says so by its reach (`SealingWay.reach`, `Way.reachOfKeys`), and its bodies are among the stacks of their own.
DEFERRED = r"ResidueO5wiped\S*deferL_"
NEEDS_OTHER_STACK = r"^\$e\d+Keyboard(Curves|RSA|Lattice)"
TO_OTHER_STACK = r"ResidueO10onOwnStack|KeptStackV3run|^keyboard_on_stack$"
OVERWRITES = r"^keyboard_wipe_.mm$|^__stack_chk_fail$"  # or ends the process
PREPARES = r"ResidueO7prepare|DESO4bindyyFZ|bind_|^aes_gen_tables$"  # before there is a secret
PORTABLE, GROUP = r"KeyboardSM48Portable", r"Portable\w*crypt32"  # of 32 blocks
# Keys of sealed texts are checked as deep as curves go (`Way.reachOfKeys`); nothing tells here who passes which.
AS_DEEP_AS_KEYS = r"6HandleV16callCompiledOnce"

# `bound`: bytes that are wiped under a function. `called`: what it calls, and what was taken before. `skipped`: a
# pattern of functions that are not looked into.
Stack = collections.namedtuple("Stack", "path bound symbol called skipped")


def constants_of(path):
    """The depths of residue.h."""
    with open(path, encoding="utf-8") as file:
        return {name: int(value) for name, value in re.findall(r"KEYBOARD_(\w*STACK_DEPTH) = (\d+)", file.read())}


def limits(instructions, constants):
    """How far a function wipes: one of the constants, 64 for registers alone, 0 for what block ciphers need here."""
    found, constant = set(), 0
    for instruction in instructions:
        if re.match(r"(or|mov)", instruction.name) and re.fullmatch(r"\$0x\w+00", instruction.operands[0]):
            constant = int(instruction.operands[0][1:], 16) >> 8
        if re.search(WIPES + "|" + DEFERRED, instruction.target or ""):
            found.add(constant if constant in (64, *constants.values()) else 0)
            constant = 0
    return found


def stacks(calls, constants):
    skip = "|".join((TO_OTHER_STACK, OVERWRITES, PREPARES))
    for symbol in calls.library.listings:
        found = limits(calls.library.function(symbol), constants)
        # The function `wiped` is a part of each function that calls it.
        if found - {64} and not re.search("ResidueO5wiped|ResidueO4wipe", symbol):
            calls.wiping[symbol] = found
    for symbol, found in sorted(calls.wiping.items()):
        called = sorted(((target, taken) for _, target, taken in calls.frame(symbol).calls
                         if target and not re.search(WIPES + "|" + skip, target)), key=str)
        is_deferred = any(re.search(DEFERRED, i.target or "") for i in calls.library.function(symbol))
        if re.search(AS_DEEP_AS_KEYS, symbol):
            found = found | {constants["DEEP_STACK_DEPTH"]}
        for path, normal, skipped in (("", constants["STACK_DEPTH"], PORTABLE),
                                      ("portable", constants["PORTABLE_STACK_DEPTH"], GROUP)):
            bound = max(limit or normal for limit in found)
            if path and (is_deferred or bound == constants["CIPHER_STACK_DEPTH"]):
                continue  # Residue.runsOnOwnStack
            if is_deferred:
                skipped += "|" + NEEDS_OTHER_STACK
            yield Stack(path, bound + OWN, symbol, called, skip + "|" + skipped)
    for symbol in sorted({caller for target, callers in calls.callers.items() for caller in callers
                          if re.search(TO_OTHER_STACK, target or "") and "ResidueO" not in caller}):
        for body in sorted(calls.taken[symbol]):
            yield Stack("its own", constants["DEEP_STACK_DEPTH"], symbol, [(body, calls.taken[symbol])],
                        skip + "|" + GROUP)
    # cryptMany wipes what lies deeper itself, in the frames of CLEANER.
    cleaner, = (name for name in calls.library.listings if re.search(CLEANER, name))
    caller, = calls.callers[cleaner] - {cleaner}
    groups = [(target, taken) for _, target, taken in calls.frame(caller).calls if re.search(GROUP, target or "")]
    yield Stack("cleaned", calls.depth(cleaner, frozenset(), frozenset(), frozenset(), skip)[0], caller, groups, skip)


def is_refused(calls, stack, chain):
    """Whether a stack is too deep when the last frame in it is so much larger."""
    name = [symbol for symbol in chain if calls.library_of(symbol)][-1]
    kept, planted = calls.frame(name), copy.copy(calls.frame(name))
    planted.deepest += stack.bound
    planted.calls = {(depth + stack.bound, target, taken) for depth, target, taken in kept.calls}
    calls.frames[name], calls.memo = planted, {}
    try:
        return calls.deepest(stack.called, stack.symbol, stack.skipped)[0] > stack.bound
    finally:
        calls.frames[name], calls.memo = kept, {}


def main():
    path, archive, header = sys.argv[1:4]
    calls, constants = Calls(path, archive), constants_of(header)
    deepest = []
    for stack in stacks(calls, constants):
        depth, chain = calls.deepest(stack.called, stack.symbol, stack.skipped)
        if depth > stack.bound:
            sys.exit("%s %s: %d bytes, of which %d are wiped:\n  %s" % (
                stack.path, stack.symbol, depth, stack.bound, "\n  ".join(chain)))
        deepest.append((depth, stack, chain))
    for depth, stack, chain in sorted(deepest, key=lambda row: row[:1]):
        if "--all" in sys.argv:
            print("%-9s%6d of %5d  %s\n    %s" % (stack.path, depth, stack.bound, stack.symbol, "\n    ".join(chain)))
    planted = [(stack, chain) for _, stack, chain in deepest if chain][::4]
    for stack, chain in planted:
        if not is_refused(calls, stack, chain):
            sys.exit("%s: a larger frame is not seen: %s" % (stack.symbol, chain))
    # And an address that nobody took.
    name = next(symbol for symbol in calls.library.listings if "ResidueO5below" in symbol)
    try:
        calls.depth(name, frozenset(), frozenset(), frozenset(), "$^")
        sys.exit("an address that nobody took is not noticed")
    except Unnamed:
        pass
    for kind, bound in (("", "STACK_DEPTH"), ("portable", "PORTABLE_STACK_DEPTH"), ("its own", "DEEP_STACK_DEPTH")):
        print("depths: %-9s at most %5d of %5d bytes" % (kind, max(
            depth for depth, stack, _ in deepest if stack.path == kind and stack.bound <= constants[bound] + OWN),
            constants[bound] + (0 if kind == "its own" else OWN)))
    print("depths: %d stacks, %d planted frames refused" % (len(deepest), len(planted)))


if __name__ == "__main__":
    main()
