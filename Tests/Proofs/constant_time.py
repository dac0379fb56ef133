#!/usr/bin/python3
"""Shows of whole computations (trees.py), from their compiled code, that no branch, no address and no instruction whose
time depends on its operands needs a bit of a secret, whatever the secrets are (execution.py).

    constant_time.py OBJECT                  build/customkeyboard.o
    constant_time.py OBJECT --only SM4       computations with this in their title

In each function that holds a secret in a register, a table read by it, a branch on it and a division by it are planted,
and each must be refused. And what is computed with nothing secret must be what this processor computes.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import ctypes
import os
import random
import sys
import tempfile
import time

from execution import Processor
from image import Image
from machine import NotRead
from processor import CALL, call_swift, own_functions, REGISTERS as ARGUMENTS
from registers import NAMES, Refused, REGISTERS
from trees import PROCESSORS, PUBLISHED, trees, VERDICTS

# Computations of more instructions than this are not compared with the processor.
COMPARED = 2_500_000


# ---- What libc does. Its own time depends on lengths only: that is assumed.

def copy(processor, to, source, count):
    to, source, count = (processor.place(x) for x in (to, source, count))
    if count:
        processor.store(to, count, *processor.load(source, count))
    return to


def fill(processor, to, byte, count):
    to, count = processor.place(to), processor.place(count)
    if count:
        processor.store(to, count, *(int.from_bytes(bytes([x & 255]) * count, "little") for x in byte))
    return to


def wipe(processor, to, count):
    fill(processor, to, (0, 0), count)


def nothing(_):
    return 0


LIBC = {"memcpy": copy, "memmove": copy, "memset": fill, "explicit_bzero": wipe, "secure_getenv": nothing}


# ---- Memory for arguments

class Memory:
    """In the processor that execution.py is. `seed`: nothing is secret then, and bytes are drawn."""

    def __init__(self, processor, seed=None):
        self.processor, self.draw, self.places = processor, random.Random(seed) if seed else None, []

    def secret(self, size, example=None, mask=None):
        if self.draw:
            example, mask = example or self.draw.randbytes(size), bytes(size)
        address = self.processor.allocate(size, example, not mask)
        for place, byte in enumerate(mask or b""):
            self.processor.known[address + place] &= ~byte
            self.processor.unknown[address + place] = byte
        self.places.append((address, size))
        return address

    def scratch(self, size):
        address = self.secret(size)
        self.places.pop()
        return address

    def constant(self, contents):
        return self.processor.allocate(len(contents), contents, False)

    def set_words(self, address, *numbers):
        """Known words in memory that is there."""
        for place, number in enumerate(numbers):
            self.processor.store(address + 8 * place, 8, number, 0)

    def words(self, *numbers):
        return self.constant(b"".join(number.to_bytes(8, "little") for number in numbers))


class OwnMemory(Memory):
    """In this process."""

    def __init__(self, seed):
        super().__init__(None, seed)
        self.kept = []

    def set_words(self, address, *numbers):
        ctypes.memmove(address, b"".join(number.to_bytes(8, "little") for number in numbers), 8 * len(numbers))

    def constant(self, contents):
        buffer = ctypes.create_string_buffer(contents, len(contents) + 64)
        self.kept.append(buffer)
        address = (ctypes.addressof(buffer) + 63) & -64
        ctypes.memmove(address, contents, len(contents))
        return address

    def secret(self, size, example=None, mask=None):
        self.places.append((self.constant(example or self.draw.randbytes(size)), size))
        return self.places[-1][0]


# ---- Planted secrets

def plant(processor):
    """Tries a table read, a branch and a division by a secret in each function, at the first instruction after which a
    register holds one. `processor.planted`: how many were refused."""
    decode, done = processor.decode, set()
    processor.planted, processor.functions = 0, set()

    def is_refused(texts, address):
        try:
            for text in texts:
                processor.instruction(text, address, 0)()
        except Refused:
            return True
        return False

    def decode_and_plant(address):
        step = decode(address)
        function = processor.image.lines.get(address, (None, 0, None))[2]
        processor.functions.add(function)
        if function in done or processor.image.lines[address][0].startswith(("call", "j", "ret")):
            return step

        def first():
            following = step()
            secrets = [n for n in range(16) if processor.masks[n] and n != 4]
            if secrets and function not in done:
                done.add(function)
                name, mask = "%" + NAMES[secrets[0]], processor.masks[secrets[0]]
                flags, verdicts, processor.allowed = dict(processor.flags), processor.allowed, {}
                for texts in (["movzbl (%%rsp,%s,1),%%eax" % name],
                              ["bt $%#x,%s" % (mask.bit_length() - 1, name), "jb %x" % address], ["div " + name]):
                    if not is_refused(texts, address):
                        sys.exit("not refused in %s: %s" % (function, texts))
                    processor.planted += 1
                processor.allowed = verdicts
                processor.flags.update(flags)
            processor.code[address] = step
            return following
        return first
    processor.decode = decode_and_plant


# ---- Computations

def prepare(image, tree, name, seed=None):
    processor = Processor(image, 1 << 19, LIBC)
    leaf1, ebx, ecx = PROCESSORS[name]
    processor.features = lambda leaf, part: {0: (7, 0, 0, 0), 1: (0, 0, leaf1, 0)}.get(leaf, (0, ebx, ecx, 0))
    processor.allowed = {VERDICTS[verdict][0]: VERDICTS[verdict][1] for verdict in tree.verdicts}
    for published in tree.published:
        pattern, register, size, _ = PUBLISHED[published]
        publish(processor, image.addresses[image.symbol(pattern)], REGISTERS["%" + register][0], size)
    memory = Memory(processor, seed)
    arguments = [value for argument in tree.arguments for value in argument(memory)]
    context = tree.context(memory)[0] if tree.context else None
    return processor, memory, arguments, context


def publish(processor, function, register, size):
    decode, draw = processor.decode, random.Random(1)

    def decode_and_publish(address):
        step = decode(address)
        if address != function:
            return step

        def publish_first():
            place = processor.values[register]
            if any(processor.unknown[place:place + size]):
                processor.store(place, size, draw.getrandbits(8 * size), 0)
            return step()
        return publish_first
    processor.decode = decode_and_publish


def check(image, tree, name):
    """Shows that a computation's time does not depend on its secrets. Returns the processor after it."""
    processor, _, arguments, context = prepare(image, tree, name)
    plant(processor)
    processor.call(image.addresses[image.symbol(tree.symbol)], arguments, context)
    return processor


