"""Checks `keyboard migrate` with Parquet: python parquet.py KEYBOARD [GROUP...]

DUCKDB=path is DuckDB's program. pyarrow writes the tables and reads the results.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import decimal
import os
import signal
import struct
import subprocess
import time

import groups
import pyarrow
from files import file, folder, where
from migrate_world import (
    KEY, KILLS, SM4, TOOL, chance, check, clean, count, encrypted, is_verifier_of, killer, read, rows, run, seed,
    silent, stopped,
)
from pyarrow import parquet

# Not itself killed by the library that kills the tool.
DUCKDB = file("duckdb", b'#!/bin/sh\nunset LD_PRELOAD\nexec "%s" "$@"\n' % os.environ["DUCKDB"].encode(), 0o700)
WITH = ["--duckdb", DUCKDB]
FILES = ["--out", where("out.parquet"), "--refused", where("refused.parquet")]
PASSED = ["--from", "verifier"]


def verifier(number):
    return "$sha256d$%064x" % number


def write(name, columns, **options):
    parquet.write_table(pyarrow.table(columns), where(name), **options)
    return where(name)


def rows_of(name):
    """The rows of a file, read by another reader."""
    table = parquet.read_table(where(name))
    return [tuple(row.values()) for row in table.to_pylist()]


def same(found, wanted, what=""):
    """Two lists of rows; shows the first that differs."""
    pairs = zip(found + [None] * (len(wanted) - len(found)), wanted + [None] * (len(found) - len(wanted)))
    check(found == wanted, "%s: %s" % (what, next((pair for pair in pairs if pair[0] != pair[1]), None)))


def migrate(path, *options, code=0, files=FILES, key=KEY, program=None, **environment):
    chosen = WITH if program is None else ["--duckdb", program]
    return run(path, *options, *chosen, code=code, key=key, files=files, **environment)[1]


def passed_on(path, expected, *options, code=0, **more):
    """The tool passes a table of verifiers on: these ids, in this order."""
    clean()
    migrate(path, *PASSED, *options, code=code, key=[], **more)
    same(rows_of("out.parquet"), expected, path)
    left = sorted(name for name in os.listdir(folder.name) if name.startswith(("out", "refused")))
    check(left == ["out.parquet", "refused.parquet"], left)


# ---- Tables ----------------------------------------------------------------------------------------------------------


def written_by_others():
    """The ways in which a file of Parquet may have been written; other columns, odd names, several row groups."""
    rows_in = [("u%d" % n, verifier(n)) for n in range(300)]
    ids, texts = [list(column) for column in zip(*rows_in)]
    ways = [{"compression": name} for name in ("none", "snappy", "gzip", "brotli", "lz4", "zstd")]
    ways += [{"use_dictionary": False}, {"data_page_version": "2.0"}, {"version": "1.0"}, {"row_group_size": 7},
             {"row_group_size": 1}, {"write_page_checksum": True}, {"data_page_size": 64}, {"store_schema": False}]
    ways += [{"use_dictionary": False, "column_encoding": {"id": name, "verifier": name}}
             for name in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")]
    for way in ways:
        passed_on(write("table.parquet", {"id": ids, "verifier": texts}, **way), rows_in)
    for kind in (pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())):
        passed_on(write("table.parquet", {"id": pyarrow.array(ids, kind), "verifier": pyarrow.array(texts, kind)}),
                  rows_in)
    odd = 'the "id", of; all'
    more = {"z": [n / 7 for n in range(300)], "ID2": [["a", "b\n"]] * 300, odd: ids, "it's": texts,
            "s": [{"a": 1}] * 300}
    passed_on(write("table.PARQUET", more), rows_in, "--id-column", odd, "--text-column", "it's")
    made = "'u' || n AS id, '$sha256d$' || lpad(lower(to_hex(n)), 64, '0') AS verifier"
    subprocess.run([DUCKDB, "-c", "COPY (SELECT %s FROM range(300) t(n)) TO '%s' (FORMAT parquet)" % (
        made, where("duck.parquet"))], check=True)
    passed_on(where("duck.parquet"), rows_in)
    one = [("a", verifier(1))]
    passed_on(write("table.parquet", {"id": ["a"], "verifier": [verifier(1)]}), one)
    # Names that DuckDB replaces by others, because it sees no case of letters; and a type of half a megabyte.
    wide = pyarrow.array([{}], pyarrow.struct([("field_with_a_rather_long_name_%d" % n, pyarrow.int8())
                                               for n in range(6000)]))
    inner = pyarrow.array([{"id": "x", "verifier": {"id": ["y"]}}])
    for columns, options in (
        ([("id", ["w"]), ("id", ["x"]), ("id_1", ["a"]), ("verifier", [verifier(1)])], ["--id-column", "id_1"]),
        ([("ID", ["w"]), ("Id", ["x"]), ("id", ["a"]), ("verifier", [verifier(1)])], []),
        ([("VERIFIER", [verifier(2)]), ("verifier", [verifier(1)]), ("Id", [b"w"]), ("id", [b"a"])], []),
        ([("s", wide), ("verifier", [verifier(1)]), ("id", ["a"])], []),
        ([("s", inner), ("t", pyarrow.array([[inner[0]]])), ("id", ["a"]), ("m", inner), ("verifier", [verifier(1)])],
         []),
    ):
        names, values = zip(*columns)
        parquet.write_table(pyarrow.table([pyarrow.array(each) if isinstance(each, list) else each for each in values],
                                          names=names), where("table.parquet"))
        passed_on(where("table.parquet"), one, *options)
    nothing = {"id": pyarrow.array([], pyarrow.string()), "verifier": pyarrow.array([], pyarrow.string())}
    passed_on(write("table.parquet", nothing), [])
    schema = parquet.read_schema(where("refused.parquet"))
    check([str(each) for each in schema.types] == ["int64", "string", "string"], schema)


ODD_IDS = [
    "NULL", "null", "None", "true", "1e5", "007", " a", "a ", "#", "# b", "\\", "\\n", "\\x41", "'", "''", '"', '""',
    '"a"', 'a"b', "a,b", ",", '",', ',"', '"",""', "a;b", "a\u2028b", "\ufeffa", "\u00e9", "e\u0301", "\U0001f511",
    "-", "1-1", "$1", "%s", "{}", "\u200b", "x" * 256, "\u00e9" * 128, "0x41", "id", "1,000", "NaN", "2026-01-01",
]  # fmt: skip
BAD_IDS = [None, "", "x" * 257, "\u00e9" * 129, "a\nb", "\n", "a\r", "\t", "\x7f", "\x00", "a\x00", "x" * 100000,
           "\x01", '"\n"']


def odd_ids():
    """Each id is the one of the table, byte for byte, or refused: in Parquet and in CSV, and as CSV's rows are."""
    letters = 'a"\',;\\ \u00e9#-0'
    ids = ODD_IDS + ["".join(chance.choices(letters, k=chance.randint(1, 9))) for _ in range(400)]
    ids = list(dict.fromkeys(ids))
    good = [(each, verifier(number)) for number, each in enumerate(ids)]
    mixed = good + [(each, verifier(0)) for each in BAD_IDS]
    chance.shuffle(mixed)
    expected = [row for row in mixed if row[0] not in BAD_IDS]
    path = write("odd.parquet", dict(zip(("id", "verifier"), map(list, zip(*mixed)))), row_group_size=100)
    passed_on(path, expected, code=65)
    wanted = [(number, None, "ID") for number, row in enumerate(mixed, 1) if row[0] in BAD_IDS]
    same(rows_of("refused.parquet"), wanted)
    clean()
    migrate(path, *PASSED, code=65, key=[], files=["--out", where("out"), "--refused", where("refused")])
    same([tuple(row) for row in rows("out")[1]], expected, "CSV")
    same([(int(row[0]), row[1] or None, row[2]) for row in rows("refused")[1]], wanted, "CSV")
    clean()
    with open(where("odd.csv"), "w", encoding="utf-8", newline="") as table:
        table.write("id,verifier\n")
        for each, text in expected:
            table.write('"%s",%s\n' % (each.replace('"', '""'), text))
    migrate(where("odd.csv"), *PASSED, key=[])
    same(rows_of("out.parquet"), expected, "from CSV")


