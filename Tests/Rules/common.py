#!/usr/bin/env python3
"""Makes the built-in list of common passcodes, and measures how much of real choice it covers.

    common.py            prints the list: PINs and passwords
    common.py --update   writes Sources/KeyboardRules/Common/CommonPasscodes+Table.swift
    common.py --check    fails if that file is another one
    common.py --share    prints what share of published choices is on the list

What is on it (rankings.py names the sources):

- Four digits: the first 1,000 by Have I Been Pwned's counts of 2024; the years 1930 … 2039; aaaa, abab and aabb; runs
  by one, from 9 to 0 as well.
- 5 to 12 digits: one digit or two over and over, and runs by one or two, from 9 to 0 as well.
- Five digits also: the first 200 by Have I Been Pwned's counts.
- Six digits also: aaabbb, abcabc, aabbcc, abccba; and those among the first 25,000 of Pwdb's ranking and of NCSC's.
- Passwords of 4 to 12 ASCII letters and digits: those among the first 3,000 of RockYou's ranking and the first 2,000 of
  Burnett's, and those among the first 1,200 of Pwdb's and the first 2,000 of NCSC's. Two rankings each, because each
  alone has passwords that one site or one machine made.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLE = os.path.join(ROOT, "Sources", "KeyboardRules", "Common", "CommonPasscodes+Table.swift")
VECTORS = os.path.join(ROOT, "Tests", "Vectors")
WORDS = os.path.join(VECTORS, "common-words.txt")
CHECK = os.path.join(VECTORS, "common-check.txt")
HIBP_PINS = os.path.join(VECTORS, "pin-counts-2024.txt")
HIBP_FIVE = os.path.join(VECTORS, "pin-counts-five.txt")
ROCKYOU_PINS = os.path.join(VECTORS, "pin-counts.txt")

DIGITS = "0123456789"

# ---- Numbers of a shape ---------------------------------------------------------------------------------------------


def runs(length, steps):
    """Digits that go up by a step, from 9 to 0 as well; a step of 0 is one digit over and over."""
    return {"".join(str((start + step * index) % 10) for index in range(length))
            for start in range(10) for step in steps}


def pairs(length):
    """Two digits over and over."""
    return {((a + b) * length)[:length] for a in DIGITS for b in DIGITS}


def shaped4():
    """The years 1930 … 2039, aaaa, abab, aabb, and runs by one."""
    years, doubles = {str(year) for year in range(1930, 2040)}, {a + a + b + b for a in DIGITS for b in DIGITS}
    return years | doubles | pairs(4) | runs(4, (1, -1))


def regular6():
    """aaabbb, abcabc, aabbcc, abccba."""
    pins = set()
    for number in range(1000):
        a, b, c = "%03d" % number
        pins |= {a * 3 + b * 3, (a + b + c) * 2, a + a + b + b + c + c, a + b + c + c + b + a}
    return pins


@functools.lru_cache(None)
def regular_numbers():
    """All of 5 to 12 digits that the library finds without a table."""
    return frozenset(regular6().union(*(runs(n, (0, 1, -1, 2, -2)) | pairs(n) for n in range(5, 13))))


# ---- Numbers and passwords of a rank --------------------------------------------------------------------------------

FIRST_FOUR, FIRST_FIVE = 1000, 200


def is_usable(word):
    """Whether it can be on the list as a password. Four digits have a definition of their own."""
    return re.fullmatch("[a-z0-9]{4,12}", word) and not re.fullmatch("[0-9]{4}", word)


def limits(word):
    """The first so many of RockYou's, Burnett's, Pwdb's and NCSC's rankings."""
    return (3000, 2000, 25000, 25000) if re.fullmatch("[0-9]{6}", word) else (3000, 2000, 1200, 2000)


def lines_of(path):
    with open(path, encoding="ascii") as file:
        return [line.split() for line in file if not line.startswith("#")]


def pin_counts(path):
    numbers = [int(number) for line in lines_of(path) for number in line]
    assert len(numbers) == 10000
    return {"%04d" % pin: count for pin, count in enumerate(numbers)}


def first(counts, number):
    return sorted(counts, key=lambda passcode: (-counts[passcode], passcode))[:number]


def four_digits():
    return shaped4() | set(first(pin_counts(HIBP_PINS), FIRST_FOUR))


def five_counts():
    return {number: int(count) for number, count in lines_of(HIBP_FIVE)}


def accounts():
    """How many of RockYou's accounts had a password, of those that are ranked or of a shape."""
    return {word: int(count) for word, *_, count in lines_of(WORDS)}


def ranked_words():
    """A word's fields are numbers where it is among the first of a ranking."""
    return {word for word, rockyou, burnett, pwdb, ncsc, _ in lines_of(WORDS)
            if "-" not in (rockyou, burnett) or "-" not in (pwdb, ncsc)}


@functools.lru_cache(None)
def words():
    """What the table has but for four digits."""
    return frozenset((ranked_words() | set(first(five_counts(), FIRST_FIVE))) - regular_numbers())


def everything():
    return four_digits() | regular_numbers() | words()


# ---- The table ------------------------------------------------------------------------------------------------------

