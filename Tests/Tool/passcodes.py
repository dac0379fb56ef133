"""Checks `keyboard check-passcode` and `keyboard verifier`: python3 passcodes.py KEYBOARD [GROUP...]

libargon2 makes and checks verifiers too.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import ctypes
import hashlib
import json
import os
import re
import subprocess
import time

import groups
import tool
from files import file, folder
from groups import chance, check, seed
from processes import found_in_memory, wait_until_it_reads
from terminal import Session, click, swallow_set_dumpable
from tool import TOOL


def run(*arguments, input=b""):
    code, output, message = tool.run(*arguments, input=input, env=dict(os.environ, LC_ALL="C.UTF-8"))
    # A short passcode may be in a message by chance.
    passcode = input.strip()
    if len(passcode) >= 4 and passcode not in b" ".join(argument.encode() for argument in arguments):
        said = output + message.encode()
        check(passcode not in said, "%s printed the passcode: %d %s" % (arguments, code, said))
    return code, output, message


def expect(code, words, *arguments, input=b""):
    """The command fails with this code and a message that has these words, and prints nothing on standard output."""
    ended, output, message = run(*arguments, input=input)
    check(ended == code, "%s: exit code %d, not %d: %s" % (arguments, ended, code, message))
    check(not output and words in message, "%s: %r %r" % (arguments, output, message))


def accepts(passcode, *rules):
    answer = run("check-passcode", *rules, input=passcode.encode())
    check(answer == (0, b"The passcode is accepted.\n", ""), "%r, %s: %s" % (passcode, rules, answer))


def refuses(passcode, message, *rules):
    answer = run("check-passcode", *rules, input=passcode.encode())
    check(answer == (77, b"", "keyboard: %s\n" % message), "%r, %s: %s" % (passcode, rules, answer))


def rules_file(rules):
    return file("rules.json", rules if isinstance(rules, bytes) else json.dumps(rules).encode())


SHORT, LONG = "This passcode is too short.", "This passcode is too long."
DIGITS, ALPHANUMERIC = "Use digits only.", "Use digits and the letters A to Z only."
SAME = "Do not repeat one character several times in a row."
RUN = "Do not use digits or letters in their order, such as 123 or cba."
PAIRS = "Do not repeat the same two characters, such as 121212."
DOUBLES = "Do not use each character twice in a row, such as 112233."
TEXT = "This passcode contains a word that is not allowed."
DATE = "Do not use your date of birth, or a part of it."
PHONE = "Do not use a part of your telephone number."
COMMON = "Many people choose this passcode. Choose one that is harder to guess."
MATCH, NOT_MATCH = "This passcode does not have the required form.", "This passcode has a form that is not allowed."

# A rule's name, its number and its text, the message, and passcodes that it refuses and accepts.
RULES = [
    ("minimumLength", 6, None, SHORT, ["", "48372", "한글é🇰🇷x"], ["483725", "한글é🇰🇷xy"]),
    ("minimumLength", 128, None, SHORT, ["x" * 127], ["x" * 128]),
    ("maximumLength", 6, None, LONG, ["4837251"], ["483725", ""]),
    ("maximumLength", 0, None, LONG, ["4"], [""]),
    ("digits", None, None, DIGITS, ["48372a", "48372 ", "٤"], ["483725"]),
    ("alphanumeric", None, None, ALPHANUMERIC, ["aé", "a_b"], ["aZ09"]),
    ("notSame", 3, None, SAME, ["411172", "aaa"], ["411472"]),
    ("notRun", 3, None, RUN, ["512372", "cBa"], ["512472", "890"]),
    ("notPairs", None, None, PAIRS, ["171717", "1111"], ["171718"]),
    ("notDoubles", None, None, DOUBLES, ["115599"], ["115598"]),
    ("notText", None, "Bank", TEXT, ["myBANK1"], ["myban"]),
    ("notText", None, "-bank", TEXT, ["my-bank"], ["mybank"]),
    ("notDate", None, "1987-04-23", DATE, ["5230487", "871987"], ["871986"]),
    ("notPhone", 4, "010-8765-4321", PHONE, ["908765", "010854"], ["087154"]),
    ("notPhone", 3, "010-8765-4321", PHONE, ["908755"], ["908855"]),
    ("notPhone", None, "010-8765-4321", PHONE, ["908765"], ["908755"]),
    ("notCommon", None, None, COMMON, ["2580", "PassWord"], ["2583"]),
    ("pattern", None, "[0-9].*[a-z]", MATCH, ["a1", ""], ["1a"]),
    ("notPattern", None, "(..)\\1", NOT_MATCH, ["xabab"], ["xabba"]),
    ("notPattern", None, "(a+)+$", NOT_MATCH, ["a" * 60 + "b"], ["b"]),  # Takes too many steps.
]


def option(name, number, text):
    """The option of a rule."""
    word = "--" + re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), name)
    if number is None and text is None:
        return [word]
    digits = ["--phone-digits", str(number)] if text and number else []
    value = str(number) if text is None else text
    return digits + ([word + "=" + value] if value.startswith("-") else [word, value])


def rule(name, number=None, text=None, **more):
    parts = {"rule": name, "number": number, "text": text, **more}
    parts = [(key, value) for key, value in parts.items() if value is not None]
    chance.shuffle(parts)
    return dict(parts)


def every_rule():
    """Each rule refuses and accepts, as an option and in a file, with the library's message or another."""
    for name, number, text, message, bad, good in RULES:
        bad, good = groups.part(bad, 3), groups.part(good, 3)
        options = option(name, number, text)
        plain = rules_file([rule(name, number, text)])
        own = file("own.json", json.dumps([rule(name, number, text, message="Nö. \\ 🇰🇷")]).encode())
        for passcode in bad:
            if passcode:
                refuses(passcode, message, *options)
            refuses(passcode + "\n", message, "--rules", plain)
            refuses(passcode + "\n", "Nö. \\ 🇰🇷", "--rules", own)
        for passcode in good:
            accepts(passcode + "\n", *options)
            accepts(passcode + "\n", "--rules", plain)
            accepts(passcode + "\n", "--rules", own)


