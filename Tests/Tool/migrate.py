"""Checks `keyboard migrate`: python3 migrate.py KEYBOARD [GROUP...]

KILLS=n kills at random n times, instead of 20 (500 with THOROUGH=1). OpenSSL makes the texts, and libargon2 checks the
verifiers.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import csv
import ctypes
import fcntl
import hashlib
import hmac
import io
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import groups

TOOL = os.path.abspath(sys.argv[1])
HERE = Path(__file__).parent
folder = TemporaryDirectory()
checks = 0
seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
chance = random.Random(seed)
KILLS = int(os.environ.get("KILLS") or (500 if os.environ.get("THOROUGH") else 20))

SM4 = bytes.fromhex("38393037363534333239383037363534")
REASONS = {"FIELDS", "QUOTES", "ID", "DUPLICATE", "ENCODING", "LENGTH", "UNDECRYPTABLE", "EMPTY", "MAXLEN", "VERIFIER"}
argon2 = ctypes.CDLL("libargon2.so.1")


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def where(name):
    return os.path.join(folder.name, name)


def file(name, contents, mode=0o600):
    path = Path(where(name))
    path.write_bytes(contents)
    path.chmod(mode)
    return str(path)


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


# ---- What it makes ---------------------------------------------------------------------------------------------------


def verifiers():
    """A verifier for each row, in the order of the table, with a salt of its own."""
    path, words = some(12)
    clean()
    _, message = run(path, "--jobs", "3", code=0)
    header, done = rows("out")
    check(header == ["id", "verifier"] and [row[0] for row in done] == list(words), done)
    for each, verifier in done:
        check(is_verifier_of(verifier, words[each]), "%s: another password" % each)
        check(not is_verifier_of(verifier, b"x" + words[each]), "%s: any password" % each)
    check(len({verifier.split("$")[4] for _, verifier in done}) == 12, "salts are alike")
    check(read("refused") == b"line,id,reason\n", read("refused"))
    silent(words.values(), message)
    for name in ("out", "refused"):
        check(os.stat(where(name)).st_mode & 0o777 == 0o600, "others may read %s" % name)
    left = sorted(name for name in os.listdir(folder.name) if name.startswith(("out", "refused")))
    check(left == ["out", "refused"], left)


def encodings():
    """Hexadecimal digits and base64, for each algorithm; columns with other names, among others."""
    for way, size in (("sm4", 16), ("3des", 24), ("3des", 16), ("des", 8)):
        key = chance.randbytes(size)
        given = ["--way", way, "--key-file", file("other", key.hex().encode())]
        words = [b"a", b"\xe7\x94\xb5\xe6\xb1\xa0", b"x" * 23]
        texts = [
            subprocess.run([TOOL, "encrypt", *given], input=word, stdout=subprocess.PIPE, check=True).stdout
            for word in words
        ]
        texts = [bytes.fromhex(text.decode()) for text in texts]
        for encoding in ("hex", "base64"):
            clean()
            written = [text.hex() if encoding == "hex" else base64.b64encode(text).decode() for text in texts]
            written[1] = written[1].upper() if encoding == "hex" else written[1].rstrip("=")
            lines = ['"a ""name"", %d",x,"%s",%d\n' % (number, text, number) for number, text in enumerate(written)]
            path = table("named", lines, "name,id,the text,account\n")
            run(path, "--text-column", "the text", "--id-column", "account", "--encoding", encoding, code=0, key=given)
            for (each, verifier), word in zip(rows("out")[1], words):
                check(is_verifier_of(verifier, word), "%s, %s, %s" % (way, encoding, each))


def peppers():
    """One pepper for all, or one for each id, as the example bank has them."""
    path, words = some(3)
    pepper = chance.randbytes(32)
    given = ["--pepper-file", file("pepper", pepper.hex().encode())]

    def is_right(verifier, word, pepper):
        options = ["--pepper-file", file("one pepper", pepper.hex().encode())]
        ended = subprocess.run([TOOL, "verifier", "check", verifier, *options], input=word, capture_output=True)
        check(ended.returncode in (0, 77), ended)
        return ended.returncode == 0

    for options in ([], ["--pepper-per-id"]):
        clean()
        run(path, *given, *options, code=0)
        for each, verifier in rows("out")[1]:
            own = hmac.digest(pepper, each.encode(), hashlib.sha256) if options else pepper
            check(is_right(verifier, words[each], own), "%s: not with its pepper" % each)
            check(not is_right(verifier, words[each], own[::-1]), "%s: with any pepper" % each)


def sealing():
    """A sealed text for each row, which opens with the private key, and only for its own id. Keys are the tool's own,
    or OpenSSL's in PEM, as a security module gives them."""
    path, words = some(4)
    made_by_openssl = {"rsa": ["RSA"], "p256": ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]}
    for way, is_pem in (("x25519", 0), ("p256", 0), ("sm2", 0), ("xwing", 0), ("p256", 1), ("rsa", 1)):
        clean()
        for name in ("private", "public"):
            Path(where(name)).unlink(missing_ok=True)
        if is_pem:
            make = ["openssl", "genpkey", "-quiet", "-out", file("private", b""), "-algorithm", *made_by_openssl[way]]
            subprocess.run(make, check=True)
            subprocess.run(["openssl", "pkey", "-in", where("private"), "-pubout", "-out", where("public")], check=True)
        else:
            subprocess.run([TOOL, "generate-key", "--way", way, "--out", where("private"), "--public-out",
                            where("public")], check=True)
        _, message = run(path, "--seal-to", where("public"), "--seal-way", way, "--context", "pin of ", code=0)
        header, done = rows("out")
        check(header == ["id", "sealed"] and [row[0] for row in done] == list(words), done)
        for each, sealed in done:
            for context, code in (("pin of " + each, 0), ("pin of x" + each, 65)):
                ended = subprocess.run(
                    [TOOL, "decrypt", "--way", way, "--key-file", where("private"), "--context", context],
                    input=sealed.encode(), capture_output=True)
                check(ended.returncode == code and (code or ended.stdout == words[each]), "%s, %s" % (way, context))
        silent(words.values(), message)


