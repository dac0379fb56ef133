"""Checks the items and keys of `keyboard vault`: python3 vault.py KEYBOARD [GROUP...]

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import groups
from files import folder
from groups import check
from processes import found_in_memory, wait_until_it_reads
from terminal import Session, swallow_set_dumpable
from tool import TOOL
from vaults import New, fails, run, works

NAMELESS = "Give a vault by --vault FILE"
ITEM = ("bank.example", "kim")


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


# ---- Vaults and keys ----


def told(*arguments):
    """The calls of the tool that change files and names, and make them stay."""
    library, log = Path(folder.name) / "told_calls.so", Path(folder.name) / "told"
    if not library.exists():
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library,
                        Path(__file__).parent / "told_calls.c"], check=True)
    log.unlink(missing_ok=True)
    ended = subprocess.run([TOOL, *arguments], capture_output=True,
                           env=os.environ | {"LD_PRELOAD": str(library), "TOLD_CALLS": str(log)})
    check(ended.returncode == 0, "%s: %s" % (arguments, ended.stderr))
    return [line.split("\t") for line in log.read_text().splitlines()]


def stays(calls, path):
    """The call after which a power cut leaves a file and its name: written, synced, named, its folder synced."""
    path = str(path)
    named = next((at for at, call in enumerate(calls) if call[0] == "name" and call[2] == path), None)
    file = path if named is None else calls[named][1]
    synced = [at for at, call in enumerate(calls) if call[:2] == ["sync", file] and (named is None or at < named)]
    check(synced, "%s is not synced: %s" % (path, calls))
    check(not any(call[:2] == ["write", file] for call in calls[synced[-1]:]), "%s is written later" % path)
    folders = [at for at, call in enumerate(calls)
               if call[:2] == ["sync", os.path.dirname(path)] and at > (synced[-1] if named is None else named)]
    check(folders, "the name of %s is not on the disk: %s" % (path, calls))
    return folders[0]


def what_relies_on_a_file_comes_after_it():
    """A power cut leaves no vault without its key, and no public key without its secret one, on any file system."""
    vault, disk = New((*ITEM, b"a token")), Path(folder.name) / "another disk"
    disk.mkdir(mode=0o700)
    next_key, made_key, vault_too = disk / "next.key", disk / "made.key", str(vault.folder / "too")

    def changes(calls, path):
        return [at for at, call in enumerate(calls)
                if call[0] == "write" and call[1].startswith(path) or call[2] == path]

    for key in (next_key, Path(vault.key)):  # one that is made, and one that exists
        options = ["--vault", vault.path, "--key-file", vault.key if key == next_key else str(next_key)]
        calls = told("vault", "rekey", *options, "--new-key-file", str(key))
        check(max(changes(calls, vault.path)) > stays(calls, key), "the vault's key was changed before: %s" % calls)
        check(vault("show", *ITEM, "--secret", "--key-file", str(key)) == b"a token", "the vault with its next key")
    for key in (made_key, next_key):
        path = vault_too + key.name
        calls = told("vault", "init", "--vault", path, "--key-file", str(key))
        check(min(changes(calls, path)) > stays(calls, key), "the vault came first: %s" % calls)
    copy = disk / "copy"
    stays(told("vault", "backup", str(copy), "--vault", vault.path), copy)
    secret, public = disk / "secret", disk / "public"
    for more in ([], ["--public-out", str(public)], ["--public-out", str(public), "--force"]):
        secret.unlink(missing_ok=True) if "--force" not in more else None
        calls = told("generate-key", "--way", "x25519", "--out", str(secret), *more)
        at = stays(calls, secret)
        if more:
            check(stays(calls, public) > at, "the public key was there first: %s" % calls)
        else:
            check(calls.index(["write", "standard output", ""]) > at, "the public key came first: %s" % calls)


def making():
    vault = New()
    check(mode(vault.path) == mode(vault.key) == 0o600, "rights")
    check(re.fullmatch(rb"[0-9a-f]{64}\n", Path(vault.key).read_bytes()), "the key")
    check(Path(vault.key).read_bytes() != Path(New().key).read_bytes(), "two keys are alike")
    vault.fails(65, "exists", "init")
    before = Path(vault.key).read_bytes()
    # A key that is there is used, and a key of a vault that could not be made is not left behind.
    other = vault.folder / "other"
    works("init", "--vault", str(other), "--key-file", vault.key)
    check(Path(vault.key).read_bytes() == before and not Path(str(other) + ".key").exists(), "the key was not used")
    open_folder = Path(folder.name) / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    fails(74, "others may write into it", "init", "--vault", str(open_folder / "vault"))
    check(not list(open_folder.iterdir()), "something is left")
    # Nothing but init makes a vault.
    for command in ("list", "show a b", "add a b", "edit a b", "rm a b", "backup c", "rekey --new-key-file c"):
        fails(66, "keyboard vault init", *command.split(), "--vault", str(open_folder / "none"), input=b"x")
        fails(64, NAMELESS, *command.split(), input=b"x")
    check(not list(open_folder.iterdir()), "a vault was made")
    check(works("list", env={**os.environ, "KEYBOARD_VAULT": vault.path}) == b"", "the environment's vault")


def keys():
    vault = New((*ITEM, b"a token"))
    good = Path(vault.key).read_bytes()
    for text, words in (
        (b"", "has 0"), (good[:-3], "has 62"), (good.strip() + b"00", "has 66"), (b"g" * 64, "hexadecimal"),
        (b"0" * 64, "holds another one"), (b"0" * 9000, "at most 8192"),
    ):
        Path(vault.key).write_bytes(text)
        vault.fails(65, words, "list")
    Path(vault.key).write_bytes(good)
    for bits in (0o640, 0o604, 0o620, 0o666):
        os.chmod(vault.key, bits)
        code, output, message = run("list", "--vault", vault.path)
        check(code == 65 and not output, "%o: a key that others may use" % bits)
        subprocess.run(["sh", "-c", re.search("chmod 600 .*", message)[0]], check=True)
        check(mode(vault.key) == 0o600, "%o: the advice does not help" % bits)
    os.rename(vault.key, vault.folder / "elsewhere")
    vault.fails(66, "cannot be opened", "list")
    check(vault("list", "--key-file", str(vault.folder / "elsewhere")), "a key elsewhere")
    script = '"$0" vault list --vault "$1" --key-file /dev/fd/3 3<&0'
    ended = subprocess.run(["sh", "-c", script, TOOL, vault.path], input=good, capture_output=True)
    check(ended.stdout.startswith(b"bank.example") and not ended.stderr, "a key from a pipe: %s" % ended)
    os.chmod(vault.path, 0o644)
    vault.fails(74, "chmod 600", "list", "--key-file", str(vault.folder / "elsewhere"))


def another_key():
    vault = New((*ITEM, b"a token"))
    copy, new = str(vault.folder / "copy"), str(vault.folder / "new.key")
    vault("backup", copy)
    vault.fails(65, "never replaced", "backup", copy)
    left = vault.file("left-wal", b"changes")[: -len("-wal")]
    vault.fails(65, "left-wal away", "backup", left)
    check(not os.path.exists(left), "a copy was made")
    os.unlink(left + "-wal")
    vault("rekey", "--new-key-file", new)
    check(mode(new) == 0o600 and mode(copy) == 0o600, "rights")
    vault.fails(65, "holds another one", "list")
    check(vault("show", *ITEM, "--secret", "--key-file", new) == b"a token", "the next key")
    check(works("show", *ITEM, "--secret", "--vault", copy, "--key-file", vault.key) == b"a token", "the copy")
    # A key that is there is taken.
    vault("rekey", "--new-key-file", vault.key, "--key-file", new)
    check(vault("show", *ITEM, "--secret") == b"a token", "back to the first key")
    for bad, words in (("0" * 62, "has 62"), ("x" * 64, "hexadecimal")):
        path = vault.folder / "bad"
        path.write_text(bad)
        path.chmod(0o600)
        vault.fails(65, words, "rekey", "--new-key-file", str(path))
    check(vault("show", *ITEM, "--secret") == b"a token", "a bad key changed something")
    with closing(sqlite3.connect(copy)) as database, database:
        (secret,) = database.execute("SELECT data FROM item").fetchone()
        database.execute("UPDATE item SET data = ?", (secret[:-1] + bytes([secret[-1] ^ 1]),))
    fails(65, "altered, or is not a vault", "show", *ITEM, "--secret", "--vault", copy, "--key-file", vault.key)


# ---- Items ----

SECRETS = (
    b"x", b"a token", "비밀번호🔑".encode(), b"\0\xff\x1b[2J", b"two\nlines", b"ends in CR\r", b"y" * 8193, b"z" * 65536,
)


def secrets():
    for secret in SECRETS:
        vault = New()
        vault("add", *ITEM, "--keep-newline", input=secret)
        check(vault("show", *ITEM, "--secret") == secret, "%r" % secret[:20])
        vault("edit", *ITEM, "--keep-newline", input=secret[::-1])
        check(vault("show", *ITEM, "--secret") == secret[::-1], "%r, edited" % secret[:20])
    vault = New((*ITEM, b"one newline\n"))
    check(vault("show", *ITEM, "--secret") == b"one newline", "a newline")
    vault("edit", *ITEM, input=b"two\n\n")
    check(vault("show", *ITEM, "--secret") == b"two\n", "two newlines")
    for command in ("add", "edit"):
        name = ("shop.example", "kim") if command == "add" else ITEM
        vault.fails(65, "65536 bytes", command, *name, input=b"x" * 65537)
        vault.fails(66, "standard input was empty", command, *name)
    check(vault("show", *ITEM, "--secret") == b"two\n", "a failure changed something")


def names():
    vault = New()
    vault("add", *ITEM, "--kind", "token", "--label", "Kim's", input=b"one")
    vault("add", "bank.example", "이", input=b"two")
    vault("add", "a shop", "kim:x", input=b"three")
    vault("add", "\x1b]0;x\x07\n", "\u202etxt", input=b"four")
    lines = vault("list").decode().split("\n")[:-1]
    check(lines == [
        "\\u{1b}]0;x\\u{7}\\u{a}\t\\u{202e}txt\tpassword\t", "a shop\tkim:x\tpassword\t",
        "bank.example\tkim\ttoken\tKim's", "bank.example\t이\tpassword\t",
    ], lines)
    check(vault("list", "a shop").decode() == lines[1] + "\n" and vault("list", "none") == b"", "one service")
    vault("edit", *ITEM, "--label", "another", input=b"five")
    shown = vault("show", *ITEM).decode()
    for line in ("service   bank.example", "account   kim", "label     another", "kind      token", "bytes     4"):
        check(line in shown.splitlines(), shown)
    check(re.search(r"^modified  20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$", shown, re.M) and "five" not in shown, shown)
    check(vault("show", "bank.example", "이", "--secret") == b"two", "another item was changed")
    vault.fails(65, "is there already", "add", *ITEM, input=b"lost")
    for command in ("show", "show --secret", "edit", "rm"):
        command, *options = command.split()
        vault.fails(65, "there is no bank.example Kim", command, "bank.example", "Kim", *options, input=b"lost")
        for name in (("", "kim"), ("bank.example", ""), ("x" * 256, "kim")):
            vault.fails(64, "1 to 255 bytes", command, *name, *options, input=b"lost")
        vault.fails(64, "account", command, "bank.example", *options, input=b"lost")
    for option in ("--label", "--kind"):
        vault.fails(64, "at most 255", "edit", *ITEM, option, "x" * 256, input=b"lost")
    vault.fails(64, "1 to 255 bytes", "list", "")
    check(vault("show", *ITEM, "--secret") == b"five", "a failure changed something")
    vault("rm", *ITEM)
    vault.fails(65, "there is no", "rm", *ITEM)
    check(len(vault("list").splitlines()) == 3, "another item was removed")


def on_a_terminal():
    vault = New()
    for command, secret in (("add", b"kgcx879@"), ("edit", b"another")):
        session = Session([TOOL, "vault", command, *ITEM, "--vault", vault.path])
        session.wait_for(lambda: "Secret" in session.screen.text, "question")
        session.send(secret[:-1] + b"!\x7f" + secret[-1:] + b"\r")
        check(session.end()[:2] == (0, b"") and session.is_restored(), command)
        check(secret[:4] not in session.received, "the secret was shown")
        check(vault("show", *ITEM, "--secret") == secret, command)
    # What cannot be added is said before anybody types.
    session = Session([TOOL, "vault", "add", *ITEM, "--vault", vault.path])
    code, output, message = session.end()
    check((code, output, session.received) == (65, b"", b"") and b"already" in message, message)
    session = Session([TOOL, "vault", "edit", *ITEM, "--vault", vault.path])
    session.wait_for(lambda: "Secret" in session.screen.text, "question")
    session.send(b"lost\x03")
    check(session.end()[0] == 130 and vault("show", *ITEM, "--secret") == b"another", "Ctrl-C changed something")
    vault("edit", *ITEM, input=b"\x1b[2Jx")
    session = Session([TOOL, "vault", "show", *ITEM, "--secret", "--vault", vault.path], output="terminal")
    check(session.end()[0] == 0 and b"\\u{1b}[2Jx" in session.received and b"\x1b" not in session.received, "obeyed")


def memory():
    """While it waits for a secret, and after it was read, the key is in memory once and its digits nowhere."""
    vault = New()
    key = bytes.fromhex(Path(vault.key).read_text())
    needles = {"key": key, "digits": key.hex().encode(), "control": b"vault.key"}
    command = [TOOL, "vault", "add", *ITEM, "--vault", vault.path]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes, preexec_fn=swallow_set_dumpable) as process:
        wait_until_it_reads(process)
        counts = found_in_memory(process, needles)
        check(counts["key"] <= 1 and counts["digits"] == 0 and counts["control"] > 0, "%s" % counts)
        process.stdin.write(b"wkxqjzvuwkxqjzvu")
        process.stdin.flush()
        while (count := found_in_memory(process, {"secret": b"wkxqjzvuwkxqjzvu"})["secret"]) == 0:
            assert process.poll() is None, "ended"
        check(count == 1, "the secret is in memory %d times" % count)
        check(process.communicate() == (b"", b""), "not added")
    check(vault("show", *ITEM, "--secret") == b"wkxqjzvuwkxqjzvu", "not added")
    everything = b"".join(path.read_bytes() for path in vault.folder.iterdir() if path.name != "vault.key")
    for text in (b"wkxqjzvu", b"bank.example", b"kim", key):
        check(text not in everything, "%r is in the file" % text)


def together():
    """Programs that add at the same time all succeed."""
    vault = New()
    running = [subprocess.Popen([TOOL, "vault", "add", "s", str(number), "--vault", vault.path], stdin=subprocess.PIPE)
               for number in range(8)]
    for number, process in enumerate(running):
        process.communicate(b"%d" % number)
        check(process.returncode == 0, number)
    check([vault("show", "s", str(number), "--secret") for number in range(8)] == [b"%d" % n for n in range(8)], "lost")


GROUPS = (making, what_relies_on_a_file_comes_after_it, keys, another_key, secrets, names, on_a_terminal, memory,
          together)

groups.run("vault_items", GROUPS)
