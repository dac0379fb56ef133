"""Drives `keyboard pad` in a real terminal: python3 pad.py KEYBOARD [GROUP...]

SPDX-License-Identifier: Apache-2.0
"""

import os
import platform
import re
import signal
import string
import subprocess
import sys
import termios
import time
import traceback
from ctypes import create_string_buffer
from tempfile import NamedTemporaryFile

import groups
from groups import chance, check, seed
from processes import found_in_memory
from terminal import DEADLY, SECONDS, Keys, Session, click, go, libc, set_reserved_signals, swallow_set_dumpable
from tool import TOOL, fails, works

KEY = "38393037363534333239383037363534"
SM4 = ("--way", "sm4", "--key", KEY)


def pad(*arguments, key=SM4, **options):
    session = Session([TOOL, "pad", *key, *arguments], **options)
    session.wait_for(lambda: session.screen.frames > 0, "picture")
    return session


def decrypted(text, way="sm4", key=KEY):
    """Decrypts with the tool; for SM4 also with OpenSSL."""
    mine = works("decrypt", "--way", way, "--key", key, input=text)
    if way == "sm4":
        command = ["openssl", "enc", "-d", "-sm4-ecb", "-K", key]
        other = subprocess.run(command, input=bytes.fromhex(text.decode()), capture_output=True)
        check((other.returncode, other.stdout) == (0, mine), "OpenSSL decrypts to %s" % other)
    return mine.decode()


def check_end(session, code, typed=None, way="sm4", key=KEY):
    """Checks the exit code, that the terminal is restored, and that only ciphertext was written."""
    ended, output, errors = session.end()
    check(ended == code, "exit code %s, not %s: %s" % (ended, code, errors))
    check(session.is_restored(), "the terminal is not as it was: %s" % session.screen.modes)
    if typed is None:
        check(output == b"", "output %r" % output)
        return
    check(re.fullmatch(rb"([0-9a-f]{16})+\n", output), "output %r" % output)
    check(decrypted(output, way, key) == typed, "another password")
    check(errors == b"", "errors %r" % errors)
    # One or two characters can appear by chance: their keys are shown with spaces around them.
    told = len(set(typed) - {" "}) > 2 and typed.encode() in session.received + output
    check(not told, "the password was shown")


def check_killed(session, number):
    """The pad died of the signal, printed nothing, and restored the terminal."""
    ended, output, errors = session.end()
    check(ended == -number, "signal %d: ended with %s: %s" % (number, ended, errors))
    check(session.after == session.before, "signal %d: the terminal is still raw" % number)
    check(session.is_restored(), "signal %d: still on: %s\n%s" % (number, session.screen.modes, session.screen.text))
    check((output, errors) == (b"", b""), "signal %d: said %r %r" % (number, output, errors))


def echo(session):
    return session.screen.text.count("•")


# ---- Typing ----


def by_arrows():
    for steps in ("", "052", "887766"):
        pin = steps or "".join(chance.choices(string.digits, k=6))
        session = pad("--maximum", str(len(pin)))
        for index, digit in enumerate(pin):
            check(echo(session) == index, "echo")
            go(session, digit)
            if index + 1 < len(pin):
                session.press(chance.choice([b"\r", b" "]))
            else:
                session.send(b"\r")
        check_end(session, 0, pin)


def by_mouse():
    for _ in range(4):
        pin = "".join(chance.choices(string.digits, k=6))
        session = pad("--shuffle", chance.choice(["each-opening", "each-key", "none"]))
        for index, digit in enumerate(pin):
            # Anywhere on a key. Borders belong to their key, and a gap to the nearest key.
            dx, dy = chance.randint(-4, 4), chance.randint(-1, 1)
            click(session, digit, dx, dy, wait=index < 5)
        check_end(session, 0, pin)


