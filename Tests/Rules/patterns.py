#!/usr/bin/env python3
"""Writes pairs of a pattern and a text, and what Python's `re` says of them, for PatternDifferentialTests.swift.

    patterns.py COUNT SEED

A line is the pattern and the text in hexadecimal, each with a dot at its end, and a verdict: `found`, `none`, `slow`
(Python took more than a tenth of a second), or `fault` with the offsets in bytes that may be called wrong.

Python's language is larger than that of KeyboardRules. What Python accepts and KeyboardRules does not is found here
with regular expressions, and not with a parser like theirs. `$` matches at the very end only: it becomes `\\Z` for
Python.

SPDX-License-Identifier: Apache-2.0
"""

import random
import re
import signal
import string
import sys
import warnings

PUNCTUATION = string.punctuation
LETTERS = "aabbc1 _é한\U0001f600Z\n"

# ---- Patterns, together with texts that they may match --------------------------------------------------------------


def literal(rng):
    scalar = rng.choice(LETTERS)
    return scalar, lambda groups: scalar


def escape(rng):
    if rng.random() < 0.5:
        letter = rng.choice("dwsDWS")
        texts = {"d": "019", "w": "aZ_5", "s": " \t\n\r\f\v", "D": "aé ", "W": " é-", "S": "a1é-"}[letter]
        return "\\" + letter, lambda groups: rng.choice(texts)
    scalar = rng.choice(PUNCTUATION)
    return "\\" + scalar, lambda groups: scalar


def character_set(rng):
    members = ["a", "b", "c", "1", "_", "é", "-", "^", "[", "\\]", "\\\\", "\\-", "\\d", "\\w", "\\s", "\\S", "$", ".",
               "a-c", "0-5", "A-Z", "a-é", "!-~", "(", "*", "|", "&", "~"]
    body = "".join(rng.choice(members) for _ in range(rng.randint(1, 4)))
    text = ("]" if rng.random() < 0.1 else "") + body + ("-" if rng.random() < 0.1 else "")
    return "[" + ("^" if rng.random() < 0.3 else "") + text + "]", lambda groups: rng.choice("abc1_é-]^ Z")


COUNTS = ["*", "+", "?", "{0}", "{1}", "{2}", "{3}", "{0,}", "{1,}", "{2,}", "{0,1}", "{0,2}", "{1,2}", "{1,3}",
          "{2,4}",
          "{0,0}", "{2,2}", "{300}", "{0,300}"]


def counted(rng, depth, state):
    pattern, sample = atom(rng, depth, state, False)
    count = rng.choice(COUNTS[:16] if rng.random() < 0.97 else COUNTS)
    lazy = "?" if rng.random() < 0.3 else ""
    bounds = {"*": (0, 4), "+": (1, 4), "?": (0, 1)}.get(count)
    if bounds is None:
        numbers = count[1:-1].split(",")
        least = int(numbers[0])
        bounds = least, least if len(numbers) == 1 else int(numbers[1] or least + 3)

    def repeated(groups):
        return "".join(sample(groups) for _ in range(min(rng.randint(*bounds), 40)))
    return pattern + count + lazy, repeated


def group(rng, depth, state):
    kind = rng.choice(["(", "(", "(?:"])
    number = 0
    if kind == "(":
        state["opened"] += 1
        number = state["opened"]
    pattern, sample = alternatives(rng, depth - 1, state)
    if number:
        state["closed"].append(number)

    def remembered(groups):
        text = sample(groups)
        groups[number] = text
        return text
    return kind + pattern + ")", remembered


def look(rng, depth, state):
    negative = rng.random() < 0.4
    pattern, sample = alternatives(rng, depth - 1, state)
    # What comes after often continues with the same text.
    opening = "(?!" if negative else "(?="
    return opening + pattern + ")", lambda groups: "" if rng.random() < 0.7 else sample(groups)


def reference(rng, state):
    number = rng.choice(state["closed"])
    return "\\%d" % number, lambda groups: groups.get(number, "")


def atom(rng, depth, state, anywhere=True):
    closed = [number for number in state["closed"] if number <= 9]
    kind = rng.random()
    if depth > 0 and kind < 0.3:
        return group(rng, depth, state)
    if depth > 0 and anywhere and kind < 0.38:
        return look(rng, depth, state)
    if closed and kind < 0.5:
        return reference(rng, {"closed": closed})
    if anywhere and kind < 0.56:
        return rng.choice("^$"), lambda groups: ""
    if kind < 0.62:
        return ".", lambda groups: rng.choice("ab1é\n")
    if kind < 0.72:
        return escape(rng)
    if kind < 0.82:
        return character_set(rng)
    return literal(rng)


def sequence(rng, depth, state):
    parts = [counted(rng, depth, state) if rng.random() < 0.4 else atom(rng, depth, state)
             for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4]))]
    return "".join(part[0] for part in parts), lambda groups: "".join(part[1](groups) for part in parts)


