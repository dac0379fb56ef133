"""Checks passcodes, their opening of a vault, and recovery words in `keyboard vault`:
python3 vault_passcodes.py KEYBOARD [GROUP...]

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import resource
import signal
import subprocess
from pathlib import Path

import groups
from groups import check
from processes import found_in_memory, wait_until_it_reads
from terminal import Keys, Session, click, swallow_set_dumpable
from tool import TOOL
from vaults import New, fails, run, works

ITEM = ("bank.example", "kim")
RIGHT = b"The passcode is right.\n"
WORDS = b"legal winner thank year wave sausage worth useful legal winner thank yellow"
SEED = b"2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6f"  # its first half, with TREZOR


def state(tries, locked="no", locks=0):
    return b"tries     %d\nlocked    %s\nlocks     %d\n" % (tries, locked.encode(), locks)


def start(*arguments, input=None):
    session = Session([TOOL, "vault", *arguments], input=input)
    session.wait_for(lambda: session.screen.frames > 0, "picture")
    return session


def tap(session, passcode, then):
    """Taps a PIN, and waits for what the pad shows next; None if it is the last one."""
    for digit in passcode[:-1]:
        click(session, digit)
    click(session, passcode[-1], wait=False)
    if then:
        session.wait_for(lambda: then in session.screen.text, then)
        session.wait_for(lambda: "•" not in session.screen.text, "an empty pad")


def ends(session, code, output=b"", message=b""):
    ended = session.end()
    check(ended[:2] == (code, output) and message in ended[2], "%s: %s, not %s" % (session.screen.text, ended, code))
    check(session.is_restored(), "the terminal is not as it was")


# ---- Passcodes by name ----


def passcodes():
    vault = New()
    vault("passcode", "set", "app", "--tries", "3", input=b"4837\n")
    vault("passcode", "set", "a name\n", "--keep-newline", input="비밀\n".encode())
    check(vault("passcode", "list") == b"a name\\u{a}\napp\n", "the list")
    vault.fails(65, "app is there already", "passcode", "set", "app", input=b"4837")
    for empty, code in ((b"", 66), (b"\n", 77)):
        vault.fails(code, "Give", "passcode", "set", "other", input=empty)
    vault.fails(65, "in UTF-8", "passcode", "set", "other", input=b"\xff")
    for policy, words in (
        (("--tries", "0"), "--tries from 1"), (("--tries", "1001"), "--tries from 1"),
        (("--lock-seconds", "0"), "--lock-seconds from 1"), (("--lock-seconds", "2147483648"), "--lock-seconds from 1"),
        (("--maximum-locks", "4294967296"), "--maximum-locks from 0"), (("--tries", "x"), "--tries"),
    ):
        vault.fails(64, words, "passcode", "set", "other", *policy, input=b"4837")
    check(vault("passcode", "list") == b"a name\\u{a}\napp\n", "a failure made a passcode")
    check(vault("passcode", "state", "app") == state(3), "the state")

    check(vault("passcode", "check", "app", input=b"4837") == RIGHT, "the right passcode")
    check(vault("passcode", "check", "a name\n", "--keep-newline", input="비밀\n".encode()) == RIGHT, "a newline")
    vault.fails(77, "Tries left: 4", "passcode", "check", "a name\n", input="비밀\n".encode())
    key = vault("passcode", "check", "app", "--secret", input=b"4837")
    check(re.fullmatch(rb"[0-9a-f]{64}\n", key), "the key %r" % key)
    vault.fails(77, "wrong. Tries left: 2.", "passcode", "check", "app", "--secret", input=b"4838")
    vault.fails(77, "wrong. Tries left: 1.", "passcode", "change", "app", input=b"4838\n1\n")
    check(vault("passcode", "state", "app") == state(1), "the tries")
    vault("passcode", "change", "app", input=b"4837\r\n9182\r\n")
    check(vault("passcode", "state", "app") == state(3), "a right passcode does not end the count")
    check(vault("passcode", "check", "app", "--secret", input=b"9182\n") == key, "another passcode has another key")
    for lines, code in (
        (b"9182", 66), (b"9182\n", 66), (b"", 66), (b"9182\n\n", 77), (b"9182\n\n\n", 66), (b"9182\n1\n2", 66),
    ):
        vault.fails(code, "Give", "passcode", "change", "app", input=lines)
    check(vault("passcode", "state", "app") == state(3), "a failure was counted")

    for name in ("none", "App"):
        for command in ("check", "change", "reset", "state", "policy --tries 1 --lock-seconds 1 --maximum-locks 1"):
            command, *options = command.split()
            vault.fails(65, "there is no " + name, "passcode", command, name, *options, input=b"1\n1\n")
    for name in ("", "x" * 256):
        for command in ("set", "check", "change", "reset", "state"):
            vault.fails(64, "1 to 255 bytes", "passcode", command, name, input=b"1\n1\n")
    vault("passcode", "reset", "app")
    check(vault("passcode", "list") == b"a name\\u{a}\n", "it is still there")


def locks():
    vault = New()
    vault("passcode", "set", "app", "--tries", "2", "--lock-seconds", "2000", "--maximum-locks", "2", input=b"4837")
    policy = ("--tries", "1", "--lock-seconds", "1", "--maximum-locks", "1")
    for missing in range(0, 6, 2):
        vault.fails(64, "Give all of", "passcode", "policy", "app", *policy[:missing], *policy[missing + 2:])
    vault.fails(77, "left: 1", "passcode", "check", "app", input=b"1")
    vault.fails(77, "Check the passcode first", "passcode", "policy", "app", *policy)
    vault.fails(77, "it is locked now, for 2000 seconds.", "passcode", "check", "app", input=b"1")
    for command in ("check", "change"):
        vault.fails(77, "Nothing was tried: the passcode app is locked, for ", "passcode", command, "app",
                    input=b"4837\n1\n")
    code, output, message = run("passcode", "state", "app", "--vault", vault.path)
    check((code, message) == (77, "") and re.fullmatch(rb"tries     0\nlocked    for [0-9]+ seconds\nlocks     1\n",
                                                       output), "%s %s" % (output, message))
    vault("passcode", "reset", "app")
    vault("passcode", "set", "app", input=b"4837")
    vault("passcode", "policy", "app", *policy)
    vault.fails(77, "it is locked now, for good.", "passcode", "check", "app", input=b"1")
    code, output, message = run("passcode", "state", "app", "--vault", vault.path)
    check((code, output, message) == (77, state(0, "for good", 1), ""), "%s %s" % (output, message))


# ---- A passcode that opens the vault ----


def opening():
    vault = New(passcode=b"4837")
    check(not os.path.exists(vault.key), "a key was kept")
    check(vault("passcode-key", "state") == state(5), "the state")
    vault.fails(66, "cannot be opened", "list")
    check(vault("list", "--passcode", input=b"4837\n") == b"", "the right passcode")
    pin = vault.file("pin", b"4837\n")
    by_file = ("--passcode-file", pin)
    vault("add", *ITEM, *by_file, input=b"a token")
    check(vault("show", *ITEM, "--secret", *by_file) == b"a token", "the secret")
    vault.fails(77, "wrong. Tries left: 4.", "list", "--passcode", input=b"4838")
    check(vault("passcode-key", "state") == state(4), "the count")
    # What reads standard input for something else reads no passcode there, and does not count a try.
    for command in ("add a b", "edit bank.example kim", "passcode set app", "passcode check app", "words keep w"):
        vault.fails(66, "Run this in a terminal", *command.split(), "--passcode", input=b"4837")
    check(vault("passcode-key", "state") == state(4), "a try was counted")
    check(vault("list", *by_file) and vault("passcode-key", "state") == state(5), "the count does not end")

    for options in (("--passcode", "--key-file", "k"), ("--passcode", *by_file), ("--key-file", "k", *by_file)):
        vault.fails(64, "Give one of", "list", *options)
    vault.fails(64, "Give --passcode too", "list", "--pepper-file", pin)
    vault.fails(64, "Give the vault's key file", "passcode-key", "rm", *by_file)
    for bits in (0o640, 0o604, 0o620):
        os.chmod(pin, bits)
        code, output, message = run("list", "--vault", vault.path, *by_file)
        check(code == 65 and not output and "Keep the passcode to yourself" in message, message)
        subprocess.run(["sh", "-c", re.search("chmod 600 .*", message)[0]], check=True)
    vault.fails(66, "cannot be opened", "list", "--passcode-file", pin + "x")
    check(vault("passcode-key", "state") == state(5), "a try was counted")

    # Another passcode, then a key again.
    vault("passcode-key", "set", *by_file, "--tries", "1", input="긴 비밀번호".encode())
    vault.fails(77, "it is locked now, for 300 seconds.", "list", *by_file)
    vault.fails(77, "Nothing was tried", "list", "--passcode", input="긴 비밀번호".encode())
    code, output, message = run("passcode-key", "state", "--vault", vault.path)
    check(code == 77 and output.startswith(b"tries     0\nlocked    for ") and message == "", message)

    vault = New(passcode=b"4837")
    pin, new = vault.file("pin", b"4837"), str(vault.folder / "new")
    vault("add", *ITEM, "--passcode-file", pin, input=b"a token")
    vault("rekey", "--passcode-file", pin, "--new-key-file", new)
    vault.fails(65, "no passcode opens", "list", "--passcode-file", pin)
    check(vault("show", *ITEM, "--secret", "--key-file", new) == b"a token", "the new key")


def beside_a_key():
    vault = New((*ITEM, b"a token"))
    pepper, other = vault.file("pepper", b"00ff" * 16), vault.file("other", b"00fe" * 16)
    vault.fails(65, "no passcode opens", "passcode-key", "state")
    vault.fails(65, "no passcode opens", "list", "--passcode", input=b"4837")
    vault.fails(65, "no passcode opens", "passcode-key", "rm")
    vault.fails(77, "not empty", "passcode-key", "set", input=b"\n")
    vault("passcode-key", "set", "--pepper-file", pepper, input=b"4837")
    check(vault("list", "--passcode", "--pepper-file", pepper, input=b"4837") == vault("list"), "two ways")
    for options in ((), ("--pepper-file", other)):
        vault.fails(77, "Tries left: ", "list", "--passcode", *options, input=b"4837")
    check(vault("passcode-key", "state") == state(3), "the count")
    vault("passcode-key", "rm")
    vault.fails(65, "no passcode opens", "passcode-key", "state")
    check(vault("show", *ITEM, "--secret") == b"a token", "the key")
    # Nothing is made where there is no vault.
    none = str(vault.folder / "none")
    for command in ("passcode-key state", "passcode-key set", "passcode-key rm", "passcode list", "words list"):
        fails(66, "keyboard vault init", *command.split(), "--vault", none, input=b"4837")
    fails(66, "keyboard vault init", "list", "--passcode", "--vault", none, input=b"4837")
    check(not os.path.exists(none), "a vault was made")


def limited(length, *arguments):
    """Runs a command whose files may have so many bytes. Returns its exit code."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (length, length))
    return subprocess.run([TOOL, "vault", *arguments], stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=limit,
                          check=False).returncode


