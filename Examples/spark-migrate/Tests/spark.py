#!/usr/bin/env python3
"""The Spark job: an executor is killed in the middle of a chunk, and then the driver; nothing is lost or done twice.

    spark.py              in an environment with pyspark and customkeyboard: spark.sh makes one
    spark.py --rows N     measures the time of the processors for N rows, beside N verifiers of the C library

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import base64
import csv
import ctypes
import glob
import hashlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import customkeyboard as ck
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
from customkeyboard.migration import Migration, MigrationError, Settings

JOB = Path(__file__).resolve().parents[1] / "Sources/migrate.py"
SUBMIT = [os.path.join(os.path.dirname(sys.executable), "spark-submit"), "--master"]
CLUSTER, MACHINE = "local-cluster[2,1,1024]", "local[*]"
FEW = ["--conf", "spark.sql.shuffle.partitions=4"]  # for tables of a few rows: 200 parts would take a minute
KEY = bytes.fromhex("38393037363534333239383037363534")
SECONDS = 600
checks = 0


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def encrypted(password, key=KEY):
    with ck.Keyboard() as keyboard:
        keyboard.set_enc_key(key, ck.Way.SM4)
        keyboard.open()
        keyboard.input(password)
        return keyboard.get_text()


def is_verifier_of(verifier, password):
    with ck.Keyboard() as keyboard:
        keyboard.open()
        keyboard.input(password)
        return keyboard.check_verifier(verifier)


def private(path, digits):
    path.write_text(digits)
    path.chmod(0o600)
    return str(path)


def one_row_at_a_time(folder):
    """What becomes of a row, for each reason; the same as of `keyboard migrate`."""
    key = private(folder / "key", KEY.hex() + "\n")
    text = encrypted(b"Geheim")
    migration = Migration(Settings(key_file=key))
    base = Migration(Settings(key_file=key, encoding="base64"))
    passed = Migration(Settings(way=None))
    for given, wanted in (
        ((migration, None, text.hex()), "ID"),
        ((migration, "", text.hex()), "ID"),
        ((migration, "a\nb", text.hex()), "ID"),
        ((migration, "\ud800", text.hex()), "ID"),
        ((migration, "x" * 257, text.hex()), "ID"),
        ((migration, "1", None), "ENCODING"),
        ((migration, "1", text.hex()[:-1]), "ENCODING"),
        ((migration, "1", " " + text.hex() + " "), "ENCODING"),
        ((migration, "1", text.hex()[:-1] + "g"), "ENCODING"),
        ((base, "1", text.hex() + "!"), "ENCODING"),
        ((base, "1", base64.b64encode(text).decode()[:-3] + "R=="), "ENCODING"),
        ((migration, "1", ""), "LENGTH"),
        ((migration, "1", text.hex()[:-2]), "LENGTH"),
        ((migration, "1", 10 * text.hex()), "LENGTH"),
        ((migration, "1", encrypted(b"Geheim", bytes(16)).hex()), "UNDECRYPTABLE"),
        ((migration, "1", encrypted(b"").hex()), "EMPTY"),
        ((passed, "1", "x"), "VERIFIER"),
        ((passed, "1", None), "VERIFIER"),
        ((passed, "1", "a\0b"), "VERIFIER"),
    ):
        made, row_id, given = given
        check(made.row(row_id, given) == (None, wanted), "%r: %s" % (given, made.row(row_id, given)))
    check(passed.row("1", "$sha256d$" + 64 * "a") == ("$sha256d$" + 64 * "a", None), "a verifier is refused")
    for made, given in ((migration, text.hex().upper()), (migration, text), (base, base64.b64encode(text).decode()),
                        (base, base64.b64encode(text).decode().rstrip("="))):
        verifier, reason = made.row("1", given)
        check(reason is None and is_verifier_of(verifier, b"Geheim"), given)
    def of_openssl(*options):
        return subprocess.run(["openssl", *options, "-outform", "DER"], stdout=subprocess.PIPE, check=True).stdout

    pairs = {way: ck.generate_key(way) for way in (ck.Way.X25519, ck.Way.P256, ck.Way.SM2, ck.Way.XWING)}
    (folder / "rsa").write_bytes(of_openssl("genpkey", "-quiet", "-algorithm", "RSA"))
    pairs[ck.Way.RSA] = (folder / "rsa").read_bytes(), of_openssl("pkey", "-in", str(folder / "rsa"), "-pubout")
    for way, (secret, public) in pairs.items():
        sealing = Settings(key_file=key, seal_way=way, seal_to=public, context=b"pin ")
        sealed, _ = Migration(sealing).row("7", text)
        check(ck.unseal(way, secret, b"pin 7", bytes.fromhex(sealed)) == b"Geheim", "%s does not open" % way)
    # What does not go together, or has another type, is told as what it is.
    per_id = {"key_file": key, "pepper_per_id": True}
    pepper = private(folder / "pepper", "11" * 32)
    for wrong, error, words in (
        (lambda: Migration(Settings(**per_id)), ValueError, "give pepper_file"),
        (lambda: Migration(Settings(key_file=key, pepper_file=pepper, seal_way=ck.Way.SM2)), ValueError, "leave out"),
        (lambda: Migration(Settings(way=None, pepper_file=pepper)), ValueError, "leave out"),
        (lambda: Migration(Settings(**per_id, pepper_file=private(folder / "long", "11" * 65))), ValueError, "64"),
        (lambda: Migration(Settings(key_file=private(folder / "odd", "112"))), ValueError, "odd number"),
        (lambda: migration.row("1", 1234), TypeError, "not int"),
    ):
        try:
            wrong()
            check(False, "%s was not raised" % words)
        except error as raised:
            check(words in str(raised), raised)
    check(bool(Migration(Settings(**per_id, pepper_file=private(folder / "long", "11" * 64)))), "64 bytes")
    peppered = Migration(Settings(key_file=key, pepper_file=private(folder / "pepper", "11" * 32), pepper_per_id=True))
    check(peppered.row("7", text)[0] is not None, "no verifier with a pepper")
    # What stops a job has an id and a code, and no error behind it.
    try:
        Migration(Settings(key_file=key, seal_way=ck.Way.X25519, seal_to=bytes(31))).row("account 7", text)
        check(False, "a recipient's short key was taken")
    except MigrationError as error:
        check(str(error) == "account 7: ERR", error)
        check(error.__cause__ is None and error.__context__ is None, "%r" % error.__context__)
    (folder / "key").chmod(0o640)
    try:
        Migration(Settings(key_file=key))
        check(False, "a key that others may read was taken")
    except PermissionError:
        pass
    (folder / "key").chmod(0o600)


# ---- The cluster -----------------------------------------------------------------------------------------------------


class Run:
    """The job in a process of its own, with its output in a file."""

    def __init__(self, folder, table, *options, master=CLUSTER):
        self.log = folder / ("log-%d" % time.monotonic_ns())
        environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable,
                           SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_DIRS=str(folder / "spark"),
                           SPARK_WORKER_DIR=str(folder / "work"))
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*SUBMIT, master, *(FEW if master == MACHINE else []), str(JOB), "--table", table,
                 "--out", str(folder / "out"), "--key-file", str(folder / "key"), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True)

    def said(self):
        return self.log.read_text(errors="replace")

    def wait_until(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition():
            check(self.process.poll() is None, "the job ended: %s" % self.said()[-3000:])
            check(time.monotonic() < deadline, "the job takes too long: %s" % self.said()[-3000:])
            time.sleep(0.05)

    def executors(self):
        """Their processes, all of which descend from the job's."""
        parents, found = {}, []
        for status in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = Path(status).read_text().rsplit(")", 1)[1].split()
                number = int(status.split("/")[2])
                parents[number] = int(fields[1])
                if b"CoarseGrainedExecutorBackend" in Path("/proc/%d/cmdline" % number).read_bytes():
                    found.append(number)
            except (OSError, IndexError):
                pass

        def is_ours(number):
            while number > 1 and number != self.process.pid:
                number = parents.get(number, 0)
            return number == self.process.pid

        return [number for number in found if is_ours(number)]

    def end(self):
        """Waits for the job, which must do what it should. One that takes too long is killed."""
        try:
            check(self.process.wait(timeout=SECONDS) == 0, self.said()[-3000:])
        finally:
            if self.process.poll() is None:
                self.kill()

    def kill(self):
        """The driver and the executors: a group of processes that this test began."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def chunks(folder):
    """The contents of what is committed, by chunk."""
    return {
        name: {Path(part).name: hashlib.sha256(Path(part).read_bytes()).hexdigest()
               for part in glob.glob(os.path.join(name, "*.parquet"))}
        for name in glob.glob(str(folder / "out/committed/*"))
    }  # fmt: skip


def kills(folder):
    words = {"u%d" % n: b"Geheim-%d-%d" % (n, n * n) for n in range(900)}
    texts = {each: encrypted(word).hex() for each, word in words.items()}
    refused = [("d1", texts["u1"], "DUPLICATE"), ("d1", texts["u2"], "DUPLICATE"), (None, texts["u3"], "ID"),
               (None, texts["u4"], "ID"), ("e", "zz", "ENCODING"), ("l", "00", "LENGTH"), ("n", None, "ENCODING"),
               ("p", encrypted(b"x", bytes(16)).hex(), "UNDECRYPTABLE")]  # fmt: skip
    rows = [*texts.items(), *(row[:2] for row in refused)]
    table = pa.table({"account": [row[0] for row in rows], "pwd": [row[1] for row in rows]})
    pa.parquet.write_table(table, folder / "table.parquet")
    private(folder / "key", KEY.hex())
    options = [str(folder / "table.parquet"), "--id-column", "account", "--text-column", "pwd", "--chunk-rows", "303"]

    # An executor dies in the middle of the second chunk; the driver, when that is committed.
    run = Run(folder, *options)
    try:
        run.wait_until(lambda: "chunk 1 of 3 is committed" in run.said())
        first = chunks(folder)
        begun = str(folder / "out/begun/*/_temporary/0/_temporary/*")
        run.wait_until(lambda: glob.glob(begun) and run.executors())
        time.sleep(0.5)
        os.kill(run.executors()[0], signal.SIGKILL)
        run.wait_until(lambda: "chunk 2 of 3 is committed" in run.said())
        check("ExecutorLostFailure" in run.said(), "no task was lost with the executor")
        time.sleep(1)
    finally:
        run.kill()
    second = chunks(folder)
    check(len(first) == 1 and len(second) == 2, "%s, then %s" % (first, second))
    check(all(second[name] == parts for name, parts in first.items()), "what was committed changed")

    other = Run(folder, *options, "--encoding", "base64")
    check(other.process.wait(timeout=SECONDS) == 1 and "same options" in other.said(), other.said()[-3000:])
    check(chunks(folder) == second, "other options changed something")

    last = Run(folder, *options)
    last.end()
    third = chunks(folder)
    check(all(third[name] == parts for name, parts in second.items()), "what was committed changed")
    left = int(last.said().split("migrate: ", 1)[1].split()[0])
    check(left == len(rows) - sum(pa.dataset.dataset(name).count_rows() for name in second), "%d rows left" % left)

    committed = pa.dataset.dataset(list(map(str, third))[0]).to_table().to_pylist()
    for name in list(third)[1:]:
        committed += pa.dataset.dataset(name).to_table().to_pylist()
    check(len(committed) == len(rows), "%d rows of %d" % (len(committed), len(rows)))
    done = {row["id"]: row["verifier"] for row in pa.dataset.dataset(folder / "out/verifiers").to_table().to_pylist()}
    check(set(done) == set(words), "other ids")
    for each, word in words.items():
        check(is_verifier_of(done[each], word), each)
    check(len(set(done.values())) == len(done), "verifiers are alike")
    got = [(row["id"], row["reason"]) for row in pa.dataset.dataset(folder / "out/refused").to_table().to_pylist()]
    check(sorted(got, key=str) == sorted(((row[0], row[2]) for row in refused), key=str), got)
    # No password and no key in what was written, in the logs of the executors or in those of the driver; verifiers are
    # found there.
    written = b"".join(contents(part) for part in folder.rglob("*") if part.is_file() and part.name != "key")
    check(done["u17"].encode() in written and b"Starting Spark worker" in written, "files or logs are not looked at")
    for word in (*words.values(), KEY, KEY.hex().encode()):
        check(word not in written and word.hex().encode() not in written, "%r was written" % word)


def one_machine(folder):
    """A table as CSV with the defaults of Python's csv, to sealed texts, without a cluster. Rows that are not
    well-formed are refused as `keyboard migrate` refuses them, and what is inside a quoted field makes no row."""
    secret, public = ck.generate_key(ck.Way.P256)
    words = {'a "name", %d' % n: b"Geheim-%d" % n for n in range(300)}
    odd = ('say "hi"', 'x", y', '"', "a\\", '\\"', "'", "\u96fb ")
    words.update({each: b"Geheim-" + each.encode() for each in odd})
    mine = base64.b64encode(encrypted(b"Geheim-m")).decode()
    table = folder / "table.csv"
    with open(table, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["note", "ciphertext", "id"])
        for each, word in words.items():
            writer.writerow(['x,"y\n', base64.b64encode(encrypted(word)).decode(), each])
        writer.writerow(["", "", "none"])
        writer.writerow(["", "zz zz", "bad"])
        writer.writerow(["more", mine, "more", "more"])
        writer.writerow(["less", mine])
        writer.writerow(["less\nx,%s,victim\nx" % mine])
        writer.writerow(["text", "00\nx,%s,victim\nx" % mine, "mallory"])
        writer.writerow(["id", mine, "x\nx,%s,victim\nx" % mine])
        writer.writerow(["no id", mine, ""])
    private(folder / "key", KEY.hex())
    run = Run(folder, str(table), "--encoding", "base64", "--seal-to", public.hex(), "--seal-way", "p256",
              "--context", "pin ", master=MACHINE)
    run.end()
    done = pa.dataset.dataset(folder / "out/verifiers").to_table().to_pylist()
    check({row["id"] for row in done} == set(words) and len(done) == len(words), "other ids: %s" % done[:3])
    for row in done:
        text = bytes.fromhex(row["verifier"])
        check(ck.unseal(ck.Way.P256, secret, ("pin " + row["id"]).encode(), text) == words[row["id"]], row["id"])
    refused = pa.dataset.dataset(folder / "out/refused").to_table().to_pylist()
    wanted = [("bad", "ENCODING"), ("none", "LENGTH"), *[(None, "FIELDS")] * 3, *[(None, "QUOTES")] * 2, (None, "ID")]
    check(sorted(((row["id"], row["reason"]) for row in refused), key=str) == sorted(wanted, key=str), refused)


def more_rows(folder):
    """A table that has grown: a row whose id is committed is refused, and what is committed is not told again."""
    private(folder / "key", KEY.hex())
    verifiers = {"u%d" % n: "$sha256d$%064x" % n for n in range(40)}
    rows = [*verifiers.items(), ("twice", "x"), ("twice", "y"), (None, "x"), (None, "y"), ("bad", "x")]
    refused = [("twice", "DUPLICATE")] * 2 + [(None, "ID")] * 2 + [("bad", "VERIFIER")]
    more = [("u3", verifiers["u4"]), ("u3", verifiers["u5"]), ("twice", "z"), (None, "z"), ("new", verifiers["u6"])]
    steps = (
        (rows, refused),
        (rows + more, [*refused, *[("u3", "DUPLICATE")] * 2, ("twice", "DUPLICATE"), (None, "ID")]),
        (more + rows, [*refused, *[("u3", "DUPLICATE")] * 2, ("twice", "DUPLICATE"), (None, "ID")]),
    )
    for number, (given, wanted) in enumerate(steps):
        table = pa.table({"id": [row[0] for row in given], "ciphertext": [row[1] for row in given]})
        pa.parquet.write_table(table, folder / "table.parquet")
        before = chunks(folder)
        run = Run(folder, str(folder / "table.parquet"), "--way", "verifier", "--chunk-rows", "40", master=MACHINE)
        run.end()
        after = chunks(folder)
        check(all(after[name] == parts for name, parts in before.items()), "what was committed changed")
        check((before == after) == (number == 2), "%d: committed again, or not" % number)
        got = pa.dataset.dataset(folder / "out/refused").to_table().to_pylist()
        got = sorted(((row["id"], row["reason"]) for row in got), key=str)
        check(got == sorted(wanted, key=str), "%d: %s" % (number, got))
        done = pa.dataset.dataset(folder / "out/verifiers").to_table().to_pylist()
        new = {"new": verifiers["u6"]} if number > 0 else {}
        check({row["id"]: row["verifier"] for row in done} == {**verifiers, **new}, "%d: other verifiers" % number)
        check(len(done) == len(verifiers) + len(new), "a row is there twice")
    # Options that do not go together, and a column of numbers, are told before anything is computed.
    pa.parquet.write_table(pa.table({"id": ["1"], "ciphertext": [1234]}), folder / "numbers.parquet")
    for options, words in (
        (["--key-file", "x"], "texts or bytes"),
        (["--key-file", "x", "--pepper-per-id"], "give --pepper-file"),
        (["--key-file", "x", "--pepper-file", "x", "--seal-to", "00"], "leave out --pepper-file"),
        (["--way", "verifier", "--pepper-file", "x"], "leave out --pepper-file"),
    ):
        command = [sys.executable, str(JOB), "--table", str(folder / "numbers.parquet"), "--out", str(folder / "other")]
        ended = subprocess.run([*command, *options], stdin=subprocess.DEVNULL, capture_output=True,
                               env=dict(os.environ, SPARK_LOCAL_IP="127.0.0.1"))
        check(ended.returncode == 1 and words in ended.stderr.decode(), ended.stderr.decode()[-3000:])


def contents(part):
    """The bytes of a file; of Parquet, which compresses, its values."""
    if part.suffix == ".parquet":
        return repr(pa.parquet.read_table(part).to_pylist()).encode()
    return part.read_bytes()


# ---- Time ------------------------------------------------------------------------------------------------------------


class Times:
    """The time of the processors of all processes that descend from this one, looked at ten times a second: nobody
    waits for Python's workers, because their parent ignores SIGCHLD. What a process does in its last moment is lost."""

    TICK = 1 / os.sysconf("SC_CLK_TCK")

    def __init__(self):
        # Those that are left by their parents become children of this process.
        subreaper = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>
        check(ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0) == 0, "no subreaper")
        self.seen = {}

    def look(self):
        found = {}
        for status in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = Path(status).read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            # Behind the name: the state, the parent, …, utime and stime, …, and when it began.
            found[int(status.split("/")[2])] = int(fields[1]), fields[19], int(fields[11]) + int(fields[12])
        for number, (_, began, ticks) in found.items():
            parent = number
            while parent in found and found[parent][0] != os.getpid():
                parent = found[parent][0]
            if parent in found:
                self.seen[number, began] = ticks

    def sum(self):
        return sum(self.seen.values()) * self.TICK