def several_rules():
    """The first rule that refuses is named: those of the file, then the options in the order of the help."""
    path = rules_file([rule("notCommon"), rule("digits")])
    options = ("--not-text", "55", "--not-same", "3", "--minimum-length", "6", "--rules", path, "--not-text", "77")
    refuses("2580", COMMON, *options)
    refuses("258x", DIGITS, *options)
    refuses("48372", SHORT, *options)
    refuses("111557", SAME, *options)
    refuses("411557", TEXT, *options)
    refuses("411577", TEXT, *options)
    accepts("411567", *options)
    dates = ("--not-date", "1987-04-23", "--not-date=2001-12-31")
    phones = ("--not-phone", "010-8765", "--not-phone", "+49 30 555")
    patterns = ("--pattern", "4", "--pattern", "^5", "--not-pattern", "66", "--not-pattern", "8$")
    for passcode, message in (
        ("50423", DATE), ("543112", DATE), ("548765", PHONE), ("543055", PHONE),
        ("5566", MATCH), ("455", MATCH), ("5466", NOT_MATCH), ("5498", NOT_MATCH),
    ):  # fmt: skip
        refuses(passcode, message, *dates, *phones, *patterns)
    accepts("5491", *dates, *phones, *patterns)
    sixteen = ["--not-text=%d" % number for number in range(100, 116)]
    refuses("x115", TEXT, *sixteen)
    accepts("x116", *sixteen)
    for more in (("--digits",), ("--rules", path)):
        expect(65, "may have 16", "check-passcode", *sixteen, *more, input=b"x")


PATTERNS = [
    ("(", 0), ("a(b", 1), ("ab)", 2), ("*", 0), ("a**", 2), ("a{2,1}", 1), ("x[z-a]", 2), ("[a", 0), ("ab\\", 2),
    ("\\1", 0), ("(a)\\2", 3), ("\\q", 0), ("(?<n>a)", 0), ("^(?=a)+", 6),
    ("한글é(", 8), ("e\u0301)", 3), ("\x1b\n)", 2),
]  # fmt: skip