def making():
    """A vault that only a passcode opens is made whole or not at all."""
    vault = New()
    path = str(vault.folder / "other")
    fails(66, "standard input was empty", "init", "--vault", path, "--passcode")
    fails(77, "not empty", "init", "--vault", path, "--passcode", input=b"\n")
    fails(64, "Give --passcode too", "init", "--vault", path, "--pepper-file", vault.key)
    vault.fails(65, "exists", "init", "--passcode", input=b"4837")
    check(sorted(os.listdir(vault.folder)) == ["vault", "vault-shm", "vault-wal", "vault.key"], "something is left")
    pin, pepper = vault.file("pin", b"4837\n"), vault.file("pepper", b"00ff\n")
    # Writing fails after so many bytes of a file: at the beginning, in the middle, at the end.
    for length in (*range(0, 60000, 4096), 28673, 36865, 40961):
        code = limited(length, "init", "--vault", path, "--passcode-file", pin)
        check(code in (0, 74), "%d after %d bytes" % (code, length))
        made = sorted(name for name in os.listdir(vault.folder) if name.startswith("other"))
        check(made == (["other"] if code == 0 else []), "%s after %d bytes, %d" % (made, length, code))
        if code == 0:
            check(works("list", "--vault", path, "--passcode-file", pin) == b"", "it does not open")
            for name in os.listdir(vault.folder):
                if name.startswith("other"):
                    os.unlink(vault.folder / name)
    check(code == 0 and length > 4096, "it never works")
    works("init", "--vault", path, "--passcode-file", pin, "--pepper-file", pepper)
    check(works("list", "--vault", path, "--passcode-file", pin, "--pepper-file", pepper) == b"", "it does not open")
    fails(77, "or the pepper is", "list", "--vault", path, "--passcode-file", pin, "--pepper-file",
          vault.file("other-pepper", b"00fe"))


