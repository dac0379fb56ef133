#!/usr/bin/env python3
"""Runs tests of the table (rows.py). It prints one line for each that passes, and the whole output of one that fails.
A test that cannot run has failed: nothing is skipped silently.

    run.py suite BUILD [NAME…]             what `make test` runs of Tests/C; THOROUGH=1: with all repetitions
    run.py room ROOM BUILD                 what guards a product, a room or a program; `make test ROOM=…`
    run.py sanitizers BUILD FOLDER         those that sanitizers can follow, with the libraries' objects in FOLDER
    run.py valgrind BUILD                  under valgrind, on the paths of SM4 that it can execute
    run.py mbedtls BUILD FOLDER VERSION    with the mbedTLS in FOLDER
    run.py arm64 BUILD                     under emulation; BUILD is for arm64
    run.py phones BUILD [NAME…]            as iPhones' code, under emulation; THOROUGH=1: more, and with things broken
    run.py simulator                       the names of those that a Mac can run in its simulator of phones
    run.py claims LOG…                     what the logs show: each claim, its checks, its files
    run.py list                            the names of all tests

A test that fails prints its seed: SEED=n in the environment repeats it. The exit status is 1 if a test failed.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import rooms
from kinds import ROOT, Machine, OnPath, Program, Tree, Trouble
from phones import Phone
from rows import PATHS, TABLE

THOROUGH = bool(os.environ.get("THOROUGH"))
LONGEST = 3600  # seconds for one program with all repetitions, under any tool


# ---- Machines --------------------------------------------------------------------------------------------------------


class Sanitizers(Machine):
    """gcc's address and undefined-behaviour sanitizers, and libraries that were compiled for the former."""

    options = ("-std=c11 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all "
               "-fno-omit-frame-pointer")

    def libraries(self, row, cell):
        if row.product == "keyboard":
            return [os.path.join(self.tree.work, "library.o"), "-lmbedcrypto", *row.needs]
        return super().libraries(row, cell)


class Valgrind(Machine):
    """valgrind's memcheck. Loops with many rounds run twenty times fewer (LESS in check.h)."""

    options = "-std=c11 -O1 -g -Wall -Wextra -Wpedantic -Werror -DLESS=20"

    def command(self, row, arguments, cell, name=None):
        # A secret stack may be less than 2 MB away from a thread's, which valgrind takes for one long frame, and all
        # in it for uninitialised. A forked child has lost SQLite's memory, because a fork empties the vault's own.
        leaks = "definite,indirect,possible" if row.product == "keyboard" else "none"
        # Where a test makes memory readable in a handler, all registers must be what they were at the access.
        return ["valgrind", "-q", "--fair-sched=yes", "--px-default=allregs-at-mem-access",
                *([] if row.frames else ["--max-stackframe=70000"]), "--leak-check=full", "--error-exitcode=99",
                "--errors-for-leak-kinds=" + leaks,
                *super().command(row, arguments, cell, name)]


class OtherMbedTLS(Machine):
    """Another version of mbedTLS, in a folder; each program checks which one it runs with (version.c in WORK)."""

    options = "-std=c11 -O2 -g -Wall -Wextra -Werror"

    def __init__(self, tree, folder, version):
        super().__init__(tree)
        self.folder, self.version = folder, version

    def libraries(self, row, cell):
        place, build = os.path.join(self.folder, "lib"), self.tree.build
        linked = ([os.path.join(build, "libcustomkeyboard.a"), os.path.join(place, "libmbedcrypto.a")]
                  if cell.startswith("static") else
                  ["-L" + build, "-lcustomkeyboard", "-L" + place, "-lmbedcrypto", "-Wl,-rpath," + build,
                   "-Wl,-rpath," + place, "-Wl,-rpath-link," + place])
        return ['-DWANTED="%s"' % self.version, os.path.join(self.tree.work, "version.c"), *linked, *row.needs,
                *("-Wl,-z," + binding for binding in cell.split()[1:])]


class Arm64(Machine):
    """Under qemu. system.c does what qemu does not: locked memory, memory that a fork empties."""

    def __init__(self, tree):
        super().__init__(tree)
        self.target = "aarch64-linux-gnu"
        self.sysroot = os.path.join(tree.build, "sysroot")
        self.place = os.path.join(self.sysroot, "usr", "lib", self.target)

    def libraries(self, row, cell):
        include = os.path.join(self.sysroot, "usr", "include")
        linked = ([os.path.join(self.tree.build, "libcustomkeyboard.a"), os.path.join(self.place, "libmbedcrypto.a")]
                  if cell.startswith("static") else
                  ["-L" + self.tree.build, *super().libraries(row, "shared")[1:],
                   "-L" + self.place, "-Wl,-rpath-link," + self.place])
        return ["-isystem", include, "-isystem", os.path.join(include, self.target),
                os.path.join(ROOT, "Tests", "Evidence", "arm64", "system.c"), *linked, *row.needs,
                *("-Wl,-z," + binding for binding in cell.split()[1:])]


