#!/usr/bin/env python3
"""Makes the reference page of the C interface from Include/custom_keyboard.h: the header's sections, its comments as
text, and each declaration as code without the macros for nullability.

    Docs/reference.py >PAGE      `make docs` writes it into the documentation's catalogue

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADER = os.path.join(ROOT, "Include", "custom_keyboard.h")
WIDTH = 72

TOP = """# C Reference

All functions, types and constants of `custom_keyboard.h`.

## Overview

`Docs/reference.py` writes this page from the header, whose text is binding. A C program needs

```c
#include <custom_keyboard.h>
```

and the flags that `pkg-config --cflags --libs customkeyboard` prints.

"""

# A comment, a definition, an enumeration or structure, or a function. Everything else is for the preprocessor.
ITEM = re.compile(
    r"^/\*(?P<comment>.*?)\*/"
    r"|^#define (?P<constant>CUSTOM_KEYBOARD_[A-Z]+) +(?P<value>[0-9\"][^ \n]*)(?: */\*(?P<note>.*?)\*/)?$"
    r"|^typedef (?P<kind>enum|struct) (?P<type>\w+) \{\n(?P<members>.*?)^\} \w+;"
    r"|^(?P<alias>typedef [^{;]*;)"
    r"|^(?P<function>(?:CUSTOM_KEYBOARD_RV|const char).*?;)",
    re.M | re.S,
)


def words(comment):
    """A comment as paragraphs."""
    lines = [re.sub(r"^ ?\*? ?", "", line).rstrip() for line in comment.strip().split("\n")]
    return "\n".join(lines).strip()


CODES = "OK|ERR|OP_DISABLE|MAXLEN|SPACE|ARGUMENT|UNDECRYPTABLE|MEMORY|RANDOM|NULL|NONE|RETURN"
NAME = re.compile(r"(?<![`\w*.])(CUSTOM_\w+|CustomKeyboard_\w+|%s|(?!mbed)[a-z]+[A-Z]\w+)(?![`\w])(?! action)" % CODES)


def prose(comment):
    """The same in Markdown: names of functions, codes and arguments as code, which makes some lines too long."""
    paragraphs = NAME.sub(r"`\1`", words(comment)).split("\n\n")
    return "\n\n".join(wrapped(paragraph) for paragraph in paragraphs)


def wrapped(paragraph):
    lines = paragraph.split("\n")
    if len(lines) == 1 or all(len(line) <= 120 for line in lines):
        return paragraph
    return textwrap.fill(" ".join(lines), 120, break_long_words=False, break_on_hyphens=False)


def declaration(text):
    """A function's declaration on lines of readable length."""
    text = re.sub(r"\s+", " ", re.sub(r"\s*CUSTOM_KEYBOARD_(NULLABLE|NONNULL|ANSWER)", "", text)).strip()
    text = re.sub(r"\* (?=\w)", "*", text).replace("(*)", "(*").replace("* (", "*(")
    if len(text) <= WIDTH:
        return text
    name, arguments = text.split("(", 1)
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(arguments):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(arguments[start : place + 1].strip())
            start = place + 1
    parts.append(arguments[start:].strip())
    return name + "(\n    " + "\n    ".join(parts)


def members(text):
    """The members of an enumeration or a structure: each as code, and its comment."""
    rows = []
    for line in re.sub(r" ?CUSTOM_KEYBOARD_NULLABLE", "", text).rstrip().split("\n"):
        code, _, note = line.strip().partition("/*")
        rows.append((re.sub(r"\* (?=\w)", "*", code.strip()), note.replace("*/", "").strip()))
    return rows


def type_section(kind, name, rows):
    """An enumeration as a table, because its comments are long; a structure as code, and a table of its comments."""
    if kind == "enum":
        table = [(re.match(r"(\w+) = (\d+)", code).groups(), note) for code, note in rows]
        lines = ["| `%s` | %s | %s |\n" % (member, number, prose(note)) for (member, number), note in table]
        return "| %s | value | |\n|---|---|---|\n%s" % (name, "".join(lines))
    text = code("typedef struct {\n%s\n} %s;" % ("\n".join("  " + line for line, _ in rows), name))
    noted = [(re.search(r"(\w+(?:, \w+)*)(?:\[\d+\])?;$", line)[1], note) for line, note in rows if note]
    lines = ["| `%s` | %s |\n" % (member, prose(note)) for member, note in noted]
    return text + ("\n| member | |\n|---|---|\n" + "".join(lines) if lines else "")


def code(text):
    return "```c\n%s\n```\n" % text


def page(header):
    output, comments, constants = [TOP], [], []

    def flush():
        """Comments that no declaration follows, and constants in one table."""
        output.extend(prose(comment) + "\n" for comment in comments)
        comments.clear()
        if constants:
            output.append("| constant | value | |\n|---|---|---|\n" + "".join(constants))
            constants.clear()

    # The first comment is the life of a keyboard: a drawing, which stays as it is.
    start = header.index("#define CUSTOM_KEYBOARD_VERSION")
    first = words(header[2 : header.index("*/")]).replace("SPDX-License-Identifier: Apache-2.0", "")
    output.append("## The life of a keyboard\n")
    for paragraph in re.split(r"\n\n(?! )", first.partition("The life of a keyboard:\n")[2].strip("\n")):
        if paragraph.startswith("    "):
            output.append("```\n%s\n```\n" % "\n".join(line[4:] for line in paragraph.split("\n")))
        else:
            output.append(prose(paragraph) + "\n")

    last = start
    for item in ITEM.finditer(header, start):
        gap = header[last : item.start()]
        last = item.end()
        section = re.fullmatch(r" -+ (.*?) -+ ", item["comment"] or "")
        if item["comment"] is None and "\n\n" in gap and comments:
            flush()  # a comment that a blank line separates from what follows is a text of its own
        if section:
            if len(constants) != 1:  # the version comes first in the table of constants
                flush()
            output.append("## %s\n" % section[1].partition(" (")[0])
        elif item["comment"] is not None:
            if comments or len(constants) > 1:
                flush()
            if not item["comment"].strip().startswith(("Nullability", "For functions whose", "CUSTOM_KEYBOARD_H")):
                comments.append(item["comment"])
        elif item["constant"]:
            note = prose(item["note"] or "")
            constants.append("| `%s` | %s | %s |\n" % (item["constant"], item["value"].strip('"'), note))
        else:
            if constants:
                flush()
            name = item["type"] or re.search(r"(\w+)(?:;|\()", item["function"] or item["alias"])[1]
            output.append("### %s\n" % name)
            if item["type"]:
                output.append(type_section(item["kind"], name, members(item["members"])))
            else:
                output.append(code(declaration(item["function"] or item["alias"])))
            flush()
    flush()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(output))


def main():
    if sys.argv[1:]:
        sys.exit(__doc__)
    sys.stdout.write(page(open(HEADER, encoding="utf-8").read()))


if __name__ == "__main__":
    main()
