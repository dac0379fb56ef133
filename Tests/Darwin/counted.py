#!/usr/bin/env python3
"""Counts the instructions of calls, of the library for iPhones and of that for arm64 Linux: the former may not take
more. The emulator prints a line an instruction.

    counted.py BUILD          after `make darwin-parts`, and `make TARGET=aarch64-linux-gnu`

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "Tests", "Table"))
from kinds import Program, Tree  # noqa: E402
from phones import TARGET, Phone  # noqa: E402

FEW, MANY = 2, 12
MOST = 1.01  # of Linux's instructions: DIT is set and given back, in 20 to 40 of them


def executed(command, environment):
    command = [command[0], "-singlestep", "-d", "exec,nochain", *command[1:]]
    with subprocess.Popen(command, env=dict(os.environ, **environment), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        count = sum(chunk.count(b"\n") for chunk in iter(lambda: process.stderr.read(1 << 20), b""))
    if process.returncode != 0:
        sys.exit("counted.py: %s ended with %d" % (command[-3:], process.returncode))
    return count


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        tree = Tree(ROOT, work, build)
        phone, row = Phone(tree), Program("counted", folder="Darwin")
        phone.build_loader()
        phone.compile(row)
        foreign = os.path.join(build, TARGET)
        sysroot = os.path.join(foreign, "sysroot", "usr", "lib", TARGET)
        linux = os.path.join(work, "linux")
        tree.insist("counted.c", [
            TARGET + "-gcc", "-std=c11", "-O2", *phone.include, "-o", linux, phone.source(row), "-L" + foreign,
            "-lcustomkeyboard", "-Wl,-z,now", "-Wl,-rpath-link," + sysroot])
        # No processor of Apple's has instructions for SM4.
        environment = dict(phone.environment, CUSTOM_KEYBOARD_SM4="neon",
                           QEMU_SET_ENV="LD_LIBRARY_PATH=%s:%s" % (foreign, sysroot))
        worse = 0
        for call in ("getText", "decrypt", "SM4-GCM", "X25519", "P-256"):
            took = {}
            for name, command in (("phone", phone.command(row, call)), ("Linux", [phone.emulator, linux, call])):
                few, many = (executed([*command, str(times)], environment) for times in (FEW, MANY))
                took[name] = (many - few) / (MANY - FEW)
            name = call if call in ("getText", "decrypt") else "unseal, " + call
            print("%s: %d instructions for iPhones, %d for arm64 Linux" % (name, took["phone"], took["Linux"]))
            worse += took["phone"] > MOST * took["Linux"]
    print("counted: 5 checks")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