def with_decoys():
    for number in range(4):
        pin = "".join(chance.choices(string.digits, k=6))
        session = pad("--layout", "pin-decoys", "--shuffle", ["each-opening", "each-key"][number % 2])
        for index, digit in enumerate(pin):
            check(echo(session) == index, "echo")
            keys = Keys(session.screen)
            check(sorted(keys.places) == sorted([*string.digits, "delete", "return"]), "keys: %s" % list(keys.places))
            check(keys.selected is not None, "a blank key is selected:\n" + session.screen.text)
            if number < 2:
                click(session, digit, wait=index < 5)
                continue
            while Keys(session.screen).selected != digit:
                session.press(b"\t")
            session.send(b"\r") if index == 5 else session.press(b"\r")
        check_end(session, 0, pin)


def by_tab():
    session = pad("--maximum", "1")
    seen = []
    for _ in range(11):
        seen.append(Keys(session.screen).selected)
        session.press(b"\t")
    check(sorted(seen) == sorted(string.digits) + ["delete"], "Tab goes to %s" % seen)
    check(Keys(session.screen).selected == seen[0], "Tab goes around")
    session.press(b"\x1b[Z")
    check(Keys(session.screen).selected == seen[-1], "back tab")
    session.press(b"\t")
    session.send(b"\r")
    check_end(session, 0, seen[0])


def page_with(session, character):
    """Switches to the page and the case that have a character."""
    for _ in range(9):
        places = Keys(session.screen).places
        if character in places:
            return
        if character.swapcase() in places:
            click(session, next(label for label in ("shift", "Shift", "SHIFT", "⇧", "⇪") if label in places))
            continue
        if "2/3" in places or "3/3" in places or "1/3" in places:
            here = {"1/3", "2/3", "3/3"}.difference(places).pop()
            target = {"1/3": "2/3", "2/3": "3/3", "3/3": "1/3"}[here]
        else:
            target = "abc" if character.isalpha() else "123" if character.isdigit() else "#+="
        click(session, target)
    raise AssertionError("no %r" % character)


def passwords():
    characters = string.ascii_letters + string.digits + string.punctuation
    for number in range(10):
        layout = ["letters", "mixed", "digits", "symbols", "letters"][number % 5]
        columns, rows = chance.choice([(80, 24), (60, 17), (132, 40), (200, 60)])
        way, key = [("sm4", KEY), ("3des", b"890765432980765423451673".hex()), ("des", b"89076543".hex())][number % 3]
        session = pad("--layout", layout, "--way", way, "--shuffle", chance.choice(["each-opening", "each-key"]),
                      key=("--key", key), columns=columns, rows=rows)
        typed = ""
        for _ in range(chance.randint(4, 10)):
            if chance.random() < 0.15:
                click(session, "space") if "space" in Keys(session.screen).places else session.press(b"\x7f")
                typed += " "
                if "space" not in Keys(session.screen).places:
                    typed = typed[:-2]
            elif typed and chance.random() < 0.2:
                delete = next(label for label in ("delete", "⌫") if label in Keys(session.screen).places)
                click(session, delete) if chance.random() < 0.5 else session.press(b"\x7f")
                typed = typed[:-1]
            else:
                character = chance.choice(characters)
                page_with(session, character)
                click(session, character)
                typed += character
            check(echo(session) == len(typed), "echo of %r on:\n%s" % (typed, session.screen.text))
        page_with(session, "a")
        if not typed:
            click(session, "a")
            typed = "a"
        click(session, "return", wait=False)
        check_end(session, 0, typed, way, key)


def full():
    session = pad("--layout", "letters")
    letter = Keys(session.screen).selected
    for _ in range(128):
        session.press(b" ")
    check("128 bytes" not in session.screen.text, "told too early")
    session.press(b" ")
    check("Full: a password has at most 128 bytes." in session.screen.text, "not told that it is full")
    click(session, "return", wait=False)
    check_end(session, 0, letter * 128)


def nothing_typed():
    session = pad("--layout", "letters")
    click(session, "return")
    check("Nothing is typed yet." in session.screen.text, "return ends nothing")
    session.press(b"\x7f")
    click(session, "e")
    click(session, "return", wait=False)
    check_end(session, 0, "e")


