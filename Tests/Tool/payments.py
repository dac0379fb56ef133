"""Checks PIN blocks and DUKPT in the tool, beside an implementation in Python (Tests/Python/payment.py) and with the
published examples of X9.24: python3 payments.py KEYBOARD.

SPDX-License-Identifier: Apache-2.0
"""

import os
import stat
import sys
from pathlib import Path

import groups
import tool
from files import file, folder, where
from groups import chance, check
from terminal import Session
from tool import TOOL

sys.path.insert(0, str(Path(__file__).parents[1] / "Python"))
from payment import (  # noqa: E402
    PIN0, PIN1, PIN3, PIN4, Scheme, decrypt_pin, draw_pan, draw_pin, draw_tdes_key, encrypt_pin)

WAYS = {"pin0": PIN0, "pin1": PIN1, "pin3": PIN3, "pin4": PIN4}
SCHEMES = ("tdes", "aes128", "aes192", "aes256", "aes-2tdea", "aes-3tdea")
CARD, PIN = "4012345678909", "1234"


def works(*arguments, input=""):
    return tool.works(*arguments, input=input.encode()).decode().strip()


def refused(code, words, *arguments, input=PIN):
    tool.fails(code, words, *arguments, input=input.encode())


def key_file(key, name="key"):
    return file(name, key.hex().encode() + b"\n")


def draw_key(way):
    return chance.randbytes(chance.choice((16, 24, 32))) if way == "pin4" else draw_tdes_key(chance)


def bound(way, card):
    return () if way == "pin1" else ("--context", card)


def blocks():
    """What encrypt prints is a block of the standard, and holds the PIN."""
    for _ in range(5):
        for way, code in WAYS.items():
            key, pin, card = draw_key(way), draw_pin(chance), draw_pan(chance)
            what = "%s, key %s, PIN %s, card %s" % (way, key.hex(), pin, card)
            options = ("--way", way, "--key-file", key_file(key), *bound(way, card))
            block = works("encrypt", *options, input=pin + "\n")
            check(decrypt_pin(code, key, bytes.fromhex(block), "" if way == "pin1" else card) == pin, what)
            check(works("pin", "check", block, *options, input=pin) == "The PIN is right.", what)
            other = str((int(pin) + 1) % 10 ** len(pin)).zfill(len(pin))
            refused(77, "holds another one", "pin", "check", block, *options, input=other)
            theirs = encrypt_pin(code, key, pin, "" if way == "pin1" else card, chance).hex()
            check(works("pin", "check", theirs.upper(), *options, input=pin) == "The PIN is right.", what)
    pin0 = ("--way", "pin0", "--key", "0123456789abcdeffedcba9876543210")
    code, space, told = tool.run("encrypt", *pin0, "--context", CARD, "--space", input=PIN.encode())
    check(code == 0 and len(space) == 4097 and told.endswith("length 8\n"), told)
    check(works("encrypt", "--way", "pin1", *pin0[2:], "--context", "", input=PIN), "an empty context does not count")
    check(works("encrypt", *pin0, "--context-hex", CARD.encode().hex(), input=PIN), "digits in hexadecimal")


def refusals():
    """Anything but a PIN, a card's number, a key or a block is refused, with a sentence that says what to do."""
    key = ("--key-file", key_file(draw_key("pin0")))
    for way in WAYS:
        options = ("--way", way, *key, *bound(way, CARD))
        for text in ("", "123", "1234567890123", "12a4", "12 4", "１２３４"):
            refused(66 if not text else 65, "standard input was empty" if not text else "4 to 12 digits", "encrypt",
                    *options, input=text)
        refused(64, "No PIN is shown", "decrypt", *options, input="00" * 8)
    for card in ("123456789", "1" * 20, "40123456789o9", ""):
        for way in ("pin0", "pin3", "pin4"):
            refused(64, "10 to 19 digits", "encrypt", "--way", way, *key, "--context", card)
        refused(64, "10 to 19 digits", "pin", "check", "00" * 8, "--way", "pin0", *key, "--context", card)
    for command in ("encrypt", "pad"):
        refused(64, "10 to 19 digits", command, "--way", "pin0", *key)
    refused(64, "10 to 19 digits", "pin", "check", "00" * 8, "--way", "pin0", *key)
    refused(64, "not bound to a card", "encrypt", "--way", "pin1", *key, "--context", CARD)
    single = bytes.fromhex("0123456789abcdef") * 2
    for parts in (single, single + b"12345678", b"12345678" + single):
        refused(65, "one of DES", "encrypt", "--way", "pin0", "--key", parts.hex(), "--context", CARD)
    for way, digits in (("pin0", "32 or 48"), ("pin4", "32 or 48 or 64")):
        refused(65, "a key of %s hexadecimal digits" % digits, "encrypt", "--way", way, "--key", "00" * 8,
                "--context", CARD)
    options = ("--way", "pin0", *key, "--context", CARD)
    block = works("encrypt", *options, input=PIN)
    for text in (block[:-2], block + "00", "xy" + block[2:], ""):
        refused(65, "16 hexadecimal digits", "pin", "check", text, *options)
    refused(65, "key and the card's number", "pin", "check", "00" * 8, *options)


