"""Who made the code that is read: the compiler, and its options for each module. For prove.py.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
import subprocess

MODULES = ("KeyboardCurves", "KeyboardCurvesIFMA", "KeyboardRSA", "KeyboardRSAIFMA")
# What decides which instructions there are.
OPTIONS = re.compile(r"-O\w*|-m(?!odule)\S+|-f(?!module)\S+|-disable-cmo|-sil-disable-pass=\S+|Embedded")


def options(manifest, module):
    """What SwiftPM gave the compiler. Of the options that say how to make code better, the last one counts."""
    with open(manifest, encoding="utf-8") as file:
        commands = [json.loads(line) for line in re.findall(r"^ *args: (\[.*\])$", file.read(), re.M)]
    given, = (command for command in commands if command[1:3] == ["-module-name", module] and "-emit-module" in command)
    given = [option for option in given if OPTIONS.fullmatch(option)]
    better = [option for option in given if option.startswith("-O")]
    return [better[-1], *(option for option in given if option not in better)]


def report(swift, manifest):
    version = subprocess.run([swift, "--version"], check=True, capture_output=True, text=True).stdout
    print(version.splitlines()[0])
    for module in MODULES:
        print("%-19s %s" % (module, " ".join(options(manifest, module))))