def texts():
    """ECB texts in hexadecimal digits, in base64 and as they are; reasons are those of CSV."""
    words = [b"Geheim-%d" % n for n in range(4)]
    raw = encrypted(words)
    for options, given in (
        ([], [text.hex() for text in raw]),
        (["--encoding", "base64"], [base64.b64encode(text).decode() for text in raw]),
        ([], raw),
        (["--encoding", "base64"], raw),
    ):
        clean()
        path = write("texts.parquet", {"n": list(range(4)), "ciphertext": given})
        message = migrate(path, "--id-column", "n", "--jobs", "2", *options)
        done = rows_of("out.parquet")
        check([row[0] for row in done] == ["0", "1", "2", "3"], done)
        check(all(is_verifier_of(text, word) for (_, text), word in zip(done, words)), done)
        check(rows_of("refused.parquet") == [], "rows are refused")
        silent(words, message)
    bad = {
        "null": None, "empty": "", "no digits": "zz", "odd": "abc", "spaces": " " + raw[0].hex(), "long": "00" * 8192,
        "longer": "00" * 50000, "not whole": "00" * 15, "other key": "00" * 16, "good": raw[0].hex(),
    }
    wanted = {"null": "ENCODING", "empty": "LENGTH", "no digits": "ENCODING", "odd": "ENCODING", "spaces": "ENCODING",
              "long": "LENGTH", "longer": "LENGTH", "not whole": "LENGTH", "other key": "UNDECRYPTABLE"}
    clean()
    migrate(write("bad.parquet", {"id": [*bad, "good"], "ciphertext": [*bad.values(), raw[1].hex()]}), code=65)
    check([row[0] for row in rows_of("out.parquet")] == ["good"], rows_of("out.parquet"))
    check({row[1]: row[2] for row in rows_of("refused.parquet")[:-1]} == wanted, rows_of("refused.parquet"))
    check(rows_of("refused.parquet")[-1] == (11, "good", "DUPLICATE"), rows_of("refused.parquet"))


