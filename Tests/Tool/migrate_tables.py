"""What `keyboard migrate` makes of a table, good and bad rows.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import csv
import hashlib
import hmac
import io
import os
import re
import subprocess
from pathlib import Path

import groups
from files import file, folder, where
from groups import chance, check
from migrate_world import (
    KEY, REASONS, SM4, TOOL, clean, encrypted, is_verifier_of, read, rows, run, silent, some, table,
)


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


# C1, separators of lines and paragraphs, and marks of direction: the first and the last of each range.
CONTROLS = "\x7f\x80\x85\x9b\x9f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"


def bad_rows():
    """Each is refused with its reason and its line; the good rows around it are done, and nothing else."""
    words = {each: b"Geheim-%d" % n for n, each in enumerate(("u0", "u1", "\xa0\u2027\u202f\u200d\u2065\u206a"))}
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
        *((("a%sb,%s\n" % (control, text.hex())).encode(), ["ID"]) for control in CONTROLS),
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
    text = 32 * "a"
    for contents, words in (
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"id,text\n", "no column is named ciphertext"),
        (b"ID, Ciphertext\n", "no column is named id, but one ID"),
        (b"id;ciphertext\r\n1;%s\r\n" % text.encode(), "there are semicolons"),
        (b'"id";"ciphertext"\n', "there are semicolons"),
        (b"id\tciphertext\n", "there are tabs"),
        (b"id|amount, in cents|ciphertext\n", "there are bars"),
        (b"sep=,\nid,ciphertext\n", "Remove the first row"),
        (b"sep=;\nid;ciphertext\n", "there are semicolons. Its first row"),
        (b"id,ciphertext\r1,%s\r" % text.encode(), "they end with CR alone"),
        (b"id,ciphertext,note\r1,%s,x\r" % text.encode(), "they end with CR alone"),
        (b"1,%s\n" % text.encode(), "with a row of the columns' names"),
        (b"id,ciphertext,id\n", "more than one column is named id"),
        (b'id,"ciphertext\n', "not"),
        ("id,ciphertext\n".encode("utf-16"), "not in UTF-16"),
        (b"x" * 100000, "CSV and UTF-8"),
    ):
        clean()
        _, message = run(file("header", contents), code=65)
        check(words in message, message)
        check(not os.path.exists(where("out.journal")), "a journal is left")


def wrong_for_all_rows():
    """If nearly all rows are refused for one reason, the last sentence says what is probably wrong."""
    path, _ = some(20)
    key = ["--key-file", file("another key", b"00" * 16)]
    for options, keys, words in (
        ((), key, "UNDECRYPTABLE: probably the key in --key-file"),
        (("--way", "des"), ["--key-file", file("des", b"0123456789abcdef")], "UNDECRYPTABLE: probably"),
        (("--text-column", "id", "--id-column", "ciphertext"), KEY, "ENCODING: probably --encoding"),
        (("--from", "verifier", "--text-column", "ciphertext"), [], "VERIFIER: probably --text-column"),
    ):
        clean()
        _, message = run(path, *options, key=keys, code=65)
        check("20 rows were refused. Nearly all are " + words in message, message)
    clean()
    _, message = run(table("some", ["%d,00\n" % n if n % 2 else "%d,0\n" % n for n in range(20)]), code=65)
    check("Nearly all" not in message, message)