def imports():
    """Verifiers are passed on as they are; other texts are refused."""
    good = [
        "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$/HmR1eW4LhuiibHfmyx7egazqYmeMWBITLhB1fPQlb0",
        "$sha256d$" + 64 * "a",
        "$sha256x2$" + 64 * "B",
    ]
    bad = ["", "x", good[0][:-1], good[0] + "xy", "$2b$12$" + 53 * "x", good[1] + "0", good[0].replace("=2", "=0")]
    clean()
    lines = ['%d,"%s"\n' % (n, text) for n, text in enumerate(good + bad)]
    _, message = run(table("old", lines, "id,verifier\n"), "--from", "verifier", key=[], code=65)
    check(rows("out") == (["id", "verifier"], [[str(n), text] for n, text in enumerate(good)]), read("out"))
    refused = [[str(n + 2), str(n), "VERIFIER"] for n in range(len(good), len(good + bad))]
    check(rows("refused") == (["line", "id", "reason"], refused), read("refused"))
    check("7 rows were refused" in message, message)


# ---- Bad tables ------------------------------------------------------------------------------------------------------


def bad_rows():
    """Each is refused with its reason and its line; the good rows around it are done, and nothing else."""
    words = {"u%d" % n: b"Geheim-%d" % n for n in range(3)}
    text, long = encrypted([b"Geheim-x"])[0], encrypted([b"x" * 129])[0]
    empty, binary = encrypted([b""])[0], encrypted([b"\xff\xfe\xfd"])[0]
    block = encrypted([b""], bytes(16))[0]
    padding = subprocess.run(["openssl", "enc", "-sm4-ecb", "-nopad", "-K", SM4.hex()], check=True,
                             input=b"fifteen bytes..\x02", stdout=subprocess.PIPE).stdout
    cases = [
        (b"cut\n", ["FIELDS"]),
        (b"cut," + text.hex().encode() + b",more\n", ["FIELDS"]),
        (b"\n", ["FIELDS"]),
        (b"\r\n", ["FIELDS"]),
        (b"u0," + text.hex().encode() + b"\n", ["DUPLICATE"]),
        (b'"u0",' + text.hex().encode() + b"\n", ["DUPLICATE"]),
        (b"," + text.hex().encode() + b"\n", ["ID"]),
        (b"i" * 257 + b"," + text.hex().encode() + b"\n", ["ID"]),
        (b"a\0b," + text.hex().encode() + b"\n", ["ID"]),
        (b"a\tb," + text.hex().encode() + b"\n", ["ID"]),
        (b"\xff\xfe," + text.hex().encode() + b"\n", ["ID"]),
        (b'"a\nb",' + text.hex().encode() + b"\n", 2 * ["QUOTES"]),
        (b'a,"%s\n%s"\n' % (text[:8].hex().encode(), text[8:].hex().encode()), 2 * ["QUOTES"]),
        # What a person has put into a field does not become a row of another account.
        (b'm,"00\nu1,%s\n00"\n' % text.hex().encode(), 3 * ["QUOTES"]),
        (b'"m\nu1,%s\n",00\n' % text.hex().encode(), 3 * ["QUOTES"]),
        (b'm,00,"\nu1,%s\n"\n' % text.hex().encode(), 3 * ["FIELDS"]),
        (b'm,"%s\nu1,%s\n"\n' % (b"0" * 70000, text.hex().encode()), 3 * ["QUOTES"]),
        (b'm,"%s""\nu1,%s\n""0"\n' % (b"0" * 70000, text.hex().encode()), 3 * ["QUOTES"]),
        (b'm,%s,"\nu1,%s\n"\n' % (b"0" * 70000, text.hex().encode()), 3 * ["QUOTES"]),
        # Nor if other quotation marks of the row are not as in CSV.
        (b'm,"\nu1,%s\n"x\n' % text.hex().encode(), 3 * ["QUOTES"]),
        (b'm"m,"\nu1,%s\n"\n' % text.hex().encode(), 3 * ["QUOTES"]),
        (b'a,"' + text.hex().encode() + b"\n", ["QUOTES"]),
        (b'a,"' + text.hex().encode() + b'"x\n', ["QUOTES"]),
        (b'a"b,' + text.hex().encode() + b"\n", ["QUOTES"]),
        (b"a," + b"0" * 70000 + b"\n", ["QUOTES"]),
        (b"e0,\n", ["LENGTH"]),
        (b"e1," + text.hex().encode()[:-1] + b"\n", ["ENCODING"]),
        (b"e2, " + text.hex().encode() + b"\n", ["ENCODING"]),
        (b"e3," + text.hex().encode()[:-1] + b"g\n", ["ENCODING"]),
        (b"e4," + text.hex().encode()[:-1] + b"\0\n", ["ENCODING"]),
        (b"e5," + text.hex().encode()[:-2] + b"\n", ["LENGTH"]),
        (b"e6," + (10 * text).hex().encode() + b"\n", ["LENGTH"]),
        (b"e7," + (1000 * text).hex().encode() + b"\n", ["LENGTH"]),
        (b"e8," + padding.hex().encode() + b"\n", ["UNDECRYPTABLE"]),
        (b"e9," + block.hex().encode() + b"\n", ["UNDECRYPTABLE"]),
        (b"f0," + binary.hex().encode() + b"\n", ["UNDECRYPTABLE"]),
        (b"f1," + long.hex().encode() + b"\n", ["MAXLEN"]),
        (b"f2," + empty.hex().encode() + b"\n", ["EMPTY"]),
    ]
    good = ["%s,%s" % (each, code.hex()) for each, code in zip(words, encrypted(words.values()))]
    for end in ("\n", "\r\n"):
        for mark in (b"", b"\xef\xbb\xbf"):
            if end == "\r\n" and mark:
                continue
            clean()
            lines = [("id,ciphertext" + end).encode(), (good[0] + end).encode()]
            wanted = []
            for row, reasons in cases:
                wanted += [(b"".join(lines).count(b"\n") + 1 + n, reason) for n, reason in enumerate(reasons)]
                lines.append(row)
            lines += [(line + end).encode() for line in good[1:]]
            _, message = run(file("bad", mark + b"".join(lines)), code=65)
            done = rows("out")[1]
            check([row[0] for row in done] == list(words), done)
            check(all(is_verifier_of(verifier, words[each]) for each, verifier in done), "not their passwords")
            got = [(int(line), reason) for line, _, reason in rows("refused")[1]]
            check(got == wanted, "refused\n%s\nbut wanted\n%s" % (got, wanted))
            check({reason for _, reason in got} <= REASONS, got)
            silent([*words.values(), b"Geheim-x"], message)


