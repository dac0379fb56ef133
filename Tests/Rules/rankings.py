#!/usr/bin/env python3
"""Makes the files of Tests/Vectors that the list of common passcodes is chosen from, out of published rankings.

    rankings.py words ROCKYOU BURNETT PWDB NCSC      writes common-words.txt
    rankings.py pins ROCKYOU4                        writes pin-counts.txt
    rankings.py hibp FOUR FIVE                       writes pin-counts-2024.txt and pin-counts-five.txt
    rankings.py others ZXCVBN                        writes common-check.txt, which the list is not chosen from

The sources, each a ranking itself; none leaves out what another list has:

- ROCKYOU: the leak of 2009, lines of a count and a password, the first 99,880 passwords, which 11,947,947 of its
  32,603,388 accounts had.
- BURNETT: M. Burnett's ten million passwords (xato.net, 2015), the first 100,000 in their order, one a line.
- PWDB: A. Hakçıl, "Pwdb-Public" (2020, MIT licence), occurrence.100K.txt: lines of a password, | and a count, from a
  thousand million leaked lines.
- NCSC: the 100,000 most frequent of Have I Been Pwned, as the National Cyber Security Centre of the United Kingdom
  published them (2019), PwnedPasswordsTop100k.txt, one a line.
- FOUR, FIVE: "Common PIN Analysis from haveibeenpwned.com" (Slon104, MIT licence), the counts of Have I Been Pwned of
  2024-08-14 for all numbers of four and of five digits, lines of a number, : and a count.
- ROCKYOU4: P. Markert, D. Bailey, M. Golla, M. Dürmuth, A. Aviv, "This PIN Can Be Easily Guessed" (IEEE Symposium on
  Security and Privacy, 2020), RockYou-4-digit.zip: 1,780,587 PINs, the runs of exactly four digits in RockYou's
  passwords, as in J. Bonneau, S. Preibusch, R. Anderson, "A birthday present every eleven wallets?" (2012).
- ZXCVBN: data/passwords.txt of dropbox/zxcvbn (2017, MIT licence): its own count of Burnett's passwords.

SPDX-License-Identifier: Apache-2.0
"""

import re
import sys

import common

SIX = re.compile("[0-9]{6}")


def lines_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\r\n") for line in file]


def places(passwords):
    """Where each password comes first, from 1, with capitals as small letters."""
    first = {}
    for place, password in enumerate(passwords, 1):
        first.setdefault(password.lower(), place)
    return first


def make_words(rockyou, burnett, pwdb, ncsc):
    counted = [match.groups() for match in (re.match(" *([0-9]+) (.*)$", line) for line in lines_of(rockyou)) if match]
    accounts = {}
    for count, password in counted:
        accounts[password.lower()] = accounts.get(password.lower(), 0) + int(count)
    ranked = [line.rpartition("|")[0] for line in lines_of(pwdb)[1:]]
    listed = lines_of(ncsc)
    listed = listed[listed.index("123456"):]  # a notice is above it
    rankings = [places(ranking) for ranking in (
        [password for _, password in counted],
        [password for password in lines_of(burnett) if "/" not in password],  # an address is above it
        ranked, listed)]
    regular = common.regular_numbers()
    chosen = {word for word in set().union(*rankings) if common.is_usable(word) and (
        word in regular and word in accounts
        or any(ranking.get(word, 10**9) <= limit for ranking, limit in zip(rankings, common.limits(word))))}
    with open(common.WORDS, "w", encoding="ascii") as file:
        file.write("# Passwords, their places in the rankings of RockYou, Burnett, Pwdb and NCSC (- if they are not"
                   " among the first),\n# and how many of RockYou's accounts had them, in either case.\n"
                   "# Written by Tests/Rules/rankings.py words, which names the sources. common.py says which are on"
                   " the list.\n"
                   "# RockYou's accounts with passwords of six digits among the first 99,880: %d\n" % (
                       sum(count for word, count in accounts.items() if SIX.fullmatch(word))))
        for word in sorted(chosen):
            fields = [ranking.get(word, 10**9) for ranking in rankings]
            fields = [str(place) if place <= limit else "-" for place, limit in zip(fields, common.limits(word))]
            file.write(" ".join([word, *fields, str(accounts.get(word, 0))]) + "\n")


def write_pins(path, counts, comment):
    with open(path, "w", encoding="ascii") as file:
        file.write(comment)
        for first in range(0, 10000, 20):
            file.write(" ".join(map(str, counts[first:first + 20])) + "\n")


def make_pins(rockyou):
    counts = [0] * 10000
    for line in lines_of(rockyou):
        counts[int(line)] += 1
    write_pins(common.ROCKYOU_PINS, counts,
               "# How often each PIN, 0000 to 9999, is in RockYou-4-digit.txt (Markert and others, 2020): 20 a line.\n"
               "# Written by Tests/Rules/rankings.py pins, which names the source.\n")


def numbers(path):
    return {number: int(count) for number, count in (line.split(" : ") for line in lines_of(path) if " : " in line)}


def make_hibp(four, five):
    counts = numbers(four)
    write_pins(common.HIBP_PINS, [counts["%04d" % pin] for pin in range(10000)],
               "# How often each PIN, 0000 to 9999, is in Have I Been Pwned (2024-08-14): 20 a line.\n"
               "# Written by Tests/Rules/rankings.py hibp, which names the source.\n")
    counts = numbers(five)
    assert len(counts) == 100000
    with open(common.HIBP_FIVE, "w", encoding="ascii") as file:
        file.write("# How often numbers of five digits are in Have I Been Pwned (2024-08-14): the first 400, and those"
                   " of a shape.\n# Written by Tests/Rules/rankings.py hibp, which names the source.\n"
                   "# All of five digits: %d\n" % sum(counts.values()))
        order = sorted(counts, key=lambda number: (-counts[number], number))
        shaped = [number for number in order[400:] if number in common.regular_numbers()]
        file.writelines("%s %d\n" % (number, counts[number]) for number in order[:400] + shaped)


def make_check(zxcvbn):
    counted = [line.split() for line in lines_of(zxcvbn)]
    words = [(word, count) for word, count in counted[:1000] if common.is_usable(word)]
    with open(common.CHECK, "w", encoding="ascii") as file:
        file.write("# Passwords among the first 1,000 by zxcvbn's own count of Burnett's ten million, and their"
                   " counts.\n# The list is not chosen from these. Written by Tests/Rules/rankings.py others.\n")
        file.writelines("%s %s\n" % pair for pair in words)


MAKERS = {"words": make_words, "pins": make_pins, "hibp": make_hibp, "others": make_check}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__)
    MAKERS[sys.argv[1]](*sys.argv[2:])
