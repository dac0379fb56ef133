"""The general registers of x86-64 by their names, the conditions of its jumps, and what ends a run.

SPDX-License-Identifier: Apache-2.0
"""

QUAD = (1 << 64) - 1
NAMES = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"] + ["r%d" % n for n in range(8, 16)]
# For the name of a register: its number, its width, the bit where it begins.
REGISTERS = {}
for _n, _name in enumerate(NAMES):
    if _n < 8:
        _short = _name[1:]
        _byte = _short[0] + "l" if _short[1] == "x" else _short + "l"
        REGISTERS.update({"%" + _name: (_n, 64, 0), "%e" + _short: (_n, 32, 0), "%" + _short: (_n, 16, 0),
                          "%" + _byte: (_n, 8, 0)})
        if _short[1] == "x":
            REGISTERS["%" + _short[0] + "h"] = _n, 8, 8
    else:
        REGISTERS.update({"%" + _name + suffix: (_n, width, 0)
                          for suffix, width in (("", 64), ("d", 32), ("w", 16), ("b", 8))})
SUFFIXES = {"b": 8, "w": 16, "l": 32, "q": 64}
CONDITIONS = {"e": "z", "ne": "!z", "b": "c", "ae": "!c", "s": "s", "ns": "!s", "o": "o", "no": "!o", "p": "p",
              "np": "!p", "l": "l", "ge": "!l", "be": "a", "a": "!a", "le": "g", "g": "!g"}


class Refused(Exception):
    """Something that an observer sees depends on a secret."""