def fields_without_end():
    """Nobody can tell where rows begin after a field that is never closed: the run stops, and goes on when it is."""
    words = {"u%d" % n: b"Geheim-%d" % n for n in range(3)}
    lines = ["%s,%s\n" % (each, code.hex()) for each, code in zip(words, encrypted(words.values()))]
    for middle in ('m,"00\n', 'm,"' + "0" * 70000 + "\n", '"', 'm,"a""\n', 'm"m,"00\n'):
        clean()
        _, message = run(table("bad", [lines[0], middle, *lines[1:]]), code=65)
        check("line 3 " in message and "no end" in message, message)
        check(not os.path.exists(where("out")), "a file has its name although the run did not end")
        run(table("bad", lines), code=0)
        check([row[0] for row in rows("out")[1]] == list(words), "lost rows")


def bad_base64():
    """Base64 with wrong padding, characters or bits that belong to no byte."""
    text = base64.b64encode(encrypted([b"Geheim"])[0]).decode()
    for bad in (text[:-1], text + "=", text[:-3] + "===", "=" + text[1:], text[:-3] + "R==", text.replace("==", "=A"),
                text[:4] + "\u00e4" + text[5:], text[:4] + "-" + text[5:]):
        clean()
        run(table("bad", ["1,%s\n" % bad]), "--encoding", "base64", code=65)
        check([row[1:] for row in rows("refused")[1]] == [["1", "ENCODING"]], "%s: %s" % (bad, read("refused")))