# ---- Words ----


def words():
    vault = New()
    check(works("words", "check", input=WORDS) == b"The words are right.\n", "right words")
    odd = b"\n" + WORDS.upper().replace(b" ", "\u3000\t".encode()) + b"\r\n"
    check(works("words", "check", "--secret", input=odd) == WORDS, "as they should be")
    for wrong in (b" ".join(WORDS.split()[:11]), WORDS.replace(b"yellow", b"year"), WORDS.replace(b"wave", b"wav"),
                  WORDS + b".", b"\n"):
        for command in (("check",), ("check", "--secret"), ("seed",)):
            fails(65, "Look at the words again", "words", *command, input=wrong)
        vault.fails(65, "Look at the words again", "words", "keep", "wallet", input=wrong)
    for wrong, code in ((b"", 66), (b"\xff", 65), (WORDS + b"\0", 65), (b"legal " * 2000, 65)):
        fails(code, "words", "words", "check", input=wrong)
    for count in (12, 15, 18, 21, 24):
        new = works("words", "new", "--count", str(count))
        check(len(new.split()) == count and new != works("words", "new", "--count", str(count)), "%r" % new)
        check(works("words", "check", "--secret", input=new) == new, "new words are wrong")
    for count in ("0", "11", "13", "27", "-12", "x"):
        fails(64, "--count", "words", "new", "--count=" + count)
    passphrase = vault.file("passphrase", b"TREZOR\n")
    seed = works("words", "seed", "--passphrase-file", passphrase, input=odd)
    check(seed.startswith(SEED) and len(seed) == 129 and seed.endswith(b"\n"), "the seed %r" % seed)
    check(works("words", "seed", input=WORDS) != seed, "the passphrase does nothing")
    fails(65, "printable ASCII", "words", "seed", "--passphrase-file", vault.file("é", "é".encode()), input=WORDS)
    fails(65, "chmod 600", "words", "seed", "--passphrase-file", vault.file("open", b"x", 0o644), input=WORDS)

    vault("words", "keep", "wallet", input=odd)
    vault("words", "new", "a wallet", "--count", "24")
    check(vault("words", "list") == b"a wallet\nwallet\n", "the list")
    check(vault("words", "show", "wallet") == b"words     12\n", "show")
    check(vault("words", "show", "a wallet") == b"words     24\n", "show")
    check(vault("words", "show", "wallet", "--secret") == WORDS, "the words")
    for command in ("keep", "new"):
        vault.fails(65, "wallet is there already", "words", command, "wallet", input=WORDS)
    for command in ("show", "rm"):
        vault.fails(65, "there is no Wallet", "words", command, "Wallet")
    for name in ("", "x" * 256):
        for command in ("keep", "new", "show", "rm"):
            vault.fails(64, "1 to 255 bytes", "words", command, name, input=WORDS)
    vault("words", "rm", "a wallet")
    check(vault("words", "list") == b"wallet\n", "other words were removed")
    fails(64, "Give a vault by", "words", "new", "wallet")
    everything = b"".join(path.read_bytes() for path in vault.folder.iterdir())
    check(not any(word in everything for word in (WORDS, b"sausage", b"wallet")), "a word is in a file")