def wrong_options():
    """A wrong rule is named by its option before a passcode is read; a pattern shows where it is wrong."""
    for name in ("minimum-length", "maximum-length"):
        for number in ("-1", "129", "9223372036854775807"):
            expect(64, "keyboard: --%s: The rule's number" % name, "check-passcode", "--%s=%s" % (name, number))
    for name in ("not-same", "not-run"):
        for number in ("-1", "0", "1", "129"):
            expect(64, "keyboard: --%s: The rule's number" % name, "check-passcode", "--%s=%s" % (name, number))
    for number in ("six", "6.5", "", "9223372036854775808"):
        expect(64, "--minimum-length", "check-passcode", "--minimum-length", number)
    for number in ("1", "129"):
        expect(64, "--phone-digits", "check-passcode", "--not-phone", "0108765", "--phone-digits", number)
    expect(64, "--not-phone: The rule's text", "check-passcode", "--not-phone", "010")
    expect(64, "--not-phone: The rule's text", "check-passcode", "--not-phone", "0108765", "--phone-digits", "8")
    for date in ("", "1987", "23.04.1987", "1987-13-01", "1987-04-32", "1987-4-23"):
        expect(64, "--not-date: The rule's text", "check-passcode", "--not-date", date)
    for name in ("not-text", "pattern", "not-pattern"):
        expect(64, "--%s: The rule's text is wrong" % name, "check-passcode", "--" + name, "")
        expect(64, "--%s: The rule's text is too long" % name, "check-passcode", "--" + name, "x" * 257)
    for name, some in (("--pattern", PATTERNS), ("--not-pattern", groups.part(PATTERNS, 8))):
        for pattern, offset in some:
            code, output, message = run("check-passcode", name, pattern, input=b"x")
            lines = message.splitlines()
            said = "keyboard: %s: The pattern is not well-formed at the caret, offset %d:" % (name, offset)
            check((code, output, lines[0]) == (64, b"", said), "%r: %s" % (pattern, message))
            shown = pattern.replace("\x1b", "\\u{1b}").replace("\n", "\\u{a}")
            check(lines[1] == "  " + shown and len(lines) == 3, "%r: %s" % (pattern, message))
            before = pattern.encode()[:offset].decode()
            cells = {"한글é": 5, "e\u0301": 1, "\x1b\n": 11}.get(before, len(before))
            check(lines[2] == "  " + " " * cells + "^", "%r: %s" % (pattern, message))
    for arguments in ((), ("--twice",), ("secret",), ("--digits", "secret"), ("--maximum", "0", "--digits")):
        expect(64, "Usage: keyboard check-passcode", "check-passcode", *arguments, input=b"x")


