#!/usr/bin/env python3
"""Runs the checks of `make check`, as many at a time as there are processors, and prints what they proved.

A check is NAME.sh BUILD_DIR in this directory, with a line `# make check: 35 seconds` (alone, on two cores of 3 GHz),
or `…, heavy`; BUILD_DIR holds libcustomkeyboard.so and .a. A check exits with 0 on success, and appends
`claim<TAB>cases<TAB>files` for each claim that it proved to the file named by CLAIMS. It gets CC, CLANG, CLANGXX,
SWIFT and JOBS. Logs, and the table as Markdown, are left in build/check. If all checks ran and passed, the table also
replaces the one in Docs/Evidence.md, with the date, the commit and the machine. With --continue, checks that have
passed already are not repeated, if what they test has not changed since. The exit status is 1 if any check failed.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import datetime
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# What is tested. With --continue, a change of anything else repeats nothing. If the tests of a check change that has
# passed, name it with --only.
TESTED = ("Bindings", "Examples", "Include", "Makefile", "Package.swift", "Sources", "mk")
LIMIT = 6  # times the expected seconds: a check that takes longer is stopped, and so fails
TAIL = 40  # lines of a failed check's log


def listed():
    """The checks: name, seconds, whether it is heavy. Two heavy ones, which compile Swift, never run at once."""
    checks = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.sh"))):
        with open(path, encoding="utf-8") as file:
            found = re.search(r"^# make check: (\d+) seconds(, heavy)?$", file.read(), re.M)
        if found:
            checks.append((os.path.basename(path).removesuffix(".sh"), int(found.group(1)), bool(found.group(2))))
    return checks


def say(text):
    sys.stdout.write(text + "\n")  # at once, so that two threads' lines do not mix
    sys.stdout.flush()


def clock(seconds):
    return "%d:%02d" % divmod(int(seconds + 0.5), 60)


class Check:
    def __init__(self, name, seconds, heavy):
        self.name, self.seconds, self.heavy = name, seconds, heavy
        self.script = os.path.join(HERE, name + ".sh")
        self.process = None
        self.state = "waiting"
        self.claims = []
        self.took = 0.0

    def place(self, build):
        self.log, self.claim_file, self.passed_file = (
            os.path.join(build, "check", self.name + end) for end in (".log", ".claims", ".passed"))

    def read_claims(self):
        self.claims = [line.rstrip("\n").split("\t") for line in open(self.claim_file)]

    def take_over(self, version):
        """Takes what was proved before, of the same version."""
        if version and os.path.exists(self.passed_file):
            self.commit, _, tested = open(self.passed_file).read().partition("\n")
            if tested == version:
                self.read_claims()
                self.state = "passed"

    def run(self, library, environment, commit, version):
        """Runs the check in its own process group, so that everything it started can be stopped."""
        started = time.monotonic()
        self.commit, claims = commit, self.claim_file
        open(claims, "w").close()
        if os.path.exists(self.passed_file):
            os.remove(self.passed_file)
        with open(self.log, "w") as log:
            shell = "bash" if open(self.script).readline().rstrip().endswith("bash") else "sh"
            self.process = subprocess.Popen(
                [shell, self.script, library], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env=dict(environment, CLAIMS=claims), start_new_session=True)
            try:
                status = self.process.wait(timeout=LIMIT * self.seconds)
            except subprocess.TimeoutExpired:
                log.write("stopped: it took longer than %s\n" % clock(LIMIT * self.seconds))
                status = 1
            self.stop()
        if status == 0:
            self.read_claims()
        if any(len(claim) != 3 for claim in self.claims) or not self.claims:
            self.claims = []
            status = status or 1
            with open(self.log, "a") as log:
                log.write("it proved nothing: no claims, or none of the form claim<TAB>cases<TAB>files\n")
        if status == 0:
            with open(self.passed_file, "w") as file:
                file.write("%s\n%s" % (commit, version))
        return self.end("failed" if status else "passed", started)

    def end(self, state, started):
        self.took = time.monotonic() - started
        self.state = state

    def stop(self):
        """Stops the script and all processes that it started."""
        if self.process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                return
            try:
                self.process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                pass


class Lanes:
    """Several threads, each of which takes the longest check that may run now."""

    def __init__(self, checks, lanes, run_check):
        self.checks = sorted(checks, key=lambda check: -check.seconds)
        self.lanes, self.run_check = lanes, run_check
        self.changed = threading.Condition()
        self.stopping = False
        self.started = time.monotonic()

    def next(self):
        """Returns the check to run now, or None if none is left. Waits while only a second heavy one is left."""
        with self.changed:
            while not self.stopping:
                waiting = [check for check in self.checks if check.state == "waiting"]
                busy = any(check.heavy for check in self.checks if check.state == "running")
                if not waiting:
                    return None
                for check in waiting:
                    if not (check.heavy and busy):
                        check.state = "running"
                        return check
                self.changed.wait()
        return None

    def work(self):
        while (check := self.next()) is not None:
            self.tell("started", check, "about %s" % clock(check.seconds))
            self.run_check(check)
            with self.changed:
                self.changed.notify_all()
            if self.stopping:
                return
            self.tell(check.state, check, "in %s" % clock(check.took))
            if check.state == "failed":
                lines = open(check.log, errors="replace").read().splitlines()
                say("\n".join("    | " + line for line in lines[-TAIL:]))
                say("    all of it: %s" % os.path.relpath(check.log))

    def tell(self, word, check, more):
        left = sum(check.state in ("waiting", "running") for check in self.checks)
        elapsed = clock(time.monotonic() - self.started)
        say("%6s  %-8s %-18s %-12s %d of %d left" % (elapsed, word, check.name, more, left, len(self.checks)))

    def run(self):
        threads = [threading.Thread(target=self.work, daemon=True) for _ in range(self.lanes)]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(0.2)
        finally:
            self.stop()

    def stop(self):
        with self.changed:
            self.stopping = True
            self.changed.notify_all()
        for check in self.checks:
            if check.state == "running":
                check.stop()


def table(checks):
    """The claims in the order of the list above; a failed check has one line that says so."""
    rows = []
    for check in checks:
        if check.state == "passed":
            rows += [claim + ["PASS"] for claim in check.claims]
        else:
            rows.append([check.name, "", "Tests/Evidence/%s.sh" % check.name, "FAILED"])
    return rows


def files(where):
    """File names without their directories."""
    return [os.path.basename(path) for path in where.split()]


def show(rows):
    rows = [[claim, cases, ", ".join(files(where)), verdict] for claim, cases, where, verdict in rows]
    widths = [max(len(row[column]) for row in rows + [("claim", "cases", "proved by", "")]) for column in range(4)]
    line = "  ".join("%%-%ds" % width for width in widths)
    say("")
    for row in [("claim", "cases", "proved by", ""), tuple("-" * width for width in widths)] + rows:
        say((line % tuple(row)).rstrip())


def markdown(rows):
    lines = ["| claim | cases | proved by |", "|---|---|---|"]
    for claim, cases, where, verdict in rows:
        names = ", ".join("`%s`" % name for name in files(where))
        lines.append("| %s | %s | %s |" % (claim, cases if verdict == "PASS" else "**FAILED**", names))
    return "\n".join(lines) + "\n"


def said(*command):
    """The output of a command, or nothing if it fails."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except OSError:
        return ""