# A passcode is a number to one of three bases, and belongs to the group of its base and length. A group is its numbers
# in their order, each as the gap after the one before it, in an exponential Golomb code: of a gap, the bits above the
# lowest `low` ones, plus one, are z + 1 bits long; written are z zeros, a one, the z bits below it, and the low bits.
# Bits fill the words of the table from the lowest.

BASES = {10: DIGITS, 26: "abcdefghijklmnopqrstuvwxyz", 36: DIGITS + "abcdefghijklmnopqrstuvwxyz"}


def number(passcode):
    base = 10 if passcode.isdigit() else 26 if passcode.isalpha() else 36
    value = 0
    for character in passcode:
        value = value * base + BASES[base].index(character)
    return base, value


def bits_of(value, count):
    return [value >> place & 1 for place in range(count)]


def code(gap, low):
    high = (gap >> low) + 1
    zeros = high.bit_length() - 1
    return [0] * zeros + [1] + bits_of(high, zeros) + bits_of(gap, low)


def coded(values):
    """The shortest code of a group: how many low bits, and all bits."""
    gaps = [value - before - 1 for before, value in zip([-1] + values, values)]
    return min(((low, sum((code(gap, low) for gap in gaps), [])) for low in range(60)), key=lambda pair: len(pair[1]))


def literal(numbers):
    texts = ["0x" + "_".join(re.findall("....", "%016x" % number)) for number in numbers]
    return "\n".join("    " + ", ".join(texts[i:i + 4]) + "," for i in range(0, len(texts), 4))


def table():
    members = {}
    for passcode in four_digits() | words():
        base, value = number(passcode)
        members.setdefault((base, len(passcode)), []).append(value)
    groups, bits = [], []
    for (base, length), values in sorted(members.items()):
        low, code_bits = coded(sorted(values))
        groups.append(len(bits) << 32 | len(values) << 16 | low << 10 | length << 6 | base)
        bits += code_bits
    bits += [0] * (-len(bits) % 64 + 64)  # a word more, because two are read at once
    numbers = [sum(bit << place for place, bit in enumerate(bits[i:i + 64])) for i in range(0, len(bits), 64)]
    return """// The common passcodes as data. Tests/Rules/common.py writes this file; do not change it by hand.
//
// The tables are constants in the object file: nothing computes them when the program runs.
//
// SPDX-License-Identifier: Apache-2.0

extension CommonPasscodes {
  /// The groups. From the lowest bit: 6 bits of base, 4 of length, 6 for how many low bits a gap has, 16 for how many
  /// passcodes there are, and where the first gap begins in `gaps`, in bits.
  static let groups: InlineArray<%d, UInt64> = [
%s
  ]

  /// The gaps between the passcodes of each group, in an exponential Golomb code.
  static let gaps: InlineArray<%d, UInt64> = [
%s
  ]
}
""" % (len(groups), literal(groups), len(numbers), literal(numbers))


# ---- Published counts -----------------------------------------------------------------------------------------------

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
FIVE = 21559325


def covered(counts, chosen, total=None):
    """The share of those chosen, and of the best that are as many, in per cent."""
    total = total or sum(counts.values())
    best = sorted(counts.values())[-len(chosen):]
    return 100 * sum(counts.get(passcode, 0) for passcode in chosen) / total, 100 * sum(best) / total


def share():
    pins, listed = four_digits(), everything()
    print("4-digit PINs on the list: %d of 10,000" % len(pins))
    for name, path in (("Have I Been Pwned, 2024", HIBP_PINS), ("RockYou-4-digit", ROCKYOU_PINS)):
        counts = pin_counts(path)
        print("%s: %.1f %% of %d choices; so many PINs could cover %.1f %% at most" % (
            name, *covered(counts, pins)[:1], sum(counts.values()), covered(counts, pins)[1]))
    print("Berry: %d of 20, which are %.2f %%" % (
        len(pins & BERRY.keys()), sum(BERRY[pin] for pin in pins & BERRY.keys()) / 100))
    print("Amitay: %d of 10, which are %.2f %%" % (
        len(pins & AMITAY.keys()), 100 * sum(AMITAY[pin] for pin in pins & AMITAY.keys()) / 204508))
    five = {number for number in listed if re.fullmatch("[0-9]{5}", number)}
    print("5-digit PINs on the list: %d of 100,000, which are %.1f %% of Have I Been Pwned's; at most %.1f %%" % (
        len(five), *covered(five_counts(), five, FIVE)))
    six, counts = {number for number in listed if re.fullmatch("[0-9]{6}", number)}, accounts()
    with open(WORDS, encoding="ascii") as file:
        total = int(re.search("six digits among the first 99,880: ([0-9]+)", file.read())[1])
    print("6-digit PINs on the list: %d of 1,000,000, which are %.1f %% of RockYou's %d" % (
        len(six), covered(counts, six, total)[0], total))
    chosen = listed & {word for word, count in counts.items() if count}
    print("passwords on the list: %d in the table; %d are RockYou's, which are %.2f %% of %d; at most %.2f %%" % (
        len(words()), len(chosen), covered(counts, chosen, ROCKYOU)[0], ROCKYOU, covered(counts, chosen, ROCKYOU)[1]))


def main(arguments):
    if arguments == ["--share"]:
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


if __name__ == "__main__":
    main(sys.argv[1:])
