"""Compares how the code was read with what the processor does: the samples of each theorem, and their results.

SPDX-License-Identifier: Apache-2.0
"""

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