def first_line(path, start):
    """The rest of the first line that begins with `start` and then = or :, in a system file."""
    try:
        for line in open(path, errors="replace"):
            if line.startswith(start):
                return line[len(start) :].lstrip(" \t:=").strip().strip('"')
    except OSError:
        pass
    return "unknown"


def git(*arguments):
    return said("git", "-C", ROOT, *arguments)


def this_commit():
    commit = git("rev-parse", "--short=12", "HEAD") or "unknown"
    # Evidence.md itself changes with each run.
    changed = [line for line in git("status", "--porcelain").splitlines() if not line.endswith("Evidence.md")]
    return commit + " with changes" if changed else commit


def this_version():
    """What Git says of the files that are tested; nothing if they were changed, or are in no repository."""
    if git("status", "--porcelain", "--", *TESTED):
        return ""
    return git("rev-parse", *("HEAD:" + path for path in TESTED))


def circumstances(checks):
    """When, on which commits and on which machine the checks ran."""
    commits = sorted({check.commit for check in checks})
    swift = said(os.environ.get("SWIFT", "swift"), "--version").splitlines()
    return "Run of %s, commit%s %s, on %d × %s, %s, %s.\n" % (
        datetime.date.today().isoformat(),
        "s" if len(commits) > 1 else "",
        " and ".join(commits),
        os.cpu_count() or 1,
        first_line("/proc/cpuinfo", "model name"),
        first_line("/etc/os-release", "PRETTY_NAME"),
        swift[0].split(" (")[0] if swift else "an unknown Swift",
    )


