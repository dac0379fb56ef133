"""`keyboard migrate` when it is killed, when the disk is full or the table another one, and how fast it is.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

import groups
from files import file, folder, where
from groups import chance, check
from migrate_world import (
    FILES, KEY, KILLS, TOOL, clean, committed, encrypted, is_verifier_of, kept, killer, read, rows, run, some,
    stopped, table,
)


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
    for second in groups.part(range(1, 14), 3):
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
    for _ in range(5):  # after a pause of the machine, all rows that are late are done at once, with one line
        lines, shown = shown_progress(path)
        if len(lines) >= 2:
            break
    check(len(lines) >= 2 and b"keyboard: 30 rows are done, 0 are refused." in shown, shown)


def shown_progress(path):
    """What a terminal shows while the table is read, the lines of progress first."""
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
    return lines, shown