def types():
    """Ids of other types are written as texts. A column of texts has texts or bytes."""
    raw = encrypted([b"a", b"b"])
    for ids, wanted in (
        (pyarrow.array([1, -2], pyarrow.int64()), ["1", "-2"]),
        (pyarrow.array([1, 2**64 - 1], pyarrow.uint64()), ["1", str(2**64 - 1)]),
        (pyarrow.array([decimal.Decimal("1.50"), decimal.Decimal("12345678901234567.01")]),
         ["1.50", "12345678901234567.01"]),
        (pyarrow.array([b"\xc3\xa9", b"x,y"]), ["\u00e9", "x,y"]),
        (pyarrow.array([b"\xc3\xa9", 300 * b"y"]), ["\u00e9", None]),
        (pyarrow.array([b"\xff", b"ok"]), [None, "ok"]),
    ):
        clean()
        good = [each for each in wanted if each is not None]
        path = write("types.parquet", {"id": ids, "ciphertext": raw})
        migrate(path, code=65 if None in wanted else 0)
        check([row[0] for row in rows_of("out.parquet")] == good, rows_of("out.parquet"))
    for column, options, said in (
        ([1, 2], [], "texts or bytes"), ([1.5, 2], [], "texts or bytes"), ([["a"], ["b"]], [], "texts or bytes"),
        (raw, PASSED, "a column of texts "),
    ):  # fmt: skip
        clean()
        path = write("types.parquet", {"id": ["a", "b"], "ciphertext": column})
        key = [] if options else KEY
        message = migrate(path, *options, "--text-column", "ciphertext", code=65, key=key)
        check(said in message and not os.path.exists(where("out.parquet.journal")), message)
    # Ids that are written in one way here and in another there, by another version or in another zone of time.
    for ids in (pyarrow.array([0, 1], pyarrow.timestamp("us", "UTC")), [1.5, 2.0], [["a"], ["b"]], [True, False],
                pyarrow.array([0, 1], pyarrow.date32()), [{"a": 1}, {"a": 2}]):
        clean()
        message = migrate(write("types.parquet", {"id": ids, "ciphertext": raw}), code=65)
        check("by --id-column" in message and len(message) < 300, message)
        check(not os.path.exists(where("out.parquet.journal")), message)
    # A text that is not UTF-8 stops the run, and is not in the message. With another table the run goes on.
    for size in (2, 1000):
        clean()
        lengths = pyarrow.py_buffer(struct.pack("<iii", 0, 1, size))
        broken = pyarrow.StringArray.from_buffers(2, lengths, pyarrow.py_buffer(b"a" + b"\xff" * (size - 1)))
        path = write("types.parquet", {"id": broken, "verifier": [verifier(1), verifier(2)]})
        message = migrate(path, *PASSED, key=[], code=65)
        check(": a value" in message and "FF" not in message and not os.path.exists(where("out.parquet")), message)
        migrate(write("types.parquet", {"id": ["a"], "verifier": [verifier(1)]}), *PASSED, key=[])
        same(rows_of("out.parquet"), [("a", verifier(1))])