def translations():
    """A PIN goes from one block to another as ISO 9564-1 allows, and never loses its card."""
    for source in WAYS:
        for target in WAYS:
            keys, pin, card = (draw_key(source), draw_key(target)), draw_pin(chance), draw_pan(chance)
            block = encrypt_pin(WAYS[source], keys[0], pin, "" if source == "pin1" else card, chance).hex()
            files = ("--key-file", key_file(keys[0], "from"), "--to-key-file", key_file(keys[1], "to"))
            options = ("pin", "translate", "--way", source, "--to-way", target, *files)
            context = () if source == target == "pin1" else ("--context", card)
            if target == "pin1" and source != "pin1":
                refused(77, "stays bound", *options, *context, input=block)
                continue
            made = bytes.fromhex(works(*options, *context, input=block + "\n"))
            found = decrypt_pin(WAYS[target], keys[1], made, "" if target == "pin1" else card)
            check(found == pin, "%s to %s" % (source, target))
            if source == "pin1" and target != "pin1":
                refused(64, "10 to 19 digits", *options, input=block)
            refused(65, "hexadecimal digits for", *options, *context, input=block + " 00")
            if source != "pin1":  # One altered block of pin1 in 640 would still be one.
                refused(65, "key and the card's number", *options, *context, input="00" * (len(block) // 2))


def keys():
    """The examples of X9.24, and every scheme with every length of its base key."""
    vectors = Path(__file__).parents[1] / "Vectors"
    count = 0
    for name in ("dukpt-tdes.txt", "dukpt-aes.txt"):
        lines = [line for line in (vectors / name).read_text().splitlines() if not line.startswith("#")]
        for line in groups.part(lines, 6):
            scheme, base, initial, ksn, key, block = line.split()
            options = ("--scheme", SCHEMES[int(scheme)], "--key-file", key_file(bytes.fromhex(base)), "--ksn", ksn)
            check(works("dukpt", "initial-key", *options) == initial, line)
            check(works("dukpt", "key", *options) == key, line)
            count += 1
            if block == "-":
                continue
            out = where("pin-key")
            check(works("dukpt", "key", *options, "--out", out, "--force") == "", line)
            check(stat.S_IMODE(os.stat(out).st_mode) == 0o600, "the mode of %s" % out)
            way, card = ("pin0", CARD) if scheme == "0" else ("pin4", "4111111111111111")
            works("pin", "check", block, "--way", way, "--key-file", out, "--context", card, input=PIN)
    check(count >= 10, "%d examples" % count)
    for number, scheme in enumerate(SCHEMES):
        for length in (8, 16, 24, 32):
            base = chance.randbytes(length)
            kind = Scheme(number, base)
            ksn = kind.ksn(chance.randbytes(kind.ksn_length), 1 + chance.randrange(1000))
            options = ("--scheme", scheme, "--key-file", key_file(base), "--ksn", ksn.hex())
            least = {"aes192": 24, "aes256": 32}.get(scheme, 16)
            if length < least or scheme == "tdes" and length != 16:
                refused(65, "a base key of", "dukpt", "key", *options)
                continue
            check(works("dukpt", "key", *options) == kind.pin_key(ksn).hex(), "%s, %d" % (scheme, length))
            check(works("dukpt", "initial-key", *options) == kind.initial_key(ksn).hex(), "%s, %d" % (scheme, length))
        bits, most = (21, 10) if scheme == "tdes" else (32, 16)
        base = chance.randbytes(16 if scheme == "tdes" else 32)
        options = ("dukpt", "key", "--scheme", scheme, "--key-file", key_file(base), "--ksn")
        for counter in (0, (1 << most + 1) - 1):
            refused(65, "at most %d bits" % most, *options, Scheme(number, base).ksn(bytes(12), counter).hex())
        for ksn in ("", "00" * 11, "0" * 19, "zz" * 12):
            refused(65, "hexadecimal digits for " + scheme, *options, ksn)
    out = where("there")
    options = ("dukpt", "key", "--scheme", "tdes", "--key-file", key_file(bytes(16)), "--ksn", "00" * 9 + "01")
    Path(out).write_text("before")
    refused(65, "--force", *options, "--out", out)
    check(Path(out).read_text() == "before", "it was replaced")
    refused(66, "cannot be opened", *options[:4], "--key-file", folder.name + "/none", "--ksn", "00" * 9 + "01")
    refused(64, "", "dukpt", "key", "--scheme", "des", "--key-file", out, "--ksn", "00")


def on_the_pad():
    """The pad makes blocks, too."""
    for way in ("pin0", "pin4"):
        key = draw_key(way)
        session = Session([TOOL, "pad", "--way", way, "--key-file", key_file(key), "--context", CARD, "--maximum", "4"])
        session.wait_for(lambda: "PIN" in session.screen.text, "the pad")
        for _ in range(4):
            session.send(b"\r")
        code, output, _ = session.end()
        pin = decrypt_pin(WAYS[way], key, bytes.fromhex(output.decode()), CARD)
        check(code == 0 and pin is not None and len(pin) == 4, "%r" % output)


groups.run("payments", (blocks, refusals, translations, keys, on_the_pad), draws=True)