WRONG = [
    # Not the form.
    (b"", "line 1: Begin with ["),
    (b"{}", "line 1: Begin with ["),
    (b"\n\n nonsense", "line 3: Begin with ["),
    (b"\xef\xbb\xbf[]", "line 1: Begin with ["),
    (b"[]", "line 1, [0]: Give an object"),
    (b"[1]", "line 1, [0]: Give an object"),
    (b'["digits"]', "line 1, [0]: Give an object"),
    (b'[{"rule": "digits"},]', "line 1, [1]: Give an object"),
    (b'[{"rule": "digits"} {"rule": "digits"}]', "line 1: Go on with a comma and a rule, or end with ]."),
    (b'[{"rule": "digits"}', "line 1: Go on with a comma and a rule, or end with ]."),
    (b'[{"rule": "digits"}]\n[]', "line 2: Write nothing after the array."),
    (b'[{"rule": "digits"}]\0', "line 1: Write nothing after the array."),
    (b"[{}]", "line 1, [0]: Give a text in quotation marks."),
    (b'[{rule: "digits"}]', "line 1, [0]: Give a text in quotation marks."),
    (b'[{"rule" "digits"}]', "line 1, [0].rule: Go on with a colon"),
    (b'[{"rule": "digits" "message": "x"}]', "line 1, [0]: Go on with a comma and a key, or end with }."),
    (b'[{"rule": "digits"', "line 1, [0]: Go on with a comma and a key, or end with }."),
    (b'[{"rule": "digits",}]', "line 1, [0]: Give a text in quotation marks."),
    # Not the keys.
    (b'[{"rule": "digits"},\n{"rule": "digits", "colour": 1}]', "line 2, [1].colour: There is no such key."),
    (b'[{"rule": "digits", "Message": "x"}]', "line 1, [0].Message: There is no such key."),
    (b'[{"rule": "digits", "": 1}]', "line 1, [0].: There is no such key."),
    (b'[{"rule": "digits", "rule": "digits"}]', "line 1, [0].rule: Give this key once."),
    (b'[{"rule": "notSame",\n"number": 3,\n"number": 3}]', "line 3, [0].number: Give this key once."),
    (b'[{"rule": "digits", "r\\u0075le": "digits"}]', "line 1, [0].rule: Give this key once."),
    (b'[{"number": 3}]', "line 1, [0].rule: Give the name of the rule."),
    (b'[{"rule": "digits", "number": 0}]', "line 1, [0].number: Leave it out: digits has no number."),
    (b'[{"rule": "notText", "text": "x", "number": 0}]', "line 1, [0].number: Leave it out: notText has no number."),
    (b'[{"rule": "notCommon", "text": ""}]', "line 1, [0].text: Leave it out: notCommon has no text."),
    (b'[{"rule": "minimumLength"}]', "line 1, [0].number: Give the number of minimumLength."),
    (b'[{"rule": "notDate"}]', "line 1, [0].text: Give the text of notDate."),
    (b'[{"rule": "notPhone", "number": 4}]', "line 1, [0].text: Give the text of notPhone."),
    # Not the values.
    (b'[{"rule": "Digits"}]', "line 1, [0].rule: There is no such rule."),
    (b'[{"rule": "not-run", "number": 3}]', "line 1, [0].rule: There is no such rule."),
    (b'[{"rule": 3}]', "line 1, [0].rule: Give a text"),
    (b'[{"rule": null}]', "line 1, [0].rule: Give a text"),
    (b'[{"rule": "notText", "text": ["x"]}]', "line 1, [0].text: Give a text"),
    (b'[{"rule": "notText", "text": {}}]', "line 1, [0].text: Give a text"),
    (b'[{"rule": "digits", "message": true}]', "line 1, [0].message: Give a text"),
    (b'[{"rule": "digits", "message": ""}]', "line 1, [0].message: Give a sentence"),
    *(
        (b'[{"rule": "minimumLength", "number": %s}]' % number, "line 1, [0].number: Give a whole number")
        for number in (b'"6"', b"6.0", b"6e0", b"06", b"+6", b"-", b"--6", b"", b"null", b"1" * 30, b"true")
    ),
    (b'[{"rule": "minimumLength", "number": 6 0}]', "line 1, [0]: Go on with a comma and a key"),
    (b'[{"rule": "minimumLength", "number": 0x6}]', "line 1, [0]: Go on with a comma and a key"),
    (b'[{"rule": "minimumLength", "number":\n129}]', "line 1, [0].number: The rule's number is wrong"),
    (b'[{"rule": "minimumLength",\n"number": -1\n}]', "line 2, [0].number: The rule's number is wrong"),
    (b'[{"rule": "notSame", "number": 1}]', "line 1, [0].number: The rule's number is wrong"),
    (b'[{"rule": "notPhone", "text": "0108", "number": 5}]', "line 1, [0].text: The rule's text is wrong"),
    (b'[{"rule": "notDate", "text": "1987-02-32"}]', "line 1, [0].text: The rule's text is wrong"),
    (b'[{"rule": "notText", "text": ""}]', "line 1, [0].text: The rule's text is wrong"),
    (b'[{"rule": "notText", "text": "%s"}]' % (b"x" * 257), "line 1, [0].text: The rule's text is too long"),
    (b'[{"rule": "pattern", "text": "(a"}]', "line 1, [0].text: The pattern is not well-formed at the caret, offset 0"),
    # Not the texts of JSON.
    (b'[{"rule": "notText", "text": "a\nb"}]', "line 1, [0].text: End the text in its line"),
    (b'[{"rule": "notText", "text": "a\0"}]', "line 1, [0].text: End the text in its line"),
    (b'[{"rule": "notText", "text": "a', "line 1, [0].text: End the text with a quotation mark."),
    (b'[{"rule": "notText", "text": "a\\', "line 1, [0].text: End the text with a quotation mark."),
    (b'[{"rule": "notText", "text": "a\\u00', "line 1, [0].text: End the text with a quotation mark."),
    (b'[{"rule": "pattern", "text": "\\d"}]', "line 1, [0].text: Write a backslash in a text as \\\\."),
    (b'[{"rule": "notText", "text": "\\u00g0"}]', "line 1, [0].text: Give four digits after \\u."),
    (b'[{"rule": "notText", "text": "\xff"}]', "line 1, [0].text: Write UTF-8."),
    (b'[{"rule": "notText", "text": "\xed\xa0\x80"}]', "line 1, [0].text: Write UTF-8."),
    *(
        (b'[{"rule": "notText", "text": "%s"}]' % half, "line 1, [0].text: Write both halves")
        for half in (b"\\ud83c", b"\\ud83cx", b"\\ud83c\\n", b"\\ud83c\\ud83c", b"\\ud83c\\u0041", b"\\udde6\\ud83c")
    ),
]  # fmt: skip


def wrong_files():
    """Every fault in a file is named by line, index and key; nothing is ignored, and nothing is checked then."""
    for contents, place in WRONG:
        path = rules_file(contents)
        expect(65, "keyboard: %s, %s" % (path, place), "check-passcode", "--rules", path, input=b"4837")
    for contents, place in groups.part(WRONG, 8):
        path = rules_file(contents)
        expect(65, "keyboard: %s, %s" % (path, place), "check-passcode", "--digits", "--rules", path, input=b"x")
    expect(66, "cannot be opened", "check-passcode", "--rules", folder.name + "/none", input=b"x")
    expect(74, "failed", "check-passcode", "--rules", folder.name, input=b"x")
    seventeen = rules_file([rule("digits")] * 17)
    expect(65, "may have 16", "check-passcode", "--rules", seventeen, input=b"x")
    code, _, message = run("check-passcode", "--rules", rules_file(b'[{"\\u001b]0;x\\u0007": 1}]'), input=b"x")
    check(code == 65 and "\x1b" not in message and "\\u{1b}" in message, message)
    path = rules_file([{"rule": "digits", "message": "\x1b[2J\u202e!"}])
    refuses("x", "\\u{1b}[2J\\u{202e}!", "--rules", path)