# ---- In a terminal ----


def on_the_pad():
    vault = New()
    session = start("passcode", "set", "app", "--maximum", "4", "--vault", vault.path)
    check("PIN, to be kept" in session.screen.text, session.screen.text)
    tap(session, "4837", "Enter it again.")
    tap(session, "4838", "tries left: 2")
    tap(session, "4837", None)
    ends(session, 0)
    session = start("passcode", "check", "app", "--maximum", "4", "--vault", vault.path)
    tap(session, "4838", None)
    ends(session, 77, message=b"Tries left: 4.")
    # The next passcode is not asked for if the first one is wrong.
    session = start("passcode", "change", "app", "--maximum", "4", "--vault", vault.path)
    tap(session, "4838", None)
    ends(session, 77, message=b"Tries left: 3.")
    session = start("passcode", "change", "app", "--maximum", "4", "--vault", vault.path)
    check("PIN, to be changed" in session.screen.text, session.screen.text)
    tap(session, "4837", "PIN, to be kept")
    tap(session, "9182", "Enter it again.")
    tap(session, "9182", None)
    ends(session, 0)
    check(vault("passcode", "check", "app", input=b"9182") == RIGHT, "it was not changed")
    session = start("passcode", "check", "app", "--vault", vault.path)
    session.send(b"\x1b")
    ends(session, 130)
    check(vault("passcode", "state", "app") == state(5), "leaving is a try")
    vault("passcode", "policy", "app", "--tries", "1", "--lock-seconds", "900", "--maximum-locks", "0")
    vault.fails(77, "locked now", "passcode", "check", "app", input=b"1")
    # Nobody types for nothing.
    for command in (("passcode", "check", "app"), ("passcode", "set", "app"), ("passcode", "check", "none")):
        session = Session([TOOL, "vault", *command, "--vault", vault.path])
        code, output, _ = session.end()
        check(code in (65, 77) and (output, session.received) == (b"", b""), "%s: a pad" % (command,))


