"""The kinds of rows of the table (rows.py): what each needs before it can run, and how it is run.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import signal
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 600  # seconds; a test that takes longer hangs, and so fails
LONGEST_BUILD = 1800
LIBRARIES = {
    "keyboard": ["-lcustomkeyboard"],
    "vault": ["-lcustomvault", "-lcustomkeyboard"],
    "fido": ["-lcustomfido", "-lcustomvault", "-lcustomkeyboard"],
}


class Trouble(Exception):
    """Why a test could not be tried. It neither passed nor failed."""


class Tree:
    """A tree of sources, with what is built of it, and a folder for the tests' own files."""

    def __init__(self, root, work, build=None):
        self.root, self.work, self.build = root, work, build or os.path.join(root, "build")
        self.cc, self.swift = os.environ.get("CC", "gcc"), os.environ.get("SWIFT", "swift")
        self.jobs = os.environ.get("JOBS", "2")
        self.memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else work

    def fill(self, text, row, **more):
        """The words of `text`, with the places of this tree."""
        values = {
            "root": self.root, "build": self.build, "work": self.work,
            "vectors": os.path.join(self.root, "Tests", "Vectors"),
            "header": os.path.join(self.root, "Include", "custom_%s.h" % row.product),
            "library": os.path.join(self.build, "libcustomkeyboard.so"),
            "vault": os.path.join(self.build, "libcustomvault.so"), "name": row.name, **more}
        return [word.format(**values) for word in text.split()]

    def run(self, command, environment=None, limit=PATIENCE):
        """The exit status and the output. The process and all processes that it started are then gone."""
        process = subprocess.Popen(
            command, cwd=self.root, env=dict(os.environ, **environment or {}), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            said = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -1, "it hangs\n" + process.communicate()[0].decode(errors="replace")
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, said.decode(errors="replace")

    def insist(self, what, command):
        status, said = self.run(command, limit=LONGEST_BUILD)
        if status != 0:
            raise Trouble("%s:\n%s" % (what, said[-4000:]))

    def make(self, target, *variables):
        self.insist("`make %s` fails" % target, [
            "make", target, "JOBS=" + self.jobs, "CC=" + self.cc, "SWIFT=" + self.swift, *variables])

    def swift_build(self, *what):
        # SwiftPM would compile C with CC, and its options are clang's.
        build = ["env", "-u", "CC", "-u", "CXX", self.swift, "build", "-j", self.jobs]
        self.insist("it does not compile", [*build, *what])


class Test:
    """A row. `says` names it in reports, `suite` is the line of `make test` that runs it; None: another command's."""

    suite = None

    def __init__(self, name, product="keyboard", says=None, suite=None):
        self.name, self.product, self.says, self.claim = name, product, says or name, None
        self.suite = suite or self.suite

    def prepare(self, tree):
        """Builds what the test needs besides the libraries."""

    def run(self, tree):
        """The exit status and the output."""
        raise NotImplementedError

    def fails(self, tree):
        """What the test says if it fails."""
        status, said = self.run(tree)
        return said if status != 0 else None


class Program(Test):
    """A program of Tests/C.

    quick, thorough   its arguments, for `make test` and `make check`; None: it does not run there
    less              `make test` makes one of so many repetitions (LESS in check.h)
    cells             how it is linked and bound; `make test` runs the first one, `make check` all
    paths             further paths of SM4, for `make check`
    quick_paths       whether `make test` runs them too
    needs             libraries besides the product's
    tools             "sanitizers valgrind": which of them can follow it
    sanitized         its arguments there, or those for valgrind, which is slower
    arm64             where it runs under emulation: processor, path, linking, binding
    emulated          its arguments there
    mbedtls           whether it runs with another version of mbedTLS; True, or the cells
    planted           its arguments in `make mutation`, if not those of `make test`
    disk              its files are on a disk, not in memory
    frames            it has large frames itself, so valgrind need not tell them from a change of stacks
    phone             its arguments as iPhones' code (phones.py), if not those of `make test`
    phone_less        the repetitions there: one of so many
    phone_check       whether it runs there in `make check` only
    not_on_phones     why it does not run there
    simulated         whether a Mac's simulator can run it: it reads no /proc and does not fork
    broken            what of a phone can be broken so that it must fail: names that DARWIN_RUN takes
    folder            the folder of Tests that it is in; those of Darwin run as iPhones' code only
    """

    suite = "c"

    def __init__(self, name, quick="", thorough=None, *, product="keyboard", source=None, needs="", flags="", less=1,
                 cells=("shared",), paths="", quick_paths=False, tools=None, sanitized=None, valgrind=None, arm64=(),
                 emulated=None, mbedtls=False, planted=None, disk=False, frames=False, phone=None, phone_less=None,
                 phone_check=False, not_on_phones=None, simulated=True, broken="", folder="C"):
        super().__init__(name, product)
        self.quick, self.thorough = quick, quick if thorough is None else thorough
        self.source = source or name
        if "." not in self.source:
            self.source += ".c"
        self.says = self.source
        self.needs, self.flags, self.less = ["-l" + library for library in needs.split()], flags.split(), less
        self.cells, self.paths, self.quick_paths = cells, paths, quick_paths
        self.disk, self.frames = disk, frames
        # Programs with the FIDO client run there as calls.c and fido_server.py alone.
        self.tools = tools if tools is not None else "" if product == "fido" else "sanitizers valgrind"
        self.sanitized = quick if sanitized is None else sanitized
        self.valgrind = self.sanitized if valgrind is None else valgrind
        self.arm64, self.emulated = arm64, quick if emulated is None else emulated
        self.mbedtls = (("shared", "static") if mbedtls is True else mbedtls) or ()
        self.planted = quick if planted is None else planted
        self.phone, self.phone_less, self.phone_check = quick if phone is None else phone, phone_less, phone_check
        self.not_on_phones, self.broken, self.folder = not_on_phones, broken.split(), folder
        self.simulated = simulated and product == "keyboard" and folder == "C" and not not_on_phones

    def environment(self, tree, path=None):
        environment = {"TMPDIR": tree.memory} if self.product != "keyboard" and not self.disk else {}
        return dict(environment, CUSTOM_KEYBOARD_SM4=path) if path else environment

    # In `make mutation`: compiled once, with the current library each time.
    def prepare(self, tree, path=None):
        Machine(tree).compile(self, self.cells[0])

    def fails(self, tree, path=None):
        arguments = self.thorough if self.planted is None else self.planted
        status, said = tree.run(
            Machine(tree).command(self, arguments, self.cells[0]), self.environment(tree, path), 300)
        return said if status != 0 else None


class OnPath(Test):
    """A program on one path of SM4: "walk, portable" is the row `walk` there."""

    def __init__(self, program, path):
        super().__init__("%s, %s" % (program.name, path), program.product, program.says)
        self.program, self.path = program, path

    def prepare(self, tree):
        self.program.prepare(tree)

    def fails(self, tree):
        return self.program.fails(tree, self.path)


class Machine:
    """How programs of Tests/C are compiled and started: here, as a user's. Others are in run.py."""

    options = "-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror"

    def __init__(self, tree, less=False):
        self.tree, self.less, self.environment = tree, less, {}
        self.include = ["-I" + os.path.join(tree.root, *place) for place in (["Include"], ["Tests", "C"])]

    def program(self, row, cell):
        return os.path.join(self.tree.work, "-".join([row.name, *cell.split()]).replace(", ", "-").replace(" ", "-"))

    def source(self, row):
        return os.path.join(self.tree.root, "Tests", row.folder, row.source)

    def libraries(self, row, cell):
        if cell.startswith("static"):
            linked = [os.path.join(self.tree.build, "libcustomkeyboard.a"), "-lmbedcrypto"]
        else:
            linked = ["-L" + self.tree.build, *LIBRARIES[row.product], "-Wl,-rpath," + self.tree.build]
        sqlite = [] if row.product == "keyboard" else ["-lsqlite3", "-lcrypto"]
        return [*linked, *sqlite, *row.needs, "-ldl", *("-Wl,-z," + binding for binding in cell.split()[1:])]

    def command(self, row, arguments, cell, name=None):
        binding = cell.split()[1] if " " in cell else "lazy"
        return [self.program(row, cell), *self.tree.fill(arguments, row, binding=binding, name=name or row.name)]

    def flags(self, row):
        return [*row.flags, *(["-DLESS=%d" % row.less] if self.less and row.less > 1 else [])]

    def compile(self, row, cell):
        language = "c++11" if row.source.endswith(".cpp") else "c11"
        compiler = os.environ.get("CXX", "g++") if language == "c++11" else self.tree.cc
        options = [*self.options.replace("c11", language).split(), *self.include, *self.flags(row)]
        self.tree.insist("%s does not compile" % row.source, [
            compiler, *options, "-pthread", "-o", self.program(row, cell), self.source(row),
            *self.libraries(row, cell)])


class Command(Test):
    """A program in Python or a script, which is run as it is. `built`: what it needs besides the libraries."""

    suite = "c"

    def __init__(self, name, quick, thorough=None, built=None, **more):
        scripts = [os.path.basename(word) for word in quick.split() if word.endswith((".py", ".sh"))]
        super().__init__(name, says=scripts[0] if scripts else None, **more)
        self.quick, self.thorough, self.built = quick, thorough or quick, built

    def prepare(self, tree):
        if self.built == "swift":
            tree.swift_build("--build-tests")

    def run(self, tree, thorough=False):
        with tempfile.TemporaryDirectory(dir=tree.work) as work:
            words = tree.fill(self.thorough if thorough else self.quick, self, work=work)
            return tree.run(words, {"CC": tree.cc, "SWIFT": tree.swift, "LD_LIBRARY_PATH": tree.build})


class Example(Command):
    """An example in C, compiled each time (a planted bug may be in it), and the program in Python that uses it."""

    def __init__(self, name, source, quick="", thorough=None, test=None, product="keyboard"):
        command = "python3 -B {root}/Tests/C/%s.py {program} %%s" % (test or name)
        super().__init__(name, command % quick, command % (thorough or quick), product=product)
        self.source = source

    def run(self, tree, thorough=False):
        program = os.path.join(tree.work, self.name)
        tree.insist(self.source, [
            tree.cc, "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread",
            "-I" + os.path.join(tree.root, "Include"), "-o", program, os.path.join(tree.root, self.source),
            "-L" + tree.build, *LIBRARIES[self.product], "-Wl,-rpath," + tree.build])
        return tree.run(tree.fill(self.thorough if thorough else self.quick, self, program=program))


class SwiftSuite(Test):
    """The Swift tests of a target, on the ordinary build, which is not the C libraries'; None: all of them."""

    suite = "swift"

    def __init__(self, target=None):
        super().__init__(target or "all Swift tests")
        self.filter = ["--filter", target] if target else []

    def prepare(self, tree):
        tree.swift_build("--build-tests")

    def run(self, tree):
        self.prepare(tree)
        status, said = tree.run([tree.swift, "test", "--skip-build", *self.filter], {"SWIFT_BACKTRACE": "enable=no"})
        if status == 0 and not re.search(r"Test run with [1-9]\d* tests", said):
            return 1, "no test ran"
        return status, said


class Tool(Test):
    """A program of Tests/Tool, or some groups of it, with the tool that the ordinary build makes."""

    suite = "tool"

    def __init__(self, name, program, *groups):
        super().__init__(name, says=" ".join([program + ".py", *groups]))
        self.program, self.groups = program, groups

    def prepare(self, tree):
        tree.swift_build("--product", "keyboard")

    def run(self, tree):
        self.prepare(tree)
        return tree.run(["python3", "-B", "Tests/Tool/%s.py" % self.program, ".build/debug/keyboard", *self.groups])


class Web(Test):
    """Parts of the tests in Chromium. The module is built once; the element's files need no building."""

    def __init__(self, name, *parts):
        super().__init__(name, says=" ".join(["browser.py", *parts]))
        self.parts = parts

    def prepare(self, tree):
        source = os.path.join(tree.root, "build", "web", "mbedtls")
        tree.make("web", *(["WEB_MBEDTLS=" + source] if os.path.exists(source) else []))
        if "opaque" in self.parts:
            tree.make("library")  # the server

    def run(self, tree):
        return tree.run(["python3", "-B", "Tests/Web/browser.py", "build/web", *self.parts])


class Phones(Test):
    """What looks at the frameworks for iPhones, which are made first, or at the Swift package for them."""

    def __init__(self, name, command, made=None):
        program = next(word for word in command.split() if word.endswith((".py", ".sh")))
        super().__init__(name, says=os.path.basename(program))
        self.command, self.made = command, made

    def prepare(self, tree):
        if self.made:
            source = os.path.join(tree.root, "build", "web", "mbedtls")
            tree.make(self.made, *(["WEB_MBEDTLS=" + source] if os.path.exists(source) else []))

    def run(self, tree):
        self.prepare(tree)
        return tree.run(self.command.split(), {"SWIFT": tree.swift, "JOBS": tree.jobs})


class Bank(Test):
    """Tests of the example bank, as `make test-bank` runs them."""

    def __init__(self, name, *programs):
        super().__init__(name, says=" ".join(program + ".py" for program in programs))
        self.programs = programs

    def prepare(self, tree):
        tree.make("bank-program", "library")  # the client of OPAQUE

    def run(self, tree):
        program = os.path.join(tree.root, ".build/bank/release/bank")
        for name in self.programs:
            status, said = tree.run(["python3", "-B", "Examples/Bank/Tests/%s.py" % name], {"BANK_PROGRAM": program})
            if status != 0:
                break
        return status, said


class Kiosk(Test):
    """Groups of the tests of the window."""

    def __init__(self, name, *groups):
        super().__init__(name, says=" ".join(["kiosk.py", *groups]))
        self.groups = groups

    def prepare(self, tree):
        tree.make("kiosk")

    def run(self, tree):
        return tree.run(["sh", "Examples/kiosk/Tests/run.sh", "build", *self.groups], {"CC": tree.cc})


class Package(Command):
    """The test of a package for another language, on what `make TARGET` builds."""

    suite = None

    def __init__(self, target):
        super().__init__(target, "sh Tests/Bindings/%s.sh {build}" % target)
        self.suite = None
        self.target = target

    def prepare(self, tree):
        tree.make(self.target)


# ---- The words of rows.py --------------------------------------------------------------------------------------------

c, example, swift, tool, web, kiosk, package, phones, script = (
    Program, Example, SwiftSuite, Tool, Web, Kiosk, Package, Phones, Command)


def bank(program):
    return Bank("bank: " + program, program)


def python(name, quick, thorough=None, file=None, **more):
    file = (file or name).removesuffix(".py")
    command = "python3 -B {root}/Tests/C/%s.py " % file
    return Command(name, command + quick, command + (thorough or quick), **more)
