"""Checks `keyboard encrypt`, `decrypt` and `layout`: python3 commands.py KEYBOARD [GROUP...]

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import json
import os
import re
import signal
import subprocess
import xml.dom.minidom
from pathlib import Path

import groups
from files import file, folder
from groups import check
from processes import wait_until_it_reads
from terminal import Session, swallow_set_dumpable
from tool import TOOL, fails, run

# The paper's rows, without its misprints.
ROWS = [
    ("des", b"89076543", "ef145f1aed986f0be696b7d7d09dcd79"),
    ("3des", b"890765432980765423451673", "5e6a10496ab1955b0d7e1d774a0c6818"),
    ("sm4", b"8907654329807654", "0f413569eb66b50be0c1db9c518fb909"),
]
PASSWORD = b"kgcx879@"
KEY = ROWS[2][1].hex()
SM4 = ("--way", "sm4", "--key", KEY)
HEADER = Path(__file__).resolve().parents[2] / "Include" / "custom_keyboard.h"
SPACE_SIZE = int(re.search(r"define CUSTOM_KEYBOARD_ENCDATASPACESIZE +([0-9]+)", HEADER.read_text())[1])


def key_file(text, mode=0o600, name="key.hex"):
    return file(name, text, mode)


# ---- The cipher ----


def paper_rows():
    for way, key, text in ROWS:
        for source in (("--key", key.hex()), ("--key-file", key_file(b" " + key.hex().upper().encode() + b"\r\n"))):
            check(run("encrypt", "--way", way, *source, input=PASSWORD) == (0, text.encode() + b"\n", ""), way)
            for given in (text, text.upper() + "\n", "\n\t " + text + " \r\n"):
                check(run("decrypt", "--way", way, *source, input=given.encode()) == (0, PASSWORD, ""), way)


def passwords():
    for password in (b"", b"\n", b"a", b" ", b"x" * 127, b"x" * 128, "한글é👨‍👩‍👧🇰🇷".encode(), b"a\nb", b"a\r", b"\0"):
        for newline in (b"", b"\n", b"\r\n"):
            if not password + newline:
                continue  # No input at all; empty_input tests that.
            keep = password.endswith((b"\n", b"\r"))
            arguments = ["encrypt", *SM4] + ["--keep-newline"] * keep
            code, text, message = run(*arguments, input=password + (b"" if keep else newline))
            check((code, message) == (0, ""), "%r: %s" % (password, message))
            check(len(text) == 1 + 32 * (len(password) // 16 + 1), "%r: %r" % (password, text))
            check(run("decrypt", *SM4, input=text) == (0, password, ""), "%r" % password)
    once, newline = run("encrypt", *SM4, input=b"a\n\n")[1], run("encrypt", *SM4, "--keep-newline", input=b"a\n")[1]
    check(once == newline, "more than one newline was removed")


def spaces():
    offsets = set()
    for _ in range(5):
        code, space, where = run("encrypt", *SM4, "--space", input=PASSWORD)
        check(code == 0 and len(space) == 2 * SPACE_SIZE + 1, "a space of %d digits" % (len(space) - 1))
        offset, length = (int(word.split()[1]) for word in where.split(","))
        check(space[2 * offset :][: 2 * length].decode() == ROWS[2][2], "not at offset %d" % offset)
        offsets.add(offset)
    check(len(offsets) > 1, "always at the same offset")


def bad_input():
    encrypt, decrypt = ("encrypt", *SM4), ("decrypt", *SM4)
    text = ROWS[2][2].encode()
    for bad in (b"zz", text[:-1], text + b"g0", text[:10] + b" " + text[10:], b"0x" + text, b"\xff" * 32, b"\0" * 32):
        fails(65, "hexadecimal", *decrypt, input=bad)
    for bad in (text[:-2], text + b"00", b"00" * 16, text[2:] + text[:2]):
        fails(65, "algorithm, key and context", *decrypt, input=bad)
    fails(65, "144", *decrypt, input=b"00" * 160)
    for bad in (b"00" * 1000, b"x" * 100_000):
        fails(65, "144", *decrypt, input=bad)
    for bad in (b"x" * 129, b"x" * 576, b"x" * 577, b"x" * 1_000_000):
        fails(65, "128 bytes", *encrypt, input=bad)
    for bad in (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"):
        fails(65, "UTF-8", *encrypt, input=bad)


def empty_input():
    """Empty input is named as such; usually a command earlier in the pipe has failed."""
    for arguments in (("encrypt",), ("encrypt", "--keep-newline"), ("encrypt", "--space"), ("decrypt",)):
        fails(66, "standard input was empty", *arguments, *SM4)
    for blank in (b"\n", b" \t\r\n"):
        fails(66, "standard input was empty", "decrypt", *SM4, input=blank)
    # A line without characters is a password of no characters.
    check(run("encrypt", *SM4, input=b"\n")[0] == 0, "an empty password")


def key_file_modes():
    """A key file that others can read is used, with a warning that names the file and says what to do."""
    text = KEY.encode() + b"\n"
    for mode in (0o600, 0o400, 0o700, 0o640, 0o604, 0o644, 0o440, 0o666, 0o777, 0o620, 0o602):
        for name in ("key.hex", "a key's file.hex"):
            path = key_file(text, mode, name)
            code, output, message = run("encrypt", "--way", "sm4", "--key-file", path, input=PASSWORD)
            check((code, output) == (0, ROWS[2][2].encode() + b"\n"), "%o: %d %s" % (mode, code, message))
            if mode & 0o066:
                check("arning" in message and path in message.replace("'\\''", "'"), "%o: %r" % (mode, message))
                # A shell accepts the command that the warning recommends.
                subprocess.run(["sh", "-c", re.search("chmod 600 .*", message)[0]], check=True)
                check(os.stat(path).st_mode & 0o777 == 0o600, "%o: after %s" % (mode, message))
            else:
                check(message == "", "%o: %r" % (mode, message))
            os.unlink(path)
    # A pipe has no owner to warn about.
    script = 'echo "$1" | { printf kgcx879@ | "$0" encrypt --way sm4 --key-file /dev/fd/3; } 3<&0'
    ended = subprocess.run(["sh", "-c", script, TOOL, KEY], capture_output=True)
    check((ended.stdout.decode(), ended.stderr) == (ROWS[2][2] + "\n", b""), "a key from a pipe: %s" % ended)


def bad_keys():
    for way, lengths in (("des", (8,)), ("3des", (16, 24)), ("sm4", (16,))):
        edges = {0, 33, *(length + more for length in lengths for more in (-1, 0, 1))}
        for length in sorted(edges | set(groups.part(range(34), 34))):
            for command in ("encrypt", "decrypt"):
                arguments = (command, "--way", way, "--key", "00" * length)
                if length in lengths:
                    check(run(*arguments, input=b"00")[0] in (0, 65), "%s %d" % (way, length))
                else:
                    fails(65, "a key of", *arguments, input=b"00")
    for bad in ("0", "g" * 32, "00 " * 16, KEY + " x", "é" * 16):
        fails(65, "hexadecimal", "encrypt", "--way", "sm4", "--key", bad)
    for bad in ("0" * 576 + "11", "0" * 100_000):
        fails(65, "a key of", "encrypt", "--way", "sm4", "--key", bad)
    fails(66, "cannot be opened", "encrypt", "--way", "sm4", "--key-file", folder.name + "/none")
    fails(74, "failed", "encrypt", "--way", "sm4", "--key-file", folder.name)
    fails(65, "hexadecimal", "encrypt", "--way", "sm4", "--key-file", key_file(b"\0" * 15))
    fails(64, "not both", "encrypt", "--key-file", "x", *SM4)
    fails(64, "--context", "encrypt")
    fails(64, "--key-file", "encrypt", "--way", "sm4")  # There is no terminal to ask for the key.
    # Without --way texts are sealed for X25519: a key for an old peer is refused, and not used.
    short = ("--context", "c", "--key", KEY)
    fails(65, "a public key of 64 hexadecimal digits for X25519", "encrypt", *short, input=PASSWORD)
    fails(65, "a private key of 64 hexadecimal digits for X25519", "decrypt", *short, input=b"00")


def usage_and_output():
    for arguments in (("foo",), ("encrypt", "secret"), ("encrypt", "--way", "aes"), ("layout", "--size", "0"),
                      ("pad", "--maximum", "0")):
        fails(64, "Usage: keyboard", *arguments)
    calls = [(("encrypt", *SM4), b"a"), (("layout",), b""), (("decrypt", *SM4), ROWS[2][2].encode())]
    with open("/dev/full", "wb") as full:
        for arguments, input in calls:
            code, _, message = run(*arguments, input=input, stdout=full)
            check(code == 74 and "standard output" in message, "%s: %d %s" % (arguments, code, message))
    # A reader that has ended, and no standard output at all.
    calls += [(("encrypt", *SM4, "--space"), b"a"), (("layout", "--format", "svg"), b""), (("--help",), b""),
              (("decrypt", "--help"), b""), (("--version",), b""), (("--generate-completion-script", "bash"), b"")]
    for arguments, input in calls:
        reader, writer = os.pipe()
        os.close(reader)
        code, _, message = run(*arguments, input=input, stdout=writer)
        os.close(writer)
        check(code == 74 and "standard output" in message, "%s: %d %s" % (arguments, code, message))
        check("reads standard output" in message and "rror" not in message, "%s: %s" % (arguments, message))
        ended = subprocess.run(
            ["sh", "-c", '"$0" "$@" >&-', TOOL, *arguments], input=input, stderr=subprocess.PIPE, start_new_session=True
        )
        check(ended.returncode == 74 and b"standard output" in ended.stderr, "%s: closed: %s" % (arguments, ended))
    header = Path(__file__).parents[2] / "Include/custom_keyboard.h"
    version = run("--version")[1].decode().strip()
    check('#define CUSTOM_KEYBOARD_VERSION "%s"' % version in header.read_text(), version)
    commands = ["", "pad", "encrypt", "decrypt", "generate-key", "sign", "verify", "check-passcode", "layout"]
    commands += ["pin", "dukpt", "verifier", "verifier make", "verifier check", "vault", "vault add", "vault show"]
    for command in commands:
        code, text, _ = run(*command.split(), "--help", env=dict(os.environ, COLUMNS="80"))
        check(code == 0 and b"Examples:" in text, "help for %s" % command)


def on_a_terminal():
    session = Session([TOOL, "encrypt", *SM4])
    session.wait_for(lambda: "Password" in session.screen.text, "question")
    session.send(b"kgcx879!\x7f@\r")
    code, output, _ = session.end()
    check((code, output) == (0, ROWS[2][2].encode() + b"\n"), output)
    check(b"kgcx" not in session.received and session.is_restored(), "the password was shown")
    session = Session([TOOL, "decrypt", *SM4])
    session.send(ROWS[2][2].encode() + b"\n\x04")
    check(session.end()[:2] == (0, PASSWORD), "decrypted from a terminal")


# A password, and what a terminal shows of it.
SHOWN = [
    (PASSWORD, "kgcx879@"),
    ("한글é👨‍👩‍👧🇰🇷\u00a0ſ￿\U0010ffff".encode(), "한글é👨‍👩‍👧🇰🇷\u00a0ſ￿\U0010ffff"),
    (b"back\\slash", "back\\slash"),
    (b"\x1b]0;renamed\x07x", "\\u{1b}]0;renamed\\u{7}x"),
    (b"\x1b[2J\\", "\\u{1b}[2J\\\\"),  # If anything is escaped, a backslash is escaped too.
    (b"a\nb\r\t\0", "a\\u{a}b\\u{d}\\u{9}\\u{0}"),
    ("\u009b31m\u0090\u0085".encode(), "\\u{9b}31m\\u{90}\\u{85}"),
    (b"\x9b31m", "\\x9b31m"),
    (b"a\xc3", "a\\xc3"),
    (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
    (b"\xc0\x9b\xf4\x90\x80\x80", "\\xc0\\x9b\\xf4\\x90\\x80\\x80"),
    ("a\u202etxt.exe\u2066".encode(), "a\\u{202e}txt.exe\\u{2066}"),
    ("\u200e\u200f\u061c\u2028\u2029".encode(), "\\u{200e}\\u{200f}\\u{61c}\\u{2028}\\u{2029}"),
]
# All characters that a terminal obeys; the test also takes the neighbours of each range.
OBEYED = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
TAKEN = [0x20, 0x7E, 0xA0, 0x61B, 0x61D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0xFFFD]
for some in (OBEYED[start : start + 30] for start in range(0, len(OBEYED), 30)):
    SHOWN.append(("".join(map(chr, some)).encode(), "".join("\\u{%x}" % value for value in some)))
SHOWN += [("".join(map(chr, TAKEN)).encode(), "".join(map(chr, TAKEN)))]
SHOWN += [(chr(value).encode(), "\\u{%x}" % value) for value in (0, 0x1F, 0x7F, 0x80, 0x9F, 0x202A, 0x202E, 0x2069)]
SHOWN += [(bytes(range(0x80, 0x100)), "".join("\\x%x" % value for value in range(0x80, 0x100)))]
SHOWN += [(bytes([value]), "\\x%x" % value) for value in (0x80, 0x9B, 0xBF, 0xC2, 0xFF)]


def encrypted(password):
    """A ciphertext made by OpenSSL, because the tool encrypts only UTF-8."""
    command = ["openssl", "enc", "-sm4-ecb", "-K", KEY]
    return subprocess.run(command, input=password, capture_output=True, check=True).stdout.hex().encode()


def on_terminal(arguments, input, **environment):
    """What a terminal receives from standard output and standard error."""
    session = Session([TOOL, *arguments], input=subprocess.PIPE, output="terminal", environment=environment)
    session.screen.feed = lambda data: None
    session.process.stdin.write(input)
    session.process.stdin.close()
    return session.end()[0], session.received


def escapes():
    """A decrypted password cannot control a terminal, but a pipe or a file gets its exact bytes."""
    for password, shown in SHOWN:
        text = encrypted(password)
        check(run("decrypt", *SM4, input=text) == (0, password, ""), "to a pipe: %r" % password)
        code, received = on_terminal(["decrypt", *SM4], text)
        lines = received.decode().splitlines() if b"\\" not in password else received.decode().split("\r\n")[:-1]
        check(code == 0 and lines[-1] == shown, "%r on a terminal: %r" % (password, received))
        # The note appears only if something was escaped, so what is shown has one meaning.
        told = any("\\u{" in line for line in lines[:-1])
        check(len(lines) == 1 + told and told == (shown.encode() != password), "%r: said %r" % (password, lines))
    path = Path(folder.name) / "password"
    with open(path, "wb") as file:
        run("decrypt", *SM4, input=encrypted(b"\x1b\xff"), stdout=file)
    check(path.read_bytes() == b"\x1b\xff", "to a file")
    # If the locale is not UTF-8, bytes of a letter may be control characters: U+06DB is db 9b, and 9b is CSI.
    _, received = on_terminal(["decrypt", *SM4], encrypted("\u06db".encode()), LC_ALL="C")
    check(received.isascii() and b"\\u{6db}" in received, "without UTF-8: %r" % received)
    rename = "\x1b]0;renamed\x07"
    for arguments in (["encrypt", "--key-file", rename], ["--" + rename], ["\u009b31m\u202e"]):
        code, received = on_terminal(arguments, b"")
        check(code in (64, 66) and b"\x1b" not in received and b"\x07" not in received, "a message: %r" % received)
        check("\u009b" not in received.decode() and "\u202e" not in received.decode(), "a message: %r" % received)
    check(b"\\u{1b}" in run("decrypt", "--help")[1], "the help does not say it")


def crashes():
    """A crash ends the tool without a report, because a report would show registers and memory."""
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGBUS, signal.SIGFPE, signal.SIGTRAP):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        # Another process can see where this one waits only if it is dumpable.
        prepare = {"preexec_fn": swallow_set_dumpable}
        with subprocess.Popen([TOOL, "encrypt", *SM4], **pipes, **prepare) as process:
            wait_until_it_reads(process)
            process.send_signal(number)
            output, errors = process.communicate()
            check((process.returncode, output, errors) == (-number, b"", b""), "%d: %s" % (number, errors))


# ---- Pictures ----

LAYOUTS = {"letters": 3, "digits": 3, "symbols": 3, "mixed": 3, "pin": 1, "pin-decoys": 1}
PADS = ("pin", "pin-decoys")


def laid_out(layout, page, *options):
    """What JSON tells of a page."""
    return json.loads(run("layout", "--layout", layout, "--page", str(page), "--format", "json", *options)[1])


def frames():
    sizes = [(320, 216, 6, 8), (10, 4, 0, 0), (10, 4, 50, 50), (4000, 4000, 1.5, 2.25), (33.3, 77.7, 3, 1)]
    for layout, pages in LAYOUTS.items():
        labels = []
        for page in range(1, pages + 1):
            for width, height, *gaps in groups.part(sizes, 2):
                shown = laid_out(layout, page, "--size", "%gx%g" % (width, height), "--gaps", "%gx%g" % (*gaps,))
                check((shown["layout"], shown["page"], shown["pages"]) == (layout, page, pages), "%s" % shown)
                check("seed" not in shown, "a seed that nobody gave")
                keys = shown["keys"]
                for key in keys:
                    check(key["width"] > 0 and key["height"] > 0 and key["x"] >= 0 and key["y"] >= 0, "%s" % key)
                    check(key["x"] + key["width"] <= width and key["y"] + key["height"] <= height, "%s" % key)
                    check(all(span >= 1 for span in key["grid"].values()), "%s" % key)
                for a, b in itertools.combinations(keys, 2):
                    check(a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
                          or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"], "%s over %s" % (a, b))
            seeded = laid_out(layout, page, "--seed", "5")
            labels += [key["label"] for key in seeded["keys"] if key["role"] == "character"]
        # One seed gives one keyboard: its pages together have every character once.
        check(len(labels) == len(set(labels)) == (10 if layout in PADS else 68), "%s" % labels)


def pictures():
    for layout, pages in LAYOUTS.items():
        for page in range(1, pages + 1):
            for kind in groups.part(("svg", "json", "text"), 1 if page == 1 else 3):

                def show(*arguments):
                    code, text, message = run("layout", "--layout", layout, "--page", str(page), "--format", kind,
                                              *arguments, env=dict(os.environ, LC_ALL="C.UTF-8"))
                    check((code, message) == (0, "") and text, message)
                    if kind == "svg":
                        xml.dom.minidom.parseString(text)
                    return text.decode()

                one, again, two = show("--seed", "1"), show("--seed", "1"), show("--seed", "2")
                check(one == again, "the same seed, another picture")
                renamed = one.replace("seed 1", "seed 2").replace('"seed": 1', '"seed": 2')
                check(renamed != two, "another seed, the same picture")
                check("documentation: seed 1" in one, "the picture does not say that it is documentation")
                check(len({show(), show(), show()}) > 1 and "seed" not in show(), "not drawn again")


def shift():
    for layout, pages in LAYOUTS.items():
        if layout in PADS:
            fails(64, layout + " has no letters", "layout", "--layout", layout, "--shift", "one")
            continue
        for choice in ("off", "one", "caps"):
            letters = set()
            for page in range(1, pages + 1):
                shown = laid_out(layout, page, "--shift", choice)
                check(shown["shift"] == choice, "%s" % shown["shift"])
                labels = [key["label"] for key in shown["keys"]]
                letters |= {label.isupper() for label in labels if label.isalpha() and len(label) == 1}
            check(letters == {choice != "off"}, "%s %s: %s" % (layout, choice, letters))
    for layout, pages in LAYOUTS.items():
        for page in (0, -1, pages + 1, 10**30):
            code, output, _ = run("layout", "--layout", layout, "--page=%d" % page)
            check((code, output) == (64, b""), "page %d of %s" % (page, layout))
    for size in ("9x4", "10x3", "0x0", "-1x5", "nanx5", "infx5", "1e7x5", "5", "5x5x5", "x", "1e400x5"):
        fails(64, "", "layout", "--format", "svg", "--size=" + size)
    for gaps in ("-1x5", "nanx5", "5xinf"):
        fails(64, "", "layout", "--format", "json", "--gaps=" + gaps)


GROUPS = (paper_rows, passwords, spaces, bad_input, empty_input, key_file_modes, bad_keys, usage_and_output,
          on_a_terminal, escapes, crashes, frames, pictures, shift)

groups.run("commands", GROUPS)