# ---- What the pad refuses ----


def refused():
    session = pad("--layout", "letters")
    for typed in ("a", "Z", "7", "~", "é", "한"):
        session.press(typed.encode()[:1])
        if len(typed.encode()) > 1:
            session.press(typed.encode()[1:2])
            for byte in typed.encode()[2:]:
                session.press(bytes([byte]))
        check(echo(session) == 0, "%s was taken" % typed)
        check("Not taken" in session.screen.text, "%s was ignored without a word" % typed)
    session.send(b"\x1b[200~secret \r\n\x1b[201~")  # Pasted: not even the space and the return.
    session.send(b"\x1b[<64;5;5M\x1b[<35;5;5M\x1b[<2;9;9M\x1b[<0;1;1m\x1b[<;;M\x1b[<0;99999999999999999999;1M")
    session.press(b"\x1b[<0;1;1M")  # Outside the keyboard.
    check(echo(session) == 0 and "Not taken" not in session.screen.text, "a paste or the wheel was taken")
    check("ignored" in session.screen.text, "the help does not say so")
    session.send(b"\x03")
    check_end(session, 130)


def noise():
    parts = [b"\x1b[", b"\x1b[<", b"\x1bO", b";", b"M", b"~", b"A", b"200", b"\x1b[201~", b"0;9;9M", b"\t", b"x",
             b"\xff", b"9" * 40]
    for _ in groups.part(range(6), 3):
        layout = chance.choice(["letters", "mixed"])
        session = pad("--layout", layout, columns=chance.randint(1, 90), rows=chance.randint(1, 30))
        data = b"".join(chance.choice(parts) for _ in range(400))
        for start in range(0, len(data), 100):
            session.send(data[start : start + 100])
            session.read(0.01)
        check(session.process.poll() is None or session.process.returncode in (0, 130), "crashed (seed %d)" % seed)
        if session.process.poll() is None:
            session.send(b"\x1b[201~\x03")
        code, _, errors = session.end()
        check(code in (0, 130) and errors == b"" and session.is_restored(), "%s %s (seed %d)" % (code, errors, seed))


# ---- What is left behind ----


def memory():
    with NamedTemporaryFile() as file:
        key = chance.randbytes(16)
        file.write(key.hex().encode())
        file.flush()
        from_file = ("--way", "sm4", "--key-file", file.name)
        session = pad("--layout", "letters", key=from_file, prepare=swallow_set_dumpable)
        # Eight letters in an order that no row of the keyboard has.
        letters = [label for label in Keys(session.screen).places if len(label) == 1 and label.isalpha()]
        word = "".join(letters[index] for index in (3, 20, 11, 0, 25, 7, 16, 5))
        for letter in word:
            click(session, letter)
        needles = {"password": word.encode(), "key": key, "digits": key.hex().encode(), "control": b"to be encrypted"}
        counts = found_in_memory(session.process, needles)
        check(counts.pop("control") > 0 and not any(counts.values()), "found in memory: %s" % counts)
        click(session, "return", wait=False)
        check_end(session, 0, word, key=key.hex())


# ---- Ends ----


def ends():
    for data in (b"\x1b", b"\x03", b"\x1c"):
        session = pad()
        check(session.screen.modes[1049] and session.screen.modes[1006] and not session.screen.modes[25], "modes")
        session.press(b" ")
        session.send(data)
        check_end(session, 130)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        session = pad()
        session.press(b" ")
        session.signal(number)
        check_killed(session, number)


def deadly_signals():
    """Every signal that ends a program, while the pad is shown and while it asks for the key."""
    check(len(DEADLY) == 55, "%d deadly signals" % len(DEADLY))
    asked = groups.part(DEADLY, 5)
    for number in DEADLY:
        session = pad("--layout", "letters")
        session.screen.main[0][:6] = "before"
        session.press(b" ")
        session.signal(number)
        check_killed(session, number)
        check(session.screen.text.strip() == "before", "the main screen is not as it was:\n%s" % session.screen.text)
        if number not in asked:
            continue
        session = Session([TOOL, "pad", "--context", "c"])
        session.wait_for(lambda: "not shown" in session.screen.text, "question")
        session.send(KEY[:8].encode())
        session.signal(number)
        check_killed(session, number)


