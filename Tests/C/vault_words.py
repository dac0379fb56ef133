#!/usr/bin/env python3
"""Compares the vault's recovery words with Python's `mnemonic`, the reference implementation of BIP-39: random
entropies of all lengths, their seeds, and phrases that are not right.

    vault_words.py libcustomvault.so [COUNT]     COUNT phrases; of one in 500 the seed, too
    vault_words.py --table                       writes the packed list of Sources/KeyboardVault/Words
    vault_words.py --check                       tells whether it would write the same

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import random
import sys

# Where Debian puts python3-mnemonic, for a python3 in PATH that is not Debian's. The package has no compiled part.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from mnemonic import Mnemonic  # noqa: E402
except ImportError as error:
    sys.exit(f"vault_words.py: Python's mnemonic is needed (Debian: python3-mnemonic): {error}")

REFERENCE = Mnemonic("english")
TABLE = os.path.join(os.path.dirname(__file__), "../../Sources/KeyboardVault/Words/WordList+Table.swift")
HEAD = """\
// BIP-39's English list as data. Tests/C/vault_words.py writes this file; do not change it by hand.
//
// Source: BIP-39, english.txt.
// SPDX-License-Identifier: Apache-2.0

extension WordList {
  /// The words in their order. For each, from the lowest bit: how many letters it shares with the word before (3 bits),
  /// how many letters follow, less one (3), and these (5 bits each, a = 0).
  static let packed: InlineArray<%d, UInt64> = [
%s
  ]
}
"""
SPACES = ["  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", " \u2003 ", "\u1680", "\u2028", "\u205f", "\u0085", "\v"]


def packed():
    bits, place, before = 0, 0, ""
    for word in REFERENCE.wordlist:
        shared = len(os.path.commonprefix([before, word]))
        rest = word[shared:]
        for value, width in [(shared, 3), (len(rest) - 1, 3), *((ord(letter) - ord("a"), 5) for letter in rest)]:
            bits |= value << place
            place += width
        before = word
    count = (place + 63) // 64
    numbers = ["0x%04x_%04x_%04x_%04x," % tuple((bits >> 64 * i + shift) & 0xFFFF for shift in (48, 32, 16, 0))
               for i in range(count)]
    lines = ["    " + " ".join(numbers[i : i + 4]) for i in range(0, count, 4)]
    return HEAD % (count, "\n".join(lines))


class Vault:
    def __init__(self, path):
        self.library = ctypes.CDLL(os.path.abspath(path))
        self.length = ctypes.c_size_t()
        self.space = ctypes.create_string_buffer(216)

    def call(self, name, *arguments):
        return getattr(self.library, "CustomVault_" + name)(*arguments)

    def normalised(self, words):
        rv = self.call("checkWords", words.encode(), self.space, ctypes.c_size_t(216), ctypes.byref(self.length))
        return self.space.value.decode() if rv == 0 else rv

    def seed(self, words, passphrase):
        seed = ctypes.create_string_buffer(64)
        rv = self.call("wordsSeed", words.encode(), passphrase.encode(), seed)
        return seed.raw if rv == 0 else rv

    def generated(self, count):
        rv = self.call("generateWords", ctypes.c_size_t(count), self.space, ctypes.c_size_t(216),
                       ctypes.byref(self.length))
        return self.space.value.decode() if rv == 0 else rv


def main():
    if sys.argv[1] == "--table":
        open(TABLE, "w").write(packed())
        return
    if sys.argv[1] == "--check":
        if open(TABLE).read() != packed():
            sys.exit("vault_words.py: the table is not that of the list")
        print("vault_words.py: 1 checks")
        return
    vault, checks = Vault(sys.argv[1]), 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = os.environ.get("SEED", str(random.SystemRandom().getrandbits(64)))
    numbers = random.Random(seed)

    def check(got, expected, what):
        nonlocal checks
        checks += 1
        if got != expected:
            sys.exit("vault_words: %s: expected %r, got %r (SEED=%s)" % (what, expected, got, seed))

    for i in range(count):
        words = REFERENCE.to_mnemonic(numbers.randbytes(numbers.choice((16, 20, 24, 28, 32))))
        space = numbers.choice(SPACES)
        changed = space + space.join(word.upper() if numbers.random() < 0.2 else word for word in words.split()) + space
        check(vault.normalised(changed), words, repr(changed))
        others = words.split()
        others[numbers.randrange(len(others))] = numbers.choice(REFERENCE.wordlist)
        other = " ".join(others)
        check(vault.normalised(other), other if REFERENCE.check(other) else 10, other)
        own = vault.generated(numbers.choice((12, 15, 18, 21, 24)))
        check(REFERENCE.check(own), True, own)
        if i % 500 == 0:
            passphrase = "".join(chr(numbers.randrange(32, 127)) for _ in range(numbers.randrange(200)))
            check(vault.seed(changed, passphrase), REFERENCE.to_seed(words, passphrase), words)
    for i, word in enumerate(REFERENCE.wordlist):  # every word at every place of the list
        phrases = (" ".join([word] * 11 + [last]) for last in REFERENCE.wordlist)
        words = next(phrase for phrase in phrases if REFERENCE.check(phrase))
        check(vault.normalised(words), words, words)
        if i >= 64 and count < 10000:
            break
    print("vault_words: %d checks" % checks)


if __name__ == "__main__":
    main()