# ---- Runs ------------------------------------------------------------------------------------------------------------


class Report:
    """A line for each run, and what failed."""

    def __init__(self, title):
        self.title, self.failed, self.runs, self.checks, self.lock = title, [], 0, 0, threading.Lock()

    def passed(self, name, said, seconds):
        count = sum(map(int, re.findall(r"^[^:]*:.* (\d+) checks", said.splitlines()[-1] if said else "")))
        if count == 0:
            return self.fail(name, "it counts no checks\n" + said)
        with self.lock:
            self.runs, self.checks = self.runs + 1, self.checks + count
            print("%s: %d checks, %.1f s" % (name, count, seconds), flush=True)

    def fail(self, name, said):
        with self.lock:
            self.failed.append(name)
            print("%s: FAILED\n%s" % (name, said), file=sys.stderr, flush=True)

    def attempt(self, name, command, tree, environment=None):
        began = time.monotonic()
        status, said = tree.run(command, environment, LONGEST)
        if status == 0:
            self.passed(name, said, time.monotonic() - began)
        else:
            self.fail("%s (status %d)" % (name, status), said)

    def end(self):
        if self.failed:
            print("%s: failed: %s" % (self.title, ", ".join(self.failed)), file=sys.stderr)
            return 1
        print("%s, in all %d runs, %d checks" % (self.title, self.runs, self.checks))
        return 0


def rows(names=()):
    """All rows, with their claims; or those with these names."""
    for claim, group in TABLE.items():
        for row in group:
            row.claim = claim
    found = [row for group in TABLE.values() for row in group]
    unknown = set(names) - {row.name for row in found}
    if unknown:
        sys.exit("run.py: there is no test %s" % ", ".join(sorted(unknown)))
    return [row for row in found if not names or row.name in names]


def programs():
    return [row for row in rows() if isinstance(row, Program)]


def processor_paths():
    """The paths of SM4 that the processor has below the one that the library chooses."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = set(re.search(r"^flags.*$|\Z", file.read(), re.M).group().split())
    paths = ["portable"]
    if {"aes", "avx2", "gfni"} <= flags:
        paths.append("aesni")
    if {"avx512bw", "gfni"} <= flags:
        paths.append("gfni256")
    return paths


def run_program(row, machine, report, only=None):
    """A program as `make test` runs it, or `make check`; or on one path of SM4 only."""
    arguments = row.thorough if THOROUGH else row.quick
    cells = row.cells if THOROUGH else row.cells[:1]
    further = processor_paths() if row.paths == PATHS else row.paths.split()
    further = further if THOROUGH or row.quick_paths else []
    for cell in cells:
        if THOROUGH and row.source.endswith(".c"):  # clang has warnings of its own
            machine.tree.insist("%s does not compile" % row.source, [
                os.environ.get("CLANG", "clang"), "-fsyntax-only", *machine.options.split(), *machine.include,
                *machine.flags(row), machine.source(row)])
        machine.compile(row, cell)
        for path in [only] if only else [None, *further]:
            name = ", ".join([row.name, *([cell] if len(cells) > 1 else []), *([path] if path else [])])
            report.attempt(name, machine.command(row, arguments, cell, name), machine.tree,
                           row.environment(machine.tree, path))


def run_row(row, tree, report):
    try:
        if isinstance(row, (Program, OnPath)):
            program, path = (row, None) if isinstance(row, Program) else (row.program, row.path)
            run_program(program, Machine(tree, less=not THOROUGH), report, path)
            return
        row.prepare(tree)
        began = time.monotonic()
        status, said = row.run(tree, **({"thorough": THOROUGH} if row.suite == "c" else {}))
        if status == 0 and row.suite == "c":
            report.passed(row.name, said, time.monotonic() - began)
        elif status == 0:
            print("%s: passed in %.1f s" % (row.name, time.monotonic() - began), flush=True)
        else:
            report.fail(row.name, said)
    except Trouble as trouble:
        report.fail(row.name, str(trouble))


def run_rows(chosen, tree, report):
    """Two at a time: many wait for threads, processes and disks."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda row: run_row(row, tree, report), chosen))