def alternatives(rng, depth, state):
    parts = [sequence(rng, depth, state) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
    return "|".join(part[0] for part in parts), lambda groups: rng.choice(parts)[1](groups)


def damaged(rng, pattern):
    """The pattern with one place changed, which makes most patterns malformed."""
    pieces = ["(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "\\", "^", "$", "{2}", "{,3}", "{3,1}", "(?", "(?<a>",
              "\\b",
              "\\n", "\\0", "\\9", "\\10", "\\x41", "(?i)", "++", "{2", "[z-a]", "[\\d-z]", "[a-\\w]", "[[:alpha:]]",
              "-", "\\é",
              "(?#a)", "(?<=a)", "(?P=a)", "{99999999999}", "(?=a)*", "^*", "\\ "]
    place = rng.randint(0, len(pattern))
    removed = rng.choice([0, 0, 1, 2])
    return pattern[:place] + rng.choice(pieces + [""]) + pattern[place + removed:]


# ---- What is accepted -----------------------------------------------------------------------------------------------

ESCAPE = r"\\(?:[dwsDWS]|[!-/:-@\[-`{-~])"
TOKEN = re.compile(
    r"(?P<set>\[(?:\^|(?!\^))(?:%s|[^\\])(?:%s|[^\]\\])*\])|(?P<escape>%s|\\[1-9](?![0-9]))"
    r"|(?P<look>\(\?[=!])|(?P<open>\((?:\?:|(?!\?)))|(?P<close>\))"
    r"|(?P<count>(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)|(?P<other>[^\\\[({])" % (ESCAPE, ESCAPE, ESCAPE), re.S)


def first_unknown(pattern):
    """Where the pattern has something that is not in the language, whether Python knows it or not; or None."""
    offset, looks, before = 0, [], ""
    while offset < len(pattern):
        token = TOKEN.match(pattern, offset)
        if not token:
            if pattern[offset] != "[":
                return {offset}
            # The set is not closed, or has an unknown escape. The set's body is read as far as it is known.
            body = re.compile(r"\[(?:\^|(?!\^))(?:%s|[^\\])?(?:%s|[^\]\\])*" % (ESCAPE, ESCAPE), re.S)
            known = body.match(pattern, offset)
            return {offset} if known.end() == len(pattern) else {known.end()}
        kind = token.lastgroup
        if kind == "count" and before in ("count", "ended look"):
            return {offset}
        if kind in ("look", "open"):
            looks.append(kind == "look")
        if kind == "close":
            kind = "ended look" if looks and looks.pop() else "close"
        before, offset = kind, token.end()
    return None


def for_python(pattern):
    """`$` outside of sets as `\\Z`."""
    def replace(match):
        return r"\Z" if match.group() == "$" else match.group()
    return re.sub(r"\[(?:\^|(?!\^))(?:\\.|[^\\])(?:\\.|[^\]\\])*\]|\\.|\$", replace, pattern, flags=re.S)


def compiled(pattern):
    """What Python makes of the pattern, or where it finds a fault."""
    try:
        re.compile(pattern, re.ASCII)
        return re.compile(for_python(pattern), re.ASCII), None
    except re.error as error:
        # Python names the place after the brace, and after the backslash.
        return None, error.pos - error.msg.startswith(("min repeat", "invalid group reference"))
    except OverflowError:
        return None, pattern.index("{99999999999}")


def verdict(pattern, text):
    unknown = first_unknown(pattern)
    expression, fault = compiled(pattern)
    if unknown or expression is None:
        places = set(unknown or ()) | ({fault} if fault is not None else set())
        # Python looks for an escape's end one token ahead, before it judges what is in front of the backslash.
        if fault is not None and pattern[fault:] == "\\":
            places |= {compiled(pattern[:fault])[1]} - {None}
        return "fault " + ",".join(str(len(pattern[:place].encode())) for place in sorted(places))
    try:
        # The second call may come too late, and the signal while it is made.
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        said = "found" if expression.search(text) else "none"
        signal.setitimer(signal.ITIMER_REAL, 0)
        return said
    except TimeoutError:
        return "slow"


def late(*_):
    raise TimeoutError


def cut(text, limit):
    """As many whole characters as go into `limit` bytes."""
    return text.encode()[:limit].decode(errors="ignore")


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    signal.signal(signal.SIGALRM, late)
    # A thread of the tests, which starts this, may have blocked it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    warnings.simplefilter("ignore")
    written = 0
    while written < count:
        pattern, sample = alternatives(rng, rng.choice([0, 1, 2, 3]), {"opened": 0, "closed": []})
        if rng.random() < 0.25:
            pattern = damaged(rng, pattern)
        if len(pattern.encode()) > 256:
            continue
        for _ in range(min(4, count - written)):
            text = sample({}) if rng.random() < 0.8 else ""
            if rng.random() < 0.6:
                text = "".join(rng.choice(LETTERS) for _ in range(rng.randint(0, 6))) + text
            if rng.random() < 0.6:
                text += "".join(rng.choice(LETTERS) for _ in range(rng.choice([1, 3, 10, 100])))
            if text and rng.random() < 0.3:
                place = rng.randrange(len(text))
                text = text[:place] + rng.choice(LETTERS) + text[place + 1:]
            text = cut(text, 128)
            print(pattern.encode().hex() + ".", text.encode().hex() + ".", verdict(pattern, text))
            written += 1


main()
