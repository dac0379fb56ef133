#!/usr/bin/env python3
"""The catalogue of sentences: the tables made from it are up to date, each fault in it is noticed, and a C program that
includes the header finds every sentence.

    messages.py          CC from the environment

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PARTS = ["Messages", "Include", "Sources/CustomKeyboard/Messages", "Bindings/web/messages.js"]
checks = 0


def check(what, is_right, said=""):
    global checks
    checks += 1
    if not is_right:
        sys.exit("messages.py: %s\n%s" % (what, said))


def catalogue(tree):
    done = subprocess.run([sys.executable, os.path.join(tree, "Messages", "catalogue.py"), "--check"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def changed(tree, language, change):
    """Changes one language's file and says what --check says; then puts the file back."""
    path = os.path.join(tree, "Messages", language + ".json")
    with open(path, encoding="utf-8") as file:
        before = file.read()
    sentences = json.loads(before)
    change(sentences)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(sentences, file)
    result = catalogue(tree)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before)
    return result


FAULTS = [
    ("ko", lambda all: all["rules"].pop("COMMON"), "ko.json has no rules.COMMON"),
    ("de", lambda all: all["codes"].pop("REFUSED"), "de.json has no codes.REFUSED"),
    ("ja", lambda all: all["rules"].update(COLOUR="青。"), "ja.json has rules.COLOUR, which the header has not"),
    ("zh", lambda all: all.update(causes={}), "zh.json has causes"),
    ("zh", lambda all: all["rules"].update(DIGITS="Use digits only."), "zh.json: rules.DIGITS is in English"),
    ("de", lambda all: all["rules"].update(DIGITS="Nur\nZiffern."), "de.json: rules.DIGITS is not a sentence"),
    ("de", lambda all: all["rules"].update(DIGITS=""), "de.json: rules.DIGITS is not a sentence"),
    ("en", lambda all: all["rules"].update(DIGITS="Only digits."), "is not what this makes"),
]

PROGRAM = """
#include "custom_keyboard_messages.h"
#include <stdio.h>
static char text[9];
const char *CustomKeyboard_ruleMessage(CUSTOM_KEYBOARD_RULE rule) { sprintf(text, "r%d", rule); return text; }
const char *CustomKeyboard_message(CUSTOM_KEYBOARD_RV code) { sprintf(text, "c%d", code); return text; }
int main(int count, char **arguments) {
  (void)count;
  for (int rule = 0; rule < 20; rule++) puts(CustomKeyboardMessages_ofRule(arguments[1], (CUSTOM_KEYBOARD_RULE)rule));
  for (int code = 0; code < 20; code++) puts(CustomKeyboardMessages_ofCode(arguments[1], (CUSTOM_KEYBOARD_RV)code));
  return 0;
}
"""


def faults(work):
    for part in PARTS:
        source, target = os.path.join(ROOT, part), os.path.join(work, part)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
    status, said = catalogue(work)
    check("the catalogue is not up to date", status == 0, said)
    for language, change, complaint in FAULTS:
        status, said = changed(work, language, change)
        check("not noticed: " + complaint, status != 0 and complaint in said, said)
    with open(os.path.join(work, "Messages", "fr.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    check("a language that nobody knows", "fr.json is not a language" in catalogue(work)[1])


def header(work):
    program = os.path.join(work, "program")
    with open(program + ".c", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                    "-I" + os.path.join(ROOT, "Include"), "-I" + os.path.join(ROOT, "Messages"), program + ".c", "-o",
                    program], check=True)
    english = ["r%d" % rule for rule in range(20)] + ["c%d" % code for code in range(20)]
    tags = {"de": "de", "de_CH.UTF-8": "de", "ja-JP": "ja", "ko_KR@x": "ko", "zh_CN.UTF-8": "zh", "zh-Hans-HK": "zh"}
    for tag in [*tags, "en_GB", "C", "", "d", "deu", "zh_TW.UTF-8", "zh-Hant", "fr_FR"]:
        wanted = list(english)
        if tag in tags:
            with open(os.path.join(ROOT, "Messages", tags[tag] + ".json"), encoding="utf-8") as file:
                sentences = json.load(file)
            for start, kind in ((0, "rules"), (20, "codes")):
                wanted[start:start + len(sentences[kind])] = sentences[kind].values()
        said = subprocess.run([program, tag], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout.split("\n")
        check("the header's sentences for '%s'" % tag, said[:-1] == wanted, "\n".join(said))


with tempfile.TemporaryDirectory() as folder:
    faults(folder)
    header(folder)
print("messages: %d checks" % checks)