def sealing():
    """Sealed texts for a module's key, in Parquet."""
    private, public = where("private"), where("public")
    subprocess.run([TOOL, "generate-key", "--way", "x25519", "--out", private, "--public-out", public], check=True)
    words = [b"Geheim-%d" % n for n in range(3)]
    clean()
    path = write("sealing.parquet", {"id": ["a", "b,c", "d"], "ciphertext": encrypted(words)})
    migrate(path, "--seal-to", public, "--context", "pin ")
    check(parquet.read_schema(where("out.parquet")).names == ["id", "sealed"], "other columns")
    for (each, sealed), word in zip(rows_of("out.parquet"), words):
        opened = subprocess.run([TOOL, "decrypt", "--key-file", private, "--context", "pin " + each],
                                input=sealed.encode(), stdout=subprocess.PIPE, check=True).stdout
        check(opened == word, each)


# ---- What goes wrong -------------------------------------------------------------------------------------------------


def no_tables():
    """A message that names the cause, before anything is made."""
    path = write("table.parquet", {"id": ["a"], "verifier": [verifier(1)]})
    whole = read("table.parquet")
    os.makedirs(where("folder.parquet"), exist_ok=True)
    if not os.path.exists(where("pipe.parquet")):
        os.mkfifo(where("pipe.parquet"))
    writer = os.open(where("pipe.parquet"), os.O_RDWR)  # so that opening it does not wait
    twice = pyarrow.table([["a"], ["b"], [verifier(1)]], names=["id", "id", "verifier"])
    parquet.write_table(twice, where("twice.parquet"))
    for code, said, given, program in (
        (66, "cannot be opened", where("nothing.parquet"), None),
        (65, "is a folder", where("folder.parquet"), None),
        (65, "is a folder, a pipe", where("pipe.parquet"), None),
        (65, "empty.parquet", file("empty.parquet", b""), None),
        (65, "csv.parquet", file("csv.parquet", b"id,verifier\na,b\n"), None),
        (65, "cut.parquet", file("cut.parquet", whole[:-1]), None),
        (65, "cut.parquet", file("cut.parquet", whole[: len(whole) // 2]), None),
        (65, "more than one column is named id", where("twice.parquet"), None),
        (65, "no column is named verifier", write("other.parquet", {"id": ["a"], "v": ["b"]}), None),
        (65, "no column is named id", write("upper.parquet", {"ID": ["a"], "verifier": ["b"]}), None),
        (64, "Install DuckDB's program", path, where("nothing")),
        (64, "Install DuckDB's program", path, folder.name),
        (64, "not DuckDB with Parquet", path, "true"),
        (64, "not DuckDB with Parquet", path, "echo"),
        (64, "cannot use Parquet", path, "false"),
    ):
        clean()
        message = migrate(given, *PASSED, code=code, key=[], program=program)
        check(said in message, "%s: %s" % (given, message))
        left = [name for name in os.listdir(folder.name) if name.startswith(("out", "refused"))]
        check(not left, "%s: %s is left" % (given, left))
    os.close(writer)
    # CSV alone needs no program. If only the end needs it, that it is missing is told at the beginning.
    clean()
    table = file("table.csv", b"id,verifier\na,%s\n" % verifier(1).encode())
    migrate(table, *PASSED, key=[], program="false", files=["--out", where("out"), "--refused", where("refused")])
    for files in (["--out", where("out.parquet"), "--refused", where("refused")],
                  ["--out", where("out"), "--refused", where("refused.parquet")]):
        clean()
        message = migrate(table, *PASSED, key=[], program="false", files=files, code=64)
        check("cannot use Parquet" in message and not os.path.exists(where("out.journal")), message)
    for name in ("out.parquet", "refused.parquet", "out.parquet.new", "refused.parquet.new", "out.parquet.part"):
        clean()
        file(name, b"mine")
        check(name in migrate(path, *PASSED, key=[], code=65) and read(name) == b"mine", name)


def other_programs():
    """A DuckDB that fails, leaves out rows, changes them or says more: no file gets its name. A good one ends it."""
    expected = [("u%d" % n, verifier(n)) for n in range(500)]
    path = write("table.parquet", dict(zip(("id", "verifier"), map(list, zip(*expected)))))
    # What is done, if the statements have these words.
    for words, does, said in (
        ("coalesce(substr", '"$real" "$@" | head -n 499', "499 rows of 500"),
        ("coalesce(substr", '"$real" "$@"; echo 41 42', "501 rows of 500"),
        ("coalesce(substr", '"$real" "$@" | head -c 999; exit 0', "no end"),
        ("coalesce(substr", '"$real" "$@" | head -n 400; exit 3', "cannot read"),
        ("coalesce(substr", '"$real" "$@" | head -n 400; kill -9 $$', "signal 9"),
        ("coalesce(substr", '"$real" "$@" | sed "300s/ /  /"', "row 300 is not understood"),
        ("coalesce(substr", '"$real" "$@" | sed "300s/.*/4 4/"', "row 300 is not understood"),
        ("coalesce(substr", 'echo "no room: $0" >&2; exit 1', "no room"),
        ("DESCRIBE", 'echo yes', "not understood"),
        ("DESCRIBE", '"$real" "$@"; echo ZZ 41', "not understood"),
        ("FROM read_csv", "exit 0", "cannot read"),
        ("FROM read_csv", '"$real" "$@"; exit 1', "cannot write"),
        # No room on the disk.
        ("FROM read_csv", 'trap "" XFSZ; ulimit -f 8; exec "$real" "$@"', "cannot write"),
        ("FROM read_csv", 'ulimit -f 8; exec "$real" "$@"', "cannot write"),
        ("FROM read_csv", 'sed s/u300,/u301,/ | "$real" "$@"', "other rows"),
        ("FROM read_csv", 'sed 300d | "$real" "$@"', "other rows"),
        ("FROM read_csv", 'sed 300p | "$real" "$@"', "other rows"),
        ("FROM read_csv", 'sed "300s/.$/0\\"/" | "$real" "$@"', "other rows"),
        ("SELECT CASE", '"$real" "$@" | head -n 499', "other rows"),
        ("SELECT CASE", '"$real" "$@"; exit 1', "cannot read"),
    ):
        clean()
        bad = file("bad duckdb", b'#!/bin/sh\nreal="%s"\ncase "$*" in *"%s"*) %s ;; *) exec "$real" "$@" ;; esac\n' % (
            DUCKDB.encode(), words.encode(), does.encode()), 0o700)
        message = migrate(path, *PASSED, key=[], program=bad, code=None,
                          files=["--out", where("out.parquet"), "--refused", where("refused")])
        check(said in message, "%s: %s" % (does, message))
        check(not os.path.exists(where("out.parquet")), "%s: the file has its name" % does)
        migrate(path, *PASSED, key=[], files=["--out", where("out.parquet"), "--refused", where("refused")])
        same(rows_of("out.parquet"), expected, does)
    # DuckDB removes what it could not write, by its name.
    check(os.path.islink("/dev/stdout"), "/dev/stdout is gone")
    # A parent that wants to know nothing of its children's ends.
    clean()
    ended = subprocess.run([TOOL, "migrate", path, *PASSED, *FILES, *WITH], stdin=subprocess.DEVNULL,
                           capture_output=True, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    check(ended.returncode == 0, ended)


def what_duckdb_gets():
    """No key, pepper or password is in DuckDB's arguments, variables and files: only ids, texts and verifiers."""
    words = [b"Geheim-%d-%d" % (n, n * n) for n in range(3)]
    seen = where("seen")
    spy = file("spy", b"""#!/bin/sh
{ printf '%%s\\n' "$@"; env; ls -l /proc/$$/fd; cat /proc/$$/fd/0; cat /proc/$PPID/cmdline; } >>"%s"
exec "%s" "$@"
""" % (seen.encode(), DUCKDB.encode()), 0o700)
    pepper = chance.randbytes(20)
    clean()
    path = write("spied.parquet", {"id": ["a", "b", "c"], "ciphertext": encrypted(words)}, compression="none",
                 use_dictionary=False)
    migrate(path, "--pepper-file", file("pepper", pepper.hex().encode()), "--pepper-per-id", program=spy)
    told = read("seen")
    check(encrypted(words)[0] in told and b"$argon2id$" in told, "the texts or the verifiers were not seen")
    for secret in (SM4, pepper, *words):
        check(all(form not in told for form in (secret, secret.hex().encode(), base64.b64encode(secret)[:-2])), secret)
    # A key from a pipe of the shell's.
    os.unlink(seen)
    clean()
    given = [TOOL, "migrate", path, *FILES, "--duckdb", spy, "--key-file"]
    subprocess.run(["bash", "-c", 'exec "${@:2}" <(cat "$1")', "bash", where("key"), *given], stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    check([row[0] for row in rows_of("out.parquet")] == ["a", "b", "c"], "rows are lost")
    told = told + read("seen")
    numbers = {int(line.split(" -> ")[0].split()[-1]) for line in told.decode(errors="replace").splitlines()
               if " -> " in line}
    check({0, 1, 2} < numbers <= {0, 1, 2, 10, 11, 255}, numbers)  # from 10 on: the spy's own
    opened = [line.split(" -> ")[1] for line in told.decode(errors="replace").splitlines() if " -> " in line]
    check(len(opened) > 9 and not [each for each in opened if each in (where("key"), where("pepper"))], opened)
    check(not [each for each in opened if "journal" in each], opened)


# ---- In the middle ---------------------------------------------------------------------------------------------------


class Job:
    """A table with good and bad rows, and what must become of it."""

    def __init__(self, size):
        self.rows, self.refused, table = [], [], []
        for number in range(size):
            self.rows.append(('u"%d", x' % number, verifier(number)))
            table.append(self.rows[-1])
            for bad, reason in (("n\n", "ID"), (None, "ID"), (self.rows[0][0], "DUPLICATE")):
                if number % 9 == 8:
                    table.append((bad, verifier(number)))
                    self.refused.append((len(table), bad if reason == "DUPLICATE" else None, reason))
        columns = dict(zip(("id", "verifier"), map(list, zip(*table))))
        self.table = write("job.parquet", columns, row_group_size=10)

    def command(self, program=DUCKDB):
        return [TOOL, "migrate", self.table, *PASSED, *FILES, "--duckdb", program]

    def verify(self):
        same(rows_of("out.parquet"), self.rows)
        same(rows_of("refused.parquet"), self.refused)
        left = sorted(name for name in os.listdir(folder.name) if name.startswith(("out", "refused")))
        check(left == ["out.parquet", "refused.parquet"], left)


def kills_at_each_call():
    """Killed before, and in the middle of, each call that changes a file, the tool or DuckDB too; then all is there."""
    job = Job(20)
    direct = os.environ["DUCKDB"]
    for half, program in (("0", DUCKDB), ("1", DUCKDB), ("1", direct)):
        kills, failures = 0, 0
        for number in range(1, 200):
            clean()
            environment = dict(os.environ, LD_PRELOAD=killer(), KILL_AT=str(number), KILL_HALF=half)
            ended = subprocess.run(job.command(program), stdin=subprocess.DEVNULL, capture_output=True, env=environment)
            if ended.returncode == 65 and b"rows are done" in ended.stderr:
                break
            kills += ended.returncode == -signal.SIGKILL
            failures += b"DuckDB cannot" in ended.stderr
            check(ended.returncode == -signal.SIGKILL or b"DuckDB cannot" in ended.stderr, ended)
            migrate(job.table, *PASSED, code=65, key=[])
            job.verify()
        else:
            check(False, "more than 199 calls")
        check(kills > 15 and (failures > 0) == (program == direct), "%d kills, %d failures" % (kills, failures))


def kills_at_random():
    """SIGKILL after a random time: what was committed stays, and each row has one verifier."""
    size = 16
    words = {"u%d" % n: b"Geheim-%d" % n for n in range(size)}
    path = write("random.parquet", {"id": list(words), "ciphertext": encrypted(words.values())}, row_group_size=5)
    took, done = 0.8, 0
    while done < KILLS:
        clean()
        kept = b""
        for _ in range(chance.randint(1, 5)):
            began = time.monotonic()
            with subprocess.Popen([TOOL, "migrate", path, *KEY, *FILES, *WITH], stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(timeout=chance.uniform(0, took))
                    took = max(0.1, time.monotonic() - began)
                except subprocess.TimeoutExpired:
                    process.kill()
            if process.returncode == 0:
                break
            check(process.returncode == -signal.SIGKILL, process.returncode)
            done, took = done + 1, took * 1.02
            kept = committed(kept)
        else:
            migrate(path)
        result = rows_of("out.parquet")
        check([row[0] for row in result] == list(words), result)
        check(all(is_verifier_of(text, words[each]) for each, text in chance.sample(result, 3)), "another password")
        lines = b"".join(b'%s,"%s"\n' % (each.encode(), text.encode()) for each, text in result)
        check((b"id,verifier\n" + lines).startswith(kept), "a committed row was changed")
    print("parquet: killed %d times" % done)


def committed(before):
    """The bytes of the ids and verifiers that count, of which those before are a part."""
    try:
        journal = read("out.parquet.journal")
        lines = [journal[place : place + 256].split() for place in (256, 512)]
        length = max((int(line[0]), int(line[1])) for line in lines if len(line) == 9)[1]
        part = read("out.parquet.part")[:length]
    except (FileNotFoundError, ValueError):
        return before
    check(len(part) >= length and part.startswith(before), "a committed row was changed")
    return part


def other_order():
    """A stopped run goes on with a table in another order, knows its refused rows again, and takes no CSV for it."""
    good = [("u%d" % n, verifier(n)) for n in range(6)]
    bad = [("\t%d" % n, verifier(n)) for n in range(4)] + [(None, "same"), (None, "same"), ("x" * 300, "y")]
    plain = ["--out", where("out"), "--refused", where("refused")]
    for _ in range(groups.part(range(6), 3)[-1] + 1):
        first, second = (good + bad)[:], (good + bad)[:]
        chance.shuffle(first)
        chance.shuffle(second)
        one = write("first.parquet", dict(zip(("id", "verifier"), map(list, zip(*first)))))
        stopped(one, *PASSED, *WITH, "--jobs", "1", key=[])
        message = run(file("table.csv", b"id,verifier\n"), *PASSED, *WITH, key=[], code=65)[1]
        check("same options" in message, message)
        # Ids of bytes instead of texts: refused rows would not be known again.
        columns = {"id": [(each or "").encode() for each, _ in first], "verifier": [text for _, text in first]}
        message = migrate(write("bytes.parquet", columns), *PASSED, "--jobs", "1", key=[], code=65, files=plain)
        check("same options" in message, message)
        two = write("second.parquet", dict(zip(("id", "verifier"), map(list, zip(*second)))))
        message = migrate(two, *PASSED, key=[], code=65, files=plain)
        check("not in the table any more" not in message, message)
        check(sorted(map(tuple, rows("out")[1])) == good, rows("out"))
        check(len(rows("refused")[1]) == len(bad), rows("refused"))


GROUPS = (
    written_by_others, odd_ids, texts, types, sealing, no_tables, other_programs, what_duckdb_gets, kills_at_each_call,
    kills_at_random, other_order,
)  # fmt: skip

groups.run("parquet", GROUPS, count, seed)
