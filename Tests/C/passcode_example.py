"""Uses Examples/c-passcode as a person does: reads the pad that is drawn, and types the letters beside the digits.

    passcode_example.py PROGRAM

SPDX-License-Identifier: Apache-2.0
"""

import re
import signal
import subprocess
import sys

STEPS = [  # the prompt, what is typed, the answer
    (b"Choose a PIN", "159753", b"Many people choose this"),
    (b"Choose a PIN", "555172", b"several times in a row"),
    (b"Choose a PIN", "042360", b"date of birth"),
    (b"Choose a PIN", "108702", b"telephone number"),
    (b"Choose a PIN", "483725", b"Type it again."),
    (b"", "483726", b"That was another one."),
    (b"Type it again.", "483752", b"That was another one."),
    (b"Type it again.", "000000", b"Begin anew."),
    (b"Choose a PIN", "483725", b"Type it again."),
    (b"", "483725", b"$argon2id$v=19$m=19456,t=2,p=1$"),
    (b"Log in.", "483726", b"Wrong."),
    (b"Log in.", "483725", b"Welcome."),
]

signal.alarm(120)  # ends the test if an answer does not come
program = subprocess.Popen(sys.argv[1:2], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
shown, taken = b"", b""


def read_until(text):
    """Reads to the end of `text`; returns what came before it since the last time."""
    global shown, taken
    while text not in shown:
        more = program.stdout.read1()
        assert more, "the program ended before %r: %r" % (text, shown)
        shown += more
    place = shown.index(text) + len(text)
    before, shown = shown[:place], shown[place:]
    taken += before
    return before


orders = set()
for prompt, pin, answer in STEPS:
    read_until(prompt)
    keys = re.findall(rb"([a-l])\) (\d)", read_until(b"l) delete"))
    assert sorted(digit for _, digit in keys) == [b"%d" % i for i in range(10)], keys
    orders.add(b"".join(digit for _, digit in keys))
    letters = {digit: letter for letter, digit in keys}
    program.stdin.write(b"".join(letters[digit.encode()] for digit in pin))
    program.stdin.flush()
    assert b"******" in read_until(answer), "no dots"
assert program.wait(120) == 0
for _, pin, _ in STEPS:
    assert pin.encode() not in taken, "a PIN was shown"
assert len(orders) > len(STEPS) // 2, "the keys are not shuffled"
print("passcode_example: %d checks" % (5 * len(STEPS) + 2))
