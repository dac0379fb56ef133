"""Compares how the code was read with what the processor does: the samples of each theorem, and their results.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
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
        assert answer == result, "%s of %s: read as %s, computed as %s" % (theorem.title, given, result, answer)
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