def fault():
    """A real fault, on a stack on which no handler can run, instead of a signal that another process sends."""
    # Sets the stack pointer to 0, then pushes a register.
    code = {"x86_64": "31e450", "aarch64": "000080d21f000091e00f1ff8"}[platform.machine()]
    session = pad(prepare=swallow_set_dumpable)
    process = session.process.pid
    while not (line := open("/proc/%d/syscall" % process).read().split())[0].isdigit():
        time.sleep(0.01)
    with open("/proc/%d/mem" % process, "r+b", buffering=0) as memory:
        memory.seek(int(line[-1], 16))  # Where it continues when it stops waiting.
        memory.write(bytes.fromhex(code))
    session.send(b" ")
    check_killed(session, signal.SIGSEGV)


def ignored_signals():
    """Signals that were ignored before stay ignored: nohup keyboard pad."""
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1)

    def prepare():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        set_reserved_signals(signal.SIG_IGN)

    session = pad(prepare=prepare)
    for number in (*numbers, 32, 33):
        session.signal(number)
    session.press(b" ")
    check(echo(session) == 1, "an ignored signal did something")
    session.send(b"\x1b")
    check_end(session, 130)


def unread_terminal():
    """A terminal that accepts no more output does not hold up the pad: it ends, and leaves raw mode."""
    for number in (signal.SIGTERM, signal.SIGUSR1):
        session = pad("--layout", "letters", columns=200, rows=60)
        state = "/proc/%d/stat" % session.process.pid
        before = -1
        # Until the pad no longer runs: it then waits for the terminal, which has more output than it can hold.
        while (after := open(state).read().split()[13:15]) != before:
            before = after
            for _ in range(100):
                session.send(b"\x1b[C\x1b[D")
            time.sleep(0.3)
        session.signal(number)
        # Nothing reads from the terminal meanwhile.
        code = session.process.wait(SECONDS)
        check(code == -number, "signal %d: ended with %s" % (number, code))
        session.end()
        check(session.after == session.before, "signal %d: the terminal is still raw" % number)


def stop_and_continue():
    session = pad("--maximum", "2")
    session.press(b" ")
    session.signal(signal.SIGSTOP)
    time.sleep(0.05)
    session.frame(lambda: session.signal(signal.SIGCONT))
    check(echo(session) == 1, "what was typed is gone")
    # No shell of its session could continue it, so the system ignores the stop.
    session.frame(lambda: session.signal(signal.SIGTSTP))
    check(echo(session) == 1, "what was typed is gone")
    session.send(b"\x1b")
    check_end(session, 130)


