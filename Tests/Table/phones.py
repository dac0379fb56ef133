"""Programs of Tests/C as iPhones' code: Mach-O, which a loader (Tests/Darwin) maps here, and whose processor is qemu.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil

from kinds import ROOT, Machine, Test

FRAMEWORKS = {"keyboard": ["CCustomKeyboard"]}
FRAMEWORKS["vault"] = FRAMEWORKS["keyboard"] + ["CCustomVault"]
FRAMEWORKS["fido"] = FRAMEWORKS["vault"] + ["CCustomFido"]
TARGET = "aarch64-linux-gnu"
LEAST = 4  # of so many repetitions one is made, by `make check`; by `make test-darwin`:
FEWER = 12


class Phone(Machine):
    """Needs the frameworks, Darwin's open headers, and Debian's SQLite for arm64: `make darwin-parts`."""

    options = "-nostdlibinc -std=c11 -O2 -w -D_FORTIFY_SOURCE=0 -D_DONT_USE_CTYPE_INLINE_"

    def __init__(self, tree, thorough=False):
        super().__init__(tree)
        self.thorough = thorough
        self.ios = os.path.join(tree.root, "build", "ios")
        self.runner = os.path.join(tree.work, "darwin-run")
        self.clang = os.path.join(os.path.dirname(os.path.realpath(shutil.which(tree.swift))), "clang")
        self.emulator = shutil.which("qemu-aarch64") or "qemu-aarch64"
        self.environment = {"QEMU_CPU": "max", "QEMU_LD_PREFIX": "/usr/" + TARGET, "EMULATOR": self.emulator}

    def build_loader(self):
        sysroot = os.path.join(self.tree.build, TARGET, "sysroot")
        sqlite = os.path.join(sysroot, "usr", "lib", TARGET)
        darwin = os.path.join(self.tree.root, "Tests", "Darwin")
        self.tree.insist("the loader for Mach-O", [
            TARGET + "-gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
            "-isystem", os.path.join(sysroot, "usr", "include"), "-o", self.runner,
            *(os.path.join(darwin, name) for name in ("image.c", "system.c", "files.c", "signals.c", "calls.S")),
            "-L" + sqlite, "-lsqlite3", "-lm", "-Wl,-z,now", "-Wl,-rpath," + sqlite])

    def libraries(self, row, cell):
        return [os.path.join(self.ios, name + ".xcframework", "ios-arm64", name + ".framework", name)
                for name in FRAMEWORKS[row.product]]

    def flags(self, row):
        # The number of repetitions of some is that of their statistics.
        less = max(row.less, LEAST if self.thorough else FEWER) if row.phone_less is None else row.phone_less
        return [*row.flags, "-DLESS=%d" % less]

    def compile(self, row, cell="now"):
        oldest = "15.0" if row.product == "keyboard" else "16.0"
        program = self.program(row, cell)
        self.tree.insist("%s does not compile for iPhones" % row.source, [
            self.clang, "-target", "arm64-apple-ios" + oldest, *self.options.split(),
            "-isystem", os.path.join(self.ios, "darwin-headers"), *self.include, *self.flags(row),
            "-c", self.source(row), "-o", program + ".o"])
        self.tree.insist("%s cannot be linked for iPhones" % row.source, [
            os.environ.get("IOS_LINKER", "ld64.lld-19"), "-execute", "-arch", "arm64",
            "-platform_version", "ios", oldest, oldest, "-e", "_main", "-o", program, program + ".o",
            *self.libraries(row, cell), "-undefined", "dynamic_lookup", "-fixup_chains"])

    def command(self, row, arguments, cell="now", name=None):
        words = self.tree.fill(arguments, row, binding="now", name=name or row.name)
        return [self.emulator, self.runner, ":".join(self.libraries(row, cell)), self.program(row, cell), *words]


class OnPhone(Test):
    """A program there, for planted bugs and `make test ROOM=…`: "walk, phone" is the row `walk` as iPhones' code."""

    def __init__(self, program):
        super().__init__(program.name + ", phone", program.product, program.says)
        self.program = program

    def prepare(self, tree):
        source = os.path.join(ROOT, "build", "web", "mbedtls")
        tree.make("darwin-parts", *(["WEB_MBEDTLS=" + source] if os.path.exists(source) else []))

    def run(self, tree):
        self.prepare(tree)
        machine = Phone(tree)
        machine.build_loader()
        machine.compile(self.program)
        return tree.run(machine.command(self.program, self.program.phone),
                        dict(self.program.environment(tree), **machine.environment))