def some_verifiers(count=5):
    with ck.Keyboard() as keyboard:
        keyboard.open()
        keyboard.input(b"Geheim")
        before = time.thread_time()
        for _ in range(count):
            keyboard.make_verifier()
        return (time.thread_time() - before) / count


def measure(folder, count):
    """Verifiers are timed every three seconds while the job runs, so that both have the same neighbours."""
    texts = [encrypted(b"Geheim-%d" % n).hex() for n in range(count)]
    pa.parquet.write_table(pa.table({"id": ["u%d" % n for n in range(count)], "ciphertext": texts}),
                           folder / "table.parquet")
    private(folder / "key", KEY.hex())
    times, verifiers = Times(), []
    run = Run(folder, str(folder / "table.parquet"))
    deadline = time.monotonic() + SECONDS + count // 10  # a busy machine takes five times as long
    try:
        while run.process.poll() is None:
            check(time.monotonic() < deadline, "the job takes too long: %s" % run.said()[-3000:])
            times.look()
            if len(verifiers) < (SECONDS + count // 10 - deadline + time.monotonic()) / 3:
                verifiers.append(some_verifiers())
            time.sleep(0.1)
        run.end()
    finally:
        if run.process.poll() is None:
            run.kill()
    job, one = times.sum() / count, statistics.mean(verifiers)
    check(pa.dataset.dataset(folder / "out/verifiers").count_rows() == count, "rows are lost")
    print("spark: %.2f ms a row, one verifier %.2f ms (%d times): ratio %.3f" % (
        1e3 * job, 1e3 * one, len(verifiers), job / one))


def main():
    # So that a test that is stopped ends its cluster.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if rows:
            measure(folder, rows)
        else:
            one_row_at_a_time(folder)
            for test in (one_machine, more_rows, kills):
                (folder / test.__name__).mkdir()
                test(folder / test.__name__)
            print("spark: %d checks" % checks)


main()
