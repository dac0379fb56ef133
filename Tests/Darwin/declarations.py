#!/usr/bin/env python3
"""Compares what Sources/Darwin/include declares with the open headers of Darwin: each function's type and name for the
linker, each number, and each structure's size and places. Both are compiled as C++ for arm64-apple-ios15.0, whose names
for the linker say what a type is made of; what clang makes of both must be the same. Then the library's own use of them
(platform.h) is compiled with Darwin's headers, where a function that is newer than iOS 15 is an error.

    declarations.py CLANG HEADERS

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OWN = os.path.join(ROOT, "Sources", "Darwin", "include")
NOT_DARWINS = {"assert.h", "limits.h"}  # a macro of our own; what clang adds to
TARGET = ["-target", "arm64-apple-ios15.0", "-nostdlibinc", "-D__STDC_WANT_LIB_EXT1__=1"]


def run(command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("declarations.py: %s\n%s" % (" ".join(command), done.stderr[:2000]))
    return done.stdout


def own_names(clang, headers):
    """Functions, structures with their members, and numbers of our headers."""
    text = "".join("#include <%s>\n" % header for header in headers)
    tree = json.loads(run([clang, *TARGET, "-w", "-isystem", OWN, "-x", "c", "-Xclang", "-ast-dump=json",
                           "-fsyntax-only", "-"], text))
    functions, structures, numbers = set(), {}, set()
    for node in tree["inner"]:
        if node["kind"] == "FunctionDecl":
            functions.add(node["name"])
        elif node["kind"] == "RecordDecl" and node.get("completeDefinition") and node.get("name"):
            structures[node["name"]] = [each["name"] for each in node["inner"] if each["kind"] == "FieldDecl"]
        elif node["kind"] == "EnumDecl":
            numbers.update(each["name"] for each in node["inner"] if each["kind"] == "EnumConstantDecl")
    for header in headers:
        with open(os.path.join(OWN, header), encoding="utf-8") as file:
            numbers.update(re.findall(r"^#define (\w+) \S", file.read(), re.M))
    return sorted(functions), structures, sorted(numbers - {"errno", "MAP_FAILED"})


def probe(headers, functions, structures, numbers):
    """A file that tells, compiled, what the names mean."""
    lines = ["#include <%s>" % header for header in headers]
    lines += ["template <class T> void probe(const char *, T *);", "void tell() {"]
    lines += ['  probe("%s", &::%s);' % (name, name) for name in functions]
    lines += ["}"]
    lines += ["extern const long long number_%s = (long long)(%s);" % (name, name) for name in numbers]
    for name, members in structures.items():
        lines.append("extern const long size_%s = sizeof(struct %s);" % (name, name))
        lines += ["extern const long place_%s_%s = __builtin_offsetof(struct %s, %s) * 1000 +"
                  " sizeof(((struct %s *)0)->%s);" % (name, member, name, member, name, member) for member in members]
    return "\n".join(lines) + "\n"


def meaning(clang, include, text):
    """Lines of LLVM's that have a type, a number or a name for the linker."""
    made = run([clang, *TARGET, "-w", "-isystem", include, "-x", "c++", "-S", "-emit-llvm", "-o", "-", "-"], text)
    numbers = dict(re.findall(r"@(\w+_\w+) = constant (i\d+ -?\d+)", made))
    calls = re.findall(r'call void @(\w+)\(ptr noundef @[.\w]+, ptr noundef @("?[\\$\w]+"?)\)', made)
    # Do: says that the function throws nothing, which only headers for C++ say.
    return numbers, [(kind.replace("IDoF", "IF"), re.sub(r'^"\\01_|"$', "", name)) for kind, name in calls]


def faults(clang, include, headers, names):
    text = probe(headers, *names)
    own, theirs = meaning(clang, OWN, text), meaning(clang, include, text)
    wrong = ["%s is %s, and not %s" % (name, own[0].get(name), value)
             for name, value in theirs[0].items() if own[0].get(name) != value]
    wrong += ["%s is %s, and not %s" % (name, one, other)
              for name, one, other in zip(names[0], own[1], theirs[1]) if one != other]
    count = len(names[0]) + len(names[2])
    if len(own[1]) != len(names[0]) or len(theirs[1]) != len(names[0]) or len(theirs[0]) < len(names[2]):
        wrong.append("not every name was looked at: %d of %d functions" % (len(theirs[1]), len(names[0])))
    return wrong, count + sum(len(members) + 1 for members in names[1].values())


def listed(functions):
    """The names of mk/ios/imports.txt that no header of ours declares."""
    with open(os.path.join(ROOT, "mk", "ios", "imports.txt"), encoding="utf-8") as file:
        names = [line.split() for line in file if line.strip() and line[0] not in "#/"]
    return [name[0] for name in names if len(name) == 1 and not name[0].startswith("sqlite3_")
            and name[0].split("$")[0] not in functions]


def main(clang, include):
    global OWN
    headers = sorted(os.path.relpath(os.path.join(place, file), OWN)
                     for place, _, files in os.walk(OWN) for file in files)
    headers = [header for header in headers if header not in NOT_DARWINS]
    names = own_names(clang, headers)
    wrong, count = faults(clang, include, headers, names)
    wrong += ["imports.txt has %s, which no header declares" % name for name in listed(names[0])]
    use = [clang, *TARGET, "-Werror=unguarded-availability", "-I", os.path.join(ROOT, "Sources", "CKeyboardPlatform"),
           "-x", "c", "-fsyntax-only", "-", "-isystem", include]
    run(use, '#include "platform.h"\n')
    # The controls: a wrong type, number, structure and name of ours, and a function that is newer.
    planted = [("unistd.h", "int close(int", "int close(long"), ("fcntl.h", "O_EXCL 0x00000800", "O_EXCL 0x00000400"),
               ("sys/stat.h", "mode_t st_mode", "uint32_t st_mode"), ("stdlib.h", "$DARWIN_EXTSN", ""),
               ("pthread.h", "int pthread_setcanceltype", "long pthread_setcanceltype")]
    own = OWN
    with tempfile.TemporaryDirectory() as work:
        for header, old, new in planted:
            OWN = os.path.join(work, header.replace("/", "-"))
            subprocess.run(["cp", "-r", own, OWN], check=True)
            with open(os.path.join(OWN, header), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(OWN, header), "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            if text.count(old) != 1 or not faults(clang, include, headers, names)[0]:
                wrong.append("a planted fault is not noticed: %s" % new)
    OWN = own
    newer = subprocess.run(use, input="#include <os/lock.h>\nvoid f(os_unfair_lock_t l);\nvoid f(os_unfair_lock_t l) {"
                           "os_unfair_lock_lock_with_flags(l, 0); }\n", text=True, capture_output=True, check=False)
    if newer.returncode == 0:
        wrong.append("a function of iOS 18 is not noticed")
    for text in wrong:
        print("declarations.py: " + text, file=sys.stderr)
    print("declarations: %d checks" % (count + len(planted) + 2))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
