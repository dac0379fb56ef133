#!/usr/bin/env python3
"""Checks that the man page of the tool has exactly the commands, options, values and defaults of its help.

    manual.py KEYBOARD

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Docs", "man", "keyboard.1")
keyboard = sys.argv[1]
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit("manual: " + what)


def help_of(*command):
    return subprocess.run([keyboard, *command, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout


def options(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


source = open(PAGE, encoding="utf-8").read()
text = re.sub(r'^\.(BR|BI|B|IR|RB|I|TP|br) ?"?|"', "", source.replace("\\-", "-"), flags=re.M)
sections = dict(zip(*[iter(re.split(r"^\.S[HS] (.*)\n", text, flags=re.M)[1:])] * 2))



def commands_of(*command):
    """All commands, those of commands too, in the order of the help."""
    parts = help_of(*command).split("SUBCOMMANDS:")
    if len(parts) == 1:
        return [" ".join(command)]
    return sum((commands_of(*command, name) for name in re.findall(r"^  ([a-z-]+)  ", parts[1], re.M)), [])


# The commands.
subcommands = commands_of()
listed = source.replace("\\-", "-").split(".SH COMMANDS")[1].split(".SH KEY OPTIONS")[0]
commands = re.findall(r"^\.SS ([\w -]+)$", listed, re.M)
check(len(commands) == 47 and commands == subcommands, "keyboard.1 has the commands %s" % commands)

# Each command's options, and the values of each.
common = options(sections["OTHER OPTIONS"])
check(common == {"-h", "--help", "--version"}, "keyboard.1 has the other options %s" % common)
for command in commands:
    told = help_of(*command.split()).split("OPTIONS:")[1]
    listed = re.split(r"\n  (?=-)", told)[1:]
    known = {name for entry in listed for name in options(entry.split("  ")[0])}
    documented = options("\n".join(re.findall(r"^--.*$", sections[command], re.M))) | common
    check(known == documented, "%s: its help and keyboard.1 differ in %s" % (command, known ^ documented))
    everything = sections[command] + sections["KEY OPTIONS"] + sections["PASSCODE OPTIONS"]
    everything += sections["VAULT OPTIONS"]
    for entry in listed:
        entry = " ".join(entry.split())
        values = re.search(r"\(values: (.*?)[;)]", entry)
        for value in values[1].split(", ") if values else []:
            found = re.search(r"(?<!\w)%s\b" % re.escape(value), everything)
            check(found, "%s: keyboard.1 lacks %s" % (command, value))
        default = re.search(r"default: ([^)]*)\)", entry)
        if default:
            check(default[1] in everything, "%s: keyboard.1 lacks the default %s" % (command, default[1]))

# The names of rules in a file.
told = subprocess.run(
    [keyboard, "check-passcode", "--rules", "/dev/stdin"], input=b'[{"rule": ""}]', stderr=subprocess.PIPE
).stderr.decode()
names = re.search("Give one of (.*)\\.", told)[1].split(", ")
check(len(names) == 14, "there are the rules %s" % names)
guide = open(os.path.join(os.path.dirname(PAGE), "..", "Passcodes.md"), encoding="utf-8").read()
for name in names:
    check(re.search(r"\b%s\b" % name, sections["RULES IN A FILE"]), "keyboard.1 lacks the rule %s" % name)
    check("`%s`" % name in guide.split("## On the command line")[1], "Passcodes.md lacks the rule %s" % name)

# The synopsis has every option except those of the key.
synopsis = options(sections["SYNOPSIS"])
everywhere = set().union(*(options("\n".join(re.findall(r"^--.*$", sections[c], re.M))) for c in commands))
everywhere -= {"--key-file", "--key", "--context", "--context-hex", "--vault"}
check(synopsis == everywhere, "the synopsis differs in %s" % (synopsis ^ everywhere))

# The exit codes.
codes = set(re.findall(r"\b(6[4569]|7[0147]|130)\b", help_of().split("Exit codes")[1]))
check(codes == set(re.findall(r"\b(6[4569]|7[0147]|130)\b", sections["EXIT STATUS"])), "the exit codes differ")
print("manual: %d checks" % checks)