def callers(path, symbols, compiler, folder):
    """What calls each function on this processor, with arguments and `self`."""
    functions, library = own_functions(path, symbols, compiler, folder, CALL)

    def of(function):
        def call(arguments, context):
            if context is None:
                function(*(ctypes.c_uint64(value) for value in arguments))
            else:
                assert len(arguments) <= 6, "more arguments than registers"
                call_swift(library, function, dict(zip(ARGUMENTS, arguments)), context)
        return call
    return {symbol: of(function) for symbol, function in functions.items()}


def compare(image, tree, name, own):
    """Computes with nothing secret, here and on this processor. Returns how many bits were known, and the same."""
    processor, memory, arguments, context = prepare(image, tree, name, seed=tree.title)
    processor.call(image.addresses[image.symbol(tree.symbol)], arguments, context)
    mine = OwnMemory(tree.title)
    arguments = [value for argument in tree.arguments for value in argument(mine)]
    own(arguments, tree.context(mine)[0] if tree.context else None)
    bits = 0
    for (address, size), (place, _) in zip(memory.places, mine.places):
        value, mask = processor.load(address, size)
        result = int.from_bytes(ctypes.string_at(place, size), "little")
        if (value ^ result) & ~mask:
            sys.exit("%s is not what this processor computes" % tree.title)
        bits += 8 * size - bin(mask).count("1")
    return bits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object")
    parser.add_argument("--only", default="", metavar="TITLE")
    options = parser.parse_args()
    compiler = os.environ.get("CC", "cc")
    image = Image(options.object, compiler)
    chosen = [tree for tree in trees() if options.only in tree.title]
    assert chosen, "there is no such computation"
    planted = instructions = bits = 0
    with tempfile.TemporaryDirectory() as folder:
        symbols = [image.symbol(tree.symbol) for tree in chosen]
        own = callers(options.object, sorted(set(symbols)), compiler, folder)
        for tree, symbol in zip(chosen, symbols):
            for name in tree.processors:
                begin = time.monotonic()
                try:
                    done = check(image, tree, name)
                except (Refused, NotRead) as problem:
                    sys.exit("%s, %s: not shown to be constant: %s" % (tree.title, name, problem))
                seconds = time.monotonic() - begin
                if done.count < COMPARED:
                    bits += compare(image, tree, name, own[symbol])
                print("%-36s %-9s %8d instructions, %2d functions, hash %s, %.1f s, %d planted refused, "
                      "%d verdicts%s" % (
                    tree.title, name, done.count, len(done.functions), image.hash(done.functions), seconds,
                    done.planted, len(done.verdicts), ", not followed further" if done.cut else ""), flush=True)
                planted, instructions = planted + done.planted, instructions + done.count
    print("constant time: %d computations, %d instructions, %d planted secrets refused, %d bits are the processor's" % (
        sum(len(tree.processors) for tree in chosen), instructions, planted, bits))


if __name__ == "__main__":
    main()