def odd_tables():
    """What another writer of CSV writes is read as it was meant; a cut end is told."""
    verifier = "$sha256d$" + 64 * "a"
    for _ in range(groups.part(range(20), 4)[-1] // 4 + 1):
        clean()
        ids = list({"".join(chance.choices('ab,"\u00e9\u96fb \'', k=chance.randint(1, 6))) for _ in range(50)})
        quoting = chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        written = io.StringIO(newline="")
        writer = csv.writer(written, quoting=quoting, lineterminator=chance.choice(["\n", "\r\n"]))
        writer.writerow(["note", "verifier", "id"])
        for each in ids:
            writer.writerow(["".join(chance.choices('x,"\n\r', k=chance.randint(0, 4))), verifier, each])
        run(file("odd", written.getvalue().encode()), "--from", "verifier", key=[], code=0)
        check([row[0] for row in rows("out")[1]] == ids, "%r %r" % (ids, rows("out")[1]))
    clean()
    _, message = run(file("cut", b"id,verifier\n1," + verifier.encode()), "--from", "verifier", key=[], code=0)
    check("does not end with a newline" in message and len(rows("out")[1]) == 1, message)


# A row with its end, for a reader that accepts quotation marks in wrong places, and a row that all readers accept.
FIELD = rb'(?:"(?:[^"]|"")*"(?!")[^,\n]*|[^",\n][^,\n]*|)'
ROW = re.compile(FIELD + rb"(?:," + FIELD + rb")*(?:\n|\Z)")
GOOD = re.compile(rb'(?:"((?:[^"\n]|"")*)"|([^",\n]*)),(?:"((?:[^"\n]|"")*)"|([^",\n]*?))\r?\n?')


def damaged_rows():
    """A byte of a row is changed, removed or added: all other rows are done but those that are then between quotation
    marks. Each line is in a row that is done, or is refused; if a field has no end then, the run stops and says where.
    """
    verifier = "$sha256d$" + 64 * "a"
    ended, lost = 0, 0
    for number in range(groups.part(range(80), 20)[-1] // 10 + 1):
        clean()
        has_quotes = number % 2
        lines = []
        for n in range(200):
            mark = chance.choice(("", '"')) if has_quotes else ""
            lines.append(("%s%d%s,%s%s%s\n" % (mark, n, mark, mark, verifier, mark)).encode())
            # At the beginning of a field, a quotation mark opens it.
            begin = has_quotes and n % 4 == 0
            place = 0 if begin else chance.randrange(len(lines[-1]) - 1)
            new = [b",", b"\n", b"\0", b"\r", b"\xff", b'x""', b""] + has_quotes * [b'"', b'""', b'",']
            damaged = b"d" + lines[-1]
            lines.append(damaged[:place] + chance.choice(new) + damaged[place + chance.randint(0, 1) :])
        contents = b"".join(lines)
        wanted, seen, place = [], set(), 0
        while place < len(contents) and (row := ROW.match(contents, place)):
            place = row.end()
            good = GOOD.fullmatch(row[0])
            row_id = good and (good[1] or good[2] or b"").replace(b'""', b'"')
            if not row_id or re.search(rb"[\0-\x1f\x7f\xff]", row_id):
                continue
            if (good[3] or good[4]) == verifier.encode() and row_id not in seen:
                wanted.append(row_id)
            seen.add(row_id)
        _, message = run(file("damaged", b"id,verifier\n" + contents), "--from", "verifier", key=[], code=65)
        if place < len(contents):
            check("row at line %d " % (contents[:place].count(b"\n") + 2) in message and "no end" in message, message)
            continue
        ended += 1
        done = [row[0].encode() for row in rows("out")[1]]
        check(done == wanted, "other rows: %s" % sorted(set(done) ^ set(wanted)))
        refused = rows("refused")[1]
        told = [int(row[0]) for row in refused]
        check(len(done) + len(refused) == contents.count(b"\n"), "%d, %d" % (len(done), len(refused)))
        check(told == sorted(set(told)) and {row[2] for row in refused} <= REASONS, refused)
        missing = 200 - len({b"%d" % n for n in range(200)} & set(done))
        check(has_quotes or missing == 0, "%d good rows are refused" % missing)
        lost += missing
    check(ended > number // 2, "hardly a run ended")
    check(lost > 0 or ended == number // 2 + 1, "no row was between quotation marks")


def bad_headers():
    for contents, words in (
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"id,text\n", "no column is named ciphertext"),
        (b"id;ciphertext\n", "no column is named id"),
        (b"id,ciphertext,id\n", "more than one column is named id"),
        (b'id,"ciphertext\n', "not"),
        ("id,ciphertext\n".encode("utf-16"), "CSV and UTF-8"),
        (b"x" * 100000, "CSV and UTF-8"),
    ):
        clean()
        _, message = run(file("header", contents), code=65)
        check(words in message, message)
        check(not os.path.exists(where("out.journal")), "a journal is left")


# ---- Wrong use -------------------------------------------------------------------------------------------------------


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


def stopped(path, *options, key=KEY):
    """Runs until a commit in the middle, and kills."""
    for number in range(1, 200):
        clean()
        run(path, *options, "--rate", "4", key=key, LD_PRELOAD=killer(), KILL_AT=str(number))
        if committed() and committed()[0] > 0:
            check(committed()[5] == 0, "no commit in the middle")
            return


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
    with open(path, "ab") as more:
        more.write(b"cut\n")
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
        stopped(path)
        # What is behind the last commit is removed, and is no part of this.
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


# ---- Kills -----------------------------------------------------------------------------------------------------------


def killer():
    library = where("kill_at.so")
    if not os.path.exists(library):
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library,
                        str(HERE / "kill_at.c")], check=True)
    return library


def committed():
    """What the journal of a killed run says: the two files' lengths; nil if there is no journal."""
    try:
        journal = read("out.journal")
    except FileNotFoundError:
        return None
    best = None
    for place in (256, 512):
        numbers, _, digest = journal[place : place + 256].decode(errors="replace").rstrip(" \n\0").rpartition(" ")
        if hashlib.sha256(numbers.encode()).hexdigest() == digest:
            best = max(best or [-1], [int(number) for number in numbers.split()[:7]])
    return best


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


def goes_on_from(before):
    """What was committed stays as it is: nothing of it is done twice."""
    after = kept()
    for name, old, new in zip(("out", "refused"), before, after):
        check(new.startswith(old), "%s: a committed row was changed" % name)
    return after


class Job:
    """A table with good and bad rows, and what must become of it."""

    def __init__(self, kind, count):
        self.kind, self.options, self.key = kind, [], KEY
        self.words = {"u%d" % n: b"Geheim-%d-%d" % (n, n * n) for n in range(count)}
        texts = [text.hex() for text in encrypted(self.words.values())]
        if kind == "import":
            self.options, self.key = ["--from", "verifier", "--text-column", "ciphertext"], []
            texts = ["$sha256d$%064x" % n for n in range(count)]
        elif kind == "seal":
            self.private, self.public = where("kill private"), where("kill public")
            if not os.path.exists(self.private):
                subprocess.run([TOOL, "generate-key", "--way", "x25519", "--out", self.private, "--public-out",
                                self.public], check=True)
            self.options = ["--seal-to", self.public, "--context", ""]
        lines = []
        for number, (each, text) in enumerate(zip(self.words, texts)):
            lines.append("%s,%s\n" % (each, text))
            lines += ["%s,%s\n" % (each, text)] * (number % 5 == 0) + ["x%d,zz\n" % number] * (number % 7 == 0)
            lines += ["cut\n"] * (number % 11 == 0)
        self.table = table("kill table " + kind, lines)
        self.texts = texts
        clean()
        run(self.table, *self.options, key=self.key, code=65)
        self.refused = read("refused")
        self.verify()

    def verify(self):
        """The files are those of a run that was not killed, but for salts."""
        done = rows("out")[1]
        check([row[0] for row in done] == list(self.words), "%s: other rows: %s" % (self.kind, done))
        check(not hasattr(self, "refused") or read("refused") == self.refused, "%s: other refused rows" % self.kind)
        picked = done if self.kind == "import" else chance.sample(done, min(len(done), 4))
        if self.kind == "verifiers":
            check(len({row[1] for row in done}) == len(done), "verifiers are alike")
            picked = done
        for each, result in picked:
            if self.kind == "verifiers":
                check(is_verifier_of(result, self.words[each]), each)
            elif self.kind == "import":
                check(result == self.texts[list(self.words).index(each)], each)
            else:
                opened = subprocess.run([TOOL, "decrypt", "--key-file", self.private, "--context", each],
                                        input=result.encode(), stdout=subprocess.PIPE, check=True).stdout
                check(opened == self.words[each], each)
        left = [name for name in os.listdir(folder.name) if name.startswith(("out.", "refused."))]
        check(not left, "%s is left" % left)


def kills_at_each_call():
    """Killed before, and in the middle of, each call that changes a file; then the same command ends the job."""
    job = Job("import", 30)
    more = ["--rate", "120"]
    for half in groups.part(("1", "0"), 2):
        for number in range(1, 1000):
            clean()
            code, _ = run(job.table, *job.options, *more, key=job.key, LD_PRELOAD=killer(), KILL_AT=str(number),
                          KILL_HALF=half)
            if code == 65:
                break
            check(code == -signal.SIGKILL, code)
            before = kept()
            code, _ = run(job.table, *job.options, key=job.key)
            check(code == (65 if b"," in read("refused") else 0), code)
            goes_on_from(before)
            job.verify()
        check(number > 15, "only %d calls" % number)


def kills_in_a_row():
    """Killed at one of the first calls again and again, commits in the middle of the table among them."""
    job = Job("import", 30)
    # First after a commit, then at each of the first calls, then anywhere.
    for second in range(1, 14):
        clean()
        before = [b"", b""]
        for at in (15, second, chance.randint(1, 20)):
            code, _ = run(job.table, *job.options, "--rate", "60", key=job.key, LD_PRELOAD=killer(), KILL_AT=str(at),
                          KILL_HALF="1")
            before = goes_on_from(before)
            if code == 65:
                break
            check(code == -signal.SIGKILL, code)
        else:
            run(job.table, *job.options, key=job.key, code=65)
        goes_on_from(before)
        job.verify()


def kills_at_random():
    """SIGKILL after a random time, one kind of job after the other."""
    jobs = [Job("verifiers", 16), Job("seal", 600), Job("import", 2000)]
    took = dict.fromkeys(jobs, 0.6)
    done, ended = 0, 0
    while done < KILLS:
        job = jobs[ended % len(jobs)]
        clean()
        before = [b"", b""]
        for _ in range(chance.randint(1, 6)):
            command = [TOOL, "migrate", job.table, *job.key, *FILES, *job.options]
            began = time.monotonic()
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(timeout=chance.uniform(0, took[job]))
                    took[job] = max(0.1, time.monotonic() - began)
                except subprocess.TimeoutExpired:
                    process.kill()
            if process.returncode != -signal.SIGKILL:
                check(process.returncode == 65, process.returncode)
                break
            done += 1
            took[job] *= 1.02
            before = goes_on_from(before)
        else:
            run(job.table, *job.options, key=job.key, code=65)
        goes_on_from(before)
        job.verify()
        ended += 1
    check(done >= KILLS and ended > done / 8, "%d kills in %d jobs" % (done, ended))
    print("migrate: killed %d times in %d jobs" % (done, ended))


def full_disk():
    """No room in the middle: a message, and the same command goes on when there is room."""
    lines = ['u%d,"$sha256d$%064x"\n' % (n, n) for n in range(400)]
    path = table("disk", lines, "id,verifier\n")
    clean()
    before, limits = [b"", b""], groups.part((700, 3000, 9000, 20000, 31000), 2)

    def limited(length):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (length, length))

    for length in limits:
        ended = subprocess.run([TOOL, "migrate", path, *FILES, "--from", "verifier", "--rate", "400"],
                               stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=lambda: limited(length))
        check(ended.returncode == 74 and b"Writing to" in ended.stderr, ended)
        before = goes_on_from(before)
    check(len(before[0]) > 0, "nothing was committed")
    run(path, "--from", "verifier", key=[], code=0)
    goes_on_from(before)
    check(read("out").decode() == "id,verifier\n" + "".join(lines), "rows are lost")


