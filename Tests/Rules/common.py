#!/usr/bin/env python3
"""Makes the built-in list of common passcodes, and measures how much of real choice it covers.

    common.py            prints the list: 4-digit PINs, 6-digit PINs, passwords
    common.py --update   writes Sources/KeyboardRules/Common/CommonPasscodes+Table.swift
    common.py --check    fails if that file is another one
    common.py --share    prints what share of published choices is on the list
    common.py --words ROCKYOU XATO
                         makes Tests/Vectors/common-words.txt anew from two published rankings (see below)
    common.py --counts ROCKYOU4
                         makes Tests/Vectors/pin-counts.txt anew from a published set of PINs (see below)

Where it comes from:

- 4-digit PINs: generators (dates, years, repetitions, runs, shapes on the keypad), and single PINs that published
  counts have among the first: N. Berry, "PIN analysis" (DataGenetics, 2012), 20 PINs; D. Amitay, "Most common iPhone
  passcodes" (2011), 10 PINs; and some of RockYou's, below.
- 6-digit PINs: generators (repetitions, runs), and those among the words below.
- Passwords: those that are both among the first 3,000 of RockYou's leak (2009), by the number of accounts, and the
  first 2,000 of M. Burnett's ten million passwords (xato.net, 2015); of 6 digits, all that are both among the first
  100,000 and the first 30,000. ASCII letters and digits only, 4 to 12 of them. RockYou's file has lines of a count and
  a password; the other is a ranking as the Python package zxcvbn 4.5.0 (MIT licence) has it, one password a line.
- Counts of 4-digit PINs: P. Markert, D. Bailey, M. Golla, M. Dürmuth, A. Aviv, "This PIN Can Be Easily Guessed" (IEEE
  Symposium on Security and Privacy, 2020), RockYou-4-digit.zip: 1,780,587 PINs, which are the runs of exactly four
  digits in RockYou's passwords, as in J. Bonneau, S. Preibusch, R. Anderson, "A birthday present every eleven
  wallets?" (2012).

SPDX-License-Identifier: Apache-2.0
"""

import calendar
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLE = os.path.join(ROOT, "Sources", "KeyboardRules", "Common", "CommonPasscodes+Table.swift")
WORDS = os.path.join(ROOT, "Tests", "Vectors", "common-words.txt")
COUNTS = os.path.join(ROOT, "Tests", "Vectors", "pin-counts.txt")

# ---- Generators -----------------------------------------------------------------------------------------------------


def dates():
    """Days of the year as mmdd and ddmm."""
    for month in range(1, 13):
        for day in range(1, calendar.monthrange(2000, month)[1] + 1):
            yield "%02d%02d" % (month, day)
            yield "%02d%02d" % (day, month)


def years():
    return (str(year) for year in range(1930, 2030))


def rising(length):
    """Digits that go up or down by one or two, from 9 to 0 as well."""
    for first in range(10):
        for step in (1, 2, -1, -2):
            yield "".join(str((first + step * index) % 10) for index in range(length))


def repetitions4():
    """aaaa, abab, aabb, abba."""
    for a in "0123456789":
        for b in "0123456789":
            yield from (a + b + a + b, a + a + b + b, a + b + b + a)


def rounds():
    """Thousands."""
    return (str(thousand) + "000" for thousand in range(10))


def keypad():
    """Walks on the keys 123 456 789 0: lines down, up and across, around a square, and three in a line and then off."""
    yield from ("2580", "0852", "1590", "0951", "3570", "0753", "1470", "0741", "3690", "0963", "2468", "8642")
    squares = ["1254", "2365", "4587", "5698", "1397", "2684"]
    for square in squares:
        for start in range(4):
            walk = (square * 2)[start:start + 4]
            yield from (walk, walk[::-1])
    key = lambda row, column: str(3 * row + column + 1)
    for row in range(3):
        for column in range(3):
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                line = [(row + index * down, column + index * right) for index in range(3)]
                for turn in (1, -1):
                    walk = line + [(line[2][0] + turn * right, line[2][1] + turn * down)]
                    if all(0 <= r < 3 and 0 <= c < 3 for r, c in walk):
                        yield "".join(key(r, c) for r, c in walk)


