"""Checks `keyboard encrypt`, `decrypt` and `layout`: python3 commands.py KEYBOARD"""

import json
import os
import subprocess
import sys
import time
import xml.dom.minidom
from pathlib import Path
from tempfile import TemporaryDirectory

from terminal import Session

TOOL = sys.argv[1]
folder = TemporaryDirectory()
checks = 0

# The paper's rows, without its misprints.
ROWS = [
    ("des", b"89076543", "ef145f1aed986f0be696b7d7d09dcd79"),
    ("3des", b"890765432980765423451673", "5e6a10496ab1955b0d7e1d774a0c6818"),
    ("sm4", b"8907654329807654", "0f413569eb66b50be0c1db9c518fb909"),
]
PASSWORD = b"kgcx879@"
KEY = ROWS[2][1].hex()


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def run(*arguments, input=b"", **options):
    ended = subprocess.run(
        [TOOL, *arguments],
        input=input,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,
    )
    return ended.returncode, ended.stdout, ended.stderr.decode()


def key_file(text):
    path = Path(folder.name) / "key.hex"
    path.write_bytes(text)
    return str(path)


def expect(code, words, *arguments, input=b"", **options):
    """Fails with a code, and a message that says what to do; says nothing on standard output."""
    ended, output, message = run(*arguments, input=input, **options)
    check(ended == code, "%s: exit code %d, not %d: %s" % (arguments, ended, code, message))
    check(not output and words in message, "%s: %r %r" % (arguments, output, message))


# ---- The cipher ----


def paper_rows():
    for way, key, text in ROWS:
        for source in (("--key", key.hex()), ("--key-file", key_file(b" " + key.hex().upper().encode() + b"\r\n"))):
            check(run("encrypt", "--way", way, *source, input=PASSWORD) == (0, text.encode() + b"\n", ""), way)
            for given in (text, text.upper() + "\n", "\n\t " + text + " \r\n"):
                check(run("decrypt", "--way", way, *source, input=given.encode()) == (0, PASSWORD, ""), way)