def suite(tree, names):
    chosen = [row for row in rows(names) if row.suite == "c" and getattr(row, "quick", "") is not None]
    report = Report("C tests")
    run_rows(chosen, tree, report)
    return report.end()


def room(tree, name):
    chosen = rooms.guards(name, rows())
    if not chosen:
        sys.exit("run.py: no product, room or test is named %s" % name)
    print("%d tests guard %s: %s" % (len(chosen), name, ", ".join(row.name for row in chosen)), flush=True)
    report = Report(name)
    for row in chosen:
        run_row(row, tree, report)
    if not report.failed:
        print("All tests passed.")
    return report.end() if report.failed else 0


# ---- Under tools -----------------------------------------------------------------------------------------------------


def under(machine, title, chosen, of_paths=()):
    """Each program once, or on several paths of SM4: (row, arguments, cell)."""
    report = Report(title)
    for row, arguments, cell in chosen:
        try:
            machine.compile(row, cell)
        except Trouble as trouble:
            report.fail(row.name, str(trouble))
            continue
        for path in of_paths(row) if of_paths else [None]:
            environment = dict(row.environment(machine.tree, path), **machine.environment)
            name = ", ".join([row.name, *([cell] if title == "mbedtls" else []), *([path] if path else [])])
            report.attempt(name, machine.command(row, arguments, cell), machine.tree, environment)
    return report.end()


def sanitizers(tree):
    # A thread that was cancelled leaves its frames marked, and the sanitizer would trip over them when it takes back
    # the thread's stack for signals.
    machine = Sanitizers(tree)
    machine.environment = {"ASAN_OPTIONS": "use_sigaltstack=0"}
    return under(machine, "sanitizers", [
        (row, row.sanitized, "shared") for row in programs() if "sanitizers" in row.tools])


def valgrind(tree):
    machine = Valgrind(tree)

    def paths(row):
        return ["portable", *(["aesni"] if row.paths == PATHS else [])]

    return under(machine, "valgrind", [
        (row, row.valgrind, "static" if row.product == "keyboard" else "shared")
        for row in programs() if "valgrind" in row.tools], paths)


def mbedtls(tree, folder, version):
    machine = OtherMbedTLS(tree, folder, version)
    machine.environment = {"LD_LIBRARY_PATH": os.path.join(folder, "lib")}
    return under(machine, "mbedtls", [
        (row, row.thorough, cell) for row in programs() for cell in row.mbedtls])


PROCESSORS = ("max", "cortex-a53", "neoverse-n1")


def emulations(row):
    """Where a program runs: processor, path, cell, and whether it looks at memory."""
    for text in row.arm64:
        first, *words = text.split()
        looks = "looks" in words
        cell = "%s %s" % ("static" if "static" in words else "shared", "now" if "now" in words else "lazy")
        for processor in PROCESSORS if first == "each" else [first]:
            paths = [None]
            if "path" in words:
                paths = [None, "neon", "portable"] if processor == "max" else [None, "portable"]
            elif "neon" in words or "portable" in words:
                paths = ["neon" if "neon" in words else "portable"]
            for path in paths:
                yield processor, path, cell, looks


def arm64(tree):
    """Each program where its row says; at the end the checks of results and those of memory."""
    machine, reports, work = Arm64(tree), {False: Report("arm64"), True: Report("arm64, memory")}, []
    tree.cc = machine.target + "-gcc"
    libraries = tree.build + ":" + machine.place
    emulator = {"EMULATOR": subprocess.getoutput("command -v qemu-aarch64"),
                "QEMU_SET_ENV": "LD_LIBRARY_PATH=" + libraries, "QEMU_LD_PREFIX": "/usr/" + machine.target}
    for row in programs():
        for cell in sorted({cell for _, _, cell, _ in emulations(row)}):
            try:
                machine.compile(row, cell)
            except Trouble as trouble:
                reports[False].fail(row.name, str(trouble))
        work += [(row, *emulation) for emulation in emulations(row)]
    if reports[False].failed:
        return reports[False].end()

    def emulate(row, processor, path, cell, looks):
        environment = dict(emulator, QEMU_CPU=processor, CUSTOM_KEYBOARD_SM4=path or "best")
        if looks:
            environment["QEMU_STACK_SIZE"] = "262144"  # each search covers all of it
        name = ", ".join([row.name, processor, *([cell] if looks else []), *([path] if path else [])])
        reports[looks].attempt(name, ["qemu-aarch64", *machine.command(row, row.emulated, cell)], tree,
                               dict(row.environment(tree), **environment))

    with concurrent.futures.ThreadPoolExecutor(int(tree.jobs)) as pool:
        list(pool.map(lambda emulation: emulate(*emulation), work))
    return max(report.end() for report in reports.values())


