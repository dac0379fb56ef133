#!/usr/bin/env python3
"""Looks for words and turns of phrase that the style avoids (CONTRIBUTING.md), in the comments, messages and names of
all sources and in all pages. A phrase that two lines of a comment share is found, too.

    english.py

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KINDS = (".swift", ".c", ".h", ".cpp", ".py", ".sh", ".java", ".js", ".mjs", ".ts", ".tsx", ".html", ".css", ".conf",
         ".service", ".mk", ".md", ".txt", ".1", ".3", "Makefile")

# What is found, and what to write instead.
PHRASES = [
    (r"(?<![Tt]here )\b(?:is|are|was|were) none\b", 'say what it is not: "is not a key"'),
    (r"\bwhat is no\b(?! longer)", '"what is not a key", or "another text"'),
    (r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|\w+er than\b)\w+",
     '"is not a key"'),
    (r"\b(?:himself|herself)\b|\b(?:his|her) own\b", "name what it is"),
    (r"(?<![A-Za-z] )\bWho (?:can|may|must|has|knows|reads|calls|writes|wants)\b(?![^.]*\?)",
     '"a person who", "the caller"'),
    (r"(?<![A-Za-z] )\bOne (?:can|cannot|may|must|should)\b", "name the person, or the passive voice"),
    (r"(?<![A-Za-z] )\bSo (?:many|much) (?!\w+ as\b|as\b|that\b)\w+", '"How many", "after this many"'),
    (r"\bfor good,? until\b", '"until"'),
    (r"\bin the place of\b", '"instead of", "in place of"'),
    (r"\blook(?:s|ed)? whether\b", '"checks whether"'),
    (r"\bwhoever\b|\bwhomever\b", '"who", "anybody who", "somebody who"'),
    (r"\bhence\b|\bshall\b|\bwhence\b|\bthereof\b|\btherein\b|\bwhereby\b|\bwherein\b|\blest\b", "a word of today"),
    (r"\bstands\b", '"is"'),
    (r"\band no more\b", '"and nothing else"'),
    (r"\bfor want of\b", '"because there is no"'),
    (r"\bdear\b", '"expensive"'),
    (r"\blying about\b|\bnobody's word\b|\broom enough\b", "plain words"),
    (r"\b(?:has|have) place for\b", '"has room for"'),
    (r"\bno one\b", '"nobody"'),
    (r"\b(?:he|she) (?:may|must|can|has|is|does|types)\b", "name the person: the user, the caller"),
]

# Each must be found: in one line, and in two lines of each kind of comment.
PLANTED = [
    "// Infinity is none.",
    " * whoever",
    "/// The salt is no\n  /// secret.",
    "A zero is no\ncipher.",
    "/// There is no\n  /// one.",
    "# for want\n# of room",
    "// Who can open it: the server.",
    "# One can see",
    "/// So many locks",
    "is locked for good,\nuntil a reset",
    "/* in the\n * place of it */",
    "It looks whether",
    "a key of his\n# own",
]

# None of these may be found: each is right, and near to a phrase.
RIGHT = [
    "// There is none.",
    "nonetheless, hearing, marshalled",
    "It has no more than ten.",
    "It is no longer there.",
    "It is\n// no faster than that.",
    "Who can do that?",
    "Another One can.",
    "So many as that.",
]

# Where a line of a comment begins: what a phrase is not broken by.
MARGIN = re.compile(r"\n[ \t]*(?:///?|\*|#|\.)?[ \t]*")


def found(text):
    """Each phrase in a text: the number of its line, the phrase, the advice."""
    # One character for each that is taken away keeps the places.
    flat = MARGIN.sub(lambda margin: " " + "\0" * (len(margin.group()) - 1), text)
    places, letters = [], []
    for place, letter in enumerate(flat):
        if letter != "\0":
            places.append(place)
            letters.append(letter)
    flat = "".join(letters)
    for phrase, advice in PHRASES:
        for match in re.finditer(phrase, flat, re.I if phrase[:3] != r"(?<" else 0):
            yield text.count("\n", 0, places[match.start()]) + 1, match.group(), advice


def sources():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split("\n")
    if not listed[0]:  # a release's archive
        listed = [os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(ROOT)
                  if not re.search(r"/(\.build|build|\.git)(/|$)", folder) for name in names]
    return sorted(name for name in listed if name.endswith(KINDS) and name != "Tests/Tree/english.py")


def main():
    # The control: what is planted is found, and nothing inside another word is.
    for planted in PLANTED:
        if not list(found(planted)):
            sys.exit("english: not found in %r" % planted)
    for right in RIGHT:
        if list(found(right)):
            sys.exit("english: found in %r" % right)
    count, files = 0, sources()
    for name in files:
        path = os.path.join(ROOT, name)
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            for line, phrase, advice in sorted(found(file.read())):
                print("english: %s:%d: %s: write %s" % (name, line, phrase, advice), file=sys.stderr)
                count += 1
    if count:
        sys.exit("english: %d places" % count)
    if len(files) < 300:
        sys.exit("english: only %d files" % len(files))
    print("english: %d checks" % len(files))


if __name__ == "__main__":
    main()