def stop_in_a_shell():
    """In a shell with job control, the stopped pad gives the terminal back, and `fg` brings the pad back."""

    def child(session):
        return int(open("/proc/%d/task/%d/children" % ((session.process.pid,) * 2)).read().split()[0])

    for ask, ending in ((False, b"\x1b"), (False, signal.SIGUSR2), (True, b"\x03"), (True, signal.SIGTERM)):
        script = '"$@"; echo stopped >&2; read line; echo "$line" >&2; fg >/dev/null; exit $?'
        arguments = [TOOL, "pad", "--layout", "letters"] + (["--context", "c"] if ask else list(SM4))
        session = Session(["sh", "-mc", script, "sh", *arguments])
        shown = (lambda: "not shown" in session.screen.text) if ask else (lambda: session.screen.frames > 0)
        session.wait_for(shown, "picture")
        if ask:
            session.send(b"38")
        else:
            session.press(b" ")
        tool = child(session)
        os.kill(tool, signal.SIGTSTP)
        session.wait_for_error(b"stopped\n")
        while session.read(0):
            pass
        session.after = termios.tcgetattr(session.slave)
        check(session.is_restored(), "stopped: the terminal is not as it was: %s" % session.screen.modes)
        session.send(b"a line\r")
        session.wait_for_error(b"a line\n")
        if ask:
            session.wait_for(lambda: session.screen.text.count("not shown") == 2, "question")
        else:
            session.wait_for(lambda: session.screen.modes[1049] and echo(session) == 1, "picture")
            session.press(b"\x1b[B")
        if isinstance(ending, bytes):
            session.send(ending)
        else:
            os.kill(tool, ending)
        code, _, _ = session.end()
        check(code == (130 if isinstance(ending, bytes) else 128 + ending), "exit code %s" % code)
        check(session.is_restored(), "ended: the terminal is not as it was: %s" % session.screen.modes)

    # A signal that arrives while the pad is stopped must not clear what the shell has written since.
    session = Session(["sh", "-mc", script, "sh", TOOL, "pad", *SM4])
    session.wait_for(lambda: session.screen.frames > 0, "picture")
    session.screen.main[0][:6] = "before"
    tool = child(session)
    os.kill(tool, signal.SIGTSTP)
    session.wait_for_error(b"stopped\n")
    os.kill(tool, signal.SIGUSR2)
    session.send(b"\r")
    code, _, _ = session.end()
    check(code == 128 + signal.SIGUSR2 and session.is_restored(), "stopped, then killed: %s" % code)
    check("before" in session.screen.text, "the main screen was cleared")


def unreadable():
    """Another process of the same user cannot read the tool's memory; so the kernel writes no core of it either."""

    def observe():
        # Without the privilege to read every process, which root may have and otherwise keeps over exec.
        libc.prctl(24, 19, 0, 0, 0)  # PR_CAPBSET_DROP CAP_SYS_PTRACE
        header = create_string_buffer((0x20080522).to_bytes(4, sys.byteorder) + bytes(4))
        data = create_string_buffer(24)
        assert libc.capget(header, data) == 0
        words = [word & ~(1 << 19) if index < 3 else word for index, word in enumerate(memoryview(data.raw).cast("I"))]
        assert libc.capset(header, b"".join(word.to_bytes(4, sys.byteorder) for word in words)) == 0
        arguments = ([TOOL, "pad", *SM4], [TOOL, "encrypt", *SM4], [TOOL, "encrypt", "--context", "c"], ["sleep", "60"])
        for command in arguments:
            session = Session(command)
            if command[0] == TOOL:
                session.wait_for(lambda: session.received, "picture or question")
            try:
                open("/proc/%d/mem" % session.process.pid, "rb").close()
                assert command[0] != TOOL, "the memory of %s can be read" % command
            except PermissionError:
                assert command[0] == TOOL, "not even this can be read: %s" % command
            finally:
                session.process.kill()
                session.end()

    observer = os.fork()
    if observer == 0:
        try:
            observe()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    check(os.waitpid(observer, 0)[1] == 0, "the memory can be read")


def reader_gone():
    """If the program that reads the ciphertext ends, the pad ends too, so that nobody types for nothing."""
    for arguments in (["pad", *SM4], ["pad", "--context", "c"], ["encrypt", *SM4]):
        session = Session([TOOL, *arguments])
        session.wait_for(lambda: session.received, "picture or question")
        session.process.stdout.close()
        session.process.stdout = None
        code, _, message = session.end()
        check(code == 74 and b"standard output" in message, "%s: %s %s" % (arguments, code, message))
        check(session.is_restored(), "the terminal is not as it was: %s" % session.screen.modes)


def errors():
    session = pad("--maximum", "1", output=open("/dev/full", "wb"))
    session.send(b" ")
    code, _, message = session.end()
    check(code == 74 and b"standard output" in message, "%s %s" % (code, message))
    check(session.is_restored(), "the terminal is not as it was after an error")
    # A terminal that is gone.
    session = pad()
    os.close(session.master)
    os.close(session.slave)
    check(session.process.wait(SECONDS) == -signal.SIGHUP, "no hang-up: %s" % session.process.returncode)
    session.process.stdout.close()
    session.process.stderr.close()


