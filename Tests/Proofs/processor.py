"""Compares how the code was read with what the processor does: the samples of each theorem, and their results.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import re
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def compare(library, theorems, compiler):
    """Runs each theorem's function on its samples. Returns how many results were compared; all must be equal."""
    symbols = sorted({library.symbol(theorem.symbol) for theorem in theorems})
    with tempfile.TemporaryDirectory() as folder:
        copy, program = os.path.join(folder, "copy.o"), os.path.join(folder, "processor")
        names = ["proved_%d" % place for place in range(len(symbols))]
        changes = [option for name, symbol in zip(names, symbols)
                   for option in ("--redefine-sym", "%s=%s" % (symbol, name), "--globalize-symbol=" + name)]
        subprocess.run(["objcopy", *changes, library.path, copy], check=True)
        subprocess.run([compiler, "-std=gnu11", "-O1", "-Wall", "-Werror", "-z", "noexecstack",
                        "-DFUNCTIONS=" + "".join("void %s(void);" % name for name in names),
                        "-DNAMES=" + ",".join(names), os.path.join(HERE, "processor.c"), copy, "-lmbedcrypto", "-o",
                        program], check=True)
        calls = [(theorem, sample) for theorem in theorems for sample in theorem.samples]
        lines = ["%d %s" % (symbols.index(library.symbol(theorem.symbol)), " ".join("%x" % word for word in given))
                 for theorem, (given, _) in calls]
        said = subprocess.run([program], input="\n".join(lines), check=True, capture_output=True, text=True).stdout
    answers = [[int(word, 16) for word in line.split()] for line in said.splitlines()]
    assert len(answers) == len(calls)
    for (theorem, (given, result)), answer in zip(calls, answers):
        assert theorem.agrees(answer, result), "%s of %s: read as %s, computed as %s" % (
            theorem.title, given, result, answer)
    return len(calls)


def own_functions(path, symbols, compiler, folder, more=""):
    """The functions, to be called in this process, and the library that they are in. `more`: a source for it."""
    linked, names = os.path.join(folder, "own.so"), ["own_%d" % place for place in range(len(symbols))]
    changes = [option for name, symbol in zip(names, symbols)
               for option in ("--redefine-sym", "%s=%s" % (symbol, name), "--globalize-symbol=" + name)]
    subprocess.run(["objcopy", *changes, path, linked + ".o"], check=True)
    source = more + "".join(
        "void %s(void); void *call_%s(void) { return %s; }\n" % (name, name, name) for name in names)
    subprocess.run([compiler, "-x", "c", "-", "-x", "none", "-shared", "-fPIC", linked + ".o", "-l:libmbedcrypto.a",
                    "-z", "noexecstack", "-o", linked], input=source, text=True, check=True)
    loaded, functions = ctypes.CDLL(linked), {}
    for name, symbol in zip(names, symbols):
        find = getattr(loaded, "call_" + name)
        find.restype = ctypes.c_void_p
        functions[symbol] = ctypes.CFUNCTYPE(ctypes.c_uint64)(find())
    return functions, loaded


def compare_long(path, symbol, theorem, compiler):
    """The same for numbers in memory (long_numbers.py): `theorem.answers`."""
    with tempfile.TemporaryDirectory() as folder:
        function = own_functions(path, [symbol], compiler, folder)[0][symbol]
        for count, given, out, result in theorem.answers:
            places = {}
            for name, size in theorem.sizes.items():
                size *= 8 * count
                places[name] = ctypes.create_string_buffer(given.get(name, 0).to_bytes(size, "little"), size)
            said = function(*(ctypes.c_uint64(ctypes.addressof(places[name]) if name in places
                                              else given.get(name, count)) for name in theorem.arguments))
            assert result in (None, said), theorem.title
            for name, value in out.items():
                assert int.from_bytes(places[name].raw, "little") == value, "%s of %s" % (theorem.title, given)
    return len(theorem.answers)



# ---- Numbers in AVX-512: limbs of 64 bytes, eight lanes each

# Calls with `self` in r13, and the place of a large result in rax, as Swift does; r12 is 0, which says that nothing was
# thrown. What comes back in rcx and rax replaces what was given in them.
CALL = r"""
#include <stdint.h>
void call_swift(void (*function)(void), uint64_t registers[7], void *self);
__asm__(".text\ncall_swift:\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n push %rsi\n"
        " mov %rdi,%r11\n mov %rsi,%r10\n mov %rdx,%r13\n mov (%r10),%rdi\n mov 8(%r10),%rsi\n mov 16(%r10),%rdx\n"
        " mov 24(%r10),%rcx\n mov 32(%r10),%r8\n mov 40(%r10),%r9\n mov 48(%r10),%rax\n xor %r12d,%r12d\n"
        " call *%r11\n pop %rsi\n mov %rcx,24(%rsi)\n mov %rax,48(%rsi)\n"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n .globl call_swift\n");
"""
REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax")


def call_swift(library, function, registers, of_self=None, result="rcx"):
    """Calls with these registers. Returns one of them."""
    given = (ctypes.c_uint64 * 7)(*(registers.get(name, 0) for name in REGISTERS))
    library.call_swift(function, given, ctypes.c_void_p(of_self))
    return given[REGISTERS.index(result)]


LANES, LIMBS, LINE = 8, 5, 64


def has_ifma():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = re.search(r"^flags\s*:(.*)$", file.read(), re.M)
    return bool(flags) and {"avx512f", "avx512ifma"} <= set(flags[1].split())


class OwnLanes:
    """A function that is called with eight numbers at a time."""

    def __init__(self, library, function):
        self.library, self.function, self.places = library, function, {}

    def place(self, base, numbers):
        self.places[base] = ctypes.create_string_buffer(numbers * LIMBS * LINE)

    def put(self, base, index, limb, lane, word):
        struct.pack_into("<Q", self.places[base], (index * LIMBS + limb) * LINE + 8 * lane, word)

    def get(self, base, index, lane):
        return [struct.unpack_from("<Q", self.places[base], (index * LIMBS + limb) * LINE + 8 * lane)[0]
                for limb in range(LIMBS)]

    def call(self, registers):
        """`registers`: numbers, or what is in memory."""
        words = {name: ctypes.addressof(self.places[value]) if isinstance(value, str) else value
                 for name, value in registers.items()}
        call_swift(self.library, self.function, words, words.get("r13"))


def compare_lanes(path, theorems, function, symbol, compiler):
    """Runs a function on the samples of its theorems. Returns how many results are the processor's: all must be."""
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        functions, library = own_functions(path, [symbol], compiler, folder, CALL)
        for theorem in theorems:
            if hasattr(theorem, "compare"):
                compared += theorem.compare(OwnLanes(library, functions[symbol]), function)
                continue
            for start in range(0, len(theorem.samples), LANES):
                some = theorem.samples[start:start + LANES]
                own = OwnLanes(library, functions[symbol])
                theorem.run_on(own, [given for given, _ in some])
                for lane, (given, wanted) in enumerate(some):
                    found = theorem.result_of(own, lane)
                    assert found == wanted, "%s of %s: read as %s, computed as %s" % (
                        theorem.title, given, wanted, found)
                compared += len(some)
    return compared
