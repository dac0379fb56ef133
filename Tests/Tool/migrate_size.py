#!/usr/bin/env python3
"""`keyboard migrate` with many rows, killed on the way.

    migrate_size.py KEYBOARD import ROWS           verifiers that are passed on: the output is the input
    migrate_size.py KEYBOARD verifiers ROWS        Argon2id for each row; some are checked by libargon2
    migrate_size.py KEYBOARD time ROWS LIBRARY     the processors' time for a row, beside verifiers of LIBRARY

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from tempfile import TemporaryDirectory

TOOL, WHAT, ROWS = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
KEY = "38393037363534333239383037363534"
VERIFIER = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$%043d"
KILLS = 5


def password(number):
    return b"Geheim-%d" % number


def write_table(path):
    with open(path, "w", encoding="ascii") as table:
        if WHAT == "import":
            # As the tool writes it.
            table.write("id,verifier\n")
            for number in range(ROWS):
                table.write('account %d,"%s"\n' % (number, VERIFIER % (number * 10)))
            return
        padded = b"".join(password(n) + bytes([16 - len(password(n))]) * (16 - len(password(n))) for n in range(ROWS))
        texts = subprocess.run(["openssl", "enc", "-sm4-ecb", "-nopad", "-K", KEY], input=padded,
                               stdout=subprocess.PIPE, check=True).stdout
        table.write("id,ciphertext\n")
        for number in range(ROWS):
            table.write("account %d,%s\n" % (number, texts[16 * number : 16 * number + 16].hex()))


def one_verifier(library, ended):
    """The time of a thread of this process for a verifier, until `ended`."""
    room, length, keyboard = ctypes.create_string_buffer(128), ctypes.c_size_t(), ctypes.c_uint64()
    word, size = password(1), ctypes.c_size_t
    assert library.CustomKeyboard_create(ctypes.byref(keyboard)) == 0
    assert library.CustomKeyboard_open(keyboard) == 0
    assert library.CustomKeyboard_input(keyboard, word, size(len(word))) == 0
    count, began = 0, time.thread_time()
    while not ended.is_set() or count < 20:
        assert library.CustomKeyboard_makeVerifier(keyboard, None, size(0), room, size(128), ctypes.byref(length)) == 0
        count += 1
    return (time.thread_time() - began) / count


def main(folder):
    def where(name):
        return os.path.join(folder, name)

    write_table(where("table"))
    with open(where("key"), "w", opener=lambda path, flags: os.open(path, flags, 0o600), encoding="ascii") as key:
        key.write(KEY)
    command = [TOOL, "migrate", where("table"), "--out", where("out"), "--refused", where("refused")]
    command += ["--from", "verifier"] if WHAT == "import" else ["--key-file", where("key")]
    if WHAT == "time":
        # At the same time, with one thread each, so that both have the same neighbours.
        ended, figures = threading.Event(), []
        library = ctypes.CDLL(sys.argv[4])
        peer = threading.Thread(target=lambda: figures.append(one_verifier(library, ended)))
        peer.start()
        subprocess.run([*command, "--jobs", "1"], check=True, stderr=subprocess.DEVNULL)
        ended.set()
        peer.join()
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        row = (usage.ru_utime + usage.ru_stime) / ROWS
        print("migrate: %.2f ms a row, one verifier %.2f ms: ratio %.3f" % (1e3 * row, 1e3 * figures[0],
                                                                           row / figures[0]))
        return
    # Some 20 ms for a row on one processor, or a million rows a second.
    expected = ROWS / 1e6 if WHAT == "import" else ROWS * 0.02 / os.cpu_count()
    killed = 0
    for _ in range(KILLS):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=random.uniform(0.1, 0.4) * expected)
            except subprocess.TimeoutExpired:
                process.kill()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, process.returncode
        killed += 1
    if process.returncode != 0:
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    with open(where("refused"), encoding="ascii") as refused:
        assert refused.read() == "line,id,reason\n", "rows were refused"
    if WHAT == "import":
        subprocess.run(["cmp", where("table"), where("out")], check=True)
    else:
        argon2, picked, salts = ctypes.CDLL("libargon2.so.1"), set(random.sample(range(ROWS), min(ROWS, 200))), set()
        with open(where("out"), encoding="ascii") as out:
            assert next(out) == "id,verifier\n"
            for number, line in enumerate(out):
                each, verifier = line.rstrip("\n").split(",", 1)
                assert each == "account %d" % number, "row %d is %s" % (number, each)
                verifier = verifier.strip('"')
                salts.add(verifier.split("$")[4])
                if number in picked:
                    right = argon2.argon2id_verify(verifier.encode(), password(number), len(password(number)))
                    assert right == 0, "row %d has another password" % number
        assert number == ROWS - 1 and len(salts) == ROWS, "%d rows, %d salts" % (number + 1, len(salts))
    print("migrate_size: %d rows, killed %d times" % (ROWS, killed))


with TemporaryDirectory() as name:
    main(name)