def opened_on_the_pad():
    vault = New()
    path = str(vault.folder / "other")
    session = start("init", "--passcode", "--maximum", "4", "--vault", path)
    check("PIN, to open the vault" in session.screen.text, session.screen.text)
    tap(session, "4837", "Enter it again.")
    tap(session, "4837", None)
    ends(session, 0)
    # The passcode is tapped although standard input is a pipe, which has the secret.
    reader, writer = os.pipe()
    os.write(writer, b"a token\n")
    os.close(writer)
    session = start("add", *ITEM, "--passcode", "--maximum", "4", "--vault", path, input=reader)
    tap(session, "4837", None)
    ends(session, 0)
    os.close(reader)
    session = start("show", *ITEM, "--secret", "--passcode", "--maximum", "4", "--vault", path)
    tap(session, "4837", None)
    ends(session, 0, b"a token")
    session = start("list", "--passcode", "--maximum", "4", "--vault", path)
    session.send(b"\x03")
    ends(session, 130)
    check(works("passcode-key", "state", "--vault", path) == state(5), "leaving is a try")
    # A pad for each passcode: the one that opens the vault, then the one that is set.
    session = start("passcode", "set", "app", "--passcode", "--maximum", "4", "--vault", path)
    tap(session, "4837", "PIN, to be kept")
    tap(session, "5151", "Enter it again.")
    tap(session, "5151", None)
    ends(session, 0)
    pin = vault.file("pin", b"4837")
    check(works("passcode", "check", "app", "--passcode-file", pin, "--vault", path, input=b"5151") == RIGHT, "set")


def words_in_a_terminal():
    vault = New()
    session = Session([TOOL, "vault", "words", "keep", "asked", "--vault", vault.path])
    session.wait_for(lambda: "Words (not shown):" in session.screen.text, "question")
    session.send(WORDS + b"x\x7f\r")
    ends(session, 0)
    check(WORDS[:5] not in session.received and vault("words", "show", "asked", "--secret") == WORDS, "asked for")
    zoo = " ".join(["zoo"] * 11 + ["wrong"])
    session = start("words", "keep", "tapped", "--pad", "--shuffle", "none", "--vault", vault.path)
    check("Words, to be kept" in session.screen.text, session.screen.text)
    for letter in zoo:
        click(session, "space" if letter == " " else letter)
    click(session, "return", wait=False)
    ends(session, 0)
    check(vault("words", "show", "tapped", "--secret") == zoo.encode(), "tapped")
    session = start("words", "keep", "wrong", "--pad", "--layout", "mixed", "--vault", vault.path)
    click(session, next(label for label in Keys(session.screen).places if len(label) == 1))
    click(session, "return", wait=False)
    ends(session, 65, message=b"Look at the words again")
    session = Session([TOOL, "vault", "words", "show", "asked", "--secret", "--vault", vault.path], output="terminal")
    check(session.end()[0] == 0 and session.received == WORDS + b"\r\n", "%r" % session.received)


def memory():
    """What is read is in memory once; what is not asked for, nowhere."""
    vault = New(passcode=b"wkxqjzvuwkxq")
    pin = vault.file("pin", b"wkxqjzvuwkxq")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    for command, secret in ((("passcode", "set", "app"), b"pqzvjkxw" * 2), (("words", "keep", "wallet"), WORDS)):
        arguments = [TOOL, "vault", *command, "--vault", vault.path, "--passcode-file", pin]
        with subprocess.Popen(arguments, **pipes, preexec_fn=swallow_set_dumpable) as process:
            wait_until_it_reads(process)
            counts = found_in_memory(process, {"opened by": b"wkxqjzvuwkxq", "control": b"vault"})
            check(counts["opened by"] == 0 and counts["control"] > 0, "%s: %s" % (command, counts))
            process.stdin.write(secret)
            process.stdin.flush()
            while (count := found_in_memory(process, {"secret": secret})["secret"]) == 0:
                assert process.poll() is None, "ended"
            check(count == 1, "%s: it is in memory %d times" % (command, count))
            check(process.communicate() == (b"", b"") and process.returncode == 0, "%s failed" % (command,))
    everything = b"".join(path.read_bytes() for path in vault.folder.iterdir() if path.name != "pin")
    check(not any(text in everything for text in (b"wkxqjz", b"pqzvjkxw", b"sausage")), "a secret is in a file")
    check(Path(pin).read_bytes() == b"wkxqjzvuwkxq", "the passcode's file was changed")


GROUPS = (
    passcodes, locks, opening, beside_a_key, making, words, on_the_pad, opened_on_the_pad, words_in_a_terminal, memory,
)

groups.run("vault_passcodes", GROUPS)