def texts():
    """Texts of JSON are read as Python's json reads them."""
    for text in ('a"b\\c/d', "\b\f\n\r\t", "é한🇰🇷\U0010ffff", "\x7f\u2028", "\0x"):
        for escaped in (True, False):
            contents = json.dumps([rule("notText", None, text)], ensure_ascii=escaped, indent=chance.choice([None, 2]))
            refuses("x%sy" % text, TEXT, "--rules", rules_file(contents.encode()))
            accepts("x%sy" % text[1:], "--rules", rules_file(contents.encode()))
    refuses("/é\U0001f1f0", TEXT, "--rules", rules_file(b'[{"rule": "notText", "text": "\\/\\u00E9\\uD83C\\uddf0"}]'))
    accepts("x", "--rules", rules_file(b'\t\r\n [ {\n"rule"\t:\r"notSame" , "number" : 128 } ] \n'))


def model(contents):
    """Whether a file has rules of a length, by Python's json; the exit code for the passcode 4837."""

    def once(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    try:
        rules = json.loads(contents.decode(), object_pairs_hook=once)
        assert type(rules) is list and rules
        for each in rules:
            assert type(each) is dict and set(each) <= {"rule", "number", "message"}
            assert each["rule"] in ("minimumLength", "maximumLength") and type(each["number"]) is int
            assert 0 <= each["number"] <= 128
            message = each.get("message", "x")
            assert type(message) is str and message and message.encode()
    except (AssertionError, KeyError, ValueError, RecursionError):
        return 65
    broken = any((each["number"] - 4) * (1 if each["rule"] == "minimumLength" else -1) > 0 for each in rules)
    return 77 if broken else 0


def changed_files():
    """A file that is changed anywhere is taken exactly if Python's json takes it, and its rules are right."""
    seen = {0: 0, 65: 0, 77: 0}
    pieces = (*(bytes([byte]) for byte in b'"\\{}[],:0-4 \ne\xc3'), b"\\u00e9", b"null", b"")
    for _ in groups.part(range(150), 3):
        rules = [
            rule(chance.choice(["minimumLength", "maximumLength"]), chance.choice([0, 3, 4, 5, 10, 128]))
            for _ in range(chance.randint(1, 3))
        ]
        if chance.random() < 0.5:
            rules[0]["message"] = 'é\n"'
        contents = bytearray(json.dumps(rules, indent=chance.choice([None, 1])).encode())
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            start = chance.randrange(len(contents) + 1)
            contents[start : start + chance.choice([0, 0, 1, 2])] = chance.choice(pieces)
        wanted = model(bytes(contents))
        seen[wanted] += 1
        code, _, message = run("check-passcode", "--rules", rules_file(bytes(contents)), input=b"4837")
        check(code == wanted, "%d, not %d, of %r: %s (SEED=%d)" % (code, wanted, bytes(contents), message, seed))
    check(min(seen.values()) > 0, "%s" % seen)


def standard_input():
    """The passcode is read as `encrypt` reads a password."""
    accepts("\n", "--maximum-length=0")
    accepts("\r\n", "--maximum-length=0")
    refuses("\n\n", LONG, "--maximum-length=0")
    refuses("4837\n", DIGITS, "--digits", "--keep-newline")
    accepts("4837\r\n", "--digits")
    accepts("x" * 128 + "\n", "--minimum-length=128")
    rules = ("check-passcode", "--digits")
    expect(66, "Give the passcode on standard input: standard input was empty.", *rules)
    for bad in (b"x" * 129, b"x" * 10_000, b"7" * 1_000_000):
        expect(65, "128 bytes", *rules, input=bad)
    for bad in (b"\xff", b"a\xc3", b"\xed\xa0\x80"):
        expect(65, "UTF-8", *rules, input=bad)
    expect(66, "leave out --twice", *rules, "--twice", input=b"4837")


# ---- Verifiers ----

FORM = re.compile(r"\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)")
RIGHT, WRONG_PASSCODE = b"The passcode is right.\n", "The passcode is wrong"
NO_VERIFIER = "verifier"  # which sentence: Tests/C/causes.c


class Argon2Context(ctypes.Structure):
    """libargon2's `argon2_context`."""

    _fields_ = [
        (name + suffix, kind)
        for name in ("out", "pwd", "salt", "secret", "ad")
        for suffix, kind in (("", ctypes.c_char_p), ("len", ctypes.c_uint32))
    ] + [(name, ctypes.c_uint32) for name in ("t_cost", "m_cost", "lanes", "threads", "version")]
    _fields_ += [("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p), ("flags", ctypes.c_uint32)]


def argon2id(passcode, pepper, salt, m, t, p, size):
    """A verifier by libargon2."""
    out = ctypes.create_string_buffer(size)
    parts = ctypes.cast(out, ctypes.c_char_p), size
    for part in (passcode, salt, pepper, b""):
        parts += (part, len(part))
    context = Argon2Context(*parts, t, m, p, p, 0x13, None, None, 0)
    assert ctypes.CDLL("libargon2.so.1").argon2id_ctx(ctypes.byref(context)) == 0
    texts = (base64.b64encode(each).decode().rstrip("=") for each in (salt, out.raw))
    return "$argon2id$v=19$m=%d,t=%d,p=%d$" % (m, t, p) + "$".join(texts)


def pepper_file(pepper, mode=0o600):
    return "--pepper-file", file("pepper.hex", pepper.hex().encode() + b"\n", mode)


def made(passcode, *options):
    code, output, message = run("verifier", "make", *options, input=passcode)
    check((code, message) == (0, "") and output.endswith(b"\n"), "%r: %s" % (passcode, message))
    return output.decode()[:-1]


def is_right(passcode, verifier, *options, message=""):
    for given in ((verifier,), ("--verifier-file", file("verifier", b" %s\r\n" % verifier.encode()))):
        answer = run("verifier", "check", *given, *options, input=passcode)
        check(answer == (0, RIGHT, message), "%r, %s: %s" % (passcode, verifier, answer))


def is_wrong(passcode, verifier, *options, words=WRONG_PASSCODE):
    for given in ((verifier,), ("--verifier-file", file("verifier", verifier.encode()))):
        expect(65 if words == NO_VERIFIER else 77, words, "verifier", "check", *given, *options, input=passcode)


def verifiers():
    """A verifier is for its passcode and its pepper, and libargon2 computes the same."""
    passcodes = (b"483725", b"", "한글é🇰🇷".encode(), b"x" * 128)
    peppers = (b"", b"\0", chance.randbytes(32), chance.randbytes(64))
    for number, passcode in enumerate(passcodes):
        for pepper in groups.part(peppers[number:] + peppers[:number], 4):
            options = pepper_file(pepper) if pepper else ()
            verifier = made(passcode + b"\n", *options)
            parts = FORM.fullmatch(verifier)
            check(parts and parts.groups()[:3] == ("19456", "2", "1"), verifier)
            salt = base64.b64decode(parts[4] + "==")
            check(len(salt) == 16 and argon2id(passcode, pepper, salt, 19456, 2, 1, 32) == verifier, verifier)
            is_right(passcode + b"\n", verifier, *options)
            is_wrong(b"483726", verifier, *options)
            is_wrong(passcode + b"\n", verifier, *pepper_file(pepper[1:] + b"1"))
            if pepper:
                is_wrong(passcode + b"\n", verifier)
    check(made(b"483725") != made(b"483725"), "two verifiers are alike")
    check(made(b"4837\n", "--keep-newline") and made(b"4837\r\n"), "newlines")
    is_right(b"4837\n", argon2id(b"4837\n", b"", bytes(8), 8, 1, 1, 16), "--keep-newline")


def imports():
    """The two forms for import, with advice to replace them, and never with a pepper."""
    advice = "keyboard: warning: this verifier has no salt. Make a new one of the passcode, and store that.\n"
    for passcode in (b"483725", b"", "é".encode() * 64):
        once = hashlib.sha256(passcode)
        forms = {"sha256d": once.digest(), "sha256x2": once.hexdigest().encode()}
        for form, inner in forms.items():
            verifier = "$%s$%s" % (form, hashlib.sha256(inner).hexdigest())
            is_right(passcode + b"\n", verifier, message=advice)
            is_right(passcode + b"\n", verifier.replace(verifier[-64:], verifier[-64:].upper()), message=advice)
            is_wrong(b"483726", verifier)
            is_wrong(passcode + b"\n", verifier, *pepper_file(b"x"), words=NO_VERIFIER)
            is_wrong(passcode + b"\n", verifier[:-1], words=NO_VERIFIER)


def hostile_verifiers():
    """A wrong verifier, or one that would cost too much, is refused at once and before a passcode is read."""
    good = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    is_wrong(b"4837", good)
    is_wrong(b"4837", good.replace("t=2,p=1", "p=1,t=2"))
    # What is no verifier is the library's to say: KeyboardCipherTests/VerifierTests.swift.
    for bad in (good.replace("t=2,p=1", "t=0,p=1"), good.replace("m=19456", "m=1048577"), good + "\n" + good, " ",
                "x" + good, "$argon2id$" * 1000, "\u202e" + good):
        is_wrong(b"4837", bad, words=NO_VERIFIER)
    for contents in (b"", b"\xff" * 97, good.encode() + b"\0", bytes(97), os.urandom(100_000)):
        expect(65, NO_VERIFIER, "verifier", "check", "--verifier-file", file("bad", contents), input=b"4837")
    session = Session([TOOL, "verifier", "check", good.replace("m=", "m=999")])
    code, output, message = session.end()
    check((code, output, session.received) == (65, b"", b"") and NO_VERIFIER.encode() in message, "%s" % message)
    expect(66, "cannot be opened", "verifier", "check", "--verifier-file", folder.name + "/none", input=b"4837")
    for arguments in ((), (good, "--verifier-file", "x")):
        expect(64, "one of them", "verifier", "check", *arguments, input=b"4837")


def peppers():
    """A pepper is hexadecimal digits in a file, whose faults are told before a passcode is read."""
    for command in (("verifier", "make"), ("verifier", "check", argon2id(b"4837", b"", bytes(8), 8, 1, 1, 16))):
        for text, words in (
            (b"", "has 0"), (b"\n", "has 0"), (b"0", "pairs of hexadecimal"), (b"0g", "pairs of hexadecimal"),
            (b"00" * 65, "a pepper of 2 to 128 hexadecimal digits"), (b"\xff\0", "pairs of hexadecimal"),
            (b"0" * 9000, "at most 8192 bytes"),
        ):  # fmt: skip
            expect(65, words, *command, "--pepper-file", file("bad", text))
        expect(66, "The pepper file", *command, "--pepper-file", folder.name + "/none")
        expect(74, "failed", *command, "--pepper-file", folder.name)
        expect(64, "--pepper", *command, "--pepper", "00")
        expect(66, "standard input was empty", *command, *pepper_file(b"x"))
    for mode in (0o600, 0o400, 0o640, 0o604, 0o620):
        options = pepper_file(b"secret", mode)
        code, output, message = run("verifier", "make", *options, input=b"483725")
        check(code == 0 and FORM.match(output.decode()), "%o: %s" % (mode, message))
        wanted = "warning" if mode & 0o066 else ""
        check(wanted in message and (options[1] in message) == bool(wanted), "%o: %s" % (mode, message))
        os.unlink(options[1])


# ---- The pad ----


def enter(session, passcode, wait):
    """Taps digits; the last one completes the input."""
    for digit in passcode[:-1]:
        click(session, digit)
    click(session, passcode[-1], wait=False)
    if wait:
        session.wait_for(lambda: wait in session.screen.text, wait)
        check("•" not in session.screen.text, "what was typed is still there")


def start(*arguments, **options):
    session = Session([TOOL, *arguments], **options)
    session.wait_for(lambda: session.screen.frames > 0, "picture")
    return session


def check_end(session, code, *passcodes, output=b"", message=b""):
    answer = session.end()
    check(answer == (code, output, message), "%s" % (answer,))
    check(session.is_restored(), "the terminal is not as it was: %s" % session.screen.modes)
    for passcode in passcodes:
        check(passcode.encode() not in session.received + answer[1] + answer[2], "the passcode was shown")


ACCEPTED = b"The passcode is accepted.\n"


def on_the_pad():
    """In a terminal, the passcode is tapped on the pad."""
    rules = ("check-passcode", "--not-run", "3", "--maximum-length", "7")
    session = start(*rules)
    check("PIN, to be checked" in session.screen.text, session.screen.text)
    enter(session, "483725", None)
    check_end(session, 0, "483725", output=ACCEPTED)
    session = start(*rules, "--maximum", "5")
    enter(session, "12359", None)
    check_end(session, 77, "12359", message=b"keyboard: %s\n" % RUN.encode())
    session = start(*rules, "--layout", "letters", "--shuffle", "each-key")
    check("Password, to be checked" in session.screen.text, session.screen.text)
    for letter in "qxqxqxqx":
        click(session, letter)
    click(session, "return", wait=False)
    check_end(session, 77, "qxqxqxqx", message=b"keyboard: %s\n" % LONG.encode())
    for data in (b"\x1b", b"\x03"):
        for twice in ((), ("--twice",)):
            session = start(*rules, *twice)
            session.press(b" ")
            session.send(data)
            check_end(session, 130)
    session = Session([TOOL, *rules], environment={"TERM": "dumb"})
    code, output, message = session.end()
    check((code, output) == (66, b"") and b"TERM=dumb" in message, message)
    # What is wrong is told before anything is typed.
    session = Session([TOOL, "check-passcode", "--pattern", "("])
    code, output, message = session.end()
    check((code, output, session.received) == (64, b"", b"") and b"caret" in message, message)


def twice():
    """A passcode is chosen on the pad: entered again until the rules accept it, and then twice alike."""
    path = rules_file([rule("notRun", 3, message="\x1b[2J\nNo."), rule("notCommon")])
    session = start("check-passcode", "--rules", path, "--maximum", "4", "--twice")
    enter(session, "1234", "\\u{1b}[2J\\u{a}No.")
    enter(session, "2580", "Many people choose this passcode.")
    enter(session, "4826", "Enter it again.")
    enter(session, "4827", "Enter it again; tries left: 2.")
    enter(session, "4828", "Enter it again; tries left: 1.")
    enter(session, "4829", "Choose a passcode again.")
    enter(session, "5934", "Enter it again.")
    session.send(b"\x1b[C")
    session.wait_for(lambda: "Enter it again." not in session.screen.text, "picture without the hint")
    enter(session, "5934", None)
    check_end(session, 0, "4826", "5934", output=ACCEPTED)


def verifiers_on_the_pad():
    """A verifier is made from what is tapped, twice if asked for, and checked in the same way."""
    options = pepper_file(b"pepper")
    session = start("verifier", "make", "--maximum", "4", *options)
    check("PIN, for a verifier" in session.screen.text, session.screen.text)
    enter(session, "4826", None)
    code, output, message = session.end()
    check((code, message) == (0, b"") and session.is_restored(), message)
    check(b"4826" not in session.received, "the passcode was shown")
    verifier = output.decode().strip()
    is_right(b"4826", verifier, *options)
    for passcode, code in (("4826", 0), ("4827", 77)):
        session = start("verifier", "check", verifier, "--maximum", "4", *options)
        check("PIN, to be checked" in session.screen.text, session.screen.text)
        enter(session, passcode, None)
        ended, output, message = session.end()
        check((ended, output) == (code, b"" if code else RIGHT), "%d: %s" % (ended, message))
        check(session.is_restored(), "the terminal is not as it was")
        check(bool(message) == bool(code) and passcode.encode() not in session.received, "%s" % message)
    session = start("verifier", "make", "--twice", "--maximum", "4", "--shuffle", "each-key")
    enter(session, "4826", "Enter it again.")
    enter(session, "4822", "Enter it again; tries left: 2.")
    enter(session, "4826", None)
    code, output, _ = session.end()
    check(code == 0 and session.is_restored(), output)
    is_right(b"4826", output.decode().strip())
    expect(66, "leave out --twice", "verifier", "make", "--twice", input=b"4826")


def memory():
    """While the passcode is typed, and after it was read, it is nowhere in memory unmasked but in locked pages."""
    letters = "wkxqjzvu"
    needles = {"passcode": letters.encode(), "control": b"control-text"}
    rules = ("check-passcode", "--not-text", "control-text")
    session = start(*rules, "--layout", "letters", prepare=swallow_set_dumpable)
    for letter in letters:
        click(session, letter)
    counts = found_in_memory(session.process, needles)
    check(counts["control"] > 0 and counts["passcode"] == 0, "%s" % counts)
    click(session, "return", wait=False)
    check_end(session, 0, letters, output=ACCEPTED)
    # On its way from standard input it is in one place, which the kernel wrote.
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([TOOL, *rules], **pipes, preexec_fn=swallow_set_dumpable) as process:
        process.stdin.write(letters.encode())
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while (counts := found_in_memory(process, needles))["passcode"] == 0:
            assert time.monotonic() < deadline, "not read: %s" % counts
        check(counts["passcode"] == 1 and counts["control"] > 0, "%s" % counts)
        check(process.communicate() == (ACCEPTED, b""), "not accepted")
    # So is the pepper, and its digits are gone.
    pepper = chance.randbytes(32)
    command = [TOOL, "verifier", "make", *pepper_file(pepper)]
    needles = {"pepper": pepper, "digits": pepper.hex().encode(), "control": b"pepper.hex"}
    with subprocess.Popen(command, **pipes, preexec_fn=swallow_set_dumpable) as process:
        wait_until_it_reads(process)
        counts = found_in_memory(process, needles)
        check(counts["pepper"] == 1 and counts["digits"] == 0 and counts["control"] > 0, "%s" % counts)
        process.kill()


GROUPS = (every_rule, several_rules, wrong_options, wrong_files, texts, changed_files, standard_input, verifiers,
          imports, hostile_verifiers, peppers, on_the_pad, twice, verifiers_on_the_pad, memory)

groups.run("passcodes", GROUPS, draws=True)