def without_terminal():
    fails(66, "terminal", "pad", *SM4, input=None, stdin=subprocess.DEVNULL)
    session = Session([TOOL, "pad", *SM4], environment={"TERM": "dumb"})
    code, _, message = session.end()
    check(code == 66 and b"TERM=dumb" in message and session.received == b"", "a dumb terminal: %s" % message)


# ---- The key ----


def asked_for_key():
    session = Session([TOOL, "pad", "--way", "sm4", "--maximum", "2"])
    session.wait_for(lambda: "Key in hexadecimal digits" in session.screen.text, "question")
    session.send(b"ffff\x7f\x7f\x7f\x7f" + KEY.encode() + b"\r")
    session.wait_for(lambda: session.screen.frames > 0, "picture")
    first = Keys(session.screen).selected
    session.press(b" ")
    session.send(b" ")
    check_end(session, 0, first * 2)
    check(KEY[:8].encode() not in session.received, "the key was shown")
    for data, code in ((b"\x03", 130), (b"\x1b", 130), (b"12\r", 65), (b"xy\r", 65), (b"\r", 65)):
        session = Session([TOOL, "pad", "--context", "c"])
        session.wait_for(lambda: "not shown" in session.screen.text, "question")
        session.send(data)
        check_end(session, code)
    session = Session([TOOL, "pad", "--context", "c"])
    session.wait_for(lambda: "not shown" in session.screen.text, "question")
    session.signal(signal.SIGTERM)
    check_killed(session, signal.SIGTERM)


# ---- How it looks ----


def colours():
    def is_colour(number):
        return 30 <= number <= 49 or 90 <= number <= 107

    for environment, wanted in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)):
        session = pad("--layout", "letters", environment=environment)
        check(any(map(is_colour, session.screen.styles)) == wanted, "colours with %s" % environment)
        session.send(b"\x1b")
        check_end(session, 130)


def sizes():
    session = pad("--layout", "letters", "--maximum", "3", columns=20, rows=5)
    check("Enlarge to 39 x 9" in session.screen.text, session.screen.text)
    session.press(b" ")  # Ignored: no key is shown.
    session.resize(80, 24)
    check(echo(session) == 0 and "return" in session.screen.text, session.screen.text)
    order = list(Keys(session.screen).places)
    session.press(b" ")
    session.resize(1, 1)
    session.resize(200, 70)
    places = list(Keys(session.screen).places)
    check(echo(session) == 1 and places[:10] == order[:10], "resized:\n" + session.screen.text)
    session.press(b" ")
    session.resize(39, 9)
    check(echo(session) == 2 and "123 #+=" in session.screen.text, session.screen.text)
    session.send(b" ")
    check_end(session, 0, order[0] * 3)
    for columns in groups.part(range(1, 100, 7), 3):
        for layout in ("pin", "pin-decoys", "letters", "mixed"):
            session = pad("--layout", layout, columns=columns, rows=chance.randint(1, 30))
            check(max(map(len, session.screen.lines)) <= columns, "wider than the screen")
            session.send(b"\x1b")
            check_end(session, 130)


def ascii_only():
    session = pad("--layout", "letters", "--maximum", "2", environment={"LC_ALL": "C"})
    session.press(b" ")
    check(session.received.isascii() and "*" in session.screen.text, session.screen.text)
    session.send(b"\x1b")
    check_end(session, 130)


GROUPS = [
    by_arrows, by_mouse, by_tab, with_decoys, passwords, full, nothing_typed, refused, noise, memory, ends,
    deadly_signals, fault, ignored_signals, unread_terminal, stop_and_continue, stop_in_a_shell, unreadable,
    reader_gone, errors, without_terminal, asked_for_key, colours, sizes, ascii_only,
]

groups.run("pad", GROUPS, draws=True)
