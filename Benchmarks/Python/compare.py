#!/usr/bin/env python3
"""The package for Python beside the same work in C, on one copy of the library: unseal_batch of 1,000 texts, and one
login (receive and check_verifier, with a keyboard made and destroyed).

    compare.py LIBRARY SERVER [--check] [--rounds N]     SERVER is server.c, compiled

Each round measures both, one after the other, in changing order: the processor time of the thread. The figures are
medians over the rounds. With --check the exit status is 1 if a limit of the design is missed.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import statistics
import sys
import time

arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
rounds = int(arguments[arguments.index("--rounds") + 1]) if "--rounds" in arguments else 100
os.environ["CUSTOM_KEYBOARD_LIBRARY"] = arguments[0]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Bindings", "python"))

import customkeyboard as ck  # noqa: E402

LIMITS = {"unseal_batch": 1.15, "receive + check_verifier": 1.05}
COUNT = 1000
server = ctypes.CDLL(arguments[1])
server.batch.restype = ctypes.c_long
size = ctypes.c_size_t


def milliseconds(call):
    start = time.thread_time_ns()
    result = call()
    return (time.thread_time_ns() - start) / 1e6, result


def compare(what, wanted, python, c):
    """Medians of both, and of their ratios: the two calls of a round see the same machine."""
    both = []
    for number in range(rounds + 2):
        first, second = (python, c) if number % 2 else (c, python)
        one, other = milliseconds(first), milliseconds(second)
        for _, result in (one, other):
            if result != wanted:
                sys.exit("compare.py: %s answered %r" % (what, result))
        if number >= 2:
            both.append((one[0], other[0]) if number % 2 else (other[0], one[0]))
    medians = [statistics.median(column) for column in zip(*both)]
    ratio = statistics.median(p / c for p, c in both)
    limit = LIMITS[what.split(",")[0]]
    print("%-42s Python %8.3f ms   C %8.3f ms   %.3f (at most %.2f)%s"
          % (what, *medians, ratio, limit, "" if ratio <= limit else "  MISSED"))
    return ratio <= limit


def batch(way):
    private, public = ck.generate_key(way)
    texts, contexts = [], []
    with ck.Keyboard() as keyboard:
        keyboard.set_enc_key(public, way)
        for number in range(COUNT):
            contexts.append(b"login %d of somebody" % number)
            keyboard.set_context(contexts[-1])
            keyboard.open()
            keyboard.input(b"kgcx879@")
            texts.append(keyboard.get_text())
            keyboard.close()
    key = private.reveal()
    pointers = [(ctypes.c_char_p * COUNT)(*pieces) for pieces in (contexts, texts)]
    lengths = [(size * COUNT)(*map(len, pieces)) for pieces in (contexts, texts)]

    def python():
        with ck.unseal_batch(way, private, contexts, texts) as opened:
            return len(opened) - len(opened.failed())

    def c():
        return server.batch(int(way), key, size(len(key)), pointers[0], lengths[0], pointers[1], lengths[1],
                            size(COUNT))

    return compare("unseal_batch, %d texts of %s" % (COUNT, way.name), COUNT, python, c)


def login(way):
    private, public = ck.generate_key(way)
    challenge, pepper = os.urandom(32), ck.Secret(os.urandom(32))
    with ck.Keyboard() as keyboard:
        keyboard.set_enc_key(public, way)
        keyboard.set_context(challenge)
        keyboard.open()
        keyboard.input(b"kgcx879@")
        text, verifier = keyboard.get_text(), keyboard.make_verifier(pepper)
    key, c_pepper, c_verifier = private.reveal(), pepper.reveal(), verifier.encode()

    def python():
        with ck.Keyboard() as keyboard:
            keyboard.receive(way, private, challenge, text)
            return int(keyboard.check_verifier(verifier, pepper))

    def c():
        return server.login(int(way), key, size(len(key)), challenge, size(32), text, size(len(text)), c_pepper,
                            size(32), c_verifier)

    return compare("receive + check_verifier, %s" % way.name, 1, python, c)


results = [batch(ck.Way.X25519), batch(ck.Way.P256), login(ck.Way.X25519)]
sys.exit("--check" in sys.argv and not all(results))