BEGIN, END = "<!-- claims -->\n", "<!-- /claims -->\n"


def update_page(rows, page, checks):
    """Replaces the text between the page's two markers."""
    before, rest = open(page, encoding="utf-8").read().split(BEGIN)
    _, after = rest.split(END)
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + circumstances(checks) + "\n" + markdown(rows) + END + after)


def keep(build):
    """A copy of the libraries for the checks, because the check that runs `make test` rebuilds it while the others
    run."""
    library = os.path.join(build, "check", "library")
    shutil.rmtree(library, ignore_errors=True)
    os.makedirs(library)
    for path in glob.glob(os.path.join(build, "lib*.*")):
        shutil.copy(path, library, follow_symlinks=False)
    return library


def main():
    parser = argparse.ArgumentParser(description="Runs the checks and prints what they proved, claim by claim.")
    parser.add_argument("build", nargs="?", default="build", help="the directory of libcustomkeyboard.so (build)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these checks, and no others")
    parser.add_argument("--continue", dest="continues", action="store_true",
                        help="not those that have passed already, if what they test has not changed since")
    parser.add_argument("--list", action="store_true", help="the checks, and how long each should take")
    parser.add_argument("--page", default=os.path.join(ROOT, "Docs", "Evidence.md"),
                        help="what gets the table when all checks ran and passed (Docs/Evidence.md); '' for none")
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="how many run at once (processors)")
    arguments = parser.parse_args()
    everything = listed()
    if arguments.list:
        for name, seconds, heavy in sorted(everything, key=lambda check: -check[1]):
            print("%-18s %5s%s" % (name, clock(seconds), "  compiles Swift" if heavy else ""))
        return 0
    known = [name for name, _, _ in everything]
    for name in arguments.only or []:
        if name not in known:
            parser.error("there is no check %s; there are %s" % (name, ", ".join(known)))
    build = os.path.abspath(arguments.build)
    if not os.path.exists(os.path.join(build, "libcustomkeyboard.so")):
        parser.error("no libcustomkeyboard.so in %s; run `make stage` first" % build)
    library = keep(build)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    checks = [Check(*check) for check in everything if not arguments.only or check[0] in arguments.only]
    environment = dict(os.environ)
    environment.setdefault("JOBS", str(max(1, (os.cpu_count() or 1) // 2)))
    version = this_version()
    for check in checks:
        check.place(build)
        if arguments.continues:
            check.take_over(version)
    commit = this_commit()
    lanes = Lanes(
        checks, max(1, arguments.lanes), lambda check: check.run(library, environment, commit, version))
    try:
        lanes.run()
    except KeyboardInterrupt:
        say("stopped")
        return 130

    rows = table(checks)
    show(rows)
    with open(os.path.join(build, "check", "claims.md"), "w", encoding="utf-8") as file:
        file.write(markdown(rows))
    failed = [check.name for check in checks if check.state != "passed"]
    proved, told = sum(row[3] == "PASS" for row in rows), "; FAILED: " + ", ".join(failed) if failed else ""
    say("\n%d claims proved by %d of %d checks in %s%s" % (
        proved, len(checks) - len(failed), len(checks), clock(time.monotonic() - lanes.started), told))
    if arguments.page and os.path.exists(arguments.page) and len(checks) == len(everything) and not failed:
        update_page(rows, arguments.page, checks)
        say("Docs/Evidence.md shows this table.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
