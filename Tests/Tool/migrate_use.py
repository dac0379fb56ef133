"""`keyboard migrate` with wrong options, other files, or files that were changed between two runs.

SPDX-License-Identifier: Apache-2.0
"""

import fcntl
import os
from pathlib import Path

from files import file, folder, where
from groups import check
from migrate_world import FILES, KEY, SM4, clean, committed, read, rows, run, some, stopped, table


def wrong_use():
    path, _ = some(2)
    clean()
    public = ["--seal-to", where("public")]
    for code, words, options, key in (
        (64, "--key-file", [], []),
        (64, "Leave out --key-file", ["--from", "verifier"], KEY),
        (64, "two files", ["--refused", where("out")], KEY),
        (64, "two files", ["--refused", where("./out")], KEY),
        (64, "two files", ["--refused", where("../%s/out" % os.path.basename(folder.name))], KEY),
        (64, "two files", ["--refused", where("out.journal")], KEY),
        (64, "--jobs", ["--jobs", "0"], KEY),
        (64, "--rate", ["--rate", "0"], KEY),
        (64, "--pepper-file", ["--pepper-per-id"], KEY),
        (64, "context", ["--context", "x"], KEY),
        (64, "context", public, KEY),
        (64, "no public key", [*public, "--context", "", "--seal-way", "sm4-gcm"], KEY),
        (64, "Leave out --pepper-file", [*public, "--context", "", "--pepper-file", where("key")], KEY),
        (65, "chmod 600", [], ["--key-file", file("open key", SM4.hex().encode(), 0o640)]),
        (65, "chmod 600", ["--pepper-file", where("open key")], KEY),
        (65, "32 hexadecimal digits", [], ["--key-file", file("short key", b"00")]),
        (65, "hexadecimal digits", [], ["--key-file", file("no key", b"x" * 32)]),
        (66, "cannot be opened", [], ["--key-file", where("nothing")]),
        (66, "The table", [], None),
    ):
        files = FILES if "--refused" not in options else FILES[:2]
        ended, message = run(path if key is not None else where("nothing"), *options, key=key or ([], KEY)[key is None],
                             files=files)
        check(ended == code and words in message, "%s: %d %s" % (options, ended, message))
        check(not os.path.exists(where("out.journal")), "%s: a journal is left" % options)


def files_of_others():
    """Nothing is replaced, and two runs do not write the same files."""
    path, words = some(4)
    for name in ("out", "refused", "out.part", "refused.part", "out.journal"):
        clean()
        file(name, b"mine")
        _, message = run(path, code=65)
        check(read(name) == b"mine" and name in message, message)
        check(sorted(os.listdir(folder.name)).count("out") == (name == "out"), "something was made")
    clean()
    run(path, code=0)
    before = read("out")
    run(path, code=65)
    check(read("out") == before, "another run replaced the file")
    clean()
    stopped(path)
    with open(where("out.journal"), "rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        _, message = run(path, code=71)
        check("other" in message, message)
    run(path, code=0)
    check([row[0] for row in rows("out")[1]] == list(words), "rows are lost")


def other_settings():
    """What was begun with one key, pepper or algorithm is not ended with another."""
    path, words = some(4)
    other, pepper = file("other key", b"00" * 16), file("pepper", b"11" * 16)
    another = file("another pepper", b"12" * 16)
    clean()
    stopped(path, "--pepper-file", pepper)
    kept = read("out.journal")
    for options, key, said in (
        (["--pepper-file", another], KEY, "same key and pepper"),
        ([], KEY, "same key and pepper"),
        (["--pepper-file", pepper], ["--key-file", other], "same key and pepper"),
        (["--pepper-file", pepper, "--pepper-per-id"], KEY, "same options"),
        (["--pepper-file", pepper, "--encoding", "base64"], KEY, "same options"),
        (["--pepper-file", pepper, "--way", "3des"], KEY, "same options"),
    ):
        _, message = run(path, *options, key=key, code=65)
        check(said in message, message)
        check(read("out.journal") == kept, "the journal was changed")
    for secret in (SM4, b"\x11" * 16):
        check(secret not in kept and secret.hex().encode() not in kept, "the journal has a secret")
    run(path, "--pepper-file", pepper, code=0)
    check([row[0] for row in rows("out")[1]] == list(words), "rows are lost")


def altered_files():
    """Files of a stopped run that are not as it left them are not gone on with."""
    path, _ = some(4)
    lines = Path(path).read_text().splitlines(keepends=True)
    path = table("cut.csv", ["cut\n"] + lines[1:])
    for name, change in (
        ("out.part", lambda old: old[:-1]),
        ("refused.part", lambda old: b""),
        ("refused.part", lambda old: b"lime" + old[4:]),
        ("out.part", lambda old: old[:20] + b"\n" + old[21:]),
        # A character of a verifier.
        ("out.part", lambda old: old[:-4] + (b"A" if old[-4:-3] != b"A" else b"B") + old[-3:]),
        ("out.journal", lambda old: old[:256] + bytes(512)),
        ("out.journal", lambda old: b"K" + old[1:]),
    ):
        clean()
        # With a row in each file: without one, files are the same before and after a change here.
        stopped(path, out=len("id,verifier\n"), refused=len("line,id,reason\n"))
        # What is behind the last commit is removed, and is not part of this.
        for part, length in zip(("out.part", "refused.part"), committed()[1:3]):
            os.truncate(where(part), length)
        file(name, change(read(name)))
        _, message = run(path)
        check(" anew" in message or "Restore" in message or "not the journal" in message, message)
        check(not os.path.exists(where("out")), "%s was altered, and the run ended" % name)


def one_file_by_two_names():
    """Two of the names that lead to one file are refused, however they are written, before anything is made."""
    path, _ = some(4)
    os.makedirs(where("inside"), exist_ok=True)
    if not os.path.islink(where("link")):
        os.symlink(folder.name, where("link"))
    for other in ("%s/./out", "%s/inside/../out", "%s/link/out", "%s//out", "%s/link/out.part", "%s/./out.journal"):
        clean()
        _, message = run(path, files=["--out", where("out"), "--refused", other % folder.name], code=64)
        check("two files" in message, message)
        check(not [name for name in os.listdir(folder.name) if name.startswith("out")], "something was made")
    clean()
    _, message = run(path, files=["--out", where("refused.part"), "--refused", where("refused")], code=64)
    check("two files" in message and not os.path.exists(where("refused.part")), message)
    # A hard link, when a stopped run goes on; and the run's own file for the table.
    passed = table("passed", ["%d,$sha256d$%064x\n" % (n, n) for n in range(8)], "id,verifier\n")
    for make, given in (
        (lambda: os.link(where("out.part"), where("refused.part")), passed),
        (lambda: os.link(where("out.journal"), where("refused.part")), passed),
        (lambda: file("refused.part", kept), where("out.part")),
    ):
        clean()
        stopped(passed, "--from", "verifier", key=[])
        kept = read("refused.part")
        os.unlink(where("refused.part"))
        make()
        before = read("out.part"), read("out.journal")
        _, message = run(given, "--from", "verifier", key=[], code=65)
        check("different files" in message, message)
        check((read("out.part"), read("out.journal")) == before, "a file was changed")