def passwords():
    for password in (
        b"",
        b"\n",
        b"a",
        b" ",
        b"x" * 127,
        b"x" * 128,
        "한글é👨‍👩‍👧🇰🇷".encode(),
        b"a\nb",
        b"a\r",
        b"\0",
    ):
        for newline in (b"", b"\n", b"\r\n"):
            keep = password.endswith((b"\n", b"\r"))
            arguments = ["encrypt", "--key", KEY] + ["--keep-newline"] * keep
            code, text, message = run(*arguments, input=password + (b"" if keep else newline))
            check((code, message) == (0, ""), "%r: %s" % (password, message))
            check(len(text) == 1 + 32 * (len(password) // 16 + 1), "%r: %r" % (password, text))
            check(run("decrypt", "--key", KEY, input=text) == (0, password, ""), "%r" % password)
    check(
        run("encrypt", "--key", KEY, input=b"a\n\n")[1]
        == run("encrypt", "--key", KEY, "--keep-newline", input=b"a\n")[1],
        "more than one newline was removed",
    )


def spaces():
    offsets = set()
    for _ in range(5):
        code, space, where = run("encrypt", "--key", KEY, "--space", input=PASSWORD)
        check(code == 0 and len(space) == 2049, "a space of %d digits" % (len(space) - 1))
        offset, length = (int(word.split()[1]) for word in where.split(","))
        check(space[2 * offset :][: 2 * length].decode() == ROWS[2][2], "not at offset %d" % offset)
        offsets.add(offset)
    check(len(offsets) > 1, "always at the same offset")


def bad_input():
    encrypt, decrypt = ("encrypt", "--key", KEY), ("decrypt", "--key", KEY)
    text = ROWS[2][2].encode()
    for bad in (b"zz", text[:-1], text + b"g0", text[:10] + b" " + text[10:], b"0x" + text, b"\xff" * 32, b"\0" * 32):
        expect(65, "hexadecimal", *decrypt, input=bad)
    for bad in (b"", b"\n", text[:-2], text + b"00", b"00" * 16, text[2:] + text[:2]):
        expect(65, "algorithm and the key", *decrypt, input=bad)
    expect(65, "144", *decrypt, input=b"00" * 160)
    for bad in (b"00" * 1000, b"x" * 100_000):
        expect(65, "144", *decrypt, input=bad)
    for bad in (b"x" * 129, b"x" * 576, b"x" * 577, b"x" * 1_000_000):
        expect(65, "128 bytes", *encrypt, input=bad)
    for bad in (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"):
        expect(65, "UTF-8", *encrypt, input=bad)


def bad_keys():
    for way, lengths in (("des", (8,)), ("3des", (16, 24)), ("sm4", (16,))):
        for length in range(0, 34):
            for command in ("encrypt", "decrypt"):
                arguments = (command, "--way", way, "--key", "00" * length)
                if length in lengths:
                    check(run(*arguments, input=b"00")[0] in (0, 65), "%s %d" % (way, length))
                else:
                    expect(65, "Give a key of", *arguments, input=b"00")
    for bad in ("0", "g" * 32, "00 " * 16, KEY + " x", "é" * 16):
        expect(65, "hexadecimal", "encrypt", "--key", bad)
    for bad in ("0" * 576 + "11", "0" * 100_000):
        expect(65, "Give a key of", "encrypt", "--key", bad)
    expect(66, "cannot be opened", "encrypt", "--key-file", folder.name + "/none")
    expect(74, "failed", "encrypt", "--key-file", folder.name)
    expect(65, "hexadecimal", "encrypt", "--key-file", key_file(b"\0" * 16))
    expect(64, "not both", "encrypt", "--key-file", "x", "--key", KEY)
    expect(64, "--key-file", "encrypt")  # And no terminal to ask for it.


def usage_and_output():
    for arguments in (
        ("foo",),
        ("encrypt", "secret"),
        ("encrypt", "--way", "aes"),
        ("layout", "--size", "0"),
        ("pad", "--maximum", "0"),
    ):
        expect(64, "Usage: keyboard", *arguments)
    with open("/dev/full", "wb") as full:
        for arguments, input in (
            (("encrypt", "--key", KEY), b"a"),
            (("layout",), b""),
            (("decrypt", "--key", KEY), ROWS[2][2].encode()),
        ):
            code, _, message = run(*arguments, input=input, stdout=full)
            check(code == 74 and "standard output" in message, "%s: %d %s" % (arguments, code, message))
    header = Path(__file__).parents[2] / "Include/custom_keyboard.h"
    version = run("--version")[1].decode().strip()
    check('#define CUSTOM_KEYBOARD_VERSION "%s"' % version in header.read_text(), version)
    for command in ((), ("pad",), ("encrypt",), ("decrypt",), ("layout",)):
        code, text, _ = run(*command, "--help", env=dict(os.environ, COLUMNS="80"))
        check(code == 0 and b"Examples:" in text, "help for %s" % (command,))


def on_a_terminal():
    session = Session([TOOL, "encrypt", "--key", KEY])
    session.wait_for(lambda: "Password" in session.screen.text, "question")
    session.send(b"kgcx879!\x7f@\r")
    code, output, _ = session.end()
    check((code, output) == (0, ROWS[2][2].encode() + b"\n"), output)
    check(b"kgcx" not in session.received and session.is_restored(), "the password was shown")
    session = Session([TOOL, "decrypt", "--key", KEY])
    session.send(ROWS[2][2].encode() + b"\n\x04")
    check(session.end()[:2] == (0, PASSWORD), "decrypted from a terminal")


# ---- Pictures ----

LAYOUTS = {"letters": 3, "digits": 3, "symbols": 3, "mixed": 3, "pin": 1}


def frames():
    sizes = [(320, 216, 6, 8), (10, 4, 0, 0), (10, 4, 50, 50), (4000, 4000, 1.5, 2.25), (33.3, 77.7, 3, 1)]
    for layout, pages in LAYOUTS.items():
        labels = []
        for page in range(1, pages + 1):
            for width, height, column_gap, row_gap in sizes:
                code, text, _ = run(
                    "layout",
                    "--layout",
                    layout,
                    "--page",
                    str(page),
                    "--format",
                    "json",
                    "--size",
                    "%gx%g" % (width, height),
                    "--gaps",
                    "%gx%g" % (column_gap, row_gap),
                )
                shown = json.loads(text)
                check((shown["layout"], shown["page"], shown["pages"]) == (layout, page, pages), "%s" % shown)
                check("seed" not in shown, "a seed that nobody gave")
                keys = shown["keys"]
                for key in keys:
                    check(key["width"] > 0 and key["height"] > 0 and key["x"] >= 0 and key["y"] >= 0, "%s" % key)
                    check(key["x"] + key["width"] <= width and key["y"] + key["height"] <= height, "%s" % key)
                    check(
                        all(key["grid"][name] >= 1 for name in ("row", "column", "rowSpan", "columnSpan")), "%s" % key
                    )
                for a in keys:
                    for b in keys:
                        check(
                            a is b
                            or a["x"] + a["width"] <= b["x"]
                            or b["x"] + b["width"] <= a["x"]
                            or a["y"] + a["height"] <= b["y"]
                            or b["y"] + b["height"] <= a["y"],
                            "%s over %s" % (a, b),
                        )
            seeded = json.loads(
                run("layout", "--layout", layout, "--page", str(page), "--format", "json", "--seed", "5")[1]
            )
            labels += [key["label"] for key in seeded["keys"] if key["role"] == "character"]
        # One seed is one keyboard: its pages have every character once.
        check(len(labels) == len(set(labels)) == (10 if layout == "pin" else 68), "%s" % labels)


def pictures():
    for layout, pages in LAYOUTS.items():
        for page in range(1, pages + 1):
            for kind in ("svg", "json", "text"):

                def show(*arguments):
                    code, text, message = run(
                        "layout",
                        "--layout",
                        layout,
                        "--page",
                        str(page),
                        "--format",
                        kind,
                        *arguments,
                        env=dict(os.environ, LC_ALL="C.UTF-8"),
                    )
                    check((code, message) == (0, "") and text, message)
                    if kind == "svg":
                        xml.dom.minidom.parseString(text)
                    return text.decode()

                one, again, two = show("--seed", "1"), show("--seed", "1"), show("--seed", "2")
                check(one == again, "the same seed, another picture")
                check(
                    one.replace("seed 1", "seed 2").replace('"seed": 1', '"seed": 2') != two,
                    "another seed, the same picture",
                )
                check("documentation: seed 1" in one, "the picture does not say that it is documentation")
                check(len({show(), show(), show()}) > 1 and "seed" not in show(), "not drawn anew")


def shift():
    for layout, pages in LAYOUTS.items():
        if layout == "pin":
            expect(64, "pin has no letters", "layout", "--layout", layout, "--shift", "one")
            continue
        for choice in ("off", "one", "caps"):
            letters = set()
            for page in range(1, pages + 1):
                shown = json.loads(
                    run("layout", "--layout", layout, "--page", str(page), "--format", "json", "--shift", choice)[1]
                )
                check(shown["shift"] == choice, "%s" % shown["shift"])
                letters |= {
                    key["label"].isupper() for key in shown["keys"] if key["label"].isalpha() and len(key["label"]) == 1
                }
            check(letters == {choice != "off"}, "%s %s: %s" % (layout, choice, letters))
    for layout, pages in LAYOUTS.items():
        for page in (0, -1, pages + 1, 10**30):
            code, output, _ = run("layout", "--layout", layout, "--page=%d" % page)
            check((code, output) == (64, b""), "page %d of %s" % (page, layout))
    for size in ("9x4", "10x3", "0x0", "-1x5", "nanx5", "infx5", "1e7x5", "5", "5x5x5", "x", "1e400x5"):
        expect(64, "", "layout", "--format", "svg", "--size=" + size)
    for gaps in ("-1x5", "nanx5", "5xinf"):
        expect(64, "", "layout", "--format", "json", "--gaps=" + gaps)


for group in (
    paper_rows,
    passwords,
    spaces,
    bad_input,
    bad_keys,
    usage_and_output,
    on_a_terminal,
    frames,
    pictures,
    shift,
):
    before, start = checks, time.monotonic()
    try:
        group()
    except BaseException:
        print("commands: %s failed" % group.__name__, file=sys.stderr)
        raise
    seconds = time.monotonic() - start
    print("commands: %-18s %5d checks, %4.1f s" % (group.__name__.replace("_", " "), checks - before, seconds))
