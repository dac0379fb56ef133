"""What the checks of `keyboard migrate` share: its files, tables, and readers that are not ours.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import csv
import ctypes
import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path

from files import file, folder, where
from groups import check

TOOL = os.path.abspath(sys.argv[1])
KILLS = int(os.environ.get("KILLS") or (500 if os.environ.get("THOROUGH") else 8))

SM4 = bytes.fromhex("38393037363534333239383037363534")
REASONS = {"FIELDS", "QUOTES", "ID", "DUPLICATE", "ENCODING", "LENGTH", "UNDECRYPTABLE", "EMPTY", "MAXLEN", "VERIFIER"}
STOPPED = {}
argon2 = ctypes.CDLL("libargon2.so.1")


def read(name):
    return Path(where(name)).read_bytes()


def rows(name):
    """The rows of a file that the tool wrote, read by another reader of CSV."""
    table = list(csv.reader(io.StringIO(read(name).decode(), newline=""), strict=True))
    return table[0], table[1:]


def clean():
    for name in os.listdir(folder.name):
        if name.startswith(("out", "refused")):
            os.unlink(where(name))


def encrypted(passwords, key=SM4):
    """ECB texts of SM4 with PKCS#7 padding, made by one process of OpenSSL."""
    padded = [word + bytes([16 - len(word) % 16]) * (16 - len(word) % 16) for word in passwords]
    command = ["openssl", "enc", "-sm4-ecb", "-nopad", "-K", key.hex()]
    joined = subprocess.run(command, input=b"".join(padded), stdout=subprocess.PIPE, check=True).stdout
    texts, place = [], 0
    for word in padded:
        texts.append(joined[place : place + len(word)])
        place += len(word)
    return texts


def table(name, lines, header="id,ciphertext\n"):
    return file(name, (header + "".join(lines)).encode())


def some(count, name="table.csv"):
    """A table with passwords that are easily known again."""
    words = {"u%d" % n: b"Geheim-%d-%d" % (n, n * n) for n in range(count)}
    texts = encrypted(words.values())
    return table(name, ["%s,%s\n" % (each, text.hex()) for each, text in zip(words, texts)]), words


KEY = ["--key-file", file("key", SM4.hex().encode())]
FILES = ["--out", where("out"), "--refused", where("refused")]


def run(path, *options, code=None, key=KEY, files=FILES, **environment):
    """Runs the tool, and returns its exit code and its message."""
    ended = subprocess.run(
        [TOOL, "migrate", path, *key, *files, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(os.environ, LC_ALL="C.UTF-8", **environment),
    )
    message = ended.stderr.decode()
    check(ended.stdout == b"", "something is on standard output: %r" % ended.stdout)
    check(code is None or ended.returncode == code, "%s: %d, %s" % (options, ended.returncode, message))
    return ended.returncode, message


def is_verifier_of(verifier, password):
    return argon2.argon2id_verify(verifier.encode(), password, len(password)) == 0


def silent(words, *more):
    """No password is in any file that the tool wrote, nor in its messages. One that is planted in a file is found."""

    def found():
        written = b"".join(read(name) for name in os.listdir(folder.name) if name.startswith(("out", "refused")))
        written += "".join(more).encode()
        return [
            form for word in words for form in (word, word.hex().encode(), base64.b64encode(word).rstrip(b"="))
            if form in written
        ]

    check(found() == [], "passwords were written: %s" % found())
    file("out.planted", b"id," + list(words)[-1].hex().encode())
    check(len(found()) == 1, "a planted password is not found")
    os.unlink(where("out.planted"))


def stopped(path, *options, key=KEY, out=0, refused=0):
    """Runs until a commit in the middle, and kills. The commit has more than so many bytes of the two files."""
    # Such a job was most likely stopped at this number before.
    first = STOPPED.get((options, out), 1)
    for number in (*range(first, 200), *range(1, first)):
        clean()
        run(path, *options, "--rate", "4", key=key, LD_PRELOAD=killer(), KILL_AT=str(number))
        commit = committed()
        if commit and commit[0] > 0:
            check(commit[5] == 0, "no commit in the middle")
            if commit[1] > out and commit[2] > refused:
                STOPPED[options, out] = number
                return
    check(False, "no commit has rows of both files")


def killer():
    library = where("kill_at.so")
    if not os.path.exists(library):
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library,
                        str(Path(__file__).parent / "kill_at.c")], check=True)
    return library


def committed():
    """What the journal of a killed run says: the two files' lengths; nil if there is no journal."""
    try:
        journal = read("out.journal")
    except FileNotFoundError:
        return None
    commits = []
    for place in (256, 512):
        numbers, _, digest = journal[place : place + 256].decode(errors="replace").rstrip(" \n\0").rpartition(" ")
        if hashlib.sha256(numbers.encode()).hexdigest() == digest:
            commits.append([int(number) for number in numbers.split()[:7]])
    # A commit never replaces the one before it, which must still be there after a kill in the middle.
    check(not commits or max(commits)[0] - min(commits)[0] <= 1, "the journal has commits %s" % commits)
    return max(commits, default=None)


def kept():
    """The bytes of both files that are committed."""
    commit = committed()
    if commit is None:
        return [read(name) if os.path.exists(where(name)) else b"" for name in ("out", "refused")]
    bytes_of = []
    for name, length in zip(("out", "refused"), commit[1:3]):
        path = where(name) if os.path.exists(where(name)) else where(name + ".part")
        written = Path(path).read_bytes() if os.path.exists(path) else b""
        check(len(written) >= length, "%s is shorter than its journal says" % name)
        bytes_of.append(written[:length])
    return bytes_of