def other_tables():
    """A stopped run goes on with a table in another order, and with more rows."""
    path, words = some(6)
    lines = Path(path).read_text().splitlines(keepends=True)
    stopped(table("first", lines[1:5]), "--jobs", "1")
    before = kept()
    count = len(before[0].splitlines()) - 1
    check(0 < count < 4, "%d rows were committed: %s" % (count, committed()))
    mixed = lines[1:]
    chance.shuffle(mixed)
    run(table("second", mixed), code=0)
    goes_on_from(before)
    done = rows("out")[1]
    check(sorted(row[0] for row in done) == sorted(words), done)
    check(all(is_verifier_of(verifier, words[each]) for each, verifier in done), "other passwords")


def other_bad_rows():
    """A stopped run knows the rows again that it refused, those without an id too: each is told once."""
    text = encrypted([b"Geheim"])[0].hex()
    bad = ["cut %d\n" % n for n in range(4)] + ['b%d"c,%s\n' % (n, text) for n in range(3)] + [
        ",%s\n" % text, "\t1,%s\n" % text, "\t2,%s\n" % text, "same\n", "same\n", '"a\nb",%s\n' % text,
        "x" * 70000 + "\n"]  # fmt: skip
    total = sum(row.count("\n") for row in bad)
    options = ["--from", "verifier", "--text-column", "ciphertext"]
    for _ in range(3):
        first, second = bad[:], bad[:]
        chance.shuffle(first)
        chance.shuffle(second)
        path = table("first", first[: len(bad) // 2])
        stopped(path, *options, key=[])
        before = kept()
        count = len(before[1].splitlines()) - 1
        check(0 < count < total, "%d rows were committed" % count)
        journal = read("out.journal")
        for altered in (journal[:768] + bytes(16) + journal[784:], journal[:768]):
            file("out.journal", altered)
            _, message = run(path, *options, key=[], code=65)
            check(" anew" in message, message)
        file("out.journal", journal)
        _, message = run(table("second", second), *options, key=[], code=65)
        goes_on_from(before)
        check("not in the table any more" not in message, message)
        refused = rows("refused")[1]
        check(len(refused) == total, "%d rows of %d" % (len(refused), total))
        # The rows that the second run told are those that the first had not.
        lines = "".join(second).split("\n")
        old = "".join(first).split("\n")
        told = [old[int(row[0]) - 2] for row in refused[:count]] + [lines[int(row[0]) - 2] for row in refused[count:]]
        check(sorted(told) == sorted(lines[:-1]), "other rows: %s" % told)


def speed():
    """A limit is kept, and any number of threads gives the same order."""
    verifier = "$sha256d$" + 64 * "a"
    path = table("fast", ["%d,%s\n" % (n, verifier) for n in range(5000)], "id,verifier\n")
    wanted = None
    for jobs in ("1", "2", "7"):
        clean()
        run(path, "--from", "verifier", "--jobs", jobs, key=[], code=0)
        wanted = wanted or read("out")
        check(read("out") == wanted, "another order with %s threads" % jobs)
    clean()
    began = time.monotonic()
    run(table("slow", ["%d,%s\n" % (n, verifier) for n in range(60)], "id,verifier\n"), "--from", "verifier", "--rate",
        "40", key=[], code=0)
    check(time.monotonic() - began > 1.2, "the limit is not kept")
    check(len(rows("out")[1]) == 60, "rows are lost")


def progress():
    """On a terminal a line tells how far it is, again and again; it has numbers only."""
    verifier = "$sha256d$" + 64 * "a"
    path = table("long", ["%d,%s\n" % (n, verifier) for n in range(30)], "id,verifier\n")
    clean()
    terminal, end = os.openpty()
    with subprocess.Popen([TOOL, "migrate", path, *FILES, "--from", "verifier", "--rate", "10"], stderr=end):
        os.close(end)
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
        except OSError:
            pass
    os.close(terminal)
    lines = re.findall(rb"\rkeyboard: (\d+) rows, 0 refused, [\d.]+ rows a second, \d+ % of the table read", shown)
    check(len(lines) >= 2 and b"keyboard: 30 rows are done, 0 are refused." in shown, shown)


GROUPS = (
    verifiers,
    encodings,
    peppers,
    sealing,
    imports,
    bad_rows,
    fields_without_end,
    bad_base64,
    odd_tables,
    damaged_rows,
    bad_headers,
    wrong_use,
    files_of_others,
    other_settings,
    altered_files,
    one_file_by_two_names,
    kills_at_each_call,
    kills_in_a_row,
    kills_at_random,
    full_disk,
    other_tables,
    other_bad_rows,
    speed,
    progress,
)

groups.run("migrate", GROUPS, lambda: checks, seed)