# The first of published counts that nothing above makes: Amitay's (LOVE), and of RockYou's the first ones.
SINGLE_PINS = "5683 1314 1888 5150 2526 1690 1432 1324 1415 1516 1235 1232 1233 1337 0007 0070 0001 1004".split()


def four_digits():
    pins = set(SINGLE_PINS)
    for generator in (dates(), years(), rising(4), repetitions4(), rounds(), keypad()):
        pins.update(generator)
    return pins


def six_digits():
    """What is made by a generator: aaabbb, ababab, abcabc, aabbcc, abccba, and runs."""
    pins = set(rising(6))
    for number in range(1000):
        a, b, c = "%03d" % number
        pins |= {a * 3 + b * 3, (a + b) * 3, (a + b + c) * 2, a + a + b + b + c + c, a + b + c + c + b + a}
    return pins


# ---- The list -------------------------------------------------------------------------------------------------------


def words():
    """Passwords and their counts in RockYou's leak, the first of which is 6-digit PINs too."""
    with open(WORDS, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {word: int(count) for word, count in lines}


def everything():
    return four_digits() | six_digits() | set(words())


# ---- The table ------------------------------------------------------------------------------------------------------

UNITS = range(2, 5)


def packed(word):
    """Three characters in 16 bits, as digits of the base 37: the end, 0 … 9, a … z."""
    digits = ["0123456789abcdefghijklmnopqrstuvwxyz".index(character) + 1 for character in word]
    digits += [0] * (-len(digits) % 3)
    return [digits[i] * 37 * 37 + digits[i + 1] * 37 + digits[i + 2] for i in range(0, len(digits), 3)]


def literal(units):
    """64-bit numbers of four units, the first in the lowest bits."""
    units = units + [0] * (-len(units) % 4)
    numbers = [sum(units[i + j] << 16 * j for j in range(4)) for i in range(0, len(units), 4)]
    texts = ["0x" + "_".join(re.findall("....", "%016x" % number)) for number in numbers]
    lines = ["    " + ", ".join(texts[i:i + 4]) + "," for i in range(0, len(texts), 4)]
    return len(numbers), "\n".join(lines)


def table():
    pins = [0] * 625
    for pin in four_digits():
        pins[int(pin) >> 4] |= 1 << (int(pin) & 15)
    groups = {count: sorted(packed(word) for word in words() if word not in six_digits() and
                            -(-len(word) // 3) == count) for count in UNITS}
    units = [unit for count in UNITS for word in groups[count] for unit in word]
    pin_count, pin_literal = literal(pins)
    word_count, word_literal = literal(units)
    cases = "\n".join("    case %d: %d" % (count, len(groups[count])) for count in UNITS)
    return """// The common passcodes as data. Tests/Rules/common.py writes this file; do not change it by hand.
//
// The tables are constants in the object file: nothing computes them when the program runs.
//
// SPDX-License-Identifier: Apache-2.0

extension CommonPasscodes {
  /// How many passwords have so many units.
  static func wordCount(_ unitCount: Int) -> Int {
    switch unitCount {
%s
    default: 0
    }
  }

  /// A bit for each 4-digit PIN, 0000 in the lowest.
  static let pins: InlineArray<%d, UInt64> = [
%s
  ]

  /// The passwords of two units, then those of three and of four, each in their order.
  static let words: InlineArray<%d, UInt64> = [
%s
  ]
}
""" % (cases, pin_count, pin_literal, word_count, word_literal)


# ---- Published counts -----------------------------------------------------------------------------------------------


def pin_counts():
    with open(COUNTS, encoding="ascii") as file:
        numbers = [int(number) for line in file if not line.startswith("#") for number in line.split()]
    assert len(numbers) == 10000
    return {"%04d" % pin: count for pin, count in enumerate(numbers)}


# N. Berry's twenty, in hundredths of a per cent of 3.4 million 4-digit passwords.
BERRY = {"1234": 1071.3, "1111": 601.6, "0000": 188.1, "1212": 119.7, "7777": 74.5, "1004": 61.6, "2000": 61.3,
         "4444": 52.6,
         "2222": 51.6, "6969": 51.2, "9999": 45.1, "3333": 41.9, "5555": 39.5, "6666": 39.1, "1122": 36.6, "1313": 30.4,
         "8888": 30.3, "4321": 29.3, "2001": 29.0, "1010": 28.5}
# D. Amitay's ten, of 204,508 passcodes of an iPhone app.
AMITAY = {"1234": 8884, "0000": 5246, "2580": 4753, "1111": 3262, "5555": 1774, "5683": 1425, "0852": 1221,
          "2222": 1139,
          "1212": 944, "1998": 882}
ROCKYOU = 32603388


def share():
    pins, counts = four_digits(), pin_counts()
    total = sum(counts.values())
    print("4-digit PINs on the list: %d of 10,000" % len(pins))
    print("RockYou-4-digit: %.1f %% of %d choices" % (
        100 * sum(counts[pin] for pin in pins) / total, total))
    best = sum(sorted(counts.values())[-len(pins):])
    print("the most that so many PINs could cover there: %.1f %%" % (100 * best / total))
    print("Berry: %d of 20, which are %.2f %%" % (
        len(pins & BERRY.keys()), sum(BERRY[pin] for pin in pins & BERRY.keys()) / 100))
    print("Amitay: %d of 10, which are %.2f %%" % (
        len(pins & AMITAY.keys()), 100 * sum(AMITAY[pin] for pin in pins & AMITAY.keys()) / 204508))
    listed = words()
    six = {pin for pin in everything() if re.fullmatch("[0-9]{6}", pin)}
    print("6-digit PINs on the list: %d of 1,000,000" % len(six))
    print("passwords on the list: %d, which are %.2f %% of RockYou's %d" % (
        len(listed), 100 * sum(listed.values()) / ROCKYOU, ROCKYOU))


def make_words(rockyou, xato):
    ranking = []
    with open(rockyou, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r" *([0-9]+) (.*)$", line)
            if match:
                ranking.append((match.group(2).lower(), int(match.group(1))))
    counts, places = {}, {}
    for place, (word, count) in enumerate(ranking):
        counts[word] = counts.get(word, 0) + count
        places.setdefault(word, place)
    with open(xato, encoding="utf-8") as file:
        others = [line.rstrip("\n") for line in file]
    chosen = {word for word in others[:2000] if places.get(word, 100000) < 3000}
    six = {word for word in others[:30000] if re.fullmatch("[0-9]{6}", word)} & places.keys()
    usable = {word for word in chosen | six
              if re.fullmatch("[a-z0-9]{4,12}", word) and not re.fullmatch("[0-9]{4}", word)}
    with open(WORDS, "w", encoding="ascii") as file:
        file.write("# Common passwords and how many of RockYou's 32,603,388 accounts had them, in either case.\n"
                   "# Chosen by Tests/Rules/common.py --words, which names the sources.\n")
        file.writelines("%s %d\n" % (word, counts[word]) for word in sorted(usable, key=lambda w: (-counts[w], w)))
    digits = [(word, count) for word, count in ranking if re.fullmatch("[0-9]{6}", word)]
    listed = six_digits() | usable
    print("of RockYou's first 100,000 passwords, %d accounts have 6 digits; on the list: %.1f %%" % (
        sum(count for _, count in digits),
        100 * sum(count for word, count in digits if word in listed) / sum(count for _, count in digits)))


def make_counts(rockyou):
    counts = [0] * 10000
    with open(rockyou, encoding="ascii") as file:
        for line in file:
            counts[int(line)] += 1
    with open(COUNTS, "w", encoding="ascii") as file:
        file.write("# How often each PIN, 0000 to 9999, is in RockYou-4-digit.txt (Markert and others, 2020):"
                   " 20 a line.\n"
                   "# Written by Tests/Rules/common.py --counts, which names the source.\n")
        for first in range(0, 10000, 20):
            file.write(" ".join(map(str, counts[first:first + 20])) + "\n")


def main(arguments):
    if arguments[:1] == ["--words"]:
        make_words(*arguments[1:])
    elif arguments[:1] == ["--counts"]:
        make_counts(*arguments[1:])
    elif arguments == ["--share"]:
        share()
    elif arguments == ["--update"]:
        with open(TABLE, "w", encoding="ascii") as file:
            file.write(table())
    elif arguments == ["--check"]:
        with open(TABLE, encoding="ascii") as file:
            if file.read() != table():
                sys.exit("common.py: the table is not what this makes; to write it: Tests/Rules/common.py --update")
    else:
        print("\n".join(sorted(everything(), key=lambda word: (len(word), word))))


main(sys.argv[1:])