def phones(tree, names):
    """All programs that can run as iPhones' code, or these; with THOROUGH also with things broken: they must fail."""
    machine, report = Phone(tree, THOROUGH), Report("phones")
    chosen = [row for row in rows(names) if isinstance(row, Program)]
    able = [row for row in chosen if not row.not_on_phones and (THOROUGH or names or not row.phone_check)]
    machine.build_loader()

    def attempt(row):
        try:
            machine.compile(row)
        except Trouble as trouble:
            return report.fail(row.name, str(trouble))
        environment = dict(row.environment(tree), **machine.environment)
        command = machine.command(row, row.phone)
        report.attempt(row.name, command, tree, environment)
        for what in row.broken if THOROUGH or names else []:
            if tree.run(command, dict(environment, DARWIN_RUN=what), LONGEST)[0] == 0:
                report.fail(row.name, "it does not notice that this is broken: " + what)

    with concurrent.futures.ThreadPoolExecutor(int(tree.jobs)) as pool:
        list(pool.map(attempt, able))
    if names:
        return report.end()
    reasons = {}
    for row in chosen:
        if row.not_on_phones:
            reasons.setdefault(row.not_on_phones, []).append(row.name)
    for reason, absent in reasons.items():
        print("not on phones, because %s: %s" % (reason, ", ".join(absent)))
    broken = sum(len(row.broken) for row in able) if THOROUGH else 0
    print("%d things broken%s" % (broken, "" if report.failed else ", and noticed"))
    return report.end()


# ---- Claims ----------------------------------------------------------------------------------------------------------


def claims(logs):
    """What the logs of the suites show: each claim, its checks, its files. A claim without any has not been shown."""
    others = (None, "swift", "instructions", "timing")  # they have no such lines
    counts = dict.fromkeys((row.name for row in rows() if row.suite not in others), 0)
    for line in [line for log in logs for line in open(log, encoding="utf-8", errors="replace")]:
        # "NAME: 12 checks", "NAME, static lazy, portable: 12 checks", and the tool's groups: "pad: sizes 251 checks".
        found = re.match(r"([^:]+):[a-z0-9_ ]* (\d+) checks", line)
        name = found.group(1) if found else ""
        while name and name not in counts:
            name = name.rpartition(", ")[0]
        if name:
            counts[name] += int(found.group(2))
    missing = 0
    for claim, group in TABLE.items():
        counted = [row for row in group if row.name in counts]
        total = sum(counts[row.name] for row in counted)
        if total:
            files = dict.fromkeys(row.says.split()[0] for row in counted if counts[row.name])
            print("%s\t%s checks\t%s" % (claim, format(total, ","), " ".join(files)))
        elif any(getattr(row, "quick", "") is not None for row in counted):
            print("run.py: nothing in the logs counts for: %s" % claim, file=sys.stderr)
            missing += 1
    return 1 if missing else 0


def main():
    command, *arguments = sys.argv[1:]
    if command == "list":
        print("\n".join(row.name for row in rows()))
        return 0
    if command == "simulator":
        print("\n".join(row.name for row in programs() if row.simulated))
        return 0
    if command == "claims":
        return claims(arguments)
    for name, other in (("CC", "gcc"), ("CXX", "g++"), ("CLANG", "clang"), ("CLANGXX", "clang++")):
        os.environ.setdefault(name, other)
    os.environ.pop("LD_BIND_NOW", None)  # some programs are bound lazily on purpose
    with tempfile.TemporaryDirectory() as work:
        if command == "room":
            return room(Tree(ROOT, work, os.path.abspath(arguments[1])), arguments[0])
        build, *rest = arguments
        tree = Tree(ROOT, work, os.path.abspath(build))
        if command == "suite":
            return suite(tree, rest)
        if command == "phones":
            return phones(tree, rest)
        if command in ("valgrind", "arm64"):
            return {"valgrind": valgrind, "arm64": arm64}[command](tree)
        # Their folder has what the programs are linked with.
        if command == "sanitizers":
            return sanitizers(Tree(ROOT, os.path.abspath(rest[0]), os.path.abspath(rest[0])))
        if command == "mbedtls":
            tree.work = os.path.abspath(os.path.dirname(build))
            return mbedtls(tree, *rest)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
